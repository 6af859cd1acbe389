"""Reader of URDF, the unified robot description format of ROS (docs/robots.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import with_clear_errors
from ..model.forces.contact_shapes import Plane
from ..model.joints import Free, Joint, Planar, Prismatic, Revolute, Weld
from .assembling import ANYTHING, Assembling, ImportOptions
from .contacts.links import link_contacts, with_contacts
from .contacts.options import FileContacts
from .document import Document, Element, Packages
from .imported import Imported, Limits, Mimic
from .inertias import Inertia, rows
from .parts import AxisData, JointData, JointEnds, LinkData, RobotParts
from .shapes import ShapeReader, placement
from .urdf_loops import Closures, loops_of
from .urdf_surfaces import surface_of

#: Children that are read from each element. Notes name the others, except for those in SILENT.
KNOWN = {
    "robot": ("link", "joint", "material"),
    "link": ("inertial", "visual", "collision"),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("origin", "geometry", "material"),
    "collision": ("origin", "geometry", "material"),
    "geometry": ("box", "cylinder", "sphere", "capsule", "mesh"),
    "material": ("color",),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
}
#: Elements without information on motion or shapes.
SILENT = (
    "gazebo", "transmission", "calibration", "safety_controller", "sensor", "verbose", "contact", "texture", "name",
)  # fmt: skip
INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
BASE = Weld()


@with_clear_errors
def from_urdf(
    path: str | PathLike[str],
    *,
    name: str | None = None,
    base: Joint = BASE,
    packages: Packages = None,
    efforts: bool = False,
    stops: tuple[float, float] | None = None,
    dynamics: bool = True,
    unphysical: str = "refuse",
    massless: str = "refuse",
    closures: Closures = (),
    joints: Mapping[str, Joint] | None = None,
    contacts: bool | str | FileContacts | None = None,
    ground: Plane | None = None,
    exclude: Sequence[tuple[str, str]] = (),
    srdf: str | PathLike[str] | None = None,
) -> Imported:
    """Return a model from a URDF file: a body for each link, in the link's axes, with the coordinates of the file.

    name: name of the model; by default the robot's. base: joint between world and root link, a weld or `mbs.Free()`.
    packages: folders for package://NAME/... in names of meshes, by NAME; folders above the file are searched too.
    efforts: adds an input JOINT_effort (N m or N), bounded by the joint's effort, for each joint with one degree of
    freedom that does not mimic another. stops: stiffness (N m/rad or N/m) and damping (N m s/rad or N s/m) of stops at
    the limits; by default limits are data only. dynamics: includes damping and friction of joints.

    unphysical: inertias that no body can have raise an error ("refuse"), are kept with `physical=False` ("keep"), or
    are reduced to possible ones ("mend"), with a note for each. massless: joints that move no inertia raise an error
    ("refuse") or become welds ("weld"), with a note; joints that mimic each other move together. A joint that mimics
    another becomes its follower, `JOINT_mimic`.

    closures: joints that close loops, which URDF cannot describe. A list of (link, other link, joint), also with the
    places of the joint on both links, positions (m) or `Pose`s, as of `m.close`; a dictionary of such lists by names of
    the loops; or the name of a .yaml file in the form of example-parallel-robots. The name of a joint stands for its
    child link. joints: joints that replace those of the file, by name, such as {"hip": mbs.Spherical()}. With a .yaml
    file, efforts are inputs of the joints that it names as motors.

    contacts: adds compliant contacts between collision shapes: True, "ground", "reach", "all" or `mbs.FileContacts`, as
    of `mbs.from_mjcf`. Links that a joint connects, and shapes that overlap at zero, do not touch. The coefficient of
    friction is that of PyBullet's or Gazebo's elements, the smaller one of two links; without such elements
    `mbs.FileContacts(friction=...)` must give it. ground: a plane in the world, such as `mbs.Plane()`, that the links
    can touch. exclude: pairs of links that do not touch. srdf: file whose `disable_collisions` are excluded.

    Raises ModelError with file and line if the file is not a URDF, a number is invalid, or the links form no tree;
    ArgumentError for invalid options.
    """
    options = ImportOptions(name, base, efforts, stops, dynamics, unphysical, massless)
    loops = loops_of(closures, joints or {})
    touching = link_contacts(contacts, ground, exclude, srdf)
    document = Document(Path(path))
    shape_reader = _shape_reader(document, packages)
    links = _links(document, shape_reader)
    shape_reader.note_missing()
    closing = loops.read(document)
    read = _joints(document)
    read |= {name: _replaced(read[name], joint) for name, joint in loops.joints.items()}
    if loops.motors is not None:
        read = {name: replace(joint, has_motor=name in loops.motors) for name, joint in read.items()}
    robot = Assembling(document, links, read, options, closing).imported()
    robot = with_contacts(document, robot, links, touching)
    document.log_notes()
    return robot


def urdf_parts(document: Document, packages: Packages = None) -> RobotParts:
    """Return the content of a URDF, for `check_robot`. Raises ModelError if it is none."""
    links, joints = _links(document, _shape_reader(document, packages)), _joints(document)
    held = set(links) - {joint.child for joint in joints.values()}
    ends = {name: _ends(joint) for name, joint in joints.items()}

    def assembling() -> Assembling:
        return Assembling(document, links, joints, ANYTHING)

    notes = list(document.notes)
    return RobotParts(
        links, ends, held, lambda: assembling().unmoved(), lambda: assembling().imported(), notes=notes
    )  # fmt: skip


def _ends(joint: JointData) -> JointEnds:
    axes = joint.axes if joint.degrees_of_freedom == 1 else ()
    moves = bool(joint.joint.motions)
    return JointEnds(
        joint.name, joint.element, joint.parent, joint.child, moves, axes, tuple(map(joint.is_along, axes))
    )


def _shape_reader(document: Document, packages: Packages) -> ShapeReader:
    """Return the reader of shapes of a document. Raises ModelError if this is no URDF."""
    if document.root.tag != "robot":
        document.fail(document.root, f"the outer element is <{document.root.tag}>, that of a URDF is <robot>")
    document.note_unknown(KNOWN, SILENT)
    return ShapeReader(document, {package: Path(folder) for package, folder in (packages or {}).items()})


def _links(document: Document, shape_reader: ShapeReader) -> dict[str, LinkData]:
    links = {}
    for name, element in document.named("link").items():
        with document.attempt():
            links[name] = _link(document, shape_reader, name, element)
    return links


def _joints(document: Document) -> dict[str, JointData]:
    joints = {}
    for name, element in document.named("joint").items():
        with document.attempt():
            joints[name] = _joint(document, name, element)
    return joints


def _link(document: Document, shape_reader: ShapeReader, name: str, element: Element) -> LinkData:
    surface = surface_of(document, element)
    shapes = [replace(shape, surface=surface) for shape in shape_reader.of(element)]
    return LinkData(name, element, _inertia(document, name, element), shapes)


def _inertia(document: Document, name: str, link: Element) -> Inertia:
    element = document.one(link, "inertial")
    if element is None:
        return Inertia()
    mass, inertia = document.one(element, "mass"), document.one(element, "inertia")
    if mass is None or inertia is None:
        document.fail(element, f"link {name!r}: <inertial> has no <{'mass' if mass is None else 'inertia'}>")
    kilograms = document.number(mass, "value")
    if kilograms < 0.0:
        document.fail(mass, f"mass of link {name!r} is {kilograms!r}: it must not be negative")
    xx, xy, xz, yy, yz, zz = (document.number(inertia, entry) for entry in INERTIA)
    com, R = placement(document, element)
    tensor = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    return Inertia(kilograms, tuple(com.tolist()), rows(0.5 * (tensor + tensor.T)))


@dataclass(frozen=True)
class JointKind:
    """A joint type of URDF."""

    joint: type[Joint]  #: class of the model's joint
    axis: bool  #: True if the joint has an axis
    degrees_of_freedom: int


KINDS = {
    "revolute": JointKind(Revolute, True, 1), "continuous": JointKind(Revolute, True, 1),
    "prismatic": JointKind(Prismatic, True, 1),
    "planar": JointKind(Planar, True, 3), "floating": JointKind(Free, False, 6), "fixed": JointKind(Weld, False, 0),
}  # fmt: skip
BOUNDED = ("revolute", "prismatic")


def _joint(document: Document, name: str, element: Element) -> JointData:
    kind = element.get("type", "")
    if kind not in KINDS:
        document.fail(element, f"joint {name!r} has the unknown type {kind!r}: use {', '.join(KINDS)}")
    ends = {}
    for tag in ("parent", "child"):
        end = document.one(element, tag)
        ends[tag] = "" if end is None else end.get("link")
        if not ends[tag]:
            document.fail(element, f"joint {name!r} names no {tag} link")
    return JointData(
        name=name,
        kind=kind,
        element=element,
        parent=ends["parent"],
        child=ends["child"],
        place=placement(document, element),
        joint=_motion(document, name, element, KINDS[kind]),
        axes=(_axis(document, name, element, kind),),
    )


def _replaced(data: JointData, joint: Joint) -> JointData:
    """Return a joint of another kind at the same place. Limits and a leader remain if it has one degree of freedom."""
    (axis,) = data.axes
    if len(joint.rates) != 1:
        axis = AxisData(data.name, damping=axis.damping, friction=axis.friction)
    kind = data.kind if isinstance(joint, KINDS[data.kind].joint) else type(joint).__name__
    return replace(data, joint=joint, kind=kind, axes=(axis,))


def _motion(document: Document, name: str, element: Element, kind: JointKind) -> Joint:
    """Return the model's joint from the type and the axis. Raises ModelError."""
    if not kind.axis:
        return kind.joint()  # type: ignore[call-arg]
    axis = document.one(element, "axis")
    direction = document.numbers(axis, "xyz", 3, "1 0 0")
    with document.at(element if axis is None else axis, f"joint {name!r}"):
        return kind.joint(direction.tolist())


