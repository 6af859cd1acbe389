"""Units of models and FMUs as products of base units, and texts of a number with a unit ("30 deg")."""

from __future__ import annotations

import functools
import math
import re
from fractions import Fraction
from typing import Any, NamedTuple

from ..infrastructure.errors import ModelError
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.suggestions import did_you_mean
from .expressions import Expression

BASES = ("kg", "m", "s", "A", "K", "rad")  #: base units


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


#: SI units with names of their own, in which expressions of models compute.
NAMED: dict[str, Unit] = {
    "s": Unit(s=1), "m": Unit(m=1), "kg": Unit(kg=1), "A": Unit(A=1), "K": Unit(K=1), "rad": Unit(rad=1),
    "Hz": Unit(s=-1), "N": Unit(kg=1, m=1, s=-2), "J": Unit(kg=1, m=2, s=-2), "W": Unit(kg=1, m=2, s=-3),
    "Pa": Unit(kg=1, m=-1, s=-2), "C": Unit(s=1, A=1), "V": Unit(kg=1, m=2, s=-3, A=-1),
    "Wb": Unit(kg=1, m=2, s=-2, A=-1), "T": Unit(kg=1, s=-2, A=-1), "Ohm": Unit(kg=1, m=2, s=-3, A=-2),
    "H": Unit(kg=1, m=2, s=-2, A=-2), "F": Unit(kg=-1, m=-2, s=4, A=2),
}  # fmt: skip
#: Units that appear in no product; expressions compute in them too.
ALONE: dict[str, Unit] = {"1": Unit(), "%": Unit(factor=0.01), "degC": Unit(K=1, offset=273.15)}
#: Multiples of SI units: the SI unit, a fraction and a power of pi.
MULTIPLES: dict[str, tuple[Unit, Fraction, int]] = {
    "g": (NAMED["kg"], Fraction(1, 1000), 0),
    "t": (NAMED["kg"], Fraction(1000), 0),
    "l": (Unit(m=3), Fraction(1, 1000), 0),
    "min": (NAMED["s"], Fraction(60), 0),
    "h": (NAMED["s"], Fraction(3600), 0),
    "bar": (NAMED["Pa"], Fraction(100_000), 0),
    "deg": (NAMED["rad"], Fraction(1, 180), 1),
    "rev": (NAMED["rad"], Fraction(2), 1),
    "rpm": (Unit(s=-1, rad=1), Fraction(1, 30), 1),
}
PREFIXES = {"G": 9, "M": 6, "k": 3, "h": 2, "d": -1, "c": -2, "m": -3, "u": -6, "n": -9, "p": -12}  #: powers of ten
PREFIXED = {*NAMED, "g", "l", "bar"} - {"kg"}  #: units that may have a prefix
FACTOR = re.compile(r"([A-Za-z]+)([2-9]?)")  #: factor of a product: a unit and its power


@functools.cache
def unit_of(name: str) -> Unit | None:
    """Return the unit with this name; None if the name cannot be read.

    A name is a product of units with prefixes and powers, followed by divisors, each after a slash of its own: "kN/mm",
    "N.m.s/rad", "l/min", "1/s", "J/kg/K".
    """
    if name in ALONE:
        return ALONE[name]
    first, *divisors = name.split("/")
    parts = [] if first == "1" else [(part, 1) for part in first.split(".")]
    exponents, size, turns = [0] * len(BASES), Fraction(1), 0
    for part, sign in [*parts, *((divisor, -1) for divisor in divisors)]:
        match = FACTOR.fullmatch(part)
        symbol = _symbol(match[1]) if match else None
        if match is None or symbol is None:
            return None
        power = sign * int(match[2] or 1)
        exponents = [x + power * y for x, y in zip(exponents, symbol[0].exponents, strict=True)]
        size, turns = size * symbol[1] ** power, turns + power * symbol[2]
    factor = size.numerator * math.pi**turns / size.denominator if turns else float(size)
    return Unit(*exponents)._replace(factor=factor)


def _symbol(name: str) -> tuple[Unit, Fraction, int] | None:
    """Return the SI unit, fraction and power of pi of one unit, which may have a prefix; None if it is unknown."""
    if name in MULTIPLES:
        return MULTIPLES[name]
    if name in NAMED:
        return NAMED[name], Fraction(1), 0
    if name[:1] not in PREFIXES or name[1:] not in PREFIXED:
        return None
    unit, size, turns = MULTIPLES.get(name[1:]) or (NAMED[name[1:]], Fraction(1), 0)
    return unit, size * Fraction(10) ** PREFIXES[name[0]], turns


def _read(names: str) -> dict[str, Unit]:
    units = {name: unit_of(name) for name in names.split()}
    return {name: unit for name, unit in units.items() if unit is not None}


