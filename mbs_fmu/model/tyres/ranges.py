"""Ranges of slips, load and pressure for which coefficients hold: the formula is evaluated within them."""

from __future__ import annotations

import builtins
import math
from collections.abc import Mapping
from dataclasses import replace

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression, max, min
from .formula import Slip

Range = tuple[float, float]
UNLIMITED: Range = (-math.inf, math.inf)
RIGHT_ANGLE = 0.5 * math.pi - 1e-6  #: rad, slip angles from this one on are no limits


@dataclass(frozen=True)
class Ranges:
    """Least and largest values of slips, inclination angle (rad), load (N), and relative deviation of the pressure."""

    kappa: Range = UNLIMITED
    tan_alpha: Range = UNLIMITED
    gamma: Range = UNLIMITED
    load: Range = UNLIMITED
    pressure: Range = UNLIMITED

    def limited(self, slip: Slip) -> Slip:
        """Return load, slips and pressure within the ranges."""
        sine = tuple(math.sin(x) if math.isfinite(x) else x for x in self.gamma)
        return replace(
            slip, fz=_within(slip.fz, self.load), kappa=_within(slip.kappa, self.kappa),
            tan_alpha=_within(slip.tan_alpha, self.tan_alpha), gamma=_within(slip.gamma, self.gamma),
            sin_gamma=_within(slip.sin_gamma, (sine[0], sine[1])), pressure=_within(slip.pressure, self.pressure),
        )  # fmt: skip

    def within_pressures(self, relative: float) -> float:
        """Return the relative deviation of a pressure from the nominal one, within its range."""
        least, largest = self.pressure
        return builtins.min(builtins.max(relative, least), largest)

    def mirrored(self) -> Ranges:
        """Return the ranges of the same tyre on the other side of the vehicle."""
        (a, b), (c, d) = self.tan_alpha, self.gamma
        return Ranges(self.kappa, (-b, -a), (-d, -c), self.load, self.pressure)


NO_RANGES = Ranges()


def ranges_of(values: Mapping[str, float]) -> tuple[Ranges, list[str]]:
    """Return the ranges that coefficients state, and a note about each one that cannot be meant.

    Slips and angles have ranges around zero (the inclination angle may begin there), pressures one around the nominal
    pressure. The least load is no limit: forces vanish with the load.
    """
    notes: list[str] = []

    def stated(least: str, largest: str, inside: float, open_end: bool = False) -> Range:
        if least not in values and largest not in values:
            return UNLIMITED
        a, b = values.get(least, -math.inf), values.get(largest, math.inf)
        if a < inside < b or (open_end and a <= inside <= b and a < b):
            return a, b
        notes.append(f"{least} and {largest} are no range around {inside:g}: no limit applies")
        return UNLIMITED

    alpha = stated("ALPMIN", "ALPMAX", 0.0)
    gamma = stated("CAMMIN", "CAMMAX", 0.0, open_end=True)
    nominal = values.get("NOMPRES", 0.0)
    pressure = stated("PRESMIN", "PRESMAX", nominal, open_end=True) if nominal > 0.0 else UNLIMITED
    return Ranges(
        stated("KPUMIN", "KPUMAX", 0.0),
        (_tangent(alpha[0]), _tangent(alpha[1])),
        (gamma[0] if gamma[0] > -RIGHT_ANGLE else -math.inf, gamma[1] if gamma[1] < RIGHT_ANGLE else math.inf),
        (-math.inf, _largest_load(values, notes)),
        ((pressure[0] - nominal) / nominal, (pressure[1] - nominal) / nominal) if nominal > 0.0 else UNLIMITED,
    ), notes


def _largest_load(values: Mapping[str, float], notes: list[str]) -> float:
    largest = values.get("FZMAX", math.inf)
    if largest > 0.0 and largest > values.get("FZMIN", 0.0):
        return largest
    notes.append(f"FZMAX is {largest:g}: no limit applies to the load")
    return math.inf


def _tangent(angle: float) -> float:
    return math.tan(angle) if math.fabs(angle) < RIGHT_ANGLE else math.copysign(math.inf, angle)


def _within(x: Expression, limits: Range) -> Expression:
    least, largest = limits
    x = x if math.isinf(least) else max(x, least)
    return x if math.isinf(largest) else min(x, largest)
