"""Two wheels with teeth that mesh, on a carrier that may move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import ClassVar, Protocol

import numpy as np

from ...lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression, atan2, cos, is_literal, min, sin
from ..bodies.shapes import Shape, wheel_shapes
from ..geometry.axes import Axis, normals, third_axis
from ..geometry.poses import Pose
from ..geometry.vectors import Vector
from ..references.naming import A_NAME
from .closure import Closure, Side
from .conditions import Conditions


@dataclass(frozen=True)
class Wheel:
    """A wheel as its carrier sees it: its body, the teeth (negative: inside ones), where and how it turns.

    centre: a point of its axis (m, carrier axes). axis: its direction, carrier axes. rotation: body to carrier
    coordinates where all joints are at zero.
    """

    body: str = field(metadata=A_NAME)
    teeth: int
    centre: Vector
    axis: np.ndarray
    rotation: np.ndarray


class Seen(Protocol):
    """Points, directions and velocities of a closure's sides in world axes: of `Conditions` symbols, else measures."""

    def vector(self, side: int, local: Axis | np.ndarray | None) -> Vector:
        """The side's point (local None) or a direction of its body."""

    def velocity(self, side: int, point: Vector) -> Vector:
        """Of the side's body where a point is."""


@dataclass(frozen=True, eq=False)
class Mesh(Closure):
    """Both wheels have one velocity at the pitch point, along the tooth force (G05 (29)); the phase is kept by (L12).

    at: the pitch point; along: the direction of the tooth force; both fixed in the carrier, in its axes.
    """

    wheels: tuple[Wheel, Wheel]
    carrier: str = field(metadata=A_NAME)
    at: Vector
    along: Vector
    has_wrench: ClassVar[bool] = True

    @property
    def thing(self) -> str:
        return f"gear {self.name!r}"

    @property
    def sides(self) -> Sequence[Side]:
        """Both wheels with their centres, and the carrier with the pitch point."""
        at_rest = np.eye(3)
        bodies = [(wheel.body, Vector((0.0, 0.0, 0.0))) for wheel in self.wheels]
        return [Side(body, at, at_rest) for body, at in (*bodies, (self.carrier, self.at))]

    def conditions(self, frame: int | None) -> Conditions:
        out = Conditions()
        out.add_in_rates(self.slip(out), "slip between the teeth", "m", self.phase(out))
        return out

    @property
    def shapes(self) -> Sequence[tuple[str, Shape]]:
        """Wheels as large as their pitch circles."""
        found = [(wheel, self._pitch_circle(wheel)) for wheel in self.wheels]
        width = 0.25 * min(*(radius for _, (_, radius) in found))
        out: list[tuple[str, Shape]] = []
        for wheel, (centre, radius) in found:
            back = wheel.rotation.T
            at = Pose(Vector(Vector(row).dot(centre) for row in back), third_axis(tuple(back @ wheel.axis)))
            out += [(wheel.body, shape) for shape in wheel_shapes(radius, width, at, wheel.teeth < 0)]
        return out

    def _pitch_circle(self, wheel: Wheel) -> tuple[Vector, Expression]:
        """Its centre against the wheel's (m, carrier axes), and its radius."""
        away = self.at - wheel.centre
        centre = Vector(wheel.axis) * Vector(wheel.axis).dot(away)
        return centre, (away - centre).norm()

    def slip(self, seen: Seen) -> Expression:
        """Velocity of the second wheel against the first at the pitch point, along the tooth force, m/s."""
        point = self.pitch_point(seen)
        apart = seen.velocity(1, point) - seen.velocity(0, point)
        return self.direction(seen).dot(apart)

    def pitch_point(self, seen: Seen) -> Vector:
        """In world axes, m."""
        return seen.vector(2, None)

    def direction(self, seen: Seen) -> Vector:
        """Of the tooth force, in world axes."""
        if all(map(is_literal, self.along)):
            return seen.vector(2, np.array([x.value for x in self.along]))
        axes = [seen.vector(2, axis) for axis in np.eye(3)]
        return sum((axis * x for axis, x in zip(axes, self.along, strict=True)), start=Vector((0.0, 0.0, 0.0)))

    @property
    def pitch(self) -> Expression:
        """From tooth to tooth on the pitch circle, m; negative where the tooth force turns the first wheel back."""
        return self.radii[0] * (2.0 * np.pi / self.wheels[0].teeth)

    @property
    def radii(self) -> tuple[Expression, Expression]:
        """How fast the pitch point moves along the tooth force with each wheel, for one radian per second."""
        one, two = (self.along.dot(Vector(w.axis).cross(self.at - w.centre)) for w in self.wheels)
        return one, two

    def phase(self, seen: Seen) -> Expression:
        """(L12): how far the teeth are out of mesh, m on the pitch circle: not at all where all joints are at zero."""
        turned = sum((wheel.teeth * _angle(seen, side, wheel) for side, wheel in enumerate(self.wheels)), start=0.0)
        return self.radii[0] / float(-self.wheels[0].teeth) * atan2(sin(turned), cos(turned))


def _angle(seen: Seen, side: int, wheel: Wheel) -> Expression:
    """By which a wheel has turned in its carrier."""
    first, second = normals(wheel.axis)
    pointer = seen.vector(side, wheel.rotation.T @ first)
    return atan2(pointer.dot(seen.vector(2, second)), pointer.dot(seen.vector(2, first)))
