"""Measured runs, and the runs of the model that are compared with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import finite
from ..errors import ArgumentError
from ..messages.failures import display
from ..messages.names import listed
from ..model.model import Model
from ..record.program import STARTED, Program
from ..run.inputs import InputValue, Table, set_values
from ..run.results import files as result_files
from ..run.results.comparing import columns_of
from ..run.results.results import Result
from ..run.sensitivities import Tangents
from ..run.simulate import tangents_of, traced_laws, usable_method, with_inputs
from ..run.single import RunSettings, first_record

RTOL = 1e-8  #: of steps with error control: what steps change from run to run is no trend then
Columns = Sequence[str] | Mapping[str, str] | None  #: names of those that are fitted, or by these those in the data
How = tuple[str, float | None, float | None, float | None, Any]  #: method, step, rtol, atol, solver


@dataclass(frozen=True)
class Measured:
    """Measured columns of one run, and numbers that this run alone has.

    data: as `mbs.identify` takes it. inputs, parameters, start, weights: as there, before what is common to all runs.
    free: names of parameters and start values that are found for this run alone. start_time: s, where the run begins;
    by default with the first of the measured times.
    """

    data: Any
    inputs: Mapping[str, InputValue] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)
    start: Mapping[str, float] = field(default_factory=dict)
    weights: Mapping[str, Any] = field(default_factory=dict)
    free: Sequence[str] = ()
    start_time: float | None = None


class MeasuredRun:
    """A run of the model with rows at the measured times.

    names: what is to be found, `own` of them for this run alone. columns: names of those that are compared. measured,
    weights, known: of each time (first axis) and column, the last where there is a number. size: how many there are.
    """

    def __init__(
        self, tangents: Tangents, own: Sequence[str], R: np.ndarray, tables: Mapping[str, Table], times: np.ndarray,
        first: int, columns: list[str], measured: np.ndarray,
    ):  # fmt: skip
        self.tangents, self.own, self.R, self.tables, self.times = tangents, list(own), R, tables, times
        self.first = first  #: row of the first measured time
        self.columns, self.measured = columns, measured
        self.places = [tangents.program.columns.index(name) for name in columns]
        self.known = np.isfinite(measured)
        self.weights = np.ones_like(measured)

    @property
    def program(self) -> Program:
        return self.tangents.program

    @property
    def names(self) -> list[str]:
        return self.tangents.names

    @property
    def size(self) -> int:
        return int(self.known.sum())

    def given(self, name: str) -> float:
        """The value that a name has where nothing is found."""
        return float(self.R[self.program.by_name[name].slot])

    def deviations(self, values: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
        """Weighted deviations of what is known, and their derivatives by the names. Raises as `Tangents.run` does."""
        R = self.R.copy()
        for what, roles in (("parameter", ("parameter",)), ("start value", STARTED)):
            told = {name: x for name, x in values.items() if self.program.by_name[name].role in roles}
            set_values(self.program, R, what, told)
        found = self.tangents.run(R, self.tables, self.times)
        rows = found.data[self.first :, self.places]
        slopes = found.tangents[:, self.first :, self.places] * self.weights
        return ((rows - self.measured) * self.weights)[self.known], slopes[:, self.known].T

    def by_column(self, weighted: np.ndarray) -> dict[str, np.ndarray]:
        """Deviations of what was measured from the run, in its units, NaN where nothing was, by column."""
        table = np.full(self.measured.shape, np.nan)
        table[self.known] = -weighted
        table /= self.weights
        return dict(zip(self.columns, table.T, strict=True))


def runs_of(
    model: Model, data: Any, told: Measured, free: Sequence[str], columns: Columns, how: How
) -> list[MeasuredRun]:
    """The runs, with weights; ArgumentError for what can't be used."""
    listed = list(data) if isinstance(data, list | tuple) else [data]
    if not listed:
        raise ArgumentError("data has no run: give what was measured")
    each = [x if isinstance(x, Measured) else Measured(x) for x in listed]
    if not free and not all(x.free for x in each):
        raise ArgumentError("free is empty: name the parameters and start values that are to be found")
    runs = [_run(model, x, told, [*free, *x.free], columns, how) for x in each]
    for run, x in zip(runs, each, strict=True):
        _weigh(run, {**told.weights, **x.weights}, runs)
    total = sum(run.size for run in runs)
    unknown = len({(k if name in run.own else -1, name) for k, run in enumerate(runs) for name in run.names})
    if total < unknown:
        raise ArgumentError(f"{unknown} numbers can't be found from {total} measured ones: leave some out of free=")
    return runs


