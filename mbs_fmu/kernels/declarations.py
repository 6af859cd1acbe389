"""Declarations of the constants in kernels, and their values in a generated module.

Kernels are ordinary functions. Their upper-case names are constants: addresses in the record, sizes and tables. The
modules `names.py` declare them. For type checkers they are integers and tables; for the writer of a module, each
declaration states where its value comes from. A constant that is the same for all models has its value already.
Functions that kernels call from elsewhere are declared in hooks.py and linked.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Protocol, TypeVar, cast

from ..infrastructure.lazy_dataclasses import dataclass
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
    """A constant that depends on the model: `make` computes it from the layout; if None, the writer supplies it."""

    make: Callable[[Layout], int] | None = None


class DeclaredTable:
    """The name of a table, whose entries the writer supplies."""


# A declared name has no value until a module is written, and computing with it raises a TypeError. For type checkers it
# has its final type.


def from_layout(make: Callable[[Layout], int]) -> int:
    """Declare an integer that is computed from the layout."""
    return cast(int, Declared(make))


def start(region: str, offset: int = 0) -> int:
    """Declare the address of a number of a region, by default of its first one."""
    return from_layout(lambda layout: layout[region].start + offset)


def start_or_end(region: str) -> int:
    """Declare the address of the first number of a region, or of the record's end if there is no such region."""
    return from_layout(lambda layout: layout.get(region, layout["end"]).start)


def size(region: str) -> int:
    """Declare the size of a region."""
    return from_layout(lambda layout: layout[region].size)


def supplied() -> int:
    """Declare an integer that the writer of the module supplies."""
    return cast(int, Declared())


def supplied_number() -> float:
    """Declare a number that the writer of the module supplies."""
    return cast(float, Declared())


def table() -> Table:
    """Declare a constant array of integers that the writer of the module supplies."""
    return cast(Table, DeclaredTable())


def constant(x: float) -> float:
    """Mark a number that is constant during a run, so that its tangent is zero (dual.py).

    The texts of modules do not contain the mark.
    """
    return x


def declared(module: ModuleType) -> dict[str, object]:
    """Return the names that a module declares: its upper-case ones."""
    return {name: value for name, value in vars(module).items() if name.isupper()}


def values_of(
    module: ModuleType, layout: Layout, numbers: Mapping[str, float], tables: Mapping[str, list[int]]
) -> tuple[dict[str, float], dict[str, list[int]]]:
    """Return the values of all constants that a module declares, and its tables.

    `numbers` and `tables` contain the values that do not follow from the layout. Raises LookupError for a name without
    a value, or a value without a name.
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
    """Mark a kernel to be inlined in its callers, because it does little for each link."""
    return function


def apart(turns: range) -> range:
    """Mark a loop whose iterations are independent, so that several may run at once."""
    return turns
