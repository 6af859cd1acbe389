"""A twisted turbine blade from a mesh of triangles, on a rotor that spins up: a shell that stiffens where it spins.

The blade is a tapered sheet whose chord turns from the root to the tip, clamped at its root to the rim of the rotor.
`mbs.Modes.shell` finds shapes by loads on a point at the tip, by inertia and by the gas, and a few vibrations; ten
modes of the clamped blade are kept. The gas pushes along the axis with the same pressure everywhere: `loads={"gas":
...}` adds a node on which one force does the work of the whole load.

The shaft's speed is (speed/ramp) (t - ramp/2π sin(2πt/ramp)) until t = ramp, then constant. Centrifugal loads pull the
blade out and untwist it; they triple its stiffness. There is no gravity.
"""

import math

import numpy as np

import mbs_fmu as mbs

RADIUS, LENGTH = 0.15, 0.2  #: m: of the rotor's rim, along the blade
CHORDS, STAGGERS = (0.07, 0.05), (0.35, 0.75)  #: m, rad: root and tip; angle of the chord to the plane of rotation
THICKNESS, E, NU, DENSITY = 2e-3, 1.1e11, 0.33, 4430.0  #: m, Pa, 1, kg/m3: titanium
ROTOR = 0.05  #: kg m2, about the axis
SPEED, RAMP = 300.0, 0.4  #: rad/s; s, duration of the spin-up
PRESSURE, BEGIN, RISE = 6000.0, 0.4, 0.02  #: Pa, of the gas; s: when it begins, how long it rises
ELEMENTS = 24, 8  #: cells along and across, each of two triangles
MODES, KEPT = 6, 10  #: vibrations beside the shapes by loads; modes of the clamped blade that remain of all


def surface(along: np.ndarray, across: np.ndarray) -> np.ndarray:
    """Return points of the middle surface, (..., 3), m, from the middle of the root; along: 0 to 1, across: -1 to 1."""
    half = 0.5 * (CHORDS[0] + (CHORDS[1] - CHORDS[0]) * along) * across
    stagger = STAGGERS[0] + (STAGGERS[1] - STAGGERS[0]) * along
    return np.stack([LENGTH * along, half * np.cos(stagger), half * np.sin(stagger)], axis=-1)


def mesh(elements: tuple[int, int] = ELEMENTS) -> tuple[np.ndarray, np.ndarray]:
    """Return points (N, 3), m, and triangles (n, 3); neighbouring cells have their diagonals in opposite directions."""
    n, m = elements
    grid = np.meshgrid(np.linspace(0.0, 1.0, n + 1), np.linspace(-1.0, 1.0, m + 1), indexing="ij")
    index = np.arange((n + 1) * (m + 1)).reshape(n + 1, m + 1)
    a, b, c, d = (part.ravel() for part in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
    odd = (np.add.outer(np.arange(n), np.arange(m)) % 2 == 1).ravel()
    first = np.where(odd[:, None], np.stack([a, b, d], axis=1), np.stack([a, b, c], axis=1))
    second = np.where(odd[:, None], np.stack([b, c, d], axis=1), np.stack([a, c, d], axis=1))
    return surface(*grid).reshape(-1, 3), np.concatenate([first, second])


def thrust(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Return the nodal forces of 1 Pa along the axis, (6 N), N: a third of each triangle's area to each corner."""
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    forces = np.zeros((len(points), 6))
    np.add.at(forces[:, 2], triangles.ravel(), np.repeat(areas / 3, 3))
    return forces.ravel()


def shell(elements: tuple[int, int] = ELEMENTS, kept: int = KEPT) -> mbs.Modes:
    """Return the blade: nodes "root", the clamped edge, "tip", its middle point, and "gas"."""
    points, triangles = mesh(elements)
    modes = mbs.Modes.shell(
        (points, triangles), thickness=THICKNESS, E=E, nu=NU, density=DENSITY, modes=MODES, couple="rigid",
        frames={
            "root": lambda x, y, z: x < 1e-9,
            "tip": lambda x, y, z: (x > LENGTH - 1e-9) & (y * y + z * z < 1e-18),
        },
        loads={"inertia": True, "gas": thrust(points, triangles)},
    )  # fmt: skip
    return modes.keep(count=kept, held="root")


def turbine_blade() -> mbs.Model:
    """Return the rotor and one blade. Outputs are the speed, the tip's deflection and untwist, torque and energy."""
    m = mbs.Model("turbine_blade", description="Twisted turbine blade on a rotor that spins up", gravity=(0, 0, 0))
    final = m.parameter("speed", SPEED, unit="rad/s", description="of the shaft, after the spin-up")
    pressure = m.parameter("pressure", PRESSURE, unit="Pa", description="of the gas, along the axis")
    modes = shell()
    points, triangles = mesh()
    area = thrust(points, triangles).sum()
    rotor = m.body(
        "rotor", joint=mbs.Revolute("z"), mass=10.0, com=(0, 0, 0), inertia=(0.03, 0.03, ROTOR),
        shape=mbs.Cylinder(RADIUS, 0.06, color="dimgray"),
    )  # fmt: skip
    blade = m.body("blade", rotor, mbs.Weld(), at=(RADIUS, 0, 0), elastic=modes, root="root", damping=0.0)
    rising = mbs.min(mbs.time, RAMP)
    turned = rising * rising / (2 * RAMP) + (mbs.cos(2 * math.pi * rising / RAMP) - 1) * RAMP / (4 * math.pi**2)
    m.drive("shaft", on=rotor, position=final * (turned + mbs.time - rising))
    part = mbs.clip((mbs.time - BEGIN) / RISE, 0.0, 1.0)
    m.force("gas", on=blade.node("gas"), force=(0, 0, pressure * area * part**3 * (10 - 15 * part + 6 * part**2)))
    tip = mbs.deformation(blade, "tip")
    m.output("turning", mbs.rate(rotor), unit="rad/s", description="speed of the shaft")
    m.output("tip", tip.d[1:], unit="m", description="deflection of the tip against the rotor: lag, flap")
    m.output("untwist", tip.theta[0], unit="rad", description="turn of the tip about the blade's axis")
    m.output("torque", mbs.drive_force("shaft"), unit="N.m", description="of the shaft on the rotor")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    return m
