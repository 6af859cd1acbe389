"""The kernels of models as C: no warning of a compiler, and every number of the record as from LLVM, bit for bit."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.ahead import module_ahead
from mbs_fmu.codegen.c.helpers import PREAMBLE
from mbs_fmu.codegen.c.kernels import c_kernels, entry_points
from mbs_fmu.codegen.loader import load_kernels
from mbs_fmu.model.model import Model
from mbs_fmu.record.blocks import HeadNumbers, LoopNumbers
from mbs_fmu.record.codes import Fresh
from mbs_fmu.record.program import Program
from mbs_fmu.run.runtime import Runtime
from mbs_fmu.run.simulate import compiled as compiled_model
from support.c_programs import call, compiled, compiler, run_command
from support.generators.near_pairs import swarm
from support.models.bundled import builders, built

USUAL = ("governor",)  #: a tree; models with modes, resets and closed loops are slow to compile
MODELS = [pytest.param(name, marks=() if name in USUAL else pytest.mark.slow) for name in builders()]
STEP, ROWS, INTERVAL = 1e-3, 12, 0.01  #: step and communication points, s
Call = Callable[..., int]


def program_of(model: Model, method: str) -> tuple[Program, Runtime]:
    runtime = compiled_model(model, method=method, alone=True)
    module = runtime.kernels.source_with(*(["exchange_rates_d"] if runtime.program.loops else []))
    return replace(runtime.program, module=module), runtime


def stages(call: Call, program: Program, tables: np.ndarray, advance: str, setting: float) -> dict[str, np.ndarray]:
    """Return the record after a start, its derivatives, outputs and tangents, and after some steps."""
    R, U, D = program.new_record(), tables.copy(), np.zeros(program.regions["end"][0])
    found = {}

    def note(stage: str, status: int, *arrays: np.ndarray) -> None:
        found[stage] = np.concatenate([[float(status)], *arrays])

    note("start", call("initialise", R), R)
    project = (
        program.regions["loop_state"][0] + LoopNumbers.projection_residual if "loop_state" in program.regions else -1
    )
    call("set_tolerances", R, project, 1e-6, 1e-6, 1e-8)
    R[HeadNumbers.fresh] = Fresh.stale
    note("refresh", call("refresh", R, U), R)
    T, x = R.copy(), program.state_slice
    D[x] = np.random.default_rng(1).standard_normal(x.stop - x.start)
    note("tangent", call("tangent", T, D), T, D)
    for row in range(1, ROWS):
        arguments = (R, U, INTERVAL * row, setting, 0)
        status = call(advance, *arguments, *([0] if advance.endswith("_to_event") else []))
        note(f"t = {INTERVAL * row:g} s", status, R)
    return found


def difference(one: dict[str, np.ndarray], two: dict[str, np.ndarray], program: Program) -> str:
    """Return which numbers of which stage differ first; NaN equals NaN."""
    for stage, a in one.items():
        b = two[stage]
        other = np.flatnonzero((a.view(np.int64) != b.view(np.int64)) & ~(np.isnan(a) & np.isnan(b)))
        if len(other):
            place = int(other[0]) - 1
            region = next((n for n, (start, size) in program.regions.items() if start <= place < start + size), "head")
            return f"{stage}: {len(other)} numbers, the first at {place} ({region}): {a[place + 1]!r}, {b[place + 1]!r}"
    return ""


def require_equal(model: Model, method: str, options: list[str], folder: Path) -> None:
    """Require that a model has equal records in C and in LLVM code."""
    program, runtime = program_of(model, method)
    advance, setting = (f"{method}_fixed", STEP) if method == "rk4" else (f"{method}_adaptive", 1e-6)
    points = entry_points(program, advance)
    stepping = next(kernel for name, kernel, _ in points if kernel.startswith(advance))
    library = compiled(c_kernels(program, points, linkage=""), folder, options)
    kernels = load_kernels(module_ahead(program))
    names = {kernel: name for name, kernel, _ in points}

    def in_c(kernel: str, *arguments: object) -> int:
        return call(library, f"kernel_{names[kernel]}", *arguments)

    def in_llvm(kernel: str, *arguments: object) -> int:
        return int(kernels.entry(kernel)(*arguments) or 0)

    one = stages(in_llvm, program, runtime.no_tables, stepping, setting)
    two = stages(in_c, program, runtime.no_tables, stepping, setting)
    assert difference(one, two, program) == "", model.name


@pytest.mark.apart
@pytest.mark.parametrize("name", MODELS)
def test_models_in_c_have_the_bits_of_llvm_code(name: str, tmp_path: Path) -> None:
    """A start, rates, outputs, a tangent and steps of fixed size with rk4."""
    require_equal(built(name), "rk4", ["-O1", "-Wshadow"], tmp_path)


@pytest.mark.apart
def test_near_pairs_in_c_have_the_bits_of_llvm_code(tmp_path: Path) -> None:
    """Contacts of balls whose near pairs are found in the run."""
    require_equal(swarm(6), "rk4", ["-O1", "-Wshadow"], tmp_path)


@pytest.mark.apart
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_periodic_laws_in_c_have_the_bits_of_llvm_code(method: str, tmp_path: Path) -> None:
    """The rest of a division, periodic tables, and with dopri5 steps that end at periodic times."""
    m = Model("periodic")
    p = m.parameter("p", 0.013)
    m.state("saw", (mbs.time - 0.3) % p)
    m.state("pulse", mbs.where(mbs.time % p < 0.004, 1.0, mbs.mod(-mbs.time, -0.002)))
    m.state("table", mbs.table(mbs.time, (0.0, 0.01, 0.02), (1.0, 3.0, -2.0), period=0.03))
    require_equal(m, method, ["-O1"], tmp_path)


def functions_of(name: str, method: str) -> dict[str, str]:
    """Return the functions of a model's text by their names."""
    text = compiled_model(built(name), method=method, alone=True).program.text
    return {one.partition("(")[0]: one for one in text.split("\ndef ")[1:]}


