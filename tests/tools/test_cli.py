"""Laws of the command line: output and files of each command."""

from __future__ import annotations

import re
import sys
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from fmpy import read_model_description
from fmpy.validation import validate_fmu

import mbs_fmu as mbs
from mbs_fmu.infrastructure import progress as waiting
from mbs_fmu.pages.showing import at_start
from mbs_fmu.run.bundled import bundled_model, models_folder
from mbs_fmu.run.results.csv_tables import read_csv
from support.hosts.command_line import FAILED, GOVERNED, GOVERNOR, WRONG, Cli, assert_one_line
from support.paths import TESTS

# -- linear models ---------------------------------------------------------------------------------


def test_trim_and_linearize_print_eigenvalues(cli: Cli, tmp_path: Path) -> None:
    """`trim` prints the steady motion and its eigenvalues; `linearize` writes the matrices of a start to a file."""
    free = [x for name in ("arm.q[1]", "arm.q[2]", "torque") for x in ("-f", name)]
    done = cli("trim", GOVERNOR, "-s", "shaft.w=10", *free, "-o", tmp_path / "new" / "steady.csv")
    assert done.code == 0 and "alpha = 1.3778906563" in done.out and "-0.824566644" in done.out
    assert (tmp_path / "new" / "steady.csv").read_text().count("\n") == 1 + 8 + 5
    done = cli("linearize", GOVERNOR, "-i", "torque=0", "-o", tmp_path / "linear.npz", "--mode", f"2={tmp_path}/m.html")
    assert "mode 2: eigenvalue" in (tmp_path / "m.html").read_text()
    arrays = np.load(tmp_path / "linear.npz")
    assert done.code == 0 and arrays["A"].shape == (8, 8) and arrays["inputs"].tolist() == ["torque"]
    assert_one_line(cli("trim", GOVERNOR, "-f", "nonsense"), WRONG, "free: 'nonsense' cannot be an unknown")
    assert cli("linearize", GOVERNOR, "-o", tmp_path / "linear.txt").code == WRONG
    assert_one_line(cli("linearize", GOVERNOR, "--mode", "9=m.html"), WRONG, "mode is 9", "from 0 to 7")
    assert_one_line(cli("linearize", GOVERNOR, "--mode", "m.html"), WRONG, "'m.html' is not NAME=VALUE")


DROPPED = """
import mbs_fmu as mbs

def dropped():
    m = mbs.Model("dropped")
    box = m.body("box", joint=mbs.Prismatic("z"), mass=2.0)
    m.limit("ground", on=box, lower=0.0, stiffness=1e4, damping=200.0)
    m.start(box, q=0.05)
    return m
"""


@pytest.mark.usefixtures("in_plain_python")
def test_trim_settles_before_it_searches(cli: Cli, tmp_path: Path) -> None:
    """Nothing carries the box above its ground: the message has the option that finds the depth m g / c."""
    (tmp_path / "dropped.py").write_text(DROPPED)
    path = tmp_path / "dropped.py"
    assert_one_line(
        cli("trim", path), FAILED, "No unknown changes the forces along box.v", "give its seconds with --settle"
    )
    done = cli("trim", path, "--settle", "1")
    depth = next(line for line in done.out.splitlines() if line.startswith("box.s = "))
    assert done.code == 0 and float(depth.split()[-1]) == pytest.approx(-2.0 * 9.81 / 1e4, rel=1e-8)
    assert_one_line(cli("trim", path, "--settle", "-1"), WRONG, "--settle must not be negative")


@pytest.mark.usefixtures("in_plain_python")
def test_simulate_has_momenta(cli: Cli, tmp_path: Path) -> None:
    """The impulse of each joint is printed and written: that of the box as it falls."""
    (tmp_path / "dropped.py").write_text(DROPPED)
    done = cli("simulate", tmp_path / "dropped.py", "-t", "0.05", "--momenta", "--csv", tmp_path / "run.csv")
    columns = read_csv(tmp_path / "run.csv")
    assert done.code == 0 and list(columns)[-1] == "box.p"
    assert np.allclose(columns["box.p"], 2.0 * columns["box.v"], rtol=1e-14)
    assert f"box.p = {columns['box.p'][-1]} N.s" in done.out.splitlines()


