"""Checks of the numbers that users give; every message names the thing, the value and the remedy."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ModelError
from ..expressions import ZERO, Expression, is_literal
from ..messages import message
from .parts import Body, Range
from .vectors import number


def finite_number(value: Any, thing: str) -> float:
    if isinstance(value, (str, bytes)):  # float would read it
        raise ModelError(f"{thing} must be a number, not the text {value!r}")
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{thing} must be a number, not {value!r}") from None
    if not math.isfinite(value):
        raise ModelError(f"{thing} is {value!r}: give a finite number")
    return value


def text(value: Any, thing: str) -> str:
    if not isinstance(value, str):
        raise ModelError(f"{thing} must be a text, not {value!r}")
    return value


def true_or_false(value: Any, thing: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise ModelError(f"{thing} is {value!r}: use True or False")
    return bool(value)


def number_array(value: Any, thing: str) -> np.ndarray:
    """Numbers of any shape, finite or not."""
    try:
        if value is None or np.asarray(value).dtype.kind in "US":
            raise TypeError
        return np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{thing} must be numbers, not {value!r}") from None


def no_less_than_zero(value: Any, thing: str, *, positive: bool = False) -> Expression:
    """A number or an expression; ModelError for a literal below zero, or not above it where it must be `positive`."""
    expression = number(value, thing)
    if is_literal(expression) and (expression.value < 0 or positive and expression.value == 0):
        raise ModelError(f"{thing} is {expression.value!r}: it must {'be positive' if positive else 'not be negative'}")
    return expression


def signal_range(low: float | None, high: float | None, nominal: float | None, thing: str) -> Range:
    for value, what in ((low, "min"), (high, "max"), (nominal, "nominal")):
        if value is not None:
            finite_number(value, f"{what} of {thing}")
    if low is not None and high is not None and low > high:
        raise ModelError(f"{thing}: min {low!r} lies above max {high!r}")
    return Range(low, high, nominal)


def check_range(value: float, low: float | None, high: float | None, what: str, thing: str) -> None:
    """ModelError when the value is outside its bounds."""
    if low is not None and value < low or high is not None and value > high:
        bounds = {"low": -math.inf if low is None else low, "high": math.inf if high is None else high}
        raise ModelError(message("out_of_range", what=what, thing=thing, value=value, **bounds))


def start_numbers(value: Any, count: int, thing: str) -> tuple[float, ...]:
    single = isinstance(value, (str, bytes)) or not isinstance(value, Iterable)
    items = [value] if single or isinstance(value, np.ndarray) and value.ndim == 0 else list(value)
    if len(items) != count:
        raise ModelError(f"{thing}: its joint has {count} of them, {len(items)} given")
    return tuple(finite_number(x, thing) for x in items)


def rotation_matrix(value: Any, thing: str) -> np.ndarray:
    """A 3x3 rotation from a matrix or a quaternion (w first), child to parent coordinates."""
    try:
        R = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{thing} must be numbers: a 3x3 matrix or a quaternion, w first") from None
    if R.shape == (4,):
        norm = float(np.linalg.norm(R))
        if not 1e-6 < norm < math.inf:
            raise ModelError(f"{thing}: the quaternion {value!r} has no direction")
        w, x, y, z = R / norm
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
    if R.shape != (3, 3):
        raise ModelError(f"{thing} has shape {R.shape}: give a 3x3 matrix or a quaternion, w first")
    if not np.all(np.isfinite(R)):
        raise ModelError(f"{thing} has an entry that is not finite")
    if np.abs(R.T @ R - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0:
        raise ModelError(f"{thing} is not a rotation: its columns must be orthonormal and right-handed")
    return orthonormal(R)


def orthonormal(R: np.ndarray) -> np.ndarray:
    """The rotation next to a matrix that is one to some six digits: its polar factor, by Newton and Schulz.

    Each step squares the error. Unlike the singular value decomposition it keeps zeros where a principal axis stays.
    """
    for _ in range(3):
        R = R + 0.5 * R @ (np.eye(3) - R.T @ R)
    return R


SLACK = 1e-9  #: part of the largest principal moment by which digits that are left out may break an inequality
ROUNDING = 1e-15  #: kg m², of moments that should be zero


def checked_body(body: Body) -> Body:
    """The body, no moment of inertia less than zero by rounding.

    ModelError for a mass or an inertia, as far as they are literal, that no body can have.
    """
    _check_mass(body)
    inertia = [list(row) for row in body.inertia]
    for k in range(3):
        if is_literal(inertia[k][k]) and inertia[k][k].value < 0.0:
            inertia[k][k] = ZERO
    return replace(body, inertia=inertia)


def _check_mass(body: Body) -> None:
    if is_literal(body.mass) and body.mass.value < 0:
        raise ModelError(f"mass of body {body.name!r} is {body.mass.value!r}: it must not be negative")
    moments = principal_moments(body)
    if moments is None:
        return
    if moments[0] < -SLACK * moments[2] - ROUNDING:
        raise ModelError(f"inertia of body {body.name!r} has the negative principal moment {moments[0]:.6g}")
    broken = broken_triangle(body)
    if broken and body.physical:
        raise ModelError(
            f"{broken}; each must be at most the sum of the other two (is it about the centre of mass? "
            "physical=False takes it as it is)"
        )


def broken_triangle(body: Body) -> str:
    """In words, how a literal inertia breaks the triangle inequality; empty where it doesn't."""
    moments = principal_moments(body)
    if moments is None or moments[0] + moments[1] >= (1.0 - SLACK) * moments[2] - ROUNDING:
        return ""
    shown = ", ".join(f"{x:.6g}" for x in moments)
    return f"inertia of body {body.name!r} breaks the triangle inequality: principal moments {shown}"


def principal_moments(body: Body) -> np.ndarray | None:
    """Of a literal inertia, the smallest first."""
    entries = [x for row in body.inertia for x in row]
    if not all(is_literal(x) for x in entries):
        return None
    return np.linalg.eigvalsh(np.array([x.value for x in entries]).reshape(3, 3))
