"""Steppers against MuJoCo's rollouts: rk4 steps a second of many members on one core."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import mbs_fmu as mbs

from .models import Link, Mechanism, to_model, to_mujoco
from .report import Unavailable, number, progress, table
from .robots import robot
from .timing import Effort, Run, interleaved

MEMBERS, STEP = 256, 0.01
SAME = 1e-6  #: rad or m: difference of the members after a step, an error of order 5 in 0.01 s in either program

EXPLANATION = f"""\
The table lists millions of rk4 steps per second for {MEMBERS} members on one core, with steps of {STEP:g} s. This
package calls `advance` of `mbs.Stepper` for each step, which includes the check for finite numbers and all outputs;
MuJoCo runs `mujoco.rollout` with `mjINT_RK4` in the calling thread. Both run in the same rounds; times are processor
time, ratios are medians over the rounds. The models of MuJoCo have no contacts and constraints, and these stages are
disabled. "With actions" passes new inputs to each call; otherwise the inputs stay the same. Before the timing, both
programs advance the same members by one step, and a check confirms that the coordinates of both programs agree. The
targets are 10 times the speed of MuJoCo for the small mechanisms and 4 times for the UR5."""


def _rod(parent: int, joint: str, axis: tuple[float, float, float], z: float) -> Link:
    return Link(parent, joint, 1.0, np.array((0.0, 0.0, -0.25)), np.diag((0.02, 0.02, 0.001)), axis, (0.0, 0.0, z))


def cart_pole() -> Mechanism:
    """A pole on a cart."""
    return Mechanism("cart-pole", (_rod(-1, "prismatic", (1, 0, 0), 0.0), _rod(0, "revolute", (0, 1, 0), 0.0)))


def double_pendulum() -> Mechanism:
    """Two rods on parallel hinges."""
    return Mechanism("double-pendulum", (_rod(-1, "revolute", (0, 1, 0), 0.0), _rod(0, "revolute", (0, 1, 0), -0.5)))


CASES: dict[str, Callable[[], Mechanism]] = {
    "cart-pole": cart_pole, "double pendulum": double_pendulum, "UR5": lambda: robot("ur5"),
}  # fmt: skip


@dataclass
class Members:
    """Members of a mechanism in both programs, with the same joint velocities and forces."""

    mechanism: Mechanism
    stepper: mbs.Stepper
    speeds: np.ndarray
    forces: np.ndarray

    @classmethod
    def of(cls, mechanism: Mechanism) -> Members:
        stepper = mbs.Stepper(to_model(mechanism), MEMBERS, STEP)
        rng = np.random.default_rng(1)
        speeds, forces = (0.1 * rng.normal(size=(MEMBERS, stepper.u.shape[1])) for _ in range(2))
        return cls(mechanism, stepper, speeds, forces)

    def start(self) -> None:
        self.stepper.reset(start=dict(zip(self.stepper.names["u"], self.speeds.T, strict=True)))

    def ours(self, repetitions: int) -> None:
        for _ in range(repetitions):
            self.stepper.advance()

    def with_actions(self, repetitions: int) -> None:
        for _ in range(repetitions):
            self.stepper.advance(self.forces)

    def mujoco(self) -> Callable[[int], np.ndarray]:
        """A function that makes a number of steps from the start and returns the last coordinates."""
        import mujoco
        from mujoco import rollout

        model: Any = to_mujoco(self.mechanism)
        model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, STEP
        data, kind = mujoco.MjData(model), mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.zeros(mujoco.mj_stateSize(model, kind))
        mujoco.mj_getState(model, data, state, kind)
        first = np.tile(state, (MEMBERS, 1))
        first[:, 1 + model.nq : 1 + model.nq + model.nv] = self.speeds
        applied = mujoco.mjtState.mjSTATE_QFRC_APPLIED

        def run(steps: int) -> np.ndarray:
            control = np.repeat(self.forces[:, None], steps, axis=1)
            states, _ = rollout.rollout(model, data, first, control, control_spec=applied, nstep=steps)
            return np.asarray(states)[:, -1, 1 : 1 + model.nq]

        return run


def _case(name: str, effort: Effort) -> list[str]:
    """A row of the table."""
    members = Members.of(CASES[name]())
    members.start()
    members.with_actions(1)
    runs: dict[str, Run] = {"ours": members.ours, "with actions": members.with_actions}
    peer = members.mujoco()
    apart = np.abs(members.stepper.read(members.stepper.q) - peer(1)).max()
    if not apart < SAME:
        raise RuntimeError(f"{name}: coordinates differ by {apart:g} after a step")
    seconds = interleaved(runs | {"MuJoCo": peer}, effort)
    if members.stepper.failed.any():
        raise RuntimeError(f"{name}: {members.stepper.fault(int(np.argmax(members.stepper.failed)))}")
    rates = [number(1e-6 * MEMBERS / float(np.median(x)), "{:.3f}") for x in seconds.values()]
    ratio = float(np.median(seconds["MuJoCo"] / seconds["with actions"]))
    return [name, str(members.stepper.u.shape[1]), str(members.stepper.lanes), *rates, number(ratio, "{:.0f}")]


def section(effort: Effort) -> str:
    """Report section: run all cases."""
    rows, notes = [], []
    for name in CASES:
        progress(f"steppers of {name}")
        try:
            rows.append(_case(name, effort))
        except (Unavailable, ImportError) as reason:
            notes.append(f"- {name} is left out: {reason}")
    header = ["case", "joint velocities", "lanes", "ours", "with actions", "MuJoCo", "with actions to MuJoCo"]
    return "\n\n".join(["## Steppers", EXPLANATION, table(header, rows), *["\n".join(notes)] * bool(notes)])
