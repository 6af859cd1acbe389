"""Rotation vectors between frames and between axes, which assembly makes zero; their only zero is the closed joint.

A rotation vector points along the axis of a rotation; its length is the angle, at most half a turn (pi). Where the
angle is half a turn, both directions of the axis are equally near, and one is chosen. Conditions on directions, by
contrast, also hold after half a turn.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...symbolic.expressions import Expression, atan2, max, sqrt, where
from ..geometry.vectors import Vector
from .conditions import Turn

TINY = 1e-14  #: sine below which the axis of a rotation is rounding
NEAR_HALF = -0.5  #: cosine below which the axis is that of the symmetric part of the matrix, which is then accurate


def along(turn: Vector, axis: Vector) -> Turn:
    """Return the component of a rotation vector along a unit vector."""
    return Turn(turn.dot(axis), axis)


def rotation_to(a: Vector, b: Vector, across: Vector) -> Vector:
    """Return the rotation vector (rad) of the least rotation from the unit vector a to b.

    across: a unit vector normal to a, the axis if b is opposite to a.
    """
    normal, cosine = a.cross(b), a.dot(b)
    sine = normal.norm()
    angle = atan2(sine, cosine)
    factor = angle / max(sine, TINY)
    return _either(sine > TINY, normal * factor, _either(cosine > 0.0, normal, across * angle))


def rotation_between(a: Sequence[Vector], b: Sequence[Vector]) -> Vector:
    """Return the rotation vector (rad) of the rotation that maps the axes a (three unit vectors) to the axes b.

    With the angle t and the axis n, the sum of a_k x b_k is 2 n sin t, that of a_k . b_k is 1 + 2 cos t, and
    (C + C')/2 - I cos t = (1 - cos t) n n' for the matrix C of all a_i . b_j.
    """
    crosses = [x.cross(y) for x, y in zip(a, b, strict=True)]
    normal = (crosses[0] + crosses[1] + crosses[2]) * 0.5
    cosine = (a[0].dot(b[0]) + a[1].dot(b[1]) + a[2].dot(b[2]) - 1.0) * 0.5
    sine = normal.norm()
    angle = atan2(sine, cosine)
    small = _either(sine > TINY, normal * (angle / max(sine, TINY)), normal)
    return _either(cosine > NEAR_HALF, small, _axis(a, b, normal, cosine) * angle)


def _axis(a: Sequence[Vector], b: Sequence[Vector], normal: Vector, cosine: Expression) -> Vector:
    """Return the axis of a rotation by more than a third of a turn: the largest column of (1 - cos t) n n'."""
    columns = []
    for j in range(3):
        entries = [(a[i].dot(b[j]) + a[j].dot(b[i])) * 0.5 - (cosine if i == j else 0.0) for i in range(3)]
        columns.append((entries[j], a[0] * entries[0] + a[1] * entries[1] + a[2] * entries[2]))
    (x, first), (y, second), (z, third) = columns
    column = _either(x >= max(y, z), first, _either(y >= z, second, third))
    column = column * (1.0 / sqrt(max(column.dot(column), TINY)))
    return column * where(column.dot(normal) >= 0.0, 1.0, -1.0)


def _either(condition: Expression, first: Vector, second: Vector) -> Vector:
    return Vector(where(condition, x, y) for x, y in zip(first, second, strict=True))
