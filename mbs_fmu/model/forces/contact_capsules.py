"""Gaps of two capsules (G9), and of capsules and solids (G15): at the nearest place and at one far from it.

Two capsules: the overlap of two parallel segments has two ends. Let s be the sum of the depths there. As one capsule
tilts, the nearest points jump from one end to the other. The second depth is s minus that of the nearest points, so
that both together are the depths of both ends in either case, and it changes smoothly if the capsules cross.

Solids: the distance of a place on the axis from a convex solid is a convex function of its coordinate t. The
derivative g of half its square grows with t, and its zero is found between places at which g is known. If g vanishes on
a part of the axis, since it is parallel to a face or passes through the solid, the last place of this part is taken. A
capsule that lies on a face so touches with both ends, whichever end is nearer by rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, abs, clip, max, min, sqrt, where
from ...symbolic.sides import sense
from ...symbolic.vectors import Vector
from ..geometry.segments import nearest_places
from .contact_solids import SOLIDS, from_hull
from .contact_surfaces import TINY, Block, Drum, FarEnd, Gap, Gradient, Hull, Rod, Surface

FLAT = 1e-15  #: m, value of g that counts as zero
EQUAL = 1e-13  #: m, difference of distances that counts as zero
STEEP = 1e-9  #: least component of a unit vector that is divided by
BISECTIONS = 8  #: after which the steps of Newton's method converge
NEWTON = 3  #: steps, of which the last one restores the derivative of t by positions

Line = Sequence[Expression]  #: coordinates in the axes of a solid


@dataclass(frozen=True, eq=False)
class Bracket:
    """Places on an axis: the last one at which g is not positive, and the first one at which it is not negative.

    below, above: m. The first one is the larger one if g vanishes between both. g_below, g_above: values of g, m.
    """

    below: Expression
    above: Expression
    g_below: Expression
    g_above: Expression

    def place(self, between: Expression) -> Expression:
        """Return the place of the zero, which is `between` unless g vanishes on a part of the axis."""
        return where(self.below < self.above, between, self.below)


def _on_block(a: Block, b: Rod) -> Expression:
    """Return the nearest place to a box; g is linear between places at which the axis passes the planes of faces."""
    x, u = _in_axes(a, b)

    def g(t: Expression) -> Expression:
        y = [c + e * t for c, e in zip(x, u, strict=True)]
        return sum(((c - clip(c, -h, h)) * e for c, e, h in zip(y, u, a.half, strict=True)), start=ZERO)

    passed = [(side * h - c) / _safe(e) for c, e, h in zip(x, u, a.half, strict=True) for side in (-1.0, 1.0)]
    bracket = _bracket(g, passed, b.half)
    rise = max(bracket.g_above - bracket.g_below, FLAT)
    return bracket.place(bracket.below - (bracket.above - bracket.below) * (bracket.g_below / rise))


def _on_drum(a: Drum, b: Rod) -> Expression:
    """Return the nearest place to a cylinder; g is smooth between places at which the axis passes bases and side."""
    (x, y, z), (ux, uy, uz) = _in_axes(a, b)

    def g_and_slope(t: Expression) -> tuple[Expression, Expression]:
        px, py, pz = x + ux * t, y + uy * t, z + uz * t
        radius = sqrt(max(px * px + py * py, TINY))
        side, base = max(radius - a.radius, 0.0), max(abs(pz) - a.half, 0.0)
        outward, upward = (px * ux + py * uy) / radius, uz * sense(pz)
        bend = max(ux * ux + uy * uy - outward * outward, 0.0) / radius
        slope = where(side > 0.0, side * bend + outward * outward, 0.0) + where(base > 0.0, uz * uz, 0.0)
        return side * outward + base * upward, slope

    square, half = max(ux * ux + uy * uy, STEEP * STEEP), x * ux + y * uy
    nearest = -half / square
    within = sqrt(max(half * half - square * (x * x + y * y - a.radius * a.radius), 0.0)) / square
    passed = [(side * a.half - z) / _safe(uz) for side in (-1.0, 1.0)]
    passed += [nearest - within, nearest, nearest + within]
    bracket = _bracket(lambda t: g_and_slope(t)[0], passed, b.half)
    low, high = bracket.below, bracket.above
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        falls = g_and_slope(middle)[0] < 0.0
        low, high = where(falls, middle, low), where(falls, high, middle)
    t = 0.5 * (low + high)
    for _ in range(NEWTON):
        g, slope = g_and_slope(t)
        t = clip(t - g / max(slope, TINY), bracket.below, bracket.above)
    return bracket.place(t)


def _on_hull(a: Hull, b: Rod) -> Expression:
    """Return the nearest place to a convex polyhedron: an end, or the place that is nearest to an edge.

    If the axis passes through the polyhedron, the place that is nearest to its centre may be deeper.
    """
    x, u = (Vector(v) for v in _in_axes(a, b))
    point, direction, _, length = a.polyhedron.row(a.polyhedron.nearest_edge(x, u * b.half))
    _, nearest = nearest_places(direction, 0.5 * length, u, b.half, point + direction * (0.5 * length) - x)
    t, least = b.half, from_hull(a, b.center + b.axes[2] * b.half).length
    for place in (-b.half, nearest, clip(-x.dot(u), -b.half, b.half)):
        length = from_hull(a, b.center + b.axes[2] * place).length
        nearer = length < least - EQUAL
        t, least = where(nearer, place, t), where(nearer, length, least)
    return t


#: Functions that return the coordinate, m, of the place on the axis of a capsule that is nearest to a solid.
PLACES: dict[type[Surface], Callable[[Any, Rod], Expression]] = {
    Block: _on_block,
    Drum: _on_drum,
    Hull: _on_hull,
}


def rod_on_rod(a: Rod, b: Rod) -> Gap:
    """Return the gap of two capsules: as (G6), of the nearest points of both segments (G9).

    Of parallel segments, the points at the end of the overlap to which the axis of b is directed.
    """
    u, v = a.axes[2], b.axes[2]
    return _between(a, b, *nearest_places(u, a.half, v, b.half, a.center - b.center, sense(u.dot(v)) * a.half))


def far_end_on_rod(a: Rod, b: FarEnd) -> Gap:
    """Return the gap of two capsules at the end of the overlap of their segments that is far from the nearest points.

    Its depth is the sum of those at both ends, minus that of the nearest points, and minus a part that keeps capsules
    apart that are far from parallel (G9).
    """
    u, v = a.axes[2], b.axes[2]
    upper, lower, near = _end(a, b, 1.0), _end(a, b, -1.0), rod_on_rod(a, b)
    cosine, width = u.dot(v), a.radius + b.radius
    square = 1.0 - cosine * cosine
    depth = upper.depth + lower.depth - near.depth - width * square * square
    push = upper.normal + lower.normal - near.normal
    steepness = sqrt(push.dot(push) + TINY)
    n = push / steepness
    arm = upper.arm + lower.arm - near.arm
    point = arm + n * (0.5 * max(depth, 0.0))
    twist = u.cross(v) * (4.0 * width * cosine * square)
    for gap, sign in ((upper, 1.0), (lower, 1.0), (near, -1.0)):
        twist = twist + (gap.arm - point).cross(gap.normal) * sign
    return Gap(depth, n, arm, Gradient(steepness, twist))


def _end(a: Rod, b: Rod, side: float) -> Gap:
    """Return the gap of two capsules at an end of the overlap of their segments, that of a or that of b.

    side: 1 for the end to which the axis of b is directed, -1 for the other one. The end of the other segment is beyond
    the overlap, and therefore farther.
    """
    u, v, w = a.axes[2], b.axes[2], a.center - b.center
    s_a, t_b = sense(u.dot(v)) * a.half * side, b.half * side
    t_a, s_b = clip((w + u * s_a).dot(v), -b.half, b.half), clip((v * t_b - w).dot(u), -a.half, a.half)
    of_a, of_b = v * t_a - u * s_a - w, v * t_b - u * s_b - w
    is_a = of_a.dot(of_a) < of_b.dot(of_b)
    return _between(a, b, where(is_a, s_a, s_b), where(is_a, t_a, t_b))


def _between(a: Rod, b: Rod, s: Expression, t: Expression) -> Gap:
    """Return the gap, as (G6), of two capsules at places on their axes, m from their centres."""
    along = b.axes[2] * t
    line = b.center - a.center + along - a.axes[2] * s
    length = sqrt(line.dot(line) + TINY)
    n = line / length
    return Gap(a.radius + b.radius - length, n, along - n * b.radius)


def rod_on_solid(a: Surface, b: Rod) -> Gap:
    """Return the gap of a solid and a capsule at the nearest place of its axis (G15)."""
    return _at(a, b, PLACES[type(a)](a, b))


def far_end_on_solid(a: Surface, b: FarEnd) -> Gap:
    """Return the gap of a solid and the end of a capsule that is farther from the nearest place of its axis (G15)."""
    return _at(a, b, where(PLACES[type(a)](a, b) > 0.0, -b.half, b.half))


def _at(a: Surface, b: Rod, t: Expression) -> Gap:
    """Return the gap of a solid and the ball about a place of the axis of a capsule."""
    along = b.axes[2] * t
    distance, n = SOLIDS[type(a)](a, b.center + along)
    return Gap(b.radius - distance, n, along - n * b.radius)


def _in_axes(a: Surface, b: Rod) -> tuple[Line, Line]:
    """Return the centre (m) and the direction of a capsule in the axes of a solid."""
    line, axis = b.center - a.center, b.axes[2]
    return [line.dot(e) for e in a.axes], [axis.dot(e) for e in a.axes]


def _safe(x: Expression) -> Expression:
    """Return a divisor in place of x whose magnitude is not below STEEP."""
    return where(abs(x) > STEEP, x, STEEP)


def _bracket(g: Callable[[Expression], Expression], places: Sequence[Expression], half: Expression) -> Bracket:
    """Return the bracket of the zero of g among places on an axis and its ends; an end at which g does not vanish."""
    first, last = g(-half), g(half)
    below, g_below, above, g_above = -half, first, half, last
    limited = [min(max(place, -half), half) for place in places]
    for t, value in ((half, last), (-half, first), *((t, g(t)) for t in limited)):
        later = where(value <= FLAT, t, -half) > below
        earlier = where(value < -FLAT, half, t) < above
        below, g_below = where(later, t, below), where(later, value, g_below)
        above, g_above = where(earlier, t, above), where(earlier, value, g_above)
    return Bracket(below, above, g_below, g_above)
