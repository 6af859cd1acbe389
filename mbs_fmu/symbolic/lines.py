"""Places on polylines that are nearest to a point of their plane: data, expressions that look them up, and values.

The place follows from a search, so its derivative counts as zero. Formulas improve it by steps of Newton's method,
which have the right derivatives.
"""

from __future__ import annotations

import numpy as np

from ..infrastructure.frozen_arrays import FrozenArray
from .expressions import Expression

HEAD = 3  #: numbers before the vertices; `kernels/library.py` contains the same number
MOST_PAIRS = 1 << 20  #: pairs of a place and a piece that are compared at once

LineData = tuple[FrozenArray, int]  #: numbers as in `kernels/library.py`, and the number of vertices


def line_data(first: float, step: float, vertices: np.ndarray) -> LineData:
    """Return the data of a polyline. first, step: parameter of the first vertex, and its difference between neighbours.

    vertices: (n, 2), m, two or more.
    """
    longest = float(np.linalg.norm(np.diff(vertices, axis=0), axis=1).max())
    return FrozenArray(np.append([first, step, longest], np.ravel(vertices))), len(vertices)


def nearest(data: LineData, x: Expression, y: Expression) -> Expression:
    """Return the parameter of the place that is nearest to (x, y), m; beyond an end, that on its continuation."""
    return Expression("nearest", (x, y), data)


def nearest_values(x: np.ndarray, y: np.ndarray, data: LineData) -> np.ndarray:
    """Return `nearest` for arrays, (n,), by comparing all pieces; NaN at places that are not finite."""
    (first, step, _), n = data[0][:HEAD], data[1]
    vertices = np.reshape(data[0][HEAD:], (n, 2))
    pieces, places = np.diff(vertices, axis=0), np.column_stack([x, y])
    low, high = np.zeros(n - 1), np.ones(n - 1)
    low[0], high[-1] = -np.inf, np.inf  # of the result, not of the search
    found = np.full(len(places), np.nan)
    chunk = max(1, MOST_PAIRS // n)
    for k in range(0, len(places), chunk):
        beyond = places[k : k + chunk, None] - vertices[:-1]
        share = np.einsum("npk,pk->np", beyond, pieces) / np.square(pieces).sum(axis=1)
        inside = np.clip(share, 0.0, 1.0)
        best = np.square(beyond - inside[:, :, None] * pieces).sum(axis=2).argmin(axis=1)
        found[k : k + chunk] = first + step * (best + np.clip(share, low, high)[np.arange(len(best)), best])
    return np.where(np.isfinite(places).all(axis=1), found, np.nan)
