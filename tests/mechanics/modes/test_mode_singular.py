"""Contacts with nearly dependent rows: a linkage on the floor that folds until its two ends coincide."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers

pytestmark = pytest.mark.usefixtures("plain_by_default")

LENGTH = 0.6


def folding() -> mbs.Model:
    """Return a block on a floor with an arm and a rod of equal length; the rod's tip touches the floor and slides under
    the block.

    Folded upright, its height is that of the block for any joint rates: both contacts have one row.
    """
    m = mbs.Model("folding")
    block = m.body("block", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=2.0)
    m.contact("floor", "world", block, mbs.OnPlane("z"), restitution=0.5)
    m.friction("rub", on=block, coordinate=1, force=1.5, stick=True)
    arm = m.body("arm", block, mbs.Revolute("y"), mass=1.0, com=(0.3, 0, 0), inertia=(0.01, 0.01, 0.01))
    m.friction("joint", on=arm, torque=0.5, stick=True)
    rod = m.body("rod", arm, mbs.Revolute("y"), 1.0, (0.3, 0, 0), inertia=(0.01, 0.01, 0.01), at=(LENGTH, 0, 0))
    m.contact("tip", "world", rod, mbs.OnPlane("z"), at_b=(LENGTH, 0, 0), restitution=0.3)
    m.output("energy", mbs.energy())
    m.output("tip", mbs.position(rod, (LENGTH, 0, 0))[2])
    return m


@pytest.mark.parametrize("case", tiers(range(40), usual=1))
def test_a_linkage_folds_through_the_singular_position(case: int) -> None:
    """The run reaches its end without penetration or gain of energy, with steps short enough to follow the fold."""
    rng = np.random.default_rng([271, case])
    a = rng.uniform(-1.3, -0.4)  # arm upwards, rod down to the floor
    start = {"arm.phi": a, "rod.phi": -2.0 * a, "arm.w": rng.uniform(-6.0, -2.0), "block.u[1]": rng.uniform(-1.0, 1.0)}
    result = mbs.simulate(
        folding(), 0.5 if case == 0 else 6.0, start=start, method="rk4", step=1 / 1024, output_interval=1 / 64
    )
    for height in (
        result["block.q[2]"],
        result["tip"],
    ):  # the height of a tip that slides through a fold stays within 1e-10
        assert height.min() > -1e-8 * LENGTH
    # order four, at 20 rad/s and 20 J: (20 / 1024)^4 of it a radian, 20 rad in all
    assert np.diff(result["energy"]).max() < 6e-5
