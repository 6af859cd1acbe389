"""The coordinates and velocities of a joint as measures of the two bodies that it joins.

Angles follow from directions that are fixed in both bodies, so that they and their gradients are exact wherever the
joint is. How often it has turned is known by a signal state, the integral of its velocity, of which only whole turns
count. Velocities are the rates of coordinates, and a force along one is what has its power: both by differentiation.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...errors import ModelError
from ...symbolic.expressions import ZERO, Expression, as_expression, atan2, cos, is_literal, leaf, sin, where
from ...symbolic.graph import derivative
from ...symbolic.quaternions import quaternion_rate
from ...symbolic.vectors import Vector
from ..geometry.axes import PARALLEL, SNAP, normals
from ..items import Body
from ..measures.measures import angular_velocity, position, quaternion_of, to_world, velocity
from ..motions.motion import DegreeOfFreedom
from ..references.leaves import FrameNumber, Signal

Direction = np.ndarray | tuple[float, float, float]


@dataclass(frozen=True)
class Joined:
    """The places that a body's joint joins, a on the parent and b on the body; directions and gap in world axes."""

    body: Body

    def a(self, local: Direction) -> Vector:
        """A direction given in the axes of a."""
        turned = self.body.rotation @ np.array(local)
        rounding = [is_literal(x) and abs(x.value) < SNAP for x in Vector(turned)]
        return to_world(self.body.parent, Vector(np.where(rounding, 0.0, turned)))

    def b(self, local: Direction) -> Vector:
        """A direction given in the axes of b."""
        return to_world(self.body.name, Vector(local))

    @cached_property
    def gap(self) -> Vector:
        """From a's point to b's, m."""
        return position(self.body.name) - position(self.body.parent, self.body.position)

    @cached_property
    def drift(self) -> Vector:
        """Velocity of b's point for one who moves and turns with a, m/s."""
        there = velocity(self.body.parent, self.body.position) + angular_velocity(self.body.parent).cross(self.gap)
        return velocity(self.body.name) - there

    @cached_property
    def spin(self) -> Vector:
        """Angular velocity of b against a, rad/s."""
        return angular_velocity(self.body.name) - angular_velocity(self.body.parent)


@dataclass(frozen=True)
class Measured:
    """A joint's coordinates and velocities; `counted`: rates of the states that know its turns, by their names."""

    coordinates: Sequence[Expression]
    rates: Sequence[Expression]
    counted: dict[str, Expression]

    def unit_force(self, k: int, body: str) -> tuple[Vector, Vector]:
        """Load of one newton or newton metre along velocity k on a body: force, and torque about its origin, both in
        body axes. The powers of both are one, whatever moves: the velocity is linear in the twists."""
        twist = [FrameNumber("twist", body, j) for j in range(6)]
        found = [slope(self.rates[k], one) for one in twist]
        return Vector(found[:3]), Vector(found[3:])


def measured(body: Body) -> Measured:
    """Of a joint of turns and slides, a screw, a ball or a free joint. ModelError for any other."""
    degrees_of_freedom = [freedom for motion in body.joint.motions for freedom in motion.degrees_of_freedom or ()]
    if body.joint.scalar:
        return _of_turns_and_slides(body, degrees_of_freedom)
    if len(body.joint.motions) > 1:
        raise _refused(body, "a ball or free joint among other motions")
    return _of_quaternion(body, free=len(degrees_of_freedom) == 6)


def counter(body: Body, k: int) -> str:
    """The state that goes with coordinate k: its name is none that a user may give."""
    return f"counted {body.name}.{body.joint.coordinates[k][0]}"


def _state(name: str) -> Expression:
    return leaf(Signal("state", name))


def _refused(body: Body, what: str) -> ModelError:
    return ModelError(
        f"body {body.name!r}: the coordinates of {what} can't be told from where its bodies are, so that it has no "
        'absolute form: leave formulation="absolute" out'
    )


# -- balls and free joints ------------------------------------------------------------------------------------
def _of_quaternion(body: Body, free: bool) -> Measured:
    """Of two quaternions the one that goes on from the start."""
    at, axes = Joined(body), np.eye(3)
    A, B = [at.a(axis) for axis in axes], [at.b(axis) for axis in axes]
    found = quaternion_of(Vector(x.dot(y) for x in A for y in B))
    first = 3 if free else 0
    names = [counter(body, first + k) for k in range(4)]
    went = Vector(map(_state, names))
    turning = Vector(axis.dot(at.spin) for axis in B)
    quaternion = found * where(went.dot(found) < 0.0, -1.0, 1.0)
    place = [axis.dot(at.gap) for axis in A] if free else []
    moving = [axis.dot(at.drift) for axis in B] if free else []
    counted = dict(zip(names, quaternion_rate(went, turning), strict=True))
    return Measured([*place, *quaternion], [*moving, *turning], counted)


# -- turns and slides -----------------------------------------------------------------------------------------
def _of_turns_and_slides(body: Body, degrees_of_freedom: Sequence[DegreeOfFreedom]) -> Measured:
    at = Joined(body)
    if len(degrees_of_freedom) > 1 and any(freedom.pitch is not None for freedom in degrees_of_freedom):
        raise _refused(body, "a screw beside other motions")
    names = [counter(body, k) for k in range(len(degrees_of_freedom))]
    numbers = [k for k, freedom in enumerate(degrees_of_freedom) if freedom.angular]
    turns = [np.array(degrees_of_freedom[k].axis) for k in numbers]
    if any(np.linalg.norm(np.cross(one, two)) < PARALLEL for one, two in itertools.pairwise(turns)):
        raise _refused(body, "turns about one axis, one after the other,")
    if len(turns) >= len(ANGLES):
        raise _refused(body, f"{len(turns)} turns")
    found = ANGLES[len(turns)](at, turns, [_state(names[k]) for k in numbers])
    coordinates = dict(zip(numbers, found, strict=True)) | _lengths(at, degrees_of_freedom, turns)
    in_order = [coordinates[k] for k in range(len(degrees_of_freedom))]
    rates = in_time(in_order)
    return Measured(in_order, rates, {names[k]: rates[k] for k in numbers})


