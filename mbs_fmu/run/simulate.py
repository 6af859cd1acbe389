"""`simulate`: run a model from its start values."""

from __future__ import annotations

import logging
import math
import sys
import time as clock
import warnings
import weakref
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import SOLVERS, Solver, finite, is_one_of, positive, truth
from ..codegen.loader import is_cached
from ..compile.fingerprint import fingerprint
from ..compile.kept import program_of
from ..compile.values import with_values
from ..errors import ArgumentError, ModelError, SimulationError
from ..model.model import Model
from ..record.layout import Head, Watch
from ..record.messages import shown
from ..record.program import Program
from .batch import Batch, Course, run_batch
from .inputs import InputValue, Table, laws_and_tables, set_values, traced
from .loops_report import assembly_notes, loop_statistics
from .results import Result
from .runtime import Runtime

if TYPE_CHECKING:
    from ..integrate.method import Method

log = logging.getLogger("mbs_fmu")

Variant = tuple[int, Solver, str, tuple[str, ...]]  #: version, solver, what the laws say, methods
_RUNTIMES: weakref.WeakKeyDictionary[Model, dict[Variant, tuple[int, Runtime]]] = weakref.WeakKeyDictionary()

DELAY = 2.0  #: seconds before a progress bar appears
MOST_HELD = 16  #: compiled variants of a model (solvers, inputs as functions) that stay in memory
MOST_ALPHA_STEP = 0.3  #: alpha times the step size, beyond which closing loops costs accuracy
MOST_BUDGET = 1 << 40  #: steps between two signs of progress
SECONDS = "a finite number of seconds"
SLICE = 0.2  #: seconds of computation between two signs of progress


def compiled(
    model: Model,
    solver: Solver = "cholesky",
    laws: Mapping[str, Callable[..., Any]] | None = None,
    method: str = "dopri5",
    alone: bool = False,
) -> Runtime:
    """The model's runtime: compiled once, and again only after the model's structure has changed.

    `laws` gives inputs as functions of time; they are traced each time, since what they read may have changed. It can
    be run with `method`, and if that is not to be `alone`, with the standard ones. Raises ModelError.
    """
    from ..integrate.table import methods_with

    require_model(model)
    if not is_one_of(solver, SOLVERS):
        raise ArgumentError(f"unknown solver {shown(solver)}: use {' or '.join(map(repr, SOLVERS))}")
    replaced = {name: traced(name, law) for name, law in sorted((laws or {}).items(), key=lambda item: item[0])}
    same = (model.version, solver, fingerprint([replaced]))
    methods = (method,) if alone else methods_with(method)
    key: Variant = (*same, methods)
    held = runtimes(model)
    if not alone:  # another one may serve
        key = next((k for k in held if k[:-1] == same and method in k[-1]), key)
    if key not in held:
        for old in [k for k in held if k[0] != model.version]:
            del held[old]
        held[key] = model.value_version, Runtime(program_of(model, solver, replaced, methods))
        while len(held) > MOST_HELD:
            del held[next(iter(held))]
    values, runtime = held[key]
    if values != model.value_version:
        runtime = Runtime(with_values(runtime.program, model), runtime.kernels)
        held[key] = model.value_version, runtime
    return runtime


def runtimes(model: Model) -> dict[Variant, tuple[int, Runtime]]:
    """What is compiled of a model and held in memory, each with the `Model.value_version` it has; gone with the model.

    It is not the model's, so that copies and pickles have nothing of it.
    """
    return _RUNTIMES.setdefault(model, {})


