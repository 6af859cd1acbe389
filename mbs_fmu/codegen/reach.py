"""How many functions kernels call, before any of them is read."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from types import FunctionType

from .llvm.subset import KNOWN


def reached(kernels: Iterable[FunctionType], but: Collection[str] = ()) -> int:
    """The number of kernels that are translated for these: themselves, and what they call in the end.

    but: names of those that need not be translated. Each is counted once, for whatever kinds of arguments it gets.
    """
    left = list(kernels)
    found = set(left)
    while left:
        function = left.pop()
        for name in function.__code__.co_names:
            called = getattr(function.__globals__.get(name), "kernel_function", None)
            if called is not None and called not in found and name not in KNOWN and name not in but:
                found.add(called)
                left.append(called)
    return len(found)
