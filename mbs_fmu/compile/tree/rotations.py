"""Operations on constant rotations: apply them to vectors, remove rounding, factor them into planar rotations.

A planar rotation is one about a principal axis. Rotations that depend on parameters (symbolic/rotations.py) can be
applied to vectors too, but are not factored.
"""

from __future__ import annotations

import math

import numpy as np

from ...mechanics.links import LinkMotion
from ...model.geometry.axes import SNAP
from ...model.geometry.vectors import Vector
from ...symbolic.expressions import Expression
from ...symbolic.rotations import by_parameters
from ...symbolic.spatial import PLANE

IDENTITY = np.eye(3).tobytes()


def rotate(R: np.ndarray, v: Vector) -> Vector:
    """Return R v for a constant rotation R; exact where R is exact."""
    if R.tobytes() == IDENTITY:
        return v
    return Vector(Vector(R[i]).dot(v) for i in range(3))


def rotate_matrix(R: np.ndarray, m: list[list[Expression]]) -> list[list[Expression]]:
    """Return R m Rᵀ for a constant rotation R."""
    if R.tobytes() == IDENTITY:
        return m
    left = [[Vector(R[i]).dot([m[k][j] for k in range(3)]) for j in range(3)] for i in range(3)]
    return [[Vector(left[i]).dot(R[j]) for j in range(3)] for i in range(3)]


def snapped(R: np.ndarray) -> np.ndarray:
    """Return a unit vector, or a matrix of unit rows, without rounding: principal axes become exact.

    Expressions stay unchanged.
    """
    if by_parameters(R):
        return R
    cleared = np.where(np.abs(R) < SNAP, 0.0, R)
    alone = np.count_nonzero(cleared, axis=-1, keepdims=True) == 1
    return np.where(alone, np.sign(cleared), cleared)


def planar_factors(R: np.ndarray, first: LinkMotion | None) -> tuple[list[tuple[int, float]], float]:
    """Factor R into planar rotations (axis, angle), outermost first, and an offset of the first joint angle.

    If the link's first motion is a rotation about axis a, the last factor is also about a. Its angle becomes the offset
    unless it is a multiple of 90 degrees.
    """
    spins = first is not None and first.motion.spins
    axis = first.axis if first is not None and first.motion.spins else 2
    factors = _single_factor(R, axis)
    if factors is None:
        b, d = PLANE[axis]
        # R = Ra(alpha) Rb(beta) Ra(gamma)
        alpha = math.atan2(R[b, axis], -R[d, axis]) if sine(R[:, axis], axis) > SNAP else 0.0
        half = elementary(axis, alpha).T @ R
        beta = math.atan2(-half[d, axis], half[axis, axis])
        rest = elementary(b, beta).T @ half
        gamma = math.atan2(rest[d, b], rest[b, b])
        factors = [(axis, alpha), (b, beta), (axis, gamma)]
    factors = [(a, angle) for a, angle in factors if abs(math.remainder(angle, 2 * math.pi)) > SNAP]
    offset = 0.0
    absorbable = bool(factors) and spins and factors[-1][0] == axis
    if absorbable and quarters(factors[-1][1]) is None:
        offset = factors.pop()[1]
    return factors, offset


def _single_factor(R: np.ndarray, preferred: int) -> list[tuple[int, float]] | None:
    for axis in (preferred, *PLANE[preferred]):
        if R[axis, axis] > 0.0 and sine(R[:, axis], axis) < SNAP:
            b, d = PLANE[axis]
            return [(axis, math.atan2(R[d, b], R[b, b]))]
    return None


def elementary(axis: int, angle: float) -> np.ndarray:
    """Return the rotation matrix about a principal axis."""
    b, d = PLANE[axis]
    R = np.eye(3)
    c, s = math.cos(angle), math.sin(angle)
    R[b, b] = R[d, d] = c
    R[d, b], R[b, d] = s, -s
    return snapped(R)


def quarters(angle: float) -> int | None:
    """Return the number of quarter turns (0..3) of an angle, or None if it is not a multiple of 90 degrees."""
    count = round(angle / (math.pi / 2))
    return count % 4 if abs(angle - count * math.pi / 2) < SNAP else None


def sine(direction: np.ndarray, axis: int) -> float:
    """Return the sine of the angle between a unit vector and a principal axis, which is accurate for small angles."""
    b, d = PLANE[axis]
    return math.hypot(direction[b], direction[d])
