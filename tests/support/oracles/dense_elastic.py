"""Elastic bodies for the dense oracle (dense.py): Lagrange's equations of their energy to second order.

With V the twist of the mean frame in its axes and M(xi) of (F2), the energy is T = ½ (V; xi_dot)ᵀ M(xi) (V; xi_dot).
Its principle, for variations of V and of xi, is that of Boltzmann and Hamel:

    dV·(d/dt dT/dV + Omega dT/dV - F) + dxi·(d/dt dT/dxi_dot - dT/dxi + K xi + D xi_dot - Q) = 0

Frames on nodes are exact functions of xi, and their derivatives are taken by complex numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mbs_fmu.elastic.shapes import Inertia
from mbs_fmu.model.items import WORLD
from support.oracles.dense import Dense
from support.oracles.dense_forces import Scene
from support.oracles.elastic_pieces import place_of, taylor
from support.oracles.jets import SHIFTS, TURNS, Array, Jet, carried, frame, normalised, skew


def product(A: Jet, B: Jet) -> Jet:
    """Product of two matrices."""
    return Jet(
        A.value @ B.value,
        A.gradient @ B.value + A.value @ B.gradient,
        A.first @ B.value + A.value @ B.first,
        A.second @ B.value + 2.0 * A.first @ B.first + A.value @ B.second,
    )


@dataclass
class Bending:
    """An elastic body: slices of its modes in q and u, its data, the Jet of its mean frame in a scene."""

    q: slice
    u: slice
    modes: Any
    root: str | None
    stiffness: float
    damping: float

    @property
    def inertia(self) -> Inertia:
        return self.modes.inertia


class DenseElastic(Dense):
    """`Dense` of models with elastic bodies."""

    def __init__(self, *arguments: Any, **more: Any):
        super().__init__(*arguments, **more)
        self.bent: dict[str, Bending] = {}
        for name in self.bodies:
            body = self.model.bodies[name]
            if body.elastic is not None:
                own, (q, u) = body.elastic, self.slots[name]
                n = own.modes.count
                factors = self._numbers([own.stiffness, own.damping])
                self.bent[name] = Bending(
                    slice(q.stop - n, q.stop), slice(u.stop - n, u.stop), own.modes, own.root, *factors
                )

    # -- frames -----------------------------------------------------------------------------------------------
    def scene(self, q: Array, u: Array | None = None, t: float = 0.0) -> Scene:
        q, u = normalised(q, self.chain), np.zeros(self.n) if u is None else np.asarray(u, dtype=float)
        coordinates = Jet(q, np.zeros((self.n, q.size)), np.zeros(q.size), np.zeros(q.size))
        for m in self.chain:
            own = m.coordinates(q[m.q], u[m.u])
            coordinates.gradient[m.u, m.q] = own.gradient
            coordinates.first[m.q], coordinates.second[m.q] = own.first, own.second
        for bent in self.bent.values():
            coordinates.gradient[bent.u, bent.q] = np.eye(bent.modes.count)
            coordinates.first[bent.q] = u[bent.u]
        frames = {WORLD: Jet(np.eye(4), np.zeros((self.n, 4, 4)), np.zeros((4, 4)), np.zeros((4, 4)))}
        mean: dict[str, Jet] = {}
        for name, part in self.parts.items():
            attachment = self.model.bodies[name].attachment
            if attachment is not None:
                frames[name] = product(mean[part.parent], self._on_node(part.parent, attachment, q, u))
                continue
            frames[name] = carried(frames[part.parent].map(lambda x, part=part: x @ part.place), part.motions, q, u)
            if name in self.bent:
                root = self.bent[name].root
                back = None if root is None else self._on_node(name, root, q, u, inverse=True)
                mean[name] = frames[name] if back is None else product(frames[name], back)
        return Scene(q, u, t, np.eye(self.n), coordinates, frames, mean)

    def _on_node(self, name: str, node: str, q: Array, u: Array, inverse: bool = False) -> Jet:
        """Frame of a node in the mean frame, or the inverse."""
        bent = self.bent[name]
        data = bent.modes.node(node)

        def matrix(xi: Array) -> Array:
            place, turned = place_of(data, xi)
            T = np.eye(4, dtype=complex)
            T[:3, :3], T[:3, 3] = turned @ data.axes, place
            return np.linalg.inv(T) if inverse else T

        xi, rate = q[bent.q], u[bent.u]
        gradient = np.zeros((self.n, 4, 4))
        for a, k in enumerate(range(bent.u.start, bent.u.stop)):
            gradient[k] = matrix(xi + 1e-30j * np.eye(len(xi))[a]).imag / 1e-30
        scale = 1.0 + float(np.abs(rate).max(initial=0.0))
        first, second = (taylor(lambda e: matrix(xi + e * rate / scale))[k] for k in (1, 2))
        return Jet(matrix(xi).real, gradient, first * scale, 2.0 * second * scale**2)

    # -- dynamics ---------------------------------------------------------------------------------------------
    def _velocities(self, name: str, scene: Scene) -> Jet:
        """(V; xi_dot) of a body: gradient, value in `first`, rate in `second`."""
        T, bent = scene.mean[name], self.bent[name]
        R = T.value[:3, :3]

        def twist(T_dot: Array) -> Array:
            W = R.T @ T_dot[..., :3, :3]
            w = np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], -1)
            return np.concatenate([T_dot[..., :3, 3] @ R, w], -1)

        V = twist(T.first)
        v, w = V[:3], V[3:]
        wide = np.concatenate([twist(T.gradient), scene.along[:, bent.u]], 1)
        second = T.second[:3]
        bending = np.zeros(bent.modes.count) if scene.bending is None else scene.bending[bent.u]
        spun = R.T @ second[:, :3] - skew(w) @ skew(w)
        rate = np.concatenate([R.T @ second[:, 3] - np.cross(w, v), [spun[2, 1], spun[0, 2], spun[1, 0]], bending])
        return Jet(None, wide, np.concatenate([V, scene.u[bent.u]]), rate)

    def _mass(self, scene: Scene) -> Array:
        M = super()._mass(scene)
        for name, bent in self.bent.items():
            wide = self._velocities(name, scene).gradient
            M += wide @ bent.inertia.matrix(scene.q[bent.q]) @ wide.T
        return M

    def _impressed(self, scene: Scene) -> Array:
        f = super()._impressed(scene)
        for name, bent in self.bent.items():
            moving = self._velocities(name, scene)
            f += moving.gradient @ self._own_force(bent, scene, scene.mean[name], moving)
        return f

    def _own_force(self, bent: Bending, scene: Scene, T: Jet, moving: Jet) -> Array:
        """Generalized force of the body's inertia, gravity, stiffness and damping on (V; xi_dot)."""
        xi, n = scene.q[bent.q], bent.modes.count
        M, slopes = bent.inertia.matrix(xi), [self._slope(bent.inertia, xi, a) for a in range(n)]
        wide = moving.first
        momentum = M @ wide
        changing = sum((rate * slope for rate, slope in zip(wide[6:], slopes, strict=True)), start=np.zeros_like(M))
        force = -(M @ moving.second + changing @ wide)
        v, w, p, spin = wide[:3], wide[3:6], momentum[:3], momentum[3:6]
        force[:3] -= np.cross(w, p)
        force[3:6] -= np.cross(v, p) + np.cross(w, spin)
        force[6:] += [0.5 * wide @ slope @ wide for slope in slopes]
        force[6:] -= bent.stiffness * bent.modes.stiffness @ xi + bent.damping * bent.modes.damping_matrix @ wide[6:]
        g = T.value[:3, :3].T @ self.gravity[:3, 3]
        return force + M[:, :3] @ g  # gravity acts as an acceleration of the whole body

    def _slope(self, inertia: Inertia, xi: Array, a: int) -> Array:
        """dM/dxi_a; M is quadratic in xi."""
        step = np.eye(len(xi))[a]
        return 0.5 * (inertia.matrix(xi + step) - inertia.matrix(xi - step))

    def energy(self, q: Array, u: Array, t: float = 0.0) -> float:
        scene, total = self.scene(q, u, t), super().energy(q, u, t)
        for name, bent in self.bent.items():
            T, xi = scene.mean[name], q[bent.q]
            mc = bent.inertia.S0
            total -= (bent.inertia.mass * T.value[:3, 3] + T.value[:3, :3] @ mc) @ self.gravity[:3, 3]
            total += 0.5 * bent.stiffness * xi @ bent.modes.stiffness @ xi
        return float(total)

    def _shaken(self, scene: Scene, bodies: Any, origin: Array) -> Scene:
        bodies = list(bodies)
        shaken = replace(super()._shaken(scene, bodies, origin), mean={})
        back, there = frame(np.eye(3), -origin), frame(np.eye(3), origin)
        for name, T in scene.mean.items():
            moved = there @ np.array(SHIFTS + TURNS) @ back @ T.value if name in bodies else np.zeros((6, 4, 4))
            shaken.mean[name] = replace(T, gradient=moved)
        return shaken
