"""Methods of `Model` for gears with teeth, gears by ratio, and racks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...infrastructure.arguments import is_whole
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import ZERO, Expression, is_literal, leaf
from ...symbolic.graph import leaves
from ..checks import finite_number
from ..closures.closure import check_leaves
from ..closures.equations import Equations
from ..closures.mesh import Mesh, Wheel
from ..closures.modes import Mode, armed
from ..data import ModelData
from ..forces.characteristics import Ends, Shaft
from ..forces.gears import ElasticMesh, elastic_ends, without_teeth
from ..forces.places import add_force, place_along
from ..forces.springs import Spring
from ..geometry.axes import PARALLEL, Axis, unit_axis
from ..geometry.vectors import Vector, is_list, number, numbers
from ..items import body_label
from ..measures.forces import strength
from ..names import known_in, new_name, place
from ..references.leaves import FrameNumber, JointNumber
from .argument_types import BodyOrName, Components, Condition, Number, Quantity
from .closures import known_mode
from .gear_losses import add_losses, lossy_side
from .wheels import COINCIDENT, common_carrier, hinges, value, values, wheel

RADIUS_TOLERANCE = 1e-3  #: relative difference of the argument `radii` from the pitch radii that follow from the axes


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
    stiffness: Quantity | None = None,
    damping: Quantity | None = None,
    backlash: Quantity | None = None,
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

    carrier: body (or "world") in which both wheels turn about fixed axes; required if there are several such bodies.

    ratio: without teeth (belts, harmonic drives), the joint coordinate of a is `ratio` times that of b; with a carrier
    both are the angles relative to it.

    stiffness: stiffness of elastic teeth along the tooth force, N/m, with damping (N.s/m; its force never exceeds that
    of the spring) and backlash (m on the pitch circle, both sides together). For a gear by ratio the units are N.m/rad,
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
    radii that contradict the axes, and backlash or damping without a stiffness.
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
    if teeth is None:
        for argument, what in ((radii, "radii"), (at, "at"), (along, "along")):
            if argument is not None:
                raise ModelError(f"{thing}: {what}= is for wheels with teeth=: with ratio= it has no effect")
        factor = number(ratio, f"ratio of {thing}")
        if is_literal(factor, 0.0):
            raise ModelError(
                f"{thing}: its ratio is zero, which would hold a and leave b free: give another, or m.lock"
            )
        first, second = (_angle(model, end, base, thing) for end in ends)
        law = without_teeth(elastic_ends(backlash, stiffness, damping, _unit(model, first), thing))
        lossy = None if efficiency is None else lossy_side(model, name, law, (first, second), efficiency)
        _couple(model, Equations(name, Vector([first - factor * second]), "ratio", mode=mode), law, thing)
        if lossy is not None:
            add_losses(model, lossy, (strength(name), -factor * strength(name)))
        return
    if efficiency is not None:
        raise ModelError(f"{thing}: efficiency= is for gears by ratio: give ratio= and stiffness= in place of teeth=")
    mesh = _mesh(model, name, ends, _tooth_numbers(teeth, thing), base, radii, at, along)
    ends_law = elastic_ends(backlash, stiffness, damping, "m", thing)
    if ends_law is None:
        model.loops[name] = replace(mesh, mode=mode)
        model.version += 1
        return
    _check_no_mode(mode, thing)
    _check_backlash(ends_law, abs(value(model, mesh.pitch)), thing)
    add_force(model, ElasticMesh(name, mesh, ends_law), thing)


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


# -- with teeth ----------------------------------------------------------------------------------------------
def _tooth_numbers(teeth: Any, thing: str) -> tuple[int, int]:
    """Return the checked numbers of teeth."""
    counts = list(teeth) if is_list(teeth) else [teeth]
    if len(counts) != 2:
        raise ModelError(f"{thing}: teeth is {display(teeth)}: give two whole numbers, of a and of b")
    for count in counts:
        if not (is_whole(count) or (isinstance(count, float) and count.is_integer())) or count == 0:
            raise ModelError(
                f"{thing}: {display(count)} is not a number of teeth: give a whole number, or ratio= without teeth"
            )
    one, two = (int(count) for count in counts)
    if one < 0 and two < 0:
        raise ModelError(
            f"{thing}: teeth is {display(teeth)}: two wheels with inside teeth can't mesh: make one number positive"
        )
    return one, two


def _mesh(
    model: ModelData, name: str, ends: tuple[str, str], teeth: tuple[int, int], carrier: str | None, radii: Any,
    at: Any, along: Any,
) -> Mesh:  # fmt: skip
    """Return the mesh of two wheels with teeth, with a checked pitch point."""
    thing = f"gear {name!r}"
    if carrier is None:
        carrier = common_carrier(model, ends, thing)
    one, two = (wheel(model, end, carrier, count, thing) for end, count in zip(ends, teeth, strict=True))
    pitch_radii = None if radii is None else _radii(radii, thing)
    if (at is None) != (along is None):
        raise ModelError(f"{thing}: give both at= and along=, or none of them")
    if at is None:
        mesh = _mesh_from_axes(model, name, one, two, carrier, pitch_radii)
    else:
        point = numbers(at, 3, f"at of {thing}", "m")
        mesh = Mesh(name, (one, two), carrier, point, Vector(unit_axis(along)))
    _check_speeds(model, mesh, pitch_radii)
    return mesh


def _radii(radii: Any, thing: str) -> list[float]:
    """Return the checked pitch radii, m."""
    items = list(radii) if is_list(radii) else [radii]
    if len(items) != 2:
        raise ModelError(f"{thing}: radii is {display(radii)}: give the pitch radii of a and of b")
    return [finite_number(x, f"pitch radius {k} of {thing}", "m") for k, x in enumerate(items, start=1)]


def _mesh_from_axes(
    model: ModelData, name: str, one: Wheel, two: Wheel, carrier: str, radii: list[float] | None
) -> Mesh:  # fmt: skip
    """Return the mesh of wheels whose axes are parallel or intersect. Raises ModelError for skew axes."""
    thing = f"gear {name!r}"
    apart = two.centre - one.centre
    if np.linalg.norm(np.cross(one.axis, two.axis)) < PARALLEL:
        two = replace(two, axis=one.axis)
        aside = apart - Vector(one.axis) * apart.dot(one.axis)
        distance = value(model, aside.norm())
        if not distance > 0.0 or one.teeth + two.teeth == 0:
            raise ModelError(f"{thing}: the wheels turn about one line, and can't mesh: give carrier=")
        middle = one.centre + (apart - aside) * 0.5
        at = middle + aside * (one.teeth / (one.teeth + two.teeth))
        return Mesh(name, (one, two), carrier, at, Vector(one.axis).cross(aside) / aside.norm())
    normal = np.cross(one.axis, two.axis)
    if abs(value(model, apart.dot(normal))) > COINCIDENT * max(1e-3, float(np.linalg.norm(values(model, apart)))):
        raise ModelError(
            f"{thing}: the axes are skew: give the pitch point, at=, and the direction of the force, along="
        )
    return _bevel(model, name, one, two, carrier, radii)


def _bevel(model: ModelData, name: str, one: Wheel, two: Wheel, carrier: str, radii: list[float] | None) -> Mesh:
    """Return the mesh of wheels with intersecting axes.

    The pitch point lies on the common line of both pitch cones, in the plane of one of the wheels.
    """
    apart, cosine = two.centre - one.centre, float(one.axis @ two.axis)
    along_one, along_two = apart.dot(one.axis), apart.dot(two.axis)
    ways = (cosine * along_two - along_one) / (1.0 - cosine**2), (along_two - cosine * along_one) / (1.0 - cosine**2)
    apex = one.centre - Vector(one.axis) * ways[0]
    small = COINCIDENT * max(1e-3, float(np.linalg.norm(values(model, apart))))
    signs = [-1.0 if value(model, way) < -small else 1.0 for way in ways]
    one, two = (replace(wheel, axis=sign * wheel.axis) for wheel, sign in zip((one, two), signs, strict=True))
    line = two.teeth * one.axis + one.teeth * two.axis
    line /= np.linalg.norm(line)
    if radii is not None:
        length: Expression | float = radii[0] / float(np.linalg.norm(np.cross(one.axis, line)))
    else:
        reach = [
            (way * sign) / float(wheel.axis @ line)
            for way, sign, wheel in zip(ways, signs, (one, two), strict=True)
            if abs(value(model, way)) > small and abs(wheel.axis @ line) > PARALLEL
        ]
        length = reach[0] if reach else 1.0 / float(np.linalg.norm(np.cross(one.axis, line)))
    normal = np.cross(one.axis, two.axis)
    return Mesh(name, (one, two), carrier, apex + Vector(line) * length, Vector(normal / np.linalg.norm(normal)))


def _check_speeds(model: ModelData, mesh: Mesh, radii: list[float] | None) -> None:
    """Raise ModelError unless the numbers of teeth give both wheels the same velocity at the pitch point, and unless
    `radii` are those of the pitch point."""
    thing = f"gear {mesh.name!r}"
    one, two = (value(model, radius) for radius in mesh.radii)
    first, second = (wheel.teeth for wheel in mesh.wheels)
    size = max(abs(one * second), abs(two * first))
    if not size > 0.0 or not abs(one * second + two * first) <= COINCIDENT * size:
        opposite = size > 0.0 and abs(one * second - two * first) <= COINCIDENT * size
        remedy = "but for the sense: give one of them the other sign" if opposite else "change at=, along= or teeth="
        raise ModelError(
            f"{thing}: at the pitch point the wheels' radii along the force are {one:.6g} and {two:.6g} m, which does "
            f"not suit their teeth, {first} and {second}{', ' if opposite else ': '}{remedy}"
        )
    if radii is not None and any(
        not abs(abs(radius) - abs(actual)) <= RADIUS_TOLERANCE * abs(actual)
        for radius, actual in zip(radii, (one, two), strict=True)
    ):
        raise ModelError(
            f"{thing}: pitch radii {radii[0]:.6g} and {radii[1]:.6g} m are at odds with the axes and the teeth, which "
            f"make them {abs(one):.6g} and {abs(two):.6g} m: leave radii= out"
        )
