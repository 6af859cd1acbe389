"""Springs against the rotation between two bodies, about an axis of one of them."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import Expression, as_expression, atan2, cos, is_literal, max, sin
from ...symbolic.vectors import ORIGIN, Vector
from ..data import ModelData
from ..effects import NONE, TINY, Action, Effect, Push
from ..geometry.anchors import axes, spin
from ..geometry.axes import Axis, third_axis, unit_axis
from ..geometry.poses import Placement, placed
from ..items import Body, OnBodies
from ..names import new_name
from ..references.naming import A_NAME
from .characteristics import SpringEnergy, SpringForce, SpringLaw, require_law, spring_law
from .places import add_force, two_bodies


@dataclass(frozen=True, eq=False)
class RotationalSpring(OnBodies):
    """Torque between two bodies, x the angle of b about the third axis of frame a beyond the rest angle.

    rotation_a, rotation_b: 3x3, the frames' axes in body axes.
    """

    a: str = field(metadata=A_NAME)
    rotation_a: np.ndarray
    b: str = field(metadata=A_NAME)
    rotation_b: np.ndarray
    elastic: SpringLaw

    @property
    def thing(self) -> str:
        return f"spring {self.name!r}"

    def effect(self) -> Effect:
        """Return the torque along the gradient of the angle over rotations of b."""
        angle, gradient = self._angle()
        rest = self.elastic.length
        x = atan2(*angle)
        if not is_literal(rest, 0.0):
            S, C = angle
            x = atan2(S * cos(rest) - C * sin(rest), C * cos(rest) + S * sin(rest))
        speed = gradient.dot(spin(self.b) - spin(self.a))
        strength = self.elastic.resistance(x, speed)
        dissipates = self._twist(gradient * self.elastic.dissipation(x, speed))
        return Effect(self._twist(gradient * strength), strength, self.elastic.energy(x), dissipates)

    def _angle(self) -> tuple[tuple[Expression, Expression], Vector]:
        """Return S and C, of which the angle is atan2(S, C), and its gradient in world axes.

        S = R_21 - R_12, C = R_11 + R_22 of R = AᵀB, the axis third in both frames. This is the twist of R about the
        axis, whatever its swing. The gradient is, in b's axes, (-(C R_13 + S R_23) / (C² + S²),
        (S R_13 - C R_23) / (C² + S²), 1).
        """
        A, B = axes(self.a, self.rotation_a), axes(self.b, self.rotation_b)
        S, C = A[1].dot(B[0]) - A[0].dot(B[1]), A[0].dot(B[0]) + A[1].dot(B[1])
        swing = A[0].dot(B[2]), A[1].dot(B[2])
        square = max(S * S + C * C, as_expression(TINY))
        along = -((C * swing[0] + S * swing[1]) / square), (S * swing[0] - C * swing[1]) / square
        return (S, C), B[0] * along[0] + B[1] * along[1] + B[2]

    def _twist(self, torque: Vector) -> Action:
        return Action((Push(self.a, ORIGIN, NONE, torque), Push(self.b, ORIGIN, NONE, -torque)))


def rotational_spring(
    model: ModelData,
    name: str,
    a: str | Body,
    b: str | Body,
    *,
    axis: Axis = "z",
    at_a: Placement = (0.0, 0.0, 0.0),
    at_b: Placement = (0.0, 0.0, 0.0),
    stiffness: Quantity = 0.0,
    damping: Quantity = 0.0,
    angle: Quantity = 0.0,
    force: SpringForce | None = None,
    energy: SpringEnergy | None = None,
) -> None:
    """Add a spring and damper against the rotation of b about an axis of a.

    at_a, at_b: `Pose`s of the frames that coincide at angle zero, if they are not the bodies' own; axis: in these
    frames. The torque stiffness x + damping dx/dt turns b back, and a the other way; x is the angle beyond the rest
    angle `angle` (rad), between -pi and pi. stiffness: N.m/rad, damping: N.m.s/rad. force and energy: see `spring`.

    The angle is the twist about the axis, however large the angle between the axes of a and b; the torque is along its
    gradient. It jumps when b has rotated by half a turn, and is undefined if the axes are opposite.

    Raises ModelError for a name in use, an unknown body, equal bodies, an invalid axis, pose, number or law, and a
    spring without any torque.
    """
    new_name(model, name, "force")
    thing = f"spring {name!r}"
    ends = two_bodies(model, a, b, thing, "two bodies")
    upright = third_axis(unit_axis(axis))
    rotation_a, rotation_b = (
        placed(at, f"{end} of {thing}")[1] @ upright for at, end in ((at_a, "at_a"), (at_b, "at_b"))
    )
    law = spring_law(stiffness, damping, angle, force, energy, "rad", thing, "angle")
    require_law(law, thing)
    add_force(model, RotationalSpring(name, ends[0], rotation_a, ends[1], rotation_b, law), thing)
