"""Poses of bodies at the start values that a model has, as expressions of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..model.builders.wheels import value, values
from ..model.data import ModelData
from ..model.geometry.axes import third_axis
from ..model.items import WORLD, Start
from ..model.motions.motion import Motion, MotionContext
from ..model.motions.slide import Slide
from ..model.motions.turn import Turn
from ..model.references.leaves import JointNumber, Signal
from ..record.blocks import LinkConstants
from ..record.layout import Load
from ..symbolic.expressions import Expression, as_expression, cos, sin
from ..symbolic.graph import rebuild
from ..symbolic.vectors import ORIGIN, UNIT, Matrix, Vector

OWN = LinkConstants.indices("own")  #: numbers of a link in which its motion's constants lie
Posed = tuple[Matrix, Vector]  #: rotation from body to world axes, and the origin, m


class Turning(NamedTuple):
    """A motion of a joint between the world and a body.

    body: whose joint it belongs to. coordinate, rate: its first coordinate and velocity in this joint, from 0. axis:
    unit vector in world axes at the start, if it is a rotation about an axis. slide: unit vector in the axes of the
    joint's frame, if it is a translation. Both are None for any other motion.
    """

    body: str
    coordinate: int
    rate: int
    axis: np.ndarray | None
    slide: tuple[float, float, float] | None


class StartPoses:
    """Poses of a model's bodies at its present start values, before loops are assembled; elastic ones undeformed."""

    def __init__(self, model: ModelData):
        self.model = model
        self._poses: dict[str, Posed] = {WORLD: (UNIT, ORIGIN)}

    def pose(self, body: str) -> Posed:
        """Return rotation and origin of a body's frame in the world, as expressions of parameters."""
        if body not in self._poses:
            rotation, origin = self._joint_frame(body)
            for _, motion, q in self._motions(body):
                rotation, origin = _moved(motion, q, rotation, origin)
            self._poses[body] = rotation, origin
        return self._poses[body]

    def point(self, body: str, at: Vector) -> Vector:
        """Return the position of a body's point, m, in world axes; at: m, body axes."""
        rotation, origin = self.pose(body)
        return origin + Vector(rotation @ at)

    def numbers(self, vector: Vector) -> np.ndarray:
        """Return the values of expressions of parameters at the defaults of these."""
        return np.array(values(self.model, vector))

    def number(self, expression: Expression) -> float:
        """Return the value of an expression of parameters at the defaults of these."""
        return value(self.model, expression)

    def at_start(self, expression: Expression) -> Expression:
        """Return an expression of joint coordinates at the start values."""

        def replaced(node: Expression) -> Expression | None:
            if node.op != "leaf" or not isinstance(node.value, JointNumber):
                return None
            return self._coordinates(node.value.body)[node.value.k]

        return rebuild([expression], replaced)[0]

    def turnings(self, body: str) -> list[Turning]:
        """Return the motions between the world and a body, outward."""
        if body == WORLD:
            return []
        found = self.turnings(self.model.bodies[body].parent)
        rotation, origin = self._joint_frame(body)
        rate = 0
        for first, motion, q in self._motions(body):
            axis = motion.axis if isinstance(motion, Turn) else None
            slide = motion.axis if isinstance(motion, Slide) else None
            in_world = None if axis is None else self.numbers(rotation @ Vector(axis))
            found.append(Turning(body, first, rate, in_world, slide))
            rotation, origin = _moved(motion, q, rotation, origin)
            rate += len(motion.rate_units)
        return found

    def _joint_frame(self, body: str) -> Posed:
        """Return the pose of the frame before a body's joint."""
        item = self.model.bodies[body]
        rotation, origin = self.pose(item.parent)
        return rotation @ Matrix(item.rotation), origin + rotation @ item.position

    def _motions(self, body: str) -> Iterator[tuple[int, Motion, list[Expression]]]:
        """Yield the motions of a body's joint with their first coordinate, from 0, and their start values."""
        q, first = self._coordinates(body), 0
        for motion in self.model.bodies[body].joint.motions:
            count = len(motion.units)
            yield first, motion, q[first : first + count]
            first += count

    def _coordinates(self, body: str) -> list[Expression]:
        """Return the start values of a body's coordinates, also of those that drives or leaders determine."""
        joint = self.model.bodies[body].joint
        given = self.model.starts.get(body, Start()).q or joint.rest
        laws = self.model.start_laws
        q = [
            laws.get(f"{body}.{suffix}", as_expression(x))
            for (suffix, _), x in zip(joint.coordinates, given, strict=True)
        ]
        for follower in self.model.followers.on(body):
            q[0] = follower.ratio * self._coordinates(follower.leader)[0] + follower.offset
        for drive in self.model.drives.on(body):
            for k, law in zip(drive.coordinates, drive.position, strict=True):
                q[k] = rebuild([law], self._at_start)[0]
        return q

    def _at_start(self, node: Expression) -> Expression | None:
        """Return a signal of a drive's law at the start: time is zero; None for any other node."""
        if node.op != "leaf" or not isinstance(node.value, Signal) or node.value.role == "parameter":
            return None
        name = node.value.name
        given: dict[str, Any] = {**self.model.inputs, **self.model.states}
        return as_expression(given[name].start if name in given else 0.0)


def _moved(motion: Motion, q: list[Expression], rotation: Matrix, origin: Vector) -> Posed:
    """Return the pose of the frame behind a motion with coordinates q, from that of the frame before it."""
    constants = motion.constants
    to_axis = UNIT if motion.axis is None else Matrix(third_axis(motion.axis))
    context = MotionContext(motion, 2, False, 0, 0, lambda k: constants[OWN.index(k)])
    changed, moved = UNIT, ORIGIN
    for change in motion.frame(context):
        changed, moved = change.pose(changed, moved)
    entries = rebuild([*(x for row in changed.rows for x in row), *moved], _coordinate_of(q))
    local = Matrix(entries[3 * i : 3 * i + 3] for i in range(3))
    frame = rotation @ to_axis
    return frame @ local @ to_axis.T, origin + frame @ Vector(entries[9:])


def _coordinate_of(q: list[Expression]) -> Callable[[Expression], Expression | None]:
    """Return a function that replaces the numbers of the record in a motion's formulas by its coordinates q."""

    def replaced(node: Expression) -> Expression | None:
        if node.op != "leaf" or not isinstance(node.value, Load):
            return None
        value = q[node.value.offset]
        return {"q": value, "sines": sin(value), "cosines": cos(value)}[node.value.region]

    return replaced
