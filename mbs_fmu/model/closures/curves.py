"""Points led along plane curves: cams with pointed followers, pins in grooves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..curves import known_curve
from ..effects import Check
from .closure import Pair
from .conditions import Conditions


@dataclass(frozen=True)
class OnCurve(Pair):
    """The point of b stays on a curve fixed in a, at a's place there (docs/equations.md, L15).

    curve: `mbs.Circle`, `mbs.Ellipse` or `mbs.Polar`. One condition: along the curve's axis the point is free to move,
    as on a cylinder whose section the curve is.
    """

    curve: Any

    def checked(self, thing: str) -> OnCurve:
        return replace(self, curve=known_curve(self.curve, thing))

    def conditions(self, frame: int | None, thing: str) -> Conditions:
        out = Conditions()
        x, y = (out.gap().dot(out.vector(0, direction)) for direction in self.curve.directions)
        out.add(self.curve.level(x, y), "distance from the curve", "m")
        return out

    def parameter_checks(self, thing: str) -> list[Check]:
        return list(self.curve.parameter_checks(thing))
