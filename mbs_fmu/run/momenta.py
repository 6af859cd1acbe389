"""Poisson impulses at the rows of a result, computed from the velocities there."""

from __future__ import annotations

import numpy as np

from ..record.blocks import HeadNumbers
from ..record.program import STARTED, Program, Variable
from .results.batches import BatchResult
from .results.results import Result
from .runtime import Runtime


def momentum_columns(program: Program) -> list[str]:
    """Return names of the columns that `add_momenta` appends."""
    return [v.name for v in _momenta(program)]


def _momenta(program: Program) -> list[Variable]:
    """Return the variables of the momenta p; others of their role are impulses along drives, which no row contains."""
    p = program.region("p")
    return [v for v in program.of_role("momentum") if p.start <= v.slot < p.stop]


def add_momenta(result: Result | BatchResult, runtime: Runtime) -> None:
    """Append a column for each momentum: p of (P3), or of (T1) for joints that others follow.

    Both equations are in docs/equations.md. The momenta follow from the row's coordinates and velocities. So they never
    contain the impulse of a closure, even after re-basing has transferred it to the momenta of the state.
    """
    names = momentum_columns(runtime.program)
    if isinstance(result, Result):
        momenta = _of_rows(result, runtime)
    else:
        momenta = np.full((*result.data.shape[:2], len(names)), np.nan)
        for member, run in enumerate(result):
            momenta[member, : len(run)] = _of_rows(run, runtime)
    result.columns = [*result.columns, *names]
    result.data = np.concatenate([result.data, momenta], axis=-1)


def _of_rows(result: Result, runtime: Runtime) -> np.ndarray:
    """Return the momenta at all rows, (rows, momenta)."""
    program = runtime.program
    prepare, momenta = (runtime.kernels.entry(name) for name in ("prepare", "momenta"))
    R = program.new_record()
    for v in program.of_role("parameter"):
        R[v.slot] = result.parameters[v.name]
    prepare(R)
    variables = [v for v in program.of_role(*STARTED, "input") if v.name in result]
    slots = np.array([HeadNumbers.time, *(v.slot for v in variables)])
    rows = np.column_stack([result.time, *(result[v.name] for v in variables)])
    wanted = np.array([v.slot for v in _momenta(program)], dtype=int)
    momenta_of_rows = np.empty((len(rows), len(wanted)))
    for row, numbers in enumerate(rows):
        R[slots] = numbers
        momenta(R)
        momenta_of_rows[row] = R[wanted]
    return momenta_of_rows
