"""Motors: prescribed forces and torques along joint velocities."""

from __future__ import annotations

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import Expression
from ..data import ModelData
from ..effects import Effect
from ..items import BetweenJoints, Body
from ..names import new_name
from .places import add_force, along_joint, other_side


@dataclass(frozen=True, eq=False)
class Motor(BetweenJoints):
    """Prescribed force or torque."""

    law: Expression

    def effect(self) -> Effect:
        action = self.along(self.law)
        return Effect(action, self.law, prescribed=action)


def motor(
    model: ModelData,
    name: str,
    on: str | Body,
    torque: Quantity | None = None,
    force: Quantity | None = None,
    coordinate: int | None = None,
    *,
    against: str | Body | None = None,
) -> None:
    """Add a torque (N.m) or force (N) along a joint velocity; the reaction acts on the parent.

    coordinate: number of the joint velocity, from 1, required if the joint has several. against: another body, along
    whose only joint velocity the opposite acts: a motor between two shafts. Only the difference then acts on their
    parents.

    Raises ModelError for a name in use, an unknown body, a missing or unknown coordinate, a torque for a translation or
    a force for a rotation, and a law that refers to unknown names.
    """
    new_name(model, name, "force")
    thing = f"motor {name!r}"
    body, k, law = along_joint(model, on, coordinate, torque, force, thing)
    add_force(model, Motor(name, body, k, other_side(model, against, (body, k), thing), law), thing)
