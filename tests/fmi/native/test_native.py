"""Native FMUs, FMI 2.0: the results of `simulate` and of Python FMUs, exact derivatives, messages of failures."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.native import lowering
from mbs_fmu.fmi.native.platforms import ALL, select_platforms
from support.comparisons import assert_close
from support.hosts.fmus import DISCARD, ERROR, NAN, Builder, Host, python
from support.hosts.native_instances import exchange, names_of, set_states
from support.models.fmu_models import INPUTS, METHODS, MODELS, MOVING, SOUND
from support.models.small_models import rich_model

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow
TICK = 1 / 128  #: a communication step whose multiples are exact


def inputs_of(model: str) -> dict[str, float]:
    more = {"speed_regulator": {"speed": 9.0, "set_point": 10.0}, "pi_speed_regulator": {"set_point": 10.0}}
    return {**INPUTS.get(model, {}), **more.get(model, {})}


# -- the same numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", SOUND)
def test_fmpy_finds_no_problems(fmu: Builder, model: str) -> None:
    """fmpy's validation reports nothing, for model exchange and co-simulation."""
    path = fmu(model, kind="native")
    assert validate_fmu(str(path)) == []
    description = read_model_description(str(path))
    assert description.modelExchange is not None
    assert description.coSimulation is not None


@pytest.mark.parametrize("method", ["rk4", "dopri5_fixed"])
@pytest.mark.parametrize("model", MOVING)
def test_fixed_steps_give_the_bits_of_simulate(fmu: Builder, model: str, method: str) -> None:
    """With the same fixed step and exact communication points every result column is that of `simulate`, bit by bit."""
    inputs = inputs_of(model)
    result = mbs.simulate(MODELS[model](), 100 * TICK, inputs=inputs, output_interval=TICK, **METHODS[method])
    with Host(fmu(model, method, "native")) as host:
        rows = host.start(inputs).run(100, TICK)
        names = list(host.references)
        for name in result.columns[1:]:
            assert np.array_equal(rows[:, names.index(name)], result[name][1:]), name


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
@pytest.mark.parametrize("model", SOUND)
def test_native_equals_python(fmu: Builder, model: str, method: str) -> None:
    """Native and Python FMUs have the same variables, value references, and numbers to 1e-12 in the same steps."""
    with Host(fmu(model, method, "native")) as one, Host(fmu(model, method)) as other:
        assert one.references == other.references
        a, b = (host.start(inputs_of(model)).run(50) for host in (one, other))
        scale = np.maximum(np.max(np.abs(b), axis=0), 1e-3)
        assert_close(a, b, 1e-12 * scale, "value", list(one.references), 0.01 * np.arange(1, 51))


@pytest.mark.parametrize("model", MOVING)
def test_model_exchange(fmu: Builder, model: str) -> None:
    """fmpy's CVode at 1e-12 gives every coordinate, rate and output within 1e-7 of `simulate`."""
    inputs = inputs_of(model)
    tight = mbs.simulate(MODELS[model](), 1.0, inputs=inputs, output_interval=0.1, rtol=1e-12, atol=1e-14)
    run = simulate_fmu(
        str(fmu(model, kind="native")), fmi_type="ModelExchange", stop_time=1.0, output_interval=0.1,
        relative_tolerance=1e-12, start_values=inputs, output=tight.columns[1:],
    )  # fmt: skip
    for name in tight.columns[1:]:
        scale = max(1.0, float(np.max(np.abs(tight[name]))))
        assert np.max(np.abs(run[name] - tight[name])) <= 1e-7 * scale, name


def test_newer_processors_give_the_same_bits(fmu: Builder, tmp_path: Path) -> None:
    """cpu="x86-64-v3" gives the same numbers, since it contracts no operations."""
    path = mbs.export(
        MODELS["gyro"](), tmp_path / "gyro.fmu", "native", platforms="host", cpu="x86-64-v3", **METHODS["rk4"]
    )
    with Host(path) as one, Host(fmu("gyro", kind="native")) as other:
        a, b = (host.start(INPUTS["gyro"]).run(20) for host in (one, other))
        assert np.array_equal(a, b)


