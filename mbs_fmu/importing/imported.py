"""What a robot file gives: the model, and what the file says beyond it."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..model.checks import RESERVED
from ..model.geometry.poses import Pose
from ..model.model import Model

SLIDES = ("prismatic", "slide")  #: kinds of joints, in URDF and MJCF
SINGLE = (*SLIDES, "revolute", "hinge")


@dataclass(frozen=True)
class Limits:
    """Of a joint: coordinate (rad or m), effort (N m or N) and speed (rad/s or m/s); infinite where none is told."""

    lower: float = -math.inf
    upper: float = math.inf
    effort: float = math.inf
    velocity: float = math.inf


@dataclass(frozen=True)
class Mimic:
    """A joint follows another: its coordinate is multiplier times the leader's, plus offset."""

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class ImportedJoint:
    """A joint of the file.

    kind: as the file calls it. body: of the model, which has its coordinates. coordinate: the number of the first of
    them, from 1; None where it has none. input: the model's input for its effort, where there is one.
    """

    name: str
    kind: str
    body: str
    coordinate: int | None = None
    limits: Limits = Limits()
    mimic: Mimic | None = None
    input: str | None = None


@dataclass(frozen=True)
class ImportedShape:
    """What the file draws on a body, or lets it collide with.

    kind and size (m): "box" with its edges along x, y, z; "sphere" with its radius; "cylinder" and "capsule", along z,
    with radius and length (of a capsule without its half balls); "mesh" with the `scale` of its `file`, None where that
    is not found; other kinds as the file calls them. at: its place in body axes. color: red, green, blue, opacity, 0 to
    1, where it has one. role: "visual" or "collision".
    """

    kind: str
    size: tuple[float, ...]
    at: Pose
    role: str = "visual"
    color: tuple[float, ...] | None = None
    file: Path | None = None
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Imported:
    """A model from a robot file.

    bodies: the model's bodies by the names of the file's links. joints: by name. shapes: by body of the model. notes:
    what was left out or changed, a line each.
    """

    model: Model
    bodies: dict[str, str] = field(default_factory=dict)
    joints: dict[str, ImportedJoint] = field(default_factory=dict)
    shapes: dict[str, list[ImportedShape]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The tree of bodies with their joints and limits, and the notes, for people."""
        out = [repr(self.model)]
        moving = {joint.body: [] for joint in self.joints.values()}  # type: dict[str, list[ImportedJoint]]
        for joint in self.joints.values():
            moving[joint.body].append(joint)
        depth = {"world": 0}
        for name in _depth_first(self.model):
            body = self.model.bodies[name]
            depth[name] = depth[body.parent] + 1
            mass = f", {body.mass.value:g} kg" if body.mass.op == "const" and body.mass.value else ""
            out.append(f"{'  ' * depth[name]}{name}{mass}{''.join(map(_told, moving.get(name, ())))}")
        return [*out, *(f"note: {note}" for note in self.notes)]


def tell_ranges(model: Model, joints: Iterable[ImportedJoint], note: Callable[[str], None]) -> None:
    """Limits of hinges and slides as ranges of their coordinates; notes of those that leave zero out."""
    for joint in joints:
        low, high = joint.limits.lower, joint.limits.upper
        if joint.kind not in SINGLE or joint.coordinate is None or not low < high:
            continue
        model.range(joint.body, bound(low), bound(high), joint.coordinate)
        if not low <= 0.0 <= high and joint.mimic is None:
            unit = "m" if joint.kind in SLIDES else "rad"
            note(f"joint {joint.name!r} starts at zero, outside its limits {low:g} .. {high:g} {unit}")


def bound(value: float) -> float | None:
    """A limit in the model's words."""
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


def _told(joint: ImportedJoint) -> str:
    """A joint behind its body's name."""
    limits = joint.limits
    said = [f"{joint.kind} {joint.name!r}"]
    if math.isfinite(limits.lower) or math.isfinite(limits.upper):
        said.append(f"{limits.lower:g} to {limits.upper:g}")
    for value, unit in ((limits.effort, "effort"), (limits.velocity, "speed")):
        said += [f"{unit} {value:g}"] if math.isfinite(value) and value > 0 else []
    if joint.mimic is not None:
        said.append(f"{joint.mimic.multiplier:g} x {joint.mimic.leader!r} + {joint.mimic.offset:g}")
    return f" ({', '.join(said)})"


class Names:
    """Identifiers for the names of a file: different names stay different."""

    def __init__(self) -> None:
        self.taken: set[str] = set(RESERVED)

    def new(self, name: str) -> str:
        """An identifier like the name, which no other thing has."""
        out = identifier(name)
        while out in self.taken:
            out += "_"
        self.taken.add(out)
        return out


def identifier(name: str) -> str:
    """The name with underscores for what an identifier can't have."""
    out = re.sub(r"\W", "_", name, flags=re.ASCII) or "_"
    return f"_{out}" if out[0].isdigit() or keyword.iskeyword(out) else out
