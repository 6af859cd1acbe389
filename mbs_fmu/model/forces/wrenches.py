"""Given forces and torques on bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...errors import ModelError
from ...record.messages import shown
from ..effects import Action, Effect, Push
from ..names import new_name
from ..naming import A_NAME
from ..parts import Body, OnBodies
from ..told import Told
from ..vectors import Vector, numbers
from .places import add_force


@dataclass(frozen=True, eq=False)
class BodyForce(OnBodies):
    """A force at a point and a torque, in world or body axes."""

    body: str = field(metadata=A_NAME)
    at: Vector
    force: Vector
    torque: Vector
    in_world: bool

    def effect(self) -> Effect:
        does = Action((Push(self.body, self.at, self.force, self.torque, self.in_world),))
        return Effect(does, given=does)


def force(
    model: Told,
    name: str,
    on: str | Body,
    at: Any = (0.0, 0.0, 0.0),
    force: Any = None,
    torque: Any = None,
    resolve_in: str = "world",
) -> None:
    """A force (N) at a point (m, body axes) and a torque (N.m) on a body, in "world" or "body" axes."""
    new_name(model, name, "force")
    thing = f"force {name!r}"
    if force is None and torque is None:
        raise ModelError(f"{thing}: give force=, torque= or both")
    if not isinstance(resolve_in, str) or resolve_in not in ("world", "body"):
        raise ModelError(f'{thing}: resolve_in is {shown(resolve_in)}; use "world" or "body"')
    zero = (0.0, 0.0, 0.0)
    add_force(
        model,
        BodyForce(
            name,
            model.known_body(on, thing),
            numbers(at, 3, f"at of {thing}", "m"),
            numbers(zero if force is None else force, 3, f"force of {thing}", "N"),
            numbers(zero if torque is None else torque, 3, f"torque of {thing}", "N.m"),
            resolve_in == "world",
        ),
        thing,
    )
