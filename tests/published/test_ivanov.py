"""Formulas of Ivanov, Poloskov, Shimanovskiy (2016) that docs/papers.md corrects, on random motions of two bodies.

The corrected form must hold, and the printed one must not.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from support.generators.mechanisms import random_inertia
from support.oracles.complex_steps import STEP

pytestmark = pytest.mark.quick


def skew(x: np.ndarray) -> np.ndarray:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def transform(G: np.ndarray, rho: np.ndarray) -> np.ndarray:
    """C of (1)."""
    return np.block([[G, -G @ skew(rho)], [np.zeros((3, 3)), G]])


def convective(v: np.ndarray) -> np.ndarray:
    """Omega of a twist."""
    return np.block([[skew(v[3:]), np.zeros((3, 3))], [skew(v[:3]), skew(v[3:])]])


def test_the_rate_of_the_transformation() -> None:
    """C' = Omega_iᵀ C - C Omega_kᵀ, and its upper right block with - v~_i G in the second matrix."""
    rng = np.random.default_rng(1)
    G, rho = Rotation.random(random_state=1).as_matrix(), rng.normal(size=3)
    v_k, u = rng.normal(size=(2, 6))  # twists of the parent, and of the body relative to it, in their own axes
    C = transform(G, rho)
    v_i = C @ v_k + u
    rho_rate, G_rate = G.T @ u[:3], -skew(u[3:]) @ G
    exact = np.imag(transform(G + 1j * STEP * G_rate, rho + 1j * STEP * rho_rate)) / STEP
    assert pytest.approx(exact, abs=1e-13) == convective(v_i).T @ C - C @ convective(v_k).T
    assert np.abs(convective(v_i).T @ C - C @ convective(v_i).T - exact).max() > 0.1
    first = G @ skew(v_k[:3]) - G @ skew(rho) @ skew(v_k[3:])  # upper right blocks
    second = -skew(v_i[3:]) @ G @ skew(rho) + skew(v_i[:3]) @ G
    printed = -skew(v_i[3:]) @ G @ skew(rho) - skew(v_i[:3]) @ G
    assert first - second == pytest.approx(exact[:3, 3:], abs=1e-13)
    assert np.abs(first - printed - exact[:3, 3:]).max() > 0.1


def test_the_step_from_21_to_22() -> None:
    """mu_i of (14) equals M*_i v_i + Phi*_i with the parent's twist v_i in the place of v_j, and D of the child."""
    rng = np.random.default_rng(2)
    C = transform(Rotation.random(random_state=2).as_matrix(), rng.normal(size=3))
    M_i, M_j = (inertia(rng) for _ in range(2))
    A_i, A_j = rng.normal(size=(2, 6, 2))
    v_i, phi, v_star = rng.normal(size=(3, 6))
    p = rng.normal(size=2)
    # (15), (16), (19) of the child j as one linear system for (v_j, u_j)
    matrix = np.block([[np.eye(6), -A_j], [A_j.T @ M_j, np.zeros((2, 2))]])
    v_j = np.linalg.solve(matrix, np.concatenate([C @ v_i + v_star, p - A_j.T @ phi]))[:6]
    exact = M_i @ v_i + C.T @ (M_j @ v_j + phi)

    def eliminated(twist: np.ndarray, A: np.ndarray, M: np.ndarray) -> np.ndarray:
        D = np.linalg.inv(A.T @ M @ A)
        moved = M_j @ (C @ twist + v_star) + phi
        return M_i @ v_i + C.T @ (moved + M_j @ A_j @ D @ (p - A_j.T @ moved))

    assert eliminated(v_i, A_j, M_j) == pytest.approx(exact, rel=1e-9)
    assert np.abs(eliminated(v_j, A_j, M_j) - exact).max() > 1e-3
    assert np.abs(eliminated(v_i, A_i, M_i) - exact).max() > 1e-3


def inertia(rng: np.random.Generator) -> np.ndarray:
    """A random 6x6 inertia about a body's origin."""
    mass, r = 0.5 + rng.random(), skew(0.3 * rng.normal(size=3))
    return np.block([[mass * np.eye(3), -mass * r], [mass * r, random_inertia(rng) - mass * r @ r]])


def test_the_recursion_of_positions() -> None:
    """The position of a point of a chain of two: the offset has its components in the axes of the parent."""
    G_k, G_i = (Rotation.random(random_state=seed).as_matrix() for seed in (3, 4))  # world to k, k to i
    rho_k, rho_i, x = np.random.default_rng(3).normal(size=(3, 3))
    exact = rho_k + G_k.T @ (rho_i + G_i.T @ x)
    assert rho_k + G_k.T @ rho_i + (G_i @ G_k).T @ x == pytest.approx(exact, abs=1e-14)
    assert np.abs(rho_k + (G_i @ G_k).T @ rho_i + (G_i @ G_k).T @ x - exact).max() > 0.1
