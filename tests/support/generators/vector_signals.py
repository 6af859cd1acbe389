"""Models with vectors (sampled signals, outputs) among scalars of all kinds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import mbs_fmu as mbs
from support.generators.mechanisms import random_tree


def vectors(late: Sequence[float] = (1.0, 2.0, 3.0)) -> mbs.Model:
    """A pendulum under a sampled vector; initialisation fails if the parameter `level` is negative."""
    m = mbs.Model("vectors", description="Pendulum with vectors of all kinds")
    push = m.input("push", start=0.25, unit="N.m", description="torque")
    level = m.parameter("level", 4.0, description="of which a root is taken, and a mass")
    length = m.parameter("length", 0.5, unit="m", min=0.1)
    first = m.sampled("first", 0.02, lambda x: 0.5 * x + push, start=0.5)
    values = m.sampled("late", 0.01, lambda x: [push, x[0], x[1]], start=late, description="last inputs")
    m.sampled("single", 0.01, lambda x: [x[0] + values[2]], start=[-1.0])
    z = m.state("z", lambda z: values[1] - z, start=0.1)
    bob = m.body("bob", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -length), inertia=(0.01, 0.01, 0.01))
    ball = m.body("ball", bob, mbs.Spherical(), mass=0.025 * level, com=(0, 0, -0.1), inertia=(0.001, 0.001, 0.001))
    m.motor("drive", on=bob, torque=values[2] + first)
    m.start(bob, q=0.3)
    m.output("root", mbs.sqrt(level), description="of the level")
    m.output("mixed", [values[0] + push, z, mbs.coordinate(bob), values[1]])
    m.output("place", mbs.position(ball), unit="m")
    m.output("last", values[2])
    return m


def random_vectors(number: int) -> mbs.Model:
    """A random tree with vectors, outputs, states, inputs, parameters, a table and events, in random order and size."""
    rng = np.random.default_rng(number)
    m = random_tree(rng, int(rng.integers(1, 4)))
    body = next((b for b in m.bodies.values() if b.joint.motions and b.joint.scalar), None)
    known = [mbs.time, *([mbs.coordinate(body, 1)] if body else [])]

    def law() -> mbs.Expression:
        return float(rng.normal()) * known[rng.integers(len(known))] + known[rng.integers(len(known))]

    for k in range(int(rng.integers(4, 9))):
        kind, size = rng.integers(6), int(rng.integers(1, 6))
        if kind <= 1:
            starts = [float(x) for x in rng.normal(size=size)]
            mine = m.sampled(f"x{k}", 0.01 * (k + 1), [law() for _ in range(size)], start=starts)
            known += list(mine)
        elif kind == 2:
            m.output(f"y{k}", [law() for _ in range(size)])
        elif kind == 3:
            known.append(m.sampled(f"s{k}", 0.1, law(), start=float(rng.normal())))
        elif kind == 4:
            known.append(m.state(f"z{k}", law(), start=float(rng.normal())))
        else:
            known += [m.input(f"u{k}", start=float(rng.normal())), m.parameter(f"p{k}", float(rng.normal()))]
    m.sampled("last", 0.1, [law(), law()], start=[float(x) for x in rng.normal(size=2)])
    m.output("all", [mbs.energy(), *known])
    m.event("level", law() - 100.0, direction=1)
    gains, curve = m.parameter("gains", rng.normal(size=2)), m.table("curve", [0.0, 0.5, 2.0], rng.normal(size=3))
    m.output("shape", [curve(mbs.time), curve.slope(known[-1]), gains[1] * curve.area(known[0])])
    return m
