"""Random calls of native FMUs, from a host without Python (tests/fmi/native/hosts).

A longer run from another seed:

    MBS_FMU_FUZZ=1000000 MBS_FMU_SEED=7 pytest tests/fmi/native/test_native_calls.py -m ''
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from fmpy import read_model_description

import mbs_fmu as mbs
from mbs_fmu.fmi.native import linking
from mbs_fmu.fmi.native.platforms import host
from mbs_fmu.run.simulate import compiled
from support.c_programs import run_command
from support.hosts.c_hosts import HEADERS, execute, library, only_linux, place, token, valgrind, zig
from support.hosts.fmus import Builder
from support.models.fmu_models import METHODS, MODELS
from support.paths import HOSTS

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow

FUZZ = int(os.environ.get("MBS_FMU_FUZZ", "10000"))
SEED = os.environ.get("MBS_FMU_SEED", "1")
SANITIZE = ("-fsanitize=undefined,float-cast-overflow", "-fsanitize-trap=all")

RANDOM = [
    pytest.param("2.0", "gyro", "rk4", id="fmi2-gyro-rk4"),
    pytest.param("2.0", "top", "dopri5", id="fmi2-top-dopri5"),
    pytest.param("2.0", "speed_regulator", "dopri5", id="fmi2-without-states"),
    pytest.param("2.0", "linkage", "rk4", id="fmi2-closed-loop"),
    pytest.param("3.0", "gyro", "rk4", id="fmi3-gyro-rk4"),
    pytest.param("3.0", "linkage", "dopri5", id="fmi3-closed-loop"),
    pytest.param("3.0", "top", "dopri5", id="fmi3-top-dopri5"),
    pytest.param("3.0", "speed_regulator", "rk4", id="fmi3-without-states"),
    pytest.param("3.0", "pounder", "rk4", id="fmi3-events-rk4"),
    pytest.param("3.0", "pounder", "dopri5", id="fmi3-events-dopri5"),
    pytest.param("3.0", "vectors", "rk4", id="fmi3-vectors"),
    pytest.param("2.0", "shuttle", "rk4", id="fmi2-types"),
    pytest.param("3.0", "shuttle", "rk4", id="fmi3-types"),
]


def table(fmu: Path) -> str:
    """Length, kind and type of every value reference for tests/fmi/native/hosts/fuzz.h; 0-r for unused references."""
    entries = {}
    for v in read_model_description(str(fmu)).modelVariables:
        settable = v.causality == "input" or (v.causality == "parameter" and v.variability == "tunable")
        kind = "i" if settable else {"output": "o", "independent": "t"}.get(v.causality, "-")
        type = {"Boolean": "b", "Integer": "i", "Int32": "i", "Enumeration": "e"}.get(v.type, "r")
        entries[v.valueReference] = f"{math.prod(int(d.start) for d in v.dimensions or [])}{kind}{type}"
    return "".join(entries.get(k, "0-r") for k in range(max(entries) + 1))


def fuzz(fmu: Path, so: Path, other: Path, other_so: Path, model: str, method: str, count: int) -> list[object]:
    """Arguments of the programs fuzz and fuzz3."""
    program = compiled(MODELS[model]()).program
    states = program.state_slice
    steps = "fixed" if "step" in METHODS[method] else "adaptive"
    events = "+events" if program.modes or program.jumps else ""
    return [
        so, token(fmu), other_so, token(other), table(fmu), states.stop - states.start, steps + events, SEED, count
    ]  # fmt: skip


def prepared(host_fmu: Builder, folder: Path, fmi: str, model: str, method: str, count: int) -> list[object]:
    fmu, other = host_fmu(model, method, "native", fmi), host_fmu("governor", "rk4", "native", fmi)
    so, other_so = (library(f, folder / f.stem / place(fmi)) for f in (fmu, other))
    return fuzz(fmu, so, other, other_so, model, method, count)


@pytest.mark.parametrize(("fmi", "model", "method"), RANDOM)
def test_random_calls(
    program: Callable[..., Path], host_fmu: Builder, tmp_path: Path, fmi: str, model: str, method: str
) -> None:
    """No sequence of calls with any arguments crashes; refusals have a text; values with status OK are finite; reset
    always works; damaged and foreign states are refused (all laws: hosts/fuzz.h).
    """
    count = FUZZ if method == "rk4" else FUZZ // 10
    name = {"2.0": "fuzz", "3.0": "fuzz3"}[fmi]
    text = execute(program(name), *prepared(host_fmu, tmp_path, fmi, model, method, count))
    ok, _, discarded, errors, _, made, events = map(int, re.findall(r"\d+", text))
    print(text)
    told = model in ("pounder", "vectors") or (fmi, model) == ("3.0", "shuttle")
    assert events > made // 100 if told else events == 0
    assert min(ok, errors) > 20 * count and discarded > 0 and made > count


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_random_calls_touch_no_other_memory(
    program: Callable[..., Path], host_fmu: Builder, tmp_path: Path, fmi: str
) -> None:
    """Under valgrind random calls make no invalid access, use nothing uninitialised, and leak nothing."""
    checked = valgrind()
    name = {"2.0": "fuzz", "3.0": "fuzz3"}[fmi]
    for model in ("gyro", "linkage", "shuttle"):
        execute(*checked, program(name), *prepared(host_fmu, tmp_path, fmi, model, "rk4", 100))


@pytest.fixture
def sanitized(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exports whose wrapper aborts at undefined behaviour."""
    options = [option for option in linking.OPTIONS if option != "-fno-sanitize=all"]
    monkeypatch.setattr(linking, "OPTIONS", (*options, *SANITIZE))


