"""One formula converts quaternions to matrices, for all kinds of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from mbs_fmu.model.geometry.poses import rotation_matrix
from mbs_fmu.symbolic.expressions import leaf
from mbs_fmu.symbolic.graph import evaluate
from mbs_fmu.symbolic.quaternions import rotation_rows
from mbs_fmu.symbolic.spatial import Rotation
from mbs_fmu.symbolic.vectors import Vector

EPS = float(np.finfo(float).eps)

pytestmark = pytest.mark.quick


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return Hamilton's product, w first."""
    vector = a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *vector])


@pytest.mark.parametrize("seed", range(20))
def test_the_matrix_rotates_as_its_quaternion(seed: int) -> None:
    """R x = q (0, x) q* / |q|², to the rounding of some ten operations on numbers of size one."""
    rng = np.random.default_rng(seed)
    q, x = rng.normal(size=4) * 10.0 ** rng.uniform(-3, 3), rng.normal(size=3)
    turned = product(product(q, np.array([0.0, *x])), q * (1.0, -1.0, -1.0, -1.0))[1:] / (q @ q)
    assert np.abs(np.array(rotation_rows(q, q @ q)) @ x - turned).max() < 30 * EPS * np.linalg.norm(x)


def squared(q: Sequence[Any]) -> Any:
    w, x, y, z = q
    return w * w + x * x + y * y + z * z


def test_floats_arrays_expressions_and_poses_have_the_same_bits() -> None:
    """Quaternions have any length; a pose normalises them first."""
    many = np.random.default_rng(1).normal(size=(4, 50))
    of_arrays = np.array(rotation_rows(many, squared(many)))
    traced = Rotation.quaternion(Vector(leaf(k) for k in range(4))).R
    for k, q in enumerate(many.T):
        rows = rotation_rows(q.tolist(), squared(q.tolist()))
        assert of_arrays[:, :, k].tolist() == rows
        assert [[evaluate(e, dict(enumerate(q))) for e in row] for row in traced.rows] == rows
        assert rotation_matrix(q, "rotation").tolist() == rotation_rows(q / np.linalg.norm(q))