def test_unsupported_files_are_refused_in_advance(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown suffix, and .mat without scipy, are refused; a .mat file has the matrices, and names as cells."""
    loadmat = pytest.importorskip("scipy.io").loadmat
    done = cli("linearize", GOVERNOR, "-i", "torque=0", "-o", tmp_path / "linear.mat")
    arrays = loadmat(tmp_path / "linear.mat")
    assert done.code == 0 and arrays["A"].shape == (8, 8) and arrays["inputs"][0, 0][0] == "torque"
    assert [name[0] for name in arrays["outputs"][:, 0]][:1] and arrays["states"].shape == (8, 1)
    monkeypatch.setattr("mbs_fmu.run.bundled.model_from", lambda _: pytest.fail("the model is looked at first"))
    for command in ("linearize", "trim"):
        assert_one_line(
            cli(command, GOVERNOR, "-o", "x.m"), WRONG, "x.m: a linear model is written as .npz, .mat or .csv"
        )
    monkeypatch.setitem(sys.modules, "scipy.io", None)
    assert_one_line(cli("linearize", GOVERNOR, "-o", "x.mat"), FAILED, "a linear model as .mat needs scipy")


def test_a_file_that_is_no_model_is_named(cli: Cli, tmp_path: Path) -> None:
    """One line that names the file, whatever its format."""
    (tmp_path / "README.md").write_text("text")
    assert_one_line(cli("info", tmp_path / "README.md"), FAILED, "README.md is not a model: give file.py[:function]")


# -- simulate ----------------------------------------------------------------------------------------


def test_simulate_prints_final_outputs(cli: Cli) -> None:
    """Every output with its last value and unit, as computed by `mbs.simulate`."""
    done = cli("simulate", GOVERNOR, "-t", 1, "-i", "torque=0.5", "-p", "c=300")
    result = mbs.simulate(bundled_model("governor", "governor"), 1.0, inputs={"torque": 0.5}, parameters={"c": 300.0})
    assert (done.code, done.err) == (0, "")
    for name in ("speed", "slide", "alpha", "beta", "energy"):
        assert f"{name} = {result[name][-1]} {result.units[name]}" in done.out.splitlines()
    assert "method dopri5" in done.out


@pytest.mark.parametrize("command", ["run.simulate.simulate", "fmi.export.export"])
def test_events_at_step_ends_is_an_option(cli: Cli, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """--events is the argument `events` of `simulate` and of `export`."""

    def report(*_: object, events: str, step: float, **__: object) -> None:
        raise mbs.ModelError(f"events {events}, step {step}")

    monkeypatch.setattr(f"mbs_fmu.{command}", report)
    arguments = [command.rpartition(".")[2], GOVERNOR, "--method", "rk4", "--step", "0.01"]
    assert_one_line(cli(*arguments, "--events", "steps"), FAILED, "events steps, step 0.01")
    assert_one_line(cli(*arguments), FAILED, "events located, step 0.01")


@pytest.mark.parametrize(
    "command",
    ["run.simulate.simulate", "fmi.export.export", "analysis.linear.linearize.linearize", "analysis.linear.trim.trim"],
)
def test_progress_is_an_option(cli: Cli, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """--progress shows it in a pipe too, --no-progress nowhere; the default shows it on a terminal only."""

    def report(*_: object, progress: bool | None = None, **__: object) -> None:
        raise mbs.ModelError(f"progress {waiting.shows_progress(progress)}")

    module, _, name = command.rpartition(".")
    monkeypatch.setattr(import_module(f"mbs_fmu.{module}"), name, report)
    for options, visible in (((), False), (("--progress",), True), (("--no-progress",), False)):
        assert_one_line(cli(name, GOVERNED, *options), FAILED, f"progress {visible}")


def test_simulate_holds_missing_inputs_at_their_start_values(cli: Cli) -> None:
    """An input without a value stays at its start value."""
    outcome = cli("simulate", GOVERNED, "-t", 0.5, "-i", "set_point=10")
    assert outcome.code == 0 and cli("simulate", GOVERNED, "-t", 0.5).out == outcome.out


def test_simulate_writes_csv_and_plot(cli: Cli, tmp_path: Path) -> None:
    """All columns at the output interval, in full precision; the plot is a figure."""
    csv, plot = tmp_path / "new" / "run.csv", tmp_path / "run.png"
    done = cli(
        "simulate",
        GOVERNOR,
        "-t",
        1,
        "--interval",
        0.1,
        "--method",
        "rk4",
        "--step",
        1e-3,
        "--csv",
        csv,
        "--plot",
        plot,
    )
    assert done.code == 0 and str(csv) in done.out and str(plot) in done.out
    result = mbs.simulate(
        bundled_model("governor", "governor"), 1.0, inputs={"torque": 0.2}, method="rk4", step=1e-3, output_interval=0.1
    )
    columns = read_csv(csv)
    assert list(columns) == result.columns
    assert np.array_equal(np.column_stack(list(columns.values())), result.data)
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_simulate_takes_start_values(cli: Cli) -> None:
    """Start values have the names of the result; negative numbers and exponents are accepted."""
    done = cli("simulate", GOVERNOR, "-t", 0.5, "-s", "shaft.w=-2e0", "--start", "shaft.phi=0.25")
    result = mbs.simulate(
        bundled_model("governor", "governor"), 0.5, inputs={"torque": 0.2}, start={"shaft.w": -2.0, "shaft.phi": 0.25}
    )
    assert (done.code, done.err) == (0, "")
    assert result["shaft.w"][0] == -2.0 and f"speed = {result['speed'][-1]} rad/s" in done.out.splitlines()


TABLES = {
    "no header": "0,0.1\n0.5,0.4\n",
    "a header": "t,moment\n0,0.1\n0.5,0.4\n",
    "a column of another name": "t,a,enc\n0,7,0.1\n0.5,7,0.4\n",
    "a column of that name": '"x", "time", "torque"\n7,0,0.1\n7,0.5,0.4\n',
    "blank lines and a byte order mark": "\ufeff0,0.1\n\n0.5,4e-1\n\n",
}


@pytest.mark.parametrize("content", TABLES.values(), ids=TABLES)
def test_simulate_takes_inputs_from_files(cli: Cli, tmp_path: Path, content: str) -> None:
    """Times and values from a file, as (times, values) in Python."""
    (tmp_path / "push.csv").write_text(content, encoding="utf-8")
    column = ":enc" * ("enc" in content)
    done = cli("simulate", GOVERNOR, "-t", 0.5, "-i", f"torque={tmp_path / 'push.csv'}{column}")
    values = {"torque": ([0.0, 0.5], [0.1, 0.4])}
    result = mbs.simulate(bundled_model("governor", "governor"), 0.5, inputs=values)
    assert (done.code, done.err) == (0, "")
    assert f"speed = {result['speed'][-1]} rad/s" in done.out.splitlines()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "give columns of times and values"),
        ("t,torque\n", "give columns of times and values"),
        ("0\n1\n", "give columns of times and values"),
        ("0,1\n1\n", "give columns of times and values"),
        ("t,torque,x\n0,1\n1,2\n", "give columns of times and values"),
        ("0,1,2\n1,2,3\n", "several columns: name one of them 'torque' in the first line (names: none)"),
        ("t,a,b\n0,1,2\n1,2,3\n", "several columns: name one of them 'torque' in the first line (names: t, a, b)"),
        ("t,torque\n0,x\n", "not a table of comma-separated numbers"),
    ],
)
def test_invalid_input_files_are_refused(cli: Cli, tmp_path: Path, content: str, message: str) -> None:
    """Exit code 2 and one line that names the file and the fault."""
    (tmp_path / "push.csv").write_text(content)
    assert_one_line(cli("simulate", GOVERNOR, "-i", f"torque={tmp_path / 'push.csv'}"), WRONG, "push.csv", message)


# -- export, info ------------------------------------------------------------------------------------


def test_export_writes_a_sound_fmu_and_its_reference(cli: Cli, tmp_path: Path) -> None:
    """The FMU is valid and has the parameter and settings of the command; the reference has its outputs."""
    path = tmp_path / "out" / "governor.fmu"
    done = cli(
        "export", GOVERNOR, "-o", path, "-p", "c=350", "--method", "rk4", "--step", 1e-3,
        "--stop", 2, "--communication-step", 0.02, "--max-internal-steps", 500,
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    with zipfile.ZipFile(path) as archive:
        integration = ET.fromstring(archive.read("resources/integration.xml"))
    assert integration.get("max_internal_steps") == "500"
    assert str(path) in done.out and "governor_ref.csv" in done.out
    assert validate_fmu(str(path)) == []
    description = read_model_description(str(path))
    assert {v.name: v.start for v in description.modelVariables}["c"] == "350.0"
    assert float(description.defaultExperiment.stopTime) == 2.0
    assert float(description.defaultExperiment.stepSize) == 0.02
    reference = read_csv(path.with_name("governor_ref.csv"))
    assert reference["time"][[0, 1, -1]] == pytest.approx([0.0, 0.02, 2.0])
    assert {"speed", "slide", "alpha", "beta", "energy"} <= set(reference)


def test_system_runs_and_rewrites_packages(cli: Cli, tmp_path: Path) -> None:
    """`system` prints the final values of a package with start values of the command line, or writes another file."""
    s = mbs.System("pair", kind="python")
    giver, taker = mbs.Model("giver"), mbs.Model("taker")
    giver.output("x", giver.parameter("height", 2.0, unit="m") * 1.0, unit="m")
    taker.output("y", 3.0 * taker.input("x", unit="m"), unit="m")
    for m in (giver, taker):
        s.add(m.name, m)
    s.connect("giver.x", "taker.x")
    path = s.export(tmp_path / "pair.ssp", stop_time=0.2, step=0.1)
    done = cli("system", path, "-p", "giver.height=5", "--csv", tmp_path / "pair.csv", "--watch", "taker.y")
    assert done.code == 0 and "taker.y = 15.0 m" in done.out and "steps 2" in done.out
    assert read_csv(tmp_path / "pair.csv")["taker.y"].tolist() == [15.0] * 3
    done = cli("info", path)
    assert (
        done.code == 0 and "pair: 2 FMUs, stop time 0.2 s, step 0.1 s" in done.out and "giver.x -> taker.x" in done.out
    )
    structure = tmp_path / "osp" / "OspSystemStructure.xml"
    done = cli("system", path, "-o", structure)
    assert done.code == 0 and f"wrote {structure}" in done.out and structure.is_file()
    assert_one_line(cli("system", tmp_path / "none.ssp"), FAILED, "no file")
    assert_one_line(cli("system", path, "-p", "giver.hight=5"), FAILED, "did you mean 'height'")
    assert_one_line(cli("system", path, "--coupling", "loose"), WRONG, "coupling is 'loose': use 'hold'")


def test_modelica_writes_one_file(cli: Cli, tmp_path: Path) -> None:
    """With the parameters and outputs that the options name; `export` names the command for such a file."""
    path = tmp_path / "Governor.mo"
    done = cli("modelica", GOVERNOR, "-o", path, "-p", "d=5", "--keep", "c, b", "--outputs", "speed")
    text = path.read_text(encoding="utf-8")
    assert (done.code, done.err) == (0, "") and str(path) in done.out
    assert re.findall(r"(?:parameter Real|RealOutput) (\w+)", text) == ["speed", "c", "b"]
    assert_one_line(cli("modelica", GOVERNOR, "-o", tmp_path / "my-model.mo"), WRONG, "my-model is no name there")
    assert_one_line(cli("export", GOVERNOR, "-o", path), WRONG, "must end in .fmu", "mbs-fmu modelica")


def test_equations_are_printed_or_written(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("sympy", reason="symbolic equations need the package sympy")
    pendulum = "models/pendulum_on_cart.py:pendulum_on_cart"
    done = cli("equations", pendulum)
    assert (done.code, done.err) == (0, "") and done.out.startswith(r"\begin{aligned}") and r"\ddot{s}" in done.out
    path = tmp_path / "equations.tex"
    assert f"wrote {path}" in cli("equations", pendulum, "--hamilton", "-o", path).out
    assert r"\dot{p}" in path.read_text(encoding="utf-8")
    assert_one_line(cli("equations", pendulum, "--limit", "1"), FAILED, "2 degrees of freedom", "limit=2")


def test_c_writes_two_files(cli: Cli, tmp_path: Path) -> None:
    """The files have the parameter of the command; with sources alone an FMU has no library."""
    done = cli("c", GOVERNOR, tmp_path / "out", "-p", "c=350", "--real", "float", "--index", "int32_t")
    assert (done.code, done.err) == (0, "")
    assert {file.name for file in (tmp_path / "out").iterdir()} == {"governor.c", "governor.h"}
    assert "350.0f" in (tmp_path / "out" / "governor.c").read_text()
    path = tmp_path / "governor.fmu"
    assert cli("export", GOVERNOR, "-o", path, "--native", "--sources", "--no-binaries", "--stop", 1).code == 0
    with zipfile.ZipFile(path) as archive:
        folders = {name.partition("/")[0] for name in archive.namelist()}
    assert "sources" in folders and "binaries" not in folders


@pytest.mark.slow
def test_export_prints_elastic_bodies(cli: Cli, tmp_path: Path) -> None:
    """One line for each elastic body: its states in model exchange and their frequencies."""
    model = f"{TESTS / 'support' / 'models' / 'elastic_models.py'}:boom"
    done = cli("export", model, "-o", tmp_path / "boom.fmu", "--method", "rk4", "--step", 5e-4, "--stop", 0.1)
    assert done.code == 0
    assert done.out.splitlines()[0].startswith(
        "Elastic body arm: 5 vibration modes with the frequencies 13.36, 26.76, 41.82, 119.3, 133.4 Hz of the free"
    )


def test_export_defaults_to_the_folder_fmus(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without -o the FMU goes to fmus/<name>.fmu of the working directory."""
    monkeypatch.chdir(tmp_path)
    assert cli("export", f"{models_folder() / 'speed_regulator'}.py:speed_regulator").code == 0
    assert sorted(p.name for p in Path("fmus").iterdir()) == ["speed_regulator.fmu", "speed_regulator_ref.csv"]


def test_export_names_a_replaced_fmu(cli: Cli, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A replaced FMU of the other kind is named; one of the same kind, or of another tool, is not."""
    path = tmp_path / "regulator.fmu"
    export = ["export", f"{models_folder() / 'speed_regulator'}.py:speed_regulator", "-o", path, "--stop", 0.1]
    path.write_text("no archive")
    assert cli(*export).code == 0 and cli(*export).code == 0
    assert caplog.messages == []
    with zipfile.ZipFile(path) as made:
        common = {name: made.read(name) for name in ("modelDescription.xml", "resources/kernels.txt")}
    with zipfile.ZipFile(path, "w") as native:
        for name, data in {**common, "binaries/linux64/speed_regulator.so": b""}.items():
            native.writestr(name, data)
    assert cli(*export).code == 0
    assert caplog.messages == [f"{path}: an FMU of kind 'python' takes the place of one of kind 'native'"]


def test_info_lists_every_variable_of_a_model(cli: Cli) -> None:
    """Name, causality and unit of all variables."""
    done = cli("info", GOVERNOR)
    assert done.code == 0
    for words in (["c", "parameter", "400", "N/m"], ["torque", "input", "0.2", "N.m"], ["slide", "output", "m"]):
        assert any(line.split()[: len(words)] == words for line in done.out.splitlines())


def test_info_lists_every_variable_of_an_fmu(cli: Cli, governor: Path) -> None:
    """The same names from the FMU's description."""
    done = cli("info", governor)
    assert done.code == 0
    assert all(name in done.out for name in ("governor", "torque", "arm.q[1]", "slide", "energy"))


# -- as a process ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_export_and_check_of_native_fmus(cli: Cli, tmp_path: Path, fmi: str) -> None:
    """A library for each named platform in the folder of the FMI version; the check runs the host's."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    path = tmp_path / "governor.fmu"
    done = cli("export", GOVERNOR, "-o", path, "--native", "--fmi", fmi, "--platforms", "linux64,win64", "--stop", 1)
    assert (done.code, done.err) == (0, "")
    folders = {"2.0": ("linux64", "win64"), "3.0": ("x86_64-linux", "x86_64-windows")}[fmi]
    with zipfile.ZipFile(path) as archive:
        libraries = {name for name in archive.namelist() if name.startswith("binaries/")}
    assert libraries == {f"binaries/{folders[0]}/governor.so", f"binaries/{folders[1]}/governor.dll"}
    assert cli("check", path).code == 0
    assert_one_line(cli("export", GOVERNOR, "-o", path, "--native", "--platforms", "vax"), WRONG, "'vax'")


@pytest.mark.slow
def test_export_without_arrays(cli: Cli, tmp_path: Path) -> None:
    """An option exports FMI 3.0 with scalars for vectors; the check finds and compares them."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    path, options = tmp_path / "pendulum.fmu", ("--native", "--fmi", "3.0", "--platforms", "host", "--stop", 1)
    model = f"{models_folder() / 'double_pendulum'}.py:double_pendulum"
    assert cli("export", model, "-o", path, *options, "--no-arrays").code == 0
    with zipfile.ZipFile(path) as archive:
        assert b"Dimension" not in archive.read("modelDescription.xml")
    done = cli("check", path)
    assert done.code == 0 and ("tip[3]: largest difference" in done.out or "tip[3]: identical" in done.out)


def test_export_with_flat_names_and_an_author(cli: Cli, tmp_path: Path) -> None:
    """Options set the naming convention and what the model states about itself; the check compares flat names."""
    path = tmp_path / "pendulum.fmu"
    model = f"{models_folder() / 'double_pendulum'}.py:double_pendulum"
    options = ("--naming", "flat", "--author", "J. Doe", "--model-version", "1.2", "--stop", "0.1")
    assert cli("export", model, "-o", path, *options).code == 0
    with zipfile.ZipFile(path) as archive:
        description = archive.read("modelDescription.xml").decode()
    for attribute in ('variableNamingConvention="flat"', 'author="J. Doe"', 'version="1.2"', 'name="tip_3"'):
        assert attribute in description, attribute
    done = cli("check", path)
    assert done.code == 0 and "  tip_3: " in done.out


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["python", "native"])
def test_demo(cli: Cli, tmp_path: Path, kind: str) -> None:
    """Builds both FMUs, validates, couples and compares them; the speed settles at the set point."""
    if kind == "native":
        pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    done = cli("demo", "-o", tmp_path, *(["--native"] if kind == "native" else []))
    assert (done.code, done.err) == (0, "")
    assert done.out.count("no problems") == 2 and done.out.count("largest difference in speed") == 2
    names = {p.name for p in tmp_path.iterdir()}
    written = {"governor.fmu", "speed_regulator.fmu", "governor_speed_regulation.csv", "governor_speed_regulation.png"}
    assert written <= names
    assert all(str(tmp_path / name) in done.out for name in written)
    run = read_csv(tmp_path / "governor_speed_regulation.csv")
    assert run["time"][-1] == pytest.approx(10.0)
    assert run["governor.speed"][-1] == pytest.approx(10.0, rel=1e-3)
    assert run["regulator.torque"][0] == pytest.approx(5.0)


# -- import ------------------------------------------------------------------------------------------


def test_import_shows_a_robot(cli: Cli) -> None:
    """Bodies as a tree with joints and limits, and omitted elements; unsupported files are one line."""
    arm = cli("import", TESTS / "data" / "robots" / "arm.urdf")
    assert arm.code == 0
    assert "upper, 2.5 kg (revolute 'shoulder', -1.5 to 2, effort 80, speed 3)" in arm.out
    assert arm.out.count("note: ") == 2
    file = TESTS / "data" / "robots" / "unphysical.urdf"
    assert_one_line(cli("import", file), FAILED, "'keep' or 'mend'")
    assert cli("import", file, "--unphysical", "mend", "--free").code == 0
    assert_one_line(cli("import", file, "--unphysical", "no"), WRONG, "unphysical is 'no'")
    assert_one_line(cli("import", "robot.dae"), FAILED, "its name must end in .urdf, .sdf, .world, .xml, .mjcf")
    assert_one_line(cli("import", "robot.xml", "--free"), WRONG, "base is for URDF and SDF files")


def test_robots_are_models(cli: Cli, tmp_path: Path) -> None:
    """Robot files are accepted as models, with efforts as inputs; `import -o` writes the FMU of `export`."""
    file = TESTS / "data" / "robots" / "cart.urdf"
    assert "slide_effort" in cli("info", file).out
    made = tmp_path / "cart.fmu"
    assert f"wrote {made}" in cli("import", file, "-o", made).out
    variables = {v.name for v in read_model_description(made).modelVariables}
    assert {"slide_effort", "pole_effort", "cart.s", "pole.phi"} <= variables


def test_view_writes_pages(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of a start, and of the rows of a result in any format; faults are one line."""
    monkeypatch.chdir(tmp_path)
    done = cli("view", GOVERNOR, "-s", "shaft.w=8", "-p", "c=300")
    assert (done.code, done.out) == (0, "wrote governor.html\n") and Path("governor.html").stat().st_size < 800_000
    result = at_start(bundled_model("governor", "governor"), {"shaft.phi": 1.0})
    for path in (result.to_csv("run.csv"), result.to_npz("run.npz")):
        page = tmp_path / "new" / f"{path.name}.html"
        assert cli("view", GOVERNOR, path, "-o", page, "--follow", "arm").code == 0 and page.is_file()
    Path("other.csv").write_text('"time","x"\n0,1\n')
    assert_one_line(cli("view", GOVERNOR, "other.csv"), FAILED, "the result has no column 'shaft.phi'")
    assert_one_line(cli("view", GOVERNOR, "none.csv"), FAILED, "none.csv")
    assert_one_line(cli("view", GOVERNOR, "--follow", "leg"), FAILED, "follow: unknown body 'leg'")
    assert_one_line(cli("view", GOVERNOR, "-p", "none=1"), WRONG, "unknown parameter 'none'")
    assert_one_line(cli("view", GOVERNOR, "run.csv", "-p", "none=1"), WRONG, "unknown parameter 'none'")
    assert_one_line(cli("view", GOVERNOR, "run.csv", "-s", "shaft.w=1"), WRONG, "start is for pages without a result")


def test_live_writes_pages(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page in which the model runs; --watch runs the command without itself, and opens the page once."""
    pytest.importorskip("ziglang", reason="live pages need the package ziglang")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mbs_fmu.pages.living.wasm_module", lambda *_: b"")
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    done = cli("live", GOVERNOR, "-i", "torque=0.2", "-p", "c=300", "--open")
    assert done.code == 0 and re.fullmatch(r"wrote governor.html, 0\.\d\d MB\n", done.out)
    assert opened == [(tmp_path / "governor.html").as_uri()]
    assert_one_line(cli("live", GOVERNOR, "-i", "none=1"), WRONG, "unknown input 'none'")
    assert_one_line(cli("live", GOVERNOR, "--method", "rk4"), WRONG, "give --step")
    assert_one_line(cli("live", "models.governor:governor", "--watch"), WRONG, "--watch: no file 'models.governor'")
    ran: list[Any] = []
    monkeypatch.setattr("mbs_fmu.command_line.watching.run_on_changes", lambda *arguments: ran.append(arguments))
    monkeypatch.setattr("sys.argv", ["mbs-fmu", "live", GOVERNOR, "--watch", "--open"])
    assert cli("live", GOVERNOR, "--watch", "--open").code == 0
    ((_, first, again),) = ran
    assert first[1:] == ["-m", "mbs_fmu", "live", GOVERNOR, "--open"] and again == first[:-1]
