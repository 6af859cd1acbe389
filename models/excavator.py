"""An excavator that digs: boom, stick and bucket, each moved by a hydraulic cylinder with a valve.

The mechanism moves in the x-z plane; hinges are about -y, so positive angles raise. Housing and rod of each cylinder
are bodies, which close three loops. The operator opens the valves along sine waves: the stick draws the bucket through
the ground, the bucket curls, the boom lifts. The ground resists in proportion to the depth of the bucket's tip, against
its velocity.

The hydraulics and the mechanism are models of their own as well, for co-simulation: the cylinders get lengths and
speeds, the mechanism forces.
"""

import math
from typing import Any

import mbs_fmu as mbs

HINGE = mbs.Revolute("-y")
FOOT, STICK, BUCKET, TIP = (0.2, 0.0, 1.5), (5.2, 0.0, 0.0), (2.8, 0.0, 0.0), (1.2, 0.0, 0.0)  #: m, on their parents
#: Mass (kg), centre of mass (m) and inertia about y through it (kg m2).
BOOM = (1500.0, (2.5, 0.0, 0.4), 3500.0)
STICK_BODY = (800.0, (1.0, 0.0, 0.1), 600.0)
BUCKET_BODY = (600.0, (0.6, 0.0, 0.1), 120.0)
HOUSING, ROD = (60.0, (0.5, 0.0, 0.0), 6.0), (30.0, (-0.5, 0.0, 0.0), 3.0)
#: For each cylinder: the body with its housing, the housing's place there, the moved body, the rod's pin there.
PINS = {
    "boom": ("world", (0.9, 0.0, 1.1), "boom", (2.4, 0.0, 0.7)),
    "stick": ("boom", (2.6, 0.0, 1.1), "stick", (-0.7, 0.0, 0.3)),
    "bucket": ("stick", (0.3, 0.0, 0.5), "bucket", (0.1, 0.0, 0.45)),
}
ANGLES = {"boom": math.radians(17.0), "stick": math.radians(-70.0), "bucket": math.radians(-40.0)}  #: at the start

#: Of each cylinder: bore, rod, stroke, length when closed, m.
SIZES = {
    "boom": (0.16, 0.10, 1.2, 1.9),
    "stick": (0.14, 0.09, 1.5, 2.1),
    "bucket": (0.12, 0.08, 1.3, 2.0),
}
FLOW, LEAK = 1.2e-6, 0.0  #: m3/s per root of Pa through an open edge; m3/s per Pa past a piston
SUPPLY, TANK, MODULUS, VISCOUS = 280e5, 2e5, 1.0e9, 2e4  #: Pa, Pa, Pa, N s/m
#: Pa, of both chambers at the start: they hold the arm at rest (`mbs.trim` finds those at the piston).
PRESSURES = {"boom": (9100973.0, 20e5), "stick": (2095480.0, 60e5), "bucket": (3177189.0, 60e5)}
#: Of each valve: amplitude, period (s) and instant (s) at which its wave begins.
WAVES = {"boom": (0.25, 10.0, 2.5), "stick": (0.35, 8.0, 0.5), "bucket": (0.12, 8.0, 1.5)}
SOIL, SLOW = 3e4, 0.1  #: N/m by depth; m/s, speed at which the ground resists with 0.7 of that


def valves(m: mbs.Model) -> dict[str, mbs.Expression]:
    """Return the openings of the valves: the operator's waves and the inputs `NAME_valve`."""
    work = m.parameter("work", 1.0, description="share of the operator's waves")
    openings = {}
    for name, (amplitude, period, begin) in WAVES.items():
        more = m.input(f"{name}_valve", start=0.0, description=f"opening of the {name}'s valve beside the operator's")
        since = mbs.max(mbs.time - begin, 0.0)
        openings[name] = more + work * amplitude * mbs.sin(math.tau / period * since)
    return openings


def cylinder(m: mbs.Model, name: str, ends: dict[str, Any], opening: mbs.Expression) -> mbs.HydraulicCylinder:
    """Add a cylinder between two ends, with outputs of its pressures and of its tension."""
    bore, rod, stroke, closed = SIZES[name]
    made = m.cylinder(
        f"{name}_jack", **ends, bore=bore, rod=rod, stroke=stroke, closed=closed, opening=opening, flow=FLOW,
        supply=SUPPLY, tank=TANK, modulus=MODULUS, leak=LEAK, viscous=VISCOUS, start=PRESSURES[name],
    )  # fmt: skip
    pressures = [made.pressure_a, made.pressure_b]
    m.output(f"{name}_pressure", pressures, unit="bar", description=f"of the {name}'s chambers, at piston and rod")
    return made


def arm(m: mbs.Model) -> None:
    """Add boom, stick and bucket, the cylinders' housings and rods, and the ground's resistance."""
    plain = [("boom", "world", FOOT, BOOM), ("stick", "boom", STICK, STICK_BODY)]
    for name, parent, at, (mass, com, inertia) in [*plain, ("bucket", "stick", BUCKET, BUCKET_BODY)]:
        m.body(name, parent, HINGE, mass=mass, com=com, inertia=(inertia / 2, inertia, inertia), at=at)
        m.start(name, q=ANGLES[name])
    for name, (base, foot, moved, pin) in PINS.items():
        mass, com, inertia = HOUSING
        housing = m.body(f"{name}_housing", base, HINGE, mass=mass, com=com, inertia=(1, inertia, inertia), at=foot)
        mass, com, inertia = ROD
        rod = m.body(f"{name}_rod", housing, mbs.Prismatic("x"), mass=mass, com=com, inertia=(0.1, inertia, inertia))
        m.close(f"{name}_pin", rod, moved, mbs.Revolute("y"), at_b=pin)
        m.start(rod, q=SIZES[name][3] + 0.4, guess=True)
    velocity = mbs.velocity("bucket", TIP)
    depth = mbs.max(-mbs.position("bucket", TIP)[2], 0.0)
    speed = mbs.sqrt(velocity.dot(velocity) + SLOW * SLOW)
    soil = m.parameter("soil", SOIL, unit="N/m", description="resistance of the ground by depth", min=0.0)
    resistance = velocity * (-soil * depth / speed)
    m.force("digging", on="bucket", at=TIP, force=(resistance[0], 0, resistance[2]))
    _draw(m)


