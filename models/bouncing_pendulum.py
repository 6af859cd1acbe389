"""A double pendulum in the x-y plane whose free end hits a smooth wall, x = 0.

Two uniform rods on hinges about z; gravity along -y, angles from its direction. The coefficient of restitution is 0.8;
the output `energy` shows the loss at each impact.
"""

import mbs_fmu as mbs

LENGTHS, MASSES = (1.0, 0.8), (1.3, 0.7)  #: m, kg
START = (0.9, 1.2)  #: rad, angles of the rods at the start, each from the vertical
RESTITUTION = 0.8


def bouncing_pendulum() -> mbs.Model:
    """Return the pendulum, at rest on the right of the wall at the start."""
    m = mbs.Model("bouncing_pendulum", description="Double pendulum whose end strikes a wall", gravity=(0, -9.81, 0))
    restitution = m.parameter("restitution", RESTITUTION, unit="1", description="of the wall", min=0.0, max=1.0)
    rod, end, rods = None, (0, 0, 0), []
    for k, (length, mass) in enumerate(zip(LENGTHS, MASSES, strict=True), start=1):
        inertia = mass * length**2 / 12
        rod = m.body(
            f"rod{k}", rod or "world", mbs.Revolute("z"),
            mass=mass, com=(0, -length / 2, 0), inertia=(inertia, 0, inertia), at=end,
        )  # fmt: skip
        end = (0, -length, 0)
        rods.append(rod)
    first, second = rods
    m.shape("world", mbs.Box(0.05, 0.9, 0.4, at=(-0.025, -1.5, 0), color="lightgray"))
    m.contact("wall", "world", second, mbs.OnPlane("x"), at_b=end, restitution=restitution)
    angle, turn = mbs.coordinate(first), mbs.coordinate(second)
    m.output("angle", (angle, angle + turn), unit="rad", description="angles of the rods from the vertical")
    m.output("speed", (mbs.rate(first), mbs.rate(first) + mbs.rate(second)), unit="rad/s", description="their rates")
    m.output("end", mbs.position(second, end)[:2], unit="m", description="free end of the second rod, x and y")
    m.output("blow", mbs.impulse("wall"), unit="N.s", description="impulse of the wall's last blow")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.start(first, q=START[0])
    m.start(second, q=START[1] - START[0])
    return m
