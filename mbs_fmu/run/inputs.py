"""Values for a run: inputs as constants, tables over time or functions; parameters and start values by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..infrastructure.arguments import ParameterValues, spread
from ..infrastructure.errors import ArgumentError, ModelError
from ..infrastructure.messages.failures import display, refusal, with_unit
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from ..model.checks import check_range, finite_number
from ..model.geometry.vectors import is_list, number, number_array
from ..model.items import Input, Range
from ..model.kinds import as_number, numbers_of_names
from ..model.measures.measures import time
from ..model.model import Model
from ..record.kinds import DEMANDED, REAL
from ..record.program import Program
from ..symbolic.expressions import Expression, as_float
from .runtime import LARGEST

InputValue = float | str | tuple[Any, Any] | Callable[[Expression], Any]
Table = tuple[np.ndarray, np.ndarray]
RANGED = ("parameter", "input")  #: roles whose values must lie within their range
WANTED = "a number, (times, values) or a function of time"


def laws_and_tables(
    model: Model, inputs: Mapping[str, InputValue]
) -> tuple[dict[str, Callable[[Expression], Any]], dict[str, Table]]:
    """Return the inputs that are functions of time, and tables of the others; omitted inputs keep their start values.

    Tables of inputs that are no real numbers are held, not interpolated. Raises ModelError for an unknown input, an
    input without a value, and unusable values.
    """
    require_inputs(model, inputs)
    for name, declared in model.inputs.items():
        if name not in inputs and not declared.has_start:
            message = f"input {name!r} of model {model.name!r} has no value: pass inputs={{{name!r}: ...}}, {WANTED}, "
            raise ArgumentError(with_unit(message + "or declare it with start=", declared.unit))
    laws, tables = {}, {}
    for name, value in inputs.items():
        declared = model.inputs[name]
        if callable(value):
            laws[name] = _law(name, value, declared.range)
        else:
            tables[name] = _within_range(table(value, declared), declared)
    return laws, tables


def _within_range(given: Table, declared: Input) -> Table:
    """Return a table, of held values if they are no real numbers. Raises ModelError for values out of range."""
    limits = declared.range
    is_real = limits.kind == REAL
    if is_real and limits.low is None and limits.high is None:
        return given
    times, values = given
    for value in [float(values.min()), float(values.max())] if is_real and values.size > 1 else values.tolist():
        check_range(value, limits, declared.unit, "input", declared.name)
    return given if is_real else held(times, values)


def _law(name: str, function: Callable[..., Any], limits: Range) -> Callable[[Expression], Any]:
    """Return a function of time whose values are numbers or expressions, not names, conditions, or True."""
    return function if limits.kind == REAL else lambda t: as_number(function(t), limits, f"input {name!r}")


def held(times: np.ndarray, values: np.ndarray) -> Table:
    """Return the table of an input that keeps each value until the time of the next one.

    values: (..., times). Of a time given twice the second value counts.
    """
    last = np.append(np.diff(times) > 0.0, True)
    return np.repeat(times[last], 2)[1:], np.repeat(values[..., last], 2, axis=-1)[..., :-1]


def require_inputs(model: Model, names: Iterable[str]) -> None:
    """Raise ArgumentError for a name that no input of the model has."""
    for name in names:
        if name not in model.inputs:
            inputs_there = f"inputs of model {model.name!r}: {listed(model.inputs)}"
            raise ArgumentError(f"unknown input {name!r}{did_you_mean(name, model.inputs)}; {inputs_there}")


def traced(name: str, function: Callable[..., Any]) -> Expression:
    """Return a function of time as an expression. Raises ArgumentError."""
    try:
        value = function(time)
    except Exception as error:
        raise ArgumentError(
            f"input {name!r}: the function of time can't be traced ({error}): use mbs.sin, mbs.where, ... in it, "
            "or pass (times, values)"
        ) from error
    return number(value, f"function of time of input {name!r}")


def traced_laws(laws: Mapping[str, Callable[..., Any]]) -> dict[str, Expression]:
    """Return the laws as expressions."""
    return {name: traced(name, laws[name]) for name in sorted(laws)} if laws else {}


def table(value: Any, declared: Input) -> Table:
    """Return times (s) and values of an input, in its unit; a constant is a table of one point.

    Values of an enumeration may be names.

    Raises ArgumentError for anything else, for numbers that are not finite and for times that decrease.
    """
    thing, unit = f"input {declared.name!r}", declared.unit
    if isinstance(value, (int, float)) and abs(value) <= LARGEST:  # the most frequent case: skip numpy's checks
        return np.zeros(1), np.array([float(value)])
    series = _indexed(value, thing) if hasattr(value, "to_numpy") else value
    series = _without_names(series, declared)
    try:
        times, values = (number_array(part, thing) for part in _parts(series))
    except (TypeError, ValueError):
        raise ArgumentError(with_unit(f"{thing} must be {WANTED}, not {display(value)}", unit)) from None
    if times.shape != values.shape or times.ndim != 1 or times.size == 0:
        raise ArgumentError(f"{thing}: times and values must have one length, not {times.size} and {values.size}")
    _check_finite(values, "value", thing, unit)
    check_times(times, thing)
    return times, values


def inputs_without_names(model: Model, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of inputs with numbers in place of enumerations' names. Raises ArgumentError."""
    require_inputs(model, inputs)
    return {name: _without_names(value, model.inputs[name]) for name, value in inputs.items()}


