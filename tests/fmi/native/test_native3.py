"""Native FMUs, FMI 3.0: arrays, adjoint derivatives, intermediate update, early return, event mode."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.hosts.fmus import Builder, Host, description
from support.hosts.native_instances import TICK, guest
from support.models.fmu_models import INPUTS, METHODS, MODELS, MOVING, SOUND

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("model", SOUND)
def test_fmpy_finds_no_problems(fmu: Builder, model: str) -> None:
    """fmpy's validation reports nothing."""
    assert validate_fmu(str(fmu(model, kind="native", fmi="3.0"))) == []


@pytest.mark.parametrize("model", MOVING)
def test_fixed_steps_give_the_bits_of_simulate(fmu: Builder, model: str) -> None:
    """Co-simulation in dyadic steps gives every result column bit for bit, vectors as arrays."""
    inputs = {**INPUTS.get(model, {}), **({"set_point": 10.0} if model == "pi_speed_regulator" else {})}
    result = mbs.simulate(MODELS[model](), 50 * TICK, inputs=inputs, output_interval=TICK, **METHODS["rk4"])
    with guest(fmu(model, kind="native", fmi="3.0")) as host:
        host.start(**inputs)
        for k in range(1, 51):
            host.step()
            for name in host.references:
                if name in result:
                    assert np.array_equal(host.get(name), np.atleast_1d(result[name][k])), name


@pytest.mark.parametrize("model", MOVING)
def test_model_exchange(fmu: Builder, model: str) -> None:
    """fmpy's CVode at 1e-12 gives every scalar column within 1e-7 of `simulate`."""
    inputs = {**INPUTS.get(model, {}), **({"set_point": 10.0} if model == "pi_speed_regulator" else {})}
    tight = mbs.simulate(MODELS[model](), 1.0, inputs=inputs, output_interval=0.1, rtol=1e-12, atol=1e-14)
    path = fmu(model, kind="native", fmi="3.0")
    names = [v.name for v in read_model_description(str(path)).modelVariables if v.name in tight and not v.dimensions]
    run = simulate_fmu(
        str(path), fmi_type="ModelExchange", stop_time=1.0, output_interval=0.1, relative_tolerance=1e-12,
        start_values=inputs, output=names,
    )  # fmt: skip
    for name in names:
        scale = max(1.0, float(np.max(np.abs(tight[name]))))
        assert np.max(np.abs(run[name] - tight[name])) <= 1e-7 * scale, name


def test_both_versions_of_fmi_agree(fmu: Builder) -> None:
    """FMI 3 has FMI 2's value references, a vector that of its first component, and the same bits."""
    with guest(fmu("gyro", kind="native", fmi="3.0")) as three, Host(fmu("gyro", kind="native")) as two:
        three.start(**INPUTS["gyro"])
        two.start(INPUTS["gyro"])
        for _ in range(20):
            three.step()
            two.step(TICK)
        for name, reference in three.references.items():
            names = [name] if name in two.references else [f"{name}[{k + 1}]" for k in range(three.lengths[name])]
            assert two.references[names[0]] == reference
            assert np.array_equal(three.get(name), two.get(*names)), name


def test_scalars_instead_of_arrays(fmu: Builder, tmp_path: Path) -> None:
    """With arrays=False each component is a variable with FMI 2's name and value reference and the array's numbers;
    fmpy reports nothing, in co-simulation and in model exchange.
    """
    options = {"stop_time": 1.0, "communication_step": 0.01, **METHODS["rk4"]}
    path = mbs.export(
        MODELS["gyro"](), tmp_path / "gyro.fmu", "native", fmi="3.0", arrays=False, platforms="host", **options
    )
    assert validate_fmu(str(path)) == []
    with guest(path) as scalars, guest(fmu("gyro", kind="native", fmi="3.0")) as arrays, Host(fmu("gyro")) as two:
        assert scalars.references == two.references and set(scalars.lengths.values()) == {1}
        for host in (scalars, arrays):
            host.start(**INPUTS["gyro"])
            for _ in range(5):
                host.step()
        assert np.array_equal(scalars.get("place[1]", "place[2]", "place[3]"), arrays.get("place"))
    run = simulate_fmu(str(path), fmi_type="ModelExchange", stop_time=0.1, output=["place[2]", "attitude[4]"])
    assert np.all(np.isfinite(run["place[2]"]))


