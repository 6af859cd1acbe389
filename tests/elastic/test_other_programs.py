"""Matrices that other programs wrote, read as the how-to says: a block of tetrahedra from CalculiX 2.20."""

from __future__ import annotations

import re
import textwrap
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
pytest.importorskip("skfem")
from scipy.linalg import eigh

from mbs_fmu.elastic.fe.abaqus_matrices import Triplets, read_mtx
from mbs_fmu.elastic.fe.bulk import read_bulk
from mbs_fmu.elastic.fe.nastran_superelements import superelement_data
from mbs_fmu.elastic.frames import moved
from support.generators.abaqus_files import write_bracket
from support.generators.nastran_files import op4_binary, write_boom
from support.paths import ROOT

ARCHIVE = ROOT / "tests" / "data" / "calculix_block.zip"
PAGE = ROOT / "docs" / "elastic_programs.md"
E, NU = 7e10, 0.3
Array = np.ndarray


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Run all Python blocks of the page beside the files of the programs; yield their names."""
    folder = tmp_path_factory.mktemp("page")
    with zipfile.ZipFile(ARCHIVE) as archive:
        archive.extractall(folder)
    write_boom(folder)
    write_bracket(folder)
    names: dict[str, Any] = {"__name__": "__main__"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for block in re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S):
            exec(compile(block, str(PAGE), "exec"), names)
        yield names


def tetrahedra(page: dict[str, Any]) -> list[tuple[Array, Array, float]]:
    """Return dofs, gradients of the shape functions (4, 3) and volume of each tetrahedron."""
    found = []
    for corners in page["part"]("block.inp", "*ELEMENT").astype(int)[:, 1:] - 1:
        X = np.column_stack([np.ones(4), page["nodes"][corners]])
        dofs = (3 * corners[:, None] + np.arange(3)).ravel()
        found.append((dofs, np.linalg.inv(X)[1:].T, float(np.linalg.det(X)) / 6.0))
    return found


def stress(u: Array, gradients: Array) -> Array:
    """Return Hooke's stress of a tetrahedron, (3, 3), by the displacements of its corners, (4, 3)."""
    slope = u.T @ gradients
    strain = 0.5 * (slope + slope.T)
    return E / (1 + NU) * (strain + NU / (1 - 2 * NU) * np.trace(strain) * np.eye(3))


@pytest.mark.slow
def test_the_stiffness_of_the_files_is_that_of_its_tetrahedra(page: dict[str, Any]) -> None:
    K = np.zeros((24, 24))
    for dofs, gradients, volume in tetrahedra(page):
        unit = np.eye(12).reshape(12, 4, 3)
        forces = [volume * (gradients @ stress(u, gradients)).ravel() for u in unit]
        K[np.ix_(dofs, dofs)] += np.array(forces).T
    np.testing.assert_allclose(page["K"].toarray(), K, atol=1e-12 * np.abs(K).max())


def test_the_stress_stiffness_of_the_files_is_that_of_its_stresses(page: dict[str, Any]) -> None:
    """∫ σ_ij ∂_i v_k ∂_j u_k of each load case, to the seven digits of the stresses in CalculiX's tables."""
    K = page["K"].toarray()
    for case, f in page["cases"].items():
        u = np.linalg.lstsq(K, f, rcond=1e-12)[0]
        expected = np.zeros((24, 24))
        for dofs, gradients, volume in tetrahedra(page):
            scalar = volume * gradients @ stress(u[dofs].reshape(4, 3), gradients) @ gradients.T
            expected[np.ix_(dofs, dofs)] += np.kron(scalar, np.eye(3))
        given = page["geometric"][case].toarray()
        np.testing.assert_allclose(given, expected, atol=1e-5 * np.abs(expected).max(), err_msg=str(case))


def test_the_bar_of_scikit_fem_stiffens_as_a_blade(page: dict[str, Any]) -> None:
    """Squares of the first flap and lag frequency rise by 1.19 and 0.19 of the speed's, held at the root."""
    bar, speed = page["bar"], 400.0
    held = moved(bar.inertia, bar.node("root"))
    squares = [
        eigh(bar.stiffness - 0.5 * speed_squared * held.J2[2, 2], held.Me, eigvals_only=True)
        for speed_squared in (0.0, speed**2)
    ]
    assert (squares[1] - squares[0])[:2] / speed**2 == pytest.approx([1.19, 0.19], abs=0.04)


def layouts(first: str) -> list[str]:
    """Return the blocks of text of the page that begin with a word."""
    blocks = re.findall(r"^ *```text\n(.*?)^ *```", PAGE.read_text("utf-8"), re.M | re.S)
    return [textwrap.dedent(block) for block in blocks if block.lstrip().startswith(first)]


def test_the_layouts_of_the_page_are_read(tmp_path: Path) -> None:
    bulk, cards = layouts("GRID"), layouts("DMIG")
    assert len(bulk) == len(cards) == 1
    (tmp_path / "a.asm").write_text(bulk[0])
    (tmp_path / "a.pch").write_text(cards[0])
    A = np.eye(14)
    op4_binary(tmp_path / "a.op4", [("KXX", A), ("MXX", A)], "dense")
    data = superelement_data(tmp_path / "a.op4", tmp_path / "a.asm")
    assert data.numbers.tolist() == [3, 27] and data.modal == 2 and data.places[1].tolist() == [1000.0, 0.0, 0.0]
    i, j, values = read_bulk(tmp_path / "a.pch").matrices["KAAX"].entries({(3, 1): 0, (27, 1): 1, (9001, 0): 2})
    K = np.zeros((3, 3))
    K[i, j] = values
    assert K.tolist() == [[2.1e5, -2.1e5, 0.0], [-2.1e5, 2.1e5, 0.0], [0.0, 0.0, 3.6e5]]
    for first, rows in (("1 1", {1: 0, 4: 1}), ("3,1", {3: 0, 27: 1})):
        (text,) = layouts(first)
        (tmp_path / "a.mtx").write_text(text)
        found = read_mtx(tmp_path / "a.mtx")
        assert isinstance(found, Triplets)
        columns = found.labels[:, :: found.labels.shape[1] // 2]  # nodes, or indices of rows
        at = np.vectorize(rows.get)(columns).T
        assert (found.matrix(*at, 2).toarray() == K[:2, :2]).all()
