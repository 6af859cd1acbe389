"""`Model.dc_motor`: an electric motor with a gear, on a joint."""

from __future__ import annotations

from ...infrastructure.errors import ModelError
from ...symbolic.expressions import Expression, is_literal
from ..data import ModelData
from ..forces.motors import motor
from ..forces.places import joint_velocity
from ..geometry.vectors import no_less_than_zero, number
from ..measures.measures import rate
from .argument_types import BodyOrName, Quantity
from .bodies import rotor as add_rotor
from .signals import state


def dc_motor(
    model: ModelData,
    name: str,
    on: BodyOrName,
    *,
    voltage: Quantity,
    resistance: Quantity,
    inductance: Quantity,
    constant: Quantity,
    ratio: Quantity = 1.0,
    rotor: Quantity = 0.0,
    coordinate: int | None = None,
) -> Expression:
    """Add a DC motor with permanent magnets and an ideal gear to a joint that turns; return its current, A.

    The current i is the state `NAME_current`: L di/dt = u - R i - k N w, with the joint's velocity w; the torque on the
    joint is N k i (A4). voltage u: V, an expression or a number. resistance R: ohm. inductance L: V.s/A. constant k:
    torque constant, N.m/A, which is also the voltage constant, V.s/rad. ratio N: turns of the rotor per turn of the
    joint. rotor: inertia of the rotor about its axis, kg m²; on the joint it counts N² times, as `NAME_rotor`.
    coordinate: number of the joint velocity, from 1, required if the joint has several.

    `mbs.strength(name)` is the torque, `mbs.power(name)` the mechanical power; `mbs.energy()` includes that of the
    magnetic field, L i² / 2. The electrical power u i is R i² plus the rate of that energy plus the mechanical power.

    Raises ModelError as `Model.motor` and `Model.state` do, and for a joint velocity that is not a rotation.
    """
    thing = f"DC motor {name!r}"
    body, k = joint_velocity(model, on, coordinate, thing)
    if model.bodies[body].joint.forces[k][1] != "N.m":
        raise ModelError(f"{thing}: this degree of freedom of body {body!r} slides: give a joint that turns")
    coil = no_less_than_zero(inductance, f"inductance of {thing}", positive=True)
    ohms = no_less_than_zero(resistance, f"resistance of {thing}")
    geared = number(constant, f"constant of {thing}") * number(ratio, f"ratio of {thing}")
    if is_literal(geared, 0.0):
        raise ModelError(f"{thing}: its constant or its ratio is zero, so it would have no torque: give another number")
    supply = number(voltage, f"voltage of {thing}", "V")
    inertia = no_less_than_zero(rotor, f"rotor of {thing}", "kg.m2")
    speed = rate(body, k + 1)

    current = state(
        model,
        f"{name}_current",
        lambda i: (supply - ohms * i - geared * speed) / coil,
        unit="A",
        description=f"current of {thing}",
        energy=lambda i: 0.5 * coil * i * i,
    )
    motor(model, name, body, torque=geared * current, coordinate=k + 1)
    if not is_literal(inertia, 0.0):
        turns = number(ratio, f"ratio of {thing}")
        add_rotor(model, f"{name}_rotor", body, inertia=turns * turns * inertia, coordinate=k + 1)
    return current
