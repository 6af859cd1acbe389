"""Reader of property files (.tir, .rdf): sections of lines KEY = value and tables, in units that the file states."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path

from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.suggestions import did_you_mean

#: SI values of the units of each quantity, by the names that section [UNITS] uses.
UNITS: dict[str, dict[str, float]] = {
    "LENGTH": {
        "meter": 1.0, "m": 1.0, "mm": 1e-3, "millimeter": 1e-3, "cm": 1e-2, "centimeter": 1e-2, "km": 1e3,
        "um": 1e-6, "inch": 0.0254, "foot": 0.3048, "mile": 1609.344,
    },
    "FORCE": {
        "newton": 1.0, "n": 1.0, "kn": 1e3, "knewton": 1e3, "kilonewton": 1e3, "lbf": 4.4482216152605,
        "pound_force": 4.4482216152605, "kgf": 9.80665, "kg_force": 9.80665, "kilogram_force": 9.80665,
    },
    "ANGLE": {
        "radians": 1.0, "radian": 1.0, "rad": 1.0, "degrees": math.pi / 180, "degree": math.pi / 180,
        "deg": math.pi / 180,
    },
    "MASS": {
        "kg": 1.0, "kilogram": 1.0, "gram": 1e-3, "g": 1e-3, "tonne": 1e3, "pound_mass": 0.45359237,
        "slug": 14.593902937,
    },
    "TIME": {"second": 1.0, "sec": 1.0, "s": 1.0, "millisecond": 1e-3, "ms": 1e-3, "minute": 60.0, "hour": 3600.0},
    "PRESSURE": {"pascal": 1.0, "pa": 1.0, "kpa": 1e3, "bar": 1e5, "psi": 6894.757293168},
}  # fmt: skip
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eEdD][-+]?\d+)?$")
COMMENTS = "COMMENTS"  #: sub-block of texts without meaning, up to the next section
COUNTS = {2: "two", 3: "three"}  #: words for numbers of columns, in messages


@dataclass(frozen=True, eq=False)
class PropertyFile:
    """Contents of a property file.

    path: for messages. numbers: values by key, in SI units. texts: values in quotes by key. lines: line number of each
    key. units: SI value of the unit of each quantity of the format. tables: rows of numbers by the name of their
    section or sub-block, as the file has them. notes: what the file states twice, or not as it should.
    """

    path: str
    numbers: dict[str, float]
    texts: dict[str, str]
    lines: dict[str, int]
    units: dict[str, float]
    tables: dict[str, list[tuple[float, ...]]]
    notes: list[str]

    def at(self, key: str) -> str:
        """Return file and line of a key, for messages; the file alone if it has no such key."""
        return f"{self.path}, line {self.lines[key]}" if key in self.lines else self.path


@dataclass(frozen=True)
class PropertyFormat:
    """A kind of property file.

    thing: what a file describes ("tyre"), for messages. dimensions: exponents of the units of each key's value; the
    values of all other keys are dimensionless. tables: names of the columns of each section or sub-block that contains
    a table; a table without columns is skipped. sections: those that are read, by default all.
    """

    thing: str
    dimensions: Mapping[str, Mapping[str, int]]
    tables: Mapping[str, tuple[str, ...]]
    sections: tuple[str, ...] = ()


def read_property_file(path: str | Path, kind: PropertyFormat) -> PropertyFile:
    """Return the contents of a property file, in SI units.

    Raises ModelError for a file that cannot be read, a file of another kind and an unknown unit, and, with the line
    number, for a line that cannot be parsed and a key that occurs twice with different values.
    """
    try:
        text = Path(path).read_text(encoding="latin-1")
    except (OSError, TypeError) as error:
        raise ModelError(f"{kind.thing} file {display(path)} can't be read: {error}") from None
    reading = _Reading(str(path), kind)
    text = text.removeprefix("\xef\xbb\xbf")  # the byte order mark of UTF-8
    for number, raw in enumerate(text.splitlines(), start=1):
        reading.line(re.split(r"[$!]", raw, maxsplit=1)[0].strip(), number)
    if not reading.lines and not reading.units:
        raise ModelError(f"{path} is not a {kind.thing} property file: it has no line KEY = value")
    return reading.finished()


class _Reading:
    """Parser of a file, line by line."""

    def __init__(self, path: str, kind: PropertyFormat):
        self.path = path
        self.kind = kind
        self.section = ""
        self.table = ""  #: the innermost section or sub-block, in which rows of a table belong
        self.numbers: dict[str, float] = {}
        self.texts: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.units: dict[str, tuple[str, int]] = {}  #: name and line; not in `numbers`, which has a key MASS too
        self.tables: dict[str, list[tuple[float, ...]]] = {}
        self.notes: list[str] = []

    def line(self, line: str, number: int) -> None:
        """Parse a line without its comment. Raises ModelError for a line that cannot be parsed."""
        where = f"{self.path}, line {number}"
        if not line or line.startswith("{"):
            return
        if line.startswith("["):
            self.section = self.table = _name(line, "]", "section", where)
            if self.tables.pop(self.section, None):
                self.notes.append(f"line {number}: [{self.section}] occurs twice: the last one applies")
        elif self.table == COMMENTS or (self.kind.sections and self.section not in self.kind.sections):
            return
        elif line.startswith("("):
            self.table = _name(line, ")", "sub-block", where)
        elif "=" in line:
            key, _, value = line.partition("=")
            self._value(key.strip(), value.strip(), number, where)
        elif self.table in self.kind.tables:
            self._row(line, where)
        else:
            raise ModelError(f"{where}: {line!r} is neither [SECTION] nor KEY = value; comments begin with $ or !")

    def _value(self, key: str, value: str, number: int, where: str) -> None:
        key = key.upper()
        if not value:  # fitting programs write keys without a value
            return
        read: float | str
        if value[0] in "'\"":
            read = value[1:].split(value[0])[0].strip()
        elif (number_read := _number(value.split()[0])) is not None:
            read = number_read
        elif self.section in ("UNITS", "MODEL", "MDI_HEADER"):  # some files omit the quotes in these sections
            read = value.split()[0]
        elif value.lower() in UNITS.get(key, ()):  # fitting programs write MASS = kg in [INERTIA]
            self.notes.append(f"line {number}: {key} is the unit {value!r} instead of a number: it counts as missing")
            return
        else:
            raise ModelError(f"{where}: {key} is {value!r}: give a number, such as 1.5 or 5.6e+05, or a text in quotes")
        if self.section == "UNITS":
            self.units[key] = (str(read), number)
            return
        before = self.texts.get(key, self.numbers.get(key, read))
        if before != read:
            raise ModelError(f"{where}: {key} is {read} here and {before} in line {self.lines[key]}: keep one")
        self.lines[key] = number
        if isinstance(read, str):
            self.texts[key] = read
        else:
            self.numbers[key] = read

    def _row(self, line: str, where: str) -> None:
        columns = self.kind.tables[self.table]
        if not columns:
            return
        row = [read for read in map(_number, line.split()) if read is not None]
        if not len(row) == len(line.split()) == len(columns):
            names = f"{', '.join(columns[:-1])} and {columns[-1]}"
            raise ModelError(f"{where}: {line!r} in [{self.table}]: give {COUNTS[len(columns)]} numbers, {names}")
        self.tables.setdefault(self.table, []).append(tuple(row))

    def finished(self) -> PropertyFile:
        """Return the contents in SI units. Raises ModelError for unknown units."""
        needed = {quantity for units in self.kind.dimensions.values() for quantity in units}
        si = {quantity: self._unit(quantity) for quantity in UNITS if quantity in needed}
        numbers = {}
        for key, value in self.numbers.items():
            factor = math.prod(si[quantity] ** power for quantity, power in self.kind.dimensions.get(key, {}).items())
            numbers[key] = value * factor
        return PropertyFile(self.path, numbers, self.texts, self.lines, si, self.tables, self.notes)

    def _unit(self, quantity: str) -> float:
        if quantity not in self.units:
            return 1.0
        known, (word, number) = UNITS[quantity], self.units[quantity]
        if word.lower() not in known:
            where = f"{self.path}, line {number}"
            similar = did_you_mean(word.lower(), known)
            raise ModelError(f"{where}: {quantity} = {word!r} is an unknown unit{similar}: use {', '.join(known)}")
        return known[word.lower()]


def _name(line: str, end: str, thing: str, where: str) -> str:
    """Return the name in brackets at the start of a line. Raises ModelError if the closing bracket is missing."""
    if end not in line:
        raise ModelError(f"{where}: {thing} {line!r} does not end: write {line[0]}NAME{end}")
    return line[1 : line.index(end)].strip().upper()


def _number(word: str) -> float | None:
    """Return a finite number in the notation of Fortran or C, or None."""
    value = float(word.lower().replace("d", "e")) if NUMBER.match(word) else math.inf
    return value if math.isfinite(value) else None
