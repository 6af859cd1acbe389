"""Spatial algebra against 4x4 matrices: twists, wrenches and inertias under changes of frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mbs_fmu.symbolic.expressions import as_expression
from mbs_fmu.symbolic.graph import evaluate
from mbs_fmu.symbolic.spatial import (
    Articulated,
    FrameChange,
    FrameTwist,
    FrameWrench,
    PlanarTurn,
    Rotation,
    Translation,
)
from mbs_fmu.symbolic.vectors import ORIGIN, UNIT, Matrix, Vector

Rng = np.random.Generator
TOLERANCE = 1e-13  # hundreds of operations on numbers of size one to ten

pytestmark = pytest.mark.quick


def vector(rng: Rng) -> Vector:
    return Vector(as_expression(float(x)) for x in rng.normal(size=3))


def matrix(numbers: np.ndarray) -> Matrix:
    return Matrix([[as_expression(float(x)) for x in row] for row in numbers])


def twist(rng: Rng) -> FrameTwist:
    return FrameTwist(vector(rng), vector(rng), vector(rng))


def wrench(rng: Rng) -> FrameWrench:
    return FrameWrench(vector(rng), vector(rng))


def branch(rng: Rng) -> Articulated:
    """Return a branch with symmetric M and J and no other property."""
    M, J = (x + x.T for x in rng.normal(size=(2, 3, 3)))
    mass = as_expression(float(rng.normal()))
    return Articulated(
        matrix(M), matrix(rng.normal(size=(3, 3))), matrix(J), vector(rng), vector(rng), vector(rng), mass
    )


def turn(axis: int) -> Callable[[Rng], PlanarTurn]:
    def made(rng: Rng) -> PlanarTurn:
        angle = rng.uniform(-3.0, 3.0)
        return PlanarTurn(axis, as_expression(float(np.sin(angle))), as_expression(float(np.cos(angle))))

    return made


CHANGES: dict[str, Callable[[Rng], FrameChange]] = {
    **{f"turn about {name}": turn(axis) for axis, name in enumerate("xyz")},
    "rotation": lambda rng: Rotation.quaternion(Vector(as_expression(float(x)) for x in rng.normal(size=4))),
    "translation": lambda rng: Translation(vector(rng)),
}
each_change = pytest.mark.parametrize("change", [pytest.param(make, id=name) for name, make in CHANGES.items()])


def numbers(expressions: Any) -> np.ndarray:
    return np.array([evaluate(x, {}) for x in expressions])


def close(a: Any, b: Any) -> bool:
    return bool(np.abs(np.asarray(a) - np.asarray(b)).max() < TOLERANCE)


def hat(twist: FrameTwist) -> np.ndarray:
    """Return the twist as a 4x4 matrix."""
    (x, y, z), v = numbers(twist.w), numbers(twist.v)
    return np.array([[0.0, -z, y, v[0]], [z, 0.0, -x, v[1]], [-y, x, 0.0, v[2]], [0.0, 0.0, 0.0, 0.0]])


def frame(change: FrameChange) -> np.ndarray:
    """Return the 4x4 matrix from child to parent coordinates."""
    R, x = change.pose(UNIT, ORIGIN)
    return np.block([[np.array([numbers(row) for row in R.rows]), numbers(x)[:, None]], [np.zeros(3), np.ones(1)]])


@each_change
def test_twists_transform_as_matrices(change: Callable[[Rng], FrameChange]) -> None:
    """V in the child is T⁻¹ V T; inward is the inverse; gravity is only rotated."""
    rng = np.random.default_rng(1)
    step, V = change(rng), twist(rng)
    T = frame(step)
    assert close(T[:3, :3].T @ T[:3, :3], np.eye(3)) and np.linalg.det(T) > 0.0
    outside = step.outward(V)
    assert close(hat(outside), np.linalg.inv(T) @ hat(V) @ T)
    assert close(numbers(outside.g), T[:3, :3].T @ numbers(V.g))
    assert close(hat(step.inward_twist(outside)), hat(V))


@each_change
def test_wrenches_and_inertias_transform_with_equal_power(change: Callable[[Rng], FrameChange]) -> None:
    """Power, momentum, bias and weight are those of the child, for any twist."""
    rng = np.random.default_rng(2)
    step, V, W, body = change(rng), twist(rng), wrench(rng), branch(rng)
    outside, moved = step.outward(V), step.inward(body)
    assert close(evaluate(V.power(step.inward_wrench(W)), {}), evaluate(outside.power(W), {}))
    for theirs, ours in (
        (body @ outside, moved @ V),
        (body.bias, moved.bias),
        (body.momentum(outside), moved.momentum(V)),
        (body.gravity(outside.g), moved.gravity(V.g)),
    ):
        assert close(numbers(step.inward_wrench(theirs).entries), numbers(ours.entries))
    for block in (moved.M, moved.J):
        rows = np.array([numbers(row) for row in block.rows])
        assert close(rows, rows.T)


def test_products_of_twists_are_commutators() -> None:
    """[A B] = A B - B A; Omega has the property B . (Omega mu) = -(A x B) . mu."""
    rng = np.random.default_rng(3)
    A, B, mu = twist(rng), twist(rng), wrench(rng)
    assert close(hat(A.cross(B)), hat(A) @ hat(B) - hat(B) @ hat(A))
    assert close(evaluate(B.power(A.omega(mu)), {}), -evaluate(A.cross(B).power(mu), {}))


def test_twists_and_wrenches_form_a_vector_space() -> None:
    """Sums, differences and multiples are those of the entries."""
    rng = np.random.default_rng(4)
    factor = as_expression(0.7)
    for make in (twist, wrench):
        a, b = make(rng), make(rng)
        x, y = numbers(a.entries), numbers(b.entries)
        for ours, exact in ((a + b, x + y), (a - b, x - y), (a * factor, 0.7 * x)):
            assert close(numbers(ours.entries), exact)
