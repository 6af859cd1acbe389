"""`simulate`, and the checks of its arguments.

The modules that run a model are imported by the first run.
"""

from __future__ import annotations

import copy
import functools
import math
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from ..infrastructure.arguments import (
    FORMULATIONS,
    SOLVERS,
    Events,
    Formulation,
    ParameterValues,
    Solver,
    finite,
    is_one_of,
    positive,
    spread,
    truth,
)  # fmt: skip
from ..infrastructure.errors import Argument, ArgumentError, ModelError
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.failures import display
from ..infrastructure.progress import shows_progress, watched
from ..model.model import Model
from ..record.kernel_module import KernelModule
from .errors import SimulationError
from .step_control import StepControl, check_alpha, require_continuous, steps_fit

if TYPE_CHECKING:
    import numpy as np

    from ..codegen.engines import EngineName
    from ..compile.build import Stages
    from ..symbolic.expressions import Expression
    from .batch import Batch
    from .inputs import InputValue, Table
    from .results.batches import BatchResult
    from .results.results import Result
    from .runtime import Runtime
    from .sensitivities import Tangents
    from .spec import RunSpec

F = TypeVar("F", bound=Callable[..., Any])
Variant = tuple[int, Solver, str, str, tuple[str, ...]]  #: version, solver, hash of the laws, engine, methods
_RUNTIMES: weakref.WeakKeyDictionary[Model, dict[Variant, tuple[int, Runtime]]] = weakref.WeakKeyDictionary()
#: Stages of the last compilation: second tangents of the same model often follow.
_STAGES: weakref.WeakKeyDictionary[Model, Stages] = weakref.WeakKeyDictionary()

MOST_HELD = 16  #: compiled variants of a model (solvers, inputs as functions) that stay in memory
SECONDS = "a finite number of seconds"


def compiled(
    model: Model,
    solver: Solver = "cholesky",
    laws: Mapping[str, Callable[..., Any]] | None = None,
    method: str = "dopri5",
    alone: bool = False,
    engine: EngineName | None = None,
) -> Runtime:
    """Return the model's runtime, compiled once, and again only after the model's structure has changed.

    `laws` contains the inputs that are functions of time; each call traces them, because the data that they use may
    have changed. `method` is the method of the runs; the runtime also has the standard methods, unless `alone` is true.
    `engine` executes the kernels (`codegen.engines`). Raises ModelError.
    """
    from ..codegen.engines import engine_name
    from ..integrate.methods.table import methods_with

    require_model(model)
    if not is_one_of(solver, SOLVERS):
        raise ArgumentError(f"unknown solver {display(solver)}: use {' or '.join(map(repr, SOLVERS))}")
    replaced = traced_laws(laws) if laws else {}
    chosen = engine_name(engine)
    same = (model.version, solver, _laws_hash(replaced) if replaced else "", chosen)
    methods = (method,) if alone else methods_with(method)
    key: Variant = (*same, methods)
    held = runtimes(model)
    if not alone:  # a runtime with more methods can be used too
        key = next((k for k in held if k[:-1] == same and method in k[-1]), key)
    if key not in held:
        for old in [k for k in held if k[0] != model.version]:
            del held[old]
        held[key] = model.value_version, _made(model, solver, replaced, methods, chosen)
        while len(held) > MOST_HELD:
            del held[next(iter(held))]
    values, runtime = held[key]
    if values != model.value_version:
        runtime = _with_its_values(runtime, model)
        held[key] = model.value_version, runtime
    return runtime


def _made(
    model: Model, solver: Solver, laws: dict[str, Expression], methods: tuple[str, ...], engine: EngineName
) -> Runtime:
    """Return a runtime of a program that is compiled or comes from the cache."""
    from ..compile.program_cache import program_with_stages, second_tangents_of
    from .runtime import Runtime

    program, stages = program_with_stages(model, solver, laws, methods)
    runtime = Runtime(program, engine=engine)
    version, stages_of = model.version, _kept(model, stages)

    def make(living: Model) -> KernelModule | None:
        if living.version != version:
            return None
        own = stages_of()
        _STAGES.pop(living, None)
        return second_tangents_of(living, solver, laws, methods, own)

    runtime.kernels.later_parts[model] = make
    return runtime


