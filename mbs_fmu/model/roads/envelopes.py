"""The effective plane under a wheel with tandem cams: its height and slopes (T16)."""

from __future__ import annotations

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression
from .cams import Cams
from .road import Chart, Level, Relief, Road


@dataclass(frozen=True, eq=False)
class Envelope:
    """A road as the cams of a tyre sense it.

    along: basic surface for wheels that run along the road's first coordinate, the heights of the lowest point of a
    cam. across: that for wheels along the second one; None if the first one serves all directions.
    """

    cams: Cams
    along: Road
    across: Road | None

    def level(self, chart: Chart, x: Expression, y: Expression) -> Level:
        """Return height and slopes of the effective plane at a place; x, y: the wheel's heading, a unit vector."""
        ahead_a, ahead_b = chart.direction(x, y)
        half = 0.5 * self.cams.distance
        front, rear = (
            self._relief(chart.a + side * ahead_a, chart.b + side * ahead_b, ahead_a, ahead_b) for side in (half, -half)
        )
        height, *slopes = (0.5 * (f + r) for f, r in zip(front, rear, strict=True))
        level = chart.level(Relief(height, *slopes))
        slope = (front.height - rear.height) / self.cams.distance
        camber = x * level.slope_y - y * level.slope_x
        return Level(height, slope * x - camber * y, slope * y + camber * x)

    def _relief(self, a: Expression, b: Expression, ahead_a: Expression, ahead_b: Expression) -> Relief:
        """Return the basic surface at a place for a heading in the road's coordinates.

        Both surfaces are blended by the share (3 - 2c) c² of the first one, with c the squared cosine of the heading.
        """
        along = self.along.relief(a, b)
        if self.across is None:
            return along
        square = ahead_a * ahead_a
        c = square / (square + ahead_b * ahead_b)
        share = c * c * (3.0 - 2.0 * c)
        other = self.across.relief(a, b)
        return Relief(*(q + share * (p - q) for p, q in zip(along, other, strict=True)))


def envelope(road: Road, cams: Cams) -> Envelope:
    """Return a road as cams sense it. Raises ModelError if its heights cannot be dilated."""
    return Envelope(cams, road.enveloped(cams), road.enveloped_across(cams))
