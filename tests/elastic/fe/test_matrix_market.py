"""Matrix Market and Harwell-Boeing files with maps of rows: models return in the order of nodes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
import scipy.io
import scipy.sparse

import mbs_fmu as mbs
from support.generators.nastran_files import variants
from support.oracles.finite_elements import Full, box, truss

pytestmark = pytest.mark.quick
Array = np.ndarray
MODELS = {"solid": box((2, 1, 1)), "frame": truss()}
models = pytest.mark.parametrize("full", MODELS.values(), ids=MODELS)


def market(path: Path, A: Any, symmetric: bool = True) -> Path:
    """Write a sparse matrix, or a vector as an array."""
    with path.open("wb") as file:
        scipy.io.mmwrite(file, A, symmetry="symmetric" if symmetric else "general", precision=17)
    return path


def harwell_boeing(path: Path, A: Array) -> Path:
    """Write the lower triangle of a symmetric matrix, RSA, as HBMAT of Ansys does."""
    low = scipy.sparse.csc_array(np.tril(A))
    low.sort_indices()
    parts = [(low.indptr + 1, 8, "{:10d}"), (low.indices + 1, 8, "{:10d}"), (low.data, 3, "{:26.17E}")]
    texts = [
        ["".join(form.format(x) for x in part[k : k + count]) for k in range(0, len(part), count)]
        for part, count, form in parts
    ]
    sizes = [len(text) for text in texts]
    n = len(A)
    lines = [
        f"{'made by a test':72s}{'KEY':8s}",
        "".join(f"{k:14d}" for k in (sum(sizes), *sizes, 0)),
        f"{'RSA':14s}" + "".join(f"{k:14d}" for k in (n, n, low.nnz, 0)),
        f"{'(8I10)':16s}{'(8I10)':16s}{'(3E26.17)':20s}",
        *(line for text in texts for line in text),
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def turned(full: Full, seed: int, form: str) -> tuple[Array, Array, Array, Any]:
    """Return a table of nodes, K and M in the order of a solver, and the map."""
    rng, N, dofs = np.random.default_rng(seed), len(full.nodes), full.dofs
    numbers = np.cumsum(rng.integers(1, 5, N))
    table = np.column_stack([numbers, full.nodes])
    if form == "none":
        return table, full.K, full.M, None
    if form == "nodes":
        blocks = rng.permutation(N)  # of each block of rows, the node
        order = (dofs * blocks[:, None] + np.arange(dofs)).ravel()
        given: Any = numbers[blocks].reshape(-1, 1)
    else:
        order = rng.permutation(dofs * N)  # of each row, the nodal dof
        given = (order + 1).reshape(-1, 1)
        if form == "matrix":
            given = scipy.sparse.coo_array((np.ones(len(order)), (np.arange(len(order)), order)))
    return table, full.K[np.ix_(order, order)], full.M[np.ix_(order, order)], given


@models
@pytest.mark.parametrize("form", ["none", "nodes", "dofs", "matrix", "other way"])
def test_models_return_in_the_order_of_nodes(tmp_path: Path, full: Full, form: str) -> None:
    table, K, M, given = turned(full, len(form), "matrix" if form == "other way" else form)
    if form == "other way":
        given = given.T
    files = [market(tmp_path / f"{name}.mm", scipy.sparse.coo_array(A)) for name, A in (("k", K), ("m", M))]
    path = None if given is None else market(tmp_path / "map.mm", given, symmetric=False)
    data = mbs.fe.matrix_market(*files, map=path, nodes=table)
    assert np.allclose(data.K.toarray(), full.K, rtol=0, atol=1e-13 * full.K.max())
    assert np.allclose(data.M.toarray(), full.M, rtol=0, atol=1e-13 * full.M.max())
    assert (data.numbers == table[:, 0]).all() and data.dofs == full.dofs
    assert mbs.Modes.matrices(*data, frames=full.frames, modes=1).mass > 0.0


@models
def test_harwell_boeing_is_the_same_matrix(tmp_path: Path, full: Full) -> None:
    files = [harwell_boeing(tmp_path / f"{name}.hb", A) for name, A in (("k", full.K), ("m", full.M))]
    data = mbs.fe.matrix_market(*files, nodes=full.nodes)
    assert np.allclose(data.K.toarray(), full.K, rtol=0, atol=1e-13 * full.K.max())
    assert np.allclose(data.M.toarray(), full.M, rtol=0, atol=1e-13 * full.M.max())


def test_what_does_not_belong_together_is_refused(tmp_path: Path) -> None:
    full = MODELS["solid"]
    table, K, M, given = turned(full, 3, "nodes")
    k, m = (market(tmp_path / f"{name}.mm", scipy.sparse.coo_array(A)) for name, A in (("k", K), ("m", M)))
    straight = [
        market(tmp_path / f"{name}.mm", scipy.sparse.coo_array(A)) for name, A in (("K", full.K), ("M", full.M))
    ]
    supported = market(tmp_path / "s.mm", scipy.sparse.coo_array(K[3:, 3:]))
    wrong = market(tmp_path / "wrong.mm", np.roll(given, 1), symmetric=False)
    short = market(tmp_path / "short.mm", given[1:], symmetric=False)
    imaginary = market(tmp_path / "c.mm", scipy.sparse.coo_array(1j * K), symmetric=False)
    (tmp_path / "text.mm").write_text("stiffness\n")
    (tmp_path / "huge.mm").write_text("%%MatrixMarket matrix array real general\n1000000 1000000\n1.0\n")
    (tmp_path / "cut.mm").write_text("%%MatrixMarket matrix coordinate real symmetric\n3 3 9\n1 1 1.0\n" + 40 * "%")
    for arguments, options, message in (
        ((k, m), {}, "stiffness resists a rigid motion .* not in the order of the nodes .give map="),
        ((k, m, wrong), {}, "resists a rigid motion .* the map .*wrong.mm, tried in both directions, is not"),
        ((k, m, short), {}, "a map is NOD2BCS"),
        ((k, m, k), {}, "is no map: each row"),
        ((straight[1], straight[0]), {}, "the stiffness resists them: swap the two files"),
        ((supported, m), {}, "12 nodes need 36 rows, or 72"),
        ((imaginary, m), {}, "is no matrix of real numbers"),
        ((tmp_path / "text.mm", m), {}, "is no Matrix Market file, nor has it a header"),
        ((tmp_path / "huge.mm", m), {}, "line 2: 1000000 x 1000000 needs 1000000000000 entries"),
        ((tmp_path / "cut.mm", m), {}, "line 2: 3 x 3 needs 9 entries, the file has 1"),
        ((tmp_path / "absent.mm", m), {}, "absent.mm can't be read"),
        ((k, m), {"nodes": [[1.0, 2.0]]}, "nodes has shape"),
        ((k, m), {"nodes": np.ones((12, 4))}, "numbers, whole ones that do not repeat"),
        ((k, m), {"units": "mm"}, "name length, mass and time"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            mbs.fe.matrix_market(*arguments, **({"nodes": table} | options))


@pytest.mark.parametrize("write", [market, harwell_boeing])
def test_damaged_files_are_read_or_refused(tmp_path: Path, write: Any) -> None:
    full = box((1, 1, 1))
    k, m = (write(tmp_path / name, scipy.sparse.coo_array(A) if write is market else A)
            for name, A in (("k.mm", full.K), ("m.mm", full.M)))  # fmt: skip
    refused = 0
    for variant in variants(k.read_bytes(), 300, seed=5):
        k.write_bytes(variant)
        began = time.process_time()
        try:
            mbs.fe.matrix_market(k, m, nodes=full.nodes)
        except mbs.ModelError as error:
            refused += 1
            assert len(str(error)) < 500
        assert time.process_time() - began < 2.0
    assert refused > 75
