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

COINCIDENT = 1e-6  #: relative distance below which lines coincide or intersect
REMEDY = "give as carrier= the body in which both wheels turn about fixed axes"


@dataclass(frozen=True)
class FramePose:
    """Pose of a frame in an outer frame, with all joints between them at zero.

    at: position of the origin in the outer frame, m. rotation: 3x3, axes of this frame to those of the outer frame.
    """

    at: Vector
    rotation: np.ndarray

    def of(self, point: Vector) -> Vector:
        """Return the position in the outer frame, m, of a point given in this frame, m."""
        return self.at + Vector(Vector(row).dot(point) for row in self.rotation)

    def then(self, inner: FramePose) -> FramePose:
        """Return the pose in the outer frame of a frame whose pose in this frame is `inner`."""
        return FramePose(self.of(inner.at), self.rotation @ inner.rotation)

    @property
    def inverse(self) -> FramePose:
        """Pose of the outer frame in this one."""
        rotation = FramePose(Vector((0.0, 0.0, 0.0)), self.rotation.T)
        return FramePose(-rotation.of(self.at), self.rotation.T)


IDENTITY = FramePose(Vector((0.0, 0.0, 0.0)), np.eye(3))


def path(model: ModelData, body: str) -> list[str]:
    """Return the names of the body, its parent and so on, up to the world."""
    names = [body]
    while names[-1] != WORLD:
        names.append(model.bodies[names[-1]].parent)
    return names


def between(model: ModelData, body: str, carrier: str) -> tuple[list[tuple[str, float]], list[str]]:
    """Return the bodies whose joints connect a carrier and a body, and the path from the carrier inboard.

    The path ends at the common ancestor of body and carrier. Each of the bodies comes with a sign: +1 if its joint lies
    between this ancestor and the body, -1 if it lies between the ancestor and the carrier.
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
    """One of the turns by which a body moves relative to its carrier.

    body, k: the turn is coordinate k, from 0, of the joint of this body. axis: unit vector, carrier axes, about which
    the turning body rotates as the coordinate grows. centre: a point on the axis, m, carrier frame.
    """

    body: str
    k: int
    axis: np.ndarray
    centre: Vector


def hinges(model: ModelData, body: str, carrier: str, thing: str) -> list[Hinge]:
    """Return the turns between a carrier and a body.

    thing: the object to name in messages. Raises ModelError unless the body moves by turns alone, at least one, and all
    of them are about one line of the carrier.
    """
    joints, branch = between(model, body, carrier)
    ancestor_in_carrier = pose_in(model, carrier, branch[-1]).inverse
    require_constant_rotation(ancestor_in_carrier, body, carrier, thing)
    turns: list[Hinge] = []
    for name, sign in joints:
        pose = ancestor_in_carrier.then(pose_in(model, name, branch[-1]))
        require_constant_rotation(pose, body, carrier, thing)
        for k, motion in enumerate(model.bodies[name].joint.motions):
            degrees_of_freedom = motion.degrees_of_freedom or ()
            if (
                len(degrees_of_freedom) != 1
                or not degrees_of_freedom[0].angular
                or degrees_of_freedom[0].pitch is not None
            ):
                raise ModelError(
                    f"{thing}: between {body_label(body)} and {body_label(carrier)} the joint of {body_label(name)} "
                    f"is not a hinge: {REMEDY}"
                )
            axis = _without_rounding(sign * pose.rotation @ np.array(degrees_of_freedom[0].axis))
            turns.append(Hinge(name, k, axis, pose.at))
    if not turns:
        raise ModelError(f"{thing}: {body_label(body)} is fixed in {body_label(carrier)}: {REMEDY}")
    for hinge in turns[1:]:
        offset = np.array(values(model, hinge.centre - turns[0].centre))
        skew = float(np.linalg.norm(np.cross(turns[0].axis, hinge.axis))) > PARALLEL
        if skew or np.linalg.norm(np.cross(hinge.axis, offset)) > COINCIDENT * max(1e-3, float(np.linalg.norm(offset))):
            raise ModelError(
                f"{thing}: {body_label(body)} does not turn about one line of {body_label(carrier)}: {REMEDY}"
            )
    return turns


def require_constant_rotation(pose: FramePose, body: str, carrier: str, thing: str) -> None:
    """Raise ModelError if the rotation depends on parameters."""
    if by_parameters(pose.rotation):
        raise ModelError(
            f"{thing}: a rotation between {body_label(body)} and {body_label(carrier)} depends on parameters: give it "
            "in numbers, or write the ratio of rates with m.constrain"
        )


def wheel(model: ModelData, body: str, carrier: str, teeth: int, thing: str) -> Wheel:
    """Return a body as a wheel with some number of teeth, which turns about one line of its carrier.

    Its centre is the body's origin, also of a body that is welded to a shaft. Raises ModelError if the body moves in
    another way, and if its origin is not on the line.
    """
    first = hinges(model, body, carrier, thing)[0]
    shared = between(model, body, carrier)[1][-1]
    pose = pose_in(model, carrier, shared).inverse.then(pose_in(model, body, shared))
    require_constant_rotation(pose, body, carrier, thing)
    centre = centre_on(model, first.centre, first.axis, pose.at, body, thing)
    return Wheel(body, teeth, centre, first.axis, pose.rotation)


def centre_on(model: ModelData, point: Vector, axis: np.ndarray, origin: Vector, body: str, thing: str) -> Vector:
    """Return the point of an axis at the origin of a wheel, m; point: of the axis.

    Raises ModelError if the origin is not on the axis.
    """
    offset = origin - point
    along = Vector(axis.tolist()) * offset.dot(axis.tolist())
    off = float(np.linalg.norm(values(model, offset - along)))
    if off > COINCIDENT * max(1e-3, float(np.linalg.norm(values(model, offset)))):
        raise ModelError(
            f"{thing}: the origin of {body_label(body)} is {off:.3g} m off the axis about which it turns: put the "
            "origin of a wheel, which is its centre, on the axis"
        )
    return point + along


def common_carrier(model: ModelData, ends: tuple[str, str], thing: str) -> str:
    """Return the body that carries two wheels: the parent of one of them in which each turns about one line.

    Raises ModelError unless exactly one parent carries both.
    """
    candidates = dict.fromkeys(hinge_parent(model, end) for end in ends if end != WORLD)
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


def hinge_parent(model: ModelData, body: str) -> str:
    """Return the parent of a body's joint or, if welds connect the body to its parents, of the next joint inboard."""
    while body != WORLD and not model.bodies[body].joint.motions:
        body = model.bodies[body].parent
    return body if body == WORLD else model.bodies[body].parent


def _without_rounding(axis: np.ndarray) -> np.ndarray:
    """Return an axis with unit length, without the components that only rounding has made nonzero."""
    snapped = np.where(np.abs(axis) < SNAP, 0.0, axis)
    return np.asarray(snapped / np.linalg.norm(snapped))


def defaults(model: ModelData) -> Callable[[object], float]:
    """Return a function that gives the default of a referenced parameter and raises ModelError for other references."""

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
