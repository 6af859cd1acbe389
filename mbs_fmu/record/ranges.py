"""Ranges of numbers of a record that kernels use as indices, counts and choices, computed from the schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .fields import Declaration, Unchanged, Whole, members
from .program import Program
from .schema import Record

Range = tuple[int, float, float]  #: address, least and greatest value


def whole_numbers(program: Program) -> list[Range]:
    """Return the ranges of whole numbers, except those whose bounds depend on each other: ranks and pivots of loops."""
    return list(_ranges(program, lambda whole: not whole.is_bound_by_others))


def limits(program: Program) -> dict[int, tuple[int, int]]:
    """Return the least and the greatest value of all whole numbers by their addresses.

    Numbers that never change have the values of the program's record: integers in the data of elastic bodies, and
    whether events are detected at the beginning of steps only.
    """
    found = {address: (int(least), int(most)) for address, least, most in _ranges(program, lambda whole: True)}
    record = program.new_record()
    for d, places in _declared(program):
        if isinstance(d.whole, Unchanged):
            found |= {k: (int(record[k]),) * 2 for k in places if float(record[k]).is_integer()}
    return found


def _ranges(program: Program, is_wanted: Callable[[Whole], bool]) -> Iterator[Range]:
    """Yield the range of each whole number, for declarations of which `is_wanted` is true."""
    for d, places in _declared(program):
        if places and isinstance(d.whole, Whole) and is_wanted(d.whole):
            high = d.whole.high(program) if callable(d.whole.high) else d.whole.high
            greatest = [high] * len(places) if isinstance(high, (int, float)) else high
            for address, most in zip(places, greatest, strict=True):
                yield address, float(-most if d.whole.low is None else d.whole.low), float(most)


def _declared(program: Program) -> Iterator[tuple[Declaration, range]]:
    """Yield the declarations with ranges, each with the addresses of its numbers.

    A program lacks some regions; declarations in these have no addresses.
    """
    for region in members(Record).values():
        start, size = program.regions.get(region.region, (0, 0))
        if region.whole is not None:
            yield region, range(start, start + size)
        if region.block is not None:
            distance = region.block.size if region.shape else max(size, 1)
            for d in members(region.block).values():
                if d.whole is not None:
                    yield d, range(start + d.offset, start + size, distance)
