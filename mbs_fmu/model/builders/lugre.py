"""`Model.lugre_friction`: friction with bristles, on a joint."""

from __future__ import annotations

from ...infrastructure.errors import ModelError
from ...symbolic.expressions import Expression, abs, exp, is_literal
from ..data import ModelData
from ..forces.characteristics import DAMPING, STIFFNESS
from ..forces.motors import motor
from ..forces.places import joint_velocity, unit_along
from ..geometry.vectors import no_less_than_zero
from ..measures.measures import rate
from .argument_types import BodyOrName, Quantity
from .signals import state


def lugre_friction(
    model: ModelData,
    name: str,
    on: BodyOrName,
    *,
    coulomb: Quantity,
    static: Quantity,
    speed: Quantity,
    stiffness: Quantity,
    damping: Quantity,
    viscous: Quantity = 0.0,
    coordinate: int | None = None,
) -> Expression:
    """Add LuGre friction (Canudas de Wit et al. 1995) to a joint velocity v; return the deflection of its bristles.

    The deflection z, m or rad, is the state `NAME_bristle`: dz/dt = v - s0 |v| z / g(v), g = Fc + (Fs - Fc)
    exp(-(v / vs)²); the friction is s0 z + s1 dz/dt + s2 v (A8). coulomb Fc, static Fs: N or N.m. speed vs: m/s or
    rad/s. stiffness s0: N/m or N.m/rad, damping s1: N.s/m or N.m.s/rad, viscous s2: likewise. coordinate: number of the
    joint velocity, from 1, required if the joint has several.

    The friction is smooth and has a single law for sticking and slipping, including the presliding displacement. It is
    stiff: z settles with the time constant g / (s0 |v|), so use an implicit method such as rodas5p. If neither the
    presliding displacement nor its damping matters, use `m.friction(stick=True)` instead. `mbs.energy()` includes the
    energy of the bristles, s0 z² / 2.

    Raises ModelError as `Model.motor` and `Model.state` do, for numbers out of range, and for a static friction below
    the Coulomb friction.
    """
    thing = f"friction {name!r}"
    body, k = joint_velocity(model, on, coordinate, thing)
    unit, force = unit_along(model, body, k), model.bodies[body].joint.forces[k][1]
    slow = no_less_than_zero(speed, f"speed of {thing}", f"{unit}/s", positive=True)
    least = no_less_than_zero(coulomb, f"coulomb of {thing}", force, positive=True)
    most = no_less_than_zero(static, f"static of {thing}", force)
    if is_literal(least) and is_literal(most) and most.value < least.value:
        raise ModelError(f"static of {thing} is {most.value!r}: at least Coulomb's friction {least.value!r}")
    s0 = no_less_than_zero(stiffness, f"stiffness of {thing}", STIFFNESS[unit], positive=True)
    s1, s2 = (
        no_less_than_zero(x, f"{what} of {thing}", DAMPING[unit])
        for x, what in ((damping, "damping"), (viscous, "viscous"))
    )
    v = rate(body, k + 1)
    level = least + (most - least) * exp(-((v / slow) * (v / slow)))

    def deflecting(z: Expression) -> Expression:
        return v - s0 * abs(v) / level * z

    z = state(
        model,
        f"{name}_bristle",
        deflecting,
        unit=unit,
        description=f"deflection of the bristles of {thing}",
        energy=lambda z: 0.5 * s0 * z * z,
    )
    law = -(s0 * z + s1 * deflecting(z) + s2 * v)
    torque, pushed = (law, None) if force == "N.m" else (None, law)
    motor(model, name, body, torque=torque, force=pushed, coordinate=k + 1)
    return z
