"""Periodic cubic splines: their coefficients, and their expressions."""

from __future__ import annotations

import bisect
import math

import numpy as np

from ..infrastructure.frozen_arrays import FrozenArray, Numbers
from .expressions import ZERO, Expression, as_expression

DEGREE = 3
SplineData = tuple[FrozenArray, FrozenArray, int]  #: knots, coefficients, order of the derivative


def periodic_spline(x: Expression, knots: Numbers, values: Numbers) -> Expression:
    """Return the periodic cubic spline through values at knots, as an expression of x.

    knots: n + 1, increasing; the period is the last minus the first. values: n, at all knots but the last. The first
    and second derivatives are continuous; `derivative` supports all derivatives.
    """
    coefficients = FrozenArray(periodic_coefficients(knots, values))
    return Expression("spline", (as_expression(x),), value=(FrozenArray(knots), coefficients, 0))


def periodic_coefficients(knots: Numbers, values: Numbers) -> np.ndarray:
    """Return the coefficients of the powers 0 to 3 of the distance from the interval's knot, (n, 4).

    The second derivatives M solve h_(k-1) M_(k-1) + 2 (h_(k-1) + h_k) M_k + h_k M_(k+1) = 6 (s_k - s_(k-1)), with the
    widths h and the slopes s of the intervals and periodic k (de Boor, A Practical Guide to Splines, chapter IV).
    """
    h, y = np.diff(np.asarray(knots, dtype=float)), np.asarray(values, dtype=float)
    slopes = (np.roll(y, -1) - y) / h
    index, n = np.arange(len(y)), len(y)
    matrix = np.zeros((n, n))
    before = np.roll(h, 1)
    np.add.at(matrix, (index, index), 2.0 * (before + h))
    np.add.at(matrix, (index, (index - 1) % n), before)
    np.add.at(matrix, (index, (index + 1) % n), h)
    bend = np.linalg.solve(matrix, 6.0 * (slopes - np.roll(slopes, 1)))
    after = np.roll(bend, -1)
    return np.column_stack([y, slopes - h * (2.0 * bend + after) / 6.0, bend / 2.0, (after - bend) / (6.0 * h)])


def spline_slope(spline: Expression, x: Expression, rate: Expression) -> Expression:
    """Return the tangent of a spline at x: its next derivative times `rate`; zero for the third derivative."""
    knots, coefficients, order = spline.value
    if order == DEGREE:
        return ZERO
    return Expression("spline", (x,), (knots, coefficients, order + 1)) * rate


def spline_number(x: float, data: SplineData) -> float:
    """Return the value of a spline at a number; `kernels/library.py` contains the same formula."""
    knots, coefficients, order = data
    period = knots[-1] - knots[0]
    h = x - math.trunc((x - knots[0]) / period) * period
    h = h + period if h < knots[0] else h
    k = min(max(bisect.bisect_right(knots, h) - 1, 0), len(knots) - 2)
    powers = np.polynomial.Polynomial(coefficients[4 * k : 4 * k + 4])
    return float(powers.deriv(order)(h - knots[k])) if order else float(powers(h - knots[k]))
