"""The elementary motions of a link, and the stages that the passes walk through.

A link is one or more elementary motions behind a constant placement, with a rigid body at its end. `Stage`s list the
link from its parent outward: changes of frame (`Motion`) and twist columns (`Column`) of the frame behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..expressions import ZERO, Expression, as_expression, is_literal, leaf
from ..formula import Formula, Own
from ..graph import derivative, rebuild
from ..layout import STILL, TIME
from .spatial import PLANE, Matrix, Motion, Twist, Vector, Wrench, add, cross, dot, matvec, scale, transpose

#: Coordinates and joint velocities of the kinds of motion; a formula has as many as it says.
COUNTS = {"turn": (1, 1), "slide": (1, 1), "screw": (1, 1), "ball": (4, 3), "free": (7, 6)}
ALONE = ("screw", "formula")  #: kinds that need a link of their own


class LinkElement(NamedTuple):
    """One elementary motion of a link, about or along a principal axis; `driven`: its motion is given."""

    kind: str
    axis: int = 0
    driven: bool = False
    formula: Formula | None = None

    @property
    def coordinates(self) -> int:
        return len(self.formula.units) if self.formula else COUNTS[self.kind][0]

    @property
    def rates(self) -> int:
        return len(self.formula.units) if self.formula else COUNTS[self.kind][1]

    def describe(self) -> str:
        name = self.kind + ("xyz"[self.axis] if self.kind in ("turn", "slide", "screw") else "")
        return f"driven {name}" if self.driven else name


@dataclass(frozen=True, eq=False)
class Column:
    """A twist column of the frame it stands in, for the link's k-th joint velocity: a unit vector, angular or linear
    along `axis`, unless `twist` gives all of it.

    rate: from the velocities of its joint how `twist` changes in time, where it does. given: the velocity along it,
    where it is none of the unknown ones; then k counts the link's driven rates (-1: it is none of them either).
    """

    angular: bool
    axis: int
    k: int
    twist: Twist | None = None
    rate: Callable[[Sequence[Expression]], Twist] | None = None
    given: Expression | None = None


Stage = Motion | Column


def free_columns(stages: list[Stage]) -> list[Column]:
    """The columns of unknown velocities."""
    return [stage for stage in stages if isinstance(stage, Column) and stage.given is None]


def motions(stages: list[Stage]) -> list[Motion]:
    return [stage for stage in stages if not isinstance(stage, Column)]


# -- what a column does ------------------------------------------------------------------------------


def component(twist: Twist, column: Column) -> Expression:
    """The twist's entry at a unit column."""
    return (twist.w if column.angular else twist.v)[column.axis]


def with_velocity(twist: Twist, column: Column, value: Expression) -> Twist:
    """The twist with its entry at a unit column replaced."""
    v, w = list(twist.v), list(twist.w)
    (w if column.angular else v)[column.axis] = value
    return Twist(v, w, twist.g)


def advanced(twist: Twist, column: Column, rate: Expression) -> Twist:
    """The twist and `rate` times the column."""
    if column.twist is None:
        return with_velocity(twist, column, component(twist, column) + rate)
    a = column.twist
    return Twist(add(twist.v, scale(rate, a.v)), add(twist.w, scale(rate, a.w)), twist.g)


def along(column: Column, wrench: Wrench) -> Expression:
    """Aᵀ of a wrench."""
    if column.twist is None:
        return (wrench.n if column.angular else wrench.f)[column.axis]
    return pairing(column.twist, wrench)


def pairing(a: Twist, wrench: Wrench) -> Expression:
    """Power of a wrench on a twist."""
    return dot(a.v, wrench.f) + dot(a.w, wrench.n)


def unit(column: Column) -> Twist:
    """The column as a twist."""
    zero = Twist([ZERO] * 3, [ZERO] * 3, [ZERO] * 3)
    return column.twist or with_velocity(zero, column, ZERO + 1.0)


def convective(mu: Wrench, twist: Twist, column: Column, speeds: Sequence[Expression]) -> Expression:
    """(Ȧᵀ - Aᵀ Omega) mu of (P4): -(w x f) for a linear column, -(v x f + w x n) for an angular one.

    speeds: the velocities along the columns of the same frame.
    """
    if column.twist is not None:
        omega_mu = Wrench(cross(twist.w, mu.f), add(cross(twist.v, mu.f), cross(twist.w, mu.n)))
        part = -pairing(column.twist, omega_mu)
        return part if column.rate is None else part + pairing(column.rate(speeds), mu)
    b, d = PLANE[column.axis]
    part = twist.w[d] * mu.f[b] - twist.w[b] * mu.f[d]
    if column.angular:
        part = twist.v[d] * mu.f[b] - twist.v[b] * mu.f[d] + (twist.w[d] * mu.n[b] - twist.w[b] * mu.n[d])
    return part


# -- joints by formulas --------------------------------------------------------------------------------


def frame_and_columns(
    formula: Formula, q: Vector, given: Sequence[Expression | None], numbers: Sequence[int]
) -> tuple[Vector, Matrix, list[Column]]:
    """Origin, rotation and columns of a joint that formulas of coordinates and addresses describe (J1).

    q: addresses of its coordinates. given, numbers: of their columns. Before these comes what the explicit dependence
    on time gives, where anything depends on time.
    """
    entries = formula.expressions
    back = transpose([entries[3 + 3 * i : 6 + 3 * i] for i in range(3)])

    def twist_by(seed: object) -> Twist:
        slopes = derivative(entries, lambda other: as_expression(float(other == seed)))
        S = [matvec(back, [slopes[3 + 3 * i + j] for i in range(3)]) for j in range(3)]  # columns of Rᵀ dR
        w = [0.5 * (S[1][2] - S[2][1]), 0.5 * (S[2][0] - S[0][2]), 0.5 * (S[0][1] - S[1][0])]
        return Twist(matvec(back, slopes[:3]), w, [ZERO] * 3)

    def placed(expressions: Vector) -> Vector:
        return rebuild(expressions, lambda e: q[e.value.k] if e.op == "leaf" and isinstance(e.value, Own) else None)

    def located(a: Twist) -> Twist:
        return Twist(placed(a.v), placed(a.w), [ZERO] * 3)

    def rate_of(a: Twist) -> Callable[[Sequence[Expression]], Twist]:
        def rate(speeds: Sequence[Expression]) -> Twist:
            speed: dict[object, Expression] = {Own(k): u for k, u in enumerate(speeds)}
            speed[TIME] = as_expression(1.0)
            slopes = derivative([*a.v, *a.w], lambda reference: speed.get(reference, ZERO))
            return located(Twist(slopes[:3], slopes[3:], [ZERO] * 3))

        return rate

    columns, drift = [], twist_by(TIME)
    if not all(is_literal(x, 0.0) for x in drift.v + drift.w):
        columns.append(Column(True, 0, -1, located(drift), given=as_expression(1.0) - leaf(STILL)))
    for k, number in enumerate(numbers):
        a = twist_by(Own(k))
        columns.append(Column(formula.units[k] == "rad", 0, number, located(a), rate_of(a), given[k]))
    entries = placed(entries)
    return entries[:3], [entries[3 + 3 * i : 6 + 3 * i] for i in range(3)], columns
