"""Drag: the resistance of a fluid at a point of a body."""

from __future__ import annotations

from dataclasses import field

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.argument_types import Components, Quantity
from ...symbolic.expressions import Expression, is_literal, sqrt
from ..data import ModelData
from ..effects import NONE, TINY, Action, Effect, Push
from ..geometry.anchors import point_velocity
from ..geometry.vectors import Vector, no_less_than_zero, numbers
from ..items import Body, OnBodies
from ..names import new_name
from ..references.naming import A_NAME
from .places import add_force


@dataclass(frozen=True, eq=False)
class Drag(OnBodies):
    """Force -(linear + quadratic |v|) v at a point, v its velocity relative to a fluid (world axes)."""

    body: str = field(metadata=A_NAME)
    at: Vector
    linear: Expression
    quadratic: Expression
    fluid: Vector

    def effect(self) -> Effect:
        """Return the force: the part along the point's own velocity dissipates, that of the fluid's velocity is
        prescribed."""
        through = point_velocity(self.body, self.at)
        v = through - self.fluid
        speed = sqrt(v.dot(v) + TINY)  # its derivative exists at rest
        resistance = self.linear + self.quadratic * speed
        return Effect(
            self._push(-(v * resistance)),
            dissipates=self._push(-(through * resistance)),
            prescribed=self._push(self.fluid * resistance),
        )

    def _push(self, force: Vector) -> Action:
        return Action((Push(self.body, self.at, force, NONE),))


def drag(
    model: ModelData,
    name: str,
    on: str | Body,
    at: Components = (0.0, 0.0, 0.0),
    *,
    linear: Quantity = 0.0,
    quadratic: Quantity = 0.0,
    velocity: Components = (0.0, 0.0, 0.0),
) -> None:
    """Add the resistance of a fluid at a point (m, body axes): -(linear + quadratic |v|) v.

    v is the point's velocity relative to the fluid's `velocity` (m/s, world axes). linear: N.s/m; quadratic: N.s²/m²,
    half of density, drag coefficient and area. All but the point may be expressions.
    """
    new_name(model, name, "force")
    thing = f"drag {name!r}"
    body, point = model.known_body(on, thing), numbers(at, 3, f"at of {thing}", "m")
    c = no_less_than_zero(linear, f"linear of {thing}", "N.s/m")
    d = no_less_than_zero(quadratic, f"quadratic of {thing}", "N.s2/m2")
    if is_literal(c, 0.0) and is_literal(d, 0.0):
        raise ModelError(f"{thing} does nothing: give linear=, quadratic= or both")
    add_force(model, Drag(name, body, point, c, d, numbers(velocity, 3, f"velocity of {thing}", "m/s")), thing)
