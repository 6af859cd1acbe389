"""General motion of a rigid body, with position and unit quaternion as coordinates."""

from __future__ import annotations

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.columns import Column
from ...symbolic.expressions import Expression
from ...symbolic.quaternions import quaternion_rate
from ...symbolic.spatial import FrameChange, Rotation, Translation
from ...symbolic.vectors import Vector
from .ball import spin
from .motion import DegreeOfFreedom, Inertia, Motion, MotionContext, X, Y, Z


@dataclass(frozen=True)
class Free(Motion):
    """Position in parent axes and unit quaternion, w first; linear and angular velocity in child axes."""

    name = "free"
    axis = None
    quaternion = 3
    units = ("m",) * 3 + ("1",) * 4
    rate_units = ("m/s",) * 3 + ("rad/s",) * 3

    def frame(self, context: MotionContext) -> list[FrameChange]:
        return [Translation(Vector(context.q[:3])), Rotation.quaternion(Vector(context.q[3:]))]

    def columns(self, context: MotionContext) -> list[Column]:
        return [*(context.linear(a, a) for a in range(3)), *(context.angular(a, 3 + a) for a in range(3))]

    def coordinate_rates(self, q: Vector, u: Vector) -> Vector:
        turning = Vector(q[3:])
        moved = Rotation.quaternion(turning).R @ u[:3]
        return Vector([*moved, *quaternion_rate(turning, Vector(u[3:]))])

    def velocities(self, q: Vector, q_dot: Vector) -> Vector:
        turning = Vector(q[3:])
        moved = Rotation.quaternion(turning).R.T @ q_dot[:3]
        return Vector([*moved, *spin(turning, Vector(q_dot[3:]))])

    def effective_inertia(self, mass: Expression, inertia: Inertia, axis: int) -> list[Expression]:
        return [mass]

    missing_inertia = "mass"

    degrees_of_freedom = (
        *(DegreeOfFreedom(False, axis) for axis in (X, Y, Z)),
        *(DegreeOfFreedom(True, axis) for axis in (X, Y, Z)),
    )
