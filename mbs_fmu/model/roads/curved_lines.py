"""Reference lines of curved roads: smooth curves in the plane, and the places on them that are nearest to points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.errors import ModelError
from ...symbolic.expressions import Expression, sqrt
from ...symbolic.lines import LineData, line_data, nearest, nearest_values
from ...symbolic.surfaces import CurveData, curve_data, curve_derivatives, curve_values, tridiagonal

Pair = tuple[Expression, Expression]  #: components along x and y

RETURN = 100.0  #: 1/s, rate at which errors of the place decay
ERROR = 1e-4  #: m, distance of given places from the curve at which more knots are not worth their time
NOISE = 5e-3  #: m, largest distance of given places from the curve, if more knots would follow the places' noise
NOISY = 0.7  #: share of the largest distance which twice the knots would leave, beyond which it is noise
FIRST_PIECE = 16.0  #: m, longest piece of the curve
STEPS = 30  #: Newton's steps to a foot point at most
ROUNDING = 1e-15  #: step at which a foot point is found, relative to the length of the line


class Foot(NamedTuple):
    """A point and a place u on a line, which is the foot of the point where `along` vanishes (T17).

    tangent: derivative of the place with respect to u. along: product of the tangent and the vector from the place to
    the point, m. slope: minus the derivative of `along` with respect to u. factor: slope over the square of the
    tangent, 1 - κ v with the curvature κ. v: distance of the point from the line, m, positive to its left. left: unit
    vector to the left.
    """

    tangent: Pair
    along: Expression
    slope: Expression
    factor: Expression
    v: Expression
    left: Pair

    @property
    def step(self) -> Expression:
        """Newton's step to the foot point, m."""
        return self.along / self.slope

    def rate(self, velocity: Pair) -> Expression:
        """Return the rate of u, m/s, with which u follows the foot point of a point with a velocity, m/s."""
        along = velocity[0] * self.tangent[0] + velocity[1] * self.tangent[1]
        return (along + RETURN * self.along) / self.slope


