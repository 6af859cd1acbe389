"""The words of a model for gears: wheels with teeth, given ratios, racks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...arguments import is_whole
from ...errors import ModelError
from ...messages.failures import display
from ...symbolic.expressions import ZERO, Expression, is_literal, leaf
from ...symbolic.graph import leaves
from ..checks import finite_number
from ..closures.closure import check_leaves
from ..closures.equations import Equations
from ..closures.mesh import Mesh, Wheel
from ..closures.modes import Mode, armed
from ..data import ModelData
from ..forces.characteristics import Ends, Shaft
from ..forces.gears import ElasticMesh, ElasticRatio, elastic_ends, without_teeth
from ..forces.places import add_force
from ..geometry.axes import PARALLEL, unit_axis
from ..geometry.vectors import Vector, is_list, number, numbers
from ..items import Body, body_label
from ..names import known_in, new_name, place
from ..references.leaves import FrameNumber, JointNumber
from .closures import known_mode
from .wheels import TOUCHES, common_carrier, hinges, value, values, wheel

AT_ODDS = 1e-3  #: by which pitch radii that are told may miss the distance of the axes


def gear(
    model: ModelData,
    name: str,
    a: str | Body,
    b: str | Body,
    *,
    teeth: Any = None,
    ratio: Any = None,
    carrier: str | Body | None = None,
    radii: Any = None,
    at: Any = None,
    along: Any = None,
    stiffness: Any = None,
    damping: Any = None,
    backlash: Any = None,
    when: Any = None,
    until: Any = None,
) -> None:
    """Two wheels that drive each other: with teeth, or by a given ratio.

    teeth: whole numbers of teeth of a and b, negative of inside ones. Spur wheels, an internal one, bevel wheels: the
    pitch point is found from the axes, parallel or meeting in a point, whose directions then point from there to the
    wheels. at, along: pitch point (m) and direction of the tooth force, both in the carrier's axes: for all other axes.
    radii: pitch radii of a and b, m, where they don't follow from the axes' distance. The teeth are in mesh where all
    joints are at zero, and stay so however often they turn.

    carrier: the body (or "world") in which both wheels turn about fixed axes; needed where there are several.

    ratio: without teeth (belts, harmonic drives): the joint's coordinate of a is `ratio` times that of b; with a
    carrier both are the angles against it.

    stiffness: of teeth that give (N/m along the tooth force), with their damping (N.s/m, never more than the springs'
    part) and backlash (m on the pitch circle, both sides together); of a gear by ratio N.m/rad, N.m.s/rad and rad of a.
    By ratio and without backlash it is a shaft or a belt, whose damping has no bound. The gear is a force then, which
    `mbs.strength` knows, and no closure.

    when, until: as for `close`: a coupling that is closed and opened.

    Raises ModelError for a name that is taken, wheels without a common carrier, numbers of teeth that are not whole,
    radii that are at odds with the axes, backlash or damping without a stiffness.
    """
    thing = f"gear {name!r}"
    new_name(model, name, "loop" if stiffness is None else "force")
    ends = place(model, a, thing), place(model, b, thing)
    if ends[0] == ends[1]:
        raise ModelError(f"{thing} joins {body_label(ends[0])} with itself: give two bodies")
    if (teeth is None) == (ratio is None):
        raise ModelError(f"{thing}: give teeth=(of a, of b), or ratio= for a gear without teeth")
    given = None if carrier is None else place(model, carrier, thing)
    mode = known_mode(model, armed(when, until, thing), thing)
    if teeth is None:
        for told, what in ((radii, "radii"), (at, "at"), (along, "along")):
            if told is not None:
                raise ModelError(f"{thing}: {what}= is for wheels with teeth=, beside ratio= it means nothing")
        factor = number(ratio, f"ratio of {thing}")
        first, second = (_angle(model, end, given, thing) for end in ends)
        give = without_teeth(elastic_ends(backlash, stiffness, damping, _unit(model, first), thing))
        _couple(model, Equations(name, Vector([first - factor * second]), "ratio", mode=mode), give, thing)
        return
    mesh = _mesh(model, name, ends, _whole(teeth, thing), given, radii, at, along)
    give = elastic_ends(backlash, stiffness, damping, "m", thing)
    if give is None:
        model.loops[name] = replace(mesh, mode=mode)
        model.version += 1
        return
    _always(mode, thing)
    _check_backlash(give, abs(value(model, mesh.pitch)), thing)
    add_force(model, ElasticMesh(name, mesh, give), thing)


def rack(
    model: ModelData,
    name: str,
    pinion: str | Body,
    rack: str | Body,
    *,
    radius: Any,
    stiffness: Any = None,
    damping: Any = None,
    backlash: Any = None,
) -> None:
    """A wheel and what it moves along: radius times the pinion's angle plus the rack's way is zero.

    pinion: a body on a hinge. rack: a body on a slide. radius: the pinion's pitch radius (m), negative where the rack
    lies on the other side; of a screw the lead over 2 pi.

    stiffness, damping, backlash (N/m, N.s/m, m along the rack): as those of `gear`.

    Raises ModelError for a name that is taken, where the one does not turn or the other does not slide, and for
    backlash or damping without a stiffness.
    """
    thing = f"rack {name!r}"
    new_name(model, name, "loop" if stiffness is None else "force")
    angle = _coordinate(model, model.known_body(pinion, thing), "rad", "hinge", thing)
    way = _coordinate(model, model.known_body(rack, thing), "m", "slide", thing)
    equations = Vector([number(radius, f"radius of {thing}", "m") * angle + way])
    give = elastic_ends(backlash, stiffness, damping, "m", thing)
    _couple(model, Equations(name, equations, "rack"), give, thing)


# -- what gives ----------------------------------------------------------------------------------------------
def _couple(model: ModelData, rigid: Equations, give: Ends | Shaft | None, thing: str) -> None:
    """A coupling of coordinates into the model: rigid, or pushing with elastic ends."""
    if give is None:
        known_in(model, rigid.expressions, thing)
        model.loops[rigid.name] = rigid
        model.version += 1
        return
    _always(rigid.mode, thing)
    check_leaves(rigid.expressions, thing)
    for reference in leaves(rigid.expressions):
        if isinstance(reference, FrameNumber):
            raise ModelError(f"{thing} depends on {reference}: what gives couples coordinates only")
    add_force(model, ElasticRatio(rigid.name, rigid.expressions[0], give, thing.split()[0]), thing)


def _always(mode: Mode | None, thing: str) -> None:
    """ModelError where what gives is to hold at times."""
    if mode is not None:
        raise ModelError(
            f"{thing}: when= and until= are for rigid gears: leave stiffness= out, or make it an expression that is "
            "zero at times"
        )


def _check_backlash(give: Ends, pitch: float, thing: str) -> None:
    """ModelError for teeth that never touch."""
    if give.upper is not None and is_literal(give.upper) and not 2.0 * give.upper.value < pitch:
        raise ModelError(
            f"{thing}: a backlash of {2.0 * give.upper.value:.6g} m is too much for teeth that are {pitch:.6g} m apart "
            "on the pitch circle: give less"
        )


def _unit(model: ModelData, angle: Expression) -> str:
    """Of a coordinate."""
    of = leaves([angle])[0]
    return str(model.bodies[of.body].joint.coordinates[of.k][1])


# -- without teeth -------------------------------------------------------------------------------------------
def _coordinate(model: ModelData, body: str, unit: str, what: str, thing: str) -> Expression:
    """The only coordinate of a body's joint."""
    units = [unit for _, unit in model.bodies[body].joint.coordinates]
    if units != [unit]:
        raise ModelError(
            f"{thing}: {body_label(body)} has no {what} as its joint: use m.constrain with the coordinates"
        )
    return leaf(JointNumber("coordinate", body, 0))


