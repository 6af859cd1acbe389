"""Kinds of variables: real numbers, Booleans, integers and enumerations.

Records and results hold the values of all kinds as doubles: Booleans as 0 and 1, integers and enumerations as whole
numbers of 32 bits. Only FMUs have types of their own for them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from .codes import ModeRole

REAL, BOOLEAN, INTEGER, ENUMERATION = "real", "boolean", "integer", "enumeration"

#: What messages demand of numbers that are no values of a kind.
DEMANDED = {
    BOOLEAN: "0 or 1 (False, True)",
    INTEGER: "a whole number of 32 bits",
    ENUMERATION: "the number of one of its values",
}
INT32 = -(2.0**31), 2.0**31 - 1.0  #: the least and the greatest whole number of 32 bits

#: Names of constraint modes, from mode -1, by the role of their closure (docs/modes.md).
MODE_ITEMS = {
    ModeRole.latch: ("released", "engaged"),
    ModeRole.contact: ("open", "closed"),
    ModeRole.friction: ("slipping_negative", "sticking", "slipping_positive"),
    ModeRole.freewheel: ("overrunning", "engaged"),
}


def held_by(kind: str, bounds: tuple[float, float]) -> tuple[float, float]:
    """Return the least and the greatest number that the type of a kind can hold; bounds: those of the variable."""
    return {REAL: (-math.inf, math.inf), INTEGER: INT32}.get(kind, bounds)


def numbered(items: Iterable[str], low: float | None) -> dict[str, int]:
    """Return the values of an enumeration by their names; they begin at `low`, the variable's lower bound."""
    return {item: value for value, item in enumerate(items, start=int(low or 0))}
