"""Nearest places of two segments."""

from __future__ import annotations

from ...symbolic.expressions import ZERO, Expression, clip, max, where
from ...symbolic.polyhedra import PARALLEL
from ...symbolic.vectors import Vector


def nearest_places(
    u: Vector, half_a: Expression, v: Vector, half_b: Expression, w: Vector, start: Expression = ZERO
) -> tuple[Expression, Expression]:
    """Return the coordinates s and t (m) along two segments, from their centres, of their nearest points (G9).

    u, v: their unit vectors. half_a, half_b: half their lengths, m. w: from the centre of the second one to that of the
    first one, m. start: coordinate on the first one, m: of parallel segments, the pair of nearest points closest to it.
    """
    cosine, along_a, along_b = u.dot(v), u.dot(w), v.dot(w)
    square = 1.0 - cosine * cosine  # of the sine of the angle between the segments
    crossing = (cosine * along_b - along_a) / max(square, PARALLEL)
    s = clip(where(square > PARALLEL, crossing, start), -half_a, half_a)
    t = clip(cosine * s + along_b, -half_b, half_b)
    return clip(cosine * t - along_a, -half_a, half_a), t
