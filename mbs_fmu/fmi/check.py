"""Check of an FMU: fmpy's validation, then a run that is compared with a reference result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from fmpy import read_model_description
from fmpy.validation import validate_fmu

from ..infrastructure.errors import ModelError, one_line
from ..run.errors import SimulationError
from ..run.results.comparing import scale
from ..run.results.csv_tables import read_csv
from .audience import Form, form_of, importer_named
from .child import simulate_in_child
from .unpacking import require_bounded


def readable(path: Path, reader: Callable[[str], Any]) -> Any:
    """Apply one of fmpy's readers to an FMU. Raises ModelError if the file is missing or not a readable FMU."""
    if not path.is_file():
        raise ModelError(f"no file {str(path)!r}")
    try:
        require_bounded(path)
        return reader(str(path))
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{path.name} is not a readable FMU: {one_line(error)}") from None


def form_in(path: Path) -> Form:
    """Return the form of an FMU. Raises ModelError if it cannot be read."""
    form: Form = readable(path, lambda file: form_of(Path(file)))
    return form


def check_fmu(path: Path, reference: Path | None = None, tolerance: float = 1e-4) -> list[str]:
    """Validate an FMU with fmpy, simulate it and compare its outputs with a reference; return the findings by line.

    An FMU that has only a WebAssembly component is validated only.

    reference: CSV file of the results, by default <name>_ref.csv beside the FMU.
    tolerance: largest difference relative to the range of an output, or to its size if it is constant.

    Raises ModelError if a file is missing or fmpy reports a problem, SimulationError if the run fails or differs.
    """
    problems = readable(path, validate_fmu)
    if problems:
        raise ModelError(f"{path.name}: fmpy finds {len(problems)} problems: " + "; ".join(problems))
    form = form_in(path)
    lines = [form.line(path.name), "fmpy finds no problems"]
    if form.is_component:
        return [*lines, "it has only a WebAssembly component, which fmpy does not run: it was validated only"]
    reference = reference or path.with_name(f"{path.stem}_ref.csv")
    if not reference.is_file():
        raise ModelError(f"no reference result {str(reference)!r}: export the FMU again, or give --reference")
    return lines + _compare(path, reference, tolerance)


def check_for(path: Path, program: str) -> tuple[str, list[str], list[str]]:
    """Return who can load an FMU, what keeps a program from loading it, and what is different there.

    program: name of an importer, such as simulink. Raises ModelError for unreadable files, ArgumentError for a program
    that is unknown.
    """
    importer = importer_named(program)
    form = form_in(path)
    return form.line(path.name), list(importer.findings(form)), list(importer.notes(form))


def _compare(path: Path, reference_path: Path, tolerance: float) -> list[str]:
    """Return the differences from the reference at its times, in a run with constant communication steps."""
    reference = read_csv(reference_path)
    times = reference["time"]
    outputs = _columns(path)
    compared = {name: columns for name, columns in outputs.items() if all(c in reference for c in columns)}
    if outputs and not compared:
        raise ModelError(f"{reference_path} has no column to compare; outputs of {path.name}: {', '.join(outputs)}")
    lines, worst = ([] if outputs else [f"  no outputs to compare; it runs to t = {times[-1]:g} s"]), ""
    for name, values in _run(path, times, compared).items():
        difference = float(np.max(np.abs(values - reference[name])))
        span = scale(reference[name])
        comparison = (
            f"largest difference {difference:.3g}, {difference / span:.3g} of its range" if difference else "identical"
        )
        lines.append(f"  {name}: {comparison}")
        if not difference <= tolerance * span:
            worst = (
                f"{name} differs from the reference by {difference / span:.3g} of its range (allowed: {tolerance:g})"
            )
    if worst:
        raise SimulationError(f"{path.name}: {worst}")
    return lines


def _columns(path: Path) -> dict[str, list[str]]:
    """Return the result columns of each output of an FMU: one column, or one for each element of an array."""
    columns = {}
    for v in read_model_description(str(path)).modelVariables:
        if v.causality == "output":
            count = int(np.prod([int(d.start) for d in v.dimensions or ()]))
            columns[v.name] = [f"{v.name}[{k + 1}]" for k in range(count)] if v.dimensions else [v.name]
    return columns


def _run(path: Path, times: np.ndarray, outputs: Mapping[str, list[str]]) -> dict[str, np.ndarray]:
    """Simulate the FMU in a child process and return the columns of its outputs at the times."""
    run = simulate_in_child(path, times, list(outputs))
    if not run["time"][-1] >= times[-1] - 0.5 * (times[1] - times[0]):
        raise SimulationError(
            f"{path.name} ended its run at t = {run['time'][-1]:.6g} s, not at {times[-1]:.6g} s: simulate it with "
            "fmpy's debug_logging=True to read why"
        )
    results: dict[str, np.ndarray] = {}
    for name, columns in outputs.items():
        values = np.reshape(run[name], (len(run), -1)).T
        results |= {column: np.interp(times, run["time"], v) for column, v in zip(columns, values, strict=True)}
    return results
