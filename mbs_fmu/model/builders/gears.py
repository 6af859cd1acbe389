"""Methods of `Model` for gears with teeth, gears by ratio, and racks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...symbolic.expressions import ZERO, Expression, is_literal, leaf
from ...symbolic.graph import leaves, rebuild
from ..closures.closure import check_leaves
from ..closures.equations import Equations
from ..closures.mesh import Anchored
from ..closures.modes import Mode, armed
from ..data import ModelData
from ..forces.characteristics import Ends, Shaft
from ..forces.gears import ElasticMesh, elastic_ends, without_teeth
from ..forces.involutes import PHASE
from ..forces.places import add_force, place_along
from ..forces.springs import Spring
from ..geometry.axes import Axis
from ..geometry.vectors import Vector, number
from ..items import body_label
from ..measures.forces import strength
from ..names import known_in, new_name, place
from ..references.leaves import FrameNumber, JointNumber
from .argument_types import BodyOrName, Components, Condition, Number, OfPhase, Quantity
from .closures import known_mode
from .gear_losses import add_losses, lossy_side
from .involutes import involute_mesh
from .teeth import Teeth, by_phase, fixed_mesh, flanks, tooth_arguments
from .wheels import hinges, value


def gear(
    model: ModelData,
    name: str,
    a: BodyOrName,
    b: BodyOrName,
    *,
    teeth: Sequence[int] | np.ndarray | None = None,
    ratio: Number | None = None,
    carrier: BodyOrName | None = None,
    radii: Sequence[float | str] | np.ndarray | None = None,
    at: Components | None = None,
    along: Axis | None = None,
    pressure_angle: Quantity | None = None,
    helix: Quantity | None = None,
    stiffness: Quantity | OfPhase | None = None,
    damping: Quantity | None = None,
    backlash: Quantity | None = None,
    error: Quantity | OfPhase | None = None,
    efficiency: Number | Sequence[Number] | None = None,
    when: Condition | None = None,
    until: Condition | None = None,
) -> None:
    """Couple two wheels, by their teeth or by a ratio.

    teeth: whole numbers of teeth of a and b, negative for an internal gear. For spur, internal and bevel gears the
    pitch point follows from the axes, which are parallel or intersect; intersecting axes point from the intersection to
    the wheels. at, along: pitch point (m) and direction of the tooth force, both in the carrier's axes, for all other
    axes. radii: pitch radii of a and b, m, if they do not follow from the distance of the axes. The teeth are in mesh
    while all joint coordinates are zero, and remain so after any number of turns.

    pressure_angle, helix: normal pressure angle of the teeth, and their helix angle on the pitch circle, such as
    "20 deg"; positive if a is right-handed. The tooth force then has radial and axial parts: its radial part separates
    the wheels, whichever flank carries, and the multiplier is the force along the transverse line of action, that is,
    tangential to the base circles. For spur, helical, internal and bevel gears, without at= and along=. With a
    stiffness and parallel axes the joints of the wheels may also slide and tilt (wheels on bearings, planets with
    play): the teeth are involute, and the distance of the centres opens the backlash.

    carrier: body (or "world") in which both wheels turn about fixed axes; required if there are several such bodies.
    For elastic teeth with a pressure angle it is the body that turns about the axis of a wheel without a turn of its
    own, by default the parent of the other wheel.

    ratio: without teeth (belts, harmonic drives), the joint coordinate of a is `ratio` times that of b; with a carrier
    both are the angles relative to it.

    stiffness: stiffness of elastic teeth along the tooth force, N/m, with damping (N.s/m; its force never exceeds that
    of the spring) and backlash (m on the pitch circle, both sides together). With a pressure angle it is that along the
    transverse line of action. For teeth it may be a function of the phase, rad, the angle of a against the line of
    centres times its teeth, between 0 and 2 pi for each tooth; see `mesh_stiffness`. error: transmission error, m along
    the line of action, a number or such a function, for elastic teeth with a pressure angle and parallel axes: b lags
    by it. For a gear by ratio the units are N.m/rad,
    N.m.s/rad and rad of a; without backlash it is a shaft or a belt, whose damping has no bound. Such a gear is a
    force, measured by `mbs.strength`, and not a closure.

    efficiency: share of the power that reaches b while a drives, 0 to 1; or two numbers, this share and that which
    reaches a while b drives. One number applies to both directions. It requires a gear by ratio with a stiffness, since
    the losses depend on the torque. The losses act as friction in b's joint, `NAME.loss`, proportional to the torque:
    at standstill it holds b while the load is within the bounds of both directions. If the second number is zero or
    negative, the gear is self-locking: b cannot drive a, and the friction acts in a's joint; if it is negative, a needs
    its magnitude times the torque to move with the load. Measures:
    `mbs.constraint_mode("NAME.loss")`, `mbs.power("NAME.loss")`.

    when, until: as for `close`, for a coupling that engages and releases.

    Raises ModelError for a name that is taken, wheels without a common carrier, numbers of teeth that are not whole,
    radii that contradict the axes, angles that no teeth have, and backlash, damping or error without a stiffness.
    """
    thing = f"gear {name!r}"
    new_name(model, name, "loop" if stiffness is None else "force")
    ends = place(model, a, thing), place(model, b, thing)
    if ends[0] == ends[1]:
        raise ModelError(f"{thing} joins {body_label(ends[0])} with itself: give two bodies")
    if (teeth is None) == (ratio is None):
        raise ModelError(f"{thing}: give teeth=(of a, of b), or ratio= for a gear without teeth")
    base = None if carrier is None else place(model, carrier, thing)
    mode = known_mode(model, armed(when, until, thing), thing)
    if ratio is not None:
        only_teeth = {"radii": radii, "at": at, "along": along, "pressure_angle": pressure_angle, "helix": helix}
        _refuse_without_teeth({**only_teeth, "error": error}, stiffness, thing)
        first, second = (_angle(model, end, base, thing) for end in ends)
        law = without_teeth(elastic_ends(backlash, stiffness, damping, _unit(model, first), thing))
        _add_ratio(model, name, (first, second), ratio, law, efficiency, mode)
        return
    if efficiency is not None:
        raise ModelError(f"{thing}: efficiency= is for gears by ratio: give ratio= and stiffness= in place of teeth=")
    wheels = tooth_arguments(teeth, radii, at, along, flanks(pressure_angle, helix, thing), thing)
    ends_law = elastic_ends(backlash, by_phase(stiffness, f"stiffness of {thing}"), damping, "m", thing)
    if ends_law is None:
        _refuse_error(error, thing)
        model.loops[name] = replace(fixed_mesh(model, name, ends, wheels, base), mode=mode)
        model.version += 1
        return
    _check_no_mode(mode, thing)
    _add_elastic_teeth(model, name, ends, wheels, base, ends_law, error)


def rack(
    model: ModelData,
    name: str,
    pinion: BodyOrName,
    rack: BodyOrName,
    *,
    radius: Quantity,
    stiffness: Quantity | None = None,
    damping: Quantity | None = None,
    backlash: Quantity | None = None,
) -> None:
    """Couple a pinion and a rack: radius times the pinion's angle plus the rack's displacement is zero.

    pinion: body on a hinge. rack: body on a slide. radius: pitch radius of the pinion, m, negative for a rack on the
    other side; for a screw the lead over 2 pi. stiffness, damping, backlash (N/m, N.s/m, m along the rack): as for
    `gear`.

    Raises ModelError for a name that is taken, a pinion without a hinge, a rack without a slide, a radius of
    zero, and backlash or damping without a stiffness.
    """
    thing = f"rack {name!r}"
    new_name(model, name, "loop" if stiffness is None else "force")
    angle = _coordinate(model, model.known_body(pinion, thing), "rad", "hinge", thing)
    displacement = _coordinate(model, model.known_body(rack, thing), "m", "slide", thing)
    pitch = number(radius, f"radius of {thing}", "m")
    if is_literal(pitch, 0.0):
        raise ModelError(f"{thing}: its radius is zero, which would hold the rack alone: give another")
    equations = Vector([pitch * angle + displacement])
    law = elastic_ends(backlash, stiffness, damping, "m", thing)
    _couple(model, Equations(name, equations, "rack"), law, thing)


# -- elastic teeth -------------------------------------------------------------------------------------------
def _add_elastic_teeth(
    model: ModelData, name: str, ends: tuple[str, str], wheels: Teeth, carrier: str | None, law: Ends, error: Any
) -> None:
    """Add elastic teeth: on centres that may move if their flanks are known, else on fixed axes."""
    thing = f"gear {name!r}"
    if wheels.flanks is not None:
        deviation = number(0.0 if error is None else by_phase(error, f"error of {thing}"), f"error of {thing}", "m")
        mesh = involute_mesh(model, name, ends, wheels, carrier, law, deviation)
        if mesh is not None:
            _check_backlash(law, 2.0 * np.pi * value(model, mesh.distance) / abs(mesh.teeth), thing)
            add_force(model, mesh, thing)
            return
    _refuse_error(error, thing)
    fixed = fixed_mesh(model, name, ends, wheels, carrier)
    _check_backlash(law, abs(value(model, fixed.pitch)), thing)
    meshing = fixed.meshing(Anchored(fixed.sides))
    (stiffness,) = rebuild([law.stiffness], lambda x: meshing if x.op == "leaf" and x.value == PHASE else None)
    add_force(model, ElasticMesh(name, fixed, replace(law, stiffness=stiffness)), thing)


def _refuse_error(error: Any, thing: str) -> None:
    """Raise ModelError for a transmission error of teeth that are not involute, or rigid."""
    if error is not None:
        raise ModelError(
            f"{thing}: error= is for elastic teeth of wheels with parallel axes: give stiffness= and pressure_angle= "
            "too, or leave it out"
        )


# -- elastic gears -------------------------------------------------------------------------------------------
def _couple(model: ModelData, rigid: Equations, law: Ends | Shaft | None, thing: str) -> None:
    """Add a coupling of coordinates to the model: a closure, or a force if it has an elastic law."""
    if law is None:
        known_in(model, rigid.expressions, thing)
        model.loops[rigid.name] = rigid
        model.version += 1
        return
    _check_no_mode(rigid.mode, thing)
    check_leaves(rigid.expressions, thing)
    for reference in leaves(rigid.expressions):
        if isinstance(reference, FrameNumber):
            raise ModelError(f"{thing} depends on {reference}: an elastic gear by ratio couples coordinates only")
    along = place_along(model, rigid.expressions[0], thing)
    add_force(model, Spring(rigid.name, along, law, thing.split()[0]), thing)


def _check_no_mode(mode: Mode | None, thing: str) -> None:
    """Raise ModelError for an elastic gear with `when` or `until`."""
    if mode is not None:
        raise ModelError(
            f"{thing}: when= and until= are for rigid gears: leave stiffness= out, or make it an expression that is "
            "zero at times"
        )


def _check_backlash(law: Ends, pitch: float, thing: str) -> None:
    """Raise ModelError if the backlash reaches the pitch (m), so that the teeth never touch."""
    if law.upper is not None and is_literal(law.upper) and not 2.0 * law.upper.value < pitch:
        raise ModelError(
            f"{thing}: a backlash of {2.0 * law.upper.value:.6g} m is too much for teeth that are {pitch:.6g} m apart "
            "on the pitch circle: give less"
        )


def _unit(model: ModelData, angle: Expression) -> str:
    """Return the unit of the first coordinate in an angle."""
    reference = leaves([angle])[0]
    return str(model.bodies[reference.body].joint.coordinates[reference.k][1])


# -- without teeth -------------------------------------------------------------------------------------------
def _refuse_without_teeth(arguments: dict[str, Any], stiffness: Any, thing: str) -> None:
    """Raise ModelError for an argument of wheels with teeth."""
    for what, argument in arguments.items():
        if argument is not None:
            raise ModelError(f"{thing}: {what}= is for wheels with teeth=: with ratio= it has no effect")
    if callable(stiffness):
        raise ModelError(f"{thing}: a stiffness by the phase is for wheels with teeth=: give a number or an expression")


def _add_ratio(
    model: ModelData, name: str, angles: tuple[Expression, Expression], ratio: Any, law: Ends | Shaft | None,
    efficiency: Any, mode: Mode | None,
) -> None:  # fmt: skip
    """Add a gear by ratio of two angles, with losses if there is an efficiency."""
    thing = f"gear {name!r}"
    factor = number(ratio, f"ratio of {thing}")
    if is_literal(factor, 0.0):
        raise ModelError(f"{thing}: its ratio is zero, which would hold a and leave b free: give another, or m.lock")
    first, second = angles
    lossy = None if efficiency is None else lossy_side(model, name, law, (first, second), efficiency)
    _couple(model, Equations(name, Vector([first - factor * second]), "ratio", mode=mode), law, thing)
    if lossy is not None:
        add_losses(model, lossy, (strength(name), -factor * strength(name)))


def _coordinate(model: ModelData, body: str, unit: str, what: str, thing: str) -> Expression:
    """Return the only coordinate of a body's joint; ModelError unless there is one, of that unit."""
    units = [unit for _, unit in model.bodies[body].joint.coordinates]
    if units != [unit]:
        raise ModelError(
            f"{thing}: {body_label(body)} has no {what} as its joint: use m.constrain with the coordinates"
        )
    return leaf(JointNumber("coordinate", body, 0))


def _angle(model: ModelData, body: str, carrier: str | None, thing: str) -> Expression:
    """Return the coordinate of a body's joint, or the angle of the body relative to a carrier."""
    if carrier is None:
        name = model.known_body(body, thing)
        if len(model.bodies[name].joint.coordinates) != 1:
            raise ModelError(
                f"{thing}: the joint of {body_label(name)} does not have exactly one coordinate: give carrier=, or "
                "constrain the rates with m.constrain"
            )
        return leaf(JointNumber("coordinate", name, 0))
    turns = hinges(model, body, carrier, thing)
    total = ZERO
    for turn in turns:
        total += round(float(turn.axis @ turns[0].axis)) * leaf(JointNumber("coordinate", turn.body, turn.k))
    return total
