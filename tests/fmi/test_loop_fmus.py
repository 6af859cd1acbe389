"""FMUs of models with closed loops, and of trees with reactions as outputs: both kinds, both versions of FMI."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu

import mbs_fmu as mbs
from mbs_fmu.fmi.description.variables import guessed
from mbs_fmu.infrastructure.messages.failures import message
from mbs_fmu.run.simulate import compiled
from support.cases import tiers
from support.comparisons import assert_close
from support.hosts.fmus import DISCARD, Builder, Host, description
from support.models.fmu_models import METHODS, MODELS, inputs_of_loops
from support.models.kernel_coverage import struck

pytestmark = pytest.mark.usefixtures("plain_by_default")

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
KINDS = ["python", pytest.param("native", marks=[native, pytest.mark.slow])]
LOOPED = tiers(["hoist", "linkage", "four_bar", "bob", "stewart_platform"], usual=1)
TICK = 1 / 128  #: a communication step whose multiples are exact


# -- description -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", LOOPED)
def test_fmpy_finds_no_problems(fmu: Builder, model: str, kind: str) -> None:
    """fmpy's validation reports nothing, in both versions of FMI."""
    for version in ("2.0", "3.0") if kind == "native" else ("2.0",):
        assert validate_fmu(str(fmu(model, kind=kind, fmi=version))) == []


@pytest.mark.slow
def test_assembled_start_values_are_approximate(fmu: Builder) -> None:
    """Held start values are exact, the others approximate, each with a start value; reactions depend on all knowns."""
    variables = {v.get("name", ""): v for v in description(fmu("four_bar")).iter("ScalarVariable")}
    for name, initial in {
        "crank.phi": "exact", "crank.w": "exact", "coupler.phi": "approx", "rocker.phi": "approx",
        "coupler.w": "approx", "rocker.w": "approx", "crank.p": "calculated",
    }.items():  # fmt: skip
        assert variables[name].get("initial") == initial, name
        assert (variables[name].find("Real").get("start") is None) == (initial == "calculated")  # type: ignore[union-attr]
    assert guessed(compiled(MODELS["hoist"]()).program) == set()
    root = description(fmu("linkage"))
    variables = list(root.iter("ScalarVariable"))
    names = [v.get("name", "") for v in variables]
    known = {v.get("name", "") for v in variables if v.get("causality") in ("independent", "input")}
    on_all = set()
    for unknown in root.findall("ModelStructure/Outputs/Unknown"):
        if {names[int(k) - 1] for k in (unknown.get("dependencies") or "").split()} >= known:
            on_all.add(names[int(unknown.get("index", "0")) - 1])
    vectors = {f"{name}[{k}]" for name in ("bearing", "jolt") for k in (1, 2, 3)}
    assert on_all == {"push", "mean_push", "residual"} | vectors


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_at_rest_the_derivatives_are_zero(fmu: Builder, kind: str) -> None:
    """A mass of 1 kg hangs at rest on a string made by m.close."""
    with Host(fmu("bob", kind=kind)) as host:
        host.start({"carriage.s": 0.0, "mass.s": -1.0})
        names = ("der(carriage.s)", "der(mass.s)", "der(carriage.p)", "der(mass.p)")
        assert_close(host.get(*names), 0.0, 1e-14 * 9.81, "value", names)


# -- the same numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", tiers(["rk4", "dopri5_fixed"], usual=1))
@pytest.mark.parametrize("model", LOOPED)
def test_fixed_steps_give_the_numbers_of_simulate(fmu: Builder, model: str, method: str, kind: str) -> None:
    """With the same fixed step and exact communication points every column is equal, bit for bit."""
    inputs = inputs_of_loops(model)
    result = mbs.simulate(MODELS[model](), 60 * TICK, inputs=inputs, output_interval=TICK, **METHODS[method])
    with Host(fmu(model, method, kind)) as host:
        host.start(inputs)
        names = list(host.references)
        rows = np.vstack([host.all(), host.run(60, TICK)])
        for name in result.columns[1:]:
            assert np.array_equal(rows[:, names.index(name)], result[name]), name


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", LOOPED)
def test_adaptive_steps(fmu: Builder, model: str, kind: str) -> None:
    """With error control at 1e-7 results are within 1e-5 of `simulate` at 1e-10."""
    inputs = inputs_of_loops(model)
    result = mbs.simulate(MODELS[model](), 1.0, inputs=inputs, output_interval=0.05, rtol=1e-10, atol=1e-12)
    with Host(fmu(model, "dopri5", kind)) as host:
        rows = host.start(inputs).run(20, 0.05)
        names = list(host.references)
        for name in (n for n in result.columns[1:] if not n.startswith(("mean", "residual"))):
            scale = max(1.0, float(np.max(np.abs(result[name]))))
            assert np.max(np.abs(rows[:, names.index(name)] - result[name][1:])) <= 1e-5 * scale, name


