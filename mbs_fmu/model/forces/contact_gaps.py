"""Surfaces of contacts and the gaps between them, in closed form: (G1) to (G10), (G13), (G14) of docs/contact.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, abs, clip, is_literal, max, min, sqrt, where
from ...symbolic.sides import sense
from ...symbolic.vectors import ORIGIN, Vector
from ..geometry.anchors import axes, point_position
from ..geometry.box_overlaps import facing, overlap, separation
from ..references.naming import A_NAME
from ..roads import Relief, Road

ROUNDS = 3  #: iterations that find the nearest point of uneven ground to a ball's centre
PARALLEL = 1e-12  #: square of the sine of an angle below which two segments count as parallel
TINY = 1e-24  #: m², keeps the derivative of a length finite where it vanishes
NO_FORCE = 1e-12  #: keeps the direction of a force finite where it vanishes, of one that is about 1


@dataclass(frozen=True, eq=False)
class Surface:
    """A surface that is fixed in a body.

    origin: m, body axes. rotation: 3x3, axes of the surface to body axes. turns: False if all its normals are equal, so
    that the normal of a contact is constant in the axes of the surface. wide: True if it touches on an area, as b.
    """

    turns: ClassVar[bool] = True
    wide: ClassVar[bool] = False
    body: str = field(metadata=A_NAME)
    origin: Vector
    rotation: np.ndarray

    @property
    def size(self) -> Expression | None:
        """Least width, m; None for a point, and for a surface of infinite extent."""
        return None

    @property
    def center(self) -> Vector:
        """Position of the origin, m, world axes."""
        return point_position(self.body, self.origin)

    @property
    def axes(self) -> list[Vector]:
        """The three axes of the surface, in world axes."""
        return axes(self.body, self.rotation)


@dataclass(frozen=True, eq=False)
class HalfSpace(Surface):
    """Half-space z <= 0, bounded by the plane z = 0."""

    turns: ClassVar[bool] = False


@dataclass(frozen=True, eq=False)
class Ball(Surface):
    """Solid ball about the origin. radius: m, zero for a point."""

    radius: Expression

    @property
    def size(self) -> Expression | None:
        return None if is_literal(self.radius, 0.0) else 2.0 * self.radius


@dataclass(frozen=True, eq=False)
class Rim(Surface):
    """One place of a round bar that is bent to a circle about the z axis.

    radius: of the circle, m. bar: radius of the bar, m, zero for a sharp edge. cosine, sine: of the angle on the circle
    from its lowest point to the place. shared: 1 for one of several places at equal angles, so that the rim may lie
    flat; 0 for a single place.
    """

    radius: Expression
    bar: Expression
    cosine: float = 1.0
    sine: float = 0.0
    shared: float = 0.0

    @property
    def size(self) -> Expression:
        """Outer diameter, m, not the diameter of the bar, which may be thin."""
        return 2.0 * (self.radius + self.bar)


@dataclass(frozen=True, eq=False)
class Rod(Surface):
    """Solid capsule: all points within `radius` (m) of the segment from z = -half to z = half (m)."""

    radius: Expression
    half: Expression

    @property
    def size(self) -> Expression:
        return 2.0 * self.radius


@dataclass(frozen=True, eq=False)
class Block(Surface):
    """Solid box about the origin. half: half the lengths of its edges along the axes, m."""

    wide: ClassVar[bool] = True
    half: tuple[Expression, ...]

    @property
    def size(self) -> Expression:
        x, y, z = self.half
        return 2.0 * min(min(x, y), z)


@dataclass(frozen=True, eq=False)
class Egg(Surface):
    """Solid ellipsoid about the origin. half: semi-axes along the axes, m."""

    half: tuple[Expression, ...]

    @property
    def size(self) -> Expression:
        x, y, z = self.half
        return 2.0 * min(min(x, y), z)


@dataclass(frozen=True, eq=False)
class Patch:
    """How two surfaces touch on an area instead of at a point; vectors in world axes.

    facing: unit normal, from a to b, of the face that separates them most, which is their normal while they are apart.
    separation: m, not positive while they are apart; it is cheaper to compute than the depth. steepness: change of the
    depth per displacement of b against the normal, at the contact point. twist: change of the depth per rotation of b,
    m. spread: mean of the products of the coordinates in the area, from its centre, m², along the axes of a. radius: of
    the area, m, root mean square of the distances from its centre. scale: a constant length of this order, m.
    """

    facing: Vector
    separation: Expression
    steepness: Expression
    twist: Vector
    spread: list[Vector]
    radius: Expression
    scale: Expression


@dataclass(frozen=True, eq=False)
class Gap:
    """Distance between surface a and surface b.

    depth: overlap, m, or minus the distance while they are apart. normal: unit vector from a to b, world axes. arm:
    vector from the origin of b to the point of b that is nearest to a or deepest in it, m, world axes. patch: None if
    the surfaces touch at a point; if they touch on an area, the arm leads to its centre of pressure, and the normal
    vanishes while they are apart.
    """

    depth: Expression
    normal: Vector
    arm: Vector
    patch: Patch | None = None


def ball_on_plane(a: HalfSpace, b: Ball) -> Gap:
    """Return the gap of a half-space and a ball or a point (G1)."""
    n = a.axes[2]
    return Gap(b.radius - (b.center - a.center).dot(n), n, n * -b.radius)


def rim_on_plane(a: HalfSpace, b: Rim) -> Gap:
    """Return the gap of a half-space and the lowest place of a rim (G3), or a place at a fixed angle from it (G5).

    A rim that lies flat has no lowest place: places that share the load then keep their angles in b, and a single place
    is the centre.
    """
    n, s = a.axes[2], b.axes[2]
    across = n - s * s.dot(n)
    square = across.dot(across)
    size = sqrt(square + TINY)
    flat = b.axes[0] * b.shared
    up = Vector(where(square > TINY, x / size, y) for x, y in zip(across, flat, strict=True))
    arm = up * (b.radius * -b.cosine) + s.cross(up) * (b.radius * b.sine) - n * b.bar
    return Gap(-(b.center + arm - a.center).dot(n), n, arm)


def ball_on_ball(a: Ball, b: Ball) -> Gap:
    """Return the gap of two balls, or of a ball and a point (G6)."""
    line = b.center - a.center
    length = sqrt(line.dot(line) + TINY)
    n = line / length
    return Gap(a.radius + b.radius - length, n, n * -b.radius)


def ball_on_rod(a: Rod, b: Ball) -> Gap:
    """Return the gap of a capsule and a ball or a point: as (G6), from the nearest point of the segment (G7)."""
    axis, line = a.axes[2], b.center - a.center
    line = line - axis * clip(line.dot(axis), -a.half, a.half)
    length = sqrt(line.dot(line) + TINY)
    n = line / length
    return Gap(a.radius + b.radius - length, n, n * -b.radius)


def rod_on_rod(a: Rod, b: Rod) -> Gap:
    """Return the gap of two capsules: as (G6), of the nearest points of both segments (G9)."""
    u, v, w = a.axes[2], b.axes[2], a.center - b.center
    cosine, along_a, along_b = u.dot(v), u.dot(w), v.dot(w)
    square = 1.0 - cosine * cosine  # of the sine of the angle between the segments
    crossing = (cosine * along_b - along_a) / max(square, PARALLEL)
    s = clip(where(square > PARALLEL, crossing, 0.0), -a.half, a.half)
    t = clip(cosine * s + along_b, -b.half, b.half)
    s = clip(cosine * t - along_a, -a.half, a.half)
    along = v * t
    line = along - u * s - w
    length = sqrt(line.dot(line) + TINY)
    n = line / length
    return Gap(a.radius + b.radius - length, n, along - n * b.radius)


def egg_on_plane(a: HalfSpace, b: Egg) -> Gap:
    """Return the gap of a half-space and an ellipsoid (G10)."""
    n = a.axes[2]
    along = [half * axis.dot(n) for half, axis in zip(b.half, b.axes, strict=True)]
    reach = sqrt(sum((x * x for x in along), start=ZERO))
    arm = sum((axis * (half * x) for axis, half, x in zip(b.axes, b.half, along, strict=True)), start=ORIGIN)
    return Gap(reach - (b.center - a.center).dot(n), n, arm / -reach)


def ball_on_block(a: Block, b: Ball) -> Gap:
    """Return the gap of a box and a ball or a point (G8).

    The normal comes from the nearest point of the box if the centre of the ball is outside, from the nearest face if it
    is inside.
    """
    u, line = a.axes, b.center - a.center
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
    return Gap(b.radius + where(outside, -length, nearest), n, n * -b.radius)


def block_on_block(a: Block, b: Block) -> Gap:
    """Return the gap of two boxes, which touch on an area (G14)."""
    axes = a.axes

    def world(v: Vector) -> Vector:
        return sum((axis * x for axis, x in zip(axes, v, strict=True)), start=ORIGIN)

    line = b.center - a.center
    c = Vector(line.dot(axis) for axis in axes)
    turned = [Vector(e.dot(axis) for axis in axes) for e in b.axes]
    apart, common = separation(a.half, b.half, c, turned), overlap(a.half, b.half, c, turned)
    square = common.force.dot(common.force) + NO_FORCE
    steepness = sqrt(square)
    n, depth = common.force / steepness, where(apart > 0.0, common.depth, apart)
    place = common.center + common.force.cross(common.torque) / square  # on the axis of the wrench
    twist = common.force * (common.force.dot(common.torque) / square)
    radius = sqrt(sum((common.spread[k][k] for k in range(3)), start=ZERO) + TINY)
    patch = Patch(
        world(facing(a.half, b.half, c, turned)),
        apart,
        steepness,
        world(twist),
        common.spread,
        radius,
        0.5 * min(a.size, b.size),
    )
    return Gap(depth, world(n), world(place - c - n * (0.5 * max(depth, 0.0))), patch)


@dataclass(frozen=True, eq=False)
class Ground(Surface):
    """Solid below an uneven road z = height(x, y)."""

    road: Road


def ball_on_ground(a: Ground, b: Ball) -> Gap:
    """Return the gap of uneven ground and a ball or a point (G13).

    A ball touches the ground at the foot of the perpendicular from its centre. A few iterations of Newton's method find
    this foot, with the curvature of the ground taken as zero. A point is compared with the ground below it.
    """
    axes, line = a.axes, b.center - a.center
    x, y, z = (line.dot(axis) for axis in axes)
    foot_x, foot_y = x, y
    for _ in range(0 if is_literal(b.radius, 0.0) else ROUNDS):
        at = a.road.relief(foot_x, foot_y)
        square, above = _steepness(at), _above(at, x - foot_x, y - foot_y, z)
        foot_x, foot_y = x + at.slope_x * above / square, y + at.slope_y * above / square
    at = a.road.relief(foot_x, foot_y)
    size = sqrt(_steepness(at))
    n = (axes[2] - axes[0] * at.slope_x - axes[1] * at.slope_y) / size
    return Gap(b.radius - _above(at, x - foot_x, y - foot_y, z) / size, n, n * -b.radius)


def _steepness(at: Relief) -> Expression:
    """Return the square of the length of the normal (-slope_x, -slope_y, 1)."""
    return 1.0 + at.slope_x * at.slope_x + at.slope_y * at.slope_y


def _above(at: Relief, x: Expression, y: Expression, z: Expression) -> Expression:
    """Return the height of a point above the tangent plane at a place, along z; x, y: from the place to the point."""
    return z - at.height - at.slope_x * x - at.slope_y * y


def exchanged(gap: Callable[[Any, Any], Gap]) -> Callable[[Any, Any], Gap]:
    """Return the function of the same gap with a and b exchanged."""

    def other(a: Surface, b: Surface) -> Gap:
        reverse = gap(b, a)
        arm = a.center - b.center + reverse.arm + reverse.normal * reverse.depth
        return Gap(reverse.depth, -reverse.normal, arm)

    return other


#: Functions that return the gap, by the classes of surface a and surface b.
GAPS: dict[tuple[type[Surface], type[Surface]], Callable[[Any, Any], Gap]] = {
    (HalfSpace, Ball): ball_on_plane,
    (HalfSpace, Rim): rim_on_plane,
    (HalfSpace, Egg): egg_on_plane,
    (Ball, Ball): ball_on_ball,
    (Ball, Rod): exchanged(ball_on_rod),
    (Rod, Ball): ball_on_rod,
    (Rod, Rod): rod_on_rod,
    (Block, Ball): ball_on_block,
    (Block, Block): block_on_block,
    (Ground, Ball): ball_on_ground,
}
