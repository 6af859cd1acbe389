"""Piecewise linear tables over one variable: their expressions, slopes, integrals and checks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from ..infrastructure.errors import ModelError
from .expressions import Expression, as_expression, as_float, mod

TableData = tuple[tuple[float, ...], tuple[float, ...]]  #: points and values

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
    x, data = _in_range(x, table_data(points, values), period)
    return Expression("table", (x,), value=data)


def slope(x: Any, points: Sequence[float], values: Sequence[float], period: float | None = None) -> Expression:
    """Derivative of `table` with respect to x: constant between two points; beyond the ends zero, or periodic.

    At a point it is that of the interval above. Raises ModelError as `table` does.
    """
    x, data = _in_range(x, table_data(points, values), period)
    return Expression("slope", (x,), value=data)


def area(x: Any, points: Sequence[float], values: Sequence[float]) -> Expression:
    """Integral of `table` from the first point to x. Raises ModelError as `table` does."""
    return Expression("area", (as_expression(x),), value=table_data(points, values))


def _in_range(x: Any, data: TableData, period: float | None) -> tuple[Expression, TableData]:
    """Return x in the first period, and the table of that period; without a period, both as they are."""
    x, (xs, ys) = as_expression(x), data
    if period is None:
        return x, data
    try:
        period = as_float(period)
    except (TypeError, ValueError) as error:
        raise ModelError(f"the period of a table must be a number: {error}") from None
    if not 0.0 < period < math.inf:
        raise ModelError(f"the period of a table is {period:g}: give a positive, finite number")
    beyond = xs[-1] - xs[0] - period
    if beyond > ROUNDING_SHARE * period:
        raise ModelError(
            f"the points of a table cover {xs[-1] - xs[0]:g}, more than its period {period:g}: leave out the points "
            f"beyond {xs[0] + period:g}, or give a longer period"
        )
    end = xs[0] + period
    if beyond < -ROUNDING_SHARE * period:
        xs, ys = (*xs, end), (*ys, ys[0])
    return xs[0] + mod(x - xs[0], period), ((*xs[:-1], end), ys)


def table_data(points: Sequence[float], values: Sequence[float]) -> TableData:
    """Return the points and values of a table. Raises ModelError unless they are finite and the points increase."""
    try:
        xs, ys = tuple(as_float(p) for p in points), tuple(as_float(v) for v in values)
    except (TypeError, ValueError) as error:
        raise ModelError(f"the points and values of a table must be numbers: {error}") from None
    if len(xs) != len(ys) or len(xs) < 2:
        raise ModelError(f"a table needs two or more points and as many values: got {len(xs)} and {len(ys)}")
    for k, (x, y) in enumerate(zip(xs, ys, strict=True), start=1):
        if not math.isfinite(x) or not math.isfinite(y):
            raise ModelError(f"point {k} of a table is {x:g}, its value {y:g}: give finite numbers")
    for k, (before, x) in enumerate(itertools.pairwise(xs), start=2):
        if not before < x:
            raise ModelError(f"point {k} of a table is {x:g} after {before:g}: the points must be strictly increasing")
    return xs, ys


def areas(points: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return the integrals of a table from its first point to each point."""
    pieces = [0.5 * (values[k] + values[k + 1]) * (points[k + 1] - points[k]) for k in range(len(points) - 1)]
    return list(itertools.accumulate(pieces, initial=0.0))
