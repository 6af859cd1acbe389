"""How the names in kernels are declared, and get their values when a module is written.

Kernels are ordinary functions whose upper-case names stand for places in the record, sizes and tables. `names.py` and
`loop_names.py` declare them: for the tools that check kernels as integers and tables, for the writer of a module as
what gives the value. A constant that no model changes has its value at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Protocol, TypeVar, cast

from ..lazy_dataclasses import dataclass
from ..record.layout import Layout

Function = TypeVar("Function", bound=Callable[..., Any])


class Record(Protocol):
    """A flat array of numbers: a record R, its tangents D, E and F, inputs U or results Y."""

    def __getitem__(self, index: int) -> float: ...

    def __setitem__(self, index: int, value: float) -> None: ...


class Table(Protocol):
    """A constant array of integers."""

    def __getitem__(self, index: int) -> int: ...


@dataclass(frozen=True)
class Declared:
    """A name whose value depends on the model: made from its layout, or given (`make` is None)."""

    make: Callable[[Layout], int] | None = None


class DeclaredTable:
    """The name of a table, whose entries are given."""


# Until a module is written a declared name has no value. For type checkers it is what it will be; who computes with it
# before gets a TypeError.


def made(make: Callable[[Layout], int]) -> int:
    """Declares an integer that follows from the layout."""
    return cast(int, Declared(make))


def start(region: str, offset: int = 0) -> int:
    """Declares the address of a number of a region, by default of its first."""
    return made(lambda layout: layout[region].start + offset)


def start_or_end(region: str) -> int:
    """Declares the address of the first number of a region, or of the record's end where there is no such region."""
    return made(lambda layout: layout.get(region, layout["end"]).start)


def size(region: str) -> int:
    """Declares how many numbers a region has."""
    return made(lambda layout: layout[region].size)


def given() -> int:
    """Declares an integer that the writer of the module knows."""
    return cast(int, Declared())


def given_number() -> float:
    """Declares a number that the writer of the module knows."""
    return cast(float, Declared())


def table() -> Table:
    """Declares a constant array of integers that the writer of the module knows."""
    return cast(Table, DeclaredTable())


def constant(x: float) -> float:
    """Marks a number that nothing changes in a run: its tangent is zero (see dual.py). No text of a module has it."""
    return x


def declared(module: ModuleType) -> dict[str, object]:
    """The names that a module declares: its upper-case ones."""
    return {name: value for name, value in vars(module).items() if name.isupper()}


def values_of(
    module: ModuleType, layout: Layout, numbers: Mapping[str, float], tables: Mapping[str, list[int]]
) -> tuple[dict[str, float], dict[str, list[int]]]:
    """The values of all names that a module declares, and its tables.

    `numbers` and `tables` are those that don't follow from the layout. Raises LookupError where a name is without a
    value, or a value without a name.
    """
    values: dict[str, float] = {}
    arrays: dict[str, list[int]] = {}
    missing = set[str]()
    for name, value in declared(module).items():
        match value:
            case DeclaredTable() if name in tables:
                arrays[name] = tables[name]
            case Declared(make=None) if name in numbers:
                values[name] = numbers[name]
            case Declared(make=make) if make is not None:
                values[name] = make(layout)
            case int() | float():
                values[name] = value
            case _:
                missing.add(name)
    if missing:
        raise LookupError(f"{module.__name__} declares names that get no value: {', '.join(sorted(missing))}")
    nameless = (numbers.keys() - values.keys()) | (tables.keys() - arrays.keys())
    if nameless:
        raise LookupError(f"{module.__name__} does not declare: {', '.join(sorted(nameless))}")
    return values, arrays


def inlined(function: Function) -> Function:
    """Marks a kernel that is written out where it is called: one with little to do for each link."""
    return function


def apart(turns: range) -> range:
    """Marks a loop in which no turn touches what another one writes, so that several may be done at once."""
    return turns
