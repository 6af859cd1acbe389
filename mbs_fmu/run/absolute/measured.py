"""Coordinates and velocities of a joint as measures of the two bodies that it connects.

Angles follow from directions that are fixed in both bodies, so they and their gradients are exact in all positions. A
signal state, the integral of the velocity, counts full turns; its fraction of a turn is not used. Velocities are the
time derivatives of the coordinates. A generalized force along a velocity becomes the wrenches that have the same power,
by differentiation.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...model.geometry.axes import PARALLEL, SNAP, normals
from ...model.items import Body
from ...model.measures.measures import angular_velocity, position, quaternion_of, to_world, velocity
from ...model.motions.motion import DegreeOfFreedom
from ...model.references.leaves import FrameNumber, Signal
from ...symbolic.expressions import ZERO, Expression, as_expression, atan2, cos, is_literal, leaf, sin, where
from ...symbolic.graph import derivative
from ...symbolic.quaternions import quaternion_rate
from ...symbolic.vectors import Vector

Direction = np.ndarray | tuple[float, float, float]


@dataclass(frozen=True)
class JointFrames:
    """The two frames of a body's joint, a on the parent and b on the body; directions and vectors in world axes."""

    body: Body

    def a(self, local: Direction) -> Vector:
        """Return the world components of a direction fixed in a."""
        turned = self.body.rotation @ np.array(local)
        rounding = [is_literal(x) and abs(x.value) < SNAP for x in Vector(turned)]
        return to_world(self.body.parent, Vector(np.where(rounding, 0.0, turned)))

    def b(self, local: Direction) -> Vector:
        """Return the world components of a direction fixed in b."""
        return to_world(self.body.name, Vector(local))

    @cached_property
    def gap(self) -> Vector:
        """Vector from the origin of a to that of b, m."""
        return position(self.body.name) - position(self.body.parent, self.body.position)

    @cached_property
    def drift(self) -> Vector:
        """Velocity of the origin of b relative to frame a, m/s."""
        there = velocity(self.body.parent, self.body.position) + angular_velocity(self.body.parent).cross(self.gap)
        return velocity(self.body.name) - there

    @cached_property
    def spin(self) -> Vector:
        """Angular velocity of b relative to a, rad/s."""
        return angular_velocity(self.body.name) - angular_velocity(self.body.parent)


@dataclass(frozen=True)
class MeasuredJoint:
    """Coordinates and velocities of a joint as measures; counter_rates: rates of the states that count its turns."""

    coordinates: Sequence[Expression]
    rates: Sequence[Expression]
    counter_rates: dict[str, Expression]

    def unit_force(self, k: int, body: str) -> tuple[Vector, Vector]:
        """Return the wrench on a body, in body axes about its origin, of a unit generalized force along velocity k.

        The wrenches on both bodies have the power of the generalized force, since the velocity is linear in the twists.
        """
        twist = [FrameNumber("twist", body, j) for j in range(6)]
        components = [slope(self.rates[k], one) for one in twist]
        return Vector(components[:3]), Vector(components[3:])


def measured(body: Body) -> MeasuredJoint:
    """Return the measures of a body's joint: rotations and translations, a screw, a ball or a free joint.

    Raises ModelError for other joints.
    """
    degrees_of_freedom = [freedom for motion in body.joint.motions for freedom in motion.degrees_of_freedom or ()]
    if body.joint.scalar:
        return _scalar_joint(body, degrees_of_freedom)
    if len(body.joint.motions) > 1:
        raise _refused(body, "a ball or free joint among other motions")
    return _quaternion_joint(body, free=len(degrees_of_freedom) == 6)


def counter(body: Body, k: int) -> str:
    """Return the name of the state that counts the turns of coordinate k; users cannot choose such a name."""
    return f"counted {body.name}.{body.joint.coordinates[k][0]}"


def _state(name: str) -> Expression:
    return leaf(Signal("state", name))


def _refused(body: Body, what: str) -> ModelError:
    return ModelError(
        f"body {body.name!r}: the coordinates of {what} do not follow from the positions of its bodies, so it has no "
        'absolute form: leave formulation="absolute" out'
    )


