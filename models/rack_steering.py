"""The rack-and-pinion steering of a car: pinion, rack, two tie rods and two knuckles, with two closed loops.

The axes are x forward, y to the left, z upward. The wheels turn about kingpins along z; the knuckle arms point backward
and inward, so the inner wheel of a curve turns further than the outer one. The pinion, on the shaft of the steering
wheel, moves the rack along y, behind the axle. The aligning torque of the tyres has its maximum at a certain angle and
decreases beyond. The driver applies a constant torque plus a sinusoidal one.
"""

import math

import mbs_fmu as mbs

KINGPIN, ARM = (0.0, 0.7, 0.0), (-0.15, -0.04, 0.0)  #: m: the left one; from it to the arm's end; right: -y
RACK_X, RACK_END = -0.18, 0.35  #: m: the rack behind the kingpins; from its middle to its ends
PINION_RADIUS = 8e-3  #: m
STEERING_WHEEL, RACK_MASS, ROD_MASS = 0.04, 2.5, 0.7  #: kg m2, kg, kg
KNUCKLE, KNUCKLE_MASS, KNUCKLE_COM = 0.6, 18.0, (0.0, 0.08, 0.0)  #: kg m2 about the centre of mass, kg, m; the left one
ALIGNING, PEAK = (35.0, 25.0), 0.15  #: N m, maximum, left and right; rad, angle of the maximum
DAMPING, STIFFNESS = 2.0, 12.0  #: N m s/rad and N m/rad of each kingpin
RACK_FRICTION, FRICTION_SPEED, VISCOUS = 30.0, 0.01, 60.0  #: N, m/s at which it is nearly full, N s/m
HIGH = 0.35  #: m: the steering wheel above the pinion, in pictures
WEAVE, FREQUENCY = 1.5, 0.8  #: N m, Hz


def rack_steering() -> mbs.Model:
    """Return the steering, straight ahead and at rest at the start; the input is the driver's torque."""
    m = mbs.Model("rack_steering", description="Rack steering with tie rods and knuckles")
    torque = m.input("torque", unit="N.m", description="of the driver on the steering wheel, beside what he weaves")
    weave = m.parameter("weave", WEAVE, unit="N.m", description="amplitude of the weaving torque")
    frequency = m.parameter("frequency", FREQUENCY, unit="Hz", description="of the weaving torque", min=0.0)
    grip = [mbs.Ring(0.17, 0.015, at=(0, 0, HIGH)), mbs.Line([(0, 0, 0), (0, 0, HIGH)], 0.012)]
    grip += [mbs.Line([(0, 0, HIGH), (0.17 * math.cos(a), 0.17 * math.sin(a), HIGH)], 0.012) for a in (0, 2.1, 4.2)]
    wheel = m.body(
        "wheel", joint=mbs.Revolute("z"), mass=3.0, inertia=(STEERING_WHEEL / 2,) * 2 + (STEERING_WHEEL,),
        shape=grip,
    )  # fmt: skip
    bar = mbs.Line([(0, -RACK_END, 0), (0, RACK_END, 0)], 0.018)
    rack = m.body("rack", joint=mbs.Prismatic("y"), mass=RACK_MASS, at=(RACK_X, 0, 0), shape=bar)
    m.rack("mesh", wheel, rack, radius=PINION_RADIUS)
    m.motor("driver", on=wheel, torque=torque + weave * mbs.sin(math.tau * frequency * mbs.time))
    speed = mbs.rate(rack)
    m.motor("guide", on=rack, force=-RACK_FRICTION * mbs.tanh(speed / FRICTION_SPEED) - VISCOUS * speed)
    knuckles = []
    for name, sign, aligning in zip(("left", "right"), (1, -1), ALIGNING, strict=True):
        kingpin, arm, com = ((x, sign * y, z) for x, y, z in (KINGPIN, ARM, KNUCKLE_COM))
        knuckle = m.body(
            name, joint=mbs.Revolute("z"), mass=KNUCKLE_MASS, com=com, inertia=(KNUCKLE / 2, KNUCKLE / 2, KNUCKLE),
            at=kingpin,
            shape=[mbs.Cylinder(0.29, 0.17, "y", at=(0, sign * 0.11, 0), color="dimgray"),
                   mbs.Cylinder(0.025, 0.2), mbs.Line([(0, 0, 0), arm], 0.018)],
        )  # fmt: skip
        m.spring(f"{name}_kingpin", on=knuckle, stiffness=STIFFNESS, damping=DAMPING)
        turned = mbs.coordinate(knuckle) / PEAK
        m.motor(f"{name}_tyre", on=knuckle, torque=-2.0 * aligning * turned / (1.0 + turned * turned))
        end = (0, sign * RACK_END, 0)
        way = (KINGPIN[0] + ARM[0] - RACK_X, sign * (KINGPIN[1] + ARM[1] - RACK_END), 0)
        along = math.hypot(*way)
        inertia = ROD_MASS * along**2 / 12
        rod = m.body(
            f"{name}_rod", rack, mbs.Revolute("z"), mass=ROD_MASS, com=tuple(x / 2 for x in way),
            inertia=(inertia * (way[1] / along) ** 2, -inertia * way[0] * way[1] / along**2, 0,
                     inertia * (way[0] / along) ** 2, 0, inertia),
            at=end,
        )  # fmt: skip
        m.close(f"{name}_joint", rod, knuckle, mbs.Spherical(), at_a=way, at_b=arm)
        knuckles.append(knuckle)
    add_outputs(m, wheel, rack, knuckles)
    return m


def add_outputs(m: mbs.Model, wheel: mbs.Body, rack: mbs.Body, knuckles: list[mbs.Body]) -> None:
    """Add outputs of angles, forces and energy."""
    m.output("wheel_angle", mbs.coordinate(wheel), unit="rad", description="of the steering wheel")
    m.output("way", mbs.coordinate(rack), unit="m", description="of the rack")
    m.output("rack_speed", mbs.rate(rack), unit="m/s", description="of the rack")
    m.output("angle", [mbs.coordinate(b) for b in knuckles], unit="rad", description="of the wheels, left and right")
    m.output("speed", [mbs.rate(b) for b in knuckles], unit="rad/s", description="of the wheels, left and right")
    m.output("mesh_force", mbs.multiplier("mesh"), unit="N", description="of the pinion on the rack")
    for name in ("left", "right"):
        force = mbs.reaction(f"{name}_joint").f
        m.output(f"{name}_force", force[:2], unit="N", description=f"of the {name} rod on the knuckle, x and y")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy, with the springs'")
