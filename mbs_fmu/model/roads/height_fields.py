"""Roads whose heights are given on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from ...infrastructure.arguments import whole
from ...infrastructure.cached_properties import cached_property
from ...infrastructure.errors import ModelError
from ...infrastructure.frozen_arrays import FrozenArray
from ...infrastructure.messages.failures import display
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import Expression
from ...symbolic.surfaces import Grid, Lines, SurfaceData, surface_data, surface_values
from ..geometry.vectors import number_array
from .basic_surfaces import BasicSurface, basic_surface, continued
from .cams import Cams
from .csv_files import named, read_csv
from .road import Relief, Road, Uneven
from .rough import BAND, WAVINESS, positive_number, rough_tracks, spectrum_of

EVEN = 1e-6  #: largest deviation of the distances of grid points, relative to their mean


class HeightField(Uneven):
    """Road whose heights are given on a grid, interpolated by cubic B-splines with continuous curvature.

    x, y: m, the grid's lines, two or more each, at equal distances, increasing. heights: m, (number of x, number of y).
    Beyond the grid the road continues with the slope at its border. at: the frame of the road. `HeightField.from_csv`
    reads a file, `HeightField.rough` gives rough roads.

    Raises ModelError for lines at unequal distances, heights of another shape, and numbers that are not finite.
    """

    def __init__(
        self, x: Sequence[float], y: Sequence[float], heights: Sequence[Sequence[float]], at: Any = (0.0, 0.0, 0.0)
    ):
        self.grids = grid(x, "x of a height field"), grid(y, "y of a height field")
        self.heights = grid_heights(heights, (self.grids[0][2], self.grids[1][2]), "a height field")
        self.at = at
        self.place()

    @classmethod
    def from_csv(cls, path: str | Path, at: Any = (0.0, 0.0, 0.0)) -> Self:
        """Return the road of a file with three columns, x, y and height, m, in any order of rows, one for each place.

        Raises ModelError as `HeightField`, and for places that are missing or occur twice.
        """
        rows = read_csv(path)
        if rows.shape[1] != 3:
            raise ModelError(f"{path} has {rows.shape[1]} columns: give three, x, y and height, in m")
        x, y = np.unique(rows[:, 0]), np.unique(rows[:, 1])
        if len(rows) != len(x) * len(y) or len(np.unique(rows[:, :2], axis=0)) != len(rows):
            raise ModelError(f"{path} has {len(rows)} rows: give each of {len(x)} x {len(y)} places once")
        heights = rows[np.lexsort((rows[:, 1], rows[:, 0])), 2].reshape(len(x), len(y))
        with named(path):
            return cls(x.tolist(), y.tolist(), heights.tolist(), at)

    @classmethod
    def rough(
        cls,
        roughness: str | None = None,
        *,
        length: Quantity,
        track: Quantity,
        seed: int = 0,
        Gd: float | None = None,
        waviness: float = WAVINESS,
        band: Sequence[Quantity] = BAND,
        spacing: Quantity | None = None,
        at: Any = (0.0, 0.0, 0.0),
    ) -> Self:
        """Return a rough road by ISO 8608 with two tracks of an isotropic surface (T21), for wheels on both sides.

        track: m, distance of the tracks, y = track/2 on the left and y = -track/2 on the right. Between and beyond them
        the road is straight across. Both tracks have exactly the spectrum of `Profile.rough`, whose road with the same
        seed is the left track; their cross spectrum is that of an isotropic surface, so that long waves are the same on
        both sides, and short ones are independent. Other arguments and errors: see `Profile.rough`.
        """
        spectrum = spectrum_of(roughness, Gd, waviness, band)
        x, heights = rough_tracks(spectrum, length, seed, spacing, track)
        half = 0.5 * positive_number(track, "track", "m")
        return cls(x.tolist(), (-half, half), heights[::-1].T.tolist(), at)

    def __repr__(self) -> str:
        return f"height field of {self.grids[0][2]} x {self.grids[1][2]} points"

    def refined(self, parts: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return x and y of lines, m, `parts` for each distance of the grid's, and the heights there, (x, y), m."""
        whole(parts, "parts")
        x, y = (first + step / parts * np.arange((count - 1) * parts + 1) for first, step, count in self.grids)
        places = np.meshgrid(x, y, indexing="ij")
        return x, y, surface_values(places[0].ravel(), places[1].ravel(), self._data).reshape(len(x), len(y))

    @cached_property
    def _data(self) -> SurfaceData:
        return surface_data(*self.grids, self.heights)

    def relief(self, a: Expression, b: Expression) -> Relief:
        return continued(self._data, a, b)

    def enveloped_across(self, cams: Cams) -> Road:
        """Return the field of `enveloped` for a cam that runs along the second coordinate."""
        return self._once(cams, 1)

    def dilated(self, cams: Cams, along: int) -> Road:
        """Return the basic surface, averaged over the width of the cams; see `basic_surface`."""
        return BasicSurface(basic_surface(self._data, cams, along, repr(self)), False, self.at)


def grid(lines: Any, name: str) -> Grid:
    """Return the first line, the distance and the number of lines. Raises ModelError unless the distances are equal."""
    values = _line_places(lines, name)
    found = even_grid(values)
    if found is None:
        raise ModelError(f"{name} must increase by equal distances: interpolate the heights first")
    return found


def grid_or_lines(lines: Any, name: str) -> Lines:
    """Return lines at equal distances as a grid, others as they are. Raises ModelError unless they increase."""
    values = _line_places(lines, name)
    if (np.diff(values) <= 0.0).any():
        k = int(np.argmax(np.diff(values) <= 0.0)) + 1
        raise ModelError(f"{name} is {values[k]:g} after {values[k - 1]:g}: it must increase")
    return even_grid(values) or FrozenArray(values)


def even_grid(values: np.ndarray) -> Grid | None:
    """Return numbers at equal distances as a grid; None for others, (n,)."""
    step = (values[-1] - values[0]) / (len(values) - 1)
    is_even = step > 0.0 and np.abs(np.diff(values) - step).max() <= EVEN * step
    return (float(values[0]), float(step), len(values)) if is_even else None


def _line_places(lines: Any, name: str) -> np.ndarray:
    values = number_array(lines, name)
    if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all():
        raise ModelError(f"{name} is {display(lines)}: give two or more finite numbers")
    return values


def grid_heights(heights: Any, shape: tuple[int, int], thing: str) -> np.ndarray:
    """Return heights on a grid, m. Raises ModelError for another shape, and for numbers that are not finite."""
    table = number_array(heights, f"heights of {thing}")
    if table.shape != shape:
        raise ModelError(f"heights of {thing} have the shape {table.shape}: give {shape}, one for each place")
    bad = np.argwhere(~np.isfinite(table))
    if len(bad):
        i, j = map(int, bad[0])
        raise ModelError(f"height {i + 1}, {j + 1} of {thing} is {table[i, j]}: give finite numbers")
    return table
