"""Kinds of inputs and outputs: checked declarations of Booleans, integers and enumerations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..infrastructure.arguments import is_one_of
from ..infrastructure.errors import ModelError
from ..infrastructure.messages.failures import display
from ..record.kinds import BOOLEAN, ENUMERATION, INTEGER, REAL, numbered
from ..symbolic.expressions import Expression, is_condition, is_literal, where
from .checks import NAME, check_range, finite_number
from .geometry.vectors import is_list
from .items import Output, Range

Kind = str | Sequence[str]  #: "real", "boolean", "integer", or the names of the values of an enumeration


def range_of_kind(kind: Any, limits: Range, unit: str | None, thing: str) -> Range:
    """Return a range with its kind. Raises ModelError for an unknown kind, and for what it does not have.

    A Boolean has no bounds. An enumeration begins at `limits.low`, by default at 1, and has no upper bound. None but
    real numbers have a unit and a nominal value.
    """
    if kind == REAL:
        return limits
    names = tuple(kind) if is_list(kind) else ()
    if not names and not is_one_of(kind, (BOOLEAN, INTEGER)):
        raise ModelError(
            f"kind of {thing} is {display(kind)}: give 'real', 'boolean', 'integer', or the names of the values of an "
            "enumeration"
        )
    own = ENUMERATION if names else str(kind)
    needless = {"unit": unit, "nominal": limits.nominal}
    needless |= {"min": limits.low} if own == BOOLEAN else {}
    needless |= {"max": limits.high} if own != INTEGER else {}
    for argument, value in needless.items():
        if value is not None:
            raise ModelError(f"{thing} is of kind {own!r}, which has no {argument}: leave it out")
    for argument, value in (("min", limits.low), ("max", limits.high)):
        if value is not None:
            _require_whole(value, f"{argument} of {thing}")
    if own == BOOLEAN:
        return Range(0.0, 1.0, kind=BOOLEAN)
    if own == INTEGER:
        return replace(limits, kind=INTEGER)
    return _enumeration(names, 1.0 if limits.low is None else limits.low, thing)


def _enumeration(names: Sequence[Any], low: float, thing: str) -> Range:
    """Return the range of an enumeration. Raises ModelError for names that are no identifiers, or there twice."""
    for name in names:
        if not isinstance(name, str) or not NAME.match(name):
            raise ModelError(f"{thing} has a value with the name {display(name)}: give identifiers")
    if len(set(names)) < len(names):
        raise ModelError(f"{thing} has a name of a value twice: {display(list(names))}")
    return Range(low, low + len(names) - 1.0, kind=ENUMERATION, items=tuple(names))


def _require_whole(value: float, thing: str) -> None:
    if value != int(value):
        raise ModelError(f"{thing} is {display(value)}: give a whole number")


def first_of_kind(limits: Range) -> float:
    """Return the value of an input without a start value: zero, or the first value of an enumeration."""
    return limits.low if limits.kind == ENUMERATION and limits.low is not None else 0.0


def start_of_kind(start: Any, limits: Range, unit: str | None, thing: str) -> float:
    """Return a start value as a number; that of an enumeration may be a name. Raises ModelError for anything else."""
    named = numbered(limits.items, limits.low)
    if is_one_of(start, named):
        return float(named[start])
    return finite_number(start, thing, unit)


def require_values_of_kind(output: Output) -> None:
    """Raise ModelError for an output with a constant that is no value of its kind; runs note other numbers."""
    for name, item in zip(output.names, output.expressions, strict=True):
        if output.range.kind != REAL and is_literal(item):
            check_range(item.value, output.range, None, "output", name)


def as_number(value: Any, limits: Range) -> Any:
    """Return the value of an output: that of a Boolean may be a condition."""
    if limits.kind == BOOLEAN and isinstance(value, Expression) and is_condition(value):
        return where(value, 1.0, 0.0)
    return value