def _angle(model: ModelData, body: str, carrier: str | None, thing: str) -> Expression:
    """The angle of a body in its joint, or against a carrier."""
    if carrier is None:
        name = model.known_body(body, thing)
        if len(model.bodies[name].joint.coordinates) != 1:
            raise ModelError(
                f"{thing}: the joint of {body_label(name)} has not one coordinate: give carrier=, or write the ratio "
                "of rates with m.constrain"
            )
        return leaf(JointNumber("coordinate", name, 0))
    turns = hinges(model, body, carrier, thing)
    total = ZERO
    for turn in turns:
        total += round(float(turn.axis @ turns[0].axis)) * leaf(JointNumber("coordinate", turn.body, turn.k))
    return total


# -- with teeth ----------------------------------------------------------------------------------------------
def _whole(teeth: Any, thing: str) -> tuple[int, int]:
    """The numbers of teeth."""
    given = list(teeth) if is_list(teeth) else [teeth]
    if len(given) != 2:
        raise ModelError(f"{thing}: teeth is {display(teeth)}: give two whole numbers, of a and of b")
    for count in given:
        if not (is_whole(count) or (isinstance(count, float) and count.is_integer())) or count == 0:
            raise ModelError(
                f"{thing}: {display(count)} is no number of teeth: give whole ones, or ratio= where there are none"
            )
    one, two = (int(count) for count in given)
    if one < 0 and two < 0:
        raise ModelError(
            f"{thing}: teeth is {display(teeth)}: two wheels with inside teeth can't mesh, one of them can"
        )
    return one, two


