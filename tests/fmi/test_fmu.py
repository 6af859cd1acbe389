"""Laws of FMUs: valid descriptions, the numbers of `simulate`, states, cache."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy.validation import validate_fmu

import mbs_fmu as mbs
from mbs_fmu.codegen.loader import KernelKey
from mbs_fmu.fmi.description.variables import variable_table
from mbs_fmu.record.program import Program
from mbs_fmu.run.runtime import Runtime
from mbs_fmu.symbolic.units import UNITS
from support.cases import tiers
from support.hosts.fmus import ERROR, NAN, WARNING, Builder, Host, assert_discards, description, environment, python
from support.models.fmu_models import INPUTS, METHODS, MODELS, MOVING, SOUND
from support.paths import ROOT

# -- description -------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", tiers(SOUND, usual=1))
def test_fmpy_finds_no_problems(fmu: Builder, model: str) -> None:
    """fmpy's validation reports nothing about schema, references, units and model structure."""
    assert validate_fmu(str(fmu(model))) == []


def test_the_page_of_fmus_lists_every_file(fmu: Builder) -> None:
    """Each file of an FMU, or a folder that contains it, is in the table of docs/fmu.md."""
    rows = (ROOT / "docs" / "fmu.md").read_text("utf-8").partition("| file | content |")[2].partition("\n\n")[0]
    listed = {word for row in rows.splitlines()[2:] for word in re.findall(r"`([^`]+)`", row.split("|")[1])}
    with zipfile.ZipFile(fmu("governor")) as archive:
        for path in (name for name in archive.namelist() if not name.endswith("/")):
            folders = [str(folder) for folder in Path(path).parents]
            known = {path, Path(path).name, *folders} & listed or re.fullmatch(r"resources/\w+_[0-9a-f]+\.py", path)
            assert known, f"add {path} to the table of files in docs/fmu.md"


@pytest.mark.parametrize("model", tiers(SOUND, usual=1))
def test_description_is_the_variable_table(fmu: Builder, model: str) -> None:
    """Names, value references, causalities, variabilities, units, starts and bounds are those of the table; references
    are unique, every unit is defined, every variable of the mechanism has a description.
    """
    with zipfile.ZipFile(fmu(model)) as archive:
        text = archive.read("resources/program.json").decode()
    table = variable_table(Program.from_json(text, ""))
    root = description(fmu(model))
    defined = {u.get("name") for u in root.iter("Unit")}
    listed = root.findall("ModelVariables/ScalarVariable")
    assert len(listed) == len(table) and len({v.get("valueReference") for v in listed}) == len(listed)
    for element, row in zip(listed, table, strict=True):
        real = element.find("Real")
        assert real is not None
        assert element.get("name") == row.name and element.get("valueReference") == str(row.reference)
        assert (element.get("causality"), element.get("variability")) == (row.causality, row.variability)
        assert real.get("unit") == row.unit and (row.unit is None or row.unit in UNITS and row.unit in defined)
        assert row.nominal is not None or row.unit in (None, "s") or "regulator" in model  # which has no mechanism
        for attribute, value in (("start", row.start), ("min", row.low), ("max", row.high), ("nominal", row.nominal)):
            text = real.get(attribute)
            assert value is None if text is None else float(text) == value
        assert element.get("description")


@pytest.mark.parametrize("model", tiers(SOUND, usual=1))
def test_base_units_have_the_dimension_of_the_unit(fmu: Builder, model: str) -> None:
    """Each defined unit has the exponents of the table of units."""
    for unit in description(fmu(model)).iter("Unit"):
        base = unit.find("BaseUnit")
        assert base is not None
        exponents = tuple(int(base.get(name, "0")) for name in ("kg", "m", "s", "A", "K", "rad"))
        assert exponents == UNITS[unit.get("name", "")].exponents


def dependencies(path: Path, section: str) -> dict[str, set[str]]:
    """Names of the dependencies of each unknown of ModelStructure; the attribute must exist."""
    root = description(path)
    names = [v.get("name", "") for v in root.findall("ModelVariables/ScalarVariable")]
    by_unknown = {}
    for unknown in root.findall(f"ModelStructure/{section}/Unknown"):
        attribute = unknown.get("dependencies")
        assert attribute is not None
        by_unknown[names[int(unknown.get("index", "0")) - 1]] = {names[int(k) - 1] for k in attribute.split()}
    return by_unknown


