"""Lines over wheels: places over which a belt, rope or chain runs, their checks, and the path in a model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..infrastructure.errors import ModelError
from ..infrastructure.messages.failures import display
from ..model.data import ModelData
from ..model.geometry.vectors import Vector
from ..model.items import WORLD, body_label
from ..model.measures.measures import angular_velocity, velocity
from ..model.references.leaves import JointNumber, Signal
from ..symbolic.expressions import ZERO, Expression, leaf
from ..symbolic.graph import derivative, leaves
from .plane import PlanarMotion, Plane, Turns, planar_motion, plane_of, turns_of
from .start_poses import StartPoses
from .tangents import Path, path_over, square_of_length

LEAST, MOST = math.radians(5.0), math.radians(350.0)  #: angles of wrap at the start


class Place(NamedTuple):
    """A wheel, or a point with radius zero, over which a line runs.

    point: m, body axes; the centre of a wheel is its body's origin. radius: m, negative if the line runs clockwise.
    """

    body: str
    point: Vector
    radius: float

    @property
    def is_wheel(self) -> bool:
        return self.radius != 0.0


class Line(NamedTuple):
    """A line over places in a model.

    motions: of the places in the plane, None for one that moves in another way. centres: components in the plane. path:
    over these centres; start: the path at the start values. turns: of the wheels about the plane's normal, relative to
    the carrier; zero for points.
    """

    places: Sequence[Place]
    plane: Plane
    closed: bool
    motions: list[PlanarMotion | None]
    centres: list[Vector]
    path: Path
    turns: list[Turns]
    poses: StartPoses
    start: Path

    @property
    def radii(self) -> list[float]:
        """Signed radii, m."""
        return [place.radius for place in self.places]

    def is_fixed(self, k: int) -> bool:
        """True if a place stays where it is in the carrier."""
        return all(isinstance(x, Signal) for x in leaves(self.centres[k]))

    def rates(self) -> list[Vector]:
        """Return the rates of the vectors between neighbouring centres relative to the carrier, m/s."""
        rates = []
        for place, centre, motion in zip(self.places, self.centres, self.motions, strict=True):
            planar = motion is not None
            rates.append(_rate(centre) if planar else self.plane.relative_velocity(place.body, place.point))
        return _apart(rates, self.closed)

    def string_rate(self, i: int) -> Expression:
        """Return the rate of the length between marks on the wheels at both ends of a span, m/s (M2).

        It contains the velocities of the bodies themselves, so that a tension along it acts on them.
        """
        a, b = self.path.ends_of(i)
        start, end = (velocity(self.places[k].body, self.places[k].point) for k in (a, b))
        rolled = [self.radii[k] * self._spin(k) for k in (a, b)]
        return self.path.spans[i].string_rate(self.plane.components(end - start)) - rolled[0] + rolled[1]

    def _spin(self, k: int) -> Expression:
        """Return the angular velocity of a wheel about the plane's normal, rad/s; zero for a point."""
        own = self.turns[k].rate
        if not self.places[k].is_wheel or self.plane.carrier == WORLD:
            return own
        return own + self.plane.components(angular_velocity(self.plane.carrier))[2]

    def string(self, path: Path, i: int) -> Expression:
        """Return the length between marks on the wheels at both ends of a span (M2), m, for any number of turns."""
        a, b = path.ends_of(i)
        rolled = [self.radii[k] * (path.angles()[i] - _counted(self.turns[k])) for k in (a, b)]
        return path.spans[i].reach + rolled[0] - rolled[1]

    def start_string(self, i: int) -> Expression:
        """Return `string` at the start values, as an expression of parameters, m."""
        return self.poses.at_start(self.string(self.start, i))


def _counted(turns: Turns) -> Expression:
    """Return the angle of a wheel; a line without friction has checked that it exists."""
    assert turns.angle is not None
    return turns.angle


def line_over(
    model: ModelData, places: Sequence[Place], closed: bool, carrier: str | None, thing: str, wheel: str
) -> Line:
    """Return a line over places, in their order; wheel: what they are called, "pulley".

    Raises ModelError for a start at which it has no path: axes that are not parallel, circles that overlap, and angles
    of wrap outside 5 to 350 degrees.
    """
    _check_neighbours(places, closed, thing)
    poses = StartPoses(model)
    plane = plane_of(poses, [place.body for place in places if place.is_wheel], carrier, thing)
    centres = _start_centres(poses, plane, places)
    radii = [place.radius for place in places]
    apart = _flat(_apart(centres, closed), places)
    _check_spans(poses, apart, places, thing)
    start = path_over(apart, radii, closed)
    plane = plane.turned(math.atan2(*(poses.number(x) for x in reversed(start.spans[0].direction))))
    start = path_over(_flat(_apart(_start_centres(poses, plane, places), closed), places), radii, closed)
    _check_wraps(poses, start, places, thing, wheel)
    motions = [planar_motion(poses, plane, place.body) for place in places]
    centres = [
        plane.position(place.body, place.point) if motion is None else motion.position(place.point)
        for place, motion in zip(places, motions, strict=True)
    ]
    path = path_over(_flat(_apart(centres, closed), places), radii, closed)
    still = Turns(ZERO, ZERO)  # of points
    turns = [
        turns_of(plane, place.body, motion) if place.is_wheel else still
        for place, motion in zip(places, motions, strict=True)
    ]
    return Line(places, plane, closed, motions, centres, path, turns, poses, start)


