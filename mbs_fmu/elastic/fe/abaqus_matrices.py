"""Matrices of Abaqus, .mtx: of *MATRIX OUTPUT (FORMAT=COORDINATE, MATRIX INPUT, LABELS) and of substructures.

COORDINATE has a row, a column and a value in each line; rows count the dofs of nodes in ascending order. MATRIX INPUT
and LABELS have node, dof, node, dof and value. Files have both triangles of a symmetric matrix or one. A substructure
is a *USER ELEMENT: its nodes are in comments, followed by the dofs of the nodes and by the lower triangles (or all
numbers, UNSYM) of *MATRIX, TYPE=STIFFNESS, MASS, ...
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ..reduction.structures import ASYMMETRY, scipy_modules
from ..shapes import Array
from .entries import MOST_ROWS
from .text_tables import Line, lines_of, numbers_of, table, whole_numbers

MOST_DENSE = 5000  #: dofs of a substructure, whose matrices are dense


@dataclass(frozen=True)
class Triplets:
    """Entries of a matrix. labels: node and dof of each row and column, (k, 4), or their indices from 1, (k, 2)."""

    source: str
    labels: Array
    values: Array  #: (k)

    def matrix(self, rows: Array, columns: Array, size: int) -> Any:
        """Return the sparse matrix (size, size) with both triangles; rows, columns: indices of the entries, (k).

        Raises ModelError if the file has both triangles, and they differ.
        """
        sparse = scipy_modules().sparse
        A = sparse.coo_array((self.values, (rows, columns)), shape=(size, size)).tocsc()
        lower, upper = ((triangle(A, k) != 0).nnz for triangle, k in ((sparse.tril, -1), (sparse.triu, 1)))
        if (lower == 0) != (upper == 0):
            return A + A.T - sparse.diags_array(A.diagonal())
        difference = float(abs(A - A.T).max()) if A.nnz else 0.0
        if difference > ASYMMETRY * abs(A).max():
            raise ModelError(
                f"{self.source} has both triangles, which differ by up to {difference:.3g}: is the file cut? Write a "
                "symmetric matrix again"
            )
        return A


@dataclass(frozen=True)
class Substructure:
    """The dense matrices of a substructure by type, such as "MASS". labels: node and dof of each row, (n, 2)."""

    source: str
    labels: Array
    matrices: dict[str, Array]


def read_mtx(path: str | Path) -> Triplets | Substructure:
    """Read a file of matrices. Raises ModelError for other and for damaged files."""
    lines = lines_of(path)
    if any(line.upper().startswith("*USER ELEMENT") for line in lines[:1000]):
        return _substructure(path, lines)
    rows = [(k, text) for k, text in enumerate(lines, 1) if text.strip() and not text.lstrip().startswith("*")]
    if not rows:
        raise ModelError(f"{path} has no numbers: give a file that *MATRIX OUTPUT wrote")
    columns = len(rows[0][1].replace(",", " ").split())
    if columns not in (3, 5):
        raise ModelError(
            f"{path}, line {rows[0][0]}: {display(rows[0][1].strip()[:60])} is neither 'row column value' (COORDINATE) "
            "nor 'node, dof, node, dof, value' (MATRIX INPUT)"
        )
    values = table(path, rows, columns)
    labels = values[:, :-1]
    wrong = np.flatnonzero(((labels != np.rint(labels)) | (labels < 1) | (labels > MOST_ROWS)).any(axis=1))
    if len(wrong):
        number, text = rows[wrong[0]]
        raise ModelError(
            f"{path}, line {number}: {display(text.strip()[:60])} has indices other than whole numbers from 1; "
            "internal nodes (negative) have no place in a model of nodes"
        )
    whole = labels.astype(np.int64)
    _check_once(path, rows, whole)
    return Triplets(str(path), whole, values[:, -1])


def _check_once(path: str | Path, rows: list[Line], labels: Array) -> None:
    """Raise ModelError if two lines state the same entry: as of two files, which would add up."""
    order = np.lexsort(labels.T)
    same = np.flatnonzero((labels[order[1:]] == labels[order[:-1]]).all(axis=1))
    if len(same):
        (first, text), (second, other) = (rows[k] for k in sorted(order[same[0] : same[0] + 2]))
        raise ModelError(
            f"{path} states an entry twice: {display(text.strip()[:60])} in line {first}, "
            f"{display(other.strip()[:60])} in line {second}: keep one matrix in the file, and each entry once"
        )


# -- substructures -----------------------------------------------------------------------------------------------
class _Sections:
    """The lines of a substructure by the keyword before them."""

    def __init__(self, lines: list[str]) -> None:
        self.nodes: list[Line] = []
        self.dofs: list[Line] = []
        self.matrices: dict[str, list[Line]] = {}
        self.head: Line = (0, "")
        into: list[Line] | None = None
        for number, text in enumerate(lines, 1):
            if text.startswith("**"):
                if into is self.dofs and re.fullmatch(r"\*\*[\s\d,]*\d[\s\d,]*", text):
                    self.nodes.append((number, text[2:]))
            elif text.startswith("*"):
                into = None
                if text.upper().startswith("*USER ELEMENT"):
                    into, self.head = self.dofs, (number, text)
                elif found := re.match(r"\*MATRIX\s*,\s*TYPE\s*=\s*([A-Z ]+)", text.upper()):
                    into = self.matrices.setdefault(found[1].strip(), [])
            elif into is not None and text.strip():
                into.append((number, text))


def _substructure(path: str | Path, lines: list[str]) -> Substructure:
    sections = _Sections(lines)
    nodes = [number for line in sections.nodes for number in whole_numbers(path, line)]
    count = re.search(r"NODES\s*=\s*(\d{1,9})\b", sections.head[1].upper())
    if count is None or len(nodes) != int(count[1]) or len(set(nodes)) != len(nodes):
        stated = "no number of" if count is None else count[1]
        raise ModelError(
            f"{path}, line {sections.head[0]}: *USER ELEMENT has {stated} nodes, the comments below ** ELEMENT NODES "
            f"name {len(set(nodes))}: write the file again"
        )
    labels = _labels(path, sections, nodes)
    size = len(labels)
    if size > MOST_DENSE:
        raise ModelError(f"{path} has {size} dofs, a substructure {MOST_DENSE} at most: retain fewer nodes")
    matrices = {kind: _matrix(path, kind, part, size) for kind, part in sections.matrices.items()}
    for kind in ("STIFFNESS", "MASS"):
        if kind not in matrices:
            raise ModelError(
                f"{path} has no *MATRIX, TYPE={kind}: write it with *SUBSTRUCTURE MATRIX OUTPUT, STIFFNESS=YES, "
                "MASS=YES"
            )
    return Substructure(str(path), labels, matrices)


def _labels(path: str | Path, sections: _Sections, nodes: list[int]) -> Array:
    """Return node and dof of each row. A line of dofs applies to nodes from a position on, the first to all."""
    lists = [whole_numbers(path, line) for line in sections.dofs]
    if not lists or any(len(dofs) < 2 for dofs in lists[1:]) or len(lists) > len(nodes):
        raise ModelError(f"{path}, line {sections.head[0]}: *USER ELEMENT has no list of dofs for its nodes")
    starts = [(1, lists[0]), *((dofs[0], dofs[1:]) for dofs in lists[1:])]
    labels, current = [], iter(starts)
    following: tuple[int, list[int]] | None = next(current)
    dofs: list[int] = []
    for position, node in enumerate(nodes, 1):
        while following is not None and following[0] <= position:
            dofs, following = following[1], next(current, None)
        labels += [(node, dof) for dof in dofs]
    return np.array(labels, dtype=np.int64).reshape(-1, 2)


def _matrix(path: str | Path, kind: str, lines: list[Line], size: int) -> Array:
    """Return a matrix from its lower triangle, row by row, or from all of its numbers. Raises ModelError."""
    values = np.array([value for line in lines for value in numbers_of(path, line)])
    A = np.zeros((size, size))
    if len(values) == size * (size + 1) // 2:
        A[np.tril_indices(size)] = values
        return A + A.T - np.diag(np.diag(A))
    if len(values) == size * size:
        return values.reshape(size, size)
    raise ModelError(
        f"{path}, line {lines[-1][0] if lines else 0}: *MATRIX, TYPE={kind} has {len(values)} numbers, {size} dofs "
        f"need {size * (size + 1) // 2} (or {size * size}): is it truncated?"
    )
