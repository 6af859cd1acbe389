"""Four tasks whose runs touch the ground: a box that lands, a ball that bounces, a quadruped, and a puck that stops.

Each task has unknowns, and outputs of its model, the misses, that shall vanish at the end of a run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import mbs_fmu as mbs
from models.quadruped import JOINTS, LEGS, STANDING, add_motors, sensed, standing_robot

from .contact_numbers import (
    BALL,
    BOUNCE_DROP,
    BOUNCE_DURATION,
    BOUNCE_MASS,
    BOUNCE_STIFFNESS,
    DURATIONS,
    FRICTION,
    GAINS,
    HEIGHTS,
    LOWER,
    MASSES,
    PAYLOAD,
    PLACE,
    RADIUS,
    SIDES,
    STARTS,
    TARGETS,
    THICKNESS,
    UNKNOWN,
    WEIGHTS,
)


class Task(NamedTuple):
    """A model, the unknowns of a run by name with their first guess, steps, and the outputs that shall vanish.

    unknowns: numbers by the name of a state, which they have at the start, or of a parameter. step: s.
    """

    model: mbs.Model
    unknowns: dict[str, float]
    step: float
    steps: int
    misses: list[str]


class Shooting:
    """The misses of a task as a function of its unknowns, with the Jacobian by the gradients of the run."""

    def __init__(self, task: Task):
        self.task, self.guess = task, np.array(list(task.unknowns.values()))
        free = [name for name in task.unknowns if name in task.model.parameters]
        self.rollout = mbs.rollout(task.model, task.step, task.steps, free)
        states, parameters = self.rollout.states, self.rollout.parameters
        self._states = [(k, states.index(name)) for k, name in enumerate(task.unknowns) if name in states]
        self._parameters = [(k, parameters.index(name)) for k, name in enumerate(task.unknowns) if name in parameters]
        self._misses = [self.rollout.outputs.index(name) for name in task.misses]

    def trajectory(self, unknowns: np.ndarray) -> mbs.Trajectory:
        """Return the run."""
        x, p = self._arguments(unknowns)
        return self.rollout(x=x, p=p)

    def misses(self, unknowns: np.ndarray) -> np.ndarray:
        """Return the misses, (misses,), from a run without gradient."""
        return self.trajectory(unknowns).y[-1, self._misses]

    def jacobian(self, unknowns: np.ndarray) -> np.ndarray:
        """Return the Jacobian, (misses, unknowns): one run forward, and one backward for each miss."""
        x, p = self._arguments(unknowns)
        trajectory, vjp = self.rollout.vjp(x=x, p=p)
        J = np.zeros((len(self._misses), len(unknowns)))
        for row, miss in zip(J, self._misses, strict=True):
            weights = np.zeros_like(trajectory.y)
            weights[-1, miss] = 1.0
            gradient = vjp(y=weights)
            for k, place in self._states:
                row[k] = gradient.x[place]
            for k, place in self._parameters:
                row[k] = gradient.p[place]
        return J

    def _arguments(self, unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the start and the parameters of a run."""
        x, p = self.rollout.x0.copy(), self.rollout.p0.copy()
        for k, place in self._states:
            x[place] = unknowns[k]
        for k, place in self._parameters:
            p[place] = unknowns[k]
        return x, p


def landing(step: float = 5e-4) -> Task:
    """Return the box, which tumbles and bounces on its corners: to a place, with a heading."""
    m, box = _one_body("landing", mbs.box(*SIDES, mass=MASSES["landing"]), HEIGHTS["landing"])
    m.contact("floor", "world", box, shape_b=mbs.Box(*SIDES), stiffness=5e3, friction=FRICTION["landing"])
    return _thrown(m, box, step, [mbs.position(box, (1, 0, 0))[1] - mbs.position(box)[1]])


def throw(step: float = 2.5e-4, exponent: float = 1.5) -> Task:
    """Return the ball, which has spin and bounces once on its way to a target.

    exponent: of the normal force by the depth; the contact lasts about as long with 1 as with 1.5.
    """
    m, ball = _one_body("throw", mbs.sphere(BALL, mass=MASSES["throw"]), HEIGHTS["throw"])
    law = {"stiffness": {1.0: 5e2, 1.5: 4e3}[exponent], "exponent": exponent, "grip": 300.0, "dissipation": 0.1}
    m.contact("floor", "world", ball, shape_b=mbs.Sphere(BALL), friction=FRICTION["throw"], **law)
    return _thrown(m, ball, step, [])


