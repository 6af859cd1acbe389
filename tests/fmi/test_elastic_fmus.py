"""FMUs of elastic models, a tree and a closed loop, of both kinds: numbers, states, names of vibration modes."""

from __future__ import annotations

import importlib.util
import zipfile
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.documentation import elastic_texts
from support.cases import tiers
from support.comparisons import assert_close
from support.hosts.fmus import Builder, Host, description
from support.models.elastic_models import plank
from support.models.fmu_models import METHODS, MODELS

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
KINDS = ["python", pytest.param("native", marks=[native, pytest.mark.slow])]
BODIES = {"boom": "arm", "slider_crank": "rod"}  #: the elastic models
ELASTIC_BLOCK = tiers(list(BODIES), usual=1)
TICK = 1 / 128  #: a communication step whose multiples are exact
INPUTS = {"torque": 1.5}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", ELASTIC_BLOCK)
def test_fixed_steps_give_the_bits_of_simulate(fmu: Builder, model: str, kind: str) -> None:
    """With the same fixed step and exact communication points every column is equal, bit for bit."""
    result = mbs.simulate(MODELS[model](), 60 * TICK, inputs=INPUTS, output_interval=TICK, **METHODS["fine"])
    with Host(fmu(model, "fine", kind)) as host:
        host.start(INPUTS)
        names = list(host.references)
        rows = np.vstack([host.all(), host.run(60, TICK)])
        for name in result.columns[1:]:
            assert np.array_equal(rows[:, names.index(name)], result[name]), name
        assert np.ptp(result[f"{BODIES[model]}.xi[1]"]) > 1e-3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", ELASTIC_BLOCK)
def test_a_restored_state_has_the_same_future(fmu: Builder, model: str, kind: str) -> None:
    """A state restored after more steps, or as bytes in an instance with another past, has the same future."""
    path = fmu(model, "fine", kind)
    with Host(path) as host, Host(path, beside=host, name="other") as other:
        host.start({**INPUTS, "stiffness": 1.2}).run(7, TICK)
        state = host.slave.getFMUstate()
        data, now = host.slave.serializeFMUstate(state), host.all()
        expected = host.run(10, TICK)
        host.restore(state)
        assert np.array_equal(host.all(), now)
        assert np.array_equal(host.run(10, TICK), expected)
        other.start({"torque": -2.0, "stiffness": 0.8, "damping": 0.3}).run(3, TICK)
        copy = other.slave.deSerializeFMUstate(data)
        other.restore(copy)
        assert np.array_equal(other.all(), now)
        assert np.array_equal(other.run(10, TICK), expected)
        for owner, saved in ((host, state), (other, copy)):
            owner.slave.freeFMUstate(saved)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", ELASTIC_BLOCK)
def test_tunable_parameters_act_in_flight(fmu: Builder, model: str, kind: str) -> None:
    """Modal stiffness and damping changed between steps act as in a `simulate` started there with them."""
    changed = {"stiffness": 0.6, "damping": 0.1}
    with Host(fmu(model, "fine", kind)) as host:
        variables = {v.name: v for v in host.description.modelVariables}
        assert {variables[name].variability for name in changed} == {"tunable"}
        host.start(INPUTS).run(8, TICK)
        plain = mbs.simulate(MODELS[model](), 16 * TICK, inputs=INPUTS, output_interval=TICK, **METHODS["fine"])
        columns = [name for name in plain.columns[1:] if name != "residual"]
        started = [v.name for v in host.description.modelVariables if v.start and v.causality == "local"]
        start = {name: host.get(name)[0] for name in columns if name in started}
        host.set(changed)
        actual = host.run(8, TICK)[-1]
    fresh = mbs.simulate(
        MODELS[model](), 8 * TICK, inputs=INPUTS, parameters=changed, start=start, output_interval=TICK,
        **METHODS["fine"],
    )  # fmt: skip
    names = list(host.references)
    for name in columns:
        scale = max(1.0, float(np.max(np.abs(fresh[name]))))
        assert abs(actual[names.index(name)] - fresh[name][-1]) <= 1e-8 * scale, name
    assert abs(fresh[f"{BODIES[model]}.xi[1]"][-1] - plain[f"{BODIES[model]}.xi[1]"][-1]) > 1e-4


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", ELASTIC_BLOCK)
def test_names_units_and_descriptions_of_modes(fmu: Builder, model: str, kind: str) -> None:
    """Modal coordinates are in metres and state mode and frequency, with rates and momenta; two states per mode."""
    path, body = fmu(model, "fine", kind), BODIES[model]
    assert validate_fmu(str(path)) == []
    root = description(path)
    units = {v.get("name"): (v.find("Real").get("unit"), v.get("description")) for v in root.iter("ScalarVariable")}  # type: ignore[union-attr]
    elastic = MODELS[model]().bodies[body].elastic
    assert elastic is not None
    for k, frequency in enumerate(elastic.modes.frequencies, start=1):
        text = f"mode {k} of {body}, {frequency:.4g} Hz"
        assert units[f"{body}.xi[{k}]"] == ("m", text)
        assert units[f"{body}.xi_dot[{k}]"] == ("m/s", text)
        assert units[f"{body}.p_xi[{k}]"][0] == "N.s"
        assert units[f"der({body}.xi[{k}])"][0] == "m/s" and units[f"der({body}.p_xi[{k}])"][0] == "N"
    rigid = 3  # degrees of freedom of the joints of either model
    assert sum(str(name).startswith("der(") for name in units) == 2 * (rigid + elastic.modes.count)


