"""Methods of `Model` for bodies, their shapes in pictures, prescribed motions and rotors."""

from __future__ import annotations

from dataclasses import replace

from ...infrastructure.arguments import truth
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import as_expression, is_literal
from ...symbolic.graph import leaves
from ..bodies.shapes import Shape, checked_shapes
from ..checks import checked_body
from ..data import ModelData
from ..drives import check_start, checked_drive
from ..elastic_parts import ElasticPart, elastic_part
from ..forces.places import scalar_joint, unit_along
from ..geometry.poses import placed
from ..geometry.vectors import Vector, inertia_matrix, no_less_than_zero, number, numbers
from ..items import WORLD, Body, Rotor, Start, body_label
from ..joints import Joint, Weld
from ..names import new_name, place
from .argument_types import BodyOrName, Components, ElasticModes, Inertia, JointNumbers, Placement, Quantity, Shapes
from .followers import check_no_drive


def body(
    model: ModelData,
    name: str,
    parent: BodyOrName = WORLD,
    joint: Joint | None = None,
    mass: Quantity = 0.0,
    com: Components = (0.0, 0.0, 0.0),
    inertia: Inertia = (0.0, 0.0, 0.0),
    at: Placement = (0.0, 0.0, 0.0),
    *,
    physical: bool = True,
    elastic: ElasticModes | None = None,
    root: str | None = None,
    damping: Quantity | Components | None = None,
    stiffness: Quantity | None = None,
    shape: Shapes | None = None,
) -> Body:
    """Add a body with the joint that connects it to `parent`, and return it.

    joint: None welds the body to its parent. mass: kg. com: centre of mass in body axes, from the body's origin, m.
    inertia: about the centre of mass, in body axes, kg m²: 3 principal moments, 6 numbers xx, xy, xz, yy, yz, zz, or
    3x3. at: joint frame on the parent, a position (m, parent axes) or a `Pose`. The body frame coincides with
    this frame while all joint coordinates are zero. Numbers may be expressions of parameters, also in the rotation.
    physical: False accepts an inertia that no body can have but that some published data contain: one that violates
    the triangle inequality or has a negative principal moment.

    elastic: vibration modes of an elastic body (`mbs.beam`, `mbs.Modes`), instead of mass, com and inertia. root: name
    of the node that lies in the joint and whose frame is that of the body; default: the first node, or with a `Free`
    joint the mean frame. damping: damping ratio of each mode of the body held at its root, or a list of these ratios;
    default: that of the modes. stiffness: a factor of the modes' stiffness. `body.node(name)` returns the frame of
    another node, which is usable like a body.

    shape: shape in pictures: `mbs.Box`, `mbs.Sphere`, `mbs.Ellipsoid`, `mbs.Cylinder`, `mbs.Capsule`, `mbs.Ring`,
    `mbs.Line`, `mbs.Mesh`, or a list of these; [] for none. Only pictures depend on it.

    Raises ModelError for a name that is taken, a value that is not finite or has the wrong shape, a negative mass, and
    an inertia that no body can have.
    """
    new_name(model, name, "body")
    thing = f"body {name!r}"
    if joint is None:
        joint = Weld()
    if not isinstance(joint, Joint):
        raise ModelError(f"{thing}: joint must be a joint such as mbs.Revolute('z'), not {display(joint)}")
    position, rotation = placed(at, f"at of {thing}", checked=True)
    rigid = Body(
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
    part = elastic_part(elastic, root, stiffness, damping, joint, thing, _has_mass_arguments(rigid))
    nodes = {} if part is None else {node: _node_frame(name, node, part) for node in part.attachments}
    shapes = known_shapes(model, shape, thing) if shape is not None else ()
    body = model.bodies[name] = checked_body(rigid if part is None else replace(rigid, elastic=part, nodes=nodes))
    model.bodies.update({node.name: node for node in body.nodes.values()})
    if shape is not None:
        model.shapes[name] = shapes
    model.version += 1
    return body


def shape(model: ModelData, on: BodyOrName, shape: Shapes) -> None:
    """Add shapes to a body, a node of an elastic body, or the world ("world"), for pictures only.

    shape: `mbs.Box`, `mbs.Sphere`, `mbs.Ellipsoid`, `mbs.Cylinder`, `mbs.Capsule`, `mbs.Ring`, `mbs.Line`, `mbs.Mesh`,
    or a list of these, in body axes. Raises ModelError for an unknown body and for anything but shapes.
    """
    name = place(model, on, "shape")
    model.shapes[name] = model.shapes.get(name, ()) + known_shapes(model, shape, body_label(name))


def known_shapes(model: ModelData, shape: object, thing: str) -> tuple[Shape, ...]:
    """Return the shapes; ModelError for anything else, and for a shape that depends on an unknown parameter."""
    shapes = checked_shapes(shape, thing)
    for reference in leaves([x for shape in shapes for x in shape.expressions]):
        if reference.name not in model.parameters:
            raise ModelError(
                f"shape of {thing} depends on {reference}, which is not a parameter of model {model.name!r}"
            )
    return shapes


def _parent_name(model: ModelData, parent: object, thing: str) -> str:
    """Return the name of the parent, which may be defined later if it is a name."""
    if isinstance(parent, Joint):
        raise ModelError(f"{thing}: the second argument is the parent: write joint= before the joint")
    if not isinstance(parent, str | Body):
        raise ModelError(f"{thing}: parent must be a body or its name, not {display(parent)}")
    if isinstance(parent, Body) and model.bodies.get(parent.name) is not parent:
        raise ModelError(f"{thing}: parent {parent.name!r} belongs to another model")
    return parent.name if isinstance(parent, Body) else parent


def _has_mass_arguments(body: Body) -> dict[str, bool]:
    """Return for each argument about the mass of a rigid body whether it differs from its default, zero."""
    numbers = {"mass": [body.mass], "com": body.com, "inertia": [x for row in body.inertia for x in row]}
    return {argument: not all(is_literal(x, 0.0) for x in entries) for argument, entries in numbers.items()}


def _node_frame(body: str, node: str, part: ElasticPart) -> Body:
    """Return the massless body that represents the frame of a node of an elastic body, at its undeformed position."""
    zero, origin = as_expression(0.0), Vector((0.0, 0.0, 0.0))
    inertia = [[zero] * 3 for _ in range(3)]
    position, rotation = part.rest_pose(node)
    place = Vector(position.tolist())
    return Body(f"{body}.{node}", body, Weld(), zero, origin, inertia, place, rotation, attachment=node)


def drive(
    model: ModelData,
    name: str,
    on: BodyOrName,
    position: JointNumbers | None = None,
    rate: JointNumbers | None = None,
    coordinate: int | None = None,
) -> None:
    """Prescribe the motion of a body's joint: all its coordinates, or one (`coordinate`, from 1).

    position, rate: an expression for each coordinate (rad, m) and each joint velocity (rad/s, m/s), of time,
    parameters, inputs and states. Ball joint: a quaternion, w first, and the angular velocity in body axes. Free joint:
    (position, quaternion) and (v, w) in body axes. The rate is derived from a position that depends on time and
    parameters only; otherwise it is required. To prescribe a rate alone, integrate it by a state:
    `position=m.state("angle", rate=w), rate=w`. Accelerations are not needed. Prescribed coordinates are not states.
    `mbs.drive_force` measures the force that the drive applies.

    Raises ModelError for a coordinate that already has a drive, a missing position, a missing or contradictory rate,
    and start values of prescribed coordinates.
    """
    new_name(model, name, "force")
    body = model.bodies[model.known_body(on, f"drive {name!r}")]
    check_no_drive(model, name, body.name)
    drive = checked_drive(name, body, coordinate, position, rate, model.drives, model.parameters)
    check_start(drive, body.joint, model.starts.get(body.name, Start()))
    model.drives[name] = drive
    model.version += 1


def rotor(model: ModelData, name: str, on: BodyOrName, inertia: Quantity, coordinate: int | None = None) -> None:
    """Add an inertia that moves with one joint velocity, such as a motor's rotor with its gear ("armature").

    inertia: J as seen at the joint, kg m² for a turn, kg for a slide; for a rotor with a gear of ratio n, n² times its
    own inertia. It may be an expression of parameters. coordinate: number of the joint velocity u, from 1, if the joint
    has several. The rotor adds J u to the generalized momentum and J u²/2 to the energy. The parent carries the rotor's
    torque along the joint's axis only, but neither its weight nor the gyroscopic torque of an axis that turns.

    Raises ModelError for a negative inertia, a joint with a quaternion, and an unknown coordinate.
    """
    new_name(model, name, "force")
    thing = f"rotor {name!r}"
    body, k = scalar_joint(model, on, coordinate, thing, "rotor")
    unit = "kg.m2" if unit_along(model, body, k) == "rad" else "kg"
    model.rotors[name] = Rotor(name, body, k, no_less_than_zero(inertia, f"inertia of {thing}", unit))
    model.version += 1
