"""Files of Nastran's forms, read as pyyeti reads them."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")
pytest.importorskip("pyyeti")
from scipy import sparse
from scipy.linalg import eigh

import mbs_fmu as mbs
from mbs_fmu.elastic.fe.bulk import read_bulk
from mbs_fmu.elastic.fe.nastran_superelements import superelement_data
from mbs_fmu.elastic.fe.op4 import read_op4
from mbs_fmu.elastic.reduction.structures import rigid_motions
from support.generators.nastran_files import OP4_FORMS, Grids, dmig, op4_matrices

FILES = Path(find_spec("pyyeti").submodule_search_locations[0]) / "tests"  # type: ignore[union-attr,index]
pytestmark = pytest.mark.slow  # the peer's import alone takes seconds


@pytest.mark.parametrize("form", OP4_FORMS)
def test_matrices_of_op4_are_those_of_pyyeti(tmp_path: Path, form: str) -> None:
    from pyyeti.nastran import op4

    path, (bits, write) = tmp_path / "a.op4", OP4_FORMS[form]
    write(path, op4_matrices(bits))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names, theirs, *_ = op4.load(str(path), into="list", sparse=False)
    for entries, name, A in zip(read_op4(path, path.read_bytes()), names, theirs, strict=True):
        assert entries.name == name.upper() and np.array_equal(entries.matrix().toarray(), A)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("style", ["free", "small", "large"])
def test_rigid_motions_in_output_systems_are_those_of_pyyeti(tmp_path: Path, seed: int, style: str) -> None:
    from pyyeti.nastran import bulk, n2p

    numbers = [4, 9, 17, 23, 5001]
    path = tmp_path / "a.bdf"
    path.write_text("\n".join([*Grids(numbers, np.random.default_rng(seed), style).cards, ""]))
    theirs = n2p.rbgeom_uset(bulk.bulk2uset(str(path))[0])
    places = read_bulk(path).places
    at = np.array([places.place(number) for number in numbers])
    G = rigid_motions(at, np.zeros(3), 6).reshape(-1, 2, 3, 6)
    axes = np.array([places.axes(number) for number in numbers])
    mine = np.einsum("nca,nkcj->nkaj", axes, G).reshape(-1, 6)
    assert np.allclose(mine, theirs, atol=1e-11 * np.abs(at).max())


def test_matrices_of_dmig_cards_are_those_of_pyyeti(tmp_path: Path) -> None:
    from pyyeti.nastran import bulk

    rng = np.random.default_rng(4)
    labels = [(3, 1), (3, 2), (3, 6), (12, 1), (12, 4), (900, 0)]
    A = rng.standard_normal((6, 6)) * (rng.random((6, 6)) < 0.8)
    A = A + A.T
    path = tmp_path / "a.pch"
    path.write_text(dmig("KAAX", A, labels, "large"))
    theirs = bulk.rddmig(str(path))["kaax"]
    matrix = read_bulk(path).matrices["KAAX"]
    at = {label: k for k, label in enumerate(sorted(matrix.labels()))}
    i, j, values = matrix.entries(at)
    mine = np.zeros((len(at), len(at)))
    mine[i, j] = values
    order = [theirs.index.get_loc(label) for label in at]
    assert np.array_equal(mine, theirs.to_numpy()[np.ix_(order, order)])


def test_all_matrices_that_pyyeti_ships_are_read_bit_for_bit() -> None:
    from pyyeti.nastran import op4

    paths = sorted([*FILES.rglob("*.op4"), *FILES.rglob("*.op4.other")])
    if not paths:
        pytest.skip("this installation of pyyeti has no files")
    count = 0
    for path in paths:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _, theirs, forms, _ = op4.load(str(path), into="list", sparse=True)
        for entries, A, form in zip(read_op4(path, path.read_bytes()), theirs, forms, strict=True):
            values = entries.values if entries.parts == 1 else entries.values[::2] + 1j * entries.values[1::2]
            mine = sparse.coo_array((values, (entries.i, entries.j)), shape=(entries.rows, entries.columns))
            assert entries.form == form and abs(mine.tocsr() - sparse.coo_array(A).tocsr()).sum() == 0.0, path
            count += 1
    assert count >= 500


def test_real_matrices_on_dmig_cards_that_pyyeti_ships_are_read_number_by_number() -> None:
    from pyyeti.nastran import bulk

    path = FILES / "nastran_dmig_data" / "matrix_factory.pch"
    if not path.exists():
        pytest.skip("this installation of pyyeti has no files")
    theirs = bulk.rddmig(str(path))
    for name in ("PATRN", "IDENT", "RANDM"):
        matrix, frame = read_bulk(path).matrices[name], theirs[name.lower()]
        at = {label: k for k, label in enumerate(frame.index)}
        i, j, values = matrix.entries(at)
        mine = np.zeros(frame.shape)
        mine[i, j] = values
        assert list(frame.index) == list(frame.columns) and np.array_equal(mine, frame.to_numpy())


@pytest.mark.parametrize("folder", ["nas2cam_extseout", "cla_test_data"])
def test_a_superelement_of_nx_nastran_has_its_mass_and_frequencies(folder: str) -> None:
    path = FILES / folder / "outboard.op4"
    if not path.exists():
        pytest.skip("this installation of pyyeti has no files")
    data = superelement_data(path, path.with_suffix(".asm"), "mm,kg,s")
    G = rigid_motions(data.places, np.zeros(3), 6)
    assert (G.T @ data.M[:24, :24] @ G)[0, 0] == pytest.approx(1.590384, abs=1e-6)
    assert list(data.numbers) == [3, 11, 19, 27] and data.modal == 22
    free = np.sqrt(eigh(data.K, data.M, eigvals_only=True)[6:12]) / (2 * np.pi)
    assert free == pytest.approx([1.757662, 1.792869, 3.649292, 4.149376, 7.025406, 7.254279], abs=1e-6)
    held = np.sqrt(eigh(data.K[6:, 6:], data.M[6:, 6:], eigvals_only=True)[:3]) / (2 * np.pi)
    assert held == pytest.approx([0.958985, 1.082289, 1.330682], abs=1e-6)


def test_recovered_grids_of_nx_nastran_move_with_the_rigid_body() -> None:
    folder = FILES / "cla_test_data"
    if not folder.exists():
        pytest.skip("this installation of pyyeti has no files")
    files = [folder / f"outboard.{kind}" for kind in ("asm", "pch", "blk")]
    data = superelement_data(folder / "outboard.op4", files, "mm,kg,s")
    assert data.recovery is not None and data.at is not None and data.recovered is not None
    assert len(data.recovered) == 22
    G = np.concatenate([rigid_motions(data.places, np.zeros(3), 6), np.zeros((22, 6))])
    assert np.allclose(data.recovery @ G, rigid_motions(data.at, np.zeros(3), 3), atol=1e-6)


def test_a_superelement_is_no_full_model() -> None:
    path = FILES / "nas2cam_extseout" / "outboard.op4"
    if not path.exists():
        pytest.skip("this installation of pyyeti has no files")
    with pytest.raises(mbs.ModelError, match="modal coordinates 1995001"):
        mbs.fe.nastran(path, path.with_suffix(".asm"), K="kxx", M="mxx", units="mm,kg,s")
