"""FMUs of models with prescribed motion, screws, custom joints and angles, of both kinds, against `simulate`."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close
from support.hosts.fmus import Builder, Host, description
from support.models.fmu_models import METHODS, MODELS

pytestmark = pytest.mark.usefixtures("plain_by_default")

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
KINDS = ["python", pytest.param("native", marks=[native, pytest.mark.slow])]
TICK = 1 / 128  #: a communication step whose multiples are exact
INPUTS = {"a": -0.3}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_fmpy_finds_no_problems(fmu: Builder, kind: str) -> None:
    """Prescribed coordinates are local and calculated; the integrals of measured drive forces are states."""
    for version in ("2.0", "3.0") if kind == "native" else ("2.0",):
        assert validate_fmu(str(fmu("driven", kind=kind, fmi=version))) == []


@pytest.mark.slow
def test_prescribed_variables_are_calculated(fmu: Builder) -> None:
    """Prescribed coordinates are local and calculated; the start value of a free coordinate is exact."""
    variables = {v.get("name", ""): v for v in description(fmu("driven")).iter("ScalarVariable")}
    for name, initial in {"crank.phi": "calculated", "base.q[1]": "calculated", "nut.phi": "exact"}.items():
        assert variables[name].get("initial") == initial
    assert variables["crank.phi"].get("causality") == "local"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", tiers(["rk4", "dopri5_fixed"], usual=1))
def test_fixed_steps_give_the_numbers_of_simulate(fmu: Builder, method: str, kind: str) -> None:
    """With the same fixed step and exact communication points every column is equal, bit for bit."""
    result = mbs.simulate(MODELS["driven"](), 60 * TICK, inputs=INPUTS, output_interval=TICK, **METHODS[method])
    with Host(fmu("driven", method, kind)) as host:
        host.start(INPUTS)
        names = list(host.references)
        rows = np.vstack([host.all(), host.run(60, TICK)])
        for name in result.columns[1:]:
            assert np.array_equal(rows[:, names.index(name)], result[name]), name


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_adaptive_steps(fmu: Builder, kind: str) -> None:
    """With error control at 1e-7 results are within 1e-5 of `simulate` at 1e-10, except means, which depend on the
    steps.
    """
    result = mbs.simulate(MODELS["driven"](), 1.0, inputs=INPUTS, output_interval=0.05, rtol=1e-10, atol=1e-12)
    with Host(fmu("driven", "dopri5", kind)) as host:
        rows = host.start(INPUTS).run(20, 0.05)
        names = list(host.references)
        for name in (n for n in result.columns[1:] if n not in ("push", "mean_torque")):
            scale = max(1.0, float(np.max(np.abs(result[name]))))
            assert np.max(np.abs(rows[:, names.index(name)] - result[name][1:])) <= 1e-5 * scale, name


@pytest.mark.parametrize("kind", KINDS)
def test_held_inputs_act_at_communication_points(fmu: Builder, kind: str) -> None:
    """A base whose velocity jumps from step to step needs a force: the mean is the impulse of the jump over the step,
    which is the force to first order in the step.
    """
    with Host(fmu("pushed", "rk4", kind)) as host:
        host.start({"x": 0.0, "v": 0.2})
        forces = []
        for k in range(50):
            t = 0.01 * k
            host.set({"x": 0.1 * np.sin(2 * t), "v": 0.2 * np.cos(2 * t)})
            host.step()
            forces.append(host.get("push")[0] + 4.0 * np.sin(2 * t))
    assert_close(forces, 0.0, 0.1, "mean force of the drive less that of the base", times=0.01 * np.arange(1, 51))


@native
@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_model_exchange(fmu: Builder, version: str) -> None:
    """fmpy's CVode gives coordinates and outputs within 1e-5 of `simulate`; the mean torque over its steps is near the
    torque.
    """
    path = fmu("driven", kind="native", fmi=version)
    tight = mbs.simulate(MODELS["driven"](), 1.0, inputs=INPUTS, output_interval=0.1, rtol=1e-11, atol=1e-13)
    columns = ["crank.phi", "nut.phi", "bead.s", "torque", "mean_torque"]
    run = simulate_fmu(
        str(path), fmi_type="ModelExchange", stop_time=1.0, output_interval=0.1, relative_tolerance=1e-10,
        start_values=INPUTS, output=columns,
    )  # fmt: skip
    for name in columns[:-1]:
        bound = 1e-5 * max(1.0, float(np.max(np.abs(tight[name]))))
        assert_close(run[name], tight[name], bound, name, times=tight.time)
    change = np.max(np.abs(np.diff(run["torque"])))  # over an output interval, which is at most a step long
    assert_close(run["mean_torque"][1:], run["torque"][1:], change, "mean torque", times=tight.time[1:])


@native
@pytest.mark.slow
def test_locked_angles_fail_in_model_exchange(fmu: Builder) -> None:
    """A gimbal lock at the end of the importer's step is an error with the message of `simulate`."""
    with pytest.raises(FMICallException):
        simulate_fmu(
            str(fmu("overturned", kind="native")), fmi_type="ModelExchange", stop_time=2.0, relative_tolerance=1e-8,
        )  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_locked_angles_fail_a_step(fmu: Builder, kind: str) -> None:
    """A communication step that meets the lock is discarded, with a message that names the remedy."""
    with Host(fmu("overturned", "rk4", kind)) as host:
        host.start({})
        with pytest.raises(FMICallException):
            host.run(200)
        assert "lock" in host.messages and "Spherical" in host.messages
