"""Laws of the command line: what each command writes, exit codes, errors of one line that name the thing."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from fmpy import read_model_description
from fmpy.validation import validate_fmu

import mbs_fmu as mbs
from fmus import python
from mbs_fmu.bundled import bundled_model, models_folder
from mbs_fmu.cli import main
from mbs_fmu.results import read_csv

GOVERNOR = f"{models_folder() / 'governor'}.py:governor"
GOVERNED = f"{models_folder() / 'governor'}.py:governed"
RUN = "from mbs_fmu.cli import console; console()"  #: the command as a process of its own
FAILED, WRONG = 1, 2  #: exit codes: the model, FMU or run failed; the command line is wrong


@dataclass
class Outcome:
    """What a command left: exit code and both streams."""

    code: int
    out: str
    err: str


Cli = Callable[..., Outcome]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """`mbs-fmu` with these arguments, in this process; an exception that is no exit code is the test's."""

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["mbs-fmu", *map(str, arguments)])
        capsys.readouterr()
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
            return Outcome(code, *capsys.readouterr())
        return Outcome(0, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def governor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A governor FMU with its reference result beside it."""
    path = tmp_path_factory.mktemp("cli") / "governor.fmu"
    model = bundled_model("governor", "governor")
    return mbs.export(model, path, method="rk4", step=1e-3, stop_time=1.0, communication_step=0.01)


def assert_one_line(outcome: Outcome, code: int, *named: str) -> None:
    """This exit code, and one line on standard error with these words."""
    lines = outcome.err.strip().splitlines()
    assert outcome.code == code
    assert len(lines) == 1, outcome.err
    assert lines[0].startswith("mbs-fmu: ")
    for text in named:
        assert text in lines[0]


# -- simulate ----------------------------------------------------------------------------------------


def test_simulate_prints_where_the_outputs_end(cli: Cli) -> None:
    """Every output with its last value and unit, as `mbs.simulate` computes it."""
    done = cli("simulate", GOVERNOR, "-t", 1, "-i", "torque=0.5", "-p", "c=300")
    result = mbs.simulate(bundled_model("governor", "governor"), 1.0, inputs={"torque": 0.5}, parameters={"c": 300.0})
    assert (done.code, done.err) == (0, "")
    for name in ("speed", "slide", "alpha", "beta", "energy"):
        assert f"{name} = {result[name][-1]} {result.units[name]}" in done.out.splitlines()
    assert "method dopri5" in done.out


def test_simulate_holds_missing_inputs_at_their_start_values(cli: Cli) -> None:
    """An input that is not given stays at its start value."""
    given = cli("simulate", GOVERNED, "-t", 0.5, "-i", "set_point=10")
    assert given.code == 0 and cli("simulate", GOVERNED, "-t", 0.5).out == given.out


def test_simulate_writes_csv_and_plot(cli: Cli, tmp_path: Path) -> None:
    """All columns at the output interval, in full precision; the plot is a picture."""
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


# -- export, info ------------------------------------------------------------------------------------


def test_export_writes_a_sound_fmu_and_its_reference(cli: Cli, tmp_path: Path) -> None:
    """The FMU validates, carries the parameter given and the settings given; the reference has its outputs."""
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


def test_export_defaults_to_the_folder_fmus(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without -o the FMU goes to fmus/<name>.fmu of the working directory."""
    monkeypatch.chdir(tmp_path)
    assert cli("export", f"{models_folder() / 'speed_regulator'}.py:speed_regulator").code == 0
    assert sorted(p.name for p in Path("fmus").iterdir()) == ["speed_regulator.fmu", "speed_regulator_ref.csv"]


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


# -- check -------------------------------------------------------------------------------------------


def test_check_is_content_with_its_own_reference(cli: Cli, governor: Path) -> None:
    """An FMU just exported agrees with the reference beside it, to round-off."""
    done = cli("check", governor, "--tolerance", 1e-10)
    assert (done.code, done.err) == (0, "")
    assert "no problems" in done.out and "speed" in done.out


@pytest.mark.parametrize("spoil", [1e-3, float("nan")])
def test_check_finds_a_spoilt_reference(cli: Cli, governor: Path, tmp_path: Path, spoil: float) -> None:
    """One value of one output changed: exit code 1, and the message names that output."""
    columns = dict(read_csv(governor.with_name("governor_ref.csv")))
    columns["slide"][40] += spoil
    bad = tmp_path / "bad.csv"
    header = ",".join(f'"{name}"' for name in columns)
    np.savetxt(bad, np.column_stack(list(columns.values())), fmt="%.17g", delimiter=",", header=header, comments="")
    assert_one_line(cli("check", governor, "--reference", bad), FAILED, "governor.fmu", "slide")


REFERENCES = {
    "absent": None,
    "empty": "",
    "no csv": "garbage",
    "no time": '"t","speed"\n0,0\n1,0\n',
    "no numbers": '"time","speed"\n0,x\n1,y\n',
    "header only": '"time","speed"\n',
    "one row": '"time","speed"\n0,0\n',
    "ragged": '"time","speed"\n0,0\n1\n',
    "nothing to compare": '"time","other"\n0,0\n1,0\n',
}


@pytest.mark.parametrize("content", REFERENCES.values(), ids=REFERENCES)
def test_check_of_an_unusable_reference(cli: Cli, governor: Path, tmp_path: Path, content: str | None) -> None:
    """A reference that is absent, or no table with time and an output, is one line that names the file."""
    bad = tmp_path / "reference.csv"
    if content is not None:
        bad.write_text(content)
    assert_one_line(cli("check", governor, "--reference", bad), FAILED, "reference.csv")


def test_check_of_a_reference_whose_times_repeat(governor: Path, tmp_path: Path) -> None:
    """One line that names the file, and an end: no run with steps of zero."""
    bad = tmp_path / "reference.csv"
    bad.write_text('"time","speed"\n0,0\n0,0\n1,0\n')
    done = python(RUN, "check", str(governor), "--reference", str(bad), timeout=30.0)
    assert_one_line(Outcome(done.returncode, done.stdout, done.stderr), FAILED, "reference.csv")


def test_check_of_a_damaged_fmu(cli: Cli, governor: Path, tmp_path: Path) -> None:
    """An archive cut short, and a program that is none: exit code 1 and a line that names the FMU."""
    reference = governor.with_name("governor_ref.csv")
    cut, spoilt = tmp_path / "cut.fmu", tmp_path / "spoilt.fmu"
    cut.write_bytes(governor.read_bytes()[:-100])
    assert_one_line(cli("check", cut, "--reference", reference), FAILED, "cut.fmu")
    with zipfile.ZipFile(governor) as source, zipfile.ZipFile(spoilt, "w") as target:
        for name in source.namelist():
            target.writestr(name, b"{}" if name == "resources/program.json" else source.read(name))
    done = python(RUN, "check", str(spoilt), "--reference", str(reference))
    reason, last = done.stderr.strip().splitlines()  # the slave says why, the command what it means
    assert "format" in reason
    assert_one_line(Outcome(done.returncode, done.stdout, last), FAILED, "spoilt.fmu")


# -- errors ------------------------------------------------------------------------------------------


UNKNOWN = [
    (["simulate", "absent.py"], ["absent.py"]),
    (["export", "absent.py"], ["absent.py"]),
    (["info", "absent.fmu"], ["absent.fmu"]),
    (["check", "absent.fmu"], ["absent.fmu"]),
    (["simulate", "no.such.module:model"], ["no.such.module"]),
    (["simulate", f"{models_folder() / 'governor'}.py:spinner"], ["spinner", "governed"]),
    (["simulate", f"{models_folder() / 'speed_regulator'}.py:_signals"], ["_signals"]),
    (["simulate", GOVERNOR, "-p", "stiffness=1"], ["'stiffness'", "c, d, b"]),
    (["export", GOVERNOR, "-p", "stiffness=1"], ["'stiffness'", "c, d, b"]),
    (["simulate", GOVERNOR, "-i", "moment=1"], ["'moment'", "torque"]),
    (["simulate", GOVERNOR, "--method", "euler"], ["'euler'", "rk4"]),
]


@pytest.mark.parametrize(
    ("arguments", "named"), UNKNOWN, ids=[" ".join(a[:1] + a[-1:]).split("/")[-1] for a, _ in UNKNOWN]
)
def test_unknown_thing_is_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], named: list[str]
) -> None:
    """A file, function, parameter, input or method that is not there: exit code 1, one line."""
    monkeypatch.chdir(tmp_path)
    assert_one_line(cli(*arguments), FAILED, *named)


