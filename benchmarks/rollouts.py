"""Steppers of robots with closed loops in their legs beside MuJoCo's rollouts with soft equalities."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import mbs_fmu as mbs

from .legged import HINGE, PIN, Robot, hopper, quadruped, to_legged_model
from .ours import relative
from .report import number, progress, table
from .timing import Effort, Run, calls, interleaved

INTERVAL, INTERVALS, STEP = 0.02, 10, 0.002
MEMBERS = (64, 256, 1024)
ACTION = 0.1  #: rad: largest change of a servo's wanted angle
STEPS = (0.0005, 0.001, 0.002, 0.004)  #: s, of the comparison of accuracies
FINER, ACCURATE_MEMBERS, ACCURATE_INTERVALS = 8, 16, 25
SAME, DELTA = 1e-8, 1e-5  #: relative difference of accelerations; s, steps of the differences that yield them
MS, MM = 1e3, 1e3
ROBOTS: dict[str, Callable[[], Robot]] = {"hopper": hopper, "quadruped": quadruped}
OURS, SINGLE, HINGES, GYM, PEER, CHAINED = "ours", "one by one", "hinges", "gym", "MuJoCo", "MuJoCo, calls"
EXPLANATION = f"""\
Two robots stand on a plane. In each leg a crank at the hip moves the shank through a rod, in a four-bar linkage. The
hopper is one such leg below a trunk on a vertical rail (5 joint velocities, 1 loop). The quadruped has a free trunk and
four legs, which also turn outward (26 joint velocities, 4 loops). Feet are balls; servos hold thighs, cranks and hips
(`benchmarks/legged.py`). Every {MS * INTERVAL:g} ms an action changes the wanted angle of each servo by a random number
of up to {ACTION:g} rad. A run starts in the standing pose and has {INTERVALS} such intervals.

This package closes the loops exactly and integrates with `rk4`; `mbs.Stepper.advance` computes one interval. In MuJoCo,
`connect` equalities close the loops, and the integrator is `implicitfast`. The solver has its default settings. In the
first two tables the equalities are stiff (see below); their softness hardly changes the times. Both models are made
from the same numbers. Contacts are compliant in both programs but follow different laws. Before the timing, the
accelerations in moving poses in the air are checked: they agree with those that follow from MuJoCo's mass matrix,
forces and Jacobians for exact loops, with a relative error below {SAME:g}.

- "Ours": in SIMD lanes, loops closed by `mbs.OnLine`. "Hinges": closed by `mbs.Revolute`, with redundant constraint
  rows. "One by one": as "ours", with `lanes=1`.
- "Gym": steps of `mbs.gym.MechanismEnv`, which observe all coordinates and velocities.
- "MuJoCo": one call of `mujoco.rollout` for all intervals, with actions known in advance, as in sampling-based control.
  "MuJoCo, calls": a call for each interval, after which a policy could choose the next actions. Steppers and gym always
  make one call for each interval.

Thousands of steps per second, summed over the members, with steps of {MS * STEP:g} ms, the default of MuJoCo. Times are
processor times of one thread, medians over the rounds, in which the contenders take turns:"""
THREADS = """\
The same with {threads} threads, one for each processor core, and wall times, while other programs ran:"""
ACCURACY = f"""\
The next table compares step sizes. "Error" is the root mean square of the differences of all coordinates (m, rad) from
those of the same program with the same loops and steps of {MS * min(STEPS) / FINER:g} ms, over {ACCURATE_MEMBERS}
members at the ends of {ACCURATE_INTERVALS} intervals with random actions. "Height" is the mean height of the trunk at
the end. "Open" is the largest distance by which a loop is open at these times, and in brackets the median over the
states of their most open loop. Times are processor times per member and interval.

