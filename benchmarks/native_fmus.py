"""Native FMUs: cost of a step against the kernel, the Python kind and an FMU written by hand in C."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave

import mbs_fmu as mbs
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.run.simulate import compiled

from .kernel_loops import kernel_loop
from .named import chain, governor
from .native import library
from .report import number, progress, table
from .timing import Effort, Run, interleaved

STEP = 1e-3
EXPLANATION = f"""\
Nanoseconds of a `doStep` with one rk4 step of {STEP:g} s, called in a loop in C, medians of interleaved repeats. A
native doStep also computes the outputs, compares clocks, and checks for non-finite numbers.

- "By hand": a pendulum FMU of {{lines}} lines of C (benchmarks/pendulum_fmu.c) without checks or other functions.
- "Kernel": the same step as a kernel, called in a loop in machine code.
- "Native": the FMU for any x86-64 processor, which uses a second copy of the kernels on processors with AVX2.
- "v3": the FMU made with `cpu="x86-64-v3"`, which has only that copy.

The ratios are medians of ratios to the kernel within each round (targets: 1.25 and 1.10)."""
COSTS = """\
Seconds of `mbs.export` of the governor with the C libraries in the cache: the first export of a structure compiles its
kernels, later ones (other values, other inputs' start values) reuse them. "Instantiate" is `fmi2Instantiate` up to the
end of initialization, from Python."""


def pendulum() -> mbs.Model:
    """The pendulum of pendulum_fmu.c."""
    m = mbs.Model("pendulum")
    rod = m.body("rod", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))
    m.motor("drive", on=rod, torque=m.input("torque", unit="N.m"))
    m.output("phi", mbs.coordinate(rod))
    m.start(rod, q=0.5)
    return m


MODELS: dict[str, Callable[[], mbs.Model]] = {
    "pendulum": pendulum, "governor": governor, "universal-10": chain("universal-10"),
    "universal-50": chain("universal-50"),
}  # fmt: skip


def section(effort: Effort) -> str:
    """Report section."""
    with tempfile.TemporaryDirectory() as folder:
        lines = len((Path(__file__).parent / "pendulum_fmu.c").read_text(encoding="utf-8").splitlines())
        parts = [EXPLANATION.format(lines=lines), _steps(Path(folder), effort), COSTS, _costs(Path(folder))]
    return "\n\n".join(["## Native FMU", *parts])


def _steps(folder: Path, effort: Effort) -> str:
    loop = library("stepper.cpp", []).run_steps
    loop.restype = ctypes.c_double
    loop.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double, ctypes.c_double, ctypes.c_long]
    rows = []
    for name, build in MODELS.items():
        progress(f"native FMU of {name}")
        model = build()
        with ExitStack() as stack:
            runs: dict[str, Run] = {"kernel": _kernel(model)}
            for kind, cpu in (("native", "baseline"), ("v3", "x86-64-v3")):
                path = mbs.export(
                    model, folder / f"{name}_{kind}.fmu", "native", method="rk4", step=STEP, platforms="host", cpu=cpu,
                    stop_time=0.1, reference=False,
                )  # fmt: skip
                runs[kind] = partial(_run, loop, stack.enter_context(running(path)))
            if name == "pendulum":
                runs["by hand"] = partial(_run, loop, stack.enter_context(_by_hand(folder)))
            seconds = interleaved(runs, effort)
        medians = {key: 1e9 * float(np.median(values)) for key, values in seconds.items()}
        ratios = [float(np.median(seconds[key] / seconds["kernel"])) for key in ("native", "v3")]
        cells = [number(medians.get(key), "{:.0f}") for key in ("by hand", "kernel", "native", "v3")]
        rows.append([name, *cells, *(number(r, "{:.2f}") for r in ratios)])
    return table(["model", "by hand", "kernel", "native", "v3", "native to kernel", "v3 to kernel"], rows)


def _kernel(model: mbs.Model) -> Run:
    """Steps of the kernel, in a loop in machine code."""
    runtime = compiled(model)
    R = runtime.program.new_record()
    runtime.initialize(R, 1e-6, 1e-8)
    step = f"rk4_fixed(R, U, R[{HeadNumbers.time}] + {STEP!r}, {STEP!r}, 0)"
    return partial(kernel_loop(runtime.program.text, "R, U", step, "array", "array"), R, runtime.no_tables)


def _run(loop: Any, instance: tuple[Any, Any, list[float]], count: int) -> None:
    """Steps of an FMU, with continuing time."""
    function, component, time_of = instance
    reached = loop(function, component, time_of[0], STEP, count)
    if reached < 0.0:
        raise RuntimeError("a step failed")
    time_of[0] = reached


@contextmanager
def running(path: Path) -> Iterator[tuple[Any, Any, list[float]]]:
    """doStep, the component and the time of an initialized instance."""
    description = read_model_description(str(path))
    slave = FMU2Slave(
        guid=description.guid, unzipDirectory=str(extract(str(path))),
        modelIdentifier=description.coSimulation.modelIdentifier, instanceName=path.stem,
    )  # fmt: skip
    slave.instantiate()
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    yield slave.dll.fmi2DoStep, slave.component, [0.0]
    slave.freeInstance()


@contextmanager
def _by_hand(folder: Path) -> Iterator[tuple[Any, Any, list[float]]]:
    """The same for the hand-written FMU."""
    shared_object, headers = folder / "by_hand.so", Path(fmpy.__file__).parent / "c-code"
    command = [sys.executable, "-m", "ziglang", "cc", "-O2", "-shared", "-fPIC", f"-I{headers}"]
    subprocess.run(
        [*command, str(Path(__file__).parent / "pendulum_fmu.c"), "-o", str(shared_object), "-lm"], check=True
    )
    dll = ctypes.CDLL(str(shared_object))
    dll.fmi2Instantiate.restype = ctypes.c_void_p
    component = ctypes.c_void_p(dll.fmi2Instantiate(b"by hand", 1, b"", b"", None, 0, 0))
    dll.fmi2SetupExperiment(component, 0, ctypes.c_double(0.0), ctypes.c_double(0.0), 0, ctypes.c_double(0.0))
    yield dll.fmi2DoStep, component, [0.0]
    dll.fmi2FreeInstance(component)


def _costs(folder: Path) -> str:
    progress("exporting native FMUs")
    path = folder / "governor.fmu"
    _export(governor(), path, "all")  # the C libraries of all platforms, built once
    rows = []
    for platforms, title in (("host", "this platform"), ("all", "four platforms")):
        other = governor()
        other.output(f"extra_{platforms}", 2.0 * mbs.time + len(platforms))
        first = _export(other, folder / "other" / "governor.fmu", platforms)
        again = _export(governor(), path, platforms)
        size = path.stat().st_size / 1e3
        rows.append([title, number(first, "{:.1f}"), number(again, "{:.2f}"), number(size, "{:.0f}")])
    began = time.perf_counter()
    for _ in range(20):
        with running(path):
            pass
    each = 1e3 * (time.perf_counter() - began) / 20
    text = table(["export for", "first, s", "again, s", "size, kB"], rows)
    return f"{text}\n\nFrom instantiation to the end of initialization, with unpacking: {each:.1f} ms."


def _export(model: mbs.Model, path: Path, platforms: str) -> float:
    """Seconds of an export."""
    began = time.perf_counter()
    mbs.export(model, path, "native", method="rk4", step=STEP, platforms=platforms, progress=False)
    return time.perf_counter() - began
