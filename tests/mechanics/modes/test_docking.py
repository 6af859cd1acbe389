"""Closures that engage at displaced places: two free bodies that dock conserve all momenta, for
every kind of closure.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.free_bodies import quaternion
from support.generators.loops import APART, LOOP_JOINTS, loop_joint
from support.generators.mechanisms import random_rotation

pytestmark = pytest.mark.usefixtures("plain_by_default")


def docking_pair(kind: str) -> Model:
    """Return two free bodies; the closure between them from 20 to 60 ms engages at arbitrary places and rotations."""
    rng = np.random.default_rng(crc32(kind.encode()))
    m = Model("docking", gravity=(0, 0, 0))
    for name in "ab":
        R, (x, y, z) = random_rotation(rng), rng.uniform(0.1, 1.0, size=3)
        inertia = R @ np.diag([y + z, z + x, x + y]) @ R.T
        m.body(name, joint=mbs.Free(), mass=rng.uniform(1, 3), com=0.1 * rng.normal(size=3), inertia=inertia)
    R, x = random_rotation(rng), rng.normal(size=3)
    m.start("a", u=rng.normal(size=6))
    m.start("b", q=(*x, *quaternion(R)), u=rng.normal(size=6))
    at = 0.3 * rng.normal(size=3)
    gap = x + R @ at
    if kind in APART:  # at a place where it holds, then displaced and tilted
        at_b = mbs.Pose(at + 0.05 * rng.normal(size=3), R.T @ mbs.rpy(*(0.1 * rng.normal(size=3))))
        pair, at_a = APART[kind](rng, gap, 0.0 * mbs.time), np.zeros(3)
    else:
        pair, at_a, at_b = loop_joint(rng, kind), rng.normal(size=3), mbs.Pose(at, random_rotation(rng))
    m.close("dock", "a", "b", pair, at_a=at_a, at_b=at_b, when=mbs.time >= 0.02, until=mbs.time >= 0.06)
    m.output("momentum", mbs.momentum())
    m.output("spin", mbs.angular_momentum())
    return m


@pytest.mark.parametrize("kind", tiers(LOOP_JOINTS, usual=1))
def test_docking_conserves_momentum_and_angular_momentum(kind: str) -> None:
    """While the closure engages, holds and releases, all six numbers are conserved about any point, without gravity."""
    result = mbs.simulate(docking_pair(kind), 0.08, method="rk4", step=0.00125)
    assert list(result.switches["after"]) == [0.0, -1.0]
    about = result["spin"] - np.cross([7.0, -3.0, 5.0], result["momentum"])
    # rk4 errs by the fourth power of the step: by some 1e-9 with 5 ms, 1e-11 with 1.25 ms; all else is rounding
    assert np.ptp(result["momentum"], axis=0).max() < 1e-10 and np.ptp(about, axis=0).max() < 1e-10


def turned_by(R: np.ndarray, pair: mbs.Joint) -> Model:
    """Return a pair whose places, at rest, are 0.1 m apart and turned by R; the closure engages at
    20 ms under a load.
    """
    m = Model("turned", gravity=(0, 0, 0))
    for name, push in (("a", (1.0, 2.0, 3.0)), ("b", (-2.0, 1.0, 0.5))):
        m.body(name, joint=mbs.Free(), mass=2.0, com=(0.1, 0, 0.05), inertia=(0.3, 0.4, 0.5))
        m.force(
            f"push_{name}", on=name, at=(0.1, 0.2, 0.3), force=[mbs.where(mbs.time > 0.02, 50.0 * x, 0.0) for x in push]
        )
    m.start("b", q=(0.5, 0.1, 0.3, *quaternion(R)))
    m.close("dock", "a", "b", pair, at_a=(0.5, 0.1, 0.2), when=mbs.time >= 0.02)
    for name in "ab":
        m.output(name, mbs.position(name))
        for k, axis in enumerate("xyz"):
            m.output(f"{name}{axis}", mbs.position(name, np.eye(3)[k]) - mbs.position(name))
    return m


QUARTER = {axis: np.round(mbs.axis_angle(axis, np.pi / 2)) for axis in "xyz"}
TURNED = {
    f"{kind} about {axis}": (kind, R) for axis, R in QUARTER.items() for kind in ("weld", "revolute", "universal")
}
HINGES = {"weld": mbs.Weld(), "revolute": mbs.Revolute("y"), "universal": mbs.Universal("xy")}


@pytest.mark.parametrize("case", tiers(TURNED, usual=1))
def test_a_closure_that_engages_a_quarter_turn_away_holds_there(case: tuple[str, np.ndarray]) -> None:
    """The place on a is displaced and turned by the least that makes both places coincide, also where direction cosines
    have no slope.

    The point of b stays in a; so do all axes of b in a weld, and the hinge's axis in a hinge; the axes of a universal
    joint stay normal.
    """
    kind, R = case
    result = mbs.simulate(turned_by(R, HINGES[kind]), 0.1, method="rk4", step=0.005)
    held = result.time > 0.021
    A, B = (np.stack([result[name + axis][held] for axis in "xyz"], axis=2) for name in "ab")
    in_a = np.einsum("tki,tkj->tij", A, B)
    away = np.einsum("tki,tk->ti", A, (result["b"] - result["a"])[held])
    turned = np.abs(in_a - R).max(axis=(0, 1))  # displacement of b's axes in a
    # residuals are projected below a hundredth of the tolerance, 1e-8, and rk4 leaves 1e-12 of this motion
    assert_close(away, away[0], 1e-10, "distance")
    assert (turned < 1e-10).tolist() == [kind == "weld", kind in ("weld", "revolute"), kind == "weld"]
    assert turned[2] > 1e-3 or kind == "weld"
    if kind == "universal":  # b's axis moves on a great circle about the axis in a
        assert np.linalg.svd(in_a[:, :, 1], compute_uv=False)[2] < 1e-10


@pytest.mark.parametrize("seed", tiers(range(4), usual=1))
def test_shafts_that_engage_turned_against_each_other_keep_their_twist(seed: int) -> None:
    """The axes on a are turned by the least rotation after which those of b are not twisted about its shaft, x.

    On the unit sphere of quaternions (w, x, y, z) of b in a, the nearest one with x = 0 is (w, 0, y, z), normalised.
    """
    R = Rotation.random(random_state=seed)
    result = mbs.simulate(turned_by(R.as_matrix(), mbs.ConstantVelocity("x")), 0.1, method="rk4", step=0.005)
    held = result.time > 0.021
    A, B = (np.stack([result[name + axis][held] for axis in "xyz"], axis=2) for name in "ab")
    nearest = Rotation.from_quat(R.as_quat() * (0.0, 1.0, 1.0, 1.0))
    turned = A @ (R * nearest.inv()).as_matrix()
    in_a = np.einsum("tki,tkj->tij", turned, B)
    # 1 + cos b times the sine of the twist, which is projected below 1e-10 (b: angle of the shafts)
    assert_close(in_a[:, 2, 1], in_a[:, 1, 2], 2.1e-10, "twist about the shaft")
    assert np.abs(in_a[-1] - in_a[0]).max() > 1e-3
