"""Checks of the arguments of runs and exports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from .errors import Argument, ArgumentError, ModelError
from .messages.failures import display

Solver = Literal["cholesky", "sweep"]  #: solver of the equations of motion
SOLVERS = get_args(Solver)
Formulation = Literal["tree", "absolute"]  #: coordinates of the mechanism: those of the joints, or of every body
FORMULATIONS = get_args(Formulation)
Events = Literal["located", "steps"]  #: instants of mode ends and resets: located within steps, or step ends only
EVENTS = get_args(Events)
ParameterValues = Mapping[str, float | Sequence[float] | np.ndarray]  #: by name; an array has those of its elements


def finite(value: Any, what: str | Argument, wanted: str = "a finite number") -> float:
    """Return the value as a float; ArgumentError unless it is a finite number. wanted: the remedy in the message."""
    try:
        if isinstance(value, (int, float, np.number)) and math.isfinite(value):
            return float(value)
    except (OverflowError, TypeError):  # an integer of hundreds of digits; a complex number
        pass
    raise ArgumentError(what, f" is {display(value)}: give {wanted}")


def positive(value: Any, what: str | Argument) -> float:
    """Return a positive number as a float; ArgumentError for anything else."""
    number = finite(value, what, "a positive number")
    if not number > 0.0:
        raise ArgumentError(what, f" is {display(value)}: give a positive number")
    return number


def truth(value: Any, what: str, error: type[ModelError] = ArgumentError) -> bool:
    """Return the value as a bool; raises `error` unless it is True or False, of Python or numpy."""
    if not isinstance(value, (bool, np.bool_)):
        raise error(f"{what} is {display(value)}: use True or False")
    return bool(value)


def is_whole(value: Any) -> bool:
    """True if the value is a whole number, of Python or numpy."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole(value: Any, what: str | Argument) -> int:
    """Return a whole number from 1 to 2**53, which a double represents exactly; ArgumentError for anything else."""
    if not is_whole(value) or not 1 <= value <= 2**53:
        raise ArgumentError(what, f" is {display(value)}: give a whole number, 1 or more")
    return int(value)


def is_one_of(value: Any, names: Any) -> bool:
    """True if the value is one of the names; False for lists and arrays, which cannot be compared with a name."""
    return isinstance(value, str) and value in names


def spread(arrays: Mapping[str, Sequence[str]], values: Mapping[str, Any], what: str = "parameter") -> dict[str, Any]:
    """Return values by name, with those of arrays by the names of their elements.

    arrays: names of elements, by the names of arrays. values: those of an array of n elements have the shape (n,), or
    (members, n), which gives an array (members,) for each element. what: the word for an array in messages.

    Raises ArgumentError for another number of values than elements, and for an element that is given twice.
    """
    given: dict[str, Any] = {}
    for name, value in values.items():
        if name not in arrays:
            given[name] = value
            continue
        count = len(arrays[name])
        columns = _columns(value)
        if columns is None:
            raise ArgumentError(f"{what} {name!r} is {display(value)}: give {_wanted(value, count)}")
        if len(columns) != count:
            raise ArgumentError(
                f"{what} {name!r} has {count} elements and gets {len(columns)} values: give {count}, an array has as "
                "many elements as in the model"
            )
        twice = next((element for element in arrays[name] if element in values), None)
        if twice is not None:
            raise ArgumentError(f"{what} {twice!r} is given twice, once in {name!r}: leave one out")
        given |= zip(arrays[name], columns, strict=True)
    return given


def _wanted(value: Any, count: int) -> str:
    """Return what to give in place of a value that is no sequence of numbers or of rows of one length."""
    rows = isinstance(value, Sequence) and any(isinstance(x, Sequence) and not isinstance(x, str) for x in value)
    return f"one row of {count} numbers for each member" if rows else f"{count} numbers, one for each element"


def _columns(value: Any) -> Sequence[Any] | None:
    """Return the values of the elements of an array, the last axis; None for anything but a sequence."""
    if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, np.ndarray)) or np.shape(value[:1]) == ():
        return None
    if not len(value) or not np.ndim(value[0]):
        return list(value)
    try:
        return list(np.transpose(value))
    except ValueError:  # rows of unequal length
        return None


def elements_of(arrays: Mapping[str, Sequence[str]], names: Sequence[str]) -> list[str]:
    """Return names, with the names of the elements of an array in its place."""
    return [element for name in names for element in (arrays.get(name) or [name])]
