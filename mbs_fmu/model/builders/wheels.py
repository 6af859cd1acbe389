"""Wheels of gears: the line about which a body turns relative to its carrier, and the pose of the wheel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression
from ...symbolic.graph import evaluate_all
from ...symbolic.rotations import by_parameters
from ..closures.mesh import Wheel
from ..data import ModelData
from ..geometry.axes import PARALLEL, SNAP
from ..geometry.vectors import Vector
from ..items import WORLD, body_label
from ..references.leaves import Signal

COINCIDENT = 1e-6  #: relative distance below which lines intersect


@dataclass(frozen=True)
class FramePose:
    """Pose of a frame in another while all joints between are at zero: position, m, and rotation matrix."""

    at: Vector
    rotation: np.ndarray

    def of(self, point: Vector) -> Vector:
        """Transform a point of this frame to the other frame."""
        return self.at + Vector(Vector(row).dot(point) for row in self.rotation)

    def then(self, inner: FramePose) -> FramePose:
        """Transform the pose of a frame in this one to its pose in the other frame."""
        return FramePose(self.of(inner.at), self.rotation @ inner.rotation)

    @property
    def inverse(self) -> FramePose:
        """Pose of the other frame in this one."""
        rotation = FramePose(Vector((0.0, 0.0, 0.0)), self.rotation.T)
        return FramePose(-rotation.of(self.at), self.rotation.T)


IDENTITY = FramePose(Vector((0.0, 0.0, 0.0)), np.eye(3))


def path(model: ModelData, body: str) -> list[str]:
    """Return the body, its parent, ... and the world."""
    names = [body]
    while names[-1] != WORLD:
        names.append(model.bodies[names[-1]].parent)
    return names


def between(model: ModelData, body: str, carrier: str) -> tuple[list[tuple[str, float]], list[str]]:
    """Return the bodies whose joints lie between carrier and body, and the path from the carrier to their common
    ancestor.

    Each body comes with +1 if its joint lies between the common ancestor and the body, -1 if between the ancestor and
    the carrier.
    """
    of_body, of_carrier = path(model, body), path(model, carrier)
    shared = next(name for name in of_body if name in of_carrier)
    branch = of_carrier[: of_carrier.index(shared)]
    signs = [*((name, 1.0) for name in of_body[: of_body.index(shared)]), *((name, -1.0) for name in branch)]
    return signs, [*branch, shared]


def pose_in(model: ModelData, body: str, ancestor: str) -> FramePose:
    """Return the pose of a body's frame in that of one of its ancestors."""
    names = path(model, body)
    pose = IDENTITY
    for name in names[: names.index(ancestor)]:
        item = model.bodies[name]
        pose = FramePose(item.position, item.rotation).then(pose)
    return pose


@dataclass(frozen=True)
class Hinge:
    """Turn between a carrier and a body: coordinate `k` of a body's joint.

    axis: axis of rotation in carrier axes, about which the body turns in the positive sense of the coordinate. centre:
    a point on the axis, m.
    """

    body: str
    k: int
    axis: np.ndarray
    centre: Vector


def hinges(model: ModelData, body: str, carrier: str, thing: str) -> list[Hinge]:
    """Return the turns between a carrier and a body, all about one line. Raises ModelError for any other motion."""
    joints, branch = between(model, body, carrier)
    ancestor = pose_in(model, carrier, branch[-1]).inverse
    _check_rotation(ancestor, body, carrier, thing)
    turns: list[Hinge] = []
    for name, sign in joints:
        pose = ancestor.then(pose_in(model, name, branch[-1]))
        _check_rotation(pose, body, carrier, thing)
        for k, motion in enumerate(model.bodies[name].joint.motions):
            degrees_of_freedom = motion.degrees_of_freedom or ()
            if (
                len(degrees_of_freedom) != 1
                or not degrees_of_freedom[0].angular
                or degrees_of_freedom[0].pitch is not None
            ):
                raise ModelError(
                    f"{thing}: between {body_label(body)} and {body_label(carrier)} the joint of {body_label(name)} "
                    f"is no hinge: {REMEDY}"
                )
            axis = _without_rounding(sign * pose.rotation @ np.array(degrees_of_freedom[0].axis))
            turns.append(Hinge(name, k, axis, pose.at))
    if not turns:
        raise ModelError(f"{thing}: {body_label(body)} is fixed in {body_label(carrier)}: {REMEDY}")
    for hinge in turns[1:]:
        apart = np.array(values(model, hinge.centre - turns[0].centre))
        skew = float(np.linalg.norm(np.cross(turns[0].axis, hinge.axis))) > PARALLEL
        if skew or np.linalg.norm(np.cross(hinge.axis, apart)) > COINCIDENT * max(1e-3, float(np.linalg.norm(apart))):
            raise ModelError(
                f"{thing}: {body_label(body)} does not turn about one line of {body_label(carrier)}: {REMEDY}"
            )
    return turns


