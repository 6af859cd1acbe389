"""Models that together give every kernel something to compute."""

from __future__ import annotations

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.generators.elastic_mechanisms import stayed_beam
from support.models.linkages import quadrilateral


def bars(ground: str) -> list[tuple[str, str, int, float]]:
    """Name, parent, place on the parent and length of each bar of a four-bar."""
    return [("crank", ground, 0, 1.0), ("coupler", "crank", 1, 2.0), ("rocker", ground, 2, 1.5)]


def held_drive() -> Model:
    """A four-bar with a prescribed crank and its drive torque as output; an input, a table and a sawtooth over time."""
    t = mbs.time
    m = Model("driven", gravity=(0, -9.81, 0))
    for name, parent, place, length in bars("world"):
        J = length**3 / 12
        m.body(name, parent, mbs.Revolute("z"), length, (length / 2, 0, 0), (0.001, J, J), (place, 0, 0))
    m.drive("turning", on="crank", position=1.0 + 0.5 * t)
    m.motor("pull", on="rocker", torque=m.input("torque") + mbs.table(t, (0.0, 0.005, 0.05), (1.0, 3.0, 2.0)))
    m.motor("switch", on="coupler", torque=mbs.where(t < 0.006, 0.1, 0.2) + mbs.mod(t, 0.0045))
    m.close("pin", "coupler", "rocker", mbs.Revolute("z"), at_a=(2, 0, 0), at_b=(1.5, 0, 0))
    m.output("drive", mbs.drive_force("turning"))
    m.event("later", t - 0.0155)
    m.start("coupler", q=-1.0, guess=True)
    m.start("rocker", q=1.0, guess=True)
    return m


