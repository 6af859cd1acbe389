"""Models of many bodies whose contacts are found by a list of near pairs, or are those of all pairs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.generators.contacts import RUBBLE
from support.generators.mechanisms import random_inertia

SMOOTH: dict[str, Any] = {"dissipation": 0.0}
ROUGH: dict[str, Any] = {"friction": 0.5, "creep": 0.05, "dissipation": 0.5}


def swarm(count: int = 12, seed: int = 0, near: Any = True, spacing: float = 0.165, **more: Any) -> Model:
    """Return balls of several radii that fly into each other, a ball on a hinge, a floor and a fixed block; outputs P,
    L and E. With a spacing (m) below 0.14, balls overlap at the start.

    With a list of near pairs and with all pairs, sums of forces have the same order.
    """
    rng = np.random.default_rng(seed)
    m = Model("swarm", gravity=(0, 0, 0))
    mu = m.parameter("mu", 0.5)
    edge = round(count ** (1 / 3) + 0.5)
    shapes: dict[str, Any] = {"world": [mbs.Plane(at=(0, 0, -0.1)), mbs.Box(0.6, 0.2, 0.2, at=(-0.4, 0, 0))]}
    for k in range(count):
        name = f"ball{k}"
        place = spacing * np.array([k % edge, k // edge % edge, k // edge**2]) + 0.001 * rng.normal(size=3)
        m.body(name, joint=mbs.Free(), mass=0.1 + 0.1 * rng.random(), inertia=(1e-4,) * 3)
        towards = spacing * (edge - 1) / 2 - place
        m.start(name, q=(*place, *rng.normal(size=4)), u=(*(4.0 * towards), *rng.normal(size=3)))
        shapes[name] = mbs.Sphere(0.05 + 0.01 * (k % 3), at=(0.0, 0.01 * (k % 2), 0.0))
    m.body("arm", "ball0", mbs.Revolute("y"), mass=0.05, com=(0, 0, 0.02), inertia=(1e-4,) * 3)
    shapes["arm"] = mbs.Sphere(0.03, at=(0, 0, 0.03))
    law = {**ROUGH, "friction": mu, "stiffness": 2e3}
    m.mutual_contact("hit", shapes, exclude=[("ball1", "ball2")], near=near, **law, **more)
    m.output("P", mbs.momentum())
    m.output("L", mbs.angular_momentum())
    m.output("E", mbs.energy())
    return m


def shards(near: Any = True, seed: int = 0, kinds: Collection[str] = ("pill", "ball")) -> Model:
    """Return some ten solids of several kinds that overlap, without other contacts; outputs P, L and E."""
    rng = np.random.default_rng(seed)
    m = Model("shards", gravity=(0, 0, 0))
    shapes = {f"{name}{k}": shape for k in range(12 // len(kinds)) for name, shape in RUBBLE.items() if name in kinds}
    for name in shapes:
        m.body(name, joint=mbs.Free(), mass=0.5 + rng.random(), inertia=3e-3 * np.array(random_inertia(rng)))
        m.start(name, q=(*(0.07 * rng.normal(size=3)), *rng.normal(size=4)), u=0.3 * rng.normal(size=6))
    m.mutual_contact("touch", shapes, stiffness=4e3, near=near, **ROUGH)
    m.output("P", mbs.momentum())
    m.output("L", mbs.angular_momentum())
    m.output("E", mbs.energy())
    return m
