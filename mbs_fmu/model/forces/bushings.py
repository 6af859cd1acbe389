"""Bushings: springs and dampers along and about three axes, between two frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ModelError
from ...expressions import Expression, is_literal
from ..names import new_name
from ..parts import Body, OnBodies
from ..poses import placed
from ..told import Told
from ..vectors import Vector, numbers
from .places import add_force, two_bodies


@dataclass(frozen=True, eq=False)
class Bushing(OnBodies):
    """Three springs and dampers along the axes of frame a, three about them, between two frames."""

    a: str
    at_a: Vector
    rotation_a: np.ndarray
    b: str
    at_b: Vector
    rotation_b: np.ndarray
    stiffness: Vector
    damping: Vector
    rotational_stiffness: Vector
    rotational_damping: Vector


def bushing(
    model: Told,
    name: str,
    a: str | Body,
    b: str | Body,
    *,
    at_a: Any = (0.0, 0.0, 0.0),
    at_b: Any = (0.0, 0.0, 0.0),
    stiffness: Any = (0.0, 0.0, 0.0),
    damping: Any = (0.0, 0.0, 0.0),
    rotational_stiffness: Any = (0.0, 0.0, 0.0),
    rotational_damping: Any = (0.0, 0.0, 0.0),
) -> None:
    """Springs and dampers along and about three axes, between two frames that coincide at rest.

    at_a, at_b: positions (m, body axes) or `Pose`s. All in the axes of frame a: stiffness (N/m) and damping (N.s/m)
    along them, rotational_stiffness (N.m/rad) and rotational_damping (N.m.s/rad) about them; three numbers each, or
    one for all three. They may be expressions.

    A turn by phi about one axis is resisted by stiffness sin(phi): linear for small angles, and with an energy
    that is smooth for all rotations. A stiffness of zero about one axis leaves it free for any number of turns.
    """
    new_name(model, name, "force")
    thing = f"bushing {name!r}"
    ends = two_bodies(model, a, b, thing, "two bodies")
    (position_a, rotation_a), (position_b, rotation_b) = (
        placed(at, f"{end} of {thing}") for at, end in ((at_a, "at_a"), (at_b, "at_b"))
    )
    laws = [
        _three(value, f"{what} of {thing}", unit)
        for value, what, unit in (
            (stiffness, "stiffness", "N/m"),
            (damping, "damping", "N.s/m"),
            (rotational_stiffness, "rotational_stiffness", "N.m/rad"),
            (rotational_damping, "rotational_damping", "N.m.s/rad"),
        )
    ]
    if all(is_literal(x, 0.0) for law in laws for x in law):
        raise ModelError(f"{thing} does nothing: give a stiffness or damping along or about its axes")
    add_force(model, Bushing(name, ends[0], position_a, rotation_a, ends[1], position_b, rotation_b, *laws), thing)


def _three(value: Any, thing: str, unit: str) -> Vector:
    """Three numbers, or one that counts three times."""
    if isinstance(value, (int, float, str, Expression)):
        value = (value, value, value)
    return numbers(value, 3, thing, unit)
