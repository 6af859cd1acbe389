"""Coordinate systems of Nastran: rectangular, cylindrical and spherical, by points of others (CORD2) or grids (CORD1).

Three points define a system: its origin A, B on its z axis, and C in its plane xz. Cylindrical coordinates are r, theta
(degrees), z; spherical ones are r, theta (from the z axis), phi. System 0 is the basic one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ..shapes import Array

DEEPEST = 100  #: systems that refer to each other
SMALL = 1e-10  #: sine of the angle of AB and AC below which three points define no system


@dataclass(frozen=True)
class System:
    """A definition: where (for messages), kind "R", "C" or "S", and its points, by the numbers of grids or in `of`."""

    where: str
    kind: str
    of: int
    points: tuple[tuple[float, ...], ...] = ()
    grids: tuple[int, ...] = ()


class Systems:
    """All systems of a model by number; place_of: the place of a grid, (3), in basic coordinates."""

    def __init__(self, defined: dict[int, System], place_of: Callable[[int, str, int], Array]):
        self.defined, self._place_of = defined, place_of
        self._known: dict[int, tuple[str, Array, Array]] = {0: ("R", np.zeros(3), np.eye(3))}

    def place(self, system: int, coordinates: Array, where: str, depth: int = 0) -> Array:
        """Return the place of coordinates in a system, (3), basic coordinates. Raises ModelError."""
        kind, origin, axes = self._frame(system, where, depth)
        return np.asarray(origin + axes @ _cartesian(kind, coordinates))

    def axes(self, system: int, place: Array, where: str) -> Array:
        """Return the axes (columns) of displacements in a system at a place, (3, 3). Raises ModelError."""
        kind, origin, axes = self._frame(system, where, 0)
        return np.asarray(axes @ _directions(kind, axes.T @ (place - origin)))

    def _frame(self, system: int, where: str, depth: int) -> tuple[str, Array, Array]:
        """Return kind, origin and axes (columns) of a system. Raises ModelError."""
        if system in self._known:
            return self._known[system]
        if system not in self.defined:
            raise ModelError(f"{where} refers to the coordinate system {system}, which no CORD card defines: add it")
        card = self.defined[system]
        if depth > DEEPEST:
            raise ModelError(f"{card.where}: coordinate systems refer to each other in a circle")
        if card.grids:
            A, B, C = (self._place_of(grid, card.where, depth + 1) for grid in card.grids)
        else:
            A, B, C = (self.place(card.of, np.array(point), card.where, depth + 1) for point in card.points)
        z, across = B - A, np.cross(B - A, C - A)
        size = float(np.linalg.norm(z)) * float(np.linalg.norm(C - A))
        if not np.linalg.norm(across) > SMALL * size:
            raise ModelError(f"{card.where}: the three points of system {system} lie on a line, which defines no axes")
        z, y = z / np.linalg.norm(z), across / np.linalg.norm(across)
        self._known[system] = card.kind, A, np.column_stack([np.cross(y, z), y, z])
        return self._known[system]


def _cartesian(kind: str, coordinates: Array) -> Array:
    if kind == "R":
        return coordinates
    a, b, c = coordinates
    if kind == "C":
        t = np.radians(b)
        return np.array([a * np.cos(t), a * np.sin(t), c])
    t, p = np.radians(b), np.radians(c)
    return np.array([a * np.sin(t) * np.cos(p), a * np.sin(t) * np.sin(p), a * np.cos(t)])


def _directions(kind: str, place: Array) -> Array:
    """Return the unit vectors (columns) of a system at a place, in its rectangular axes, (3, 3)."""
    if kind == "R":
        return np.eye(3)
    x, y, z = place
    p = np.arctan2(y, x)
    radial, around = np.array([np.cos(p), np.sin(p), 0.0]), np.array([-np.sin(p), np.cos(p), 0.0])
    up = np.array([0.0, 0.0, 1.0])
    if kind == "C":
        return np.column_stack([radial, around, up])
    t = np.arctan2(np.hypot(x, y), z)
    return np.column_stack([
        np.sin(t) * radial + np.cos(t) * up, np.cos(t) * radial - np.sin(t) * up, around,
    ])  # fmt: skip
