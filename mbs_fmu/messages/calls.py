"""Calls of the package from outside: wrong arguments in one sentence, warnings that name the line of the call.

A word keeps its signature, types and documentation: tools see what they saw.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ..errors import CallError
from ..lazy_dataclasses import when_finished
from .suggestions import did_you_mean

F = TypeVar("F", bound=Callable[..., Any])
NAMED = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
PACKAGE = str(Path(__file__).parents[1]) + os.sep


def warn(text: str) -> None:
    """A UserWarning from the line that called the package, however deep inside of it this is."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)


def with_clear_errors(word: F, name: str | None = None, hidden: int = 0) -> F:
    """The same function, which raises CallError where it is called with what it doesn't take.

    name: what messages call it, its own by default. hidden: how many of its first arguments those who call it don't
    write.
    """

    @functools.cache
    def signature() -> inspect.Signature:
        return inspect.signature(word)

    @functools.wraps(word)
    def called(*args: Any, **told: Any) -> Any:
        try:
            return word(*args, **told)
        except TypeError:
            try:
                signature().bind(*args, **told)
            except TypeError as error:
                wrong = str(error)
            else:  # the fault is inside of the function
                raise
        takes = [x for x in signature().parameters.values() if x.kind in NAMED][hidden:]
        raise CallError(_said(name or word.__name__, takes, len(args) - hidden, told, wrong))

    return called  # type: ignore[return-value]


def classes_with_clear_errors(cls: type) -> None:
    """Make a class raise CallError where it is called with arguments that it does not take."""

    def wrap() -> None:
        made: Any = cls
        if made.__init__ is not object.__init__:
            made.__init__ = with_clear_errors(made.__init__, cls.__name__, hidden=1)
        elif made.__new__ is not object.__new__:  # a named tuple
            made.__new__ = staticmethod(with_clear_errors(made.__new__, cls.__name__, hidden=1))

    when_finished(cls, wrap)


def _said(name: str, takes: list[inspect.Parameter], placed: int, told: Mapping[str, Any], otherwise: str) -> str:
    """What is wrong with a call: `placed` arguments by their places, the others by name."""
    names = [x.name for x in takes]
    for key in told:
        if key not in names:
            return f"{name} takes no argument {key!r}, only {', '.join(names) or 'none'}{did_you_mean(key, names)}"
    given = {*names[:placed], *told}
    missing = [x.name for x in takes if x.default is x.empty and x.name not in given]
    if missing:
        return f"{name} needs {' and '.join(missing)}: {name}({_written(takes)})"
    return f"{name}({_written(takes)}): {otherwise}"


def _written(takes: list[inspect.Parameter]) -> str:
    """Arguments as they are called: those that may be left out in brackets."""
    needed = [x.name if x.kind is not x.KEYWORD_ONLY else f"{x.name}=" for x in takes if x.default is x.empty]
    return ", ".join([*needed, "..."] if len(needed) < len(takes) else needed)
