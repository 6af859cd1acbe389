"""Meshes of tetrahedra, from a file or from arrays, with their named point sets, and checks that they form a solid."""

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
        """Indices of the points that are corners, in rising order."""
        return np.unique(self.tetrahedra[:, :4])

    def where(self, tetrahedron: int) -> str:
        """Description of a tetrahedron and its centre, for messages."""
        x, y, z = self.points[self.tetrahedra[tetrahedron, :4]].mean(0)
        return f"tetrahedron {tetrahedron} (at {x:.4g}, {y:.4g}, {z:.4g} m)"


def load_mesh(mesh: Any, scale: Any) -> TetrahedralMesh:
    """Return a checked mesh from a file that meshio reads, or from a pair of arrays (points, tetrahedra).

    scale: metres per unit of the mesh; None if the mesh is in metres. Raises ModelError.
    """
    is_file = isinstance(mesh, str | Path)
    title, points, tetrahedra, sets = _read(Path(mesh)) if is_file else _arrays(mesh)
    if not len(tetrahedra):
        raise ModelError(f"{title} has no tetrahedra: mesh the volume; in gmsh, save its physical group as well")
    if not np.isfinite(points).all() or tetrahedra.min() < 0 or tetrahedra.max() >= len(points):
        raise ModelError(f"{title} has coordinates that are not finite, or tetrahedra with indices of missing points")
    points = points * (1.0 if scale is None else positive(scale, "scale"))
    size = float(np.ptp(points[np.unique(tetrahedra)], axis=0).max())
    if scale is None and size > LARGE:
        raise ModelError(f"{title} is {size:.6g} m long: if it is in mm, give scale=1e-3; if it is in m, scale=1")
    checked = TetrahedralMesh(title, points, tetrahedra, sets)
    _check_tetrahedra(checked)
    _check_connected(checked)
    return checked


# -- arrays and files --------------------------------------------------------------------------------------------
_MeshParts = tuple[str, Array, Array, Mapping[str, Callable[[], Array]]]


def _arrays(mesh: Any) -> _MeshParts:
    remedy = "give the name of a file, or arrays (points, tetrahedra) of shapes (N, 3) and (n, 4) or (n, 10)"
    try:
        points, tetrahedra = (np.asarray(part) for part in mesh)
        points = points.astype(float)
    except (TypeError, ValueError):
        raise ModelError(f"mesh is {display(mesh)}: {remedy}") from None
    shapes_fit = points.ndim == tetrahedra.ndim == 2 and points.shape[1] == 3 and tetrahedra.shape[1] in (4, 10)
    if not shapes_fit or tetrahedra.dtype.kind not in "iu":
        shapes = f"{points.shape} and {tetrahedra.shape} of {tetrahedra.dtype}"
        raise ModelError(f"mesh has arrays of shapes {shapes}: {remedy}, with whole numbers as indices")
    return "the mesh", points, tetrahedra, {}


def _read(file: Path) -> _MeshParts:
    try:
        import meshio
    except ImportError:
        raise ModelError(f"mesh {str(file)!r}: mesh files need meshio: {EXTRA}") from None
    if not file.is_file():
        raise ModelError(f"no mesh {str(file)!r}: give the name of a file, relative to the working folder")
    title, printed = f"mesh {str(file)!r}", io.StringIO()
    try:
        with redirect_stdout(printed), redirect_stderr(io.StringIO()):
            contents = meshio.read(file)
    except (Exception, SystemExit) as error:  # damaged files raise errors of any type; or meshio prints and exits
        reason = error if isinstance(error, Exception) else printed.getvalue()
        raise ModelError(f"{title} can't be read: {' '.join(str(reason).split()) or 'it is damaged'}") from None
    volumes = [block for block in contents.cells if block.dim == 3]
    for block in volumes:
        if block.type not in ("tetra", "tetra10"):
            raise ModelError(
                f"{title} has {len(block.data)} cells {block.type!r}: mesh the volume with tetrahedra only"
            )
    width = min((block.data.shape[1] for block in volumes), default=4)
    parts = [np.asarray(block.data)[:, :width] for block in volumes]
    tetrahedra = np.concatenate(parts) if parts else np.zeros((0, 4), int)
    return title, np.asarray(contents.points, dtype=float), tetrahedra.astype(int), _sets(contents)


def _sets(contents: Any) -> Mapping[str, Callable[[], Array]]:
    """Points of point sets, of cell sets and of physical groups of gmsh, by name."""
    sets: dict[str, Callable[[], Array]] = {}
    tags = contents.cell_data.get("gmsh:physical")
    for name, (tag, dim) in contents.field_data.items() if tags is not None else ():
        tagged = [(block, np.asarray(own) == tag) for block, own in zip(contents.cells, tags) if block.dim == dim]
        sets[name] = partial(_points, tagged)
    for name, cells_of_blocks in contents.cell_sets.items():
        if not name.startswith("gmsh:"):
            blocks = [(block, cells) for block, cells in zip(contents.cells, cells_of_blocks) if cells is not None]
            sets[name] = partial(_points, blocks)
    return sets | {name: partial(np.unique, points) for name, points in contents.point_sets.items()}


def _points(blocks: list[tuple[Any, Any]]) -> Array:
    """Indices of the points of some cells, each once; blocks: pairs of a cell block and the cells chosen from it."""
    none = np.zeros(0, int)
    cells = [np.asarray(block.data)[chosen].ravel() for block, chosen in blocks if len(chosen)]
    return np.unique(np.concatenate([none, *cells]))


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


def _check_connected(mesh: TetrahedralMesh) -> None:
    """Raise ModelError if the mesh consists of unconnected pieces."""
    from scipy import sparse

    corners = mesh.tetrahedra[:, :4]
    links = sparse.coo_array(
        (np.ones(corners.size), (np.repeat(corners[:, 0], 4), corners.ravel())), (len(mesh.points),) * 2
    )
    _, piece = sparse.csgraph.connected_components(links, directed=False)
    pieces, counts = np.unique(piece[corners[:, 0]], return_counts=True)
    if len(pieces) > 1:
        smallest = int(np.flatnonzero(piece[corners[:, 0]] == pieces[np.argmin(counts)])[0])
        raise ModelError(
            f"{mesh.title} is {len(pieces)} unconnected pieces, the smallest of {counts.min()} tetrahedra with "
            f"{mesh.where(smallest)}: merge the points where parts touch, or make each piece a body of its own"
        )
