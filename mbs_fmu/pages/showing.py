"""3D pages of results, and of models at their start."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..codegen.modules import load_plain
from ..compile.program_cache import program_of
from ..infrastructure.arguments import ParameterValues, Solver, spread
from ..infrastructure.disk.files import file_path
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from ..integrate.methods.table import methods_with
from ..model.items import Body
from ..model.model import Model
from ..record.blocks import HeadNumbers
from ..record.program import Program
from ..run.inputs import set_values
from ..run.results.results import Result
from ..run.runtime import Runtime
from ..run.simulate import require_model
from ..run.step_control import ATOL_RATIO, RTOL
from ..view.animation import Plots, animation
from ..view.page import Page
from ..view.traces import Traces


@with_clear_errors
def show(
    model: Model,
    result: Result | None = None,
    path: str | Path | None = None,
    *,
    traces: Traces = (),
    plots: Plots = None,
    follow: str | Body | None = None,
    eye: Any = None,
    force_scale: float | None = None,
    start: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    parameters: ParameterValues | None = None,
) -> Page | Path:
    """Show a model in 3D, at its start or in the rows of a result, on a self-contained page that needs no network.

    result: result of a run of this model, also one read from a file.
    path, traces, plots, follow, eye, force_scale: as in `Result.animate`.
    start, inputs: numbers by name, for a page without a result; closed loops are assembled. Nothing is compiled.
    parameters: values by name that replace those of the result.

    Returns the page, which notebooks show, or the path if one is given. Raises ModelError for unknown names and for a
    start that cannot be assembled, OSError.
    """
    require_model(model)
    if path is not None:
        file_path(path)
    if result is not None:
        _check_beside_a_result(model, parameters or {}, {"start": start, "inputs": inputs})
    shown = result if result is not None else at_start(model, start, inputs, parameters)
    plots = () if result is None and plots is None else plots
    recorded = shown.recorded(model, parameters or {})
    page = animation(recorded, traces, plots, follow, eye, force_scale)
    return page if path is None else page.write(path)


def _check_beside_a_result(model: Model, parameters: ParameterValues, others: Mapping[str, object]) -> None:
    """Raise ArgumentError for unknown parameters, and for other numbers, because a result has its own."""
    for name in spread(model.elements, parameters):
        if name not in model.parameters:
            have = listed(model.parameters)
            message = f"unknown parameter {display(name)}{did_you_mean(name, model.parameters)}"
            raise ArgumentError(f"{message}; parameters of {model.name!r}: {have}")
    for name, value in others.items():
        if value:
            raise ArgumentError(f"{name} is for pages without a result: leave out {name} or result")


def at_start(
    model: Model, start: Mapping[str, float] | None = None, inputs: Mapping[str, float] | None = None,
    parameters: ParameterValues | None = None,
) -> Result:  # fmt: skip
    """Return a result with one row: the model at its start, with loops assembled. Kernels run as plain Python."""
    program, R, _ = start_of(model, start or {}, inputs or {}, parameters or {}, "cholesky", "dopri5")
    slots = [0 if name == "time" else program.by_name[name].slot for name in program.columns]
    row = R[slots]
    row[0] = R[HeadNumbers.time]
    given = spread(model.elements, parameters or {})
    return Result(program.name, program.columns, row[None], program.units, program.vectors, parameters=given)


def start_of(
    model: Model,
    start: Mapping[str, float],
    inputs: Mapping[str, float],
    parameters: ParameterValues,
    solver: Solver,
    method: str,
) -> tuple[Program, np.ndarray, np.ndarray]:
    """Return a model's program, its record at the start, and its record of given values before the start.

    Kernels run as plain Python. Raises ModelError for unusable values and for a start that cannot be assembled.
    """
    program = program_of(model, solver, {}, methods_with(method))
    runtime = Runtime(program, load_plain(program.module))  # type: ignore[arg-type]  # no machine code
    given = program.new_record()
    for what, values in (("parameter", parameters), ("input", inputs), ("start value", start)):
        set_values(program, given, what, values)
    R = given.copy()
    with np.errstate(all="ignore"):  # kernels check what they compute, as machine code does without warnings
        runtime.initialize(R, RTOL, ATOL_RATIO * RTOL)
        runtime.refresh(R)
    return program, R, given
