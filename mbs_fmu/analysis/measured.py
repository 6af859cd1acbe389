"""Measured runs, and the runs of the model to compare with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..infrastructure.arguments import ParameterValues, Solver, elements_of, finite, spread
from ..infrastructure.errors import ArgumentError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..model.model import Model
from ..record.program import STARTED, Program
from ..run.inputs import InputValue, Table, set_values, traced_laws
from ..run.results import files as result_files
from ..run.results.comparing import columns_of
from ..run.results.results import Result
from ..run.sensitivities import Tangents, tangents_of
from ..run.single import RunSettings, first_record
from ..run.step_control import StepControl
from ..run.variants import with_inputs

Columns = Sequence[str] | Mapping[str, str] | None  #: to fit, or a mapping from these to names in the data
How = tuple[StepControl, Solver]  #: of all runs


@dataclass(frozen=True)
class Measured:
    """Measured columns of one run, and its individual numbers.

    data: as in `mbs.identify`.
    start, inputs, parameters, weights: as in `mbs.identify`; they replace the common ones.
    free: names of unknown parameters and start values of this run.
    start_time: s, by default the first measured time.
    """

    data: Any
    start: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, InputValue] = field(default_factory=dict)
    parameters: ParameterValues = field(default_factory=dict)
    weights: Mapping[str, Any] = field(default_factory=dict)
    free: Sequence[str] = ()
    start_time: float | None = None

    def __post_init__(self) -> None:
        for name in ("start", "inputs", "parameters", "weights"):
            value = getattr(self, name)
            if not isinstance(value, Mapping):
                raise ArgumentError(f"{name} of measured data must be a dictionary by name, not {display(value)}")
        if not isinstance(self.free, list | tuple) or not all(isinstance(name, str) for name in self.free):
            raise ArgumentError(f"free of measured data is {display(self.free)}: name parameters in a list")


class MeasuredRun:
    """A run of the model with rows at the measured times.

    `names` are the names of the unknowns; those in `own` belong to this run alone. `columns` are the names of the
    compared columns. `measured`, `weights` and `known` have the shape (times, columns); `known` is True for numbers
    that exist, and `size` is their count.
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

    def initial_value(self, name: str) -> float:
        """Return the value of an unknown before the identification."""
        return float(self.R[self.program.by_name[name].slot])

    def deviations(self, values: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
        """Return weighted deviations of known numbers, and their derivatives by `names`. Raises as `Tangents.run`."""
        R = self.R.copy()
        for what, roles in (("parameter", ("parameter",)), ("start value", STARTED)):
            chosen = {name: x for name, x in values.items() if self.program.by_name[name].role in roles}
            set_values(self.program, R, what, chosen)
        run = self.tangents.run(R, self.tables, self.times)
        rows = run.data[self.first :, self.places]
        slopes = run.tangents[:, self.first :, self.places] * self.weights
        return ((rows - self.measured) * self.weights)[self.known], slopes[:, self.known].T

    def by_column(self, weighted: np.ndarray) -> dict[str, np.ndarray]:
        """Return measured minus computed values by column, in its unit; NaN without a measurement."""
        table = np.full(self.measured.shape, np.nan)
        table[self.known] = -weighted
        table /= self.weights
        return dict(zip(self.columns, table.T, strict=True))


def runs_of(
    model: Model, data: Any, common: Measured, free: Sequence[str], columns: Columns, how: How
) -> list[MeasuredRun]:
    """Return the runs, with weights. Raises ArgumentError for unusable data."""
    listed = list(data) if isinstance(data, list | tuple) else [data]
    if not listed:
        raise ArgumentError("data has no run: give measured columns")
    given = [x if isinstance(x, Measured) else Measured(x) for x in listed]
    each = [replace(x, free=elements_of(model.elements, x.free)) for x in given]
    if not free and not all(x.free for x in each):
        raise ArgumentError("free is empty: name the unknown parameters and start values")
    runs = [_run(model, x, common, [*free, *x.free], columns, how) for x in each]
    for run, x in zip(runs, each, strict=True):
        _weigh(run, {**common.weights, **x.weights}, runs)
    total = sum(run.size for run in runs)
    unknown = len({(k if name in run.own else -1, name) for k, run in enumerate(runs) for name in run.names})
    if total < unknown:
        raise ArgumentError(f"{total} measured numbers do not determine {unknown} unknowns: leave some out of free=")
    return runs


def _run(model: Model, x: Measured, common: Measured, names: Sequence[str], columns: Columns, how: How) -> MeasuredRun:
    renamed = columns if isinstance(columns, Mapping) else {}
    measured_columns = _columns(x.data, renamed)
    times = measured_columns.pop("time")
    rows = _rows(times, x.start_time)
    measured_inputs = {name: (times, measured_columns[name]) for name in model.inputs if name in measured_columns}
    of_result = x.data.inputs if isinstance(x.data, Result) else {}
    inputs = {**measured_inputs, **of_result, **common.inputs, **x.inputs}
    control, solver = how
    runtime, tables, laws = with_inputs(model, solver, inputs, control.method.name)
    span = float(rows[0]), float(rows[-1])
    settings = RunSettings.of(control, *span, span[1] - span[0])
    _check_names(runtime.program, names)
    tangents = tangents_of(model, runtime, list(dict.fromkeys(names)), control, traced_laws(laws))
    parameters = spread(model.elements, common.parameters) | spread(model.elements, x.parameters)
    start = {**common.start, **x.start}
    R = first_record(runtime.program, tables, parameters, start, settings)
    compared = _compared(runtime.program, measured_columns, None if isinstance(columns, Mapping) else columns)
    measured = np.column_stack([measured_columns[name] for name in compared])
    return MeasuredRun(tangents, x.free, R, tables, rows, len(rows) - len(times), compared, measured)


def _rows(times: np.ndarray, start_time: float | None) -> np.ndarray:
    """Return the times of the run: the measured ones, after its start."""
    if len(times) < 2 or not np.isfinite(times).all() or np.any(np.diff(times) <= 0.0):
        raise ArgumentError("measured times must increase, with at least two of them: remove duplicates")
    begin = float(times[0]) if start_time is None else finite(start_time, "start_time")
    if begin > times[0]:
        raise ArgumentError(f"start_time {begin:g} s is after the first measured time, {times[0]:g} s")
    return times if begin == times[0] else np.concatenate([[begin], times])


def _check_names(program: Program, names: Sequence[str]) -> None:
    """Raise ArgumentError for a name that is neither a parameter nor a start value."""
    for name in names:
        v = program.by_name.get(name)
        if v is None or v.role not in ("parameter", *STARTED):
            program.variable("parameter" if v is None else "start value", name)


def _columns(data: Any, renamed: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Return columns by name, also of a file; `renamed` maps names of the model to names of the data.

    Raises ArgumentError for data without columns, and for a missing name.
    """
    for name in renamed.values():
        if not isinstance(name, str):
            raise ArgumentError(f"columns has {display(name)}: give names in the data by names in the model")
    time = renamed.get("time", "time")
    source = result_files.read(data, time)[0] if isinstance(data, str | Path) else data
    if isinstance(source, Mapping) and time in source:
        source = {**{name: x for name, x in source.items() if name != time}, "time": source[time]}
    columns = columns_of(source)
    missing = [name for model, name in renamed.items() if model != "time" and name not in columns]
    if missing:
        raise ArgumentError(f"columns: there is no measured {missing[0]!r}; there are {listed(columns)}")
    taken = {name: columns[name_in_data] for name, name_in_data in renamed.items() if name != "time"}
    return {name: x for name, x in columns.items() if name not in renamed.values()} | taken


def _compared(program: Program, measured: Mapping[str, np.ndarray], columns: Sequence[str] | None) -> list[str]:
    """Return names of the columns to compare."""
    have = [name for name in program.columns[1:] if name in measured]
    if columns is None:
        if not have:
            raise ArgumentError(
                f"no measured column is one of {program.name!r}: there are {listed(measured)}; "
                f"the model has {listed(program.columns[1:])}"
            )
        return have
    wanted = [part for name in columns for part in program.vectors.get(name, [name])]
    if not wanted:
        raise ArgumentError("columns has no name: give one or more columns to fit, or leave it out for all")
    for name in wanted:
        if name not in have:
            raise ArgumentError(f"columns: {name!r} is not both measured and one of the model's: {listed(have)} are")
    return wanted


def _weigh(run: MeasuredRun, weights: Mapping[str, Any], runs: Sequence[MeasuredRun]) -> None:
    """Set the weights of the columns of a run."""
    for k, name in enumerate(run.columns):
        if name in weights:
            try:
                run.weights[:, k] = np.asarray(weights[name], dtype=float)
            except (TypeError, ValueError):
                raise ArgumentError(
                    f"weights of {name!r} are {display(weights[name])}: give one, or one for each time"
                ) from None
        else:
            numbers = np.concatenate([r.measured[:, r.columns.index(name)] for r in runs if name in r.columns])
            varied = float(np.nanstd(numbers)) if np.isfinite(numbers).any() else 0.0
            run.weights[:, k] = 1.0 / varied if varied > 0.0 else 1.0
        if not np.isfinite(run.weights[:, k]).all() or run.weights[:, k].min() < 0.0:
            raise ArgumentError(f"weights of {name!r} must be finite and not negative")
    run.known &= run.weights > 0.0
    unknown = [name for name in weights if name not in run.columns]
    if unknown and not any(name in r.columns for r in runs for name in unknown):
        raise ArgumentError(f"weights: {unknown[0]!r} is not compared; columns are {listed(run.columns)}")
