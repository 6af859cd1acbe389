"""A rigid rotor in two oil films: a motor speeds it up, an imbalance and the films make it whirl.

Both journal bearings are alike and at equal distances from the disc, so the rotor moves in its plane. The data of the
films are those of example 5.5.1 of Friswell, Penny, Garvey and Lees, Dynamics of Rotating Machines (2010). The shaft is
along z, gravity along -y.
"""

import mbs_fmu as mbs

MASS, INERTIA = 107.0, 1.6  #: kg, of the rotor, and kg m2 about its axis: each film carries 525 N
RADIUS, LENGTH, CLEARANCE = 0.05, 0.03, 1e-4  #: m: of the journals, of the bearings, radial
VISCOSITY = 0.1  #: Pa s
IMBALANCE = 1.5e-5  #: m, of the centre of mass from the axis
TORQUE = 400.0  #: N m, of the motor
START = (3.0e-5, -1.0e-5)  #: m, of the rotor's centre at the start, near its equilibrium
SPEED = 150.0  #: rad/s at the start
APART = 0.5  #: m, between the bearings


def journal_rotor() -> mbs.Model:
    """Return the rotor. Its centre of mass points along x at the start."""
    m = mbs.Model("journal_rotor", description="Rigid rotor in journal bearings", gravity=(0, -9.81, 0))
    viscosity = m.parameter("viscosity", VISCOSITY, unit="Pa.s", description="of the oil", min=1e-6)
    clearance = m.parameter("clearance", CLEARANCE, unit="m", description="radial, of both bearings", min=1e-6)
    imbalance = m.parameter("imbalance", IMBALANCE, unit="m", description="of the centre of mass")
    torque = m.parameter("torque", TORQUE, unit="N.m", description="of the motor")
    journals = [mbs.Cylinder(RADIUS, 0.06, at=(0, 0, z), color="lightgray") for z in (-APART / 2, APART / 2)]
    rotor = m.body(
        "rotor", joint=mbs.Planar("z"), mass=MASS, com=(imbalance, 0, 0), inertia=(5.0, 5.0, INERTIA),
        shape=[mbs.Cylinder(0.035, APART + 0.1, color="silver"), mbs.Cylinder(0.2, 0.08, color="steelblue"), *journals,
               mbs.Sphere(0.025, at=(0.16, 0, 0.045), color="firebrick")],
    )  # fmt: skip
    bush = [mbs.Ring(RADIUS + 0.012, 0.012, at=(0, 0, z)) for z in (-APART / 2, APART / 2)]
    m.shape("world", bush)
    films = [
        mbs.journal_bearing(
            m, name, rotor, "world", radius=RADIUS, length=LENGTH, clearance=clearance, viscosity=viscosity,
            at_shaft=(0, 0, z), at_housing=(0, 0, z),
        )
        for name, z in (("left", -APART / 2), ("right", APART / 2))
    ]  # fmt: skip
    m.motor("motor", on=rotor, coordinate=3, torque=torque)
    m.start(rotor, q=(*START, 0.0), u=(0.0, 0.0, SPEED))
    m.output("x", mbs.coordinate(rotor, 1), unit="um", description="of the rotor's centre, to the side")
    m.output("y", mbs.coordinate(rotor, 2), unit="um", description="of the rotor's centre, upwards")
    m.output("speed", mbs.rate(rotor, 3), unit="rad/s", description="of the rotor")
    m.output("eccentricity", films[0].eccentricity, description="of the journals, over the clearance")
    m.output("load", films[0].load, unit="N", description="of each film")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    return m
