"""Runs of systems by other programs: libcosim and Ecos, each in a process of its own, since their errors end it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from ...infrastructure.arguments import is_one_of
from ...infrastructure.errors import ArgumentError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.extras import install
from ...infrastructure.messages.failures import display
from ...infrastructure.progress import Bar
from ...run.errors import SimulationError
from ...run.results.results import Result
from ..description import Slot
from ..monitor import Growth
from ..order import Link, label
from ..running import Task, result_of, run
from .osp import NAME, write_osp
from .ssp import write_ssp
from .structure import Structure, check_enumerations, transformations

Engine = Literal["libcosim", "ecos"]
NEWS = re.compile(r"\[(trace|debug|info|warning)\]")  #: in lines that are no reasons of failures
STEP_LINE = "STEP "  #: begins the lines with which an engine's process reports its steps


@dataclass(frozen=True)
class Program:
    """An engine: the package that contains it, the Python program that runs it, and the writer of its file."""

    package: str
    text: str
    write: Callable[[Structure, Path], Path]

    def environment(self) -> dict[str, str]:
        """Return the environment of its process: Ecos needs the folder of Intel's TBB on the path of libraries."""
        try:
            files = importlib.metadata.files("tbb") or []
        except importlib.metadata.PackageNotFoundError:
            files = []
        folders = {str(Path(str(f.locate())).resolve().parent) for f in files if f.name.startswith("libtbb.so")}
        known = [*sorted(folders), os.environ.get("LD_LIBRARY_PATH", "")]
        return {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(x for x in known if x)}


def structure_of_osp(structure: Structure, folder: Path) -> Path:
    """Write an OSP structure, since libcosim takes no start values of states from SSP packages; return its folder.

    Its functions for factors and offsets delay values by a step, so that systems with these go as SSP packages.
    """
    changed = [label(link.target) for link, is_transformed in transformations(structure) if is_transformed]
    states = [
        f"{name}.{slot.name}" for name, pairs in structure.start.items() for slot, _ in pairs
        if slot.variable.causality not in ("input", "parameter")
    ]  # fmt: skip
    if not changed:
        write_osp(replace(structure, bonds={}), folder / "osp" / NAME)
        return folder / "osp"
    if states:
        raise ArgumentError(
            f"libcosim cannot take both the start value of {states[0]!r} and the factor of {changed[0]!r}: use "
            "engine='ecos', or no engine"
        )
    return package_of_ssp(structure, folder)


def package_of_ssp(structure: Structure, folder: Path) -> Path:
    """Write an SSP package, and return its path."""
    write_ssp(structure, folder / "system.ssp")
    return folder / "system.ssp"


LIBCOSIM = Program("libcosimpy", """
import json, os, sys
import numpy as np
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimObserver import CosimObserver
path, step, count, columns, target = json.loads(sys.argv[1])
if os.path.isdir(path):
    execution = CosimExecution.from_osp_config_file(osp_path=path)
else:
    execution = CosimExecution.from_ssp_file(ssp_path=path, step_size=round(step * 1e9))
observer = CosimObserver.create_last_value()
execution.add_observer(observer)
readers = {"Real": observer.last_real_values, "Integer": observer.last_integer_values,
           "Boolean": observer.last_boolean_values}
slaves = {name: execution.slave_index_from_instance_name(name) for name in {c[0] for c in columns}}
references = {name: {v.name.decode(): v.reference for v in execution.slave_variables(k)} for name, k in slaves.items()}
groups = {}
for place, (element, variable, type) in enumerate(columns):
    groups.setdefault((element, type), []).append((place, references[element][variable]))
rows = np.zeros((count, len(columns)))
for k in range(count):
    if not execution.step():
        sys.exit("an FMU refused its step, which may be too long")
    for (element, type), ends in groups.items():
        values = readers[type](slaves[element], [reference for _, reference in ends])
        rows[k, [place for place, _ in ends]] = list(values)
    print("STEP", k + 1, flush=True)
np.save(target, rows)
""", structure_of_osp)  # fmt: skip

ECOS = Program("ecospy", """
import json, sys
import numpy as np
from ecospy import EcosSimulation
path, step, count, columns, target = json.loads(sys.argv[1])
with EcosSimulation(ssp_path=path, step_size=step) as simulation:
    simulation.init(parameter_set="start")
    readers = {"Real": simulation.get_real, "Integer": simulation.get_integer, "Boolean": simulation.get_bool}
    rows = np.zeros((count, len(columns)))
    for k in range(count):
        simulation.step()
        rows[k] = [readers[type](f"{element}::{variable}") for element, variable, type in columns]
        print("STEP", k + 1, flush=True)
    simulation.terminate()
np.save(target, rows)
""", package_of_ssp)  # fmt: skip

