"""Counts of a program that bound its indices, counts and choices (`fields.Whole`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .program import Program

MOST = 2.0**53  #: all whole numbers up to this one are doubles


def size(program: Program, region: str) -> int:
    """Return the size of a region; 0 if the record, or the format, has none."""
    return program.regions.get(region, (0, 0))[1]


def rows(program: Program) -> float:
    """Return the number of rows."""
    return size(program, "residuals")


def modes(program: Program) -> float:
    """Return the number of closures with constraint modes."""
    return size(program, "modes")


def last_loop(program: Program) -> float:
    """Return the index of the last loop."""
    return max(0.0, size(program, "ranks") - 1.0)


def last_state(program: Program) -> float:
    """Return the last index of a state."""
    return _states(program) - 1.0


def last_fault(program: Program) -> float:
    """Return the last index of a state component, output, quaternion, check, row or crossing that may fail."""
    lists = program.owners, program.checks, program.start_checks, program.quaternions
    # one number more than there are watched functions: the last one stands for samples
    numbers = size(program, "residuals"), size(program, "due") + 1
    return max(*map(len, lists), *numbers) - 1.0


def last_prescribed(program: Program) -> float:
    """Return the last number, from 1, of a prescribed motion."""
    return max(0.0, len(program.given) - 1.0)


def own_rows(program: Program) -> list[float]:
    """Return the number of rows of each loop."""
    return [float(len(loop["labels"])) for loop in program.loops]


def last_own_rows(program: Program) -> list[float]:
    """Return for each row the index of the last row of its loop."""
    return [rows - 1.0 for rows in own_rows(program) for _ in range(int(rows))]


def last_vector(program: Program, before: int) -> float:
    """Return the last index of a vector in region `history`, which has `before` numbers and what is known before it."""
    states = _states(program)
    others = before + states + size(program, "inputs") + size(program, "parameters")
    return max(0.0, (size(program, "history") - others) // states - 1.0) if states else 0.0


def _states(program: Program) -> int:
    return len(range(*program.state_slice.indices(program.regions["end"][0])))
