"""FMUs with Boolean, integer and enumeration variables: descriptions, values of all importers, wrong types."""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu
from fmpy.fmi1 import FMICallException

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.description.variables import variable_table
from support.hosts.fmus import Builder, Host
from support.hosts.native_instances import guest
from support.hosts.python_slaves import Slaves, messages, reference, start
from support.models.fmu_models import METHODS, shuttle

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
TICK, STEPS = 1 / 128, 64  #: s: a communication step whose multiples are exact
TYPES = {
    "brake": "Boolean", "gear": "Integer", "lever": "Enumeration", "push": "Real", "place": "Real", "far": "Boolean",
    "braked[1]": "Boolean", "braked[2]": "Boolean", "count": "Integer", "direction": "Enumeration",
    "latch.mode": "Enumeration", "rub.mode": "Enumeration", "latch.end": "Real", "rub.end": "Real", "beats": "Real",
    "cart.s": "Real", "cart.v": "Real", "cart.f": "Real", "cart.p": "Real", "time": "Real", "der(cart.s)": "Real",
    "der(cart.p)": "Real",
}  # fmt: skip
#: Values of the inputs from these times on, s.
PLAN = {0.0: (False, 1, 1), 0.125: (False, 3, 1), 0.25: (True, 3, 1), 0.375: (True, 2, -1)}
INPUTS = ("brake", "gear", "lever")
TABLES = {name: (list(PLAN), [row[k] for row in PLAN.values()]) for k, name in enumerate(INPUTS)}


@pytest.fixture
def slaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Slaves:
    return Slaves(tmp_path, monkeypatch)


def simulated() -> mbs.Result:
    """The run of the plan, with a row at each communication point."""
    return mbs.simulate(shuttle(), STEPS * TICK, inputs=TABLES, output_interval=TICK, **METHODS["rk4"])


# -- descriptions ----------------------------------------------------------------------------------------------


def test_description(fmu: Builder) -> None:
    """Every variable has the type of its kind; others than real numbers are discrete, without unit and nominal."""
    path = fmu("shuttle")
    description = read_model_description(str(path))
    assert {v.name: v.type for v in description.modelVariables} == {k: v for k, v in TYPES.items() if ".end" not in k}
    for v in description.modelVariables:
        if v.type != "Real":
            assert (v.variability, v.unit, v.nominal, v.derivative) == ("discrete", None, None, None)
    starts = {v.name: v.start for v in description.modelVariables if v.causality == "input"}
    assert starts == {"brake": "false", "gear": "1", "lever": "1", "push": "3.0"}
    items = {
        v.name: [(i.name, i.value) for i in v.declaredType.items] for v in description.modelVariables if v.declaredType
    }
    assert items["lever"] == items["direction"] == [("back", "-1"), ("neutral", "0"), ("forth", "1")]
    assert items["latch.mode"] == [("released", "-1"), ("engaged", "0")]
    assert [x[0] for x in items["rub.mode"]] == ["slipping_negative", "sticking", "slipping_positive"]


def test_types_of_enumerations_have_names_of_their_own() -> None:
    """Equal enumerations share a type; its name is an identifier, that of no variable and of no other type."""
    m = shuttle()
    m.output("released_engaged", 1.0)
    m.input("other", kind=("back_neutral", "forth"), start="forth")
    m.input("third", kind=("back", "neutral", "forth"), start="forth")  # from 1, the lever from -1
    rows = {row.name: row for row in variable_table(compile_model(m))}
    assert rows["latch.mode"].type == "released_engaged_2"
    assert rows["lever"].type == rows["direction"].type == "back_neutral_forth"
    assert [rows[name].type for name in ("other", "third")] == ["back_neutral_forth_2", "back_neutral_forth_3"]


