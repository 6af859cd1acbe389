"""Native FMUs in hosts without Python: C programs, other systems, threads.

zig compiles the programs of tests/fmi/native/hosts. Those for Windows run under wine, those for Linux on 64-bit ARM
under qemu, where installed. Long runs:

    MBS_FMU_STEPS=100000000 pytest tests/fmi/native/test_native_hosts.py -m '' -k long
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fmpy import read_model_description

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.hosts.c_hosts import execute, library, only_linux, place, token, valgrind
from support.hosts.fmus import Builder
from support.models.fmu_models import METHODS, MODELS

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow
TICK = 1 / 128  #: a communication step whose multiples are exact
COUNT = 200
TORQUE = 0.8
OUTPUTS = ("time", "speed", "slide", "alpha", "beta", "energy")
STEPS = int(os.environ.get("MBS_FMU_STEPS", "100000"))


# -- the same run in C, on three systems -----------------------------------------------------------------


def arguments(fmu: Path, size: float, count: int) -> list[str]:
    references = {v.name: v.valueReference for v in read_model_description(str(fmu)).modelVariables}
    outputs = [str(references[name]) for name in OUTPUTS]
    return [token(fmu), repr(size), str(count), f"{references['torque']}={TORQUE}", *outputs]


def rows(text: str) -> np.ndarray:
    return np.array([[float(x) for x in line.split()] for line in text.splitlines()])


def simulated(size: float) -> np.ndarray:
    result = mbs.simulate(
        MODELS["governor"](), COUNT * size, inputs={"torque": TORQUE}, output_interval=size, **METHODS["rk4"]
    )
    return np.column_stack([result[name][1:] for name in OUTPUTS])


def assert_equal_runs(actual: np.ndarray, expected: np.ndarray) -> None:
    """Assert that each column is within 1e-12 of its largest magnitude."""
    assert actual.shape == expected.shape
    assert_close(actual, expected, 1e-12 * np.abs(expected).max(axis=0), "output", OUTPUTS, expected[:, 0])


def test_c_host_gives_the_bits_of_simulate(program: Callable[..., Path], host_fmu: Builder, tmp_path: Path) -> None:
    """In a C program with exact communication points every number is that of `simulate`, bit for bit."""
    fmu = host_fmu("governor", kind="native")
    text = execute(program("run"), library(fmu, tmp_path / place()), *arguments(fmu, TICK, COUNT))
    assert np.array_equal(rows(text), simulated(TICK))


def test_c_host_with_a_decimal_step(program: Callable[..., Path], host_fmu: Builder, tmp_path: Path) -> None:
    """200 steps of 0.01 s are those of `simulate` up to round-off of the clocks."""
    fmu = host_fmu("governor", kind="native")
    text = execute(program("run"), library(fmu, tmp_path / place()), *arguments(fmu, 0.01, COUNT))
    assert_equal_runs(rows(text), simulated(0.01))


def test_windows_library_under_wine(program: Callable[..., Path], windows_governor: Path, tmp_path: Path) -> None:
    """A Windows program with the Windows library gives the numbers of `simulate` up to last bits of another C library
    (200 steps of 8 parts; measured with wine 8: no bit differs).
    """
    debian = Path("/usr/lib/wine/wine64")  # wine64 is not on the path without the package wine
    wine = shutil.which("wine64") or shutil.which("wine") or (str(debian) if debian.is_file() else None)
    if wine is None:
        pytest.skip("wine is not installed")
    quiet = {"WINEPREFIX": str(tmp_path / "wine"), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}
    dll = library(windows_governor, tmp_path / "win64")
    try:
        text = execute(
            wine, program("run", "x86_64-windows"), f"Z:{dll}", *arguments(windows_governor, TICK, COUNT), **quiet
        )
    finally:
        subprocess.run([wine, "wineboot", "-k"], env={**os.environ, **quiet}, capture_output=True)
        shutil.rmtree(tmp_path / "wine", ignore_errors=True)
    assert_equal_runs(rows(text), simulated(TICK))


def emulated() -> list[str]:
    """The command that runs programs for Linux on 64-bit ARM; skips where there is none."""
    qemu, system = shutil.which("qemu-aarch64"), Path("/usr/aarch64-linux-gnu")
    if qemu is None:
        pytest.skip("qemu-aarch64 is not installed (Debian: qemu-user)")
    if not (system / "lib" / "ld-linux-aarch64.so.1").exists():
        pytest.skip(f"no C library for 64-bit ARM in {system} (Debian: libc6-arm64-cross)")
    return [qemu, "-L", str(system)]


def test_arm_library_under_qemu(program: Callable[..., Path], governor: Path, tmp_path: Path) -> None:
    """A program and library for Linux on 64-bit ARM give the numbers of `simulate` up to last bits of another C library
    (measured with qemu 7.2 and glibc 2.36: no bit differs).
    """
    command, so = emulated(), library(governor, tmp_path / "aarch64-linux")
    text = execute(*command, program("run", "aarch64-linux"), so, *arguments(governor, TICK, COUNT))
    assert_equal_runs(rows(text), simulated(TICK))


def test_a_library_for_another_processor_is_refused(
    program: Callable[..., Path], governor: Path, tmp_path: Path
) -> None:
    """A host on ARM that takes the library for x86, as some do with FMI 2.0, gets the system's message and goes on."""
    command, so = emulated(), library(governor, tmp_path / "linux64")
    host = program("run", "aarch64-linux")
    done = subprocess.run(
        [*command, host, so, *arguments(governor, TICK, 1)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2 and "cannot open shared object file" in done.stderr


# -- long runs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_a_long_run_counts_its_communication_points(
    program: Callable[..., Path], host_fmu: Builder, tmp_path: Path, fmi: str
) -> None:
    """Steps at times k h, never a sum, are all made, and the FMU's time is the program's to one rounding.
    In 1e8 steps (MBS_FMU_STEPS=100000000) summed clocks drift apart by more than any of them allows.
    """
    fmu = host_fmu("swing", kind="native", fmi=fmi)
    name, values = {"2.0": ("long", ["0"]), "3.0": ("long3", [])}[fmi]
    text = execute(program(name), library(fmu, tmp_path / place(fmi)), token(fmu), 1e-3, STEPS, *values)
    print(text)
    made, time = text.split()
    assert (int(made), float(time)) == (STEPS, pytest.approx(STEPS * 1e-3, rel=4e-16))


# -- threads ---------------------------------------------------------------------------------------------


def test_threads_do_not_disturb_each_other(program: Callable[..., Path], host_fmu: Builder, tmp_path: Path) -> None:
    """1000 instances with different inputs, created, stepped in turns, saved, restored and freed by 8 threads, each end
    as if alone, bit for bit.
    """
    only_linux()
    fmu = host_fmu("governor", kind="native")
    so = library(fmu, tmp_path / place())
    text = execute(program("threads"), 1000, 8, so, *arguments(fmu, TICK, 20))
    assert text.split() == ["1000", "instances,", "1000", "the", "same,", "1000", "distinct"]


def test_threads_leave_no_memory_behind(program: Callable[..., Path], host_fmu: Builder, tmp_path: Path) -> None:
    """With 24 instances valgrind finds no invalid access, nothing uninitialised, no leak."""
    checked = valgrind()
    fmu = host_fmu("governor", kind="native")
    so = library(fmu, tmp_path / place())
    execute(*checked, program("threads"), 24, 8, so, *arguments(fmu, TICK, 4))
