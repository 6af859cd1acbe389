"""Joints of an SDFormat file: their kinds, axes, limits and laws, and their places in the tree or as closures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.items import WORLD
from ..model.joints import Compound, Joint, Prismatic, Revolute, Screw, Spherical, Weld, turn
from .document import Document, Element
from .imported import Limits, Mimic
from .parts import AxisData
from .sdf_scopes import MODEL, Entry, Scope

UNLIMITED = 1e16  #: numbers from this on mean infinity
Axes = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Kind:
    """A joint type of SDFormat.

    axes: number of its axes. rank: joints of a higher rank are rather cut. joint: function of the axes and the pitch
    (m/rad) that returns the model's joint. is_central: whether a shift of the joint frame, also along the axis, changes
    the joint. has_place: whether any shift of the joint frame changes it.
    """

    axes: int
    rank: int
    joint: Callable[[Axes, float], Joint]
    is_central: bool = True
    has_place: bool = True


def _turns(axes: Axes, pitch: float) -> Joint:
    return Compound(*(turn(axis.tolist()) for axis in axes))


_HINGE = Kind(1, 0, lambda axes, pitch: Revolute(axes[0].tolist()), is_central=False)
KINDS = {
    "revolute": _HINGE,
    "continuous": _HINGE,
    "prismatic": Kind(1, 0, lambda axes, pitch: Prismatic(axes[0].tolist()), False, False),
    "screw": Kind(1, 0, lambda axes, pitch: Screw(axes[0].tolist(), pitch), is_central=False),
    "fixed": Kind(0, 1, lambda axes, pitch: Weld(), False, False),
    "universal": Kind(2, 2, _turns),
    "revolute2": Kind(2, 2, _turns),
    "ball": Kind(0, 3, lambda axes, pitch: Spherical()),
}
GEARBOX = "gearbox"


@dataclass(frozen=True)
class SdfJoint:
    """A joint of the file, at zero coordinates in the outermost scope.

    parent, child: full names of links, or "world". X: pose of the joint frame, 4x4. directions: unit vectors of its
    axes. pitch: of a screw, m/rad. axes: limits and laws, in the order of the directions. ratio, reference: of a
    gearbox.
    """

    name: str
    kind: str
    element: Element
    parent: str
    child: str
    X: np.ndarray
    directions: Axes
    axes: tuple[AxisData, ...]
    pitch: float = 0.0
    ratio: float = 1.0
    reference: str = ""

    @property
    def names(self) -> list[str]:
        """Names of the joint's axes, or its own."""
        return [axis.name for axis in self.axes] if self.axes and self.kind != GEARBOX else [self.name]

    def joint(self, R: np.ndarray) -> Joint:
        """Return the model's joint, from parent to child. R: axes of its frame in the outermost scope."""
        return KINDS[self.kind].joint(tuple(snapped(R.T @ axis) for axis in self.directions), self.pitch)

    def backward(self) -> SdfJoint:
        """Return the joint from child to parent; its coordinates are the same, those of two axes in reverse order."""
        count = len(self.axes)
        axes = [replace(axis, coordinate=count + 1 - axis.coordinate) for axis in self.axes]
        directions = tuple(-axis for axis in reversed(self.directions))
        return replace(self, parent=self.child, child=self.parent, directions=directions, axes=tuple(axes))

    def frame_on(self, X: np.ndarray) -> np.ndarray:
        """Return a pose of the joint frame that gives the same motions, 4x4. X: pose of the outer link.

        It is that of the link if possible; the axes are those of the link unless the joint is a ball.
        """
        kind, offset = KINDS[self.kind], self.X[:3, 3] - X[:3, 3]
        if not kind.has_place or (not kind.is_central and is_small(np.cross(offset, self.directions[0]))):
            return X
        if kind.axes == 0:
            return X if is_small(offset) and is_small(self.X - X) else self.X
        frame = X.copy()
        if not is_small(offset):
            frame[:3, 3] = self.X[:3, 3]
        return frame


def is_small(x: np.ndarray) -> bool:
    """Return whether numbers of order one are zero up to rounding."""
    return bool(np.abs(x).max() < 1e-12)


def snapped(x: np.ndarray) -> np.ndarray:
    """Return numbers of order one with zeros in place of rounding errors, which would lengthen the generated code."""
    return np.where(np.abs(x) < 1e-15, 0.0, x)


def read_joint(document: Document, scope: Scope, entry: Entry) -> SdfJoint:
    """Return a joint. Raises ModelError with the line of the file."""
    element, name = entry.element, scope.prefix + entry.element.get("name")
    kind = element.get("type").lower()
    if kind not in KINDS and kind != GEARBOX:
        document.fail(element, f"joint {name!r} has the unknown type {kind!r}: use {', '.join(KINDS)} or {GEARBOX}")
    ends = {}
    for tag in ("parent", "child"):
        text = document.text(element, tag)
        if not text:
            document.fail(element, f"joint {name!r} names no {tag} link")
        ends[tag] = scope.link_of(text, entry.home, element)
    if document.text(element, "child") == WORLD:
        document.fail(element, f"joint {name!r}: its child is the world: exchange child and parent")
    if ends["parent"] == ends["child"]:
        document.fail(element, f"joint {name!r} joins {ends['child']!r} with itself: give two links")
    absolute = scope.absolute()
    X = absolute @ scope.pose_of(entry.name, entry.home, element)
    tags = ("axis", "axis2")[: 2 if kind == GEARBOX else KINDS[kind].axes]
    read = [_axis(document, scope, entry, name, tag) for tag in tags]
    directions = tuple(absolute[:3, :3] @ direction for direction, _ in read)
    axes = tuple(
        replace(axis, limits=_unbounded(axis.limits) if kind == "continuous" else axis.limits, coordinate=k)
        for k, (_, axis) in enumerate(read, start=1)
    )
    if len(directions) == 2 and kind != GEARBOX and is_small(np.cross(*directions)):
        document.fail(element, f"the axes of {kind} joint {name!r} are parallel: give two different ones")
    joint = SdfJoint(name, kind, element, ends["parent"], ends["child"], X, directions, axes)
    if kind == "screw":
        return replace(joint, pitch=_pitch(document, element, name))
    return _gearbox(document, scope, entry, joint) if kind == GEARBOX else joint