def test_no_false_algebraic_loop(fmu: Builder) -> None:
    """Outputs computed from states depend on no input, a feedthrough output on its inputs only."""
    assert not any(dependencies(fmu("governor"), "Outputs").values())
    assert dependencies(fmu("speed_regulator"), "Outputs") == {"torque": {"speed", "set_point"}}
    assert dependencies(fmu("pi_speed_regulator"), "Outputs") == {"torque": {"speed", "set_point"}}
    gyro = dependencies(fmu("gyro"), "Outputs")
    assert gyro.pop("pull") == {"push"}
    assert not any(gyro.values())


@pytest.mark.parametrize("model", ["governor", "speed_regulator", "pi_speed_regulator", "gyro"])
def test_output_reads_no_input_but_its_dependencies(fmu: Builder, model: str) -> None:
    """An input that is not a number makes exactly the outputs that depend on it NaN."""
    listed = dependencies(fmu(model), "Outputs")
    inputs = [v.name for v in Host(fmu(model)).description.modelVariables if v.causality == "input"]
    for name in inputs:
        with Host(fmu(model)) as host:
            host.start(INPUTS.get(model, {}))
            before = dict(zip(listed, host.get(*listed), strict=True))
            host.set({name: NAN})
            for output, value in zip(listed, host.get(*listed), strict=True):
                assert math.isnan(value) if name in listed[output] else value == before[output]


@pytest.mark.parametrize("model", ["governor", "pi_speed_regulator", "gyro", "top"])
def test_initial_output_reads_nothing_but_its_dependencies(fmu: Builder, model: str) -> None:
    """A slightly changed start value or parameter changes only the initial outputs that list it as known."""
    listed = dependencies(fmu(model), "InitialUnknowns")
    with Host(fmu(model)) as host:
        assert list(listed) == host.outputs()
        host.begin(INPUTS.get(model, {}))
        starts = {v.name: host.get(v.name)[0] for v in host.description.modelVariables if v.start is not None}
        before = host.get(*listed)
        for name, value in starts.items():
            host.set(starts | {name: value + 1e-4})
            for output, old, new in zip(listed, before, host.get(*listed), strict=True):
                assert name in listed[output] or abs(new - old) <= 1e-14 * (1.0 + abs(old)), (name, output)


# -- archive -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_archive_repeats_byte_for_byte(fmu: Builder, tmp_path: Path) -> None:
    """The same model gives the same file, exported again and in a process with another hash seed."""
    first = fmu("governor").read_bytes()
    again = mbs.export(
        MODELS["governor"](), tmp_path / "governor.fmu", stop_time=1.0, communication_step=0.01, **METHODS["rk4"]
    )
    assert again.read_bytes() == first
    code = (
        "import sys; from pathlib import Path; from support.hosts.fmus import Builder; "
        "print(Builder(Path(sys.argv[1]))('governor'))"
    )
    other = python(code, str(tmp_path), PYTHONHASHSEED="77")
    assert other.returncode == 0, other.stderr
    assert Path(other.stdout.split()[-1]).read_bytes() == first


def test_other_model_or_setting_has_another_guid(fmu: Builder) -> None:
    """Two FMUs that differ in model or method differ in their guid."""
    builds = [("governor", "rk4"), ("governor", "dopri5"), ("governor", "dopri5_fixed"), ("thickened", "rk4")]
    assert len({description(fmu(*build)).get("guid") for build in builds}) == len(builds)


# -- numbers -----------------------------------------------------------------------------------------


def largest_difference(host: Host, rows: np.ndarray, result: mbs.Result) -> float:
    """Largest difference of the variables in the result, each relative to its largest magnitude."""
    worst = 0.0
    for name, column in zip(host.references, rows.T, strict=True):
        if name in result:
            scale = max(float(np.max(np.abs(result[name]))), 1e-3)
            worst = max(worst, float(np.max(np.abs(column - result[name][1:]))) / scale)
    return worst


