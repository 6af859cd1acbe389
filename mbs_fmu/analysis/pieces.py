"""Tables and splines of formulas of kernels as polynomials between knots; tables whose values may change as sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..symbolic.emit import array_of
from ..symbolic.expressions import ZERO, Expression, as_expression
from ..symbolic.graph import rebuild, remake
from ..symbolic.tables import weight


class Pieces(NamedTuple):
    """A function of one variable x that is a polynomial between knots.

    Piece k is that of knots[k - 1] <= x < knots[k]; the first and the last one have no bound. Its value is the
    polynomial of x - origins[k] with the coefficients powers[0][k], powers[1][k], ... turn: for a periodic function the
    least x and the period, by which x is brought to the first turn; otherwise None.
    """

    knots: np.ndarray
    origins: np.ndarray
    powers: tuple[np.ndarray, ...]
    turn: tuple[float, float] | None = None


def _table(values: np.ndarray, n: int) -> Pieces:
    knots, heights = values[:n], values[n : 2 * n]
    slopes = np.diff(heights) / np.diff(knots)
    return _open(knots, [heights[0], *heights], [0.0, *slopes, 0.0])


def _slope(values: np.ndarray, n: int) -> Pieces:
    knots, heights = values[:n], values[n : 2 * n]
    return _open(knots, [0.0, *(np.diff(heights) / np.diff(knots)), 0.0])


def _area(values: np.ndarray, n: int) -> Pieces:
    knots, heights, areas = values[: 3 * n].reshape(3, n)
    slopes = np.array([0.0, *(np.diff(heights) / np.diff(knots)), 0.0])
    return _open(knots, [0.0, *areas], [heights[0], *heights], 0.5 * slopes)


def _open(knots: np.ndarray, *powers: Sequence[float] | np.ndarray) -> Pieces:
    """Return pieces of which the first is below all knots."""
    return Pieces(knots, np.array([knots[0], *knots]), tuple(map(np.array, powers)))


def _spline(values: np.ndarray, n: int, order: int) -> Pieces:
    knots = values[: n + 1]
    powers = values[n + 1 : 5 * n + 1].reshape(n, 4).T
    for _ in range(order):
        powers = np.arange(1, len(powers))[:, None] * powers[1:]
    return Pieces(knots[1:-1], knots[:-1], tuple(powers), (float(knots[0]), float(knots[-1] - knots[0])))


PIECES: Mapping[str, Callable[..., Pieces]] = {"table": _table, "slope": _slope, "area": _area, "spline": _spline}


def pieces(operation: str, R: np.ndarray, start: int, *numbers: int) -> Pieces:
    """Return the pieces of an operation of formulas; R: the record, start: where the table's numbers begin in it."""
    return PIECES[operation](R[start:], *numbers)


def with_weights(roots: Sequence[Expression], R: np.ndarray) -> list[Expression]:
    """Return formulas of kernels with tables whose values may change as sums of the values with their weights.

    R: the record, with the points of tables.
    """

    def make(node: Expression, args: list[Expression]) -> Expression:
        count = len(array_of(node))
        if not count:
            return remake(node, args)
        start, n = node.value
        points = [as_expression(p) for p in R[start.offset : start.offset + n]]
        terms = (y * weight(node.op, args[0], points, k) for k, y in enumerate(args[1:]))
        return sum(terms, start=ZERO)

    return rebuild(roots, lambda node: None, make)
