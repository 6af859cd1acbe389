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
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from ..errors import CallError, ModelError
from ..lazy_dataclasses import when_complete
from .attributes import suggest_attributes
from .kinds import Kind, are_early, kinds_of, refused, refused_early
from .suggestions import FACE, METHOD, did_you_mean

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)
BY_NAME = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)  #: kinds that have a name
CALLS = ("__call__", "__getitem__")  #: special methods with checks
#: exceptions of unchecked values
UNCLEAR = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, MemoryError)
OUT_OF_REACH = "its numbers are too large or too small to compute with: check their sizes and units ("
ABSENT = object()  #: argument that a call leaves out
BEHIND = sys.maxsize  #: position of arguments that calls pass by name only
OWN = __name__.partition(".")[0] + "."
_CLEAR = set[type]()  #: classes with checks
PACKAGE = str(Path(__file__).parents[2]) + os.sep
NUMPY = str(Path(np.__file__).parent) + os.sep


def warn(text: str) -> None:
    """Issue a UserWarning that shows the line in the user's code that called the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)


def with_clear_errors(function: F, name: str | None = None, hidden: int = 0) -> F:
    """Decorate a function so that it raises CallError for arguments that do not match its signature or annotations.

    name: name in messages, by default that of the function; after the name of the object's class if it is empty or
    begins with a point. hidden: number of leading arguments that callers do not write, such as self.

    The annotations count where the function itself has not refused a value: before the call for kinds that are checked
    early (`kinds.py`), and for all kinds after an exception that is no clear message.
    """
    call = _Call(function, function.__name__ if name is None else name, hidden)

    def checked(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except UNCLEAR as error:
            problem = call.problem(args, keywords, error)
            if problem is None:  # the error comes from inside the function
                raise
        raise CallError(problem)

    def checked_early(*args: Any, **keywords: Any) -> Any:
        for position, key, kinds, usual in call.early():
            value = args[position] if position < len(args) else keywords.get(key, ABSENT)
            if type(value) in usual or value is ABSENT:
                continue
            if (problem := refused_early(key, value, kinds)) is not None:
                raise CallError(call.message(args, problem))
        return checked(*args, **keywords)

    has_early = any(are_early(kinds_of(x)) for x in getattr(function, "__annotations__", {}).values())
    return functools.wraps(function)(checked_early if has_early else checked)  # type: ignore[return-value]


def add_clear_errors(cls: C) -> C:
    """Make constructor and public methods of a class raise CallError as `with_clear_errors` describes; return it.

    This includes methods that the class inherits from others of this package. Objects suggest attributes in place of
    unknown ones (attributes.py).
    """

    def wrap() -> None:
        wrapped: Any = cls
        if wrapped.__init__ is not object.__init__:
            wrapped.__init__ = with_clear_errors(wrapped.__init__, cls.__name__, hidden=1)
        elif wrapped.__new__ is not object.__new__:  # a named tuple
            wrapped.__new__ = staticmethod(with_clear_errors(wrapped.__new__, cls.__name__, hidden=1))

    if cls not in _CLEAR:
        _CLEAR.add(cls)
        when_complete(cls, wrap)
        suggest_attributes(cls)
        for base in cls.__mro__:
            if base.__module__.startswith(OWN):
                _add_to_methods(base)
    return cls


def _add_to_methods(cls: type) -> None:
    """Make the public methods that a class defines itself raise clear errors."""
    for key, method in list(vars(cls).items()):
        if key.startswith("_") and key not in CALLS:
            continue
        name = "" if key == "__call__" else f".{key}"
        if isinstance(method, FunctionType) and not hasattr(method, "__wrapped__"):
            wrapped: Any = with_clear_errors(method, name, hidden=1)
        elif isinstance(method, classmethod) and not hasattr(method.__func__, "__wrapped__"):
            wrapped = classmethod(with_clear_errors(method.__func__, name, hidden=1))
        elif isinstance(method, staticmethod) and not hasattr(method.__func__, "__wrapped__"):
            wrapped = staticmethod(with_clear_errors(method.__func__, key))
        else:
            continue
        setattr(cls, key, wrapped)


class _Call:
    """Facts about a function that messages about its calls need.

    It is found at the first need, by `functools.cache`, which holds no lock that a fork could inherit.
    """

    def __init__(self, function: Callable[..., Any], name: str, hidden: int):
        self.function, self.name, self.hidden = function, name, hidden
        self.early = functools.cache(self._early)

    @property
    def signature(self) -> inspect.Signature:
        return inspect.signature(self.function)

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """Parameters that callers write and that have a name."""
        return [x for x in self.signature.parameters.values() if x.kind in BY_NAME][self.hidden :]

    def _early(self) -> list[tuple[int, str, tuple[Kind, ...], frozenset[type]]]:
        """Return position, name, kinds and usual types of the arguments that are checked before the call."""
        places = {
            x.name: BEHIND if x.kind is x.KEYWORD_ONLY else place
            for place, x in enumerate(self.signature.parameters.values())
        }
        kinds = ((x.name, kinds_of(x.annotation)) for x in self.parameters)
        early = [(name, found) for name, found in kinds if are_early(found)]
        return [(places[name], name, found, frozenset().union(*(k.usual for k in found))) for name, found in early]

    def problem(self, args: tuple[Any, ...], keywords: dict[str, Any], error: Exception) -> str | None:
        """Return the message about arguments with which a call raised an exception; None if they are not the cause."""
        try:
            arguments = self.signature.bind(*args, **keywords).arguments
        except TypeError as reason:
            return _call_error(self.title(args), self.parameters, len(args) - self.hidden, keywords, str(reason))
        if isinstance(error, ModelError):
            return None
        given = ((x, arguments[x.name]) for x in self.parameters if x.name in arguments)
        problems = (refused(x.name, value, kinds_of(x.annotation)) for x, value in given)
        for problem in problems:
            if problem is not None:
                return self.message(args, problem)
        return f"{self.title(args)}: {OUT_OF_REACH}{error})" if _is_out_of_reach(error) else None

    def message(self, args: tuple[Any, ...], problem: str) -> str:
        """Return a message about an argument, with the name of the method or class that is called."""
        return f"{self.title(args)}: {problem}" if self.hidden else problem

    def title(self, args: tuple[Any, ...]) -> str:
        """Return the name of what is called."""
        if self.name and not self.name.startswith("."):
            return self.name
        if not args:  # a call of a class's function without an object
            return self.function.__qualname__
        owner = args[0] if isinstance(args[0], type) else type(args[0])
        return f"{owner.__name__}{self.name}"


def _is_out_of_reach(error: Exception) -> bool:
    """True for an exception of arithmetic or memory that the package or numpy raises, and no function of the user."""
    if not isinstance(error, ArithmeticError | MemoryError) and type(error).__name__ != "LinAlgError":
        return False
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code.co_filename.startswith((PACKAGE, NUMPY))


def _call_error(
    name: str, parameters: list[inspect.Parameter], positional: int, keywords: Mapping[str, Any], reason: str
) -> str:
    """Return the message for a number of positional arguments and for keywords; reason: Python's own."""
    names = [x.name for x in parameters]
    for key in keywords:
        if key not in names:
            hint = did_you_mean(key, names) or did_you_mean(key, (), {METHOD: FACE[METHOD]})
            return f"{name} takes no argument {key!r}{hint}, only {', '.join(names) or 'none'}"
    passed = {*names[:positional], *keywords}
    missing = [x.name for x in parameters if x.default is x.empty and x.name not in passed]
    if missing:
        return f"{name} needs {' and '.join(missing)}: {name}({_usage(parameters)})"
    return f"{name}({_usage(parameters)}): {reason}"


def _usage(parameters: list[inspect.Parameter]) -> str:
    """Return the required parameters as they are written in a call, and "..." if there are optional ones."""
    required = [x.name if x.kind is not x.KEYWORD_ONLY else f"{x.name}=" for x in parameters if x.default is x.empty]
    return ", ".join([*required, "..."] if len(required) < len(parameters) else required)
