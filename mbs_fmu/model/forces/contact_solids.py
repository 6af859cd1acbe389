"""Signed distances of points from solids, and the gaps of balls and rims that follow: (G8), (G13), (G16) to (G18)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...symbolic.expressions import ZERO, Expression, abs, clip, is_literal, leaf, max, sqrt, where
from ...symbolic.graph import derivative, rebuild
from ...symbolic.sides import sense
from ...symbolic.vectors import ORIGIN, UNIT, Vector
from ..roads import Level, level
from .contact_surfaces import TINY, Ball, Block, Drum, Gap, Gradient, Ground, Hull, Rim, Surface

ROUNDS = 3  #: iterations that find the nearest point of uneven ground to a ball's centre


class Distance(NamedTuple):
    """Distance of a point from the surface of a solid, m, negative inside, and the outward unit normal, world axes."""

    length: Expression
    normal: Vector


def from_block(a: Block, place: Vector) -> Distance:
    """Return the distance of a place (m, world axes) from a box (G8).

    The normal comes from the nearest point of the box if the place is outside, from the nearest face if it is inside.
    """
    u, line = a.axes, place - a.center
    x = [line.dot(axis) for axis in u]
    beyond = [c - clip(c, -h, h) for c, h in zip(x, a.half, strict=True)]  # from the nearest point of the box
    square = sum((c * c for c in beyond), start=ZERO)
    length = sqrt(max(square, TINY * TINY))
    depths = [h - abs(c) for c, h in zip(x, a.half, strict=True)]  # under the nearer face of each axis
    nearest, face = depths[0], [sense(x[0]), ZERO, ZERO]
    for k in (1, 2):
        closer = depths[k] < nearest
        own = [sense(x[k]) if j == k else ZERO for j in range(3)]
        nearest, face = where(closer, depths[k], nearest), [where(closer, own[j], face[j]) for j in range(3)]
    outside = square > 0.0
    along = [where(outside, c / length, f) for c, f in zip(beyond, face, strict=True)]
    n = sum((axis * c for axis, c in zip(u, along, strict=True)), start=ORIGIN)
    return Distance(where(outside, length, -nearest), n)


def from_drum(a: Drum, place: Vector) -> Distance:
    """Return the distance of a place (m, world axes) from a cylinder (G16).

    The normal comes from the nearest point of side, base or rim if the place is outside, from side or base, whichever
    is nearer, if it is inside.
    """
    u, line = a.axes, place - a.center
    x, y, z = (line.dot(axis) for axis in u)
    radius = sqrt(max(x * x + y * y, TINY))
    side, base = radius - a.radius, abs(z) - a.half
    across, along = max(side, 0.0), max(base, 0.0)
    square = across * across + along * along
    length = sqrt(max(square, TINY * TINY))
    outside, nearer = square > 0.0, side > base
    outward = where(outside, across / length, where(nearer, 1.0, 0.0)) / radius
    upward = where(outside, along / length, where(nearer, 0.0, 1.0)) * sense(z)
    n = u[0] * (outward * x) + u[1] * (outward * y) + u[2] * upward
    return Distance(where(outside, length, where(nearer, side, base)), n)


def from_hull(a: Hull, place: Vector) -> Distance:
    """Return the distance of a place (m, world axes) from a convex polyhedron (G17).

    The normal comes from the nearest point of the polyhedron if the place is outside, from the nearest face if it is
    inside.
    """
    u, line = a.axes, place - a.center
    x = Vector(line.dot(axis) for axis in u)
    point, direction, face, _ = a.polyhedron.row(a.polyhedron.nearest_feature(x))
    beyond = x - point
    beyond = beyond - direction * beyond.dot(direction)
    length = sqrt(max(beyond.dot(beyond), TINY * TINY))
    is_face = face.dot(face) > 0.5
    along = [where(is_face, f, c / length) for c, f in zip(beyond, face, strict=True)]
    n = sum((axis * c for axis, c in zip(u, along, strict=True)), start=ORIGIN)
    return Distance(where(is_face, beyond.dot(face), length), n)


def from_ground(a: Ground, place: Vector) -> Distance:
    """Return the distance of a place (m, world axes) from the tangent plane of uneven ground below it (G13)."""
    return _from_ground(a, place, 0)


def ball_on_ground(a: Ground, b: Ball) -> Gap:
    """Return the gap of uneven ground and a ball or a point (G13).

    A ball touches the ground at the foot of the perpendicular from its centre. A few iterations of Newton's method find
    this foot, with the curvature of the ground taken as zero. A point is compared with the ground below it.
    """
    distance, n = _from_ground(a, b.center, 0 if is_literal(b.radius, 0.0) else ROUNDS)
    return Gap(b.radius - distance, n, n * -b.radius)


def _from_ground(a: Ground, place: Vector, rounds: int) -> Distance:
    axes, line = a.axes, place - a.center
    x, y, z = (line.dot(axis) for axis in axes)
    foot_x, foot_y = x, y
    for _ in range(rounds):
        at = level(a.road, foot_x, foot_y)
        square, above = _steepness(at), _above(at, x - foot_x, y - foot_y, z)
        foot_x, foot_y = x + at.slope_x * above / square, y + at.slope_y * above / square
    at = level(a.road, foot_x, foot_y)
    size = sqrt(_steepness(at))
    n = (axes[2] - axes[0] * at.slope_x - axes[1] * at.slope_y) / size
    return Distance(_above(at, x - foot_x, y - foot_y, z) / size, n)


def _steepness(at: Level) -> Expression:
    """Return the square of the length of the normal (-slope_x, -slope_y, 1)."""
    return 1.0 + at.slope_x * at.slope_x + at.slope_y * at.slope_y


def _above(at: Level, x: Expression, y: Expression, z: Expression) -> Expression:
    """Return the height of a point above the tangent plane at a place, along z; x, y: from the place to the point."""
    return z - at.height - at.slope_x * x - at.slope_y * y


#: Functions that return the distance of a place (m, world axes), by the class of the surface.
SOLIDS: dict[type[Surface], Callable[[Any, Vector], Distance]] = {
    Block: from_block,
    Drum: from_drum,
    Hull: from_hull,
    Ground: from_ground,
}


def _in_block(a: Block, place: Vector) -> Vector:
    """Return the direction of `_bearing` at a place in a box."""
    u, line = a.axes, place - a.center
    x = [line.dot(axis) for axis in u]
    far = [_fourth((h - abs(c)) / (0.5 * a.size)) for c, h in zip(x, a.half, strict=True)]
    pulls = [c / h * far[k - 1] * far[k - 2] for k, (c, h) in enumerate(zip(x, a.half, strict=True))]
    return sum((axis * pull for axis, pull in zip(u, pulls, strict=True)), start=ORIGIN)


def _in_drum(a: Drum, place: Vector) -> Vector:
    """Return the direction of `_bearing` at a place in a cylinder."""
    u, line = a.axes, place - a.center
    x, y, z = (line.dot(axis) for axis in u)
    side, base = (a.radius - sqrt(x * x + y * y + TINY)) / (0.5 * a.size), (a.half - abs(z)) / (0.5 * a.size)
    across, along = _fourth(base) / a.radius, _fourth(side) / a.half
    return u[0] * (x * across) + u[1] * (y * across) + u[2] * (z * along)


def _fourth(x: Expression) -> Expression:
    return x * x * (x * x)


#: Functions that return the direction of `_bearing` inside of a solid, of any length.
INSIDE: dict[type[Surface], Callable[[Any, Vector], Vector]] = {Block: _in_block, Drum: _in_drum}


def _bearing(a: Surface, place: Vector) -> Vector:
    """Return the direction along which the lowest place of a rim is sought; place: its centre, m, world axes.

    It is the normal at the centre, which jumps inside of a solid where another face becomes the nearest one. In boxes
    and cylinders it is instead a mean of the normals of all faces, weighted by the inverse fourth powers of their
    distances, which is continuous.
    """
    distance = SOLIDS[type(a)](a, place)
    if type(a) not in INSIDE:
        return distance.normal
    inner = INSIDE[type(a)](a, place)
    length = sqrt(max(inner.dot(inner), TINY * TINY))
    return Vector(where(distance.length < 0.0, x / length, n) for x, n in zip(inner, distance.normal, strict=True))


def ball_on_solid(a: Surface, b: Ball) -> Gap:
    """Return the gap of a solid and a ball or a point: (G8), (G16), (G17)."""
    distance, n = SOLIDS[type(a)](a, b.center)
    return Gap(b.radius - distance, n, n * -b.radius)


def rim_on_solid(a: Surface, b: Rim) -> Gap:
    """Return the gap of a solid and a place of a rim (G18).

    Its angle is counted from the place of the rim that is lowest along the bearing of its centre. The depth also
    changes as the place moves along the rim. The force acts along the gradient of the depth by displacements and
    rotations of b, so that it has a potential.
    """
    center, axes = _leaves("center"), [_leaves(f"axis {k}") for k in range(3)]
    arm = rim_arm(b, _bearing(a, center), axes)
    depth = -SOLIDS[type(a)](a, center + arm).length
    changes = [
        derivative([depth], partial(_change, moved, turned, axes))[0]
        for moved, turned in [*((e, ORIGIN) for e in UNIT.rows), *((ORIGIN, e) for e in UNIT.rows)]
    ]
    actual = {
        x.value: y for v, w in zip((center, *axes), (b.center, *b.axes), strict=True) for x, y in zip(v, w, strict=True)
    }
    numbers = rebuild([depth, *arm, *changes], lambda node: actual.get(node.value) if node.op == "leaf" else None)
    depth, arm, push, turn = numbers[0], Vector(numbers[1:4]), -Vector(numbers[4:7]), -Vector(numbers[7:])
    steepness = sqrt(push.dot(push) + TINY)
    n = push / steepness
    contact_arm = arm + n * (0.5 * max(depth, 0.0))
    return Gap(depth, n, arm, Gradient(steepness, turn - contact_arm.cross(push)))


def _leaves(name: str) -> Vector:
    """Return a vector of leaves of its own."""
    return Vector(leaf((rim_on_solid, name, k)) for k in range(3))


def _change(moved: Vector, turned: Vector, axes: Sequence[Vector], reference: Any) -> Expression:
    """Return the rate of a leaf of `rim_on_solid`: of a coordinate of the centre or of an axis; zero for others.

    moved, turned: velocity of the centre and angular velocity.
    """
    if not isinstance(reference, tuple) or reference[0] is not rim_on_solid:
        return ZERO
    _, name, k = reference
    return moved[k] if name == "center" else turned.cross(axes[int(name[-1])])[k]


def rim_arm(b: Rim, n: Vector, axes: Sequence[Vector]) -> Vector:
    """Return the vector from the centre of a rim to its place, m, above a plane with the normal n (G3), (G5).

    axes: of the rim. A rim that lies flat has no lowest place: places that share the load then keep their angles in b,
    and a single place is the centre.
    """
    s = axes[2]
    across = n - s * s.dot(n)
    square = across.dot(across)
    size = sqrt(square + TINY)
    flat = axes[0] * b.shared
    up = Vector(where(square > TINY, x / size, y) for x, y in zip(across, flat, strict=True))
    return up * (b.radius * -b.cosine) + s.cross(up) * (b.radius * b.sine) - n * b.bar