The softness of the equalities is MuJoCo's default (`solref` 0.02 1, `solimp` 0.9 0.95), that of the robot Cassie in
MuJoCo Menagerie (`solref` 0.005 1), or stiff (`solref` 0.004 1, `solimp` 0.99 0.999). The stiffness of an equality is
proportional to the effective mass at its points. The rods and cranks of these legs are light, so with the default
softness the weight opens the loops by centimetres, and the robots sink. MuJoCo does not use time constants in `solref`
below two steps: with steps of {MS * max(STEPS):g} ms the loops are softer."""


def section(effort: Effort, quick: bool) -> str:
    """Report section: run both robots."""
    from .legged_peer import STIFF, Rollouts  # an ImportError without MuJoCo leaves the section out

    rounds = Effort(3 if quick else 5, effort.batch)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    one, all_cores, accuracies = [], [], []
    for name, build in ROBOTS.items():
        robot = build()
        check(robot)
        for members in MEMBERS[:1] if quick else MEMBERS:
            progress(f"rollouts of {members} members of the {name}")
            actions = random_actions(robot, members, INTERVALS)
            peer = Rollouts(robot, STEP, STIFF, INTERVAL)
            runs = {
                OURS: stepped(robot, actions), HINGES: stepped(robot, actions, HINGE),
                SINGLE: stepped(robot, actions, lanes=1), GYM: learning(robot, actions),
                PEER: calls(partial(peer.whole, actions)), CHAINED: calls(partial(peer.by_intervals, actions)),
            }  # fmt: skip
            one.append([name, str(members), *speeds(runs, rounds, members, time.thread_time)])
            peer = Rollouts(robot, STEP, STIFF, INTERVAL, cores)
            runs = {OURS: stepped(robot, actions, threads=cores), PEER: calls(partial(peer.whole, actions))}
            all_cores.append([name, str(members), *speeds(runs, rounds, members, time.perf_counter)])
        progress(f"step sizes of the {name}")
        accuracies += accuracy_rows(name, robot, 1 if quick else 3)
    header = ["robot", "members"]
    ratio = f"{OURS} to {PEER}"
    accuracy = ["robot", "loops", "integrator", "step, ms", "error", "height, m", "open, mm", "time, µs"]
    return "\n\n".join([
        "## Rollouts with closed loops", EXPLANATION,
        table([*header, OURS, HINGES, SINGLE, GYM, PEER, CHAINED, ratio], one),
        THREADS.format(threads=cores), table([*header, OURS, PEER, ratio], all_cores),
        ACCURACY, table(accuracy, accuracies),
    ])  # fmt: skip


# -- speeds ------------------------------------------------------------------------------------------------------


def random_actions(robot: Robot, members: int, intervals: int) -> np.ndarray:
    """Actions, (members, intervals, inputs)."""
    return np.random.default_rng(1).uniform(-ACTION, ACTION, (members, intervals, len(robot.servos)))


def stepped(robot: Robot, actions: np.ndarray, closure: mbs.Joint | mbs.OnLine = PIN, **options: int) -> Run:
    """Repetitions of a run of a stepper."""
    stepper = mbs.Stepper(to_legged_model(robot, closure), len(actions), INTERVAL, STEP, **options)
    each = np.ascontiguousarray(actions.transpose(1, 0, 2))

    def run() -> None:
        stepper.reset()
        for action in each:
            stepper.advance(action)
        if stepper.failed.any():
            raise RuntimeError(f"{stepper.name}: {stepper.fault(int(np.argmax(stepper.failed)))}")

    return calls(run)


def learning(robot: Robot, actions: np.ndarray) -> Run:
    """Repetitions of a run of an environment."""
    model = to_legged_model(robot)
    bounds = dict.fromkeys(model.inputs, (-ACTION, ACTION))
    links = range(1, len(robot.mechanism.links))
    free = [f"b0.{kind}[{k + 1}]" for kind, count in (("q", 7), ("u", 6)) for k in range(count)]
    base = free if robot.base_is_free else ["b0.s", "b0.v"]
    observation = [*base, *(f"b{i}.phi" for i in links), *(f"b{i}.w" for i in links)]
    env = mbs.gym.MechanismEnv(
        model, len(actions), interval=INTERVAL, step=STEP, actions=bounds, observation=observation, reward="height"
    )
    each = np.ascontiguousarray(actions.transpose(1, 0, 2))

    def run() -> None:
        env.reset()
        for action in each:
            env.step(action)

    return calls(run)


def speeds(runs: Mapping[str, Run], rounds: Effort, members: int, clock: Callable[[], float]) -> list[str]:
    """Cells of a row: thousands of steps per second of each contender, and the ratio of ours to the peer."""
    seconds = interleaved(runs, rounds, clock)
    steps = 1e-3 * members * INTERVALS * round(INTERVAL / STEP)
    ratio = float(np.median(seconds[PEER] / seconds[OURS]))
    return [*(number(steps / float(np.median(x))) for x in seconds.values()), number(ratio, "{:.1f}")]


# -- accuracy ----------------------------------------------------------------------------------------------------


def check(robot: Robot) -> None:
    """Raise RuntimeError if accelerations differ from those of MuJoCo's mechanism with exact loops."""
    from .legged_peer import exact_accelerations

    members, rng = 8, np.random.default_rng(0)
    stepper = mbs.Stepper(to_legged_model(robot), members, DELTA)
    start = {"b0.q[3]" if robot.base_is_free else "b0.s": np.ones(members)}  # feet in the air
    for i in robot.servos:
        start |= {f"b{i}.phi": robot.angles[i] + rng.uniform(-0.2, 0.2, members), f"b{i}.w": rng.normal(size=members)}
    stepper.reset(start=start)
    actions = rng.uniform(-ACTION, ACTION, (members, len(robot.servos)))
    q, u = stepper.read(stepper.q), [stepper.read(stepper.u)]
    for _ in range(4):
        stepper.advance(actions)
        u.append(stepper.read(stepper.u))
    ours = (-25 * u[0] + 48 * u[1] - 36 * u[2] + 16 * u[3] - 3 * u[4]) / (12 * DELTA)
    theirs = np.array([exact_accelerations(robot, *each) for each in zip(q, u[0], actions, strict=True)])
    if not (apart := relative(ours, theirs)) < SAME:
        raise RuntimeError(f"accelerations of the {robot.mechanism.name} differ by {apart:g}: not the same mechanism")


