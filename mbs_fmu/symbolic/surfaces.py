"""Smooth interpolation: natural cubic splines of one variable, cubic B-splines of two, and their expressions."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..infrastructure.frozen_arrays import FrozenArray, Numbers
from .expressions import ZERO, Expression, as_expression, clip
from .splines import DEGREE
from .tables import table_data

Grid = tuple[float, float, int]  #: first point, distance of points, number of points
Lines = Grid | FrozenArray  #: places of lines: a grid, or numbers at any distances, two or more, increasing
CurveData = tuple[FrozenArray, FrozenArray]  #: knots with that of the last interval, coefficients
SurfaceData = tuple[Grid, Lines, FrozenArray, int, int]  #: lines along both, coefficients, orders of the derivatives

#: Operations on surfaces: over a grid, and over lines at unequal distances along y.
SURFACES = ("surface", "uneven_surface")
#: Coefficients of the powers 0 to 3 of the place in a cell in the four B-splines that overlap there, times 6.
BASIS = np.array([(1, -3, 3, -1), (4, 0, -6, 3), (1, 3, 3, -3), (0, 0, 0, 1)])
FEW = 16  #: columns of equations below which Python's floats are faster than numpy's rows


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
    points = np.asarray(knots, dtype=float)
    end = points[-1] + (points[-1] - points[0]) / (len(points) - 1)
    return FrozenArray(np.append(points, end)), natural_coefficients(knots, values)


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


def natural_coefficients(knots: Numbers, values: Numbers) -> FrozenArray:
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
    return FrozenArray.taking(np.append(rows, [y[-1], last, 0.0, 0.0]))


def tridiagonal(lower: np.ndarray, middle: np.ndarray, upper: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the solution of equations with three dominant diagonals, by elimination; right: (n,) or (n, columns).

    The first entry of `lower` and the last one of `upper` are not used. Few columns are eliminated one by one in
    Python's floats, many together in rows of numpy; both give the same bits.
    """
    n, above = len(middle), upper.tolist()
    pivots, factors = middle.tolist(), [0.0] * n
    for k, below in enumerate(lower.tolist()[1:n], start=1):
        factors[k] = below / pivots[k - 1]
        pivots[k] -= factors[k] * above[k - 1]
    x = np.array(right, dtype=float)
    if x.ndim > 1 and x.shape[1] >= FEW:
        _eliminate(x, factors, above, pivots)
        return x
    for column in x.T[None] if x.ndim == 1 else x.T:
        numbers = column.tolist()
        _eliminate(numbers, factors, above, pivots)
        column[:] = numbers
    return x


def _eliminate(x: Any, factors: list[float], upper: list[float], pivots: list[float]) -> None:
    """Solve equations for one column of numbers, or for rows of an array, in place."""
    n = len(pivots)
    for k in range(1, n):
        x[k] -= factors[k] * x[k - 1]
    for k in range(n - 1, -1, -1):
        x[k] = (x[k] - (upper[k] * x[k + 1] if k + 1 < n else 0.0)) / pivots[k]


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


def uneven_coefficients(values: np.ndarray, knots: FrozenArray) -> np.ndarray:
    """Return the coefficients of the cubic B-spline through values at knots, (n, ...) to (n + 2, ...).

    The second derivative vanishes at both ends. The equations are those of the values; the first and the last
    coefficient follow from those of the second derivatives.
    """
    basis, width = basis_of_cells(knots), knots[-1] - knots[-2]
    rows = np.vstack([basis[:, :3, 0], basis[-1, 1:] @ width ** np.arange(DEGREE + 1)])
    first, last = basis[0, :3, 2], basis[-1, 1:, 2] + 3.0 * width * basis[-1, 1:, 3]
    lower, middle, upper = rows.T.copy()
    middle[0] -= lower[0] * first[1] / first[0]
    upper[0] -= lower[0] * first[2] / first[0]
    middle[-1] -= upper[-1] * last[1] / last[2]
    lower[-1] -= upper[-1] * last[0] / last[2]
    c = tridiagonal(lower, middle, upper, values)
    ends = -(first[1] * c[:1] + first[2] * c[1:2]) / first[0], -(last[0] * c[-2:-1] + last[1] * c[-1:]) / last[2]
    return np.concatenate([ends[0], c, ends[1]])


@functools.lru_cache(maxsize=8)
def basis_of_cells(knots: FrozenArray) -> np.ndarray:
    """Return the four cubic B-splines that overlap in each cell between knots, (cells, 4, 4).

    The last axis is that of the coefficients of the powers 0 to 3 of the distance from the cell's first knot. They
    follow from the recursion of de Boor and Cox (de Boor, A Practical Guide to Splines, chapter IX). Beyond the ends
    the knots go on at the distance of the last two.
    """
    places, cells = extended(knots), len(knots) - 1
    at = np.arange(DEGREE, DEGREE + cells)  # the number of each cell's first knot
    basis = np.ones((cells, 1, 1))
    for degree in range(1, DEGREE + 1):
        above = np.zeros((cells, degree + 1, degree + 1))
        for k in range(degree):
            start, end = places[at - degree + 1 + k], places[at + 1 + k]
            share = basis[:, k] / (end - start)[:, None]
            rise, fall = (places[at] - start)[:, None] * share, (end - places[at])[:, None] * share
            above[:, k, :-1] += fall
            above[:, k, 1:] -= share
            above[:, k + 1, :-1] += rise
            above[:, k + 1, 1:] += share
        basis = above
    basis.flags.writeable = False
    return basis


