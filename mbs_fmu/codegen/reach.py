"""Number of functions that kernels call, counted before any of them is parsed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from types import FunctionType

from .llvm.subset import KNOWN


def kernel_count(kernels: Iterable[FunctionType], known: Collection[str] = ()) -> int:
    """Return the number of kernels to translate: these kernels and all that they call, directly or indirectly.

    `known` contains the names of kernels that need no translation. Each kernel counts once, whatever the kinds of its
    arguments.
    """
    pending = list(kernels)
    reached = set(pending)
    while pending:
        function = pending.pop()
        for name in function.__code__.co_names:
            called = getattr(function.__globals__.get(name), "kernel_function", None)
            if called is not None and called not in reached and name not in KNOWN and name not in known:
                reached.add(called)
                pending.append(called)
    return len(reached)
