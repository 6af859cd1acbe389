"""Kinds of inputs and outputs: checked declarations of Booleans, integers and enumerations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..infrastructure.arguments import is_one_of
from ..infrastructure.errors import ArgumentError, ModelError
from ..infrastructure.messages.failures import display
from ..record.kinds import BOOLEAN, ENUMERATION, INTEGER, REAL, numbered
from ..symbolic.expressions import Expression, is_condition, is_literal, where
from .checks import NAME, check_range, finite_number
from .geometry.vectors import is_list
from .items import Output, Range

Kind = str | Sequence[str]  #: "real", "boolean", "integer", or the names of the values of an enumeration

#: Kinds by the words of Python and FMI for them.
WORDS = {"bool": BOOLEAN, "int": INTEGER, "float": REAL, "Boolean": BOOLEAN, "Integer": INTEGER, "Real": REAL}


def range_of_kind(kind: Any, limits: Range, unit: str | None, thing: str) -> Range:
    """Return a range with its kind. Raises ModelError for an unknown kind, and for what it does not have.

    A Boolean has no bounds. An enumeration begins at `limits.low`, by default at 1, and has no upper bound. None but
    real numbers have a unit and a nominal value.
    """
    if is_one_of(kind, (REAL,)):
        return limits
    names = tuple(kind) if is_list(kind) else ()
    if not names and not is_one_of(kind, (BOOLEAN, INTEGER)):
        word = getattr(kind, "__name__", kind)
        meant = f" (did you mean {WORDS[word]!r}?)" if is_one_of(word, WORDS) else ""
        raise ModelError(
            f"kind of {thing} is {display(word)}{meant}: give 'real', 'boolean', 'integer', or the names of the values "
            "of an enumeration"
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
    return finite_number(numbers_of_names(start, limits.items, limits.low, thing), thing, unit)


def numbers_of_names(value: Any, items: Sequence[str], low: float | None, thing: str) -> Any:
    """Return a value, or a sequence of values, with numbers in place of the names of an enumeration's values.

    items: the names, of values from `low` on; without any, the value is returned as it is. Raises ArgumentError for a
    text that is none of the names.
    """
    if not items or isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return value
    if isinstance(value, str):
        return _number_of_name(value, numbered(items, low), thing)
    if not is_list(value):
        return value
    values = [numbers_of_names(x, items, low, thing) for x in value]
    return tuple(values) if isinstance(value, tuple) else values


def _number_of_name(name: str, numbers: Mapping[str, int], thing: str) -> int:
    if name not in numbers:
        known = ", ".join(f"{item!r} ({number})" for item, number in numbers.items())
        raise ArgumentError(f"{thing} is {display(name)}: give one of {known}")
    return numbers[name]


def require_values_of_kind(output: Output) -> None:
    """Raise ModelError for an output with a constant that is no value of its kind; runs note other numbers."""
    for name, item in zip(output.names, output.expressions, strict=True):
        if output.range.kind != REAL and is_literal(item):
            check_range(item.value, output.range, None, "output", name)


def as_number(value: Any, limits: Range, thing: str) -> Any:
    """Return the value of an output, or of a function of time for an input, as a number or an expression.

    That of a Boolean may be a condition, True or False, that of an enumeration a name. Raises ArgumentError for a text
    that is none of the names.
    """
    if limits.kind == BOOLEAN and isinstance(value, Expression) and is_condition(value):
        return where(value, 1.0, 0.0)
    if limits.kind == BOOLEAN and isinstance(value, (bool, np.bool_)):
        return float(value)
    return numbers_of_names(value, limits.items, limits.low, thing)
