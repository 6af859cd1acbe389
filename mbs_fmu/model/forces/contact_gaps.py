"""Gaps between surfaces of contacts, in closed form: (G1) to (G18) of docs/contact.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...symbolic.expressions import ZERO, clip, max, min, sqrt, where
from ...symbolic.vectors import ORIGIN, Vector
from ..geometry.box_overlaps import facing, overlap, separation
from .contact_capsules import PLACES, far_end_on_rod, far_end_on_solid, rod_on_rod, rod_on_solid
from .contact_curves import Curved, Follower, follower_on_curve
from .contact_solids import SOLIDS, ball_on_ground, ball_on_solid, rim_arm, rim_on_solid
from .contact_surfaces import TINY, Ball, Block, Egg, FarEnd, Gap, Gradient, Ground, HalfSpace, Patch, Rim, Rod, Surface

NO_FORCE = 1e-12  #: keeps the direction of a force finite where it vanishes, of one that is about 1


def ball_on_plane(a: HalfSpace, b: Ball) -> Gap:
    """Return the gap of a half-space and a ball or a point (G1)."""
    n = a.axes[2]
    return Gap(b.radius - (b.center - a.center).dot(n), n, n * -b.radius)


def rim_on_plane(a: HalfSpace, b: Rim) -> Gap:
    """Return the gap of a half-space and the lowest place of a rim (G3), or a place at a fixed angle from it (G5).

    A rim that lies flat has no lowest place: places that share the load then keep their angles in b, and a single place
    is the centre.
    """
    n = a.axes[2]
    arm = rim_arm(b, n, b.axes)
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


def egg_on_plane(a: HalfSpace, b: Egg) -> Gap:
    """Return the gap of a half-space and an ellipsoid (G10)."""
    n = a.axes[2]
    along = [half * axis.dot(n) for half, axis in zip(b.half, b.axes, strict=True)]
    reach = sqrt(sum((x * x for x in along), start=ZERO))
    arm = sum((axis * (half * x) for axis, half, x in zip(b.axes, b.half, along, strict=True)), start=ORIGIN)
    return Gap(reach - (b.center - a.center).dot(n), n, arm / -reach)


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
        world(facing(a.half, b.half, c, turned)), apart, common.spread, radius, 0.5 * min(a.size, b.size)
    )  # fmt: skip
    arm = world(place - c - n * (0.5 * max(depth, 0.0)))
    return Gap(depth, world(n), arm, Gradient(steepness, world(twist)), patch)


def exchanged(gap: Callable[[Any, Any], Gap]) -> Callable[[Any, Any], Gap]:
    """Return the function of the same gap, which has no patch, with a and b exchanged."""

    def other(a: Surface, b: Surface) -> Gap:
        reverse = gap(b, a)
        arm = a.center - b.center + reverse.arm + reverse.normal * reverse.depth
        gradient = reverse.gradient and Gradient(reverse.gradient.steepness, -reverse.gradient.twist)
        return Gap(reverse.depth, -reverse.normal, arm, gradient)

    return other


#: Functions that return the gap, by the classes of both surfaces, in one order.
GAPS: dict[tuple[type[Surface], type[Surface]], Callable[[Any, Any], Gap]] = {
    (HalfSpace, Ball): ball_on_plane,
    (HalfSpace, Rim): rim_on_plane,
    (HalfSpace, Egg): egg_on_plane,
    (Ball, Ball): ball_on_ball,
    (Rod, Ball): ball_on_rod,
    (Rod, Rod): rod_on_rod,
    (Rod, FarEnd): far_end_on_rod,
    **{(solid, Ball): ball_on_solid for solid in SOLIDS},
    **{(solid, Rim): rim_on_solid for solid in SOLIDS},
    **{(solid, Rod): rod_on_solid for solid in PLACES},
    **{(solid, FarEnd): far_end_on_solid for solid in PLACES},
    (Block, Block): block_on_block,
    (Ground, Ball): ball_on_ground,  # of a point as on other solids
    (Curved, Follower): follower_on_curve,
}
#: Pairs that touch on an area, whose gaps have a patch.
AREAS = {(Block, Block)}


def gap_between(a: Surface, b: Surface) -> Gap:
    """Return the gap between surface a and surface b. Raises KeyError if there is none in either order."""
    kinds = type(a), type(b)
    return GAPS[kinds](a, b) if kinds in GAPS else exchanged(GAPS[kinds[::-1]])(a, b)


def touch_on_area(a: Surface, b: Surface) -> bool:
    """True if two surfaces touch on an area, so that friction resists spin about the normal."""
    return (type(a), type(b)) in AREAS
