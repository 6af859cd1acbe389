"""Nearest features of convex polyhedra in CasADi: `nearest_feature` and `nearest_edge` of kernels/library.py."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...symbolic.polyhedra import PARALLEL, Counts


def nearest_feature(ca: Any, rows: np.ndarray, counts: Counts, place: Any) -> Any:
    """Return the number of the feature that is nearest to a place, (3, 1); inside, that of the nearest face.

    rows: numbers of all features, (features, ROW). ca: the package casadi.
    """
    faces, edges, _ = counts
    normals, offsets = rows[:faces, 6:9], (rows[:faces, 6:9] * rows[:faces, :3]).sum(axis=1)
    heights = ca.mtimes(ca.DM(normals), place) - ca.DM(offsets)
    height, face = _least(ca, ((-heights[k], k) for k in range(faces)))
    normal = ca.vertcat(*(ca.pw_const(face, ca.DM(np.arange(1, faces) - 0.5), ca.DM(column)) for column in normals.T))
    above = ca.mtimes(ca.DM(normals), place + height * normal) - ca.DM(offsets)
    beside = ca.mmax(ca.vertcat(*(ca.if_else(face == k, -1.0, above[k]) for k in range(faces))))
    lines = [place - ca.DM(row[:3]) for row in rows[faces:]]
    along = [ca.dot(line, ca.DM(row[3:6])) for line, row in zip(lines, rows[faces:], strict=True)]
    squares = [
        ca.sumsqr(line - t * ca.DM(row[3:6])) for line, t, row in zip(lines, along, rows[faces:], strict=True)
    ]  # fmt: skip
    for k, t in enumerate(along[:edges]):
        inside = ca.logic_and(t > 0.0, t < rows[faces + k, 9])
        squares[k] = ca.if_else(inside, squares[k], ca.inf)
    _, other = _least(ca, ((square, faces + k) for k, square in enumerate(squares)))
    return ca.if_else(ca.logic_and(height < 0.0, beside > 0.0), other, face)


def nearest_edge(ca: Any, rows: np.ndarray, counts: Counts, line: Any) -> Any:
    """Return the number of the edge that is nearest to a segment; line: its middle and half of it, (6, 1)."""
    faces, edges, _ = counts
    middle, half_b = line[:3], ca.norm_2(line[3:])
    v = line[3:] / half_b
    squares = []
    for row in rows[faces : faces + edges]:
        u, half_a = ca.DM(row[3:6]), 0.5 * row[9]
        w = ca.DM(row[:3] + half_a * row[3:6]) - middle
        cosine, along_a, along_b = ca.dot(u, v), ca.dot(u, w), ca.dot(v, w)
        square = 1.0 - cosine * cosine
        crossing = (cosine * along_b - along_a) / ca.fmax(square, PARALLEL)
        s = _limited(ca, ca.if_else(square > PARALLEL, crossing, 0.0), half_a)
        t = _limited(ca, cosine * s + along_b, half_b)
        s = _limited(ca, cosine * t - along_a, half_a)
        squares.append(ca.sumsqr(w + u * s - v * t))
    return _least(ca, ((square, faces + k) for k, square in enumerate(squares)))[1]


def _least(ca: Any, numbered: Iterable[tuple[Any, int]]) -> tuple[Any, Any]:
    """Return the least value and its number."""
    (least, found), *others = numbered
    for value, k in others:
        less = value < least
        least, found = ca.if_else(less, value, least), ca.if_else(less, k, found)
    return least, found


def _limited(ca: Any, x: Any, bound: Any) -> Any:
    return ca.fmin(ca.fmax(x, -bound), bound)
