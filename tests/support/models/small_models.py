"""Small models for tests of runs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ellipj, ellipk

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.generators.loops import random_loops
from support.generators.mechanisms import random_tree
from support.generators.trees import add_forces


def oscillator(drive: bool = False) -> Model:
    """A mass on a spring: x'' = -4 x (+ input)."""
    m = Model("oscillator", gravity=(0, 0, 0))
    b = m.body("b", "world", mbs.Prismatic("x"), mass=2.0, inertia=(1, 1, 1))
    m.spring("s", on=b, stiffness=m.parameter("c", 8.0))
    if drive:
        m.motor("f", on=b, force=m.input("force", unit="N"))
    m.output("E", mbs.energy(), unit="J")
    m.start(b, q=0.5, u=0.3)
    return m


def rich_model() -> Model:
    """A small branched mechanism with every kind of force, law and output."""
    rng = np.random.default_rng(5)
    m = random_tree(rng, 3, "star", ("revolute", "compound", "spherical"))
    add_forces(m, rng)
    body = list(m.bodies.values())[-1]
    z = m.state("z", rate=mbs.table(mbs.time, (0.0, 1.0, 2.0), (1.0, 3.0, 2.0)))
    m.output("z_out", mbs.atan2(z, 1 + mbs.sqrt(1 + z * z)) + mbs.acos(0.1) + mbs.log(2 + mbs.cos(z)))
    m.output("tip", mbs.position(body, (0.1, 0.2, 0.3)))
    m.output("attitude", mbs.orientation(body))
    m.output("E", mbs.energy())
    return m


def with_signals(m: Model) -> Model:
    """Model with parameters in masses, laws and outputs, an input and a state, with distinct values."""
    first = next(name for name, body in m.bodies.items() if body.joint.motions)
    m.body("extra", first, mbs.Revolute("x"), mass=m.parameter("mass", 1.5, min=0.1), inertia=(1, 1, 1))
    m.spring("hinge", on="extra", stiffness=m.parameter("c", 0.0), damping=m.parameter("d", 1.0))
    m.motor("motor", on="extra", torque=m.input("torque", start=0.2))
    m.output("sum", m.state("z", lambda z: -z, start=0.4) + mbs.coordinate("extra"))
    return m


def cart_on_rails() -> Model:
    """A base with prescribed motion, whose coordinates have no start values, and a quaternion on it."""
    m = Model("rails")
    m.body("base", "world", mbs.Compound(mbs.slide("x"), mbs.turn("y")), mass=1.0, inertia=(1, 1, 1))
    m.drive("motion", on="base", position=mbs.sin(mbs.time), coordinate=1)
    m.body("ball", "base", mbs.Spherical(), mass=1.0, inertia=(1, 2, 2))
    return m


BUILDERS: dict[str, Callable[[], Model]] = {
    "tree": lambda: with_signals(random_tree(np.random.default_rng(5), 5)),
    "loops": lambda: with_signals(random_loops(3, bodies=5, loops=1)),
    "driven": lambda: with_signals(cart_on_rails()),
}

LENGTH, AMPLITUDE = 0.8, 1.2


def two_motions() -> Model:
    """A pendulum of finite amplitude and a mass on a spring with a force sin t: both have closed forms."""
    m = Model("two_motions")
    swing = m.body("swing", "world", mbs.Revolute("y"), mass=1.0, com=(0, 0, -LENGTH), inertia=(0, 0, 0))
    m.start(swing, q=AMPLITUDE)
    mass = m.body("mass", "world", mbs.Prismatic("x"), mass=2.0)
    m.spring("spring", on=mass, stiffness=8.0)
    m.motor("drive", on=mass, force=mbs.sin(mbs.time))
    m.start(mass, q=0.5, u=0.3)
    return m


def two_motions_exactly(t: np.ndarray) -> np.ndarray:
    """Angle of the pendulum by Jacobi's elliptic function, and x of x'' + 4 x = sin(t) / 2."""
    k = np.sin(AMPLITUDE / 2)
    sn = ellipj(ellipk(k * k) - np.sqrt(9.81 / LENGTH) * t, k * k)[0]
    x = 0.5 * np.cos(2 * t) + (0.15 - 1 / 12) * np.sin(2 * t) + np.sin(t) / 6
    return np.array([2 * np.arcsin(k * sn), x])


def hard() -> Model:
    """A spring with a period of 0.6 ms."""
    m = Model("hard", gravity=(0, 0, 0))
    b = m.body("weight", "world", mbs.Prismatic("x"), mass=1.0)
    m.spring("s", on=b, stiffness=1e8)
    m.start(b, q=0.1)
    return m
