"""How many functions kernels call, before any of them is read."""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType


def reached(kernels: Iterable[FunctionType]) -> int:
    """The number of kernels that these call, directly or through others, with themselves.

    Each of them is translated once for all kinds of arguments that it gets, mostly one.
    """
    waiting = list(kernels)
    found = set(waiting)
    while waiting:
        function = waiting.pop()
        for name in function.__code__.co_names:
            called = getattr(function.__globals__.get(name), "kernel_function", None)
            if called is not None and called not in found:
                found.add(called)
                waiting.append(called)
    return len(found)
