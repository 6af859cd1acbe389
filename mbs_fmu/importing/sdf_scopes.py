"""Scopes of an SDFormat file: worlds and models with their names, the poses of frames, and the links they belong to.

A scope holds the names of links, joints, frames and nested models. Poses are 4x4 matrices at zero coordinates. The
elements of a model that is merged belong to the scope of the including model, but for them the name `__model__` is that
of a frame, `_merged__NAME__model__`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

import numpy as np
import numpy.typing as npt

from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.names import listed
from ..model.geometry.rotations import rpy
from ..model.items import WORLD
from ..symbolic.quaternions import rotation_rows
from .document import TRUTHS, Document, Element

MODEL = "__model__"  #: name of the frame of the model or world itself
Version = tuple[int, ...]
Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Entry:
    """A named element of a scope.

    kind: "link", "joint", "frame", "model" or "merged". home: name of the frame that is `__model__` for it. nested:
    scope of a model. pose: element with its pose, or None. placement: name of the frame that the pose places, if it is
    not the model's own.
    """

    name: str
    kind: str
    element: Element
    home: str
    version: Version
    pose: Element | None
    nested: Scope | None = None
    placement: str = ""

    @property
    def what(self) -> str:
        """Kind and name, for messages."""
        return f"{'model' if self.kind == 'merged' else self.kind} {self.element.get('name')!r}"


@dataclass(eq=False)
class Scope:
    """A world or model. prefix: of the full names of its links and joints. is_static: its links are fixed."""

    document: Document
    element: Element
    parent: Scope | None
    prefix: str
    is_static: bool = False
    entries: dict[str, Entry] = field(default_factory=dict)
    name_in_parent: str = ""
    _poses: dict[str, Matrix] = field(default_factory=dict)
    _open: set[str] = field(default_factory=set)  #: entries whose poses are being computed
    _placing: set[str] = field(default_factory=set)  #: merged models whose placement frames are being sought

    @property
    def is_world(self) -> bool:
        """True for a world, whose own frame is that of the model."""
        return self.parent is None

    @property
    def what(self) -> str:
        """Kind and name, for messages."""
        return f"{self.element.tag} {self.element.get('name')!r}"

    def add(self, entry: Entry) -> None:
        """Add an entry. Raises ModelError for a name that is taken or reserved."""
        name = entry.name
        reserved = name == WORLD or (name.startswith("__") and name.endswith("__"))
        if reserved and entry.kind != "merged":
            self.document.fail(entry.element, f"the name {name!r} is reserved: rename this <{entry.element.tag}>")
        if name in self.entries:
            line = self.entries[name].element.line
            self.document.fail(entry.element, f"{name!r} is there twice in {self.what}, first on line {line}")
        self.entries[name] = entry

    @property
    def content(self) -> Element:
        """The element of the world, or of the only model that has been read from a file or world."""
        models = [entry for entry in self.entries.values() if entry.nested is not None and not entry.nested.prefix]
        return models[0].element if models else self.element

    def walk(self, kind: str) -> Iterator[tuple[Scope, Entry]]:
        """Yield all entries of a kind, with their scopes: the scope's own, then those of nested models."""
        for entry in self.entries.values():
            if entry.kind == kind:
                yield self, entry
        for entry in self.entries.values():
            if entry.nested is not None:
                yield from entry.nested.walk(kind)

    def check(self) -> None:
        """Raise ModelError if a frame, also one that nothing needs, has no pose or no link."""
        for entry in self.entries.values():
            self._entry_pose(entry.name)
            if entry.element.get("attached_to"):
                self.link_of(entry.name, entry.home, entry.element)
            if entry.nested is not None:
                entry.nested.check()
                if entry.element.get("canonical_link"):
                    self.link_of(entry.name, entry.home, entry.element)

    # -- names -------------------------------------------------------------------------------------------
    def find(self, name: str, home: str, element: Element) -> tuple[Scope, Entry | None]:
        """Return the scope and the entry of a name, such as "link" or "model::frame"; None for the scope's own frame.

        The name "world" gives the outermost scope. element: for messages. Raises ModelError for an unknown name.
        """
        scope, rest = self, name
        while True:
            if rest == MODEL and scope is self and home != MODEL:
                return scope, scope.entries[home]
            if rest == MODEL:
                return scope, None
            if rest in scope.entries:
                return scope, scope.entries[rest]
            if name == WORLD:
                while scope.parent is not None:
                    scope = scope.parent
                return scope, None
            parts = rest.split("::")
            for k in range(1, len(parts)):
                outer = scope.entries.get("::".join(parts[:k]))
                if outer is not None and outer.nested is not None:
                    scope, rest = outer.nested, "::".join(parts[k:])
                    break
            else:
                self.document.fail(element, f"{self.what} has no {name!r}: it has {listed(self.entries)}")

    def link_of(self, name: str, home: str, element: Element) -> str:
        """Return the full name of the link to which a frame is attached, or "world"."""
        scope: Scope = self
        seen: set[tuple[int, str]] = set()
        while True:
            scope, entry = scope.find(name, home, element)
            if entry is not None and entry.nested is not None:
                scope, entry = entry.nested, None
            if entry is None and scope.is_world:
                return WORLD
            if entry is not None and entry.kind == "link":
                return scope.prefix + entry.name
            key = (id(scope), MODEL if entry is None else entry.name)
            if key in seen:
                what = scope.what if entry is None else entry.what
                self.document.fail(element, f"{what} is attached to itself, through other frames")
            seen.add(key)
            if entry is None or entry.kind == "merged":
                name, home = scope._canonical(key[1]), MODEL
            else:
                name, home, element = _carrier(self.document, entry), entry.home, entry.element

    def _canonical(self, home: str) -> str:
        """Return the name of the link, or of the nested model, to which the frame of a model is attached."""
        element = self.element if home == MODEL else self.entries[home].element
        chosen = element.get("canonical_link")
        if chosen:
            return chosen
        for kind in ("link", "model"):
            for entry in self.entries.values():
                if entry.kind == kind and entry.home == home:
                    return entry.name
        return self.document.fail(element, f"model {element.get('name')!r} has no link")

    # -- poses -------------------------------------------------------------------------------------------
    def absolute(self) -> Matrix:
        """Return the pose of the scope's frame in the outermost scope."""
        X, scope = np.eye(4), self
        while scope.parent is not None:
            X = scope.parent._entry_pose(scope.name_in_parent) @ X
            scope = scope.parent
        return X

    def pose_of(self, name: str, home: str, element: Element) -> Matrix:
        """Return the pose of a frame by its name, relative to the scope's own frame."""
        scope, entry = self.find(name, home, element)
        inner: Matrix = np.eye(4) if entry is None else scope._entry_pose(entry.name)
        if scope is self:
            return inner
        if scope.is_world:
            return inverse(self.absolute()) @ inner
        while scope is not self:
            assert scope.parent is not None
            inner = scope.parent._entry_pose(scope.name_in_parent) @ inner
            scope = scope.parent
        return inner

    def pose_at(self, pose: Element | None, default: str, home: str, element: Element, version: Version) -> Matrix:
        """Return what a pose element describes, relative to the scope's own frame. default: frame to which it is
        relative if it names none."""
        return self.pose_of(relative_to(pose, version) or default, home, element) @ raw_pose(self.document, pose)

    def _entry_pose(self, name: str) -> Matrix:
        """Return the pose of an entry relative to the scope's own frame. Chains of frames may be long: no recursion."""
        chain: list[tuple[str, Matrix]] = []
        opened: list[str] = []
        while name not in self._poses:
            entry = self.entries[name]
            if name in self._open:
                self.document.fail(entry.element, f"the pose of {entry.what} is relative to itself, by other frames")
            self._open.add(name)
            opened.append(name)
            chain.append((name, self._placed(entry)))
            outer = relative_to(entry.pose, entry.version) or self._default_frame(entry)
            scope, target = self.find(outer, entry.home, entry.element)
            if scope is self and target is not None:
                name = target.name
                continue
            last, local = chain.pop()
            base = np.eye(4) if scope is self else self.pose_of(outer, entry.home, entry.element)
            self._poses[last] = base @ local
            break
        X: Matrix = self._poses[name]
        for inner, local in reversed(chain):
            X = self._poses[inner] = X @ local
        self._open.difference_update(opened)
        return X

    def _placed(self, entry: Entry) -> Matrix:
        """Return the pose of an entry relative to the frame that its pose names."""
        X = raw_pose(self.document, entry.pose)
        if not entry.placement:
            return X
        if entry.nested is not None:
            return X @ inverse(entry.nested.pose_of(entry.placement, MODEL, entry.element))
        if entry.name in self._placing:
            self.document.fail(entry.element, f"the pose of {entry.what} is relative to itself, by other frames")
        known = self._poses, self._open
        self._poses, self._open = {entry.name: np.eye(4)}, set()  # poses relative to the merged model
        self._placing.add(entry.name)
        inner = self.pose_of(entry.placement, entry.name, entry.element)
        self._placing.remove(entry.name)
        self._poses, self._open = known
        return X @ inverse(inner)

    def _default_frame(self, entry: Entry) -> str:
        if entry.kind in ("link", "model", "merged"):
            return entry.home
        return _carrier(self.document, entry)


