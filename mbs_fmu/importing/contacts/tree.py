"""Numbers of the tree of a robot's bodies: poses at many coordinates, and how easily a force moves each body."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping

import numpy as np

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.lazy_dataclasses import dataclass
from ...model.items import WORLD, Body
from ...model.model import Model
from ...model.motions.motion import DegreeOfFreedom
from ...symbolic.graph import evaluate, evaluate_all
from ...symbolic.quaternions import rotation_rows
from ...symbolic.rotations import values_of

Poses = dict[str, tuple[np.ndarray, np.ndarray]]  #: by body its positions (n, 3), m, and rotations (n, 3, 3)


@dataclass(frozen=True)
class Mobility:
    """Means along three axes of what a force or a torque on a body alone causes, in the tree and at zero.

    linear: acceleration of the centre of mass per force, 1/kg. angular: angular acceleration per torque, 1/(kg m²).
    """

    linear: float
    angular: float


class Tree:
    """The bodies of a model of a file, whose numbers are constants.

    parts: for each body the first one that is welded to it, nearest to the world; those of the world are "world".
    """

    def __init__(self, model: Model):
        self.model = model
        self.parts: dict[str, str] = {WORLD: WORLD}
        for body in model.bodies.values():
            self.parts[body.name] = body.name if body.joint.motions else self.parts[body.parent]

    @cached_property
    def roots(self) -> dict[str, str]:
        """For each body the first moving body on the way from the world to it; "world" for a fixed one."""
        roots = {WORLD: WORLD}
        for body in self.model.bodies.values():
            above = roots[body.parent]
            roots[body.name] = self.parts[body.name] if above == WORLD else above
        return roots

    def is_free(self, root: str) -> bool:
        """Return whether a tree floats: its first joint has six degrees of freedom."""
        return root != WORLD and len(self.model.bodies[root].joint.rates) == 6

    @cached_property
    def masses(self) -> dict[str, float]:
        """Mass of each tree, kg, by its first body."""
        masses: dict[str, float] = {}
        for body in self.model.bodies.values():
            root = self.roots[body.name]
            masses[root] = masses.get(root, 0.0) + evaluate(body.mass, {})
        return masses

    # -- poses ---------------------------------------------------------------------------------------------
    def poses(self, coordinates: Mapping[tuple[str, int], np.ndarray], count: int) -> Poses:
        """Return the poses of all bodies in the world at `count` sets of coordinates.

        coordinates: (count,), rad or m, by body and number of the degree of freedom, from 0; the others are zero. Balls
        and free joints have their start values.
        """
        poses: Poses = {WORLD: (np.zeros((count, 3)), np.broadcast_to(np.eye(3), (count, 3, 3)))}
        zero = np.zeros(count)
        for body in self.model.bodies.values():
            x, R = poses[body.parent]
            place, turned = _frame(body)
            x, R = x + R @ place, R @ turned
            for k, freedom in enumerate(self._freedoms(body)):
                x, R = _moved(x, R, freedom, coordinates.get((body.name, k), zero))
            poses[body.name] = self._started(body, x, R)
        return poses

    def _started(self, body: Body, x: np.ndarray, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and rotations behind a joint with a quaternion, at its start."""
        motions, start = body.joint.motions, self.model.starts.get(body.name)
        if start is None or start.q is None or len(motions) != 1 or motions[0].quaternion is None:
            return x, R
        q = np.array(start.q)
        first = motions[0].quaternion
        return x + R @ (q[:first] if first else np.zeros(3)), R @ np.array(rotation_rows(q[first:]))

    def random_coordinates(self, count: int) -> dict[tuple[str, int], np.ndarray]:
        """Return random coordinates within the ranges of the joints, the same at each call; the first ones are zero.

        A joint without range turns by up to half a turn, or stays at zero if it slides.
        """
        random = np.random.default_rng(0)
        coordinates = {}
        for body in self.model.bodies.values():
            for k, freedom in enumerate(self._freedoms(body)):
                low, high = self._range(body, k, freedom)
                drawn = random.uniform(low, high, count)
                drawn[0] = 0.0
                coordinates[body.name, k] = drawn
        return coordinates

    @staticmethod
    def _freedoms(body: Body) -> list[DegreeOfFreedom]:
        """Return the degrees of freedom of a joint that turns about and slides along axes; else none."""
        if any(motion.quaternion is not None for motion in body.joint.motions):
            return []
        return [f for motion in body.joint.motions for f in motion.degrees_of_freedom or ()]

    def _range(self, body: Body, k: int, freedom: DegreeOfFreedom) -> tuple[float, float]:
        known = self.model.ranges.get(f"{body.name}.{body.joint.coordinates[k][0]}")
        free = math.pi if freedom.angular else 0.0
        low, high = (None, None) if known is None else (known.low, known.high)
        return -free if low is None else low, free if high is None else high

    # -- inertia -------------------------------------------------------------------------------------------
    @cached_property
    def mobilities(self) -> dict[str, Mobility]:
        """How easily forces move each body at zero."""
        M, rows = self._mass_matrix()
        W = np.linalg.pinv(M, rcond=1e-12, hermitian=True)
        means = {name: [float(np.trace(J @ W @ J.T)) / 3.0 for J in (own[:3], own[3:])] for name, own in rows.items()}
        return {WORLD: Mobility(0.0, 0.0)} | {name: Mobility(*numbers) for name, numbers in means.items()}

    def _mass_matrix(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the mass matrix at zero, and for each body the rows of the velocity of its centre of mass and of its
        angular velocity, (6, velocities)."""
        poses = self.poses({}, 1)
        twists = dict[str, np.ndarray]()  # of each body, rows (v of the world's origin; w) by velocity
        first = dict(zip(self.model.bodies, itertools.accumulate(self._counts(), initial=0), strict=False))
        count = sum(self._counts())
        M, rows = np.zeros((count, count)), {}
        twists[WORLD] = np.zeros((6, count))
        for body in self.model.bodies.values():
            own = twists[body.parent].copy()
            for k, twist in enumerate(self._twists(body, poses)):
                own[:, first[body.name] + k] = twist
            twists[body.name] = own
            (x,), (R,) = poses[body.name]
            mass, com, inertia = body.rest_inertia
            m, c = evaluate(mass, {}), x + R @ np.array(evaluate_all(com, _no_number))
            at_com = own[:3] + np.cross(own[3:].T, c).T
            rows[body.name] = np.concatenate([at_com, own[3:]])
            turned = R @ np.array([evaluate_all(row, _no_number) for row in inertia]) @ R.T
            M += m * at_com.T @ at_com + own[3:].T @ turned @ own[3:]
        return M, rows

    def _counts(self) -> list[int]:
        return [len(body.joint.rates) for body in self.model.bodies.values()]

    def _twists(self, body: Body, poses: Poses) -> Iterator[np.ndarray]:
        """Yield the twist (velocity at the world's origin, angular velocity) for each velocity of a joint, at zero."""
        (x,), (R,) = poses[body.name]
        place, turned = _frame(body)
        (above,), (outer,) = poses[body.parent]
        at, axes = above + outer @ place, outer @ turned
        for motion in body.joint.motions:
            if motion.quaternion is not None:
                if motion.quaternion:
                    yield from (np.array([*R[:, k], 0.0, 0.0, 0.0]) for k in range(3))
                yield from (np.array([*np.cross(x, R[:, k]), *R[:, k]]) for k in range(3))
                continue
            for freedom in motion.degrees_of_freedom or ():
                axis = axes @ np.array(freedom.axis)
                if freedom.angular:
                    yield np.array([*(np.cross(at, axis) + axis * _pitch(freedom)), *axis])
                else:
                    yield np.array([*axis, 0.0, 0.0, 0.0])


def _frame(body: Body) -> tuple[np.ndarray, np.ndarray]:
    """Return the place (m) and the rotation of a body's joint frame on the parent."""
    return np.array(evaluate_all(body.position, _no_number)), values_of(body.rotation, _no_number)


def _no_number(reference: object) -> float:
    raise AssertionError(f"a model of a file has no {reference}")


def _pitch(freedom: DegreeOfFreedom) -> float:
    return 0.0 if freedom.pitch is None else evaluate(freedom.pitch, {})


def _moved(
    x: np.ndarray, R: np.ndarray, freedom: DegreeOfFreedom, q: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Return positions and rotations behind a degree of freedom at coordinates q."""
    axis = np.array(freedom.axis)
    if not freedom.angular:
        return x + q[:, None] * (R @ axis), R
    x = x + (_pitch(freedom) * q)[:, None] * (R @ axis)
    K = np.cross(axis, np.eye(3)).T
    turned = np.eye(3) + np.sin(q)[:, None, None] * K + (1.0 - np.cos(q))[:, None, None] * (K @ K)
    return x, R @ turned
