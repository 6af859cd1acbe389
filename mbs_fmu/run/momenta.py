"""Poisson impulses of a run's rows: made from the velocities there."""

from __future__ import annotations

import numpy as np

from ..record.layout import Head
from ..record.program import STARTED, Program
from .results.batches import BatchResult
from .results.results import Result
from .runtime import Runtime


def momentum_columns(program: Program) -> list[str]:
    """The names of the columns that `add_momenta` appends."""
    return [v.name for v in program.of_role("momentum")]


def add_momenta(result: Result | BatchResult, runtime: Runtime) -> None:
    """Append a column for each momentum: p of (P3), or of (T1) for joints that others follow.

    They are those of the row's coordinates and velocities, so that no impulse of a closure is in them, however long ago
    that was taken into the state's momenta.
    """
    names = momentum_columns(runtime.program)
    if isinstance(result, Result):
        found = _of_rows(result, runtime)
    else:
        found = np.full((*result.data.shape[:2], len(names)), np.nan)
        for member, run in enumerate(result):
            found[member, : len(run)] = _of_rows(run, runtime)
    result.columns = [*result.columns, *names]
    result.data = np.concatenate([result.data, found], axis=-1)


def _of_rows(result: Result, runtime: Runtime) -> np.ndarray:
    """The momenta at all rows, (rows, momenta)."""
    program = runtime.program
    prepare, momenta = (runtime.kernels.entry(name) for name in ("prepare", "momenta"))
    R = program.new_record()
    for v in program.of_role("parameter"):
        R[v.slot] = result.parameters[v.name]
    prepare(R)
    told = [v for v in program.of_role(*STARTED, "input") if v.name in result]
    slots = np.array([Head.time, *(v.slot for v in told)])
    rows = np.column_stack([result.time, *(result[v.name] for v in told)])
    wanted = np.array([v.slot for v in program.of_role("momentum")], dtype=int)
    out = np.empty((len(rows), len(wanted)))
    for row, numbers in enumerate(rows):
        R[slots] = numbers
        momenta(R)
        out[row] = R[wanted]
    return out
