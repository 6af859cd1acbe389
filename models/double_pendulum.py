"""A double pendulum in the x-z plane: two uniform rods on hinges about y, without friction.

Angles are measured from the downward vertical, towards -x. Both rods have 1 m and 1 kg.
"""

import mbs_fmu as mbs

LENGTHS, MASSES = (1.0, 1.0), (1.0, 1.0)  #: m, kg
START = (1.6, 0.4)  #: rad, angles of the rods at the start, each from the vertical


def double_pendulum() -> mbs.Model:
    """Return the pendulum, which starts at rest with the first rod nearly horizontal."""
    m = mbs.Model("double_pendulum", description="Double pendulum of two uniform rods")
    rod, end, rods = None, (0, 0, 0), []
    for k, (length, mass) in enumerate(zip(LENGTHS, MASSES, strict=True), start=1):
        long = m.parameter(f"length{k}", length, unit="m", description=f"length of rod {k}", min=1e-6)
        heavy = m.parameter(f"mass{k}", mass, unit="kg", description=f"mass of rod {k}", min=1e-6)
        inertia = heavy * long * long / 12
        rod = m.body(
            f"rod{k}", rod or "world", mbs.Revolute("y"),
            mass=heavy, com=(0, 0, -long / 2), inertia=(inertia, inertia, 0), at=end,
        )  # fmt: skip
        end = (0, 0, -long)
        rods.append(rod)
    first, second = rods
    angle, turn = mbs.coordinate(first), mbs.coordinate(second)
    m.output("angle", (angle, angle + turn), unit="rad", description="angles of the rods from the vertical")
    m.output("speed", (mbs.rate(first), mbs.rate(first) + mbs.rate(second)), unit="rad/s", description="their rates")
    m.output("tip", mbs.position(second, end), unit="m", description="free end of the second rod")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.start(first, q=START[0])
    m.start(second, q=START[1] - START[0])
    return m
