"""A mesh of tetrahedra: from a file or arrays, with its named sets of points, and what makes it no solid."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import positive
from ..errors import ModelError
from ..lazy_dataclasses import dataclass
from ..messages.extras import install
from ..messages.failures import display
from .shapes import Array

EXTRA = install("solid")
LARGE = 20.0  #: m; beyond that a mesh is probably in mm
FLAT = 1e-9  #: six times the volume of a tetrahedron, in parts of the cube of its longest edge
SIDES = ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))  #: of a tetrahedron, its corners


@dataclass(frozen=True)
class Mesh:
    """Tetrahedra of straight or curved edges."""

    title: str  #: for messages
    points: Array  #: (N, 3), m
    tetrahedra: Array  #: indices of four corners, or of these and the middles of edges 01 12 02 03 13 23: (n, 4 or 10)
    sets: Mapping[str, Callable[[], Array]]  #: indices of points, by name

    @property
    def corners(self) -> Array:
        """The points that are corners, rising indices."""
        return np.unique(self.tetrahedra[:, :4])

    def where(self, tetrahedron: int) -> str:
        """A tetrahedron and its middle, in words."""
        x, y, z = self.points[self.tetrahedra[tetrahedron, :4]].mean(0)
        return f"tetrahedron {tetrahedron} (at {x:.4g}, {y:.4g}, {z:.4g} m)"


def given(mesh: Any, scale: Any) -> Mesh:
    """The mesh of a file that meshio reads, or of a pair of arrays (points, tetrahedra). Raises ModelError.

    scale: metres by the mesh's unit; None where it is in metres.
    """
    of_file = isinstance(mesh, str | Path)
    title, points, tetrahedra, sets = _read(Path(mesh)) if of_file else _arrays(mesh)
    if not len(tetrahedra):
        raise ModelError(f"{title} has no tetrahedra: mesh the volume; of gmsh, save its physical group as well")
    if not np.isfinite(points).all() or tetrahedra.min() < 0 or tetrahedra.max() >= len(points):
        raise ModelError(f"{title} has numbers that are none, or tetrahedra of points that are not there")
    points = points * (1.0 if scale is None else positive(scale, "scale"))
    size = float(np.ptp(points[np.unique(tetrahedra)], axis=0).max())
    if scale is None and size > LARGE:
        raise ModelError(f"{title} is {size:.6g} m long: if it is in mm, give scale=1e-3; if it is in m, scale=1")
    made = Mesh(title, points, tetrahedra, sets)
    _check_sound(made)
    _check_one_piece(made)
    return made


# -- arrays and files --------------------------------------------------------------------------------------------
_Parts = tuple[str, Array, Array, Mapping[str, Callable[[], Array]]]


def _arrays(mesh: Any) -> _Parts:
    wanted = "give the name of a file, or arrays (points, tetrahedra) of shapes (N, 3) and (n, 4) or (n, 10)"
    try:
        points, tetrahedra = (np.asarray(part) for part in mesh)
        points = points.astype(float)
    except (TypeError, ValueError):
        raise ModelError(f"mesh is {display(mesh)}: {wanted}") from None
    shaped = points.ndim == tetrahedra.ndim == 2 and points.shape[1] == 3 and tetrahedra.shape[1] in (4, 10)
    if not shaped or tetrahedra.dtype.kind not in "iu":
        told = f"{points.shape} and {tetrahedra.shape} of {tetrahedra.dtype}"
        raise ModelError(f"mesh has arrays of shapes {told}: {wanted}, of whole numbers")
    return "the mesh", points, tetrahedra, {}


def _read(file: Path) -> _Parts:
    try:
        import meshio
    except ImportError:
        raise ModelError(f"mesh {str(file)!r}: files of meshes need meshio: {EXTRA}") from None
    if not file.is_file():
        raise ModelError(f"no mesh {str(file)!r}: give the name of a file, from the working folder")
    title, said = f"mesh {str(file)!r}", io.StringIO()
    try:
        with redirect_stdout(said), redirect_stderr(io.StringIO()):
            found = meshio.read(file)
    except (Exception, SystemExit) as error:  # whatever a damaged file leads to; meshio prints and exits
        why = error if isinstance(error, Exception) else said.getvalue()
        raise ModelError(f"{title} can't be read: {' '.join(str(why).split()) or 'it is damaged'}") from None
    volumes = [block for block in found.cells if block.dim == 3]
    for block in volumes:
        if block.type not in ("tetra", "tetra10"):
            raise ModelError(f"{title} has {len(block.data)} cells {block.type!r}: mesh the volume by tetrahedra only")
    width = min((block.data.shape[1] for block in volumes), default=4)
    parts = [np.asarray(block.data)[:, :width] for block in volumes]
    tetrahedra = np.concatenate(parts) if parts else np.zeros((0, 4), int)
    return title, np.asarray(found.points, dtype=float), tetrahedra.astype(int), _sets(found)


def _sets(found: Any) -> Mapping[str, Callable[[], Array]]:
    """Points of point sets, of sets of cells and of physical groups of gmsh, by name."""
    sets: dict[str, Callable[[], Array]] = {}
    tags = found.cell_data.get("gmsh:physical")
    for name, (tag, dim) in found.field_data.items() if tags is not None else ():
        tagged = [(block, np.asarray(own) == tag) for block, own in zip(found.cells, tags) if block.dim == dim]
        sets[name] = partial(_points, tagged)
    for name, chosen in found.cell_sets.items():
        if not name.startswith("gmsh:"):
            blocks = [(block, cells) for block, cells in zip(found.cells, chosen) if cells is not None]
            sets[name] = partial(_points, blocks)
    return sets | {name: partial(np.unique, points) for name, points in found.point_sets.items()}


def _points(blocks: list[tuple[Any, Any]]) -> Array:
    none = np.zeros(0, int)
    cells = [np.asarray(block.data)[chosen].ravel() for block, chosen in blocks if len(chosen)]
    return np.unique(np.concatenate([none, *cells]))


# -- what is no solid --------------------------------------------------------------------------------------------
def _check_sound(mesh: Mesh) -> None:
    """Tetrahedra have volumes, which lie on different sides of the faces that they share.

    So one that is inverted is seen however the corners are counted.
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
            "same side of the face that they share; remesh, or look at the order of points"
        )


def _check_one_piece(mesh: Mesh) -> None:
    from scipy import sparse

    corners = mesh.tetrahedra[:, :4]
    links = sparse.coo_array(
        (np.ones(corners.size), (np.repeat(corners[:, 0], 4), corners.ravel())), (len(mesh.points),) * 2
    )
    _, piece = sparse.csgraph.connected_components(links, directed=False)
    pieces, counts = np.unique(piece[corners[:, 0]], return_counts=True)
    if len(pieces) > 1:
        small = int(np.flatnonzero(piece[corners[:, 0]] == pieces[np.argmin(counts)])[0])
        raise ModelError(
            f"{mesh.title} is {len(pieces)} unconnected pieces, the smallest of {counts.min()} tetrahedra with "
            f"{mesh.where(small)}: merge the points where parts touch, or give each piece as a body of its own"
        )
