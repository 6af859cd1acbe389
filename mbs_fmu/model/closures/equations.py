"""Equations between coordinates, positions and orientations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ...symbolic.expressions import is_literal
from ..vectors import Vector, number
from .closure import Closure, check_leaves
from .conditions import Conditions

MOST_EQUATIONS = 60  #: that are eliminated together: one bit of an integer each


@dataclass(frozen=True, eq=False)
class Equations(Closure):
    """Expressions of coordinates, positions, orientations, parameters and time that stay zero."""

    expressions: Vector

    def conditions(self, frame: int | None) -> Conditions:
        out = Conditions()
        for k, expression in enumerate(self.expressions):
            out.add(expression, f"equation {k + 1}", "")
        return out


def checked_equations(value: Any, thing: str) -> Vector:
    """One expression or several, none of them a number."""
    items = Vector([number(x, thing) for x in (value if isinstance(value, (list, tuple)) else [value])])
    if not items:
        raise ModelError(f"{thing} has no equation: give an expression that stays zero, or a list of them")
    if len(items) > MOST_EQUATIONS:
        raise ModelError(f"{thing} has {len(items)} equations: give at most {MOST_EQUATIONS} to each m.constrain")
    for expression in items:
        if is_literal(expression):
            raise ModelError(
                f"{thing}: {expression!r} is a number: give an expression that stays zero (for a = b, a - b)"
            )
    check_leaves(items, thing)
    return items
