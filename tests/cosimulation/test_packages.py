"""Files of systems are valid, are read back to the bit, and have the same values in other programs."""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.ssp.simulation import simulate_ssp
from fmpy.ssp.ssd import read_ssd

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.hosts.fmus import Builder
from support.models.rotors import rotor

SPAN, STEP = 0.5, 0.01  #: s
COUNT = round(SPAN / STEP)
ROUNDING = 1e-12  #: of values, relative to the largest, in programs that add up the times of steps in other ways
OUTPUTS = ("governor.speed", "governor.slide", "regulator.torque")


def governed(fmu: Builder, kind: str = "python", fmi: str = "2.0", **start: Any) -> mbs.System:
    """The governor with its digital regulator, which has no direct feedthrough."""
    s = mbs.System("governed")
    s.add("governor", fmu("governor", "rk4", kind, fmi), **start)
    s.add("regulator", fmu("digital_regulator", "rk4", kind, fmi))
    s.connect("governor.speed", "regulator.speed")
    s.connect("regulator.torque", "governor.torque")
    return s


def native() -> None:
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")


def installed(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")


def assert_same(run: mbs.Result, wanted: mbs.Result, names: tuple[str, ...] = OUTPUTS) -> None:
    for name in names:
        assert_close(run[name], wanted[name], ROUNDING * np.abs(wanted[name]).max(), name, times=wanted.time)


# -- SSP ---------------------------------------------------------------------------------------------


def test_packages_read_back_to_the_bit(fmu: Builder, tmp_path: Path) -> None:
    """A package that is read gives the values of the system in every bit, and equal bytes when it is written again."""
    system = governed(fmu, c=450.0)
    path = system.export(tmp_path / "drive.ssp", stop_time=SPAN, step=STEP)
    read = mbs.System.read(path)
    assert (read.name, read.stop_time, read.step, read.notes) == ("governed", SPAN, STEP, [])
    assert np.array_equal(read.run().data, system.run(SPAN, STEP).data)
    assert read.run().parameters == {"governor.c": 450.0}
    assert read.export(tmp_path / "again.ssp").read_bytes() == path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        fmus = [f"resources/{name}.fmu" for name in ("digital_regulator", "governor")]
        assert archive.namelist() == ["SystemStructure.ssd", "documentation/index.html", *fmus]
        page = archive.read("documentation/index.html").decode()
    assert "<svg" in page and "governor.speed" in page and "c = 450.0 N/m" in page


def test_elements_that_share_an_fmu_share_its_file(fmu: Builder, tmp_path: Path) -> None:
    """One FMU for two elements is stored once; two FMUs of one file name are stored under two."""
    other = tmp_path / "other" / "governor.fmu"
    other.parent.mkdir()
    other.write_bytes(fmu("governor").read_bytes())
    s = mbs.System("three")
    for name, file in (("a", fmu("governor")), ("b", fmu("governor")), ("c", other)):
        s.add(name, file)
    with zipfile.ZipFile(s.export(tmp_path / "three.ssp")) as archive:
        names = [name for name in archive.namelist() if name.endswith(".fmu")]
    assert names == ["resources/governor.fmu", "resources/governor_2.fmu"]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_packages_are_valid(fmu: Builder, tmp_path: Path, version: str) -> None:
    """The schema of the version accepts the description; the checker finds connections with both ends."""
    path = governed(fmu, c=450.0).export(tmp_path / "drive.ssp", version=version)
    if version == "1.0":
        assert read_ssd(str(path)).name == "governed"  # checks by the schema that fmpy contains
    ssd = pytest.importorskip("pyssp_standard.ssd", reason="pyssp-standard is not installed")
    with zipfile.ZipFile(path) as archive:
        archive.extract("SystemStructure.ssd", tmp_path)
    with ssd.SSD(tmp_path / "SystemStructure.ssd", mode="r") as description:
        description.__check_compliance__()
        assert not description.check_connections()


def test_packages_in_fmpy(fmu: Builder, tmp_path: Path) -> None:
    """FMPy's rows are those of held inputs, one later: it gives the values after a step the time of its begin."""
    system = governed(fmu)
    path = system.export(tmp_path / "drive.ssp")
    rows = simulate_ssp(str(path), stop_time=SPAN - 0.5 * STEP, step_size=STEP)
    run = system.run(SPAN, STEP)
    # the governor's first step has an input of 0, which FMPy sets before anything is exchanged; so has ours
    for name in ("governor.speed", "regulator.torque"):
        assert_close(rows[name], run[name][1:], ROUNDING * np.abs(run[name]).max(), name, times=run.time[1:])


@pytest.mark.parametrize("engine", ["libcosim", "ecos"])
@pytest.mark.parametrize("kind", ["python", pytest.param("native", marks=pytest.mark.slow)])
def test_engines(fmu: Builder, engine: Any, kind: str) -> None:
    """libcosim and Ecos give the values of held inputs, with start values, from the row at 0 on."""
    installed({"libcosim": "libcosimpy", "ecos": "ecospy"}[engine])
    if kind == "native":
        native()
    system = governed(fmu, kind, c=450.0)
    run = system.run(SPAN, STEP, engine=engine)
    assert run.statistics["engine"] == engine and run.time.tolist() == [k * STEP for k in range(COUNT + 1)]
    assert_same(run, system.run(SPAN, STEP))


def test_libcosim_starts_states(fmu: Builder) -> None:
    """A start value of a state is taken, which libcosim does not read from SSP packages; a factor is its own."""
    installed("libcosimpy")
    system = governed(fmu, **{"shaft.w": 8.0})
    assert_same(system.run(SPAN, STEP, engine="libcosim"), system.run(SPAN, STEP))
    s = mbs.System("governed")
    s.add("governor", fmu("governor"))
    s.add("regulator", fmu("digital_regulator"))
    s.connect("governor.speed", "regulator.speed", factor=0.9, offset=0.1)
    s.connect("regulator.torque", "governor.torque")
    assert_same(s.run(SPAN, STEP, engine="libcosim"), s.run(SPAN, STEP))
    s.set("governor.shaft.w", 8.0)
    with pytest.raises(mbs.ModelError, match=r"both the start value of 'governor\.shaft\.w' and the factor of"):
        s.run(SPAN, STEP, engine="libcosim")


def test_growing_values_of_engines_are_refused(tmp_path: Path) -> None:
    """Ecos returns whatever the FMUs give; values that grow without bound are no result."""
    installed("ecospy")
    s = mbs.System("stiff", kind="python")
    s.add("motor", rotor("motor", 0.2, 5.0))
    s.add("load", rotor("load", 0.3))
    s.couple("motor.shaft", "load.shaft", stiffness=2000.0)
    with pytest.raises(mbs.SimulationError, match=r"values grow from step to step \(.* in ecos: use a shorter") as info:
        s.run(2.0, STEP, engine="ecos")
    assert len(info.value.result) == 201


def test_coupled_flanges_stay_in_packages(tmp_path: Path) -> None:
    """A package keeps pairs of flanges: the energy that held inputs create is noted, and the power bond is written."""
    s = mbs.System("drive", kind="python")
    s.add("motor", rotor("motor", 0.2, 5.0))
    s.add("load", rotor("load", 0.3))
    s.couple("motor.shaft", "load.shaft", stiffness=300.0)
    read = mbs.System.read(s.export(tmp_path / "drive.ssp"))
    assert read.flanges == s.flanges
    run = read.run(0.1, STEP)
    assert run.statistics["coupling_energy"] == s.run(0.1, STEP).statistics["coupling_energy"]
    assert run.statistics["notes"][0].startswith("the coupling created ")
    text = read.export(tmp_path / "osp" / "OspSystemStructure.xml").read_text(encoding="utf-8")
    assert "<Algorithm>ecco</Algorithm>" in text and text.count('powerBond="motor.shaft - load.shaft"') == 2
    with pytest.raises(mbs.ModelError, match=r"'load\.shaft' and 'motor\.shaft': they are coupled already"):
        s.couple("load.shaft", "motor.shaft", stiffness=1.0)
    with pytest.raises(mbs.ModelError, match="a flange cannot be coupled with itself"):
        s.couple("load.shaft", "load.shaft", stiffness=1.0)


def test_engines_refuse(fmu: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unknown engines, other couplings and missing packages are refused; an engine's error has its words."""
    system = governed(fmu)
    with pytest.raises(mbs.ModelError, match="engine is 'maestro': use 'libcosim' or 'ecos'"):
        system.run(SPAN, STEP, engine="maestro")  # type: ignore[arg-type]
    with pytest.raises(mbs.ModelError, match="engine 'libcosim' holds inputs: use coupling='hold'"):
        system.run(SPAN, STEP, engine="libcosim", coupling="iterate")
    from mbs_fmu.cosimulation.packages import engines

    failing = engines.Program(
        "numpy", "import sys; print('STEP 1'); sys.exit('the pump is empty')", engines.package_of_ssp
    )
    monkeypatch.setitem(engines.PROGRAMS, "ecos", failing)  # type: ignore[arg-type]
    with pytest.raises(mbs.SimulationError, match="ecos failed after 1 steps: the pump is empty"):
        system.run(SPAN, STEP, engine="ecos")
    monkeypatch.setitem(engines.PROGRAMS, "ecos", engines.Program("no_such_package", "", engines.package_of_ssp))  # type: ignore[arg-type]
    with pytest.raises(mbs.ModelError, match=r"engine 'ecos' needs the package no_such_package: pip install"):
        system.run(SPAN, STEP, engine="ecos")


# -- OSP and containers ------------------------------------------------------------------------------

LIBCOSIM = """
import json, sys
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimObserver import CosimObserver
folder, element, names, stop = json.loads(sys.argv[1])
execution = CosimExecution.from_osp_config_file(osp_path=folder)
observer = CosimObserver.create_last_value()
execution.add_observer(observer)
index = execution.slave_index_from_instance_name(element)
references = {v.name.decode(): v.reference for v in execution.slave_variables(index)}
rows = []
while not rows or rows[-1][0] < stop - 1e-9:
    assert execution.step()
    values = observer.last_real_values(index, [references[name] for name in names])
    rows.append([execution.status().current_time * 1e-9, *values])
print("ROWS", json.dumps(rows))
"""


def in_libcosim(folder: Path, element: str, *names: str) -> np.ndarray:
    """Times and values after each step of a structure in a folder."""
    installed("libcosimpy")
    arguments = json.dumps([str(folder), element, names, SPAN])
    done = subprocess.run([sys.executable, "-c", LIBCOSIM, arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return np.array(json.loads(next(x[5:] for x in done.stdout.splitlines() if x.startswith("ROWS "))))


def test_structures_of_osp(fmu: Builder, tmp_path: Path) -> None:
    """libcosim reads a structure with start values and a factor, and gives the values of held inputs."""
    s = mbs.System("governed")
    s.add("governor", fmu("governor"), c=450.0)
    s.add("regulator", fmu("digital_regulator"))
    s.connect("governor.speed", "regulator.speed", factor=0.9, offset=0.1)
    s.connect("regulator.torque", "governor.torque")
    path = s.export(tmp_path / "OspSystemStructure.xml", stop_time=SPAN, step=STEP)
    assert sorted(os.listdir(tmp_path)) == ["OspSystemStructure.xml", "digital_regulator.fmu", "governor.fmu"]
    run = s.run(SPAN, STEP)
    rows = in_libcosim(path.parent, "governor", "speed", "slide")
    # libcosim's functions pass a value on in the step after it was made, as Jacobi order does for the FMUs themselves
    assert rows.shape == (COUNT, 3)
    assert_close(rows[:, 0], run.time[1:], 1e-9, "time")
    assert np.abs(rows[:, 1] - run["governor.speed"][1:]).max() < 1e-2 * np.abs(run["governor.speed"]).max()


@pytest.mark.slow
def test_power_bonds(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """ECCO shortens the steps of coupled flanges: the angle is that of the analytic solution, with held inputs not."""
    J, c, w, h = (0.2, 0.3), 300.0, 5.0, 0.005
    s = mbs.System("drive", kind="python")
    s.add("motor", rotor("motor", J[0], w))
    s.add("load", rotor("load", J[1]))
    s.couple("motor.shaft", "load.shaft", stiffness=c, name="shaft")
    path = s.export(tmp_path / "bond" / "OspSystemStructure.xml", step=h)
    rows = in_libcosim(path.parent, "motor", "shaft.phi")
    n, common = np.sqrt(c / J[0] + c / J[1]), J[0] * w / sum(J)

    def angle(t: np.ndarray) -> np.ndarray:
        return common * t + J[1] / sum(J) * w / n * np.sin(n * t)

    held = s.run(SPAN, h)
    error = np.abs(rows[:, 1] - angle(rows[:, 0])).max()
    assert len(rows) > SPAN / h and np.diff(rows[:, 0]).min() < 0.5 * h
    assert error < 0.1 * np.abs(held["motor.shaft.phi"] - angle(held.time)).max()
    s.add("second", rotor("second", J[1]))
    s.add("third", rotor("third", J[1]))
    s.couple("second.shaft", "third.shaft", stiffness=c)
    with caplog.at_level(logging.WARNING):
        text = s.export(tmp_path / "bonds" / "OspSystemStructure.xml").read_text(encoding="utf-8")
    assert "fixedStep" in text and "powerBond" not in text
    assert "libcosim 0.0.6 reads one power bond, and 2 pairs" in caplog.text


def lagging() -> mbs.Model:
    """A regulator whose torque is a state, so that it depends on no input without a delay."""
    m = mbs.Model("lag")
    speed = m.input("speed", unit="rad/s")
    torque = m.state("torque_state", rate=lambda x: (0.6 * (12.0 - speed) - x) / 0.05, unit="N.m")
    m.output("torque", torque, unit="N.m")
    return m


@pytest.mark.slow
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_container(fmu: Builder, tmp_path: Path, fmi: str) -> None:
    """One FMU of the system has the bits of held inputs; an input without a connection is its input."""
    installed("fmu_manipulation_toolbox")
    native()
    system = mbs.System("governed", kind="native")
    system.add("governor", fmu("governor", "rk4", "native", fmi), c=450.0)
    system.add("regulator", mbs.export(lagging(), tmp_path / "lag.fmu", "native", fmi=fmi, platforms="host"))
    system.connect("governor.speed", "regulator.speed")
    system.connect("regulator.torque", "governor.torque")
    path = system.export(tmp_path / "governor.fmu", step=STEP, version=fmi, outputs=OUTPUTS)
    rows = fmpy.simulate_fmu(str(path), stop_time=SPAN, step_size=STEP, output_interval=STEP)
    run = system.run(SPAN, STEP, watch=OUTPUTS)
    assert np.array_equal(np.column_stack([rows[name] for name in OUTPUTS]), run.data[:, 1:])
    alone = mbs.System("alone")
    alone.add("governor", fmu("governor", "rk4", "native", fmi))
    described = fmpy.read_model_description(str(alone.export(tmp_path / "alone.fmu", version=fmi)))
    assert [v.name for v in described.modelVariables if v.causality == "input"] == ["governor.torque"]


# -- what cannot be written --------------------------------------------------------------------------


def millimetres() -> tuple[mbs.Model, mbs.Model]:
    giver, taker = mbs.Model("giver"), mbs.Model("taker")
    giver.output("x", mbs.time * 1.0, unit="mm")
    taker.output("y", 2.0 * taker.input("x", unit="m"), unit="m")
    return giver, taker


def with_millimetres(**factor: float) -> mbs.System:
    s = mbs.System("lengths", kind="python")
    for model in millimetres():
        s.add(model.name, model)
    s.connect("giver.x", "taker.x", **factor)
    return s


def renamed(fmu: Builder) -> mbs.System:
    s = mbs.System("named")
    s.add("a-b", fmu("governor"))
    return s


REFUSED: dict[str, tuple[Callable[[Builder], mbs.System], str, dict[str, Any]]] = {
    r"'giver\.x' is in mm, 'taker\.x' in m: not all programs convert units": (
        lambda _: with_millimetres(), "a.ssp", {}
    ),
    r"element 'a-b': programs that read the file need identifiers": (renamed, "a.ssp", {}),
    r"'a\.txt': give a file NAME\.ssp": (governed, "a.txt", {}),
    r"programs look for a file OspSystemStructure\.xml": (governed, "drive.xml", {}),
    r"version is '3\.0': SSP has '1\.0' and '2\.0'": (governed, "a.ssp", {"version": "3.0"}),
    r"version is '1\.0': OspSystemStructure\.xml has one version": (
        governed, "OspSystemStructure.xml", {"version": "1.0"}
    ),
    r"'taker\.x' gets its value with a factor": (lambda _: with_millimetres(factor=2.0), "a.fmu", {}),
    r"system 'system' has no elements": (lambda _: mbs.System(), "a.ssp", {}),
    r"step is -1: give a positive number": (governed, "a.ssp", {"step": -1}),
    r"'governor\.speeed'.*has no variable 'speeed' \(did you mean 'speed'": (
        governed, "a.fmu", {"outputs": ["governor.speeed"]}
    ),
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_what_programs_cannot_read_is_refused(
    fmu: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: str
) -> None:
    """The message names the thing and the remedy, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    build, file, options = REFUSED[message]
    with pytest.raises(mbs.ModelError, match=message):
        build(fmu).export(file, **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_arrays_are_refused(fmu: Builder, tmp_path: Path) -> None:
    """An array of FMI 3.0 is no scalar of SSP; FMI 3.0 is not for OSP; without connections to it, it is left alone."""
    native()
    s = mbs.System("gyro")
    s.add("gyro", fmu("gyro", "rk4", "native", "3.0"))
    s.add("regulator", fmu("digital_regulator", "rk4", "native", "3.0"))
    s.export(tmp_path / "free.ssp")
    s.connect("gyro.velocity[2]", "regulator.speed", factor=1.0)
    with pytest.raises(mbs.ModelError, match=r"'gyro\.velocity' is an array, and SSP has scalars only"):
        s.export(tmp_path / "gyro.ssp")
    with pytest.raises(mbs.ModelError, match=r"'gyro' \(gyro\.fmu\) is FMI 3\.0"):
        s.export(tmp_path / "OspSystemStructure.xml")
    assert [x.name for x in tmp_path.iterdir()] == ["free.ssp"]


def test_warnings_about_readers(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    """The export logs parts that some programs do not read, with the name of the connection."""
    s = with_millimetres(factor=2.0, offset=1.0)
    with caplog.at_level(logging.WARNING):
        path = s.export(tmp_path / "a.ssp", version="2.0")
    assert "FMPy and OMSimulator ignore the factor and offset of 'taker.x'" in caplog.text
    assert "FMPy, libcosim and Ecos read SSP 1.0 only" in caplog.text
    run = mbs.System.read(path).run(0.2, 0.1)
    assert run["taker.y"].tolist() == pytest.approx([2.0 * (2.0e3 * t + 1.0) for t in (0.0, 0.1, 0.2)], rel=1e-15)
