"""Poses and twists of bodies, computed from coordinates and velocities of joints and of vibration modes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..elastic.frames import Node
from ..infrastructure.lazy_dataclasses import dataclass
from ..model.items import WORLD, Body
from ..model.model import Model
from ..model.motions.motion import Motion, MotionContext
from ..model.references.leaves import Signal
from ..record.blocks import LinkConstants
from ..record.layout import Load
from ..symbolic.columns import unit
from ..symbolic.graph import evaluate, evaluate_all
from ..symbolic.quaternions import rotation_rows
from ..symbolic.rotations import values_of
from ..symbolic.vectors import ORIGIN, UNIT


@dataclass(frozen=True)
class Standing:
    """A body's rotation (body to world), origin (m), velocity of the origin (m/s), angular velocity, in world axes."""

    R: np.ndarray
    x: np.ndarray
    v: np.ndarray
    w: np.ndarray

    def at(self, arm: np.ndarray) -> Standing:
        """Return a frame fixed in this one at a point (m, in its axes)."""
        r = self.R @ arm
        return replace(self, x=self.x + r, v=self.v + np.cross(self.w, r))

    def sliding(self, way: np.ndarray, speed: np.ndarray) -> Standing:
        """Return a frame displaced by `way` (m) that moves with `speed` (m/s), both in the axes of this one."""
        at = self.at(way)
        return replace(at, v=at.v + self.R @ speed)

    def turned(self, R: np.ndarray, spin: np.ndarray) -> Standing:
        """Return a frame rotated by R (its axes to these) that rotates with `spin` (rad/s, in its own axes)."""
        return replace(self, R=self.R @ R, w=self.w + self.R @ R @ spin)

    def then(self, inner: Standing) -> Standing:
        """Return, in world axes, a frame whose motion `inner` is relative to this one and in its axes."""
        return self.sliding(inner.x, inner.v).turned(inner.R, inner.R.T @ inner.w)

    @property
    def inverse(self) -> Standing:
        """The motion of the world relative to this frame and in its axes."""
        turned = self.R.T
        return Standing(turned, -turned @ self.x, turned @ (np.cross(self.w, self.x) - self.v), -turned @ self.w)


def standings(model: Model, numbers: Mapping[str, float]) -> dict[str, Standing]:
    """Return the motion of every body; `numbers` are coordinates, joint velocities and parameters by name."""
    frames = {WORLD: Standing(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))}

    def number(reference: object) -> float:
        assert isinstance(reference, Signal)
        return numbers[reference.name]

    def frame_of(body: Body) -> Standing:
        if body.name not in frames:
            parent = frames[WORLD] if body.parent == WORLD else frame_of(model.bodies[body.parent])
            if body.attachment is not None:
                frames[body.name] = parent.then(_from_root(model.bodies[body.parent], body.attachment, numbers))
                return frames[body.name]
            place, turned = np.array(evaluate_all(body.position, number)), values_of(body.rotation, number)
            frames[body.name] = _behind(body, parent.at(place).turned(turned, np.zeros(3)), numbers)
        return frames[body.name]

    return {name: frame_of(body) for name, body in model.bodies.items()}


def _behind(body: Body, at: Standing, numbers: Mapping[str, float]) -> Standing:
    """Return the frame of a body from its joint frame on the parent."""
    joint = body.joint
    q, u = ([numbers[f"{body.name}.{suffix}"] for suffix, _ in named] for named in (joint.coordinates, joint.rates))
    for motion in joint.motions:
        own, speeds = np.array(q[: len(motion.units)]), np.array(u[: len(motion.rate_units)])
        at = _moved(motion, at, own, speeds, numbers)
        del q[: len(own)], u[: len(speeds)]
    return at


def _from_root(body: Body, node: str, numbers: Mapping[str, float]) -> Standing:
    """Return the motion of a node of an elastic body relative to the body's frame, that of its root, in its axes.

    With the mean frame between both it is (H13) of docs/equations_elastic.md.
    """
    elastic = body.elastic
    assert elastic is not None
    xi, rates = (
        np.array([numbers[f"{body.name}.{name}"] for name, _ in elastic.named(*modal)])
        for modal in (("xi", "m"), ("xi_dot", "m/s"))
    )
    root, at = (_seen(each, xi, rates) for each in (elastic.root_node, elastic.modes.node(node)))
    return root.inverse.then(at)


def _seen(node: Node, xi: np.ndarray, rates: np.ndarray) -> Standing:
    """Return the motion of a node relative to the mean frame."""
    (x, R), (v, w) = node.pose(xi), node.twist(xi, rates)
    return Standing(R, x, v, w)


def _moved(motion: Motion, at: Standing, q: np.ndarray, u: np.ndarray, numbers: Mapping[str, float]) -> Standing:
    """Return the frame behind a motion at coordinates q and velocities u; `numbers` are parameters by name."""
    degrees_of_freedom = motion.degrees_of_freedom or ()
    if motion.quaternion is not None:
        first = motion.quaternion
        R = np.array(rotation_rows(q[first:] / np.linalg.norm(q[first:])))
        if first:  # a position before it; velocities in the axes behind it
            at = at.sliding(q[:first], R @ u[:first])
        return at.turned(R, u[first:])
    if len(degrees_of_freedom) > 1:
        return at.then(_by_formulas(motion, q, u, numbers))
    axis = np.array(degrees_of_freedom[0].axis)
    if not degrees_of_freedom[0].angular:
        return at.sliding(axis * q[0], axis * u[0])
    if degrees_of_freedom[0].pitch is not None:
        advance = axis * evaluate(degrees_of_freedom[0].pitch, lambda signal: numbers[signal.name])
        at = at.sliding(advance * q[0], advance * u[0])
    K = np.cross(axis, np.eye(3)).T
    return at.turned(np.eye(3) + np.sin(q[0]) * K + (1.0 - np.cos(q[0])) * K @ K, axis * u[0])


def _by_formulas(motion: Motion, q: np.ndarray, u: np.ndarray, parameters: Mapping[str, float]) -> Standing:
    """Return the frame behind a motion without an axis, relative to the frame before it, from its formulas."""

    def number(reference: object) -> float:
        if isinstance(reference, Signal):
            return parameters[reference.name]
        assert isinstance(reference, Load)
        return float(q[reference.offset])

    own = dict(zip(LinkConstants.indices("own"), motion.constants, strict=False))
    context = MotionContext(motion, 0, False, 0, 0, own.__getitem__)
    rotation, origin = UNIT, ORIGIN
    for change in motion.frame(context):
        rotation, origin = change.pose(rotation, origin)
    R = np.array([evaluate_all(row, number) for row in rotation.rows])
    columns = np.array([evaluate_all(unit(column).entries, number) for column in motion.columns(context)])
    v, w = (u @ columns).reshape(2, 3)
    return Standing(R, np.array(evaluate_all(origin, number)), R @ v, R @ w)
