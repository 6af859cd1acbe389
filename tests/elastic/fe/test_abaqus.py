"""Files of Abaqus: matrices in each format, substructures and input files return as they were written."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")
import scipy.linalg

import mbs_fmu as mbs
from mbs_fmu.elastic.fe.abaqus_input import read_input
from mbs_fmu.elastic.fe.abaqus_matrices import read_mtx
from support.generators.abaqus_files import coordinate, matrix_input, model, substructure
from support.generators.nastran_files import variants
from support.oracles.finite_elements import Full, box, truss
from support.oracles.superelements import Handed

pytestmark = pytest.mark.quick
Array = np.ndarray
MODELS = {"solid": box((2, 1, 1)), "frame": truss()}


def numbered(full: Full, seed: int) -> Array:
    """Return numbers of nodes in ascending order, with gaps."""
    return np.cumsum(np.random.default_rng(seed).integers(1, 9, len(full.nodes)))


def written(folder: Path, full: Full, form: str, triangle: str) -> tuple[Path, Path, Path, Array]:
    numbers = numbered(full, len(form))
    sets = {"ROOT": [0, 1, 2], "Tip": [len(numbers) - 1]}
    inp = model(folder / "a.inp", full.nodes, numbers, sets)
    if form == "coordinate":
        K, M = (coordinate(folder / f"{name}.mtx", A, triangle) for name, A in (("K", full.K), ("M", full.M)))
    else:
        K, M = (
            matrix_input(folder / f"{name}.mtx", A, numbers, full.dofs, triangle)
            for name, A in (("K", full.K), ("M", full.M))
        )
    return K, M, inp, numbers


@pytest.mark.parametrize("full", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("form", ["coordinate", "matrix input"])
@pytest.mark.parametrize("triangle", ["both", "lower", "upper"])
def test_matrices_return_with_both_triangles(tmp_path: Path, full: Full, form: str, triangle: str) -> None:
    K, M, inp, numbers = written(tmp_path, full, form, triangle)
    data = mbs.fe.abaqus(K, M, inp)
    assert isinstance(data, mbs.fe.Data) and data.dofs == full.dofs
    assert np.allclose(data.nodes, full.nodes, atol=1e-11) and (data.numbers == numbers).all()
    assert np.allclose(data.K.toarray(), full.K, rtol=0, atol=1e-13 * full.K.max())
    assert np.allclose(data.M.toarray(), full.M, rtol=0, atol=1e-13 * full.M.max())
    assert data.sets["ROOT"].tolist() == [0, 1, 2] and data.sets["Tip"].tolist() == [len(numbers) - 1]
    assert not data.notes
    body = mbs.Modes.matrices(*data, frames=full.frames, modes=3)
    assert np.allclose(body.frequencies, full.modes(modes=3).frequencies, rtol=1e-6)


def test_units_of_files_become_si_units(tmp_path: Path) -> None:
    full = MODELS["frame"]
    r = np.tile([1e3] * 3 + [1.0] * 3, len(full.nodes))  # mm per m
    K, M = (1e3 * A / np.outer(r, r) for A in (full.K, full.M))  # t mm²/s² is 1e-3 J
    numbers = numbered(full, 1)
    files = (
        coordinate(tmp_path / "K.mtx", K),
        coordinate(tmp_path / "M.mtx", M),
        model(tmp_path / "a.inp", 1e3 * full.nodes, numbers, {}),
    )
    data = mbs.fe.abaqus(*files, units="mm,t,s")
    assert np.allclose(data.K.toarray(), full.K, rtol=1e-12, atol=1e-12 * full.K.max())
    assert np.allclose(data.M.toarray(), full.M, rtol=1e-12, atol=1e-12 * full.M.max())
    assert any("check the units of the file" in note for note in mbs.fe.abaqus(*files).notes)


@pytest.mark.parametrize("unsymmetric", [False, True])
@pytest.mark.parametrize("with_nodes", [False, True])
def test_a_substructure_of_nodes_is_a_model(tmp_path: Path, unsymmetric: bool, with_nodes: bool) -> None:
    handed = Handed(truss(), [0, 5, 7, 2], 0)
    numbers = np.array([3, 8, 9, 40])
    labels = [(int(number), [1, 2, 3, 4, 5, 6]) for number in numbers]
    path = substructure(tmp_path / "sub.mtx", handed.K, handed.M, labels, unsymmetric)
    inp = model(tmp_path / "a.inp", handed.places, numbers, {}) if with_nodes else None
    data = mbs.fe.abaqus(path, inp=inp)
    assert isinstance(data, mbs.fe.Data) and data.numbers.tolist() == [3, 8, 9, 40]
    origin = 0.0 if with_nodes else handed.places[0]
    assert np.allclose(data.nodes, handed.places - origin, atol=1e-7)
    assert ("places are relative to node 3" in str(data)) != with_nodes
    body, expected = mbs.Modes.superelement(*data), handed.body()
    assert np.allclose(body.frequencies, expected.frequencies, rtol=1e-6)
    whole = mbs.Modes.matrices(*data, frames={"a": [0], "b": [3]}, modes=12)
    assert np.allclose(whole.frequencies[:4], expected.frequencies[:4], rtol=1e-6)


def test_rows_of_nodes_without_a_place_are_modal_coordinates(tmp_path: Path) -> None:
    handed = Handed(truss(), [0, 8], 5)
    labels = [(1, [1, 2, 3, 4, 5, 6]), (2, [1, 2, 3, 4, 5, 6]), *((k, [1]) for k in range(90, 95))]
    path = substructure(tmp_path / "sub.mtx", handed.K, handed.M, labels)
    inp = model(tmp_path / "a.inp", handed.places, np.array([1, 2]), {})
    data = mbs.fe.abaqus(path, inp=inp)
    body = mbs.Modes.superelement(*data, modal=5, names={1: "foot", 2: "top"})
    assert np.allclose(body.frequencies, handed.body().frequencies, rtol=1e-6)


INPUT = """*HEADING
*NODE, NSET=ALL
1, 0., 0., 0.
2, 1., 0., 0.
 3,1.0D0,1.,0.
