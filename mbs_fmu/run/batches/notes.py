"""Notes on the assembly of the members of a batch, which are written when they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...record.program import Program
from ..loops_report import assembly_notes

Pending = Callable[[], list[str]]


class MemberNotes(list[list[str]]):
    """A list with the notes of each member. Copies and pickles are plain lists."""

    def __init__(self, notes: list[list[str]]):
        super().__init__(notes)
        self._pending: dict[int, Pending] = {}

    def write_later(self, member: int, notes: Pending) -> None:
        """Add the notes of a member that a function returns, when somebody reads them."""
        self._pending[member] = notes

    def __getitem__(self, which: Any) -> Any:
        for member in range(len(self))[which] if isinstance(which, slice) else [range(len(self))[which]]:
            if member in self._pending:
                super().__getitem__(member).extend(self._pending.pop(member)())
        return super().__getitem__(which)

    def __iter__(self) -> Iterator[list[str]]:
        return (self[member] for member in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return [*self] == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr([*self])

    def __reduce__(self) -> tuple[Any, ...]:
        return list, ([*self],)


def later_notes(program: Program, R: np.ndarray, start: np.ndarray) -> Pending:
    """Return a function that returns `assembly_notes` for the present numbers of two records."""
    places = program.assembled
    after, before = R[places], start[places]

    def notes() -> list[str]:
        records = np.zeros((2, R.size))
        records[0, places], records[1, places] = after, before
        return assembly_notes(program, records[0], records[1])

    return notes