def two_slides(first: object, second: object) -> Model:
    """Two prescribed slides in line, joined by a rod that hangs from one and turns on the other."""
    m = Model("slides")
    m.body("a", joint=mbs.Prismatic("x"), mass=1.0)
    m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.drive("first", on="a", position=first)
    m.drive("second", on="b", position=second)
    m.body("rod", "a", mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.close("pin", "rod", "b", mbs.Revolute("y"))
    return m


def floating() -> Model:
    """A four-bar on a floating base, so that rows are eliminated at a moving link; a tower of three angles on it."""
    m = Model("floating")
    J = (0.2, 0.2, 0.2)
    m.body("base", joint=mbs.Free(), mass=3.0, inertia=J)
    m.body("tower", "base", mbs.Spherical("ship"), mass=1.0, com=(0, 0, 0.3), inertia=J)
    for name, parent, place, length in bars("base"):
        m.body(name, parent, mbs.Revolute("z"), length, (length / 2, 0, 0), J, (place, 0, 0))
    m.spring("soft", on="crank", force=((-1.0, 0.0, 1.0), (-2.0, 0.0, 3.0)))
    m.close("pin", "coupler", "rocker", mbs.Revolute("z"), at_a=(2, 0, 0), at_b=(1.5, 0, 0))
    m.close("tie", "tower", "rocker", mbs.Distance(2.0), at_a=(0, 0, 0.6))
    m.output("E", mbs.energy())
    m.output("pin", mbs.reaction("pin"))
    m.event("low", mbs.energy())
    m.state("signal", rate=1.0)
    m.start("base", u=(0.1, 0.2, 0.3, 0.1, 0.2, 0.3))
    m.start("crank", q=1.0, u=1.0)
    for name in ("coupler", "rocker", "tower"):
        m.start(name, q=(0.1, 0.2, 0.3) if name == "tower" else -0.5, guess=True)
    return m


def held(u: tuple[float, float]) -> Model:
    """A four-bar with all coordinates and rates held; the coordinates nearly close it."""
    m = quadrilateral(1, 2, 1.5, 2, 1.0, 2.0)
    for name, rate in zip(("coupler", "rocker"), u, strict=True):
        (q,) = m.starts[name].q
        m.start(name, q=round(q, 4), u=rate)
    return m


def struck(held: tuple[str, ...]) -> Model:
    """Five bars and the ground, closed by a pin; guessed rates open the loop, except for those held at rest."""
    m = Model("struck", gravity=(0, -9.81, 0))
    above = "world"
    for k, angle in enumerate((1.4, -0.9, -0.9, -0.9, -0.6)):
        m.body(f"bar{k}", above, mbs.Revolute("z"), 1.0 + k, (0.5, 0, 0), (0.01, 0.1, 0.1), (0 if k == 0 else 1, 0, 0))
        m.start(f"bar{k}", q=angle, u=0.0 if f"bar{k}" in held else 1.0 + k, guess=f"bar{k}" not in held)
        above = f"bar{k}"
    m.close("pin", above, "world", mbs.Revolute("z"), at_a=(1, 0, 0), at_b=(2.0, 0, 0))
    return m


def following() -> Model:
    """A hinge that follows another hinge and pushes a slide."""
    m = Model("following")
    for name in ("lead", "led"):
        m.body(name, joint=mbs.Revolute("y"), mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    m.body("slide", joint=mbs.Prismatic("x"), mass=1.0)
    m.follow("gear", on="led", leader="lead", ratio=0.5)
    m.start("lead", q=1.0)
    m.constrain("push", mbs.position("led", (1, 0, 0))[0] - mbs.coordinate("slide"))
    return m


def apart() -> Model:
    """A slide with a loop that no position closes."""
    m = Model("apart")
    m.body("slide", joint=mbs.Prismatic("x"), mass=1.0)
    m.close("rod", "world", "slide", mbs.Distance(1.0), at_a=(0, 5, 0))
    return m


def tree() -> Model:
    """A ball joint that carries a tower of three angles, a slide on hills, a parameter, an input, and two events."""
    J = (0.1, 0.2, 0.3)
    m = Model("tree")
    m.body("swing", joint=mbs.Spherical(), mass=1.0, com=(0, 0, -0.5), inertia=J)
    m.body("tower", "swing", mbs.Spherical("ship"), mass=1.0, com=(0, 0, 0.3), inertia=J)
    m.body("slide", joint=mbs.Prismatic("x"), mass=m.parameter("mass", 2.0))
    m.force("pull", on="slide", force=(m.input("force"), 0, 0))
    hills = mbs.HeightField([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0], [[0.0, 0.1, 0.0, 0.1]] * 4)
    m.contact("hills", "world", "slide", shape_a=hills, stiffness=1e3)
    m.state("signal", rate=1.0)
    m.output("E", mbs.energy())
    m.event("soon", mbs.time - 0.0015)
    m.event("end", mbs.time - 0.0035, stop=True)
    m.start("swing", u=(0.1, 0.2, 0.3))
    m.start("tower", q=(0.1, 0.2, 0.3))
    return m


def switching() -> Model:
    """A four-bar that opens, a crank that locks, sticks and hits a stop, sliding blocks, a table on legs, a lid."""
    m = Model("switching", gravity=(0, -9.81, 0))
    for name, parent, place, length in bars("world"):
        J = length**3 / 12
        m.body(name, parent, mbs.Revolute("z"), length, (length / 2, 0, 0), (0.001, J, J), (place, 0, 0))
    m.motor("pull", on="rocker", torque=m.input("torque"))
    m.close("pin", "coupler", "rocker", mbs.Revolute("z"), at_a=(2, 0, 0), at_b=(1.5, 0, 0), until=mbs.time >= 0.0035)
    m.lock("brake", on="rocker", when=mbs.time >= 0.0005, until=mbs.time >= 0.0015)
    m.lock("parked", on="coupler", when=mbs.time >= -1.0, until=mbs.time >= 0.0012)
    m.friction("hinge", on="crank", torque=0.1, static=0.2, stick=True)
    m.body("sled", joint=mbs.Prismatic("x"), mass=1.0)
    m.body("block", joint=mbs.Prismatic("x"), mass=1.0)
    m.friction("rubs", on="sled", force=400.0 + 300.0 * mbs.coordinate("block"), static=500.0, stick=True)
    m.motor("push", on="sled", force=1e5 * mbs.time)
    m.contact("touch", "sled", "block", mbs.OnPlane("x"), at_a=(0.001, 0, 0), restitution=0.5)
    m.body("table", joint=mbs.Free(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    for k, (x, z) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        m.contact(f"leg{k}", "world", "table", mbs.OnPlane("y"), at_b=(x, -0.1, z), at_a=(0, -0.1, 0))
    m.force("walks", on="table", at=(0.2, 0, 0.1), force=(0, -1.0 + 1000 * mbs.time, 0))
    m.body("lid", joint=mbs.Spherical(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.close("catch", "world", "lid", mbs.Revolute("y"), when=mbs.time >= 0.0005)
    m.event("later", mbs.time - 0.0155)
    m.output("E", mbs.energy())
    m.start("crank", q=1.0)
    m.start("block", q=0.003, u=-1.0)
    m.start("lid", q=(0.8, 0.6, 0, 0), u=(1.0, 2.0, 3.0))
    for name in ("coupler", "rocker"):
        m.start(name, q=-0.5, guess=True)
    return m


def jumping() -> Model:
    """A spinning body with a slide that bounces; a clock, and events that trigger each other."""
    m = Model("jumping", gravity=(0, 0, -1000.0))
    m.body("top", joint=mbs.Spherical(), mass=1.0, inertia=(0.1, 0.2, 0.3))
    m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    m.motor("jet", on="ball", force=m.sampled("push", 0.0007, lambda x: x + 1.0, offset=0.0002))
    m.state("x", 1000.0, start=-3.0)
    m.state("y", 0.0, start=-1.0)
    m.event("bounce", mbs.coordinate("ball"), direction=-1, reset={"ball.v": -0.9 * mbs.rate("ball")})
    m.event("first", mbs.signal("x"), reset={"y": -mbs.signal("y"), "x": 1.0 + mbs.signal("x")})
    m.event("second", mbs.signal("y"), direction=1, reset={"top.q[1]": 2.0})
    m.start("ball", q=0.0005)
    m.start("top", u=(1.0, 2.0, 3.0))
    return m


def striking() -> Model:
    """A ball that bounces on a floor, one that rests on it and is lifted; events of the gaps with and without resets.

    A signal leaves zero as the run starts.
    """
    m = Model("striking", gravity=(0, 0, -1000.0))
    for name in ("ball", "lying"):
        m.body(name, joint=mbs.Prismatic("z"), mass=1.0)
        m.contact(f"floor_{name}", "world", name, mbs.OnPlane("z"), restitution=0.5)
        m.state(f"n_{name}", 0.0)
        for way in (-1, 1):
            reset = {f"n_{name}": mbs.signal(f"n_{name}") + 1.0}
            m.event(f"{name}_{way + 1}", 2.0 * mbs.coordinate(name), direction=way, reset=reset)
            m.event(f"{name}_{way + 1}_seen", -mbs.coordinate(name), direction=way)
    m.motor("lift", on="lying", force=1e6 * mbs.time)
    m.event("left", m.state("signal", 1.0))
    m.start("ball", q=0.0005)
    return m


def stacked() -> Model:
    """Two balls in touch on a floor, which strike together at the start with different restitutions; a bar beside."""
    m = Model("stacked")
    m.body("bar", joint=mbs.Revolute("y"), mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    for name, below, restitution in (("lower", "world", 0.5), ("upper", "lower", 0.9)):
        m.body(name, joint=mbs.Prismatic("z"), mass=1.0)
        m.contact(f"floor_{name}", below, name, mbs.OnPlane("z"), restitution=restitution)
        m.start(name, u=-1.0 if name == "lower" else -2.0)
    return m


def undefined() -> Model:
    """A signal whose rate overflows behind an event that ends the run."""
    m = Model("undefined")
    m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    clock = m.state("clock", 1.0)
    large = 1e200 * mbs.max(0.0, clock - 0.0006)
    m.state("signal", rate=large * large)
    m.event("end", clock - 0.0005, stop=True)
    return m


def jumping_drive() -> Model:
    """A four-bar with the drive torque of its crank as output; a clock and an event reset its rocker's velocity."""
    m = held_drive()
    m.motor("ticks", on="rocker", torque=m.sampled("held", 0.001, mbs.rate("rocker")))
    m.event("blow", mbs.time - 0.0013, reset={"rocker.w": 0.0})
    return m


def braked_beam() -> Model:
    """An elastic beam held by a rod, beside a slide whose brake opens."""
    m = stayed_beam()
    m.body("slide", joint=mbs.Prismatic("x"), mass=1.0)
    m.lock("brake", on="slide", when=mbs.time >= -1.0, until=mbs.time >= 0.0012)
    return m


def two_bars(is_closed: bool) -> Model:
    """Two hinged bars with a motor, a mass and a signal state; closed, the lower one ends on a plane."""
    m = Model("two_bars", gravity=(0, -9.81, 0))
    J = (0.1, 0.1, 0.1)
    m.body("upper", joint=mbs.Revolute("z"), mass=m.parameter("mass", 1.5), com=(0.5, 0, 0), inertia=J)
    m.body("lower", "upper", mbs.Revolute("z"), mass=1.0, com=(0.5, 0, 0), inertia=J, at=(1, 0, 0))
    m.motor("pull", on="lower", torque=m.input("torque", start=0.2))
    m.state("signal", rate=1.0)
    m.output("E", mbs.energy())
    m.start("upper", q=0.3, u=0.1, guess=is_closed)
    if is_closed:
        m.close("guide", "lower", "world", mbs.OnPlane("x"), at_a=(1, 0, 0), at_b=(m.parameter("wide", 1.5), 0, 0))
        m.start("lower", q=-0.8, guess=True)
    return m