def _kept(model: Model, stages: Stages | None) -> Callable[[], Stages | None]:
    """Keep stages until the model is freed or any other is compiled; return a function that returns them until then."""
    if stages is None:
        return lambda: None
    _STAGES.clear()
    _STAGES[model] = stages
    return weakref.ref(stages)


def _with_its_values(runtime: Runtime, model: Model) -> Runtime:
    """Return a runtime with the same code and the model's present values."""
    from ..compile.values import with_values
    from .runtime import Runtime

    return Runtime(with_values(runtime.program, model), runtime.kernels)


def _laws_hash(laws: dict[str, Expression]) -> str:
    """Return a hash of the laws."""
    from ..compile.fingerprint import fingerprint

    return fingerprint([laws])


def traced_laws(laws: Mapping[str, Callable[..., Any]]) -> dict[str, Expression]:
    """Return the laws as expressions."""
    from .inputs import traced

    return {name: traced(name, law) for name, law in sorted(laws.items(), key=lambda item: item[0])}


def runtimes(model: Model) -> dict[Variant, tuple[int, Runtime]]:
    """Return the compiled variants of a model in memory, each with its `Model.value_version`.

    They are freed with the model. The model does not refer to them, so that copies and pickles do not contain them.
    """
    return _RUNTIMES.setdefault(model, {})


def beside_fmus(run: F) -> F:
    """Decorate `simulate`: FMUs of others that a model has (`Model.fmu`) run it beside them."""

    @functools.wraps(run)
    def chosen(model: Model, stop_time: float, **settings: Any) -> Any:
        require_model(model)
        if not model.fmus:
            return run(model, stop_time, **settings)
        return next(iter(model.fmus.values())).partner.simulate(model, stop_time, **settings)

    return cast(F, chosen)


# fmt: off
@overload
def simulate(
    model: Model, stop_time: float, *, start_time: float = ..., start: Mapping[str, float] | None = ...,
    inputs: Mapping[str, InputValue] | None = ..., parameters: ParameterValues | None = ..., method: str = ...,
    step: float | None = ..., rtol: float | None = ..., atol: float | None = ...,
    output_interval: float | None = ..., max_step: float | None = ..., solver: Solver = ...,
    progress: bool | None = ..., batch: None = ..., formulation: Formulation = ...,
    events: Events = ..., sensitivities: Sequence[str] | None = ..., momenta: bool = ...,
    engine: EngineName | None = ...,
) -> Result: ...


@overload
def simulate(
    model: Model, stop_time: float, *, start_time: float = ..., start: Mapping[str, float] | None = ...,
    inputs: Mapping[str, InputValue] | None = ..., parameters: ParameterValues | None = ..., method: str = ...,
    step: float | None = ..., rtol: float | None = ..., atol: float | None = ...,
    output_interval: float | None = ..., max_step: float | None = ..., solver: Solver = ...,
    progress: bool | None = ..., batch: Batch, formulation: Formulation = ...,
    events: Events = ..., sensitivities: Sequence[str] | None = ..., momenta: bool = ...,
    engine: EngineName | None = ...,
) -> BatchResult: ...
# fmt: on


