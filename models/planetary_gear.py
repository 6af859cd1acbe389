"""A planetary gear that shifts: sun, carrier and ring on one vertical shaft, with three planets.

A motor drives the sun; the carrier drives a fan, whose torque is proportional to the square of its speed. First the
ring rotates freely; then a brake stops it, and the gear reaches its ratio of 1 + 60/24. The module of the teeth is
4 mm. All angles are about z; those of sun, carrier and ring are relative to the world. The second and the third planet
each add a redundant condition, so two of six are redundant and the forces on single planets are not unique.
"""

import math

import mbs_fmu as mbs

MODULE = 4e-3  #: m
SUN_TEETH, PLANET_TEETH, RING_TEETH, PLANETS = 24, 18, 60, 3
SUN, CARRIER, RING = 2e-3, 8e-3, 3e-2  #: kg m2, about the shaft; the carrier without its planets
PLANET, PLANET_MASS = 5e-4, 0.6  #: kg m2 about the planet's own axis, kg
FRICTION = (1e-3, 2e-3, 2e-3, 2e-4)  #: N m s/rad: bearings of sun, carrier, ring and each planet
FAN, FAN_SPEED = 8.0, 100.0  #: N m, torque of the fan at this speed, rad/s
BRAKE, CLOSING, CLOSING_TIME = 3.0, 1.5, 0.2  #: N m s/rad; s, instant of half closure; s, time scale of closing


def planetary_gear() -> mbs.Model:
    """Return the gear, at rest at the start; inputs are the torques on its three shafts."""
    m = mbs.Model("planetary_gear", description="Planetary gear with a fan on its carrier and a brake on its ring")
    wheels = {"sun": (SUN, 1.5), "carrier": (CARRIER, 1.0), "ring": (RING, 2.0)}
    fan = m.parameter("fan", FAN, unit="N.m", description=f"torque of the fan at {FAN_SPEED:g} rad/s", min=0.0)
    brake = m.parameter("brake", BRAKE, unit="N.m.s/rad", description="the closed brake on the ring", min=0.0)
    closing = m.parameter("closing", CLOSING, unit="s", description="when the brake is half closed")
    bodies = []
    for (name, (inertia, mass)), b in zip(wheels.items(), FRICTION, strict=False):
        torque = m.input(f"{name}_torque", unit="N.m", description=f"on the {name}")
        about = m.parameter(f"{name}_inertia", inertia, unit="kg.m2", description="about the shaft", min=1e-9)
        body = m.body(name, joint=mbs.Revolute("z"), mass=mass, inertia=(about / 2, about / 2, about))
        m.motor(f"{name}_motor", on=body, torque=torque)
        m.spring(f"{name}_bearing", on=body, damping=b)
        bodies.append(body)
    sun, carrier, ring = bodies
    speed = mbs.rate(carrier) / FAN_SPEED
    m.motor("fan_motor", on=carrier, torque=-fan * speed * abs(speed))
    grip = (1.0 + mbs.tanh((mbs.time - closing) / CLOSING_TIME)) / 2
    m.spring("ring_brake", on=ring, damping=brake * grip)
    arm = MODULE * (SUN_TEETH + PLANET_TEETH) / 2
    m.shape(carrier, mbs.Cylinder(0.012, 0.06, at=(0, 0, -0.04)))
    for k in range(1, PLANETS + 1):
        angle = math.tau * (k - 1) / PLANETS
        x, y = arm * math.cos(angle), arm * math.sin(angle)
        planet = m.body(
            f"planet{k}", carrier, mbs.Revolute("z"), mass=PLANET_MASS, inertia=(PLANET / 2, PLANET / 2, PLANET),
            at=(x, y, 0),
        )  # fmt: skip
        m.shape(carrier, mbs.Line([(0, 0, -0.02), (x, y, -0.02), (x, y, 0.01)], 0.006))
        m.spring(f"planet{k}_bearing", on=planet, damping=FRICTION[3])
        m.gear(f"sun_planet{k}", sun, planet, teeth=(SUN_TEETH, PLANET_TEETH), carrier=carrier)
        m.gear(f"ring_planet{k}", ring, planet, teeth=(-RING_TEETH, PLANET_TEETH), carrier=carrier)
    m.output("angle", [mbs.coordinate(body) for body in bodies], unit="rad", description="sun, carrier and ring")
    m.output("speed", [mbs.rate(body) for body in bodies], unit="rad/s", description="sun, carrier and ring")
    m.output("planet_speed", mbs.rate("planet1"), unit="rad/s", description="of a planet on the carrier")
    m.output("braking", -mbs.strength("ring_brake") * mbs.rate(ring), unit="W", description="power lost in the brake")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    return m
