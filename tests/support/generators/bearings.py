"""Shafts in flight in housings in flight, joined by a bearing of each kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import mbs_fmu as mbs
from support.generators.mechanisms import random_inertia

BALLS: dict[str, Any] = {"diameter": 0.2, "pitch": 1.0, "conformity": (0.54, 0.56), "stiffness": 300.0}
JOURNAL: dict[str, Any] = {"radius": 0.5, "length": 0.4, "clearance": 0.3, "viscosity": 0.2}
DAMPED = [[2.0, 0.3], [-0.5, 1.0]]
SKEW = [[3.0, 2.0], [-1.0, 4.0]]
TABLE = [[[3.0, 2.0], [-1.0, 4.0]], [[1.0, 0.0], [0.5, 2.0]], [[0.5, 5.0], [1.0, -2.0]]]

Adding = Callable[[mbs.Model, dict[str, Any]], Any]

#: Each adds a bearing with the name "x" between "shaft" and "housing", by the places and the axis of both.
BEARINGS: dict[str, Adding] = {
    "journal": lambda m, at: mbs.journal_bearing(m, "x", "shaft", "housing", stop=False, **JOURNAL, **at),
    "matrices": lambda m, at: mbs.linear_bearing(m, "x", "shaft", "housing", stiffness=SKEW, damping=DAMPED, **at),
    "matrices over speed": lambda m, at: mbs.linear_bearing(
        m, "x", "shaft", "housing", stiffness=TABLE, damping=DAMPED, speeds=(-2.0, 0.5, 3.0), **at
    ),
    "deep grooves": lambda m, at: mbs.rolling_bearing(
        m, "x", "shaft", "housing", mbs.Balls(7, clearance=-0.01, **BALLS), damping=0.7, **at
    ),
    "angular contact": lambda m, at: mbs.rolling_bearing(
        m, "x", "shaft", "housing", mbs.Balls(9, angle="30 deg", **BALLS), **at
    ),
    "cage at rest": lambda m, at: mbs.rolling_bearing(
        m, "x", "shaft", "housing", mbs.Balls(5, clearance=m.parameter("play", 0.01), **BALLS), cage=0.3, **at
    ),
    "rollers": lambda m, at: mbs.rolling_bearing(
        m, "x", "shaft", "housing", mbs.Rollers(6, 0.2, 1.0, 0.3, slices=3, stiffness=40.0), damping=0.4, **at
    ),
}
#: Bearings whose force is minus the gradient of their energy, without dampers.
ELASTIC = ("angular contact", "cage at rest")


def shaft_in_flight(kind: str, seed: int) -> mbs.Model:
    """Return a shaft and a housing in motion without gravity, both free, with a bearing near its central position."""
    rng = np.random.default_rng(seed)
    m = mbs.Model("in_flight", gravity=(0, 0, 0))
    poses = [(rng.normal(size=3), Rotation.random(random_state=rng)) for _ in range(3)]
    (x, R), *places = poses
    tilt = Rotation.from_rotvec(0.05 * rng.normal(size=3))
    spin = Rotation.from_rotvec((0.0, 0.0, rng.uniform(-3.0, 3.0)))
    offset = 0.05 * rng.normal(size=3)
    (c, C), (d, D) = places  # frames of the bearing on the housing and on the shaft
    turned = R * C * tilt * spin * D.inv()
    origin = x + R.apply(c + C.apply(offset)) - turned.apply(d)
    for name, place, rotation in (("housing", x, R), ("shaft", origin, turned)):
        m.body(name, joint=mbs.Free(), mass=1 + rng.random(), com=rng.normal(size=3), inertia=random_inertia(rng))
        q = (*place, *rotation.as_quat()[[3, 0, 1, 2]])
        m.start(name, q=q, u=rng.normal(size=6))
    at = {"at_housing": mbs.Pose(c, C.as_matrix()), "at_shaft": mbs.Pose(d, D.as_matrix())}
    BEARINGS[kind](m, at)
    return m
