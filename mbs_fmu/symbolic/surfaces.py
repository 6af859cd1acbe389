"""Smooth interpolation: natural cubic splines of one variable, cubic B-splines of two, and their expressions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .expressions import ZERO, Expression, as_expression, clip
from .splines import DEGREE, Numbers
from .tables import table_data

Grid = tuple[float, float, int]  #: first point, distance of points, number of points
CurveData = tuple[tuple[float, ...], tuple[float, ...]]  #: knots with that of the last interval, coefficients
SurfaceData = tuple[Grid, Grid, tuple[float, ...], int, int]  #: grids, coefficients, orders of the derivatives

#: Coefficients of the powers 0 to 3 of the place in a cell in the four B-splines that overlap there, times 6.
BASIS = np.array([(1, -3, 3, -1), (4, 0, -6, 3), (1, 3, 3, -3), (0, 0, 0, 1)])


def curve(x: object, points: Sequence[float], values: Sequence[float]) -> Expression:
    """Smooth interpolation of `values` over `points` (strictly increasing), continued linearly beyond the ends.

    It is the natural cubic spline, whose first and second derivatives are continuous everywhere.
    """
    return curve_and_slope(x, points, values)[0]


def curve_and_slope(x: object, points: Sequence[float], values: Sequence[float]) -> tuple[Expression, Expression]:
    """Return `curve` and its derivative with respect to x."""
    value, slope, _ = curve_derivatives(curve_data(*table_data(points, values)), x)
    return value, slope


def curve_data(knots: Numbers, values: Numbers) -> CurveData:
    """Return the data of `curve` through values at knots, both (n,).

    The last interval, in which only the last knot lies, is as wide as the others are on average. At equal distances of
    the knots, the search for the interval then succeeds at its first guess.
    """
    points = tuple(map(float, knots))
    return (*points, points[-1] + (points[-1] - points[0]) / (len(points) - 1)), natural_coefficients(knots, values)


def curve_derivatives(data: CurveData, x: object) -> tuple[Expression, Expression, Expression]:
    """Return a curve and its first and second derivatives; beyond the ends the curve is straight."""
    at, (knots, _) = as_expression(x), data
    inside = clip(at, knots[0], knots[-2])
    value, slope, bend = (Expression("spline", (inside,), (*data, order)) for order in range(3))
    return value + slope * (at - inside), slope, bend


def curve_values(data: CurveData, x: np.ndarray, order: int = 0) -> np.ndarray:
    """Return the values of a curve, or of a derivative, at places, (n,); beyond the ends the curve is straight."""
    knots, rows = np.asarray(data[0]), np.reshape(data[1], (-1, DEGREE + 1))
    inside = np.clip(x, knots[0], knots[-2])
    k = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, len(rows) - 1)
    values: np.ndarray = np.zeros(len(x))
    for power in range(DEGREE, order - 1, -1):
        values = values * (inside - knots[k]) + math.perm(power, order) * rows[k, power]
    return values + curve_values(data, inside, 1) * (x - inside) if order == 0 else values


def natural_coefficients(knots: Numbers, values: Numbers) -> tuple[float, ...]:
    """Return the coefficients of powers 0 to 3 of the distance from the first knot of each interval, and of a last one.

    The last interval continues the curve in a straight line. The second derivatives M vanish at both ends and solve
    h_(k-1) M_(k-1) + 2 (h_(k-1) + h_k) M_k + h_k M_(k+1) = 6 (s_k - s_(k-1)), with the widths h and the slopes s of the
    intervals (de Boor, A Practical Guide to Splines, chapter IV).
    """
    h, y = np.diff(np.asarray(knots, dtype=float)), np.asarray(values, dtype=float)
    slopes, bend = np.diff(y) / h, np.zeros(len(y))
    bend[1:-1] = tridiagonal(h[:-1], 2.0 * (h[:-1] + h[1:]), h[1:], 6.0 * np.diff(slopes))
    first = slopes - h * (2.0 * bend[:-1] + bend[1:]) / 6.0
    rows = np.column_stack([y[:-1], first, bend[:-1] / 2.0, np.diff(bend) / (6.0 * h)])
    last = slopes[-1] + h[-1] * bend[-2] / 6.0
    return (*map(float, rows.ravel()), float(y[-1]), float(last), 0.0, 0.0)


def tridiagonal(lower: np.ndarray, middle: np.ndarray, upper: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the solution of equations with three dominant diagonals, by elimination; right: (n,) or (n, columns).

    The first entry of `lower` and the last one of `upper` are not used.
    """
    n = len(middle)
    pivot, x = np.array(middle, dtype=float), np.array(right, dtype=float)
    for k in range(1, n):
        factor = lower[k] / pivot[k - 1]
        pivot[k] -= factor * upper[k - 1]
        x[k] -= factor * x[k - 1]
    for k in range(n - 1, -1, -1):
        x[k] = (x[k] - (upper[k] * x[k + 1] if k + 1 < n else 0.0)) / pivot[k]
    return x