def test_the_page_describes_elastic_bodies(fmu: Builder) -> None:
    """The page states the number of states in model exchange, the meaning of modal coordinates, and the frame."""
    with zipfile.ZipFile(fmu("boom", "fine")) as archive:
        page = unescape(archive.read("documentation/index.html").decode())
    frequencies = "13.36, 26.76, 41.82, 119.3, 133.4 Hz"
    assert f"Elastic body arm: 5 vibration modes with the frequencies {frequencies} of the free body. arm.xi[k]" in page
    assert "arm.p_xi[k] these are 10 states in model exchange" in page
    assert "which its joint moves, lies in its node 'root'." in page
    floating = {"name": "a", "root": None, "frequencies": [2.0]}
    assert elastic_texts([floating])[0].endswith("which its joint moves, is its mean frame.")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_start_in_equilibrium(fmu: Builder, kind: str) -> None:
    """The static start follows from the inputs and parameters set, as in `simulate`, and rests; impossible ones are
    refused.
    """
    inputs, parameters = {"push": 5.0}, {"stiffness": 0.8, "weight": 3.0}
    result = mbs.simulate(
        plank(), 8 * TICK, inputs=inputs, parameters=parameters, output_interval=TICK, **METHODS["fine"]
    )
    path = fmu("plank", "fine", kind)
    with Host(path) as host:
        host.begin({**inputs, "stiffness": 2.0})
        stiff = host.get("sag")[0]
        host.set(parameters)
        assert host.get("sag")[0] > 2 * stiff > 0.0
        host.slave.exitInitializationMode()
        names = list(host.references)
        rows = np.vstack([host.all(), host.run(8, TICK)])
        for name in result.columns[1:]:
            assert np.array_equal(rows[:, names.index(name)], result[name]), name
        assert np.ptp(rows[:, names.index("sag")]) < 1e-9 * rows[0, names.index("sag")]
    with Host(path) as host, pytest.raises(FMICallException):
        host.start({"push": 1e6}).step()  # where a Python FMU fails
    assert "body 'board'" in host.messages and "bent beyond small deformations at t = 0 s" in host.messages


@pytest.mark.quick
def test_elastic_fmus_request_completed_steps() -> None:
    """Model exchange checks deformations at completed steps, so elastic FMUs request those; rigid trees do not."""
    m = mbs.Model("rigid")
    m.body("arm", joint=mbs.Revolute("y"), mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    assert compile_model(MODELS["boom"]()).looked_after and not compile_model(m).looked_after


@pytest.mark.slow
@pytest.mark.parametrize("model", ELASTIC_BLOCK)
def test_python_fmus_with_error_control(fmu: Builder, model: str) -> None:
    """At tolerances of 1e-11 co-simulation is within 1e-7 of `simulate`."""
    near_simulate(fmu(model, "tight"), model)


@native
@pytest.mark.slow
@pytest.mark.parametrize("model", ELASTIC_BLOCK)
def test_native_equals_python(fmu: Builder, model: str) -> None:
    """With error control both kinds have equal steps and numbers to 1e-12, within 1e-7 of `simulate`."""
    path = fmu(model, "tight", "native")
    near_simulate(path, model)
    with Host(path) as one, Host(fmu(model, "tight")) as other:
        assert one.references == other.references
        a, b = (host.start(INPUTS).run(20) for host in (one, other))
        scale = np.maximum(np.max(np.abs(b), axis=0), 1e-1)
        assert_close(a, b, 1e-12 * scale, "value", list(one.references), 0.01 * np.arange(1, 21))


def near_simulate(path: Path, model: str) -> None:
    """Assert that ten communication steps with tight error control are near `simulate` at other tolerances."""
    tight = mbs.simulate(MODELS[model](), 1.0, inputs=INPUTS, output_interval=0.1, rtol=1e-12, atol=1e-14)
    with Host(path) as host:
        rows = host.start(INPUTS).run(10, 0.1)
        names = list(host.references)
    for name in tight.columns[1:]:
        scale = max(1.0, float(np.max(np.abs(tight[name]))))
        assert np.max(np.abs(rows[:, names.index(name)] - tight[name][1:])) <= 1e-7 * scale, name
