"""FMUs of models with closed loops, and of trees that are asked for reactions: both kinds, both versions of FMI."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Model
from fmpy.validation import validate_fmu

import mbs_fmu as mbs
from fmus import DISCARD, METHODS, MODELS, Builder, Host, description
from mbs_fmu.fmi.native import lowering
from mbs_fmu.fmi.native.platforms import ALL
from mbs_fmu.fmi.variables import guessed
from mbs_fmu.messages import message
from mbs_fmu.simulate import compiled
from test_native import exchange, failing, names_of, set_states
from test_native3 import guest

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
KINDS = ["python", pytest.param("native", marks=[native, pytest.mark.slow])]
CLOSED = ["four_bar", "linkage", "bob", pytest.param("stewart_platform", marks=pytest.mark.slow)]
TICK = 1 / 128  #: a communication step whose multiples are exact
INPUTS = {"linkage": {"torque": 0.7}, "bob": {"push": 2.0}, "hoist": {"push": 3.0}, "stewart_platform": {"leg2": 40.0}}


def inputs_of(model: str) -> dict[str, float]:
    return dict.fromkeys(MODELS[model]().inputs, 0.0) | INPUTS.get(model, {})


# -- description -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", [*CLOSED, "hoist"])
def test_fmpy_finds_no_problems(fmu: Builder, model: str, kind: str) -> None:
    """fmpy's validation is silent, in both versions of FMI."""
    for version in ("2.0", "3.0") if kind == "native" else ("2.0",):
        assert validate_fmu(str(fmu(model, kind=kind, fmi=version))) == []


def test_what_the_assembly_finds_is_a_guess(fmu: Builder) -> None:
    """Held start values are exact, the others approximate, with a start value each; reactions depend on everything."""
    variables = {v.get("name", ""): v for v in description(fmu("four_bar")).iter("ScalarVariable")}
    for name, initial in {
        "crank.phi": "exact", "crank.w": "exact", "coupler.phi": "approx", "rocker.phi": "approx",
        "coupler.w": "approx", "rocker.w": "approx", "crank.p": "calculated",
    }.items():  # fmt: skip
        assert variables[name].get("initial") == initial, name
        assert (variables[name].find("Real").get("start") is None) == (initial == "calculated")  # type: ignore[union-attr]
    assert guessed(compiled(MODELS["hoist"]()).program) == set()
    listed = {v.get("name"): k for k, v in enumerate(variables.values(), start=1)}
    outputs = description(fmu("linkage")).findall("ModelStructure/Outputs/Unknown")
    names = [v.get("name") for v in description(fmu("linkage")).iter("ScalarVariable")]
    free = {names[int(u.get("index", "0")) - 1] for u in outputs if u.get("dependencies") is None}
    assert listed["crank.phi"] and free == {"push", "residual", *(f"{n}[{k}]" for n in ("bearing", "jolt") for k in (1, 2, 3))}


# -- the same numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["rk4", "dopri5_fixed"])
@pytest.mark.parametrize("model", [*CLOSED, "hoist"])
def test_fixed_steps_give_the_numbers_of_simulate(fmu: Builder, model: str, method: str, kind: str) -> None:
    """The same fixed step, communication points that both clocks hit: every column, bit for bit."""
    inputs = inputs_of(model)
    result = mbs.simulate(MODELS[model](), 60 * TICK, inputs=inputs, output_interval=TICK, **METHODS[method])
    with Host(fmu(model, method, kind)) as host:
        host.start(inputs)
        names = list(host.references)
        rows = np.vstack([host.all(), host.run(60, TICK)])
        for name in result.columns[1:]:
            assert np.array_equal(rows[:, names.index(name)], result[name]), name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", [*CLOSED, "hoist"])