# -- states ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_a_restored_state_has_the_same_future(fmu: Builder, method: str) -> None:
    """A state restored after more steps, or serialized into another instance, has the same future, bit for bit."""
    path = fmu("gyro", method, "native")
    with Host(path) as host, Host(path, beside=host, name="other") as other:
        host.start(INPUTS["gyro"]).run(13)
        state = host.slave.getFMUstate()
        data = host.slave.serializeFMUstate(state)
        expected = host.run(20)
        host.restore(state)
        assert np.array_equal(host.run(20), expected)
        copy = other.slave.deSerializeFMUstate(data)
        other.restore(copy)
        assert np.array_equal(other.run(20), expected)
        for owner, saved in ((host, state), (other, copy)):
            owner.slave.freeFMUstate(saved)


def test_a_state_of_another_model_is_refused(fmu: Builder) -> None:
    """Another model's state and a truncated one are refused with a message, and the instance goes on."""
    with Host(fmu("governor", kind="native")) as host, Host(fmu("gyro", kind="native")) as other:
        host.start({"torque": 0.8}).run(2)
        state = other.slave.getFMUstate()
        foreign = other.slave.serializeFMUstate(state)
        own = host.slave.serializeFMUstate(host.slave.getFMUstate())
        for data in (foreign, own[:-8], b"", bytes(len(own))):
            with pytest.raises(FMICallException):
                host.slave.deSerializeFMUstate(data)
            assert "not one of governor" in host.log[-1][2] or "null" in host.log[-1][2]
        assert np.all(np.isfinite(host.run(2)))


# -- derivatives -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", SOUND)
def test_directional_derivatives(fmu: Builder, model: str) -> None:
    """Derivatives of all derivatives and outputs by states, inputs and tunable parameters equal differences to 1e-6."""
    path = fmu(model, kind="native")
    unknowns, states = names_of(path, "derivative", "output"), names_of(path, "state")
    knowns = [*states, *names_of(path, "input", "tunable")]
    with exchange(path) as (fmi, reference):
        inputs = inputs_of(model)
        fmi.setReal([reference[n] for n in inputs], list(inputs.values()))
        fmi.exitInitializationMode()
        fmi.enterContinuousTimeMode()
        x = np.array([fmi.getReal([reference[n]])[0] for n in states])
        rng = np.random.default_rng(1)
        x += 0.01 * rng.normal(size=x.size)
        set_states(fmi, x)
        for name in knowns:
            exact = np.array(fmi.getDirectionalDerivative([reference[n] for n in unknowns], [reference[name]], [1.0]))
            value = fmi.getReal([reference[name]])[0]
            h = 1e-5 * max(1.0, abs(value))
            sides = []
            for sign in (1.0, -1.0):
                if name in states:
                    moved = x.copy()
                    moved[states.index(name)] += sign * h
                    set_states(fmi, moved)
                else:
                    fmi.setReal([reference[name]], [value + sign * h])
                sides.append(np.array(fmi.getReal([reference[n] for n in unknowns])))
            if name in states:
                set_states(fmi, x)
            else:
                fmi.setReal([reference[name]], [value])
            difference = (sides[0] - sides[1]) / (2 * h)
            scale = np.maximum(1.0, np.abs(exact))
            assert np.max(np.abs(difference - exact) / scale) <= 1e-6, name


def test_states_are_set_one_by_one_in_model_exchange(fmu: Builder) -> None:
    """In continuous-time mode states set by `setReal` give the rates of those set together; rates stay computed."""
    path = fmu("gyro", kind="native")
    states, rates = names_of(path, "state"), names_of(path, "derivative")
    with exchange(path) as (fmi, reference):
        fmi.exitInitializationMode()
        fmi.enterContinuousTimeMode()
        x = np.array(fmi.getReal([reference[name] for name in states]))
        moved = x + 0.1 * np.random.default_rng(2).normal(size=x.size)
        set_states(fmi, moved)
        together = fmi.getReal([reference[name] for name in rates])
        set_states(fmi, x)
        for name, value in zip(states, moved, strict=True):
            fmi.setReal([reference[name]], [value])
        assert fmi.getReal([reference[name] for name in rates]) == together
        for name, value in ((rates[0], 0.0), (states[0], NAN)):
            with pytest.raises(FMICallException, match="fmi2SetReal"):
                fmi.setReal([reference[name]], [value])


