"""A mechanism whose start values are calculated from parameters."""

from __future__ import annotations

from typing import Any

import mbs_fmu as mbs

ROD: dict[str, Any] = {"mass": 1.0, "com": (0.4, 0, 0.1), "inertia": (0.02, 0.1, 0.1)}
PARAMETERS = {"angle": 0.3, "speed": 2.0, "level": 1.5}


def swing(values: dict[str, Any] | None = None, loop: bool = False) -> mbs.Model:
    """A hinge, a ball and a state, whose start values follow from parameters, or from the numbers `values`."""
    m = mbs.Model("swing")
    parameters = {name: m.parameter(name, value) for name, value in PARAMETERS.items()}
    angle, speed, level = (parameters if values is None else values).values()
    m.body("arm", joint=mbs.Revolute("y"), **ROD)
    m.body("bob", "arm", mbs.Spherical(), at=(1, 0, 0), **ROD)
    m.start("arm", q=angle, u=speed - 1.0)
    m.start("bob", q=(mbs.cos(0.5 * angle), 0, mbs.sin(0.5 * angle), 0), u=(0, 0.1, 3 * speed))
    m.state("filter", rate=lambda x: mbs.coordinate("arm") - x, start=level * angle)
    m.output("place", mbs.position("bob", (0.4, 0, 0)))
    if loop:
        m.body("slider", joint=mbs.Prismatic("x"), **ROD)
        m.start("slider", guess=True)
        m.close("guide", "slider", "arm", mbs.OnLine("z"), at_b=(1, 0, 0))
    return m
