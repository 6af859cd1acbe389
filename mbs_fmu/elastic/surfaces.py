"""The surface of an elastic body as a mesh of triangles that deforms with it, for pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import add_clear_errors
from ..infrastructure.messages.failures import display
from .checks import array
from .frames import Node
from .shapes import Array, skew


@add_clear_errors
@dataclass(frozen=True, eq=False)
class Surface:
    """A mesh whose vertices move along straight lines, to points + shapes xi, in the axes of the body's frame.

    Displacements of second order, such as foreshortening, are left out: pictures only.
    """

    points: Array  #: s, (N, 3), m, of the undeformed body
    faces: Array  #: (M, 3), indices of points
    shapes: Array  #: phi, (N, 3, n)

    def combined(self, V: Array) -> Surface:
        """Return the surface in coordinates eta, xi = V eta."""
        return Surface(self.points, self.faces, self.shapes @ V)

    def seen_from(self, frame: Node) -> Surface:
        """Return the surface relative to the frame that moves with a node, to first order: see `Node.seen_from`."""
        lever = np.einsum("ija,kj->kia", skew(frame.Y1[3:]), self.points - frame.position)
        return Surface(self.points, self.faces, self.shapes - frame.Y1[:3] - lever)

    def displaced(self, xi: Array) -> Array:
        """Return the vertices, (..., N, 3), m, for coordinates xi, (..., n)."""
        return np.asarray(self.points + np.einsum("kia,...a->...ki", self.shapes, xi))


def surface_of(faces: Any, places: Array, displacements: Array) -> Surface:
    """Return the surface that consists of faces between nodes of a finite element model.

    faces: (M, 3), indices of nodes. places: (N, 3), m. displacements: of all nodes, (N, 3, n). Nodes of no face are
    left out. Raises ModelError for faces that are not such indices.
    """
    corners = np.asarray(faces)
    if corners.ndim != 2 or corners.shape[1:] != (3,) or not len(corners) or corners.dtype.kind not in "iu":
        raise ModelError(f"faces is {display(faces)}: give triangles, three indices of nodes for each")
    if corners.min() < 0 or corners.max() >= len(places):
        wrong = corners.min() if corners.min() < 0 else corners.max()
        raise ModelError(f"faces has the node {wrong}: the model has nodes 0 to {len(places) - 1}")
    used, own = np.unique(corners, return_inverse=True)
    return Surface(places[used], own.reshape(-1, 3), displacements[used])


def checked_surface(surface: Any, n: int) -> Surface | None:
    """Return a surface with read-only arrays of the right shapes, or None. Raises ModelError."""
    if surface is None:
        return None
    if not isinstance(surface, Surface):
        raise ModelError(f"the surface of an elastic body is {display(surface)}: give a Surface, or None")
    count, faces = len(surface.points), np.array(surface.faces)
    if faces.ndim != 2 or faces.shape[1:] != (3,) or faces.dtype.kind not in "iu":
        raise ModelError(f"faces of the surface are {display(surface.faces)}: give three indices of points for each")
    if faces.size and not 0 <= faces.min() <= faces.max() < count:
        raise ModelError(f"faces of the surface have indices {faces.min()} to {faces.max()}, for {count} points")
    faces.flags.writeable = False
    points = array(surface.points, (count, 3), "points of the surface")
    return Surface(points, faces, array(surface.shapes, (count, 3, n), "shapes of the surface"))