def _mesh(
    model: ModelData, name: str, ends: tuple[str, str], teeth: tuple[int, int], carrier: str | None, radii: Any,
    at: Any, along: Any,
) -> Mesh:  # fmt: skip
    thing = f"gear {name!r}"
    if carrier is None:
        carrier = common_carrier(model, ends, thing)
    one, two = (wheel(model, end, carrier, count, thing) for end, count in zip(ends, teeth, strict=True))
    told = None if radii is None else _radii(radii, thing)
    if (at is None) != (along is None):
        raise ModelError(f"{thing}: give both at= and along=, or none of them")
    if at is None:
        found = _found(model, name, one, two, carrier, told)
    else:
        point = numbers(at, 3, f"at of {thing}", "m")
        found = Mesh(name, (one, two), carrier, point, Vector(unit_axis(along)))
    _check_speeds(model, found, told)
    return found


def _radii(radii: Any, thing: str) -> list[float]:
    given = list(radii) if is_list(radii) else [radii]
    if len(given) != 2:
        raise ModelError(f"{thing}: radii is {display(radii)}: give the pitch radii of a and of b")
    return [finite_number(x, f"pitch radius {k} of {thing}", "m") for k, x in enumerate(given, start=1)]


def _found(model: ModelData, name: str, one: Wheel, two: Wheel, carrier: str, radii: list[float] | None) -> Mesh:
    """The mesh of wheels whose axes are parallel or meet. ModelError for skew axes."""
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
    if abs(value(model, apart.dot(normal))) > TOUCHES * max(1e-3, float(np.linalg.norm(values(model, apart)))):
        raise ModelError(
            f"{thing}: the axes are skew: give the pitch point, at=, and the direction of the force, along="
        )
    return _bevel(model, name, one, two, carrier, radii)


def _bevel(model: ModelData, name: str, one: Wheel, two: Wheel, carrier: str, radii: list[float] | None) -> Mesh:
    """Axes that meet: the pitch point on the common line of both cones, in the plane of one of the wheels."""
    apart, cosine = two.centre - one.centre, float(one.axis @ two.axis)
    along_one, along_two = apart.dot(one.axis), apart.dot(two.axis)
    ways = (cosine * along_two - along_one) / (1.0 - cosine**2), (along_two - cosine * along_one) / (1.0 - cosine**2)
    apex = one.centre - Vector(one.axis) * ways[0]
    small = TOUCHES * max(1e-3, float(np.linalg.norm(values(model, apart))))
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


def _check_speeds(model: ModelData, found: Mesh, radii: list[float] | None) -> None:
    """The pitch point has one velocity on both wheels by the numbers of teeth, and given radii are those at it."""
    thing = f"gear {found.name!r}"
    one, two = (value(model, radius) for radius in found.radii)
    first, second = (wheel.teeth for wheel in found.wheels)
    size = max(abs(one * second), abs(two * first))
    if not size > 0.0 or not abs(one * second + two * first) <= TOUCHES * size:
        turned = size > 0.0 and abs(one * second - two * first) <= TOUCHES * size
        remedy = "but for the sense: give one of them the other sign" if turned else "change at=, along= or teeth="
        raise ModelError(
            f"{thing}: at the pitch point the wheels' radii along the force are {one:.6g} and {two:.6g} m, which does "
            f"not suit their teeth, {first} and {second}{', ' if turned else ': '}{remedy}"
        )
    if radii is not None and any(
        not abs(abs(radius) - abs(there)) <= AT_ODDS * abs(there)
        for radius, there in zip(radii, (one, two), strict=True)
    ):
        raise ModelError(
            f"{thing}: pitch radii {radii[0]:.6g} and {radii[1]:.6g} m are at odds with the axes and the teeth, which "
            f"make them {abs(one):.6g} and {abs(two):.6g} m: leave radii= out"
        )
