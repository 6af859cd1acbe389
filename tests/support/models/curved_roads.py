"""A quarter of a car in a bend of a curved grid."""

from __future__ import annotations

from typing import Any

import numpy as np

import mbs_fmu as mbs

RADIUS, WEIGHT = 40.0, 370.0 * 9.81  #: m, of the reference line; N


def bend(bumps: float = 0.02) -> mbs.CurvedGrid:
    """Return a left bend from x = y = 0, 60 m long and 6 m wide, with bumps, m."""
    u, v = 0.5 * np.arange(121), np.linspace(-3.0, 3.0, 7)
    heights = bumps * np.random.default_rng(1).normal(size=(121, 7))
    return mbs.CurvedGrid(u, v, heights, RADIUS * np.sin(u / RADIUS), RADIUS - RADIUS * np.cos(u / RADIUS))


def cart(road: Any, v: float = 0.5, speed: float = 8.0, **more: Any) -> mbs.Model:
    """Return a quarter of a car on an arm about the centre of a bend, with a spring across the road.

    more: arguments of `m.tyre`.
    """
    tyre = mbs.Tyre.brush(
        radius=0.31, stiffness=2e5, load=4000.0, slip_stiffness=8e4, friction=0.95, damping=500.0, relaxation=0.4
    )
    m = mbs.Model("cart")
    m.parameter("pull", 50.0)
    m.body("arm", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1), at=(0, RADIUS, 0))
    m.body(
        "sled", "arm", mbs.Compound(mbs.slide("y"), mbs.slide("z")), mass=20.0, inertia=(1, 1, 1), at=(0, -RADIUS, 0)
    )
    m.body("car", "sled", mbs.Prismatic("z"), mass=350.0, inertia=(1, 1, 1))
    m.spring("strut", on="car", stiffness=2.5e4, damping=2e3, length=350.0 * 9.81 / 2.5e4)
    m.spring("steer", on="sled", coordinate=1, stiffness=4e4, damping=2e3, length=v)
    m.motor("pull", on="arm", torque=mbs.signal("pull") * RADIUS)
    m.body("wheel", "sled", mbs.Revolute("y"), mass=20.0, inertia=(0.6, 1.0, 0.6))
    m.tyre("tyre", "wheel", tyre, road=road, **more)
    m.start("sled", q=(v, tyre.loaded_radius(WEIGHT) + 0.01), u=(0, 0))
    m.start("arm", q=0.3, u=speed / (RADIUS - v))
    m.start("wheel", u=speed / tyre.effective_radius(WEIGHT))
    m.output("wheel", mbs.wheel("tyre"))
    m.output("p", mbs.position("wheel"), unit="m")
    m.output("place", mbs.along("tyre"))
    m.output("body", mbs.along(road, "wheel"))
    return m


def in_bend() -> mbs.Model:
    """Return the quarter of a car on bumps of 2 cm."""
    return cart(bend())
