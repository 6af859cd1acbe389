"""The room in which a mechanism moves: what the camera must show, where it stands, where the ground is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..messages.failures import display
from ..model.data import ModelData
from ..model.geometry.axes import third_axis
from ..model.geometry.vectors import number_array
from ..symbolic.graph import leaves
from .poses import Frames, Rows

LOOKED_AT = 150  #: rows, of which the room is made
FLAT = 0.3  #: a mechanism that is so much thinner than wide is seen from the front
STANDS = 0.02  #: of the size: what stays so near its lowest point stands on the ground
BELOW = 0.06  #: of the size: how far the ground is below what hangs
WAYS = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z], dtype=float)
BALL = WAYS / np.linalg.norm(WAYS, axis=1, keepdims=True)
TURNED = third_axis((0.36, 0.48, 0.8))  #: some other axes, in which corners are looked for too


@dataclass(frozen=True)
class Hull:
    """Points (m, body axes) that hold a part of a body between them, with a margin around each."""

    points: np.ndarray
    margin: float = 0.0

    def filled(self) -> np.ndarray:
        """Points that hold it between them, without a margin."""
        if not self.margin:
            return self.points
        return np.asarray(self.points[:, None] + self.margin * BALL).reshape(-1, 3)


def ground(model: ModelData, rows: Rows) -> np.ndarray | None:
    """Upwards, against gravity; None where there is no gravity that is the same everywhere."""
    if any(getattr(reference, "role", "") not in ("parameter", "time") for reference in leaves(model.uniform_gravity)):
        return None
    g = rows.values(list(model.uniform_gravity))[0]
    size = float(np.linalg.norm(g))
    return -g / size if size > 1e-9 else None


def stage(
    hulls: Mapping[str, Sequence[Hull]],
    frames: Mapping[str, Frames],
    up: np.ndarray | None,
    follow: str | None,
    eye: Any,
) -> dict[str, Any]:
    """The room of a page: up, where from it is seen, its middle, size, corners and floor.

    eye: a direction from the middle, in world axes, or None for one that shows most.
    """
    axes = third_axis((0.0, 0.0, 1.0) if up is None else _triple(up))  # two level ones, and upwards
    points = _points(hulls, frames, follow)
    seen = points @ axes
    low, high = seen.min(axis=(0, 1)), seen.max(axis=(0, 1))
    size = max(float(np.linalg.norm(high - low)), 1e-6)
    stands = np.ptp(seen[:, :, 2].min(axis=1)) < STANDS * size
    step = nice(size / 7.0)
    corners = outermost(points.reshape(-1, 3), np.vstack([WAYS @ axes.T, WAYS @ TURNED]))
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


def outermost(points: np.ndarray, ways: np.ndarray = WAYS) -> np.ndarray:
    """Those of some points that lie furthest along some directions; all, if they are few."""
    return points if len(points) <= len(ways) else points[np.unique(np.argmax(ways @ points.T, axis=1))]


def _points(hulls: Mapping[str, Sequence[Hull]], frames: Mapping[str, Frames], follow: str | None) -> np.ndarray:
    """The outermost points of bodies in some rows, (rows, points, 3), world axes, m; as a followed body sees them."""
    count = len(next(iter(frames.values())).x)
    chosen = np.unique(np.linspace(0, count - 1, min(count, LOOKED_AT)).round().astype(int))
    back = np.zeros((len(chosen), 1, 3))
    if follow is not None:
        x = frames[follow].x
        back = (x[chosen] - x[0])[:, None]
    parts = []
    for name, bounds in hulls.items():
        if bounds:
            points = outermost(np.concatenate([hull.filled() for hull in bounds]))
            parts.append(frames[name].x[chosen][:, None] + points @ frames[name].R[chosen].swapaxes(1, 2) - back)
    together = np.concatenate(parts, axis=1) if parts else np.zeros((1, 0, 3))
    good = together[np.isfinite(together).all(axis=(1, 2))]
    return good if good.size else np.array([[[-0.5, -0.5, 0.0], [0.5, 0.5, 1.0]]])


def nice(length: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * min((1.0, 2.0, 5.0, 10.0), key=lambda x: abs(np.log(x * power / length))))


def _eye(axes: np.ndarray, extent: np.ndarray, direction: Any) -> np.ndarray:
    """The direction from which it is seen: from above and aside, or, if it is flat, nearly along that direction."""
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
    wide, deep = (float(np.abs(way @ axes) @ extent) for way in (right, front))
    if wide < FLAT * deep:  # seen along its width
        right, front = -front, right
        wide, deep = deep, wide
    flat = deep < FLAT * max(wide, float(extent[2]))
    eye = front + (0.28 * right + 0.22 * up if flat else 0.6 * right + 0.5 * up)
    return np.asarray(eye / np.linalg.norm(eye))
