"""Coefficients of a passenger car's tyre, Magic Formula 5.2.

Forces: the parameter set with which OpenTire (MIT licence) comes; the aligning moment, the relaxation and the vertical
spring are those of a tyre of like size.
"""

from __future__ import annotations

import math
from typing import Any

import mbs_fmu as mbs

FORCES = {
    "FNOMIN": 4850, "UNLOADED_RADIUS": 0.344, "VERTICAL_STIFFNESS": 280835.0,
    "PCX1": 1.6411, "PDX1": 1.1739, "PDX2": -0.16395, "PDX3": 5.0, "PEX1": 0.46403, "PEX2": 0.25022, "PEX3": 0.067842,
    "PEX4": -3.7604e-5, "PKX1": 22.303, "PKX2": 0.48896, "PKX3": 0.21253, "PHX1": 0.0012297, "PHX2": 0.0004318,
    "PVX1": -8.8098e-6, "PVX2": 1.862e-5, "RBX1": 13.276, "RBX2": -13.778, "RCX1": 1.2568, "REX1": 0.65225,
    "REX2": -0.24948, "RHX1": 0.0050722, "PCY1": 1.3507, "PDY1": 1.0489, "PDY2": -0.18033, "PDY3": -2.8821,
    "PEY1": -0.0074722, "PEY2": -0.0063208, "PEY3": -9.9935, "PEY4": -760.14, "PKY1": -21.92, "PKY2": 2.0012,
    "PKY3": -0.024778, "PHY1": 0.0026747, "PHY2": 8.9094e-5, "PHY3": 0.031415, "PVY1": 0.037318, "PVY2": -0.010049,
    "PVY3": -0.32931, "PVY4": -0.69553, "RBY1": 7.1433, "RBY2": 9.1916, "RBY3": -0.027856, "RCY1": 1.0719,
    "REY1": -0.27572, "REY2": 0.32802, "RHY1": 5.7448e-6, "RHY2": -3.1368e-5, "RVY1": -0.027825, "RVY2": 0.053604,
    "RVY3": -0.27568, "RVY4": 12.12, "RVY5": 1.9, "RVY6": -10.704,
}  # fmt: skip
MOMENTS = {
    "QBZ1": 10.904, "QBZ2": -1.8412, "QBZ3": -0.52041, "QBZ4": 0.039211, "QBZ5": 0.41511, "QBZ9": 8.9846,
    "QCZ1": 1.2136, "QDZ1": 0.093509, "QDZ2": -0.0092183, "QDZ3": -0.057061, "QDZ4": 0.73954, "QDZ6": -0.0067783,
    "QDZ7": 0.0052254, "QDZ8": -0.18175, "QDZ9": 0.029952, "QEZ1": -1.5697, "QEZ2": 0.33394, "QEZ4": 0.26711,
    "QEZ5": -3.594, "QHZ1": 0.0047326, "QHZ2": 0.0026687, "QHZ3": 0.11998, "QHZ4": 0.059083,
}  # fmt: skip
CAR_TYRE = FORCES | MOMENTS | {
    "VERTICAL_DAMPING": 2000.0, "BREFF": 8.4, "DREFF": 0.27, "FREFF": 0.07, "PTX1": 2.3657, "PTX2": 1.4112,
    "PTX3": 0.56626, "PTY1": 2.1439, "PTY2": 1.9829,
}  # fmt: skip
#: Terms that the set above lacks, so that every term of version 5.2 occurs.
MORE = {
    "SSZ1": 0.03, "SSZ2": 0.004, "SSZ3": 0.5, "SSZ4": -0.2, "QSX1": 2e-4, "QSX2": 0.5, "QSX3": 0.04, "QBZ10": 0.1,
    "QSY1": 0.01, "QSY3": 0.003, "QEZ3": 0.02,
}  # fmt: skip
#: Turn slip of the tyre 205/60R15 in appendix 3 of Pacejka (2012), version 6.1, without shifts; the longitudinal curve
#: and the trail are those of a tyre of like size.
TURNING_TYRE = {
    "FITTYP": 61, "UNLOADED_RADIUS": 0.3135, "FNOMIN": 4000.0, "VERTICAL_STIFFNESS": 209651.0,
    "PCX1": 1.6, "PDX1": 1.0, "PKX1": 21.7,
    "PCY1": 1.3, "PDY1": 0.8785, "PDY2": -0.06452, "PKY1": -15.324, "PKY2": 1.715, "PKY4": 2.0005, "PKY6": -0.8987,
    "PKY7": -0.23303, "PVY3": -0.162, "PVY4": -0.4864, "QBZ1": 10.0, "QCZ1": 1.2, "QDZ1": 0.1,
    "QDZ8": -0.1428, "QDZ9": 0.00915, "YAW_STIFFNESS": 4793.0, "PDXP1": 0.4, "PKYP1": 1.0, "PDYP1": 0.4, "PHYP1": 1.0,
    "PHYP2": 0.15, "PHYP4": -4.0, "PECP1": 0.5, "QDTP1": 10.0, "QCRP1": 0.2, "QCRP2": 0.1, "QBRP1": 0.1, "QDRP1": 1.0,
}  # fmt: skip


