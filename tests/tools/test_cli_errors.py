"""Errors of the command line: exit codes, and one line that names the cause."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import mbs_fmu as mbs
from mbs_fmu.run.bundled import models_folder
from support.cases import tiers
from support.hosts.command_line import FAILED, GOVERNOR, RUN, WRONG, Cli, Outcome, assert_one_line
from support.hosts.fmus import python

UNKNOWN = [
    (["simulate", "absent.py"], ["absent.py"]),
    (["export", "absent.py"], ["absent.py"]),
    (["info", "absent.fmu"], ["absent.fmu"]),
    (["check", "absent.fmu"], ["absent.fmu"]),
    (["simulate", "no.such.module:model"], ["no.such.module"]),
    (["simulate", f"{models_folder() / 'governor'}.py:spinner"], ["spinner", "governed"]),
    (["simulate", f"{models_folder() / 'speed_regulator'}.py:_signals"], ["_signals"]),
]


@pytest.mark.parametrize(
    ("arguments", "named"), UNKNOWN, ids=[" ".join(a[:1] + a[-1:]).split("/")[-1] for a, _ in UNKNOWN]
)
def test_missing_files_and_functions_are_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], named: list[str]
) -> None:
    """A missing file, module or function gives exit code 1 and one line."""
    monkeypatch.chdir(tmp_path)
    assert_one_line(cli(*arguments), FAILED, *named)


@pytest.mark.parametrize("end", tiers(["sys.exit(3)", "sys.exit('enough')", "raise SystemExit", "exit()"], usual=1))
@pytest.mark.parametrize("inside", [True, False])
def test_model_files_that_end_the_process_are_refused(cli: Cli, tmp_path: Path, end: str, inside: bool) -> None:
    """Every command that reads a model file names the file and the line of `sys.exit`, with exit code 1."""
    file = tmp_path / "ends.py"
    lines = [
        "import sys",
        "import mbs_fmu as mbs",
        "def ends():",
        f"    {end if inside else 'return mbs.Model(str())'}",
    ]
    file.write_text("\n".join([*lines, "" if inside else end]))
    place = f"ends.py:{4 if inside else 5}: SystemExit"
    for arguments in ("live", "simulate", "view", "export", "info", "linearize", "trim", "c"):
        assert_one_line(cli(arguments, file), FAILED, place, "if __name__ == '__main__'")


UNUSABLE = [
    (["simulate", GOVERNOR, "-p", "stiffness=1"], ["'stiffness'", "c, d, b"]),
    (["export", GOVERNOR, "-p", "stiffness=1"], ["'stiffness'", "c, d, b"]),
    (["export", GOVERNOR, "-p", "c=-1"], ["'c'", "-1"]),
    (["simulate", GOVERNOR, "-i", "moment=1"], ["'moment'", "torque"]),
    (["simulate", GOVERNOR, "-i", "torque=absent.csv"], ["'torque=absent.csv'", "no file"]),
    (["simulate", GOVERNOR, "-s", "arm.phi=1"], ["'arm.phi'", "shaft.phi"]),
    (["simulate", GOVERNOR, "-s", "shaft.phi=inf"], ["'shaft.phi'", "inf"]),
    (["simulate", GOVERNOR, "--method", "euler"], ["'euler'", "rk4"]),
    (["simulate", GOVERNOR, "--step", "-1"], ["--step is -1"]),
    (["simulate", GOVERNOR, "--rtol", "0"], ["--rtol is 0"]),
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
    (["export", GOVERNOR, "--sources"], ["--sources", "--native"]),
    (["export", GOVERNOR, "--native", "--no-binaries"], ["--no-binaries", "give --sources too"]),
    (["export", GOVERNOR, "--no-binaries"], ["--no-binaries", "give --native and --sources too"]),
    (["export", GOVERNOR, "--sources", "--no-binaries"], ["--no-binaries", "give --native too"]),
    (["c", GOVERNOR, "out", "--real", "half"], ["--real", "'half'"]),
    (["c", GOVERNOR, "out", "-p", "c=-1"], ["'c'", "-1"]),
    (["c", f"{models_folder() / 'four_bar'}.py:four_bar", "out", "--real", "float"], ["four_bar", "--real double"]),
]


@pytest.mark.parametrize(("arguments", "named"), UNUSABLE, ids=[f"{a[0]} {' '.join(a[2:])}" for a, _ in UNUSABLE])
def test_unusable_value_is_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], named: list[str]
) -> None:
    """An option with an unknown name or an invalid value gives exit code 2, one line, and no file."""
    monkeypatch.chdir(tmp_path)
    assert_one_line(cli(*arguments), WRONG, *named)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pair", ["c", "c=", "c=stiff", "=", "=1", ""])
@pytest.mark.parametrize("option", ["-p", "-i", "-s"])
def test_pair_that_is_not_name_and_value(cli: Cli, option: str, pair: str) -> None:
    """-p, -i or -s without a name and a number gives exit code 2 and one line with the argument."""
    assert_one_line(cli("simulate", GOVERNOR, option, pair), WRONG, repr(pair))


def test_wrong_command_line(cli: Cli) -> None:
    """Unknown commands, options and invalid numbers give exit code 2; help gives 0."""
    assert cli("paint").code == WRONG
    assert cli("simulate").code == WRONG
    assert cli("simulate", GOVERNOR, "--colour", "red").code == WRONG
    assert cli("--help").code == 0
    assert cli("--version").out == f"mbs-fmu {mbs.__version__}\n"


MISUSED = [
    (["simulate", GOVERNOR, "-t", "1s"], "--stop is '1s': give a number (stop time, s)"),
    (["simulate", GOVERNOR, "--step", "1 ms"], "--step is '1 ms': give a number (fixed step, s)"),
    (["export", GOVERNOR, "--max-internal-steps", "1e6"], "--max-internal-steps is '1e6': give a whole number ("),
    (["simulate"], "MODEL"),
    (["simulate", GOVERNOR, "--colour", "red"], "--colour"),
    (["paint"], "paint"),
]


@pytest.mark.parametrize(("arguments", "message"), MISUSED, ids=[" ".join(a[:1] + a[2:]) for a, _ in MISUSED])
def test_command_line_that_can_not_be_read(cli: Cli, arguments: list[str], message: str) -> None:
    """One line with the option, its value and the expected form, or with the help command; exit code 2."""
    done = cli(*arguments)
    assert_one_line(done, WRONG, message)
    assert "give a" in done.err or "--help" in done.err


#: Sends Ctrl-C, as the system does, just before this module is imported.
INTERRUPT = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from mbs_fmu_command import main
main()
"""
MOMENTS = [
    "simulate mbs_fmu", "simulate mbs_fmu.run.simulate", "export mbs_fmu.fmi.description.fmi2", "simulate numpy",
    "simulate typer", "simulate mbs_fmu.codegen.engine", "export mbs_fmu.model.model", "export mbs_fmu.fmi.export",
]  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="a process of Windows can't send itself Ctrl-C")
@pytest.mark.parametrize("moment", tiers(MOMENTS, usual=1))
def test_ctrl_c_during_start(tmp_path: Path, moment: str) -> None:
    """One line and exit code 130, in imports of the package, in those of the command, and after them."""
    command, name = moment.split()
    output = ["-o", str(tmp_path / "governor.fmu")] if command == "export" else ["-t", "0.1"]
    done = python(INTERRUPT.format(name=name), command, GOVERNOR, *output)
    assert_one_line(Outcome(done.returncode, done.stdout, done.stderr), 130, "interrupted before there was a result")
    assert not list(tmp_path.iterdir()) and not done.stdout


