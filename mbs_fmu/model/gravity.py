"""Gravity: uniform, or towards a point."""

from __future__ import annotations

from ..infrastructure.lazy_dataclasses import dataclass
from ..symbolic.argument_types import Components, Quantity
from ..symbolic.expressions import Expression, abs, leaf, sqrt, where
from .effects import NONE, Action, Check, Effect, Push
from .geometry.anchors import point_position
from .geometry.vectors import Vector, number, numbers
from .items import Body
from .references.leaves import FailedStep, Signal

STEPS_BEFORE = 30.0  #: steps within which a pull must change to count as the cause of a failed step
LEAST_TIME = 1e-11  #: relative to time: interval that the smallest steps of error control can still cross


@dataclass(frozen=True, eq=False, init=False)
class PointGravity:
    """Gravity towards a point: mu/r² at every body's centre of mass, r its distance from `center`.

    mu: m³/s². center: m, world axes. Both may be expressions of parameters. As in the Modelica Standard Library, the
    extent of a body has no effect: there is no gravity-gradient torque. Raises ModelError for anything but numbers and
    expressions.
    """

    mu: Expression
    center: Vector

    def __init__(self, mu: Quantity, center: Components = (0.0, 0.0, 0.0)) -> None:
        object.__setattr__(self, "mu", number(mu, "mu of the point gravity", "m3/s2"))
        object.__setattr__(self, "center", numbers(center, 3, "center of the point gravity", "m"))

    def effect(self, body: Body) -> Effect:
        """Return the force on a body, and its potential energy."""
        r = self._from_center(body)
        square = r.dot(r)
        pull = -(r * (self.mu * body.mass / (square * sqrt(square))))
        stored = -(self.mu * body.mass / sqrt(square))
        return Effect(Action((Push(body.name, body.com, pull, NONE),)), stored=stored)

    def start_checks(self, body: Body) -> list[Check]:
        """Return a number that is positive away from the centre, with its message.

        After a failed step it is negative also if the pull changes, within a time of about sqrt(r³/mu), in a few such
        steps or in less than the rounding of time.
        """
        step, time = leaf(FailedStep()), leaf(Signal("time", "time"))
        near = where(step > 0.0, STEPS_BEFORE * step + LEAST_TIME * abs(time), 0.0)
        r = self._from_center(body)
        square = r.dot(r)
        message = (
            f"body {body.name!r}: its centre of mass is at the centre of the point gravity, where the pull has no "
            "bound: start it elsewhere, or stop it before"
        )
        return [(square * sqrt(square) - abs(self.mu) * near * near, message)]

    def constants(self, body: Body) -> list[tuple[Expression, str]]:
        """Return expressions that may depend on parameters only, with their names."""
        center = [(x, "center of the point gravity") for x in self.center]
        return [(self.mu, "mu of the point gravity"), *center, (body.mass, f"mass of body {body.name!r}")]

    def _from_center(self, body: Body) -> Vector:
        """Return the vector from the centre of gravity to the body's centre of mass, m, world axes."""
        return point_position(body.name, body.com) - self.center


Gravity = Vector | PointGravity  #: a vector is an acceleration in world axes, m/s²
GravityValue = Components | PointGravity  #: gravity as users give it


def checked_gravity(value: GravityValue, thing: str) -> Gravity:
    """Return gravity, either three numbers or expressions (m/s², world axes) or a `PointGravity`.

    Raises ModelError for anything else.
    """
    return value if isinstance(value, PointGravity) else numbers(value, 3, thing, "m/s2")
