"""Three (or more) expressions as one vector, and the checks of numbers that users give."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import ModelError
from ..expressions import ZERO, Expression, as_expression, is_condition, is_literal, sqrt


class Vector(tuple[Expression, ...]):
    """A fixed number of expressions with vector arithmetic; index from 0 as usual in Python."""

    def __new__(cls, items: Iterable[Any]) -> Vector:
        return super().__new__(cls, [x if isinstance(x, Expression) else as_expression(x) for x in items])

    def __add__(self, other: Any) -> Vector:  # type: ignore[override]
        return Vector(a + b for a, b in zip(self, Vector(other), strict=True))

    def __radd__(self, other: Any) -> Vector:
        return Vector(other) + self

    def __sub__(self, other: Any) -> Vector:
        return Vector(a - b for a, b in zip(self, Vector(other), strict=True))

    def __rsub__(self, other: Any) -> Vector:
        return Vector(other) - self

    def __mul__(self, factor: Any) -> Vector:  # type: ignore[override]
        return Vector(a * factor for a in self)

    __rmul__ = __mul__  # type: ignore[assignment]

    def __truediv__(self, divisor: Any) -> Vector:
        return Vector(a / divisor for a in self)

    def __neg__(self) -> Vector:
        return Vector(-a for a in self)

    def dot(self, other: Iterable[Any]) -> Expression:
        """Scalar product."""
        return sum((a * b for a, b in zip(self, Vector(other), strict=True)), start=ZERO)

    def cross(self, other: Iterable[Any]) -> Vector:
        """Vector product of three components."""
        a, b = self, Vector(other)
        return Vector((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))

    def norm(self) -> Expression:
        """Euclidean length."""
        return sqrt(self.dot(self))


def rotation_of(quaternion: Vector) -> Vector:
    """The rotation matrix, row by row, of a quaternion (w first) of any length but zero."""
    w, x, y, z = quaternion
    k = 2.0 / quaternion.dot(quaternion)
    return Vector(
        (
            1.0 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y),
            k * (x * y + w * z), 1.0 - k * (x * x + z * z), k * (y * z - w * x),
            k * (x * z - w * y), k * (y * z + w * x), 1.0 - k * (x * x + y * y),
        )
    )  # fmt: skip


def numbers(value: Any, count: int, thing: str) -> Vector:
    """`count` finite numbers or expressions, or ModelError that names the thing."""
    try:
        items = list(value)
    except TypeError:
        raise ModelError(f"{thing} must be {count} numbers, not {value!r}") from None
    if len(items) != count:
        raise ModelError(f"{thing} must be {count} numbers: got {len(items)}, {_short(value)}")
    return Vector(number(x, thing) for x in items)


def number(value: Any, thing: str) -> Expression:
    """One finite number or an expression, or ModelError that names the thing."""
    try:
        expression = as_expression(value)
    except TypeError:
        raise ModelError(f"{thing} must be a number or an expression, not {value!r}") from None
    if is_condition(expression):
        raise ModelError(
            f"{thing} is a condition, not a number: give mbs.where(condition, 1, 0), or the difference of both sides"
        )
    if is_literal(expression) and not math.isfinite(expression.value):
        raise ModelError(f"{thing} is {value!r}: give a finite number")
    return expression


def inertia_matrix(value: Any, thing: str) -> list[list[Expression]]:
    """3 principal moments, 6 numbers (xx, xy, xz, yy, yz, zz) or a symmetric 3x3 matrix as rows."""
    rows: Sequence[Any] = list(value) if not isinstance(value, (str, bytes)) and hasattr(value, "__len__") else []
    if len(rows) == 3 and all(hasattr(row, "__len__") for row in rows):
        matrix = [list(numbers(row, 3, thing)) for row in rows]
        largest = max((abs(x.value) for row in matrix for x in row if is_literal(x)), default=0.0)
        for i in range(3):
            for j in range(i):
                a, b = matrix[i][j], matrix[j][i]
                if is_literal(a) and is_literal(b) and abs(a.value - b.value) > 1e-12 * largest:
                    raise ModelError(f"{thing} is not symmetric: entry ({i + 1}, {j + 1}) is {a!r}, its mirror {b!r}")
                matrix[i][j] = b
        return matrix
    if len(rows) == 3:
        a, b, c = numbers(rows, 3, thing)
        zero = as_expression(0.0)
        return [[a, zero, zero], [zero, b, zero], [zero, zero, c]]
    if len(rows) == 6:
        xx, xy, xz, yy, yz, zz = numbers(rows, 6, thing)
        return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    raise ModelError(
        f"{thing} must be 3 principal moments, 6 numbers (xx, xy, xz, yy, yz, zz) or a 3x3 matrix: {_short(value)}"
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 80 else text[:77] + "..."
