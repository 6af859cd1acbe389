"""Tandem cams: a tyre senses short obstacles as two elliptical cams behind each other do (T16)."""

from __future__ import annotations

import math
from typing import Any

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import is_literal
from ..geometry.vectors import number

UNITS = {"length": "m", "height": "m", "order": "1", "distance": "m", "width": "m"}


@dataclass(frozen=True)
class Cams:
    """Two equal cams |x/length|^order + |z/height|^order = 1 behind each other, for `envelope=` of `m.tyre`.

    length, height: semi-axes, m, along the road and upright. order: at least 1; 2 is an ellipse. distance: of both
    cams, m. width: of the tyre's contact, m, over which the heights of the road are averaged across; 0: no average.
    `Tyre.cams` returns those of a tyre property file.

    Raises ModelError for numbers that are not positive, or not finite, a negative width, an order below 1, and a
    distance of cams that do not overlap.
    """

    length: float
    height: float
    order: float
    distance: float
    width: float = 0.0

    def __post_init__(self) -> None:
        for name, unit in UNITS.items():
            given = getattr(self, name)
            value = number(given, f"{name} of cams", None if unit == "1" else unit)
            least = 1.0 if name == "order" else 0.0
            if not is_literal(value) or not math.isfinite(value.value):
                raise ModelError(f"{name} of cams is {display(given)}: give a finite number")
            if value.value < least or (value.value == 0.0 and name != "width"):
                remedy = "at least 1" if name == "order" else "zero or above" if name == "width" else "above zero"
                raise ModelError(f"{name} of cams is {display(given)}: give a number {remedy}")
            object.__setattr__(self, name, float(value.value))
        if self.distance > 2.0 * self.length:
            raise ModelError(
                f"distance of cams is {self.distance:g} m, more than a cam of the semi-axis {self.length:g} m is long: "
                f"give at most {2.0 * self.length:g} m"
            )

    @staticmethod
    def require(given: Any) -> None:
        """Raise ModelError for anything but cams."""
        if not isinstance(given, Cams):
            raise ModelError(f"{display(given)} are no cams: give mbs.Cams(length, height, order, distance)")

    def rise(self, x: float) -> float:
        """Return the height, m, of the cam's lower surface above its lowest point, at x, m, from its middle."""
        return float(self.height * (1.0 - (1.0 - min(abs(x / self.length), 1.0) ** self.order) ** (1.0 / self.order)))
