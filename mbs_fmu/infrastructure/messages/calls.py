"""Clear errors for calls with wrong arguments, and warnings that show the caller's line.

Decorated functions keep their signature, types and documentation for editors and type checkers.
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
from ..lazy_dataclasses import when_complete
from .suggestions import did_you_mean

F = TypeVar("F", bound=Callable[..., Any])
BY_NAME = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)  #: kinds that have a name
PACKAGE = str(Path(__file__).parents[2]) + os.sep


def warn(text: str) -> None:
    """Issue a UserWarning that shows the line in the user's code that called the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)


def with_clear_errors(function: F, name: str | None = None, hidden: int = 0) -> F:
    """Decorate a function so that it raises CallError for arguments that do not match its signature.

    name: name in messages, by default that of the function. hidden: number of leading arguments that callers do not
    write, such as self.
    """

    @functools.cache
    def signature() -> inspect.Signature:
        return inspect.signature(function)

    @functools.wraps(function)
    def checked(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except TypeError:
            try:
                signature().bind(*args, **keywords)
            except TypeError as error:
                reason = str(error)
            else:  # the error comes from inside the function
                raise
        parameters = [x for x in signature().parameters.values() if x.kind in BY_NAME][hidden:]
        raise CallError(_call_error(name or function.__name__, parameters, len(args) - hidden, keywords, reason))

    return checked  # type: ignore[return-value]


def add_clear_errors(cls: type) -> None:
    """Make a class raise CallError for arguments that do not match its constructor."""

    def wrap() -> None:
        wrapped: Any = cls
        if wrapped.__init__ is not object.__init__:
            wrapped.__init__ = with_clear_errors(wrapped.__init__, cls.__name__, hidden=1)
        elif wrapped.__new__ is not object.__new__:  # a named tuple
            wrapped.__new__ = staticmethod(with_clear_errors(wrapped.__new__, cls.__name__, hidden=1))

    when_complete(cls, wrap)


def _call_error(
    name: str, parameters: list[inspect.Parameter], positional: int, keywords: Mapping[str, Any], reason: str
) -> str:
    """Return the message for a number of positional arguments and for keywords; reason: Python's own."""
    names = [x.name for x in parameters]
    for key in keywords:
        if key not in names:
            return f"{name} takes no argument {key!r}, only {', '.join(names) or 'none'}{did_you_mean(key, names)}"
    passed = {*names[:positional], *keywords}
    missing = [x.name for x in parameters if x.default is x.empty and x.name not in passed]
    if missing:
        return f"{name} needs {' and '.join(missing)}: {name}({_usage(parameters)})"
    return f"{name}({_usage(parameters)}): {reason}"


def _usage(parameters: list[inspect.Parameter]) -> str:
    """Return the required parameters as they are written in a call, and "..." if there are optional ones."""
    required = [x.name if x.kind is not x.KEYWORD_ONLY else f"{x.name}=" for x in parameters if x.default is x.empty]
    return ", ".join([*required, "..."] if len(required) < len(parameters) else required)
