"""Kernels of a generated module, and the functions through which Python calls them."""

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
    """A function of a generated module, which other kernels can call.

    `kernel_function` is the function itself in plain Python, for translation.
    """

    def __init__(self, function: FunctionType):
        self.kernel_function = function
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        raise NotImplementedError(f"{self.kernel_function.__name__} is called by other kernels only")


kernel = Kernel  #: the decorator


def argument_kind(value: object) -> ArgumentKind:
    """Return the kind of an argument of a kernel. Raises TypeError for a type that kernels do not accept."""
    if isinstance(value, np.ndarray):
        return "array" if value.ndim == 1 else "rows"
    if isinstance(value, (float, np.floating)):
        return "float"
    if isinstance(value, (int, np.integer)):
        return "int"
    raise TypeError(f"a kernel takes arrays, numbers and integers, not {value!r}")


class Source(Protocol):
    """Provider of the machine code of entries."""

    def function(self, name: str, kinds: tuple[ArgumentKind, ...]) -> MachineFunction:
        """Return the machine code of a kernel for these kinds of arguments."""


class Entry:
    """A kernel as a function for Python. Arguments are contiguous arrays of doubles, floats and integers.

    The machine code for each sequence of kinds of arguments is loaded or compiled at its first call. An integer is
    accepted in place of a float if the last call had a float at this position.
    """

    def __init__(self, source: Source, name: str):
        self._source, self.__name__ = source, name
        self._functions: dict[tuple[ArgumentKind, ...], MachineFunction] = {}
        self._last: MachineFunction = self._first

    def __call__(self, *arguments: Any) -> Any:
        try:
            return self._last(*arguments)
        except TypeError:  # the kinds differ from those of the last call
            kinds = tuple(map(argument_kind, arguments))
            if kinds not in self._functions:
                self._functions[kinds] = self._source.function(self.__name__, kinds)
            self._last = self._functions[kinds]
            return self._last(*arguments)

    def replace(self, kinds: tuple[ArgumentKind, ...], function: MachineFunction) -> None:
        """Replace the machine code for these kinds of arguments."""
        if self._last is self._functions.get(kinds):
            self._last = function
        self._functions[kinds] = function

    def _first(self, *arguments: Any) -> Any:
        """Placeholder for the last function before the first call."""
        raise TypeError


class QuickCode:
    """Quickly compiled machine code, which full code replaces once it has run for the compile time of full code.

    The total time is therefore at most twice that of the better choice, and short runs start soon. Full code is
    compiled before a call, never after one, so that a failure or Ctrl-C loses no result.

    `patience` is the processor time of this thread before the replacement, s. `improve` returns full code, or None if
    another thread or process is compiling it.
    """

    def __init__(self, function: MachineFunction, patience: float, improve: Callable[[], MachineFunction | None]):
        self._function, self._time_left, self._patience, self._improve = function, patience, patience, improve

    def __call__(self, *arguments: Any) -> Any:
        if self._time_left < 0.0:
            self._upgrade()
        began = thread_time()
        try:
            return self._function(*arguments)
        finally:
            self._time_left -= thread_time() - began

    def _upgrade(self) -> None:
        try:
            better = self._improve()
        except Exception as error:  # for example, a full disk: quick code still gives results
            log.warning("no faster code could be made (%s): the run goes on with slower code", error)
            self._time_left = math.inf
            return
        if better is None:
            self._time_left = self._patience
        else:
            self._function, self._time_left = better, math.inf
