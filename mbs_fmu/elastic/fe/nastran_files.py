"""Matrices of Nastran's runs with the points of their rows: from OUTPUT4 files or DMIG cards, and bulk data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ...infrastructure.messages.suggestions import did_you_mean
from ..reduction.structures import scipy_modules
from .bulk import ALL, Bulk, read_bulk
from .cards import bytes_of
from .dmig import SYMMETRIC
from .entries import Entries
from .op4 import byte_order, read_op4
from .units import MODAL, ROTATION, TRANSLATION

Paths = str | Path | Sequence[str | Path]
#: Names of the matrices of superelements in Nastran's versions, the first of which a file has.
STIFFNESSES = ("KXX", "KAA", "KAAX", "KGG")
MASSES = ("MXX", "MAA", "MAAX", "MGG")
DAMPINGS = ("BXX", "BXX1", "BAA", "BAAX", "BGG")
STRUCTURAL = ("K4XX", "K4XX1", "K4AA", "K4AAX")
RECOVERIES = ("MUG1",)
ASYMMETRY = 1e-8  #: tolerance of symmetry, relative to the largest number of a matrix


class Row(NamedTuple):
    """A row of matrices: its grid or scalar point, its component, 1 to 6 or 0 of a scalar point, and its kind."""

    point: int
    component: int
    kind: int


class Run:
    """The files of a run: matrices by name, with the points of their rows.

    Raises ModelError for files that are damaged or do not belong together.
    """

    def __init__(self, matrices: str | Path, bulk: Paths | None, names: tuple[str | None, str | None, str | None]):
        raw = bytes_of(matrices)
        files = _files(bulk)
        self.source = str(matrices)
        self.is_dmig = not byte_order(raw) and _has_cards(raw)
        self.entries = [] if self.is_dmig else read_op4(matrices, raw)
        if not files and not self.is_dmig:
            raise ModelError(f"give the file with the grids of {matrices} too (asm=), such as the .asm of EXTSEOUT")
        self.bulk: Bulk = read_bulk([*files, matrices] if self.is_dmig and matrices not in files else files)
        self.used: set[str] = set()
        stiffness = self._name(names[0], STIFFNESSES, "stiffness")
        self.rows = self._rows(stiffness)
        self.K = self._square(stiffness)
        self.M = self._square(self._name(names[1], MASSES, "mass"))
        damping = names[2] or next((name for name in DAMPINGS if self._known(name)), None)
        self.damping = None if damping is None else self._square(self._name(damping, (), "damping"))

    @property
    def names(self) -> list[str]:
        """Names of all matrices that are not null, in the order of the file."""
        if self.is_dmig:
            return list(self.bulk.matrices)
        return [entries.name for entries in self.entries if not entries.is_null]

    def recovery(self) -> Any | None:
        """Return the matrix to displacements of further grids, (6 r, n), sparse, or None. Raises ModelError."""
        name = next((name for name in RECOVERIES if name in self.names and not self.is_dmig), None)
        if name is None:
            return None
        entries = next(entries for entries in self.entries if entries.name == name)
        if entries.columns != len(self.rows):
            raise ModelError(
                f"{self.source}: {name} has {entries.columns} columns, the stiffness {len(self.rows)} rows: read the "
                "files of one superelement"
            )
        self.used.add(name)
        return entries.matrix()

    def notes(self) -> list[str]:
        """Return notes on matrices without effect."""
        left = [name for name in dict.fromkeys(self.names) if name not in self.used]
        damping = [name for name in left if name in STRUCTURAL]
        others = [name for name in left if name not in STRUCTURAL]
        return [
            *(f"{name}, structural damping, has no effect: set it with with_damping" for name in damping),
            *([f"{listed(others)} of {self.source} have no effect"] if others else []),
        ]

    def _known(self, name: str) -> bool:
        return name in self.names

    def _name(self, given: str | None, usual: Iterable[str], what: str) -> str:
        """Return the name of a matrix in the file, in capital letters. Raises ModelError."""
        if given is not None and not isinstance(given, str):
            raise ModelError(f"the name of the {what} is {display(given)}: give the name of a matrix of the file")
        for name in (given.upper(),) if given is not None else usual:
            if self._known(name):
                return name
        known = f"the file has {listed(self.names)}"
        if given is None:
            raise ModelError(f"{self.source} has no {what}, {', '.join(usual)}: name the matrix that it is; {known}")
        raise ModelError(f"{self.source} has no matrix {display(given)}{did_you_mean(given, self.names)}: {known}")

    def _rows(self, stiffness: str) -> list[Row]:
        """Return the rows of all matrices. Raises ModelError if the stiffness has another number."""
        listed_rows = self.bulk.rows()
        if self.is_dmig:
            return self._labelled(listed_rows)
        rows = [self._row(point, int(component)) for point, components in listed_rows for component in components]
        sizes = {entries.rows for entries in self.entries if entries.name == stiffness}
        if len(rows) not in sizes and not self.bulk.external:  # SECONCT does not tell the components
            rows = [row for row in rows if row.component <= 3]
        if len(rows) not in sizes:
            points = sum(components == ALL for _, components in listed_rows)
            raise ModelError(
                f"{stiffness} of {self.source} has {max(sizes)} rows, but {self.bulk.source} has {points} grids of six "
                f"components and {len(listed_rows) - points} other points: give the file with EXTRN too (.pch), or "
                "those of the same run"
            )
        return rows

    def _labelled(self, listed_rows: list[tuple[int, str]]) -> list[Row]:
        """Return the rows of DMIG cards, in the order of the points."""
        order = {point: k for k, (point, _) in enumerate(listed_rows)}
        labels = set[tuple[int, int]]()
        for matrix in self.bulk.matrices.values():
            if matrix.is_square:
                labels |= matrix.labels()
        unknown = next((point for point, _ in sorted(labels) if point not in order), None)
        if unknown is not None:
            raise ModelError(
                f"{self.source} has rows of point {unknown}, which {self.bulk.source} does not have: give the file "
                "with its card GRID or SPOINT too"
            )
        ordered = sorted(labels, key=lambda label: (order[label[0]], label[1]))
        return [self._row(*label) for label in ordered]

    def _row(self, point: int, component: int) -> Row:
        """Return a row; scalar points and points of QSET have modal coordinates."""
        if component == 0 or str(component) in self.bulk.sets.get("QSET", {}).get(point, ""):
            return Row(point, component, MODAL)
        return Row(point, component, TRANSLATION if component <= 3 else ROTATION)

    def _square(self, name: str) -> Any:
        """Return a symmetric matrix, sparse, (n, n). Raises ModelError."""
        n = len(self.rows)
        sparse = scipy_modules().sparse
        self.used.add(name)
        if self.is_dmig:
            labels = {(row.point, row.component): k for k, row in enumerate(self.rows)}
            i, j, values = self.bulk.matrices[name].entries(labels)
            A = sparse.coo_array((values, (i, j)), shape=(n, n)).tocsc()
        else:
            entries = self._only(name, n)
            A = entries.matrix().tocsc()
            if entries.form == SYMMETRIC and (entries.i >= entries.j).all() | (entries.i <= entries.j).all():
                A = A + A.T - sparse.diags_array(A.diagonal())  # some programs write one triangle
        largest = float(abs(A).max()) if A.nnz else 0.0
        difference = float(abs(A - A.T).max()) if A.nnz else 0.0
        if difference > ASYMMETRY * largest:
            raise ModelError(
                f"{self.source}: {name} is not symmetric, differences reach {difference:.3g} beside {largest:.3g}: "
                "write a symmetric matrix"
            )
        return (0.5 * (A + A.T)).tocsc()

    def _only(self, name: str, n: int) -> Entries:
        """Return the only matrix of a name with n rows and columns. Raises ModelError."""
        of_name = [entries for entries in self.entries if entries.name == name and not entries.is_null]
        fitting = [entries for entries in of_name if (entries.rows, entries.columns) == (n, n)]
        if not fitting:
            sizes = ", ".join(f"{entries.rows} x {entries.columns}" for entries in of_name)
            raise ModelError(f"{self.source}: {name} is {sizes}, its rows are {n}: read the files of one run")
        if any(not _equal(fitting[0], entries) for entries in fitting[1:]):
            raise ModelError(f"{self.source} has {len(fitting)} different matrices {name} of {n} rows: write one only")
        return fitting[0]


def _files(bulk: Any) -> list[str | Path]:
    """Return the files of bulk data, of one, several or none. Raises ModelError."""
    if bulk is None or isinstance(bulk, str | Path):
        return [] if bulk is None else [bulk]
    if not isinstance(bulk, list | tuple) or not all(isinstance(path, str | Path) for path in bulk):
        raise ModelError(f"asm is {display(bulk)}: give the name of a file with grids, or a list of names")
    return list(bulk)


def _equal(a: Entries, b: Entries) -> bool:
    return all(np.array_equal(x, y) for x, y in ((a.i, b.i), (a.j, b.j), (a.values, b.values)))


def _has_cards(raw: bytes) -> bool:
    """True if a text has DMIG cards."""
    return any(line[:4].upper() == b"DMIG" for line in raw.splitlines())