def test_adaptive_steps(fmu: Builder, model: str, kind: str) -> None:
    """With error control at 1e-7: within 1e-5 of a run of `simulate` at 1e-10."""
    inputs = inputs_of(model)
    result = mbs.simulate(MODELS[model](), 1.0, inputs=inputs, output_interval=0.05, rtol=1e-10, atol=1e-12)
    with Host(fmu(model, "dopri5", kind)) as host:
        rows = host.start(inputs).run(20, 0.05)
        names = list(host.references)
        for name in (n for n in result.columns[1:] if not n.startswith(("mean", "residual"))):
            scale = max(1.0, float(np.max(np.abs(result[name]))))
            assert np.max(np.abs(rows[:, names.index(name)] - result[name][1:])) <= 1e-5 * scale, name


@native
@pytest.mark.slow
@pytest.mark.parametrize("model", [*CLOSED, "hoist"])
def test_native_equals_python(fmu: Builder, model: str) -> None:
    """With error control: the same steps, numbers within 1e-12."""
    with Host(fmu(model, "dopri5", "native")) as one, Host(fmu(model, "dopri5")) as other:
        assert one.references == other.references
        a, b = (host.start(inputs_of(model)).run(30) for host in (one, other))
        scale = np.maximum(np.max(np.abs(b), axis=0), 1e-1)
        assert np.max(np.abs(a - b) / scale) <= 1e-12


def telling(texts: list[str]) -> object:
    """A logger for fmpy that keeps the texts, of either version."""

    def logger(*arguments: object) -> None:
        text = next(a for a in reversed(arguments) if isinstance(a, (bytes, str)))
        texts.append(text.decode() if isinstance(text, bytes) else text)

    return logger


@native
@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("model", CLOSED)
def test_model_exchange(fmu: Builder, model: str, version: str) -> None:
    """fmpy's CVode at 1e-11 for a second: coordinates, rates and outputs within 1e-5 of `simulate`."""
    inputs, plain = inputs_of(model), version == "2.0"
    tight = mbs.simulate(MODELS[model](), 1.0, inputs=inputs, output_interval=0.1, rtol=1e-11, atol=1e-13)
    columns = [c for c in tight.columns[1:] if (plain or "[" not in c or ".q" in c) and not c.startswith("mean")]
    run = simulate_fmu(
        str(fmu(model, kind="native", fmi=version)), fmi_type="ModelExchange", stop_time=1.0, output_interval=0.1,
        relative_tolerance=1e-11, start_values=inputs, output=columns,
    )  # fmt: skip
    for name in columns:
        scale = max(1.0, float(np.max(np.abs(tight[name]))))
        assert np.max(np.abs(run[name] - tight[name])) <= 1e-5 * scale, name


@native
@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_momenta_are_rebased_at_events(fmu: Builder, version: str) -> None:
    """Weight grows in the states without bound, but for events; after twenty seconds the run is still that of
    `simulate`, and its states have the size of momenta."""
    columns = ["carriage.s", "mass.s", "mass.v", "tension", "energy", "residual"]
    tight = mbs.simulate(MODELS["bob"](), 20.0, inputs={"push": 0.0}, output_interval=0.1, rtol=1e-11, atol=1e-13)
    texts: list[str] = []
    run = simulate_fmu(
        str(fmu("bob", kind="native", fmi=version)), fmi_type="ModelExchange", stop_time=20.0, output_interval=0.1,
        relative_tolerance=1e-10, output=[*columns, "mass.p"], debug_logging=True, logger=telling(texts),
    )  # fmt: skip
    assert 5 <= sum("re-based" in text for text in texts) <= 40
    assert np.max(np.abs(run["mass.p"])) <= 40.0
    for name in columns:
        scale = max(1.0, float(np.max(np.abs(tight[name]))))
        assert np.max(np.abs(run[name] - tight[name])) <= 1e-4 * scale, name


# -- start -----------------------------------------------------------------------------------------------


