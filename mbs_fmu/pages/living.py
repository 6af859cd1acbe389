"""Live pages: HTML files in which a model runs, its kernels compiled to WebAssembly."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..codegen.ahead import require_zig
from ..codegen.wasm import wasm_module
from ..infrastructure.arguments import SOLVERS, ParameterValues, Solver, is_one_of, positive, truth
from ..infrastructure.disk.files import file_path, replacing
from ..infrastructure.errors import Argument, ArgumentError
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.failures import MESSAGES, display
from ..infrastructure.progress import watched
from ..model.items import Body
from ..model.model import Model
from ..record.blocks import HeadNumbers, LoopNumbers
from ..record.layout import Load
from ..record.program import Program
from ..run.inputs import require_inputs
from ..run.models import require_model
from ..run.plans import check_types
from ..run.runtime import FAILED_START, FAILED_STEP, FAULT, NO_INERTIA, NON_FINITE, NUMBERS, FailureMessage, names
from ..run.step_control import StepControl, require_continuous, steps_fit
from ..view.animation import Plots, Recorded, titled_plots
from ..view.controls import Controls, Ranges, curves, mode_data
from ..view.live import LiveScene
from ..view.page import LIVE, Page, library_text, numbers, page
from ..view.poses import Rows
from ..view.stage import mass_of
from ..view.surfaces import deforming, mode_names
from ..view.traces import Traces
from .additions import Additions
from .showing import start_of

#: Relative tolerance of methods that are implicit in the modes of elastic bodies: their steps are long only if it is
#: loose, and differences of this size are not visible.
MODAL_RTOL = 3e-2
TICK = 1 / 250  #: approximate simulated time between two states that a page draws, s
SHOWN = 10.0  #: length of the time axis of plots, s
RATES = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50)  #: ratios of simulated time to real time that a page offers


@with_clear_errors
def live(
    model: Model,
    path: str | Path | None = None,
    *,
    method: str | None = None,
    step: float | None = None,
    rtol: float | None = None,
    solver: Solver = "cholesky",
    start: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    parameters: ParameterValues | None = None,
    ranges: Ranges | None = None,
    controls: Sequence[str] | None = None,
    drag: bool = True,
    traces: Traces = (),
    plots: Plots = None,
    follow: str | Body | None = None,
    eye: Any = None,
    rate: float = 1.0,
    play: bool = False,
    library: str | None = None,
    progress: bool | None = None,
) -> Page | Path:
    """Write a page in which the model runs in a browser, without Python and without a network.

    The page contains the kernels as WebAssembly. They integrate in real time while sliders change parameters, inputs
    and start values, and while the pointer pulls bodies. docs/live.md describes the page.

    path: file to write; without one, the page is returned for a notebook.
    method, step, rtol, solver: as in `simulate`, but the default of models with elastic bodies is "ros34pw2", and that
    of `rtol` with this method is 3e-2.
    start, inputs, parameters: numbers with which the page starts, by name. An input that is left out has its start
    value, or zero.
    ranges: lowest and highest value of sliders, by the names of parameters, inputs and start values. By default the min
    and max of the model. Without these, the slider of a positive parameter extends from zero (for a mass or a length,
    from a small value) to twice its value, and any other slider from minus to plus twice the value.
    controls: names of the quantities that get a slider; by default all, of the elements of an array parameter, such as
    the values of a table, those in `ranges` and those of arrays of at most three.
    drag: whether the pointer can pull bodies.
    traces, plots, follow, eye: as in `Result.animate`.
    rate: ratio of simulated time to real time at first. play: whether the model runs as soon as the page is open.
    library: name of a file for three.js and uPlot (0.6 MB), which is written beside the page; several pages can share
    it. By default each page contains them.
    progress: as in `simulate`.

    Returns the page, which notebooks show, or the path if one is given. Raises ModelError for unusable arguments, for a
    start that cannot be assembled, and without the extra `native`; this is checked before anything is compiled. Raises
    OSError if the file cannot be written.
    """
    require_model(model)
    if path is not None:
        file_path(path)
    check_types(model, inputs, parameters, start, None)
    control = _control(model, method, step, rtol)
    if not is_one_of(solver, SOLVERS):
        raise ArgumentError(f"unknown solver {display(solver)}: use {' or '.join(map(repr, SOLVERS))}")
    _check_library(library, path)
    first = {"rate": positive(rate, Argument("rate")), "play": truth(play, "play")}
    require_zig("live pages")
    with watched(progress):
        added = Additions(model, truth(drag, "drag"))
        program, R, record = start_of(
            added.model, start or {}, _numbers(model, inputs or {}), parameters or {}, solver, control.method.name
        )
        data = {
            **first,
            **_looks(model, added, program, R, record, ranges, controls, (traces, plots, follow, eye)),
            **_running(program, record, control),
        }
        made = page(model.name, model.description, data, LIVE, library)
    if path is None:
        return made
    if library is not None:
        with replacing(Path(path).parent / library) as beside:
            beside.write_bytes(library_text().encode())
    return made.write(path)


def default_method(model: Model) -> str:
    """Return the method of pages; the highest modes of elastic bodies do not bound the steps of theirs."""
    return "ros34pw2" if any(body.elastic is not None for body in model.bodies.values()) else "dopri5"


def _control(model: Model, method: str | None, step: float | None, rtol: float | None) -> StepControl:
    """Return the step control of the page. Raises ArgumentError for unusable arguments and steps that do not fit."""
    control = StepControl.of(default_method(model) if method is None else method, step, rtol)
    steps_fit(model, control)
    require_continuous(model, control)
    return control.with_rtol(MODAL_RTOL) if rtol is None and control.method.implicit_modes else control


def _check_library(library: Any, path: Any) -> None:
    """Raise ArgumentError unless `library` is the name of a file beside the page, or None."""
    if library is None:
        return
    if not isinstance(library, str) or Path(library).name != library or not library.endswith(".js"):
        raise ArgumentError(f"library is {display(library)}: give the name of a file beside the page, 'view.js'")
    if path is None:
        raise ArgumentError(f"library={library!r} is for pages in files: give path, or leave it out")


def _numbers(model: Model, inputs: Mapping[str, Any]) -> dict[str, float]:
    """Return the inputs, all numbers. Raises ArgumentError for unknown names, and for tables and functions of time."""
    require_inputs(model, inputs)
    for name, value in inputs.items():
        if callable(value) or np.ndim(value) or hasattr(value, "to_numpy"):
            raise ArgumentError(
                f"input {name!r} is a function or table of time: give the number at which the live page starts; its "
                "slider changes it"
            )
    return dict(inputs)


def _looks(
    model: Model, added: Additions, program: Program, R: np.ndarray, record: np.ndarray, ranges: Any, controls: Any,
    animated: tuple[Traces, Plots, Any, Any],
) -> dict[str, Any]:  # fmt: skip
    """Return the data of the scene, the controls and the plots.

    R: record at the start. record: record of the given values before the start. animated: traces, plots, follow and eye
    of `live`.
    """
    traces, plots, follow, eye = animated
    slots = {"time": HeadNumbers.time, **{v.name: v.slot for v in program.variables}}
    columns = {name: R[slots[name]][None] for name in program.columns if not added.is_own(name)}
    values = {v.name: float(R[v.slot]) for v in program.of_role("parameter")}
    vectors = {name: parts for name, parts in program.vectors.items() if not added.is_own(name)}
    recorded = Recorded(model, Rows(columns, values), program.units, vectors)
    scene = LiveScene(recorded)
    shown = scene.data(traces, follow, eye)
    for mesh, (body, elastic, _, _) in zip(shown["surfaces"], deforming(model), strict=True):
        mesh["slots"] = [slots[name] for name in mode_names(body, elastic)]
    own = [v.name for v in program.variables if added.is_own(v.name)]
    return {
        **Controls(program, own, record).data(ranges, controls),
        **shown,
        **added.data(program, mass_of(model, recorded.rows)),
        "changes": scene.changes(slots),
        "plots": curves(program, titled_plots(recorded, plots)),
        "modes": mode_data(program),
        "shown": SHOWN,
        "rates": RATES,
    }


def _running(program: Program, record: np.ndarray, control: StepControl) -> dict[str, Any]:
    """Return the WebAssembly module, and what the page needs to call it; record: as of `_looks`."""
    tick = control.step * max(1, round(TICK / control.step)) if control.fixed else TICK
    return {
        "wasm": base64.b64encode(wasm_module(program, control.advance)).decode(),
        "record": {
            "size": len(record),
            "first": numbers(np.trim_zeros(record, "b"), "<f8"),
            "changing": program.changing,
        },
        "slots": _slots(program),
        "states": [[*program.regions[name]] for name in ("q", "u", "z")],
        "adaptive": not control.fixed,
        "bound": control.bound,
        "tolerance": control.rtol,
        "tick": tick,
        "restarts": bool(program.modes or program.jumps),
        "say": _sentences(program),
    }


def _slots(program: Program) -> dict[str, int]:
    """Return indices in the record of numbers that the page reads and writes, -1 for those that a program lacks."""
    loop, size = program.regions.get("loop_state", (-1, 0))
    return {
        "time": HeadNumbers.time, "fresh": HeadNumbers.fresh, "steps": HeadNumbers.steps,
        "evaluations": HeadNumbers.evaluations,
                "project": loop + LoopNumbers.projection_residual if size else -1,
        "calculated": program.regions["calculated"][0], "calculations": program.regions["calculated"][1],
        "inputs": program.regions["inputs"][0], "inputs_size": program.regions["inputs"][1],
    }  # fmt: skip


def _sentences(program: Program) -> dict[str, Any]:
    """Return the messages of failures by status, with the indices in the record of the numbers that they state."""
    lists = names(program)
    stated = {field: _place(program, load) for field, load in NUMBERS.items() if load.region in program.regions}

    def can_occur(failure: FailureMessage) -> bool:
        return failure.which.region in program.regions

    def sentence(failure: FailureMessage) -> dict[str, Any]:
        return {
            "text": MESSAGES[failure.key], "things": lists[failure.things], "which": _place(program, failure.which)
        }  # fmt: skip

    return {
        "start": {str(status): sentence(failure) for status, failure in FAILED_START.items() if can_occur(failure)},
        "step": {str(status): sentence(failure) for status, failure in FAILED_STEP.items() if can_occur(failure)},
        "no_inertia": sentence(NO_INERTIA), "non_finite": sentence(NON_FINITE), "numbers": stated,
        "loops": lists["loops"], "fault": _place(program, FAULT),
        "not_finite": MESSAGES["not_finite"], "out_of_range": MESSAGES["out_of_range"],
    }  # fmt: skip


def _place(program: Program, load: Load) -> int:
    """Return the index of a number in the record."""
    return program.regions[load.region][0] + load.offset
