"""Generated modules of kernels as data: constants and functions, which are printed once.

Writers of modules compose a `KernelModule` from its contents, or it is read from a text. Further modules are derived
from these data; nothing searches in the text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import field, replace
from typing import Any, NamedTuple

from ..infrastructure.cached_properties import cached_property
from ..infrastructure.lazy_dataclasses import dataclass

ENTRY_PREFIX = "enter_"  #: prefix of a kernel's name as a Python function
SEPARATOR = "\n\n\n"  #: between functions
PER_ROW = 24  #: numbers in a row of a printed table


@dataclass(frozen=True)
class ModuleFunction:
    """A function of a generated module.

    `text` is its definition with decorators and comments. `entry` is the text of the function through which Python
    calls it, "" if only kernels call it. A function that is no kernel is plain Python, such as a decorator. `branches`
    is true if it has branches that only save time (branches.py).
    """

    name: str
    text: str
    entry: str = ""
    is_kernel: bool = True
    branches: bool = False

    @property
    def printed(self) -> str:
        """The text with that of the entry."""
        return f"{self.text}{SEPARATOR}{self.entry}" if self.entry else self.text


@dataclass(frozen=True)
class Contents:
    """Contents of a module, in the order of its text.

    head: docstring, imports, and what else is neither constant nor function.
    numbers: constants, by name.
    tables: arrays of integers, by name.
    zeros: lengths of tuples of zeros.
    functions: by name.
    unfinished: names of the functions that call, directly or indirectly, functions that only a later part of the module
    contains.
    """

    head: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)
    tables: Mapping[str, list[int]] = field(default_factory=dict)
    zeros: tuple[int, ...] = ()
    functions: Mapping[str, ModuleFunction] = field(default_factory=dict)
    unfinished: Set[str] = frozenset()


class Place(NamedTuple):
    """Place of a function in the text of a module: its first character, and the one behind its last.

    `entry_start` and `entry_stop` are the same number for a function without entry.
    """

    name: str
    start: int
    stop: int
    entry_start: int
    entry_stop: int
    is_kernel: bool
    branches: bool


class Outline(NamedTuple):
    """Contents of a module without the functions' text, of which it has the places. JSON keeps it as lists."""

    head: str
    numbers: Mapping[str, float]
    tables: Mapping[str, list[int]]
    zeros: tuple[int, ...]
    places: list[Place]
    unfinished: list[str]


class KernelModule(ABC):
    """A generated module of kernels. Modules with equal texts are equal."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The printed module."""

    @property
    @abstractmethod
    def contents(self) -> Contents:
        """Constants and functions."""

    @property
    @abstractmethod
    def outline(self) -> Outline:
        """The outline. `printed_module` makes the module from its text and this outline."""

    @property
    @abstractmethod
    def names(self) -> Set[str]:
        """Names of all functions."""

    @property
    @abstractmethod
    def unfinished(self) -> Set[str]:
        """Names of the functions that need the later part of the module."""

    def defines(self, name: str) -> bool:
        """True if the module contains a function."""
        return name in self.names

    @cached_property
    def lines(self) -> Mapping[str, int]:
        """Number of the first line of each function, by name."""
        lines, line, before = {}, 1, 0
        for place in self.outline.places:
            line += self.text.count("\n", before, place.start)
            lines[place.name], before = line, place.start
        return lines

    # -- derived modules ------------------------------------------------------------------------------
    def with_functions(
        self,
        functions: Iterable[ModuleFunction],
        numbers: Mapping[str, float] | None = None,
        tables: Mapping[str, list[int]] | None = None,
    ) -> KernelModule:
        """Return the module with more functions, numbers and tables, which replace those of the same names."""
        c, more = self.contents, {function.name: function for function in functions}
        return composed(
            replace(
                c,
                numbers={**c.numbers, **(numbers or {})},
                tables={**c.tables, **(tables or {})},
                functions={**c.functions, **more},
            )
        )

    def with_part(self, part: KernelModule) -> KernelModule:
        """Return the module with its later part, so that no function is unfinished."""
        c, more = self.contents, part.contents
        return composed(
            Contents(
                head="\n\n".join(head for head in (c.head, more.head) if head),
                numbers={**c.numbers, **more.numbers},
                tables={**c.tables, **more.tables},
                zeros=tuple(sorted({*c.zeros, *more.zeros})),
                functions={**c.functions, **more.functions},
            )
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KernelModule) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"KernelModule({self.text!r})"