def _run(model: Model, x: Measured, told: Measured, names: Sequence[str], columns: Columns, how: How) -> MeasuredRun:
    renamed = columns if isinstance(columns, Mapping) else {}
    found = _columns(x.data, renamed)
    times = found.pop("time")
    rows = _rows(times, x.start_time)
    measured_inputs = {name: (times, found[name]) for name in model.inputs if name in found}
    of_result = x.data.inputs if isinstance(x.data, Result) else {}
    inputs = {**measured_inputs, **of_result, **told.inputs, **x.inputs}
    method, step, rtol, atol, solver = how
    chosen = usable_method(method, step, rtol, atol)
    if chosen.adaptive and step is None and rtol is None:
        rtol = RTOL
    runtime, tables, laws = with_inputs(model, solver, inputs, method)
    span = float(rows[0]), float(rows[-1])
    course = RunSettings.of(chosen, step, rtol, atol, *span, span[1] - span[0], False, None, False)
    _check_names(runtime.program, names)
    tangents = tangents_of(model, runtime, list(dict.fromkeys(names)), course, traced_laws(laws))
    parameters, start = {**told.parameters, **x.parameters}, {**told.start, **x.start}
    R = first_record(runtime.program, tables, parameters, start, course)
    compared = _compared(runtime.program, found, None if isinstance(columns, Mapping) else columns)
    measured = np.column_stack([found[name] for name in compared])
    return MeasuredRun(tangents, x.free, R, tables, rows, len(rows) - len(times), compared, measured)


def _rows(times: np.ndarray, start_time: float | None) -> np.ndarray:
    """Times of the run: those that were measured, its start before them."""
    if len(times) < 2 or not np.isfinite(times).all() or np.any(np.diff(times) <= 0.0):
        raise ArgumentError("measured times must be at least two that grow: leave out what stands twice")
    begin = float(times[0]) if start_time is None else finite(start_time, "start_time")
    if begin > times[0]:
        raise ArgumentError(f"start_time {begin:g} s lies behind the first measured time, {times[0]:g} s")
    return times if begin == times[0] else np.concatenate([[begin], times])


def _check_names(program: Program, names: Sequence[str]) -> None:
    """ArgumentError for what is neither a parameter nor a start value."""
    for name in names:
        v = program.by_name.get(name)
        if v is None or v.role not in ("parameter", *STARTED):
            program.variable("parameter" if v is None else "start value", name)


def _columns(data: Any, renamed: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Columns by name, of a file too; `renamed` has for names of the model's those of the data.

    Raises ArgumentError for data without columns, and for a name that they lack.
    """
    time = renamed.get("time", "time")
    given = result_files.read(data, time)[0] if isinstance(data, str | Path) else data
    if isinstance(given, Mapping) and time in given:
        given = {**{name: x for name, x in given.items() if name != time}, "time": given[time]}
    found = columns_of(given)
    missing = [name for model, name in renamed.items() if model != "time" and name not in found]
    if missing:
        raise ArgumentError(f"columns: there is no measured {missing[0]!r}; there are {listed(found)}")
    taken = {name: found[told] for name, told in renamed.items() if name != "time"}
    return {name: x for name, x in found.items() if name not in renamed.values()} | taken


def _compared(program: Program, found: Mapping[str, np.ndarray], columns: Sequence[str] | None) -> list[str]:
    """Names of the columns that are compared."""
    have = [name for name in program.columns[1:] if name in found]
    if columns is None:
        if not have:
            raise ArgumentError(
                f"no measured column is one of {program.name!r}: there are {listed(found)}; "
                f"the model has {listed(program.columns[1:])}"
            )
        return have
    wanted = [part for name in columns for part in program.vectors.get(name, [name])]
    for name in wanted:
        if name not in have:
            raise ArgumentError(f"columns: {name!r} is not both measured and one of the model's: {listed(have)} are")
    return wanted


def _weigh(run: MeasuredRun, told: Mapping[str, Any], runs: Sequence[MeasuredRun]) -> None:
    """Weights of the columns of a run."""
    for k, name in enumerate(run.columns):
        if name in told:
            try:
                run.weights[:, k] = np.asarray(told[name], dtype=float)
            except (TypeError, ValueError):
                raise ArgumentError(
                    f"weights of {name!r} are {display(told[name])}: give one, or one for each time"
                ) from None
        else:
            numbers = np.concatenate([r.measured[:, r.columns.index(name)] for r in runs if name in r.columns])
            varied = float(np.nanstd(numbers)) if np.isfinite(numbers).any() else 0.0
            run.weights[:, k] = 1.0 / varied if varied > 0.0 else 1.0
        if not np.isfinite(run.weights[:, k]).all() or run.weights[:, k].min() < 0.0:
            raise ArgumentError(f"weights of {name!r} must be finite and not negative")
    run.known &= run.weights > 0.0
    unknown = [name for name in told if name not in run.columns]
    if unknown and not any(name in r.columns for r in runs for name in unknown):
        raise ArgumentError(f"weights: {unknown[0]!r} is not compared; columns are {listed(run.columns)}")
