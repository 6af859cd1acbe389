"""Runs of linkages with several frictions that depend on each other, and of brakes on one shaft at their limit."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.linkages_with_friction import Linkage

METHODS = {"rk4": {"method": "rk4", "step": 1 / 512}, "dopri5": {"method": "dopri5", "rtol": 1e-8}}
FORMER = ((6, 0), (16, 1), (5, 3), (4, 1), (18, 2))  #: linkages and cases whose runs once ended without modes
RUNS = {
    f"{seed}, {case}": (seed, case)
    for seed, case in dict.fromkeys((*FORMER, *((seed, case) for seed in range(25) for case in range(4))))
}


@pytest.mark.parametrize("how", METHODS)
@pytest.mark.parametrize("run", tiers(RUNS, usual=1))
def test_linkages_with_frictions_reach_the_end_of_their_runs(run: tuple[int, int], how: str) -> None:
    """Loops stay closed, and energy leaves by friction only, never to return."""
    seed, case = run
    linkage = Linkage(seed)
    numbers = linkage.draw(case)
    result = mbs.simulate(linkage.model, 4.0, parameters=numbers, output_interval=0.02, **METHODS[how])  # type: ignore[arg-type]
    assert len(result.switches) < 200
    assert result["gap"].max() < 1e-9
    # while joints slip, frictions heat by more than the methods' errors; at rest there is rounding of 1e3 J of work
    assert np.diff(result["heat"]).min() > -1e-7


@pytest.mark.parametrize("how", METHODS)
@pytest.mark.parametrize("capacities", tiers([(1, 1, 1), (2, 2), (2, 3)], usual=1), ids=str)
def test_brakes_hold_a_torque_that_reaches_the_sum_of_their_capacities(capacities: tuple[int, ...], how: str) -> None:
    """The torque swings between the two limits, touches them, and the shaft stays at rest."""
    m = mbs.Model("brakes", gravity=(0, 0, 0))
    shaft = m.body("shaft", joint=mbs.Revolute("x"), mass=1.0, inertia=(1, 1, 1))
    m.motor("load", on=shaft, torque=sum(capacities) * mbs.sin(3.0 * mbs.time))
    for k, capacity in enumerate(capacities):
        m.friction(f"brake{k}", on=shaft, torque=float(capacity), stick=True)
    result = mbs.simulate(m, 5.0, **METHODS[how])  # type: ignore[arg-type]
    assert_close(result["shaft.w"], 0.0, 1e-9, "shaft.w", times=result.time)
    assert len(result.switches) < 100
