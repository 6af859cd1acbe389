"""SI units known to models and FMUs: their base-unit exponents and display units."""

from __future__ import annotations

import functools

from ..errors import ModelError
from ..messages import shown

#: unit -> exponents of (kg, m, s, rad). All are coherent SI units: factor 1, offset 0.
UNITS: dict[str, tuple[int, int, int, int]] = {
    "1": (0, 0, 0, 0),
    "s": (0, 0, 1, 0),
    "1/s": (0, 0, -1, 0),
    "Hz": (0, 0, -1, 0),
    "m": (0, 1, 0, 0),
    "m/s": (0, 1, -1, 0),
    "m/s2": (0, 1, -2, 0),
    "rad": (0, 0, 0, 1),
    "rad/s": (0, 0, -1, 1),
    "rad/s2": (0, 0, -2, 1),
    "kg": (1, 0, 0, 0),
    "kg.m": (1, 1, 0, 0),
    "kg.m2": (1, 2, 0, 0),
    "N": (1, 1, -2, 0),
    "N.s": (1, 1, -1, 0),
    "N.m": (1, 2, -2, 0),
    "N.m.s": (1, 2, -1, 0),
    "J": (1, 2, -2, 0),
    "W": (1, 2, -3, 0),
    "N/m": (1, 0, -2, 0),
    "N.s/m": (1, 0, -1, 0),
    "N.m/rad": (1, 2, -2, -1),
    "N.m.s/rad": (1, 2, -1, -1),
    "N.m/s": (1, 2, -3, 0),
    "Pa": (1, -1, -2, 0),
    "kg/m3": (1, -3, 0, 0),
    "kg/s": (1, 0, -1, 0),
    "m2": (0, 2, 0, 0),
    "m3": (0, 3, 0, 0),
    "m2/s2": (0, 2, -2, 0),
    "N.m/rad/s": (1, 2, -3, -1),
}

#: unit -> (display unit, factor from the SI value to the displayed one)
DISPLAY: dict[str, tuple[str, float]] = {
    "rad": ("deg", 57.29577951308232),
    "rad/s": ("rev/min", 9.549296585513721),
}


@functools.cache
def rate_unit(unit: str | None) -> str | None:
    """The unit of a time derivative, or None where UNITS has none."""
    if unit is None:
        return None
    kg, m, s, rad = UNITS[unit]
    return next((name for name, powers in UNITS.items() if powers == (kg, m, s - 1, rad)), None)


def known_unit(unit: str | None, thing: str) -> str | None:
    """The unit, or ModelError when it isn't one of UNITS."""
    if unit is not None and not (isinstance(unit, str) and unit in UNITS):
        raise ModelError(f"{thing}: unknown unit {shown(unit)}; use one of {', '.join(UNITS)} (SI, no prefixes)")
    return unit
