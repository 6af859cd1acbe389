"""Piecewise linear tables over one variable: their expressions, slopes, integrals, tangents and checks.

The node of a table has x as its operand, and points and values as its data. If the values are numbers of the record
that may change, the node has them as further operands, and None in their place in the data. These are leaves, whose
addresses follow each other in one array.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.frozen_arrays import FrozenArray
from ..record.layout import Load
from .expressions import ZERO, Expression, as_expression, as_float, clip, is_literal, leaf, max, min, mod, where

TableData = tuple[FrozenArray, FrozenArray]  #: points and values

#: Share of the period by which the last point may be beside the end of the first period, by rounding.
ROUNDING_SHARE = 1e-12


def table(x: Any, points: Sequence[float], values: Sequence[float], period: float | None = None) -> Expression:
    """Linear interpolation of `values` over `points`; constant beyond the ends, or periodic.

    period: that of x, in its unit; None: the table is not periodic. With a period, x may have any value, and the points
    cover at most one period. If they cover less, the table runs straight from the last point to the first one of the
    next period. If they cover a whole period and the first and last value differ, the table jumps there.

    Raises ModelError unless there are at least two points and as many values, all finite, and the points strictly
    increase; or if the period is not positive and finite, or shorter than the range of the points.
    """
    x, data = _in_range(x, table_data(points, values), known_period(period))
    return Expression("table", (x,), value=data)


def slope(x: Any, points: Sequence[float], values: Sequence[float], period: float | None = None) -> Expression:
    """Derivative of `table` with respect to x: constant between two points; beyond the ends zero, or periodic.

    At a point it is that of the interval above. Raises ModelError as `table` does.
    """
    x, data = _in_range(x, table_data(points, values), known_period(period))
    return Expression("slope", (x,), value=data)


def area(x: Any, points: Sequence[float], values: Sequence[float]) -> Expression:
    """Integral of `table` from the first point to x. Raises ModelError as `table` does."""
    return Expression("area", (as_expression(x),), value=table_data(points, values))


def _in_range(x: Any, data: TableData, period: float | None) -> tuple[Expression, TableData]:
    """Return x in the first period, and the table of that period; without a period, both as they are."""
    x, (xs, ys) = as_expression(x), data
    if period is None:
        return x, data
    end = xs[0] + period
    if is_open(xs, period):
        xs, ys = FrozenArray(np.append(xs, end)), FrozenArray(np.append(ys, ys[0]))
    return in_first_period(x, xs, period), (FrozenArray(np.append(xs[:-1], end)), ys)


def known_period(period: Any, thing: str = "a table") -> float | None:
    """Return the period of a table, `thing`. Raises ModelError unless it is None, or a positive, finite number."""
    if period is None:
        return None
    try:
        number = as_float(period)
    except (TypeError, ValueError) as error:
        raise ModelError(f"the period of {thing} must be a number: {error}") from None
    if not 0.0 < number < math.inf:
        raise ModelError(f"the period of {thing} is {number:g}: give a positive, finite number")
    return number


def is_open(points: Sequence[float], period: float, thing: str = "a table") -> bool:
    """True if the points of a table, `thing`, cover less than the period. Raises ModelError if they cover more."""
    beyond = points[-1] - points[0] - period
    if beyond > ROUNDING_SHARE * period:
        raise ModelError(
            f"the points of {thing} cover {points[-1] - points[0]:g}, more than its period {period:g}: leave out the "
            f"points beyond {points[0] + period:g}, or give a longer period"
        )
    return beyond < -ROUNDING_SHARE * period


def in_first_period(x: Expression, points: Sequence[float], period: float) -> Expression:
    """Return x less the multiple of the period for which it is in the first period, which begins at the first point."""
    return points[0] + mod(x - points[0], period)


def table_data(points: Sequence[float], values: Sequence[float], thing: str = "a table") -> TableData:
    """Return the points and values of a table. Raises ModelError unless they are finite and the points increase.

    thing: the table in messages.
    """
    try:
        xs, ys = _numbers(points), _numbers(values)
    except (TypeError, ValueError) as error:
        raise ModelError(f"the points and values of {thing} must be numbers: {error}") from None
    if len(xs) != len(ys) or len(xs) < 2:
        raise ModelError(f"{thing} needs two or more points and as many values: got {len(xs)} and {len(ys)}")
    finite = np.isfinite(xs.array) & np.isfinite(ys.array)
    if not finite.all():
        k = int(np.argmin(finite))
        raise ModelError(f"point {k + 1} of {thing} is {xs[k]:g}, its value {ys[k]:g}: give finite numbers")
    increasing = xs[:-1] < xs[1:]
    if not increasing.all():
        k = int(np.argmin(increasing)) + 1
        raise ModelError(
            f"point {k + 1} of {thing} is {xs[k]:g} after {xs[k - 1]:g}: the points must be strictly increasing"
        )
    return xs, ys


def _numbers(values: Any) -> FrozenArray:
    """Return numbers, also those that numpy does not convert. Raises TypeError and ValueError for anything else."""
    if isinstance(values, FrozenArray):
        return values
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "fiu":
        return FrozenArray(values)
    return FrozenArray([as_float(x) for x in values])


def areas(points: Sequence[float], values: Sequence[float]) -> np.ndarray:
    """Return the integrals of a table from its first point to each point."""
    x, y = np.asarray(points, dtype=float), np.asarray(values, dtype=float)
    return np.append(0.0, np.cumsum(0.5 * (y[:-1] + y[1:]) * np.diff(x)))


# -- values that may change --------------------------------------------------------------------------------------


def looked_up(op: str, x: Expression, points: Sequence[float], entries: Sequence[Expression]) -> Expression:
    """Return a "table", or its "slope" or "area", whose values are leaves with consecutive addresses."""
    return Expression(op, (x, *entries), value=(tuple(points), None))


def table_tangent(e: Expression, x: Expression, *others: Expression) -> Expression:
    """Return the tangent of a table, its slope or its area; others: the values, then the tangents of x and of these.

    All three are linear in the values. Tangents of all values are an array, as the values are; otherwise those that are
    not zero have weights.
    """
    values, (dx, *changes) = others[: len(others) // 2], others[len(others) // 2 :]
    by_x = OF_X.get(e.op)
    along = ZERO if by_x is None else Expression(by_x, (x, *values), e.value) * dx
    if changes and all(d.op == "leaf" for d in changes):
        return along + Expression(e.op, (x, *changes), e.value)
    moved = [k for k, d in enumerate(changes) if not is_literal(d, 0.0)]
    points = _points(e.value, len(changes)) if moved else []
    return sum((changes[k] * weight(e.op, x, points, k) for k in moved), along)


#: Derivative with respect to x of each operation.
OF_X = {"table": "slope", "area": "table"}


def _points(data: Any, count: int) -> list[Expression]:
    """Return the points of a table, which are numbers, or numbers of the record from an address on."""
    first = data[0]
    if isinstance(first, Load):
        return [leaf(replace(first, offset=first.offset + k)) for k in range(count)]
    return list(map(as_expression, first))


def weight(op: str, x: Expression, points: Sequence[Expression], k: int) -> Expression:
    """Return the weight of value k in a "table", its "slope" or its "area" at x: the derivative by this value.

    That of a table rises from 0 at the point before to 1 at the point of the value, and falls to 0 at the next one.
    """
    before = points[k - 1] if k else None
    after = points[k + 1] if k + 1 < len(points) else None
    return WEIGHTS[op](x, before, points[k], after)


def _table_weight(x: Expression, a: Expression | None, b: Expression, c: Expression | None) -> Expression:
    rise = as_expression(1.0) if a is None else (x - a) / (b - a)
    fall = as_expression(1.0) if c is None else (c - x) / (c - b)
    return clip(where(x < b, rise, fall), 0.0, 1.0)


def _slope_weight(x: Expression, a: Expression | None, b: Expression, c: Expression | None) -> Expression:
    rise = ZERO if a is None else where(x < a, 0.0, 1.0 / (b - a))
    fall = ZERO if c is None else where(x < c, -1.0 / (c - b), 0.0)
    return where(x < b, rise, fall)


def _area_weight(x: Expression, a: Expression | None, b: Expression, c: Expression | None) -> Expression:
    rise = min(x - b, 0.0) if a is None else 0.5 * (clip(x, a, b) - a) ** 2 / (b - a)
    rest = ZERO if c is None else c - clip(x, b, c)
    fall = max(x - b, 0.0) if c is None else 0.5 * ((c - b) - rest * rest / (c - b))
    return rise + fall


WEIGHTS: dict[str, Callable[..., Expression]] = {
    "table": _table_weight, "slope": _slope_weight, "area": _area_weight,
}  # fmt: skip
