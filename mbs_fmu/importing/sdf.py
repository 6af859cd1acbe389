"""Reader of SDFormat, the robot description format of Gazebo (docs/robots.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from os import PathLike
from pathlib import Path

import numpy as np

from ..infrastructure.errors import ArgumentError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..model.forces.contact_shapes import Plane
from ..model.items import WORLD
from ..model.joints import Free, Joint, Weld
from .assembling import ANYTHING, Assembling, ImportOptions
from .contacts.links import link_contacts, with_contacts
from .contacts.options import FileContacts
from .document import Document, Packages
from .imported import Imported
from .parts import JointEnds, LinkData, RobotParts
from .sdf_joints import GEARBOX, KINDS, SdfJoint, read_joint
from .sdf_links import Links
from .sdf_loops import SdfLoops
from .sdf_models import Models
from .sdf_scopes import Scope
from .sdf_tree import SdfTree
from .spanning import Edge, spanning

#: Children that are read from each element. Notes name the others, except for those in SILENT.
KNOWN = {
    "world": ("model", "include", "frame", "joint", "gravity"),
    "model": ("link", "joint", "frame", "model", "include", "pose", "static"),
    "include": ("uri", "name", "pose", "static", "placement_frame"),
    "frame": ("pose",),
    "link": ("pose", "inertial", "visual", "collision", "gravity", "kinematic"),
    "inertial": ("pose", "mass", "inertia"),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "visual": ("pose", "geometry", "material", "transparency"),
    "collision": ("pose", "geometry", "surface", "drake:proximity_properties"),
    "surface": ("friction", "contact"),
    "friction": ("ode", "torsional"),
    "contact": ("ode",),
    "ode": ("mu", "mu2", "kp", "kd"),
    "torsional": ("coefficient", "patch_radius", "surface_radius"),
    "drake:proximity_properties": (
        "drake:mu_dynamic", "drake:mu_static", "drake:point_contact_stiffness", "drake:hunt_crossley_dissipation",
    ),
    "geometry": ("box", "cylinder", "sphere", "capsule", "ellipsoid", "mesh", "plane", "empty"),
    "material": ("diffuse", "ambient"),
    "joint": (
        "pose", "parent", "child", "axis", "axis2", "gearbox_ratio", "gearbox_reference_body", "thread_pitch",
        "screw_thread_pitch",
    ),
    "axis": ("xyz", "limit", "dynamics", "mimic", "drake:mimic", "use_parent_model_frame"),
    "axis2": ("xyz", "limit", "dynamics", "mimic", "drake:mimic", "use_parent_model_frame"),
    "limit": ("lower", "upper", "effort", "velocity"),
    "dynamics": ("damping", "friction", "spring_stiffness", "spring_reference"),
}  # fmt: skip
#: Elements without information on motion or shapes.
SILENT = (
    "self_collide", "allow_auto_disable", "must_be_base_link", "enable_wind", "cast_shadows", "laser_retro",
    "max_contacts", "specular", "emissive", "script", "lighting", "shader", "pbr", "gui", "scene", "magnetic_field",
    "atmosphere", "visibility_flags", "meta",
)  # fmt: skip
BASE = Free()
FRICTION = 1.0  #: SDFormat's default
GRAVITY = (0.0, 0.0, -9.8)  #: SDFormat's default, m/s2


@with_clear_errors
def from_sdf(
    path: str | PathLike[str],
    *,
    model: str | None = None,
    name: str | None = None,
    base: Joint = BASE,
    packages: Packages = None,
    cut: Sequence[str] = (),
    efforts: bool = False,
    stops: tuple[float, float] | None = None,
    dynamics: bool = True,
    unphysical: str = "refuse",
    massless: str = "refuse",
    contacts: bool | str | FileContacts | None = None,
    ground: Plane | None = None,
    exclude: Sequence[tuple[str, str]] = (),
) -> Imported:
    """Return a model from an SDFormat file of version 1.4 to 1.12: a body for each link, in the link's axes.

    Links and joints may form loops. A spanning tree of them becomes the tree of bodies; the other joints close it, by
    `m.close`, under their own names. All coordinates are zero in the poses of the file.

    model: name of the model to read, in a file with several models or a world; by default the only model, or the whole
    world, whose links are then named MODEL::LINK, like those of nested models. name: name of the returned model; by
    default that of the file's model or world. base: joint between the world and each part that no joint connects with
    it, by default `mbs.Free()`, as in Gazebo. packages: folders for model://NAME/... and package://NAME/..., by NAME;
    folders above the file are searched too. cut: names of joints that shall not be in the tree; by default of each
    loop one ball joint is cut, else a universal, fixed, or other joint.

    efforts, stops, dynamics, unphysical, massless: as of `mbs.from_urdf`; dynamics includes springs of joints.
    contacts, ground, exclude: as of `mbs.from_urdf`, with the numbers of `surface` and of Drake's proximity properties.
    Links of one model touch only if `self_collide` of the model or of one of them is true.

    Raises ModelError with file and line if the file is no SDFormat, if it contains what cannot be read, and for invalid
    numbers, names and frames; ArgumentError for invalid options.
    """
    file = Path(path)
    options = ImportOptions(name, base, efforts, stops, dynamics, unphysical, massless)
    if model is not None and not isinstance(model, str):
        raise ArgumentError(f"model is {display(model)}: give the name of a model of the file")
    if isinstance(cut, str) or not all(isinstance(joint, str) for joint in cut):
        raise ArgumentError(f"cut is {display(cut)}: give a list of names of joints")
    touching = link_contacts(contacts, ground, exclude, friction=FRICTION)
    document = Document(file)
    scope, reader = _opened(document, packages, model)
    content = _content(scope, reader)
    reader.note_defaults()
    if not content.links:
        document.fail(scope.content, "it has no <link>")
    unknown = [joint for joint in cut if joint not in content.joints]
    if unknown:
        raise ArgumentError(
            f"cut names the joint {display(unknown[0])}: the file has {listed(map(repr, content.joints))}"
        )
    robot = _robot(_Graph(document, scope, options, content, cut), reader)
    robot = with_contacts(document, robot, content.links, touching)
    document.log_notes()
    return robot


class _Graph:
    """The links and joints of the file as a tree with loops."""

    def __init__(
        self, document: Document, scope: Scope, options: ImportOptions, content: _Content, cut: Sequence[str]
    ):  # fmt: skip
        self.content = content
        links, joints, poses, fixed = content.links, content.joints, content.poses, content.fixed
        graph = spanning(list(links), fixed, _edges(joints), cut)
        self.tree = SdfTree(links, joints, poses, fixed, graph.steps, options.base)
        self.loops = SdfLoops(document, joints, poses, fixed, graph.cut, self.tree)
        self.gravity = _gravity(document, scope)
        inner_options = replace(options, base=Weld())
        name = scope.content.get("name")
        tree, closures = self.tree, self.loops.closures()
        self.assembling = Assembling(document, tree.links, tree.joints, inner_options, closures, self.gravity, name)


def _robot(graph: _Graph, reader: Links) -> Imported:
    """Return the model of the links and joints in a scope."""
    assembling, loops = graph.assembling, graph.loops
    robot = assembling.imported()
    graph.tree.set_starts(robot)
    loops.add_laws(robot.model, assembling.laws)
    for weightless in reader.weightless:
        inertia, body = assembling.links[weightless].inertia, robot.bodies[weightless]
        lift = [-inertia.mass * g for g in graph.gravity]
        robot.model.force(assembling.laws.forces.new(f"{weightless}_weightless"), body, inertia.com, lift)
    by_name = robot.joints | loops.imported(robot.bodies)
    in_order = {axis: by_name[axis] for joint in graph.content.joints.values() for axis in joint.names}
    return replace(robot, bodies={link: robot.bodies[link] for link in graph.content.links}, joints=in_order)


def sdf_parts(document: Document, packages: Packages = None, model: str | None = None) -> RobotParts:
    """Return the content of an SDFormat file, for `check_robot`. Raises ModelError if it is none."""
    scope, reader = _opened(document, packages, model)
    content = _content(scope, reader)
    ends = {name: _ends(joint) for name, joint in content.joints.items()}
    notes = list(document.notes)

    options = replace(ANYTHING, base=BASE)

    def unmoved() -> list[str]:
        return _Graph(document, scope, options, content, ()).assembling.unmoved()

    def load() -> Imported:
        return _robot(_Graph(document, scope, options, content, ()), reader)

    return RobotParts(content.links, ends, set(content.fixed), unmoved, load, reader.unstated, notes)


def _ends(joint: SdfJoint) -> JointEnds:
    axes = () if joint.kind == GEARBOX else joint.axes
    moves = joint.kind not in (GEARBOX, "fixed")
    along = tuple(joint.kind == "prismatic" for _ in axes)
    return JointEnds(joint.name, joint.element, joint.parent, joint.child, moves, axes, along)


def _opened(document: Document, packages: Packages, model: str | None) -> tuple[Scope, Links]:
    """Return the selected models, and the reader of their links."""
    folders = {package: Path(folder) for package, folder in (packages or {}).items()}
    models = Models(document, folders)
    scope = models.selected(model)
    document.note_unknown(KNOWN, SILENT, *models.contents)
    return scope, Links(document, folders)


@dataclass
class _Content:
    """Links and joints of the file. poses: of the links and the world, 4x4. fixed: links of static models."""

    links: dict[str, LinkData] = field(default_factory=dict)
    joints: dict[str, SdfJoint] = field(default_factory=dict)
    poses: dict[str, np.ndarray] = field(default_factory=lambda: {WORLD: np.eye(4)})
    fixed: list[str] = field(default_factory=list)


def _content(scope: Scope, reader: Links) -> _Content:
    """Return the links and joints in a scope."""
    document, content = reader.document, _Content()
    with document.attempt():
        scope.check()
    for inner, entry in scope.walk("link"):
        with document.attempt():
            link = reader.read(inner, entry)
            content.links[link.name] = link
            content.poses[link.name] = inner.absolute() @ inner.pose_of(entry.name, entry.home, entry.element)
            content.fixed += [link.name] if inner.is_static else []
    for found in scope.walk("joint"):
        with document.attempt():
            joint = read_joint(document, *found)
            content.joints[joint.name] = joint
    return content


def _edges(joints: Mapping[str, SdfJoint]) -> list[Edge]:
    """Return the joints of the graph. Joints that mimic others, or lead them, are cut last, then those with laws."""
    leaders = {axis.mimic.leader for joint in joints.values() for axis in joint.axes if axis.mimic is not None}
    edges = []
    for joint in joints.values():
        if joint.kind == GEARBOX:
            continue
        follows = any(axis.mimic is not None or axis.name in leaders for axis in joint.axes)
        cost = (not follows, KINDS[joint.kind].rank, not any(axis.has_law for axis in joint.axes))
        edges.append(Edge(joint.name, joint.parent, joint.child, tuple(map(int, cost))))
    return edges


def _gravity(document: Document, scope: Scope) -> tuple[float, ...]:
    world = scope.element
    element = document.one(world, "gravity") if world.tag == "world" else None
    return GRAVITY if element is None else tuple(document.values(element, 3).tolist())