UNUSABLE = [
    (["simulate", GOVERNOR, "-p", "c=-1"], ["'c'", "-1"]),
    (["simulate", GOVERNOR, "-p", "c=nan"], ["'c'", "nan"]),
    (["simulate", GOVERNOR, "-i", "torque=inf"], ["'torque'"]),
    (["simulate", GOVERNOR, "-t", "0"], ["--stop"]),
    (["simulate", GOVERNOR, "--interval", "0"], ["--interval"]),
    (["simulate", GOVERNOR, "--method", "rk4"], ["step"]),
    (["export", GOVERNOR, "-o", "governor.zip"], ["governor.zip", ".fmu"]),
    (["export", GOVERNOR, "--stop", "-1"], ["--stop"]),
    (["export", GOVERNOR, "--communication-step", "-1"], ["--communication-step"]),
    (["export", GOVERNOR, "--communication-step", "0"], ["--communication-step"]),
    (["export", GOVERNOR, "--max-internal-steps", "0"], ["--max-internal-steps", "0"]),
]


@pytest.mark.parametrize(("arguments", "named"), UNUSABLE, ids=[f"{a[0]} {' '.join(a[2:])}" for a, _ in UNUSABLE])
def test_unusable_value_is_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], named: list[str]
) -> None:
    """A value that can't be used: exit code 1, one line, nothing written."""
    monkeypatch.chdir(tmp_path)
    assert_one_line(cli(*arguments), FAILED, *named)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pair", ["c", "c=", "c=stiff", "=", "=1", ""])
