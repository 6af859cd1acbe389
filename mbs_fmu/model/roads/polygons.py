"""Points of a polygon through which a cubic spline follows it, without overshoot at its corners."""

from __future__ import annotations

import numpy as np

from ...infrastructure.errors import ModelError

DEVIATION = 5e-5  #: m, largest distance in height of the spline from the polygon
SHARE = 2.0  #: distance of the points at a corner, times its change of slope, over DEVIATION
GROWTH = 0.4  #: increase of the distance of the points, per distance from a corner
STEP = 1e-3  #: m, width of a vertical face
FINEST = 1e-12  #: least distance of the points, over the largest x, which rounding must not reach
MOST = 2_000_000  #: points of a profile


def separated(x: np.ndarray) -> np.ndarray:
    """Return x of vertices whose vertical faces are STEP wide, or half the way to the next vertex, if that is less.

    x: m, increasing, except that the two vertices of a vertical face have the same.
    """
    moved = x.copy()
    for k in np.flatnonzero(np.diff(x) == 0.0) + 1:
        moved[k] += min(STEP, 0.5 * (x[k + 1] - x[k])) if k + 1 < len(x) else STEP
    return moved


def refined(x: np.ndarray, heights: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points of a polygon, m, through which a natural cubic spline deviates from it by at most DEVIATION.

    A spline through the vertices alone overshoots at each corner, and its waves grow where distances do. Points at a
    corner are therefore close, in proportion to DEVIATION over the change of slope, and their distances grow so slowly
    that the waves die out. x, heights: vertices, m. corners: (x,), False for vertices that sample a smooth curve.

    Raises ModelError for more than MOST points.
    """
    size = np.full(len(x), 1e3 * (x[-1] - x[0]))
    bends = np.where(corners[1:-1], np.abs(np.diff(np.diff(heights) / np.diff(x))), 0.0)
    size[1:-1] = np.minimum(size[1:-1], SHARE * DEVIATION / np.maximum(bends, 1e-300))
    size[[0, -1]] = np.minimum(STEP, np.diff(x)[[0, -1]] / 16)  # profiles continue with the slopes of their ends
    size = np.maximum(size, FINEST * (1.0 + np.abs(x).max()))
    size = np.minimum(_spread(size, x), _spread(size[::-1], -x[::-1])[::-1])
    length, first, last = np.diff(x), size[:-1], size[1:]
    middle = 0.5 * (length + (last - first) / GROWTH)  # where the distances that grow from both ends are the same
    rise, fall = np.log1p(GROWTH * middle / first) / GROWTH, np.log1p(GROWTH * (length - middle) / last) / GROWTH
    counts = np.maximum(np.ceil(rise + fall), 1.0)
    if counts.sum() > MOST:
        raise ModelError(f"corners are so sharp or so many that they need {counts.sum():.3g} points: give fewer")
    k = np.repeat(np.arange(len(length)), counts.astype(int))
    index = np.arange(len(k)) - np.searchsorted(k, k)
    way = index * ((rise + fall) / counts)[k]
    up = first[k] * np.expm1(GROWTH * np.minimum(way, rise[k])) / GROWTH
    down = length[k] - last[k] * np.expm1(GROWTH * np.minimum((rise + fall)[k] - way, fall[k])) / GROWTH
    xs = np.append(x[k] + np.where(way < rise[k], up, down) * (index > 0), x[-1])
    return xs, np.interp(xs, x, heights)


def _spread(size: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return sizes of which none exceeds that of an earlier vertex by more than GROWTH times the distance."""
    return np.minimum.accumulate(size - GROWTH * x) + GROWTH * x
