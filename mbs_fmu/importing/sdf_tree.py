"""The tree of an SDFormat file: its links and joints, directed outward, in the form that `Assembling` expects."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ..model.items import WORLD
from ..model.joints import Joint, Weld
from ..model.measures.measures import quaternion_of
from ..symbolic.vectors import Vector
from .imported import Imported
from .inertias import Inertia
from .parts import Frame, JointData, LinkData
from .sdf_joints import SdfJoint, snapped
from .sdf_scopes import inverse
from .spanning import Step


class SdfTree:
    """Builder of a tree. A joint whose frame is not that of its outer link moves an additional link, NAME_joint.

    links, joints: of the tree, by name. inward: for each link of the file but the roots its joint, directed outward.
    poses: of links, 4x4, in the outermost scope. fixed: links of static models. base: joint of roots.
    """

    def __init__(
        self,
        links: Mapping[str, LinkData],
        joints: Mapping[str, SdfJoint],
        poses: Mapping[str, np.ndarray],
        fixed: Collection[str],
        steps: Sequence[Step],
        base: Joint,
    ):
        self.poses, self.base = poses, base
        self.links = dict(links)
        self.joints: dict[str, JointData] = {}
        self.inward: dict[str, SdfJoint] = {}
        self.floating: list[str] = []
        self._taken = set(joints)
        for link in fixed:
            self._attach(link, WORLD, poses[link], Weld())
        for step in steps:
            if step.joint:
                joint = joints[step.joint]
                self._add(joint.backward() if step.backward else joint)
            else:
                self._add_root(step.link)

    def set_starts(self, robot: Imported) -> None:
        """Start floating links in their poses of the file."""
        for link in self.floating:
            X = self.poses[link]
            quaternion = [x.value for x in quaternion_of(Vector(X[:3, :3].ravel().tolist()))]
            robot.model.start(robot.bodies[link], q=[*X[:3, 3].tolist(), *quaternion])

    def _add_root(self, link: str) -> None:
        """Add a link that the base joint connects with the world; a quaternion's start is the pose in the file."""
        floats = len(self.base.quaternions) == 1 and len(self.base.rates) == 6
        self.floating += [link] if floats else []
        self._attach(link, WORLD, np.eye(4) if floats else self.poses[link], self.base)

    def _add(self, joint: SdfJoint) -> None:
        """Add a joint that is directed outward, and its outer link."""
        X = self.poses[joint.child]
        frame = joint.frame_on(X)
        separate = frame is not X and not np.array_equal(frame, X)
        moved = self._new(self.links, f"{joint.child}_joint") if separate else joint.child
        if separate:
            self.links[moved] = LinkData(moved, joint.element, Inertia(), [], True)
        place = _frame(inverse(self.poses[joint.parent]) @ frame)
        kind = joint.joint(frame[:3, :3])
        self.joints[joint.name] = JointData(
            joint.name, joint.kind, joint.element, joint.parent, moved, place, kind, joint.axes
        )
        self.inward[joint.child] = joint
        if separate:
            self._attach(joint.child, moved, inverse(frame) @ X, Weld())

    def _attach(self, link: str, parent: str, X: np.ndarray, joint: Joint) -> None:
        """Add a joint that is not in the file."""
        name = self._new(self._taken, f"base of {link}")
        self._taken.add(name)
        element = self.links[link].element
        self.joints[name] = JointData(name, "", element, parent, link, _frame(X), joint, is_auxiliary=True)

    @staticmethod
    def _new(taken: Collection[str], name: str) -> str:
        while name in taken:
            name += "_"
        return name


def _frame(X: np.ndarray) -> Frame:
    return snapped(X[:3, 3]), snapped(X[:3, :3])
