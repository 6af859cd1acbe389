"""A gyroscope in two gimbals, with a weight: precession about the vertical and nutation.

The outer gimbal rotates about the vertical, the inner one about a horizontal axis of the outer one, and the rotor about
the inner gimbal's z axis. The weight is on that axis, beyond the rotor. Dimensions are those of a bench instrument: a
brass disc of 60 mm radius and 10 mm width, aluminium rings, a weight of 50 g. Bearings have no friction by default.
"""

import mbs_fmu as mbs

ROTOR_MASS, ROTOR_RADIUS, ROTOR_WIDTH = 0.96, 0.06, 0.01  #: kg, m, m
OUTER_MASS, OUTER_RADIUS = 0.12, 0.09  #: a thin ring: kg, m
INNER_MASS, INNER_RADIUS = 0.09, 0.075
WEIGHT, ARM = 0.05, 0.1  #: kg, m from the centre
STAND = ((0.06, 0.008, -0.154), (0.008, 0.03, -0.135))  #: m: radius, height and place of its parts, for pictures
SPIN, INCLINATION = 60.0, 1.0  #: rad/s of the rotor in its gimbal; rad of its axis from the vertical


def gyroscope() -> mbs.Model:
    """Return the gyroscope. The rotor spins and the gimbals start at rest, so the axis descends and precesses with
    nutation."""
    m = mbs.Model("gyroscope", description="Gyroscope in two gimbals with a weight on its axis")
    torque = m.input("torque", unit="N.m", description="on the outer gimbal, about the vertical")
    weight = m.parameter("weight", WEIGHT, unit="kg", description="mass of the weight", min=0.0)
    arm = m.parameter("arm", ARM, unit="m", description="from the centre to the weight", min=0.0)
    b = m.parameter("b", 0.0, unit="N.m.s/rad", description="friction of the rotor's bearings", min=0.0)
    ring = OUTER_MASS * OUTER_RADIUS**2 / 2
    outer = m.body(
        "outer", joint=mbs.Revolute("z"), mass=OUTER_MASS, inertia=(ring, 2 * ring, ring),
        shape=[mbs.Ring(OUTER_RADIUS, 0.004, "y"), mbs.Cylinder(0.003, 0.03, at=(0, 0, -OUTER_RADIUS - 0.015))],
    )  # fmt: skip
    m.shape("world", [mbs.Cylinder(r, h, at=(0, 0, z), color="dimgray") for r, h, z in STAND])
    ring = INNER_MASS * INNER_RADIUS**2 / 2
    pins = [mbs.Line([(x * INNER_RADIUS, 0, 0), (x * OUTER_RADIUS, 0, 0)], 0.002) for x in (-1, 1)]
    inner = m.body(
        "inner", outer, mbs.Revolute("x"), mass=INNER_MASS, inertia=(2 * ring, ring, ring),
        shape=[mbs.Ring(INNER_RADIUS, 0.0035, "x"), mbs.Ring(INNER_RADIUS, 0.0018, "y"), *pins,
               mbs.Line([(0, 0, -INNER_RADIUS), (0, 0, arm)], 0.002)],
    )  # fmt: skip
    m.body("weight", inner, mass=weight, at=(0, 0, arm), shape=mbs.Sphere(0.012, color="firebrick"))
    across = ROTOR_MASS * (3 * ROTOR_RADIUS**2 + ROTOR_WIDTH**2) / 12
    rotor = m.body(
        "rotor", inner, mbs.Revolute("z"), mass=ROTOR_MASS,
        inertia=(across, across, ROTOR_MASS * ROTOR_RADIUS**2 / 2),
        shape=[mbs.Cylinder(ROTOR_RADIUS, ROTOR_WIDTH, color="goldenrod"), mbs.Cylinder(0.006, 2.5 * ROTOR_WIDTH),
               mbs.Box(0.7 * ROTOR_RADIUS, 0.004, 1.02 * ROTOR_WIDTH, at=(ROTOR_RADIUS / 2, 0, 0), color="dimgray")],
    )  # fmt: skip
    m.motor("steering", on=outer, torque=torque)
    m.spring("bearings", on=rotor, damping=b)
    m.output("precession", mbs.coordinate(outer), unit="rad", description="angle of the outer gimbal")
    m.output("inclination", mbs.coordinate(inner), unit="rad", description="of the rotor's axis from the vertical")
    m.output("precession_rate", mbs.rate(outer), unit="rad/s", description="rate of the outer gimbal")
    m.output("nutation_rate", mbs.rate(inner), unit="rad/s", description="rate of the inner gimbal")
    m.output("spin", mbs.rate(rotor), unit="rad/s", description="of the rotor in the inner gimbal")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.start(inner, q=INCLINATION)
    m.start(rotor, u=SPIN)
    return m
