"""Files of Nastran's forms, read as pyyeti reads them."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")
pytest.importorskip("pyyeti")

from mbs_fmu.elastic.fe.bulk import read_bulk
from mbs_fmu.elastic.fe.op4 import read_op4
from mbs_fmu.elastic.reduction.structures import rigid_motions
from support.generators.nastran_files import OP4_FORMS, Grids, dmig, op4_matrices

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