def _apart(vectors: Sequence[Vector], closed: bool) -> list[Vector]:
    """Return the differences of each vector and the next one; closed: also of the last and the first."""
    count = len(vectors)
    return [vectors[(i + 1) % count] - vectors[i] for i in range(count if closed else count - 1)]


def _flat(apart: Sequence[Vector], places: Sequence[Place]) -> list[Vector]:
    """Return vectors between places without components across the plane between two wheels, whose axes are fixed."""
    wheels = [a.is_wheel and places[(i + 1) % len(places)].is_wheel for i, a in enumerate(places)]
    return [Vector((*c[:2], ZERO)) if flat else c for c, flat in zip(apart, wheels, strict=False)]


def _start_centres(poses: StartPoses, plane: Plane, places: Sequence[Place]) -> list[Vector]:
    """Return the components in the plane of the places' positions at the start, m."""
    rotation, origin = poses.pose(plane.carrier)
    axes = [rotation @ Vector(axis) for axis in plane.axes]
    return [Vector(axis.dot(poses.point(p.body, p.point) - origin) for axis in axes) for p in places]


def _rate(components: Vector) -> Vector:
    """Return the rates of expressions of scalar joint coordinates."""

    def rate(reference: Any) -> Expression:
        return leaf(replace(reference, quantity="rate")) if isinstance(reference, JointNumber) else ZERO

    return Vector(derivative(components, rate))


def _check_neighbours(places: Sequence[Place], closed: bool, thing: str) -> None:
    """Raise ModelError if a line runs from a body to itself."""
    for i in range(len(places) if closed else len(places) - 1):
        a, b = places[i], places[(i + 1) % len(places)]
        if a.body == b.body:
            raise ModelError(f"{thing} runs from {body_label(a.body)} to itself: give two bodies")


def _check_spans(poses: StartPoses, apart: Sequence[Vector], places: Sequence[Place], thing: str) -> None:
    """Raise ModelError for two circles without a common tangent on the line's side."""
    for i, c in enumerate(apart):
        a, b = places[i], places[(i + 1) % len(places)]
        distance = float(math.hypot(*poses.numbers(Vector(c[:2]))))
        if poses.number(square_of_length(Vector(c[:2]), a.radius, b.radius)) > 0.0:
            if distance < abs(a.radius) + abs(b.radius) and a.is_wheel and b.is_wheel:
                raise ModelError(
                    f"{thing}: {body_label(a.body)} and {body_label(b.body)} intersect at the start: their centres are "
                    f"{distance:.4g} m apart in its plane, less than the sum of their radii, "
                    f"{abs(a.radius) + abs(b.radius):.4g} m; move one of them, or change a radius"
                )
            continue
        raise ModelError(
            f"{thing}: {body_label(a.body)} and {body_label(b.body)} overlap on its side at the start: their centres "
            f"are {distance:.4g} m apart in its plane, less than {abs(b.radius - a.radius):.4g} m; move one of them, "
            "change a radius or turn="
        )


def _check_wraps(poses: StartPoses, start: Path, places: Sequence[Place], thing: str, wheel: str) -> None:
    """Raise ModelError for angles of wrap that are too small or too large, and for more than one turn in all."""
    for k, place in enumerate(places):
        angle = poses.number(start.wraps[k])
        if start.is_wrapped(k) and not LEAST <= angle <= MOST:
            raise ModelError(
                f"{thing}: it wraps round {body_label(place.body)} by {math.degrees(angle):.4g} degrees at the start, "
                f"outside 5 to 350: the {wheel} does not press on it; move it or change turn="
            )
    turns = poses.number(start.turning) / (2.0 * math.pi)
    if start.closed and abs(turns) > 1.5:
        raise ModelError(
            f"{thing}: it turns by {turns:.2g} revolutions on its way: list its {wheel}s in the order in which it "
            "meets them, counterclockwise about the axis of the first, or change turn="
        )


def sign_of(turn: Any, thing: str) -> float:
    """Return 1.0 or -1.0. Raises ModelError for anything else."""
    if isinstance(turn, bool) or turn not in (1, -1):
        raise ModelError(f"turn of {thing} is {display(turn)}: give 1 or -1, counterclockwise or clockwise")
    return float(turn)
