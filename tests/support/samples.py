"""Small models that tests of runs share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from loops import random_loops
from mechanisms import random_tree
from trees import add_forces

import mbs_fmu as mbs
from mbs_fmu.model.model import Model


def oscillator(drive: bool = False) -> Model:
    """x'' = -4 x (+ input): a mass on a spring."""
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
    """Parameters in masses, laws and outputs, an input and a state, all with values of their own."""
    first = next(name for name, body in m.bodies.items() if body.joint.elements)
    m.body("extra", first, mbs.Revolute("x"), mass=m.parameter("mass", 1.5, min=0.1), inertia=(1, 1, 1))
    m.spring("hinge", on="extra", stiffness=m.parameter("c", 0.0), damping=m.parameter("d", 1.0))
    m.motor("motor", on="extra", torque=m.input("torque", start=0.2))
    m.output("sum", m.state("z", lambda z: -z, start=0.4) + mbs.coordinate("extra"))
    return m


def cart_on_rails() -> Model:
    """A driven base, whose coordinates have no start values, and a quaternion on it."""
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
