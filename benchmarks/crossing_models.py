"""Models in which something happens many times a second, and the same motions without it."""

from __future__ import annotations

import mbs_fmu as mbs


def ball(event: str) -> mbs.Model:
    """Return a ball that falls by 1 cm sixteen times a second.

    event: what happens at the floor: "impact", "reset" or "report"; with "none", it falls on.
    """
    m = mbs.Model(f"ball_{event}", gravity=(0, 0, -20.0))
    body = m.body("ball", joint=mbs.Prismatic("z"), mass=0.1)
    m.start(body, q=0.01)
    if event == "impact":
        m.contact("floor", "world", body, mbs.OnPlane("z"), restitution=1.0)
    elif event == "reset":
        m.event("floor", mbs.coordinate(body), direction=-1, reset={"ball.v": -mbs.rate(body)})
    elif event == "report":  # a spring in place of the floor
        m.spring("bounce", on=body, stiffness=0.1 * (2 * 3.141592653589793 * 8) ** 2, length=0.0)
        m.event("middle", mbs.coordinate(body))
    return m


def gripper(stick: bool) -> mbs.Model:
    """Return two jaws that shake a workpiece with 20 Hz, which sticks and slips; without `stick` friction is smooth."""
    m = mbs.Model("gripper" if stick else "smooth_gripper")
    hand = m.body("hand", joint=mbs.Prismatic("z"), mass=1.0)
    m.drive("shaking", on=hand, position=0.002 * mbs.sin(2 * 3.141592653589793 * 20 * mbs.time))
    piece = m.body("piece", joint=mbs.Prismatic("z"), mass=0.2)
    for jaw in ("left", "right"):
        if stick:
            m.friction(jaw, on=piece, against=hand, force=2.0, static=2.4, stick=True)
        else:
            m.friction(jaw, on=piece, force=2.0)
    m.spring("support", on=piece, stiffness=20.0, damping=0.5)
    return m