@pytest.mark.parametrize("method", tiers(["rk4", "dopri5_fixed"], usual=1))
@pytest.mark.parametrize("model", tiers(MOVING, usual=1))
def test_fixed_steps_give_what_simulate_gives(fmu: Builder, model: str, method: str) -> None:
    """With the same method and step every variable is as in `simulate` up to round-off of the clock."""
    inputs = INPUTS.get(model, {}) | ({"set_point": 10.0} if model == "pi_speed_regulator" else {})
    result = mbs.simulate(MODELS[model](), 1.0, inputs=inputs, output_interval=0.01, **METHODS[method])
    with Host(fmu(model, method)) as host:
        rows = host.start(inputs).run(100)
        assert set(result.columns) <= set(host.references)
        assert largest_difference(host, rows, result) <= 1e-12


@pytest.mark.parametrize("model", tiers(MOVING, usual=1))
def test_error_control_keeps_its_tolerance(fmu: Builder, model: str) -> None:
    """With error control, ten communication steps are within 10 rtol of an accurate reference."""
    inputs = INPUTS.get(model, {}) | ({"set_point": 10.0} if model == "pi_speed_regulator" else {})
    rtol = METHODS["dopri5"]["rtol"]
    tight = mbs.simulate(MODELS[model](), 1.0, inputs=inputs, output_interval=0.1, rtol=1e-13, atol=1e-15)
    with Host(fmu(model, "dopri5")) as host:
        rows = host.start(inputs).run(10, 0.1)
        assert largest_difference(host, rows, tight) <= 10 * rtol


def test_importer_sets_the_tolerance(fmu: Builder) -> None:
    """The tolerance of setupExperiment replaces the FMU's own, and the error follows it."""
    tight = mbs.simulate(MODELS["gyro"](), 1.0, inputs=INPUTS["gyro"], output_interval=0.1, rtol=1e-13, atol=1e-15)
    errors = []
    for tolerance in (1e-5, 1e-7, 1e-9):
        with Host(fmu("gyro", "dopri5")) as host:
            rows = host.start(INPUTS["gyro"], tolerance=tolerance).run(10, 0.1)
            errors.append(largest_difference(host, rows, tight))
            assert errors[-1] <= 10 * tolerance
    assert errors[0] > 30 * errors[1] > 900 * errors[2]


