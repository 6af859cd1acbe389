"""Counts of a program that bound its indices, counts and choices (`fields.Whole`)."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import Any, Protocol

MOST = 2.0**53  #: all whole numbers up to this one are doubles


class Counted(Protocol):
    """The sizes of a program, on which the bounds of its numbers depend."""

    @property
    def regions(self) -> Mapping[str, tuple[int, int]]: ...
    @property
    def owners(self) -> Sized: ...
    @property
    def checks(self) -> Sized: ...
    @property
    def start_checks(self) -> Sized: ...
    @property
    def quaternions(self) -> Sized: ...
    @property
    def given(self) -> Sized: ...
    @property
    def loops(self) -> list[dict[str, Any]]: ...
    @property
    def state_slice(self) -> slice: ...


def size(program: Counted, region: str) -> int:
    """Return the size of a region; 0 if the record has none."""
    return program.regions.get(region, (0, 0))[1]


def rows(program: Counted) -> float:
    """Return the number of rows."""
    return size(program, "residuals")


def modes(program: Counted) -> float:
    """Return the number of closures with constraint modes."""
    return size(program, "modes")


def last_loop(program: Counted) -> float:
    """Return the index of the last loop."""
    return max(0.0, size(program, "ranks") - 1.0)


def last_state(program: Counted) -> float:
    """Return the last index of a state."""
    return _states(program) - 1.0


def last_fault(program: Counted) -> float:
    """Return the last index of a state component, output, quaternion, check, row or crossing that may fail."""
    lists = program.owners, program.checks, program.start_checks, program.quaternions
    # one number more than there are watched functions: the last one stands for samples
    numbers = size(program, "residuals"), size(program, "due") + 1
    return max(*map(len, lists), *numbers) - 1.0


def last_prescribed(program: Counted) -> float:
    """Return the last number, from 1, of a prescribed motion."""
    return max(0.0, len(program.given) - 1.0)


def own_rows(program: Counted) -> list[float]:
    """Return the number of rows of each loop."""
    return [float(len(loop["labels"])) for loop in program.loops]


def last_own_rows(program: Counted) -> list[float]:
    """Return for each row the index of the last row of its loop."""
    return [rows - 1.0 for rows in own_rows(program) for _ in range(int(rows))]


def last_vector(program: Counted, before: int) -> float:
    """Return the last index of a vector in region `history`, which has `before` numbers and what is known before it."""
    states = _states(program)
    others = before + states + size(program, "inputs") + size(program, "parameters")
    return max(0.0, (size(program, "history") - others) // states - 1.0) if states else 0.0


def near_shapes(program: Counted) -> float:
    """Return the number of shapes in contacts with a list of near pairs."""
    return float(size(program, "near_found"))


def last_near_shape(program: Counted) -> float:
    """Return the index of the last shape in contacts with a list of near pairs."""
    return max(0.0, near_shapes(program) - 1.0)


def near_pairs(program: Counted) -> float:
    """Return the number of places in the list of near pairs."""
    return size(program, "near_pairs") / 2.0


def _states(program: Counted) -> int:
    return len(range(*program.state_slice.indices(program.regions["end"][0])))
