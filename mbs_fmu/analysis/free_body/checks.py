"""Checks of the arguments of the free body's functions, by their names."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ...infrastructure.errors import ModelError

Function = TypeVar("Function", bound=Callable[..., Any])

MEANINGS: dict[str, tuple[tuple[int, ...], str]] = {
    "theta": ((6, 6), "make the 6x6 inertia with inertia_matrix"),
    "q": ((6,), "give the position (m), then three angles (rad)"),
    "q_dot": ((6,), "give the rates of the position and of the three angles"),
    "q_ddot": ((6,), "give the second derivatives of the position and of the three angles"),
    "V": ((6,), "give the velocity of the origin, then the angular velocity"),
    "wrench": ((6,), "give the force, then the moment about the origin, in body axes"),
    "alpha": ((3,), "give three angles (rad) in the order of turning"),
    "alpha_dot": ((3,), "give the rates of three angles (rad/s) in the order of turning"),
    "omega": ((3,), "give the angular velocity in body axes"),
    "moment": ((3,), "give the moment in body axes"),
    "gravity": ((3,), "give the acceleration in base axes"),
    "point": ((3,), "give a point of the line (m), relative to the origin and in its axes"),
    "com": ((3,), "give the position of the centre of mass in body axes"),
    "C": ((3, 3), "give a rotation matrix, body to base coordinates"),
}  #: shape and remedy of arguments that have the same shape in all functions


def sized(value: Any, shape: tuple[int, ...], name: str, remedy: str) -> np.ndarray:
    """Return an array of real or complex numbers of a given shape. Raises ModelError."""
    array = numeric(value, name, remedy)
    if array.shape != shape:
        raise ModelError(f"{name} has shape {array.shape}, not {shape}: {remedy}")
    return array


def numeric(value: Any, name: str, remedy: str) -> np.ndarray:
    """Return an array of real or complex numbers. Raises ModelError."""
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "fciu":
        raise ModelError(f"{name} is {value!r}, not made of numbers: {remedy}")
    return array if array.dtype.kind in "fc" else array.astype(float)


def checked(function: Function) -> Function:
    """Decorate a function: arguments with names in MEANINGS become arrays of their shapes, or raise ModelError."""
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        arrays = [_checked(name, value) for name, value in zip(names, args, strict=False)]
        return function(*arrays, *args[len(names) :], **{name: _checked(name, value) for name, value in kwargs.items()})

    return wrapper  # type: ignore[return-value]


def _checked(name: str, value: Any) -> Any:
    if name not in MEANINGS:
        return value
    shape, remedy = MEANINGS[name]
    if isinstance(value, np.ndarray) and value.shape == shape and value.dtype.kind in "fc":
        return value
    return sized(value, shape, name, remedy)