#: Units in which expressions of models compute: coherent SI units (factor 1, offset 0), "%" and "degC". Other products
#: of SI units are accepted too.
UNITS = _read(
    "1 % s 1/s Hz m m.s m/s m/s2 m/rad rad rad.s rad/s rad/s2 kg kg.m kg.m2 N N.s N.m N.m.s J W N/m N.s/m N.s2/m2 "
    "N.m/rad N.m.s/rad N.m/s Pa kg/m3 kg/s m2 m3 m3/s m3/s2 m2/s2 N.m/rad/s A A/s C V V/s V.s V.s/rad Wb T Ohm H F "
    "N/A N.m/A K degC K/s 1/K J/K W/K"
)
#: Multiples of coherent units, for signals and for texts with a unit; other products of these units are accepted too.
#: Expressions compute in the coherent unit.
SCALED = _read(
    "deg deg/s deg/s2 rev rev/s rev/min rpm mm cm km mm/s km/h mm/rev g t ms min h mN kN N/mm kN/m kN/mm mN.m N.mm "
    "kN.m N.m/deg kW MW kPa MPa bar mA mV kV mOhm kOhm mH uF kHz l cm3 l/min"
)

#: Units that messages list.
EVERY: dict[str, Unit] = {**UNITS, **SCALED}

#: unit -> (display unit, factor from the SI value to the displayed one)
DISPLAY: dict[str, tuple[str, float]] = {
    "rad": ("deg", 180.0 / math.pi),
    "rad/s": ("rev/min", 60.0 / (2.0 * math.pi)),
}

#: A number and a unit; without a space between them the unit begins with a letter or "%".
QUANTITY = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?:\s+|(?=[A-Za-z%]))(\S.*?)\s*")

#: Other spellings of units, and the ones used here.
SPELLINGS = str.maketrans({
    "*": ".", "\u00b7": ".", "\u22c5": ".", "^": None, " ": None, "\u00b2": "2", "\u00b3": "3",
    "\u00b5": "u", "\u03bc": "u", "\u03a9": "Ohm", "\u2126": "Ohm", "\u00b0": "deg", "L": "l",
})  # fmt: skip


@functools.cache
def rate_unit(unit: str | None) -> str | None:
    """Return the unit of the time derivative of a signal with this unit; None if it has no name."""
    own = None if unit is None else unit_of(unit)
    if unit is None or own is None:
        return None
    wanted = Unit(own.kg, own.m, own.s - 1, own.A, own.K, own.rad, own.factor)
    known = next((name for name, other in EVERY.items() if other == wanted), None)
    return known or (None if unit in ALONE else f"{unit}/s")


def known_unit(unit: str | None, thing: str) -> str | None:
    """Return the unit of a signal; ModelError if it cannot be read."""
    if unit is not None and not isinstance(unit, str):
        raise ModelError(f"{thing}: its unit must be text such as 'N/m', not {display(unit)}")
    if unit is not None and not unit_of(unit):
        raise ModelError(
            f"{thing}: unknown unit {display(unit)}{_suggestion(unit)}; use products and quotients of units with "
            "prefixes, each divisor after a slash of its own, such as 1, %, mm, rad/s, rev/min, N.m, kg/m3, bar or "
            "V.s/rad"
        )
    return unit


def _suggestion(name: object) -> str:
    """Return the end of a message that suggests a unit with a similar name; "" if there is none."""
    if not isinstance(name, str):
        return ""
    spelt = name.translate(SPELLINGS)
    if unit_of(spelt):
        return f" (did you mean {spelt!r}?)"
    return "" if "(" in name else did_you_mean(name, EVERY)  # without parentheses it would be another unit


def scale(unit: str | None) -> float:
    """Return the size of a unit in the coherent unit; 1 for coherent units, "%" and "degC"."""
    own = None if unit is None or unit in UNITS else unit_of(unit)
    return 1.0 if own is None else own.factor


def to_si(value: Expression, unit: str | None) -> Expression:
    """Convert a number from a signal's unit to the unit in which expressions compute."""
    return value * scale(unit)


def from_si(value: Expression, unit: str | None) -> Expression:
    """Convert the value of an expression to a signal's unit; the inverse of `to_si`."""
    return value / scale(unit)


def in_unit(value: Any, unit: str | None, thing: str) -> Any:
    """Convert a text of a number and a unit to a number in `unit`; return any other value unchanged.

    unit: name of a unit, or None to accept no texts. Raises ModelError for a text that is not a number with a unit of
    the same dimension, LookupError for an unreadable `unit`.
    """
    wanted = None if unit is None else unit_of(unit)
    if unit is not None and wanted is None:
        raise LookupError(f"{thing}: unit {display(unit)} is not known: define its parts in mbs_fmu/symbolic/units.py")
    if not isinstance(value, str) or wanted is None:
        return value
    match = QUANTITY.fullmatch(value)
    source = unit_of(match[2]) if match else None
    if match is None or source is None or source.exponents != wanted.exponents:
        fitting = [repr(name) for name, other in EVERY.items() if other.exponents == wanted.exponents] or [repr(unit)]
        raise ModelError(
            f"{thing} is {display(value)}: give a number in {unit}, or a text of a number and one of the units "
            f"{', '.join(fitting)}"
        )
    if (source.factor, source.offset) == (wanted.factor, wanted.offset):
        return float(match[1])
    return (float(match[1]) * source.factor + source.offset - wanted.offset) / wanted.factor
