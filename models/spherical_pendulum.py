"""A spherical pendulum: a sphere on a light rod that swings about a ball joint.

The coordinates of the joint are a quaternion, so no position is singular. The rod does not rotate about its own axis,
at the start or later, so the sphere moves like a point mass at the length (m l² + J)/(m l) of the equivalent simple
pendulum. Energy and angular momentum about the vertical are conserved.
"""

import math

import mbs_fmu as mbs

LENGTH, RADIUS, MASS = 1.0, 0.1, 1.0  #: m, m, kg
INCLINATION, AZIMUTHAL_RATE = math.pi / 3, 1.5  #: rad from the downward vertical, rad/s about it, at the start


def spherical_pendulum() -> mbs.Model:
    """Return the pendulum. It starts towards +x with a horizontal velocity, slower than on a horizontal circle."""
    m = mbs.Model("spherical_pendulum", description="Spherical pendulum: a ball on a light rod")
    length = m.parameter("length", LENGTH, unit="m", description="from the joint to the ball's centre", min=1e-6)
    radius = m.parameter("radius", RADIUS, unit="m", description="radius of the ball", min=1e-6)
    mass = m.parameter("mass", MASS, unit="kg", description="mass of the ball", min=1e-6)
    centre = (0, 0, -length)
    pendulum = m.body(
        "pendulum", joint=mbs.Spherical(), mass=mass, com=centre, inertia=(0.4 * mass * radius * radius,) * 3,
        shape=[mbs.Line([(0, 0, 0), centre], 0.01, color="dimgray"), mbs.Sphere(radius, at=centre)],
    )  # fmt: skip
    place, velocity = mbs.position(pendulum, centre), mbs.velocity(pendulum, centre)
    m.output("place", place, unit="m", description="centre of the ball")
    m.output("velocity", velocity, unit="m/s", description="its velocity")
    m.output("moment", mass * place.cross(velocity)[2], unit="N.m.s", description="of momentum, about the vertical")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    half = -INCLINATION / 2  # turns the rod about y from -z towards +x
    across = AZIMUTHAL_RATE * math.sin(INCLINATION)
    m.start(pendulum, q=(math.cos(half), 0, math.sin(half), 0), u=(across, 0, 0))
    return m
