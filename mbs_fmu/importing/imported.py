"""Contents of a robot file: the model, and data of the file that the model does not contain."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from pathlib import Path
from typing import Any

from ..infrastructure.arguments import is_one_of
from ..infrastructure.errors import ArgumentError, ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import add_clear_errors
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.named_items import NamedItems
from ..model.bodies.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from ..model.builders.wheels import path
from ..model.checks import RESERVED
from ..model.geometry.poses import Pose
from ..model.items import WORLD
from ..model.model import Model
from ..model.tree_text import counts

SOLIDS: dict[str, type[Shape]] = {
    "box": Box, "sphere": Sphere, "cylinder": Cylinder, "capsule": Capsule, "ellipsoid": Ellipsoid,
}  # fmt: skip
CONTACTS = ("all", "ground")
SLIDES = ("prismatic", "slide")  #: kinds of joints, in URDF and MJCF
SINGLE = (*SLIDES, "revolute", "hinge", "screw", "universal", "revolute2")  #: those whose coordinates have limits


@dataclass(frozen=True)
class Limits:
    """Limits of a joint: coordinate (rad or m), effort (N m or N), speed (rad/s or m/s); infinite if not specified."""

    lower: float = -math.inf
    upper: float = math.inf
    effort: float = math.inf
    velocity: float = math.inf


@dataclass(frozen=True)
class Mimic:
    """Relation of a joint to its leader: its coordinate is multiplier times the leader's, plus offset."""

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0


@add_clear_errors
@dataclass(frozen=True)
class ImportedJoint:
    """A joint of the file.

    kind: the file's name of its type. body: name of the body of the model that has its coordinates. coordinate: number
    of the first of them, from 1; None if it has none. input: the model's input for its effort, or None. is_closure:
    True if it closes a loop, or couples joints as a gearbox; it then has no coordinate.
    """

    name: str
    kind: str
    body: str
    coordinate: int | None = None
    limits: Limits = Limits()
    mimic: Mimic | None = None
    input: str | None = None
    is_closure: bool = False


@dataclass(frozen=True)
class Surface:
    """Numbers of contact that a URDF or SDFormat file gives a shape; None for those that it leaves out.

    friction: coefficient. torsional: radius at which friction resists spin, m. rolling: m. stiffness: N/m. damping:
    N.s/m. dissipation: of Hunt and Crossley, s/m.
    """

    friction: float | None = None
    torsional: float | None = None
    rolling: float | None = None
    stiffness: float | None = None
    damping: float | None = None
    dissipation: float | None = None


@dataclass(frozen=True)
class ImportedShape:
    """A visual or collision shape of a body.

    kind and size (m): "box" with its edges along x, y, z; "sphere" with its radius; "cylinder" and "capsule", along z,
    with radius and length (for a capsule without its half balls); "mesh" with the `scale` of its `file`, None if the
    file is not found; other kinds with the file's names. at: pose in body axes. color: red, green, blue, opacity, 0 to
    1, or None. role: "visual" or "collision", of which pictures show the former. collides: whether the file lets the
    shape touch others. name: that of the file, or empty. surface: numbers of contact, of a URDF or SDFormat file.
    """

    kind: str
    size: tuple[float, ...]
    at: Pose
    role: str = "visual"
    color: tuple[float, ...] | None = None
    file: Path | None = None
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    collides: bool = False
    name: str = ""
    surface: Surface = Surface()

    def solid(self) -> Shape | None:
        """Return the shape for pictures and contacts; None for a mesh without a file, and for unsupported kinds.

        Raises ModelError for sizes that no solid has.
        """
        if self.file is not None:
            return Mesh(self.file, scale=self.scale, at=self.at, color=self.color)
        solid = SOLIDS.get(self.kind)
        return None if solid is None else solid(*self.size, at=self.at, color=self.color)


@add_clear_errors
@dataclass(frozen=True)
class Keyframe:
    """A state of the file, for `simulate(model, ..., start=keyframe.start, inputs=keyframe.inputs)`.

    time: s. start: values of coordinates (m, rad, quaternions), velocities (m/s, rad/s) and states, by their names in
    results. inputs: by name.
    """

    time: float
    start: dict[str, float]
    inputs: dict[str, float]


@add_clear_errors
@dataclass(frozen=True)
class ImportedContact:
    """A contact of the model between two collision shapes of the file, a compliant one of `Model.contact`.

    name: that of the contact. kind: of both shapes, such as "box-plane". bodies, shapes: names of the bodies of the
    model and of the shapes of the file, on sides a and b. on_ground: whether one side is fixed in the world. arguments:
    those of `Model.contact`. is_limited: the contact is softer than in the file, so that it permits the steps of
    `mbs.FileContacts`.
    """

    name: str
    kind: str
    bodies: tuple[str, str]
    shapes: tuple[str, str]
    on_ground: bool
    arguments: dict[str, Any]
    is_limited: bool = False