def simulate(
    model: Model,
    stop_time: float,
    *,
    start_time: float = 0.0,
    inputs: Mapping[str, InputValue] | None = None,
    parameters: Mapping[str, float] | None = None,
    start: Mapping[str, float] | None = None,
    method: str = "dopri5",
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    output_interval: float | None = None,
    max_step: float | None = None,
    solver: Solver = "cholesky",
    progress: bool | None = None,
    batch: Batch | None = None,
) -> Result | Any:
    """Run a model and return its coordinates, rates, signal states and outputs over time.

    stop_time, start_time: s. inputs: for every input of the model that has no start value a constant, (times, values)
    interpolated linearly (a time that stands twice is a jump; a pandas Series has its times as index), or a function of
    time that is traced once as a law. parameters: values by name.
    start: start values by the names of coordinates, joint velocities and signal states, as in the result ("rod.phi",
    "ball.q[1]"), in place of the model's. Whether a loop's assembly may change them stays as `Model.start` says.
    method: "dopri5", "dop853", "tsit5" or "rodas5p" (adaptive; rtol, default 1e-6, and atol, default rtol/100, hold
    for coordinates, rates and signal states; or with a fixed step), or "rk4", "abm6", "gauss2", "gauss4", "gauss6",
    which need step, s: each output interval runs in equal steps of at most that. docs/methods.md says which is for
    what.
    max_step: s, the longest step with error control; these steps also end where tables of inputs have their times and
    where conditions on time switch, so a pulse is not stepped over.
    output_interval: s, default a 500th of the run. solver: "cholesky" or "sweep".
    progress: show a bar; by default on a terminal when the run takes over two seconds.
    batch: run the model many times at once, with the numbers that it gives; returns a BatchResult.

    Raises ModelError for unusable arguments and SimulationError, with what there is as its `result`, when a
    run stops early.
    """
    _check_types(model, inputs, parameters, start, batch)
    chosen = usable_method(method, step, rtol, atol, max_step)
    step, rtol, atol, max_step = (None if value is None else float(value) for value in (step, rtol, atol, max_step))
    span = _span(start_time, stop_time)
    interval = positive(span / 500 if output_interval is None else output_interval, "output_interval")
    if batch is not None and model.events:
        raise ModelError(f"events such as {next(iter(model.events))!r} are for single runs: leave them out of a batch")
    inputs = _with_batch(inputs or {}, parameters or {}, start or {}, batch)
    laws, tables = laws_and_tables(model, inputs)
    runtime = compiled(model, solver, laws, method)
    R = _record(runtime.program, tables, parameters or {}, start or {})
    R[Head.time], R[Head.most_step] = start_time, max_step or 0.0
    rtol = 1e-6 if rtol is None else rtol
    atol = 0.01 * rtol if atol is None else atol
    show = sys.stderr.isatty() if progress is None else truth(progress, "progress")
    if show and not is_cached(runtime.program.text):
        print(f"{model.name}: compiling its kernels, some seconds, once", file=sys.stderr)
    rows = max(2, math.ceil(span / interval * (1 - 1e-12)) + 1)
    fixed = not chosen.adaptive or step is not None
    course = Course(chosen, fixed, step or rtol, rtol, atol, start_time, stop_time, interval, rows, show)
    check_alpha(model, step)
    return _single(runtime, R, tables, course) if batch is None else run_batch(runtime, R, batch, tables, course)


def _record(
    program: Program, tables: Mapping[str, Table], parameters: Mapping[str, float], start: Mapping[str, float]
) -> np.ndarray:
    """The first record of a run: the program's, with what is given for this run."""
    R = program.new_record()
    set_values(program, R, "parameter", parameters)
    set_values(program, R, "start value", start)
    for name, (_, values) in tables.items():
        R[program.by_name[name].slot] = values[0]
    return R


def _single(runtime: Runtime, R: np.ndarray, tables: dict[str, Table], course: Course) -> Result:
    """One run from this record."""
    program = runtime.program
    given = R.copy() if program.loops else R
    runtime.initialize(R, course.rtol, course.atol)
    notes = assembly_notes(program, R, given)
    for note in notes:
        log.info("%s: %s", program.name, note)
    U = runtime.tables(tables, course.start, course.interval, course.rows, course.stop)
    Y = np.zeros(course.rows * len(program.columns))
    events: dict[str, list[float]] = {event["name"]: [] for event in program.events}
    done, status = _run(runtime, R, U, Y, course, events)
    result = _result(runtime, R, Y, done, course.method)
    result.events = {name: np.array(times) for name, times in events.items()}
    result.statistics["notes"] = notes
    if status:
        raise SimulationError(f"{runtime.fault(R, status)}; results up to then are in the error's .result", result)
    return result


def _with_batch(
    inputs: Mapping[str, InputValue], parameters: Mapping[str, float], start: Mapping[str, float], batch: Batch | None
) -> dict[str, InputValue]:
    """The inputs of all members; those that a batch gives only count as given. ModelError for what is given twice."""
    if batch is None:
        return dict(inputs)
    for what, argument, given, of_batch in (
        ("input", "inputs", inputs, batch.inputs), ("parameter", "parameters", parameters, batch.parameters),
        ("start value", "start", start, batch.start),
    ):  # fmt: skip
        for name in of_batch:
            if name in given:
                raise ArgumentError(f"{what} {name!r} is given twice, once in the batch: leave it out of {argument}=")
    return {**inputs, **dict.fromkeys(batch.inputs, 0.0)}


def check_alpha(model: Model, step: float | None) -> None:
    """A warning where residuals would decay faster than fixed steps can follow."""
    alpha = model.stabilization.alpha
    if model.loops and step is not None and alpha is not None and alpha * step > MOST_ALPHA_STEP:
        warnings.warn(
            f"model {model.name!r}: alpha = {alpha:g}/s of its stabilization is too large for steps of {step:g} s and "
            f"costs accuracy: give at most {MOST_ALPHA_STEP / step:g}/s, or leave it out",
            stacklevel=3,
        )


def _run(
    runtime: Runtime, R: np.ndarray, U: np.ndarray, Y: np.ndarray, course: Course, events: dict[str, list[float]]
) -> tuple[int, int]:
    """Call the time loop until all rows are there; returns rows and status. Times of events are added to `events`."""
    if not course.progress:  # to make a bar, even a hidden one, takes as long as all else before a short run
        return _rows(runtime, R, U, Y, course, events, lambda _: None)
    from tqdm import tqdm

    with tqdm(total=course.rows, desc=runtime.program.name, unit="row", delay=DELAY, leave=False) as bar:
        return _rows(runtime, R, U, Y, course, events, bar.update)