def test_directional_derivatives_before_the_start(fmu: Builder) -> None:
    """In initialization mode q and u are the knowns: dp/du is the mass matrix, symmetric."""
    path = fmu("gyro", kind="native")
    variables = read_model_description(str(path)).modelVariables
    momenta = [v.name for v in variables if ".p[" in v.name and not v.name.startswith("der(")]
    rates = [name.replace(".p[", ".u[") for name in momenta]
    with exchange(path) as (fmi, reference):
        columns = [
            fmi.getDirectionalDerivative([reference[n] for n in momenta], [reference[name]], [1.0]) for name in rates
        ]
        M = np.array(columns)
        u = np.array(fmi.getReal([reference[n] for n in rates]))
        p = np.array(fmi.getReal([reference[n] for n in momenta]))
    assert_close(M, M.T, 1e-15, "element of the mass matrix", rates)
    assert_close(M @ u, p, 1e-15 + 1e-13 * np.abs(p), "momentum", momenta)


def test_input_derivatives_make_a_ramp(fmu: Builder) -> None:
    """An input derivative set before the step makes the input a ramp in it; in the next step the input is constant."""
    with Host(fmu("thickened", kind="native")) as host:
        host.start({"torque": 2.0})
        torque = [host.references["torque"]]
        host.slave.setRealInputDerivatives(vr=torque, order=[1], value=[30.0])
        host.step(0.1)
        expected = (2.0 * 0.1 + 30.0 * 0.1**2 / 2) / 0.5
        assert host.get("speed", "torque") == pytest.approx([expected, 5.0], rel=1e-13)
        host.step(0.1)
        assert host.get("speed", "torque") == pytest.approx([expected + 5.0 * 0.1 / 0.5, 5.0], rel=1e-13)


def test_output_derivatives(fmu: Builder) -> None:
    """The first-order output derivative is the slope of the output over a short step."""
    with Host(fmu("gyro", kind="native")) as host:
        host.start(INPUTS["gyro"]).run(5)
        names = host.outputs()
        references = [host.references[n] for n in names]
        slopes = host.slave.getRealOutputDerivatives(vr=references, order=[1] * len(names))
        before, h = np.array(host.get(*names)), 1e-6
        host.step(h)
        difference = (np.array(host.get(*names)) - before) / h
        assert_close(slopes, difference, 1e-4 + 1e-4 * np.abs(difference), "derivative of output", names)


# -- failures --------------------------------------------------------------------------------------------


def failing(host: Host, call: object, *arguments: object) -> tuple[int, str]:
    """Status and message of a call that must fail."""
    before = len(host.log)
    with pytest.raises(FMICallException) as caught:
        call(*arguments)  # type: ignore[operator]
    assert len(host.log) > before, "no message"
    return caught.value.status, host.log[-1][2]


def test_bad_values_are_refused_by_name(fmu: Builder) -> None:
    """Values that are not numbers, out of range, unknown, computed or fixed are errors, and nothing changes."""
    with Host(fmu("governor", kind="native")) as host:
        host.begin()
        assert failing(host, host.set, {"c": NAN}) == (ERROR, "parameter 'c' is nan: give a finite number")
        assert failing(host, host.set, {"c": -1.0})[1] == "parameter 'c' is -1: it must lie within 0 .. inf"
        assert failing(host, host.set, {"speed": 1.0})[1].endswith("it is computed")
        assert "there are 0 to" in failing(host, host.slave.setReal, [99999], [1.0])[1]
        host.set({"torque": 0.8})
        host.slave.exitInitializationMode()
        assert failing(host, host.set, {"arm.q[1]": 0.1})[1].endswith("it takes effect at initialization only")
        assert "null pointer" in failing(host, host.slave.fmi2GetReal, host.slave.component, None, 3, None)[1]
        assert np.all(np.isfinite(host.run(3)))


