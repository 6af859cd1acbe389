"""A crane: a load on the tip of an elastic boom, which a cylinder supports on a slewing column.

The boom is a tapered steel tube that bends along y and z. The cylinder, a spring and damper between two points that
represents enclosed oil, supports the middle node of the boom. The load hangs from the tip on a light rod with a ball
joint. The column rotates about z. At luffing angle zero the boom lies along x; a positive angle raises it.

At the start everything is at rest and the boom is straight; then the boom sags and oscillates, together with the load.
"""

import math

import mbs_fmu as mbs

LENGTH, MIDDLE = 12.0, 4.0  #: m: of the boom; from its foot to the cylinder's pin
DIAMETERS, THICKNESS = (0.40, 0.24), 0.006  #: m: of the boom's tube, at its foot and tip; of its wall
E, DENSITY = 2.1e11, 7850.0  #: Pa, kg/m3
DAMPING, MODES = 0.01, 16  #: damping ratio of each vibration mode of the boom clamped at its foot; number of modes
FOOT, PIN = 1.5, (0.8, 0.0, 0.2)  #: m: height of the boom's foot; the cylinder's pin, both on the column
COLUMN, SLEW_DAMPING = 400.0, 200.0  #: kg m2 about its axis, N m s/rad
STIFFNESS, OIL_DAMPING, FREE_LENGTH = 4e6, 2e4, 4.22  #: N/m, N s/m, m: of the cylinder
LOAD, LOAD_INERTIA, ROD = 500.0, 60.0, 5.0  #: kg, kg m2 about all axes, m
LUFF = 0.5  #: rad, the boom's angle at the start


def diameter(x: float) -> float:
    """Return the diameter (m) of the boom at the distance x (m) from its foot."""
    return DIAMETERS[0] + (DIAMETERS[1] - DIAMETERS[0]) * x / LENGTH


def boom_with_load() -> mbs.Model:
    """Return the crane; inputs are the torques that slew the column and luff the boom."""
    m = mbs.Model("boom_with_load", description="Crane with an elastic boom and a load")
    slewing = m.input("slew_torque", unit="N.m", start=0.0, description="on the column, about its axis")
    luffing = m.input("luff_torque", unit="N.m", start=0.0, description="on the boom at its foot, upwards")
    load = m.parameter("load", LOAD, unit="kg", description="mass of the load", min=1.0)
    damping = m.parameter("damping", DAMPING, description="of the boom's modes, part of critical", min=0.0)
    free = m.parameter("free_length", FREE_LENGTH, unit="m", description="of the cylinder without force", min=0.1)
    nodes = {"root": 0.0, "middle": MIDDLE, "tip": LENGTH}
    rod = mbs.beam(LENGTH, mbs.Tube(diameter, THICKNESS), E, DENSITY, MODES, nodes, along="yz")
    column = m.body(
        "column", joint=mbs.Revolute("z"), mass=1000.0, inertia=(COLUMN, COLUMN, COLUMN),
        shape=[mbs.Cylinder(0.35, FOOT, at=(0, 0, FOOT / 2)), mbs.Box(2.2, 1.0, 0.3, at=(0.2, 0, 0.15)),
               mbs.Cylinder(0.25, 0.8, "y", at=(0, 0, FOOT), color="dimgray")],
    )  # fmt: skip
    boom = m.body(
        "boom", column, mbs.Revolute((0, -1, 0)), at=(0, 0, FOOT), elastic=rod, root="root", damping=damping
    )  # fmt: skip
    weight = m.body(
        "weight", boom.node("tip"), mbs.Spherical(), mass=load, com=(0, 0, -ROD), inertia=(LOAD_INERTIA,) * 3,
        shape=[mbs.Line([(0, 0, 0), (0, 0, -ROD)], 0.04, color="dimgray"), mbs.Box(0.8, 0.8, 0.8, at=(0, 0, -ROD))],
    )  # fmt: skip
    m.spring(
        "cylinder", column, boom.node("middle"), at_a=PIN, stiffness=STIFFNESS, damping=OIL_DAMPING, length=free
    )  # fmt: skip
    m.spring("friction", on=column, damping=SLEW_DAMPING)
    m.motor("slewing", on=column, torque=slewing)
    m.motor("luffing", on=boom, torque=luffing)
    m.start(boom, q=LUFF)
    m.start(weight, q=(math.cos(LUFF / 2), 0, math.sin(LUFF / 2), 0))
    m.output("slew", mbs.coordinate(column), unit="rad", description="angle of the column")
    m.output("luff", mbs.coordinate(boom), unit="rad", description="angle of the boom at its foot")
    m.output("tip", mbs.deformation(boom, "tip").d, unit="m", description="deflection of the tip against the foot")
    m.output("place", mbs.position(weight, (0, 0, -ROD)), unit="m", description="place of the load")
    m.output("cylinder_force", mbs.strength("cylinder"), unit="N", description="pull of the cylinder")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    return m
