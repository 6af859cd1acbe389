"""Drag of a fluid at a point of a body, linear and quadratic in the velocity."""

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
    """Force -(linear + quadratic |v|) v at a point, where v is the velocity of the point relative to the fluid.

    at: m, body axes. linear: N.s/m. quadratic: N.s²/m². fluid: velocity of the fluid, m/s, world axes.
    """

    body: str = field(metadata=A_NAME)
    at: Vector
    linear: Expression
    quadratic: Expression
    fluid: Vector

    def effect(self) -> Effect:
        """Return the force: its part along the point's own velocity dissipates, that along the fluid's velocity is
        prescribed."""
        own_velocity = point_velocity(self.body, self.at)
        v = own_velocity - self.fluid
        speed = sqrt(v.dot(v) + TINY)  # TINY: the derivative must exist at rest
        resistance = self.linear + self.quadratic * speed
        return Effect(
            self._push(-(v * resistance)),
            dissipates=self._push(-(own_velocity * resistance)),
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
    """Add the drag of a fluid, the force -(linear + quadratic |v|) v at a point of a body.

    v is the velocity of the point relative to the fluid.
    at: the point, m, body axes.
    linear: N.s/m, not negative. quadratic: N.s²/m², not negative: half the product of density, drag coefficient and
    area.
    velocity: that of the fluid, m/s, world axes. It and both factors may be expressions.

    Raises ModelError for a name in use, an unknown body and negative factors, and if both factors are zero.
    """
    new_name(model, name, "force")
    thing = f"drag {name!r}"
    body, point = model.known_body(on, thing), numbers(at, 3, f"at of {thing}", "m")
    c_1 = no_less_than_zero(linear, f"linear of {thing}", "N.s/m")
    c_2 = no_less_than_zero(quadratic, f"quadratic of {thing}", "N.s2/m2")
    if is_literal(c_1, 0.0) and is_literal(c_2, 0.0):
        raise ModelError(f"{thing} does nothing: give linear=, quadratic= or both")
    add_force(model, Drag(name, body, point, c_1, c_2, numbers(velocity, 3, f"velocity of {thing}", "m/s")), thing)
