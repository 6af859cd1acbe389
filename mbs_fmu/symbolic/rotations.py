"""Rotations as arrays, 3x3, child to parent: of numbers, or of expressions where they depend on parameters.

Products, transposes and columns are those of numpy for both; what only numbers can do asks `by_parameters` first.
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
NEAR = 1e-9  #: by which entries of RᵀR may be off for formulas to count as a rotation


def rotation_array(rows: Iterable[Iterable[Any]]) -> np.ndarray:
    """Of numbers where all entries are literal, else of expressions."""
    entries = [list(Vector(row)) for row in rows]
    if all(is_literal(x) for row in entries for x in row):
        return np.array([[x.value for x in row] for row in entries])
    return np.array(entries, dtype=object)


def by_parameters(R: np.ndarray) -> bool:
    """Whether there are expressions in an array."""
    return R.dtype == object


def entries_of(R: np.ndarray) -> Vector:
    """The nine entries, row by row."""
    return Vector(R.ravel().tolist())


def values_of(R: np.ndarray, lookup: Callable[[Any], float]) -> np.ndarray:
    """The numbers, (3, 3); `lookup` gives each leaf by its reference. What is not finite is so in the array."""
    return values_along(entries_of(R), 1, lookup).reshape(3, 3)


def rebuilt(R: np.ndarray, change: Callable[[Vector], Vector]) -> np.ndarray:
    """With other entries, where these are expressions."""
    return rotation_array(np.reshape(np.array(change(entries_of(R)), dtype=object), (3, 3))) if by_parameters(R) else R


def deviation(R: np.ndarray) -> Any:
    """The sum of squares of RᵀR - E, an expression."""
    columns = [Vector(column) for column in R.T]
    off = [columns[i].dot(columns[j]) - float(i == j) for i in range(3) for j in range(i, 3)]
    return Vector(off).dot(off)


def determinant(R: np.ndarray) -> Any:
    """Of an array of expressions."""
    a, b, c = (Vector(column) for column in R.T)
    return a.cross(b).dot(c)


def is_always_one(R: np.ndarray) -> bool:
    """Whether expressions are a rotation whatever their parameters are, as those from angles: tried at some values."""
    drawn = np.random.default_rng(0)
    entries = entries_of(R)
    values = {reference: drawn.uniform(-1.0, 1.0, TRIALS) for reference in leaves(entries)}
    tried = values_along(entries, TRIALS, values.__getitem__).reshape(-1, 3, 3)
    tried = tried[np.isfinite(tried).all(axis=(1, 2))]  # the others are outside the formulas' domain
    off = np.abs(tried.swapaxes(1, 2) @ tried - np.eye(3))
    return len(tried) > 0 and bool((off <= NEAR).all() and (np.linalg.det(tried) > 0.0).all())