@pytest.mark.parametrize("model", tiers(MOVING, usual=1))
def test_communication_step_does_not_matter(fmu: Builder, model: str) -> None:
    """If the internal step divides both, one long communication step equals many short ones."""
    ends = []
    for parts in (1, 10, 100):
        with Host(fmu(model)) as host:
            ends.append(host.start(INPUTS.get(model)).run(parts, 0.1 / parts)[-1])
    assert ends[1] == pytest.approx(ends[0], rel=1e-12, abs=1e-13)
    assert ends[2] == pytest.approx(ends[0], rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("start", [0.0, 3.0, -2.5])
def test_time_starts_where_the_importer_says(fmu: Builder, start: float) -> None:
    """The FMU's time begins at the start time, in laws, in outputs and in its independent variable."""
    with Host(fmu("swing")) as host:
        host.start(start=start)
        assert host.get("time", "clock", "speed") == [start, start, 0.0]
        for k in range(1, 101):
            host.step(0.01)
            time, clock, speed = host.get("time", "clock", "speed")
            assert time == clock == pytest.approx(start + 0.01 * k, abs=1e-13)
            assert speed == pytest.approx(math.sin(time) - math.sin(start), abs=1e-12)


def test_start_values_and_parameters_set_by_the_importer(fmu: Builder) -> None:
    """A run from values set in initialization mode is `simulate` of a model with those values."""
    m = MODELS["governor"]()
    m.start("arm", q=(0.25, 0.1, -0.2), u=(0.0, 0.5, 0.0))
    m.start("shaft", u=(4.0,))
    result = mbs.simulate(
        m, 1.0, inputs={"torque": 0.3}, parameters={"c": 300.0, "b": 0.0}, output_interval=0.01, **METHODS["rk4"]
    )
    values = {"arm.q[1]": 0.25, "arm.q[2]": 0.1, "arm.q[3]": -0.2, "arm.u[2]": 0.5, "shaft.w": 4.0}
    with Host(fmu("governor")) as host:
        host.begin(values | {"c": 300.0, "b": 0.0, "torque": 0.3})
        assert host.get("slide", "alpha", "speed") == pytest.approx([0.25, 0.1, 4.0], rel=1e-14)
        host.slave.exitInitializationMode()
        assert largest_difference(host, host.run(100), result) <= 1e-12


def test_start_values_do_not_depend_on_how_they_are_set(fmu: Builder) -> None:
    """A quaternion set component by component, with reads in between, equals one set at once."""
    with Host(fmu("gyro")) as at_once, Host(fmu("gyro")) as one_by_one:
        at_once.start({"b.q[1]": 0.6, "b.q[3]": 0.8})
        one_by_one.begin({"b.q[1]": 0.6})
        one_by_one.get("place[1]")
        one_by_one.set({"b.q[3]": 0.8})
        one_by_one.slave.exitInitializationMode()
        assert np.array_equal(one_by_one.all(), at_once.all())


def test_tunable_parameter_takes_effect_in_flight(fmu: Builder) -> None:
    """After a parameter change the run is that of an instance started with it from the same state."""
    with Host(fmu("governor")) as host, Host(fmu("governor")) as other:
        host.start({"torque": 0.8}).run(50)
        states = [v.name for v in host.description.modelVariables if v.causality == "local" and v.start is not None]
        host.set({"c": 150.0})
        other.start(dict(zip(states, host.get(*states), strict=True)) | {"c": 150.0, "torque": 0.8}, start=host.time)
        assert host.get("energy") == pytest.approx(other.get("energy"), rel=1e-13)
        assert host.run(50) == pytest.approx(other.run(50), rel=1e-11, abs=1e-12)
        assert host.messages == ""


def test_fixed_parameter_is_refused_after_initialization(fmu: Builder) -> None:
    """Mass and start values set after initialization change nothing; a warning names them."""
    with Host(fmu("top")) as host, Host(fmu("top")) as other:
        other.start().run(5)
        host.start().run(5)
        host.set({"mass": 2.0, "top.q[2]": 0.1})
        assert [status for status, _, _ in host.log] == [WARNING, WARNING]
        assert "'mass'" in host.messages and "'top.q[2]'" in host.messages
        assert np.array_equal(host.run(5), other.run(5))


def test_computed_values_can_not_be_set(fmu: Builder) -> None:
    """An output set by the importer keeps its computed value; a warning names it."""
    with Host(fmu("governor")) as host:
        host.begin({"speed": 3.0})
        assert host.get("speed") == [0.0] and "'speed'" in host.messages


# -- reset and states --------------------------------------------------------------------------------


@pytest.mark.parametrize("model", tiers(MOVING, usual=1))
def test_reset_gives_the_start_again(fmu: Builder, model: str) -> None:
    """After a reset parameters, start values, time and run are those of a new instance."""
    with Host(fmu(model)) as host, Host(fmu(model)) as new:
        parameters = [v.name for v in host.description.modelVariables if v.causality == "parameter"]
        changed = {name: 1.1 * value for name, value in zip(parameters, host.begin().get(*parameters), strict=True)}
        host.set(changed)
        host.slave.exitInitializationMode()
        host.run(7)
        host.slave.reset()
        host.start(INPUTS.get(model))
        new.start(INPUTS.get(model))
        assert np.array_equal(host.all(), new.all())
        assert np.array_equal(host.run(20), new.run(20))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", ["governor", "gyro", "pi_speed_regulator"])
def test_restored_state_has_the_same_future(fmu: Builder, model: str, method: str) -> None:
    """A restored state, or its bytes in another instance, has the same future, bit for bit."""
    with Host(fmu(model, method)) as host, Host(fmu(model, method), name="other") as other:
        host.start(INPUTS.get(model)).run(10)
        before, saved = host.all(), host.slave.getFMUstate()
        stored = host.slave.serializeFMUstate(saved)
        assert isinstance(stored, bytes)
        future = host.run(20, 0.013)
        host.restore(saved)
        assert np.array_equal(host.all(), before)
        assert np.array_equal(host.run(20, 0.013), future)
        other.start()
        copy = other.slave.deSerializeFMUstate(stored)
        other.restore(copy)
        assert np.array_equal(other.all(), before)
        assert np.array_equal(other.run(20, 0.013), future)
        host.slave.freeFMUstate(saved)
        other.slave.freeFMUstate(copy)
        assert host.messages == other.messages == ""


def test_saved_state_is_a_copy(fmu: Builder) -> None:
    """States saved at different times can be restored in any order, any number of times."""
    with Host(fmu("governor")) as host:
        host.start({"torque": 0.8})
        seen, saved = [], []
        for _ in range(3):
            seen.append(host.run(5)[-1])
            saved.append(host.slave.getFMUstate())
        for k in (1, 0, 2, 0):
            host.restore(saved[k])
            assert np.array_equal(host.all(), seen[k])
            host.run(1)


@pytest.mark.parametrize("way", ["pointer", "bytes", "junk"])
def test_state_of_another_model_is_refused(fmu: Builder, way: str) -> None:
    """Another model's state is refused with a message and permits no step; host and other instances go on, and a valid
    state recovers the instance.
    """
    with Host(fmu("gyro")) as host, Host(fmu("governor")) as other:
        host.start().run(3)
        other.start({"torque": 0.8}).run(3)
        good = host.slave.getFMUstate()
        foreign = other.slave.getFMUstate()
        if way != "pointer":
            stored = other.slave.serializeFMUstate(foreign) if way == "bytes" else b"junk"
            foreign = host.slave.deSerializeFMUstate(stored)
        future = host.run(2)
        host.restore(foreign)
        assert host.log[-1][0] == ERROR and "state" in host.messages and "not one of this model" in host.messages
        assert_discards(host)
        other.run(2)
        assert other.messages == ""
        host.restore(good)
        assert np.array_equal(host.run(2), future)


# -- kernel cache ------------------------------------------------------------------------------------

USE = """
import sys
from pathlib import Path
from support.models.fmu_models import MODELS
from support.hosts.fmus import Builder, Host
host = Host(Builder(Path(sys.argv[1]))("swing")).start()
host.run(10)
print("speed", host.get("speed")[0])
"""


@pytest.mark.slow
def test_unwritable_cache_costs_a_warning_only(tmp_path: Path) -> None:
    """A read-only kernel cache gives a warning on standard error, and the same results."""
    blocker = tmp_path / "file"
    blocker.write_text("")
    done = python(USE, str(tmp_path), MBS_FMU_CACHE=str(blocker / "sub"))
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.split()[-1]) == pytest.approx(math.sin(0.1), abs=1e-12)
    assert "no writable kernel cache" in done.stderr and str(blocker) in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_two_processes_compile_the_same_model_at_once(tmp_path: Path) -> None:
    """Two processes share a fresh cache; a third finds their kernels there."""
    cache = tmp_path / "cache"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", USE, str(tmp_path / name)],
            env=environment(MBS_FMU_CACHE=str(cache)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for name in "ab"
    ]  # fmt: skip
    for process in both:
        output, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        assert float(output.split()[-1]) == pytest.approx(math.sin(0.1), abs=1e-12)
    files = set(os.listdir(cache / "kernels"))
    assert files and not any(name.endswith(".tmp") for name in files)
    third = python(USE, str(tmp_path / "c"), MBS_FMU_CACHE=str(cache))
    assert third.returncode == 0, third.stderr
    assert set(os.listdir(cache / "kernels")) == files


