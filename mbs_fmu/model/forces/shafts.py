"""Shafts without mass that are coupled elastically to several joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import ZERO, Expression, is_literal, leaf
from ..data import ModelData
from ..effects import Action, Effect
from ..geometry.vectors import is_list, no_less_than_zero, number
from ..items import Force, State
from ..names import known_in, new_name, not_taken
from ..places import Place, joint_place
from ..references.leaves import Signal
from ..references.naming import A_NAME
from .characteristics import DAMPING, STIFFNESS
from .places import add_force, expressions, scalar_joint, unit_along


@dataclass(frozen=True, eq=False)
class Coupling:
    """A joint coordinate q with a spring and a damper to the shaft: torque n (k r + d r'), r = q - n phi."""

    body: str = field(metadata=A_NAME)
    k: int
    ratio: Expression
    stiffness: Expression
    damping: Expression

    @property
    def place(self) -> Place:
        """The coordinate q."""
        return joint_place(self.body, self.k)


@dataclass(frozen=True, eq=False)
class MasslessShaft(Force):
    """A shaft whose angle phi follows from the balance of its torques, sum n (k r + d r') = 0.

    state: name of the state phi, or None without dampers, where phi is a function of the coordinates.
    """

    couplings: tuple[Coupling, ...]
    state: str | None = field(metadata=A_NAME)

    @property
    def thing(self) -> str:
        return f"shaft {self.name!r}"

    @property
    def angle(self) -> Expression:
        """phi, rad."""
        if self.state is not None:
            return leaf(Signal("state", self.state))
        pulled = sum((c.ratio * c.stiffness * c.place.number for c in self.couplings), start=ZERO)
        return pulled / sum((c.ratio * c.ratio * c.stiffness for c in self.couplings), start=ZERO)

    def effect(self) -> Effect:
        """Return the torques on the joints, the energy of the springs, and the power that the dampers lose."""
        phi = self.angle
        stretched = [c.place.number - c.ratio * phi for c in self.couplings]
        stored = sum((0.5 * c.stiffness * r * r for c, r in zip(self.couplings, stretched, strict=True)), start=ZERO)
        if self.state is None:
            torques = [c.stiffness * r for c, r in zip(self.couplings, stretched, strict=True)]
            return Effect(self._action(torques), None, stored)
        driving = sum(
            (
                c.ratio * (c.stiffness * r + c.damping * c.place.rate)
                for c, r in zip(self.couplings, stretched, strict=True)
            ),
            start=ZERO,
        )
        speed = driving / sum((c.ratio * c.ratio * c.damping for c in self.couplings), start=ZERO)
        slips = [c.place.rate - c.ratio * speed for c in self.couplings]
        torques = [c.stiffness * r + c.damping * v for c, r, v in zip(self.couplings, stretched, slips, strict=True)]
        lost = sum((c.damping * v * v for c, v in zip(self.couplings, slips, strict=True)), start=ZERO)
        return Effect(self._action(torques), None, stored, rates=((self.state, speed),), lost=lost)

    def _action(self, torques: Sequence[Expression]) -> Action:
        actions = [c.place.along(-torque) for c, torque in zip(self.couplings, torques, strict=True)]
        return Action(along=tuple(along for action in actions for along in action.along))


def shaft(model: ModelData, name: str, couplings: Sequence[Any], *, start: Quantity = 0.0) -> Expression:
    """Add a shaft without mass between elastic couplings, such as one between two elastic gears; return its angle, rad.

    couplings: two or more of (body, ratio, stiffness, damping): the only coordinate q of the body's joint is `ratio`
    times the angle phi of the shaft while the spring is relaxed. stiffness: N.m/rad (N/m if the joint slides), damping:
    N.m.s/rad, along q. The angle follows from the balance of torques. With dampers it is the state `NAME.angle`, with
    the value `start` (rad) at the start; without dampers it is a function of the coordinates, and `start` has no
    effect.

    Use it in place of a body with a tiny inertia, which would vibrate at a high frequency.

    Raises ModelError for names in use, fewer than two couplings, joints with several coordinates, and numbers out of
    range.
    """
    new_name(model, name, "force")
    thing = f"shaft {name!r}"
    if not is_list(couplings) or len(couplings) < 2:
        raise ModelError(
            f"{thing}: couplings is {display(couplings)}: give two (body, ratio, stiffness, damping) or more"
        )
    checked = tuple(_coupling(model, item, n, thing) for n, item in enumerate(couplings, start=1))
    damped = not all(is_literal(c.damping, 0.0) for c in checked)
    state = f"{name}.angle" if damped else None
    law = MasslessShaft(name, checked, state)
    known_in(model, expressions(law), thing)
    if state is not None:
        not_taken(model, state, "state")
        phi = number(start, f"start of {thing}", "rad")
        if not is_literal(phi):
            raise ModelError(f"start of {thing} is an expression: give a number")
        model.states[state] = State(state, ZERO, float(phi.value), "rad", f"angle of {thing}")
    add_force(model, law, thing)
    return law.angle


def _coupling(model: ModelData, item: Any, n: int, thing: str) -> Coupling:
    """Return the n-th coupling, checked."""
    what = f"coupling {n} of {thing}"
    if not isinstance(item, (tuple, list)) or len(item) != 4:
        raise ModelError(f"{what} is {display(item)}: give (body, ratio, stiffness, damping)")
    body, k = scalar_joint(model, item[0], None, what, "shaft")
    unit = unit_along(model, body, k)
    ratio = number(item[1], f"ratio of {what}")
    if is_literal(ratio, 0.0):
        raise ModelError(f"ratio of {what} is 0: leave the coupling out")
    stiffness = no_less_than_zero(item[2], f"stiffness of {what}", STIFFNESS[unit], positive=True)
    return Coupling(body, k, ratio, stiffness, no_less_than_zero(item[3], f"damping of {what}", DAMPING[unit]))
