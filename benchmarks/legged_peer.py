"""The robots of legged.py in MuJoCo: rollouts, and accelerations with exact loops for a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from mujoco import rollout

from .legged import Robot, to_legged_mujoco

KIND = mujoco.mjtState.mjSTATE_FULLPHYSICS


@dataclass(frozen=True)
class Softness:
    """`solref` and the first two numbers of `solimp` of the equalities."""

    title: str
    solref: tuple[float, float]
    solimp: tuple[float, float]


DEFAULT = Softness("default", (0.02, 1.0), (0.9, 0.95))
CASSIE = Softness("as Cassie", (0.005, 1.0), (0.9, 0.95))
STIFF = Softness("stiff", (0.004, 1.0), (0.99, 0.999))
SOFTNESSES = (DEFAULT, CASSIE, STIFF)


class Rollouts:
    """Rollouts of a robot from its standing pose, with a number of threads."""

    def __init__(
        self, robot: Robot, step: float, softness: Softness, interval: float, threads: int = 1,
        integrator: Any = mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    ):  # fmt: skip
        self.model = to_legged_mujoco(robot)
        self.model.opt.timestep, self.model.opt.integrator = step, integrator
        self.model.eq_solref[:], self.model.eq_solimp[:, :2] = softness.solref, softness.solimp
        self.steps = round(interval / step)  #: of an interval
        self.datas = [mujoco.MjData(self.model) for _ in range(threads)]
        data, self.first = self.datas[0], np.zeros(mujoco.mj_stateSize(self.model, KIND))
        data.qpos[:] = standing(robot)
        mujoco.mj_getState(self.model, data, self.first, KIND)

    def whole(self, actions: np.ndarray) -> np.ndarray:
        """States after each interval by one call, (members, intervals, state).

        actions: (members, intervals, inputs).
        """
        control = np.repeat(actions, self.steps, axis=1)
        states = self._run(np.tile(self.first, (len(actions), 1)), control, control.shape[1])
        return states[:, self.steps - 1 :: self.steps]

    def by_intervals(self, actions: np.ndarray) -> np.ndarray:
        """The last states, (members, state), by one call for each interval."""
        states = np.tile(self.first, (len(actions), 1))
        for k in range(actions.shape[1]):
            states = self._run(states, actions[:, k : k + 1], self.steps)[:, -1]
        return states

    def _run(self, first: np.ndarray, control: np.ndarray, steps: int) -> np.ndarray:
        several = len(self.datas) > 1
        data = self.datas if several else self.datas[0]
        states, _ = rollout.rollout(self.model, data, first, control, nstep=steps, persistent_pool=several)
        return np.asarray(states)

    def coordinates(self, states: np.ndarray) -> np.ndarray:
        """Coordinates in states, (..., nq)."""
        return states[..., 1 : 1 + self.model.nq]

    def opened(self, states: np.ndarray) -> np.ndarray:
        """The largest distance by which a loop is open in each of some states, m."""
        data, distances = self.datas[0], []
        for state in states.reshape(-1, states.shape[-1]):
            mujoco.mj_setState(self.model, data, state, KIND)
            mujoco.mj_kinematics(self.model, data)
            pairs = [(data.site(f"a{k}").xpos, data.site(f"b{k}").xpos) for k in range(self.model.neq)]
            distances.append(max(float(np.linalg.norm(a - b)) for a, b in pairs))
        return np.array(distances)


def standing(robot: Robot) -> np.ndarray:
    """Coordinates of the standing pose."""
    base = (0.0, 0.0, robot.height, 1.0, 0.0, 0.0, 0.0) if robot.base_is_free else (robot.height,)
    return np.array([*base, *(robot.angles[i] for i in range(1, len(robot.mechanism.links)))])


def exact_accelerations(robot: Robot, q: np.ndarray, u: np.ndarray, action: np.ndarray) -> np.ndarray:
    """Accelerations without contact, and with exact loops, from MuJoCo's mass matrix, forces and Jacobians."""
    model = to_legged_mujoco(robot)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.ctrl[:] = q, u, action
    mujoco.mj_forward(model, data)
    J, rates = loop_rows(robot, model, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    forces = data.qfrc_actuator + data.qfrc_passive - data.qfrc_bias
    zero = np.zeros((len(J), len(J)))
    solution = np.linalg.lstsq(np.block([[mass, J.T], [J, zero]]), np.concatenate([forces, -rates @ u]), rcond=1e-12)[0]
    return np.asarray(solution[: model.nv])


def loop_rows(robot: Robot, model: Any, data: Any) -> tuple[np.ndarray, np.ndarray]:
    """Jacobians of the differences of the points of all loops, and their rates, (rows, nv)."""
    rows = np.zeros((2, 3 * len(robot.mechanism.closures), model.nv))
    for k, closure in enumerate(robot.mechanism.closures):
        for site, link, sign in ((f"a{k}", closure.a, 1.0), (f"b{k}", closure.b, -1.0)):
            point, body, one = data.site(site).xpos, link + 1, np.zeros((2, 3, model.nv))
            mujoco.mj_jac(model, data, one[0], None, point, body)
            mujoco.mj_jacDot(model, data, one[1], None, point, body)
            rows[:, 3 * k : 3 * k + 3] += sign * one
    return rows[0], rows[1]
