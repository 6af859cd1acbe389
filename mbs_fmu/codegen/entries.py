"""Kernels of a generated module, and the functions by which Python enters them."""

from __future__ import annotations

import functools
import logging
import math
from collections.abc import Callable
from time import thread_time
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from .machine import ArgumentKind, MachineFunction

log = logging.getLogger("mbs_fmu")


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
        from .numba_calls import numba_type

        return numba_type(self)


kernel = Kernel  #: the decorator


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

    def renew(self, kinds: tuple[ArgumentKind, ...], function: MachineFunction) -> None:
        """Take better machine code for these kinds of arguments."""
        if self._last is self._functions.get(kinds):
            self._last = function
        self._functions[kinds] = function

    def _first(self, *arguments: Any) -> Any:
        """Stands for the last function before the first call."""
        raise TypeError


class Quick:
    """Machine code that was made in a hurry. Once more time was spent in it than full code would cost, that is made.

    So nobody waits for more than twice what the better choice would have taken, and short runs wait for little. Full
    code is made before a call, never behind one: what goes wrong then, or Ctrl-C, costs no result.

    patience: s of this thread's processor time. improve: returns full code, or None where somebody else is making it.
    """

    def __init__(self, function: MachineFunction, patience: float, improve: Callable[[], MachineFunction | None]):
        self._function, self._left, self._patience, self._improve = function, patience, patience, improve

    def __call__(self, *arguments: Any) -> Any:
        if self._left < 0.0:
            self._renew()
        began = thread_time()
        try:
            return self._function(*arguments)
        finally:
            self._left -= thread_time() - began

    def _renew(self) -> None:
        try:
            better = self._improve()
        except Exception as error:  # a full disk, no memory: slow is better than nothing
            log.warning("no faster code could be made (%s): the run goes on with slower code", error)
            self._left = math.inf
            return
        if better is None:
            self._left = self._patience
        else:
            self._function, self._left = better, math.inf
