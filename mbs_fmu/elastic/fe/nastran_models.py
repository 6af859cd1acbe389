"""Full models of Nastran: `mbs.fe.nastran`.

Displacements of a grid are in its output system (CD). T maps the rows of the files to all six dofs of each grid in
basic axes, and K becomes T K Tᵀ. Programs remove rotations without stiffness, such as those of solids, or leave zeros:
a model without any stiffness against rotations has 3 dofs for each grid; in others such rotations follow the model
(`loose_rotations.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.calls import with_clear_errors
from ...infrastructure.messages.names import listed
from ..reduction.structures import scipy_modules
from ..shapes import Array
from .data import Data
from .densities import model_notes
from .loose_rotations import springs
from .nastran_files import Paths, Run
from .units import DAMPING, MASS, MODAL, STIFFNESS, Units, nodal_kinds, scaled, units_of


@with_clear_errors
def nastran(
    op4: str | Path | None = None,
    asm: Paths | None = None,
    *,
    dmig: str | Path | None = None,
    K: str | None = None,
    M: str | None = None,
    damping: str | None = None,
    units: str = "m,kg,s",
) -> Data:
    """Return the full matrices of a model of Nastran, of an external superelement with all of its grids.

    op4: OUTPUT4 file, ASCII or binary, or dmig: punch file of DMIG cards. asm: bulk data with the grids of the rows
    (.asm, .pch, .bdf, .dat), or a list of such files, which a punch file can contain itself. K, M, damping: names of
    matrices, by default KXX or KAA, MXX or MAA, and BXX or BAA if the file has it. units: of length, mass and time in
    the files.

    Rows are in the order of EXTRN, or else SECONCT; the data are in basic axes. Grids without stiffness and mass are
    left out. Raises ModelError, with the line or the byte, for damaged files, for files that do not belong together,
    for complex matrices, and for modal coordinates, which `mbs.Modes.superelement` reads.
    """
    if (op4 is None) == (dmig is None):
        raise ModelError("nastran: give the file of the matrices, either op4= or dmig=")
    matrices = op4 if dmig is None else dmig
    assert matrices is not None
    factors = units_of(units)
    run = Run(matrices, asm, (K, M, damping))
    modal = [row.point for row in run.rows if row.kind == MODAL]
    if modal:
        raise ModelError(
            f"{run.source} has modal coordinates {listed(modal)}: read it with mbs.Modes.superelement, or write the "
            "matrices of all grids (ASET1,123456,ALL)"
        )
    return _Full(run).data(factors)


class _Full:
    """A full model in the units of the files, with six rows for each grid, in basic axes; see the module."""

    def __init__(self, run: Run):
        self.run = run
        self.numbers = list(dict.fromkeys(row.point for row in run.rows))
        self.index = {number: k for k, number in enumerate(self.numbers)}
        places = run.bulk.places
        self.at = np.array([places.place(number) for number in self.numbers])
        self.axes = np.array([places.axes(number) for number in self.numbers])
        self.T = self._directions()
        self.stiff, heavy = self._occupied(run.K), self._occupied(run.M)
        self.kept = np.flatnonzero(self.stiff.any(1) | heavy.any(1))
        self.stiff = self.stiff[self.kept]
        self.dofs = 6 if self.stiff[:, 3:].any() else 3
        self._check_translations()

    def data(self, units: Units) -> Data:
        """Return the data in SI units. Raises ModelError."""
        notes = self.run.notes()
        left = np.delete(self.numbers, self.kept)
        if len(left):
            notes.append(f"grids {listed(left)} have neither stiffness nor mass: they are left out")
        K = self._kept(self.run.K)
        if self.dofs == 6 and not self.stiff.all():
            K = self._regular(K, notes)
        kinds = nodal_kinds(len(self.kept), self.dofs)
        damping = None if self.run.damping is None else self._kept(self.run.damping)
        places, M = units.length * self.at[self.kept], scaled(self._kept(self.run.M), kinds, units, MASS)
        notes += model_notes(M, places, self.dofs)
        return Data(
            nodes=places,
            M=M,
            K=scaled(K, kinds, units, STIFFNESS),
            numbers=np.array(self.numbers)[self.kept],
            sets=self._sets(),
            dofs=self.dofs,
            damping=None if damping is None else scaled(damping, kinds, units, DAMPING),
            notes=tuple(notes),
        )

    def _directions(self) -> Any:
        """Return T, (6 N, n), sparse."""
        rows = self.run.rows
        grid = np.array([self.index[row.point] for row in rows])
        component = np.array([row.component - 1 for row in rows])
        i = 6 * grid[:, None] + 3 * (component // 3)[:, None] + np.arange(3)
        j = np.repeat(np.arange(len(rows)), 3)
        values = self.axes[grid, :, component % 3].ravel()
        shape = 6 * len(self.numbers), len(rows)
        return scipy_modules().sparse.coo_array((values, (i.ravel(), j)), shape=shape).tocsr()

    def _occupied(self, A: Any) -> Array:
        """Return True for the components of each grid, in output axes, whose rows have entries, (N, 6)."""
        occupied = np.zeros((len(self.numbers), 6), dtype=bool)
        sums = np.asarray(abs(A).sum(axis=1)).ravel()
        for row, total in zip(self.run.rows, sums, strict=True):
            occupied[self.index[row.point], row.component - 1] = total > 0.0
        return occupied

    def _check_translations(self) -> None:
        """Raise ModelError if a grid has no stiffness against a translation: a support, or a mechanism."""
        for k, component in np.argwhere(~self.stiff[:, :3])[:1]:
            raise ModelError(
                f"{self.run.source}: grid {self.numbers[self.kept[k]]} has no row, or no stiffness, for component "
                f"{component + 1}: write the free structure, without supports (SPC) and without mechanisms"
            )

    def _kept(self, A: Any) -> Any:
        """Return a matrix with the rows of the grids that are kept, in basic axes."""
        rows = (6 * self.kept[:, None] + np.arange(self.dofs)).ravel()
        T = self.T[rows]
        return T @ A @ T.T

    def _regular(self, K: Any, notes: list[str]) -> Any:
        """Return K with springs for rotations without stiffness."""
        loose = [(int(k), self.axes[self.kept[k]][:, c]) for k, c in np.argwhere(~self.stiff[:, 3:])]
        added, three = springs(self.at[self.kept], loose, K)
        names = listed(np.array(self.numbers)[self.kept[three]])
        count = len({k for k, _ in loose})
        notes.append(
            f"{count} grids have rotations without stiffness, which follow the rotation of grids {names}: a frame "
            "needs more than one of them"
        )
        return K + added

    def _sets(self) -> dict[str, Array]:
        index = {self.numbers[k]: i for i, k in enumerate(self.kept)}
        points = self.run.bulk.sets.items()
        return {name: np.array([index[n] for n in numbers if n in index], dtype=int) for name, numbers in points}
