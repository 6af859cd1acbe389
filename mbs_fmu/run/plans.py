"""Plans: what runs of one model with the same settings have in common, kept for the next run.

A plan follows from the structure of a model and from the arguments of a run that are no values, and is kept until the
structure changes. Values of parameters, inputs and start values are in no plan: every run checks and writes its own.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..codegen.engines import EngineName
from ..infrastructure.arguments import Events, ParameterValues, Solver, finite, positive, spread, truth
from ..infrastructure.errors import Argument, ArgumentError, ModelError
from ..infrastructure.messages.failures import display
from ..integrate.stepping.clock import is_lost
from ..model.model import Model
from ..model.structure import of_structure
from .inputs import InputValue, inputs_without_names, laws_and_tables, traced_laws
from .models import require_model
from .recording import held_columns
from .runtime import Runtime
from .single import RunSettings, default_interval
from .spec import RunSpec
from .step_control import StepControl, require_continuous, steps_fit
from .variants import compiled_variant

if TYPE_CHECKING:
    from .batches.batch import Batch

MOST_PLANS = 16  #: plans of a model that stay in memory
PLAIN = frozenset({type(None), bool, int, float, str, np.float64})  #: types of the arguments of a plan that is kept
SECONDS = "a finite number of seconds"

PlanKey = tuple[tuple[object, ...], tuple[type, ...]]  #: arguments and their types, since 1 equals True


class Plan(NamedTuple):
    """The settings of runs, the columns that change in steps only, and whether results have columns for momenta."""

    settings: RunSettings
    held: frozenset[str]
    momenta: bool


@of_structure
def _plans(model: Model) -> dict[PlanKey, Plan]:
    """Return the plans of a model, the oldest one first."""
    return {}


def plan_key(*arguments: object) -> PlanKey | None:
    """Return arguments as the key of a plan; None if they have other types than names and usual numbers."""
    types = tuple(map(type, arguments))
    return (arguments, types) if PLAIN.issuperset(types) else None


def kept_plan(model: Model, key: PlanKey | None) -> Plan | None:
    """Return the plan that is kept for a model and arguments."""
    return None if key is None else _plans(model).get(key)


def keep(model: Model, key: PlanKey | None, plan: Plan) -> None:
    """Keep a plan, and drop the oldest one if there are many."""
    if key is not None:
        plans = _plans(model)
        plans[key] = plan
        if len(plans) > MOST_PLANS:
            plans.pop(next(iter(plans)), None)


def settings_of(
    model: Model, control: StepControl, start_time: float, stop_time: float, output_interval: float | None
) -> RunSettings:
    """Return the settings of a run from its arguments. Raises ArgumentError for unusable ones."""
    steps_fit(model, control)
    require_continuous(model, control)
    span = _span(start_time, stop_time)
    for value, what in ((control.step, "step"), (control.longest, "max_step")):
        if value:
            felt(value, what, start_time, stop_time)
    interval = default_interval(span, control.step) if output_interval is None else output_interval
    interval = felt(interval, "output_interval", start_time, stop_time)
    return RunSettings.of(control, start_time + 0.0, stop_time + 0.0, interval)  # 0.0 instead of -0.0


def made_plan(model: Model, runtime: Runtime, settings: RunSettings, momenta: Any) -> Plan:
    """Return the plan of a model's runtime. Raises ArgumentError unless `momenta` is True or False."""
    if runtime.program.events or runtime.program.modes:
        # Error control does not see what these watch. Signs are compared at the ends and in the middle of each step,
        # hence at least once from row to row, and no crossing that the rows show is missed.
        settings = replace(settings, control=settings.control.at_most(2.0 * settings.interval))
    return Plan(settings, held_columns(model), truth(momenta, "momenta"))


def felt(value: Any, what: str, start: float, stop: float) -> float:
    """Return a positive span of time (s). Raises ArgumentError if times from start to stop round it to zero."""
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


def prepared(
    model: Model, stop_time: float, *, start_time: float = 0.0, start: Mapping[str, float] | None = None,
    inputs: Mapping[str, InputValue] | None = None, parameters: ParameterValues | None = None,
    method: str = "dopri5", step: float | None = None, rtol: float | None = None, atol: float | None = None,
    output_interval: float | None = None, max_step: float | None = None, solver: Solver = "cholesky",
    progress: bool = False, batch: Batch | None = None, events: Events = "located", momenta: bool = False,
    engine: EngineName | None = None,
) -> tuple[Runtime, RunSpec]:  # fmt: skip
    """Compile a model; return its runtime, and the arguments of `simulate` as a `RunSpec`. Raises ModelError."""
    check_types(model, inputs, parameters, start, batch)
    parameters = spread(model.elements, parameters) if parameters else {}
    batch = batch and _numbers_of(model, batch)
    times, steps = (start_time, stop_time, output_interval), (method, step, rtol, atol, max_step, events)
    key = plan_key(*times, *steps, momenta)
    plan = kept_plan(model, key)
    settings = settings_of(model, StepControl.of(*steps), *times) if plan is None else plan.settings
    given = _with_batch(model, inputs or {}, parameters, start or {}, batch)
    functions, tables = laws_and_tables(model, given)
    laws = traced_laws(functions)
    runtime = compiled_variant(model, solver, laws, method, False, engine)
    if plan is None:
        plan = made_plan(model, runtime, settings, momenta)
        keep(model, key, plan)
    spec = RunSpec(
        plan.settings, tables, parameters, start or {}, batch, held=plan.held, laws=laws,
        law_units={name: model.inputs[name].unit for name in laws}, model=copy.copy(model), momenta=plan.momenta,
        progress=progress,
    )  # fmt: skip
    return runtime, spec


def _numbers_of(model: Model, batch: Batch) -> Batch:
    """Return a batch with the elements of arrays, and numbers in place of names of values. Raises ArgumentError."""
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


def check_types(model: Any, inputs: Any, parameters: Any, start: Any, batch: Any) -> None:
    """Raise ModelError for arguments of a wrong type."""
    require_model(model)
    for value, what in ((inputs, "inputs"), (parameters, "parameters"), (start, "start")):
        if value is not None and type(value) is not dict and not isinstance(value, Mapping):  # the usual type first
            raise ArgumentError(f"{what} must be a dictionary by name, not {display(value)}")
    if batch is not None and not _is_batch(batch):
        raise ArgumentError(f"batch must be an mbs.Batch, not {display(batch)}")


def _is_batch(value: Any) -> bool:
    from .batches.batch import Batch

    return isinstance(value, Batch)
