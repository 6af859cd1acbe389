"""Robot files (the project's own and those of installed packages), and the same robots in Pinocchio and MuJoCo."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.importing.imported import identifier
from support.generators.mechanisms import Plain
from support.paths import TESTS

OWN = TESTS / "data" / "robots"
#: Folders of packages that hold robot files, below the folders of sys.path.
FOLDERS = ("cmeel.prefix/share/example-robot-data/robots", "pybullet_data", "pydrake", "mujoco")
PID = 5  #: of MuJoCo's mjtGain


def installed(suffix: str, folders: tuple[str, ...] = FOLDERS) -> list[Path]:
    """Robot files of installed packages, each once, without pybullet's thousand random bodies."""
    roots = [Path(place) / folder for place in sys.path for folder in folders]
    paths = {path.resolve() for root in roots if root.is_dir() for path in root.rglob(f"*{suffix}")}
    return sorted(path for path in paths if "random_urdfs" not in path.parts)


def bare(robot: mbs.Imported) -> mbs.Model:
    """The robot's model without forces, constraints and followers, with its energy as output."""
    model = robot.model
    for room in (model.forces, model.inputs, model.loops, model.followers, model.starts):
        room.clear()
    model.output("E", mbs.energy())
    return model


class Beside:
    """A robot run as plain Python and in Pinocchio, in one state.

    T: Pinocchio's velocities from joint velocities, T_dot: its rate (of planar joints). free: the root floats.
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
        """Bodies of the model with Pinocchio's joints. AssertionError if the degrees of freedom differ."""
        for name in list(self.peer.names)[1:]:
            joint = self.robot.joints.get(name)
            body = next(iter(self.model.bodies)) if joint is None else joint.body
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
        """Pinocchio's mass matrix, over its velocities."""
        upper = np.triu(self.pin.crba(self.peer, self.peer.createData(), self.q))
        return upper + np.triu(upper, 1).T

    def errors(self) -> dict[str, float]:
        """Relative errors in norms: of M, of the energy, and of M a + h with the package's accelerations a.

        The size of h is taken as at least 1e-4 of M times the velocities, since h may vanish.
        """
        pin, data, M, n = self.pin, self.peer.createData(), self.mass_matrix(), self.peer.nv
        order = self.rates - self.plain.slice("u").start
        own = np.array([self.plain.momenta(np.eye(n)[k]) for k in order])[:, order]
        seen = self.T.T @ M @ self.T
        errors = {"M": float(np.linalg.norm(own - seen) / np.linalg.norm(seen))}
        self.R[self.rates] = self.u
        self.plain.real.momenta(self.R)
        D = np.zeros_like(self.R)
        D[self.plain.program.state_slice] = self.plain.rates()
        self.plain.real.outputs(self.R)
        self.plain.real.derive_d(self.R, D)
        v = self.T @ self.u
        kinetic = pin.computeKineticEnergy(self.peer, data, self.q, v)
        potential = pin.computePotentialEnergy(self.peer, data, self.q)
        errors["E"] = abs(self.R[self.slots["E"]] - kinetic - potential) / (abs(kinetic) + abs(potential))
        h = pin.nonLinearEffects(self.peer, data, self.q, v)
        acceleration = self.T @ D[self.rates] + self.T_dot @ self.u
        size = max(float(np.linalg.norm(h)), 1e-4 * float(np.linalg.norm(M)) * float(self.u @ self.u))
        errors["M a + h"] = float(np.linalg.norm(M @ acceleration + h)) / size
        return errors


