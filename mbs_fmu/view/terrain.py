"""Uneven ground in pictures: height fields under contacts and tyres, as triangles."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.bodies.colors import color as checked_color
from ..model.bodies.mesh_files import Part
from ..model.bodies.shapes import Shape
from ..model.data import ModelData
from ..model.references.naming import equal_key
from ..model.roads import HeightField
from .stage import MOST_FACES

COLORS = "#bdb19b", "#b0a48e"  #: of the squares of the grid, as on a chessboard, which show its slopes
FINEST = 4  #: parts of a distance of the grid's lines, so that curved ground looks smooth


@dataclass(frozen=True)
class Terrain(Shape):
    """Surface of a height field, within its grid."""

    field: HeightField
    kind = "mesh"


def terrains(model: ModelData, body: str) -> list[Shape]:
    """Return the height fields on a body, or the world, that contacts and tyres touch, each once."""
    fields: dict[object, Shape] = {}
    for force in model.forces.values():
        for name, at, road in force.grounds:
            if name == body and isinstance(road, HeightField):
                fields.setdefault((id(road), equal_key(at)), Terrain(road, at=at, color=COLORS[0]))
    return list(fields.values())


@lru_cache(maxsize=8)
def triangles(field: HeightField) -> list[Part]:
    """Return the surface of a field, in its axes: the squares of each colour."""
    nx, ny = (grid[2] - 1 for grid in field.grids)
    parts = int(np.clip(np.sqrt(0.5 * MOST_FACES / (nx * ny)), 1, FINEST))
    x, y, heights = field.refined(parts)
    vertices = np.stack([*np.meshgrid(x, y, indexing="ij"), heights], axis=-1).reshape(-1, 3)
    k = np.arange(len(vertices)).reshape(heights.shape)
    a, b, c, d = (corner.ravel() for corner in (k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]))
    column, row = np.meshgrid(*(np.arange(n * parts) // parts for n in (nx, ny)), indexing="ij")
    squares = (column + row).ravel() % 2
    faces = np.stack([np.column_stack([a, b, c]), np.column_stack([a, c, d])], axis=1)
    return [
        Part(vertices, faces[squares == k].reshape(-1, 3), checked_color(COLORS[k], "color"))
        for k in np.unique(squares).tolist()  # a field of a single square has one colour
    ]
