"""Random states of a free body in every angle convention."""

from __future__ import annotations

import numpy as np

from mbs_fmu.analysis import free_body as fb
from support.comparisons import first_difference
from support.generators.mechanisms import random_inertia

CONVENTIONS = tuple(fb.CONVENTIONS)


def random_angles(rng: np.random.Generator, convention: str) -> np.ndarray:
    """Angles of any size; the second stays half a radian away from gimbal lock."""
    alpha = rng.uniform(-3, 3, size=3)
    alpha[1] = rng.choice([-1, 1]) * rng.uniform(0.5, 2.6) if convention == "euler" else rng.uniform(-1.07, 1.07)
    return alpha


class State:
    """A random body with a random state and wrench."""

    def __init__(self, seed: int, convention: str):
        rng = np.random.default_rng(seed)
        self.mass, self.com, self.inertia = 0.5 + rng.random(), 0.3 * rng.normal(size=3), random_inertia(rng)
        self.theta = fb.inertia_matrix(self.mass, self.inertia, self.com)
        self.q = np.concatenate([rng.normal(size=3), random_angles(rng, convention)])
        self.q_dot, self.wrench = rng.normal(size=6), rng.normal(size=6)
        self.convention = convention


def close(a: np.ndarray, b: np.ndarray, digits: float = 1e-12) -> None:
    """Assert that the difference of two arrays is at most `digits` of the larger one's norm."""
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    bound = digits * max(1.0, np.abs(b).max())
    assert np.abs(a - b).max() <= bound, first_difference(a, b, bound)


def quaternion(C: np.ndarray) -> np.ndarray:
    """Quaternion of a rotation, w first: the eigenvector of the largest eigenvalue of Bar-Itzhack's matrix."""
    K = np.array([
        [np.trace(C), C[2, 1] - C[1, 2], C[0, 2] - C[2, 0], C[1, 0] - C[0, 1]],
        [0, C[0, 0] - C[1, 1] - C[2, 2], C[0, 1] + C[1, 0], C[0, 2] + C[2, 0]],
        [0, 0, C[1, 1] - C[0, 0] - C[2, 2], C[1, 2] + C[2, 1]],
        [0, 0, 0, C[2, 2] - C[0, 0] - C[1, 1]],
    ])  # fmt: skip
    return np.linalg.eigh(K, UPLO="U")[1][:, -1]
