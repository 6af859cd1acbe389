"""Checks of numbers and texts from users; every message names the thing, the value and the remedy."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.messages.failures import display, refusal
from ..record.kinds import DEMANDED
from ..symbolic.expressions import ZERO, as_float, is_literal
from ..symbolic.units import in_unit
from .geometry.vectors import entry
from .items import WORLD, Body, Range

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
OUTPUT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*\Z")
#: Characters that XML 1.0 excludes. One class for all of them would take `re` milliseconds to compile.
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]|[\ud800-\udfff]|\ufffe|\uffff")
RESERVED = (WORLD, "time")


def finite_number(value: Any, thing: str, unit: str | None = None) -> float:
    """Return a finite number. With a unit, a text such as "30 deg" is accepted too. Raises ModelError."""
    value = in_unit(value, unit, thing)
    if isinstance(value, (str, bytes)):  # float would read it
        raise ModelError(f"{thing} must be a number, not the text {display(value)}")
    try:
        result = as_float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{thing} must be a number, not {display(value)}") from None
    if not math.isfinite(result):
        raise ModelError(f"{thing} is {display(value)}: give a finite number")
    return result


def text(value: Any, thing: str) -> str:
    """Return the value; ModelError if it is not text, or has characters that no XML file can hold, even escaped."""
    if not isinstance(value, str):
        raise ModelError(f"{thing} must be a text, not {display(value)}")
    match = UNWRITABLE.search(value)
    if match:
        place = f"the character {match[0]!a} at place {match.start() + 1}"
        raise ModelError(f"{thing} has {place}: leave it out, XML can't hold it")
    return value


def readable(value: str) -> str:
    """Replace each character that `text` refuses by a question mark, in an external text such as a file name."""
    return UNWRITABLE.sub("?", value)


def signal_range(
    low: float | str | None, high: float | str | None, nominal: float | str | None, unit: str | None, thing: str
) -> Range:
    """Return the checked range of a signal.

    Raises ModelError for anything but numbers, for min above max, and for a nominal value that is not positive.
    """
    least, most, typical = (
        None if value is None else finite_number(value, f"{what} of {thing}", unit)
        for value, what in ((low, "min"), (high, "max"), (nominal, "nominal"))
    )
    if least is not None and most is not None and least > most:
        raise ModelError(f"{thing}: min {display(least)} lies above max {display(most)}")
    if typical is not None and not typical > 0.0:
        raise ModelError(f"nominal of {thing} is {display(nominal)}: give its usual magnitude, a positive number")
    return Range(least, most, typical)


def check_range(value: float, limits: Range, unit: str | None, what: str, thing: str) -> None:
    """Raise ModelError if the value is outside its bounds, or not of its kind."""
    low, high = (-math.inf if limits.low is None else limits.low), (math.inf if limits.high is None else limits.high)
    message = refusal(what, thing, value, low, high, unit, DEMANDED.get(limits.kind))
    if message is not None:
        raise ModelError(message)


def start_numbers(
    value: Any, units: Sequence[str | None], thing: str, owner: str = "its joint has"
) -> tuple[float, ...]:
    """Return the start values of a joint, one for each unit. owner: subject and verb of the message about their count.

    Raises ModelError.
    """
    count = len(units)
    if isinstance(value, (set, frozenset, Mapping)):
        raise ModelError(f"{thing} is {display(value)}: give its numbers in their order, in a list")
    single = isinstance(value, (str, bytes)) or not isinstance(value, Iterable)
    items = [value] if single or isinstance(value, np.ndarray) and value.ndim == 0 else list(value)
    if len(items) != count:
        raise ModelError(f"{thing}: {owner} {count} of them, {len(items)} given")
    return tuple(finite_number(x, entry(thing, k + 1, count), units[k]) for k, x in enumerate(items))


SLACK = 1e-9  #: tolerance of inequalities, relative to the largest principal moment: inputs have few digits
ROUNDING = 1e-15  #: kg m², rounding error of moments that should be zero


def checked_body(body: Body) -> Body:
    """Return the body, with moments of inertia that are negative by rounding set to zero.

    Raises ModelError for a literal mass or inertia that no body can have.
    """
    _check_mass(body)
    inertia = [list(row) for row in body.inertia]
    for k in range(3):
        least = -math.inf if body.physical else -ROUNDING  # those of a physical body are checked above
        if is_literal(inertia[k][k]) and least <= inertia[k][k].value < 0.0:
            inertia[k][k] = ZERO
    return replace(body, inertia=inertia)


def _check_mass(body: Body) -> None:
    if is_literal(body.mass) and body.mass.value < 0:
        raise ModelError(f"mass of body {body.name!r} is {body.mass.value!r}: it must not be negative")
    moments = principal_moments(body)
    if moments is None:
        return
    if body.physical and moments[0] < -SLACK * moments[2] - ROUNDING:
        raise ModelError(
            f"inertia of body {body.name!r} has the negative principal moment {moments[0]:.6g} "
            "(physical=False takes it as it is)"
        )
    broken = broken_triangle(body)
    if broken and body.physical:
        raise ModelError(
            f"{broken}; each must be at most the sum of the other two (is it about the centre of mass? "
            "physical=False takes it as it is)"
        )


def broken_triangle(body: Body) -> str:
    """Return the sentence on a literal inertia that breaks the triangle inequality; "" if it does not."""
    moments = principal_moments(body)
    if moments is None or not is_unphysical(moments):
        return ""
    listed = ", ".join(f"{x:.6g}" for x in moments)
    return f"inertia of body {body.name!r} breaks the triangle inequality: principal moments {listed}"


def is_unphysical(moments: np.ndarray) -> bool:
    """True if the largest principal moment exceeds the sum of the others, as it does if one is negative.

    moments: kg m², in ascending order.
    """
    return bool(moments[0] + moments[1] < (1.0 - SLACK) * moments[2] - ROUNDING)


def principal_moments(body: Body) -> np.ndarray | None:
    """Return the principal moments of a literal inertia, kg m², in ascending order; None if it has expressions."""
    entries = [x for row in body.inertia for x in row]
    if not all(is_literal(x) for x in entries):
        return None
    return np.linalg.eigvalsh(np.array([x.value for x in entries]).reshape(3, 3))
