"""Links, joints and closures of a robot file, as the readers pass them to `Assembling`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.closures import Pair
from ..model.items import WORLD
from ..model.joints import Joint
from .document import Element
from .imported import ImportedShape, Limits, Mimic
from .inertias import Inertia

UNLIMITED = Limits()
Frame = tuple[np.ndarray, np.ndarray]  #: position (m), (3,), and rotation matrix, (3, 3), on a link


@dataclass(frozen=True)
class LinkData:
    """A link of the file.

    is_auxiliary: True for a massless link that only separates a joint from the link's origin. group: name of its model
    in the file. self_collides: whether its shapes may touch those of other links of the group.
    """

    name: str
    element: Element | None
    inertia: Inertia
    shapes: list[ImportedShape]
    is_auxiliary: bool = False
    group: str = ""
    self_collides: bool = True


@dataclass(frozen=True)
class AxisData:
    """Laws along a coordinate of a joint.

    name: that of the joint, or for its second axis JOINT.axis2. coordinate: its number in the joint, from 1. damping,
    friction and stiffness: in N and m, or N m and rad. reference: coordinate without spring force. Damping and friction
    of joints with several degrees of freedom and one AxisData act along each velocity.
    """

    name: str
    coordinate: int = 1
    limits: Limits = UNLIMITED
    mimic: Mimic | None = None
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    reference: float = 0.0

    @property
    def has_law(self) -> bool:
        """True if a spring, damping or friction acts along the coordinate."""
        return bool(self.damping or self.friction or self.stiffness)


@dataclass(frozen=True)
class JointData:
    """A joint of the file, directed outward in the tree. place: joint frame in axes of the parent link.

    is_auxiliary: True for a joint that is not in the file, such as that of a floating base. has_motor: whether it gets
    an input, if joints do.
    """

    name: str
    kind: str
    element: Element | None
    parent: str
    child: str
    place: Frame
    joint: Joint
    axes: tuple[AxisData, ...] = ()
    is_auxiliary: bool = False
    has_motor: bool = True

    @property
    def degrees_of_freedom(self) -> int:
        """Number of velocities of the joint."""
        return len(self.joint.rates)

    def is_along(self, axis: AxisData) -> bool:
        """Return whether a coordinate is a translation."""
        return self.joint.forces[axis.coordinate - 1][1] == "N"


@dataclass(frozen=True)
class ClosureData:
    """A joint that closes a loop between two links; `frames` on them coincide at zero coordinates."""

    name: str
    element: Element | None
    links: tuple[str, str]
    frames: tuple[Frame, Frame]
    joint: Pair


@dataclass(frozen=True)
class JointEnds:
    """What a joint of the file connects, and the data along its coordinates, before the links form a tree.

    moves: False for a weld. is_along: for each of `axes`, whether its coordinate is a translation.
    """

    name: str
    element: Element | None
    parent: str
    child: str
    moves: bool
    axes: tuple[AxisData, ...] = ()
    is_along: tuple[bool, ...] = ()


@dataclass
class RobotParts:
    """The content of a robot file, also of one that the readers refuse.

    links, joints: those that could be read, by name. held: links that the world holds, as a fixed base does. unstated:
    links to whose mass or inertia a default of the format applies. unmoved: function that returns the joints that move
    no inertia; it raises ModelError for links that form no tree. load: function that reads the robot with any inertias,
    and raises ModelError for all other faults.
    """

    links: dict[str, LinkData]
    joints: dict[str, JointEnds]
    held: set[str]
    unmoved: Callable[[], list[str]]
    load: Callable[[], object]
    unstated: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def moving(self) -> set[str]:
        """Return the links that can move relative to the world."""
        neighbours: dict[str, list[str]] = {}
        for joint in self.joints.values():
            if not joint.moves:
                neighbours.setdefault(joint.parent, []).append(joint.child)
                neighbours.setdefault(joint.child, []).append(joint.parent)
        pending = [*self.held, WORLD]
        reached = set(pending)
        while pending:
            found = [link for link in neighbours.get(pending.pop(), ()) if link not in reached]
            reached.update(found)
            pending += found
        return set(self.links) - reached
