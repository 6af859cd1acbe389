"""A planetary gearbox on elastic bearings: a motor drives the sun, a load brakes the carrier, the ring stands still.

Sun, carrier and planets move in a plane, and their involute teeth have backlash. The stiffness of the teeth follows the
number of pairs in contact, for one planet after the other, since 28 and 68 are no multiples of three. The pin of the
first planet is ahead of its place, so this planet bears less than the others, and the sun floats after it, on an orbit
that turns with the carrier. The shaft is along z; weights are small beside the forces of the teeth and are left out.
"""

import math

import mbs_fmu as mbs

MODULE, WIDTH, PRESSURE_ANGLE = 3e-3, 0.015, math.radians(20.0)  #: m, m, rad: of all teeth
SUN_TEETH, PLANET_TEETH, RING_TEETH, PLANETS = 28, 20, 68, 3
ARM = MODULE * (SUN_TEETH + PLANET_TEETH) / 2  #: m, from the shaft to a planet
CONTACT_RATIOS = (1.597, 1.920)  #: transverse, of planets with sun and ring, for an addendum of one module
TEETH_DAMPING = 800.0  #: N s/m, of every mesh
BACKLASH = 6e-5  #: m, on the pitch circles
SUN, CARRIER, PLANET = (1.0, 9e-4), (3.0, 1e-2), (0.3, 1.5e-4)  #: kg, kg m2 about the axis
SUN_BEARING, CARRIER_BEARING, PIN = (2e7, 1e3), (2e8, 2e3), (1e8, 500.0)  #: N/m, N s/m, in both directions
PIN_ERROR = 1e-5  #: m, of the first planet, forwards on the circle of the pins
TORQUE, LOAD, DRAG = 100.0, 200.0, 1.0  #: N m, on sun and carrier; N m s/rad, on the carrier
SPEED = 300.0  #: rad/s, of the sun at the start
Number = mbs.Expression | float


def places() -> list[float]:
    """Return the angles of the planets on the carrier, rad."""
    return [math.tau * k / PLANETS for k in range(PLANETS)]


def mesh_stiffnesses() -> tuple[mbs.MeshStiffness, mbs.MeshStiffness]:
    """Return those of the sun and of the ring with a planet."""
    size = {"module": MODULE, "width": WIDTH}
    return (
        mbs.mesh_stiffness((SUN_TEETH, PLANET_TEETH), contact_ratio=CONTACT_RATIOS[0], **size),
        mbs.mesh_stiffness((-RING_TEETH, PLANET_TEETH), contact_ratio=CONTACT_RATIOS[1], **size),
    )


def planetary_gearbox() -> mbs.Model:
    """Return the gearbox at its speed; the teeth bear the motor's torque as if no pin were out of place."""
    m = mbs.Model("planetary_gearbox", description="Planetary gearbox on elastic bearings", gravity=(0, 0, 0))
    load = m.input("load", unit="N.m", start=LOAD, description="torque that brakes the carrier")
    torque = m.parameter("torque", TORQUE, unit="N.m", description="of the motor on the sun")
    backlash = m.parameter("backlash", BACKLASH, unit="m", description="on the pitch circles", min=0.0)
    error = m.parameter("pin_error", PIN_ERROR, unit="m", description="of the first planet, forwards")
    planar = mbs.Compound(mbs.slide("x"), mbs.slide("y"), mbs.turn("z"))
    members = {"sun": (SUN, SUN_BEARING), "carrier": (CARRIER, CARRIER_BEARING)}
    for name, ((mass, J), (stiffness, damping)) in members.items():
        m.body(name, joint=planar, mass=mass, inertia=(J / 2, J / 2, J))
        for k, axis in enumerate("xy", start=1):
            m.spring(f"{name}_{axis}", on=name, coordinate=k, stiffness=stiffness, damping=damping)
    m.motor("motor", on="sun", coordinate=3, torque=torque)
    m.motor("brake", on="carrier", coordinate=3, torque=-load)
    m.spring("drag", on="carrier", coordinate=3, damping=DRAG)
    add_planets(m, planar, error, backlash)
    add_shapes(m)
    start(m, torque, backlash)
    m.output("speed", [mbs.rate(name, 3) for name in members], unit="rad/s", description="of sun and carrier")
    m.output("orbit", [mbs.coordinate("sun", k) for k in (1, 2)], unit="um", description="of the sun's centre")
    for wheel in ("sun", "ring"):
        force = mbs.strength(f"{wheel}_planet1")
        m.output(f"{wheel}_force", force, unit="N", description=f"of the {wheel}'s teeth on the first planet")
    across, along = (mbs.strength(f"planet1_{axis}") for axis in "xy")
    m.output("pin_load", mbs.sqrt(across**2 + along**2), unit="N", description="of the first planet's bearing")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    return m