def car_tyre(**changed: Any) -> mbs.Tyre:
    """Return the tyre of a passenger car, with changed coefficients."""
    return mbs.Tyre(CAR_TYRE | changed)


def rig(
    tyre: mbs.Tyre,
    load: float = 4850.0,
    speed: float = 16.6,
    kappa: float = 0.0,
    alpha: float = 0.0,
    gamma: float = 0.0,
    at: float = 0.5,
    **more: Any,
) -> mbs.Model:
    """Return a wheel on a flat road: load (N), speed (m/s), slip and inclination are prescribed.

    The wheel turns to its slip angle (rad) from the time `at` (s) on, within 1 ms. more: arguments of `m.tyre`.
    """
    m = mbs.Model("rig", gravity=(0, 0, 0))
    m.body("carriage", joint=mbs.Prismatic("x"))
    m.drive("travel", on="carriage", position=speed * mbs.time)
    m.body("slide", "carriage", mbs.Prismatic("z"), mass=50.0)
    m.motor("load", on="slide", force=-load)
    m.spring("settle", on="slide", damping=5000.0)
    m.body("king_pin", "slide", mbs.Revolute("z"))
    ramp = mbs.clip((mbs.time - at) / 1e-3, 0.0, 1.0)
    m.drive("toe", on="king_pin", position=-alpha * ramp)
    m.body("hub", "king_pin", mbs.Revolute("x"))
    m.drive("camber", on="hub", position=gamma + 0.0 * mbs.time)
    m.body("wheel", "hub", mbs.Revolute("y"), mass=1.0, inertia=(1, 2, 1))
    turning = (1.0 + kappa) * speed * math.cos(alpha) / tyre.effective_radius(load)
    m.drive("spin", on="wheel", position=turning * mbs.time)
    m.tyre("tyre", "wheel", tyre, **more)
    m.start("slide", q=tyre.loaded_radius(load))
    m.output("wheel", mbs.wheel("tyre"))
    return m


#: Cams and contact of the tyre 205/60R15 in appendix 3 of Pacejka (2012).
ENVELOPE = {
    "WIDTH": 0.205, "ELLIPS_SHIFT": 0.8335, "ELLIPS_LENGTH": 1.471, "ELLIPS_HEIGHT": 0.9622, "ELLIPS_ORDER": 1.5174,
    "Q_RA1": 0.671, "Q_RA2": 0.733, "Q_RB1": 1.059, "Q_RB2": -1.1878,
}  # fmt: skip


def quarter_car(speed: float = 30.0 / 3.6, **more: Any) -> mbs.Model:
    """Return a quarter car, 370 kg with its wheel, that slides along x from -1.5 m on; more: arguments of `m.tyre`.

    speed: m/s. Outputs: wheel, and x, m.
    """
    tyre = mbs.Tyre.brush(
        radius=0.3135, stiffness=209651.0, load=4000.0, slip_stiffness=8e4, friction=0.95, damping=500.0, relaxation=0.4
    )
    weight = 390.0 * 9.81
    m = mbs.Model("quarter_car")
    m.body("sled", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=20.0)
    m.body("car", "sled", mbs.Prismatic("z"), mass=350.0)
    m.motor("strut", on="car", force=350 * 9.81 - 2.5e4 * mbs.coordinate("car") - 2e3 * mbs.rate("car"))
    m.body("wheel", "sled", mbs.Revolute("y"), mass=20.0, inertia=(0.6, 1.0, 0.6))
    m.tyre("tyre", "wheel", tyre, **more)
    m.start("sled", q=(-1.5, tyre.loaded_radius(weight)), u=(speed, 0))
    m.start("wheel", u=speed / tyre.effective_radius(weight))
    m.output("wheel", mbs.wheel("tyre"))
    m.output("x", mbs.position("sled")[0], unit="m")
    return m
