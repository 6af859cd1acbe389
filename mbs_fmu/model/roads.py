"""Roads: surfaces whose height and slopes are functions of a place in the plane below."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from ..infrastructure.arguments import whole
from ..infrastructure.cached_properties import cached_property
from ..infrastructure.errors import ModelError
from ..infrastructure.messages.failures import display
from ..symbolic.expressions import ZERO, Expression, clip
from ..symbolic.graph import evaluate, leaves
from ..symbolic.surfaces import Grid, SurfaceData, curve_and_slope, surface, surface_data, surface_values
from ..symbolic.tables import table_data
from .geometry.poses import placed
from .geometry.vectors import Vector, number, number_array

REMEDY = "give as many numbers in each row, with decimal points and between commas"
EVEN = 1e-6  #: largest deviation of the distances of grid points, relative to their mean


class Relief(NamedTuple):
    """Height of a surface, m, and its slopes along x and y, at one place."""

    height: Expression
    slope_x: Expression
    slope_y: Expression


class Road(Protocol):
    """A surface z = height(x, y) in axes of its own."""

    def place(self) -> tuple[Vector, np.ndarray]:
        """Return the position of the origin, m, body axes, and the rotation from the road's own axes to body axes."""

    def relief(self, x: Expression, y: Expression) -> Relief:
        """Return height and slopes at a place, m, in the road's own axes."""


class Uneven(ABC):
    """Base of roads with heights. at: the frame of the road, a position (m, body axes) or a `Pose`."""

    at: Any

    @abstractmethod
    def relief(self, x: Expression, y: Expression) -> Relief:
        """Return height and slopes at a place, m, in the road's own axes."""

    def place(self) -> tuple[Vector, np.ndarray]:
        """Return the position of the origin, m, body axes, and the rotation from the road's own axes to body axes."""
        return placed(self.at, "at of a road")

    def height(self, x: Any, y: Any = 0.0) -> Any:
        """Return the height, m, at a place, m, in the road's own axes: a number, or an expression of expressions."""
        found = self.relief(number(x, "x of a road", "m"), number(y, "y of a road", "m")).height
        return found if leaves([found]) else evaluate(found, {})

    def normal(self, x: Any, y: Any = 0.0) -> Any:
        """Return the upward unit normal at a place, m, in the road's own axes: an array, or a vector of expressions."""
        _, a, b = self.relief(number(x, "x of a road", "m"), number(y, "y of a road", "m"))
        n = Vector((-a, -b, 1.0)) / Vector((-a, -b, 1.0)).norm()
        return n if leaves(n) else np.array([evaluate(c, {}) for c in n])


class Profile(Uneven):
    """Road whose height is a natural cubic spline along its x axis (`mbs.curve`) and constant along y.

    x, heights: m, two or more points, strictly increasing along x; beyond the ends the road continues with constant
    slope. at: the frame of the road. `Profile.from_csv` reads a file. Raises ModelError for numbers that are not
    finite, and for x that does not increase.
    """

    def __init__(self, x: Sequence[float], heights: Sequence[float], at: Any = (0.0, 0.0, 0.0)):
        self.points, self.heights = table_data(x, heights)
        self.at = at
        self.place()

    @classmethod
    def from_csv(cls, path: str | Path, at: Any = (0.0, 0.0, 0.0)) -> Self:
        """Return the road of a file with two columns, x and height, m. Raises ModelError as `Profile`."""
        rows = _read_csv(path)
        if rows.shape[1] != 2:
            raise ModelError(f"{path} has {rows.shape[1]} columns: give two, x and height, in m")
        with _named(path):
            return cls(rows[:, 0].tolist(), rows[:, 1].tolist(), at)

    def __repr__(self) -> str:
        return f"profile of {len(self.points)} points from {self.points[0]:g} to {self.points[-1]:g} m"

    def relief(self, x: Expression, y: Expression) -> Relief:
        return Relief(*curve_and_slope(x, self.points, self.heights), ZERO)