@pytest.mark.slow
def test_error_control_in_c_has_the_bits_of_llvm_code(tmp_path: Path) -> None:
    """The same with steps of dopri5, for models with functions that neither rk4 nor an earlier model has.

    The functions of a method name the model's numbers by constants, so that many models have the same ones.
    """
    seen: set[str] = set()
    tested = ["four_bar"]  # closed loops under error control, although trees have the functions of the method
    for name in builders():
        with_rk4, with_dopri5 = (functions_of(name, method) for method in ("rk4", "dopri5"))
        own = {text for function, text in with_dopri5.items() if function not in with_rk4}
        if name not in tested and own - seen:
            tested.append(name)
        seen |= own
    assert len(tested) < len(builders())
    for name in tested:
        (tmp_path / name).mkdir()
        require_equal(built(name), "dopri5", ["-O1"], tmp_path / name)


@pytest.mark.parametrize("name", ["governor", pytest.param("four_bar", marks=pytest.mark.slow)])
def test_no_multiplication_is_contracted(name: str, tmp_path: Path) -> None:
    """The options of usual build systems would round a * b + c once, on this processor if it can."""
    require_equal(built(name), "rk4", ["-O2", "-std=gnu99", "-march=native"], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("options", ["-O3 -march=x86-64-v3", "-O3 -march=x86-64-v3 -mno-fma", "-O3 -march=native"])
@pytest.mark.parametrize("name", ["bouncing_pendulum", "cam_follower"])
def test_vectors_have_the_bits_of_llvm_code(name: str, options: str, tmp_path: Path) -> None:
    """gcc 12 contracts operations in vectors in spite of its options, in these models too."""
    probe = 'int main(void) { return !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")); }\n'
    (tmp_path / "probe.c").write_text(probe)
    built_probe = subprocess.run([*compiler(), tmp_path / "probe.c", "-o", tmp_path / "probe"], capture_output=True)
    if built_probe.returncode or subprocess.run([tmp_path / "probe"]).returncode:
        pytest.skip("this processor has no fused operations, or is none of x86")
    require_equal(built(name), "rk4", options.split(), tmp_path)


CONTRACTIBLE = """
void alternating(REAL *restrict a, const REAL *restrict b, const REAL *restrict c, const REAL *restrict d) {
    for (int i = 0; i < 64; i++) {
        a[2 * i] = b[2 * i] * c[2 * i] - d[2 * i];
        a[2 * i + 1] = b[2 * i + 1] * c[2 * i + 1] + d[2 * i + 1];
    }
}
void straight(REAL *restrict a, const REAL *restrict b, const REAL *restrict c, const REAL *restrict d) {
    a[0] = b[0] * c[0] - d[0], a[1] = b[1] * c[1] + d[1];
    a[2] = b[2] * c[2] - d[2], a[3] = b[3] * c[3] + d[3];
}
void complex_products(REAL *restrict a, const REAL *restrict b, const REAL *restrict c) {
    for (int i = 0; i < 64; i++) {
        a[2 * i] = b[2 * i] * c[2 * i] - b[2 * i + 1] * c[2 * i + 1];
        a[2 * i + 1] = b[2 * i] * c[2 * i + 1] + b[2 * i + 1] * c[2 * i];
    }
}
void sums(REAL *restrict a, const REAL *restrict b, const REAL *restrict c) {
    for (int i = 0; i < 64; i++) a[i] += b[i] * c[i];
}
"""  #: loops and straight code that compilers like to contract
PROCESSORS = ("x86-64-v3", "x86-64-v4", "haswell", "bdver4", "native", "x86-64-v3 -mno-fma")
FUSED = re.compile(r"^\tv?(?:fn?m(?:add|sub|la|ls)|fc?mla)\S*", re.MULTILINE)  #: instructions of x86 and ARM


def test_no_processor_gets_a_fused_operation(tmp_path: Path) -> None:
    """At all levels of optimisation and for all processors of this compiler, in double and single precision."""
    command, seen = compiler(), 0
    for real in ("double", "float"):
        (tmp_path / "text.c").write_text(PREAMBLE + CONTRACTIBLE.replace("REAL", real))
        (tmp_path / "plain.c").write_text(CONTRACTIBLE.replace("REAL", real))
        for processor in PROCESSORS:
            options = [*f"-march={processor}".split(), "-std=gnu99", "-S", "-o", str(tmp_path / "text.s")]
            if subprocess.run([*command, "-O2", *options, tmp_path / "plain.c"], capture_output=True).returncode:
                continue  # a processor that this compiler does not know
            seen += bool(FUSED.search((tmp_path / "text.s").read_text()))
            for level in ("-O2", "-O3"):
                run_command([*command, level, "-ffp-contract=fast", *options, tmp_path / "text.c"])
                found = FUSED.findall((tmp_path / "text.s").read_text())
                assert not found, f"{real}, {level}, {processor}: {found}"
    if not seen:
        pytest.skip("this compiler forms no fused operations for any of these processors")


def test_text_is_deterministic_and_names_neither_host_nor_folder(tmp_path: Path) -> None:
    """Two exports of one model give one text, which contains nothing of the machine."""
    texts = []
    for _ in range(2):
        program, _ = program_of(built("governor"), "rk4")
        texts.append(c_kernels(program, entry_points(program, "rk4_fixed")))
    assert texts[0] == texts[1]
    assert "/tmp" not in texts[0] and "/home" not in texts[0] and "__DATE__" not in texts[0]


def test_kernels_are_valid_cpp_too(tmp_path: Path) -> None:
    """Static functions serve a program in C++ without changes."""
    command = compiler()
    command[-1:] = ["g++"] if command == ["gcc"] else ["c++"]
    program, _ = program_of(built("governor"), "rk4")
    (tmp_path / "kernels.cpp").write_text(c_kernels(program, entry_points(program, "rk4_fixed")) + "\n")
    options = ["-std=c++11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-unused-function", "-c"]
    run_command([*command, *options, tmp_path / "kernels.cpp", "-o", tmp_path / "kernels.o"])


def test_fast_mathematics_is_refused(tmp_path: Path) -> None:
    """Under -ffast-math, numbers that are not finite would go unnoticed."""
    program, _ = program_of(built("governor"), "rk4")
    text = c_kernels(program, entry_points(program, "rk4_fixed"), linkage="")
    with pytest.raises(AssertionError, match="compile without -ffast-math"):
        compiled(text, tmp_path, ["-ffast-math"])
    assert isinstance(compiled(text, tmp_path), ctypes.CDLL)
