"""Forces and torques that a model gives by expressions, at points of bodies."""

from __future__ import annotations

from dataclasses import field, replace

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.argument_types import Components
from ...symbolic.expressions import Expression
from ...symbolic.vectors import ORIGIN
from ..data import ModelData
from ..effects import Action, Effect, Push
from ..geometry.anchors import axes, point_position
from ..geometry.vectors import Vector, numbers
from ..items import Body, OnBodies
from ..names import new_name
from ..references.naming import A_NAME
from .places import add_force


@dataclass(frozen=True, eq=False)
class BodyForce(OnBodies):
    """Force at a point of a body, and torque; the opposite wrench acts on body `other`, at the same point.

    at: m, body axes. force, torque: N and N.m, in world axes if `in_world`, else in body axes. other: None if nothing
    takes the reaction. gate: the force is evaluated only while this signal is not zero.
    """

    body: str = field(metadata=A_NAME)
    at: Vector
    force: Vector
    torque: Vector
    in_world: bool
    other: str | None = field(default=None, metadata=A_NAME)
    gate: Expression | None = None

    @property
    def gated_by(self) -> Expression | None:
        return self.gate

    def effect(self) -> Effect:
        action = Action((*self._reaction(), Push(self.body, self.at, self.force, self.torque, self.in_world)))
        return Effect(action, prescribed=action)

    def _reaction(self) -> tuple[Push, ...]:
        """Return the reaction on the other body, with its moment about the origin of that body; none without one."""
        if self.other is None:
            return ()
        force, torque = self.force, self.torque
        if not self.in_world:
            x, y, z = axes(self.body, np.eye(3))
            force, torque = (x * v[0] + y * v[1] + z * v[2] for v in (force, torque))
        arm = point_position(self.body, self.at) - point_position(self.other, ORIGIN)
        return (Push(self.other, ORIGIN, -force, -torque - arm.cross(force)),)


def force(
    model: ModelData,
    name: str,
    on: str | Body,
    at: Components = (0.0, 0.0, 0.0),
    force: Components | None = None,
    torque: Components | None = None,
    resolve_in: str = "world",
    reaction_on: str | Body | None = None,
) -> None:
    """Add a force at a point of a body, a torque on the body, or both.

    at: the point, m, body axes. force: N. torque: N.m. Their components may be expressions.
    resolve_in: axes of force and torque, "world" or "body".
    reaction_on: another body, on which the opposite force acts, at the same point, and the opposite torque; by
    default none.

    Raises ModelError if both force and torque are missing, for invalid components or axes, for a name in use or unknown
    bodies, and if `reaction_on` is the body itself.
    """
    new_name(model, name, "force")
    thing = f"force {name!r}"
    if force is None and torque is None:
        raise ModelError(f"{thing}: give force=, torque= or both")
    if not isinstance(resolve_in, str) or resolve_in not in ("world", "body"):
        raise ModelError(f'{thing}: resolve_in is {display(resolve_in)}: use "world" or "body"')
    body = model.known_body(on, thing)
    other = None if reaction_on is None else model.known_body(reaction_on, thing)
    if other == body:
        raise ModelError(f"{thing}: body {body!r} would act on itself: reaction_on= must be another body")
    zero = (0.0, 0.0, 0.0)
    add_force(
        model,
        BodyForce(
            name,
            body,
            numbers(at, 3, f"at of {thing}", "m"),
            numbers(zero if force is None else force, 3, f"force of {thing}", "N"),
            numbers(zero if torque is None else torque, 3, f"torque of {thing}", "N.m"),
            resolve_in == "world",
            other,
        ),
        thing,
    )


def gate_force(model: ModelData, name: str, gate: Expression) -> None:
    """Skip the evaluation of a force on a body while the signal `gate` is zero.

    The force must be proportional to the signal. While it is skipped, it costs next to nothing.
    """
    force = model.forces[name]
    assert isinstance(force, BodyForce)
    model.forces[name] = replace(force, gate=gate)
    model.version += 1