def _rows(
    runtime: Runtime, R: np.ndarray, U: np.ndarray, Y: np.ndarray, course: Course,
    events: dict[str, list[float]], told: Callable[[int], object],
) -> tuple[int, int]:  # fmt: skip
    """What `_run` does; `told` hears of every few rows that are there."""
    way = "adaptive" if not course.fixed else "watched" if events else "fixed"
    loop = getattr(runtime.kernels, f"enter_{course.method.name}_run_{way}")
    row, budget = 0, 1000
    while row < course.rows:
        began = clock.perf_counter()
        reached = int(loop(R, U, Y, row, course.setting, budget))
        if reached < 0:
            return int(R[Head.done]), -1 - reached
        told(reached - row)
        row = reached
        if events and _crossings(runtime, R, events):
            break
        if clock.perf_counter() - began < SLICE:
            budget = min(2 * budget, MOST_BUDGET)
    return row, 0


def _crossings(runtime: Runtime, R: np.ndarray, events: dict[str, list[float]]) -> bool:
    """Add the crossings of the last step; whether one of them ends the run."""
    start = runtime.program.regions["watch"][0]
    stop = R[start + Watch.stopped]
    if R[start + Watch.crossed] > 0.0:
        first = start + Watch.size + 3 * len(events)
        for k, times in enumerate(events.values()):
            times += [t for t in R[first + 2 * k : first + 2 * k + 2].tolist() if t <= stop]
        R[start + Watch.crossed] = 0.0
    return bool(stop < math.inf)


def _result(runtime: Runtime, R: np.ndarray, Y: np.ndarray, rows: int, chosen: Method) -> Result:
    program = runtime.program
    width = len(program.columns)
    return Result(
        name=program.name,
        columns=program.columns,
        data=Y[: rows * width].reshape(rows, width),
        units=program.units,
        vectors=program.vectors,
        statistics={
            "method": chosen.name,
            "steps": int(R[Head.steps]),
            "rejected": int(R[Head.rejected]),
            "evaluations": int(R[Head.evaluations]),
            **({"jacobians": int(R[Head.jacobians])} if chosen.needs_jacobian else {}),
            **loop_statistics(program, R),
        },
    )


# -- arguments -------------------------------------------------------------------------------------------


def require_model(model: Any) -> None:
    """ModelError for what is no model."""
    if not isinstance(model, Model):
        raise ModelError(f"the model must be an mbs.Model, not {shown(model)}")


def _check_types(model: Any, inputs: Any, parameters: Any, start: Any, batch: Any) -> None:
    """ModelError for what is no model, no dictionary or no batch."""
    require_model(model)
    for value, what in ((inputs, "inputs"), (parameters, "parameters"), (start, "start")):
        if value is not None and not isinstance(value, Mapping):
            raise ArgumentError(f"{what} must be a dictionary by name, not {shown(value)}")
    if batch is not None and not isinstance(batch, Batch):
        raise ArgumentError(f"batch must be an mbs.Batch, not {shown(batch)}")


def usable_method(
    name: str, step: float | None, rtol: float | None, atol: float | None, max_step: float | None = None
) -> Method:
    """The method of that name, with the steps or tolerances that it needs; ArgumentError for any other.

    step: s, of fixed steps. rtol, atol: of error control. max_step: s, the longest step with error control.
    """
    from ..integrate.table import method

    if not isinstance(name, str):
        raise ArgumentError(f"method must be a name such as 'dopri5', not {shown(name)}")
    try:
        chosen = method(name)
    except ValueError as error:
        raise ArgumentError(str(error)) from None
    if chosen.adaptive:
        if step is not None and (rtol is not None or atol is not None):
            raise ArgumentError(f"method {name!r}: give either step (fixed steps) or rtol and atol (error control)")
    else:
        if step is None:
            raise ArgumentError(f"method {name!r} has fixed steps: give step=, in s")
        if rtol is not None or atol is not None:
            raise ArgumentError(f"method {name!r} has fixed steps and no error control: leave out rtol and atol")
    if max_step is not None and (step is not None or not chosen.adaptive):
        raise ArgumentError("max_step is for steps with error control: with fixed steps give a smaller step")
    for value, what in ((step, "step"), (rtol, "rtol"), (atol, "atol"), (max_step, "max_step")):
        if value is not None:
            positive(value, what)
    return chosen


def _span(start: float, stop: float) -> float:
    span = finite(stop, "stop_time", SECONDS) - finite(start, "start_time", SECONDS)
    if span <= 0.0:
        raise ArgumentError(f"stop_time {shown(stop)} must lie after start_time {shown(start)}")
    return span
