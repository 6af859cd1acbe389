"""A thin disc that rolls on a level floor without slipping, leaning to one side.

It rolls fast enough to stay up: while it turns towards the side it leans to, it nods, and its spin changes. The disc's
axis is y of its body; the plane of the floor goes through the world's origin. The joint is a free one with a
quaternion. The size is that of a plate of a weight bar: 0.4 m across and 5 kg.
"""

import math

import mbs_fmu as mbs

RADIUS, MASS = 0.2, 5.0  #: m, kg
LEAN = 0.35  #: rad at the start, about the way it rolls: to the right
RATES = (0.4, 8.0, -0.6)  #: rad/s at the start, about its way, its axis and the steepest line in it


def rolling_disc() -> mbs.Model:
    """The disc starts above the origin and rolls along x."""
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