@with_clear_errors
@beside_fmus
def simulate(
    model: Model, stop_time: float, *, start_time: float = 0.0, start: Mapping[str, float] | None = None,
    inputs: Mapping[str, InputValue] | None = None, parameters: ParameterValues | None = None,
    method: str = "dopri5", step: float | None = None, rtol: float | None = None, atol: float | None = None,
    output_interval: float | None = None, max_step: float | None = None, solver: Solver = "cholesky",
    progress: bool | None = None, batch: Batch | None = None, formulation: Formulation = "tree",
    events: Events = "located", sensitivities: Sequence[str] | None = None, momenta: bool = False,
    engine: EngineName | None = None,
) -> Result | BatchResult:  # fmt: skip
    """Run a model and return its coordinates, rates, signal states and outputs over time.

    stop_time, start_time: s.
    start: start values that replace the model's, by the names of coordinates, joint velocities and signal states in the
    result ("rod.phi", "ball.q[1]"). The assembly of loops may change those that `Model.start` marks as guesses.
    inputs: a value for each input of the model, required if the input has no start value. It is a constant, a pair
    (times, values) that is interpolated linearly, a pandas Series with times as its index, or a function of time, which
    is traced once. A time given twice is a jump. Values of an enumeration may be names.
    parameters: values by name; the name of an array takes those of all its elements.
    method: "dopri5", "dop853", "tsit5", "rodas5p" or "ros34pw2", which have error control unless `step` is given; or
    "rk4", "abm6", "gauss2", "gauss4" or "gauss6", which need `step`. docs/methods.md compares them.
    step: s, for fixed steps. Each output interval is divided into equal steps of at most this size; they have exactly
    this size if the output interval is a multiple of it, as it is by default. Otherwise a note of
    `result.statistics["notes"]` states their size.
    rtol, atol: tolerances of error control for coordinates, rates and signal states; by default 1e-6 and rtol/100.
    max_step: s, the longest step with error control; in models with events or constraint modes it is two output
    intervals at most. Such steps also end at the times of input tables and where conditions on time switch, so that no
    pulse is missed.
    output_interval: s, by default a 500th of the run; with `step`, the next multiple of the step.
    solver: "cholesky" or "sweep".
    progress: show a bar, and the stages of compilation before it; by default on terminals and in notebooks, after
    two seconds.
    batch: run the model many times at once, with the numbers of the batch; returns a `BatchResult`.
    formulation: "absolute" frees every body and makes every joint a closure, at up to thirty times the cost. It is an
    independent check of the same model, with the same columns (docs/loops.md).
    events: "located" changes constraint modes and resets events at the located instants. "steps", for fixed steps, does
    so at step ends only, at a fixed cost and with an error of order one (docs/modes.md).
    sensitivities: names of parameters, start values and inputs. The result then has the derivatives of all columns with
    respect to these (`Result.sensitivity`; docs/identification.md).
    momenta: add columns for the Poisson impulses after all others, "arm.p" or "arm.p[1]", ... (N.s, N.m.s). They are
    the momenta of the velocities in the row (docs/impulses.md).
    engine: "own", or "numba" for the same numbers from kernels that numba compiles, which takes 11 to 44 times as long;
    by default that of the environment variable MBS_FMU_ENGINE, or "own".

    Raises ModelError for unusable arguments, and SimulationError if a run stops early, with the rows before that as its
    `result`. Ctrl-C raises Interrupted, a KeyboardInterrupt, with the rows before that as its `result`; during
    compilation and the assembly of loops, before the first row, it raises a plain KeyboardInterrupt.
    """
    from .checks.steps import check_starts, first_records
    from .spec import recorded, run_task
    from .spinning import warn_of_spins

    _check_formulation(formulation, batch)
    with watched(progress):
        runtime, spec = prepared(
            model, stop_time, start_time=start_time, inputs=inputs, parameters=parameters, start=start, method=method,
            step=step, rtol=rtol, atol=atol, output_interval=output_interval, max_step=max_step, solver=solver,
            progress=progress, batch=batch, events=events, momenta=momenta, engine=engine,
        )  # fmt: skip
    check_alpha(model, spec.settings.control)
    check_starts(model, runtime, lambda: first_records(runtime, spec), spec.settings.control)

    def run(R: np.ndarray) -> Result:
        from .absolute.runs import in_absolute_form, run_absolute

        free, _, _ = with_inputs(in_absolute_form(model), solver, inputs or {}, method, engine)
        return run_absolute(model, runtime, R, free, spec)

    result: Any = None
    try:
        with watched(progress):
            if sensitivities is not None:
                result = _with_sensitivities(model, runtime, spec, sensitivities, formulation)
            else:
                result = recorded(run, runtime, spec) if formulation == "absolute" else run_task(runtime, spec)
    except SimulationError as error:
        result = error.result
        raise
    finally:
        warn_of_spins(model, runtime, result)
    return cast("Result | BatchResult", result)


