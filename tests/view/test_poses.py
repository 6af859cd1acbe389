"""Poses of bodies in all rows of a result equal `mbs.pose`."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.geometry.poses import rotation_matrix
from mbs_fmu.view.poses import Frames, Rows, poses
from support.cases import Case, each, tiers
from support.comparisons import assert_close
from support.generators.elastic_mechanisms import bent_tree
from support.generators.mechanisms import JOINTS, add_drives, random_tree

pytestmark = pytest.mark.usefixtures("in_plain_python")


def check_poses(m: mbs.Model, **run: object) -> None:
    """Assert the poses of all bodies in a short run: the formulas are the same, only rounding differs."""
    for k, body in enumerate(list(m.bodies.values())):
        m.output(f"pose{k}", mbs.pose(body))
    result = mbs.simulate(m, 0.02, method="rk4", step=0.01, output_interval=0.01, **run)  # type: ignore[arg-type]
    values = {name: p.value for name, p in m.parameters.items()} | dict(run.get("parameters", {}))  # type: ignore[call-overload]
    rows = Rows(dict(zip(result.columns, result.data.T, strict=True)), values)
    frames = poses(m, rows)
    for k, name in enumerate(m.bodies):
        place = result[f"pose{k}.position"]
        bound = 1e-12 * (1.0 + np.abs(place).max())
        assert_close(frames[name].x, place, bound, f"position of body {name!r}", "xyz", result.time)
        there, computed = result[f"pose{k}.orientation"], np.roll(frames[name].quaternions, 1, axis=1)
        signs = np.sign((there * computed).sum(axis=1))[:, None]
        assert_close(computed * signs, there, 1e-12, f"quaternion of body {name!r}", "wxyz", result.time)


@pytest.mark.usual
@each((*JOINTS, "timed"), rounds=1, usual=2, quick=2)
def test_poses_of_trees(case: Case) -> None:
    """Random trees of all joints, including custom joints, some driven by time; places by a parameter."""
    rng = np.random.default_rng(case.seed)
    m = random_tree(rng, 4, "tree", must=case.joint)
    if any(body.joint.motions for body in m.bodies.values()):
        add_drives(m, rng)
    place = m.parameter("place", 0.3)
    at = mbs.Pose((place, 0, 2 * place), mbs.rpy(place, 0.2, -place))
    m.body("last", "b3", mbs.Screw((0, 0.6, 0.8), pitch=place), at=at, mass=1.0, inertia=(1, 1, 1))
    m.start("last", q=0.7, u=1.0)
    check_poses(m, parameters={"place": 0.4})


@pytest.mark.parametrize("seed", tiers(range(3), usual=1))
def test_poses_of_elastic_bodies(seed: int) -> None:
    """Elastic bodies, their nodes, and bodies attached to these."""
    check_poses(bent_tree(seed))


def test_long_chains() -> None:
    """Trees of any depth, also with children defined before their parents."""
    m = mbs.Model("chain")
    for k in reversed(range(1500)):
        m.body(f"b{k}", f"b{k - 1}" if k else "world", mbs.Revolute("y"), at=(0, 0, -1) if k else (0, 0, 0))
    columns = {"time": np.zeros(2)} | {f"b{k}.phi": np.zeros(2) for k in range(1500)}
    end = poses(m, Rows(columns, {}))["b1499"].x
    assert_close(end, [0, 0, -1499], 1e-9, "position of body 'b1499'", "xyz", columns["time"])


def test_quaternions() -> None:
    """Quaternions of all rotations, also by half a turn."""
    rng = np.random.default_rng(1)
    q = np.concatenate([rng.normal(size=(20, 4)), np.eye(4)])
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    R = np.array([rotation_matrix(row, "it") for row in q])
    actual = np.roll(Frames(np.zeros((24, 3)), R).quaternions, 1, axis=1)
    assert_close(np.abs((actual * q).sum(axis=1)), 1.0, 1e-15 * 8, "cosine of half the angle between the rotations")
