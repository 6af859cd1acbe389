"""Loops of an SDFormat file: joints outside the tree as closures with their laws, and gearboxes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ..model.geometry.poses import Pose
from ..model.items import WORLD
from ..model.measures.measures import coordinate
from ..model.model import Model
from ..symbolic.expressions import Expression, as_expression
from .document import Document
from .imported import ImportedJoint, Limits
from .joint_laws import JointLaws
from .parts import ClosureData, Frame
from .sdf_joints import GEARBOX, SdfJoint, is_small, snapped
from .sdf_scopes import inverse
from .sdf_tree import SdfTree


class SdfLoops:
    """Closures of joints that are cut. poses: of links, 4x4, in the outermost scope. fixed: links of static models.

    Raises ModelError if a joint that is cut mimics another one, or another one mimics it.
    """

    def __init__(
        self,
        document: Document,
        joints: Mapping[str, SdfJoint],
        poses: Mapping[str, np.ndarray],
        fixed: Collection[str],
        cut: Sequence[str],
        tree: SdfTree,
    ):
        self.document, self.poses, self.tree = document, poses, tree
        self.gearboxes = [joint for joint in joints.values() if joint.kind == GEARBOX]
        grounded = {WORLD, *fixed}
        self.cut = [joints[name] for name in cut]
        self.closing = [joint for joint in self.cut if not {joint.parent, joint.child} <= grounded]
        self._check_followers(joints)

    def closures(self) -> list[ClosureData]:
        """Return the closures; joints between links that are fixed close nothing."""
        return [
            ClosureData(
                joint.name,
                joint.element,
                (joint.parent, joint.child),
                (self._frame(joint, joint.parent), self._frame(joint, joint.child)),
                joint.joint(joint.X[:3, :3]),
            )
            for joint in self.closing
        ]

    def imported(self, bodies: Mapping[str, str]) -> dict[str, ImportedJoint]:
        """Return the data of joints outside the tree, which have no coordinate, by name."""
        found = {}
        closing = [joint.name for joint in (*self.closing, *self.gearboxes)]
        for joint in (*self.cut, *self.gearboxes):
            body = bodies.get(joint.child, WORLD)
            for name in joint.names:
                limits = next((axis.limits for axis in joint.axes if axis.name == name), Limits())
                closes = joint.name in closing
                found[name] = ImportedJoint(name, joint.kind, body, None, limits, is_closure=closes)
        return found

    def add_laws(self, model: Model, laws: JointLaws) -> None:
        """Add springs and dampers of closing joints, and gearboxes. Notes name what closing joints can't have."""
        for joint in self.closing:
            with self.document.at(joint.element, f"joint {joint.name!r}"):
                self._add_law(model, laws, joint)
        for gearbox in self.gearboxes:
            first, second = (
                self._angle(gearbox, end, direction, laws.bodies)
                for end, direction in zip((gearbox.parent, gearbox.child), gearbox.directions, strict=True)
            )
            with self.document.at(gearbox.element, f"gearbox {gearbox.name!r}"):
                model.constrain(laws.names.new(gearbox.name), second + gearbox.ratio * first)

    def _check_followers(self, joints: Mapping[str, SdfJoint]) -> None:
        held = {name: joint for joint in self.cut for name in joint.names}
        for joint in joints.values():
            for axis in joint.axes:
                if axis.mimic is not None and {axis.name, axis.mimic.leader} & set(held):
                    self.document.fail(
                        joint.element,
                        f"joint {axis.name!r} mimics {axis.mimic.leader!r}, but one of them closes a loop and has no "
                        "coordinate: cut the loop elsewhere by cut=",
                    )

    def _frame(self, joint: SdfJoint, link: str) -> Frame:
        X = inverse(self.poses[link]) @ joint.X
        return snapped(X[:3, 3]), snapped(X[:3, :3])

    def _add_law(self, model: Model, laws: JointLaws, joint: SdfJoint) -> None:
        """Add the spring and damper of a joint with one axis, between the links; note what is left out."""
        missing = []
        dynamics = laws.options.dynamics
        ends = [laws.bodies[link] for link in (joint.parent, joint.child)]
        for axis, direction in zip(joint.axes, joint.directions, strict=True):
            elastic = dynamics and bool(axis.stiffness or axis.damping)
            single = joint.kind in ("revolute", "continuous", "prismatic")
            missing += ["friction"] if dynamics and axis.friction else []
            missing += ["spring and damping"] if elastic and not single else []
            missing += ["stops"] if laws.options.stops and not np.isinf(axis.limits.upper - axis.limits.lower) else []
            missing += ["input"] if laws.options.efforts else []
            if elastic and single:
                name, R = laws.forces.new(f"{axis.name}_spring"), _along(direction)
                a, b = (inverse(self.poses[link]) for link in (joint.parent, joint.child))
                X = np.eye(4)
                X[:3, :3], X[:3, 3] = R, joint.X[:3, 3]
                at_b = b @ X
                if joint.kind == "prismatic":
                    X[:3, 3] += axis.reference * direction
                    law: dict[str, Any] = {"stiffness": (axis.stiffness, 0, 0), "damping": (axis.damping, 0, 0)}
                    model.bushing(name, *ends, at_a=_pose(a @ X), at_b=_pose(at_b), **law)
                else:
                    law = {"stiffness": axis.stiffness, "damping": axis.damping, "angle": axis.reference}
                    model.rotational_spring(name, *ends, axis="x", at_a=_pose(a @ X), at_b=_pose(at_b), **law)
        if missing:
            what = ", ".join(dict.fromkeys(missing))
            self.document.note(f"joint {joint.name!r} closes a loop: it gets no {what}; cut= selects another joint")

    def _angle(self, gearbox: SdfJoint, link: str, direction: np.ndarray, bodies: Mapping[str, str]) -> Expression:
        """Return the angle of a link relative to the reference body of a gearbox, about a direction."""
        angle = as_expression(0.0)
        paths = [self._inward(link), self._inward(gearbox.reference)]
        common = {id(joint) for joint in paths[0]} & {id(joint) for joint in paths[1]}
        for sign, path in zip((1.0, -1.0), paths, strict=True):
            for joint in path:
                if id(joint) in common or joint.kind == "fixed":
                    continue
                turns = joint.kind in ("revolute", "continuous")
                if not turns or not is_small(np.cross(joint.directions[0], direction)):
                    self.document.fail(
                        gearbox.element,
                        f"gearbox {gearbox.name!r}: between {gearbox.reference!r} and {link!r} is the joint "
                        f"{joint.name!r}, which is no hinge about the gearbox's axis",
                    )
                body = bodies[self.tree.joints[joint.name].child]
                angle = angle + sign * float(np.sign(joint.directions[0] @ direction)) * coordinate(body)
        return angle

    def _inward(self, link: str) -> list[SdfJoint]:
        """Return the joints from a link to its root."""
        found = []
        while link in self.tree.inward:
            found.append(self.tree.inward[link])
            link = found[-1].parent
        return found


def _along(direction: np.ndarray) -> np.ndarray:
    """Return a rotation matrix whose first column is the direction."""
    Q, _ = np.linalg.qr(np.column_stack([direction, np.eye(3)[:, np.argsort(np.abs(direction))[:2]]]))
    first, second = np.sign(Q[:, 0] @ direction) * Q[:, 0], Q[:, 1]
    return np.column_stack([first, second, np.cross(first, second)])


def _pose(X: np.ndarray) -> Pose:
    return Pose(X[:3, 3], X[:3, :3])