def closed_four_bar(host: Host, ground: float) -> bool:
    """Whether the coupler's end is the rocker's, from what the host reads."""
    a, b, c = host.get("crank.phi", "coupler.phi", "rocker.phi")
    ends = np.exp(1j * a) + 2.0 * np.exp(1j * (a + b)), ground + 1.5 * np.exp(1j * c)
    return bool(abs(ends[0] - ends[1]) <= 1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_assembly_follows_what_is_set(fmu: Builder, kind: str) -> None:
    """Parameters and start values change in initialization mode, the loop closes again, held values stay; reset."""
    with Host(fmu("four_bar", kind=kind)) as host:
        host.begin()
        assert closed_four_bar(host, 2.0)
        host.set({"ground": 2.2})
        assert closed_four_bar(host, 2.2)
        host.set({"crank.phi": 1.0, "coupler.phi": -0.7})
        assert closed_four_bar(host, 2.2)
        assert host.get("crank.phi", "crank.w") == [1.0, 1.0]
        host.slave.exitInitializationMode()
        assert closed_four_bar(host, 2.2)
        first = host.run(10)
        host.slave.reset()
        host.start()
        assert closed_four_bar(host, 2.0)
        assert host.get("crank.phi") == [2.0]
        host.slave.reset()
        host.start({"ground": 2.2, "crank.phi": 1.0, "coupler.phi": -0.7})
        assert np.array_equal(host.run(10), first)


@pytest.mark.parametrize("kind", KINDS)
def test_assembly_is_told(fmu: Builder, kind: str) -> None:
    """As information: iterations, residual, and what is implied."""
    with Host(fmu("four_bar", kind=kind)) as host:
        host.start()
        news = "\n".join(text for _, category, text in host.news if category == "info")
    assert "assembled in 5 steps, residual 0" in news
    assert ("2 of 5 closing conditions are independent" if kind == "native" else "already implied") in news


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("values", "thing"),
    [({"ground": 9.0}, "loop 'pin' does not close"), ({"rod": 3.0}, "loop 'rod' does not close")],
)
def test_a_failed_assembly_is_told(fmu: Builder, kind: str, values: Mapping[str, float], thing: str) -> None:
    """A loop that can't close: an error with the sentence; with better values the start succeeds."""
    with Host(fmu("four_bar" if "ground" in values else "linkage", kind=kind)) as host:
        host.begin(values)
        if kind == "native":
            text = failing(host, host.slave.exitInitializationMode)[1]
            host.set({"ground": 2.0} if "ground" in values else {"rod": 1.1})
            host.slave.exitInitializationMode()
        else:
            host.slave.exitInitializationMode()
            text = host.messages
            assert np.isnan(host.get("energy")[0])
            host.slave.reset()
            host.start()
        assert thing in text and "start nearer to a closed position" in text
        assert np.all(np.isfinite(host.run(3)))


# -- states ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
@pytest.mark.parametrize("model", ["four_bar", "linkage", "hoist"])
def test_a_restored_state_has_the_same_future(fmu: Builder, model: str, method: str, kind: str) -> None:
    """Saved in the middle, an input just changed; restored, and serialized into another instance: bit for bit."""
    path = fmu(model, method, kind)
    with Host(path) as host, Host(path, beside=host, name="other") as other:
        host.start(inputs_of(model)).run(13)
        host.set({name: 1.5 * value for name, value in INPUTS.get(model, {}).items()})
        host.all()
        state = host.slave.getFMUstate()
        data = host.slave.serializeFMUstate(state)
        expected = host.run(20)
        host.slave.setFMUstate(state)
        host.time = 13 * 0.01
        other.start()  # pythonfmu frees no state of an instance that was never started
        other.time = 13 * 0.01
        assert np.array_equal(host.run(20), expected)
        copy = other.slave.deSerializeFMUstate(data)
        other.slave.setFMUstate(copy)
        assert np.array_equal(other.run(20), expected)
        for owner, kept in ((host, state), (other, copy)):
            owner.slave.freeFMUstate(kept)


@pytest.mark.parametrize("kind", KINDS)
def test_reading_changes_nothing(fmu: Builder, kind: str) -> None:
    """A parameter that moves a loop, changed in flight: the same future whether outputs are read before the step."""
    path = fmu("linkage", "rk4", kind)
    with Host(path) as one, Host(path) as other:
        for host in (one, other):
            host.start().run(10)
            host.set({"rod": 1.1001, "torque": 0.3})
        one.all()
        assert np.array_equal(one.run(5), other.run(5))
        assert one.get("residual")[0] <= 1e-9


