"""A cam with a rocker: a roller at the end of the rocker follows the cam, to which a spring presses it.

The cam's radius is a periodic cubic spline of its angle; its flanks are concave, but less curved than the roller. A
motor drives the camshaft, and slows down while the spring is being wound. The camshaft is along z, gravity along -y.
"""

import math

import mbs_fmu as mbs

BASE, LIFT, POINTS = 0.018, 0.008, 48  #: m, m: radius of the base circle, lift of the lobe; points of the spline
LOBE = math.pi / 3  #: rad, half of the angle that the lobe takes
SHAFT = 4e-4  #: kg m2, cam and flywheel about the shaft
TORQUE, LOSS = 1.2, 0.012  #: N m, N m s/rad: of the motor
ROLLER = 0.008  #: m
PIVOT, ARM = (0.05, 0.03), 0.05  #: m: of the rocker against the shaft; from there to the roller
ROCKER, MASS, CENTRE = 6e-5, 0.08, 0.02  #: kg m2 about its pivot, kg, m from the pivot towards the roller
STIFFNESS, DAMPING, REST = 6.0, 2e-3, 0.6  #: N m/rad, N m s/rad, rad: of the rocker's spring
SPEED = 60.0  #: rad/s at the start


def profile() -> tuple[list[float], list[float]]:
    """Return angles (rad) and radii (m) of the points of the cam."""
    angles = [math.tau * k / POINTS for k in range(POINTS)]
    from_lobe = [abs(math.remainder(angle, math.tau)) for angle in angles]
    return angles, [BASE + LIFT * (1.0 + math.cos(math.pi * min(x / LOBE, 1.0))) / 2.0 for x in from_lobe]


def cam_follower() -> mbs.Model:
    """Return cam and rocker. The lobe points along x at the start; the roller is on the left of the rocker's pivot."""
    m = mbs.Model("cam_follower", description="Cam with a roller on a rocker", gravity=(0, -9.81, 0))
    shaft = m.parameter("shaft_inertia", SHAFT, unit="kg.m2", description="of cam and flywheel", min=1e-9)
    torque = m.parameter("torque", TORQUE, unit="N.m", description="of the motor at rest")
    stiffness = m.parameter("stiffness", STIFFNESS, unit="N.m/rad", description="of the rocker's spring", min=0.0)
    angles, radii = profile()
    rim = [(r * math.cos(a), r * math.sin(a), 0.0) for a, r in zip(angles, radii, strict=True)]
    cam = m.body(
        "cam", joint=mbs.Revolute("z"), mass=1.0, inertia=(shaft / 2, shaft / 2, shaft),
        shape=[mbs.Line([*rim, rim[0]], 0.0012), mbs.Cylinder(0.004, 0.02),
               *(mbs.Line([(0, 0, 0), point], 0.001) for point in rim[::6])],
    )  # fmt: skip
    own = ROCKER - MASS * CENTRE**2
    rocker = m.body(
        "rocker", joint=mbs.Revolute("z"), mass=MASS, com=(-CENTRE, 0, 0), inertia=(0, own, own), at=(*PIVOT, 0),
        shape=[mbs.Line([(-ARM, 0, 0.008), (0, 0, 0.008)], 0.003), mbs.Cylinder(0.005, 0.024, color="dimgray"),
               mbs.Cylinder(ROLLER, 0.008, at=(-ARM, 0, 0), color="firebrick")],
    )  # fmt: skip
    m.close("contact", cam, rocker, mbs.OnCurve(mbs.Polar(angles, radii), radius=ROLLER), at_b=(-ARM, 0, 0))
    m.motor("motor", on=cam, torque=torque - LOSS * mbs.rate(cam))
    m.spring("spring", on=rocker, stiffness=stiffness, damping=DAMPING, length=REST)
    m.start(cam, q=0.0, u=SPEED)
    m.start(rocker, q=0.05, guess=True)
    m.output("angle", mbs.coordinate(cam), unit="rad", description="of the cam")
    m.output("speed", mbs.rate(cam), unit="rad/s", description="of the cam")
    m.output("swing", mbs.coordinate(rocker), unit="rad", description="of the rocker, downwards at its roller")
    m.output("swing_rate", mbs.rate(rocker), unit="rad/s", description="of the rocker")
    m.output("force", mbs.multiplier("contact"), unit="N", description="of the cam on the roller, outwards")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    return m
