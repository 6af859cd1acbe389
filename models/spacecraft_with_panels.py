"""A spacecraft with prescribed motion that unfolds its solar panels.

The bus is a moving base: its position, attitude and twist are inputs, from a recorded flight or from another simulator.
Accelerations are not needed. Two wings of three panels are folded against its sides. Springs in the hinges unfold them,
and dampers limit their overshoot.

Dimensions are those of a small satellite: a bus of 1 m and 400 kg, panels of 0.8 x 1.2 m and 6 kg.
"""

import math

import mbs_fmu as mbs

HALF = 0.5  #: m, from the bus's centre to the first hinges, along y and -y
PANELS, LENGTH, WIDTH, MASS = 3, 0.8, 1.2, 6.0  #: number in each wing; m outward, m along the hinges, kg
STIFFNESS, DAMPING = 5.0, 10.0  #: N m/rad, N m s/rad, of every hinge
FOLDED = (math.pi / 2, -math.pi, math.pi)  #: rad, angles of a wing's hinges at the start; unfolded they are zero
PLACE, QUATERNION = ("x", "y", "z"), ("e0", "e1", "e2", "e3")
VELOCITY, TURNING = ("vx", "vy", "vz"), ("wx", "wy", "wz")


def spacecraft_with_panels() -> mbs.Model:
    """Return the spacecraft. Inputs: x y z (m) and quaternion e0 ... e3 (w first) of the bus; vx vy vz (m/s) and
    wx wy wz (rad/s), its twist in body axes."""
    m = mbs.Model(
        "spacecraft_with_panels", description="Spacecraft that unfolds its panels in flight", gravity=(0, 0, 0)
    )
    place = [m.input(name, unit="m", description=f"{name} of the bus's centre") for name in PLACE]
    attitude = [
        m.input(name, unit="1", start=float(name == "e0"), description="attitude of the bus: quaternion, w first")
        for name in QUATERNION
    ]
    velocity = [m.input(name, unit="m/s", description="velocity of the bus, in its axes") for name in VELOCITY]
    turning = [m.input(name, unit="rad/s", description="angular velocity of the bus, in its axes") for name in TURNING]
    stiffness = m.parameter("stiffness", STIFFNESS, unit="N.m/rad", description="of every hinge", min=0.0)
    damping = m.parameter("damping", DAMPING, unit="N.m.s/rad", description="of every hinge", min=0.0)
    bus = m.body("bus", joint=mbs.Free(), mass=400.0, inertia=(70.0, 70.0, 70.0))
    m.drive("flight", on=bus, position=(*place, *attitude), rate=(*velocity, *turning))
    for side, turned in (("left", (1, 0, 0, 0)), ("right", (0, 0, 0, 1))):
        panels = _wing(m, bus, side, mbs.Pose((0, HALF if side == "left" else -HALF, 0), turned), stiffness, damping)
        angles = [mbs.coordinate(panel) for panel in panels]
        m.output(side, angles, unit="rad", description=f"angles of the {side} wing's hinges")
        tip = mbs.position(panels[-1], (0, LENGTH, 0))
        m.output(f"tip_{side}", tip, unit="m", description=f"tip of the {side} wing")
    return m


def _wing(
    m: mbs.Model, bus: mbs.Body, side: str, at: mbs.Pose, stiffness: mbs.Expression, damping: mbs.Expression
) -> list[mbs.Body]:
    """Add and return the panels of a wing, from the bus outward along y, with hinges about x."""
    across, along = MASS * LENGTH**2 / 12, MASS * WIDTH**2 / 12
    parent, panels = bus, []
    for k, angle in enumerate(FOLDED, start=1):
        panel = m.body(
            f"{side}{k}", parent, mbs.Revolute("x"),
            mass=MASS, com=(0, LENGTH / 2, 0), inertia=(across, along, across + along), at=at,
        )  # fmt: skip
        m.spring(f"{side}_hinge{k}", on=panel, stiffness=stiffness, damping=damping)
        m.start(panel, q=angle)
        parent, at = panel, mbs.Pose((0, LENGTH, 0))
        panels.append(panel)
    return panels
