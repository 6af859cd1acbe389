"""Losses of elastic gears: friction on the side of one wheel, in proportion to the torque."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import ZERO, Expression, is_literal
from ...symbolic.graph import leaves
from ...symbolic.sides import parts
from ..data import ModelData
from ..forces.characteristics import Ends, Shaft
from ..forces.frictions import DryFriction, add_sticking
from ..geometry.vectors import is_list, number
from ..names import not_taken
from ..places import joint_place
from ..references.leaves import JointNumber

RESERVE = 1e-6  #: share of the torque that a self-locking gear holds beyond the torque itself, against rounding
SLIGHT_TWIST = 1e-9  #: rad or m, deflection whose torque a self-locking gear holds when it carries none
WHEELS = ("first", "second")


@dataclass(frozen=True, eq=False)
class LossySide:
    """The joint velocity of the wheel on which losses act, and the efficiencies with which each wheel drives.

    wheel: 0 for the first, 1 for the second. driven: share of the torque that this wheel receives while the other one
    drives; zero or less if the other one cannot drive. driving: share that it passes on while it drives. stiffness: of
    the gear, N.m/rad or N/m.
    """

    name: str
    thing: str
    wheel: int
    body: str
    k: int
    driven: Expression
    driving: Expression
    stiffness: Expression


def lossy_side(
    model: ModelData, gear: str, law: Ends | Shaft | None, angles: Sequence[Expression], efficiency: Any
) -> LossySide:
    """Return the checked losses of a gear. angles: of both wheels.

    They act on the second wheel, or on the first if this locks the gear against the second: the friction of the first
    is then finite.

    Raises ModelError for a rigid gear, an angle that is not the coordinate of one joint, and efficiencies out of range.
    """
    thing = f"gear {gear!r}"
    if law is None:
        raise ModelError(
            f"{thing}: efficiency= is for elastic gears, whose torque is known: give stiffness= too, that of the shaft"
        )
    forward, backward = _both(efficiency, thing)
    wheel = 0 if is_literal(backward) and backward.value <= 0.0 else 1
    references = leaves([angles[wheel]])
    if len(references) != 1 or not isinstance(references[0], JointNumber):
        raise ModelError(
            f"{thing}: the angle of its {WHEELS[wheel]} wheel is not the coordinate of one joint, so efficiency= has "
            "no joint on which the losses act: leave carrier= out, or let the carrier be the wheel's parent"
        )
    name = f"{gear}.loss"
    for what in ("force", "loop"):
        not_taken(model, name, what)
    shares = (forward, backward) if wheel else (backward, forward)
    return LossySide(name, f"loss of {thing}", wheel, references[0].body, references[0].k, *shares, law.stiffness)


def add_losses(model: ModelData, side: LossySide, torques: Sequence[Expression]) -> None:
    """Add the friction of a gear. torques: with which it would drive each wheel without losses.

    While the torque drives the wheel of `side`, this wheel receives the share `driven` of it; otherwise 1 / `driving`
    times the torque brakes the wheel. In both cases the difference from the torque is friction that opposes the motion.
    """
    torque = torques[side.wheel]
    up, down = parts(torque)
    driven, driving = 1.0 - side.driven, 1.0 / side.driving - 1.0
    lower = driven * up + driving * down
    upper = driven * down + driving * up
    static = upper, lower
    if side.wheel == 0:
        slight = side.stiffness * SLIGHT_TWIST + RESERVE * (up + down)
        static = upper + slight, lower + slight
    add_sticking(model, DryFriction(side.name, joint_place(side.body, side.k), upper, lower, ZERO), static, side.thing)


def _both(efficiency: Any, thing: str) -> tuple[Expression, Expression]:
    """Return the efficiencies in both directions, from one number or two."""
    given: Sequence[Any] = list(efficiency) if is_list(efficiency) else [efficiency, efficiency]
    if len(given) != 2:
        raise ModelError(
            f"{thing}: efficiency is {display(efficiency)}: give one number, or two (of a and of b driving)"
        )
    forward, backward = (number(x, f"efficiency of {thing}") for x in given)
    if is_literal(forward) and not 0.0 < forward.value <= 1.0:
        raise ModelError(
            f"efficiency of {thing} is {forward.value!r}: it must be above 0 and at most 1; only the second of two, "
            "for b driving, may be zero or negative, for a self-locking gear"
        )
    if is_literal(backward) and not -math.inf < backward.value <= 1.0:
        raise ModelError(f"efficiency of {thing} is {backward.value!r} while b drives: it must be at most 1")
    return forward, backward
