"""Whether conditions are objective: what two bodies demand of each other does not change when both move as one."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from ...errors import ModelError
from ...symbolic.expressions import ZERO, Expression, as_expression
from ...symbolic.graph import derivative, evaluate_all, leaves
from ..vectors import Vector
from .conditions import Conditions, Symbol

ROUNDING = 1e-9  #: rates below this count as zero, at positions of 0.5 to 1.5 m

Velocity = Callable[[int], Vector]  #: of each of the conditions' vectors


def require_objective(found: Conditions, thing: str) -> None:
    """ModelError for a condition that changes when all its points and directions are shifted or turned together."""
    drawn = random.Random(thing)
    values = {reference: drawn.uniform(0.5, 1.5) for reference in leaves(found.rows)}
    for what, velocity in _rigid_motions(found):
        rates = derivative(found.rows, _seed(velocity))
        values |= {reference: drawn.uniform(0.5, 1.5) for reference in leaves(rates) if reference not in values}
        for label, rate in zip(found.labels, evaluate_all(rates, values.__getitem__), strict=True):
            if not abs(rate) <= ROUNDING:
                raise ModelError(
                    f"{thing}, {label}: it changes when both bodies are {what} together: write it in the vector from "
                    "a's point to b's and in directions of a and b"
                )


def _rigid_motions(found: Conditions) -> Iterator[tuple[str, Velocity]]:
    """A shift and a turn along each axis of the world."""
    for k in range(3):
        axis = Vector(as_expression(float(j == k)) for j in range(3))
        yield "shifted", lambda number, e=axis: e if found.vectors[number].local is None else e * 0.0  # type: ignore[misc]
        yield "turned", lambda number, e=axis: e.cross(found.symbols(number))  # type: ignore[misc]


def _seed(velocity: Velocity) -> Callable[[Any], Expression]:
    """The rate of each symbol; all else is held."""

    def seed(reference: Any) -> Expression:
        return velocity(reference.vector)[reference.k] if isinstance(reference, Symbol) else ZERO

    return seed
