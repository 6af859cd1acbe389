"""URDF: the unified robot description format of ROS, read by the standard library (docs/robots.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from ..messages.calls import with_clear_errors
from ..model.joints import Free, Joint, Planar, Prismatic, Revolute, Weld
from .assembling import Assembling, JointData, LinkData, Wishes
from .document import Document, Element
from .imported import Imported, ImportedShape, Limits, Mimic
from .inertias import Inertia, rows
from .shapes import Looks, placement

#: What is read of each element; all else is named in a note, but for what says nothing about motion or looks.
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
    packages: Mapping[str, str | PathLike[str]] | None = None,
    efforts: bool = False,
    stops: tuple[float, float] | None = None,
    dynamics: bool = True,
    unphysical: str = "refuse",
    massless: str = "refuse",
) -> Imported:
    """A model from a URDF: a body for each link, in the link's axes, with the joints' coordinates as the file has them.

    name: of the model; the robot's if it is left out. base: the joint between world and root link, a weld or
    `mbs.Free()`. packages: folders for package://NAME/... in names of meshes, by NAME; folders above the file are
    searched too. efforts: an input JOINT_effort (N m or N) for each joint with one freedom that follows no other, with
    bounds as the joint's effort. stops: stiffness and damping (N m/rad or N/m, and times s) of stops at the limits,
    which are data otherwise. dynamics: whether damping and friction of joints are taken.

    unphysical: inertias that no body has are refused, or with "keep" taken (`physical=False`), or with "mend" cut to
    the next possible ones, with a note for each. massless: joints that move no inertia are refused, or with "weld"
    welded, with a note. A joint that mimics another follows it, `JOINT_mimic`.

    Raises ModelError with file and line: for what is no URDF, numbers that are none, links that make no tree.
    """
    file = Path(path)
    wishes = Wishes(name, base, efforts, stops, dynamics, unphysical, massless)
    document = Document(file)
    if document.root.tag != "robot":
        document.fail(document.root, f"the outer element is <{document.root.tag}>, that of a URDF is <robot>")
    document.note_unknown(KNOWN, SILENT)
    looks = Looks(document, {package: Path(folder) for package, folder in (packages or {}).items()})
    links = {name: _link(document, looks, name, element) for name, element in document.named("link").items()}
    looks.note_missing()
    joints = {name: _joint(document, name, element) for name, element in document.named("joint").items()}
    return Assembling(document, links, joints, wishes).imported()


def _link(document: Document, looks: Looks, name: str, element: Element) -> LinkData:
    shapes: list[ImportedShape] = looks.of(element)
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
class Kind:
    """A type of joint: what it becomes, along its axis where it has one, and how many freedoms that are."""

    joint: type[Joint]
    axis: bool
    degrees_of_freedom: int


KINDS = {
    "revolute": Kind(Revolute, True, 1), "continuous": Kind(Revolute, True, 1), "prismatic": Kind(Prismatic, True, 1),
    "planar": Kind(Planar, True, 3), "floating": Kind(Free, False, 6), "fixed": Kind(Weld, False, 0),
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
        limits=_limits(document, element, kind),
        mimic=_mimic(document, name, element) if KINDS[kind].degrees_of_freedom == 1 else None,
        **_losses(document, element),
    )


def _motion(document: Document, name: str, element: Element, kind: Kind) -> Joint:
    """The joint by its type and axis."""
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


def _mimic(document: Document, name: str, element: Element) -> Mimic | None:
    mimic = document.one(element, "mimic")
    if mimic is None:
        return None
    leader = mimic.get("joint", "")
    if leader == name:
        document.fail(mimic, f"joint {name!r} mimics itself")
    return Mimic(leader, document.number(mimic, "multiplier", "1"), document.number(mimic, "offset", "0"))


def _losses(document: Document, element: Element) -> dict[str, float]:
    """Damping and dry friction."""
    dynamics = document.one(element, "dynamics")
    return {key: document.number(dynamics, key, "0") for key in ("damping", "friction")}
