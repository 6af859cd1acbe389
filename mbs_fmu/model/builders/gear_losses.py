"""Losses of elastic gears: friction on the side of the second wheel, in proportion to the torque."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import ZERO, Expression, is_literal, max
from ...symbolic.graph import leaves
from ..data import ModelData
from ..forces.characteristics import Ends, Shaft
from ..forces.frictions import DryFriction, add_sticking
from ..geometry.vectors import is_list, number
from ..names import not_taken
from ..references.leaves import JointNumber


@dataclass(frozen=True, eq=False)
class LossySide:
    """The joint velocity of the second wheel on which losses act, and the efficiencies with which each side drives.

    forward: while the first wheel drives. backward: while the second does.
    """

    name: str
    thing: str
    body: str
    k: int
    forward: Expression
    backward: Expression


def lossy_side(model: ModelData, gear: str, law: Ends | Shaft | None, angle: Expression, efficiency: Any) -> LossySide:
    """Return the checked losses of a gear. angle: of its second wheel.

    Raises ModelError for a rigid gear, an angle that is not the coordinate of one joint, and efficiencies out of range.
    """
    thing = f"gear {gear!r}"
    if law is None:
        raise ModelError(
            f"{thing}: efficiency= is for elastic gears, whose torque is known: give stiffness= too, that of the shaft"
        )
    references = leaves([angle])
    if len(references) != 1 or not isinstance(references[0], JointNumber):
        raise ModelError(
            f"{thing}: the angle of its second wheel is not the coordinate of one joint, so efficiency= has no joint "
            "on which the losses act: leave carrier= out, or let the carrier be the wheel's parent"
        )
    forward, backward = _both(efficiency, thing)
    name = f"{gear}.loss"
    for what in ("force", "loop"):
        not_taken(model, name, what)
    return LossySide(name, f"loss of {thing}", references[0].body, references[0].k, forward, backward)


def add_losses(model: ModelData, side: LossySide, torque: Expression) -> None:
    """Add the friction of a gear. torque: with which it would drive the second wheel without losses.

    While the torque drives the wheel, the wheel receives the share `forward` of it; otherwise 1 / `backward` times the
    torque brakes the wheel. In both cases the difference from the torque is friction that opposes the motion.
    """
    up, down = max(torque, ZERO), max(-torque, ZERO)
    driven, driving = 1.0 - side.forward, 1.0 / side.backward - 1.0
    lower = driven * up + driving * down
    upper = driven * down + driving * up
    add_sticking(model, DryFriction(side.name, side.body, side.k, None, upper, lower, ZERO), (upper, lower), side.thing)


def _both(efficiency: Any, thing: str) -> tuple[Expression, Expression]:
    """Return the efficiencies in both directions, from one number or two."""
    given: Sequence[Any] = list(efficiency) if is_list(efficiency) else [efficiency, efficiency]
    if len(given) != 2:
        raise ModelError(
            f"{thing}: efficiency is {display(efficiency)}: give one number, or two (of a and of b driving)"
        )
    forward, backward = (number(x, f"efficiency of {thing}") for x in given)
    for value in (forward, backward):
        if is_literal(value) and not 0.0 < value.value <= 1.0:
            raise ModelError(f"efficiency of {thing} is {value.value!r}: it must be above 0 and at most 1")
    return forward, backward