@dataclass
class Motion:
    """Coordinates and heights of the trunk, (members, intervals, ...); openings of loops, m; seconds of the run."""

    q: np.ndarray
    height: np.ndarray
    opened: np.ndarray
    seconds: float


def accuracy_rows(name: str, robot: Robot, repeats: int) -> list[list[str]]:
    """Rows of the table of step sizes. Each time is the smallest of some repeats, which alternate."""
    import mujoco

    from .legged_peer import SOFTNESSES, STIFF

    implicit, rk4 = mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.mjtIntegrator.mjINT_RK4
    actions = random_actions(robot, ACCURATE_MEMBERS, ACCURATE_INTERVALS)
    kinds = {("exact", "rk4, ours"): partial(our_motion, robot, actions)}
    for softness, integrator, title in (*((one, implicit, "implicitfast") for one in SOFTNESSES), (STIFF, rk4, "rk4")):
        kinds[softness.title, title] = partial(peer_motion, robot, actions, softness, integrator)
    motions = {(kind, step): motion(step) for kind, motion in kinds.items() for step in STEPS}
    for _ in range(repeats):
        for (kind, step), found in motions.items():
            found.seconds = min(found.seconds, kinds[kind](step).seconds)
    rows = []
    for kind, motion in kinds.items():
        fine = motion(min(STEPS) / FINER)
        for step in STEPS:
            found = motions[kind, step]
            error = float(np.sqrt(np.mean((found.q - fine.q) ** 2)))
            middle, most = MM * np.median(found.opened), MM * np.max(found.opened)
            us = 1e6 * found.seconds / actions[..., 0].size
            rows.append([
                name, *kind, f"{MS * step:g}", f"{error:.0e}", f"{found.height[:, -1].mean():.4f}",
                f"{most:.2g} ({middle:.2g})", number(us, "{:.1f}"),
            ])  # fmt: skip
    return rows


def our_motion(robot: Robot, actions: np.ndarray, step: float) -> Motion:
    """The motion of the members of a stepper."""
    stepper = mbs.Stepper(to_legged_model(robot), len(actions), INTERVAL, step)
    stepper.advance(actions[:, 0])  # compiles
    stepper.reset()
    q, values, seconds = [], [], 0.0
    for action in actions.transpose(1, 0, 2):
        began = time.thread_time()
        stepper.advance(action)
        seconds += time.thread_time() - began
        q.append(stepper.read(stepper.q))
        values.append(stepper.values(["height", "open"]))
    heights, opened = np.stack(values, axis=1).transpose(2, 0, 1)
    return Motion(np.stack(q, axis=1), heights, opened, seconds)


def peer_motion(robot: Robot, actions: np.ndarray, softness: Any, integrator: Any, step: float) -> Motion:
    """The motion of the members of a rollout."""
    from .legged_peer import Rollouts

    peer = Rollouts(robot, step, softness, INTERVAL, integrator=integrator)
    began = time.thread_time()
    states = peer.whole(actions)
    seconds = time.thread_time() - began
    q = peer.coordinates(states)
    return Motion(q, q[..., 2 if robot.base_is_free else 0], peer.opened(states), seconds)
