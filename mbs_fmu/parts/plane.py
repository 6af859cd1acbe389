"""The plane of a belt or chain, fixed in the body that carries its wheels, and how wheels move in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..infrastructure.errors import ModelError
from ..model.builders.wheels import path, pose_in
from ..model.geometry.axes import normals
from ..model.geometry.vectors import Vector
from ..model.items import WORLD, body_label
from ..model.measures.measures import (
    angular_velocity,
    coordinate,
    position,
    rate,
    relative_angular_velocity,
    to_world,
    velocity,
)
from ..symbolic.expressions import ZERO, Expression, cos, is_literal, sin
from ..symbolic.vectors import ORIGIN
from .start_poses import StartPoses, Turning

PARALLEL = 1e-6  #: sine of the angle below which axes of wheels are parallel; assembly leaves rounding errors


class Plane(NamedTuple):
    """Axes x and y of a plane and its normal z, unit vectors fixed in a carrier, in its axes."""

    carrier: str
    x: np.ndarray
    y: np.ndarray
    z: np.ndarray

    def turned(self, angle: float) -> Plane:
        """Return the plane with axes x and y turned about z, rad."""
        c, s = np.cos(angle), np.sin(angle)
        return self._replace(x=c * self.x + s * self.y, y=c * self.y - s * self.x)

    def in_world(self, axis: np.ndarray) -> Vector:
        """Return a vector fixed in the carrier in world axes."""
        return to_world(self.carrier, Vector(axis))

    @property
    def axes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Axes x, y, z, in the carrier's axes."""
        return self.x, self.y, self.z

    def components(self, vector: Vector) -> Vector:
        """Return the components along x, y and z of a vector in world axes."""
        return Vector(self.in_world(axis).dot(vector) for axis in self.axes)

    def position(self, body: str, point: Vector) -> Vector:
        """Return the components of the vector from the carrier's origin to a body's point (m, body axes), m."""
        if body == self.carrier:
            return Vector(Vector(axis).dot(point) for axis in self.axes)
        return self.components(position(body, point) - position(self.carrier))

    def relative_velocity(self, body: str, point: Vector) -> Vector:
        """Return the components of the velocity of a body's point relative to the carrier, m/s."""
        if body == self.carrier:
            return Vector((ZERO, ZERO, ZERO))
        return self.components(velocity(body, point) - self._carried(position(body, point)))

    def _carried(self, place: Vector) -> Vector:
        """Return the velocity of the carrier at a place in the world, m/s."""
        if self.carrier == WORLD:
            return Vector((ZERO, ZERO, ZERO))
        return velocity(self.carrier) + angular_velocity(self.carrier).cross(place - position(self.carrier))


def plane_of(poses: StartPoses, bodies: list[str], carrier: str | None, thing: str) -> Plane:
    """Return the plane of wheels, normal to the axis of the first at the start.

    carrier: by default the innermost one from which all wheels branch off. Raises ModelError for a wheel without an
    axis and for axes that are not parallel.
    """
    axes = [_axis(poses, body, thing) for body in bodies]
    for body, axis in zip(bodies, axes, strict=True):
        sine = float(np.linalg.norm(np.cross(axes[0], axis)))
        if sine > PARALLEL:
            raise ModelError(
                f"{thing}: the axes of {body_label(bodies[0])} and {body_label(body)} are not parallel at the start: "
                f"the angle between them is {np.degrees(np.arcsin(min(1.0, sine))):.3g} degrees; turn one of the joints"
            )
    held = _common(poses, bodies) if carrier is None else carrier
    rotation = np.array([poses.numbers(row) for row in poses.pose(held)[0].rows])
    z = _snapped(rotation.T @ axes[0])
    x, y = normals(z)
    return Plane(held, x, y, z)


def _snapped(axis: np.ndarray) -> np.ndarray:
    """Return a unit axis without components that only rounding has made nonzero."""
    kept = np.where(np.abs(axis) < 1e-14, 0.0, axis)
    return np.asarray(kept / np.linalg.norm(kept))


