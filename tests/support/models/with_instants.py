"""Mechanisms in which something takes effect at instants, with parameters that move the times."""

from __future__ import annotations

from typing import Any

import mbs_fmu as mbs
from mbs_fmu.model.model import Model


def ball(reset: bool) -> Model:
    """Return a ball of 2 kg above a floor, from which it bounces by an impact or by a reset."""
    m = mbs.Model("bouncing_ball", gravity=(0, 0, -8.0))
    e = m.parameter("e", 0.5)
    body = m.body("ball", joint=mbs.Prismatic("z"), mass=2.0)
    m.start(body, q=1.0)  # it strikes after 0.5 s
    if reset:
        m.event("floor", mbs.coordinate(body), direction=-1, reset={"ball.v": -e * mbs.rate(body)})
    else:
        m.contact("floor", "world", body, mbs.OnPlane("z"), restitution=e)
    return m


def arm(m: Model) -> tuple[Any, Any]:
    """Add two links that swing under gravity."""
    length = m.parameter("length", 0.7, min=0.1)
    mass = m.parameter("mass", 1.3, min=0.1)
    upper = m.body("upper", joint=mbs.Revolute("y"), mass=mass, com=(0, 0, -length / 2), inertia=(0.1, 0.1, 0.1))
    lower = m.body(
        "lower", parent=upper, joint=mbs.Revolute("y"), at=(0, 0, -length), mass=0.8, com=(0, 0, -0.2),
        inertia=(0.02, 0.02, 0.02),
    )  # fmt: skip
    m.start(upper, q=1.0)
    m.start(lower, q=-0.4)
    return upper, lower


def arm_with_limit() -> Model:
    """An impact at a limit, then another one."""
    m = mbs.Model("arm_with_limit")
    upper, _ = arm(m)
    m.limit("limit", on=upper, lower=0.2, restitution=m.parameter("e", 0.6))
    return m


def arm_with_lock() -> Model:
    """A lock with an impact, which is released when the arm has swung through."""
    m = mbs.Model("arm_with_lock")
    upper, lower = arm(m)
    at = m.parameter("at", 0.3)
    m.lock("lock", on=lower, when=mbs.coordinate(upper) <= at, until=mbs.coordinate(upper) <= at - 0.6)
    return m


def regulated_arm() -> Model:
    """A sampled regulator, whose period is a parameter, and a reset of its set point at a passage."""
    m = mbs.Model("regulated_arm")
    upper, lower = arm(m)
    gain, period = m.parameter("gain", 2.0), m.parameter("period", 0.11)
    aim = m.state("aim", 0.0)
    torque = m.sampled("torque", period, gain * (aim - mbs.coordinate(lower)) - 0.1 * mbs.rate(lower))
    m.motor("servo", on=lower, torque=torque)
    m.event("passage", mbs.coordinate(upper), direction=-1, reset={"aim": 0.3 + 0.1 * mbs.rate(upper)})
    return m


def block_with_friction() -> Model:
    """A block on a spring that slips, sticks and slips again after a force begins at a time that is a parameter."""
    m = mbs.Model("block_with_friction", gravity=(0, 0, 0))
    force, begins = m.parameter("force", 1.0), m.parameter("begins", 4.37)
    block = m.body("block", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on=block, stiffness=m.parameter("stiffness", 1.0))
    m.friction("friction", on=block, force=force, static=1.1 * force, stick=True)
    m.motor("push", on=block, force=mbs.where(mbs.time >= begins, 2.5, 0.0))
    m.start(block, q=2.3, u=0.3)
    return m