@pytest.mark.quick
@pytest.mark.parametrize("options", [{}, {"method": "rk4", "step": 0.01}])
@pytest.mark.usefixtures("in_plain_python")
def test_the_reference_run_is_compiled_at_once(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With error control, two runs share code that is translated once, not in parallel with native objects."""
    calls: list[set[KernelKey]] = []
    ready = Runtime.ready

    def noted(runtime: Runtime, *wanted: KernelKey) -> None:
        calls.append(set(wanted))
        ready(runtime, *wanted)

    monkeypatch.setattr(Runtime, "ready", noted)
    model = mbs.Model("lag")
    model.state("z", rate=lambda z: -z, start=1.0)
    mbs.export(model, tmp_path / "lag.fmu", stop_time=0.1, communication_step=0.01, **options)
    assert len(calls) > 1 and all(later <= calls[0] for later in calls)


def test_messages_have_log_categories(fmu: Builder) -> None:
    """The start is logged under "info", a restored state under "events", both with status OK."""
    with Host(fmu("governor")) as host:
        host.start()
        state = host.slave.getFMUstate()
        host.restore(state)
        host.slave.freeFMUstate(state)
        assert [(status, category) for status, category, _ in host.news] == [(0, "info"), (0, "events")]
        assert host.messages == ""
