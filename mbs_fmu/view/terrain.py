"""Uneven ground in pictures: height fields, curved grids and profiles under contacts and tyres, as triangles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.bodies.colors import color as checked_color
from ..model.bodies.mesh_files import Part
from ..model.bodies.shapes import Shape
from ..model.data import ModelData
from ..model.items import WORLD
from ..model.references.naming import equal_key
from ..model.roads import CurvedGrid, HeightField, Profile
from ..symbolic.rotations import values_of
from .poses import Frames, Rows
from .stage import MOST_FACES, nice

COLORS = "#bdb19b", "#b0a48e"  #: of the squares of the grid, as on a chessboard, which show its slopes
FINEST = 4  #: parts of a distance of the grid's lines, so that curved ground looks smooth
BESIDE = 1.0  #: distance of the edges of a profile's strip from the centres of bodies, over their size
LEAST_WIDTH = 0.05  #: the same over the length of the profile
STRIPES = 3.0  #: width of a profile's strip over the length of its stripes, about
MANY = 4  #: times MOST_FACES from which on a field is drawn with fewer lines, before its faces are simplified
MOST_LINES = 1000  #: of a profile's points, and of its stripes


class Surface(NamedTuple):
    """The drawn part of a road. x, y: ranges in its axes, m; None for the whole grid of a road that has one."""

    road: CurvedGrid | HeightField | Profile
    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None

    def triangles(self) -> list[Part]:
        """Return the surface in the road's axes: the squares or strips of each colour."""
        if isinstance(self.road, CurvedGrid):
            return _curved(self.road)
        return _field(self.road) if isinstance(self.road, HeightField) else _strip(self)


@dataclass(frozen=True)
class Terrain(Shape):
    """Surface of a road within its grid, or a strip of a profile."""

    surface: Surface
    kind = "mesh"


def terrains(model: ModelData) -> dict[str, list[Shape]]:
    """Return the roads that contacts and tyres touch, each once, by the body, or the world, on which they lie."""
    roads: dict[str, dict[object, Shape]] = {}
    for force in model.forces.values():
        for name, at, road in force.grounds:
            if isinstance(road, CurvedGrid | HeightField | Profile):
                key = id(road), equal_key(at)
                roads.setdefault(name, {}).setdefault(key, Terrain(Surface(road), at=at, color=COLORS[0]))
    return {name: list(shapes.values()) for name, shapes in roads.items()}


def fitted(shape: Shape, body: str, frames: Mapping[str, Frames], size: float, rows: Rows) -> Shape:
    """Return a strip that reaches beyond all places of the other bodies, of `size` (m); other shapes as they are."""
    if not isinstance(shape, Terrain) or not isinstance(shape.surface.road, Profile):
        return shape
    position, rotation = shape.place()
    at = Frames(np.array([[rows.constant(x) for x in position]]), values_of(rotation, rows.of)[None])
    inward = frames[body].then(at).inverse
    places = np.concatenate([inward.points(f.x) for name, f in frames.items() if name not in (body, WORLD)])
    places = places[np.isfinite(places).all(axis=1)]
    low, high = places.min(axis=0), places.max(axis=0)
    first, *_, last = shape.surface.road.points
    beside = max(BESIDE * size, LEAST_WIDTH * (last - first))
    x = min(float(low[0]) - beside, first), max(float(high[0]) + beside, last)
    return replace(shape, surface=shape.surface._replace(x=x, y=(float(low[1]) - beside, float(high[1]) + beside)))


def _strip(surface: Surface) -> list[Part]:
    """Return a strip of a profile, with stripes of two colours across, which show its slopes."""
    assert isinstance(surface.road, Profile) and surface.x is not None and surface.y is not None
    (first, last), across = surface.x, surface.y
    stripe = nice(max((across[1] - across[0]) / STRIPES, (last - first) / MOST_LINES))
    points = np.asarray(surface.road.points)
    count = FINEST * (len(points) - 1)
    i, part = np.divmod(np.arange(0, count, 1 + count // MOST_LINES), FINEST)
    inner = points[i] + (points[i + 1] - points[i]) * part / FINEST
    edges = stripe * np.arange(np.ceil(first / stripe), np.ceil(last / stripe))
    x = np.unique([first, last, *(p for p in [*inner, *edges] if first < p < last)])
    heights = [surface.road.height(p) for p in x.tolist()]
    vertices = np.array([(p, y, z) for p, z in zip(x, heights, strict=True) for y in across])
    k = 2 * np.arange(len(x) - 1)
    faces = np.stack([np.column_stack([k, k + 2, k + 3]), np.column_stack([k, k + 3, k + 1])], axis=1)
    shades = np.floor(0.5 * (x[1:] + x[:-1]) / stripe).astype(int) % 2
    return _shaded(vertices, faces, shades)


def _shaded(vertices: np.ndarray, faces: np.ndarray, shades: np.ndarray) -> list[Part]:
    """Return the parts of each colour; a surface of a single square has one colour."""
    return [
        Part(vertices, faces[shades == k].reshape(-1, 3), checked_color(COLORS[k], "color"))
        for k in np.unique(shades).tolist()
    ]


def _some_lines(field: HeightField) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return x and y of some lines of a grid, m, with the first and the last ones, and the heights there."""
    cells, most = [grid[2] - 1 for grid in field.grids], MANY * MOST_FACES // 2
    narrow = min(*cells, int(np.sqrt(most)))
    lines = [np.linspace(0, n, min(n, most // narrow) + 1).astype(int) for n in cells]
    x, y = (first + step * own for own, (first, step, _) in zip(lines, field.grids, strict=True))
    return x, y, field.heights[np.ix_(*lines)]


@lru_cache(maxsize=8)
def _field(field: HeightField) -> list[Part]:
    """Return the surface of a height field, in its axes: the squares of each colour."""
    nx, ny = (grid[2] - 1 for grid in field.grids)
    parts = int(np.clip(np.sqrt(0.5 * MOST_FACES / (nx * ny)), 1, FINEST))
    x, y, heights = _some_lines(field) if 2 * nx * ny > MANY * MOST_FACES else field.refined(parts)
    nx, ny = ((count - 1) // parts for count in heights.shape)
    vertices = np.stack([*np.meshgrid(x, y, indexing="ij"), heights], axis=-1).reshape(-1, 3)
    column, row = np.meshgrid(*(np.arange(n * parts) // parts for n in (nx, ny)), indexing="ij")
    return _shaded(vertices, _squares(*heights.shape), (column + row).ravel() % 2)


@lru_cache(maxsize=8)
def _curved(road: CurvedGrid) -> list[Part]:
    """Return the surface of a curved grid, in its axes: the squares of each colour, few of a large one."""
    u, v, places = road.net(MOST_FACES // 2)
    side = nice(road.width / STRIPES)
    column, row = np.meshgrid(*(np.floor(0.5 * (x[1:] + x[:-1]) / side) for x in (u, v)), indexing="ij")
    shades = (column + row).astype(int).ravel() % 2
    return _shaded(places.reshape(-1, 3), _squares(len(u), len(v)), shades)


def _squares(rows: int, columns: int) -> np.ndarray:
    """Return the two triangles of each square of a net of vertices, (squares, 2, 3)."""
    k = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (corner.ravel() for corner in (k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]))
    return np.stack([np.column_stack([a, b, c]), np.column_stack([a, c, d])], axis=1)
