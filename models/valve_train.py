"""A valve train with friction: a cam lifts the shoe of a rocker, whose tip pushes a valve open against its spring.

Both contacts are compliant and rub. At the given speed the shoe leaves the cam behind its nose: the valve floats, and
lands on the cam again. The camshaft turns at a constant speed; it is along z, gravity along -y.
"""

import math

import mbs_fmu as mbs

BASE, LIFT, POINTS = 0.018, 0.008, 48  #: m, m: radius of the base circle, lift of the lobe; points of the spline
LOBE = math.pi / 3  #: rad, half of the angle that the lobe takes
SPEED = 400.0  #: rad/s
SHOE, TIP = 0.008, 0.006  #: m, radii of the rocker's ends
LEFT, RIGHT = 0.04, 0.03  #: m, from the rocker's pivot to their centres
ROCKER, MASS = 6e-5, 0.12  #: kg m2, kg; its centre of mass is on the pivot
VALVE, RATE, PRELOAD, DAMPING = 0.06, 4e4, 200.0, 5.0  #: kg, N/m, N, N s/m: the valve and its spring
STIFFNESS, DISSIPATION = 2e6, 0.5  #: N/m, s/m: of both contacts
FRICTION, CREEP = 0.08, 0.05  #: coefficient, and m/s at which friction is smooth


def profile() -> tuple[list[float], list[float]]:
    """Return angles (rad) and radii (m) of the points of the cam."""
    angles = [math.tau * k / POINTS for k in range(POINTS)]
    from_lobe = [abs(math.remainder(angle, math.tau)) for angle in angles]
    return angles, [BASE + LIFT * (1.0 + math.cos(math.pi * min(x / LOBE, 1.0))) / 2.0 for x in from_lobe]


def start() -> tuple[float, float]:
    """Return angle of the rocker (rad) and place of the valve (m) at rest on the base circle, without friction."""
    load = PRELOAD / STIFFNESS
    swing = load * RIGHT / LEFT / LEFT
    return swing, load + swing * RIGHT


def valve_train() -> mbs.Model:
    """Return camshaft, rocker and valve. The lobe points along x at the start; the shoe is on top of the cam."""
    m = mbs.Model("valve_train", description="Cam, rocker and valve with friction", gravity=(0, -9.81, 0))
    speed = m.parameter("speed", SPEED, unit="rad/s", description="of the camshaft")
    friction = m.parameter("friction", FRICTION, description="coefficient of both contacts", min=0.0)
    preload = m.parameter("preload", PRELOAD, unit="N", description="of the valve's spring", min=0.0)
    angles, radii = profile()
    rim = [(r * math.cos(a), r * math.sin(a), 0.0) for a, r in zip(angles, radii, strict=True)]
    cam = m.body(
        "cam", joint=mbs.Revolute("z"), mass=0.4, inertia=(1e-4, 1e-4, 1e-4),
        shape=[mbs.Line([*rim, rim[0]], 0.0012), mbs.Cylinder(0.004, 0.02),
               *(mbs.Line([(0, 0, 0), point], 0.001) for point in rim[::6])],
    )  # fmt: skip
    height = BASE + SHOE
    rocker = m.body(
        "rocker", joint=mbs.Revolute("z"), mass=MASS, inertia=(1e-5, ROCKER, ROCKER), at=(LEFT, height, 0),
        shape=[mbs.Line([(-LEFT, 0, 0.008), (RIGHT, 0, 0.008)], 0.003), mbs.Cylinder(0.005, 0.024, color="dimgray"),
               mbs.Cylinder(SHOE, 0.008, at=(-LEFT, 0, 0), color="firebrick"),
               mbs.Cylinder(TIP, 0.008, at=(RIGHT, 0, 0), color="firebrick")],
    )  # fmt: skip
    valve = m.body(
        "valve", joint=mbs.Prismatic("y"), mass=VALVE, at=(LEFT + RIGHT, height - TIP, 0),
        shape=[mbs.Box(0.016, 0.003, 0.016, at=(0, -0.0015, 0)),
               mbs.Line([(0, -0.003, 0), (0, -0.06, 0)], 0.003), mbs.Cylinder(0.014, 0.003, "y", at=(0, -0.06, 0))],
    )  # fmt: skip
    law = {"stiffness": STIFFNESS, "dissipation": DISSIPATION, "friction": friction, "creep": CREEP}
    shoe = mbs.OnCurve(mbs.Polar(angles, radii), radius=SHOE)
    m.contact("shoe", cam, rocker, shoe, at_b=(-LEFT, 0, 0), **law)
    top = mbs.Pose((0, 0, 0), mbs.axis_angle("z", math.pi))  # a flat face is below its frame
    tip = mbs.CurveOnCurve(mbs.Flat(), mbs.Circle(TIP))
    m.contact("tip", valve, rocker, tip, at_a=top, at_b=(RIGHT, 0, 0), **law)
    m.spring("spring", on=valve, stiffness=RATE, damping=DAMPING, length=preload / RATE)
    m.drive("camshaft", on=cam, position=speed * mbs.time)
    swing, place = start()
    m.start(rocker, q=swing)
    m.start(valve, q=place)
    m.output("lift", -mbs.coordinate(valve), unit="m", description="of the valve")
    m.output("lift_rate", -mbs.rate(valve), unit="m/s", description="of the valve")
    m.output("swing", mbs.coordinate(rocker), unit="rad", description="of the rocker, downwards at its shoe")
    m.output("swing_rate", mbs.rate(rocker), unit="rad/s", description="of the rocker")
    m.output("gap", mbs.gap("shoe"), unit="m", description="between cam and shoe")
    m.output("shoe_force", mbs.strength("shoe"), unit="N", description="normal force of the cam on the shoe")
    m.output("tip_force", mbs.strength("tip"), unit="N", description="normal force of the tip on the valve")
    m.output("torque", mbs.drive_force("camshaft"), unit="N.m", description="of the drive of the camshaft")
    return m
