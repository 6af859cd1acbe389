"""Roads whose heights are given on a grid along and across a curved reference line, as OpenCRG does."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.errors import ModelError
from ...symbolic.expressions import Expression, abs, max, min, where
from ...symbolic.surfaces import SurfaceData, surface_data, surface_values
from ..effects import Check
from ..geometry.vectors import is_list, number_array
from .basic_surfaces import BasicSurface, basic_surface, continued
from .cams import Cams
from .crg.reading import read_crg
from .csv_files import named
from .curved_lines import Foot, ReferenceLine
from .height_fields import grid, grid_heights, grid_or_lines
from .road import Chart, Relief, Road, Uneven, in_meters, level, plain, upward

ROUNDS = 3  #: Newton's steps that find the place of a point from that on straight pieces of the line
SAMPLES = 4  #: places for each piece of the line at which curvatures are compared with the width of the grid
LEAST_COLUMNS = 4  #: squares of a net across the road
FINEST = 4  #: squares of a net for each distance of the grid's lines
LONGER = 0.02  #: largest difference of u from the arc length of the line, as a share
LEAST = 0.01  #: least 1 - κ v at which a wheel has a place: nearer to the centre of curvature it may jump
OFF = 0.1  #: m, largest Newton's step of u with which it counts as that of a wheel


class CurvedGrid(Uneven):
    """Road whose heights are given on a grid along and across a curved reference line, as OpenCRG does.

    u: (n) m, along the line, at equal distances, increasing. v: (k) m, across it, positive to its left, increasing, at
    equal or unequal distances. heights: (n, k), m, z of the surface in the road's axes, with the slope and the banking
    of the line. x, y: (n) m, places of the reference line at u, in the road's axes. Cubic B-splines over u and v
    interpolate the heights, and cubic splines of u the line. Beyond the ends the line continues straight, and the road
    with the height at its border, as the border mode "keep" of OpenCRG has it. at: the frame of the road.

    `length`, `width`: of the grid, m. `curvature`: largest one of the line, 1/m. `error`: largest distance of its
    places from the splines, m; these have fewer knots than the line has places, so that noise does not bend them.
    `mu`: None, no coefficient of friction. `from_crg` reads an OpenCRG file; `notes` are then the data of the file
    without effect, and `holes` the number of heights that it lacks.

    Raises ModelError for lines of the grid that do not increase, arrays of other shapes, numbers that are not finite,
    places of the line that coincide, a line whose curvature κ is so large that κ v reaches 1 within the grid, and u
    that differs by more than 2 % from the arc length of the line.
    """

    parameters = ("u",)
    mu = None
    holes = 0

    def __init__(
        self,
        u: Sequence[float],
        v: Sequence[float],
        heights: Sequence[Sequence[float]],
        x: Sequence[float],
        y: Sequence[float],
        at: Any = (0.0, 0.0, 0.0),
    ):
        self.lines = grid(u, "u of a curved grid"), grid_or_lines(v, "v of a curved grid")
        self.u, self.v = number_array(u, "u"), number_array(v, "v")
        self.heights = grid_heights(heights, (len(self.u), len(self.v)), "a curved grid")
        places = [_places(values, name, len(self.u)) for values, name in ((x, "x"), (y, "y"))]
        self.line = ReferenceLine(self.u, np.column_stack(places))
        self.at = at
        self.notes: list[str] = []
        self.place()
        self._check_curvature()
        self._check_arc_length(np.column_stack(places))

    @classmethod
    def from_crg(
        cls,
        path: str | Path,
        band: tuple[float, float] | None = None,
        at: Any = (0.0, 0.0, 0.0),
        follow: bool = True,
    ) -> Self:
        """Return the road of an OpenCRG file (.crg), with its modifiers and options applied.

        band: first and last u, m, of a part of the road; other rows of heights are not kept in memory. at: the frame
        of the road. follow: whether the file may refer to a file in its folder or below.

        Raises ModelError, with file and line or byte, for a file that cannot be read, is truncated or damaged, for
        values out of range, a reference that is not followed, a band that is not on the road, and roads of more than
        2e7 heights without `band`. Source: ASAM OpenCRG 1.2.
        """
        found = read_crg(path, band, follow)
        with named(path):
            road = cls(found.u, found.v, found.heights, found.x, found.y, at)  # type: ignore[arg-type]
        road.notes, road.holes = found.notes, found.holes
        return road

    @property
    def length(self) -> float:
        """Length of the grid along the line, m."""
        return float(self.u[-1] - self.u[0])

    @property
    def width(self) -> float:
        """Width of the grid, m."""
        return float(self.v[-1] - self.v[0])

    @property
    def error(self) -> float:
        """Largest distance of the places of the reference line from its splines, m."""
        return self.line.error

    def __repr__(self) -> str:
        return (
            f"curved grid of {len(self.u)} x {len(self.v)} points, {self.length:g} m long, {self.width:g} m wide, "
            f"largest curvature {self.curvature:.4g} 1/m" + (f", {self.holes} holes" if self.holes else "")
        )

    def _check_arc_length(self, places: np.ndarray) -> None:
        """Raise ModelError unless u is the arc length of the line through `places`, (n, 2), m.

        Noise makes the chords longer than the curve, and corners the curve longer than the chords: one of both fits.
        """
        u = np.linspace(self.u[0], self.u[-1], SAMPLES * len(self.line.knots))
        curve = self.length * float(np.linalg.norm(self.line.places(u, 1), axis=1).mean())
        chords = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
        arc = builtins.min(curve, chords, key=lambda way: math.fabs(way - self.length))
        if not math.fabs(arc - self.length) <= LONGER * self.length:
            raise ModelError(
                f"curved grid: u is {self.length:.6g} m long, but its reference line {arc:.6g} m: u must run along the "
                "line: give the sums of the distances between its places"
            )

    def _check_curvature(self) -> None:
        """Set the largest curvature. Raises ModelError if lines across the grid cross each other within it."""
        u = np.linspace(self.u[0], self.u[-1], SAMPLES * len(self.line.knots))
        curvature = self.line.curvature(u)
        self.curvature = float(np.abs(curvature).max())
        factors = 1.0 - np.stack([curvature * self.v[0], curvature * self.v[-1]])
        side, k = np.unravel_index(int(factors.argmin()), factors.shape)
        if factors[side, k] <= 0.0:
            radius = 1.0 / np.abs(curvature[k])
            raise ModelError(
                f"curved grid: at u = {u[k]:.6g} m the reference line has the radius {radius:.4g} m, and the grid "
                f"reaches v = {self.v[-side]:g} m on the inner side: it must end before the centre of curvature: leave "
                "columns out, or smooth the line"
            )

    def xy(self, u: Any, v: Any = 0.0) -> tuple[Any, Any]:
        """Return x and y, m, of a place u, v, m: numbers or arrays, for expressions expressions."""
        if is_list(u) or is_list(v):
            along, across = np.broadcast_arrays(number_array(u, "u of a road"), number_array(v, "v of a road"))
            places = self.line.beside_values(along.ravel(), across.ravel())
            return places[:, 0].reshape(along.shape), places[:, 1].reshape(along.shape)
        x, y = self.line.beside(*in_meters(u, v, "uv"))
        return plain(x), plain(y)

    def height(self, x: Any = None, y: Any = 0.0, *, u: Any = None, v: Any = 0.0) -> Any:
        """Return the height, m, at x, y or at u, v, m: a number, or an expression of expressions.

        A place x, y has the u of the nearest place of the line. Raises ModelError unless x or u is given.
        """
        if self._is_along(x, u):
            return plain(self.relief(*in_meters(u, v, "uv")).height)
        return super().height(x, y)

    def normal(self, x: Any = None, y: Any = 0.0, *, u: Any = None, v: Any = 0.0) -> Any:
        """Return the upward unit normal at x, y or at u, v, m, in the road's axes; see `height`."""
        if self._is_along(x, u):
            along, across = in_meters(u, v, "uv")
            return upward(level(self, *self.line.beside(along, across), [along]))
        return super().normal(x, y)

    def net(self, most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return u, (i,), and v, (j,), m, of lines with at most `most` squares, and the places of the lines, (i, j, 3).

        The squares have about equal sides, at least LEAST_COLUMNS across the road.
        """
        across = builtins.max(LEAST_COLUMNS, round(math.sqrt(most * self.width / self.length)))
        columns = builtins.min(across, FINEST * (len(self.v) - 1))
        rows = builtins.min(most // columns, FINEST * (len(self.u) - 1))
        u = np.linspace(self.u[0], self.u[-1], rows + 1)
        v = np.linspace(self.v[0], self.v[-1], columns + 1)
        along, over = (x.ravel() for x in np.meshgrid(u, v, indexing="ij"))
        places = np.column_stack([self.line.beside_values(along, over), surface_values(along, over, self._data)])
        return u, v, places.reshape(rows + 1, columns + 1, 3)

    def _is_along(self, x: Any, u: Any) -> bool:
        """True if u is given. Raises ModelError unless x or u is given, not both."""
        if (x is None) == (u is None):
            raise ModelError("height and normal of a curved grid take a place x, y or a place u=, v=: give one of them")
        return u is not None

    def chart(self, x: Expression, y: Expression, parameters: Sequence[Expression] = ()) -> Chart:
        """Return u and v of a place, m, in the road's axes; parameters: u of the nearest place of the line, about.

        One step of Newton's method improves u. Without parameters, u is that of the nearest place.
        """
        (u,) = parameters or (self.line.nearest(x, y),)
        for _ in range(1 if parameters else ROUNDS):
            u = u + self.line.foot(u, x, y).step
        foot = self.line.foot(u, x, y)
        return Chart(u, foot.v, foot.tangent[0] / foot.slope, foot.tangent[1] / foot.slope, *foot.left)

    def relief(self, a: Expression, b: Expression) -> Relief:
        """Return height and slopes along u and v at a place u, v, m."""
        return continued(self._data, a, b, flat=True)

    def dilated(self, cams: Cams, along: int) -> Road:
        """Return the basic surface over u and v of a cam that runs along u; see `basic_surface`."""
        return BasicSurface(basic_surface(self._data, cams, along, repr(self), flat=True), True, self.at)

    @cached_property
    def _data(self) -> SurfaceData:
        return surface_data(*self.lines, self.heights)

    def followed(
        self, place: Sequence[Expression], velocity: Sequence[Expression], parameters: Sequence[Expression]
    ) -> Sequence[Expression]:
        """Return the rate of u of a place x, y, m, with a velocity, m/s (T17).

        It is not finite at the centre of curvature, where the nearest place is not unique, and where u is not that of
        the place, so that steps fail there.
        """
        foot = self._foot(place, parameters)
        valid = where(min(foot.factor - LEAST, 2.0 * OFF - abs(foot.step)) > 0.0, 1.0, 0.0)
        return [foot.rate((velocity[0], velocity[1])) / valid]

    def feet(
        self, place: Sequence[Expression], parameters: Sequence[Expression]
    ) -> Sequence[tuple[Expression, Expression]]:
        """Return the nearest place of straight pieces of the line, and Newton's step to the foot point, m."""
        return [(self.line.nearest(place[0], place[1]), self._foot(place, parameters).step)]

    def checks(
        self, place: Sequence[Expression], parameters: Sequence[Expression], way: Expression, thing: str
    ) -> Sequence[Check]:
        """Return numbers that are positive if a place is not too near to a centre of curvature, and u that of it."""
        foot = self._foot(place, parameters)
        along = way / max(foot.factor, LEAST)  # the way of u, to places of another curvature
        ahead, behind = (self.line.foot(parameters[0] + du, place[0], place[1]).factor for du in (along, -along))
        return [
            (
                min(min(ahead, behind), foot.factor) - LEAST - self.curvature * way,
                f"{thing} is at the centre of curvature of the reference line of its road, or beyond it, where no "
                "place of the line is the nearest one: keep it nearer to the line",
            ),
            (
                OFF - abs(foot.step) - way,
                f"{thing} is not at its place on the reference line of its road: its state u does not follow it: give "
                "shorter steps or a smaller tolerance, a better near=, and do not reset u",
            ),
        ]

    def _foot(self, place: Sequence[Expression], parameters: Sequence[Expression]) -> Foot:
        return self.line.foot(parameters[0], place[0], place[1])


def _places(values: Any, name: str, count: int) -> np.ndarray:
    """Return places of the reference line, (n,). Raises ModelError unless they are `count` finite numbers."""
    numbers = number_array(values, f"{name} of a curved grid")
    if numbers.shape != (count,):
        raise ModelError(f"{name} of a curved grid has the shape {numbers.shape}: give {count} numbers, one for each u")
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        raise ModelError(f"{name} {bad[0] + 1} of a curved grid is {numbers[bad[0]]}: give finite numbers")
    return numbers
