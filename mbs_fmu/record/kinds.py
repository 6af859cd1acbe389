"""Kinds of variables: real numbers, Booleans, integers and enumerations.

Records and results hold the values of all kinds as doubles: Booleans as 0 and 1, integers and enumerations as whole
numbers of 32 bits. Only FMUs have types of their own for them.
"""

from __future__ import annotations

from collections.abc import Iterable

from .codes import ModeRole

REAL, BOOLEAN, INTEGER, ENUMERATION = "real", "boolean", "integer", "enumeration"

#: Names of constraint modes, from mode -1, by the role of their closure (docs/modes.md).
MODE_ITEMS = {
    ModeRole.latch: ("released", "engaged"),
    ModeRole.contact: ("open", "closed"),
    ModeRole.friction: ("slipping_negative", "sticking", "slipping_positive"),
    ModeRole.freewheel: ("overrunning", "engaged"),
}


def numbered(items: Iterable[str], low: float | None) -> dict[str, int]:
    """Return the values of an enumeration by their names; they begin at `low`, the variable's lower bound."""
    return {item: value for value, item in enumerate(items, start=int(low or 0))}
