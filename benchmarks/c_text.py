"""Kernels as C against the objects of native FMUs: cost of a step with rk4, by gcc, alternately in one process."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.codegen.ahead import kernel_names, kinds_of
from mbs_fmu.codegen.c.kernels import c_kernels
from mbs_fmu.fmi.native.lowering import objects_of, write_objects
from mbs_fmu.fmi.native.platforms import ALL, host
from mbs_fmu.record.program import Program
from mbs_fmu.run.simulate import compiled

from .named import chain, governor, in_folder
from .report import Unavailable, progress, table
from .timing import Effort, Run, interleaved

STEP = 1e-3
LLVM = {"LLVM": "x86-64", "LLVM v3": "x86-64-v3"}
OPTIONS = {"gcc -O2": ("-O2",), "gcc -O3": ("-O3",), "gcc -O3 v3": ("-O3", "-march=x86-64-v3", "-mno-fma")}
MODELS: dict[str, tuple[Callable[[], mbs.Model], float]] = {  # with the target: largest ratio of gcc -O2
    "governor": (governor, 1.15), "universal-10": (chain("universal-10"), 1.15),
    "universal-100": (chain("universal-100"), 1.15), "four_bar": (in_folder("four_bar"), 1.25),
    "slider_crank": (in_folder("slider_crank"), 1.25), "n_four_bar": (in_folder("n_four_bar"), 1.25),
    "stewart_platform": (in_folder("stewart_platform"), 1.25), "planetary_gear": (in_folder("planetary_gear"), 1.25),
}  # fmt: skip
#: The objects hide their entries: these two make them visible.
VISIBLE = """#include <stdint.h>
int64_t kernel_initialise(double *);
int64_t kernel_advance(double *, double *, double, double, int64_t);
int64_t start(double *R) { return kernel_initialise(R); }
int64_t steps(double *R, double *U, double stop, double step) { return kernel_advance(R, U, stop, step, 0); }
"""
EXPLANATION = f"""\
Processor time of steps of {STEP:g} s with rk4, relative to LLVM's objects for any x86-64 processor with all
optimisations; medians of ratios within each round. "v3" is for processors since 2013 (x86-64-v3), with gcc and
-mno-fma. The targets are 1.15 on trees and 1.25 on closed loops with gcc -O2."""


def section(effort: Effort) -> str:
    """Report section."""
    rows = []
    for name, (build, target) in MODELS.items():
        progress(f"C of {name}")
        with tempfile.TemporaryDirectory() as folder:
            runs, records = _runs(build(), Path(folder))
            seconds = interleaved(runs, effort)
        base, kinds = np.array(seconds["LLVM"]), [kind for kind in runs if kind != "LLVM"]
        ratios = [float(np.median(np.array(seconds[kind]) / base)) for kind in kinds]
        equal = "yes" if len(set(records.values())) == 1 else "no"
        rows.append([name, f"{1e9 * np.median(base):.0f}", *(f"{r:.2f}" for r in ratios), f"{target:g}", equal])
    header = ["model", "LLVM, ns", *kinds, "target", "same bits"]
    return "\n\n".join(["## C text", EXPLANATION, table(header, rows)])


def _runs(model: mbs.Model, folder: Path) -> tuple[dict[str, Run], dict[str, bytes]]:
    """Return the runs of all kinds of machine code, and the record of each after some steps."""
    if not shutil.which("gcc") or host() not in ALL:
        raise Unavailable("the comparison needs gcc on a platform of native FMUs")
    runtime = compiled(model, method="rk4", alone=True)
    module = runtime.kernels.source_with(*(["exchange_rates_d"] if runtime.program.loops else []))
    program = replace(runtime.program, module=module)
    names = kernel_names(("initialise", "advance"), "rk4_fixed")
    points = [(entry, kernel, kinds_of(entry)) for entry, kernel in names.items()]
    (folder / "kernels.c").write_text(c_kernels(program, points) + VISIBLE, encoding="utf-8")
    libraries = {kind: _objects(program, folder, cpu) for kind, cpu in LLVM.items()}
    for kind, options in OPTIONS.items():
        libraries[kind] = _built([*options, str(folder / "kernels.c")], folder / f"{len(libraries)}.so")
    runs, records = {}, {}
    for kind, library in libraries.items():
        R, U = program.new_record(), runtime.no_tables.copy()
        library.start(R.ctypes.data_as(ctypes.c_void_p))
        runs[kind] = partial(_run, library, R, U)
        records[kind] = _run(library, R, U, 50).tobytes()
    return runs, records


def _run(library: ctypes.CDLL, first: np.ndarray, U: np.ndarray, count: int) -> np.ndarray:
    """Make steps from a record, and return the record that they leave."""
    R = first.copy()
    pointer = ctypes.c_void_p
    library.steps(pointer(R.ctypes.data), pointer(U.ctypes.data), ctypes.c_double(count * STEP), ctypes.c_double(STEP))
    return R


def _objects(program: Program, folder: Path, cpu: str) -> ctypes.CDLL:
    """Return the objects of a native FMU for a processor, with all optimisations, as a library."""
    objects = [replace(one, cpu=cpu, tuned=True) for one in objects_of(ALL[host()], "baseline") if not one.suffix]
    write_objects(program, "rk4_fixed", objects, folder)
    (folder / "visible.c").write_text(VISIBLE, encoding="utf-8")
    return _built([str(folder / "visible.c"), *(str(folder / one.name) for one in objects)], folder / f"{cpu}.so")


def _built(arguments: Sequence[str], path: Path) -> ctypes.CDLL:
    command = ["gcc", "-std=c99", "-fPIC", "-shared", *arguments, "-o", str(path), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Unavailable(f"gcc: {done.stderr[-2000:]}")
    return ctypes.CDLL(str(path))
