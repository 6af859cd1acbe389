"""Gear wheels that mesh, on a carrier that may move."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import ClassVar, Protocol

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression, abs, atan2, cos, is_literal, min, mod, sin
from ...symbolic.vectors import ORIGIN
from ..bodies.shapes import Shape, wheel_shapes
from ..effects import NOTHING, Action, Push
from ..geometry.anchors import axes, point_position, point_velocity, spin
from ..geometry.axes import Axis, normals, third_axis, unit_axis
from ..geometry.poses import Pose
from ..geometry.vectors import Vector
from ..references.naming import A_NAME
from .closure import Closure, Side
from .conditions import Conditions


@dataclass(frozen=True)
class Wheel:
    """Wheel relative to its carrier: body, number of teeth (negative: internal gear), centre and axis.

    centre: a point on the axis (m, carrier axes). axis: its direction, carrier axes. rotation: body to carrier
    coordinates in the zero position of all joints.
    """

    body: str = field(metadata=A_NAME)
    teeth: int
    centre: Vector
    axis: np.ndarray
    rotation: np.ndarray


class Seen(Protocol):
    """Points, directions and velocities of a closure's sides in world axes: symbols of `Conditions`, or measures."""

    def vector(self, side: int, local: Axis | np.ndarray | None) -> Vector:
        """Return the side's point (local None) or a direction of its body."""

    def velocity(self, side: int, point: Vector) -> Vector:
        """Return the velocity of the side's body at a point."""


@dataclass(frozen=True, eq=False)
class Anchored:
    """Points and axes of a closure's sides as measures, from which forces are built; see `Seen`."""

    sides: Sequence[Side]

    def vector(self, side: int, local: Axis | np.ndarray | None) -> Vector:
        at = self.sides[side]
        if local is None:
            return point_position(at.body, at.at)
        axis = local if isinstance(local, str) else [float(x) for x in local]
        return axes(at.body, third_axis(unit_axis(axis)))[2]

    def velocity(self, side: int, point: Vector) -> Vector:
        at = self.sides[side]
        return point_velocity(at.body, at.at) + spin(at.body).cross(point - self.vector(side, None))


