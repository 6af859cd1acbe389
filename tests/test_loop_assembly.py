"""Where closed loops start: what is held stays, the rest follows; what can't be is told, and with its name."""

from __future__ import annotations

import numpy as np
import pytest
from linkages import KINDS, bricard, quadrilateral, rod

import mbs_fmu as mbs
from mbs_fmu.errors import ModelError
from mbs_fmu.model.model import Model
from mbs_fmu.results import Result
from mbs_fmu.simulate import compiled

MOVED = "all start values together left the loops a little open: they were moved as little as will close them"
SPED = "all start velocities together left the loops a little open: they were moved as little as will close them"


def started(model: Model) -> Result:
    return mbs.simulate(model, 1e-3, method="rk4", step=1e-3, output_interval=1e-3)


def four_bar() -> Model:
    return quadrilateral(1, 2, 1.5, 2, 2.0, 1.0)


def two_arms() -> Model:
    m = Model("two_arms")
    for name in "ab":
        m.body(name, "world", mbs.Revolute("y"), **rod(1.0, 1.0))
    return m


PERTURBED = {"bricard": bricard, **{k: KINDS[k] for k in ("four_bar", "stewart", "RSCR", "driven")}}


@pytest.mark.parametrize("kind", PERTURBED)
def test_assembly_from_perturbed_positions(kind: str) -> None:
    """From 0.1 rad (and m) away it closes always, and what is held stays to the last bit."""
    runtime = compiled(PERTURBED[kind]())
    program = runtime.program
    closed = program.new_record()
    runtime.initialize(closed, 1e-8, 1e-10)
    q, u = program.region("q"), program.region("u")
    given = program.new_record()
    model_free = given[program.region("free")] == 1.0
    rng = np.random.default_rng(1)
    slots = [v.slot for v in program.of_kind("coordinate")]
    held = [v.slot for v in program.of_kind("coordinate", "rate") if given[v.slot] == closed[v.slot]]
    for _ in range(30):
        R = given.copy()
        R[slots] = closed[slots]
        moving = [slot for slot in slots if slot not in held or not _is_held(slot, program, model_free)]
        R[moving] += 0.1 * rng.normal(size=len(moving))
        before = R.copy()
        runtime.initialize(R, 1e-8, 1e-10)
        assert np.abs(R[program.region("residuals")]).max() < 1e-12
        fixed = [slot for slot in slots if slot not in moving]
        assert np.array_equal(R[fixed], before[fixed])
        assert np.all(np.isfinite(R[q])) and np.all(np.isfinite(R[u]))
