"""Objectivity of conditions: those between two bodies do not change when both move as one."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...errors import ModelError
from ...symbolic.expressions import ZERO, Expression, as_expression
from ...symbolic.graph import derivative, evaluate_all, leaves
from ...symbolic.quaternions import rotation_rows
from ..geometry.vectors import Vector
from .conditions import Conditions, Row, Symbol

ROUNDING = 1e-9  #: rates below this count as zero, at positions of 0.5 to 1.5 m

Velocity = Callable[[int], Vector]  #: of each of the conditions' vectors


def require_objective(found: Conditions, thing: str) -> None:
    """ModelError for a condition that changes when all its points and directions are shifted or turned together."""
    drawn = random.Random(thing)
    values = _drawn_places(found, drawn)
    for what, velocity in _rigid_motions(found):
        rates = [_rate(row, velocity) for row in found.rows]
        values |= {reference: drawn.uniform(0.5, 1.5) for reference in leaves(rates) if reference not in values}
        for row, rate in zip(found.rows, evaluate_all(rates, values.__getitem__), strict=True):
            if not abs(rate) <= ROUNDING:
                raise ModelError(
                    f"{thing}, {row.label}: it changes when both bodies are {what} together: write it in the vector "
                    "from a's point to b's and in directions of a and b"
                )


def _drawn_places(found: Conditions, drawn: random.Random) -> dict[Any, float]:
    """Any point for each point, and for the directions of each side those of a frame that is turned somehow."""
    turned: dict[int, np.ndarray] = {}
    values: dict[Any, float] = {}
    for number, vector in enumerate(found.vectors):
        if vector.side not in turned:
            q = np.array([drawn.gauss(0.0, 1.0) for _ in range(4)])
            turned[vector.side] = np.array(rotation_rows(q / np.linalg.norm(q)))
        point = [drawn.uniform(0.5, 1.5) for _ in range(3)]
        value = point if vector.local is None else turned[vector.side] @ vector.local
        values |= {Symbol(number, k): float(value[k]) for k in range(3)}
    return values


def _rigid_motions(found: Conditions) -> Iterator[tuple[str, Velocity]]:
    """A shift and a turn along each axis of the world."""
    for k in range(3):
        axis = Vector(as_expression(float(j == k)) for j in range(3))
        yield "shifted", functools.partial(_shifted, found, axis)
        yield "turned", functools.partial(_turned, found, axis)


def _shifted(found: Conditions, along: Vector, number: int) -> Vector:
    at = found.vectors[number]
    return along if at.local is None and not at.spin else along * 0.0


def _turned(found: Conditions, about: Vector, number: int) -> Vector:
    return about if found.vectors[number].spin else about.cross(found.symbols(number))


def _rate(row: Row, velocity: Velocity) -> Expression:
    """How fast a condition changes with these velocities of its vectors; one in rates is that itself."""

    def seed(reference: Any) -> Expression:
        moves = isinstance(reference, Symbol) and reference.rate == row.in_rates
        return velocity(reference.vector)[reference.k] if moves else ZERO

    return derivative([row.condition], seed)[0]
