"""Steps that are implicit in the modes of elastic bodies, and are repeated up to the end of a constraint mode."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.elastic_mechanisms import random_modes

pytestmark = [pytest.mark.usefixtures("in_plain_python")]

KINDS = ("friction", "freewheel", "sampled friction")


def beside(kind: str, seed: int) -> mbs.Model:
    """An elastic arm, and a shaft whose constraint modes change a few times in 0.3 s."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    m = mbs.Model("beside", gravity=(0, 0, -9.81))
    arm = m.body("arm", joint=mbs.Revolute("y"), elastic=random_modes(rng, 2), root="root")
    m.spring("holds", on=arm, stiffness=20.0, damping=0.5)
    shaft = m.body("shaft", joint=mbs.Revolute("z"), mass=1.0, inertia=(0.1,) * 3)
    push = rng.uniform(4, 8) * mbs.sin(rng.uniform(8, 14) * mbs.time)
    if kind == "sampled friction":
        push = m.sampled("held", 0.03, push)
    m.motor("push", on=shaft, torque=push)
    if kind == "freewheel":
        m.freewheel("wheel", shaft)
    else:
        m.friction("rub", on=shaft, torque=2.0, static=3.0, stick=True)
    return m


CASES = [f"{kind} {seed}" for seed in range(4) for kind in KINDS]


@pytest.mark.parametrize("case", tiers(CASES, 0))
def test_steps_up_to_mode_ends_are_those_of_other_methods(case: str) -> None:
    """Ends of modes and all states agree with an explicit method, to 100 tolerances, because errors of steps add up."""
    kind, _, seed = case.rpartition(" ")
    runs = [
        mbs.simulate(beside(kind, int(seed)), 0.3, method=method, rtol=1e-5, output_interval=0.1)
        for method in ("ros34pw2", "dopri5")
    ]
    implicit, explicit = runs
    assert len(implicit.switches) == len(explicit.switches) > 0
    for one, two in zip(implicit.switches, explicit.switches, strict=True):
        assert (one["name"], one["after"]) == (two["name"], two["after"])
        assert abs(one["time"] - two["time"]) < 1e-3
    for name in explicit.columns:
        if name.partition(".")[2][:1] in "qusv" or ".xi" in name:
            assert_close(implicit[name], explicit[name], 1e-3 * (1 + np.abs(explicit[name]).max()), name)
