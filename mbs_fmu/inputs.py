"""Inputs of a run: what a user may give for them, as tables over time and laws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .compile.program import Program
from .errors import ModelError
from .expressions import Expression
from .model.checks import finite_number, number_array
from .model.measures import time
from .model.model import Model
from .model.vectors import number

InputValue = float | tuple[Any, Any] | Callable[[Expression], Any]
Table = tuple[np.ndarray, np.ndarray]
WANTED = "a number, (times, values) or a function of time"


def laws_and_tables(
    model: Model, inputs: Mapping[str, InputValue]
) -> tuple[dict[str, Callable[[Expression], Any]], dict[str, Table]]:
    """The inputs that are functions of time, and tables of the others; inputs left out have their start values.

    Raises ModelError for an unknown input, one without any value, and values that make no table.
    """
    for name in inputs:
        if name not in model.inputs:
            have = ", ".join(model.inputs) or "none"
            raise ModelError(f"unknown input {name!r}; inputs of model {model.name!r}: {have}")
    for name, declared in model.inputs.items():
        if name not in inputs and not declared.given:
            raise ModelError(
                f"input {name!r} of model {model.name!r} has no value: pass inputs={{{name!r}: ...}}, {WANTED}, "
                "or declare it with start="
            )
    laws = {name: value for name, value in inputs.items() if callable(value)}
    return laws, {name: table(name, value) for name, value in inputs.items() if not callable(value)}


def traced(name: str, function: Callable[..., Any]) -> Expression:
    """A function of time as an expression."""
    try:
        value = function(time)
    except Exception as error:
        raise ModelError(
            f"input {name!r}: the function of time can't be traced ({error}): use mbs.sin, mbs.where, ... in it, "
            "or pass (times, values)"
        ) from error
    return number(value, f"function of time of input {name!r}")


def table(name: str, value: Any) -> Table:
    """Times and values of an input; a constant is a table of one point."""
    thing = f"input {name!r}"
    given = _indexed(value, thing) if hasattr(value, "to_numpy") else value
    try:
        times, values = (number_array(part, thing) for part in _parts(given))
    except (TypeError, ValueError):
        raise ModelError(f"{thing} must be {WANTED}, not {value!r}") from None
    if times.shape != values.shape or times.ndim != 1 or times.size == 0:
        raise ModelError(f"{thing}: times and values must be as many, got {times.shape} and {values.shape}")
    if not np.all(np.isfinite(values)):
        raise ModelError(f"{thing} has a time or value that is not finite")
    check_times(times, thing)
    return times, values


def _parts(value: Any) -> tuple[Any, Any]:
    """Times and values; TypeError or ValueError for what is neither these nor a number."""
    if not isinstance(value, (tuple, list, str, bytes)) and np.ndim(value) == 0:
        return [0.0], [float(value)]
    times, values = value
    if np.ndim(times) == 0:  # two numbers, or a text of two letters
        raise TypeError
    return times, values


def _indexed(value: Any, thing: str) -> tuple[np.ndarray, np.ndarray]:
    """Index and values of a pandas Series, or of a DataFrame with one column."""
    times, values = value.index.to_numpy(), value.to_numpy()
    if values.ndim == 2 and values.shape[1] != 1:
        raise ModelError(f"{thing} is a table of {values.shape[1]} columns: give one of them")
    if times.dtype.kind in "mM":
        raise ModelError(f"{thing}: its times are dates or spans of time: give seconds, as numbers")
    return times, values.reshape(-1)


def check_times(times: np.ndarray, thing: str) -> None:
    """ModelError unless times are finite and rise; one may stand twice: there the input jumps."""
    if not np.all(np.isfinite(times)):
        raise ModelError(f"{thing} has a time or value that is not finite")
    if np.any(np.diff(times) < 0.0) or np.any(times[2:] == times[:-2]):
        raise ModelError(f"{thing}: times must be strictly increasing, but for one that stands twice where it jumps")


def set_inputs(program: Program, R: np.ndarray, values: Mapping[str, float]) -> None:
    """Constant inputs by name into a record; ModelError for an unknown one."""
    slots = {v.name: v.slot for v in program.of_kind("input")}
    for name, value in values.items():
        if name not in slots:
            raise ModelError(f"unknown input {name!r}; inputs of {program.name!r}: {', '.join(slots) or 'none'}")
        R[slots[name]] = finite_number(value, f"input {name!r}")
