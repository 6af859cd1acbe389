"""Arrays of kernels as numpy views of their numbers, by the schema: on these, kernels run as they are written.

`Views` finds the place of each declaration in the arrays of a program. `ArrayView` is one of these arrays: attributes
are numbers, `Block`s, or `View`s, which are numpy arrays with stricter rules: lowered text computes an address where
numpy counts negative indices from the end, clips slices, and repeats a single number in an assignment.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from mbs_fmu.record import schema
from mbs_fmu.record.fields import Declaration, DeclaredTable, Struct, members, size_of
from mbs_fmu.record.flat_names import ARRAYS
from mbs_fmu.record.layout import RecordLayout

REST = (-1,)  #: shape of all further numbers of an array
TRIANGLE = {(0, 0): 0, (0, 1): 1, (0, 2): 2, (1, 1): 3, (1, 2): 4, (2, 2): 5}  #: indices of `fields.Symmetric`


class View(np.ndarray):
    """A vector or matrix of numbers; `whole` is the array to which they belong."""

    whole: np.ndarray

    def __array_finalize__(self, other: Any) -> None:
        self.whole = getattr(other, "whole", self)

    def __getitem__(self, index: Any) -> Any:
        self._check(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._check(index)
        if isinstance(value, np.ndarray) and value.shape != super().__getitem__(index).shape:
            raise IndexError(f"{value.shape} numbers are copied to {super().__getitem__(index).shape}")
        super().__setitem__(index, value)

    def _check(self, index: Any) -> None:
        for i, n in zip(index if isinstance(index, tuple) else (index,), self.shape, strict=False):
            for bound in (i.start or 0, i.stop or 0) if isinstance(i, slice) else (i,):
                if not 0 <= bound <= n:
                    raise IndexError(f"index {i} of {n} numbers or rows")

    @property
    def address(self) -> int:
        """The index of the first number in the whole array."""
        first, start = (int(x.__array_interface__["data"][0]) for x in (self, self.whole))
        return (first - start) // self.itemsize

    @property
    def flat(self) -> View:  # type: ignore[override]
        """All numbers, row by row."""
        return view(self.whole, self.address, (self.size,))

    def matrix(self, at: int, columns: int) -> View:
        """Return the numbers from index `at` on as rows, up to the end of the whole array."""
        return rows(self.whole, self.address + at, columns)


def view(whole: np.ndarray, first: int, shape: tuple[int, ...], distance: int = 1) -> View:
    """Return numbers of an array from an index on; the numbers of a vector are `distance` apart."""
    strides = (8 * distance,) if len(shape) == 1 else (8 * shape[1], 8)
    numbers = np.ndarray(shape, np.float64, whole, 8 * first, strides).view(View)
    numbers.whole = whole
    return numbers


def onwards(whole: np.ndarray, first: int, distance: int = 1) -> View:
    """Return all numbers from an index on."""
    return view(whole, first, (-(-(len(whole) - first) // distance),), distance)


def rows(whole: np.ndarray, first: int, columns: int) -> View:
    """Return all numbers from an index on as rows, without an incomplete one."""
    return view(whole, first, ((len(whole) - first) // columns if columns else 0, columns))


class Symmetric:
    """The upper triangle of a symmetric 3x3 matrix."""

    def __init__(self, packed: View):
        self.packed = packed

    def __getitem__(self, index: tuple[int, int]) -> Any:
        return self.packed[TRIANGLE[index]]

    def __setitem__(self, index: tuple[int, int], value: float) -> None:
        self.packed[TRIANGLE[index]] = value


class Block:
    """Named numbers of an array from an index on; `Struct` describes the attributes."""

    def __init__(self, whole: np.ndarray, address: int, block: type):
        vars(self).update(whole=whole, address=address, block=block)

    def __getattr__(self, name: str) -> Any:
        d: Declaration = vars(self.block)[name]
        first = self.address + d.offset
        if not d.shape:
            return self.whole[first]
        numbers = view(self.whole, first, tuple(n for n in d.shape if isinstance(n, int)))
        return Symmetric(numbers) if d.packed else numbers

    def __setattr__(self, name: str, value: float) -> None:
        d: Declaration = vars(self.block)[name]
        if d.shape:
            raise AttributeError(f"{self.block.__name__}.{name} is no number: assign to {name}[:]")
        self.whole[self.address + d.offset] = value

    def part(self, at: int) -> View:
        return onwards(self.whole, self.address + at)

    def matrix(self, at: int, columns: int) -> View:
        return rows(self.whole, self.address + at, columns)

    def node_block(self, at: int) -> Block:
        return Block(self.whole, self.address + at, schema.NodeBlock)


class Blocks:
    """Blocks of one kind, one after the other."""

    def __init__(self, whole: np.ndarray, address: int, count: int, block: type[Struct]):
        self.whole, self.address, self.count, self.block = whole, address, count, block

    def __getitem__(self, k: int) -> Block:
        if not 0 <= k < self.count:
            raise IndexError(f"block {k} of {self.count}")
        return Block(self.whole, self.address + int(k) * self.block.size, self.block)

    @property
    def flat(self) -> View:
        return view(self.whole, self.address, (self.count * self.block.size,))


@dataclass(frozen=True)
class Place:
    """Where the numbers of a declaration are in their array; `shape` is that of its numbers or blocks."""

    first: int
    shape: tuple[int, ...]
    block: type[Struct] | None = None

    def of(self, numbers: np.ndarray) -> Any:
        """Return the numbers there."""
        if self.shape == REST:
            return onwards(numbers, self.first)
        if self.block is None:
            return view(numbers, self.first, self.shape) if self.shape else numbers[self.first]
        if self.shape:
            return Blocks(numbers, self.first, self.shape[0], self.block)
        return Block(numbers, self.first, self.block)


class Views:
    """The places of all declarations in the arrays of one program."""

    def __init__(self, layout: RecordLayout):
        self.layout = layout
        self.places = {array: self._of_record() if array is schema.Record else self._in_turn(array) for array in ARRAYS}

    def of(self, array: type, numbers: np.ndarray) -> ArrayView:
        """Return the numbers of an array as kernels name them."""
        return ArrayView(self, array, numbers)

    def numbers(self, name: str) -> range:
        """Return the addresses of the numbers of a declaration in a record."""
        place = self.places[schema.Record][name]
        return range(place.first, place.first + prod(place.shape) * (place.block.size if place.block else 1))

    def start(self, region: str) -> int:
        """Return the first address of a region; without the region, the end of the record."""
        return self.layout.get(region, self.layout["end"]).start

    def _shape(self, d: Declaration) -> tuple[int, ...]:
        shape = tuple(size_of(n, self.layout.sizes) for n in d.shape)
        holds = all(condition is None or condition(self.layout.sizes) for condition in (d.only, d.when))
        return shape if holds else (0,) * len(shape)

    def _size(self, d: Declaration) -> int:
        return prod(self._shape(d)) * (d.block.size if d.block else 1)

    def _in_turn(self, array: type) -> dict[str, Place]:
        """Return the places in an array, one behind the other; a vector without length is the rest of the array."""
        places, first = {}, 0
        for name, d in members(array).items():
            places[name] = Place(first, REST if d.shape == (0,) else self._shape(d), d.block)
            first += self._size(d)
        return places

    def _of_record(self) -> dict[str, Place]:
        """Return the places in a record; regions that several declarations share have their numbers in turn."""
        places: dict[str, Place] = {}
        shared: defaultdict[str, int] = defaultdict(int)
        for name, d in members(schema.Record).items():
            if d.overlay:
                places[name] = Place(places[d.overlay].first, self._shape(d), d.block)
            else:
                places[name] = Place(self.start(d.region) + shared[d.region], self._shape(d), d.block)
                shared[d.region] += self._size(d)
            if d.block in schema.Record.__bases__:  # its numbers are the record's own
                own = members(d.block)
                places |= {number: Place(places[name].first + own[number].offset, ()) for number in own}
        return places


class ArrayView:
    """An array as kernels see it, a class of the schema; `at`, `second`, ... are described there."""

    def __init__(self, views: Views, array: type, numbers: np.ndarray):
        vars(self).update(views=views, array=array, numbers=numbers)

    def __getattr__(self, name: str) -> Any:
        place = self.views.places[self.array].get(name)
        if place is None:
            raise AttributeError(f"{self.array.__name__} has no {name}")
        made = place.of(self.numbers)
        if place.shape or place.block:
            vars(self)[name] = made
        return made

    def __setattr__(self, name: str, value: float) -> None:
        place = self.views.places[self.array][name]
        if place.shape or place.block:
            raise AttributeError(f"{self.array.__name__}.{name} is no number: assign to {name}[:]")
        self.numbers[place.first] = value

    def __getitem__(self, index: int) -> Any:
        return self.numbers[index]

    def __setitem__(self, index: int, value: float) -> None:
        self.numbers[index] = value

    @property
    def second(self) -> ArrayView:
        return ArrayView(self.views, self.array, self.numbers[self.views.start("tail") :])

    @property
    def tangents(self) -> ArrayView:
        return self.second  # outside of compiled code there is one lane

    def at(self, address: int) -> View:
        return onwards(self.numbers, int(address))

    def like(self, other: View) -> View:
        return view(self.numbers, other.address, other.shape)

    def elastic_block(self, at: int) -> Block:
        return Block(self.numbers, self.views.start("elastic") + int(at), schema.ElasticBlock)

    def node_block(self, at: int) -> Block:
        return Block(self.numbers, self.views.start("elastic") + int(at), schema.NodeBlock)


class Row:
    """A row of a table: an integer for each column."""

    def __init__(self, columns: Mapping[str, Any]):
        vars(self).update({name: int(value) for name, value in columns.items()})


class TableView:
    """A constant table with named columns; `constant` returns an array of a generated module by its name."""

    def __init__(self, name: str, table: DeclaredTable, constant: Callable[[str], np.ndarray]):
        if table.separate:
            self._columns = {column: constant(own) for column, own in table.separate.items()}
        else:
            width = len(table.columns)
            self._columns = {column: constant(name)[k::width] for k, column in enumerate(table.columns)}

    def __getitem__(self, k: int) -> Row:
        return Row({column: values[k] for column, values in self._columns.items()})