def prepared(
    model: Model, stop_time: float, *, start_time: float = 0.0, start: Mapping[str, float] | None = None,
    inputs: Mapping[str, InputValue] | None = None, parameters: ParameterValues | None = None,
    method: str = "dopri5", step: float | None = None, rtol: float | None = None, atol: float | None = None,
    output_interval: float | None = None, max_step: float | None = None, solver: Solver = "cholesky",
    progress: bool | None = None, batch: Batch | None = None, events: Events = "located", momenta: bool = False,
    engine: EngineName | None = None,
) -> tuple[Runtime, RunSpec]:  # fmt: skip
    """Compile a model; return its runtime, and the arguments of `simulate` as a `RunSpec`. Raises ModelError."""
    from .recording import held_columns
    from .single import RunSettings, default_interval
    from .spec import RunSpec

    check_types(model, inputs, parameters, start, batch)
    parameters = spread(model.elements, parameters or {})
    batch = batch and _numbers_of(model, batch)
    control = StepControl.of(method, step, rtol, atol, max_step, events)
    steps_fit(model, control)
    require_continuous(model, control)
    span = _span(start_time, stop_time)
    for value, what in ((control.step, "step"), (control.longest, "max_step")):
        if value:
            felt(value, what, start_time, stop_time)
    interval = default_interval(span, control.step) if output_interval is None else output_interval
    interval = felt(interval, "output_interval", start_time, stop_time)
    given = _with_batch(model, inputs or {}, parameters, start or {}, batch)
    runtime, tables, laws = with_inputs(model, solver, given, method, engine)
    if runtime.program.events or runtime.program.modes:
        # Error control does not see what these watch. Signs are compared at the ends and in the middle of each step,
        # hence at least once from row to row, and no crossing that the rows show is missed.
        control = control.at_most(2.0 * interval)
    settings = RunSettings.of(control, start_time, stop_time, interval, shows_progress(progress))
    units = {name: model.inputs[name].unit for name in laws}
    spec = RunSpec(
        settings, tables, parameters, start or {}, batch, held=held_columns(model), laws=traced_laws(laws),
        law_units=units, model=copy.copy(model), momenta=truth(momenta, "momenta"),
    )  # fmt: skip
    return runtime, spec


def _with_sensitivities(
    model: Model, runtime: Runtime, spec: RunSpec, names: Sequence[str], formulation: Formulation
) -> Result:
    """Run a task and add sensitivities to the named variables; raises errors for unusable names before the run."""
    from .spec import run_task

    if spec.batch is not None or formulation != "tree":
        raise ArgumentError("sensitivities are for single runs of the tree: leave batch= and formulation= out")
    if spec.momenta:
        raise ArgumentError("momenta have no sensitivities: leave momenta= or sensitivities= out")
    tangents = tangents_of(model, runtime, names, spec.settings.control, spec.laws)
    return tangents.add_to(run_task(runtime, spec), spec)


def tangents_of(
    model: Model, runtime: Runtime, names: Sequence[str], control: StepControl, laws: Mapping[str, Expression]
) -> Tangents:
    """Return the `Tangents` along the named variables, for a runtime of the model. Raises ArgumentError."""
    from .sensitivities import Tangents

    variant = next(key for key, (_, held) in runtimes(model).items() if held is runtime)
    return Tangents(model, runtime, variant, names, control, laws)


def with_inputs(
    model: Model, solver: Solver, inputs: Mapping[str, InputValue], method: str, engine: EngineName | None = None
) -> tuple[Runtime, dict[str, Table], dict[str, Callable[..., Any]]]:
    """Return a runtime that contains the inputs given as functions, tables of the other inputs, and the functions."""
    from .inputs import laws_and_tables

    laws, tables = laws_and_tables(model, inputs)
    return compiled(model, solver, laws, method, engine=engine), tables, laws


