"""Rotation about a point, with a unit quaternion as coordinates."""

from __future__ import annotations

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.columns import Column
from ...symbolic.expressions import Expression
from ...symbolic.quaternions import quaternion_rate
from ...symbolic.spatial import FrameChange, Rotation
from ...symbolic.vectors import Vector
from .motion import DegreeOfFreedom, Inertia, Motion, MotionContext, X, Y, Z


@dataclass(frozen=True)
class Ball(Motion):
    """Rotation by a unit quaternion, w first, child to parent; its velocity is the angular velocity in child axes."""

    name = "ball"
    axis = None
    quaternion = 0
    glyph = "ball"
    units = ("1",) * 4
    rate_units = ("rad/s",) * 3

    def frame(self, context: MotionContext) -> list[FrameChange]:
        return [Rotation.quaternion(context.q)]

    def columns(self, context: MotionContext) -> list[Column]:
        return [context.angular(a, a) for a in range(3)]

    def coordinate_rates(self, q: Vector, u: Vector) -> Vector:
        return quaternion_rate(q, u)

    def velocities(self, q: Vector, q_dot: Vector) -> Vector:
        return spin(q, q_dot)

    def effective_inertia(self, mass: Expression, inertia: Inertia, axis: int) -> list[Expression]:
        return [inertia[axis][axis]]

    missing_inertia = "inertia about its joint's axis"

    degrees_of_freedom = tuple(DegreeOfFreedom(True, axis) for axis in (X, Y, Z))


def spin(q: Vector, q_dot: Vector) -> Vector:
    """Return the angular velocity in child axes, 2 Im(conj(q) q_dot) / |q|², for a quaternion q of any length."""
    v, v_dot = Vector(q[1:]), Vector(q_dot[1:])
    return (v_dot * q[0] - v * q_dot[0] - v.cross(v_dot)) * (2.0 / q.dot(q))
