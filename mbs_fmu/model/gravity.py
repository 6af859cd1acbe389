"""Gravity as told: the same everywhere, or towards a point."""

from __future__ import annotations

from dataclasses import dataclass

from ..expressions import Expression
from .vectors import Vector, number, numbers


@dataclass(eq=False, init=False)
class PointGravity:
    """Gravity towards a point: mu/r² at every body's centre of mass, r its distance from `center`.

    mu: m³/s², `center`: world axes, m; both may depend on parameters. As in the Modelica Standard Library, a body's
    extent is not seen: there is no gravity-gradient torque. Raises ModelError for what is no number or expression.
    """

    mu: Expression
    center: Vector

    def __init__(self, mu: object, center: object = (0.0, 0.0, 0.0)) -> None:
        self.mu = number(mu, "mu of the point gravity", "m3/s2")
        self.center = numbers(center, 3, "center of the point gravity", "m")


Gravity = Vector | PointGravity  #: a vector is an acceleration in world axes, m/s²


def checked_gravity(value: object, thing: str) -> Gravity:
    """Gravity as a user tells it, three numbers or expressions (m/s², world axes) or a `PointGravity`.

    Raises ModelError for anything else.
    """
    return value if isinstance(value, PointGravity) else numbers(value, 3, thing, "m/s2")