def b_spline_coefficients(values: np.ndarray) -> np.ndarray:
    """Return the coefficients of the cubic B-spline through values at equal distances, (n, ...) to (n + 2, ...).

    The second derivative vanishes at both ends.
    """
    n = len(values)
    c = np.array(values, dtype=float)
    if n > 2:
        right = 6.0 * c[1:-1]
        right[0] -= c[0]
        right[-1] -= c[-1]
        ones = np.ones(n - 2)
        c[1:-1] = tridiagonal(ones, 4.0 * ones, ones, right)
    return np.concatenate([2.0 * c[:1] - c[1:2], c, 2.0 * c[-1:] - c[-2:-1]])


def surface_data(x: Grid, y: Grid, heights: np.ndarray) -> SurfaceData:
    """Return the data of the surface through heights on a grid, (number of x, number of y)."""
    coefficients = b_spline_coefficients(b_spline_coefficients(heights).T).T
    return x, y, tuple(map(float, coefficients.ravel())), 0, 0


def surface(data: SurfaceData, x: Expression, y: Expression, order_x: int = 0, order_y: int = 0) -> Expression:
    """Return the surface, or a partial derivative of it, as an expression; x and y must lie on the grid."""
    if max(order_x, order_y) > DEGREE:
        return ZERO
    return Expression("surface", (x, y), (*data[:3], order_x, order_y))


def surface_slope(e: Expression, x: Expression, y: Expression, dx: Expression, dy: Expression) -> Expression:
    """Return the tangent of a surface."""
    *_, order_x, order_y = e.value
    return surface(e.value, x, y, order_x + 1, order_y) * dx + surface(e.value, x, y, order_x, order_y + 1) * dy


def surface_number(x: float, y: float, data: SurfaceData) -> float:
    """Return the value of a surface at numbers; `kernels/library.py` contains the same formula."""
    return float(surface_values(np.array([x]), np.array([y]), data)[0])


def surface_values(x: np.ndarray, y: np.ndarray, data: SurfaceData) -> np.ndarray:
    """Return the values of a surface at n places, x and y of shape (n,); NaN at places that are not finite."""
    of_x, of_y, coefficients, order_x, order_y = data
    (i, along), (j, across) = (_weights(p, grid, k) for p, grid, k in ((x, of_x, order_x), (y, of_y, order_y)))
    table = np.reshape(coefficients, (of_x[2] + 2, of_y[2] + 2))
    four = np.arange(DEGREE + 1)
    patches = table[(i[:, None] + four)[:, :, None], (j[:, None] + four)[:, None, :]]
    return np.asarray(np.einsum("nk,nkl,nl->n", along, patches, across))


def _weights(x: np.ndarray, grid: Grid, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of the cells, (n,), and the weights of their four coefficients, (n, 4)."""
    first, step, count = grid
    s = np.where(np.isfinite(x), (x - first) / step, np.nan)
    cell = np.clip(np.nan_to_num(s), 0, count - 2).astype(int)
    powers = np.column_stack([_power(s - cell, k, order) for k in range(DEGREE + 1)])
    return cell, powers @ BASIS.T / (6.0 * step**order)


def _power(u: np.ndarray, k: int, order: int) -> np.ndarray:
    """Return the derivative of order `order` of u to the power k."""
    return math.perm(k, order) * u ** (k - order) if k >= order else 0.0 * u
