"""A multistep method continues its history only from the values at which it ended, in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.record.blocks import HeadNumbers, History
from mbs_fmu.record.codes import Status
from mbs_fmu.run.simulate import compiled

pytestmark = pytest.mark.quick
STEP = 0.01
INPUTS = np.zeros(100)


def oscillator() -> mbs.Model:
    """A driven oscillator whose rates depend on time, states, an input and a parameter."""
    m = mbs.Model("oscillator", gravity=(0, 0, 0))
    body = m.body("body", joint=mbs.Prismatic("x"), mass=1.0)
    m.motor("motor", on=body, force=m.input("push", start=0.3) + mbs.sin(3.0 * mbs.time))
    m.spring("spring", on=body, stiffness=m.parameter("c", 4.0), damping=0.1)
    m.start(body, q=0.2)
    return m


@pytest.mark.parametrize("changed", ["nothing", "time", "q", "p", "inputs", "parameters"])
def test_a_history_is_continued_from_its_end_only(changed: str) -> None:
    """A call after a change of time, state, input or parameter has the bits of one without a history; without a change
    it has others.
    """
    program = compiled(oscillator(), method="abm6", alone=True).program
    kernels, R = load_plain(program.module), program.new_record()
    assert kernels.initialise(R) == Status.ok
    assert kernels.abm6_fixed(R, INPUTS, 20 * STEP, STEP, 0) == Status.ok
    if changed == "time":
        R[HeadNumbers.time] += 5 * STEP
    elif changed != "nothing":
        R[program.region(changed).start] += 0.01
    R[HeadNumbers.fresh] = 0.0  # stale
    forgetful = R.copy()
    forgetful[program.region("history").start + History.count] = 0.0
    stop = R[HeadNumbers.time] + 5 * STEP
    for record in (R, forgetful):
        assert kernels.abm6_fixed(record, INPUTS, stop, STEP, 0) == Status.ok
    equal = [np.array_equal(R[program.region(name)], forgetful[program.region(name)]) for name in ("q", "p")]
    assert all(equal) == (changed != "nothing")