class HeightField(Uneven):
    """Road whose heights are given on a grid, interpolated by cubic B-splines with continuous curvature.

    x, y: m, the grid's lines, two or more each, at equal distances, increasing. heights: m, (number of x, number of y).
    Beyond the grid the road continues with the slope at its border. at: the frame of the road. `HeightField.from_csv`
    reads a file.

    Raises ModelError for lines at unequal distances, heights of another shape, and numbers that are not finite.
    """

    def __init__(
        self, x: Sequence[float], y: Sequence[float], heights: Sequence[Sequence[float]], at: Any = (0.0, 0.0, 0.0)
    ):
        self.grids = _grid(x, "x"), _grid(y, "y")
        table = number_array(heights, "heights of a height field")
        shape = self.grids[0][2], self.grids[1][2]
        if table.shape != shape:
            raise ModelError(f"heights of a height field have the shape {table.shape}: give {shape}, one for each x, y")
        bad = np.argwhere(~np.isfinite(table))
        if len(bad):
            i, j = map(int, bad[0])
            raise ModelError(f"height {i + 1}, {j + 1} of a height field is {table[i, j]}: give finite numbers")
        self.at = at
        self.heights = table
        self.place()

    @classmethod
    def from_csv(cls, path: str | Path, at: Any = (0.0, 0.0, 0.0)) -> Self:
        """Return the road of a file with three columns, x, y and height, m, in any order of rows, one for each place.

        Raises ModelError as `HeightField`, and for places that are missing or occur twice.
        """
        rows = _read_csv(path)
        if rows.shape[1] != 3:
            raise ModelError(f"{path} has {rows.shape[1]} columns: give three, x, y and height, in m")
        x, y = np.unique(rows[:, 0]), np.unique(rows[:, 1])
        if len(rows) != len(x) * len(y) or len(np.unique(rows[:, :2], axis=0)) != len(rows):
            raise ModelError(f"{path} has {len(rows)} rows: give each of {len(x)} x {len(y)} places once")
        heights = rows[np.lexsort((rows[:, 1], rows[:, 0])), 2].reshape(len(x), len(y))
        with _named(path):
            return cls(x.tolist(), y.tolist(), heights.tolist(), at)

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

    def relief(self, x: Expression, y: Expression) -> Relief:
        inside_x, inside_y = (clip(p, *_ends(grid)) for p, grid in zip((x, y), self.grids, strict=True))
        value, slope_x, slope_y = (
            surface(self._data, inside_x, inside_y, *orders) for orders in ((0, 0), (1, 0), (0, 1))
        )
        height = value + slope_x * (x - inside_x) + slope_y * (y - inside_y)
        return Relief(height, slope_x, slope_y)


def _ends(grid: Grid) -> tuple[float, float]:
    first, step, count = grid
    return first, first + step * (count - 1)


def _grid(lines: Any, name: str) -> Grid:
    """Return the first line, the distance and the number of lines. Raises ModelError unless the distances are equal."""
    values = number_array(lines, f"{name} of a height field")
    if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all():
        raise ModelError(f"{name} of a height field is {display(lines)}: give two or more finite numbers")
    step = (values[-1] - values[0]) / (len(values) - 1)
    if step <= 0.0 or np.abs(np.diff(values) - step).max() > EVEN * step:
        raise ModelError(f"{name} of a height field must increase by equal distances: interpolate the heights first")
    return float(values[0]), float(step), len(values)


@contextmanager
def _named(path: Any) -> Iterator[None]:
    """Begin the messages of ModelErrors with the name of a file."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def _read_csv(path: Any) -> np.ndarray:
    """Return the rows of a file of numbers, separated by commas, after an optional line of names."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, TypeError, UnicodeDecodeError) as error:
        raise ModelError(f"road file {display(path)} can't be read: {error}") from None
    rows = [(k, line.split(",")) for k, line in enumerate(lines, start=1) if line.strip()]
    if rows and not _is_number(rows[0][1][0]):
        rows = rows[1:]
    for k, row in rows:
        if len(row) != len(rows[0][1]) or not all(map(_is_number, row)):
            raise ModelError(f"{path}, line {k}: {','.join(row)!r}: {REMEDY}")
    if not rows:
        raise ModelError(f"{path} has no rows: {REMEDY}")
    return np.array([[float(word) for word in row] for _, row in rows])


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
