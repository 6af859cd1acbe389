"""Reader of SDFormat, the robot description format of Gazebo (docs/robots.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np

from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..model.items import WORLD
from ..model.joints import Free, Joint, Weld
from .assembling import Assembling, ImportOptions
from .document import Document
from .imported import Imported
from .parts import LinkData
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
    "collision": ("pose", "geometry"),
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
GRAVITY = (0.0, 0.0, -9.8)  #: SDFormat's default, m/s2


@with_clear_errors
def from_sdf(
    path: str | PathLike[str],
    *,
    model: str | None = None,
    name: str | None = None,
    base: Joint = BASE,
    packages: Mapping[str, str | PathLike[str]] | None = None,
    cut: Sequence[str] = (),
    efforts: bool = False,
    stops: tuple[float, float] | None = None,
    dynamics: bool = True,
    unphysical: str = "refuse",
    massless: str = "refuse",
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

    Raises ModelError with file and line if the file is no SDFormat, if it contains what cannot be read, and for invalid
    numbers, names and frames; ArgumentError for invalid options.
    """
    file = Path(path)
    options = ImportOptions(name, base, efforts, stops, dynamics, unphysical, massless)
    if model is not None and not isinstance(model, str):
        raise ArgumentError(f"model is {display(model)}: give the name of a model of the file")
    if isinstance(cut, str) or not all(isinstance(joint, str) for joint in cut):
        raise ArgumentError(f"cut is {display(cut)}: give a list of names of joints")
    document = Document(file)
    folders = {package: Path(folder) for package, folder in (packages or {}).items()}
    models = Models(document, folders)
    scope = models.selected(model)
    document.note_unknown(KNOWN, SILENT, *models.contents)
    robot = _robot(document, scope, options, Links(document, folders), cut)
    document.log_notes()
    return robot


def _robot(document: Document, scope: Scope, options: ImportOptions, reader: Links, cut: Sequence[str]) -> Imported:
    """Return the model of the links and joints in a scope."""
    links: dict[str, LinkData] = {}
    poses: dict[str, np.ndarray] = {WORLD: np.eye(4)}
    fixed = []
    scope.check()
    for inner, entry in scope.walk("link"):
        link = reader.read(inner, entry)
        links[link.name] = link
        poses[link.name] = inner.absolute() @ inner.pose_of(entry.name, entry.home, entry.element)
        fixed += [link.name] if inner.is_static else []
    reader.note_defaults()
    if not links:
        document.fail(scope.content, "it has no <link>")
    joints = {joint.name: joint for joint in (read_joint(document, *found) for found in scope.walk("joint"))}
    unknown = [name for name in cut if name not in joints]
    if unknown:
        raise ArgumentError(f"cut names the joint {display(unknown[0])}: the file has {listed(map(repr, joints))}")
    graph = spanning(list(links), fixed, _edges(joints), cut)
    tree = SdfTree(links, joints, poses, fixed, graph.steps, options.base)
    loops = SdfLoops(document, joints, poses, fixed, graph.cut, tree)
    gravity = _gravity(document, scope)
    inner_options = replace(options, base=Weld())
    name = scope.content.get("name")
    assembling = Assembling(document, tree.links, tree.joints, inner_options, loops.closures(), gravity, name)
    robot = assembling.imported()
    tree.set_starts(robot)
    loops.add_laws(robot.model, assembling.laws)
    for weightless in reader.weightless:
        inertia, body = assembling.links[weightless].inertia, robot.bodies[weightless]
        lift = [-inertia.mass * g for g in gravity]
        robot.model.force(assembling.laws.forces.new(f"{weightless}_weightless"), body, inertia.com, lift)
    by_name = robot.joints | loops.imported(robot.bodies)
    in_order = {axis: by_name[axis] for joint in joints.values() for axis in joint.names}
    return replace(robot, bodies={link: robot.bodies[link] for link in links}, joints=in_order)


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
