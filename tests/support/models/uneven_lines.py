"""A road over lines at unequal distances, as measured ones have, and a wheel on it."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbs_fmu.infrastructure.frozen_arrays import FrozenArray
from mbs_fmu.model.roads import Relief, Uneven
from mbs_fmu.symbolic.expressions import Expression, clip
from mbs_fmu.symbolic.surfaces import Grid, surface, surface_data


class UnevenLines(Uneven):
    """Road whose heights, m, are given on a grid along x and on lines at any distances along y."""

    def __init__(self, x: Grid, y: np.ndarray | Grid, heights: np.ndarray, at: Any = (0.0, 0.0, 0.0)):
        self.data, self.at = surface_data(x, y, heights), at

    def relief(self, x: Expression, y: Expression) -> Relief:
        (first, step, count), lines = self.data[:2]
        ends = (
            (lines[0], lines[-1])
            if isinstance(lines, FrozenArray)
            else (lines[0], lines[0] + lines[1] * (lines[2] - 1))
        )
        inside = clip(x, first, first + step * (count - 1)), clip(y, *ends)
        value, slope_x, slope_y = (surface(self.data, *inside, *orders) for orders in ((0, 0), (1, 0), (0, 1)))
        return Relief(value + slope_x * (x - inside[0]) + slope_y * (y - inside[1]), slope_x, slope_y)


def banks(seed: int = 1) -> UnevenLines:
    """Return a road with random heights on seven lines at unequal distances."""
    rng = np.random.default_rng(seed)
    y = np.array([-2.0, -1.1, -0.9, -0.2, 0.6, 1.9, 2.3])
    return UnevenLines((-1.0, 0.4, 9), y, 0.03 * rng.normal(size=(9, 7)))
