"""Motion that a user describes by formulas (docs/equations.md, J)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from ...infrastructure.lazy_dataclasses import dataclass
from ...record.layout import STILL, TIME
from ...symbolic.columns import Column
from ...symbolic.expressions import ZERO, Expression, as_expression, is_literal, leaf
from ...symbolic.formula import Formula, Own
from ...symbolic.graph import derivative, leaves, rebuild
from ...symbolic.spatial import FrameChange, FrameTwist, Rotation, Translation
from ...symbolic.vectors import Matrix, Vector
from .motion import Inertia, Motion, MotionContext


@dataclass(frozen=True)
class Custom(Motion):
    """Motion whose frame is an expression of its coordinates, of time and of parameters: origin and rotation."""

    formula: Formula
    name = "custom"
    axis = None
    alone = True

    @property
    def units(self) -> tuple[str, ...]:
        return self.formula.units

    @property
    def structure(self) -> Hashable:
        return self.formula

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return tuple(self.formula.expressions)

    def with_expressions(self, expressions: Sequence[Expression]) -> Custom:
        return Custom(replace(self.formula, position=expressions[:3], rotation=expressions[3:]))

    def frame(self, context: MotionContext) -> list[FrameChange]:
        entries = _substituted(self.formula.expressions, context.q)
        R = Matrix([entries[3 + 3 * i : 6 + 3 * i] for i in range(3)])
        return [Translation(Vector(entries[:3])), Rotation(R)]

    def columns(self, context: MotionContext) -> list[Column]:
        """Return the columns by differentiation (J1), preceded by that of the explicit dependence on time, if any."""
        columns, drift = [], self._slope(TIME)
        if not all(is_literal(x, 0.0) for x in drift.entries):
            prescribed = as_expression(1.0) - leaf(STILL)
            columns.append(Column(True, 0, -1, _substituted_twist(drift, context.q), prescribed=prescribed))
        for k in range(len(self.units)):
            slope = self._slope(Own(k))
            twist = _substituted_twist(slope, context.q)
            columns.append(context.column(twist.v, twist.w, _rate_of(slope, context.q), k))
        return columns

    def _slope(self, reference: object) -> FrameTwist:
        """Return the derivative of the frame with respect to a coordinate or time, as a twist in its own axes."""
        entries = self.formula.expressions
        back = Matrix([entries[3 + 3 * i : 6 + 3 * i] for i in range(3)]).T
        slopes = derivative(entries, lambda other: as_expression(float(other == reference)))
        S = [back @ [slopes[3 + 3 * i + j] for i in range(3)] for j in range(3)]  # columns of Rᵀ dR
        w = Vector([0.5 * (S[1][2] - S[2][1]), 0.5 * (S[2][0] - S[0][2]), 0.5 * (S[0][1] - S[1][0])])
        return FrameTwist(back @ slopes[:3], w)

    def effective_inertia(self, mass: Expression, inertia: Inertia, axis: int) -> list[Expression]:
        parts = (self.formula.position, self.formula.rotation)
        moves, turns = (any(isinstance(r, Own) for r in leaves(part)) for part in parts)
        return [mass] * moves + [inertia[k][k] for k in range(3)] * turns


def _substituted(expressions: Sequence[Expression], q: Vector) -> list[Expression]:
    """Return expressions with the coordinates q in place of the placeholders `Own`."""
    return rebuild(expressions, lambda e: q[e.value.k] if e.op == "leaf" and isinstance(e.value, Own) else None)


def _substituted_twist(twist: FrameTwist, q: Vector) -> FrameTwist:
    return FrameTwist(Vector(_substituted(twist.v, q)), Vector(_substituted(twist.w, q)))


def _rate_of(column: FrameTwist, q: Vector) -> Callable[[Sequence[Expression]], FrameTwist]:
    """Return the time derivative of a column as a function of the velocities."""

    def rate(speeds: Sequence[Expression]) -> FrameTwist:
        speed: dict[object, Expression] = {Own(k): u for k, u in enumerate(speeds)}
        speed[TIME] = as_expression(1.0)
        slopes = derivative(column.entries, lambda reference: speed.get(reference, ZERO))
        return _substituted_twist(FrameTwist(Vector(slopes[:3]), Vector(slopes[3:])), q)

    return rate