5, 0., 0., 1.
*NSET, NSET=Odd, GENERATE
1, 5, 2
*NSET, NSET="both ends",
INTERNAL
1, odd
*NSET, NSET=FIRST, INSTANCE=block-1
block-1.1
*NSET, NSET=LATER, GENERATE
4, 6
*NSET, NSET=NONE, ELSET=ALL
ALL
*NSET, NSET=AGAIN
FIRST, NONE, block-1.LATER
*ELEMENT, TYPE=C3D4
1, 1, 2, 3,
5
*ELEMENT, TYPE=B31
7, 1, 2
"""


def test_input_files_have_sets_of_sets_ranges_and_continued_lines(tmp_path: Path) -> None:
    (tmp_path / "a.inp").write_text(INPUT)
    data = read_input(tmp_path / "a.inp")
    assert data.numbers.tolist() == [1, 2, 3, 5] and data.places[2].tolist() == [1.0, 1.0, 0.0]
    assert {name: nodes.tolist() for name, nodes in data.sets.items()} == {
        "ALL": [0, 1, 2, 3], "Odd": [0, 2, 3], "both ends": [0, 2, 3], "FIRST": [0], "LATER": [3], "AGAIN": [0, 3]
    }  # fmt: skip
    assert {kind: cells.tolist() for kind, cells in data.elements.items()} == {"C3D4": [[0, 1, 2, 3]]}


WRONG_INPUTS = {
    "*NODE\n1, 0, 0, 0\n*NODE\n1, 2, 0, 0\n": "line 4: node 1 occurs twice",
    "*NODE, SYSTEM=C\n1, 0, 0, 0\n": "line 1: \\*NODE has INPUT or SYSTEM",
    "*NODE\n1, 0, 0, 0\n*TRANSFORM, NSET=A\n1, 0, 0, 0, 1, 0\n": "line 3: \\*TRANSFORM gives nodes axes of their own",
    "*INCLUDE, INPUT=b.inp\n": "line 1: \\*INCLUDE reads another file",
    "*INSTANCE, NAME=A, PART=B\n0, 0, 1\n": "line 1: the instance is moved",
    "*NODE\nx, 0, 0, 0\n": "line 2: 'x, 0, 0, 0' has text where numbers belong",
    "*NODE\n-1, 0, 0, 0\n": "line 2: '-1, 0, 0, 0' is no node",
    "*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 1, 1\n": "line 4: an element C3D4 has 4 nodes, not 3",
    "*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 1, 1, 9\n": "has no node 9",
    "*NODE\n1, 0, 0, 0\n*NSET, NSET=A, GENERATE\n1, 2, 0\n": "line 4: the step of a set is 0",
    "*NODE\n1, 0, 0, 0\n*NSET, NSET=TIP\n1,\n7\n": "line 5: the set 'TIP' has '7', which is no node of the file",
    "*NODE\n1, 0, 0, 0\n*NSET, NSET=TIP\nENDS\n": "line 4: the set 'TIP' has 'ENDS', which is no node .* and no set",
    "*STEP\n": "has no \\*NODE",
}


@pytest.mark.parametrize("text", WRONG_INPUTS)
def test_other_inputs_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.inp").write_text(text)
    with pytest.raises(mbs.ModelError, match=WRONG_INPUTS[text]):
        read_input(tmp_path / "a.inp")


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    full = MODELS["solid"]
    K, M, inp, numbers = written(tmp_path, full, "coordinate", "both")
    named = matrix_input(tmp_path / "N.mtx", full.M, numbers, 3)
    few = model(tmp_path / "few.inp", full.nodes[:-1], numbers[:-1], {})
    supported = matrix_input(tmp_path / "S.mtx", full.K[1:, 1:], numbers, 3)
    missing = tmp_path / "absent.mtx"
    labels = [(int(number), [1, 2, 3]) for number in numbers]
    apart = scipy.linalg.block_diag(full.K[:9, :9], full.K[:9, :9])
    parts = substructure(tmp_path / "parts.mtx", apart, np.eye(18), labels[:6])
    for arguments, message in (
        ((K, None, inp), "has one matrix: give the files of stiffness and mass"),
        ((K, M), "has one matrix"),
        ((K, named, inp), "different formats"),
        ((K, M, few), "36 rows, 11 nodes of the input file need 33 or 66"),
        ((named, named, few), f"has no node {numbers[-1]}"),
        ((supported, supported, inp), f"node {numbers[-1]} has the dofs 1, 2, node"),
        ((missing, M, inp), "can't be read"),
        ((parts,), "motions without stiffness, a body six"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            mbs.fe.abaqus(*arguments)


def test_matrices_that_are_cut_swapped_or_twice_are_refused(tmp_path: Path) -> None:
    full = MODELS["solid"]
    K, M, inp, _ = written(tmp_path, full, "coordinate", "lower")
    lines = K.read_text().splitlines(keepends=True)
    both = coordinate(tmp_path / "both.mtx", full.K).read_text().splitlines(keepends=True)
    for stiffness, mass, message in (
        ("".join(lines[: len(lines) // 2]), M, "the stiffness resists a rigid motion .* its file is not cut"),
        ("".join(both[: len(both) // 2]), M, "has both triangles, which differ by up to .* is the file cut"),
        (M.read_text(), K, "the stiffness resists them: swap the two files"),
        ("".join([*lines, "1 1 5.0\n"]), M, f"twice: '1 1 .*' in line 1, '1 1 5.0' in line {len(lines) + 1}"),
        ("".join([*lines, lines[3]]), M, f"twice: .* in line 4, .* in line {len(lines) + 1}"),
    ):
        (tmp_path / "A.mtx").write_text(stiffness)
        with pytest.raises(mbs.ModelError, match=message):
            mbs.fe.abaqus(tmp_path / "A.mtx", mass, inp)


def test_a_huge_index_does_not_take_memory(tmp_path: Path) -> None:
    full = MODELS["solid"]
    _, M, inp, _ = written(tmp_path, full, "coordinate", "both")
    (tmp_path / "K.mtx").write_text("1 1 1.0\n100000000 100000000 1.0\n")
    with pytest.raises(mbs.ModelError, match="100000000 rows"):
        mbs.fe.abaqus(tmp_path / "K.mtx", M, inp)
    (tmp_path / "K.mtx").write_text("1 1 1.0\n1e300 1 1.0\n")
    with pytest.raises(mbs.ModelError, match=r"line 2: .* other than whole numbers"):
        mbs.fe.abaqus(tmp_path / "K.mtx", M, inp)


def survive(path: Path, count: int, read: Callable[[], object]) -> None:
    """Read damaged variants of a file, many of which are refused. Other errors and long times fail the test."""
    refused = 0
    for variant in variants(path.read_bytes(), count, seed=path.stat().st_size):
        path.write_bytes(variant)
        began = time.process_time()
        try:
            read()
        except mbs.ModelError as error:
            refused += 1
            assert len(str(error)) < 1000
        assert time.process_time() - began < 2.0
    assert refused > count // 4


@pytest.mark.parametrize("form", ["coordinate", "matrix input"])
def test_damaged_matrices_are_read_or_refused(tmp_path: Path, form: str) -> None:
    K, M, inp, _ = written(tmp_path, box((1, 1, 1)), form, "lower")
    survive(K, 300, lambda: mbs.fe.abaqus(K, M, inp))


def test_damaged_input_files_are_read_or_refused(tmp_path: Path) -> None:
    *_, inp, _ = written(tmp_path, box((1, 1, 1)), "matrix input", "lower")
    survive(inp, 300, lambda: read_input(inp))


def test_damaged_substructures_are_read_or_refused(tmp_path: Path) -> None:
    handed = Handed(truss(), [0, 5], 0)
    labels = [(4, [1, 2, 3, 4, 5, 6]), (7, [1, 2, 3, 4, 5, 6])]
    path = substructure(tmp_path / "sub.mtx", handed.K, handed.M, labels)
    assert read_mtx(path).labels.tolist() == [[node, dof] for node, dofs in labels for dof in dofs]
    survive(path, 300, lambda: mbs.fe.abaqus(path))