def add_planets(m: mbs.Model, joint: mbs.Compound, error: mbs.Expression, backlash: mbs.Expression) -> None:
    """Add the planets with their bearings and teeth; the sun's and the ring's reach each planet at another phase."""
    mass, J = PLANET
    law = {"pressure_angle": PRESSURE_ANGLE, "damping": TEETH_DAMPING, "backlash": backlash}
    of_sun, of_ring = mesh_stiffnesses()
    for n, place in enumerate(places(), start=1):
        name, at = f"planet{n}", (ARM * math.cos(place), ARM * math.sin(place), 0.0)
        m.body(name, "carrier", joint, mass=mass, inertia=(J / 2, J / 2, J), at=at)
        for k, axis in enumerate("xy", start=1):
            wrong = error if name == "planet1" and axis == "y" else 0.0
            m.spring(f"{name}_{axis}", on=name, coordinate=k, stiffness=PIN[0], damping=PIN[1], length=wrong)
        m.gear(
            f"sun_{name}", "sun", name, teeth=(SUN_TEETH, PLANET_TEETH),
            stiffness=lambda phase, late=SUN_TEETH * place: of_sun.of(phase - late), **law,
        )  # fmt: skip
        m.gear(
            f"ring_{name}", "world", name, teeth=(-RING_TEETH, PLANET_TEETH),
            stiffness=lambda phase, late=RING_TEETH * place: of_ring.of(phase - late), **law,
        )  # fmt: skip


def outline(teeth: int, first: float, height: float) -> list[tuple[float, float, float]]:
    """Return the corners of a closed row of teeth, m, at a height. first: angle of one, rad. teeth < 0: of a ring."""
    corners = []
    for k in range(abs(teeth)):
        for step, tip in ((-0.36, -1.1), (-0.14, 0.9), (0.14, 0.9), (0.36, -1.1)):
            angle, radius = first + math.tau * (k + step) / abs(teeth), MODULE * abs(teeth / 2 + tip)
            corners.append((radius * math.cos(angle), radius * math.sin(angle), height))
    return [*corners, corners[0]]


def add_shapes(m: mbs.Model) -> None:
    """Draw the wheels with teeth and the carrier with its pins."""
    half, edge = WIDTH / 2, 0.0008
    sides = (-half, half)
    rims = [mbs.Line(outline(-RING_TEETH, 0.0, z), edge, color="dimgray") for z in sides]
    m.shape("world", [mbs.Ring(MODULE * (RING_TEETH / 2 + 3), half, color="lightgray"), *rims])
    m.shape("sun", [mbs.Cylinder(MODULE * (SUN_TEETH / 2 - 1), WIDTH, color="steelblue"),
                    mbs.Cylinder(0.012, 0.03, at=(0, 0, 0.01), color="silver"),
                    *(mbs.Line(outline(SUN_TEETH, 0.0, z), edge, color="steelblue") for z in sides)])  # fmt: skip
    m.shape("carrier", mbs.Cylinder(0.016, 0.05, at=(0, 0, -0.04), color="dimgray"))
    for n, place in enumerate(places(), start=1):
        at = ARM * math.cos(place), ARM * math.sin(place)
        m.shape("carrier", mbs.Line([(0, 0, -0.02), (*at, -0.02), (*at, 0.012)], 0.007, color="dimgray"))
        tooth = math.pi + place + (math.pi + SUN_TEETH * place) / PLANET_TEETH  # beside one of the sun
        color = "firebrick" if n == 1 else "goldenrod"
        m.shape(f"planet{n}", [
            mbs.Cylinder(MODULE * (PLANET_TEETH / 2 - 1), WIDTH, color=color),
            *(mbs.Line(outline(PLANET_TEETH, tooth, z), edge, color=color) for z in sides),
        ])  # fmt: skip


def loaded(torque: Number, backlash: Number) -> tuple[Number, Number, Number]:
    """Return angles of sun and planets (rad), and the way of the planets forwards (m), where teeth and pins yield."""
    base, cosine = MODULE * math.cos(PRESSURE_ANGLE) / 2, math.cos(PRESSURE_ANGLE)  # m per tooth, of the base circles
    force = torque / (PLANETS * base * SUN_TEETH)
    moved = 2.0 * force * cosine / PIN[0]
    sun, ring = ((backlash / 2 + moved) * cosine + force / stiffness.mean for stiffness in mesh_stiffnesses())
    return (sun + ring) / (base * SUN_TEETH), -ring / (base * PLANET_TEETH), moved


def start(m: mbs.Model, torque: mbs.Expression, backlash: mbs.Expression) -> None:
    """Start at speed, on the flanks that carry."""
    sun, planet, moved = loaded(torque, backlash)
    carrier = SPEED / (1 + RING_TEETH / SUN_TEETH)
    m.start("sun", q=(0.0, 0.0, sun), u=(0.0, 0.0, SPEED))
    m.start("carrier", u=(0.0, 0.0, carrier))
    spin = -SUN_TEETH / PLANET_TEETH * (SPEED - carrier)  # rad/s, on the carrier
    for n, place in enumerate(places(), start=1):
        q = -moved * math.sin(place), moved * math.cos(place), planet
        m.start(f"planet{n}", q=q, u=(0.0, 0.0, spin))
