"""Checks of the arguments of runs and exports."""

from __future__ import annotations

import math
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
