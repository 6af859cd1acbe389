"""Scene of a page: the space in which a mechanism moves, the camera's direction, and the ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..infrastructure.errors import ArgumentError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..model.data import ModelData
from ..model.geometry.axes import third_axis
from ..model.geometry.vectors import number_array
from ..symbolic.graph import leaves
from .poses import Frames, Rows

MOST_FACES = 20_000  #: faces on a page, which computers without a graphics processor still draw smoothly
MOST_ROWS = 150  #: rows from which the scene is computed
FLAT = 0.3  #: depth over width below which a mechanism is seen from the front
STANDS = 0.02  #: variation of the lowest point, over the size, below which the mechanism stands on the ground
BELOW = 0.06  #: distance of the ground below hanging mechanisms, over the size
#: Directions to the faces, edges and corners of a cube.
DIRECTIONS = np.array(
    [[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z], dtype=float
)
BALL = DIRECTIONS / np.linalg.norm(DIRECTIONS, axis=1, keepdims=True)
TURNED = third_axis((0.36, 0.48, 0.8))  #: second set of axes for the search of corners


@dataclass(frozen=True)
class Hull:
    """Convex hull of a part of a body: points, m, in body axes, with a margin around each, m."""

    points: np.ndarray
    margin: float = 0.0

    def filled(self) -> np.ndarray:
        """Return points of a hull without margin."""
        if not self.margin:
            return self.points
        return np.asarray(self.points[:, None] + self.margin * BALL).reshape(-1, 3)


def ground(model: ModelData, rows: Rows) -> np.ndarray | None:
    """Return the unit vector against gravity; None without uniform gravity."""
    if any(getattr(reference, "role", "") not in ("parameter", "time") for reference in leaves(model.uniform_gravity)):
        return None
    g = rows.values(list(model.uniform_gravity))[0]
    size = float(np.linalg.norm(g))
    return -g / size if size > 1e-9 else None


def mass_of(model: ModelData, rows: Rows) -> float:
    """Return the mass of all bodies, kg, elastic ones included."""
    masses = [
        rows.constant(body.mass) if body.elastic is None else float(body.elastic.modes.mass)
        for body in model.bodies.values()
        if body.attachment is None
    ]
    return sum(masses)


def stage(
    hulls: Mapping[str, Sequence[Hull]],
    frames: Mapping[str, Frames],
    up: np.ndarray | None,
    follow: str | None,
    eye: Any,
) -> dict[str, Any]:
    """Return the scene of a page: upward direction, direction of view, center, size, corners and floor.

    hulls: by body. frames: of all bodies. up: upward unit vector. follow: body that the camera follows.
    eye: direction of the camera from the center, in world axes, or None for an automatic one.
    """
    axes = third_axis((0.0, 0.0, 1.0) if up is None else _triple(up))  # two horizontal axes, and the vertical one
    points = _points(hulls, frames, follow)
    coordinates = points @ axes
    low, high = coordinates.min(axis=(0, 1)), coordinates.max(axis=(0, 1))
    size = max(float(np.linalg.norm(high - low)), 1e-6)
    stands = np.ptp(coordinates[:, :, 2].min(axis=1)) < STANDS * size
    step = nice(size / 7.0)
    corners = outermost(points.reshape(-1, 3), np.vstack([DIRECTIONS @ axes.T, DIRECTIONS @ TURNED]))
    return {
        "up": axes[:, 2].tolist(),
        "ground": up is not None,
        "floor": float(low[2] - (0.0 if stands else BELOW * size)),
        "grid": step,
        "eye": _eye(axes, high - low, eye).tolist(),
        "center": (axes @ (0.5 * (low + high))).tolist(),
        "size": size,
        "room": corners.tolist(),
    }


def _triple(vector: np.ndarray) -> tuple[float, float, float]:
    x, y, z = vector.tolist()
    return x, y, z


def outermost(points: np.ndarray, directions: np.ndarray = DIRECTIONS) -> np.ndarray:
    """Return the points that are furthest along some directions; all points if they are fewer than the directions."""
    return points if len(points) <= len(directions) else points[np.unique(np.argmax(directions @ points.T, axis=1))]


def _points(hulls: Mapping[str, Sequence[Hull]], frames: Mapping[str, Frames], follow: str | None) -> np.ndarray:
    """Return the outermost points of bodies in some rows, shape (rows, points, 3), m, in world axes.

    If the camera follows a body, its displacement from the first row is subtracted.
    """
    count = len(next(iter(frames.values())).x)
    chosen = np.unique(np.linspace(0, count - 1, min(count, MOST_ROWS)).round().astype(int))
    shift = np.zeros((len(chosen), 1, 3))
    if follow is not None:
        x = frames[follow].x
        shift = (x[chosen] - x[0])[:, None]
    parts = []
    for name, bounds in hulls.items():
        if bounds:
            points = outermost(np.concatenate([hull.filled() for hull in bounds]))
            parts.append(frames[name].x[chosen][:, None] + points @ frames[name].R[chosen].swapaxes(1, 2) - shift)
    all_points = np.concatenate(parts, axis=1) if parts else np.zeros((1, 0, 3))
    finite = all_points[np.isfinite(all_points).all(axis=(1, 2))]
    return finite if finite.size else np.array([[[-0.5, -0.5, 0.0], [0.5, 0.5, 1.0]]])


def nice(length: float) -> float:
    """Return the nearest number of the form 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * min((1.0, 2.0, 5.0, 10.0), key=lambda x: abs(np.log(x * power / length))))


def _eye(axes: np.ndarray, extent: np.ndarray, direction: Any) -> np.ndarray:
    """Return the unit vector to the camera: oblique from above, or nearly normal to a flat mechanism."""
    if direction is not None:
        eye = number_array(direction, "eye")
        if eye.shape != (3,) or not np.isfinite(eye).all() or not eye.any():
            raise ArgumentError(
                f"eye is {display(direction)}: give the direction from which it is seen, such as (1, -2, 1)"
            )
        return np.asarray(eye / np.linalg.norm(eye))
    a, b, up = axes.T
    if up @ np.array([0.0, 0.0, 1.0]) > 0.9:
        right, front = np.array([1.0, 0.0, 0.0]), np.array([0.0, -1.0, 0.0])
    else:
        right, front = b, a
    right, front = right - (right @ up) * up, front - (front @ up) * up
    width, depth = (float(np.abs(direction @ axes) @ extent) for direction in (right, front))
    if width < FLAT * depth:  # look along the shorter side
        right, front = -front, right
        width, depth = depth, width
    flat = depth < FLAT * max(width, float(extent[2]))
    eye = front + (0.28 * right + 0.22 * up if flat else 0.6 * right + 0.5 * up)
    return np.asarray(eye / np.linalg.norm(eye))
