"""Methods of `Model` for contacts of two bodies, rigid or compliant, of many bodies with one ground or each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ..checks import NAME
from ..closures import OneSided, Pair, PairClosure
from ..closures.curves import CurvePair
from ..closures.modes import checked_restitution
from ..data import ModelData
from ..forces.compliant_contacts import LawArguments, compliant_contact, curve_contact
from ..forces.contact_shapes import BaseShape, Plane
from ..items import WORLD
from ..names import new_name
from .argument_types import BodyOrName, ContactShapes, Number, Placement, Quantity, Stiffness
from .closures import add_closure, checked_pair, known_mode, sides
from .contact_pairs import colliding
from .near_contacts import near_contacts

ORIGIN = (0.0, 0.0, 0.0)


def contact(
    model: ModelData,
    name: str,
    a: BodyOrName,
    b: BodyOrName,
    pair: Pair | None = None,
    *,
    at_a: Placement = ORIGIN,
    at_b: Placement = ORIGIN,
    restitution: Number | None = None,
    shape_a: BaseShape | None = None,
    shape_b: ContactShapes | None = None,
    stiffness: Stiffness | None = None,
    dissipation: Quantity | None = None,
    exponent: float | None = None,
    friction: Number | None = None,
    static: Number | None = None,
    speed: Quantity | None = None,
    grip: Quantity | None = None,
    settling: float | str | None = None,
    pad: Quantity | None = None,
    creep: Quantity | None = None,
    roll: Quantity | None = None,
) -> None:
    """Add a contact between two bodies, which pushes and never pulls: compliant with a `stiffness`, else rigid.

    at_a, at_b: places on both bodies, positions (m, body axes) or `Pose`s.

    Rigid contact, without friction: a closure. pair: the condition, zero while the bodies touch and positive while they
    are apart: `mbs.OnPlane` (b's point on the side of a's plane to which the normal points), `mbs.Distance` (b's point
    at least that far from a's), `mbs.Rolling` (a wheel or ball on a plane), `mbs.OnCurve` and `mbs.CurveOnCurve`
    (outside the curve). restitution: ratio of the normal velocities after and before an impact, 0 to 1, a number or an
    expression of parameters, by default 0. Contacts that strike at one instant share the least restitution per island:
    the contacts that the bodies between them couple.

    Compliant contact, with friction: a force, see `mbs.penetration`, `mbs.slip`, `mbs.contact_point`,
    `mbs.contact_force`. shape_a: `mbs.Plane` (default, normal "z"), uneven ground, `mbs.Profile` or `mbs.HeightField`,
    or a solid as shape_b. shape_b: a shape, a point (three numbers), or a list of them; default: the point `at_b`. A
    plane meets `mbs.Points`, `mbs.Sphere`, `Ellipsoid`, `Capsule`, `Ring`, `Box`, `Cylinder` and `Mesh`; uneven ground
    points, spheres, capsules, boxes, cylinders and meshes. Spheres, capsules, boxes, cylinders and meshes meet each
    other and points, in either order. A mesh stands for its convex hull, of which up to 64 vertices are used. Boxes,
    cylinders and meshes touch each other with their vertices; but two boxes touch on an area, which has one contact
    point, its centre of pressure.
    pair: instead of shapes, mbs.OnCurve or mbs.CurveOnCurve, plane curves that touch outside or inside each other; the
    contact parameters, which locate their foot points, are states.
    stiffness: N/m, of each contact point (N/m^1.5 with the exponent 1.5 of Hertz), or `mbs.Impedance`, with which
    bodies rest as on contacts of MuJoCo. dissipation: of Hunt and Crossley, s/m, by default 1. friction: coefficient,
    by default 0. Friction sticks: it is a spring of stiffness `grip` (N/m, by default 2/3 of the stiffness) with a
    damper of the time constant `settling` ("5 ms"), in series with a slider. static: coefficient of static friction,
    which falls to `friction` at sliding speeds of some `speed` (m/s, by default 1 mm/s). pad: radius at which friction
    resists spin about the normal, m; by default that of the contact area, and no such friction at a point. roll: ratio
    of the largest torque against rolling to the normal force, m, by default none. creep: a speed, m/s, selects friction
    without states instead, which creeps and may have `roll` only. All but exponent and settling may be expressions.

    Raises ModelError for a name that is taken, an unknown body, a pair that is not a single condition on positions,
    shapes that cannot meet, invalid numbers, and arguments of the other kind of contact.
    """
    if stiffness is not None:
        new_name(model, name, "force")
        thing = f"contact {name!r}"
        _refuse_rigid(thing, pair, restitution)
        law = LawArguments(stiffness, dissipation, exponent, friction, static, speed, grip, settling, pad, creep, roll)
        if isinstance(pair, CurvePair):
            _refuse_shapes(thing, shape_a, shape_b)
            curve_contact(model, name, a, b, pair.checked(thing), (at_a, at_b), law.laws(thing))
            return
        if isinstance(b, str) and b == WORLD and shape_b is None and at_b is ORIGIN:
            raise ModelError(
                f"contact {name!r}: b is the world, and its default shape is a point at the origin: give the ground as "
                "a, with shape_a=, and the body that meets it as b, with shape_b="
            )
        shapes = [(Plane() if shape_a is None else shape_a, shape_b)]
        compliant_contact(model, name, a, b, shapes, (at_a, at_b), law.laws(thing))
        return
    new_name(model, name, "loop")
    thing = f"contact {name!r}"
    _refuse_compliant(
        thing, shape_a=shape_a, shape_b=shape_b, dissipation=dissipation, exponent=exponent, friction=friction,
        static=static, speed=speed, grip=grip, settling=settling, pad=pad, creep=creep, roll=roll,
    )  # fmt: skip
    if pair is None:
        raise ModelError(
            f"{thing}: give a pair such as mbs.OnPlane('z') of a rigid contact, or stiffness= of a compliant one"
        )
    a_side, b_side = sides(model, a, b, at_a, at_b, thing)
    checked = checked_pair(pair, thing)
    checked.touching(0, thing)
    rebound = checked_restitution(0.0 if restitution is None else restitution, thing)
    mode = known_mode(model, OneSided(rebound), thing)
    add_closure(model, PairClosure(name, a_side, b_side, checked, mode=mode))


def _refuse_rigid(thing: str, pair: Any, restitution: Any) -> None:
    """Raise ModelError for arguments of rigid contacts."""
    if restitution is not None:
        raise ModelError(
            f"{thing}: give stiffness= of a compliant contact, whose dissipation= defines the rebound, or restitution= "
            "of a rigid one, not both"
        )
    if pair is not None and not isinstance(pair, CurvePair):
        raise ModelError(
            f"{thing} is compliant, and {display(pair)} is the pair of a rigid one: give shape_a= and shape_b=, or "
            "leave stiffness= out; of the pairs, only mbs.OnCurve and mbs.CurveOnCurve can be compliant"
        )


def _refuse_shapes(thing: str, shape_a: Any, shape_b: Any) -> None:
    """Raise ModelError for shapes beside a pair of curves."""
    for name, shape in (("shape_a", shape_a), ("shape_b", shape_b)):
        if shape is not None:
            raise ModelError(f"{thing} is one of curves, so {name}= has no effect: leave it out, or the pair")


def _refuse_compliant(thing: str, **given: Any) -> None:
    """Raise ModelError for arguments of compliant contacts."""
    for name, value in given.items():
        if value is not None and name == "friction":
            raise ModelError(
                f"{thing} is rigid, and rigid contacts have no friction, since with it their forces may have no "
                "solution or several (Painlevé): give stiffness= of a compliant contact"
            )
        if value is not None:
            raise ModelError(f"{thing} is rigid, and {name}= is for compliant contacts: give stiffness= too")


def ground(
    model: ModelData,
    name: str,
    shapes: Mapping[str, ContactShapes],
    on: BodyOrName = WORLD,
    *,
    surface: BaseShape | None = None,
    at: Placement = ORIGIN,
    stiffness: Stiffness,
    dissipation: Quantity | None = None,
    exponent: float | None = None,
    friction: Number | None = None,
    static: Number | None = None,
    speed: Quantity | None = None,
    grip: Quantity | None = None,
    settling: float | str | None = None,
    pad: Quantity | None = None,
    creep: Quantity | None = None,
    roll: Quantity | None = None,
) -> list[str]:
    """Add compliant contacts of many bodies with one ground, and return their names, NAME.BODY.

    shapes: by body, a shape, a point (three numbers, m, body axes), or a list of them. on: the body of the ground.
    surface: its shape, by default `mbs.Plane("z")`, at the place `at` on it, a position (m, body axes) or a `Pose`. The
    law is that of `contact`, the same for all; `mbs.contact_force` of the returned names is the sum of all forces.

    Raises ModelError as `contact`, and for shapes that are not given by body.
    """
    thing = f"ground {display(name)}"
    _check_many(name, shapes, thing)
    law = LawArguments(stiffness, dissipation, exponent, friction, static, speed, grip, settling, pad, creep, roll)
    laws = law.laws(thing)  # one for all, so that equal points are traced once
    names = []
    for body, own in shapes.items():
        names.append(f"{name}.{model.known_body(body, thing)}")
        base = Plane() if surface is None else surface
        compliant_contact(model, names[-1], on, body, [(base, own)], (at, ORIGIN), laws)
    return names


def mutual_contact(
    model: ModelData,
    name: str,
    shapes: Mapping[str, ContactShapes],
    *,
    exclude: Sequence[tuple[BodyOrName, BodyOrName]] = (),
    near: bool | Quantity = False,
    most: int | None = None,
    stiffness: Stiffness,
    dissipation: Quantity | None = None,
    exponent: float | None = None,
    friction: Number | None = None,
    static: Number | None = None,
    speed: Quantity | None = None,
    grip: Quantity | None = None,
    settling: float | str | None = None,
    pad: Quantity | None = None,
    creep: Quantity | None = None,
    roll: Quantity | None = None,
) -> list[str]:
    """Add compliant contacts between all pairs of several bodies, and return their names, NAME.A.B.

    shapes: by body, which may be "world", a shape, a point (three numbers, m, body axes), or a list of them; planes and
    uneven ground too. A and B of a name are the bodies a and b of `contact`; if only some shapes of two bodies require
    the other order, there are NAME.A.B and NAME.B.A. A body and its parent, other than the world, do not collide, since
    their shapes may overlap at the joint. exclude: further pairs of bodies that do not. The law is that of `contact`,
    the same for all; `mbs.contact_force` of the returned names is the sum of all forces.

    near: for hundreds of bodies and more, find the near pairs while the model moves, instead of a contact for each
    pair. True, or the margin (m) of the list of near pairs, by default 0.4 times the median radius of the shapes; it
    changes no result. Friction then needs `creep`, and places and sizes of shapes are numbers. The first name that is
    returned is NAME, of all near pairs; planes and uneven ground have contacts NAME.A.B. most: places in the list, by
    default 24 for each shape.

    Raises ModelError as `contact`, for shapes that are not given by body, if no two bodies can collide, and for
    friction with states with `near`.
    """
    thing = f"mutual contact {display(name)}"
    _check_many(name, shapes, thing)
    law = LawArguments(stiffness, dissipation, exponent, friction, static, speed, grip, settling, pad, creep, roll)
    laws = law.laws(thing)
    if near is not False:
        return near_contacts(model, name, shapes, exclude, near, most, laws, thing)
    if most is not None:
        raise ModelError(f"{thing}: most= has no effect without near=: leave it out, or give near=True")
    names = []
    for a, b, pairs in colliding(model, shapes, exclude, thing):
        names.append(f"{name}.{a}.{b}")
        compliant_contact(model, names[-1], a, b, pairs, (ORIGIN, ORIGIN), laws)
    return names


def _check_many(name: Any, shapes: Any, thing: str) -> None:
    """Raise ModelError for an invalid name of many contacts, and for shapes that are not given by body."""
    if not isinstance(name, str) or not NAME.match(name):
        raise ModelError(f"{thing}: the name must be an identifier: letters, digits and underscores")
    if not isinstance(shapes, Mapping) or not shapes:
        example = "{'foot': mbs.Sphere(0.02)}"
        raise ModelError(f"{thing}: shapes are {display(shapes)}: give them by body, such as {example}")