def puck(step: float = 1e-3) -> Task:
    """Return the puck, which slides on three points, with spin, until it sticks: at a place, and with a heading."""
    weight, stiffness = MASSES["puck"] * 9.81, 4e2
    height = 0.5 * THICKNESS - weight / (3.0 * stiffness)
    m, disc = _one_body("puck", mbs.cylinder(RADIUS, THICKNESS, mass=MASSES["puck"]), height)
    angles = np.arange(3) * 2.0 * np.pi / 3.0
    feet = [(RADIUS * np.cos(a), RADIUS * np.sin(a), -0.5 * THICKNESS) for a in angles]
    m.contact("floor", "world", disc, shape_b=mbs.Points(feet), stiffness=stiffness, friction=FRICTION["puck"])
    return _thrown(m, disc, step, [mbs.position(disc, (1, 0, 0))[1] - mbs.position(disc)[1]])


def stance(step: float = 1e-3) -> Task:
    """Return the quadruped with a payload off its middle, which shall stand low, level and with small torques.

    The unknowns are the gains of its servos, and the angles that these hold.
    """
    robot = standing_robot("stance", mbs.Plane("z"), "Quadruped with a payload")
    m, known = robot.model, sensed(robot)
    m.body("payload", "trunk", mbs.Weld(), mass=PAYLOAD, at=PLACE)
    guess = dict(zip(("stiffness", "damping"), GAINS, strict=True))
    guess |= {f"{joint}_aim": aim for joint, aim in zip(JOINTS, STANDING * len(LEGS), strict=True)}
    stiffness, damping, *aims = (m.parameter(name, value) for name, value in guess.items())
    torques = [
        stiffness * (aim - angle) - damping * rate
        for aim, angle, rate in zip(aims, known.angles, known.rates, strict=True)
    ]
    add_motors(robot, torques)
    effort = m.state("effort", rate=sum(torque * torque for torque in torques))
    roll, pitch, low = known.attitude[0], known.attitude[1], mbs.position("trunk")[2] - LOWER
    m.output("cost", WEIGHTS[0] * (roll**2 + pitch**2) + WEIGHTS[1] * low**2 + WEIGHTS[2] * effort)
    return Task(m, guess, step, round(DURATIONS["stance"] / step), ["cost"])


def bouncing(located: bool = False) -> mbs.Model:
    """Return a ball that falls onto an elastic floor and rises again, without losses: its derivatives are known.

    Its output is its height above the place of its first touch. located: whether steps end at touch and release.
    """
    m = mbs.Model("bouncing")
    ball = m.body("ball", joint=mbs.Prismatic("z"), mass=BOUNCE_MASS)
    m.contact("floor", "world", ball, shape_b=mbs.Sphere(BALL), stiffness=BOUNCE_STIFFNESS, dissipation=0.0)
    m.start(ball, q=BALL + BOUNCE_DROP)
    if located:
        count = m.state("count", rate=0.0)
        m.event("touch", mbs.gap("floor"), reset={"count": count + 1.0})
    m.output("height", mbs.position(ball)[2] - BALL, unit="m")
    return m


def height_after(drop: complex) -> Any:
    """Return the height of `bouncing` at the end: a fall, more than half a period of the spring, a rise."""
    frequency = math.sqrt(BOUNCE_STIFFNESS / BOUNCE_MASS)
    speed = np.sqrt(2.0 * 9.81 * drop)
    touching = (2.0 * math.pi - 2.0 * np.arctan(speed * frequency / 9.81)) / frequency
    rise = BOUNCE_DURATION - speed / 9.81 - touching
    return speed * rise - 0.5 * 9.81 * rise**2


TASKS: Mapping[str, Callable[..., Task]] = {"landing": landing, "throw": throw, "puck": puck, "stance": stance}


def _one_body(name: str, solid: mbs.Solid, height: float) -> tuple[mbs.Model, mbs.Body]:
    """Return the model and its body, at the start above the origin."""
    m = mbs.Model(name)
    body = m.body("body", joint=mbs.Free(), **solid)
    m.start(body, q=(0, 0, height, 1, 0, 0, 0), u=STARTS[name])
    return m, body


def _thrown(m: mbs.Model, body: mbs.Body, step: float, further: list[mbs.Expression]) -> Task:
    """Return the task to bring the centre to its target, and `further` to zero."""
    place, target = mbs.position(body), TARGETS[m.name]
    misses = [*(place[k] - x for k, x in enumerate(target)), *further]
    m.output("place", place, unit="m")
    m.output("miss", misses)
    unknowns = {f"body.u[{k + 1}]": STARTS[m.name][k] for k in UNKNOWN[m.name]}
    names = [f"miss[{k + 1}]" for k in range(len(misses))]
    return Task(m, unknowns, step, round(DURATIONS[m.name] / step), names)
