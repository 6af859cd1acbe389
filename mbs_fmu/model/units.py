"""Units: what they are made of, for models and FMUs, and numbers given as texts with one ("30 deg")."""

from __future__ import annotations

import functools
import math
import re
from typing import Any, NamedTuple

from ..errors import ModelError
from ..record.messages import shown
from ..record.near import meant
from ..symbolic.expressions import Expression


class Unit(NamedTuple):
    """Exponents of base units; a number x in the unit is factor x + offset in theirs."""

    kg: int = 0
    m: int = 0
    s: int = 0
    A: int = 0
    K: int = 0
    rad: int = 0
    factor: float = 1.0
    offset: float = 0.0

    @property
    def exponents(self) -> tuple[int, ...]:
        return self[:6]


#: Units in which formulas of models reckon: coherent ones of SI (factor 1, offset 0), "%" and "degC".
UNITS: dict[str, Unit] = {
    "1": Unit(),
    "%": Unit(factor=0.01),
    "s": Unit(s=1),
    "1/s": Unit(s=-1),
    "Hz": Unit(s=-1),
    "m": Unit(m=1),
    "m.s": Unit(m=1, s=1),
    "m/s": Unit(m=1, s=-1),
    "m/s2": Unit(m=1, s=-2),
    "m/rad": Unit(m=1, rad=-1),
    "rad": Unit(rad=1),
    "rad.s": Unit(s=1, rad=1),
    "rad/s": Unit(s=-1, rad=1),
    "rad/s2": Unit(s=-2, rad=1),
    "kg": Unit(kg=1),
    "kg.m": Unit(kg=1, m=1),
    "kg.m2": Unit(kg=1, m=2),
    "N": Unit(kg=1, m=1, s=-2),
    "N.s": Unit(kg=1, m=1, s=-1),
    "N.m": Unit(kg=1, m=2, s=-2),
    "N.m.s": Unit(kg=1, m=2, s=-1),
    "J": Unit(kg=1, m=2, s=-2),
    "W": Unit(kg=1, m=2, s=-3),
    "N/m": Unit(kg=1, s=-2),
    "N.s/m": Unit(kg=1, s=-1),
    "N.s2/m2": Unit(kg=1, m=-1),
    "N.m/rad": Unit(kg=1, m=2, s=-2, rad=-1),
    "N.m.s/rad": Unit(kg=1, m=2, s=-1, rad=-1),
    "N.m/s": Unit(kg=1, m=2, s=-3),
    "Pa": Unit(kg=1, m=-1, s=-2),
    "kg/m3": Unit(kg=1, m=-3),
    "kg/s": Unit(kg=1, s=-1),
    "m2": Unit(m=2),
    "m3": Unit(m=3),
    "m3/s": Unit(m=3, s=-1),
    "m3/s2": Unit(m=3, s=-2),
    "m2/s2": Unit(m=2, s=-2),
    "N.m/rad/s": Unit(kg=1, m=2, s=-3, rad=-1),
    "A": Unit(A=1),
    "A/s": Unit(s=-1, A=1),
    "C": Unit(s=1, A=1),
    "V": Unit(kg=1, m=2, s=-3, A=-1),
    "V/s": Unit(kg=1, m=2, s=-4, A=-1),
    "V.s": Unit(kg=1, m=2, s=-2, A=-1),
    "V.s/rad": Unit(kg=1, m=2, s=-2, A=-1, rad=-1),
    "Wb": Unit(kg=1, m=2, s=-2, A=-1),
    "T": Unit(kg=1, s=-2, A=-1),
    "Ohm": Unit(kg=1, m=2, s=-3, A=-2),
    "H": Unit(kg=1, m=2, s=-2, A=-2),
    "F": Unit(kg=-1, m=-2, s=4, A=2),
    "N/A": Unit(kg=1, m=1, s=-2, A=-1),
    "N.m/A": Unit(kg=1, m=2, s=-2, A=-1),
    "K": Unit(K=1),
    "degC": Unit(K=1, offset=273.15),
    "K/s": Unit(s=-1, K=1),
    "1/K": Unit(K=-1),
    "J/K": Unit(kg=1, m=2, s=-2, K=-1),
    "W/K": Unit(kg=1, m=2, s=-3, K=-1),
}

_TURN = 2.0 * math.pi
_DEGREE = math.pi / 180.0