def _draw(m: mbs.Model) -> None:
    """Add shapes for pictures."""
    yellow, steel = "goldenrod", "dimgray"
    m.shape("world", [mbs.Box(3.4, 2.6, 0.7, at=(-0.6, 0, 0.35), color=steel),
                      mbs.Box(2.8, 2.2, 1.1, at=(-0.8, 0, 1.3), color=yellow),
                      mbs.Box(9.0, 2.0, 0.02, at=(5.5, 1.7, -0.01), color="peru"),
                      mbs.Box(3.0, 3.4, 0.02, at=(2.5, -1.0, -0.01), color="peru")])  # fmt: skip
    m.shape("boom", mbs.Line([(0, 0, 0), (2.5, 0, 0.9), STICK], 0.22, color=yellow))
    m.shape("stick", mbs.Line([(-0.7, 0, 0.3), (0, 0, 0), BUCKET], 0.16, color=yellow))
    m.shape("bucket", [mbs.Line([(0, 0, 0), TIP], 0.08, color=steel),
                       mbs.Line([(0, 0, 0), (0.1, 0, 0.45), (0.7, 0, 0.6), TIP], 0.06, color=steel),
                       mbs.Box(0.9, 1.0, 0.08, at=(0.6, 0, 0.02), color=steel)])  # fmt: skip
    for name in PINS:
        closed = SIZES[name][3]
        m.shape(f"{name}_housing", mbs.Cylinder(0.11, closed, "x", at=(closed / 2, 0, 0), color=steel))
        m.shape(f"{name}_rod", mbs.Cylinder(0.05, closed, "x", at=(-closed / 2, 0, 0), color="silver"))


def add_outputs(m: mbs.Model) -> None:
    """Add the outputs of the mechanism."""
    names = list(ANGLES)
    m.output("angle", [mbs.coordinate(name) for name in names], unit="rad", description="of boom, stick and bucket")
    m.output("speed", [mbs.rate(name) for name in names], unit="rad/s", description="of boom, stick and bucket")
    tip = mbs.position("bucket", TIP)
    m.output("tip", [tip[0], tip[2]], unit="m", description="of the bucket, forward and upward")
    force = mbs.applied("digging").f
    m.output("digging_force", [force[0], force[2]], unit="N", description="of the ground on the bucket")


def excavator() -> mbs.Model:
    """Return the excavator with its hydraulics, at rest at the start; inputs are openings of valves."""
    m = mbs.Model("excavator", description="Excavator with hydraulic cylinders and valves, digging")
    openings = valves(m)
    arm(m)
    supplied, brought = 0.0, 0.0
    for name, (base, foot, moved, pin) in PINS.items():
        jack = cylinder(m, name, {"a": base, "at_a": foot, "b": moved, "at_b": pin}, openings[name])
        m.output(f"{name}_force", jack.force, unit="N", description=f"with which the {name}'s cylinder pushes")
        supplied, brought = supplied + jack.supply, brought + jack.inflow
    add_outputs(m)
    m.output("supply", supplied, unit="m3/s", description="flow from the supply")
    m.output("inflow_power", brought, unit="W", description="power that the oil brings into the cylinders")
    m.output("energy", mbs.energy(), unit="J", description="of motion, gravity and compressed oil")
    return m


def excavator_mechanism() -> mbs.Model:
    """Return boom, stick and bucket; inputs are the forces with which the cylinders push."""
    m = mbs.Model("excavator_mechanism", description="Boom, stick and bucket of an excavator")
    arm(m)
    for name, (base, foot, moved, pin) in PINS.items():
        force = m.input(f"{name}_force", unit="N", start=0.0, description=f"with which the {name}'s cylinder pushes")
        m.pull(f"{name}_jack", base, moved, at_a=foot, at_b=pin, force=-force)
        rod = f"{name}_rod"
        m.output(f"{name}_length", mbs.coordinate(rod), unit="m", description=f"of the {name}'s cylinder")
        m.output(f"{name}_speed", mbs.rate(rod), unit="m/s", description="its rate")
    add_outputs(m)
    return m


def excavator_hydraulics() -> mbs.Model:
    """Return the three cylinders with their valves; inputs are lengths and speeds of the cylinders."""
    m = mbs.Model("excavator_hydraulics", description="Cylinders and valves of an excavator", gravity=(0, 0, 0))
    openings = valves(m)
    for name in PINS:
        length = m.input(f"{name}_length", unit="m", start=SIZES[name][3] + 0.4, description="distance of its pins")
        speed = m.input(f"{name}_speed", unit="m/s", start=0.0, description="its rate")
        end = m.body(f"{name}_end", joint=mbs.Prismatic("x"), mass=1.0)
        m.drive(f"{name}_drive", on=end, position=length, rate=speed)
        jack = cylinder(m, name, {"a": "world", "b": end}, openings[name])
        m.output(f"{name}_force", jack.force, unit="N", description=f"with which the {name}'s cylinder pushes")
    return m
