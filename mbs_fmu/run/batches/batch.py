"""The numbers in which the members of a batch differ: as users give them (`Batch`), and for records (`Members`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

import numpy as np

from ...infrastructure.arguments import whole
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import add_clear_errors
from ...infrastructure.messages.failures import display, refusal, with_unit
from ...model.geometry.vectors import number_array
from ...record.kinds import DEMANDED, REAL
from ...record.program import Program, Variable
from ..inputs import RANGED, Table, check_times, held
from ..kinds_report import fit
from ..runtime import Runtime

VARIED = ("start", "inputs", "parameters")  #: fields of a batch with numbers that differ between members, by name
LANES = (1, 2, 4, 8, 16)  #: doubles that fit into SIMD registers, or into pairs of them


@add_clear_errors
@dataclass(frozen=True, kw_only=True)
class Batch:
    """Numbers in which the members of a batch differ.

    parameters, start: arrays with one number for each member, by name. Start values have the names of coordinates,
    joint velocities and signal states in a `Result` ("arm.phi", "arm.q[1]"). The assembly of loops may change those
    that `Model.start` marks as guesses.
    inputs: for each input an array of constants, or (times, values) with one row of values for each member.
    size: number of members, needed only if no array has one number for each member.
    lanes: number of members that one core computes at once: 2, 4, 8 or 16, or 1 for no lanes; by default as many as fit
    into the processor's registers.
    threads: number of threads; by default as many as there are processor cores.
    """

    size: int | None = None
    start: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    lanes: int | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        for name in ("size", "lanes", "threads"):
            if getattr(self, name) is not None:
                whole(getattr(self, name), f"{name} of a batch")
        if self.lanes is not None and self.lanes not in LANES:
            raise ModelError(
                f"lanes of a batch is {self.lanes!r}: give {', '.join(map(str, LANES[:-1]))} or {LANES[-1]}"
            )
        for name in VARIED:
            value = getattr(self, name)
            if not isinstance(value, Mapping):
                raise ModelError(f"{name} of a batch must be a dictionary by name, not {display(value)}")

    def part(self, first: int, last: int) -> Batch:
        """Return the members from `first` to `last`, exclusive."""
        start, inputs, parameters = (
            {name: _part(x, first, last) for name, x in getattr(self, kind).items()} for kind in VARIED
        )
        return replace(self, size=last - first, start=start, inputs=inputs, parameters=parameters)

    def numbers(self, size: int) -> dict[str, np.ndarray]:
        """Return all values that consist of one number per member, by name, each of shape (size,)."""
        values = {name: x for kind in VARIED for name, x in getattr(self, kind).items() if not is_table(x)}
        return {name: np.broadcast_to(np.asarray(x, dtype=float), size).copy() for name, x in values.items()}


def _part(value: Any, first: int, last: int) -> Any:
    """Return the numbers of some members."""
    if is_table(value):
        return value[0], value[1][first:last]
    return value[first:last] if np.ndim(value) else value


def is_table(value: Any) -> bool:
    """True if an input consists of times and a row of values for each member."""
    return isinstance(value, tuple) and len(value) == 2 and np.ndim(value[1]) > 1


class Members:
    """The numbers of all members: values for addresses of the record, and tables of inputs."""

    def __init__(self, runtime: Runtime, batch: Batch):
        self.size = batch.size
        self.slots: list[int] = []
        self.values: list[np.ndarray] = []
        self.tables: dict[str, Table] = {}
        for called, values_by_name in (
            ("parameter", batch.parameters),
            ("start value", batch.start),
            ("input", batch.inputs),
        ):
            for name, value in values_by_name.items():
                variable, what = runtime.program.variable(called, name), f"{called} {name!r} of the batch"
                if called == "input" and is_table(value):
                    self._add_table(variable, value, what)
                else:
                    self._add(variable, _numbers(value, what, variable.unit), what)
                    if called == "start value":
                        self._add_given(runtime.program, name)
        if self.size is None:
            raise ModelError("a batch needs an array of parameters, start values or inputs, or its size")
        self.places = np.array(self.slots, dtype=int)
        self.columns = np.empty((len(self.values), self.size))  #: values at these addresses, one column for each member
        for row, values in zip(self.columns, self.values, strict=True):
            row[:] = values

    def _add(self, variable: Variable, values: np.ndarray, what: str) -> None:
        if values.ndim > 1:
            raise ModelError(f"{what} has the shape {values.shape}: give one number for each member")
        self._sized(values, what)
        _require_suitable(variable, values)
        self.slots.append(variable.slot)
        self.values.append(values)

    def _add_given(self, program: Program, name: str) -> None:
        """Clear the flag by which a start value is calculated from parameters, so that the given value is kept."""
        place = program.calculated_place(name)
        if place is not None:
            self.slots.append(place)
            self.values.append(np.zeros(()))

    def _add_table(self, variable: Variable, value: tuple[Any, Any], what: str) -> None:
        times, values = (_numbers(part, what, unit) for part, unit in zip(value, ("s", variable.unit), strict=True))
        if times.ndim != 1 or values.ndim != 2 or values.shape[1] != times.size or times.size == 0:
            raise ModelError(
                f"{what}: times and values have the shapes {times.shape} and {values.shape}: give one row of values "
                "for each member, one number for each time"
            )
        check_times(times, what)
        self._sized(values[:, 0], what)
        _require_suitable(variable, values)
        self.tables[variable.name] = (times, values) if variable.kind == REAL else held(times, values)
        self.slots.append(variable.slot)
        self.values.append(values[:, 0])

    def _sized(self, values: np.ndarray, what: str) -> None:
        """Raise ModelError unless all arrays have one number per member."""
        if values.ndim == 0:
            return
        if self.size is None:
            self.size = len(values)
        if len(values) != self.size or not len(values):
            raise ModelError(f"{what} has {len(values)} numbers for {self.size} members: give one for each")

    def tables_of(self, member: int) -> dict[str, Table]:
        return {name: (times, values[member]) for name, (times, values) in self.tables.items()}


def _require_suitable(variable: Variable, values: np.ndarray) -> None:
    """Raise ModelError for values, (members, ...) or one for all, that are out of bounds or not of their kind."""
    low, high = variable.range if variable.role in RANGED else (-math.inf, math.inf)
    unsuitable = np.atleast_1d(~((values >= low) & (values <= high) & fit(variable, values)))
    for place in np.argwhere(unsuitable)[:1]:
        value = float(np.atleast_1d(values)[tuple(place)])
        reason = refusal(variable.role, variable.name, value, low, high, variable.unit, DEMANDED.get(variable.kind))
        raise ModelError(f"member {place[0]}: {reason}")


def _numbers(value: Any, what: str, unit: str | None) -> np.ndarray:
    values = number_array(value, what)
    bad = ~np.isfinite(values)
    if np.any(bad):
        where = tuple(int(k) for k in np.argwhere(bad)[0])
        member = f" for member {where[0]}" if where else ""
        raise ModelError(with_unit(f"{what} is {values[where]}{member}: give finite numbers", unit))
    return values
