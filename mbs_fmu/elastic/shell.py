"""The finite element model of a thin shell of one material and thickness, from a mesh of triangles in space."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..infrastructure.arguments import positive
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from .elements.plate_elements import PlateElements
from .elements.triangles import triangles
from .meshes.mesh_files import TRIANGLES, CellMesh, check_connected, load_cells
from .meshes.selections import Points, material_of, root_first
from .reduction.interfaces import is_placed
from .shapes import Array

FLAT = 1e-6  #: twice the area of a triangle, relative to the square of its longest edge


@dataclass(frozen=True)
class Shell:
    """Finite element model of a shell, the input of `matrices.reduced`; nodes have six dofs."""

    places: Array  #: (N, 3), m
    M: Any  #: sparse (6 N, 6 N)
    K: Any  #: sparse (6 N, 6 N)
    frames: dict[str, tuple[Array, Array]]  #: indices of nodes and place of each frame, by name
    elements: PlateElements  #: with the stress stiffness
    faces: Array  #: indices of nodes, (n, 3)


def shell_model(
    mesh: Any, thickness: Any, material: tuple[Any, Any, Any], frames: Any, root: Any = None, scale: Any = None
) -> Shell:
    """Return a shell's nodes, matrices and frames, the root first; the mesh is its middle surface.

    material: Young's modulus, Pa, Poisson's ratio and density, kg/m³. The other arguments are those of
    `Modes.shell`. Raises ModelError.
    """
    made_of, h = material_of(*material), positive(thickness, "thickness")
    ordered = root_first(frames, root)
    loaded = load_cells(mesh, scale, TRIANGLES)
    used, corners = np.unique(loaded.cells[:, :3], return_inverse=True)
    nodes = corners.reshape(-1, 3)
    _check_triangles(loaded, np.sort(nodes, axis=1))
    check_connected(loaded)
    places = loaded.points[used]
    points = Points(loaded.title, loaded.points, used, loaded.sets)
    placed = {str(name): _frame(points, places, nodes, str(name), value) for name, value in ordered.items()}
    elements = triangles(nodes, places, h, made_of)
    M, K = elements.assembled(len(places))
    return Shell(places, M, K, placed, elements, nodes)


def _check_triangles(mesh: CellMesh, nodes: Array) -> None:
    """Raise ModelError for triangles without an area, and for two with the same corners."""
    a, b, c = np.moveaxis(mesh.points[mesh.cells[:, :3]], 1, 0)
    longest = np.max([np.linalg.norm(edge, axis=1) for edge in (b - a, c - b, a - c)], axis=0)
    flat = np.linalg.norm(np.cross(b - a, c - a), axis=1) <= FLAT * longest**2
    if flat.any():
        where = mesh.where(int(np.argmax(flat)))
        raise ModelError(f"{mesh.title} has {flat.sum()} triangles without an area: {where}; remesh")
    _, first, which = np.unique(nodes, axis=0, return_index=True, return_inverse=True)
    doubled = first[which.ravel()] != np.arange(len(nodes))
    if doubled.any():
        k = int(np.argmax(doubled))
        one = mesh.where(int(first[which.ravel()[k]]))
        raise ModelError(f"{mesh.title} has doubled triangles: {one} and {mesh.where(k)}; save each surface once")


def _frame(points: Points, places: Array, nodes: Array, name: str, value: Any) -> tuple[Array, Array]:
    """Return the nodes of a frame and its place: the centroid of the triangles, edges or points that it selects."""
    selection, place = value if is_placed(value) else (value, None)
    selected = points.selected(name, selection)
    indices = np.flatnonzero(selected)
    return indices, _centroid(places, nodes, selected) if place is None else place


def _centroid(places: Array, nodes: Array, selected: Array) -> Array:
    """Centroid of the triangles with all corners selected; else of the edges between such nodes; else of the nodes."""
    inside = places[nodes[selected[nodes].all(axis=1)]]
    sizes = np.linalg.norm(np.cross(inside[:, 1] - inside[:, 0], inside[:, 2] - inside[:, 0]), axis=1)
    if not len(inside):
        edges = np.unique(np.sort(nodes[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)
        inside = places[edges[selected[edges].all(axis=1)]]
        sizes = np.linalg.norm(inside[:, 1] - inside[:, 0], axis=1)
    if not len(inside):
        return np.asarray(places[selected].mean(0))
    return np.asarray(sizes @ inside.mean(axis=1) / sizes.sum())
