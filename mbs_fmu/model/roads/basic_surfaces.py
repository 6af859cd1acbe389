"""Surfaces of heights over two coordinates of a road, and their basic surfaces under a cam (T16)."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.frozen_arrays import FrozenArray
from ...symbolic.expressions import Expression, abs, clip, where
from ...symbolic.surfaces import Grid, Lines, SurfaceData, surface, surface_data, surface_grid
from .cams import Cams
from .dilation import LEVEL, MOST, averaged, beyond, dilated, parts_for, reach
from .road import Relief, Uneven

log = logging.getLogger("mbs_fmu")

ON_CAM = 32  #: lines on the length of a cam, at least
ON_WIDTH = 4  #: lines on the width of cams, at least
MOST_REFINED = 5_000_000  #: heights above which a basic surface has no more lines than the road


class BasicSurface(Uneven):
    """Heights of the lowest point of a cam that rests on a road, over the coordinates of that road.

    flat: True if they continue with the height at the border, False with its slope.
    """

    def __init__(self, data: SurfaceData, flat: bool, at: Any):
        self.data, self.flat, self.at = data, flat, at

    def relief(self, a: Expression, b: Expression) -> Relief:
        return continued(self.data, a, b, self.flat)


def basic_surface(data: SurfaceData, cams: Cams, along: int, thing: str, flat: bool = False) -> SurfaceData:
    """Return the basic surface: heights of the cam along one coordinate, averaged over its width along the other.

    along: 0 or 1. Its lines are those of the surface and more between them, so that there are 32 or more on the cam's
    length and 4 or more on its width; fewer, with a note in the log, if there would be more than 5e6 heights. Lines at
    unequal distances stay as they are without a width. flat: see `continued`. The basic surface reaches beyond the
    other one by the length of the cam and half the width. Raises ModelError for more than 2e7 heights; thing: the road
    in messages.
    """
    lines: list[Lines] = [data[0], data[1]]
    if isinstance(lines[1], FrozenArray) and cams.width:
        lines[1] = _even(lines[1], len(lines[1]) - 1, cams.width / ON_WIDTH, MOST_REFINED // data[0][2])
    parts = _parts(lines, cams, along, thing)
    places, steps, margins = [], [0.0, 0.0], [(0, 0), (0, 0)]
    for k, (line, count) in enumerate(zip(lines, parts, strict=True)):
        if isinstance(line, FrozenArray):
            places.append(line.array)
            continue
        steps[k] = line[1] / count
        lost = reach(cams, steps[k]) if k == along else beyond(cams.width, steps[k])
        kept = LEVEL + (reach(cams, steps[k]) if k == along else lost)
        margins[k] = lost, kept
        places.append(line[0] + steps[k] * np.arange(-lost - kept, (line[2] - 1) * count + lost + kept + 1))
    heights = _samples(data, places[0], places[1], flat)
    turned = heights if along == 0 else np.ascontiguousarray(heights.T)
    basic = averaged(dilated(turned, steps[along], cams), steps[1 - along], cams.width)
    x, y = (
        line if isinstance(line, FrozenArray) else (float(place[lost]), step, len(place) - 2 * lost)
        for line, place, step, (lost, _) in zip(lines, places, steps, margins, strict=True)
    )
    assert isinstance(x, tuple)
    return surface_data(x, y, basic if along == 0 else np.ascontiguousarray(basic.T))


def _even(lines: FrozenArray, least: int, longest: float, most: int) -> Grid:
    """Return lines at equal distances, at most `longest` apart, m, but no more than `most`, over the same range."""
    span = lines[-1] - lines[0]
    count = max(least, min(math.ceil(span / longest), most))
    return lines[0], span / count, count + 1


def _parts(lines: list[Lines], cams: Cams, along: int, thing: str) -> list[int]:
    """Return the parts of the distances of lines. Raises ModelError for too many heights."""
    longest = [cams.width / ON_WIDTH or math.inf] * 2
    longest[along] = cams.length / ON_CAM
    counts = [len(line) - 1 if isinstance(line, FrozenArray) else line[2] - 1 for line in lines]
    wanted = [
        1 if isinstance(line, FrozenArray) else parts_for(line[1], most)
        for line, most in zip(lines, longest, strict=True)
    ]
    if math.prod(counts) > MOST:
        raise ModelError(f"{thing} is too large for cams: give at most {MOST} heights, by a part of the road")
    parts = list(wanted)
    while math.prod(counts) * math.prod(parts) > MOST_REFINED and max(parts) > 1:
        parts[int(np.argmax(parts))] -= 1
    if parts != wanted:
        few = "%s: cams use %d x %d parts of its distances, instead of %d x %d, to bound the memory"
        log.info(few, thing, *parts, *wanted)
    return parts


def _samples(data: SurfaceData, x: np.ndarray, y: np.ndarray, flat: bool) -> np.ndarray:
    """Return heights where lines cross, m, also beyond the surface, as `continued` does, (x, y)."""
    inside = np.clip(x, *ends(data[0])), np.clip(y, *ends(data[1]))
    found = surface_grid(inside[0], inside[1], data)
    if flat:
        return found
    over = x - inside[0], y - inside[1]
    along, across = (*data[:3], 1, 0), (*data[:3], 0, 1)
    for end in (0, -1):
        rows, columns = (np.sign(o) == (1 if end else -1) for o in over)
        found[rows] += over[0][rows, None] * surface_grid(inside[0][[end]], inside[1], along)
        found[:, columns] += over[1][columns] * surface_grid(inside[0], inside[1][[end]], across)
    return found


def continued(data: SurfaceData, a: Expression, b: Expression, flat: bool = False) -> Relief:
    """Return height and slopes of a surface, which continues with the slope at its border, or with its height if flat.

    The slope at the border of a measured road is that of its last stone: over a metre it would be a wall.
    """
    inside_a, inside_b = (clip(p, *ends(lines)) for p, lines in zip((a, b), data[:2], strict=True))
    value, slope_a, slope_b = (surface(data, inside_a, inside_b, *orders) for orders in ((0, 0), (1, 0), (0, 1)))
    if flat:
        beyond_a, beyond_b = abs(a - inside_a) > 0.0, abs(b - inside_b) > 0.0
        return Relief(value, where(beyond_a, 0.0, slope_a), where(beyond_b, 0.0, slope_b))
    height = value + slope_a * (a - inside_a) + slope_b * (b - inside_b)
    return Relief(height, slope_a, slope_b)


def ends(lines: Lines) -> tuple[float, float]:
    """Return the places of the first and the last line, m."""
    if isinstance(lines, FrozenArray):
        return lines[0], lines[-1]
    first, step, count = lines
    return first, first + step * (count - 1)
