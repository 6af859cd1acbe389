"""Where forces act: the checks of bodies and joint velocities that their words share, and the way into the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from ...arguments import is_whole
from ...errors import ModelError
from ...messages.failures import display
from ...symbolic.expressions import Expression
from ..data import ModelData
from ..geometry.vectors import number
from ..items import Body, Force, said
from ..names import known_in, place


def joint_velocity(model: ModelData, body: str | Body, coordinate: int | None, thing: str) -> tuple[str, int]:
    """A body's name and the number of its joint velocity, from 0; `coordinate` counts from 1, None is the only one.

    Raises ModelError for an unknown body, a weld, a coordinate that is missing or not there.
    """
    name = model.known_body(body, thing)
    count = len(model.bodies[name].joint.rates)
    if count == 0:
        raise ModelError(f"{thing}: body {name!r} is welded, nothing can drive its joint")
    if coordinate is None:
        if count > 1:
            raise ModelError(f"{thing}: the joint of body {name!r} has {count} freedoms: give coordinate=1..{count}")
        return name, 0
    if not is_whole(coordinate) or not 1 <= coordinate <= count:
        raise ModelError(f"{thing}: coordinate {display(coordinate)} of body {name!r} does not exist: use 1 to {count}")
    return name, coordinate - 1


def other_side(
    model: ModelData, against: str | Body | None, on: tuple[str, int], thing: str, law: str | None = None
) -> tuple[str, int] | None:
    """Body and joint velocity of the joint that bears the opposite of a force; None without one.

    law: of coordinates, which only joints whose coordinates are numbers of their own bear. Raises ModelError as
    `joint_velocity`, for a joint that moves otherwise and for the same one.
    """
    if against is None:
        return None
    other = (
        joint_velocity(model, against, None, thing) if law is None else scalar_joint(model, against, None, thing, law)
    )
    if unit_along(model, *other) != unit_along(model, *on):
        raise ModelError(f"{thing}: one side turns and the other slides: give two that do the same")
    if other == on:
        raise ModelError(f"{thing} acts between the joint of body {on[0]!r} and itself: give two joints")
    return other


def unit_along(model: ModelData, body: str, k: int) -> str:
    """Of the motion along a body's k-th joint velocity, "m" or "rad"."""
    return model.bodies[body].joint.rates[k][1].removesuffix("/s")


def add_force(model: ModelData, force: Force, thing: str) -> None:
    """The end of every force's word. ModelError where its laws measure what the model doesn't have."""
    known_in(model, expressions(force), thing)
    model.forces[force.name] = force
    model.version += 1


def along_joint(
    model: ModelData, on: str | Body, coordinate: int | None, torque: Any, force: Any, thing: str
) -> tuple[str, int, Expression]:
    """Body, joint velocity and law, given as torque (N.m) or as force (N), whichever suits the freedom.

    Raises ModelError for both or none of them, for the one that doesn't suit, and as `joint_velocity`.
    """
    if (torque is None) == (force is None):
        raise ModelError(f"{thing}: give either torque= or force=")
    body, k = joint_velocity(model, on, coordinate, thing)
    unit = model.bodies[body].joint.forces[k][1]
    given = "N.m" if force is None else "N"
    if unit != given:
        moves, other = ("turns", "torque") if unit == "N.m" else ("slides", "force")
        raise ModelError(f"{thing}: this freedom of body {body!r} {moves}: give {other}=")
    return body, k, number(torque if force is None else force, f"law of {thing}", unit)


def scalar_joint(model: ModelData, on: str | Body, coordinate: int | None, thing: str, law: str) -> tuple[str, int]:
    """As `joint_velocity`, where coordinates are numbers of their own; ModelError for ball and free joints."""
    body = model.known_body(on, thing)
    if not model.bodies[body].joint.scalar:
        raise ModelError(f"{thing}: body {body!r} has a ball or free joint, whose coordinates bear no {law}")
    return joint_velocity(model, on, coordinate, thing)


def two_bodies(
    model: ModelData, a: str | Body | None, b: str | Body | None, thing: str, wanted: str
) -> tuple[str, str]:
    """The names of two bodies, of which one may be the world; ModelError where one is missing, unknown or the other."""
    if a is None or b is None:
        raise ModelError(f"{thing}: give {wanted}")
    ends = place(model, a, thing), place(model, b, thing)
    if ends[0] == ends[1]:
        raise ModelError(f"{thing} joins {said(ends[0])} with itself: give two bodies")
    return ends


def expressions(told: object) -> Iterator[Expression]:
    """All that a force's laws and places are made of, wherever in its fields they stand."""
    if isinstance(told, Expression):
        yield told
    elif isinstance(told, (tuple, list)):
        for entry in told:
            yield from expressions(entry)
    elif is_dataclass(told):
        for field in fields(told):
            yield from expressions(getattr(told, field.name))
