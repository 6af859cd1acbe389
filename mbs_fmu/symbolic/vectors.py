"""Vectors and matrices of expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.messages.failures import display
from .expressions import ZERO, Expression, as_expression, sqrt

#: Types of values that can be iterated but have no order of numbers; with concrete types the test takes nanoseconds.
NO_VECTORS = (str, bytes, set, frozenset, dict)


class Vector(tuple[Expression, ...]):
    """A tuple of expressions with vector arithmetic, indexed from 0. Raises ModelError for anything but numbers."""

    def __new__(cls, items: Iterable[Any]) -> Vector:
        try:
            components = None if isinstance(items, NO_VECTORS) else list(items)
        except TypeError:
            components = None
        if components is None:
            raise ModelError(f"a vector is made of several numbers such as (0, 0, 1), not of {display(items)}")
        return super().__new__(cls, [x if isinstance(x, Expression) else as_expression(x) for x in components])

    def _like(self, other: Any) -> Vector:
        """Return the other operand as a vector. Raises ModelError if it has another length."""
        operand = Vector(other)
        if len(operand) != len(self):
            raise ModelError(f"a vector of {len(self)} numbers and one of {len(operand)} can't be combined")
        return operand

    def __add__(self, other: Any) -> Vector:
        return Vector(a + b for a, b in zip(self, self._like(other), strict=True))

    def __radd__(self, other: Any) -> Vector:
        return Vector(other) + self

    def __sub__(self, other: Any) -> Vector:
        return Vector(a - b for a, b in zip(self, self._like(other), strict=True))

    def __rsub__(self, other: Any) -> Vector:
        return Vector(other) - self

    def __mul__(self, factor: Any) -> Vector:
        if isinstance(factor, (tuple, list)) or (isinstance(factor, np.ndarray) and factor.ndim):
            raise ModelError(
                "a product of two vectors is a.dot(b), a number, or a.cross(b), a vector; * takes a vector and a number"
            )
        return Vector(a * factor for a in self)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Vector:
        return Vector(a / divisor for a in self)

    def __neg__(self) -> Vector:
        return Vector(-a for a in self)

    def dot(self, other: Iterable[Any]) -> Expression:
        """Scalar product."""
        return sum((a * b for a, b in zip(self, self._like(other), strict=True)), start=ZERO)

    def cross(self, other: Iterable[Any]) -> Vector:
        """Return the vector product. Raises ModelError unless both vectors have three components."""
        a, b = self, self._like(other)
        if len(a) != 3:
            raise ModelError(f"a vector product takes vectors of 3 numbers, not of {len(a)}")
        return Vector((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))

    def norm(self) -> Expression:
        """Euclidean length."""
        return sqrt(self.dot(self))


ORIGIN = Vector((0.0, 0.0, 0.0))


class Matrix:
    """A 3x3 matrix of expressions with `m @ v`, `m @ n`, `m + n`, `m - n`, `m.T`; indexed by row and column from 0."""

    __slots__ = ("rows",)

    def __init__(self, rows: Iterable[Iterable[Any]]):
        self.rows = tuple(Vector(row) for row in rows)

    @classmethod
    def of(cls, entry: Callable[[int, int], Any]) -> Matrix:
        """Return the matrix whose entries are a function of row and column."""
        return cls([[entry(i, j) for j in range(3)] for i in range(3)])

    @classmethod
    def columns(cls, columns: Sequence[Vector]) -> Matrix:
        return cls.of(lambda i, j: columns[j][i])

    @classmethod
    def symmetric(cls, upper: Callable[[int, int], Any]) -> Matrix:
        """Return a matrix from its upper triangle, so that symmetric entries share one node."""
        triangle = {(i, j): as_expression(upper(i, j)) for i in range(3) for j in range(i, 3)}
        return cls.of(lambda i, j: triangle[min(i, j), max(i, j)])

    def __getitem__(self, place: tuple[int, int]) -> Expression:
        return self.rows[place[0]][place[1]]

    @property
    def T(self) -> Matrix:
        return Matrix.of(lambda i, j: self[j, i])

    def column(self, j: int) -> Vector:
        return Vector(row[j] for row in self.rows)

    def replaced(self, entries: dict[tuple[int, int], Any]) -> Matrix:
        """Return the matrix with some entries replaced."""
        return Matrix.of(lambda i, j: entries.get((i, j), self[i, j]))

    def __add__(self, other: Matrix) -> Matrix:
        return Matrix(a + b for a, b in zip(self.rows, other.rows, strict=True))

    def __sub__(self, other: Matrix) -> Matrix:
        return Matrix(a - b for a, b in zip(self.rows, other.rows, strict=True))

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Matrix):
            columns = other.T.rows
            return Matrix([row.dot(column) for column in columns] for row in self.rows)
        return Vector(row.dot(other) for row in self.rows)


ZEROS = Matrix([ORIGIN] * 3)
UNIT = Matrix.of(lambda i, j: float(i == j))


def scaled(factor: Expression, v: Vector) -> Vector:
    return Vector(factor * x for x in v)


def skew_times(r: Vector, m: Matrix) -> Matrix:
    """Product r~ m, column by column."""
    return Matrix.columns([r.cross(m.column(j)) for j in range(3)])
