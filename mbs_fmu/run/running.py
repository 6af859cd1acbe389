"""A run of a model from the arguments of `simulate` to its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from ..infrastructure.arguments import FORMULATIONS, Formulation, is_one_of
from ..infrastructure.collection import collection_paused
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.failures import display
from ..infrastructure.progress import watched
from ..model.model import Model
from .errors import SimulationError
from .models import checked_kinds
from .plans import prepared
from .results.batches import BatchResult
from .results.results import Result
from .runtime import Runtime
from .spec import RunSpec, recorded, run_task
from .spinning import warn_of_spins
from .step_control import check_alpha
from .variants import with_inputs


def run_model(
    model: Model, stop_time: float, progress: bool | None, formulation: Formulation,
    sensitivities: Sequence[str] | None, **how: Any,
) -> Result | BatchResult:  # fmt: skip
    """Run a model, with the arguments and exceptions of `simulate`; how: those of `prepared`."""
    _check_formulation(formulation, how["batch"])
    with collection_paused(), watched(progress):
        runtime, spec = prepared(model, stop_time, **how)
    check_alpha(model, spec.settings.control)
    if checked_kinds(model):
        with watched(progress):
            spec = _checked(model, runtime, spec)
    result: Any = None
    try:
        with watched(progress):
            if sensitivities is not None:
                result = _with_sensitivities(model, runtime, spec, sensitivities, formulation)
            elif formulation == "absolute":
                result = _in_absolute_form(model, runtime, spec, how)
            else:
                result = run_task(runtime, spec)
    except SimulationError as error:
        result = error.result
        raise
    finally:
        warn_of_spins(model, runtime, result)
    return cast("Result | BatchResult", result)


def _checked(model: Model, runtime: Runtime, spec: RunSpec) -> RunSpec:
    """Return a task with the control that the check of contacts and friction at its starts allows."""
    from .checks.steps import check_starts, first_records

    control = spec.settings.control
    used, note = check_starts(model, runtime, lambda: first_records(runtime, spec), control, spec.laws)
    if used is control:
        return spec
    return replace(spec, settings=replace(spec.settings, control=used, bounded=(note,)))


def _in_absolute_form(model: Model, runtime: Runtime, spec: RunSpec, how: dict[str, Any]) -> Result | BatchResult:
    """Run a task in absolute coordinates."""
    from .absolute.runs import in_absolute_form, run_absolute

    def run(R: np.ndarray) -> Result:
        inputs = how["inputs"] or {}
        free, _, _ = with_inputs(in_absolute_form(model), how["solver"], inputs, how["method"], how["engine"])
        return run_absolute(model, runtime, R, free, spec)

    return recorded(run, runtime, spec)


def _check_formulation(formulation: Any, batch: Any) -> None:
    """Raise ArgumentError for an unknown formulation, and for a batch in absolute coordinates."""
    if not is_one_of(formulation, FORMULATIONS):
        have = " or ".join(map(repr, FORMULATIONS))
        raise ArgumentError(f"unknown formulation {display(formulation)}: use {have}")
    if formulation == "absolute" and batch is not None:
        raise ArgumentError('formulation="absolute" is for single runs: leave it or batch= out')


def _with_sensitivities(
    model: Model, runtime: Runtime, spec: RunSpec, names: Sequence[str], formulation: Formulation
) -> Result:
    """Run a task and add sensitivities to the named variables; raises errors for unusable names before the run."""
    from .sensitivities import tangents_of

    if spec.batch is not None or formulation != "tree":
        raise ArgumentError("sensitivities are for single runs of the tree: leave batch= and formulation= out")
    if spec.momenta:
        raise ArgumentError("momenta have no sensitivities: leave momenta= or sensitivities= out")
    tangents = tangents_of(model, runtime, names, spec.settings.control, spec.laws)
    return tangents.add_to(run_task(runtime, spec), spec)
