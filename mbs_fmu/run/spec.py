"""A run or batch as data (a task): its arguments, and the data of its result in addition to the columns.

`simulate` creates the task from a model. To run a program with a task, no model is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.model import Model
from ..symbolic.expressions import Expression
from .errors import Interrupted, SimulationError
from .inputs import Table
from .recording import record, record_laws, record_members
from .results.batches import BatchResult
from .results.results import Result
from .runtime import Runtime
from .single import RunSettings, first_record, run_single

if TYPE_CHECKING:
    from .batches.batch import Batch


@dataclass(frozen=True)
class RunSpec:
    """The arguments of a run; the program checks names and ranges.

    `tables` contains a table for every input that is not a function. `laws` contains the inputs that are functions,
    which are part of the program, and `law_units` their units. `held` are the columns that change in steps only.
    `model` is a copy of the model for pictures; runs do not use it. With `momenta`, the result has columns for them.
    `progress` tells whether processes that run parts of a batch show their progress.
    """

    settings: RunSettings
    tables: dict[str, Table] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)
    start: Mapping[str, float] = field(default_factory=dict)
    batch: Batch | None = None
    held: frozenset[str] = frozenset()
    laws: Mapping[str, Expression] = field(default_factory=dict)
    law_units: Mapping[str, str | None] = field(default_factory=dict)
    model: Model | None = None
    momenta: bool = False
    progress: bool = False


def run_task(runtime: Runtime, spec: RunSpec) -> Result | BatchResult:
    """Return the result of a run, or of all runs of a batch.

    Raises ModelError for unknown names and values out of range; SimulationError and Interrupted as `simulate` does.
    """
    result = recorded(lambda R: _run(runtime, R, spec), runtime, spec)
    if isinstance(result, BatchResult):
        from .batches.running import warn_of_faults

        warn_of_faults(result.faults, len(result))
    return result


def _run(runtime: Runtime, R: np.ndarray, spec: RunSpec) -> Result | BatchResult:
    if spec.batch is None:
        return run_single(runtime, R, spec.tables, spec.settings)
    from .batches.running import run_batch

    return run_batch(runtime, R, spec.batch, spec.tables, spec.settings)


def recorded(
    run: Callable[[np.ndarray], Result | BatchResult], runtime: Runtime, spec: RunSpec
) -> Result | BatchResult:
    """Return the result of `run` from the task's first record, with parameters and inputs, also if it stops early."""
    R = first_record(runtime.program, spec.tables, spec.parameters, spec.start, spec.settings)

    def known(result: object) -> None:
        if isinstance(result, Result | BatchResult):
            result.held, result.model = spec.held, spec.model
            record(result, runtime.program, R, spec.tables)
            record_laws(result, spec.laws, spec.law_units)
            if isinstance(result, BatchResult) and spec.batch is not None:
                record_members(result, runtime.program, spec.batch)
            if spec.momenta:
                from .momenta import add_momenta

                add_momenta(result, runtime)

    try:
        result = run(R)
    except (SimulationError, Interrupted) as error:
        known(error.result)
        raise
    known(result)
    return result
