"""Common checks of the bodies and places on which forces act, and the registration of forces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import partial

from ...infrastructure.arguments import is_whole
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import ZERO, Expression, leaf
from ...symbolic.graph import leaves
from ..data import ModelData
from ..geometry.vectors import number
from ..items import Body, Force, body_label
from ..names import joint_index, known_in, place
from ..places import Place, equation_place, is_velocity, joint_place
from ..references.leaves import JointNumber, Signal
from .characteristics import FORCE, STIFFNESS


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


def checked_place(
    model: ModelData,
    thing: str,
    on: str | Body | None,
    coordinate: int | None = None,
    against: str | Body | None = None,
    along: Expression | None = None,
    law: str | None = None,
) -> tuple[Place, str | None]:
    """Return the place of a force: the joint velocity of a body, its difference from another's, or an equation.

    The second value is the unit of a joint coordinate, "m" or "rad", and None for an equation. law: name of a law of
    coordinates, which requires scalar coordinates and an equation of positions.

    Raises ModelError unless exactly one of `on` and `along` is given, as `joint_velocity`, `other_side` and
    `equation_place` do, and for an equation that contains rates if there is a law of coordinates.
    """
    if along is None:
        if on is None:
            raise ModelError(f"{thing}: give on= with a body whose joint it acts on, or along= with an equation")
        find = joint_velocity if law is None else partial(scalar_joint, law=law)
        own = find(model, on, coordinate, thing)
        return joint_place(*own, other_side(model, against, own, thing, law)), unit_along(model, *own)
    for argument, what in ((on, "on"), (coordinate, "coordinate"), (against, "against")):
        if argument is not None:
            raise ModelError(f"{thing}: give either along= or {what}=, not both")
    return place_along(model, number(along, f"along of {thing}"), f"along of {thing}", law), None


def place_along(model: ModelData, equation: Expression, thing: str, law: str | None = None) -> Place:
    """Return the place of an equation; law: see `checked_place`. Raises ModelError for an equation that has none."""
    known_in(model, [equation], thing)
    for reference in leaves([equation]):
        if isinstance(reference, JointNumber):
            joint_index(model, reference, thing)
        elif isinstance(reference, Signal):
            _check_signal(model, reference, thing)
        if law is not None and is_velocity(reference):
            raise ModelError(f"{thing} depends on {reference}: a {law} needs an equation of positions, without rates")

    def by_velocities(body: str, slopes: Sequence[Expression]) -> list[Expression]:
        joint = model.bodies[body].joint
        q = [leaf(JointNumber("coordinate", body, k)) for k in range(len(joint.coordinates))]
        return joint.velocity_slopes(q, [*slopes, *[ZERO] * (len(q) - len(slopes))])

    return equation_place(equation, by_velocities, thing)


def known_unit(unit: str, thing: str) -> str:
    """Return the unit of an equation. Raises ModelError unless it is "m" or "rad"."""
    if unit not in STIFFNESS:
        raise ModelError(f'{thing}: unit is {display(unit)}: give "m" or "rad"')
    return unit


def _check_signal(model: ModelData, signal: Signal, thing: str) -> None:
    """Raise ModelError for an output, which may move, and for a signal that the model does not have so far."""
    known = {*model.parameters, *model.inputs, *model.states}
    known.update(name for sampled in model.sampled_signals.values() for name in sampled.names)
    if signal.role == "signal" and signal.name not in known:
        raise ModelError(
            f"{thing} depends on signal {signal.name!r}, which is no parameter, input or state of the model so far: "
            "write its expression, or define it first"
        )


def law_along(
    place: Place, unit: str | None, torque: Quantity | None, force: Quantity | None, thing: str
) -> tuple[Expression, str]:
    """Return the law of a force along a place, given as torque (N.m) or as force (N), and the unit of the place.

    unit: of a joint coordinate, "m" or "rad"; for an equation, None, it follows from the law. Raises ModelError for
    both or neither of torque and force, and for the wrong one along a joint.
    """
    if (torque is None) == (force is None):
        raise ModelError(f"{thing}: give either torque= or force=")
    passed = "m" if torque is None else "rad"
    if unit is not None and unit != passed:
        body = next(iter(place.coefficients)).body
        moves, remedy = ("turns", "torque") if unit == "rad" else ("slides", "force")
        raise ModelError(f"{thing}: this degree of freedom of body {body!r} {moves}: give {remedy}=")
    return number(torque if force is None else force, f"law of {thing}", FORCE[passed]), passed


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