def _numbers_of(model: Model, batch: Batch) -> Batch:
    """Return a batch with the elements of arrays, and numbers in place of names of values. Raises ArgumentError."""
    from .inputs import inputs_without_names

    inputs = inputs_without_names(model, batch.inputs)
    return replace(batch, parameters=spread(model.elements, batch.parameters), inputs=inputs)


def _with_batch(
    model: Model, inputs: Mapping[str, InputValue], parameters: Mapping[str, float], start: Mapping[str, float],
    batch: Batch | None,
) -> Mapping[str, InputValue]:  # fmt: skip
    """Return the common inputs of all members, with placeholders within their bounds for inputs of the batch.

    Raises ModelError for values given twice, and for a model with events.
    """
    if batch is None:
        return inputs
    if model.events:
        raise ModelError(f"events such as {next(iter(model.events))!r} are for single runs: leave them out of a batch")
    for what, argument, given, of_batch in (
        ("input", "inputs", inputs, batch.inputs), ("parameter", "parameters", parameters, batch.parameters),
        ("start value", "start", start, batch.start),
    ):  # fmt: skip
        for name in of_batch:
            if name in given:
                raise ArgumentError(f"{what} {name!r} is given twice, once in the batch: leave it out of {argument}=")
    return {**inputs, **{name: model.inputs[name].range.nearest(0.0) for name in batch.inputs}}


# -- arguments -------------------------------------------------------------------------------------------


def require_model(model: Any) -> None:
    """Raise ModelError for anything but a model."""
    if not isinstance(model, Model):
        inside = "; give its .model" if isinstance(getattr(model, "model", None), Model) else ""
        raise ModelError(f"the model must be an mbs.Model, not {display(model)}{inside}")


def check_types(model: Any, inputs: Any, parameters: Any, start: Any, batch: Any) -> None:
    """Raise ModelError for arguments of a wrong type."""
    require_model(model)
    for value, what in ((inputs, "inputs"), (parameters, "parameters"), (start, "start")):
        if value is not None and not isinstance(value, Mapping):
            raise ArgumentError(f"{what} must be a dictionary by name, not {display(value)}")
    if batch is not None and not _is_batch(batch):
        raise ArgumentError(f"batch must be an mbs.Batch, not {display(batch)}")


def _check_formulation(formulation: Any, batch: Any) -> None:
    """Raise ArgumentError for an unknown formulation, and for a batch in absolute coordinates."""
    if not is_one_of(formulation, FORMULATIONS):
        have = " or ".join(map(repr, FORMULATIONS))
        raise ArgumentError(f"unknown formulation {display(formulation)}: use {have}")
    if formulation == "absolute" and batch is not None:
        raise ArgumentError('formulation="absolute" is for single runs: leave it or batch= out')


def _is_batch(value: Any) -> bool:
    from .batch import Batch

    return isinstance(value, Batch)


def felt(value: Any, what: str, start: float, stop: float) -> float:
    """Return a positive span of time (s). Raises ArgumentError if times from start to stop round it to zero."""
    from ..integrate.stepping.clock import is_lost

    argument = Argument(what)
    span = positive(value, argument)
    if is_lost(span, start, stop):
        largest = max(abs(start), abs(stop))
        raise ArgumentError(
            argument,
            f" is {display(value)} s, but times near {largest:.9g} s are {math.ulp(largest):.2g} s apart: "
            "give a longer one, or times nearer to zero",
        )
    return span


def _span(start: float, stop: float) -> float:
    stop_time, start_time = Argument("stop_time"), Argument("start_time")
    span = finite(stop, stop_time, SECONDS) - finite(start, start_time, SECONDS)
    if span <= 0.0:
        raise ArgumentError(stop_time, f" {display(stop)} must lie after the start time, {display(start)} s")
    return span
