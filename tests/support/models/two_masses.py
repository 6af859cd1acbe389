"""Two masses at walls with a spring and damper between them, cut in two models: one gives its motion, one the force."""

from __future__ import annotations

import numpy as np

import mbs_fmu as mbs

WALLS = (10.0, 0.1, 20.0)  #: stiffness (N/m) and damping (N.s/m) at the left mass, stiffness at the right one
START = 0.1  #: m, of the left mass


def left() -> mbs.Model:
    """The left mass, which the input moves."""
    m = mbs.Model("left")
    body = m.body("mass", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("wall", on=body, stiffness=WALLS[0], damping=WALLS[1])
    m.motor("coupling", on=body, force=m.input("force", unit="N"))
    m.output("x", mbs.coordinate(body), unit="m")
    m.output("v", mbs.rate(body), unit="m/s")
    m.start(body, q=START)
    return m


def right() -> mbs.Model:
    """The right mass with the spring c and damper d to the left one, whose place and velocity are inputs."""
    m = mbs.Model("right")
    body = m.body("mass", joint=mbs.Prismatic("x"), mass=1.0)
    x, v = m.input("x", unit="m"), m.input("v", unit="m/s")
    c, d = m.parameter("c", 100.0, unit="N/m"), m.parameter("d", 1.0, unit="N.s/m")
    force = c * (x - mbs.coordinate(body)) + d * (v - mbs.rate(body))
    m.spring("wall", on=body, stiffness=WALLS[2])
    m.motor("coupling", on=body, force=force)
    m.output("force", -force, unit="N")
    return m


def exact(c: float, d: float, times: np.ndarray) -> np.ndarray:
    """The left mass's place over time, by eigenvalues of the whole system."""
    k, damping, other = WALLS
    A = np.array([
        [0, 1, 0, 0], [-k - c, -damping - d, c, d], [0, 0, 0, 1], [c, d, -other - c, -d],
    ])  # fmt: skip
    values, vectors = np.linalg.eig(A)
    weights = np.linalg.solve(vectors, [START, 0, 0, 0])
    return ((np.exp(np.outer(times, values)) * weights) @ vectors[0]).real
