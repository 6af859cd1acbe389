"""Shapes in the page's form, and their hulls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..model.bodies.colors import color as checked_color
from ..model.bodies.shapes import Line, Mesh, Shape
from ..symbolic.rotations import values_of
from .meshes import Meshes
from .poses import Frames, Rows
from .stage import Hull
from .terrain import Terrain

ROUND = np.column_stack([f(np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)) for f in (np.cos, np.sin, np.zeros_like)])
CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
BALL = np.concatenate([np.cos(t) * ROUND + [0.0, 0.0, np.sin(t)] for t in np.linspace(-0.5, 0.5, 5) * np.pi])


def _rims(r: float, length: float) -> np.ndarray:
    return np.concatenate([r * ROUND + [0.0, 0.0, z] for z in (-0.5 * length, 0.5 * length)])


#: Points and margin of the hull of each kind of shape, from its lengths, in the axes of the shape.
HULLS: dict[str, Callable[[list[float], np.ndarray], tuple[np.ndarray, float]]] = {
    "box": lambda size, _: (CORNERS * size, 0.0),
    "sphere": lambda size, _: (np.zeros((1, 3)), size[0]),
    "ellipsoid": lambda size, _: (BALL * size, 0.0),
    "cylinder": lambda size, _: (_rims(size[0], size[1]), 0.0),
    "capsule": lambda size, _: (np.array([[0.0, 0.0, z] for z in (-0.5 * size[1], 0.5 * size[1])]), size[0]),
    "ring": lambda size, _: (size[0] * ROUND, size[1]),
    "line": lambda size, points: (points, size[0]),
    "mesh": lambda size, points: (points, 0.0),
}


def solid(shape: Shape, rows: Rows, color: str, meshes: Meshes) -> tuple[list[dict[str, Any]], Hull]:
    """Return the parts of a shape in the page's form, each of one colour, and its hull; `color` is the default."""
    position, rotation = shape.place()
    at = Frames(np.array([[rows.constant(x) for x in position]]), values_of(rotation, rows.of)[None])
    size = [rows.constant(x) for x in shape.size]
    part_data: dict[str, Any] = {
        "kind": shape.kind,
        "size": size,
        "position": at.x[0].tolist(),
        "quaternion": at.quaternions[0].tolist(),
        "color": list(shape.rgba() or checked_color(color, "color")),
    }
    points = np.zeros((0, 3))
    if isinstance(shape, Line):
        points = np.array([[rows.constant(x) for x in point] for point in shape.corners()])
        part_data["points"] = points.tolist()
    parts = [part_data]
    if isinstance(shape, Mesh):
        part_data["scale"] = shape.factors().tolist()
        parts = [{**part_data, "mesh": k} for k, _ in meshes.parts(shape.file)]
        for part, (_, own) in zip(parts, meshes.parts(shape.file), strict=True):
            if own is not None and shape.rgba() is None:
                part["color"] = list(own)
        points = meshes.hull(shape.file) * shape.factors()
    if isinstance(shape, Terrain):  # the scene is that of the mechanism on it: no points
        part_data |= {"scale": [1.0, 1.0, 1.0], "ground": True}
        parts = [{**part_data, "mesh": k, "color": list(shade or ())} for k, shade in meshes.parts(shape.surface)]
    corners, margin = HULLS[shape.kind](size, points)
    return parts, Hull(at.points(corners), margin)