def test_sets_of_values_have_types(tmp_path: Path) -> None:
    """A set of values in an FMU has the types of SSP, with the names of an enumeration's values."""
    values = {"brake": True, "gear": 3, "lever": -1, "push": 2.5}
    path = mbs.export(shuttle(), tmp_path / "shuttle.fmu", kind="python", parameter_sets={"fast": values})
    with zipfile.ZipFile(path) as archive:
        (file,) = [name for name in archive.namelist() if name.endswith("/fast.ssv")]
        root = ET.fromstring(archive.read(file))
    found = {
        p.get("name"): (p[0].tag.rpartition("}")[2], p[0].get("value"))
        for p in root.iter()
        if p.tag.endswith("}Parameter")
    }
    assert found == {
        "brake": ("Boolean", "true"), "gear": ("Integer", "3"), "lever": ("Enumeration", "back"),
        "push": ("Real", "2.5"),
    }  # fmt: skip
    for wrong, text in (
        ({"gear": 1.5}, "'gear' is 1.5: give a whole number"),
        ({"brake": 2}, "'brake' is 2: it must lie"),
    ):
        with pytest.raises(mbs.ModelError, match=text):
            mbs.export(shuttle(), tmp_path / "wrong.fmu", kind="python", parameter_sets={"fast": wrong})


# -- values ------------------------------------------------------------------------------------------------------


def test_values_of_slaves(slaves: Slaves) -> None:
    """A slave without an importer gives the values of the same steps of `simulate`, to the bit, in the types of FMI."""
    slave, run = slaves(shuttle(), "rk4", step=METHODS["rk4"]["step"]), simulated()
    at = {name: [reference(slave, name)] for name in TYPES if not name.endswith(".end")}
    start(slave)
    for k in range(STEPS):
        if k * TICK in PLAN:
            brake, gear, lever = PLAN[k * TICK]
            slave.set_boolean(at["brake"], [brake])
            slave.set_integer(at["gear"] + at["lever"], [gear, lever])
        assert slave.do_step(k * TICK, TICK), messages(slave)
        if (k + 1) * TICK not in PLAN:
            assert slave.get_real(at["place"]) == [run["place"][k + 1]]
            wholes = slave.get_integer(at["count"] + at["direction"] + at["latch.mode"])
            assert wholes == [run[x][k + 1] for x in ("count", "direction", "latch.mode")]
            assert slave.get_boolean(at["far"] + at["braked[1]"]) == [run["far"][k + 1], run["braked[1]"][k + 1]]
    assert not messages(slave) or "can't" not in messages(slave)


def test_slaves_refuse_wrong_types(slaves: Slaves) -> None:
    """One clear message; nothing is set, and what is read has no value."""
    slave = slaves(shuttle(), "rk4", step=5e-3)
    at = {name: [reference(slave, name)] for name in TYPES if not name.endswith(".end")}
    assert np.isnan(slave.get_real(at["brake"])[0]) and slave.get_boolean(at["gear"]) == [False]
    assert slave.get_integer(at["push"]) == [0] and slave.get_string(at["lever"]) == [""]
    slave.set_real(at["brake"], [1.0])
    slave.set_integer(at["push"] + at["gear"], [4, 4])
    assert slave.get_integer(at["gear"]) == [1]
    for text in (
        "'brake' is a Boolean: fmi2GetReal does not read it", "'gear' is an Integer: fmi2GetBoolean does not read it",
        "'push' is a Real: fmi2GetInteger does not read it",
        "'lever' is an Enumeration: fmi2GetString does not read it",
        "'brake' is a Boolean: fmi2SetReal does not set it", "'push' is a Real: fmi2SetInteger does not set it",
    ):  # fmt: skip
        assert messages(slave).count(text) == 1


def test_slaves_refuse_numbers_of_no_value(slaves: Slaves) -> None:
    """An enumeration keeps its value, before the start and after; the call sets nothing, and the run goes on."""
    slave = slaves(shuttle(), "rk4", step=5e-3)
    lever, gear, direction = ([reference(slave, name)] for name in ("lever", "gear", "direction"))
    for k in range(2):
        for value in (7, -2):
            slave.set_integer(gear + lever, [4, value])
            text = f"input 'lever' is {value}: it must lie within -1 .. 1"
            assert messages(slave).count(text) == k + 1
        assert slave.get_integer(gear + lever + direction) == [1, 1, 1]
        if not k:
            start(slave)
    slave.set_integer(lever, [-1])
    assert slave.do_step(0.0, TICK) and slave.get_integer(direction) == [-1]


