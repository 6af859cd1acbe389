"""Quaternions, w first: their rotation matrices and rates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .vectors import Vector, scaled


def rotation_rows(q: Iterable[Any], squared: Any = 1.0) -> list[list[Any]]:
    """Return the rows of a quaternion's rotation matrix: R = E + 2/|q|² (w v~ + v~v~).

    q: four floats, arrays or expressions. squared: square of its length.
    """
    w, x, y, z = q
    k = 2.0 / squared
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    wx, wy, wz = w * x, w * y, w * z
    return [
        [1.0 - k * (yy + zz), k * (xy - wz), k * (xz + wy)],
        [k * (xy + wz), 1.0 - k * (xx + zz), k * (yz - wx)],
        [k * (xz - wy), k * (yz + wx), 1.0 - k * (xx + yy)],
    ]


def quaternion_rate(q: Vector, w: Vector) -> Vector:
    """Return the rate of a unit quaternion, q_dot = ½ q (0, w), with the angular velocity w in child axes."""
    imaginary = Vector(q[1:])
    vector = scaled(q[0], w) + imaginary.cross(w)
    scalar = -(q[1] * w[0] + q[2] * w[1] + q[3] * w[2])
    return Vector(0.5 * x for x in (scalar, *vector))
