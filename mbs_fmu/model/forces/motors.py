"""Motors: prescribed forces and torques along joint velocities."""

from __future__ import annotations

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import Expression
from ..data import ModelData
from ..effects import Effect
from ..items import AlongPlace, Body
from ..names import new_name
from .places import add_force, checked_place, law_along


@dataclass(frozen=True, eq=False)
class Motor(AlongPlace):
    """Prescribed force or torque."""

    law: Expression

    def effect(self) -> Effect:
        action = self.place.along(self.law)
        return Effect(action, self.law, prescribed=action)


def motor(
    model: ModelData,
    name: str,
    on: str | Body | None = None,
    torque: Quantity | None = None,
    force: Quantity | None = None,
    coordinate: int | None = None,
    *,
    against: str | Body | None = None,
    along: Expression | None = None,
) -> None:
    """Add a torque (N.m) or force (N) along a joint velocity, whose reaction acts on the parent, or along an equation.

    coordinate: number of the joint velocity, from 1, required if the joint has several. against: another body, along
    whose only joint velocity the opposite acts: a motor between two shafts. Only the difference then acts on their
    parents.

    along: in place of a joint, an expression of positions, or a rate that is linear in velocities, as of `spring` and
    `friction`. The law f exerts the generalized forces f dr/du, with the rate r, so that its power is f r.

    Raises ModelError for a name in use, an unknown body, a missing or unknown coordinate, a torque for a translation or
    a force for a rotation, a law that refers to unknown names, and an equation in which nothing moves.
    """
    new_name(model, name, "force")
    thing = f"motor {name!r}"
    place, unit = checked_place(model, thing, on, coordinate, against, along)
    law, _ = law_along(place, unit, torque, force, thing)
    add_force(model, Motor(name, place, law), thing)