@pytest.mark.parametrize("option", ["-p", "-i"])
def test_pair_that_is_not_name_and_value(cli: Cli, option: str, pair: str) -> None:
    """-p or -i without a name and a number: exit code 2, one line that shows what was given."""
    assert_one_line(cli("simulate", GOVERNOR, option, pair), WRONG, repr(pair))


def test_wrong_command_line(cli: Cli) -> None:
    """Unknown commands, options and a number that is none: exit code 2; help: 0."""
    assert cli("paint").code == WRONG
    assert cli("simulate").code == WRONG
    assert cli("simulate", GOVERNOR, "--colour", "red").code == WRONG
    assert cli("simulate", GOVERNOR, "-t", "soon").code == WRONG
    assert cli("--help").code == 0


BROKEN = {
    "syntax": "def model(:\n",
    "missing": "import no_such_package_at_all\n",
    "raises": "raise RuntimeError('two\\nlines')\n",
    "fails": "import mbs_fmu as mbs\n\ndef model() -> mbs.Model:\n    return {}['key']\n",
    "empty": "\n",
    "number": "def model():\n    return 3\n",
    "several": "def one():\n    return 1\n\ndef two():\n    return 2\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_model_file(cli: Cli, tmp_path: Path, name: str) -> None:
    """A file that can't be run, and one whose function fails or gives no model: one line that names the file."""
    (tmp_path / f"{name}.py").write_text(BROKEN[name])
    assert_one_line(cli("simulate", tmp_path / f"{name}.py"), FAILED, f"{name}.py")


@pytest.mark.parametrize("command", ["check", "info"])
def test_broken_fmu(cli: Cli, tmp_path: Path, command: str) -> None:
    """A file that is no FMU: one line that names it."""
    bad = tmp_path / "broken.fmu"
    bad.write_text("not a zip archive")
    assert_one_line(cli(command, bad), FAILED, "broken.fmu")


@pytest.mark.parametrize("command", ["csv", "export", "plot"])
def test_file_that_can_not_be_written(cli: Cli, tmp_path: Path, command: str) -> None:
    """A result whose folder is a file, or whose format is unknown: one line that names it."""
    (tmp_path / "file").write_text("")
    run = ["simulate", GOVERNOR, "-t", "0.1"]
    arguments, named = {
        "csv": ([*run, "--csv", tmp_path / "file" / "run.csv"], "file"),
        "export": (["export", GOVERNOR, "--stop", "0.1", "-o", tmp_path / "file" / "governor.fmu"], "file"),
        "plot": ([*run, "--plot", tmp_path / "run.tune"], "tune"),
    }[command]
    assert_one_line(cli(*arguments), FAILED, named)


@pytest.mark.parametrize(("options", "code", "named"), [
    (["--fmi", "3.0"], WRONG, "--fmi 3.0 is for native FMUs: give --native too"),
    (["--fmi", "4.0"], WRONG, "--fmi 4.0: give 2.0, or 3.0 with --native"),
    (["--fmi", "4.0", "--native"], WRONG, "--fmi 4.0: give 2.0, or 3.0 with --native"),
    (["--platforms", "host"], WRONG, "--platforms host is for native FMUs: give --native too"),
    (["--cpu", "x86-64-v3"], WRONG, "--cpu x86-64-v3 is for native FMUs: give --native too"),
    (["--native", "--platforms", "aarch64-linux"], FAILED, "leave it out, or give --fmi 3.0"),
    (["--method", "rk4"], FAILED, "method 'rk4' has fixed steps: give --step, in s"),
    (["--method", "rk4", "--step", "0.01", "--rtol", "0.1"], FAILED, "no error control: leave out --rtol"),
])  # fmt: skip
def test_messages_speak_of_options(cli: Cli, tmp_path: Path, options: list[str], code: int, named: str) -> None:
    """Remedies are options of the command line, not arguments of Python."""
    done = cli("export", GOVERNOR, "-o", tmp_path / "governor.fmu", *options)
    assert_one_line(done, code, named)
    assert "=" not in done.err


# -- as a process ------------------------------------------------------------------------------------


def test_exit_codes_of_the_process() -> None:
    """0 when all is well, 1 when the run failed, 2 when the command line is wrong; one line on standard error."""
    good = python(RUN, "simulate", GOVERNOR, "-t", "0.1")
    assert (good.returncode, good.stderr) == (0, "") and "speed = 0.35" in good.stdout
    failed = python(RUN, "simulate", GOVERNOR, "-p", "c=-1")
    assert_one_line(Outcome(failed.returncode, failed.stdout, failed.stderr), FAILED, "'c'")
    wrong = python(RUN, "simulate", GOVERNOR, "-p", "c")
    assert_one_line(Outcome(wrong.returncode, wrong.stdout, wrong.stderr), WRONG, "'c'")


@pytest.mark.slow
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_export_and_check_of_native_fmus(cli: Cli, tmp_path: Path, fmi: str) -> None:
    """A library for each platform named, where the FMI version wants it; the check runs the host's."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    path = tmp_path / "governor.fmu"
    done = cli("export", GOVERNOR, "-o", path, "--native", "--fmi", fmi, "--platforms", "linux64,win64", "--stop", 1)
    assert (done.code, done.err) == (0, "")
    folders = {"2.0": ("linux64", "win64"), "3.0": ("x86_64-linux", "x86_64-windows")}[fmi]
    with zipfile.ZipFile(path) as archive:
        libraries = {name for name in archive.namelist() if name.startswith("binaries/")}
    assert libraries == {f"binaries/{folders[0]}/governor.so", f"binaries/{folders[1]}/governor.dll"}
    assert cli("check", path).code == 0
    assert_one_line(cli("export", GOVERNOR, "-o", path, "--native", "--platforms", "vax"), FAILED, "'vax'")


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
