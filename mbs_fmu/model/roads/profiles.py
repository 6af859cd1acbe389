"""Roads whose height depends on the way along them only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.errors import ModelError
from ...infrastructure.frozen_arrays import FrozenArray
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import ZERO, Expression
from ...symbolic.surfaces import CurveData, curve_data, curve_derivatives, curve_values
from ...symbolic.tables import table_data
from .cams import Cams
from .csv_files import named, read_csv
from .dilation import LEVEL, MOST, dilated, parts_for, reach
from .rdf import read_rdf
from .road import Relief, Uneven
from .rough import BAND, WAVINESS, rough_tracks, spectrum_of

EVEN = 1e-6  #: largest deviation of the distances of points that count as equal, relative to their mean
ON_CAM = 256  #: heights on the length of a cam, at least
MOST_ON_CAM = 512  #: the most of them, for points at unequal distances


class Profile(Uneven):
    """Road whose height is a natural cubic spline along its x axis (`mbs.curve`) and constant along y.

    x, heights: m, two or more points, strictly increasing along x; beyond the ends the road continues with constant
    slope. at: the frame of the road. `Profile.from_csv` and `Profile.from_rdf` read files, `Profile.rough` gives rough
    roads. mu: factor of friction of a road data file, for `grip=` of `m.tyre`, otherwise None. notes: data of the file
    that have no effect. Raises ModelError for numbers that are not finite, and for x that does not increase.
    """

    mu: float | None = None
    notes: Sequence[str] = ()

    def __init__(self, x: Sequence[float], heights: Sequence[float], at: Any = (0.0, 0.0, 0.0)):
        self.points, self.heights = table_data(x, heights)
        self.at = at
        self.place()

    @classmethod
    def from_csv(cls, path: str | Path, at: Any = (0.0, 0.0, 0.0)) -> Self:
        """Return the road of a file with two columns, x and height, m. Raises ModelError as `Profile`."""
        rows = read_csv(path)
        if rows.shape[1] != 2:
            raise ModelError(f"{path} has {rows.shape[1]} columns: give two, x and height, in m")
        with named(path):
            return cls(rows[:, 0].tolist(), rows[:, 1].tolist(), at)

    @classmethod
    def from_rdf(cls, path: str | Path, side: str = "left", at: Any = (0.0, 0.0, 0.0)) -> Self:
        """Return the road of a road data file (.rdf) of Adams, MotionView and others, in any of its units.

        The types that are read are flat, poly_line, plank, pot_hole, ramp, roof, sine and sine_sweep. side: "left" or
        "right", the track of a poly_line. A vertical face is 1 mm wide, a rounded edge has 16 segments, and the spline
        deviates from the polygon of the file by at most 0.05 mm in height, at its corners. A sine without LENGTH has
        1000 waves.

        `mu` is MU, by default 1. OFFSET is vertical. at: the frame of the road; ROTATION_ANGLE_XY_PLANE has no effect.
        `notes` lists what else of the file has no effect. Raises ModelError, with path and line, for a file that cannot
        be read, another type, missing or impossible numbers, and an obstacle that is oblique (DIRECTION).
        """
        road = read_rdf(path, side)
        profile = cls(road.x.tolist(), road.heights.tolist(), at)
        profile.mu, profile.notes = road.mu, road.notes
        return profile

    @classmethod
    def rough(
        cls,
        roughness: str | None = None,
        *,
        length: Quantity,
        seed: int = 0,
        Gd: float | None = None,
        waviness: float = WAVINESS,
        band: Sequence[Quantity] = BAND,
        spacing: Quantity | None = None,
        at: Any = (0.0, 0.0, 0.0),
    ) -> Self:
        """Return a rough road by ISO 8608, with exactly the spectrum of its class and random phases (T21).

        roughness: "A" (smooth) to "H", or Gd: m³, the spectral density at 0.1 1/m. waviness: exponent of the
        spectrum. band: m, shortest and longest wave. length: m, a period of the road, at least the longest wave; the
        last height is the first. seed: whole number; the same seed gives the same road on all machines. spacing: m, of
        the points, by default an eighth of the shortest wave, which the spline then has with 99.94 % of its amplitude
        (a quarter: 98.5 %).

        Raises ModelError for an unknown class, numbers that are not positive, a road shorter than its longest wave, and
        points too far apart for the shortest wave, or more than 20 million of them.
        """
        x, heights = rough_tracks(spectrum_of(roughness, Gd, waviness, band), length, seed, spacing)
        return cls(x.tolist(), heights[0].tolist(), at)

    def __repr__(self) -> str:
        return f"profile of {len(self.points)} points from {self.points[0]:g} to {self.points[-1]:g} m"

    @cached_property
    def _data(self) -> CurveData:
        return curve_data(self.points, self.heights)

    def relief(self, a: Expression, b: Expression) -> Relief:
        height, slope, _ = curve_derivatives(self._data, a)
        return Relief(height, slope, ZERO)

    def dilated(self, cams: Cams, along: int) -> Profile:
        """Return the basic curve: the spline through heights of the cam at equal distances.

        These are the distances of the points, or parts of them, so that there are 256 or more on the cam's length; for
        points at unequal distances, the least of these distances counts, but at least 1/512 of the cam's length. The
        curve reaches beyond both ends by the length of the cam. Raises ModelError for more than 2e7 heights.
        """
        points = np.array(self.points)
        apart = np.diff(points)
        span = points[-1] - points[0]
        even = np.abs(apart - apart.mean()).max() <= EVEN * apart.mean()
        step = float(apart.mean() if even else max(apart.min(), cams.length / MOST_ON_CAM))
        count = max(1, round(span / step)) * parts_for(step, cams.length / ON_CAM)
        if count > MOST:
            raise ModelError(
                f"{self!r} would have {count} heights with cams, at distances of {span / count:.2g} m: give at most "
                f"{MOST}, by a shorter road"
            )
        step = span / count
        aside = reach(cams, step) + LEVEL
        x = points[0] + step * np.arange(-aside - reach(cams, step), count + aside + reach(cams, step) + 1)
        basic = dilated(curve_values(self._data, x), step, cams)
        return Profile(FrozenArray.taking(x[reach(cams, step) :][: len(basic)]), FrozenArray.taking(basic), self.at)
