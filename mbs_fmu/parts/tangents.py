"""Common tangents of two circles with signed radii, and paths of lines over circles (M2).

All circles lie in one plane. A radius is positive if the line runs counterclockwise round the circle, negative if it
runs clockwise, and zero for a point. Expressions of centres give expressions; numbers give numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ..symbolic.expressions import ZERO, Expression, atan2, is_literal, sqrt
from ..symbolic.vectors import Vector


class Span(NamedTuple):
    """Straight part of a line between two circles.

    apart: from the first centre to the second, m. length: m. direction: unit vector, from the first circle to the
    second. difference: radius of the second circle minus that of the first, m. All vectors have two components, in the
    plane of the circles. offset: distance across this plane, m.
    """

    apart: Vector
    length: Expression
    direction: Vector
    difference: float
    offset: Expression = ZERO

    @property
    def reach(self) -> Expression:
        """Length, m, also across the plane."""
        return (
            self.length if is_literal(self.offset, 0.0) else sqrt(self.length * self.length + self.offset * self.offset)
        )

    def angle_rate(self, rate: Vector) -> Expression:
        """Return the rate of the direction's angle, rad/s, by that of the vector between the centres, m/s."""
        return (self.direction[0] * rate[1] - self.direction[1] * rate[0]) / self.length

    def reach_rate(self, rate: Vector) -> Expression:
        """Return the rate of `reach`, m/s, by that of the vector between the centres, m/s, across the plane too."""
        if is_literal(self.offset, 0.0):
            return self.direction.dot(rate[:2]) + self.difference * self.angle_rate(rate)
        return (self.apart.dot(rate[:2]) + self.offset * rate[2]) / self.reach

    def string_rate(self, rate: Vector) -> Expression:
        """Return the rate of the length between marks on both circles while these do not turn, m/s (M2)."""
        if is_literal(self.offset, 0.0):
            return self.direction.dot(rate[:2])
        return self.reach_rate(rate) - self.difference * self.angle_rate(rate)


def square_of_length(apart: Vector, a: float, b: float) -> Expression:
    """Return the squared length of the tangent, m²; it is positive if the circles have this tangent."""
    return apart.dot(apart) - (b - a) * (b - a)


def tangent(apart: Vector, a: float, b: float, offset: Expression = ZERO) -> Span:
    """Return the tangent from a circle of signed radius a to one of signed radius b, m; apart: between the centres."""
    difference = b - a
    length = sqrt(square_of_length(apart, a, b))
    x, y = apart
    direction = Vector((x * length + y * difference, y * length - x * difference)) / apart.dot(apart)
    return Span(apart, length, direction, difference, offset)


def wrap_angle(before: Span, after: Span, radius: float) -> Expression:
    """Return the angle, 0 to 2 pi, by which a line turns on a circle of signed radius, m, between two spans."""
    (ax, ay), (bx, by) = before.direction, after.direction
    sign = math.copysign(1.0, radius)
    return math.pi - atan2(sign * (ax * by - ay * bx), -(ax * bx + ay * by))


class Path(NamedTuple):
    """A line over circles: its spans, and the angles by which it turns on the circles, rad; zero at free ends."""

    spans: list[Span]
    wraps: list[Expression]
    radii: Sequence[float]
    closed: bool

    def ends_of(self, i: int) -> tuple[int, int]:
        """Return the indices of the circles at the beginning and at the end of a span."""
        return i, (i + 1) % len(self.radii)

    def spans_at(self, k: int) -> tuple[int | None, int | None]:
        """Return the indices of the spans before and after a circle; None beyond a free end."""
        count = len(self.spans)
        if self.closed:
            return (k - 1) % count, k
        return (k - 1 if k > 0 else None), (k if k < count else None)

    def is_wrapped(self, k: int) -> bool:
        """True if the line runs over a circle and does not end there."""
        return self.radii[k] != 0.0 and None not in self.spans_at(k)

    def length(self, i: int) -> Expression:
        """Return the length of a span and of the halves of the arcs at both its ends, m."""
        arcs = (0.5 * abs(self.radii[k]) * self.wraps[k] for k in self.ends_of(i))
        return sum(arcs, start=self.spans[i].reach)

    @property
    def turning(self) -> Expression:
        """Angle by which the line turns in all, counterclockwise, rad."""
        return sum((math.copysign(1.0, r) * w for r, w in zip(self.radii, self.wraps, strict=True)), start=ZERO)

    def angles(self) -> list[Expression]:
        """Return the angle of each span to the plane's first axis, rad: the first within a half turn, the others on."""
        x, y = self.spans[0].direction
        found = [atan2(y, x)]
        for k in range(1, len(self.spans)):
            found.append(found[-1] + math.copysign(1.0, self.radii[k]) * self.wraps[k])
        return found


def path_over(apart: Sequence[Vector], radii: Sequence[float], closed: bool) -> Path:
    """Return the path of a line over circles with signed radii, m.

    apart: vectors from each centre to the next, m: two components in the plane and one across it.
    """
    count = len(radii)
    spans = [tangent(Vector(c[:2]), radii[i], radii[(i + 1) % count], c[2]) for i, c in enumerate(apart)]
    path = Path(spans, [], radii, closed)
    for k, radius in enumerate(radii):
        before, after = path.spans_at(k)
        wrapped = radius != 0.0 and before is not None and after is not None
        path.wraps.append(wrap_angle(spans[before], spans[after], radius) if wrapped else ZERO)  # type: ignore[index]
    return path