def _carrier(document: Document, entry: Entry) -> str:
    """Return the name of what carries a joint or frame: the joint's child, or the frame it is attached to."""
    if entry.kind == "joint":
        return document.text(entry.element, "child")
    return entry.element.get("attached_to") or MODEL


def relative_to(pose: Element | None, version: Version) -> str:
    """Return the name of the frame to which a pose is relative, or an empty text. Before 1.7 it is called `frame`."""
    if pose is None:
        return ""
    return pose.get("relative_to") or (pose.get("frame") if version < (1, 7) else "")


def raw_pose(document: Document, pose: Element | None) -> Matrix:
    """Return the pose of an element, 4x4, without its frame. Raises ModelError."""
    X = np.eye(4)
    if pose is None or not pose.text:
        return X
    form = pose.get("rotation_format", "euler_rpy")
    if form == "quat_xyzw":
        *r, x, y, z, w = document.values(pose, 7)
        norm = float(np.linalg.norm((w, x, y, z)))
        if norm < 1e-6:
            document.fail(pose, "the quaternion of this <pose> has no direction")
        X[:3, :3] = rotation_rows(np.array([w, x, y, z]) / norm)
    elif form == "euler_rpy":
        *r, roll, pitch, yaw = document.values(pose, 6)
        scale = np.pi / 180.0 if TRUTHS.get(pose.get("degrees", "false").lower()) else 1.0
        X[:3, :3] = rpy(scale * roll, scale * pitch, scale * yaw)
    else:
        document.fail(pose, f"<pose> has the rotation_format {form!r}: use euler_rpy or quat_xyzw")
    X[:3, 3] = r
    return X


def inverse(X: Matrix) -> Matrix:
    """Inverse of a pose, 4x4."""
    inverted: Matrix = np.eye(4)
    inverted[:3, :3] = X[:3, :3].T
    inverted[:3, 3] = -X[:3, :3].T @ X[:3, 3]
    return inverted
