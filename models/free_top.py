"""A free top: a body with three different moments of inertia that rotates about its intermediate axis, without gravity.

This rotation is unstable: the body flips over and back periodically, as Dzhanibekov observed in a space station. Its
centre of mass moves on a straight line. The body is a wooden board of 0.3 x 0.2 x 0.04 m and 1.2 kg. The joint is a
free joint with a quaternion.
"""

import mbs_fmu as mbs

SIDES, MASS = (0.3, 0.2, 0.04), 1.2  #: m, kg
VELOCITY = (0.2, 0.05, 0.1)  #: m/s, of the centre of mass at the start
SPIN = (0.1, 9.0, 0.3)  #: rad/s, in body axes, at the start; the middle axis is y


def moments() -> tuple[float, float, float]:
    """Return the principal moments of the board, kg m2: smallest about x, largest about z."""
    a, b, c = (side * side for side in SIDES)
    return MASS * (b + c) / 12, MASS * (a + c) / 12, MASS * (a + b) / 12


def free_top() -> mbs.Model:
    """Return the board, which starts at the origin with its axes parallel to those of the world."""
    m = mbs.Model("free_top", description="Board that turns about its middle axis, and flips over", gravity=(0, 0, 0))
    top = m.body("top", joint=mbs.Free(), mass=MASS, inertia=moments())
    place = mbs.position(top)
    m.output("place", place, unit="m", description="centre of mass")
    m.output("axis", mbs.position(top, (0, 1, 0)) - place, description="middle axis of the board in world axes")
    m.output("spin", [mbs.rate(top, k) for k in (4, 5, 6)], unit="rad/s", description="angular velocity in body axes")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.start(top, u=(*VELOCITY, *SPIN))
    return m
