"""Invariants of elastic bodies, and changes of their frames, against the motion of their pieces."""

from __future__ import annotations

import numpy as np
import pytest

from mbs_fmu.elastic.frames import in_mean_frame, moved
from mbs_fmu.elastic.shapes import Inertia, invariants, symmetric
from support.comparisons import assert_close
from support.oracles.elastic_pieces import energy, old_twist, place_of, random_node, random_pieces, taylor

pytestmark = pytest.mark.quick
SEEDS = range(4)


def truncated(inertia: Inertia, twist: np.ndarray, xi: np.ndarray, xi_dot: np.ndarray) -> complex:
    """Return T to second order in (xi, xi_dot), by (F2)."""
    v = np.concatenate([twist, xi_dot])
    return 0.5 * v @ inertia.matrix(xi) @ v


@pytest.mark.parametrize("seed", SEEDS)
def test_energy_is_that_of_the_pieces_to_second_order(seed: int) -> None:
    """(F1), (F2): T has every term up to the second order in (xi, xi_dot), and no other."""
    rng = np.random.default_rng(seed)
    pieces = random_pieces(rng)
    inertia = invariants(pieces)
    twist, xi, xi_dot = rng.normal(size=6), rng.normal(size=3), rng.normal(size=3)
    exact = taylor(lambda e: energy(pieces, twist, e * xi, e * xi_dot))
    computed = taylor(lambda e: truncated(inertia, twist, e * xi, e * xi_dot))
    assert computed == pytest.approx(exact, abs=1e-11 * np.abs(exact).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_energy_is_independent_of_the_frame(seed: int) -> None:
    """(F3): the body has the same energy by the twist of a frame that moves with a node."""
    rng = np.random.default_rng(seed)
    pieces, frame = random_pieces(rng), random_node(rng)
    inertia = moved(invariants(pieces), frame)
    twist, xi, xi_dot = rng.normal(size=6), rng.normal(size=3), rng.normal(size=3)
    exact = taylor(lambda e: energy(pieces, old_twist(frame, twist, e * xi, e * xi_dot), e * xi, e * xi_dot))
    computed = taylor(lambda e: truncated(inertia, twist, e * xi, e * xi_dot))
    assert computed == pytest.approx(exact, abs=1e-10 * np.abs(exact).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_poses_and_twists_of_nodes(seed: int) -> None:
    """(F4): pose and twist of a node against the body's frame, also many poses at once."""
    rng = np.random.default_rng(seed)
    node, xi, xi_dot = random_node(rng), rng.normal(size=(5, 3)), rng.normal(size=3)
    places, rotations = node.pose(xi)
    for k in range(5):
        place, R = place_of(node, xi[k])
        np.testing.assert_allclose(places[k], place, rtol=0, atol=1e-13)
        np.testing.assert_allclose(rotations[k], R @ node.axes, rtol=0, atol=1e-13)
    v, w = node.twist(xi[0], xi_dot)
    h = 1e-20
    _, turned = place_of(node, xi[0] + 1j * h * xi_dot)
    np.testing.assert_allclose(v, place_of(node, xi[0] + 1j * h * xi_dot)[0].imag / h, rtol=0, atol=1e-12)
    rate = turned.imag / h @ turned.real.T
    np.testing.assert_allclose([rate[2, 1], rate[0, 2], rate[1, 0]], w, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_nodes_are_exact_in_another_frame(seed: int) -> None:
    """(F3): places and rotations of a node are those relative to the other frame, to second order."""
    rng = np.random.default_rng(seed)
    node, frame, xi = random_node(rng), random_node(rng), rng.normal(size=3)
    seen = node.seen_from(frame)

    def exact(e: complex) -> np.ndarray:
        (x, R), (x_frame, R_frame) = place_of(node, e * xi), place_of(frame, e * xi)
        return np.concatenate([R_frame.T @ (x - x_frame) + frame.position, (R_frame.T @ R).ravel()])

    def computed(e: complex) -> np.ndarray:
        x, R = place_of(seen, e * xi)
        return np.concatenate([x, R.ravel()])

    expected = taylor(exact)
    assert taylor(computed) == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())
    assert_close(frame.seen_from(frame).Y1, 0.0, 1e-14, "motion of a frame in itself")


@pytest.mark.parametrize("seed", SEEDS)
def test_in_the_mean_frame_xi_dot_has_no_momentum(seed: int) -> None:
    """S1 = S2 = 0 and C0 = 0, C1 antisymmetric; the rigid body is unchanged, and the energies are those of (F3)."""
    rng = np.random.default_rng(seed)
    inertia = invariants(random_pieces(rng))
    mean, _ = in_mean_frame(inertia, {})
    scale = np.abs(inertia.J2).max()
    for name, left in {"S1": mean.S1, "S2": mean.S2, "C0": mean.C0, "C1": symmetric(mean.C1)}.items():
        assert_close(left, 0.0, 1e-13 * scale, f"{name} in the mean frame")
    assert mean.mass == inertia.mass
    for name, digits in (("S0", 1e-13), ("J0", 1e-12)):
        expected = getattr(inertia, name)
        assert_close(getattr(mean, name), expected, digits * np.abs(expected).max(), name)
    assert np.linalg.eigvalsh(mean.Me)[0] > 0.0


def test_invariants_transform_with_the_coordinates() -> None:
    """With xi = V eta, M is that in the rates of eta."""
    rng = np.random.default_rng(7)
    inertia, V, eta = invariants(random_pieces(rng)), rng.normal(size=(3, 2)), rng.normal(size=2)
    wide = np.block([[np.eye(6), np.zeros((6, 2))], [np.zeros((3, 6)), V]])
    assert inertia.combined(V).matrix(eta) == pytest.approx(wide.T @ inertia.matrix(V @ eta) @ wide, rel=1e-12)