class BesideMuJoCo:
    """A robot of an MJCF file run as plain Python and in MuJoCo, in one state with random controls and activations.

    Without friction, contacts, limits and equalities, unless the robot is `whole`. controls: their largest size.
    T: MuJoCo's velocities from joint velocities.
    """

    def __init__(self, path: Path, robot: mbs.Imported, seed: int = 0, whole: bool = False, controls: float = 0.3):
        import mujoco

        self.mujoco, self.model = mujoco, robot.model
        if not whole:
            self.model.forces = {
                name: f for name, f in self.model.forces.items() if not name.rstrip("_").endswith("_friction")
            }
            self.model.loops.clear()
        self.mj = mujoco.MjModel.from_xml_path(str(path)) if whole else _smooth(mujoco, path)
        self.plain = Plain(self.model)
        self.slots = {v.name: v.slot for v in self.plain.program.variables}
        self.R, self.data, n = self.plain.R, mujoco.MjData(self.mj), self.mj.nv
        self.states: dict[int, int] = {}  #: slots of activations, by MuJoCo's numbers
        rng = np.random.default_rng(seed)
        self.rates, self.T, self.T_dot, self.u = np.zeros(n, dtype=int), np.eye(n), np.zeros((n, n)), rng.normal(size=n)
        for number, joint in enumerate(robot.joints.values()):
            self._set(number, joint, rng)
        for k in range(getattr(self.mj, "nactuator", self.mj.nu)):
            self._actuate(k, rng, controls)
        self.data.qvel[:] = self.T @ self.u
        mujoco.mj_forward(self.mj, self.data)

    def _set(self, number: int, joint: Any, rng: np.random.Generator) -> None:
        at, dof, body = self.mj.jnt_qposadr[number], self.mj.jnt_dofadr[number], self.model.bodies[joint.body]
        coordinates = [self.slots[f"{body.name}.{suffix}"] for suffix, _ in body.coordinates]
        rates = [self.slots[f"{body.name}.{suffix}"] for suffix, _ in body.rates]
        if joint.kind in ("hinge", "slide"):
            self.R[coordinates[joint.coordinate - 1]] = x = rng.normal() * 0.5
            self.data.qpos[at] = self.mj.qpos0[at] + x
            self.rates[dof] = rates[joint.coordinate - 1]
            return
        q = rng.normal(size=len(coordinates))
        q[-4:] /= np.linalg.norm(q[-4:])
        self.R[coordinates] = self.data.qpos[at : at + q.size] = q
        self.rates[dof : dof + len(rates)] = rates
        if joint.kind == "free":  # MuJoCo's velocity of the origin is in world axes
            R = np.zeros(9)
            self.mujoco.mju_quat2Mat(R, q[3:])
            R, (x, y, z) = R.reshape(3, 3), self.u[dof + 3 : dof + 6]
            block = slice(dof, dof + 3)
            self.T[block, block], self.T_dot[block, block] = R, R @ np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])

    def _actuate(self, number: int, rng: np.random.Generator, controls: float) -> None:
        """Set the controls and the last activation of an actuator; unsupported ones have none in the model."""
        mj, name = self.mj, identifier(self.mj.actuator(number).name or f"actuator{number}")
        at, spec = (int(getattr(mj, f"actuator_{x}", (number,) * mj.nu)[number]) for x in ("ctrladr", "ctrlspec"))
        present = [suffix for bit, suffix in ((1, ""), (2, "_velocity"), (4, "_feedforward")) if spec & bit]
        many = mj.actuator_gaintype[number] == PID
        for k, suffix in enumerate(present if many else [""]):
            if name + suffix in self.slots:
                self.data.ctrl[at + k] = self.R[self.slots[name + suffix]] = rng.uniform(-controls, controls)
        last = mj.actuator_actadr[number] + mj.actuator_actnum[number] - 1
        for state in (f"{name}_activation", f"{name}_integral"):
            if state in self.slots:
                self.data.act[last] = self.R[self.slots[state]] = rng.uniform(-0.4, 0.4)
                self.states[last] = self.slots[state]

    def errors(self) -> dict[str, float]:
        """Relative errors in norms: of M, of M times the difference of accelerations, and of rates of activations."""
        n = self.mj.nv
        M = np.zeros((n, n))
        for j in range(n):  # M times unit vectors: the arguments of mj_fullM depend on the version
            self.mujoco.mj_mulM(self.mj, self.data, M[j], np.eye(n)[j])
        order = self.rates - self.plain.slice("u").start
        own = np.array([self.plain.momenta(np.eye(n)[k]) for k in order])[:, order]
        seen = self.T.T @ M @ self.T
        self.R[self.rates] = self.u
        self.plain.real.momenta(self.R)
        D = np.zeros_like(self.R)
        D[self.plain.program.state_slice] = self.plain.rates()
        self.plain.real.derive_d(self.R, D)
        missing = M @ (self.T @ D[self.rates] + self.T_dot @ self.u - self.data.qacc)
        size = np.linalg.norm(M @ self.data.qacc) + 1e-9
        rates = np.array([D[slot] - self.data.act_dot[k] for k, slot in self.states.items()])
        return {
            "M": float(np.linalg.norm(own - seen) / np.linalg.norm(seen)),
            "a": float(np.linalg.norm(missing) / size),
            "act_dot": float(np.linalg.norm(rates) / (np.linalg.norm(self.data.act_dot) + 1e-9)),
        }


def _smooth(mujoco: Any, path: Path) -> Any:
    """MuJoCo's model without unsupported elements and without those that are not smooth."""
    with warnings.catch_warnings(action="ignore"):
        spec = mujoco.MjSpec.from_file(str(path))
        spec.compiler.fusestatic = False
        mj = spec.compile()
    mj.dof_frictionloss[:] = 0.0
    mj.tendon_frictionloss[:] = 0.0
    flags = mujoco.mjtDisableBit
    mj.opt.disableflags |= flags.mjDSBL_CONTACT | flags.mjDSBL_CONSTRAINT | flags.mjDSBL_EQUALITY | flags.mjDSBL_LIMIT
    return mj