class ReferenceLine:
    """A smooth curve c(u) through given places, by cubic splines over knots at equal distances.

    u: (n) m, at equal distances. places: (n, 2), m. The number of pieces is doubled until all places are within ERROR
    of the curve, or within NOISE if more pieces do not help: files often round the places to millimetres, and a curve
    through all of them would have wrong curvatures. Beyond each end its curvature decreases to zero over one piece, and
    then it continues straight. Raises ModelError for places that coincide.
    """

    def __init__(self, u: np.ndarray, places: np.ndarray):
        still = np.flatnonzero(np.linalg.norm(np.diff(places, axis=0), axis=1) == 0.0)
        if len(still):
            raise ModelError(
                f"places of the reference line at u = {u[still[0]]:g} and {u[still[0] + 1]:g} m coincide: they must "
                "follow each other along the line"
            )
        self.ends = float(u[0]), float(u[-1])
        most, count = len(u) - 1, max(1, int(np.ceil((u[-1] - u[0]) / FIRST_PIECE)))
        fit = _fit(u, places, min(count, most))
        while fit.error > ERROR and count < most:
            count *= 2
            finer = _fit(u, places, min(count, most))
            if fit.error <= NOISE and finer.error > NOISY * fit.error:
                break
            fit = finer
        self.error, self.vertices, self.curves = fit
        self.knots = np.asarray(self.curves[0][0][:-1])
        self.step = float(self.knots[1] - self.knots[0])

    @cached_property
    def data(self) -> LineData:
        """The polyline through the knots between both ends, for `nearest`."""
        return line_data(self.ends[0], self.step, self.vertices[1:-1])

    def places(self, u: np.ndarray, order: int = 0) -> np.ndarray:
        """Return c(u), m, or a derivative of it, (n, 2), at places u, (n,), m."""
        return _values(self.curves, u, order)

    def foot(self, u: Expression, x: Expression, y: Expression) -> Foot:
        """Return the place u on the line in relation to the point (x, y), m."""
        (cx, tx, bx), (cy, ty, by) = (curve_derivatives(curve, u) for curve in self.curves)
        dx, dy, square = x - cx, y - cy, tx * tx + ty * ty
        length = sqrt(square)
        left = -ty / length, tx / length
        slope = square - dx * bx - dy * by
        return Foot((tx, ty), dx * tx + dy * ty, slope, slope / square, dx * left[0] + dy * left[1], left)

    def beside(self, u: Expression, v: Expression) -> Pair:
        """Return x and y, m, of the place u, v, m."""
        (cx, tx, _), (cy, ty, _) = (curve_derivatives(curve, u) for curve in self.curves)
        length = sqrt(tx * tx + ty * ty)
        return cx - v * ty / length, cy + v * tx / length

    def nearest(self, x: Expression, y: Expression) -> Expression:
        """Return a value near to u of the place that is nearest to the point (x, y), m: that on straight pieces."""
        return nearest(self.data, x, y)

    def beside_values(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the places u, v, (n,) each, m, as (n, 2), m."""
        tangent = self.places(u, 1)
        left = np.column_stack([-tangent[:, 1], tangent[:, 0]]) / np.linalg.norm(tangent, axis=1)[:, None]
        return np.asarray(self.places(u) + v[:, None] * left)

    def curvature(self, u: np.ndarray) -> np.ndarray:
        """Return the curvature, 1/m, positive in left turns, at places u, (n,), m."""
        (dx, dy), (ddx, ddy) = self.places(u, 1).T, self.places(u, 2).T
        return np.asarray((dx * ddy - dy * ddx) / (dx * dx + dy * dy) ** 1.5)

    def feet(self, points: np.ndarray) -> np.ndarray:
        """Return u of the places that are nearest to points, (n, 2), m."""
        u = nearest_values(points[:, 0], points[:, 1], self.data)
        for _ in range(STEPS):
            beyond, tangent, bend = points - self.places(u), self.places(u, 1), self.places(u, 2)
            slope = np.square(tangent).sum(axis=1) - (beyond * bend).sum(axis=1)
            step = np.clip((beyond * tangent).sum(axis=1) / slope, -self.step, self.step)
            u = u + step
            if np.abs(step).max(initial=0.0) <= ROUNDING * (self.ends[1] - self.ends[0]):
                break
        return u


class Fit(NamedTuple):
    """A curve. error: largest distance of the given places from it, m. vertices: at its knots, (n, 2), m."""

    error: float
    vertices: np.ndarray
    curves: list[CurveData]


def _fit(u: np.ndarray, places: np.ndarray, count: int) -> Fit:
    """Return the curve of `count` pieces between the ends."""
    step = (u[-1] - u[0]) / count
    vertices = _extended(_sampled(places, count))
    curves = [curve_data(u[0] + step * np.arange(-1, count + 2), x) for x in vertices.T]
    return Fit(float(np.linalg.norm(_values(curves, u) - places, axis=1).max()), vertices, curves)


def _values(curves: Sequence[CurveData], u: np.ndarray, order: int = 0) -> np.ndarray:
    return np.column_stack([curve_values(curve, u, order) for curve in curves])


def _sampled(places: np.ndarray, count: int) -> np.ndarray:
    """Return places at `count` + 1 equal distances, by the cubic polynomials through the four places around each."""
    n = len(places)
    at = np.linspace(0.0, n - 1.0, count + 1)
    near = min(n, 4)
    first = np.clip(np.floor(at).astype(int) - 1, 0, n - near)
    x, total = at - first, np.zeros((count + 1, 2))
    for k in range(near):
        others = [j for j in range(near) if j != k]
        weight = np.prod([(x - j) / (k - j) for j in others], axis=0)
        total += weight[:, None] * places[first + k]
    return total


def _extended(values: np.ndarray) -> np.ndarray:
    """Return values at equal distances, (n, 2), with one more at each end: there, natural splines have no end effect.

    The second derivatives M of the spline without them, times the squared distance, solve (M_(k-1) + 4 M_k + M_(k+1))/6
    = the second differences of the values, and are linear over the first two and the last two pieces. In the pieces
    that are added they decrease linearly to zero.
    """
    bend = np.zeros((len(values), 2))
    middle = np.diff(values, 2, axis=0)
    count = len(middle)
    if count:
        diagonal, ones = np.full(count, 4.0), np.ones(count)
        above, below = ones.copy(), ones.copy()
        diagonal[[0, -1]] = 6.0
        above[0] = below[-1] = 0.0
        bend[1:-1] = tridiagonal(below, diagonal, above, 6.0 * middle)
        bend[0] = 2.0 * bend[1] - bend[2] if count > 1 else bend[1]
        bend[-1] = 2.0 * bend[-2] - bend[-3] if count > 1 else bend[-2]
    before = values[0] - (values[1] - values[0]) + (2.0 * bend[0] + bend[1]) / 6.0 + bend[0] / 3.0
    after = values[-1] + (values[-1] - values[-2]) + (2.0 * bend[-1] + bend[-2]) / 6.0 + bend[-1] / 3.0
    return np.vstack([before, values, after])
