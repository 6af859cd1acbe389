"""Dilation of heights by a cam, and their average over a width, with numpy (T16)."""

from __future__ import annotations

import math

import numpy as np

from .cams import Cams

MOST = 20_000_000  #: most heights of a basic curve or surface
LEVEL = 16  #: heights of a basic curve beyond the reach of its cam, which lie on a straight line
BLOCK = 250_000  #: heights that are dilated together, so that they stay in the cache of the processor


def parts_for(step: float, most: float) -> int:
    """Return the number of parts, at most `most` long, m, into which a distance of heights, m, is divided."""
    return max(1, math.ceil(step / most * (1.0 - 1e-9)))


def reach(cams: Cams, step: float) -> int:
    """Return the number of heights at a distance, m, that a cam reaches ahead and behind."""
    return math.ceil(cams.length / step * (1.0 - 1e-12)) - 1


def dilated(heights: np.ndarray, step: float, cams: Cams) -> np.ndarray:
    """Return the heights of the lowest point of a cam that rests on heights, m, along their first axis.

    heights: (n, ...), at equal distances `step`, m. The result has the shape (n - 2 reach, ...): without the places at
    both ends at which the cam would reach beyond.
    """
    m = reach(cams, step)
    count = len(heights) - 2 * m
    flat = heights.reshape(len(heights), -1)
    found = np.empty((count, flat.shape[1]))
    shape = [cams.rise(k * step) for k in range(-m, m + 1)]
    rows = max(1, BLOCK // flat.shape[1])
    for first in range(0, count, rows):
        part = flat[first : first + rows + 2 * m]
        out = found[first : first + rows]
        out[:] = part[m : m + len(out)]
        for k, rise in enumerate(shape):
            np.maximum(out, part[k : k + len(out)] - rise, out=out)
    return found.reshape(count, *heights.shape[1:])


def beyond(width: float, step: float) -> int:
    """Return the number of heights at a distance, m, that `averaged` needs beyond each place."""
    return 0 if width == 0.0 else math.floor(0.5 * width / step) + 1


def averaged(heights: np.ndarray, step: float, width: float) -> np.ndarray:
    """Return the means of heights, m, over a width, m, along their second axis, straight between the places.

    heights: (n, count), at equal distances `step`, m. The result lacks `beyond` columns at both ends.
    """
    m = beyond(width, step)
    if m == 0:
        return heights
    count = heights.shape[1] - 2 * m
    area = np.zeros_like(heights)
    np.cumsum(0.5 * step * (heights[:, 1:] + heights[:, :-1]), axis=1, out=area[:, 1:])
    share = 0.5 * width / step - (m - 1)  # of the distance beyond the last place within half the width

    right, left = slice(2 * m - 1, 2 * m - 1 + count), slice(1, 1 + count)
    ahead, behind = slice(2 * m, 2 * m + count), slice(0, count)
    more = [
        share * step * (heights[:, near] + 0.5 * share * (heights[:, far] - heights[:, near]))
        for near, far in ((right, ahead), (left, behind))
    ]
    return np.asarray((area[:, right] - area[:, left] + more[0] + more[1]) / width)