# -- steps that fail -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_loop_open_beyond_its_bound(fmu: Builder, kind: str) -> None:
    """The step is discarded with the sentence and taken back, bit for bit; a gentler one goes on."""
    with Host(fmu("leaky", kind=kind)) as host, Host(fmu("leaky", kind=kind)) as plain:
        for one in (host, plain):
            one.start({"push": 20.0}).run(5)
        host.set({"push": 5000.0})
        before = host.all()
        with pytest.raises(FMICallException) as caught:
            host.step()
        assert caught.value.status == DISCARD
        sentence = message("open_loop", thing="string", value=1.0, time=0.0, high=1e-9)
        assert "loop 'string' stands open by" in host.messages
        assert sentence[sentence.index(", beyond the bound") :] in host.messages
        assert np.array_equal(host.all(), before)
        host.set({"push": 20.0})
        plain.set({"push": 5000.0})
        plain.set({"push": 20.0})
        assert np.array_equal(host.run(10), plain.run(10))


@native
@pytest.mark.slow
def test_the_bound_in_model_exchange(fmu: Builder) -> None:
    """An accepted step of the importer's solver that leaves a loop too far open: an error with the sentence."""
    with exchange(fmu("leaky", kind="native")) as (fmi, reference):
        fmi.exitInitializationMode()
        fmi.enterContinuousTimeMode()
        assert fmi.completedIntegratorStep() == (False, False)
        x = np.array([fmi.getReal([reference[n]])[0] for n in names_of(fmu("leaky", kind="native"), "state")])
        x[0] += 0.1
        set_states(fmi, x)
        with pytest.raises(FMICallException):
            fmi.completedIntegratorStep()


@native
@pytest.mark.slow
def test_intermediate_reading_changes_no_step(fmu: Builder) -> None:
    """FMI 3: outputs read after every internal step: the same end, to the tolerance of the loops."""
    path = fmu("linkage", "dopri5", "native", "3.0")
    ends = []

    def update(*arguments: object) -> None:
        host = watched[0]
        host.get("push", "energy")

    watched: list = []
    for extra in ({}, {"intermediateUpdate": update}):
        with guest(path, **extra) as host:
            watched[:] = [host]
            host.start(torque=0.7)
            for _ in range(20):
                host.step()
            ends.append(host.get("crank.phi", "rocker.phi", "energy"))
    assert np.max(np.abs(np.subtract(*ends))) <= 1e-9


# -- derivatives -----------------------------------------------------------------------------------------


def values(fmi: FMU2Model, reference: Mapping[str, int], names: list[str]) -> np.ndarray:
    return np.array(fmi.getReal([reference[n] for n in names]))


def slope(at: object, h: float) -> np.ndarray:
    """Central difference of fourth order."""
    f = at  # type: ignore[assignment]
    return (8.0 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12.0 * h)  # type: ignore[operator]


@native
@pytest.mark.slow
@pytest.mark.parametrize("model", ["four_bar", "linkage", "bob", "hoist", "stewart_platform"])
def test_directional_derivatives(fmu: Builder, model: str) -> None:
    """Of every derivative and output, reactions too, by every state, input and tunable parameter: to 1e-6."""
    path = fmu(model, kind="native")
    unknowns, states = names_of(path, "derivative", "output"), names_of(path, "state")
    with exchange(path) as (fmi, reference):
        inputs = inputs_of(model)
        fmi.setReal([reference[n] for n in inputs], list(inputs.values()))
        fmi.exitInitializationMode()
        fmi.enterContinuousTimeMode()
        x = values(fmi, reference, states) + 0.01 * np.random.default_rng(1).normal(size=len(states))
        set_states(fmi, x)
        for name in [*states, *names_of(path, "input", "tunable")]:
            value = values(fmi, reference, [name])[0]
            if value == 0.0 and name not in states:  # it may have a lower bound there
                value = 0.1
                fmi.setReal([reference[name]], [value])
            start = values(fmi, reference, unknowns)
            exact = np.array(fmi.getDirectionalDerivative([reference[n] for n in unknowns], [reference[name]], [1.0]))

            def moved(h: float, name: str = name, value: float = value) -> np.ndarray:
                if name in states:
                    set_states(fmi, x + h * (np.arange(x.size) == states.index(name)))
                else:
                    fmi.setReal([reference[name]], [value + h])
                return values(fmi, reference, unknowns)

            difference = slope(moved, 1e-4 * max(1.0, abs(value)))
            assert np.array_equal(moved(0.0), start), name
            scale = np.maximum(1.0, np.abs(exact)) + 1e-3 * np.abs(start)
            assert np.max(np.abs(difference - exact) / scale) <= 1e-6, name