def extended(knots: FrozenArray) -> np.ndarray:
    """Return knots with three more at each end, which go on at the distance of the last two."""
    more, y = np.arange(1, DEGREE + 1), knots.array
    return np.concatenate([y[0] - more[::-1] * (y[1] - y[0]), y, y[-1] + more * (y[-1] - y[-2])])


def surface_data(x: Grid, y: Grid | FrozenArray | np.ndarray, heights: np.ndarray) -> SurfaceData:
    """Return the data of the surface through heights, (number of x, number of y), on lines along x and y.

    x: a grid. y: a grid, or an array of the places of two or more lines at any distances, increasing, (number of y,).
    The surface has continuous second derivatives, which vanish across its border.
    """
    if isinstance(y, tuple):
        across = b_spline_coefficients(heights.T).T
        return x, y, FrozenArray.taking(b_spline_coefficients(across).ravel()), 0, 0
    knots = y if isinstance(y, FrozenArray) else FrozenArray(y)
    across = uneven_coefficients(heights.T, knots).T
    return x, knots, FrozenArray.taking(b_spline_coefficients(across).ravel()), 0, 0


def surface(data: SurfaceData, x: Expression, y: Expression, order_x: int = 0, order_y: int = 0) -> Expression:
    """Return the surface, or a partial derivative of it, as an expression; x and y must lie on the grid."""
    return _derived(SURFACES[isinstance(data[1], FrozenArray)], data, x, y, order_x, order_y)


def _derived(op: str, data: Any, x: Expression, y: Expression, order_x: int, order_y: int) -> Expression:
    """Return a derivative of a surface; data: `SurfaceData`, or those of a surface in the record."""
    return ZERO if max(order_x, order_y) > DEGREE else Expression(op, (x, y), (*data[:3], order_x, order_y))


def surface_slope(e: Expression, x: Expression, y: Expression, dx: Expression, dy: Expression) -> Expression:
    """Return the tangent of a surface."""
    *_, order_x, order_y = e.value
    along, across = ((order_x + 1, order_y), (order_x, order_y + 1))
    return _derived(e.op, e.value, x, y, *along) * dx + _derived(e.op, e.value, x, y, *across) * dy


def surface_number(x: float, y: float, data: SurfaceData) -> float:
    """Return the value of a surface at numbers; `kernels/library.py` contains the same formula."""
    return float(surface_values(np.array([x]), np.array([y]), data)[0])


def surface_values(x: np.ndarray, y: np.ndarray, data: SurfaceData) -> np.ndarray:
    """Return the values of a surface at n places, x and y of shape (n,); NaN at places that are not finite."""
    of_x, of_y, coefficients, order_x, order_y = data
    (i, along), (j, across) = _weights(x, of_x, order_x), _weights(y, of_y, order_y)
    table = coefficients.array.reshape(of_x[2] + 2, -1)
    four = np.arange(DEGREE + 1)
    patches = table[(i[:, None] + four)[:, :, None], (j[:, None] + four)[:, None, :]]
    return np.asarray(np.einsum("nk,nkl,nl->n", along, patches, across))


def surface_grid(x: np.ndarray, y: np.ndarray, data: SurfaceData) -> np.ndarray:
    """Return the values of a surface where lines along both cross, x of shape (n,) and y of shape (m,), as (n, m)."""
    of_x, of_y, coefficients, order_x, order_y = data
    (i, along), (j, across) = _weights(x, of_x, order_x), _weights(y, of_y, order_y)
    table = coefficients.array.reshape(of_x[2] + 2, -1)
    rows = sum(along[:, k, None] * table[i + k] for k in range(DEGREE + 1))
    return np.asarray(sum(across[:, k] * rows[:, j + k] for k in range(DEGREE + 1)))


def _weights(x: np.ndarray, lines: Lines, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of the cells, (n,), and the weights of their four coefficients, (n, 4)."""
    if isinstance(lines, FrozenArray):
        cell = np.clip(np.searchsorted(lines.array, x, side="right") - 1, 0, len(lines) - 2)
        h = np.where(np.isfinite(x), x, np.nan) - lines.array[cell]
        powers = np.column_stack([_power(h, k, order) for k in range(DEGREE + 1)])
        return cell, np.einsum("nbk,nk->nb", basis_of_cells(lines)[cell], powers)
    first, step, count = lines
    s = np.where(np.isfinite(x), (x - first) / step, np.nan)
    cell = np.clip(np.nan_to_num(s), 0, count - 2).astype(int)
    powers = np.column_stack([_power(s - cell, k, order) for k in range(DEGREE + 1)])
    return cell, powers @ BASIS.T / (6.0 * step**order)


def _power(u: np.ndarray, k: int, order: int) -> np.ndarray:
    """Return the derivative of order `order` of u to the power k."""
    return math.perm(k, order) * u ** (k - order) if k >= order else 0.0 * u
