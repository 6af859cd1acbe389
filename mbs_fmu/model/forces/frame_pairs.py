"""The motion of a frame on one body as seen from a frame on another, and wrenches between both."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.vectors import Vector
from ..data import ModelData
from ..effects import Action, Push
from ..geometry.anchors import axes, point_position, point_velocity, spin
from ..geometry.axes import Axis, third_axis, unit_axis
from ..geometry.poses import Placement, placed
from ..items import WORLD, Body, body_label
from ..references.kinds import A_NUMBER
from ..references.naming import A_NAME
from .places import two_bodies


@dataclass(frozen=True, eq=False)
class FramePair:
    """A frame on body a and one on body b; all vectors are in the axes of the frame on a.

    at_a, at_b: origins, m, body axes. rotation_a, rotation_b: 3x3, frame to body coordinates.
    """

    a: str = field(metadata=A_NAME)
    at_a: Vector
    rotation_a: np.ndarray = field(metadata=A_NUMBER)
    b: str = field(metadata=A_NAME)
    at_b: Vector
    rotation_b: np.ndarray = field(metadata=A_NUMBER)

    def offset(self) -> Vector:
        """Return the vector from the origin of the frame on a to that of the frame on b, m."""
        return self._in_axes(self.apart())

    def velocity(self) -> Vector:
        """Return the rate of the components of `offset`, m/s."""
        drift = spin(self.a).cross(self.apart())
        return self._in_axes(point_velocity(self.b, self.at_b) - point_velocity(self.a, self.at_a) - drift)

    def turning(self) -> Vector:
        """Return the angular velocity of b relative to a, rad/s."""
        return self._in_axes(spin(self.b) - spin(self.a))

    def third_axis(self) -> Vector:
        """Return the third axis of the frame on b."""
        return self._in_axes(axes(self.b, self.rotation_b)[2])

    def action(self, force: Vector, torque: Vector) -> Action:
        """Return a force (N) on b at the origin of its frame with a torque (N.m), and the opposite wrench on a.

        The opposite force acts at the same point. The power is force · `velocity` + torque · `turning`.
        """
        x, y, z = axes(self.a, self.rotation_a)
        return self.action_in_world(*(x * v[0] + y * v[1] + z * v[2] for v in (force, torque)))

    def action_in_world(self, force: Vector, torque: Vector) -> Action:
        """Return the same of a force and a torque in world axes."""
        on_a = Push(self.a, self.at_a, -force, -torque - self.apart().cross(force))
        return Action((on_a, Push(self.b, self.at_b, force, torque)))

    def apart(self) -> Vector:
        """Return the vector of `offset` in world axes, m."""
        return point_position(self.b, self.at_b) - point_position(self.a, self.at_a)

    def _in_axes(self, vector: Vector) -> Vector:
        return Vector(axis.dot(vector) for axis in axes(self.a, self.rotation_a))


def shaft_in_housing(
    model: ModelData,
    shaft: str | Body,
    housing: str | Body,
    at_shaft: Placement,
    at_housing: Placement,
    axis: Axis,
    thing: str,
) -> FramePair:
    """Return the frames of a bearing: a in the housing and b in the shaft; `axis` is the third axis of both.

    Raises ModelError for unknown or equal bodies, an invalid axis or pose.
    """
    on_shaft, on_housing = two_bodies(model, shaft, housing, thing, "a shaft and a housing")
    try:
        upright = third_axis(unit_axis(axis))
    except ModelError as error:
        raise ModelError(f"{thing}: {error}") from None
    (at_b, turned_b), (at_a, turned_a) = (
        placed(at, f"{end} of {thing}") for at, end in ((at_shaft, "at_shaft"), (at_housing, "at_housing"))
    )
    pair = FramePair(on_housing, at_a, turned_a @ upright, on_shaft, at_b, turned_b @ upright)
    if not _can_move(model, pair):
        raise ModelError(
            f"{thing} does nothing: {body_label(on_shaft)} can only turn in {body_label(on_housing)}: let its joint "
            'move too, such as mbs.Compound(mbs.slide("x"), mbs.slide("y"), mbs.turn("z")) for an axis along z'
        )
    return pair


def _can_move(model: ModelData, pair: FramePair) -> bool:
    """False if no joint or only one turn lies between shaft and housing: a joint holds the shaft, not the bearing."""
    between = _branch(model, pair.a) ^ _branch(model, pair.b)
    motions = [motion for name in between for motion in model.bodies[name].joint.motions]
    freedoms = [freedom for motion in motions for freedom in motion.degrees_of_freedom or (None, None)]
    elastic = any(model.bodies[name].elastic is not None for name in between)
    return elastic or len(freedoms) > 1 or any(freedom is None or not freedom.angular for freedom in freedoms)


def _branch(model: ModelData, body: str) -> set[str]:
    """Return the names of a body, its parent and so on, without the world."""
    names = set()
    while body != WORLD:
        names.add(body)
        body = model.bodies[body].parent
    return names