@native
@pytest.mark.slow
@pytest.mark.parametrize("model", LOOPED)
def test_native_equals_python(fmu: Builder, model: str) -> None:
    """With error control both kinds make the same steps, with numbers within 1e-12."""
    with Host(fmu(model, "dopri5", "native")) as one, Host(fmu(model, "dopri5")) as other:
        assert one.references == other.references
        a, b = (host.start(inputs_of_loops(model)).run(30) for host in (one, other))
        scale = np.maximum(np.max(np.abs(b), axis=0), 1e-1)
        assert_close(a, b, 1e-12 * scale, "value", list(one.references), 0.01 * np.arange(1, 31))


# -- start -----------------------------------------------------------------------------------------------


def closed_four_bar(host: Host, ground: float) -> bool:
    """True if the ends of coupler and rocker coincide in the host's values."""
    a, b, c = host.get("crank.phi", "coupler.phi", "rocker.phi")
    ends = np.exp(1j * a) + 2.0 * np.exp(1j * (a + b)), ground + 1.5 * np.exp(1j * c)
    return bool(abs(ends[0] - ends[1]) <= 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_assembly_follows_what_is_set(fmu: Builder, kind: str) -> None:
    """Parameters and start values set in initialization mode, also after a reset: the loop closes, held values stay."""
    with Host(fmu("four_bar", kind=kind)) as host:
        host.begin()
        assert closed_four_bar(host, 2.0)
        host.set({"ground": 2.2})
        assert closed_four_bar(host, 2.2)
        host.set({"crank.phi": 1.0, "coupler.phi": -0.7})
        assert closed_four_bar(host, 2.2)
        assert host.get("crank.phi", "crank.w") == pytest.approx([1.0, 1.0], rel=1e-14)
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


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_guessed_velocities_start_as_in_simulate(tmp_path: Path, kind: str) -> None:
    """An impact turns guesses of the model or an importer into the same bits as in `simulate`."""
    model, other = struck(("bar0",)), {"bar1.w": -3.0, "bar2.w": 5.0}
    path = mbs.export(model, tmp_path / "struck.fmu", kind, platforms="host" if kind == "native" else "all", step=1e-3)
    names = [f"bar{k}.w" for k in range(5)]
    with Host(path) as host:
        for guesses in ({}, other):
            host.start(guesses)
            first = mbs.simulate(model, TICK, method="rk4", step=1e-3, output_interval=TICK, start=guesses)
            assert host.get(*names) == [first[name][0] for name in names]
            assert first["bar1.w"][0] != guesses.get("bar1.w", 2.0)
            host.slave.reset()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_assembly_is_logged(fmu: Builder, kind: str) -> None:
    """The assembly's iterations, residual and redundant rows are logged as information."""
    with Host(fmu("four_bar", kind=kind)) as host:
        host.start()
        news = "\n".join(text for _, category, text in host.news if category == "info")
    assert "assembled in 5 steps, residual 0" in news
    assert ("2 of 5 constraint rows are independent" if kind == "native" else "already implied") in news


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("start_values", tiers({"pin": {"ground": 9.0}, "rod": {"rod": 3.0}}, usual=1))
def test_a_failed_assembly_is_an_error(fmu: Builder, kind: str, start_values: Mapping[str, float]) -> None:
    """A loop that cannot close is an error with the message; with better values the start succeeds."""
    model, loop = ("four_bar", "pin") if "ground" in start_values else ("linkage", "rod")
    with Host(fmu(model, kind=kind)) as host:
        host.begin(start_values)
        if kind == "native":
            with pytest.raises(FMICallException):
                host.slave.exitInitializationMode()
            text = host.messages
            host.set({"ground": 2.0} if "ground" in start_values else {"rod": 1.1})
            host.slave.exitInitializationMode()
        else:
            host.slave.exitInitializationMode()
            text = host.messages
            assert np.isnan(host.get("energy")[0])
            host.slave.reset()
            host.start()
        assert f"loop '{loop}' does not close" in text and "start nearer to a closed position" in text
        assert np.all(np.isfinite(host.run(3)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", tiers(["stretched_arm", "turned_body"], usual=1))
def test_loops_far_open_close_as_in_simulate(fmu: Builder, model: str, kind: str) -> None:
    """Of a body half a turn away, and of a singular start: coordinates are those of the package's own start."""
    wanted = mbs.assemble(MODELS[model]())
    with Host(fmu(model, kind=kind)) as host:
        host.start()
        assert host.get("open")[0] < 1e-12
        names = [name for name in wanted if name in host.references]
        assert len(names) > 2
        assert_close(host.get(*names), np.array([wanted[name] for name in names]), 1e-9, "start of the FMU")


# -- states ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
@pytest.mark.parametrize("model", tiers(["hoist", "linkage", "four_bar"], usual=1))
def test_a_restored_state_has_the_same_future(fmu: Builder, model: str, method: str, kind: str) -> None:
    """A state saved just after an input change, restored or serialized into another instance: the same bits."""
    path = fmu(model, method, kind)
    with Host(path) as host, Host(path, beside=host, name="other") as other:
        host.start(inputs_of_loops(model)).run(13)
        host.set({name: 1.5 * value for name, value in inputs_of_loops(model).items()})
        host.all()
        state = host.slave.getFMUstate()
        data = host.slave.serializeFMUstate(state)
        expected = host.run(20)
        host.restore(state)
        other.start()  # pythonfmu frees no state of an instance that was never started
        assert np.array_equal(host.run(20), expected)
        copy = other.slave.deSerializeFMUstate(data)
        other.restore(copy)
        assert np.array_equal(other.run(20), expected)
        for owner, saved in ((host, state), (other, copy)):
            owner.slave.freeFMUstate(saved)


@pytest.mark.parametrize("kind", KINDS)
def test_reading_changes_nothing(fmu: Builder, kind: str) -> None:
    """After a change in flight of a parameter of a loop, reads before the step leave the future unchanged."""
    path = fmu("linkage", "rk4", kind)
    with Host(path) as one, Host(path) as other:
        for host in (one, other):
            host.start().run(10)
            host.set({"rod": 1.1001, "torque": 0.3})
        one.all()
        assert np.array_equal(one.run(5), other.run(5))
        assert one.get("residual")[0] <= 1e-9


# -- steps that fail -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_loop_open_beyond_its_bound(fmu: Builder, kind: str) -> None:
    """A step with residuals above the bound is discarded with the message; a gentler step succeeds."""
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


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_contradictory_prescribed_motions(fmu: Builder, kind: str) -> None:
    """A step with contradictory prescribed motions is discarded with drive and time, bit for bit; consistent ones
    succeed. A start with such inputs fails with the same message; after a reset all is as at first.
    """
    path = fmu("parted", kind=kind)
    sentence = "drive 'drive_b' can't be followed at t = 0.05 s: whatever the free joints do, loop 'pin' opens by 0.25 "
    with Host(path) as host, Host(path) as plain:
        for one in (host, plain):
            one.start({"v_a": 1.0, "v_b": 1.0}).run(5)
        host.set({"v_b": 1.25})
        before = host.all()
        with pytest.raises(FMICallException) as caught:
            host.step()
        assert caught.value.status == DISCARD and sentence in host.messages
        assert np.array_equal(host.all(), before)
        host.set({"v_b": 1.0})
        assert np.array_equal(host.run(5), plain.run(5))
        host.slave.reset()
        host.begin({"v_a": 1.0, "v_b": 1.25}, start=0.07)
        with contextlib.suppress(FMICallException):  # the Python kind has only the message and the steps
            host.slave.exitInitializationMode()
        assert sentence.replace("0.05", "0.07") in host.messages
    with Host(path) as host:
        host.start({"v_a": 1.0, "v_b": 1.0}).run(3)
        host.slave.reset()
        rows = host.start({"v_a": 1.0, "v_b": 1.0}).run(5)
    with Host(path) as fresh:
        assert np.array_equal(fresh.start({"v_a": 1.0, "v_b": 1.0}).run(5), rows)
