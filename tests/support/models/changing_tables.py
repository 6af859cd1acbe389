"""A pendulum whose motor has a torque curve that importers and runs may change."""

from __future__ import annotations

from collections.abc import Sequence

import mbs_fmu as mbs

POINTS = [-1.0, -0.2, 0.1, 0.7, 2.0]  #: rad
CURVE = [3.0, 1.0, -2.0, 5.0, 0.5]  #: N.m
OTHER = [1.0, -1.0, 2.0, 0.4, -3.0]  #: N.m, of another curve


def motor_curve(values: Sequence[float] = CURVE, depth: float = -0.3) -> mbs.Model:
    """The pendulum, with the angle of its motor between the points; com is a fixed array, the curve is tunable."""
    m = mbs.Model("motor_curve", description="Pendulum with a torque curve")
    com = m.parameter("com", (0.0, 0.0, depth), unit="m", description="centre of mass")
    arm = m.body("arm", joint=mbs.Revolute("y"), mass=2.0, com=com, inertia=(0.01, 0.02, 0.01))
    curve = m.table("torque_curve", POINTS, values, unit="N.m", description="torque over the angle")
    angle = mbs.coordinate(arm)
    m.motor("motor", on=arm, torque=curve(angle))
    m.start(arm, q=0.4)
    m.output("torque", curve(angle), unit="N.m")
    m.output("stiffness", curve.slope(angle))
    m.output("work", curve.area(angle), unit="J")
    return m