PROGRAMS: Mapping[str, Program] = {"libcosim": LIBCOSIM, "ecos": ECOS}
TYPES = {"Real": "Real", "Float64": "Real", "Float32": "Real", "Integer": "Integer", "Int32": "Integer",
         "Boolean": "Boolean"}  # fmt: skip


def check_engine(engine: str, coupling: str) -> None:
    """Raise ArgumentError for unknown engines, other couplings than "hold", and engines that are not installed."""
    if not is_one_of(engine, get_args(Engine)):
        raise ArgumentError(f"engine is {display(engine)}: use {' or '.join(map(repr, get_args(Engine)))}")
    if coupling != "hold":
        raise ArgumentError(f"engine {engine!r} holds inputs: use coupling='hold', or no engine")
    package = PROGRAMS[engine].package
    if importlib.util.find_spec(package) is None:
        raise ArgumentError(f"engine {engine!r} needs the package {package}: {install('importers')}")


def is_read(end: tuple[str, Slot]) -> bool:
    """True if engines read a variable: no array, and of a type that both have."""
    variable = end[1].variable
    return not variable.is_array and variable.type in TYPES


def outputs_read(engine: str, outputs: Sequence[tuple[str, Slot]]) -> tuple[list[tuple[str, Slot]], list[str]]:
    """Return the outputs that an engine reads, and notes on the others."""
    others = [label(end) for end in outputs if not is_read(end)]
    notes = [f"{engine} does not read {name}: the result has no column of it" for name in others]
    return [end for end in outputs if is_read(end)], notes


def run_in(engine: str, task: Task, structure: Structure) -> Result:
    """Run a system by another program, from a package that is written for it.

    Raises ArgumentError for systems that the engine does not read; SimulationError with the engine's message if it
    fails, and with the rows as its `result` if values grow from step to step.
    """
    program = PROGRAMS[engine]
    check_enumerations(structure, engine, "use no engine")
    for end in task.watched:
        if not is_read(end):
            raise ArgumentError(f"{engine} does not read {label(end)!r}: leave it out of watch=")
    columns = [(name, slot.name, TYPES[slot.variable.type]) for name, slot in task.watched]
    with tempfile.TemporaryDirectory(prefix="mbs_fmu_engine_") as temporary:
        folder = Path(temporary)
        package, target = program.write(structure, folder), folder / "rows.npy"
        first = run(replace(task, count=0)).data
        arguments = [str(package), task.step, task.count, columns, str(target)]
        with Bar(f"{task.name} in {engine}", task.count, "step") as bar:
            _watch(engine, program, arguments, folder, bar)
        times = task.step * np.arange(1, task.count + 1)
        rows = np.vstack([first, np.column_stack([times, np.load(target)])])
    statistics = {"engine": engine, "coupling": task.coupling, "steps": task.count, "step": task.step}
    result = result_of(task, rows, statistics)
    growth = Growth([Link(end, end) for end in task.watched], rows[0, 1:].tolist())
    for time, *values in rows[1:].tolist():
        value = growth.found(values)
        if value:
            raise SimulationError(
                f"values grow from step to step ({value} at {time:.6g} s) in {engine}: use a shorter step", result
            )
    return result


def _watch(engine: str, program: Program, arguments: Sequence[Any], folder: Path, bar: Bar) -> None:
    """Run an engine's process to its end. Raises SimulationError with its last message if it fails."""
    command = [sys.executable, "-c", program.text, json.dumps(arguments)]
    step = 0
    with (folder / "messages.txt").open("w+", encoding="utf-8", errors="replace") as messages, subprocess.Popen(
        command, cwd=folder, env=program.environment(), stdout=subprocess.PIPE, stderr=messages, text=True,
        errors="replace",
    ) as process:  # fmt: skip
        try:
            for line in process.stdout or ():
                if line.startswith(STEP_LINE):
                    step = int(line.removeprefix(STEP_LINE))
                    bar.update(1)
                else:
                    messages.write(line)
            process.wait()
        except BaseException:
            process.kill()
            raise
        messages.seek(0)
        lines = [line.strip() for line in messages if line.strip() and not NEWS.search(line)]
    if process.returncode:
        reason = lines[-1] if lines else f"its process ended with code {process.returncode}"
        raise SimulationError(f"{engine} failed after {step} steps: {reason}")