def test_sanitizer_stops_at_undefined_behaviour(tmp_path: Path) -> None:
    """The compiler options of the next test abort a program that converts -1.0 to an unsigned number."""
    source = tmp_path / "wrong.c"
    source.write_text("int main(int n, char **a) { (void)a; return (int)((unsigned long)(-1.0 * n) & 0); }\n")
    executable = tmp_path / "wrong.exe"
    assert subprocess.run([zig(host(), source, executable, "-std=c99", "-O2", "-fno-sanitize=all")]).returncode == 0
    assert subprocess.run([zig(host(), source, executable, "-std=c99", "-O2", *SANITIZE)]).returncode != 0


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
@pytest.mark.usefixtures("sanitized")
def test_random_calls_have_defined_behaviour(program: Callable[..., Path], tmp_path: Path, fmi: str) -> None:
    """The undefined behaviour sanitizer finds nothing in the wrapper during random calls."""
    only_linux()
    builder = Builder(tmp_path)
    name = {"2.0": "fuzz", "3.0": "fuzz3"}[fmi]
    for model in ("gyro", "linkage", "shuttle"):
        execute(program(name), *prepared(builder, tmp_path, fmi, model, "rk4", 2000))


# -- all memory ------------------------------------------------------------------------------------------

CHECKED = ("-g", "-O1", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all", "-w")


def require_sanitizers() -> None:
    only_linux()
    probe = ["gcc", *CHECKED, "-x", "c", "-", "-o", os.devnull]
    if shutil.which("gcc") is None or subprocess.run(probe, input=b"int main(void) { return 0; }").returncode:
        pytest.skip("gcc or its sanitizers are not installed")


def checked(source: Path, target: Path, *options: str) -> Path:
    """Compile C with checks of every access and operation."""
    run_command(["gcc", *CHECKED, f"-I{HOSTS}", f"-I{HEADERS}", source, "-o", target, *options, "-ldl", "-lm"])
    return target


def compiled_sources(model: str, fmi: str, folder: Path) -> tuple[Path, Path]:
    """An FMU with sources, and its library with checks, also of the kernels."""
    fmu = mbs.export(
        MODELS[model](), folder / model / "checked.fmu", "native", fmi=fmi, sources=True, platforms=[], reference=False,
        stop_time=1.0, communication_step=0.01, **METHODS["rk4"],
    )  # fmt: skip
    with zipfile.ZipFile(fmu) as archive:
        archive.extractall(fmu.parent)
    identifier = read_model_description(str(fmu)).coSimulation.modelIdentifier
    source = fmu.parent / "sources" / f"{identifier}.c"
    return fmu, checked(source, fmu.with_suffix(".so"), "-shared", "-fPIC")


@pytest.mark.parametrize(
    ("fmi", "model"), [("2.0", "gyro"), ("2.0", "linkage"), ("3.0", "linkage"), ("3.0", "pounder")]
)
def test_random_calls_stay_in_their_memory(tmp_path: Path, fmi: str, model: str) -> None:
    """The sanitizers of addresses, leaks and undefined behaviour find nothing in an FMU compiled from its sources, with
    its kernels, during random calls of which about half fail.
    """
    require_sanitizers()
    program = checked(HOSTS / {"2.0": "fuzz.c", "3.0": "fuzz3.c"}[fmi], tmp_path / "fuzz.exe")
    (fmu, so), (other, other_so) = (compiled_sources(name, fmi, tmp_path) for name in (model, "governor"))
    text = execute(program, *fuzz(fmu, so, other, other_so, model, "rk4", FUZZ // 5))
    print(text)
    ok, _, _, errors, *_ = map(int, re.findall(r"\d+", text))
    assert min(ok, errors) > 20 * (FUZZ // 5)
