"""Wheels in flight above roads that move, with all kinds of tyres."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import mbs_fmu as mbs
from support.generators.mechanisms import random_inertia
from support.models.tyres import TURNING_TYRE, car_tyre

TYRES: dict[str, Callable[[], Any]] = {
    "Magic Formula": lambda: car_tyre(VERTICAL_STIFFNESS=700.0, VERTICAL_DAMPING=3.0, FNOMIN=200.0),
    "Magic Formula 6.2": lambda: car_tyre(
        VERTICAL_STIFFNESS=700.0,
        VERTICAL_DAMPING=3.0,
        FNOMIN=200.0,
        FITTYP=61,
        LONGVL=5.0,
        Q_FZ2=0.3,
        Q_RE0=1.02,
        Q_V1=0.05,
        Q_V2=0.2,
        Q_FCX=0.3,
        Q_FCY=-0.4,
        Q_CAM=-0.5,
    ),
    "brush": lambda: mbs.Tyre.brush(
        radius=0.5, stiffness=700.0, load=100.0, slip_stiffness=900.0, friction=0.9, damping=2.0
    ),
    "linear": lambda: mbs.Tyre.linear(900.0, 700.0, 0.8, radius=0.5, stiffness=700.0, trail=0.02),
    "turn slip": lambda: mbs.Tyre(TURNING_TYRE | {"VERTICAL_STIFFNESS": 700.0, "FNOMIN": 200.0, "YAW_STIFFNESS": 20.0}),
    "at once": lambda: mbs.Tyre.linear(900.0, 700.0, 0.8, radius=0.5, stiffness=700.0, trail=0.02),
}


def wheel_in_flight(kind: str, seed: int) -> mbs.Model:
    """Return a wheel on a free carrier, pressed into the plane of a free road, all in motion, with slip states."""
    rng = np.random.default_rng(seed)
    m = mbs.Model("flight", gravity=(0, 0, 0))
    for name in ("carrier", "road"):
        m.body(name, joint=mbs.Free(), mass=1.0 + rng.random(), inertia=random_inertia(rng))
        turn = (1, *(0.1 * rng.normal(size=3)))
        height = 0.25 if name == "carrier" else 0.0
        m.start(name, q=(*(0.05 * rng.normal(size=2)), height, *turn), u=rng.normal(size=6))
    m.body("wheel", "carrier", mbs.Revolute("y"), mass=0.5, inertia=(0.1, 0.2, 0.1))
    m.start("wheel", q=0.4, u=3.0)
    tyre = TYRES[kind]()
    side = "right" if tyre.side else None
    options: dict[str, Any] = {"transient": kind != "at once", "turn_slip": kind == "turn slip"}
    m.tyre("tyre", "wheel", tyre, side=side, on="road", center=(0, 0.05, 0), grip=0.7, **options)
    for name, state in list(m.states.items()):
        m.states[name] = replace(state, start=0.1 * float(rng.normal()))
    return m
