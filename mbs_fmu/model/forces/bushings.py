"""Bushings: springs and dampers along and about three axes, between two frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.argument_types import Components, Quantity
from ...symbolic.expressions import ZERO, Expression, is_literal
from ..data import ModelData
from ..effects import NONE, Action, Effect
from ..geometry.anchors import axes
from ..geometry.poses import Placement, placed
from ..geometry.vectors import Vector, numbers
from ..items import Body, OnBodies
from ..names import new_name
from ..references.naming import A_NAME
from .frame_pairs import FramePair
from .places import add_force, two_bodies


@dataclass(frozen=True, eq=False)
class Bushing(OnBodies):
    """Three springs and dampers along the axes of frame a, three about them, between two frames."""

    a: str = field(metadata=A_NAME)
    at_a: Vector
    rotation_a: np.ndarray
    b: str = field(metadata=A_NAME)
    at_b: Vector
    rotation_b: np.ndarray
    stiffness: Vector
    damping: Vector
    rotational_stiffness: Vector
    rotational_damping: Vector

    def effect(self) -> Effect:
        """Return springs along the axes A of frame a, and E = ½ sum kappa_i (1 + R_ii - R_jj - R_kk) of R = AᵀB.

        For a rotation by phi about one axis E = kappa (1 - cos phi): smooth for all rotations.
        """
        A, B = axes(self.a, self.rotation_a), axes(self.b, self.rotation_b)
        kappa, half, offset = self.rotational_stiffness, self._half(), self._frames.offset()
        stored = 0.5 * (kappa[0] + kappa[1] + kappa[2])
        for i in range(3):
            stored = stored + 0.5 * self.stiffness[i] * offset[i] * offset[i] + half[i] * A[i].dot(B[i])
        return Effect(
            self._acting(self.stiffness, half), stored=stored, dissipates=self._acting(NONE, [ZERO, ZERO, ZERO])
        )

    def _acting(self, stiffness: Vector, half: Sequence[Expression]) -> Action:
        """Return the wrenches of the springs, given by stiffness and `_half`, and of all dampers.

        The springs' torque is -dE/dphi = -sum ½ (kappa_i - kappa_j - kappa_k) b_i x a_i.
        """
        A, B, frames = axes(self.a, self.rotation_a), axes(self.b, self.rotation_b), self._frames
        offset, moving, turning = frames.offset(), frames.velocity(), frames.turning()
        damping, gamma = self.damping, self.rotational_damping
        force, torque = NONE, NONE
        for i in range(3):
            force = force - A[i] * (stiffness[i] * offset[i] + damping[i] * moving[i])
            torque = torque - B[i].cross(A[i]) * half[i] - A[i] * (gamma[i] * turning[i])
        return frames.action_in_world(force, torque)

    @property
    def _frames(self) -> FramePair:
        return FramePair(self.a, self.at_a, self.rotation_a, self.b, self.at_b, self.rotation_b)

    def _half(self) -> list[Expression]:
        """Return ½ (kappa_i - kappa_j - kappa_k), N.m/rad."""
        kappa = self.rotational_stiffness
        return [0.5 * (2.0 * k - kappa[0] - kappa[1] - kappa[2]) for k in kappa]


def bushing(
    model: ModelData,
    name: str,
    a: str | Body,
    b: str | Body,
    *,
    at_a: Placement = (0.0, 0.0, 0.0),
    at_b: Placement = (0.0, 0.0, 0.0),
    stiffness: Quantity | Components = (0.0, 0.0, 0.0),
    damping: Quantity | Components = (0.0, 0.0, 0.0),
    rotational_stiffness: Quantity | Components = (0.0, 0.0, 0.0),
    rotational_damping: Quantity | Components = (0.0, 0.0, 0.0),
) -> None:
    """Add springs and dampers along and about three axes, between two frames that coincide at rest.

    at_a, at_b: positions (m, body axes) or `Pose`s. All in the axes of frame a: stiffness (N/m) and damping (N.s/m)
    along them, rotational_stiffness (N.m/rad) and rotational_damping (N.m.s/rad) about them; three numbers each, or
    one for all three. They may be expressions.

    A rotation by phi about one axis causes the torque stiffness sin(phi): linear for small angles, with an energy that
    is smooth for all rotations. An axis with zero stiffness is free for any number of turns.

    Raises ModelError for a name in use, an unknown body, equal bodies, an invalid pose or coefficient, and if all
    coefficients are zero.
    """
    new_name(model, name, "force")
    thing = f"bushing {name!r}"
    ends = two_bodies(model, a, b, thing, "two bodies")
    (position_a, rotation_a), (position_b, rotation_b) = (
        placed(at, f"{end} of {thing}") for at, end in ((at_a, "at_a"), (at_b, "at_b"))
    )
    laws = [
        _three(value, f"{what} of {thing}", unit)
        for value, what, unit in (
            (stiffness, "stiffness", "N/m"),
            (damping, "damping", "N.s/m"),
            (rotational_stiffness, "rotational_stiffness", "N.m/rad"),
            (rotational_damping, "rotational_damping", "N.m.s/rad"),
        )
    ]
    if all(is_literal(x, 0.0) for law in laws for x in law):
        raise ModelError(f"{thing} does nothing: give a stiffness or damping along or about its axes")
    add_force(model, Bushing(name, ends[0], position_a, rotation_a, ends[1], position_b, rotation_b, *laws), thing)


def _three(value: Quantity | Components, thing: str, unit: str) -> Vector:
    """Return three numbers; one number counts for all three."""
    if isinstance(value, (int, float, str, Expression)):
        value = (value, value, value)
    return numbers(value, 3, thing, unit)
