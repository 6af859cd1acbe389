"""A four-bar linkage in the x-z plane: a crank-rocker of uniform rods.

The crank rotates about the world's origin, the rocker about a point on the x axis, and the coupler connects them.
Hinges are about -y, so angles are positive from x to z: those of crank and rocker from the x axis, that of the coupler
from the crank. A spatial hinge closes the loop. It has five conditions, of which a planar linkage needs two; the
package recognises the other three as redundant and omits them.
"""

import mbs_fmu as mbs

HINGE = mbs.Revolute("-y")


def four_bar() -> mbs.Model:
    """Return rods of 1, 2 and 1.5 m on a ground of 2 m, 1 kg for each metre; the crank starts at 2 rad with 1 rad/s."""
    m = mbs.Model("four_bar", description="Four-bar linkage, a crank-rocker of uniform rods")
    ground = m.parameter("ground", 2.0, unit="m", description="distance of the two fixed hinges", min=1e-6)
    b = m.parameter("b", 0.0, unit="N.m.s/rad", description="friction in the fixed hinges", min=0.0)
    crank, crank_end = _rod(m, "crank", 1.0, 1.0)
    coupler, coupler_end = _rod(m, "coupler", 2.0, 2.0, crank, crank_end)
    rocker, rocker_end = _rod(m, "rocker", 1.5, 1.5, "world", (ground, 0, 0))
    m.close("pin", coupler, rocker, HINGE, at_a=coupler_end, at_b=rocker_end)
    m.spring("crank_friction", on=crank, damping=b)
    m.spring("rocker_friction", on=rocker, damping=b)
    m.output("crank_angle", mbs.coordinate(crank), unit="rad", description="angle of the crank from the x axis")
    m.output("crank_speed", mbs.rate(crank), unit="rad/s", description="speed of the crank")
    m.output("rocker_angle", mbs.coordinate(rocker), unit="rad", description="angle of the rocker from the x axis")
    m.output("rocker_speed", mbs.rate(rocker), unit="rad/s", description="speed of the rocker")
    m.output("place", mbs.position(rocker, rocker_end), unit="m", description="where the coupler meets the rocker")
    m.output("force", mbs.reaction("pin").f, unit="N", description="force of the coupler on the rocker")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.output("residual", mbs.residual(), unit="m", description="how far the loop stands open")
    m.start(crank, q=2.0, u=1.0)
    m.start(coupler, q=-1.2, guess=True)  # selects the assembly with the coupler above the ground
    m.start(rocker, q=2.2, guess=True)
    return m


def _rod(
    m: mbs.Model, name: str, length: float, mass: float, parent: str | mbs.Body = "world", at: tuple = (0, 0, 0)
) -> tuple[mbs.Body, tuple]:
    """Add a uniform rod along its x axis, hinged at its start, with parameters for length and mass; return the rod and
    its end point."""
    long = m.parameter(f"{name}_length", length, unit="m", description=f"length of the {name}", min=1e-6)
    heavy = m.parameter(f"{name}_mass", mass, unit="kg", description=f"mass of the {name}", min=1e-6)
    inertia = heavy * long * long / 12
    rod = m.body(name, parent, HINGE, mass=heavy, com=(long / 2, 0, 0), inertia=(0, inertia, inertia), at=at)
    return rod, (long, 0, 0)
