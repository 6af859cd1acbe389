"""Frictions that depend on each other or on a loop: a rocker in its dead centres, two brakes that share a load."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close
from support.models.linkages import rod

METHODS = ({"method": "rk4", "step": 1 / 256}, {"method": "dopri5", "rtol": 1e-8})


def rocking() -> mbs.Model:
    """Return a rotating crank and a rocker that rests in its dead centres; both have friction, and a motor swings the
    crank.

    The four bars have 1, 2, 2.5 and 1.5 m: they fold into a line when the crank lies along the ground.
    """
    m = mbs.Model("rocking", gravity=(0, 0, 0))
    hinge = mbs.Revolute("z")
    crank = m.body("crank", joint=hinge, **rod(1.0, 1.0))
    coupler = m.body("coupler", crank, hinge, at=(1.0, 0, 0), **rod(2.0, 2.0))
    rocker = m.body("rocker", joint=hinge, at=(1.5, 0, 0), **rod(2.5, 2.5))
    m.close("pin", coupler, rocker, hinge, at_a=(2.0, 0, 0), at_b=(2.5, 0, 0))
    m.start(crank, q=1.0)
    m.start(coupler, q=-0.2, guess=True)
    m.start(rocker, q=1.4, guess=True)
    swing = m.parameter("torque", 4.0) * mbs.sin(m.parameter("frequency", 3.0) * mbs.time)
    m.motor("drive", on=crank, torque=swing)
    m.friction("low", on=crank, torque=m.parameter("at_crank", 2.0), stick=True)
    m.friction("high", on=rocker, torque=m.parameter("at_rocker", 2.0), stick=True)
    m.output("kinetic", mbs.energy())
    return m


@pytest.mark.parametrize("case", tiers(range(20), usual=1))
def test_a_rocker_with_friction_passes_its_dead_centres(case: int) -> None:
    """Runs reach their end, and only the motor's power raises the energy, which falls without it."""
    rng = np.random.default_rng([272, case])
    numbers = {"torque": rng.uniform(0, 6) * (case % 2), "frequency": rng.uniform(1, 6)}
    numbers |= {"at_crank": rng.uniform(0.2, 4), "at_rocker": rng.uniform(0.2, 4)}
    start = {"crank.w": float(rng.uniform(2, 6) * rng.choice((-1, 1)))}
    way = METHODS[case % 4 // 2]
    result = mbs.simulate(rocking(), 2.0 if case < 2 else 5.0, parameters=numbers, start=start, **way)
    assert len(result.switches) < 100
    if case % 2 == 0:
        assert np.diff(result["kinetic"]).max() < 1e-4 * result["kinetic"][0]


def shared(way: dict[str, object]) -> mbs.Result:
    """Return two brakes of 2 and 3 N m on one shaft, with a torque that rises from 1 N m by 1 N m per second."""
    m = mbs.Model("shared", gravity=(0, 0, 0))
    shaft = m.body("shaft", joint=mbs.Revolute("x"), mass=1.0, inertia=(1, 1, 1))
    m.friction("one", on=shaft, torque=2.0, stick=True)
    m.friction("other", on=shaft, torque=3.0, stick=True)
    m.motor("drive", on=shaft, torque=1.0 + mbs.time)
    return mbs.simulate(m, 5.0, **way)


@pytest.mark.parametrize("way", METHODS, ids=lambda way: way["method"])
def test_two_brakes_hold_the_sum_of_their_capacities(way: dict[str, object]) -> None:
    """The shaft slips when the load reaches 5 N m, at 4 s, and then turns with (t - 4)²/2."""
    result = shared(way)
    assert result["shaft.w"][-1] == pytest.approx(0.5, abs=1e-6)
    assert_close(result["shaft.w"][result["time"] < 3.99], 0.0, 1e-6, "shaft.w")
    assert len(result.switches) <= 6