# -- balls and free joints ------------------------------------------------------------------------------------
def _quaternion_joint(body: Body, free: bool) -> MeasuredJoint:
    """Return the measures of a ball or free joint; of the two quaternions of a rotation, the continuous one."""
    frames, axes = JointFrames(body), np.eye(3)
    A, B = [frames.a(axis) for axis in axes], [frames.b(axis) for axis in axes]
    measured_quaternion = quaternion_of(Vector(x.dot(y) for x in A for y in B))
    first = 3 if free else 0
    names = [counter(body, first + k) for k in range(4)]
    counted = Vector(map(_state, names))
    w = Vector(axis.dot(frames.spin) for axis in B)
    quaternion = measured_quaternion * where(counted.dot(measured_quaternion) < 0.0, -1.0, 1.0)
    place = [axis.dot(frames.gap) for axis in A] if free else []
    v = [axis.dot(frames.drift) for axis in B] if free else []
    counter_rates = dict(zip(names, quaternion_rate(counted, w), strict=True))
    return MeasuredJoint([*place, *quaternion], [*v, *w], counter_rates)


# -- rotations and translations -------------------------------------------------------------------------------
def _scalar_joint(body: Body, degrees_of_freedom: Sequence[DegreeOfFreedom]) -> MeasuredJoint:
    """Return the measures of a joint that consists of rotations and translations, or of one screw."""
    frames = JointFrames(body)
    if len(degrees_of_freedom) > 1 and any(freedom.pitch is not None for freedom in degrees_of_freedom):
        raise _refused(body, "a screw beside other motions")
    names = [counter(body, k) for k in range(len(degrees_of_freedom))]
    indices = [k for k, freedom in enumerate(degrees_of_freedom) if freedom.angular]
    turns = [np.array(degrees_of_freedom[k].axis) for k in indices]
    if any(np.linalg.norm(np.cross(one, two)) < PARALLEL for one, two in itertools.pairwise(turns)):
        raise _refused(body, "rotations about one axis, one after the other,")
    if len(turns) >= len(ANGLES):
        raise _refused(body, f"{len(turns)} rotations")
    joined = any(freedom.joined for freedom in degrees_of_freedom)
    if joined and len(turns) > 2:
        raise _refused(body, "a constant-velocity joint beside other rotations")
    angles = (_joined if joined else ANGLES[len(turns)])(frames, turns, [_state(names[k]) for k in indices])
    by_index = dict(zip(indices, angles, strict=True)) | _lengths(frames, degrees_of_freedom, turns)
    coordinates = [by_index[k] for k in range(len(degrees_of_freedom))]
    rates = time_derivatives(coordinates)
    return MeasuredJoint(coordinates, rates, {} if joined else {names[k]: rates[k] for k in indices})


def _nearest_angle(counted: Expression, sine: Expression, cosine: Expression) -> Expression:
    """Return the angle with this sine and cosine, both times the same positive factor, that is nearest to `counted`."""
    s, c = sin(counted), cos(counted)
    return counted + atan2(sine * c - cosine * s, cosine * c + sine * s)


def _no_angle(frames: JointFrames, turns: Sequence[np.ndarray], counted: Sequence[Expression]) -> list[Expression]:
    return []


def _one_angle(frames: JointFrames, turns: Sequence[np.ndarray], counted: Sequence[Expression]) -> list[Expression]:
    """Return the angle of a direction of b normal to the axis, measured in a."""
    first, second = normals(turns[0])
    pointer = frames.b(first)
    return [_nearest_angle(counted[0], pointer.dot(frames.a(second)), pointer.dot(frames.a(first)))]


def _two_angles(frames: JointFrames, turns: Sequence[np.ndarray], counted: Sequence[Expression]) -> list[Expression]:
    """Return the angle of the second axis measured in a, and the angle of the first axis measured in b."""
    one, two = turns
    across = np.cross(one, two)
    first, second = frames.a(one), frames.b(two)
    return [
        _nearest_angle(counted[0], second.dot(frames.a(across)), second.dot(frames.a(np.cross(across, one)))),
        _nearest_angle(counted[1], first.dot(frames.b(across)), first.dot(frames.b(np.cross(two, across)))),
    ]


def _joined(frames: JointFrames, turns: Sequence[np.ndarray], counted: Sequence[Expression]) -> list[Expression]:
    """Return the coordinates of a constant-velocity joint, twice the components of a quaternion over its first one;
    they need no count of turns."""
    axes = (*turns, np.cross(turns[0], turns[1]))
    a, b = ([of(axis) for axis in axes] for of in (frames.a, frames.b))
    factor = 2.0 / (1.0 + a[0].dot(b[0]) + a[1].dot(b[1]) + a[2].dot(b[2]))
    return [(a[2].dot(b[1]) - a[1].dot(b[2])) * factor, (a[0].dot(b[2]) - a[2].dot(b[0])) * factor]


