"""Overhead of an FMU's calls: the governor as a Python FMU against an empty pythonfmu slave."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import numpy as np
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave
from pythonfmu.builder import FmuBuilder

import mbs_fmu as mbs
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.run.simulate import compiled

from .named import governor
from .report import number, progress, table
from .timing import Effort, Run, calls, interleaved

STEP = 1e-3
VALUES = 20
COLUMNS = ("empty", "governor", "kernel", "overhead")
EXPLANATION = f"""\
Microseconds of a call through fmpy's `FMU2Slave`, medians of interleaved repeats. "Empty" is a pythonfmu slave with
{VALUES} outputs whose `do_step` only returns; "governor" is the model of models/governor.py exported as a Python FMU
with method rk4 and one step of {STEP:g} s in each `doStep`; "kernel" is that step, called as a function from Python.
The overhead is the governor's time minus those of the empty slave and the kernel."""
EMPTY_SLAVE = f"""\
import ctypes

from pythonfmu import Fmi2Causality, Fmi2Slave, Real

# pythonfmu gives up one reference too many to this module's namespace
ctypes.pythonapi.Py_IncRef(ctypes.py_object(globals()))


class Empty(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        for k in range({VALUES}):
            setattr(self, f"y{{k}}", 0.0)
            self.register_variable(Real(f"y{{k}}", causality=Fmi2Causality.output))

    def do_step(self, current_time, step_size):
        return True
"""


def section(effort: Effort) -> str:
    """Report section."""
    return "\n\n".join(["## Python FMU", _measured(effort) if hasattr(mbs, "export") else "Not available."])


def _measured(effort: Effort) -> str:
    progress("FMU calls")
    model = governor()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        script = folder / "empty_slave.py"
        script.write_text(EMPTY_SLAVE, encoding="utf-8")
        files = {
            "empty": FmuBuilder.build_FMU(script, dest=folder),
            "governor": mbs.export(model, folder / "governor.fmu", kind="python", method="rk4", step=STEP),
        }
        runs: dict[tuple[str, str], Run] = {("doStep", "kernel"): _kernel_steps(model)}
        for name, path in files.items():
            slave, references = stack.enter_context(_running(path, folder / name))
            runs["doStep", name] = _steps(slave)
            runs["getReal", name] = calls(partial(slave.getReal, references))
        seconds = interleaved(runs, effort)
    return "\n\n".join([EXPLANATION, _table(seconds)])


def _table(seconds: dict[tuple[str, str], np.ndarray]) -> str:
    rows = []
    for call, title in (("doStep", "doStep"), ("getReal", f"getReal of {VALUES} values")):
        times = {name: values for (of, name), values in seconds.items() if of == call}
        overhead = times["governor"] - times["empty"] - times.get("kernel", 0.0)
        medians = {name: 1e6 * float(np.median(values)) for name, values in {**times, "overhead": overhead}.items()}
        rows.append([title, *(number(medians.get(name), "{:.2f}") for name in COLUMNS)])
    return table(["call", *COLUMNS], rows)


@contextmanager
def _running(path: Path, folder: Path) -> Iterator[tuple[FMU2Slave, list[int]]]:
    """An initialized slave and the value references to read, repeated if there are too few."""
    extract(str(path), unzipdir=str(folder))
    description = read_model_description(str(path))
    slave = FMU2Slave(
        guid=description.guid,
        unzipDirectory=str(folder),
        modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName=path.stem,
    )
    slave.instantiate()
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    references = itertools.cycle(v.valueReference for v in description.modelVariables if v.type == "Real")
    try:
        yield slave, list(itertools.islice(references, VALUES))
    finally:
        slave.terminate()
        slave.freeInstance()


def _steps(slave: FMU2Slave) -> Run:
    """Steps of the slave, with continuing time."""
    times = itertools.count(0.0, STEP)
    return calls(lambda: slave.doStep(next(times), STEP))


def _kernel_steps(model: mbs.Model) -> Run:
    """The same steps as calls of the time loop in machine code."""
    runtime = compiled(model)
    R = runtime.program.new_record()
    runtime.initialize(R, 1e-6, 1e-8)
    kernel, tables, view = runtime.kernels.enter_rk4_fixed, runtime.no_tables, R.data
    return calls(lambda: kernel(R, tables, view[HeadNumbers.time] + STEP, STEP, 0))
