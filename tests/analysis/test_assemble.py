"""Assembled starts, mass matrices, inverse kinematics."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from models.four_bar import four_bar
from support.comparisons import assert_close
from support.generators.mechanisms import random_rotation, random_tree
from support.oracles.dense import Dense

pytestmark = pytest.mark.usefixtures("in_plain_python")


@pytest.mark.parametrize("seed", range(3))
def test_the_mass_matrix_equals_the_dense_one(seed: int) -> None:
    """The names of its rows are those of the dense reference too."""
    m = random_tree(np.random.default_rng(seed), 5)
    dense = Dense(m)
    M, names = mbs.mass_matrix(m)
    order = [dense.rates.index(name) for name in names]
    assert np.allclose(M, dense.mass_matrix(dense.q0)[np.ix_(order, order)], rtol=0, atol=1e-13 * np.abs(M).max()), (
        "mass matrix"
    )


def test_assembled_starts_close_loops_and_keep_held_values() -> None:
    """The free coordinates close the loop, and held ones stay."""
    m = four_bar()
    start = mbs.assemble(m, {"crank.phi": 1.0, "crank.w": 2.0})
    assert start["crank.phi"] == 1.0 and start["crank.w"] == pytest.approx(2.0, rel=1e-15)
    dense = Dense(m)
    q, u = dense.read(start)
    assert_close(dense.residual(q), 0.0, 1e-14, "residual after assembly")
    assert_close(dense.jacobian(q) @ u, 0.0, 1e-13, "row rate after assembly")


def arm(joints: int = 6) -> Model:
    m = Model("arm")
    parent: str | mbs.Body = "world"
    for k in range(joints):
        parent = m.body(
            f"b{k}", parent, mbs.Revolute("zyyxyx"[k]), mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.3, 0.1 * (k % 2), 0.2)
        )
    return m


def test_inverse_kinematics_recovers_a_reachable_pose() -> None:
    """For a pose that some coordinates reach, it returns coordinates that reach it, and from a guess the same ones."""
    m, rng = arm(), np.random.default_rng(2)
    dense, tip = Dense(m), np.array([0.1, 0.0, 0.05])
    q = 0.5 * rng.normal(size=6)
    R, x = dense.poses(q)["b5"]
    guess = dict(zip(dense.coordinates, q + 0.2 * rng.normal(size=6), strict=True))
    solution = mbs.inverse_kinematics(m, "b5", x + R @ tip, R, point=tip, start=guess)
    assert_close([solution[name] for name in dense.coordinates], q, 1e-12, "coordinate", dense.coordinates)
    there = mbs.inverse_kinematics(m, m.bodies["b5"], x, start=guess)
    found = dense.poses(np.array([there[name] for name in dense.coordinates]))["b5"][1]
    assert_close(found, x, 1e-13, "position of body 'b5'", "xyz")
    turned = mbs.inverse_kinematics(m, "b5", rotation=R)
    found = dense.poses(np.array([turned[name] for name in dense.coordinates]))["b5"][0]
    assert_close(found, R, 1e-13, "attitude of body 'b5'")


@pytest.mark.parametrize("seed", range(2))
def test_inverse_kinematics_reaches_turns_of_almost_half_a_revolution(seed: int) -> None:
    """A body on a ball joint reaches every attitude."""
    m = Model("ball")
    m.body("b", joint=mbs.Spherical(), mass=1.0, inertia=(1, 1, 1))
    R = random_rotation(np.random.default_rng(seed))
    solution = mbs.inverse_kinematics(m, "b", rotation=R)
    dense = Dense(m)
    found = dense.poses(np.array([solution[name] for name in dense.coordinates]))["b"][0]
    assert_close(found, R, 1e-13, "attitude of body 'b'")


def test_inverse_kinematics_keeps_deformations() -> None:
    """It turns joints and deforms no body, also for bodies with deformed starts."""
    m = Model("elastic")
    beam = mbs.beam(1.0, mbs.Rectangle(0.02, 0.01), 7e10, 2700.0, modes=4, along="z")
    upper = m.body("upper", joint=mbs.Revolute("y"), elastic=beam)
    lower = m.body("lower", upper.node("tip"), mbs.Revolute("y"), elastic=beam)
    m.output("x", mbs.position(lower.node("tip")))
    start = {"upper.phi": 0.3, "lower.phi": 0.8, "lower.xi[2]": 0.01}
    solution = mbs.inverse_kinematics(m, lower.node("tip"), (1.2, 0.0, -1.1), start=start)
    bent = {name: x for name, x in solution.items() if not name.endswith(".phi")}
    assert bent.pop("lower.xi[2]") == 0.01
    assert set(bent.values()) == {0.0}
    there = mbs.simulate(m, 1e-3, start=solution)
    found = [there[f"x[{k}]"][0] for k in (1, 2, 3)]
    assert_close(found, (1.2, 0.0, -1.1), 1e-12, "position of the tip of body 'lower'", "xyz")


def test_unreachable_poses_are_reported() -> None:
    with pytest.raises(mbs.ModelError, match="body 'b5' does not reach that pose from that start: give coord"):
        mbs.inverse_kinematics(arm(), "b5", (9.0, 0, 0))
    with pytest.raises(mbs.ModelError, match="unknown body 'hand'; bodies of model 'arm': b0, b1"):
        mbs.inverse_kinematics(arm(2), "hand", (0, 0, 0))
    with pytest.raises(mbs.ModelError, match="needs a position, a rotation, or both"):
        mbs.inverse_kinematics(arm(2), "b1")