def _counted(went: Expression, sine: Expression, cosine: Expression) -> Expression:
    """The angle of a sine and a cosine, with any positive factor, next to `went`."""
    s, c = sin(went), cos(went)
    return went + atan2(sine * c - cosine * s, cosine * c + sine * s)


def _none(at: Joined, turns: Sequence[np.ndarray], went: Sequence[Expression]) -> list[Expression]:
    return []


def _one(at: Joined, turns: Sequence[np.ndarray], went: Sequence[Expression]) -> list[Expression]:
    """By a direction across the axis."""
    first, second = normals(turns[0])
    pointer = at.b(first)
    return [_counted(went[0], pointer.dot(at.a(second)), pointer.dot(at.a(first)))]


def _two(at: Joined, turns: Sequence[np.ndarray], went: Sequence[Expression]) -> list[Expression]:
    """By the second axis, as a sees it, and by the first one, as b does."""
    one, two = turns
    across = np.cross(one, two)
    first, second = at.a(one), at.b(two)
    return [
        _counted(went[0], second.dot(at.a(across)), second.dot(at.a(np.cross(across, one)))),
        _counted(went[1], first.dot(at.b(across)), first.dot(at.b(np.cross(two, across)))),
    ]


def _three(at: Joined, turns: Sequence[np.ndarray], went: Sequence[Expression]) -> list[Expression]:
    """By the middle axis, which is normal to both others: its sense follows from the middle angle.

    Where both others are one line the angles lock, and a run ends before.
    """
    one, two, three = turns
    if max(abs(two @ one), abs(two @ three)) > PARALLEL:
        raise _refused(at.body, "three turns the second of which is not normal to the others")
    apart = float(np.arctan2(two @ np.cross(one, three), one @ three))  # of the outer axes, where all angles are zero
    first, last = at.a(one), at.b(three)
    across = first.cross(last)
    sign = where(sin(went[1] + apart) < 0.0, -1.0, 1.0)
    middle = across * sign
    sine, cosine = sign * across.norm(), first.dot(last)
    s, c = float(np.sin(apart)), float(np.cos(apart))
    return [
        _counted(went[0], middle.dot(at.a(np.cross(one, two))), middle.dot(at.a(two))),
        _counted(went[1], sine * c - cosine * s, cosine * c + sine * s),
        _counted(went[2], -middle.dot(at.b(np.cross(three, two))), middle.dot(at.b(two))),
    ]


#: Angles by the number of turns, of their axes at zero coordinates and of the states that count.
ANGLES: Sequence[Callable[[Joined, Sequence[np.ndarray], Sequence[Expression]], list[Expression]]] = (
    _none, _one, _two, _three,
)  # fmt: skip


def _lengths(
    at: Joined, degrees_of_freedom: Sequence[DegreeOfFreedom], turns: Sequence[np.ndarray]
) -> dict[int, Expression]:
    """Of each slide, by its number: the gap is their sum along directions that the turns before them have turned."""
    along, before = {}, 0
    for k, freedom in enumerate(degrees_of_freedom):
        if freedom.angular:
            before += 1
        else:
            along[k] = _slide(at, np.array(freedom.axis), before, turns)
    ways = list(along.values())
    if len(ways) == 2:
        ways.append(ways[0].cross(ways[1]))
    if len(ways) < 3:
        return {k: way.dot(at.gap) for k, way in along.items()}
    volume = ways[0].dot(ways[1].cross(ways[2]))
    return {k: ways[(n + 1) % 3].cross(ways[(n + 2) % 3]).dot(at.gap) / volume for n, k in enumerate(along)}


def _slide(at: Joined, axis: np.ndarray, before: int, turns: Sequence[np.ndarray]) -> Vector:
    """The world direction of a slide with so many turns before it: fixed in a, in b, or made of the axes beside it."""
    if before == 0:
        return at.a(axis)
    if before == len(turns):
        return at.b(axis)
    if len(turns) > 2:
        raise _refused(at.body, "a slide among three turns")
    first, second = at.a(turns[0]), at.b(turns[1])
    a, b, c = np.linalg.solve(np.column_stack([*turns, np.cross(turns[0], turns[1])]), axis)
    return first * float(a) + second * float(b) + first.cross(second) * float(c)


def slope(expression: Expression, reference: object) -> Expression:
    """The derivative by one reference."""
    return derivative([expression], lambda other: as_expression(float(other == reference)))[0]


def in_time(expressions: Sequence[Expression]) -> list[Expression]:
    """The rates of what depends on places and directions of bodies."""
    turning: dict[str, Vector] = {}
    moving: dict[str, Vector] = {}

    def rate(reference: object) -> Expression:
        if not isinstance(reference, FrameNumber):
            return ZERO
        body = reference.body
        if reference.quantity == "origin":
            return moving.setdefault(body, velocity(body))[reference.k]
        i, j = divmod(reference.k, 3)
        return turning.setdefault(body, angular_velocity(body)).cross(to_world(body, Vector(np.eye(3)[j])))[i]

    return derivative(expressions, rate)
