"""Any motion of a rigid body, by position and unit quaternion."""

from __future__ import annotations

from dataclasses import dataclass

from ...expressions import Expression
from ...symbolic.columns import Column
from ...symbolic.spatial import FrameChange, Matrix, Rotation, Translation, Vector, matvec, quaternion_rate
from .. import vectors
from .ball import spin
from .motion import Freedom, Here, Motion, X, Y, Z


@dataclass(frozen=True)
class Free(Motion):
    """A position in parent axes and a unit quaternion, w first; velocities: linear, angular, in child axes."""

    name = "free"
    axis = None
    quaternion = 3
    units = ("m",) * 3 + ("1",) * 4
    rate_units = ("m/s",) * 3 + ("rad/s",) * 3

    def frame(self, here: Here) -> list[FrameChange]:
        return [Translation(here.q[:3]), Rotation.quaternion(here.q[3:])]

    def columns(self, here: Here) -> list[Column]:
        return [*(here.linear(a, a) for a in range(3)), *(here.angular(a, 3 + a) for a in range(3))]

    def coordinate_rates(self, q: Vector, u: Vector) -> Vector:
        return matvec(Rotation.quaternion(q[3:]).R, u[:3]) + quaternion_rate(q[3:], u[3:])

    def velocities(self, q: Vector, q_dot: Vector) -> Vector:
        R = vectors.rotation_of(vectors.Vector(q[3:]))
        return [vectors.Vector(R[j::3]).dot(q_dot[:3]) for j in range(3)] + spin(q[3:], q_dot[3:])

    def resisting(self, mass: Expression, inertia: Matrix, axis: int) -> list[Expression]:
        return [mass]

    lacking = "mass"

    freedoms = (*(Freedom(False, axis) for axis in (X, Y, Z)), *(Freedom(True, axis) for axis in (X, Y, Z)))
