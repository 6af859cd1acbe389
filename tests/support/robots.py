"""Robot files: our own, those that packages bring, and what Pinocchio makes of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from mechanisms import Plain

import mbs_fmu as mbs

OWN = Path(__file__).parents[1] / "robots"
#: Folders of packages with URDFs, below those of sys.path.
FOLDERS = ("cmeel.prefix/share/example-robot-data/robots", "pybullet_data", "pydrake", "mujoco")


def installed(suffix: str, folders: tuple[str, ...] = FOLDERS) -> list[Path]:
    """The files of installed packages, each once; pybullet's thousand random bodies are left out."""
    roots = [Path(place) / folder for place in sys.path for folder in folders]
    found = {path.resolve() for root in roots if root.is_dir() for path in root.rglob(f"*{suffix}")}
    return sorted(path for path in found if "random_urdfs" not in path.parts)


def bare(robot: mbs.Imported) -> mbs.Model:
    """The robot's model without forces and conditions, its energy as output."""
    model = robot.model
    for room in (model.forces, model.inputs, model.loops, model.starts):
        room.clear()
    model.output("E", mbs.energy())
    return model


class Beside:
    """A robot in the kernels as plain Python, and in Pinocchio, in one state.

    T: Pinocchio's velocities from joint velocities, T_dot its rate (of planar joints). free: the root flies.
    """

    def __init__(self, path: Path, robot: mbs.Imported, free: bool = False, seed: int = 0):
        import pinocchio as pin

        self.pin, self.robot, self.model = pin, robot, bare(robot)
        self.peer = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if free else []))
        self.plain = Plain(self.model)
        self.slots = {v.name: v.slot for v in self.plain.program.variables}
        n = self.peer.nv
        self.q, self.T, self.T_dot = np.zeros(self.peer.nq), np.eye(n), np.zeros((n, n))
        self.rates = np.zeros(n, dtype=int)
        self.u = np.random.default_rng(seed).normal(size=n)
        self.R = self.plain.R
        for name, joint in self._joints():
            self._set(name, joint, np.random.default_rng([seed, *name.encode()]))

    def _joints(self) -> Iterator[tuple[str, Any]]:
        """Bodies of the model and Pinocchio's joints. AssertionError where one has other freedoms."""
        for name in list(self.peer.names)[1:]:
            told = self.robot.joints.get(name)
            body = next(iter(self.model.bodies)) if told is None else told.body
            joint = self.peer.joints[self.peer.getJointId(name)]
            assert len(self.model.bodies[body].rates) == joint.nv, name
            yield body, joint
        count = sum(len(body.rates) for body in self.model.bodies.values())
        assert count == self.peer.nv

    def _set(self, name: str, joint: Any, rng: np.random.Generator) -> None:
        body = self.model.bodies[name]
        x = rng.normal(size=len(body.coordinates))
        if joint.nv == 6:
            x[3:] /= np.linalg.norm(x[3:])
        for value, (suffix, _) in zip(x, body.coordinates, strict=True):
            self.R[self.slots[f"{name}.{suffix}"]] = value
        self.rates[joint.idx_v : joint.idx_v + joint.nv] = [self.slots[f"{name}.{s}"] for s, _ in body.rates]
        where = slice(joint.idx_q, joint.idx_q + joint.nq)
        if joint.nv == 6:
            self.q[where] = [*x[:3], *x[4:], x[3]]
        elif joint.nv == 3:
            s, c = np.sin(x[2]), np.cos(x[2])
            self.q[where] = [x[0], x[1], c, s]
            block = slice(joint.idx_v, joint.idx_v + 2)
            self.T[block, block] = [[c, s], [-s, c]]
            self.T_dot[block, block] = self.u[joint.idx_v + 2] * np.array([[-s, c], [-c, -s]])
        else:
            self.q[where] = [np.cos(x[0]), np.sin(x[0])] if joint.nq == 2 else x

    def mass_matrix(self) -> np.ndarray:
        """Pinocchio's, over its velocities."""
        upper = np.triu(self.pin.crba(self.peer, self.peer.createData(), self.q))
        return upper + np.triu(upper, 1).T

    def errors(self) -> dict[str, float]:
        """Relative ones in norms: of M, of the energy, and of M a + h with our accelerations a.

        h is taken to have at least 1e-4 of what velocities could make of M: it may vanish.
        """
        pin, data, M, n = self.pin, self.peer.createData(), self.mass_matrix(), self.peer.nv
        order = self.rates - self.plain.slice("u").start
        own = np.array([self.plain.momenta(np.eye(n)[k]) for k in order])[:, order]
        seen = self.T.T @ M @ self.T
        out = {"M": float(np.linalg.norm(own - seen) / np.linalg.norm(seen))}
        self.R[self.rates] = self.u
        self.plain.real.momenta(self.R)
        D = np.zeros_like(self.R)
        D[self.plain.program.state_slice] = self.plain.rates()
        self.plain.real.outputs(self.R)
        self.plain.real.derive_d(self.R, D)
        v = self.T @ self.u
        kinetic = pin.computeKineticEnergy(self.peer, data, self.q, v)
        potential = pin.computePotentialEnergy(self.peer, data, self.q)
        out["E"] = abs(self.R[self.slots["E"]] - kinetic - potential) / (abs(kinetic) + abs(potential))
        h = pin.nonLinearEffects(self.peer, data, self.q, v)
        acceleration = self.T @ D[self.rates] + self.T_dot @ self.u
        size = max(float(np.linalg.norm(h)), 1e-4 * float(np.linalg.norm(M)) * float(self.u @ self.u))
        out["M a + h"] = float(np.linalg.norm(M @ acceleration + h)) / size
        return out