def _limits(document: Document, element: Element, kind: str) -> Limits:
    limit = document.one(element, "limit")
    if limit is None:
        return Limits()
    bounded = kind in BOUNDED and ("lower" in limit.attributes or "upper" in limit.attributes)
    return Limits(
        lower=document.number(limit, "lower", "0") if bounded else -math.inf,
        upper=document.number(limit, "upper", "0") if bounded else math.inf,
        effort=document.number(limit, "effort") if "effort" in limit.attributes else math.inf,
        velocity=document.number(limit, "velocity") if "velocity" in limit.attributes else math.inf,
    )


def _mimic(document: Document, name: str, kind: str, element: Element) -> Mimic | None:
    """Return the relation to a leader; None for joints that have none, or do not have one degree of freedom."""
    mimic, freedoms = document.one(element, "mimic"), KINDS[kind].degrees_of_freedom
    if mimic is None or freedoms == 0:
        return None
    if freedoms > 1:
        document.note(f"<mimic> of {kind} joint {name!r} is left out: the joint has {freedoms} degrees of freedom")
        return None
    leader = mimic.get("joint", "")
    if leader == name:
        document.fail(mimic, f"joint {name!r} mimics itself")
    return Mimic(leader, document.number(mimic, "multiplier", "1"), document.number(mimic, "offset", "0"))


def _axis(document: Document, name: str, element: Element, kind: str) -> AxisData:
    """Limits, relation to a leader, damping and dry friction of a joint."""
    dynamics = document.one(element, "dynamics")
    return AxisData(
        name,
        limits=_limits(document, element, kind),
        mimic=_mimic(document, name, kind, element),
        damping=document.number(dynamics, "damping", "0"),
        friction=document.number(dynamics, "friction", "0"),
    )