#: Multiples of coherent units, for signals and for numbers given as texts. Formulas reckon in the coherent unit.
SCALED: dict[str, Unit] = {
    "deg": Unit(rad=1, factor=_DEGREE),
    "deg/s": Unit(s=-1, rad=1, factor=_DEGREE),
    "deg/s2": Unit(s=-2, rad=1, factor=_DEGREE),
    "rev": Unit(rad=1, factor=_TURN),
    "rev/s": Unit(s=-1, rad=1, factor=_TURN),
    "rev/min": Unit(s=-1, rad=1, factor=_TURN / 60.0),
    "rpm": Unit(s=-1, rad=1, factor=_TURN / 60.0),
    "mm": Unit(m=1, factor=1e-3),
    "cm": Unit(m=1, factor=1e-2),
    "km": Unit(m=1, factor=1e3),
    "mm/s": Unit(m=1, s=-1, factor=1e-3),
    "km/h": Unit(m=1, s=-1, factor=1.0 / 3.6),
    "mm/rev": Unit(m=1, rad=-1, factor=1e-3 / _TURN),
    "g": Unit(kg=1, factor=1e-3),
    "t": Unit(kg=1, factor=1e3),
    "ms": Unit(s=1, factor=1e-3),
    "min": Unit(s=1, factor=60.0),
    "h": Unit(s=1, factor=3600.0),
    "mN": Unit(kg=1, m=1, s=-2, factor=1e-3),
    "kN": Unit(kg=1, m=1, s=-2, factor=1e3),
    "N/mm": Unit(kg=1, s=-2, factor=1e3),
    "mN.m": Unit(kg=1, m=2, s=-2, factor=1e-3),
    "kN.m": Unit(kg=1, m=2, s=-2, factor=1e3),
    "N.m/deg": Unit(kg=1, m=2, s=-2, rad=-1, factor=1.0 / _DEGREE),
    "kW": Unit(kg=1, m=2, s=-3, factor=1e3),
    "kPa": Unit(kg=1, m=-1, s=-2, factor=1e3),
    "MPa": Unit(kg=1, m=-1, s=-2, factor=1e6),
    "bar": Unit(kg=1, m=-1, s=-2, factor=1e5),
    "mA": Unit(A=1, factor=1e-3),
    "mV": Unit(kg=1, m=2, s=-3, A=-1, factor=1e-3),
    "kV": Unit(kg=1, m=2, s=-3, A=-1, factor=1e3),
    "mOhm": Unit(kg=1, m=2, s=-3, A=-2, factor=1e-3),
    "kOhm": Unit(kg=1, m=2, s=-3, A=-2, factor=1e3),
    "mH": Unit(kg=1, m=2, s=-2, A=-2, factor=1e-3),
    "uF": Unit(kg=-1, m=-2, s=4, A=2, factor=1e-6),
    "kHz": Unit(s=-1, factor=1e3),
}

#: All units of signals, and of numbers given as texts.
EVERY: dict[str, Unit] = {**UNITS, **SCALED}

#: unit -> (display unit, factor from the SI value to the displayed one)
DISPLAY: dict[str, tuple[str, float]] = {
    "rad": ("deg", 180.0 / math.pi),
    "rad/s": ("rev/min", 60.0 / _TURN),
}

#: A number, then a unit; without a blank between them the unit begins with a letter or "%".
QUANTITY = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?:\s+|(?=[A-Za-z%]))(\S.*?)\s*")


@functools.cache
def rate_unit(unit: str | None) -> str | None:
    """The unit of a time derivative, or None where there is none in the table."""
    if unit is None:
        return None
    own = EVERY[unit]
    wanted = Unit(own.kg, own.m, own.s - 1, own.A, own.K, own.rad, own.factor)
    return next((name for name, found in EVERY.items() if found == wanted), None)


def known_unit(unit: str | None, thing: str) -> str | None:
    """The unit of a signal, or ModelError when it isn't in the table."""
    if unit is not None and not (isinstance(unit, str) and unit in EVERY):
        raise ModelError(f"{thing}: unknown unit {shown(unit)}{meant(unit, EVERY)}; use one of {', '.join(EVERY)}")
    return unit


def scale(unit: str | None) -> float:
    """How large a unit of SCALED is, in SI units; 1 for all others (also "%" and "degC"), in which formulas reckon."""
    return SCALED[unit].factor if unit in SCALED else 1.0


def to_si(value: Expression, unit: str | None) -> Expression:
    """A number in a signal's unit as formulas of the model see it."""
    return value * scale(unit)


def from_si(value: Expression, unit: str | None) -> Expression:
    """The inverse of `to_si`: what a formula gives, as a number in the signal's unit."""
    return value / scale(unit)


def in_unit(value: Any, unit: str | None, thing: str) -> Any:
    """A text of a number and a unit as the number in another unit; what is no text is returned as it is.

    unit: one of the table, or None where there is none. Raises ModelError for a text that is no number with a unit of
    that kind, LookupError for a unit that the table lacks.
    """
    if unit is not None and unit not in EVERY:
        raise LookupError(f"{thing}: unit {shown(unit)} is not known: add a line for it in mbs_fmu/model/units.py")
    if not isinstance(value, str) or unit is None:
        return value
    wanted, found = EVERY[unit], QUANTITY.fullmatch(value)
    given = EVERY.get(found[2]) if found else None
    if found is None or given is None or given.exponents != wanted.exponents:
        fitting = [repr(name) for name, other in EVERY.items() if other.exponents == wanted.exponents]
        raise ModelError(
            f"{thing} is told as {shown(value)}: give a number in {unit}, or a text of a number and one of the units "
            f"{', '.join(fitting)}"
        )
    if (given.factor, given.offset) == (wanted.factor, wanted.offset):
        return float(found[1])
    return (float(found[1]) * given.factor + given.offset - wanted.offset) / wanted.factor