# -- modules from their contents -----------------------------------------------------------------------------------


def composed(contents: Contents) -> KernelModule:
    """Return the module with these contents."""
    return _Composed(contents)


class _Composed(KernelModule):
    def __init__(self, contents: Contents):
        self._contents = contents

    @property
    def contents(self) -> Contents:
        return self._contents

    @property
    def names(self) -> Set[str]:
        return self.contents.functions.keys()

    @property
    def unfinished(self) -> Set[str]:
        return self.contents.unfinished

    @cached_property
    def text(self) -> str:
        functions = (function.printed for function in self.contents.functions.values())
        return SEPARATOR.join([self._before, *functions]) + "\n"

    @cached_property
    def _before(self) -> str:
        """The text before the first function."""
        c = self.contents
        constants = [f"{name} = {_literal(value)}" for name, value in c.numbers.items()]
        constants += [line for name, table in c.tables.items() for line in _table_lines(name, table)]
        constants += [f"{zeros_name(k)} = (0.0,) * {k}" for k in c.zeros]
        return "\n\n".join(part for part in (c.head, "\n".join(constants)) if part)

    @cached_property
    def outline(self) -> Outline:
        c = self.contents
        places, start = [], len(self._before) + len(SEPARATOR)
        for f in c.functions.values():
            stop = start + len(f.text)
            end = start + len(f.printed)
            places.append(Place(f.name, start, stop, end - len(f.entry), end, f.is_kernel, f.branches))
            start = end + len(SEPARATOR)
        return Outline(c.head, c.numbers, c.tables, c.zeros, places, sorted(c.unfinished))


def zeros_name(width: int) -> str:
    """Return the name of a tuple of zeros."""
    return f"ZEROS_{width}"


def _literal(value: float) -> str:
    """Return a number as text; integers are typed, because numba specialises on plain ones."""
    return repr(value) if isinstance(value, float) else f"np.int64({value})"


def _table_lines(name: str, table: list[int]) -> list[str]:
    """Return the text of a table. It has at least one entry, because an empty array has no type."""
    entries = table or [0]
    rows = [", ".join(map(str, entries[i : i + PER_ROW])) for i in range(0, len(entries), PER_ROW)]
    if len(rows) == 1:
        return [f"{name} = np.array([{rows[0]}], dtype=np.int64)"]
    return [f"{name} = np.array(", "    [", *(f"        {row}," for row in rows), "    ],", "    dtype=np.int64,", ")"]


# -- modules from their text ---------------------------------------------------------------------------------------


def printed_module(text: str, outline: Outline | Callable[[], Outline]) -> KernelModule:
    """Return the module with a text and its outline; a function in its place returns the outline at its first use."""
    return _Printed(text, outline)


class _Printed(KernelModule):
    def __init__(self, text: str, outline: Outline | Callable[[], Outline]):
        self._text, self._given = text, outline

    @property
    def text(self) -> str:
        return self._text

    @cached_property
    def outline(self) -> Outline:
        return self._given if isinstance(self._given, Outline) else self._given()

    @cached_property
    def names(self) -> Set[str]:
        return {place.name for place in self.outline.places}

    @cached_property
    def unfinished(self) -> Set[str]:
        return frozenset(self.outline.unfinished)

    @cached_property
    def contents(self) -> Contents:
        head, numbers, tables, zeros, places, unfinished = self.outline
        functions = {
            name: ModuleFunction(name, self.text[start:stop], self.text[entry_start:entry_stop], is_kernel, branches)
            for name, start, stop, entry_start, entry_stop, is_kernel, branches in places
        }
        return Contents(head, numbers, tables, tuple(zeros), functions, frozenset(unfinished))


def outline_of_data(data: list[Any]) -> Outline:
    """Return the outline that JSON has stored as lists. Raises TypeError and ValueError for other data."""
    head, numbers, tables, zeros, places, unfinished = data
    return Outline(head, numbers, tables, tuple(zeros), [Place(*place) for place in places], unfinished)
