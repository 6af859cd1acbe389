"""Data of a result in addition to its columns: parameters, inputs, names of columns that change in steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compile.constancy import Constancy
from ..model.model import Model
from ..model.references.leaves import Signal
from ..model.structure import of_structure
from ..record.kinds import REAL
from ..record.program import Program
from ..symbolic.arrays import values_along
from ..symbolic.expressions import Expression
from ..symbolic.units import scale
from .inputs import Table, held
from .results.batches import BatchResult
from .results.results import Result

if TYPE_CHECKING:
    from .batches.batch import Batch


def record(result: Result | BatchResult, program: Program, R: np.ndarray, tables: Mapping[str, Table]) -> None:
    """Add the parameters and inputs of a run to its result; R is its first record."""
    names, slots = program.places("parameter")
    result.parameters = dict(zip(names, R[slots].tolist(), strict=True))
    result.inputs = dict(tables)
    for v in program.of_role("input"):
        if v.name not in tables:
            result.inputs[v.name] = np.zeros(1), R[v.slot : v.slot + 1].copy()


def record_laws(result: Result | BatchResult, laws: Mapping[str, Expression], units: Mapping[str, str | None]) -> None:
    """Add inputs that are functions, as tables at the rows, unless they need numbers that the result lacks."""
    if laws:
        result.units = {**result.units, **units}
    for name, law in laws.items():
        values = _at_rows(result, law)
        if values is not None:
            result.inputs[name] = result.time.copy(), values


def _at_rows(result: Result | BatchResult, law: Expression) -> np.ndarray | None:
    def known(reference: Any) -> np.ndarray | float:
        if isinstance(reference, Signal) and reference.role == "time":
            return result.time
        if isinstance(reference, Signal) and reference.name in result.parameters:
            value = result.parameters[reference.name]
            return value * scale(result.units.get(reference.name)) if reference.role == "signal" else value
        raise KeyError(reference)

    try:
        return values_along([law], len(result.time), known)[:, 0]
    except KeyError:
        return None


def record_members(result: BatchResult, program: Program, batch: Batch) -> None:
    """Add the parameters and inputs in which the members of a batch differ; tables as the runs take them."""
    from .batches.batch import is_table  # imported here, because single runs do not need it

    result.parameters |= {name: _each(value, len(result)) for name, value in batch.parameters.items()}
    for name, value in batch.inputs.items():
        if is_table(value):
            table = np.asarray(value[0], dtype=float), np.asarray(value[1], dtype=float)
            result.inputs[name] = table if program.by_name[name].kind == REAL else held(*table)
        else:
            result.inputs[name] = np.zeros(1), _each(value, len(result))[:, None]


def _each(value: Any, size: int) -> np.ndarray:
    return np.broadcast_to(np.asarray(value, dtype=float), size).copy()


@of_structure
def held_columns(model: Model) -> frozenset[str]:
    """Return the names of sampled signals and outputs that are constant between instants at which they change."""
    constancy = Constancy(model, {})
    names = [
        *(name for s in model.sampled_signals.values() for name in s.names),
        *(
            name
            for o in model.outputs.values()
            for name, expression in zip(o.names, o.expressions, strict=True)
            if constancy.varying(expression) is None
        ),
    ]
    return frozenset(names)
