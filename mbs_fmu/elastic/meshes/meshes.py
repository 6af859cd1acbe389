"""Meshes of tetrahedra, and checks that they form a solid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ..shapes import Array
from .mesh_files import TETRAHEDRA, CellMesh, check_connected, load_cells

FLAT = 1e-9  #: six times the volume of a tetrahedron, relative to the cube of its longest edge
SIDES = ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))  #: corners of each face of a tetrahedron


@dataclass(frozen=True)
class TetrahedralMesh:
    """Tetrahedra with straight or curved edges."""

    title: str  #: for messages
    points: Array  #: (N, 3), m
    tetrahedra: Array  #: (n, 4): indices of the corners; (n, 10): then the midpoints of edges 01 12 02 03 13 23
    sets: Mapping[str, Callable[[], Array]]  #: for each name a function that returns indices of points

    @property
    def corners(self) -> Array:
        """Indices of the points that are corners, in ascending order."""
        return np.unique(self.tetrahedra[:, :4])

    def where(self, tetrahedron: int) -> str:
        """Description of a tetrahedron and its centre, for messages."""
        return CellMesh(TETRAHEDRA, self.title, self.points, self.tetrahedra, self.sets).where(tetrahedron)


def load_mesh(mesh: Any, scale: Any) -> TetrahedralMesh:
    """Return a checked mesh from a file that meshio reads, or from a pair of arrays (points, tetrahedra).

    scale: metres per unit of the mesh; None if the mesh is in metres. Raises ModelError.
    """
    loaded = load_cells(mesh, scale, TETRAHEDRA)
    checked = TetrahedralMesh(loaded.title, loaded.points, loaded.cells, loaded.sets)
    _check_tetrahedra(checked)
    check_connected(loaded)
    return checked


# -- checks ------------------------------------------------------------------------------------------------------
def _check_tetrahedra(mesh: TetrahedralMesh) -> None:
    """Raise ModelError for flat tetrahedra, and for two that lie on the same side of a face that they share.

    This test finds an inverted tetrahedron whatever the order of its corners.
    """
    at = mesh.points[mesh.tetrahedra[:, :4]]
    edges = at[:, [1, 2, 0, 0, 1, 2]] - at[:, [0, 1, 2, 3, 3, 3]]
    longest = np.linalg.norm(edges, axis=2).max(1)
    flat = np.abs(np.linalg.det(at[:, 1:] - at[:, :1])) <= FLAT * longest**3
    if flat.any():
        raise ModelError(f"{mesh.title} has {flat.sum()} flat tetrahedra: {mesh.where(int(np.argmax(flat)))}; remesh")
    faces = np.sort(np.concatenate([mesh.tetrahedra[:, side] for side in SIDES]), axis=1)
    opposite = np.concatenate([mesh.tetrahedra[:, 6 - sum(side)] for side in SIDES])
    _, face, shared = np.unique(faces, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(face.ravel(), kind="stable")
    pair = np.flatnonzero(np.diff(face.ravel()[order]) == 0)
    one, other = order[pair], order[pair + 1]
    a, b, c = np.moveaxis(mesh.points[faces[one]], 1, 0)
    normal = np.cross(b - a, c - a)
    sides = [np.einsum("ki,ki->k", normal, mesh.points[opposite[k]] - a) for k in (one, other)]
    wrong = (sides[0] * sides[1] > 0.0) | (shared[face.ravel()[one]] > 2)
    if wrong.any():
        k = int(np.argmax(wrong))
        first, second = sorted((int(one[k]) % len(at), int(other[k]) % len(at)))
        raise ModelError(
            f"{mesh.title} has inverted or doubled tetrahedra: {mesh.where(first)} and {mesh.where(second)} lie on the "
            "same side of the face that they share; remesh, or check the order of points"
        )
