"""Equations between coordinates, positions and orientations, or between their rates."""

from __future__ import annotations

from typing import Any

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import is_literal
from ...symbolic.graph import leaves
from ..geometry.vectors import Vector, number
from .closure import Closure, check_leaves, is_rate
from .conditions import Conditions

MOST_EQUATIONS = 60  #: largest number of equations that are eliminated together: one bit of an integer each


@dataclass(frozen=True, eq=False)
class Equations(Closure):
    """Expressions of coordinates, positions, orientations, parameters and time that stay zero.

    Expressions that contain rates must be linear in them, and constrain no position.
    """

    expressions: Vector
    word: str = ""  #: label of a single equation in messages, if it is not a user's equation

    def conditions(self, frame: int | None) -> Conditions:
        conditions = Conditions()
        for k, expression in enumerate(self.expressions):
            label = self.word if self.word and len(self.expressions) == 1 else f"{self.word or 'equation'} {k + 1}"
            in_rates = any(map(is_rate, leaves([expression])))
            (conditions.add_in_rates if in_rates else conditions.add)(expression, label, "")
        return conditions


def checked_equations(value: Any, thing: str) -> Vector:
    """Return the checked equations: one expression or several, none of them a number. Raises ModelError."""
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
    check_leaves(items, thing, rates=True)
    return items
