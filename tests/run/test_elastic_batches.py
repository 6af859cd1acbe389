"""Batches of elastic models: members have the bits of their own runs, kernels on lanes those of single records."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.loader import entry, load_kernels
from mbs_fmu.compile.build import compile_model
from mbs_fmu.integrate.lanes.module import lanes_module
from mbs_fmu.run.runtime import Runtime
from support.models.elastic_models import boom, slider_crank
from support.models.fmu_models import FINE

N = 5
OPTIONS = {"method": "rk4", "step": FINE, "output_interval": 16 * FINE}
MODELS = {"boom": (boom, "arm"), "slider_crank": (slider_crank, "rod")}


@pytest.mark.parametrize("name", ["boom", pytest.param("slider_crank", marks=pytest.mark.slow)])
def test_members_are_runs_of_their_own(name: str) -> None:
    """With stiffness, damping, start values of modes and inputs varied, in a tree and in a loop."""
    make, body = MODELS[name]
    rng = np.random.default_rng(1)
    batch = mbs.Batch(
        parameters={"stiffness": rng.uniform(0.7, 1.3, N), "damping": rng.uniform(0.0, 0.1, N)},
        start={f"{body}.xi[1]": 0.003 * rng.normal(size=N), f"{body}.xi_dot[1]": 0.1 * rng.normal(size=N)},
        inputs={"torque": rng.normal(size=N)},
    )
    many = mbs.simulate(make(), 0.25, batch=batch, **OPTIONS)
    assert not many.faults
    for k in range(N):
        own = {
            kind: {key: x[k] for key, x in getattr(batch, kind).items()} for kind in ("parameters", "start", "inputs")
        }
        one = mbs.simulate(make(), 0.25, **own, **OPTIONS)
        assert np.array_equal(one.data, many[k].data), k
    tips = many[f"{body}.xi[1]"][:, -1]
    assert np.min(np.diff(np.sort(tips))) > 1e-6


@pytest.mark.slow
def test_lanes_have_the_bits_of_single_records() -> None:
    """Every number of the record, for four members at once."""
    runtime = Runtime(compile_model(boom()))
    program, rng = runtime.program, np.random.default_rng(2)
    records = np.array([program.new_record() for _ in range(4)])
    for kind, spread in (("coordinate", 0.01), ("rate", 0.3), ("input", 1.0), ("parameter", 0.01)):
        slots = [v.slot for v in program.of_role(kind)]
        records[:, slots] += spread * rng.normal(size=(4, len(slots)))
    for record in records:
        runtime.begin(record, 1e-6, 1e-8)
    R = np.ascontiguousarray(records.T)
    wide = load_kernels(lanes_module(program.module, 4, program.angles))
    for name in ("momenta", "derive", "outputs"):
        entry(getattr(wide, name))(R)
        for record in records:
            entry(getattr(runtime.kernels, name))(record)
        assert np.array_equal(R.T.view(np.int64), records.view(np.int64)), name
