"""The words of a model for bodies: what they are, how they move where that is given, where they start."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...arguments import truth
from ...errors import ModelError
from ...messages.failures import display
from ...symbolic.expressions import as_expression, is_literal
from ...symbolic.graph import leaves
from ..bodies.shapes import Shape, checked_shapes
from ..checks import checked_body
from ..data import ModelData
from ..drives import check_start, checked_drive
from ..elastic_parts import elastic_part
from ..forces.places import scalar_joint, unit_along
from ..geometry.poses import placed
from ..geometry.vectors import Vector, inertia_matrix, no_less_than_zero, number, numbers
from ..items import WORLD, Body, Rotor, Start, said
from ..joints import Joint, Weld
from ..names import new_name, place
from .followers import check_no_drive


def body(
    model: ModelData,
    name: str,
    parent: str | Body = WORLD,
    joint: Joint | None = None,
    mass: Any = 0.0,
    com: Any = (0.0, 0.0, 0.0),
    inertia: Any = (0.0, 0.0, 0.0),
    at: Any = (0.0, 0.0, 0.0),
    *,
    physical: bool = True,
    elastic: Any = None,
    root: str | None = None,
    damping: Any = None,
    stiffness: Any = None,
    shape: Any = None,
) -> Body:
    """Add a body, hung on `parent` by `joint`.

    mass: kg. com: centre of mass in body axes from the body's origin, m. inertia: about the centre of
    mass in body axes, kg m² (3 principal moments; 6 numbers xx, xy, xz, yy, yz, zz; or 3x3). at: the
    joint's place on the parent, a position (m, parent axes) or a `Pose`. The body frame lies in the joint
    when its coordinates are zero. Numbers may be expressions of parameters, those of the rotation too.
    physical: False takes an inertia that no body has, as some published data are: against the triangle inequality,
    with a negative principal moment.

    elastic: modes of a body that bends (`mbs.beam`, `mbs.Modes`), in place of mass, com and inertia. root: the node
    that lies in the joint, and whose frame is the body's; the first if it is left out, but with a `Free` joint
    the mean frame. damping: in parts of critical damping, of each mode of the body held at its root, or a list of
    these; the modes' own if it is left out. stiffness: a factor. `body.node(name)` is the frame on another node, to be
    used as bodies are.

    shape: what it looks like in pictures, `mbs.Box`, `mbs.Sphere`, `mbs.Cylinder`, `mbs.Capsule`, `mbs.Ring`,
    `mbs.Line`, `mbs.Mesh` or a list of such, [] for nothing; nothing else depends on it.

    Raises ModelError for a name that is taken, a value that is not finite or has the wrong shape, a
    negative mass, an inertia that no body can have.
    """
    new_name(model, name, "body")
    thing = f"body {name!r}"
    if joint is None:
        joint = Weld()
    if not isinstance(joint, Joint):
        raise ModelError(f"{thing}: joint must be a joint such as mbs.Revolute('z'), not {display(joint)}")
    position, rotation = placed(at, f"at of {thing}", checked=True)
    told = Body(
        name=name,
        parent=_parent_name(model, parent, thing),
        joint=joint,
        mass=number(mass, f"mass of {thing}", "kg"),
        com=numbers(com, 3, f"com of {thing}", "m"),
        inertia=inertia_matrix(inertia, f"inertia of {thing}"),
        position=position,
        rotation=rotation,
        physical=truth(physical, f"physical of {thing}", ModelError),
    )
    part = elastic_part(elastic, root, stiffness, damping, joint, thing, _mass_words(told))
    if part is not None:
        told = replace(told, elastic=part, nodes={node: _seat(name, node) for node in part.attachments})
    looks = known_shapes(model, shape, thing) if shape is not None else ()
    body = model.bodies[name] = checked_body(told)
    model.bodies.update({node.name: node for node in body.nodes.values()})
    if shape is not None:
        model.shapes[name] = looks
    model.version += 1
    return body


def shape(model: ModelData, on: str | Body, shape: Any) -> None:
    """Add to what a body looks like in pictures, a node of an elastic one, or the world ("world").

    shape: `mbs.Box`, `mbs.Sphere`, `mbs.Cylinder`, `mbs.Capsule`, `mbs.Ring`, `mbs.Line`, `mbs.Mesh` or a list of such,
    in the axes of the body. Nothing but pictures depends on it. Raises ModelError for an unknown body, and what is no
    shape.
    """
    name = place(model, on, "shape")
    looks = known_shapes(model, shape, said(name))
    model.shapes[name] = model.shapes.get(name, ()) + looks


def known_shapes(model: ModelData, shape: Any, thing: str) -> tuple[Shape, ...]:
    """The shapes; ModelError for what is none, and for one that depends on a parameter the model doesn't have."""
    looks = checked_shapes(shape, thing)
    for reference in leaves([x for look in looks for x in look.expressions]):
        if reference.name not in model.parameters:
            raise ModelError(f"shape of {thing} depends on {reference}, which is no parameter of model {model.name!r}")
    return looks


