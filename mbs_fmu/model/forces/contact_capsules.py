"""Gaps of capsules and solids, at the nearest place of the axis: (G15) and (G17) of docs/contact.md.

The distance of a place on the axis from a convex solid is a convex function of its coordinate t. The derivative g of
half its square grows with t, and its zero is found between places at which g is known. If the axis passes through the
solid, g vanishes along the part inside, and the middle of this part is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, abs, clip, max, min, sqrt, where
from ...symbolic.sides import sense
from ...symbolic.vectors import Vector
from ..geometry.segments import nearest_places
from .contact_solids import Distance, from_block, from_drum, from_hull
from .contact_surfaces import TINY, Block, Drum, Gap, Hull, Rod

FLAT = 1e-14  #: m, difference of g below which it counts as constant
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

    @property
    def middle(self) -> Expression:
        return 0.5 * (self.below + self.above)


def rod_on_block(a: Block, b: Rod) -> Gap:
    """Return the gap of a box and a capsule (G15).

    g is linear between the places at which the axis passes through the planes of the faces.
    """
    x, u = _in_axes(a, b)

    def g(t: Expression) -> Expression:
        y = [c + e * t for c, e in zip(x, u, strict=True)]
        return sum(((c - clip(c, -h, h)) * e for c, e, h in zip(y, u, a.half, strict=True)), start=ZERO)

    passed = [(side * h - c) / _safe(e) for c, e, h in zip(x, u, a.half, strict=True) for side in (-1.0, 1.0)]
    bracket, ends = _bracket(g, passed, b.half)
    rise = bracket.g_above - bracket.g_below
    share = where(rise > FLAT, -bracket.g_below / max(rise, FLAT), 0.5)
    t = bracket.below + (bracket.above - bracket.below) * share
    return _at(b, _limited(t, ends, b.half), lambda place: from_block(a, place))


def rod_on_drum(a: Drum, b: Rod) -> Gap:
    """Return the gap of a cylinder and a capsule (G15).

    g is smooth between the places at which the axis passes through the planes of the bases and the surface of the side.
    """
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
    bracket, ends = _bracket(
        lambda t: g_and_slope(t)[0], [*passed, nearest - within, nearest, nearest + within], b.half
    )
    low, high = bracket.below, bracket.above
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        falls = g_and_slope(middle)[0] < 0.0
        low, high = where(falls, middle, low), where(falls, high, middle)
    t = 0.5 * (low + high)
    for _ in range(NEWTON):
        g, slope = g_and_slope(t)
        t = clip(t - g / max(slope, TINY), bracket.below, bracket.above)
    t = where(bracket.below < bracket.above, t, bracket.middle)
    return _at(b, _limited(t, ends, b.half), lambda place: from_drum(a, place))


def rod_on_hull(a: Hull, b: Rod) -> Gap:
    """Return the gap of a convex polyhedron and a capsule (G17).

    The nearest place of the axis is one of its ends or the one that is nearest to an edge. If the axis passes through
    the polyhedron, the place that is nearest to its centre may be deeper.
    """
    x, u = (Vector(v) for v in _in_axes(a, b))
    point, direction, _, length = a.polyhedron.row(a.polyhedron.nearest_edge(x, u * b.half))
    _, t = nearest_places(direction, 0.5 * length, u, b.half, point + direction * (0.5 * length) - x)
    places = (t, -b.half, b.half, clip(-x.dot(u), -b.half, b.half))
    return reduce(_deeper, [_at(b, place, lambda at: from_hull(a, at)) for place in places])


def _deeper(one: Gap, other: Gap) -> Gap:
    """Return the gap with the larger depth."""
    deeper = other.depth > one.depth
    normal, arm = (
        Vector(where(deeper, y, x) for x, y in zip(*pair, strict=True))
        for pair in ((one.normal, other.normal), (one.arm, other.arm))
    )
    return Gap(where(deeper, other.depth, one.depth), normal, arm)


def _in_axes(a: Block | Drum | Hull, b: Rod) -> tuple[Line, Line]:
    """Return the centre (m) and the direction of a capsule in the axes of a solid."""
    line, axis = b.center - a.center, b.axes[2]
    return [line.dot(e) for e in a.axes], [axis.dot(e) for e in a.axes]


def _safe(x: Expression) -> Expression:
    """Return a divisor in place of x whose magnitude is not below STEEP."""
    return where(abs(x) > STEEP, x, STEEP)


def _bracket(
    g: Callable[[Expression], Expression], places: Sequence[Expression], half: Expression
) -> tuple[Bracket, tuple[Expression, Expression]]:
    """Return the bracket of the zero of g among places on an axis and its ends, and the values of g at both ends."""
    ends = g(-half), g(half)
    below, g_below, above, g_above = -half, ends[0], half, ends[1]
    limited = [min(max(place, -half), half) for place in places]
    for t, value in ((half, ends[1]), (-half, ends[0]), *((t, g(t)) for t in limited)):
        later = where(value <= 0.0, t, -half) > below
        earlier = where(value < 0.0, half, t) < above
        below, g_below = where(later, t, below), where(later, value, g_below)
        above, g_above = where(earlier, t, above), where(earlier, value, g_above)
    return Bracket(below, above, g_below, g_above), ends


def _limited(t: Expression, ends: tuple[Expression, Expression], half: Expression) -> Expression:
    """Return t, or the end of the axis to which the distance falls; ends: g at the ends."""
    return where(ends[0] > 0.0, -half, where(ends[1] < 0.0, half, t))


def _at(b: Rod, t: Expression, distance_from: Callable[[Vector], Distance]) -> Gap:
    """Return the gap of a solid and the ball about a place of the axis of a capsule."""
    along = b.axes[2] * t
    distance, n = distance_from(b.center + along)
    return Gap(b.radius - distance, n, along - n * b.radius)