@pytest.mark.parametrize("method", METHODS)
def test_descriptions_state_the_internal_step(fmu: Builder, method: str) -> None:
    """The description states the internal step of an FMU with fixed steps, and none with error control."""
    steps = description(fmu("swing", method, "native", "3.0")).find("CoSimulation")
    assert steps is not None
    step = METHODS[method].get("step")
    assert steps.get("fixedInternalStepSize") == (None if step is None else repr(step))


@pytest.mark.parametrize("model", SOUND)
def test_adjoint_equals_forward(fmu: Builder, model: str) -> None:
    """w . (J v) = (w J) . v for random v and w, to 1e-12."""
    with guest(fmu(model, kind="native", fmi="3.0")) as host:
        host.start(**INPUTS.get(model, {}))
        variables = read_model_description(str(fmu(model, kind="native", fmi="3.0"))).modelVariables
        derivatives = [v for v in variables if v.derivative is not None]
        unknowns = [v.name for v in (*derivatives, *(v for v in variables if v.causality == "output"))]
        knowns = [v.derivative.name for v in derivatives] + [v.name for v in variables if v.causality == "input"]
        a, b = ([host.references[n] for n in names] for names in (unknowns, knowns))
        size = sum(host.lengths[n] for n in unknowns)
        rng = np.random.default_rng(2)
        v, w = rng.normal(size=len(knowns)), rng.normal(size=size)
        forward = np.array(host.slave.getDirectionalDerivative(a, b, list(v), size))
        backward = np.array(host.slave.getAdjointDerivative(a, b, list(w), len(knowns)))
        assert w @ forward == pytest.approx(backward @ v, rel=1e-12, abs=1e-12 * (np.abs(w) @ np.abs(forward)))


def test_derivatives_of_arrays(fmu: Builder) -> None:
    """The derivative of a position by time, element by element, is the slope over a short step."""
    with guest(fmu("gyro", kind="native", fmi="3.0")) as host:
        host.start(**INPUTS["gyro"])
        slopes = np.zeros(3)
        reference = (ctypes.c_uint32 * 1)(host.references["place"])
        order = (ctypes.c_int32 * 1)(1)
        pointer = slopes.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        host.slave.fmi3GetOutputDerivatives(host.slave.component, reference, 1, order, pointer, 3)
        before = host.get("place")
        host.step(1e-6)
        difference = (host.get("place") - before) / 1e-6
        assert_close(slopes, difference, 1e-4 + 1e-4 * np.abs(difference), "derivative of place", "xyz")


def interruption(at: float, times: list[float]) -> Callable[..., None]:
    """Intermediate update that notes the times and requests one early return, from time `at` on."""
    requests: list[float] = []

    def update(env: Any, time: float, may_set: bool, may_get: bool, done: bool, may_return: bool, *answer: Any) -> None:
        times.append(time)
        if may_return and time >= at and not requests:
            requests.append(time)
            answer[0][0], answer[1][0] = True, time

    return update


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_early_return(fmu: Builder, method: str) -> None:
    """The host learns of every internal step and may end the communication step there; the run goes on from it."""
    times: list[float] = []
    path = fmu("governor", method, "native", "3.0")
    options = {"earlyReturnAllowed": True, "intermediateUpdate": interruption(0.0445, times)}
    with guest(path, **options) as host, guest(path) as plain:
        host.start(torque=0.8)
        plain.start(torque=0.8)
        *_, early, reached = host.step(0.1)
        assert early
        assert 0.0445 <= reached < 0.1
        assert times == sorted(times)
        assert host.get("time")[0] == reached == times[-1]
        host.step(0.1 - reached)
        plain.step(0.1)
        names = ("speed", "alpha")
        expected = np.array(plain.get(*names))
        assert_close(host.get(*names), expected, 1e-6 * np.abs(expected), "value at 0.1 s", names)


def test_no_return_where_none_is_allowed(fmu: Builder) -> None:
    """A return requested without earlyReturnAllowed does not end the step: the bits are those of many small steps."""
    times: list[float] = []
    with guest(fmu("governor", kind="native", fmi="3.0"), intermediateUpdate=interruption(0.0, times)) as host:
        host.start(torque=0.8)
        assert host.step(0.01) == (False, False, False, 0.01)
        assert len(times) == 10