def _axis(poses: StartPoses, body: str, thing: str) -> np.ndarray:
    """Return the axis of the outermost rotation between the world and a body, in world axes at the start."""
    for turning in reversed(poses.turnings(body)):
        axis: np.ndarray | None = turning.axis
        if axis is not None:
            return axis
        if turning.slide is None:
            break
    raise ModelError(
        f"{thing}: {body_label(body)} does not turn about an axis: give its joint, or that of a parent, a rotation "
        "about the axis as the last motion, as mbs.Revolute"
    )


def _common(poses: StartPoses, bodies: list[str]) -> str:
    """Return the innermost body from which all wheels branch off."""
    branches = [path(poses.model, poses.model.bodies[body].parent) for body in bodies]
    return next(name for name in branches[0] if all(name in branch for branch in branches))


class Turns(NamedTuple):
    """Angle of a wheel relative to the carrier about the plane's normal: its rate, rad/s, and the angle, rad, or None.

    The angle counts any number of turns; it is None unless the wheel moves in the plane.
    """

    rate: Expression
    angle: Expression | None


class PlanarMotion(NamedTuple):
    """Motion of a body in the plane, by its rotations about the normal (1 or -1) and translations (0), outward."""

    poses: StartPoses
    plane: Plane
    body: str
    motions: list[tuple[Turning, float]]

    @property
    def turns(self) -> Turns:
        """Sum of the rotations."""
        about = [(t, s) for t, s in self.motions if s]
        angle = sum((s * coordinate(t.body, t.coordinate + 1) for t, s in about), start=ZERO)
        return Turns(sum((s * rate(t.body, t.rate + 1) for t, s in about), start=ZERO), angle)

    def position(self, point: Vector) -> Vector:
        """Return the components of a point of the body (m, body axes) by joint coordinates, from the carrier's origin.

        Between two rotations a vector is that of the zero position of all joints, turned by the rotations inboard.
        """
        total, inboard, angle = ORIGIN, ORIGIN, ZERO
        for turning, sign in self.motions:
            origin = self._at_zero(turning.body, ORIGIN)
            total, inboard = total + _turned(origin - inboard, angle), origin
            q = coordinate(turning.body, turning.coordinate + 1)
            if sign:
                angle = angle + sign * q
            elif turning.slide is not None:
                along = self._at_zero(turning.body, Vector(turning.slide)) - origin
                total = total + _turned(along, angle) * q
        return total + _turned(self._at_zero(self.body, point) - inboard, angle)

    def _at_zero(self, body: str, point: Vector) -> Vector:
        """Return the components of a body's point with all joints between carrier and body at zero."""
        place = pose_in(self.poses.model, body, self.plane.carrier).of(point)
        return Vector(Vector(axis).dot(place) for axis in self.plane.axes)


def planar_motion(poses: StartPoses, plane: Plane, body: str) -> PlanarMotion | None:
    """Return the motion of a body in the plane relative to the carrier; None if it moves in another way."""
    names = path(poses.model, body)
    if plane.carrier not in names:
        return None
    between = names[: names.index(plane.carrier)]
    rotation = np.array([poses.numbers(row) for row in poses.pose(plane.carrier)[0].rows])
    motions = []
    for turning in poses.turnings(body):
        sign = _sign(turning, rotation @ plane.z) if turning.body in between else 0.0
        if sign is None:
            return None
        if turning.body in between:
            motions.append((turning, sign))
    return PlanarMotion(poses, plane, body, motions)


def turns_of(plane: Plane, body: str, motion: PlanarMotion | None) -> Turns:
    """Return how a wheel turns relative to the carrier."""
    if motion is not None:
        return motion.turns
    if plane.carrier == WORLD:
        return Turns(plane.components(angular_velocity(body))[2], None)
    return Turns(Vector(plane.z).dot(relative_angular_velocity(plane.carrier, body)), None)


def _turned(vector: Vector, angle: Expression) -> Vector:
    """Return components turned about the normal."""
    if is_literal(angle, 0.0):
        return vector
    (x, y, z), c, s = vector, cos(angle), sin(angle)
    return Vector((c * x - s * y, s * x + c * y, z))


def _sign(turning: Turning, normal: np.ndarray) -> float | None:
    """Return 1 or -1 for a rotation about the normal or against it, 0 for a translation, None for anything else."""
    if turning.axis is None:
        return None if turning.slide is None else 0.0
    along = float(turning.axis @ normal)
    return float(np.sign(along)) if abs(along) > 1.0 - PARALLEL**2 else None