def _parent_name(model: ModelData, parent: object, thing: str) -> str:
    if isinstance(parent, Joint):
        raise ModelError(f"{thing}: the second argument is the parent: write joint= before the joint")
    if not isinstance(parent, str | Body):
        raise ModelError(f"{thing}: parent must be a body or its name, not {display(parent)}")
    if isinstance(parent, Body) and model.bodies.get(parent.name) is not parent:
        raise ModelError(f"{thing}: parent {parent.name!r} belongs to another model")
    return parent.name if isinstance(parent, Body) else parent


def _mass_words(told: Body) -> dict[str, bool]:
    """The arguments about a rigid body's mass that differ from their defaults."""
    said = {"mass": [told.mass], "com": told.com, "inertia": [x for row in told.inertia for x in row]}
    return {word: not all(is_literal(x, 0.0) for x in entries) for word, entries in said.items()}


def _seat(body: str, node: str) -> Body:
    """The frame on a node of an elastic body."""
    nothing, zeros = as_expression(0.0), Vector((0.0, 0.0, 0.0))
    name = f"{body}.{node}"
    return Body(
        name, body, Weld(), nothing, zeros, [[nothing] * 3 for _ in range(3)], zeros, np.eye(3), attachment=node
    )


def drive(
    model: ModelData, name: str, on: str | Body, position: Any, rate: Any = None, coordinate: int | None = None
) -> None:
    """Give the motion of a body's joint: of all its coordinates, or of one (`coordinate`, from 1).

    position, rate: an expression for each coordinate and each joint velocity, of time, parameters, inputs and
    states; of a ball joint a quaternion and the angular velocity in body axes, of a free one (position,
    quaternion) and (v, w) in body axes. A rate follows from a position that is a function of time, and must be
    given otherwise. No acceleration is needed. The coordinates are states no longer. `mbs.drive_force` is the
    force that the drive applies.

    Raises ModelError for a coordinate that has a drive already, a missing or contradicting rate, start values
    of the driven coordinates.
    """
    new_name(model, name, "force")
    body = model.bodies[model.known_body(on, f"drive {name!r}")]
    check_no_drive(model, name, body.name)
    told = checked_drive(name, body, coordinate, position, rate, model.drives, model.parameters)
    check_start(told, body.joint, model.starts.get(body.name, Start()))
    model.drives[name] = told
    model.version += 1


def rotor(model: ModelData, name: str, on: str | Body, inertia: Any, coordinate: int | None = None) -> None:
    """Inertia that moves with one joint velocity alone, such as a motor's rotor behind its gear ("armature").

    inertia: J, kg m² of a turn, kg of a slide, as seen at the joint: that of a rotor behind a gear of ratio n is n²
    times its own. It may be an expression of parameters. coordinate (from 1) is the number of the joint velocity u,
    where the joint has several. J u is added to its momentum and J u²/2 to the energy. The parent bears the rotor's
    torque along the joint's axis only: no weight, and no gyroscopic torque of a rotor whose axis turns.

    Raises ModelError for a negative inertia, a joint with a quaternion, a coordinate that is not there.
    """
    new_name(model, name, "force")
    thing = f"rotor {name!r}"
    body, k = scalar_joint(model, on, coordinate, thing, "rotor")
    unit = "kg.m2" if unit_along(model, body, k) == "rad" else "kg"
    model.rotors[name] = Rotor(name, body, k, no_less_than_zero(inertia, f"inertia of {thing}", unit))
    model.version += 1