def by_fmpy(path: Path, interface: str) -> Any:
    """The plan by fmpy's simulation, with rows at the communication points."""
    types = {v.name: v.type for v in read_model_description(str(path)).modelVariables}
    columns = {"Boolean": np.bool_, "Integer": np.int32, "Int32": np.int32, "Enumeration": np.int64}
    if str(path.name).endswith("2.fmu") or types["push"] == "Real":
        columns["Enumeration"] = np.int32
    signals = np.array(
        [(time, *row, 3.0) for time, row in PLAN.items()],
        dtype=[("time", np.float64), *((name, columns[types[name]]) for name in INPUTS), ("push", np.float64)],
    )
    return simulate_fmu(
        str(path), fmi_type=interface, input=signals, stop_time=STEPS * TICK, output_interval=TICK, step_size=TICK,
        record_events=False, relative_tolerance=1e-9,
    )  # fmt: skip


KINDS = ["python", *(pytest.param(x, marks=[native, pytest.mark.slow]) for x in ("2.0", "3.0"))]


def exported(fmu: Builder, kind: str) -> Path:
    return fmu("shuttle") if kind == "python" else fmu("shuttle", "rk4", "native", kind)


@pytest.mark.parametrize("kind", KINDS)
def test_values_in_fmpy(fmu: Builder, kind: str) -> None:
    """Co-simulation in fmpy gives the values of `simulate` to the bit, with the types of numpy."""
    run, rows = simulated(), by_fmpy(exported(fmu, kind), "CoSimulation")
    assert len(rows) == STEPS + 1
    for name in ("place", "count", "far", "direction"):
        assert np.array_equal(np.asarray(rows[name], dtype=float)[1:], run[name][1:]), name
    assert rows["far"].dtype == np.bool_ and rows["count"].dtype == np.int32
    assert rows["direction"].dtype == (np.int64 if kind == "3.0" else np.int32)
    braked = rows["braked"] if kind == "3.0" else np.column_stack([rows["braked[1]"], rows["braked[2]"]])
    assert np.array_equal(braked.astype(float)[1:], run["braked"][1:])


@native
@pytest.mark.slow
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_model_exchange_in_fmpy(fmu: Builder, fmi: str) -> None:
    """Model exchange gives the same discrete values and, within the solver's tolerance, the same motion."""
    run, rows = simulated(), by_fmpy(exported(fmu, fmi), "ModelExchange")
    found = {round(float(t) / TICK): k for k, t in enumerate(rows["time"])}
    chosen = [found[k] for k in range(1, STEPS + 1)]
    between = [k for k in range(1, STEPS + 1) if k * TICK not in PLAN]
    assert np.abs(rows["place"][chosen] - run["place"][1:]).max() < 1e-4 * np.abs(run["place"]).max()
    for name in ("direction", "count"):
        values = rows[name][[found[k] for k in between]].astype(float)
        assert np.abs(values - run[name][between]).max() <= (3 if name == "count" else 0), name


# -- native: types, wrong types --------------------------------------------------------------------------------


@native
@pytest.mark.slow
def test_wrong_types_of_fmi2(fmu: Builder) -> None:
    """A wrong type is an error with one message; derivatives take real numbers only; a Boolean of 2 is true."""
    with Host(fmu("shuttle", "rk4", "native")) as host:
        slave, at = host.slave, {name: [r] for name, r in host.references.items()}
        for call, text in (
            (lambda: slave.getReal(at["brake"]), "'brake' is a Boolean: fmi2GetReal does not read it"),
            (lambda: slave.setReal(at["gear"], [1.0]), "'gear' is an Integer: fmi2SetReal does not set it"),
            (lambda: slave.getBoolean(at["lever"]), "'lever' is an Enumeration: fmi2GetBoolean does not read it"),
            (lambda: slave.getInteger(at["push"]), "'push' is a Real: fmi2GetInteger does not read it"),
            (lambda: slave.setInteger(at["lever"], [2]), r"input 'lever' is 2: it must lie within -1 .. 1"),
            (lambda: slave.setRealInputDerivatives(at["brake"], [1], [1.0]),
             "'brake' is a Boolean: fmi2SetRealInputDerivatives does not take it"),
        ):  # fmt: skip
            with pytest.raises(FMICallException, match="status 3"):
                call()
            assert [entry[2] for entry in host.log] == [text]
            host.log.clear()
        slave.setBoolean(at["brake"], [2])
        assert slave.getBoolean(at["brake"]) == [True]
        host.start()
        with pytest.raises(FMICallException, match="status 3"):
            slave.getDirectionalDerivative(at["place"], at["gear"], [1.0])
        assert "'gear' is an Integer: fmi2GetDirectionalDerivative does not take it" in host.messages


