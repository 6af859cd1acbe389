"""The checks of numbers and vectors that users give."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import ModelError
from ...messages.failures import display
from ...symbolic.expressions import Expression, as_expression, is_condition, is_literal
from ...symbolic.graph import leaves
from ...symbolic.vectors import Vector as Vector
from ..references.leaves import Signal
from ..units import in_unit


def is_list(value: Any) -> bool:
    """True if a value is made of several, and no text."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def traced(function: Any, thing: str, *arguments: Any) -> Any:
    """The value of a user's function of expressions; ModelError where it can't take them."""
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError as error:
        wanted = f"{len(arguments)} argument{'s' * (len(arguments) != 1)}"
        raise ModelError(f"{thing} must be a function of {wanted}: {error}") from None
    except ValueError:
        pass  # of some functions written in C nothing is known
    try:
        return function(*arguments)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{thing} can't be traced ({error}): use mbs.sin, mbs.where, ... in it") from error


def numbers(value: Any, count: int, thing: str, unit: str | Sequence[str] | None = None) -> Vector:
    """`count` finite numbers or expressions, or ModelError that names the thing. unit: see `number`; one, or each."""
    wanted = f"{thing} must be {count} numbers" + " such as (0, 0, 1)" * (count == 3)
    try:
        items = None if isinstance(value, (str, bytes, Mapping)) else list(value)
    except TypeError:
        items = None
    if items is None:
        raise ModelError(f"{wanted}, not {display(value)}")
    if len(items) != count:
        raise ModelError(f"{wanted}: got {len(items)}, {display(value)}")
    units = [unit] * count if unit is None or isinstance(unit, str) else unit
    return Vector(number(x, entry(thing, k + 1, count), units[k]) for k, x in enumerate(items))


def entry(thing: str, k: int, count: int) -> str:
    """Number k of several, in messages."""
    return f"{thing}, number {k}," if count > 1 else thing


def number(value: Any, thing: str, unit: str | None = None) -> Expression:
    """One finite number or an expression, or ModelError that names the thing.

    unit: where it is known, a text such as "30 deg" may give the number in any unit of that kind.
    """
    try:
        expression = as_expression(in_unit(value, unit, thing))
    except TypeError:
        raise ModelError(f"{thing} must be a number or an expression, not {display(value)}") from None
    if is_condition(expression):
        raise ModelError(
            f"{thing} is a condition, not a number: give mbs.where(condition, 1, 0), or the difference of both sides"
        )
    if is_literal(expression) and not math.isfinite(expression.value):
        raise ModelError(f"{thing} is {display(value)}: give a finite number")
    return expression


def number_array(value: Any, thing: str) -> np.ndarray:
    """Numbers of any shape, finite or not."""
    try:
        if value is None or np.asarray(value).dtype.kind in "US":
            raise TypeError
        return np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{thing} must be numbers, not {display(value)}") from None


def length_of_parameters(value: Any, thing: str) -> Expression:
    """A length in m: a number, or an expression of parameters alone. ModelError for anything else."""
    return of_parameters(number(value, thing, "m"), thing)


def of_parameters(expression: Expression, thing: str) -> Expression:
    """The expression; ModelError where it depends on anything but parameters."""
    for reference in leaves([expression]):
        if not (isinstance(reference, Signal) and reference.role == "parameter"):
            raise ModelError(f"{thing} depends on {reference}: it may depend on parameters only")
    return expression


def inertia_matrix(value: Any, thing: str) -> list[list[Expression]]:
    """3 principal moments, 6 numbers (xx, xy, xz, yy, yz, zz) or a symmetric 3x3 matrix as rows."""
    rows: Sequence[Any] = list(value) if is_list(value) else []
    if len(rows) == 3 and all(is_list(row) for row in rows):
        matrix = [list(numbers(row, 3, f"row {i} of {thing}", "kg.m2")) for i, row in enumerate(rows, start=1)]
        largest = max((abs(x.value) for row in matrix for x in row if is_literal(x)), default=0.0)
        for i in range(3):
            for j in range(i):
                a, b = matrix[i][j], matrix[j][i]
                if is_literal(a) and is_literal(b) and abs(a.value - b.value) > 1e-12 * largest:
                    raise ModelError(f"{thing} is not symmetric: entry ({i + 1}, {j + 1}) is {a!r}, its mirror {b!r}")
                matrix[i][j] = b
        return matrix
    if len(rows) == 3:
        a, b, c = numbers(rows, 3, thing, "kg.m2")
        zero = as_expression(0.0)
        return [[a, zero, zero], [zero, b, zero], [zero, zero, c]]
    if len(rows) == 6:
        xx, xy, xz, yy, yz, zz = numbers(rows, 6, thing, "kg.m2")
        return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    raise ModelError(
        f"{thing} must be 3 principal moments, 6 numbers (xx, xy, xz, yy, yz, zz) or a 3x3 matrix: {display(value)}"
    )


def no_less_than_zero(value: Any, thing: str, unit: str | None = None, *, positive: bool = False) -> Expression:
    """A number or an expression; ModelError for a literal below zero, or not above it where it must be `positive`."""
    expression = number(value, thing, unit)
    if is_literal(expression) and (expression.value < 0 or positive and expression.value == 0):
        raise ModelError(f"{thing} is {expression.value!r}: it must {'be positive' if positive else 'not be negative'}")
    return expression
