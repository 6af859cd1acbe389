"""Matrices from the displacements of a model of another program to stresses, by its mesh and Hooke's law."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...infrastructure.arguments import finite
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.calls import with_clear_errors
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ..elements.solid_shapes import BRICK_EDGES, EDGES, inside, natural
from ..elements.solid_stress import ON, OUTSIDE, hooke
from ..meshes.selections import material_of
from ..reduction.structures import scipy_modules
from ..shapes import Array
from .data import Data

NEAR = 0.5  #: margin of the boxes around elements in which a point is looked for, relative to their size
SOLID = re.compile(r"C3D(4|8|10|20)[A-Z]*|tetra(10)?")
TETRAHEDRA = {4: "C3D4", 10: "C3D10"}
MIDSIDE = {10: (4, EDGES), 20: (8, BRICK_EDGES)}  #: for nodes of an element: number of corners, corners of edges
OFF = 1.0 / 3.0  #: distance of a midside node from the middle of its edge, relative to its length: curves have less


@with_clear_errors
def stress(data: Data, places: Mapping[str, Any], E: float, nu: float, tetrahedra: Any = None) -> dict[str, Any]:
    """Return matrices from all displacements to the stresses xx, yy, zz, xy, yz, xz at places, for `Modes.matrices`.

    data: a model with its solid elements, C3D4, C3D8, C3D10, C3D20 and their variants. places: positions by name, m.
    E, nu: Young's modulus, Pa, and Poisson's ratio. tetrahedra: indices of nodes, (n, 4) or (n, 10), if the data have
    no elements: corners, then the middles of edges 12, 23, 31, 14, 24, 34.

    The matrices, sparse (6, dofs N), Pa/m and Pa/rad, take the gradients of displacements at the place by the elements'
    shape functions, averaged over the elements that contain it. A place may lie outside by a tenth of an element.
    Raises ModelError, also if nodes of an element are not near the middles of its edges in this order. Source: (H17) of
    docs/equations_elastic.md.
    """
    material = material_of(E, nu, 1.0)
    elements = _elements(data, tetrahedra)
    for cells in elements:
        _check_midside(data, cells)
    if not isinstance(places, Mapping):
        raise ModelError(f"places is {display(places)}: give places by name, such as {{'gauge': (0.1, 0, 0.01)}}")
    return {name: _gauge(data, elements, str(name), at, material.lame) for name, at in places.items()}


def _elements(data: Data, tetrahedra: Any) -> list[Array]:
    """Return the nodes of all solid elements, one array for each kind. Raises ModelError."""
    if tetrahedra is None:
        solid = [cells for kind, cells in data.elements.items() if SOLID.fullmatch(kind)]
        if not solid:
            have = f"elements {listed(data.elements)}" if data.elements else "no elements"
            raise ModelError(f"stress: the data have {have}: give tetrahedra=, or a file with solid elements (C3D10)")
        return solid
    try:
        cells = np.asarray(tetrahedra)
    except ValueError:
        cells = np.zeros(0)
    if cells.ndim != 2 or cells.shape[1] not in TETRAHEDRA or cells.dtype.kind not in "iu" or not len(cells):
        raise ModelError(f"tetrahedra is {display(tetrahedra)}: give indices of nodes, (n, 4) or (n, 10)")
    if cells.min() < 0 or cells.max() >= len(data.nodes):
        raise ModelError(f"tetrahedra has node {cells.max()}: the data have nodes 0 to {len(data.nodes) - 1}")
    return [cells]


def _check_midside(data: Data, cells: Array) -> None:
    """Raise ModelError if a midside node is not near the middle of its edge: nodes in another order."""
    if cells.shape[1] not in MIDSIDE:
        return
    corners, edges = MIDSIDE[cells.shape[1]]
    a, b = (data.nodes[cells[:, edges[:, end]]] for end in (0, 1))
    away = np.linalg.norm(data.nodes[cells[:, corners:]] - 0.5 * (a + b), axis=2)
    for k, edge in np.argwhere(~(away <= OFF * np.linalg.norm(b - a, axis=2))).tolist()[:1]:
        order = ", ".join(f"{i + 1}-{j + 1}" for i, j in edges)
        gmsh = " (gmsh writes the nodes 9 and 10 swapped)" if cells.shape[1] == 10 else ""
        raise ModelError(
            f"stress: in element {k} (from 0), node {corners + edge + 1} is {away[k, edge]:.3g} m off the middle of "
            f"edge {edges[edge, 0] + 1}-{edges[edge, 1] + 1}: give corners, then the middles of edges {order}{gmsh}"
        )


def _gauge(data: Data, elements: list[Array], name: str, at: Any, lame: tuple[float, float]) -> Any:
    """Return the matrix of stresses at a point, sparse (6, dofs N). Raises ModelError if no element contains it."""
    point = np.array([finite(x, f"the place of stress {name!r}") for x in np.ravel(at)])
    if point.shape != (3,):
        raise ModelError(f"the place of stress {name!r} is {display(at)}: give three numbers, m")
    found = list(_around(data.nodes, elements, point))
    most = max((depth for depth, *_ in found), default=-np.inf)
    if most < -OUTSIDE:
        low, high = data.nodes.min(0), data.nodes.max(0)
        extent = ", ".join(f"{a:.4g} to {b:.4g}" for a, b in zip(low, high, strict=True))
        raise ModelError(f"stress {name!r}: no solid element at {display(at)} m; the nodes extend over {extent} m")
    inner = [(nodes, slopes) for depth, nodes, slopes in found if depth >= min(most, -ON)]
    B = scipy_modules().sparse.lil_array((6, data.dofs * len(data.nodes)))
    for nodes, slopes in inner:
        for node, slope in zip(nodes.tolist(), slopes, strict=True):
            dofs = slice(data.dofs * node, data.dofs * node + 3)
            B[:, dofs] = B[:, dofs] + hooke(slope, *lame) / len(inner)
    return B.tocsr()


def _around(nodes: Array, elements: list[Array], point: Array) -> Iterator[tuple[float, Array, Array]]:
    """Yield how deep a point lies in each element near it, the element's nodes and the gradients of their functions."""
    for cells in elements:
        places = nodes[cells]
        low, high = places.min(1), places.max(1)
        margin = NEAR * (high - low).max(1, keepdims=True)
        for k in np.flatnonzero(((point >= low - margin) & (point <= high + margin)).all(1)).tolist():
            at = natural(places[k], point)
            if at is not None:
                yield inside(cells.shape[1], at[0]), cells[k], at[1]
