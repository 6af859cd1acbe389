"""The cases of a law, and the tiers that run them: seconds (`-m quick`), minutes (the default), everything (`-m ''`).

A case is drawn by its own name and number, never by its place in a list: a joint that is added to a list brings cases
of its own and leaves all others as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import pytest


@dataclass(frozen=True)
class Case:
    """A random mechanism that is there for a joint; the numbers 0, 1, ... of a joint are ever larger ones."""

    joint: str
    number: int

    @property
    def seed(self) -> int:
        return crc32(str(self).encode())

    def __str__(self) -> str:
        return f"{self.joint} {self.number}"

    def largest(self, most: int) -> int:
        """How many bodies it may have, where a law is tried with up to `most`."""
        return min(most, (3, 8)[self.number]) if self.number < 2 else most


def tiers(values: Sequence[Any], usual: int, quick: int = 0) -> list[Any]:
    """Values for parametrize: the first `quick` in the seconds, the first `usual` in the minutes, the rest beyond."""
    marks = [pytest.mark.quick] * quick + [()] * (usual - quick) + [pytest.mark.slow] * (len(values) - usual)
    return [pytest.param(value, marks=mark, id=str(value)) for value, mark in zip(values, marks, strict=True)]


def each(joints: Iterable[str], rounds: int, usual: int, quick: int = 0) -> pytest.MarkDecorator:
    """Parametrize a law by `case`: `rounds` of every joint. All laws begin with the same: traced once."""
    order = sorted(joints, key=lambda joint: crc32(joint.encode()))
    cases = [Case(joint, number) for number in range(rounds) for joint in order]
    return pytest.mark.parametrize("case", tiers(cases, usual, quick))
