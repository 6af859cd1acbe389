"""What takes hold where its places are apart: two free bodies that dock keep all momenta, whatever joins them."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest
from cases import tiers
from free_states import quaternion
from loops import APART, LOOP_JOINTS, loop_joint
from mechanisms import random_rotation

import mbs_fmu as mbs
from mbs_fmu.model.model import Model

pytestmark = pytest.mark.usefixtures("plain_by_default")


def apart(kind: str) -> Model:
    """Two bodies adrift; what joins them from 20 to 60 ms finds its places anywhere and turned somehow."""
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
    if kind in APART:  # where it holds, then further on and tilted
        at_b = mbs.Pose(at + 0.05 * rng.normal(size=3), R.T @ mbs.rpy(*(0.1 * rng.normal(size=3))))
        pair, at_a = APART[kind](rng, gap, 0.0 * mbs.time), np.zeros(3)
    else:
        pair, at_a, at_b = loop_joint(rng, kind), rng.normal(size=3), mbs.Pose(at, random_rotation(rng))
    m.close("dock", "a", "b", pair, at_a=at_a, at_b=at_b, when=mbs.time >= 0.02, until=mbs.time >= 0.06)
    m.output("momentum", mbs.momentum())
    m.output("spin", mbs.angular_momentum())
    return m


@pytest.mark.parametrize("kind", tiers(LOOP_JOINTS, usual=4))
def test_docking_keeps_momentum_and_angular_momentum(kind: str) -> None:
    """Over engaging, holding and letting go, about any point: without gravity nothing of six numbers is lost."""
    result = mbs.simulate(apart(kind), 0.08, method="rk4", step=0.005)
    assert list(result.switches["after"]) == [0.0, -1.0]
    about = result["spin"] - np.cross([7.0, -3.0, 5.0], result["momentum"])
    # rk4: (h w)^5 of some radians per second in sixteen steps, 1e-11; all else is rounding
    assert np.ptp(result["momentum"], axis=0).max() < 1e-10 and np.ptp(about, axis=0).max() < 1e-10