def test_event_mode_in_co_simulation(fmu: Builder) -> None:
    """With eventModeUsed, inputs set in event mode act from then on, as in step mode without it."""
    path = fmu("thickened", kind="native", fmi="3.0")
    with guest(path, eventModeUsed=True) as host, guest(path) as plain:
        host.start()
        plain.start()
        for torque in (1.0, -2.0, 0.5):
            host.set(torque=torque)
            host.slave.updateDiscreteStates()
            host.slave.enterStepMode()
            host.step()
            host.slave.enterEventMode()
            plain.set(torque=torque)
            plain.step()
        assert np.array_equal(host.get("speed"), plain.get("speed"))


def test_foreign_states_are_refused(fmu: Builder) -> None:
    """A restored or serialized state has the same future; a truncated state or one of FMI 2 is an error."""
    path = fmu("gyro", kind="native", fmi="3.0")
    with guest(path) as host, guest(path) as other, Host(fmu("gyro", kind="native")) as two:
        host.start(**INPUTS["gyro"])
        host.step()
        state = host.slave.getFMUState()
        data = host.slave.serializeFMUState(state)
        time = host.time
        host.step()
        expected = host.get(*host.references)
        copy = other.slave.deserializeFMUState(data)
        for one, saved in ((host, state), (other, copy)):
            one.slave.setFMUState(saved)
            one.time = time
            one.step()
            assert np.array_equal(one.get(*host.references), expected)
            one.slave.freeFMUState(saved)
        foreign = two.slave.serializeFMUstate(two.slave.getFMUstate())
        for wrong in (data[:-8], foreign, bytes(len(data))):
            with pytest.raises(FMICallException):
                host.slave.deserializeFMUState(wrong)
            assert "not one of gyro" in host.messages[-1]


def test_unknown_references_are_named(fmu: Builder) -> None:
    """Reading an unknown reference returns no values and an error that names the reference."""
    with guest(fmu("gyro", kind="native", fmi="3.0")) as host:
        references = (ctypes.c_uint32 * 1)(10**6)
        with pytest.raises(FMICallException):
            host.slave.fmi3SetFloat64(host.slave.component, references, 1, None, 0)
        assert "value reference 1000000 does not exist" in host.messages[-1]


def test_a_state_of_another_model_is_left_alone(fmu: Builder) -> None:
    """Another model's state is neither written nor read beyond its end: an error with a message."""
    with guest(fmu("gyro", kind="native", fmi="3.0")) as host, guest(fmu("swing", kind="native", fmi="3.0")) as other:
        state = other.slave.getFMUState()
        with pytest.raises(FMICallException):
            host.slave.fmi3GetFMUState(host.slave.component, ctypes.byref(state))
        assert "not one of gyro" in host.messages[-1]
        own = host.slave.getFMUState()
        data = host.slave.serializeFMUState(own)
        room = ctypes.create_string_buffer(data, len(data))
        place = ctypes.cast(room, ctypes.POINTER(ctypes.c_uint8))
        with pytest.raises(FMICallException):
            host.slave.fmi3SerializeFMUState(host.slave.component, state, place, len(data))
        with pytest.raises(FMICallException):
            host.slave.fmi3DeserializeFMUState(host.slave.component, place, len(data), ctypes.byref(state))
        assert room.raw == data
        host.slave.freeFMUState(own)
        other.slave.setFMUState(state)
        other.slave.freeFMUState(state)


def test_failures_have_messages(fmu: Builder) -> None:
    """Invalid values and failed steps return error or discard, a message with the name, and the previous state."""
    with guest(fmu("burst", kind="native", fmi="3.0")) as host:
        host.start()
        for _ in range(64):
            host.step()
        with pytest.raises(FMICallException):
            host.slave.doStep(host.time, 0.1)
        assert "no longer finite" in host.messages[-1]
        assert host.get("time")[0] == host.time == 0.5
        with pytest.raises(FMICallException):
            host.slave.setFloat64([host.references["speed"]], [1.0])
        assert host.messages[-1].endswith("it is computed")
        with pytest.raises(FMICallException):
            host.slave.getFloat64([host.references["speed"]], 2)
        assert "2 numbers for 'speed', which has 1" in host.messages[-1]
