"""Dry friction along joint velocities and rates of equations."""

from __future__ import annotations

import numpy as np

from ...infrastructure.arguments import truth
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import ZERO, Expression, exp, is_literal, leaf, sign, tanh, where
from ..closures import Equations, Sticking
from ..closures.closure import check_leaves
from ..data import ModelData
from ..effects import Effect
from ..geometry.vectors import Vector, no_less_than_zero
from ..items import AlongPlace, Body
from ..names import new_name, not_taken
from ..references.leaves import ModeNumber
from .characteristics import DAMPING, FORCE
from .places import add_force, checked_place, law_along

PEAK = float(np.sqrt(2.0 * np.e))  #: makes the largest value of PEAK x exp(-x²) equal sqrt(2) x at x = sqrt(1/2)
SPEED = 0.01  #: rad/s or m/s, default of `speed`


@dataclass(frozen=True, eq=False)
class Friction(AlongPlace):
    """Coulomb friction with the Stribeck peak `static` at the velocity `speed`, and viscous friction."""

    coulomb: Expression
    static: Expression
    viscous: Expression
    speed: Expression

    def effect(self) -> Effect:
        """Return minus the resistance along the place."""
        strength = -self.resistance(self.place.rate)
        action = self.place.along(strength)
        return Effect(action, strength, dissipates=action)

    def resistance(self, u: Expression) -> Expression:
        """Return sqrt(2e) (Fs - Fc) x exp(-x²) + Fc tanh(10 u/v) + viscous u, x = u/(sqrt(2) v).

        Fs is reached at u = v (MathWorks, Simscape reference: Translational Friction).
        """
        coulomb = self.coulomb
        x = u / (self.speed * float(np.sqrt(2.0)))
        peak = ZERO if self.static is coulomb else PEAK * (self.static - coulomb) * x * exp(-(x * x))
        return peak + smooth(coulomb, u, self.speed) + self.viscous * u


@dataclass(frozen=True, eq=False)
class Slip:
    """Coulomb friction along a number, such as the length of a tendon, with the law of `Friction`."""

    coulomb: Expression
    speed: Expression

    def push(self, number: Expression, rate: Expression) -> tuple[Expression, Expression, Expression]:
        """Return, along the number, the friction, as the total and as what dissipates; it stores no energy."""
        strength = -smooth(self.coulomb, rate, self.speed)
        return strength, strength, ZERO


def smooth(coulomb: Expression, u: Expression, speed: Expression) -> Expression:
    """Return Coulomb friction that is smooth near rest: at a tenth of `speed` it has three quarters of its value."""
    return coulomb * tanh(10.0 * u / speed)


@dataclass(frozen=True, eq=False)
class DryFriction(AlongPlace):
    """Force of sticking friction while it slips: Coulomb friction with the sign of its mode, and viscous friction.

    upper, lower: Coulomb's friction against negative and positive velocities; the same object if they are equal.
    """

    upper: Expression
    lower: Expression
    viscous: Expression

    @property
    def mode(self) -> Expression:
        """Sign of the friction, an expression: 0 while it sticks."""
        return leaf(ModeNumber(self.name))

    def effect(self) -> Effect:
        """Return Coulomb's friction times the mode, which is the sign of the force, minus viscous u."""
        mode = self.mode
        coulomb = self.upper if self.upper is self.lower else where(mode >= 0.0, self.upper, self.lower)
        strength = mode * coulomb - self.viscous * self.place.rate
        action = self.place.along(strength)
        return Effect(action, strength, dissipates=action)


@dataclass(frozen=True, eq=False)
class PrescribedFriction(DryFriction):
    """Dry friction whose velocity is prescribed, so that its sign is known and nothing has to hold at rest."""

    @classmethod
    def of(cls, force: DryFriction) -> PrescribedFriction:
        """Return the same friction for a prescribed velocity."""
        return cls(force.name, force.place, force.upper, force.lower, force.viscous)

    @property
    def mode(self) -> Expression:
        return -sign(self.place.rate)


def add_sticking(model: ModelData, force: DryFriction, static: tuple[Expression, Expression], thing: str) -> None:
    """Add the force that acts while it slips, and the closure that is engaged while it sticks.

    static: the largest friction against negative and positive velocities.
    """
    not_taken(model, force.name, "loop")
    check_leaves([force.place.rate], thing, rates=True)
    mode = Sticking((static[0], force.upper), (static[1], force.lower))
    mode.check(thing)
    add_force(model, force, thing)
    model.loops[force.name] = Equations(force.name, Vector([force.place.rate]), "slip", mode=mode)


def friction(
    model: ModelData,
    name: str,
    on: str | Body | None = None,
    torque: Quantity | None = None,
    force: Quantity | None = None,
    coordinate: int | None = None,
    *,
    static: Quantity | None = None,
    viscous: Quantity = 0.0,
    speed: Quantity | None = None,
    stick: bool = False,
    against: str | Body | None = None,
    along: Expression | None = None,
) -> None:
    """Add dry friction along a joint velocity, or along a rate u: Coulomb's torque (N.m) or force (N).

    static: the largest friction (N.m or N), at the velocity `speed` (default 0.01 rad/s or m/s; Stribeck curve);
    default: Coulomb's. viscous: N.m.s/rad or N.s/m, adds viscous u. All may be expressions.

    The law is smooth: near rest friction is proportional to u, so that a loaded joint creeps instead of sticking, below
    a tenth of `speed` for up to three quarters of Coulomb's friction.

    stick: True: the friction sticks. At rest it holds while the required force is at most `static`; while it slips it
    is Coulomb's, with no peak and no `speed`. `mbs.constraint_mode` and `mbs.multiplier` refer to its closure, which
    has the same name. Its torque or force may depend on the mean of reactions over the last step (mean=True), but not
    on reactions of the same instant, since these depend on whether it sticks.

    against: another body, whose only joint velocity is the other side of a clutch: u is then the difference. along: in
    place of a joint, a rate u that is linear in velocities, such as that between two members of a planetary set, or
    an expression of positions, whose rate is u. With stick=True it may depend on positions, velocities, parameters and
    time only.

    Raises ModelError as `motor` does, for an invalid number, for a static friction below Coulomb's, and for `speed`
    together with `stick`.
    """
    new_name(model, name, "force")
    thing = f"friction {name!r}"
    place, own = checked_place(model, thing, on, coordinate, against, along)
    coulomb, unit = law_along(place, own, torque, force, thing)
    no_less_than_zero(coulomb, f"Coulomb's friction of {thing}")
    sticks = truth(stick, f"stick of {thing}", ModelError)
    if speed is not None and sticks:
        raise ModelError(f"{thing}: speed= is for friction that is smooth near rest: leave it out, or stick=True")
    peak = coulomb if static is None else no_less_than_zero(static, f"static of {thing}", FORCE[unit])
    v = no_less_than_zero(SPEED if speed is None else speed, f"speed of {thing}", f"{unit}/s", positive=True)
    if is_literal(peak) and is_literal(coulomb) and peak.value < coulomb.value:
        raise ModelError(f"static of {thing} is {peak.value!r}: at least Coulomb's friction {coulomb.value!r}")
    damper = no_less_than_zero(viscous, f"viscous of {thing}", DAMPING[unit])
    if sticks:
        add_sticking(model, DryFriction(name, place, coulomb, coulomb, damper), (peak, peak), thing)
    else:
        add_force(model, Friction(name, place, coulomb, peak, damper, v), thing)
