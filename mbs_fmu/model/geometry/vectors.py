"""Checks of numbers and vectors that users pass."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import Expression, as_expression, is_condition, is_literal
from ...symbolic.graph import leaves
from ...symbolic.units import in_unit
from ...symbolic.vectors import NO_VECTORS
from ...symbolic.vectors import Vector as Vector
from ..references.leaves import Signal


def is_list(value: Any) -> bool:
    """True if a value is a sequence or an array, but not a text."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def traced(function: Any, thing: str, *arguments: Any) -> Any:
    """Return the value of a user's function for expressions as arguments. Raises ModelError if it fails."""
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError as error:
        wanted = f"{len(arguments)} argument{'s' * (len(arguments) != 1)}"
        raise ModelError(f"{thing} must be a function of {wanted}: {error}") from None
    except ValueError:
        pass  # some functions written in C have no signature
    try:
        return function(*arguments)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{thing} can't be traced ({error}): use mbs.sin, mbs.where, ... in it") from error


def numbers(value: Any, count: int, thing: str, unit: str | Sequence[str] | None = None) -> Vector:
    """Return `count` finite numbers or expressions as a vector. unit: see `number`; one for all, or one for each.

    Raises ModelError, with `thing` as its name.
    """
    wanted = f"{thing} must be {count} numbers" + " such as (0, 0, 1)" * (count == 3)
    try:
        items = None if isinstance(value, (*NO_VECTORS, Mapping)) else list(value)
    except TypeError:
        items = None
    if items is None:
        raise ModelError(f"{wanted}, not {display(value)}")
    if len(items) != count:
        raise ModelError(f"{wanted}: got {len(items)}, {display(value)}")
    units = [unit] * count if unit is None or isinstance(unit, str) else unit
    return Vector(number(x, entry(thing, k + 1, count), units[k]) for k, x in enumerate(items))


def entry(thing: str, k: int, count: int) -> str:
    """Return the name of number k of several in messages."""
    return f"{thing}, number {k}," if count > 1 else thing


def number(value: Any, thing: str, unit: str | None = None) -> Expression:
    """Return a finite number or an expression. Raises ModelError, with `thing` as its name, for anything else.

    unit: SI unit of the number, if known; then a text such as "30 deg" may state the number in any compatible unit.
    """
    if isinstance(value, (bool, np.bool_)):
        raise ModelError(
            f"{thing} is {value}, not a number: == and != do not compare expressions; give "
            "mbs.where(mbs.abs(x - y) < tolerance, 1, 0), or 1 or 0"
        )
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
    """Return an array of numbers, of any shape, finite or not. Raises ModelError for anything else."""
    try:
        if value is None or np.asarray(value).dtype.kind in "US":
            raise TypeError
        return np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{thing} must be numbers, not {display(value)}") from None


def length_of_parameters(value: Any, thing: str) -> Expression:
    """Return a length in m: a number or an expression of parameters. Raises ModelError for anything else."""
    return of_parameters(number(value, thing, "m"), thing)


def of_parameters(expression: Expression, thing: str) -> Expression:
    """Return the expression. Raises ModelError if it depends on anything but parameters."""
    for reference in leaves([expression]):
        if not (isinstance(reference, Signal) and reference.role == "parameter"):
            raise ModelError(f"{thing} depends on {reference}: it may depend on parameters only")
    return expression


def inertia_matrix(value: Any, thing: str) -> list[list[Expression]]:
    """Return the rows of an inertia matrix (kg m²) that is passed as 3 principal moments, as 6 numbers (xx, xy, xz, yy,
    yz, zz) or as symmetric 3x3 matrix. Raises ModelError for anything else."""
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
    """Return a number or an expression. Raises ModelError for a negative literal and, if `positive`, for zero."""
    expression = number(value, thing, unit)
    if is_literal(expression) and (expression.value < 0 or positive and expression.value == 0):
        raise ModelError(f"{thing} is {expression.value!r}: it must {'be positive' if positive else 'not be negative'}")
    return expression
