"""Nearest features of convex polyhedra: their data, expressions that look them up, and values.

A feature is a face, an edge or a vertex. Its data are a row of ROW numbers: a point of it (m), the unit vector along an
edge or zeros, the outward unit normal of a face or zeros, and the length of an edge (m) or zero. The number of the
feature that is nearest to a place is constant between places at which it changes, so its derivative is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..infrastructure.frozen_arrays import FrozenArray
from .expressions import Expression, as_expression
from .vectors import Vector

OPERATIONS = ("feature", "edge", "entry")  #: numbers of nearest features and edges, and numbers in rows of features
ROW = 10  #: numbers of a feature; `kernels/library.py` contains the same number
PARALLEL = 1e-12  #: square of the sine of an angle below which two segments count as parallel
Counts = tuple[int, int, int]  #: of faces, edges and vertices
FeatureData = tuple[FrozenArray, int, int, int]  #: rows of all faces, edges and vertices, and their counts


class Polyhedron:
    """Convex polyhedron. features: (features, ROW), faces first, then edges, then vertices. counts: of these kinds."""

    def __init__(self, features: np.ndarray, counts: Counts):
        self.data: FeatureData = (FrozenArray(features), *counts)

    @property
    def reach(self) -> float:
        """Distance of the farthest vertex from the origin, m."""
        first = self.data[1] + self.data[2]
        return float(np.linalg.norm(rows_of(self.data)[first:, :3], axis=1).max())

    def nearest_feature(self, place: Sequence[Expression]) -> Expression:
        """Return the number of the feature that is nearest to a place (m); inside, that of the nearest face."""
        return Expression("feature", tuple(map(as_expression, place)), self.data)

    def nearest_edge(self, middle: Sequence[Expression], half: Sequence[Expression]) -> Expression:
        """Return the number of the edge that is nearest to the segment from middle - half to middle + half (m)."""
        return Expression("edge", tuple(map(as_expression, [*middle, *half])), self.data)

    def row(self, feature: Expression) -> tuple[Vector, Vector, Vector, Expression]:
        """Return point (m), direction, normal and length (m) of a feature."""
        x = [Expression("entry", (feature,), (*self.data, k)) for k in range(ROW)]
        return Vector(x[:3]), Vector(x[3:6]), Vector(x[6:9]), x[9]


def rows_of(data: FeatureData) -> np.ndarray:
    """Return the features of a polyhedron, (features, ROW)."""
    return np.reshape(data[0], (-1, ROW))


def feature_values(places: np.ndarray, data: FeatureData) -> np.ndarray:
    """Return the number of the nearest feature for each place, (n, 3) to (n,); `kernels/library.py` has the same."""
    rows, faces, edges = rows_of(data), data[1], data[2]
    heights = np.einsum("nfk,fk->nf", places[:, None] - rows[:faces, :3], rows[:faces, 6:9])
    found = heights.argmax(axis=1)
    height = heights.max(axis=1)
    feet = places - height[:, None] * rows[found, 6:9]
    above = np.einsum("nfk,fk->nf", feet[:, None] - rows[:faces, :3], rows[:faces, 6:9])
    above[np.arange(len(places)), found] = 0.0
    beside = (height > 0.0) & (above.max(axis=1) > 0.0)
    lines = places[:, None] - rows[faces:, :3]
    along = np.einsum("nfk,fk->nf", lines, rows[faces:, 3:6])
    squares = np.square(lines - along[:, :, None] * rows[faces:, 3:6]).sum(axis=2)
    outside = (along[:, :edges] <= 0.0) | (along[:, :edges] >= rows[faces : faces + edges, 9])
    squares[:, :edges][outside] = np.inf
    return np.asarray(np.where(beside, faces + squares.argmin(axis=1), found), dtype=float)


def edge_values(middles: np.ndarray, halves: np.ndarray, data: FeatureData) -> np.ndarray:
    """Return the number of the nearest edge for each segment, both (n, 3), to (n,); the library has the same."""
    rows, faces, edges = rows_of(data), data[1], data[2]
    of_edges = rows[faces : faces + edges]
    u, half = of_edges[:, 3:6], 0.5 * of_edges[:, 9]
    length = np.sqrt(np.square(halves).sum(axis=1))[:, None]
    w = of_edges[:, :3] + half[:, None] * u - middles[:, None]
    v = halves / length
    cosine, along_a, along_b = v @ u.T, np.einsum("nfk,fk->nf", w, u), np.einsum("nfk,nk->nf", w, v)
    square = 1.0 - cosine * cosine
    s = np.clip(
        np.where(square > PARALLEL, (cosine * along_b - along_a) / np.maximum(square, PARALLEL), 0), -half, half
    )
    t = np.clip(cosine * s + along_b, -length, length)
    s = np.clip(cosine * t - along_a, -half, half)
    lines = w + u * s[:, :, None] - v[:, None] * t[:, :, None]
    return np.asarray(faces + np.square(lines).sum(axis=2).argmin(axis=1), dtype=float)


def polyhedron_values(op: str, args: Sequence[np.ndarray], data: Any) -> np.ndarray:
    """Return the values of one of OPERATIONS, (n,). args: (n,) each. data: the value of the node."""
    columns = np.column_stack(args)
    if op == "feature":
        return feature_values(columns, data)
    if op == "edge":
        return edge_values(columns[:, :3], columns[:, 3:], data)
    return np.asarray(rows_of(data[:4])[columns[:, 0].astype(int), data[4]])
