"""The serpentine belt of an engine: crank, alternator, and a tensioner whose pulley presses on the back of the belt.

The torque of the engine pulsates twice per revolution, and a governor holds its mean speed. The alternator brakes with
a torque that rises at the start. The belt creeps on its pulleys, and the arm of the tensioner moves on a spring with
friction of a viscous kind. All angles are about z; those of the crank, the alternator and the arm are relative to the
engine's block, that of the idler to the arm.
"""

import mbs_fmu as mbs

CRANK, ALTERNATOR, IDLER = 0.08, 0.03, 0.035  #: m, radii of the pulleys
CRANK_INERTIA, ALTERNATOR_INERTIA, IDLER_INERTIA, ARM_INERTIA = 0.1, 4e-3, 1e-4, 3e-4  #: kg m2; the arm about its com
IDLER_MASS, ARM_MASS = 0.2, 0.4  #: kg
ALTERNATOR_AT, PIVOT = (-0.25, 0.2), (-0.1056, -0.005)  #: m, from the crank's axis
IDLER_AT, ARM_COM = (-0.0624, 0.05), (-0.03, 0.025)  #: m, from the pivot at the start
SPRING, WOUND, DAMPER = 20.0, -0.75, 2.0  #: N m/rad; rad, angle of the relaxed spring; N m s/rad
SPEED, GOVERNOR, PULSE = 150.0, 20.0, 30.0  #: rad/s; N m s/rad; N m, amplitude of the engine's second order
RISE = 0.05  #: s, time scale of the alternator's torque
STIFFNESS, PRELOAD, FRICTION, MASS, CREEP = 1.2e5, 300.0, 0.5, 0.1, 1e-3  #: N, N, 1, kg/m, m/s


def serpentine_drive() -> mbs.Model:
    """Return the drive at its speed, the belt at its preload; the input `load` is the torque of the alternator."""
    m = mbs.Model("serpentine_drive", description="Belt drive with creep, slip and a tensioner", gravity=(0, 0, 0))
    load = m.input("load", unit="N.m", start=8.0, description="torque of the alternator", min=0.0)
    stiffness = m.parameter("stiffness", STIFFNESS, unit="N", description="tension of the belt per strain", min=1e3)
    preload = m.parameter("preload", PRELOAD, unit="N", description="tension of the belt at the start", min=0.0)
    friction = m.parameter("friction", FRICTION, unit="1", description="of belt and pulleys", min=0.01)
    pulse = m.parameter("pulse", PULSE, unit="N.m", description="amplitude of the engine's torque, second order")
    m.body("crank", joint=mbs.Revolute("z"), mass=4.0, inertia=(CRANK_INERTIA,) * 3)
    m.body("alternator", joint=mbs.Revolute("z"), mass=3.0, inertia=(ALTERNATOR_INERTIA,) * 3, at=(*ALTERNATOR_AT, 0))
    arm = m.body(
        "arm", joint=mbs.Revolute("z"), mass=ARM_MASS, com=(*ARM_COM, 0), inertia=(ARM_INERTIA,) * 3, at=(*PIVOT, 0)
    )
    m.body("idler", arm, mbs.Revolute("z"), mass=IDLER_MASS, inertia=(IDLER_INERTIA,) * 3, at=(*IDLER_AT, 0))
    for name, radius in (("crank", CRANK), ("alternator", ALTERNATOR), ("idler", IDLER)):
        m.shape(
            name,
            [
                mbs.Cylinder(radius, 0.024, "z"),
                mbs.Box(1.6 * radius, 0.2 * radius, 0.002, at=(0, 0, 0.013), color="dimgray"),
            ],
        )
    m.shape(
        "arm",
        [
            mbs.Cylinder(0.02, 0.02, "z", at=(0, 0, -0.03)),
            mbs.Capsule(0.008, 0.08, (*IDLER_AT, 0), at=(0.5 * IDLER_AT[0], 0.5 * IDLER_AT[1], -0.025)),
        ],
    )
    over = [mbs.Pulley("crank", CRANK), mbs.Pulley("alternator", ALTERNATOR), mbs.Pulley("idler", IDLER, turn=-1)]
    belt = mbs.belt(m, "belt", over, stiffness=stiffness, preload=preload, friction=friction, creep=CREEP, mass=MASS)
    m.spring("tensioner", on=arm, stiffness=SPRING, damping=DAMPER, length=WOUND)
    pulsation = pulse * mbs.sin(2 * mbs.coordinate("crank"))
    m.motor("engine", on="crank", torque=GOVERNOR * (SPEED - mbs.rate("crank")) + pulsation)
    m.motor("generator", on="alternator", torque=-load * mbs.tanh(mbs.time / RISE))
    for name, radius in (("crank", CRANK), ("alternator", ALTERNATOR), ("idler", -IDLER)):
        m.start(name, u=SPEED * CRANK / radius)
    m.output("tension", list(belt.tensions), unit="N", description="crank to alternator, to idler, to crank")
    m.output("slip", list(belt.slips[:2]), unit="m/s", description="of crank and alternator")
    m.output("speed", [mbs.rate(name) for name in ("crank", "alternator")], unit="rad/s", description="of the shafts")
    m.output("tensioner_angle", mbs.coordinate(arm), unit="rad", description="of the arm, from the start")
    m.output("loss", belt.loss, unit="W", description="of creep and slip")
    m.output("energy", mbs.energy(), unit="J", description="kinetic energy, of the belt's strain and the spring")
    return m
