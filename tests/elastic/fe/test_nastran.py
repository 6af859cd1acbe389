"""Superelements and full models of Nastran: structures return from files in any coordinate systems, units and forms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
from scipy.linalg import block_diag, eigh

import mbs_fmu as mbs
from mbs_fmu.elastic.fe.bulk import read_bulk
from mbs_fmu.elastic.fe.nastran_superelements import superelement_data
from mbs_fmu.elastic.reduction.structures import rigid_motions
from support.generators.nastran_files import ZEROS, Grids, card, dmig, free_structure, op4_binary, op4_text

pytestmark = pytest.mark.quick
Array = np.ndarray
NUMBERS = [40, 7, 19, 5001]
MODAL = [90001, 90002, 90003]
ROUNDED = 1e-7  #: of a grid's axes, by differences, and of stiffness by ten digits


class Structure:
    """A random free structure: places, K and M of six dofs of each node and modal coordinates, in basic axes.

    out: rows in the systems of the grids. labels: grid and component of each row.
    """

    def __init__(self, rng: np.random.Generator, modal: int, loose: bool = False):
        self.grids = Grids(NUMBERS, rng)
        self.places = self.grids.places
        n = 6 * len(NUMBERS)
        K = free_structure(self.places, rng, {len(NUMBERS) - 1: False} if loose else None)
        # rigid motions about each node, of translations and rotations that move unlike masses
        masses = [np.diag([m] * 3 + [2.0 * m] * 3) for m in rng.uniform(1.0, 3.0, len(NUMBERS))]
        coupling = rng.standard_normal((n, modal))
        self.K = block_diag(K, np.diag(rng.uniform(1e5, 1e6, modal)))
        self.M = block_diag(block_diag(*masses), np.eye(modal))
        self.M[:n, n:], self.M[n:, :n] = 0.1 * coupling, 0.1 * coupling.T
        self.labels = [(number, c) for number in NUMBERS for c in range(1, 7)] + [(q, 0) for q in MODAL[:modal]]
        self.out = block_diag(*(np.kron(np.eye(2), E) for E in self.grids.axes), np.eye(modal))

    def rows(self, A: Array) -> Array:
        """Return a matrix in the output systems of the grids."""
        return self.out.T @ A @ self.out

    @property
    def bulk(self) -> str:
        """Systems, grids by another order than that of the rows, and scalar points."""
        shuffled = [*self.grids.cards[:4], *self.grids.cards[:3:-1]]
        return "\n".join([*shuffled, card("SPOINT", [90001, "THRU", 90003], "small"), ""])

    def external(self, components: Mapping[int, object] = {}) -> str:
        """Return the card of the rows; components: of grids that have not all six."""
        points: dict[int, object] = {number: components.get(number, 123456) for number in NUMBERS}
        points |= {q: 0 for q, c in self.labels if c == 0} | {n: c for n, c in components.items() if n not in NUMBERS}
        return card("EXTRN", [field for pair in points.items() for field in pair], "small") + "\n"

    @property
    def connected(self) -> str:
        points = [*NUMBERS, *(q for q, c in self.labels if c == 0)]
        fields: list[Any] = [101, 0, "", "", "", "", "", "", *(n for point in points for n in (point, point))]
        return card("SECONCT", fields, "small") + "\n"


def close(found: Any, expected: Array, tolerance: float) -> bool:
    found = found.toarray() if hasattr(found, "toarray") else found
    return bool(np.abs(found - expected).max() <= tolerance * np.abs(expected).max())


@pytest.mark.parametrize("zeros", ZEROS)
@pytest.mark.parametrize("seed", range(3))
def test_a_superelement_returns_in_basic_axes_in_the_order_of_its_rows(tmp_path: Path, zeros: str, seed: int) -> None:
    this = Structure(np.random.default_rng(seed), modal=3)
    given = [("KXX", this.rows(this.K)), ("MXX", this.rows(this.M)), ("BXX", this.rows(3e-4 * this.K))]
    order = this.external() if seed % 2 else this.connected
    (tmp_path / "a.asm").write_text(order + this.bulk)
    (op4_text if seed == 1 else op4_binary)(tmp_path / "a.op4", given, zeros)
    data = superelement_data(tmp_path / "a.op4", tmp_path / "a.asm")
    assert list(data.numbers) == NUMBERS and data.modal == 3 and data.notes == ()
    assert close(data.places, this.places, 1e-12)
    assert (
        close(data.K, this.K, ROUNDED)
        and close(data.M, this.M, ROUNDED)
        and close(data.damping, 3e-4 * this.K, ROUNDED)
    )
    G = np.concatenate([rigid_motions(data.places, np.zeros(3), 6), np.zeros((3, 6))])
    assert np.abs(data.K @ G).max() < 1e-9 * np.abs(data.K).max() * np.abs(G).max()


def test_a_superelement_in_mm_and_t_is_that_in_m_and_kg(tmp_path: Path) -> None:
    this = Structure(np.random.default_rng(3), modal=3)
    (tmp_path / "a.asm").write_text(this.connected + this.bulk)
    op4_binary(tmp_path / "a.op4", [("KAA", this.rows(this.K)), ("MAA", this.rows(this.M))], "bigmat")
    data = superelement_data(tmp_path / "a.op4", tmp_path / "a.asm", "mm,t,s")
    free = np.sqrt(np.abs(eigh(this.K, this.M, eigvals_only=True)))[6:]
    assert np.sqrt(eigh(data.K, data.M, eigvals_only=True)[6:]) == pytest.approx(free, rel=1e-6)
    G = rigid_motions(this.places, np.zeros(3), 6)
    mass = float((G.T @ this.M[:24, :24] @ G)[0, 0])
    assert float(data.M[:24:6, :24:6].sum()) == pytest.approx(1e3 * mass)
    assert np.diag(data.M)[24:] == pytest.approx(np.ones(3))


@pytest.mark.parametrize("style", ["large", "free"])
def test_a_superelement_on_dmig_cards_is_that_of_op4(tmp_path: Path, style: str) -> None:
    this = Structure(np.random.default_rng(4), modal=2)
    K, M = this.rows(this.K), this.rows(this.M)
    text = dmig("KAAX", K, this.labels, style) + dmig("MAAX", M, this.labels, style)
    (tmp_path / "a.pch").write_text("BEGIN SUPER 101\n" + this.external() + this.bulk + text)
    data = superelement_data(tmp_path / "a.pch", None)
    op4_binary(tmp_path / "a.op4", [("KXX", K), ("MXX", M)], "dense")
    same = superelement_data(tmp_path / "a.op4", tmp_path / "a.pch")
    assert list(data.numbers) == NUMBERS and data.modal == 2
    assert close(data.K, same.K, 1e-9 if style == "large" else 1e-12) and close(data.M, same.M, 1e-9)


def test_rows_of_a_grid_with_few_components_become_coordinates(tmp_path: Path) -> None:
    this = Structure(np.random.default_rng(5), modal=1)
    kept = [k for k, (point, c) in enumerate(this.labels) if point != 19 or c in (2, 5)]
    left = np.setdiff1d(np.arange(len(this.labels)), kept)
    K, M = this.rows(this.K), this.rows(this.M)
    T = np.zeros((len(K), len(kept)))  # without the other rows of the grid (Guyan's reduction)
    T[kept], T[left] = np.eye(len(kept)), -np.linalg.solve(K[np.ix_(left, left)], K[np.ix_(left, kept)])
    K, M = T.T @ K @ T, T.T @ M @ T
    (tmp_path / "a.pch").write_text(this.external({19: 25}) + this.bulk)
    op4_binary(tmp_path / "a.op4", [("KXX", K), ("MXX", M)], "strings")
    data = superelement_data(tmp_path / "a.op4", tmp_path / "a.pch")
    assert list(data.numbers) == [40, 7, 5001] and data.modal == 3 and "grids 19 have fewer" in data.notes[0]
    G = np.concatenate([rigid_motions(data.places, np.zeros(3), 6), np.zeros((3, 6))])
    assert np.abs(data.K @ G).max() < 1e-9 * np.abs(data.K).max() * np.abs(G).max()
    assert eigh(data.K, data.M, eigvals_only=True)[6:] == pytest.approx(eigh(K, M, eigvals_only=True)[6:], rel=1e-6)


def recovered(this: Structure, inside: Array) -> tuple[Array, str]:
    """Return a matrix MUG1 of boundary grid 7 and grid 19 (which is then no boundary), and its table TUG1."""
    rows = np.zeros((18, len(this.K)))
    rows[:6, 6:12] = np.eye(6)
    rows[6:12] = inside
    words = ["TYPE", "ID", "COMP", "ROW"] * 2 + [1, 7, 6, 1, 1, 800, 6, 7, 2, 90001, 6, 13, "ENDREC"]
    return rows, card("DTI", ["TUG1", 2, "", "", "", "", "", "", *words], "small") + "\n"


def test_recovered_displacements_are_in_basic_axes_and_si_units(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    this = Structure(rng, modal=3)
    inside = rng.standard_normal((6, len(this.K)))
    rows, table = recovered(this, inside)
    grid = card("GRID", [800, 0, 1.0, 2.0, 4.0, 12], "free") + "\n"
    (tmp_path / "a.asm").write_text(this.connected + this.bulk + table + grid)
    op4_binary(tmp_path / "a.op4", [("KXX", this.rows(this.K)), ("MXX", this.rows(this.M)), ("MUG1", rows)], "dense")
    data = superelement_data(tmp_path / "a.op4", tmp_path / "a.asm", "mm,t,s")
    assert data.recovered is not None and list(data.recovered) == [800] and data.notes == ()
    assert data.at is not None and list(data.at[0]) == [1e-3, 2e-3, 4e-3]
    E = read_bulk(tmp_path / "a.asm").places.axes(800)
    u = E @ inside[:3] @ this.out.T  # mm, by mm, rad and mm √t
    scales = np.array([1e-3] * 3 + [1.0] * 3)
    expected = 1e-3 * u / np.concatenate([np.tile(scales, 4), np.full(3, 1e-3 * 1e3**0.5)])
    assert close(data.recovery, expected, ROUNDED)
    assert "table TUG1" in superelement_data(tmp_path / "a.op4", without(tmp_path, table)).notes[0]
    assert "grids 800" in superelement_data(tmp_path / "a.op4", without(tmp_path, grid)).notes[0]


def without(folder: Path, text: str) -> Path:
    """Return a copy of a.asm without a part of its text."""
    (folder / "less.asm").write_text((folder / "a.asm").read_text().replace(text, ""))
    return folder / "less.asm"


def test_modes_with_a_free_interface_are_refused(tmp_path: Path) -> None:
    this = Structure(np.random.default_rng(7), modal=3)
    rows, table = recovered(this, np.zeros((6, len(this.K))))
    rows[0, -1] = 0.2  # grid 7 moves with a mode
    (tmp_path / "a.asm").write_text(this.connected + this.bulk + table)
    op4_binary(tmp_path / "a.op4", [("KXX", this.rows(this.K)), ("MXX", this.rows(this.M)), ("MUG1", rows)], "dense")
    with pytest.raises(mbs.ModelError, match="boundary grid 7 does not move with its own rows"):
        superelement_data(tmp_path / "a.op4", tmp_path / "a.asm")


# -- full models ---------------------------------------------------------------------------------------------------
def test_a_full_model_returns_in_basic_axes(tmp_path: Path) -> None:
    this = Structure(np.random.default_rng(8), modal=0)
    text = this.external() + this.bulk + "BSET1,123456,7,5001\n"
    (tmp_path / "full.asm").write_text(text)
    given = [("KXX", this.rows(this.K)), ("MXX", this.rows(this.M)), ("BXX", this.rows(1e-3 * this.K))]
    op4_text(tmp_path / "full.op4", given, "strings")
    data = mbs.fe.nastran(op4=tmp_path / "full.op4", asm=tmp_path / "full.asm", K="kxx", M="mxx")
    assert list(data.numbers) == NUMBERS and data.dofs == 6 and list(data.sets["BSET"]) == [1, 3]
    assert close(data.nodes, this.places, 1e-12)
    assert (
        close(data.K, this.K, ROUNDED)
        and close(data.M, this.M, ROUNDED)
        and close(data.damping, 1e-3 * this.K, ROUNDED)
    )
    body = mbs.Modes.matrices(*data, frames={"root": [0], "tip": data.sets["BSET"]}, modes=12)
    free = np.sqrt(eigh(this.K, this.M, eigvals_only=True)[6:]) / (2 * np.pi)
    assert body.frequencies[:3] == pytest.approx(free[:3], rel=1e-6)


def test_a_full_model_on_dmig_cards_is_that_of_op4(tmp_path: Path) -> None:
    this = Structure(np.random.default_rng(9), modal=0)
    K, M = this.rows(this.K), this.rows(this.M)
    (tmp_path / "full.bdf").write_text(this.bulk.replace("SPOINT", "$"))
    (tmp_path / "full.pch").write_text(dmig("KAAX", K, this.labels, "free") + dmig("MAAX", M, this.labels, "free"))
    data = mbs.fe.nastran(dmig=tmp_path / "full.pch", asm=tmp_path / "full.bdf")
    assert list(data.numbers) == sorted(NUMBERS)  # without EXTRN by ascending numbers
    op4_binary(tmp_path / "full.op4", [("KXX", K), ("MXX", M)], "dense")
    (tmp_path / "full.asm").write_text(this.external() + this.bulk)
    same = mbs.fe.nastran(tmp_path / "full.op4", tmp_path / "full.asm")
    order = (6 * np.argsort(NUMBERS)[:, None] + np.arange(6)).ravel()
    assert close(data.K, same.K.toarray()[np.ix_(order, order)], 1e-12)


def test_solids_have_three_dofs_whether_rotations_are_zero_or_missing(tmp_path: Path) -> None:
    rng = np.random.default_rng(10)
    this = Structure(rng, modal=0)
    N = len(NUMBERS)
    B = np.array([[1.0, -1, 0, 0], [1, 0, -1, 0], [1, 0, 0, -1], [0, 1, -1, 0], [0, 1, 0, -1], [0, 0, 1, -1]])
    along = B @ this.places / np.linalg.norm(B @ this.places, axis=1)[:, None]
    bars = (B[:, :, None] * along[:, None, :]).reshape(6, 3 * N)
    three, m = bars.T @ np.diag(rng.uniform(1e5, 1e6, 6)) @ bars, np.diag(np.repeat(rng.uniform(1, 3, N), 3))
    rows = (6 * np.arange(N)[:, None] + np.arange(3)).ravel()
    K, M = np.zeros((6 * N, 6 * N)), np.zeros((6 * N, 6 * N))
    K[np.ix_(rows, rows)], M[np.ix_(rows, rows)] = three, m
    for kept, order in (
        (np.arange(6 * N), this.external()),
        (rows, this.connected),
        (rows, this.external(dict.fromkeys(NUMBERS, 123))),
    ):
        op4_binary(
            tmp_path / "a.op4", [(n, this.rows(A)[np.ix_(kept, kept)]) for n, A in (("KXX", K), ("MXX", M))], "dense"
        )
        (tmp_path / "a.asm").write_text(order + this.bulk)
        data = mbs.fe.nastran(tmp_path / "a.op4", tmp_path / "a.asm")
        assert data.dofs == 3 and close(data.K, three, ROUNDED) and close(data.M, m, ROUNDED)


def test_rotations_without_stiffness_follow_the_model_and_change_nothing(tmp_path: Path) -> None:
    this = Structure(np.random.default_rng(11), modal=0, loose=True)
    for k in range(21, 24):  # of the last node
        this.M[k, k] = 0.0
    kept = np.arange(21)
    (tmp_path / "a.asm").write_text(this.external() + this.bulk)
    op4_binary(tmp_path / "a.op4", [("KXX", this.rows(this.K)), ("MXX", this.rows(this.M))], "dense")
    data = mbs.fe.nastran(tmp_path / "a.op4", tmp_path / "a.asm")
    assert data.dofs == 6 and "1 grids have rotations without stiffness" in data.notes[0]
    body = mbs.Modes.matrices(*data, frames={"root": [0], "tip": [2]}, modes=9)
    free = np.sqrt(eigh(this.K[np.ix_(kept, kept)], this.M[np.ix_(kept, kept)], eigvals_only=True)[6:]) / (2 * np.pi)
    assert body.frequencies == pytest.approx(free, rel=1e-6)


def test_grids_without_stiffness_and_mass_are_left_out(tmp_path: Path) -> None:
    this = Structure(np.random.default_rng(12), modal=0)
    K, M = (block_diag(this.rows(A), np.zeros((6, 6))) for A in (this.K, this.M))
    (tmp_path / "a.asm").write_text(this.external({77: 123456}) + this.bulk + "GRID,77,,1.,2.,3.\n")
    op4_binary(tmp_path / "a.op4", [("KXX", K), ("MXX", M)], "dense")
    data = mbs.fe.nastran(tmp_path / "a.op4", tmp_path / "a.asm")
    assert list(data.numbers) == NUMBERS and "grids 77 have neither" in data.notes[0]


@pytest.mark.parametrize("form", ["op4", "dmig"])
def test_wrong_units_of_a_full_model_are_noted(tmp_path: Path, form: str) -> None:
    this = Structure(np.random.default_rng(14), modal=0)
    K, M = this.rows(this.K), this.rows(this.M)
    (tmp_path / "a.asm").write_text(this.external() + this.bulk)
    op4_binary(tmp_path / "a.op4", [("KXX", K), ("MXX", M)], "dense")
    (tmp_path / "a.pch").write_text(dmig("KXX", K, this.labels, "large") + dmig("MXX", M, this.labels, "large"))
    file = {form: tmp_path / ("a.op4" if form == "op4" else "a.pch")}
    wrong, right = (mbs.fe.nastran(asm=tmp_path / "a.asm", units=units, **file) for units in ("mm,t,s", "m,t,s"))
    assert "kg/m³: check the units of the file" in wrong.notes[-1] and wrong.notes[-1] in str(wrong)
    assert not any("check the units" in note for note in right.notes)


# -- refusals ------------------------------------------------------------------------------------------------------
def written(tmp_path: Path, seed: int = 13, modal: int = 0) -> Structure:
    this = Structure(np.random.default_rng(seed), modal)
    (tmp_path / "a.asm").write_text(this.external() + this.bulk)
    op4_binary(tmp_path / "a.op4", [("KXX", this.rows(this.K)), ("MXX", this.rows(this.M))], "dense")
    return this


def refused(tmp_path: Path, message: str, **options: Any) -> None:
    options = {"op4": tmp_path / "a.op4", "asm": tmp_path / "a.asm"} | options
    with pytest.raises(mbs.ModelError, match=message):
        mbs.fe.nastran(**options)


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    this = written(tmp_path)
    refused(tmp_path, "has no matrix 'KYY'.*KXX", K="KYY")
    refused(tmp_path, "name of the mass is 3", M=3)
    refused(tmp_path, "either op4= or dmig=", op4=None)
    refused(tmp_path, "give the file with the grids of .*a.op4", asm=None)
    refused(tmp_path, "can't be read", asm=tmp_path / "none.asm")
    refused(tmp_path, "name length, mass and time", units="mm")
    (tmp_path / "b.asm").write_text(this.external({19: 1236}) + this.bulk)
    refused(tmp_path, "KXX of .* has 24 rows, .* 3 grids of six", asm=tmp_path / "b.asm")
    (tmp_path / "b.asm").write_text(this.external())
    refused(tmp_path, "rows of 40, 7, 19, 5001, without a card GRID", asm=tmp_path / "b.asm")
    (tmp_path / "b.asm").write_text(this.external() + this.bulk + "GRID,7,,1.,2.,3.\n")
    refused(tmp_path, "GRID 7 differs from that of .*line", asm=tmp_path / "b.asm")


def test_matrices_that_no_free_structure_has_are_refused(tmp_path: Path) -> None:
    this = written(tmp_path)
    K, M = this.rows(this.K), this.rows(this.M)
    bent = K.copy()
    bent[3, 5] += 1e-3 * np.abs(K).max()
    op4_binary(tmp_path / "a.op4", [("KXX", bent), ("MXX", M)], "dense")
    refused(tmp_path, "KXX is not symmetric")
    held = K.copy()
    held[2] = held[:, 2] = 0.0
    op4_binary(tmp_path / "a.op4", [("KXX", held), ("MXX", M)], "dense")
    refused(tmp_path, "grid 40 has no row, or no stiffness, for component 3")
    op4_binary(tmp_path / "a.op4", [("KXX", K), ("MXX", M), ("KXX", 2 * K)], "dense")
    refused(tmp_path, "2 different matrices KXX")
    op4_binary(
        tmp_path / "a.op4", [("KXX", K), ("MXX", M), ("KXX", K), ("MXX", np.eye(3)), ("K4XX", K), ("PX", M)], "dense"
    )
    data = mbs.fe.nastran(tmp_path / "a.op4", tmp_path / "a.asm")
    assert "K4XX, structural damping, has no effect" in data.notes[0] and "PX of" in data.notes[1]


def test_superelements_and_full_models_refer_to_each_other(tmp_path: Path) -> None:
    written(tmp_path, modal=2)
    refused(tmp_path, r"modal coordinates 90001, 90002: read it with mbs\.Modes\.superelement")
    this = Structure(np.random.default_rng(14), 2)
    (tmp_path / "a.asm").write_text(this.external(dict.fromkeys(NUMBERS, 12345)) + this.bulk)
    kept = [k for k, (_, c) in enumerate(this.labels) if c != 6]
    op4_binary(
        tmp_path / "a.op4",
        [(n, this.rows(A)[np.ix_(kept, kept)]) for n, A in (("KXX", this.K), ("MXX", this.M))],
        "dense",
    )
    with pytest.raises(mbs.ModelError, match="no boundary grid with six rows"):
        superelement_data(tmp_path / "a.op4", tmp_path / "a.asm")


def test_of_many_recovered_grids_some_in_even_steps_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbs_fmu.elastic.fe.nastran_superelements.MOST_RECOVERED", 3)
    rng = np.random.default_rng(15)
    this = Structure(rng, modal=1)
    words: list[object] = [word for k in range(9) for word in (1, 800 + k, 6, 6 * k + 1)]
    table = card("DTI", ["TUG1", 2, "", "", "", "", "", "", *["TYPE", "ID", "COMP", "ROW"] * 2, *words], "small")
    grids = [card("GRID", [800 + k, 0, float(k), 2.0, 4.0, 0], "free") for k in range(9)]
    (tmp_path / "a.asm").write_text("\n".join([this.connected + this.bulk + table, *grids, ""]))
    rows = rng.standard_normal((54, len(this.K)))
    op4_binary(tmp_path / "a.op4", [("KXX", this.rows(this.K)), ("MXX", this.rows(this.M)), ("MUG1", rows)], "dense")
    data = superelement_data(tmp_path / "a.op4", tmp_path / "a.asm")
    assert data.recovered is not None and list(data.recovered) == [800, 804, 808]
    assert "of 9 grids in MUG1, 3 in even steps" in data.notes[0]
    used = np.concatenate([rows[6 * k : 6 * k + 3] for k in (0, 4, 8)]) @ this.out.T
    assert close(data.recovery, used, ROUNDED)


def test_grids_of_qset_have_modal_coordinates(tmp_path: Path) -> None:
    this = Structure(np.random.default_rng(16), modal=1)
    (tmp_path / "a.asm").write_text(this.external() + this.bulk + "QSET1,123456,7\n")
    K, M = this.rows(this.K), this.rows(this.M)
    op4_binary(tmp_path / "a.op4", [("KXX", K), ("MXX", M)], "strings")
    data = superelement_data(tmp_path / "a.op4", tmp_path / "a.asm")
    assert list(data.numbers) == [40, 19, 5001] and data.modal == 7 and data.notes == ()
    assert eigh(data.K, data.M, eigvals_only=True)[6:] == pytest.approx(eigh(K, M, eigvals_only=True)[6:], rel=1e-6)


def test_one_triangle_of_a_symmetric_matrix_is_enough(tmp_path: Path) -> None:
    this = written(tmp_path, 17)
    same = mbs.fe.nastran(tmp_path / "a.op4", tmp_path / "a.asm")
    for triangle in (np.tril, np.triu):
        given = [("KXX", triangle(this.rows(this.K))), ("MXX", triangle(this.rows(this.M)))]
        op4_text(tmp_path / "a.op4", given, "bigmat", form=6)
        data = mbs.fe.nastran(tmp_path / "a.op4", tmp_path / "a.asm")
        assert close(data.K, same.K.toarray(), 1e-12) and close(data.M, same.M.toarray(), 1e-12)
    op4_text(tmp_path / "a.op4", given, "bigmat", form=1)
    refused(tmp_path, "KXX is not symmetric")