HEAD = "import mbs_fmu as mbs\n\ndef model() -> mbs.Model:\n"

BROKEN = {
    "syntax": ("\ndef model(:\n", "syntax.py:2: SyntaxError: "),
    "missing": ("import no_such_package_at_all\n", "missing.py:1: ModuleNotFoundError: "),
    "raises": ("\n\nraise RuntimeError('two\\nlines')\n", "raises.py:3: RuntimeError: two lines"),
    "fails": (HEAD + "    return {}['key']\n", "fails.py:4: KeyError: 'key'"),
    "wrong": (HEAD + "    mbs.Model('m').body(\n        'arm', mass=-1)\n", "wrong.py:4: mass of body 'arm' is -1"),
    "runs": (HEAD + "    mbs.simulate(mbs.Model('m'), -1)\n", "runs.py:4: stop_time -1 must lie after"),
    "deep": ("import mbs_fmu\nimport beside\ndef model():\n    beside.part()\n", "beside.py:4: model name '1'"),
    "empty": ("\n", "empty.py"),
    "number": ("def model():\n    return 3\n", "number.py"),
    "several": ("def one():\n    return 1\n\ndef two():\n    return 2\n", "several.py"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_model_file(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A file that fails, or a function that fails or returns no model, gives one line with the file and its line."""
    content, message = BROKEN[name]
    (tmp_path / f"{name}.py").write_text(content)
    (tmp_path / "beside.py").write_text("import mbs_fmu as mbs\n\ndef part():\n    mbs.Model('1')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "beside", raising=False)
    assert_one_line(cli("simulate", f"{name}.py"), FAILED, message)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, name, raising=False)
    assert_one_line(cli("simulate", f"{name}:model"), FAILED, message.split(":")[0].removesuffix(".py"))


@pytest.mark.parametrize("command", ["check", "info"])
def test_broken_fmu(cli: Cli, tmp_path: Path, command: str) -> None:
    """A file that is not an FMU gives one line that names it."""
    bad = tmp_path / "broken.fmu"
    bad.write_text("not a zip archive")
    assert_one_line(cli(command, bad), FAILED, "broken.fmu")


@pytest.mark.parametrize("command", tiers(["csv", "export", "plot"], usual=1))
def test_file_that_can_not_be_written(cli: Cli, tmp_path: Path, command: str) -> None:
    """A result in a folder that is a file, or of unknown format, gives one line that names it."""
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
    (["--no-arrays"], WRONG, "--no-arrays is for --fmi 3.0: FMI 2.0 has no arrays"),
    (["--native", "--platforms", "amiga"], WRONG, "unknown platform 'amiga'"),
    (["--method", "rk4"], WRONG, "method 'rk4' has fixed steps: give --step, in s"),
    (["--method", "rk4", "--step", "0.01", "--rtol", "0.1"], WRONG, "no error control: leave out --rtol"),
    (["--events", "never"], WRONG, "--events is 'never': use 'located' or 'steps'"),
    (["--events", "steps"], WRONG, "--events steps is for fixed steps: give --step, in s"),
    (["--naming", "dotted"], WRONG, "--naming is 'dotted': use structured or flat"),
    (["--license-file", "LICENSE.md"], WRONG, "--license-file is 'LICENSE.md': give a file that ends in .txt"),
    (["--model-version", "1\n2"], WRONG, "--model-version is '1"),
])  # fmt: skip
def test_messages_speak_of_options(cli: Cli, tmp_path: Path, options: list[str], code: int, named: str) -> None:
    """Remedies are options of the command line, not arguments of Python."""
    done = cli("export", GOVERNOR, "-o", tmp_path / "governor.fmu", *options)
    assert_one_line(done, code, named)
    assert "=" not in done.err


def test_exit_codes_of_the_process() -> None:
    """0: success; 1: the run failed; 2: wrong command line; one line on standard error."""
    good = python(RUN, "simulate", GOVERNOR, "-t", "0.1")
    assert (good.returncode, good.stderr) == (0, "") and "speed = 0.35" in good.stdout
    failed = python(RUN, "simulate", "absent.py")
    assert_one_line(Outcome(failed.returncode, failed.stdout, failed.stderr), FAILED, "'absent.py'")
    module = subprocess.run([sys.executable, "-m", "mbs_fmu", "--version"], capture_output=True, text=True, check=True)
    assert module.stdout == f"mbs-fmu {mbs.__version__}\n"
    wrong = python(RUN, "simulate", GOVERNOR, "-p", "c")
    assert_one_line(Outcome(wrong.returncode, wrong.stdout, wrong.stderr), WRONG, "'c'")
