"""Motors: given forces and torques along joint velocities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...symbolic.expressions import Expression
from ..effects import Effect
from ..names import new_name
from ..parts import Body, OnJoint
from ..told import Told
from .places import add_force, along_joint


@dataclass(frozen=True, eq=False)
class Motor(OnJoint):
    """A given force or torque."""

    law: Expression

    def effect(self) -> Effect:
        does = self.along(self.law)
        return Effect(does, self.law, given=does)


def motor(
    model: Told,
    name: str,
    on: str | Body,
    torque: Any = None,
    force: Any = None,
    coordinate: int | None = None,
) -> None:
    """A torque (N.m) or force (N) along a joint velocity; the parent takes the reaction.

    `coordinate` from 1 says which joint velocity, where the joint has several.
    """
    new_name(model, name, "force")
    thing = f"motor {name!r}"
    body, k, law = along_joint(model, on, coordinate, torque, force, thing)
    add_force(model, Motor(name, body, k, law), thing)
