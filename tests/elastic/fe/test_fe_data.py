"""Data of finite element programs: units, and models that reduce as they are."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("scipy")
from scipy import sparse

import mbs_fmu as mbs
from mbs_fmu.elastic.fe.data import ReducedData
from mbs_fmu.elastic.fe.units import DAMPING, MASS, STIFFNESS, nodal_kinds, scaled, units_of

pytestmark = pytest.mark.quick
Array = np.ndarray
LENGTHS = {"m": 1.0, "mm": 1e-3, "in": 0.0254, "ft": 0.3048}
MASSES = {"kg": 1.0, "t": 1e3, "slinch": 4.4482216152605 / 0.0254, "slug": 4.4482216152605 / 0.3048}


def frame(L: float, EA: float, EI: float, mass: float) -> tuple[Array, Array, Array]:
    """Return places, M and K of a rod along x with two nodes: bars, cubic beams, lumped masses (closed forms)."""
    K = np.zeros((12, 12))
    for i, j, k in ((0, 6, EA / L), (3, 9, 0.8 * EI / L)):
        K[np.ix_([i, j], [i, j])] += k * np.array([[1, -1], [-1, 1]])
    beam = EI / L**3 * np.array([
        [12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2],
        [-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2],
    ])  # fmt: skip
    K[np.ix_([1, 5, 7, 11], [1, 5, 7, 11])] += beam
    signs = np.array([1, -1, 1, -1])
    K[np.ix_([2, 4, 8, 10], [2, 4, 8, 10])] += beam * np.outer(signs, signs)
    M = 0.5 * mass * np.diag(([1.0] * 3 + [0.02 * L**2] * 3) * 2)
    return np.array([[0.0, 0, 0], [L, 0, 0]]), M, K


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("mass", MASSES)
@pytest.mark.parametrize("time", ["s", "ms"])
def test_matrices_in_any_units_are_those_in_si_units(length: str, mass: str, time: str) -> None:
    L, m, t = LENGTHS[length], MASSES[mass], {"s": 1.0, "ms": 1e-3}[time]
    _, M, K = frame(2.0, 4e6, 300.0, 7.0)
    _, M_file, K_file = frame(2.0 / L, 4e6 / (m * L / t**2), 300.0 / (m * L**3 / t**2), 7.0 / m)
    units, kinds = units_of(f"{length},{mass}, {time}"), nodal_kinds(2, 6)
    for A, A_file, power in ((M, M_file, MASS), (K, K_file, STIFFNESS), (3e-4 * K, 3e-4 / t * K_file, DAMPING)):
        assert np.allclose(scaled(A_file, kinds, units, power), A, rtol=1e-13, atol=1e-13 * np.abs(A).max())
        assert np.allclose(scaled(sparse.csc_array(A_file), kinds, units, power).toarray(), A, rtol=1e-13)


def test_modal_coordinates_keep_their_unit_mass() -> None:
    units = units_of("mm,t,ms")
    assert scaled(np.eye(1), np.array([2]), units, MASS)[0, 0] == pytest.approx(1.0, rel=1e-14)
    omega = 2 * math.pi * 0.12  # 1/ms
    assert scaled(np.diag([omega**2]), np.array([2]), units, STIFFNESS)[0, 0] == pytest.approx((1e3 * omega) ** 2)


@pytest.mark.parametrize("text", ["mm", "mm,t", "t,mm,s", "mm,t,s,N", "", "furlong,kg,s", None, 3])
def test_other_units_are_refused(text: object) -> None:
    with pytest.raises(mbs.ModelError, match="name length, mass and time"):
        units_of(text)  # type: ignore[arg-type]


def test_data_unpack_into_a_reduction_whatever_their_dofs() -> None:
    data = mbs.fe.Data(*frame(2.0, 4e6, 300.0, 7.0), numbers=np.array([3, 9]), sets={"END": np.array([1])}, dofs=6)
    body = mbs.Modes.matrices(*data, frames={"root": [0], "tip": data.sets["END"]}, modes=0)
    assert body.mass == pytest.approx(7.0) and body.count == 6
    assert body.compliance("tip", "root")[0, 0] == pytest.approx(2.0 / 4e6)
    assert body.compliance("tip", "root")[1, 1] == pytest.approx(8.0 / 900.0)


def test_nodes_are_found_by_their_numbers() -> None:
    data = mbs.fe.Data(*frame(2.0, 4e6, 300.0, 7.0), numbers=np.array([9, 3]), dofs=6)
    assert list(data.indices(3, 9)) == [1, 0] and data.indices(3).dtype == int
    with pytest.raises(mbs.ModelError, match="the model has no node 4: its nodes are 9, 3"):
        data.indices(3, 4)


def test_print_shows_size_mass_centre_extent_sets_and_notes() -> None:
    nodes, M, K = frame(2.0, 4e6, 300.0, 7.0)
    data = mbs.fe.Data(nodes, M, K, np.array([3, 9]), {"END": np.array([1])}, 6, notes=("BXX is left out",))
    text = str(data)
    for part in ("2 nodes, 12 dofs", "mass 7 kg", "(1, 0, 0) m", "(0, 0, 0) to (2, 0, 0) m", "END (1)", "BXX is left"):
        assert part in text
    assert repr(data) == "<finite element model: 2 nodes, 12 dofs>"
    text = str(ReducedData(nodes, np.pad(M, (0, 3)), np.pad(K, (0, 3)), np.array([3, 9])))
    assert "2 interface nodes 3, 9, 3 modal coordinates" in text and "mass 7 kg" in text