def _check_rotation(pose: FramePose, body: str, carrier: str, thing: str) -> None:
    """Raise ModelError for a rotation that depends on parameters."""
    if by_parameters(pose.rotation):
        raise ModelError(
            f"{thing}: a rotation between {body_label(body)} and {body_label(carrier)} depends on parameters: give it "
            "in numbers, or write the ratio of rates with m.constrain"
        )


def wheel(model: ModelData, body: str, carrier: str, teeth: int, thing: str) -> Wheel:
    """Return the wheel of a body that turns about one line of a carrier. Raises ModelError if it does not."""
    first = hinges(model, body, carrier, thing)[0]
    shared = between(model, body, carrier)[1][-1]
    pose = pose_in(model, carrier, shared).inverse.then(pose_in(model, body, shared))
    _check_rotation(pose, body, carrier, thing)
    return Wheel(body, teeth, first.centre, first.axis, pose.rotation)


def common_carrier(model: ModelData, ends: tuple[str, str], thing: str) -> str:
    """Return the parent of one of two bodies in which each of them turns about one line.

    Raises ModelError unless there is exactly one.
    """
    candidates = dict.fromkeys(_hinge_parent(model, end) for end in ends if end != WORLD)
    carriers, reason = [], ""
    for carrier in candidates:
        try:
            for end in ends:
                hinges(model, end, carrier, thing)
            carriers.append(carrier)
        except ModelError as error:
            reason = str(error)
    if len(carriers) > 1:
        raise ModelError(f"{thing}: {' and '.join(map(body_label, carriers))} may both carry the wheels: give carrier=")
    if not carriers:
        raise ModelError(reason or f"{thing}: the wheels have no common carrier: {REMEDY}")
    return carriers[0]


def _hinge_parent(model: ModelData, body: str) -> str:
    """Return the parent of the first joint inboard of a body that is no weld."""
    while body != WORLD and not model.bodies[body].joint.motions:
        body = model.bodies[body].parent
    return body if body == WORLD else model.bodies[body].parent


REMEDY = "give as carrier= the body in which both wheels turn about fixed axes"


def _without_rounding(axis: np.ndarray) -> np.ndarray:
    """Return a unit axis, with components that are zero up to rounding set to zero."""
    snapped = np.where(np.abs(axis) < SNAP, 0.0, axis)
    return np.asarray(snapped / np.linalg.norm(snapped))


def defaults(model: ModelData) -> Callable[[object], float]:
    """Return a function from references to the defaults of parameters, which raises ModelError for other references."""

    def default(reference: object) -> float:
        if isinstance(reference, Signal) and reference.role == "parameter" and reference.name in model.parameters:
            return model.parameters[reference.name].value
        raise ModelError(f"a position depends on {reference}: it may depend on parameters only")

    return default


def values(model: ModelData, expressions: Vector) -> list[float]:
    """Return the values of expressions at the parameters' defaults."""
    return evaluate_all(expressions, defaults(model))


def value(model: ModelData, expression: Expression) -> float:
    """Return the value of an expression at the parameters' defaults."""
    return values(model, Vector([expression]))[0]
