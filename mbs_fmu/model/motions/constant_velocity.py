"""Rotation about any axis in a plane, as that of a constant-velocity joint (docs/equations.md, J4)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.columns import Column
from ...symbolic.expressions import Expression, as_expression
from ...symbolic.quaternions import rotation_rows
from ...symbolic.rotations import quaternion
from ...symbolic.spatial import FrameChange, FrameTwist, Rotation
from ...symbolic.vectors import ORIGIN, Vector
from .motion import Axis, DegreeOfFreedom, Inertia, Motion, MotionContext


@dataclass(frozen=True)
class ConstantVelocity(Motion):
    """A rotation about an axis in the plane of two directions, by 2 tan(angle/2) times the axis's components along
    them.

    first, second: unit vectors, normal to each other; the shafts of a joint run along first x second.
    """

    first: Axis
    second: Axis
    name = "constant-velocity"
    axis = None
    alone = True
    glyph = "ball"
    units = ("rad", "rad")

    @property
    def structure(self) -> Hashable:
        return type(self), (self.first, self.second) if self._is_principal else None

    @property
    def _is_principal(self) -> bool:
        """True if both directions are coordinate axes; the formulas then contain them instead of constants."""
        return {abs(x) for x in (*self.first, *self.second)} == {0.0, 1.0}

    @property
    def constants(self) -> tuple[Expression, ...]:
        if self._is_principal:
            return ()
        axes = np.column_stack([self.first, self.second, np.cross(self.first, self.second)])
        return tuple(as_expression(float(x)) for x in quaternion(axes))

    def _directions(self, context: MotionContext) -> tuple[Vector, Vector]:
        """Return both directions; with constants they are the first two columns of a quaternion's rotation."""
        if self._is_principal:
            first, second = (Vector(as_expression(x) for x in direction) for direction in (self.first, self.second))
        else:
            rows = rotation_rows([context.constant(k) for k in range(4)])
            first, second = (Vector(row[j] for row in rows) for j in range(2))
        return first, second

    def frame(self, context: MotionContext) -> list[FrameChange]:
        return [Rotation.quaternion(Vector([as_expression(2.0), *self._turn(context, context.q)]))]

    def _turn(self, context: MotionContext, numbers: Sequence[Expression]) -> Vector:
        """Return the vector with these components along both directions."""
        first, second = self._directions(context)
        return first * numbers[0] + second * numbers[1]

    def columns(self, context: MotionContext) -> list[Column]:
        """Return the columns (4 e - 2 c x e)/(4 + c.c) of (J4) for both directions e, c = q[1] e_1 + q[2] e_2."""
        c = self._turn(context, context.q)
        scale = 1.0 / (4.0 + c.dot(c))
        columns = []
        for k, e in enumerate(self._directions(context)):
            w = (e * 4.0 - c.cross(e) * 2.0) * scale

            def rate(speeds: Sequence[Expression], e: Vector = e, w: Vector = w) -> FrameTwist:
                c_dot = self._turn(context, speeds)
                return FrameTwist(w=(c_dot.cross(e) + w * c.dot(c_dot)) * (-2.0 * scale))

            columns.append(context.column(ORIGIN, w, rate, k))
        return columns

    def effective_inertia(self, mass: Expression, inertia: Inertia, axis: int) -> list[Expression]:
        return [inertia[k][k] for k in range(3)]

    missing_inertia = "inertia about its joint's axes"

    @property
    def degrees_of_freedom(self) -> tuple[DegreeOfFreedom, ...]:
        return tuple(DegreeOfFreedom(True, axis, joined=True) for axis in (self.first, self.second))
