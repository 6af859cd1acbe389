"""Data of Nastran's external superelements, for `mbs.Modes.superelement`.

The rows x of the files are x = T y. The coordinates y are the six dofs of each boundary grid in basic axes, and then
coordinates that are zero in rigid motions: modal ones, and those of grids with fewer than six rows, whose displacements
count from the rigid motion of the first boundary grid. Matrices become TᵀKT.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.names import listed
from ..shapes import Array
from .bulk import Places
from .data import ReducedData
from .nastran_files import Paths, Row, Run
from .units import DAMPING, MASS, MODAL, STIFFNESS, TRANSLATION, Units, nodal_kinds, scaled, units_of

LARGEST = 5000  #: rows of a superelement, whose matrices are dense
MOST_RECOVERED = 2000  #: further grids: so many suffice for estimates of the inertia between them
SAME = 1e-6  #: tolerance of the unit matrix by which a boundary grid moves with its own rows


def superelement_data(
    matrices: str | Path,
    asm: Paths | None,
    units: str = "m,kg,s",
    *,
    K: str | None = None,
    M: str | None = None,
    damping: str | None = None,
) -> ReducedData:
    """Return the matrices of an external superelement: six dofs of each boundary grid, then modal coordinates.

    matrices: OUTPUT4 file or punch file of DMIG cards. asm: bulk data with the boundary grids, or a list of files; with
    the punch file of the run (EXTRN, and the table TUG1) and the bulk data of its grids the matrix MUG1 gives
    displacements of more grids. Other arguments as of `nastran`. Raises ModelError for damaged files, for files that do
    not belong together, for superelements without a boundary grid of six dofs, and for free interfaces.
    """
    factors = units_of(units)
    run = Run(matrices, asm, (K, M, damping))
    if len(run.rows) > LARGEST:
        raise ModelError(
            f"{run.source} has {len(run.rows)} rows, a superelement {LARGEST} at most: read full matrices with "
            "mbs.fe.nastran"
        )
    interface = _Interface(run)
    recovery = _recovery(run, interface)
    T, kinds = interface.T, interface.kinds

    def reduced(A: Any, power: int) -> Array:
        return np.asarray(scaled(T.T @ A.toarray() @ T, kinds, factors, power))

    return ReducedData(
        places=factors.length * interface.at,
        M=reduced(run.M, MASS),
        K=reduced(run.K, STIFFNESS),
        numbers=np.array(interface.grids),
        damping=None if run.damping is None else reduced(run.damping, DAMPING),
        **recovery.si(factors, kinds),
        notes=(*interface.notes, *recovery.notes, *run.notes()),
    )


class _Interface:
    """The coordinates y of a superelement.

    grids: boundary grids with six rows; at: their places, (k, 3). T: (n, n). kinds: of the coordinates, (n). Raises
    ModelError if no grid has six rows.
    """

    def __init__(self, run: Run):
        self.places: Places = run.bulk.places
        of_grids: dict[int, list[int]] = {}
        for k, row in enumerate(run.rows):
            if row.kind != MODAL:
                of_grids.setdefault(row.point, []).append(k)
        self.grids = [number for number, rows in of_grids.items() if len(rows) == 6]
        if not self.grids:
            raise ModelError(
                f"{run.source} has no boundary grid with six rows: write the superelement with all components of the "
                "grids to which joints attach (BSET1,123456)"
            )
        self.at = np.array([self.places.place(number) for number in self.grids])
        others = [k for k, row in enumerate(run.rows) if row.point not in self.grids or row.kind == MODAL]
        self.T = np.zeros((len(run.rows), len(run.rows)))
        for k, number in enumerate(self.grids):
            axes = self.places.axes(number)
            for i in of_grids[number]:
                component = run.rows[i].component - 1
                first = 6 * k + 3 * (component // 3)
                self.T[i, first : first + 3] = axes[:, component % 3]
        for k, i in enumerate(others, 6 * len(self.grids)):
            self.T[i, k] = 1.0
            if run.rows[i].kind != MODAL:
                self.T[i, :6] = self._rigid(run.rows[i])
        self.kinds = np.array([*nodal_kinds(len(self.grids), 6), *(run.rows[k].kind for k in others)])
        partial = [number for number, rows in of_grids.items() if len(rows) != 6]
        self.notes = (
            [f"grids {listed(partial)} have fewer than six rows: they are no nodes, their rows are kept as coordinates"]
            if partial
            else []
        )

    def _rigid(self, row: Row) -> Array:
        """Return the displacement of a row in rigid motions with the first boundary grid, (6)."""
        place = self.places.place(row.point)
        direction = self.places.axes(row.point)[:, (row.component - 1) % 3]
        if row.kind == TRANSLATION:
            return np.concatenate([direction, np.cross(place - self.at[0], direction)])
        return np.concatenate([np.zeros(3), direction])


class _Recovered:
    """Displacements of further grids in basic axes, by the coordinates of the interface."""

    def __init__(self, notes: list[str]):
        self.notes = notes
        self.numbers: list[int] = []
        self.at: list[Array] = []
        self.displacements: list[Array] = []

    def si(self, units: Units, kinds: Array) -> dict[str, Array]:
        """Return the fields of `ReducedData`, in SI units."""
        if not self.numbers:
            return {}
        return {
            "recovery": units.length * np.concatenate(self.displacements) / units.rows(kinds),
            "at": units.length * np.array(self.at),
            "recovered": np.array(self.numbers),
        }


def _recovery(run: Run, interface: _Interface) -> _Recovered:
    """Return the displacements of grids that MUG1 has beside the boundary.

    Raises ModelError if a boundary grid does not move with its own rows: then the interface of the modes is free.
    """
    result = _Recovered([])
    U = run.recovery()
    if U is None:
        return result
    recovered = run.bulk.recovered
    if not recovered or U.shape[0] != 6 * len(recovered):
        result.notes.append("MUG1 has no effect: give the punch file of the run too, whose table TUG1 names its grids")
        return result
    U = U.tocsr()
    known, unknown = list[tuple[int, int]](), list[int]()
    for k, number in enumerate(recovered):
        if number in interface.grids:
            _check_own(run, interface, number, U[6 * k : 6 * k + 6] @ interface.T)
        elif number in run.bulk.grids:
            known.append((k, number))
        elif number is not None:
            unknown.append(number)
    if unknown:
        result.notes.append(f"MUG1 has displacements of grids {listed(unknown)}: give the bulk data with them too")
    if len(known) > MOST_RECOVERED:
        result.notes.append(f"of {len(known)} grids in MUG1, {MOST_RECOVERED} in even steps are used")
        known = [known[k] for k in np.linspace(0, len(known) - 1, MOST_RECOVERED).astype(int)]
    for k, number in known:
        result.displacements.append(interface.places.axes(number) @ (U[6 * k : 6 * k + 3] @ interface.T))
        result.at.append(interface.places.place(number))
        result.numbers.append(number)
    return result


def _check_own(run: Run, interface: _Interface, number: int, rows: Array) -> None:
    """Raise ModelError unless the displacements of a boundary grid, (6, n), are its own rows."""
    own = 6 * interface.grids.index(number)
    expected = np.zeros_like(rows)
    for first in (0, 3):
        expected[first : first + 3, own + first : own + first + 3] = interface.places.axes(number).T
    if np.abs(rows - expected).max() > SAME:
        raise ModelError(
            f"{run.source}: by MUG1 the boundary grid {number} does not move with its own rows; the modes have a free "
            "interface: write the superelement with fixed interface modes (BSET1)"
        )
