"""Gears: a planetary set, and random free-floating carriers of two bodies that a gear or a rack couples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.generators.mechanisms import random_inertia, random_rotation

SUN, PLANET, RING = 24, 18, 60
MODULE = 0.004
JS, JC, JR, JP, MP = 2e-3, 8e-3, 3e-2, 5e-4, 0.6
ARM = 0.5 * MODULE * (SUN + PLANET)


def planetary() -> Model:
    """Sun, carrier and ring on hinges about one axis, and three planets on the carrier."""
    m = Model("planetary", gravity=(0, 0, 0))
    for name, J in (("sun", JS), ("carrier", JC), ("ring", JR)):
        m.body(name, joint=mbs.Revolute("z"), mass=1.0, inertia=(J, J, J))
    for k in range(3):
        angle = 2.0 * math.pi * k / 3.0
        at = (ARM * math.cos(angle), ARM * math.sin(angle), 0.0)
        m.body(f"planet{k}", "carrier", mbs.Revolute("z"), MP, inertia=(JP, JP, JP), at=at)
        m.gear(f"inner{k}", "sun", f"planet{k}", teeth=(SUN, PLANET))
        m.gear(f"outer{k}", f"planet{k}", "ring", teeth=(PLANET, -RING))
    t, w = mbs.time, mbs.rate
    m.motor("on_sun", on="sun", torque=3.0 * mbs.sin(5.0 * t) - 0.01 * w("sun"))
    m.motor("on_carrier", on="carrier", torque=-2.0 + mbs.cos(3.0 * t) - 0.02 * w("carrier"))
    m.motor("on_ring", on="ring", torque=0.3 - 0.05 * w("ring"))
    m.start("sun", q=0.0, u=10.0)
    m.start("carrier", q=0.0, u=3.0)
    return m


KINDS = ("spur", "inner", "bevel", "skew", "ratio", "coordinates", "rack")


def geared(kind: str, seed: int, **gives: Any) -> Model:
    """A free-floating housing with a gear of this kind, rigid or with the options `gives`; the first body turns."""
    rng = np.random.default_rng([seed, *kind.encode()])
    m = Model(kind, gravity=rng.normal(size=3))
    m.body("housing", joint=mbs.Free(), mass=3.0, com=0.1 * rng.normal(size=3), inertia=random_inertia(rng))
    m.start("housing", q=rng.normal(size=7), u=rng.normal(size=6))
    turn, at = random_rotation(rng), 0.1 * rng.normal(size=3)
    axes = {"bevel": ("z", (0.6, 0.0, 0.8)), "skew": ("z", (0.8, 0.0, 0.6)), "rack": ("z", "x")}.get(kind, ("z", "z"))
    reach = np.array([0.06, 0.0, 0.08]) if kind == "bevel" else np.array([0.02, 0.1, 0.03])
    joints = mbs.Revolute(axes[0]), (mbs.Prismatic if kind == "rack" else mbs.Revolute)(axes[1])
    for name, joint, place in zip(("one", "two"), joints, (0.0 * at, reach), strict=True):
        pose = mbs.Pose(at + turn @ place, turn)
        m.body(name, "housing", joint, 0.5 + rng.random(), 0.05 * rng.normal(size=3), random_inertia(rng), pose)
    teeth = (-47, 20) if kind == "inner" else (21, 34)
    if kind == "rack":
        m.rack("mesh", "one", "two", radius=0.1, **gives)
    elif kind in ("ratio", "coordinates"):
        m.gear("mesh", "one", "two", ratio=-1.7, carrier="housing" if kind == "ratio" else None, **gives)
    elif kind == "skew":
        normals, point = np.array([(0, 0, 1), (0.8, 0, 0.6)]), np.array([0.03, 0.06, 0.01])
        arms = [np.cross(n, point - x) for n, x in zip(normals, (0.0 * reach, reach), strict=True)]
        across = teeth[1] * arms[0] + teeth[0] * arms[1]
        along = np.cross(across, rng.normal(size=3))
        m.gear("mesh", "one", "two", teeth=teeth, at=at + turn @ point, along=turn @ along, **gives)
    else:
        m.gear("mesh", "one", "two", teeth=teeth, **gives)
    m.motor("drive", on="one", torque=2.0 + mbs.cos(2.0 * mbs.time))
    m.start("one", q=0.0, u=4.0)
    return m


TEETH = {"external": (21, 34), "outer_ring": (-47, 20), "ring_last": (20, -47)}  #: teeth of wheels on bearings


def on_bearings(kind: str, seed: int, flank: int, **gives: Any) -> Model:
    """A free-floating housing and in it two wheels with involute teeth on springs, pressed on a flank (-1 or 1) or, for
    0, apart; `gives`: further options of the gear."""
    rng = np.random.default_rng([seed, *kind.encode()])
    m = Model(kind, gravity=rng.normal(size=3))
    m.body("housing", joint=mbs.Free(), mass=3.0, com=0.1 * rng.normal(size=3), inertia=random_inertia(rng))
    m.start("housing", q=rng.normal(size=7), u=rng.normal(size=6))
    turn, at, reach = random_rotation(rng), 0.1 * rng.normal(size=3), np.array([0.02, 0.1, 0.03])
    joint = mbs.Compound(*(mbs.slide(x) for x in "xyz"), mbs.turn("x"), mbs.turn("y"), mbs.turn("z"))
    for name, place in (("one", 0.0 * reach), ("two", reach)):
        pose = mbs.Pose(at + turn @ place, turn)
        m.body(name, "housing", joint, 0.5 + rng.random(), 0.05 * rng.normal(size=3), random_inertia(rng), pose)
        for k in range(1, 6):
            m.spring(f"{name}{k}", on=name, coordinate=k, stiffness=100.0 * (1.0 + rng.random()))
    first, second = TEETH[kind]
    m.gear("mesh", "one", "two", teeth=(first, second), pressure_angle="20 deg", helix=0.4 * rng.normal(), **gives)
    turned, off = 300.0 * rng.normal(), 1.0 if flank else 0.1  # by many teeth
    angles = turned / first, -turned / second + 0.1 * flank / second
    for name, angle in zip(("one", "two"), angles, strict=True):
        moved, tilted = 3e-5 * off * rng.normal(size=3), 1e-4 * off * rng.normal(size=2)
        m.start(name, q=(*moved, *tilted, angle), u=rng.normal(size=6))
    return m
