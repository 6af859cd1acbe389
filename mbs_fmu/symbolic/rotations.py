"""Rotations as arrays, 3x3, child to parent: of numbers, or of expressions if they depend on parameters.

numpy's products, transposes and columns work for both; functions for numbers only check `by_parameters` first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .arrays import values_along
from .expressions import is_literal
from .graph import leaves
from .vectors import Vector

TRIALS = 20  #: values of the parameters at which formulas are tried
NEAR = 1e-9  #: largest deviation of entries of RᵀR from the unit matrix for formulas that count as a rotation


def rotation_array(rows: Iterable[Iterable[Any]]) -> np.ndarray:
    """Return an array of numbers if all entries are literals, otherwise of expressions."""
    entries = [list(Vector(row)) for row in rows]
    if all(is_literal(x) for row in entries for x in row):
        return np.array([[x.value for x in row] for row in entries])
    return np.array(entries, dtype=object)


def by_parameters(R: np.ndarray) -> bool:
    """True if an array contains expressions."""
    return R.dtype == object


def entries_of(R: np.ndarray) -> Vector:
    """Entries of a rotation, row by row."""
    return Vector(R.ravel().tolist())


def values_of(R: np.ndarray, lookup: Callable[[Any], float]) -> np.ndarray:
    """Return the numbers, (3, 3), which may be infinite or nan. lookup: value of a leaf by its reference."""
    return values_along(entries_of(R), 1, lookup).reshape(3, 3)


def rebuilt(R: np.ndarray, change: Callable[[Vector], Vector]) -> np.ndarray:
    """Return the rotation with changed entries if these are expressions, otherwise the rotation itself."""
    return rotation_array(np.reshape(np.array(change(entries_of(R)), dtype=object), (3, 3))) if by_parameters(R) else R


def deviation(R: np.ndarray) -> Any:
    """Sum of squares of RᵀR - E, an expression."""
    columns = [Vector(column) for column in R.T]
    off = [columns[i].dot(columns[j]) - float(i == j) for i in range(3) for j in range(i, 3)]
    return Vector(off).dot(off)


def determinant(R: np.ndarray) -> Any:
    """Determinant of an array of expressions."""
    a, b, c = (Vector(column) for column in R.T)
    return a.cross(b).dot(c)


def is_always_one(R: np.ndarray) -> bool:
    """True if expressions are a rotation for all values of their parameters, tested at random values."""
    rng = np.random.default_rng(0)
    entries = entries_of(R)
    values = {reference: rng.uniform(-1.0, 1.0, TRIALS) for reference in leaves(entries)}
    samples = values_along(entries, TRIALS, values.__getitem__).reshape(-1, 3, 3)
    samples = samples[np.isfinite(samples).all(axis=(1, 2))]  # the others are outside the formulas' domain
    deviations = np.abs(samples.swapaxes(1, 2) @ samples - np.eye(3))
    return len(samples) > 0 and bool((deviations <= NEAR).all() and (np.linalg.det(samples) > 0.0).all())


def quaternion(R: np.ndarray) -> np.ndarray:
    """Return the unit quaternion of a rotation, w first; it is computed from its largest component."""
    q = np.array([1.0 + np.trace(R), R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if np.trace(R) <= 0.0:
        i = int(np.argmax(np.diag(R)))
        j, k = (i + 1) % 3, (i + 2) % 3
        q = np.zeros(4)
        q[0], q[1 + i] = R[k, j] - R[j, k], 1.0 + R[i, i] - R[j, j] - R[k, k]
        q[1 + j], q[1 + k] = R[j, i] + R[i, j], R[k, i] + R[i, k]
    return np.asarray(q / np.linalg.norm(q))
