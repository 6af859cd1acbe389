"""A slender blade on a shaft that spins up; its deflection follows the angular acceleration.

The manoeuvre is that of T.R. Kane, R.R. Ryan and A.K. Banerjee, "Dynamics of a cantilever beam attached to a moving
base", J. of Guidance, Control and Dynamics 10 (1987) 139-151; the numbers are those of J.C. Simo and L. Vu-Quoc, "The
role of non-linear theories in transient dynamic analysis of flexible structures", J. of Sound and Vibration 119 (1987)
487-508, except that the blade does not stretch. Without foreshortening the deflection would diverge.

The blade lies along x of the shaft's frame; lag is its bending along y, flap its bending along z, the axis. There is no
gravity. A force at the tip can excite the flap.
"""

import math

import mbs_fmu as mbs

LENGTH, AREA, SECOND_MOMENT = 10.0, 4e-4, 2e-7  #: m, m2, m4: of the section, the same in both planes
E, DENSITY = 7e10, 3000.0  #: Pa, kg/m3
SPEED, RAMP = 6.0, 15.0  #: rad/s; s, duration of the spin-up
MODES = 12  #: six in each plane


def rotating_blade(speed: float = SPEED) -> mbs.Model:
    """Return the blade on a hub of zero radius. The shaft's speed is (speed/ramp) (t - ramp/2π sin(2πt/ramp)) until
    t = ramp, then constant."""
    m = mbs.Model("rotating_blade", description="Blade on a shaft that spins up", gravity=(0, 0, 0))
    lift = m.input("lift", unit="N", start=0.0, description="force on the tip along the axis")
    final = m.parameter("speed", speed, unit="rad/s", description="of the shaft, after the spin-up")
    ramp = m.parameter("ramp", RAMP, unit="s", description="how long the spin-up takes", min=1e-3)
    damping = m.parameter("damping", 0.0, description="of each mode, part of critical", min=0.0)
    section = mbs.Section(A=AREA, Iy=SECOND_MOMENT, Iz=SECOND_MOMENT, It=2 * SECOND_MOMENT)
    modes = mbs.beam(LENGTH, section, E, DENSITY, MODES, along="yz")
    blade = m.body("blade", joint=mbs.Revolute("z"), elastic=modes, root="root", damping=damping)
    rising = mbs.min(mbs.time, ramp)
    turned = rising * rising / (2 * ramp) + (mbs.cos(2 * math.pi * rising / ramp) - 1) * ramp / (4 * math.pi**2)
    m.drive("shaft", on=blade, position=final * (turned + mbs.time - rising))
    m.force("lift", on=blade.node("tip"), force=(0, 0, lift))
    tip = mbs.deformation(blade, "tip")
    m.output("turning", mbs.rate(blade), unit="rad/s", description="speed of the shaft")
    m.output("tip", tip.d, unit="m", description="deflection of the tip against the shaft: inwards, lag, flap")
    m.output("torque", mbs.drive_force("shaft"), unit="N.m", description="of the shaft on the blade")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    return m
