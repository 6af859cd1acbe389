"""Dry friction along joint velocities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ModelError
from ...symbolic.expressions import ZERO, Expression, exp, is_literal, tanh
from ..characteristics import DAMPING
from ..checks import no_less_than_zero
from ..effects import Effect
from ..names import new_name
from ..parts import Body, OnJoint
from ..told import Told
from .places import add_force, along_joint, unit_along

PEAK = float(np.sqrt(2.0 * np.e))  #: makes the largest value of PEAK x exp(-x²) equal sqrt(2) x at x = sqrt(1/2)


@dataclass(frozen=True, eq=False)
class Friction(OnJoint):
    """Coulomb friction with Stribeck's peak `static` at the velocity `speed`, and viscous friction."""

    coulomb: Expression
    static: Expression
    viscous: Expression
    speed: Expression

    def effect(self) -> Effect:
        """sqrt(2e) (Fs - Fc) x exp(-x²) + Fc tanh(10 u/v) + viscous u, x = u/(sqrt(2) v).

        Fs is reached at u = v (MathWorks, Simscape reference: Translational Friction).
        """
        u, coulomb = self.rate, self.coulomb
        x = u / (self.speed * float(np.sqrt(2.0)))
        peak = ZERO if self.static is coulomb else PEAK * (self.static - coulomb) * x * exp(-(x * x))
        strength = -(peak + coulomb * tanh(10.0 * u / self.speed) + self.viscous * u)
        does = self.along(strength)
        return Effect(does, strength, dissipates=does)


def friction(
    model: Told,
    name: str,
    on: str | Body,
    torque: Any = None,
    force: Any = None,
    coordinate: int | None = None,
    *,
    static: Any = None,
    viscous: Any = 0.0,
    speed: Any = 0.01,
) -> None:
    """Dry friction along a joint velocity u: Coulomb's torque (N.m) or force (N), and what goes with it.

    static: the largest friction (N.m or N), at the velocity `speed` (rad/s or m/s; Stribeck's curve); the same as
    Coulomb's if it is left out. viscous: N.m.s/rad or N.s/m, adds viscous u. All may be expressions.

    The law is smooth: near rest friction is proportional to u, so that a loaded joint creeps instead of sticking,
    below a tenth of `speed` for up to three quarters of Coulomb's friction.
    """
    new_name(model, name, "force")
    thing = f"friction {name!r}"
    body, k, coulomb = along_joint(model, on, coordinate, torque, force, thing)
    no_less_than_zero(coulomb, f"Coulomb's friction of {thing}")
    unit, rate = (named[k][1] for named in (model.bodies[body].joint.forces, model.bodies[body].joint.rates))
    peak = coulomb if static is None else no_less_than_zero(static, f"static of {thing}", unit)
    v = no_less_than_zero(speed, f"speed of {thing}", rate, positive=True)
    if is_literal(peak) and is_literal(coulomb) and peak.value < coulomb.value:
        raise ModelError(f"static of {thing} is {peak.value!r}: at least Coulomb's friction {coulomb.value!r}")
    damper = no_less_than_zero(viscous, f"viscous of {thing}", DAMPING[unit_along(model, body, k)])
    add_force(model, Friction(name, body, k, coulomb, peak, damper, v), thing)