def _axis(document: Document, scope: Scope, entry: Entry, joint: str, tag: str) -> tuple[np.ndarray, AxisData]:
    """Return the direction of an axis, in the scope's own axes, and what acts along it."""
    axis = document.one(entry.element, tag)
    if axis is None:
        document.fail(entry.element, f"{entry.element.get('type')} joint {joint!r} has no <{tag}>")
    xyz = document.one(axis, "xyz")
    direction = np.array([0.0, 0.0, 1.0]) if xyz is None else document.values(xyz, 3)
    length = float(np.linalg.norm(direction))
    if not length > 0.0:
        document.fail(xyz, f"joint {joint!r}: axis 0 0 0 has no direction")
    frame = "" if xyz is None else xyz.get("expressed_in")
    in_model = document.truth(axis, "use_parent_model_frame") or entry.version < (1, 5)
    if not frame:
        frame = MODEL if in_model else entry.name
    R = scope.pose_of(frame, entry.home, axis)[:3, :3]
    name = joint if tag == "axis" else f"{joint}.{tag}"
    dynamics = document.one(axis, "dynamics")
    return R @ direction / length, AxisData(
        name,
        limits=_limits(document, axis),
        mimic=_mimic(document, scope, entry, axis, name),
        damping=_finite(document, dynamics, "damping"),
        friction=_finite(document, dynamics, "friction"),
        stiffness=_finite(document, dynamics, "spring_stiffness"),
        reference=_finite(document, dynamics, "spring_reference"),
    )


def _finite(document: Document, parent: Element | None, tag: str, default: float = 0.0) -> float:
    value = document.value(parent, tag, default)
    if not math.isfinite(value):
        document.fail(parent, f"<{tag}> is {value}: give a finite number")
    return value


def _limits(document: Document, axis: Element) -> Limits:
    """Return limits; numbers of at least 1e16 are infinite, and so are negative efforts and velocities."""
    limit = document.one(axis, "limit")
    lower, upper = (document.value(limit, tag, default) for tag, default in (("lower", -math.inf), ("upper", math.inf)))
    effort, velocity = (document.value(limit, tag, math.inf) for tag in ("effort", "velocity"))
    return Limits(
        -math.inf if lower <= -UNLIMITED else lower,
        math.inf if upper >= UNLIMITED else upper,
        math.inf if effort < 0.0 or effort >= UNLIMITED else effort,
        math.inf if velocity < 0.0 or velocity >= UNLIMITED else velocity,
    )


def _unbounded(limits: Limits) -> Limits:
    return replace(limits, lower=-math.inf, upper=math.inf)


def _mimic(document: Document, scope: Scope, entry: Entry, axis: Element, name: str) -> Mimic | None:
    """Return the relation to a leader, in the form of URDF: multiplier x leader + offset."""
    drakes = document.one(axis, "drake:mimic")
    mimic = document.one(axis, "mimic") or drakes
    if mimic is None:
        return None
    inner, leading = scope.find(mimic.get("joint"), entry.home, mimic)
    if leading is None or leading.kind != "joint":
        document.fail(mimic, f"joint {name!r} mimics {mimic.get('joint')!r}, which is not a joint")
    leader = inner.prefix + leading.element.get("name")
    which = mimic.get("axis", "axis")
    if which not in ("axis", "axis2"):
        document.fail(mimic, f"<mimic> of joint {name!r} names the axis {which!r}: use axis or axis2")
    leader += "" if which == "axis" else ".axis2"
    if leader == name:
        document.fail(mimic, f"joint {name!r} mimics itself")
    if mimic is drakes:
        numbers = (document.number(mimic, tag, default) for tag, default in (("multiplier", "1"), ("offset", "0")))
        return Mimic(leader, *numbers)
    multiplier = _finite(document, mimic, "multiplier", 1.0)
    shift = multiplier * _finite(document, mimic, "reference")
    return Mimic(leader, multiplier, _finite(document, mimic, "offset") - shift)


def _pitch(document: Document, element: Element, name: str) -> float:
    """Return the advance of a screw, m/rad. The older `thread_pitch` is in rad/m, with the opposite sign."""
    new, old = document.one(element, "screw_thread_pitch"), document.one(element, "thread_pitch")
    if new is None and old is None:
        document.note(f"screw joint {name!r} has no pitch: it gets SDFormat's default, 1 m per turn")
    value = _finite(document, element, "screw_thread_pitch" if old is None or new is not None else "thread_pitch", 1.0)
    if value == 0.0:
        document.fail(element, f"the pitch of screw joint {name!r} is zero: it must not be")
    return value / (2.0 * math.pi) if old is None or new is not None else -1.0 / value


def _gearbox(document: Document, scope: Scope, entry: Entry, joint: SdfJoint) -> SdfJoint:
    """Return the joint with the ratio and the reference body of a gearbox."""
    reference = document.text(entry.element, "gearbox_reference_body")
    if not reference:
        document.fail(entry.element, f"gearbox joint {joint.name!r} has no <gearbox_reference_body>")
    link = scope.link_of(reference, entry.home, entry.element)
    return replace(joint, ratio=_finite(document, entry.element, "gearbox_ratio", 1.0), reference=link)