def test_a_failed_start_can_be_repeated_with_valid_values(fmu: Builder) -> None:
    """For a body without mass exitInitializationMode fails with the reason; after a valid value it succeeds."""
    with Host(fmu("top", kind="native")) as host:
        host.begin({"Jx": 1.0})
        status, text = failing(host, host.slave.exitInitializationMode)
        assert status == ERROR
        assert "inertia of body 'top'" in text
        host.set({"Jx": 0.01})
        host.slave.exitInitializationMode()
        assert np.all(np.isfinite(host.run(3)))


def test_a_failed_step_is_discarded(fmu: Builder) -> None:
    """At the end of a law's domain doStep returns fmi2Discard with time and owner; a shorter step is still possible."""
    with Host(fmu("burst", kind="native")) as host:
        host.start().run(50)
        before = host.all()
        status, text = failing(host, host.step, 0.01)
        assert status == DISCARD
        assert "no longer finite at t = 0.50" in text
        assert "cart" in text
        assert np.array_equal(host.all(), before)
        host.step(0.004)


def test_a_failed_step_repeated_is_an_error(fmu: Builder) -> None:
    """The same step from the same record is an error the second time, so that an importer that only retries comes to an
    end. Shorter steps and other records are accepted as before.
    """
    path = fmu("burst", kind="native")
    with Host(path) as host:
        host.start().run(50)
        assert [failing(host, host.step, size)[0] for size in (0.01, 0.01, 0.02, 0.01)] == [
            DISCARD, ERROR, DISCARD, DISCARD
        ]  # fmt: skip
        host.step(0.004)
        assert failing(host, host.step, 0.01)[0] == DISCARD
    with pytest.raises(FMICallException):
        simulate_fmu(str(path), fmi_type="CoSimulation", stop_time=1.0, output_interval=0.01, timeout=20.0)


def test_wrong_order_and_odd_steps(fmu: Builder) -> None:
    """Steps before the start, from another time, of zero or infinite size are errors with messages."""
    with Host(fmu("governor", kind="native")) as host:
        assert "not allowed now" in failing(host, host.step)[1]
        host.start({"torque": 0.8}).run(2)
        for size in (0.0, -0.1, math.inf, NAN):
            assert failing(host, host.slave.doStep, host.time, size)[0] == ERROR
        assert "away from the FMU's time t = 0.02 s" in failing(host, host.slave.doStep, 0.5, 0.01)[1]
        assert failing(host, host.slave.doStep, host.time, 1e9)[0] == DISCARD
        assert "more than 10000000 internal steps" in host.log[-1][2]
        assert "too small for that time" in failing(host, host.slave.doStep, host.time, 1e-20)[1]
        assert "not allowed now" in failing(host, host.slave.enterInitializationMode)[1]
        assert np.all(np.isfinite(host.run(2)))


def test_tunable_parameters_act_in_flight(fmu: Builder) -> None:
    """A stiffness changed between steps acts as in a fresh start from that state; a mass cannot be changed."""
    with Host(fmu("gyro", kind="native")) as host, Host(fmu("gyro", kind="native")) as plain:
        for one in (host, plain):
            one.start(INPUTS["gyro"]).run(10)
        host.set({"k": 90.0})
        assert not np.allclose(host.run(10), plain.run(10))
    with Host(fmu("top", kind="native")) as host:
        host.start().run(2)
        assert "takes effect at initialization" in failing(host, host.set, {"mass": 2.0})[1]


# -- building --------------------------------------------------------------------------------------------


