"""Rotors with a flange, to be coupled."""

from __future__ import annotations

import mbs_fmu as mbs


def rotor(name: str, inertia: float, speed: float = 0.0) -> mbs.Model:
    """Return a rotor of this inertia, kg m², and start velocity, rad/s, whose flange is called shaft."""
    m = mbs.Model(name)
    body = m.body("rotor", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, inertia))
    m.flange("shaft", on=body)
    m.start(body, u=speed)
    return m
