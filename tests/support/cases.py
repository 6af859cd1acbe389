"""Named cases of a law and the tiers that run them: seconds (`-m quick`), minutes (the default), everything (`-m ''`).

A case is drawn by its own name and number, never by its place in a list: a joint that is added to a list brings cases
of its own and leaves all others as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import pytest


@dataclass(frozen=True)
class Case:
    """A random mechanism drawn for a joint; the mechanisms of a joint grow with the numbers 0, 1, ..."""

    joint: str
    number: int

    @property
    def seed(self) -> int:
        return crc32(str(self).encode())

    def __str__(self) -> str:
        return f"{self.joint} {self.number}"

    def largest(self, most: int) -> int:
        """Largest number of bodies of this case, in a law that is tried with up to `most` bodies."""
        return min(most, (3, 8)[self.number]) if self.number < 2 else most


def tiers(values: Iterable[Any], usual: int, quick: int = 0) -> list[Any]:
    """Values for parametrize: the first `quick` in the quick tier, the first `usual` by default, the others as slow.

    A mapping gives its values, under its names.
    """
    named = values if isinstance(values, Mapping) else {str(value): value for value in values}
    marks = [pytest.mark.quick] * quick + [()] * (usual - quick) + [pytest.mark.slow] * (len(named) - usual)
    return [pytest.param(x, marks=mark, id=name) for (name, x), mark in zip(named.items(), marks, strict=True)]


def some_quick(values: Iterable[Any], quick: int, usual: int | None = None) -> list[Any]:
    """Values for parametrize in a quick test: the first `quick` in the quick tier, the first `usual` by default, the
    others as slow; without `usual`, all are there by default.

    A mapping gives its values, under its names.
    """
    named = values if isinstance(values, Mapping) else {str(value): value for value in values}
    most = len(named) if usual is None else usual
    marks = [()] * quick + [pytest.mark.usual] * (most - quick) + [pytest.mark.slow] * (len(named) - most)
    return [pytest.param(x, marks=mark, id=name) for (name, x), mark in zip(named.items(), marks, strict=True)]


def each(joints: Iterable[str], rounds: int, usual: int, quick: int = 0) -> pytest.MarkDecorator:
    """Parametrize a law by `case`: `rounds` cases of every joint. All laws share their first cases, traced once."""
    order = sorted(joints, key=lambda joint: crc32(joint.encode()))
    cases = [Case(joint, number) for number in range(rounds) for joint in order]
    return pytest.mark.parametrize("case", tiers(cases, usual, quick))
