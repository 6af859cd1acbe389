"""What a generated module is made of: kernels, and the functions by which Python enters them.

Nothing here needs numba: a process that finds machine code in the cache never reads the text.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from .engine import MachineFunction
from .machine import ArgumentKind


class Kernel:
    """A function of a generated module. Other kernels call it, what numba compiles may call it too.

    The function itself is `kernel_function`, plain Python, for who translates it.
    """

    def __init__(self, function: FunctionType):
        self.kernel_function = function
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        raise NotImplementedError(f"{self.kernel_function.__name__} is called by other kernels only")

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """What numba asks for when it meets the kernel in what it compiles."""
        from .jit import numba_type

        return numba_type(self)


kernel = Kernel  #: the decorator


def njit(**options: Any) -> Callable[[FunctionType], Kernel]:
    """Stands for numba's in a module that is loaded: what it decorates is compiled as a kernel."""
    return Kernel


def argument_kind(value: object) -> ArgumentKind:
    """The kind of what is given to a kernel; TypeError for what no kernel takes."""
    if isinstance(value, np.ndarray):
        return "array" if value.ndim == 1 else "rows"
    if isinstance(value, (float, np.floating)):
        return "float"
    if isinstance(value, (int, np.integer)):
        return "int"
    raise TypeError(f"a kernel takes arrays, numbers and integers, not {value!r}")


class Source(Protocol):
    """Where an entry finds its machine code."""

    def function(self, name: str, kinds: tuple[ArgumentKind, ...]) -> MachineFunction:
        """The machine code of a kernel for these kinds of arguments."""


class Entry:
    """A kernel that Python calls, on contiguous arrays of doubles, numbers and integers.

    For each sequence of kinds of arguments its machine code is found or compiled when it is first needed. An integer
    goes for a number where one was given before.
    """

    def __init__(self, source: Source, name: str):
        self._source, self.__name__ = source, name
        self._functions: dict[tuple[ArgumentKind, ...], MachineFunction] = {}
        self._last: MachineFunction = self._first

    def __call__(self, *arguments: Any) -> Any:
        try:
            return self._last(*arguments)
        except TypeError:  # they are of other kinds than last time
            kinds = tuple(map(argument_kind, arguments))
            if kinds not in self._functions:
                self._functions[kinds] = self._source.function(self.__name__, kinds)
            self._last = self._functions[kinds]
            return self._last(*arguments)

    def _first(self, *arguments: Any) -> Any:
        """Stands for the last function before the first call."""
        raise TypeError
