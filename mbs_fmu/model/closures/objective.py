"""Objectivity: conditions between two bodies do not change when both move as one rigid body."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...symbolic.expressions import ZERO, Expression, as_expression
from ...symbolic.graph import derivative, evaluate_all, leaves
from ...symbolic.quaternions import rotation_rows
from ..geometry.vectors import Vector
from .conditions import Conditions, Row, Symbol

ROUNDING = 1e-9  #: rates below this count as zero, for positions of 0.5 to 1.5 m

Velocity = Callable[[int], Vector]  #: velocity of each vector of the conditions, by number


def require_objective(conditions: Conditions, thing: str) -> None:
    """Raise ModelError for a condition that changes when all its points and directions are translated or rotated
    together."""
    generator = random.Random(thing)
    values = _drawn_frames(conditions, generator)
    for motion, velocity in _rigid_motions(conditions):
        rates = [_rate(row, velocity) for row in conditions.rows]
        values |= {reference: generator.uniform(0.5, 1.5) for reference in leaves(rates) if reference not in values}
        for row, rate in zip(conditions.rows, evaluate_all(rates, values.__getitem__), strict=True):
            if not abs(rate) <= ROUNDING:
                raise ModelError(
                    f"{thing}, {row.label}: it changes when both bodies are {motion} together: write it in the "
                    "vector from a's point to b's and in directions of a and b"
                )


def _drawn_frames(conditions: Conditions, generator: random.Random) -> dict[Any, float]:
    """Return random values: a point for each point, and directions of a randomly rotated frame for each side."""
    turned: dict[int, np.ndarray] = {}
    values: dict[Any, float] = {}
    for number, vector in enumerate(conditions.vectors):
        if vector.side not in turned:
            q = np.array([generator.gauss(0.0, 1.0) for _ in range(4)])
            turned[vector.side] = np.array(rotation_rows(q / np.linalg.norm(q)))
        point = [generator.uniform(0.5, 1.5) for _ in range(3)]
        value = point if vector.local is None else turned[vector.side] @ vector.local
        values |= {Symbol(number, k): float(value[k]) for k in range(3)}
    return values


def _rigid_motions(conditions: Conditions) -> Iterator[tuple[str, Velocity]]:
    """Yield a translation along and a rotation about each axis of the world."""
    for k in range(3):
        axis = Vector(as_expression(float(j == k)) for j in range(3))
        yield "shifted", functools.partial(_shifted, conditions, axis)
        yield "turned", functools.partial(_turned, conditions, axis)


def _shifted(conditions: Conditions, along: Vector, number: int) -> Vector:
    at = conditions.vectors[number]
    return along if at.local is None and not at.spin else along * 0.0


def _turned(conditions: Conditions, about: Vector, number: int) -> Vector:
    return about if conditions.vectors[number].spin else about.cross(conditions.symbols(number))


def _rate(row: Row, velocity: Velocity) -> Expression:
    """Return the rate of a condition for these velocities of its vectors; a condition in rates is its own rate."""

    def seed(reference: Any) -> Expression:
        moves = isinstance(reference, Symbol) and reference.rate == row.in_rates
        return velocity(reference.vector)[reference.k] if moves else ZERO

    return derivative([row.condition], seed)[0]
