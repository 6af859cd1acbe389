"""The bevel differential of a car's driven axle, with one wheel on ice.

The shaft, along y, drives the cage by a bevel pinion and a ring gear. The cage rotates about x, the axis of the axle,
and carries two bevel pinions on a pin along y, which mesh with both side gears. Each side gear drives a wheel, whose
inertia includes the mass of the car that it moves. The left wheel is on ice and spins. The differential transmits no
more torque to the right wheel than to the left one, so the right wheel hardly rotates, apart from the effect of a
viscous coupling between cage and left wheel. Angles are about x, that of the shaft about y; those of the side gears are
relative to the world.
"""

import mbs_fmu as mbs

SHAFT_TEETH, RING_TEETH, SIDE_TEETH, PINION_TEETH = 11, 41, 16, 10
MODULE, RING_RADIUS = 5e-3, 0.1  #: m: of side gears and pinions; pitch radius of the ring gear
SHAFT, CAGE, WHEELS = 2e-3, 0.04, (1.1, 1.6)  #: kg m2, about their axes; wheels left and right with the car's mass
PINION, PINION_ACROSS, PINION_MASS = 1.2e-4, 9e-5, 0.3  #: kg m2 about the pin and across it; kg
HOLD, SLIP_SPEED = (15.0, 90.0), 2.0  #: N m, braking torque of the tyres, left and right; rad/s, reached above this
ROLLING = 0.3  #: N m s/rad, friction of each wheel
PIN_FRICTION, LOCK = 0.05, 0.2  #: N m s/rad, of each pinion on its pin; of the viscous coupling


def differential() -> mbs.Model:
    """Return the axle, at rest at the start; the input is the torque on its shaft."""
    m = mbs.Model("differential", description="Bevel differential of a car's axle, with one wheel on ice")
    torque = m.input("torque", unit="N.m", description="on the shaft")
    lock = m.parameter("lock", LOCK, unit="N.m.s/rad", description="viscous coupling of cage and left wheel", min=0.0)
    side, pinion = MODULE * SIDE_TEETH / 2, MODULE * PINION_TEETH / 2
    reduction = RING_RADIUS * SHAFT_TEETH / RING_TEETH
    shaft = m.body(
        "shaft", joint=mbs.Revolute("y"), mass=2.0, inertia=(SHAFT, SHAFT, SHAFT), at=(0, -0.1, 0),
        shape=[mbs.Cylinder(reduction, 0.02, "y"), mbs.Cylinder(0.01, 0.25, "y", at=(0, -0.125, 0)),
               mbs.Box(0.06, 0.01, 0.01, at=(0, -0.25, 0), color="dimgray")],
    )  # fmt: skip
    crown = [mbs.Line([(-reduction, y, 0), (0, y, 0)], 0.005) for y in (-RING_RADIUS, RING_RADIUS)]
    cage = m.body(
        "cage", joint=mbs.Revolute("x"), mass=6.0, inertia=(CAGE, CAGE, CAGE),
        shape=[mbs.Ring(RING_RADIUS, 0.007, "x", at=(-reduction, 0, 0)), *crown,
               mbs.Line([(0, -RING_RADIUS, 0), (0, RING_RADIUS, 0)], 0.005)],
    )  # fmt: skip
    m.gear("final_drive", shaft, cage, teeth=(SHAFT_TEETH, RING_TEETH), radii=(reduction, RING_RADIUS))
    turning, pinions = (PINION_ACROSS, PINION, PINION_ACROSS), {}
    for name, y in {"upper": side, "lower": -side}.items():
        pinions[name] = m.body(name, cage, mbs.Revolute("y"), mass=PINION_MASS, inertia=turning, at=(0, y, 0))
        m.spring(f"{name}_pin", on=name, damping=PIN_FRICTION)
    m.motor("engine", on=shaft, torque=torque)
    wheels = []
    for name, x, default, hold in zip(("left", "right"), (-pinion, pinion), WHEELS, HOLD, strict=True):
        inertia = m.parameter(f"{name}_inertia", default, unit="kg.m2", description=f"{name} wheel", min=1e-6)
        held = m.parameter(f"{name}_hold", hold, unit="N.m", description=f"by which the {name} tyre brakes", min=0.0)
        out = 0.3 if x > 0 else -0.3
        wheel = m.body(
            name, joint=mbs.Revolute("x"), mass=20.0, inertia=(inertia, inertia, inertia), at=(x, 0, 0),
            shape=[mbs.Cylinder(side, 0.01, "x"), mbs.Line([(0, 0, 0), (out, 0, 0)], 0.01),
                   mbs.Ring(0.13, 0.03, "x", at=(out, 0, 0), color="dimgray"),
                   mbs.Cylinder(0.11, 0.03, "x", at=(out, 0, 0)),
                   mbs.Box(0.034, 0.02, 0.18, at=(out, 0, 0), color="gray")],
        )  # fmt: skip
        for other, body in pinions.items():
            m.gear(f"{name}_{other}", wheel, body, teeth=(SIDE_TEETH, PINION_TEETH))
        m.spring(f"{name}_rolling", on=wheel, damping=ROLLING)
        m.motor(f"{name}_tyre", on=wheel, torque=-held * mbs.tanh(mbs.rate(wheel) / SLIP_SPEED))
        wheels.append(wheel)
    left, right = wheels
    m.rotational_spring("coupling", cage, left, axis="x", damping=lock)
    m.output("angle", [mbs.coordinate(b) for b in (cage, left, right)], unit="rad", description="cage, left and right")
    m.output("speed", [mbs.rate(b) for b in (cage, left, right)], unit="rad/s", description="cage, left and right")
    m.output("shaft_speed", mbs.rate(shaft), unit="rad/s", description="of the shaft")
    m.output("pinion_speed", mbs.rate(pinions["upper"]), unit="rad/s", description="of the upper pinion on its pin")
    m.output("tooth_force", mbs.reaction("final_drive").f, unit="N", description="of the shaft on the ring gear")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    return m
