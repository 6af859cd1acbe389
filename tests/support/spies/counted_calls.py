"""Numbers of calls and of executed lines of Python functions: a measure of work that is the same on every machine."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

MOST = 2.3  #: largest ratio of calls or lines of a function for twice as many things
FEW = 100  #: calls or lines beyond that, since it may be for the second of a kind of things only


@contextmanager
def counted() -> Iterator[Counter[CodeType]]:
    """Count the calls of every Python function; each number that a generator yields is one."""
    calls: Counter[CodeType] = Counter()

    def count(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            calls[frame.f_code] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(before)


@contextmanager
def counted_lines() -> Iterator[Counter[CodeType]]:
    """Count the lines that every Python function executes, so also the iterations of its loops and comprehensions."""
    lines: Counter[CodeType] = Counter()

    def count(frame: FrameType, event: str, argument: object) -> Callable[..., Any]:
        if event == "line":
            lines[frame.f_code] += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        yield lines
    finally:
        sys.settrace(before)


def grown(one: Counter[CodeType], two: Counter[CodeType]) -> dict[str, tuple[int, int]]:
    """Return the functions with more than MOST times as many calls or lines in `two` as in `one`, with both numbers."""
    return {
        f"{x.co_filename}:{x.co_firstlineno} {x.co_qualname}": (one[x], n)
        for x, n in two.items()
        if n > MOST * one[x] + FEW
    }
