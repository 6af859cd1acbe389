"""Common checks of the bodies and joint velocities on which forces act, and the registration of forces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from ...infrastructure.arguments import is_whole
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import Expression
from ..data import ModelData
from ..geometry.vectors import number
from ..items import Body, Force, body_label
from ..names import known_in, place


def joint_velocity(model: ModelData, body: str | Body, coordinate: int | None, thing: str) -> tuple[str, int]:
    """Return a body's name and the number of its joint velocity, from 0; `coordinate` counts from 1, None is the only
    one.

    Raises ModelError for an unknown body, a weld, a missing or nonexistent coordinate.
    """
    name = model.known_body(body, thing)
    count = len(model.bodies[name].joint.rates)
    if count == 0:
        raise ModelError(f"{thing}: body {name!r} is welded, nothing can drive its joint")
    if coordinate is None:
        if count > 1:
            raise ModelError(
                f"{thing}: the joint of body {name!r} has {count} degrees of freedom: give coordinate=1..{count}"
            )
        return name, 0
    if not is_whole(coordinate) or not 1 <= coordinate <= count:
        raise ModelError(f"{thing}: coordinate {display(coordinate)} of body {name!r} does not exist: use 1 to {count}")
    return name, coordinate - 1


def other_side(
    model: ModelData, against: str | Body | None, on: tuple[str, int], thing: str, law: str | None = None
) -> tuple[str, int] | None:
    """Return body and joint velocity on which the opposite of a force acts; None without one.

    law: name of a law of coordinates, which requires scalar coordinates. Raises ModelError as `joint_velocity`, for a
    joint of another unit and for the same joint.
    """
    if against is None:
        return None
    counterpart = (
        joint_velocity(model, against, None, thing) if law is None else scalar_joint(model, against, None, thing, law)
    )
    if unit_along(model, *counterpart) != unit_along(model, *on):
        raise ModelError(f"{thing}: one side turns and the other slides: give two that do the same")
    if counterpart == on:
        raise ModelError(f"{thing} acts between the joint of body {on[0]!r} and itself: give two joints")
    return counterpart


def unit_along(model: ModelData, body: str, k: int) -> str:
    """Return the unit of the motion along a body's k-th joint velocity, "m" or "rad"."""
    return model.bodies[body].joint.rates[k][1].removesuffix("/s")


def add_force(model: ModelData, force: Force, thing: str) -> None:
    """Add a checked force to the model. Raises ModelError if its laws refer to anything unknown."""
    known_in(model, expressions(force), thing)
    model.forces[force.name] = force
    model.version += 1


def along_joint(
    model: ModelData,
    on: str | Body,
    coordinate: int | None,
    torque: Quantity | None,
    force: Quantity | None,
    thing: str,
) -> tuple[str, int, Expression]:
    """Return body, joint velocity and law, given as torque (N.m) or as force (N), whichever the joint velocity
    requires.

    Raises ModelError for both or neither of them, for the wrong one, and as `joint_velocity`.
    """
    if (torque is None) == (force is None):
        raise ModelError(f"{thing}: give either torque= or force=")
    body, k = joint_velocity(model, on, coordinate, thing)
    unit = model.bodies[body].joint.forces[k][1]
    passed = "N.m" if force is None else "N"
    if unit != passed:
        moves, remedy = ("turns", "torque") if unit == "N.m" else ("slides", "force")
        raise ModelError(f"{thing}: this degree of freedom of body {body!r} {moves}: give {remedy}=")
    return body, k, number(torque if force is None else force, f"law of {thing}", unit)


def scalar_joint(model: ModelData, on: str | Body, coordinate: int | None, thing: str, law: str) -> tuple[str, int]:
    """Return the same as `joint_velocity` for scalar coordinates. Raises ModelError for ball and free joints."""
    body = model.known_body(on, thing)
    if not model.bodies[body].joint.scalar:
        raise ModelError(f"{thing}: body {body!r} has a ball or free joint, whose coordinates allow no {law}")
    return joint_velocity(model, on, coordinate, thing)


def two_bodies(
    model: ModelData, a: str | Body | None, b: str | Body | None, thing: str, wanted: str
) -> tuple[str, str]:
    """Return the names of two bodies, one of which may be the world. Raises ModelError if one is missing or unknown, or
    both are the same."""
    if a is None or b is None:
        raise ModelError(f"{thing}: give {wanted}")
    ends = place(model, a, thing), place(model, b, thing)
    if ends[0] == ends[1]:
        raise ModelError(f"{thing} joins {body_label(ends[0])} with itself: give two bodies")
    return ends


def expressions(item: object) -> Iterator[Expression]:
    """Yield all expressions in the fields of a force, nested ones too."""
    if isinstance(item, Expression):
        yield item
    elif isinstance(item, (tuple, list)):
        for entry in item:
            yield from expressions(entry)
    elif is_dataclass(item):
        for field in fields(item):
            yield from expressions(getattr(item, field.name))
