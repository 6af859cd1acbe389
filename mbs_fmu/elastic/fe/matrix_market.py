"""Matrices in the Matrix Market or Harwell-Boeing format, as Ansys and others write them, with a table of nodes."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.calls import with_clear_errors
from ...infrastructure.messages.failures import display
from ..reduction.structures import numbers, rigid_motions, scipy_modules
from ..shapes import Array
from .data import Data
from .densities import model_notes
from .entries import MOST_ROWS
from .free_bodies import fault
from .text_tables import lines_of, table, whole_numbers
from .units import MASS, STIFFNESS, nodal_kinds, scaled, units_of

BANNER = "%%MatrixMarket"
SYMMETRIES = ("general", "symmetric")
FAULTS = (SyntaxError, ValueError, TypeError, IndexError, OverflowError, MemoryError, UnicodeError, Warning)


@with_clear_errors
def matrix_market(
    stiffness: str | Path,
    mass: str | Path,
    map: str | Path | None = None,
    *,
    nodes: Any,
    units: str = "m,kg,s",
) -> Data:
    """Return matrices in the Matrix Market or Harwell-Boeing format with the nodes that a table states.

    stiffness, mass: files, of Matrix Market (its banner is in the first line) or Harwell-Boeing. nodes: rows of number,
    x, y, z, (N, 4), or of x, y, z, (N, 3), numbered from 1. map: file that states the rows of the nodes' dofs, as the
    matrix NOD2BCS of Ansys, whose row i has a 1 in the column of the nodal dof of row i; or a vector of node numbers,
    one for each block of rows, or of nodal dofs (from 1), one for each row; without it rows follow the table. Nodal
    dofs count by node in the order of the table, 3 or 6 for each. units: of the files and the table.

    Raises ModelError for damaged files, for rows that are missing, as those of supported dofs, and if rigid motions
    cause forces, as with a map of other matrices.
    """
    factors = units_of(units)
    listed = numbers(nodes, "nodes", "a table with rows of number, x, y, z")
    if listed.ndim != 2 or listed.shape[1] not in (3, 4) or not len(listed) or not np.isfinite(listed).all():
        raise ModelError(f"nodes has shape {listed.shape}: give finite rows of number, x, y, z (N, 4), or of x, y, z")
    places = listed[:, -3:]
    own = listed[:, 0] if listed.shape[1] == 4 else np.arange(1.0, len(listed) + 1)
    if (own != np.rint(own)).any() or len(np.unique(own)) < len(own) or np.abs(own).max() > MOST_ROWS:
        raise ModelError("the first column of nodes has the nodes' numbers, whole ones that do not repeat")
    K, M = (read_matrix(path) for path in (stiffness, mass))
    size, dofs = K.shape[0], K.shape[0] // len(places)
    if K.shape != (size, size) or M.shape != K.shape or size != dofs * len(places) or dofs not in (3, 6):
        raise ModelError(
            f"{stiffness} has shape {K.shape}, {mass} {M.shape}: {len(places)} nodes need {3 * len(places)} rows, or "
            f"{6 * len(places)} with rotations; leave out supports, whose rows programs remove"
        )
    order = _order(map, K, M, own.astype(np.int64), places)
    kinds = nodal_kinds(len(places), dofs)
    K, M = (scaled(A[order][:, order], kinds, factors, p) for A, p in ((K, STIFFNESS), (M, MASS)))
    at = factors.length * places
    return Data(at, M, K, own.astype(np.int64), dofs=dofs, notes=tuple(model_notes(M, at, dofs)))


def read_matrix(path: str | Path) -> Any:
    """Return a sparse matrix, with both triangles if the file says that it is symmetric. Raises ModelError."""
    lines = lines_of(path)
    A = _market(path, lines) if lines[:1] and lines[0].startswith(BANNER) else _harwell_boeing(path, lines)
    if not np.isfinite(A.data).all():
        raise ModelError(f"{path} has numbers that are not finite")
    return A


def _market(path: str | Path, lines: list[str]) -> Any:
    """Return a matrix of a Matrix Market file (scipy's reader has crashed the process on damaged ones)."""
    words = lines[0].lower().split()
    form, field, symmetry = words[2:5] if len(words) == 5 else ("", "", "")
    if form not in ("coordinate", "array") or field not in ("real", "integer") or symmetry not in SYMMETRIES:
        raise ModelError(
            f"{path}, line 1: {display(lines[0][:70])} is no matrix of real numbers, general or symmetric, in the "
            "form coordinate or array: write it so"
        )
    rows = [(k, text) for k, text in enumerate(lines, 1) if text.strip() and not text.startswith("%")]
    sizes = whole_numbers(path, rows[0]) if rows else []
    if len(sizes) != (3 if form == "coordinate" else 2) or not all(0 <= size <= MOST_ROWS for size in sizes):
        where = rows[0][0] if rows else len(lines)
        raise ModelError(f"{path}, line {where}: no numbers of rows and columns, as below the comments of the format")
    m, n = sizes[:2]
    whole = symmetry == "general"
    count = sizes[2] if form == "coordinate" else m * n if whole else n * (n + 1) // 2
    if count != len(rows) - 1 or not (whole or m == n):
        raise ModelError(
            f"{path}, line {rows[0][0]}: {m} x {n} needs {count} entries, the file has {len(rows) - 1}: is it cut?"
        )
    values = table(path, rows[1:], 3 if form == "coordinate" else 1)
    if form == "array":
        i, j = np.indices((n, m)).reshape(2, -1)[::-1] if whole else np.triu_indices(n)[::-1]
        return _mirrored(values[:, 0], i, j, (m, n), symmetry)
    ends = values[:, :2]
    wrong = np.flatnonzero(((ends != np.rint(ends)) | (ends < 1) | (ends > [m, n])).any(axis=1))
    if len(wrong):
        raise ModelError(f"{path}, line {rows[1 + wrong[0]][0]}: no entry of a matrix of {m} x {n}")
    i, j = ends.astype(np.int64).T - 1
    return _mirrored(values[:, 2], i, j, (m, n), symmetry)


def _mirrored(values: Array, i: Array, j: Array, shape: tuple[int, int], symmetry: str) -> Any:
    """Return the sparse matrix, with the other triangle if it is symmetric."""
    sparse = scipy_modules().sparse
    A = sparse.coo_array((values, (i, j)), shape=shape).tocsc()
    return A if symmetry == "general" else sparse.csc_array(A + A.T - sparse.diags_array(A.diagonal()))


def _harwell_boeing(path: str | Path, lines: list[str]) -> Any:
    """Return an assembled real matrix; scipy reads unsymmetric ones, so symmetric ones pass as their lower triangle."""
    scipy_modules()
    from scipy.io import hb_read

    size = sum(map(len, lines))
    sizes = (lines[2][14:28].strip(), lines[2][28:42].strip()) if len(lines) > 4 else ("", "")
    if not all(text.isdecimal() and len(text) < 10 for text in sizes):
        raise ModelError(f"{path} is no Matrix Market file, nor has it a header of Harwell-Boeing: write one of both")
    rows, columns = map(int, sizes)
    if rows > MOST_ROWS or columns > size:
        raise ModelError(f"{path}, line 3: {rows} x {columns}, the file has {size} characters: is it truncated?")
    symmetric = lines[2][:3].upper() == "RSA"
    head = lines[2].replace("RSA", "RUA", 1).replace("rsa", "RUA", 1) if symmetric else lines[2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of numbers that end early
        try:
            A = hb_read(io.StringIO("\n".join([*lines[:2], head, *lines[3:], ""])))
            A.check_format(full_check=True)
        except FAULTS as error:
            text = " ".join(str(error).split())[:120]
            raise ModelError(f"{path} can't be read as Harwell-Boeing: {text}") from None
    entries = A.tocoo()
    return _mirrored(entries.data, entries.row, entries.col, A.shape, "symmetric" if symmetric else "general")


# -- the rows of nodes -------------------------------------------------------------------------------------------
def _order(path: str | Path | None, K: Any, M: Any, own: Array, places: Array) -> Array:
    """Return the row of each nodal dof, such that K is free. Raises ModelError."""
    dofs = K.shape[0] // len(places)
    rows = np.arange(K.shape[0]) if path is None else _mapped(path, K.shape[0], own, dofs)
    back = np.argsort(rows)
    G = rigid_motions(places, places.mean(0), dofs)
    if path is None:
        cause = "the rows are not in the order of the nodes (give map=), or supports are in it"
    else:
        cause = f"the map {path}, tried in both directions, is not that of its rows, or supports are in it"
    cause += "; write matrices, map and nodes from one model, without supports"
    found = [fault(K[order][:, order], M[order][:, order], G, cause) for order in (rows, back)]
    if found[0] is None or found[1] is None:
        return rows if found[0] is None else back
    raise ModelError(found[0])


def _mapped(path: str | Path, size: int, own: Array, dofs: int) -> Array:
    """Return the row of each nodal dof by a map. Raises ModelError."""
    A = read_matrix(path)
    if A.shape == (size, size) and size > 1:
        if A.nnz != size or (A.data != 1.0).any() or (A.sum(0) != 1).any() or (A.sum(1) != 1).any():
            raise ModelError(f"{path} is no map: each row and each column of NOD2BCS has one entry, 1")
        return np.asarray(A.tocsc().indices)
    values = A.toarray().ravel() if min(A.shape) == 1 and max(A.shape) <= size else np.zeros(0)
    known = np.arange(1, size + 1) if len(values) == size else own
    if len(values) not in (size, len(own)) or sorted(values.tolist()) != sorted(known.tolist()):
        raise ModelError(
            f"{path} has shape {A.shape}: a map is NOD2BCS, {display((size, size))}, or has each of the {len(own)} "
            f"node numbers or {size} nodal dofs once; rows of supported dofs must not be left out"
        )
    if len(values) == size:
        return np.argsort(values)
    blocks = np.argsort(values)[np.argsort(np.argsort(own))]  # of the node with each number
    return np.asarray((dofs * blocks[:, None] + np.arange(dofs)).ravel())
