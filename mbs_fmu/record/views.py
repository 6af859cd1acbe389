"""A record in plain Python: its named numbers as views of one array, with which kernels run as they are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import schema
from .fields import Declaration, DeclaredTable, Dimension

NAMES = {id(v): name for name, v in vars(schema).items() if isinstance(v, Dimension)}


class View(np.ndarray):
    """Numbers of a record; slices are views too."""

    whole: np.ndarray

    def __array_finalize__(self, other: Any) -> None:
        self.whole = getattr(other, "whole", None)  # type: ignore[assignment]

    @property
    def address(self) -> int:
        """The address of the first number."""
        return (self.__array_interface__["data"][0] - self.whole.__array_interface__["data"][0]) // 8

    def matrix(self, at: int, columns: int) -> View:
        """Return the numbers from index `at` on as rows."""
        first = self.address + at
        return view(self.whole, first, len(self.whole), columns)

    @property
    def flat(self) -> View:  # type: ignore[override]
        return view(self.whole, self.address, len(self.whole))


def view(whole: np.ndarray, start: int, stop: int, columns: int = 0, stride: int = 1) -> View:
    """Return numbers of an array as a vector, or as rows of `columns` numbers."""
    if columns:
        rows = (stop - start) // columns
        part = np.ndarray((rows, columns), np.float64, whole, 8 * start)
    elif stride != 1:
        part = np.ndarray(((stop - start - 1) // stride + 1,), np.float64, whole, 8 * start, (8 * stride,))
    else:
        part = whole[start:stop].view(np.ndarray)
    part = part.view(View)
    part.whole = whole
    return part


class Symmetric:
    """The upper triangle of a symmetric 3x3 matrix."""

    def __init__(self, packed: View):
        self.packed = packed

    def __getitem__(self, index: tuple[int, int]) -> float:
        return self.packed[TRIANGLE[index]]

    def __setitem__(self, index: tuple[int, int], value: float) -> None:
        self.packed[TRIANGLE[index]] = value


TRIANGLE = {(0, 0): 0, (0, 1): 1, (0, 2): 2, (1, 1): 3, (1, 2): 4, (2, 2): 5}


class Block:
    """A block of named numbers at an address."""

    def __init__(self, whole: np.ndarray, start: int, block: type):
        object.__setattr__(self, "_of", (whole, start, block))

    def __getattr__(self, name: str) -> Any:
        whole, start, block = self._of
        d = vars(block)[name]
        first = start + d.offset
        if not d.shape:
            return whole[first]
        if d.packed:
            return Symmetric(view(whole, first, first + 6))
        return view(whole, first, first + d.count, d.shape[1] if len(d.shape) == 2 else 0)

    def __setattr__(self, name: str, value: float) -> None:
        whole, start, block = self._of
        whole[start + vars(block)[name].offset] = value

    @property
    def address(self) -> int:
        return self._of[1]

    def part(self, at: int) -> View:
        return view(self._of[0], self._of[1] + at, len(self._of[0]))

    def matrix(self, at: int, columns: int) -> View:
        return view(self._of[0], self._of[1] + at, len(self._of[0]), columns)

    def attachment(self, at: int) -> Block:
        return Block(self._of[0], self._of[1] + at, schema.AttachmentBlock)


class Blocks:
    """Blocks, one after the other."""

    def __init__(self, whole: np.ndarray, start: int, count: int, block: type):
        self.whole, self.address, self.block, self.count = whole, start, block, count

    def __getitem__(self, k: int) -> Block:
        return Block(self.whole, self.address + int(k) * self.block.size, self.block)

    @property
    def flat(self) -> View:
        return view(self.whole, self.address, self.address + self.count * self.block.size)


class PlainRecord:
    """The record as kernels see it. `regions`: start and size by name; `constants`: those of the generated module."""

    def __init__(self, numbers: np.ndarray, regions: Mapping[str, tuple[int, int]], constants: Mapping[str, Any]):
        object.__setattr__(self, "numbers", numbers)
        object.__setattr__(self, "_regions", regions)
        object.__setattr__(self, "_constants", constants)
        object.__setattr__(self, "_made", {})

    def _size(self, n: Any) -> int:
        return (
            int(self._constants[NAMES[id(n)]])
            if isinstance(n, Dimension) and NAMES.get(id(n)) in self._constants
            else -1
            if isinstance(n, Dimension)
            else n
        )

    def _place(self, d: Declaration) -> int:
        region = d.overlay[0] if d.overlay else d.region
        if region == "worst":
            return self._regions["loop_state"][0] + schema.LoopState.worst
        start = self._regions[region][0]
        if d.overlay:
            by = d.overlay[1]
            own = by.size if False else 0
            if d.name == "kept_chosen":
                own = self._constants["N_ROWS"]
            if d.name == "sag_forces":
                own = self._constants["N_SAGGING"] ** 2
            return start + int(own)
        if d.region != d.name:
            c = self._constants
            before = {
                "known_x": 4, "known_inputs": 4 + c["NX"], "known_parameters": 4 + c["NX"] + c["N_INPUTS"],
                "past": 4 + c["NX"] + c["N_INPUTS"] + c["N_PARAMETERS"],
                "event_values": schema.Watch.size, "crossings": schema.Watch.size + 3 * c["N_EVENTS"],
                "met": schema.Watch.size + 5 * c["N_EVENTS"],
            }  # fmt: skip
            return start + int(before[d.name])
        return start

    def __getattr__(self, name: str) -> Any:
        if name in self._made:
            return self._made[name]
        for head, region in ((schema.Head, "head"), (schema.LoopState, "loop_state")):
            if name in vars(head) and isinstance(vars(head)[name], Declaration):
                return self.numbers[self._regions[region][0] + vars(head)[name].offset]
        d = vars(schema.Record)[name]
        start = self._place(d)
        if d.block is not None:
            made: Any = (
                Blocks(self.numbers, start, self._regions[d.region][1] // d.block.size, d.block)
                if d.shape
                else Block(self.numbers, start, d.block)
            )
        elif len(d.shape) == 2:
            columns = self._size(d.shape[1])
            rows = self._size(d.shape[0])
            stop = start + rows * columns if rows >= 0 else sum(self._regions[d.region])
            made = view(self.numbers, start, stop, columns) if columns else view(self.numbers, start, start)
        else:
            size = self._size(d.shape[0])
            made = view(self.numbers, start, start + (size if size >= 0 else self._regions[d.region][1]))
        self._made[name] = made
        return made

    def __setattr__(self, name: str, value: float) -> None:
        for head, region in ((schema.Head, "head"), (schema.LoopState, "loop_state")):
            if name in vars(head):
                self.numbers[self._regions[region][0] + vars(head)[name].offset] = value
                return
        raise AttributeError(name)

    def __getitem__(self, address: int) -> float:
        return self.numbers[address]

    def __setitem__(self, address: int, value: float) -> None:
        self.numbers[address] = value

    @property
    def second(self) -> PlainRecord:
        return PlainRecord(self.numbers[int(self._constants["TAIL"]) :], self._regions, self._constants)

    def at(self, address: int) -> View:
        return view(self.numbers, int(address), len(self.numbers))

    def like(self, other: View) -> View:
        part = other.address
        return view(self.numbers, part, len(self.numbers))

    def elastic_block(self, at: int) -> Block:
        return Block(self.numbers, self._regions["elastic"][0] + int(at), schema.ElasticBlock)

    def attachment_block(self, at: int) -> Block:
        return Block(self.numbers, self._regions["elastic"][0] + int(at), schema.AttachmentBlock)


class PlainInputs:
    """U as kernels see it."""

    def __init__(self, numbers: np.ndarray, inputs: int):
        self.numbers, self._n = numbers, inputs
        self.tables = Blocks(numbers, 0, inputs, schema.InputTable)

    def __getitem__(self, k: int) -> float:
        return self.numbers[k]

    start = property(lambda self: self.numbers[2 * self._n])
    interval = property(lambda self: self.numbers[2 * self._n + 1])
    rows = property(lambda self: self.numbers[2 * self._n + 2])
    stop = property(lambda self: self.numbers[2 * self._n + 3])


class PlainTable:
    """A table with named columns."""

    def __init__(self, declared: DeclaredTable, arrays: Mapping[str, np.ndarray], name: str):
        self._columns = declared.columns
        self._separate = {c: arrays[own] for c, own in (declared.separate or {}).items()}
        self._array = None if declared.separate else arrays[name]

    def __getitem__(self, k: int) -> Any:
        if self._array is None:
            return _Row({c: int(a[k]) for c, a in self._separate.items()})
        n = len(self._columns)
        return _Row({c: int(self._array[n * k + j]) for j, c in enumerate(self._columns)})


class _Row:
    def __init__(self, values: dict[str, int]):
        self.__dict__.update(values)