@native
@pytest.mark.slow
def test_wrong_types_of_fmi3(fmu: Builder) -> None:
    """In FMI 3.0 an integer is an Int32, an enumeration is read and set by the functions for Int64."""
    with guest(fmu("shuttle", "rk4", "native", "3.0")) as host:
        slave, at = host.slave, {name: [r] for name, r in host.references.items()}
        for call, text in (
            (lambda: slave.getFloat64(at["brake"]), "'brake' is a Boolean: fmi3GetFloat64 does not read it"),
            (lambda: slave.setInt64(at["gear"], [1]), "'gear' is an Int32: fmi3SetInt64 does not set it"),
            (lambda: slave.getInt32(at["lever"]), "'lever' is an Enumeration: fmi3GetInt32 does not read it"),
            (lambda: slave.getInt8(at["push"]), "'push' is a Float64: fmi3GetInt8 does not read it"),
            (lambda: slave.setInt64(at["lever"], [2**40]),
             "input 'lever' is 1.09951163e+12: it must lie within -1 .. 1"),
        ):  # fmt: skip
            with pytest.raises(FMICallException, match="status 3"):
                call()
            assert host.messages == [text]
            host.messages.clear()
        with pytest.raises(FMICallException, match="status 3"):
            slave.getBoolean([at["braked"][0] + 1])
        first = at["braked"][0]
        assert f"{first + 1} is that of 'braked[2]': give {first}, that of the array 'braked'" in host.messages.pop()
        slave.setInt64(at["lever"], [-1])
        assert slave.getInt64(at["lever"]) == [-1] and slave.getBoolean(at["braked"], 2) == [False, True]


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_that_a_type_cannot_hold(tmp_path: Path, kind: str) -> None:
    """A fractional integer, one beyond 32 bits, a Boolean of 2 and an enumeration of 0: no value; the log says why."""
    m = mbs.Model("unfit")
    p = m.parameter("p", 1.0)
    m.output("n", p, kind="integer")
    m.output("b", p, kind="boolean")
    m.output("e", p, kind=("off", "on"))
    form = {"kind": "python"} if kind == "python" else {"kind": "native", "fmi": kind, "platforms": "host"}
    path = mbs.export(m, tmp_path / "unfit.fmu", reference=False, method="rk4", step=1e-3, **form)
    whole, truth, item = "a whole number of 32 bits", "0 or 1 (False, True)", "the number of one of its values"
    for value, name, wanted in (
        (0.5, "n", whole), (3e9, "n", whole), (-(2.0**31) - 1, "n", whole), (2.0, "b", truth), (0.0, "e", item),
        (3.0, "e", item), (1.5, "e", item),
    ):  # fmt: skip
        text = f"must be {wanted}"
        if kind == "3.0":
            with guest(path) as instance:
                instance.start(p=value)
                with pytest.raises(FMICallException, match="status 2"):
                    instance.get(name)
                assert text in instance.messages[-1]
            continue
        with Host(path) as host:
            host.start({"p": value})
            if kind == "python":
                assert host.get(name) == [0.0]
            else:
                with pytest.raises(FMICallException, match="status 2"):
                    host.get(name)
            assert text in host.messages


def test_export_warns_of_numbers_that_a_type_cannot_hold(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The reference run finds outputs that FMUs cannot give; the warning names the file, the output and the time."""
    m = mbs.Model("unfit")
    m.output("o", m.parameter("p", 3.0), kind="boolean")
    mbs.export(m, tmp_path / "unfit.fmu", kind="python", reference=False, method="rk4", step=0.5, stop_time=1.0)
    (warned,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert "unfit.fmu: output 'o' of kind boolean was 3 at t = 0 s: it must be 0 or 1 (False, True); FMUs" in warned
