"""A thin disc that rolls without slipping on a horizontal floor, inclined to one side.

It rolls fast enough not to fall: it follows a curve towards the side of its inclination, while inclination and spin
oscillate. The axis of the disc is y of its body; the floor contains the world's origin. The joint is a free joint with
a quaternion. The disc has a diameter of 0.4 m and 5 kg, like a weight plate.
"""

import math

import mbs_fmu as mbs

RADIUS, MASS = 0.2, 5.0  #: m, kg
LEAN = 0.35  #: rad at the start, about the direction of rolling: to the right
RATES = (0.4, 8.0, -0.6)  #: rad/s at the start, about the direction of rolling, the disc's axis and their normal


def rolling_disc() -> mbs.Model:
    """Return the disc, which starts above the origin and rolls along x."""
    m = mbs.Model("rolling_disc", description="Disc that rolls on a level floor")
    mass = m.parameter("mass", MASS, unit="kg", description="mass of the disc", min=1e-6)
    across = mass * RADIUS**2 / 4
    disc = m.body("disc", joint=mbs.Free(), mass=mass, inertia=(across, 2 * across, across))
    m.roll("floor", disc, radius=RADIUS)
    centre = mbs.position(disc)
    axis = mbs.position(disc, (0, 1, 0)) - centre
    m.output("centre", centre, unit="m", description="centre of the disc")
    m.output("axis", axis, description="axis of the disc, in world axes")
    m.output("lean", mbs.asin(axis[2]), unit="rad", description="of the disc from the vertical, positive to its right")
    m.output("spin", mbs.angular_velocity(disc).dot(axis), unit="rad/s", description="about the disc's axis")
    m.output("force", mbs.reaction("floor").f, unit="N", description="of the floor on the disc, in world axes")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    about_way, about_axis, turning = RATES
    velocity = (RADIUS * about_axis, -RADIUS * about_way, 0)
    attitude = (math.cos(LEAN / 2), math.sin(LEAN / 2), 0, 0)
    m.start(
        disc, q=(0, 0, RADIUS * math.cos(LEAN), *attitude), u=(*velocity, about_way, about_axis, turning), guess=True
    )
    return m
