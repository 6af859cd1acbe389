"""Writes are accepted as a whole or not at all; reads change no future; the number of internal steps is limited."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException

import mbs_fmu as mbs
from mbs_fmu.fmi.python_slave import ModelSlave
from support.cases import tiers
from support.comparisons import assert_close
from support.hosts.fmus import DISCARD, ERROR, Builder, Host
from support.hosts.native_instances import guest
from support.hosts.python_slaves import Slaves, everything, messages, reference, set_values, start
from support.models.fmu_models import METHODS, MODELS, inputs_of_loops

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
KINDS = ["python", pytest.param("native", marks=[native, pytest.mark.slow])]
SETTINGS = {"rk4": {"step": 5e-3}, "dopri5": {"rtol": 1e-7, "atol": 1e-9}}
READ = ("governor", "driven", "linkage", "pushed", "gyro", "four_bar", "bob", "hoist")


@pytest.fixture
def slaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Slaves:
    return Slaves(tmp_path, monkeypatch)


# -- writes before the start ---------------------------------------------------------------------------------


@pytest.mark.parametrize("model", tiers(("vectors", "governor", "pounder", *READ[1:]), usual=1))
def test_writes_change_only_named_variables(slaves: Slaves, model: str) -> None:
    """After random writes, reads return the written values bit for bit, and all other settable values are unchanged;
    velocities, which are computed from momenta, up to round-off (1e-16, times the condition of mass matrices). Without
    guesses, which the assembly changes, and quaternions, which are normalised.
    """
    slave, rng = slaves(MODELS[model](), "rk4", step=5e-3), np.random.default_rng(6)
    program = slave._runtime.program
    turned = {slot + k for slot in program.quaternions.values() for k in range(4)}
    rows = [row for row in slave._table if row.settable != "never" and not row.solved and row.slot not in turned]
    known = {row.reference: row.start for row in rows}
    tolerance = [1e-10 if row.role == "rate" else 0.0 for row in rows]
    for _ in range(10):
        chosen = rng.permutation(list(known))[: rng.integers(1, len(rows) + 1)].tolist()
        known |= {k: (slave._table[k].start or 0.0) * (1.0 + 1e-3 * rng.random()) for k in chosen}
        slave.set_real(chosen, [known[k] for k in chosen])
        actual, wanted = np.array(slave.get_real(list(known))), np.array(list(known.values()))
        bound = np.array(tolerance) * (1.0 + np.abs(wanted))
        assert_close(actual, wanted, bound, "variable", [row.name for row in rows])
    assert not messages(slave)


def test_reads_after_a_failed_start(slaves: Slaves) -> None:
    """Settable variables read as set; computed ones are NaN, and the log has the reason."""
    slave = slaves(MODELS["vectors"](), "rk4", step=5e-3)
    set_values(slave, {"late[2]": 8.0, "level": -1.0})
    names = ("late[1]", "late[2]", "late[3]", "bob.phi", "push", "level")
    assert slave.get_real([reference(slave, name) for name in names]) == [1.0, 8.0, 3.0, 0.3, 0.25, -1.0]
    assert math.isnan(slave.get_real([reference(slave, "root")])[0])
    assert "mass of body 'ball'" in messages(slave)


# -- reads -----------------------------------------------------------------------------------------------


def python_run(slave: ModelSlave, values: dict[str, float], read: Callable[[ModelSlave], object]) -> np.ndarray:
    """State of the record after a run in which `read` is called wherever an importer may read."""
    read(slave)
    slave.setup_experiment(0.5, tolerance=1e-3)
    read(slave)
    set_values(slave, {name: 0.5 * value for name, value in values.items()})
    read(slave)
    slave.exit_initialization_mode()
    for k in range(3):
        set_values(slave, {name: value * (1 + k) for name, value in values.items()})
        read(slave)
        assert slave.do_step(0.5 + 0.05 * k, 0.05), messages(slave)
        read(slave)
    return slave._record[slave._runtime.program.state_slice].copy()


@pytest.mark.parametrize("method", SETTINGS)
@pytest.mark.parametrize("model", tiers(READ, usual=1))
def test_reading_changes_no_future(slaves: Slaves, model: str, method: str) -> None:
    """Reads before, during and after initialization and around every step leave all bits unchanged."""
    made = MODELS[model]()
    ends = [
        python_run(slaves(made, method, **SETTINGS[method]), inputs_of_loops(model), read)
        for read in (lambda slave: None, everything)
    ]
    assert ends[0].size and np.array_equal(*ends)


def test_reads_follow_the_start_time(slaves: Slaves) -> None:
    """Values read before and after the start time is set are those of the respective time."""
    slave = slaves(MODELS["swing"](), "rk4", step=5e-3)
    clock = [reference(slave, "clock")]
    assert slave.get_real(clock) == [0.0]
    slave.setup_experiment(2.0)
    assert slave.get_real(clock) == [2.0]


@native
@pytest.mark.slow
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
@pytest.mark.parametrize("model", ["gyro", "driven", "four_bar", "linkage", "bob"])
def test_reading_changes_no_future_of_native_fmus(fmu: Builder, model: str, method: str) -> None:
    """The same for native FMUs, with directional and output derivatives read too."""
    values, ends = inputs_of_loops(model), []

    def read(host: Host, started: bool) -> None:
        host.all()
        unknowns = [host.references[name] for name in host.outputs() if not name.startswith("mean")]
        knowns = [host.references[name] for name in values]
        if started and knowns:
            host.slave.getDirectionalDerivative(unknowns, knowns[:1], [1.0])
        if started and host.time > 0.0:
            host.slave.getRealOutputDerivatives(unknowns, [1] * len(unknowns))

    for reads in (False, True):
        with Host(fmu(model, method, "native")) as host:
            read(host, False) if reads else None
            host.begin({}, tolerance=1e-3)  # which decides where loops are projected
            read(host, True) if reads else None
            host.slave.exitInitializationMode()
            for k in range(3):
                host.set({name: value * (1 + k) for name, value in values.items()})
                read(host, True) if reads else None
                host.step(0.05)
                read(host, True) if reads else None
            ends.append(host.all())
    assert np.array_equal(*ends)


# -- writes ----------------------------------------------------------------------------------------------


def refused(host: Host, references: list[int], values: list[float]) -> str:
    """Message of a refused write; a native FMU returns an error too."""
    host.log.clear()
    try:
        host.slave.setReal(references, values)
    except FMICallException as error:
        assert error.status == ERROR
    assert host.log
    return host.messages


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("running", [False, True])
def test_a_refused_write_changes_nothing(fmu: Builder, kind: str, running: bool) -> None:
    """One invalid entry (computed, unknown, out of range, not a number), first or last, leaves all values unchanged."""
    wrong = [("speed", 1.0, "computed"), ("", 1.0, "does not exist")]
    if kind == "native" or running:
        wrong += [("d", math.nan, "'d' is nan"), ("d", -1.0, "'d' is -1"), ("d", math.inf, "'d' is inf")]
    if kind == "native":
        wrong += [("torque", math.nan, "'torque' is nan")]
    for name, value, word in wrong:
        with Host(fmu("governor", kind=kind)) as host:
            host.start({"c": 400.0}) if running else host.begin({"c": 400.0})
            other, good = host.references.get(name, 9999), host.references["c"]
            assert word in refused(host, [good, other], [9.0, value])
            assert host.get("c") == [400.0]
            assert word in refused(host, [other, good], [value, 9.0])
            assert host.get("c") == [400.0]


@native
@pytest.mark.slow
def test_refused_input_derivatives_change_nothing(fmu: Builder) -> None:
    """After an input derivative that is not a number the step has constant inputs, bit for bit."""
    with Host(fmu("thickened", kind="native")) as host, Host(fmu("thickened", kind="native")) as plain:
        for one in (host, plain):
            one.start({"torque": 2.0})
        torque = host.references["torque"]
        with pytest.raises(FMICallException):
            host.slave.setRealInputDerivatives([torque, torque], [1, 1], [30.0, math.nan])
        assert np.array_equal(host.run(1), plain.run(1))


@native
@pytest.mark.slow
def test_a_refused_write_changes_nothing_in_fmi3(fmu: Builder) -> None:
    """The same for arrays of values in FMI 3."""

    with guest(fmu("governor", kind="native", fmi="3.0")) as host:
        host.start()
        c, torque = (host.references[name] for name in ("c", "torque"))
        before = host.get("c", "torque")
        for references, values in (([c, torque], [9.0, math.nan]), ([torque, c], [1.0, -1.0]), ([c, 9999], [9.0, 1.0])):
            with pytest.raises(FMICallException):
                host.slave.setFloat64(references, values)
            assert np.array_equal(host.get("c", "torque"), before)


def test_unknown_references_leave_others_up_to_date(slaves: Slaves) -> None:
    """Variables read beside an unknown reference are up to date."""
    slave = slaves(MODELS["governor"](), "rk4", **SETTINGS["rk4"])
    start(slave, {"torque": 0.8})
    set_values(slave, {"torque": 1.6})
    unknown, force = len(slave._table), reference(slave, "der(shaft.p)")
    value, nothing = slave.get_real([force, unknown])
    assert math.isnan(nothing) and value == slave.get_real([force])[0] == pytest.approx(1.6)


# -- internal steps --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_internal_steps_are_limited(slaves: Slaves, method: str) -> None:
    """The allowed number of internal steps succeeds; with one more the step is discarded with the number and the
    remedy, and the record is as before, bit for bit.
    """
    slave = slaves(MODELS["governor"](), method, **SETTINGS[method], max_internal_steps=10)
    start(slave, {"torque": 0.8})
    assert slave.do_step(0.0, 0.02)
    before = everything(slave)
    size = 0.0501 if method == "rk4" else 10.0
    slave.log_queue.clear()
    assert not slave.do_step(0.02, size)
    assert f"a communication step of {size:g} s takes more than 10 internal steps" in messages(slave)
    assert "max_internal_steps" in messages(slave) and "stands at t = 0.02 s" in messages(slave)
    assert everything(slave) == before
    assert slave.do_step(0.02, 0.05 if method == "rk4" else 0.02)


@native
@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_internal_steps_of_native_fmus_are_limited(tmp_path: Path, method: str, version: str) -> None:
    """The same for native FMUs, also where FMI 3 reports every internal step."""

    path = mbs.export(
        MODELS["governor"](), tmp_path / "governor.fmu", "native", fmi=version, platforms="host", stop_time=0.1,
        max_internal_steps=10, **METHODS[method],
    )  # fmt: skip
    size = 0.0101 if method == "rk4" else 10.0

    def judge(step: Callable[[float], object], seen: Callable[[], object], message: Callable[[], str]) -> None:
        step(0.01)
        before = seen()
        with pytest.raises(FMICallException) as caught:
            step(size)
        assert caught.value.status == DISCARD
        assert "takes more than 10 internal steps" in message() and "max_internal_steps" in message()
        assert np.array_equal(before, seen())
        step(0.01)

    if version == "2.0":
        with Host(path) as host:
            host.start({"torque": 0.8})
            judge(host.step, host.all, lambda: host.messages)
        return
    for options in ({}, {"intermediateUpdate": lambda *arguments: None}):
        with guest(path, **options) as one:
            one.start(torque=0.8)
            judge(one.step, lambda: one.get("time", "speed", "energy"), lambda: "\n".join(one.messages))


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "10", math.nan, 2**60])
def test_a_limit_is_a_whole_number(value: object, tmp_path: Path) -> None:
    """Export refuses a limit of internal steps that is not a positive integer."""
    with pytest.raises(mbs.ModelError, match=r"max_internal_steps is .*: give a whole number"):
        mbs.export(MODELS["swing"](), tmp_path / "swing.fmu", max_internal_steps=value)  # type: ignore[arg-type]