def _without_names(value: Any, declared: Input) -> Any:
    return numbers_of_names(value, declared.range.items, declared.range.low, f"input {declared.name!r}")


def _parts(value: Any) -> tuple[Any, Any]:
    """Return times and values. Raises TypeError or ValueError for anything but a pair of these, or a number."""
    if not is_list(value) and not isinstance(value, (str, bytes)):
        return [0.0], [as_float(value)]
    times, values = value
    if np.ndim(times) == 0:  # two numbers, or a text with two letters
        raise TypeError
    return times, values


def _indexed(value: Any, thing: str) -> tuple[np.ndarray, np.ndarray]:
    """Return index and values of a pandas Series, or of a DataFrame with one column."""
    times, values = value.index.to_numpy(), value.to_numpy()
    if values.ndim == 2 and values.shape[1] != 1:
        raise ArgumentError(f"{thing} is a table of {values.shape[1]} columns: give one of them")
    if times.dtype.kind in "mM":
        raise ArgumentError(f"{thing}: its times are dates or spans of time: give seconds, as numbers")
    return times, values.reshape(-1)


def _check_finite(numbers: np.ndarray, what: str, thing: str, unit: str | None) -> None:
    if not np.isfinite(numbers).all():
        k = int(np.argmin(np.isfinite(numbers)))
        message = f"{thing}: {what} {k + 1} of {numbers.size} is {numbers[k]}: give finite numbers"
        raise ArgumentError(with_unit(message, unit))


def check_times(times: np.ndarray, thing: str) -> None:
    """Raise ArgumentError unless times are finite and increase; a time given twice marks a jump."""
    _check_finite(times, "time", thing, "s")
    if (times[1:] < times[:-1]).any() or (times[2:] == times[:-2]).any():
        raise ArgumentError(f"{thing}: times must be strictly increasing; give a time twice where the input jumps")


def set_values(program: Program, R: np.ndarray, what: str, values: ParameterValues) -> None:
    """Write each named "parameter", "input" or "start value" to a record. Raises ArgumentError for unusable ones.

    An array takes a sequence with the values of its elements.
    """
    for name, value in spread(program.vectors, values, what).items() if values else ():
        v = program.variable(what, name)
        value = numbers_of_names(value, v.items, v.low, f"{what} {name!r}")
        R[v.slot] = value = _finite(value, f"{what} {name!r}", v.unit)
        place = program.calculated_place(name) if what == "start value" else None
        if place is not None:
            R[place] = 0.0
        reason = refusal(what, name, value, *v.range, v.unit, DEMANDED.get(v.kind)) if v.role in RANGED else None
        if reason is not None:
            raise ArgumentError(reason)


def set_inputs(program: Program, R: np.ndarray, model: Model, inputs: Mapping[str, float]) -> None:
    """Write all inputs to a record: those without a value have their start value, or 0. Raises as `set_values`."""
    for name, declared in model.inputs.items():
        R[program.variable("input", name).slot] = declared.start
    set_values(program, R, "input", inputs)


def _finite(value: Any, thing: str, unit: str | None) -> float:
    try:
        return finite_number(value, thing)
    except ModelError as error:
        raise ArgumentError(with_unit(str(error), unit)) from None