@dataclass(frozen=True, eq=False)
class Mesh(Closure):
    """Equal velocities of both wheels at the pitch point along the tooth force (Gorobtsov 2005, (29)).

    (L12) keeps the phase.

    at: the pitch point; along: the tooth force for a multiplier of one; both are fixed in the carrier, in its axes.
    apart: the force by which the teeth separate the wheels, on the second one and for a multiplier of magnitude one:
    across `along` and the motion of both wheels, carrier axes. None: it is left out.
    """

    wheels: tuple[Wheel, Wheel]
    carrier: str = field(metadata=A_NAME)
    at: Vector
    along: Vector
    apart: Vector | None = None
    has_wrench: ClassVar[bool] = True

    @property
    def thing(self) -> str:
        return f"gear {self.name!r}"

    @property
    def sides(self) -> Sequence[Side]:
        """Centres of both wheels, and the pitch point on the carrier."""
        at_rest = np.eye(3)
        bodies = [(wheel.body, Vector((0.0, 0.0, 0.0))) for wheel in self.wheels]
        return [Side(body, at, at_rest) for body, at in (*bodies, (self.carrier, self.at))]

    def conditions(self, frame: int | None) -> Conditions:
        conditions = Conditions()
        conditions.add_in_rates(self.slip(conditions), "slip between the teeth", "m", self.phase(conditions))
        return conditions

    @property
    def shapes(self) -> Sequence[tuple[str, Shape]]:
        """Wheels with the radii of their pitch circles."""
        pitch_circles = [(wheel, self._pitch_circle(wheel)) for wheel in self.wheels]
        width = 0.25 * min(*(radius for _, (_, radius) in pitch_circles))
        shapes: list[tuple[str, Shape]] = []
        for wheel, (centre, radius) in pitch_circles:
            to_body = wheel.rotation.T
            at = Pose(Vector(Vector(row).dot(centre) for row in to_body), third_axis(tuple(to_body @ wheel.axis)))
            shapes += [(wheel.body, shape) for shape in wheel_shapes(radius, width, at, wheel.teeth < 0)]
        return shapes

    def _pitch_circle(self, wheel: Wheel) -> tuple[Vector, Expression]:
        """Return the pitch circle's centre relative to that of the wheel (m, carrier axes), and its radius (m)."""
        away = self.at - wheel.centre
        centre = Vector(wheel.axis) * Vector(wheel.axis).dot(away)
        return centre, (away - centre).norm()

    def slip(self, seen: Seen) -> Expression:
        """Return the velocity of the second wheel relative to the first at the pitch point, along the tooth force,
        m/s."""
        point = self.pitch_point(seen)
        apart = seen.velocity(1, point) - seen.velocity(0, point)
        return self.direction(seen).dot(apart)

    def pitch_point(self, seen: Seen) -> Vector:
        """Return the pitch point, m, in world axes."""
        return seen.vector(2, None)

    def direction(self, seen: Seen) -> Vector:
        """Return the tooth force on the second wheel for a multiplier of one, in world axes."""
        return _in_world(seen, self.along)

    def wrenches(self, force: Vector, seen: Seen) -> Action:
        """Return a force on the second wheel, and its opposite, moved from the pitch point to the wheels' origins.

        Neither wheel contains the pitch point. force: N, world axes.
        """
        point, pushes = self.pitch_point(seen), []
        for side, wheel in enumerate(self.wheels):
            pull = force if side else -force
            pushes.append(Push(wheel.body, ORIGIN, pull, (point - seen.vector(side, None)).cross(pull)))
        return Action(tuple(pushes))

    def tooth_force(self, strength: Expression, seen: Seen) -> Vector:
        """Return the whole tooth force (L22) on the second wheel, N, world axes; strength: the multiplier.

        Whichever flank carries it, its radial part separates the wheels.
        """
        force = self.direction(seen) * strength
        return force if self.apart is None else force + _in_world(seen, self.apart) * abs(strength)

    def workless(self, multiplier: Callable[[int], Expression]) -> Action:
        """Return the force that separates the wheels."""
        if self.apart is None:
            return NOTHING
        seen = Anchored(self.sides)
        return self.wrenches(_in_world(seen, self.apart) * abs(multiplier(0)), seen)

    @property
    def pitch(self) -> Expression:
        """Pitch: distance between teeth on the pitch circle, m; negative if the tooth force turns the first wheel
        backwards."""
        return self.radii[0] * (2.0 * np.pi / self.wheels[0].teeth)

    @property
    def radii(self) -> tuple[Expression, Expression]:
        """Velocity of the pitch point along the tooth force for one radian per second of each wheel, m."""
        first, second = (self.along.dot(Vector(w.axis).cross(self.at - w.centre)) for w in self.wheels)
        return first, second

    def phase(self, seen: Seen) -> Expression:
        """Return the phase error of the teeth (L12), m on the pitch circle; zero in the zero position of all joints."""
        turned = sum((wheel.teeth * _angle(seen, side, wheel) for side, wheel in enumerate(self.wheels)), start=0.0)
        return self.radii[0] / float(-self.wheels[0].teeth) * atan2(sin(turned), cos(turned))

    def meshing(self, seen: Seen) -> Expression:
        """Return the phase of the mesh: the angle of the first wheel in its carrier, times its teeth, 0 to 2 pi."""
        first = self.wheels[0]
        return mod(float(builtins.abs(first.teeth)) * _angle(seen, 0, first), 2.0 * np.pi)


def _in_world(seen: Seen, vector: Vector) -> Vector:
    """Return a vector that is fixed in the carrier, in its axes, in world axes."""
    if all(map(is_literal, vector)):
        literal = np.array([x.value for x in vector])
        length = float(np.linalg.norm(literal))
        unit = seen.vector(2, literal if np.isclose(length, 1.0, rtol=1e-14) else literal / length)
        return unit if np.isclose(length, 1.0, rtol=1e-14) else unit * length
    axes = [seen.vector(2, axis) for axis in np.eye(3)]
    return sum((axis * x for axis, x in zip(axes, vector, strict=True)), start=ORIGIN)


def _angle(seen: Seen, side: int, wheel: Wheel) -> Expression:
    """Return the angle of a wheel in its carrier."""
    first, second = normals(wheel.axis)
    pointer = seen.vector(side, wheel.rotation.T @ first)
    return atan2(pointer.dot(seen.vector(2, second)), pointer.dot(seen.vector(2, first)))