def _three_angles(frames: JointFrames, turns: Sequence[np.ndarray], counted: Sequence[Expression]) -> list[Expression]:
    """Return the angles by means of the middle axis, which is normal to both others; its sense follows from the middle
    angle.

    At gimbal lock the outer axes are parallel; a run ends before that.
    """
    one, two, three = turns
    if max(abs(two @ one), abs(two @ three)) > PARALLEL:
        raise _refused(frames.body, "three rotations the second of which is not normal to the others")
    apart = float(np.arctan2(two @ np.cross(one, three), one @ three))  # between the outer axes at zero angles
    first, last = frames.a(one), frames.b(three)
    across = first.cross(last)
    sign = where(sin(counted[1] + apart) < 0.0, -1.0, 1.0)
    middle = across * sign
    sine, cosine = sign * across.norm(), first.dot(last)
    s, c = float(np.sin(apart)), float(np.cos(apart))
    return [
        _nearest_angle(counted[0], middle.dot(frames.a(np.cross(one, two))), middle.dot(frames.a(two))),
        _nearest_angle(counted[1], sine * c - cosine * s, cosine * c + sine * s),
        _nearest_angle(counted[2], -middle.dot(frames.b(np.cross(three, two))), middle.dot(frames.b(two))),
    ]


#: Functions that return angles, by the number of rotations; arguments: axes at zero coordinates, counting states.
ANGLES: Sequence[Callable[[JointFrames, Sequence[np.ndarray], Sequence[Expression]], list[Expression]]] = (
    _no_angle, _one_angle, _two_angles, _three_angles,
)  # fmt: skip


def _lengths(
    frames: JointFrames, degrees_of_freedom: Sequence[DegreeOfFreedom], turns: Sequence[np.ndarray]
) -> dict[int, Expression]:
    """Return the displacement of each translation, by its index: the gap is their sum along the current directions."""
    along, before = {}, 0
    for k, freedom in enumerate(degrees_of_freedom):
        if freedom.angular:
            before += 1
        else:
            along[k] = _direction(frames, np.array(freedom.axis), before, turns)
    directions = list(along.values())
    if len(directions) == 2:
        directions.append(directions[0].cross(directions[1]))
    if len(directions) < 3:
        return {k: direction.dot(frames.gap) for k, direction in along.items()}
    volume = directions[0].dot(directions[1].cross(directions[2]))
    return {
        k: directions[(n + 1) % 3].cross(directions[(n + 2) % 3]).dot(frames.gap) / volume for n, k in enumerate(along)
    }


def _direction(frames: JointFrames, axis: np.ndarray, before: int, turns: Sequence[np.ndarray]) -> Vector:
    """Return the world direction of a translation with `before` rotations before it.

    It is fixed in a, fixed in b, or a combination of the axes of rotation before and after it.
    """
    if before == 0:
        return frames.a(axis)
    if before == len(turns):
        return frames.b(axis)
    if len(turns) > 2:
        raise _refused(frames.body, "a translation among three rotations")
    first, second = frames.a(turns[0]), frames.b(turns[1])
    a, b, c = np.linalg.solve(np.column_stack([*turns, np.cross(turns[0], turns[1])]), axis)
    return first * float(a) + second * float(b) + first.cross(second) * float(c)


def slope(expression: Expression, reference: object) -> Expression:
    """Return the derivative with respect to one reference."""
    return derivative([expression], lambda other: as_expression(float(other == reference)))[0]


def time_derivatives(expressions: Sequence[Expression]) -> list[Expression]:
    """Return the time derivatives of expressions of positions and directions of bodies."""
    angular_velocities: dict[str, Vector] = {}
    velocities: dict[str, Vector] = {}

    def rate(reference: object) -> Expression:
        if not isinstance(reference, FrameNumber):
            return ZERO
        body = reference.body
        if reference.quantity == "origin":
            return velocities.setdefault(body, velocity(body))[reference.k]
        i, j = divmod(reference.k, 3)
        spin = angular_velocities.setdefault(body, angular_velocity(body))
        return spin.cross(to_world(body, Vector(np.eye(3)[j])))[i]

    return derivative(expressions, rate)