@native
@pytest.mark.slow
def test_adjoint_derivatives(fmu: Builder) -> None:
    """FMI 3: of reactions too, the transpose of the directional ones."""
    with guest(fmu("linkage", kind="native", fmi="3.0")) as host:
        host.start(torque=0.7)
        host.step()
        unknowns = [host.references[n] for n in ("push", "bearing", "energy")]
        knowns = [host.references[n] for n in ("torque", "c", "rod")]
        columns = [np.array(host.slave.getDirectionalDerivative(unknowns, [k], [1.0], 5)) for k in knowns]
        weights = np.array([1.0, -2.0, 0.5, 0.3, 0.7])
        row = host.slave.getAdjointDerivative(unknowns, knowns, list(weights), len(knowns))
        assert np.allclose(row, [weights @ c for c in columns], rtol=1e-9, atol=1e-12)


@native
@pytest.mark.slow
def test_directional_derivatives_of_the_assembly(fmu: Builder) -> None:
    """In initialization mode: what held values and tunable parameters do to the assembled state and its reactions."""
    path = fmu("linkage", kind="native")
    unknowns = ["rocker.phi", "rocker.w", "crank.p", "push", "bearing[1]", "energy"]
    with exchange(path) as (fmi, reference):
        for name in ("crank.phi", "crank.w", "rod", "c", "torque"):
            exact = np.array(fmi.getDirectionalDerivative([reference[n] for n in unknowns], [reference[name]], [1.0]))
            value = values(fmi, reference, [name])[0]

            def moved(h: float, name: str = name, value: float = value) -> np.ndarray:
                fmi.setReal([reference[name]], [value + h])
                return values(fmi, reference, unknowns)

            difference = slope(moved, 1e-4)
            moved(0.0)
            assert np.max(np.abs(difference - exact) / np.maximum(1.0, np.abs(exact))) <= 1e-6, name
            if name in ("crank.phi", "rod"):
                assert abs(exact[0]) > 0.1
        with pytest.raises(FMICallException):
            fmi.getDirectionalDerivative([reference["energy"]], [reference["rocker.phi"]], [1.0])


@native
@pytest.mark.slow
def test_output_derivatives(fmu: Builder) -> None:
    """Of first order, reactions too: the slope over a short step."""
    with Host(fmu("linkage", kind="native")) as host:
        host.start(INPUTS["linkage"]).run(5)
        names = [n for n in host.outputs() if not n.startswith("mean")]
        slopes = host.slave.getRealOutputDerivatives([host.references[n] for n in names], [1] * len(names))
        before, h = np.array(host.get(*names)), 1e-6
        host.step(h)
        assert np.allclose(slopes, (np.array(host.get(*names)) - before) / h, rtol=1e-3, atol=1e-3)


# -- building --------------------------------------------------------------------------------------------


@native
@pytest.mark.slow
def test_objects_for_every_platform(tmp_path: Path) -> None:
    """The kernels of a closed model lower to objects of the five platforms, and need the C library only."""
    program = compiled(MODELS["linkage"]()).program
    lowering.write_objects(program, "dopri5_adaptive", list(ALL.values()), "baseline", tmp_path)
    assert all((tmp_path / f"{name}.o").stat().st_size > 1000 for name in ALL)
