"""Random linkages whose loops start far open: bodies are apart, and turned by up to half a turn."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.models.linkages import rod, stewart

INERTIA = (0.1, 0.2, 0.25)


def quaternion(axis: Sequence[float], angle: float) -> tuple[float, ...]:
    """Quaternion of a rotation; axis: of any length."""
    n = np.array(axis) / np.linalg.norm(axis)
    return (math.cos(0.5 * angle), *(math.sin(0.5 * angle) * n))


def turned_body(joint: mbs.Joint, axis: Sequence[float], angle: float, base: str = "world") -> Model:
    """A free body that a joint connects with the world, or with a body on a ball, from a turned start."""
    m = Model("turned_body")
    if base != "world":
        m.body(base, "world", mbs.Spherical(), 1.0, com=(0.1, 0, 0), inertia=INERTIA)
        m.start(base, q=quaternion((1, 2, 3), 0.7), guess=True)
    m.body("b", "world", mbs.Free(), 1.0, inertia=INERTIA)
    m.close("loop", base, "b", joint, at_a=(0.3, 0.1, 0))
    m.start("b", q=(0.1, 0.2, 0.3, *quaternion(axis, angle)), guess=True)
    m.output("open", mbs.residual())
    return m


def turned_axis(base: mbs.Joint, angle: float) -> Model:
    """A joint held by its start value, and a weld of the same two bodies."""
    m = Model("turned_axis")
    m.body("b", "world", base, 1.0, com=(0.1, 0, 0), inertia=INERTIA)
    m.start("b", q=angle)
    m.close("loop", "world", "b", mbs.Weld())
    return m


def spatial_four_bar(rng: np.random.Generator) -> Model:
    """Hinge, ball and hinge in the tree, and a hinge that closes: lengths that can close, and random guesses."""
    a, b, c, ground = closable(rng)
    m = Model("spatial_four_bar")
    m.body("crank", "world", mbs.Revolute("z"), **rod(a, 1.0))
    m.body("coupler", "crank", mbs.Spherical(), 1.0, com=(b / 2, 0, 0), inertia=INERTIA, at=(a, 0, 0))
    m.body("rocker", "world", mbs.Revolute("z"), at=(ground, 0, 0), **rod(c, 1.0))
    m.close("pin", "coupler", "rocker", mbs.Revolute("z"), at_a=(b, 0, 0), at_b=(c, 0, 0))
    m.start("crank", q=rng.uniform(-math.pi, math.pi), guess=True)
    m.start("coupler", q=quaternion(rng.normal(size=3), rng.uniform(0, math.pi)), guess=True)
    m.start("rocker", q=rng.uniform(-math.pi, math.pi), guess=True)
    return m


def closable(rng: np.random.Generator) -> tuple[float, ...]:
    """Lengths of four bars, each shorter than the three others together by a twentieth of their sum."""
    while True:
        lengths = rng.uniform(0.5, 2.0, size=4)
        if 2.0 * lengths.max() < 0.95 * lengths.sum():
            return tuple(map(float, lengths))


def open_stewart(rng: np.random.Generator) -> Model:
    """A platform on six legs, all of them and the platform turned at random."""
    m = stewart()
    for k in range(6):
        m.start(f"leg{k}", q=(*rng.uniform(-1.0, 1.0, size=2), rng.uniform(0.8, 1.3)), guess=True)
    m.start("platform", q=quaternion(rng.normal(size=3), rng.uniform(0, math.pi)), guess=True)
    return m


def stretched_arm() -> Model:
    """An arm of two links, stretched towards a point within reach: no first-order motion brings it nearer."""
    m = Model("stretched_arm")
    m.body("upper", "world", mbs.Revolute("z"), **rod(1.0, 1.0))
    m.body("lower", "upper", mbs.Revolute("z"), at=(1.0, 0, 0), **rod(1.0, 1.0))
    m.close("hand", "world", "lower", mbs.Spherical(), at_a=(1.2, 0, 0), at_b=(1.0, 0, 0))
    for name in ("upper", "lower"):
        m.start(name, q=0.0, guess=True)
    m.output("open", mbs.residual())
    return m