@add_clear_errors
@dataclass(frozen=True)
class Imported:
    """A model from a robot file.

    bodies: names of the model's bodies, by the names of the file's links. joints: by name. shapes: by body of the
    model. notes: lines on content of the file that was omitted or changed. keyframes: of an MJCF, by name. contacts:
    those that the argument `contacts` of the reader has added, by name.
    """

    model: Model
    bodies: dict[str, str] = field(default_factory=dict)
    joints: dict[str, ImportedJoint] = field(default_factory=dict)
    shapes: dict[str, list[ImportedShape]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    keyframes: dict[str, Keyframe] = field(default_factory=dict)
    contacts: dict[str, ImportedContact] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("bodies", "joints", "shapes", "keyframes", "contacts"):
            object.__setattr__(self, name, NamedItems(getattr(self, name)))

    def contact_names(self, pairs: str = "all") -> list[str]:
        """Return the names of the contacts of the file, all of them or, for "ground", those with the world.

        Measures of many contacts, such as `mbs.contact_force`, take the list. Raises ArgumentError for another choice.
        """
        if not is_one_of(pairs, CONTACTS):
            raise ArgumentError(f"pairs is {display(pairs)}: use {' or '.join(map(repr, CONTACTS))}")
        return [name for name, contact in self.contacts.items() if pairs == "all" or contact.on_ground]

    def collisions(self) -> dict[str, list[Shape]]:
        """Return the collision shapes of bodies that can move, by body, for `Model.ground`.

        For an MJCF these are the geometries whose contact masks permit collisions. Meshes touch only with the vertices
        of their convex hull; notes name them, and shapes that contacts do not support.
        """
        found: dict[str, list[Shape]] = {}
        for body, shapes in self.shapes.items():
            for shape in [x for x in shapes if x.collides and self._moves(body)]:
                solid = self._touching(body, shape)
                if solid is not None:
                    found.setdefault(body, []).append(solid)
        return found

    def _touching(self, body: str, shape: ImportedShape) -> Shape | None:
        """Return a shape for contacts, or None. Adds notes."""
        try:
            solid = shape.solid()
        except ModelError as error:
            self._note(f"a shape of {body!r} touches nothing: {error}")
            return None
        if solid is None:
            self._note(f"a shape of {body!r} touches nothing: contacts have no {shape.kind}")
        elif shape.file is not None:
            self._note(f"mesh {shape.file.name} of {body!r} touches with vertices of its convex hull only")
        return solid

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def _moves(self, body: str) -> bool:
        """Return whether some joint between the world and a body moves."""
        return any(self.model.bodies[name].joint.motions for name in path(self.model, body) if name != WORLD)

    def lines(self) -> list[str]:
        """Return lines of text: the tree of bodies with their joints and limits, and the notes."""
        lines = [counts(self.model)]
        moving = {joint.body: [] for joint in self.joints.values()}  # type: dict[str, list[ImportedJoint]]
        for joint in self.joints.values():
            moving.setdefault(joint.body, []).extend([] if joint.is_closure else [joint])
        depth = {"world": 0}
        for name in _depth_first(self.model):
            body = self.model.bodies[name]
            depth[name] = depth[body.parent] + 1
            mass = f", {body.mass.value:g} kg" if body.mass.op == "const" and body.mass.value else ""
            lines.append(f"{'  ' * depth[name]}{name}{mass}{''.join(map(_joint_text, moving.get(name, ())))}")
        closing = [f"loop:{_joint_text(joint)} of {joint.body}" for joint in self.joints.values() if joint.is_closure]
        return [*lines, *closing, *(f"note: {note}" for note in self.notes)]


def add_ranges(model: Model, joints: Iterable[ImportedJoint], note: Callable[[str], None]) -> None:
    """Set the limits of joints with scalar coordinates as ranges of their coordinates; note those that exclude zero."""
    for joint in joints:
        low, high = joint.limits.lower, joint.limits.upper
        if joint.kind not in SINGLE or joint.coordinate is None:
            continue
        if low > high:
            note(f"joint {joint.name!r} has the lower limit {low:g} above the upper one {high:g}: it has no range")
        if not low < high:
            continue
        model.range(joint.body, bound(low), bound(high), joint.coordinate)
        if not low <= 0.0 <= high and joint.mimic is None:
            unit = "m" if joint.kind in SLIDES else "rad"
            note(f"joint {joint.name!r} starts at zero, outside its limits {low:g} .. {high:g} {unit}")


def bound(value: float) -> float | None:
    """Return a limit as an argument of the model: None if it is infinite."""
    return None if math.isinf(value) else value


def _depth_first(model: Model) -> Iterator[str]:
    children: dict[str, list[str]] = {}
    for body in model.bodies.values():
        children.setdefault(body.parent, []).append(body.name)
    pending = list(reversed(children.get("world", [])))
    while pending:
        name = pending.pop()
        yield name
        pending += reversed(children.get(name, []))


def _joint_text(joint: ImportedJoint) -> str:
    """Text on a joint that follows the name of its body."""
    limits = joint.limits
    parts = [f"{joint.kind} {joint.name!r}"]
    if math.isfinite(limits.lower) or math.isfinite(limits.upper):
        parts.append(f"{limits.lower:g} to {limits.upper:g}")
    for value, quantity in ((limits.effort, "effort"), (limits.velocity, "speed")):
        parts += [f"{quantity} {value:g}"] if math.isfinite(value) and value > 0 else []
    if joint.mimic is not None:
        parts.append(f"{joint.mimic.multiplier:g} x {joint.mimic.leader!r} + {joint.mimic.offset:g}")
    return f" ({', '.join(parts)})"


class Names:
    """Unique identifiers for the names of a file."""

    def __init__(self) -> None:
        self.taken: set[str] = set(RESERVED)

    def new(self, name: str) -> str:
        """Return an identifier similar to the name that is not taken yet, and take it."""
        unique = identifier(name)
        while unique in self.taken:
            unique += "_"
        self.taken.add(unique)
        return unique


def identifier(name: str) -> str:
    """Return the name with underscores in place of characters that an identifier can't contain."""
    text = re.sub(r"\W", "_", name, flags=re.ASCII) or "_"
    return f"_{text}" if text[0].isdigit() or keyword.iskeyword(text) else text