AGAIN = """
import sys
from pathlib import Path
from support.models.fmu_models import METHODS, MODELS
import mbs_fmu as mbs
mbs.export(MODELS["governor"](), Path(sys.argv[1]) / "governor.fmu", "native", platforms="host",
           stop_time=1.0, communication_step=0.01, **METHODS["rk4"])
"""


def test_the_same_model_gives_the_same_bytes(fmu: Builder, tmp_path: Path) -> None:
    """Another process with another cache and hash seed writes the same file, byte for byte."""
    done = python(AGAIN, str(tmp_path), MBS_FMU_CACHE=str(tmp_path / "cache"), PYTHONHASHSEED="77")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "governor.fmu").read_bytes() == fmu("governor", kind="native").read_bytes()


def test_unwritable_cache_costs_time_only(tmp_path: Path) -> None:
    """Without a writable cache directory the C library is built in the export's folder, with a warning."""
    blocker = tmp_path / "file"
    blocker.write_text("")
    done = python(AGAIN, str(tmp_path), MBS_FMU_CACHE=str(blocker / "cache"))
    assert done.returncode == 0, done.stderr
    assert "no writable cache" in done.stderr
    with Host(tmp_path / "governor.fmu") as host:
        assert np.all(np.isfinite(host.start().run(3)))


def test_objects_for_every_platform(tmp_path: Path) -> None:
    """The kernels of a model with every law compile for all platforms and need the C library only."""
    objects = [one for platform in ALL.values() for one in lowering.objects_of(platform, "baseline")]
    lowering.write_objects(compile_model(rich_model()), "dopri5_adaptive", objects, tmp_path)
    magic = {one.name[:-2]: (tmp_path / one.name).read_bytes()[:4] for one in objects}
    assert all(magic[name] == b"\x7fELF" for name in magic if "-linux" in name)
    assert magic.keys() >= {"x86_64-linux", "x86_64-linux_v3", "x86_64-linux_tangents", "x86_64-linux_starts"}
    assert magic["x86_64-windows"][:2] == b"\x64\x86"
    assert magic["x86_64-darwin"] == magic["aarch64-darwin"] == b"\xcf\xfa\xed\xfe"


def test_a_kernel_that_needs_more_is_named() -> None:
    """An object may leave only functions of the C library's mathematics to the linker."""
    text = """declare double @cbrt(double)
    define double @kernel_rates(double %x) {
      %y = call double @cbrt(double %x)
      ret double %y
    }"""
    with pytest.raises(RuntimeError, match="kernel_rates calls cbrt, which no object may need"):
        lowering.optimised(text, lowering.Object(ALL["x86_64-linux"], "", "x86-64", tuned=True))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"platforms": ["amiga"]}, "unknown platform 'amiga'"),
        ({"platforms": []}, "platforms is empty"),
        ({"arrays": False}, 'arrays=False is for fmi="3.0"'),
        ({"cpu": "z80"}, "unknown cpu 'z80'"),
        ({"fmi": "1.0"}, "fmi is '1.0'"),
    ],
)
def test_arguments_are_checked(arguments: dict, message: str, tmp_path: Path) -> None:
    """Each invalid argument is reported before anything is compiled."""
    with pytest.raises(mbs.ModelError, match=message):
        mbs.export(MODELS["swing"](), tmp_path / "swing.fmu", "native", **arguments)


def test_platform_names() -> None:
    """The platform names of FMI 2 stand for the contents of FMI 2 folders; some platforms are there by name only."""
    assert [p.name for p in select_platforms("darwin64")] == ["x86_64-darwin", "aarch64-darwin"]
    assert [p.name for p in select_platforms("all")] == [
        name for name in ALL if name not in ("aarch64-windows", "wasm32-wasip2")
    ]
    assert [p.name for p in select_platforms(["linux64", "x86_64-linux", "aarch64-windows"])] == [
        "x86_64-linux", "aarch64-windows"
    ]  # fmt: skip
    folders = {folder for p in select_platforms("all") for folder in p.folders2}
    assert folders == {"linux64", "win64", "darwin64", "aarch64-darwin", "aarch64-linux"}
