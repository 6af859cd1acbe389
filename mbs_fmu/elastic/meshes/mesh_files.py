"""Cells of a mesh, tetrahedra or triangles, from a file or from arrays, with their named point sets."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...infrastructure.arguments import positive
from ...infrastructure.errors import ModelError, one_line
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.extras import install
from ...infrastructure.messages.failures import display
from ..shapes import Array
from .file_ends import guard_meshio, require_end

EXTRA = install("solid")
LARGE = 20.0  #: m; a longer mesh is probably in mm


@dataclass(frozen=True)
class CellKind:
    """One kind of cells: its names in messages and in meshio, and the sizes of its arrays."""

    one: str  #: name of one cell, for messages
    many: str  #: name of several cells, for messages
    region: str  #: what the cells fill, for messages
    dimension: int  #: 2 for surfaces, 3 for volumes
    types: tuple[str, str]  #: names in meshio: of cells with corners only, and with midpoints of edges
    corners: int  #: number of corners of a cell
    points: tuple[int, ...]  #: permitted numbers of points per cell if the user passes arrays


TETRAHEDRA = CellKind("tetrahedron", "tetrahedra", "volume", 3, ("tetra", "tetra10"), 4, (4, 10))
TRIANGLES = CellKind("triangle", "triangles", "surface", 2, ("triangle", "triangle6"), 3, (3,))


@dataclass(frozen=True)
class CellMesh:
    """A mesh of cells of one kind."""

    kind: CellKind
    title: str  #: for messages
    points: Array  #: (N, 3), m
    cells: Array  #: (n, points per cell): indices of points, from 0, those of the corners first
    sets: Mapping[str, Callable[[], Array]]  #: for each name a function that returns indices of points

    def where(self, cell: int) -> str:
        """Return a description of a cell, by its number from 0 and its centre, for messages."""
        x, y, z = self.points[self.cells[cell, : self.kind.corners]].mean(0)
        return f"{self.kind.one} {cell} (at {x:.4g}, {y:.4g}, {z:.4g} m)"


def load_cells(mesh: Any, scale: Any, kind: CellKind) -> CellMesh:
    """Return the cells of a kind from a file that meshio reads, or from a pair of arrays (points, cells).

    scale: metres per unit of the mesh; None if the mesh is in metres. Raises ModelError if the file is missing, damaged
    or needs a missing package, if it has no cells of the kind or others of the same dimension, for arrays of other
    shapes, for invalid coordinates or indices, and for a mesh without a scale that is probably in mm.
    """
    is_file = isinstance(mesh, str | Path)
    loaded = _read(Path(mesh), kind) if is_file else _arrays(mesh, kind)
    title, points, cells = loaded.title, loaded.points, loaded.cells
    if not len(cells):
        raise ModelError(
            f"{title} has no {kind.many}: mesh the {kind.region}; in gmsh, save its physical group as well"
        )
    if not np.isfinite(points).all() or cells.min() < 0 or cells.max() >= len(points):
        raise ModelError(f"{title} has coordinates that are not finite, or {kind.many} with indices of missing points")
    points = points * (1.0 if scale is None else positive(scale, "scale"))
    length = float(np.ptp(points[np.unique(cells)], axis=0).max())
    if scale is None and length > LARGE:
        raise ModelError(f"{title} is {length:.6g} m long: if it is in mm, give scale=1e-3; if it is in m, scale=1")
    return CellMesh(kind, title, points, cells, loaded.sets)


# -- arrays and files --------------------------------------------------------------------------------------------
def _arrays(mesh: Any, kind: CellKind) -> CellMesh:
    """Return a mesh from a pair of arrays, in the unit of its points. Raises ModelError for other shapes."""
    widths = " or ".join(f"(n, {k})" for k in kind.points)
    remedy = f"give the name of a file, or arrays (points, {kind.many}) of shapes (N, 3) and {widths}"
    try:
        points, cells = (np.asarray(part) for part in mesh)
        points = points.astype(float)
    except (TypeError, ValueError):
        raise ModelError(f"mesh is {display(mesh)}: {remedy}") from None
    shapes_fit = points.ndim == cells.ndim == 2 and points.shape[1] == 3 and cells.shape[1] in kind.points
    if not shapes_fit or cells.dtype.kind not in "iu":
        shapes = f"{points.shape} and {cells.shape} of {cells.dtype}"
        raise ModelError(f"mesh has arrays of shapes {shapes}: {remedy}, with whole numbers as indices")
    return CellMesh(kind, "the mesh", points, cells, {})


def _read(file: Path, kind: CellKind) -> CellMesh:
    """Return a mesh from a file, in the unit of the file; if some cells lack midpoints, those of all are left out."""
    title = f"mesh {str(file)!r}"
    contents = _contents(file, title)
    blocks = [block for block in contents.cells if block.dim == kind.dimension and len(block.data)]
    for block in blocks:
        if block.type not in kind.types:
            raise ModelError(
                f"{title} has {len(block.data)} cells {block.type!r}: mesh the {kind.region} with {kind.many} only"
            )
    width = min((block.data.shape[1] for block in blocks), default=kind.corners)
    parts = [block.data[:, :width] for block in blocks]
    cells = np.concatenate(parts) if parts else np.zeros((0, kind.corners), int)
    return CellMesh(kind, title, contents.points.astype(float), cells.astype(int), _sets(contents))


def _contents(file: Path, title: str) -> Any:
    """Return what meshio reads from a file: points, blocks of cells and sets.

    Raises ModelError without meshio, and for a missing or damaged file.
    """
    try:
        import meshio
    except ImportError:
        raise ModelError(f"{title}: mesh files need meshio: {EXTRA}") from None
    if not file.is_file():
        raise ModelError(f"no {title}: give the name of a file, relative to the working folder")
    printed = io.StringIO()
    try:
        require_end(file)
        guard_meshio()
        with redirect_stdout(printed), redirect_stderr(io.StringIO()):
            contents = meshio.read(file)
    except (Exception, SystemExit) as error:  # damaged files raise errors of any type, or make meshio print and exit
        reason = one_line(error) if isinstance(error, Exception) else printed.getvalue()
        raise ModelError(f"{title} can't be read: {' '.join(str(reason).split()) or 'it is damaged'}") from None
    contents.points = np.asarray(contents.points)
    arrays = [contents.points, *(np.asarray(block.data) for block in contents.cells)]
    is_whole = all(array.ndim == 2 and array.dtype.kind in "iuf" for array in arrays if array.size)
    if contents.points.size and not (is_whole and contents.points.shape[1] == 3):
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ModelError(f"{title} has points and cells of shapes {shapes}: it is damaged, or ends early")
    return contents


def _sets(contents: Any) -> Mapping[str, Callable[[], Array]]:
    """Return, by the names of point sets, cell sets and physical groups of gmsh, functions that return their points."""
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
    """Return the indices of the points of some cells, each once.

    blocks: pairs of a block of cells in meshio and the cells chosen from it, as indices or as a mask.
    """
    none = np.zeros(0, int)
    cells = [np.asarray(block.data)[chosen].ravel() for block, chosen in blocks if len(chosen)]
    return np.unique(np.concatenate([none, *cells]))


# -- checks ------------------------------------------------------------------------------------------------------
def check_connected(mesh: CellMesh) -> None:
    """Raise ModelError if the mesh consists of several pieces that share no corners."""
    from scipy import sparse

    kind = mesh.kind
    corners = mesh.cells[:, : kind.corners]
    first_corners = np.repeat(corners[:, 0], kind.corners)  # joined with all corners of their cells
    graph = sparse.coo_array((np.ones(corners.size), (first_corners, corners.ravel())), (len(mesh.points),) * 2)
    _, piece = sparse.csgraph.connected_components(graph, directed=False)
    pieces, counts = np.unique(piece[corners[:, 0]], return_counts=True)
    if len(pieces) > 1:
        cell = int(np.flatnonzero(piece[corners[:, 0]] == pieces[np.argmin(counts)])[0])
        raise ModelError(
            f"{mesh.title} is {len(pieces)} unconnected pieces, the smallest of {counts.min()} {kind.many} with "
            f"{mesh.where(cell)}: merge the points where parts touch, or make each piece a body of its own"
        )
