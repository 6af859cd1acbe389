"""Models that tests export as FMUs, by name, with the methods that integrate them and their inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mbs_fmu as mbs
from mbs_fmu.run.bundled import bundled_model
from support.generators.vector_signals import vectors
from support.models.elastic_models import boom, plank, slider_crank, two_rods
from support.models.open_loops import stretched_arm, turned_body

STEP = 1e-3  #: internal step of the FMUs with a fixed step, s
FINE = 1 / 2048  #: that of elastic bodies, s


def gyro() -> mbs.Model:
    """A free body on a point spring with a ball-jointed pendulum: vector outputs, an input force."""
    m = mbs.Model("gyro", description="Free body on a spring with a ball pendulum")
    push = m.input("push", unit="N", description="force on the ball along x")
    k = m.parameter("k", 30.0, unit="N/m", description="stiffness of the spring", min=0.0)
    inertia = (0.02, 0.03, 0.04)
    a = m.body("a", "world", mbs.Free(), mass=1.0, com=(0, 0.01, 0.02), inertia=inertia)
    b = m.body("b", a, mbs.Spherical(), mass=0.5, com=(0, 0, -0.2), inertia=(0.004, 0.004, 0.001), at=(0.1, 0, -0.1))
    m.spring("hook", "world", a, at_a=(0, 0, 2), at_b=(0, 0, 0.1), stiffness=k, damping=0.5, length=1.0)
    m.force("wind", on=b, at=(0, 0, -0.2), force=(push, 0, 0))
    m.output("place", mbs.position(b, (0, 0, -0.2)), unit="m", description="end of the pendulum")
    m.output("attitude", mbs.orientation(b), unit="1", description="quaternion of the pendulum")
    m.output("velocity", mbs.velocity(a), unit="m/s", description="velocity of the free body")
    m.output("pull", push + mbs.rate(b, 1), description="a number that the input feeds through to")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.start(a, q=(0, 0, 0.5, 1, 0, 0, 0), u=(0.1, 0, 0, 0, 0, 2.0))
    m.start(b, u=(0.3, -0.2, 0.1))
    return m


def top() -> mbs.Model:
    """A ball-jointed body whose mass and inertia are parameters."""
    m = mbs.Model("top", description="Body with mass and inertia as parameters")
    mass = m.parameter("mass", 1.0, unit="kg", description="mass")
    moments = [m.parameter(f"J{a}", 0.01, unit="kg.m2", description=f"moment of inertia {a}") for a in "xyz"]
    body = m.body("top", "world", mbs.Spherical(), mass=mass, com=(0, 0, 0.1), inertia=moments)
    m.output("spin", mbs.rate(body, 3), unit="rad/s", description="spin")
    m.output("height", mbs.position(body, (0, 0, 0.1))[2], unit="m", description="height of the centre of mass")
    m.start(body, q=(0.9, 0.3, 0, 0), u=(0, 0, 30))
    return m


def swing() -> mbs.Model:
    """A unit mass with the force cos(time): its speed is sin(time) - sin(start time)."""
    m = mbs.Model("swing", description="Mass on a slide, driven by time")
    body = m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
    m.motor("drive", on=body, force=mbs.cos(mbs.time))
    m.output("speed", mbs.rate(body), unit="m/s", description="speed of the cart")
    m.output("clock", mbs.time, unit="s", description="time")
    return m


def burst() -> mbs.Model:
    """A unit mass whose force is not a number after time 0.505 s."""
    m = mbs.Model("burst", description="Mass on a slide whose law breaks down")
    body = m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
    m.motor("drive", on=body, force=mbs.sqrt(0.505 - mbs.time))
    m.output("speed", mbs.rate(body), unit="m/s", description="speed of the cart")
    return m


def thickened() -> mbs.Model:
    """A different mechanism with the governor's name."""
    m = mbs.Model("governor", description="Not the governor")
    body = m.body("shaft", joint=mbs.Revolute("z"), mass=1.0, inertia=(0.3, 0.3, 0.5))
    torque = m.input("torque", unit="N.m", description="driving torque on the shaft")
    m.motor("drive", on=body, torque=torque)
    m.output("speed", mbs.rate(body), unit="rad/s", description="speed of the shaft")
    return m


def linkage() -> mbs.Model:
    """A crank and a rocker about skew axes, joined by a rod: one spatial loop with all outputs that a loop offers."""
    m = mbs.Model("linkage", description="Spatial crank and rocker with a rod between them")
    torque = m.input("torque", unit="N.m", description="torque on the crank")
    c = m.parameter("c", 4.0, unit="N.m/rad", description="stiffness of the rocker's spring", min=0.0)
    arm = m.parameter("arm", 0.3, unit="m", description="radius of the crank", min=1e-3)
    rod = m.parameter("rod", 1.1, unit="m", description="length of the rod", min=1e-3)
    crank = m.body("crank", joint=mbs.Revolute("z"), mass=2.0, com=(0.5 * arm, 0, 0), inertia=(0.01, 0.05, 0.05))
    rocker = m.body(
        "rocker", joint=mbs.Revolute((1, 0.3, 0)), mass=1.0, com=(0, 0, 0.3), inertia=(0.03, 0.03, 0.01), at=(1, 0, 0.2)
    )
    m.close("rod", crank, rocker, mbs.Distance(rod), at_a=(arm, 0, 0), at_b=(0, 0, 0.6))
    m.motor("drive", on=crank, torque=torque)
    m.spring("spring", on=rocker, stiffness=c, damping=0.1)
    m.output("angle", mbs.coordinate(crank), unit="rad", description="angle of the crank")
    m.output("push", mbs.multiplier("rod"), unit="N", description="force along the rod")
    m.output("mean_push", mbs.multiplier("rod", mean=True), unit="N", description="the same, mean over a step")
    m.output("bearing", mbs.reaction(crank).f, unit="N", description="force of the bearing on the crank")
    m.output("jolt", mbs.acceleration(rocker, (0, 0, 0.6)), unit="m/s2", description="acceleration of the rod's end")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.output("residual", mbs.residual(), unit="m", description="how far the loop stands open")
    m.start(crank, q=0.4, u=2.0)
    m.start(rocker, q=0.3, guess=True)
    return m


def bob(bound: float | None = None) -> mbs.Model:
    """A pendulum: a mass on two slides at a fixed distance from the world's origin; with a bound its residual grows."""
    m = mbs.Model("bob", description="Pendulum on two slides")
    push = m.input("push", unit="N", description="force along x")
    carriage = m.body("carriage", joint=mbs.Prismatic("x"), mass=0.5)
    mass = m.body("mass", carriage, mbs.Prismatic("z"), mass=1.0)
    m.close("string", "world", mass, mbs.Distance(1.0))
    m.motor("drive", on=carriage, force=push)
    m.output("place", mbs.position(mass), unit="m", description="of the mass")
    m.output("tension", -mbs.multiplier("string"), unit="N", description="of the string")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.output("residual", mbs.residual(), unit="m", description="how far the loop stands open")
    m.start(carriage, q=0.6 if bound is None else 0.0)
    m.start(mass, q=-1.0, guess=True)
    if bound is not None:
        m.stabilize(projection=False, bound=bound)
    return m


def hoist() -> mbs.Model:
    """A tree with a reaction and accelerations as outputs: no loop, but tangents inside its outputs."""
    m = mbs.Model("hoist", description="Trolley with a pendulum, and what its joints bear")
    push = m.input("push", unit="N", description="force on the trolley")
    d = m.parameter("d", 0.2, unit="N.m.s/rad", description="damping of the pendulum", min=0.0)
    trolley = m.body("trolley", joint=mbs.Prismatic("x"), mass=3.0)
    load = m.body("load", trolley, mbs.Universal("xy"), mass=2.0, com=(0, 0, -0.7), inertia=(0.1, 0.1, 0.02))
    m.motor("drive", on=trolley, force=push)
    m.spring("drag", on=load, coordinate=2, damping=d)
    m.output("hook", mbs.reaction(load).f, unit="N", description="force on the load")
    m.output("jolt", mbs.acceleration(load, (0, 0, -1)), unit="m/s2", description="acceleration of the load's end")
    m.output("swing", mbs.coordinate(load, 2), unit="rad", description="angle of the load")
    m.start(load, q=(0.2, 0.3), u=(0.5, -0.4))
    return m


def driven() -> mbs.Model:
    """A base prescribed by states, with a prescribed crank, a screw, a custom joint and one of three angles on it."""
    m = mbs.Model("driven")
    v = m.state("v", rate=m.input("a", unit="m/s2"), start=0.3, unit="m/s")
    x = m.state("x", rate=v, start=0.1, unit="m")
    base = m.body("base", joint=mbs.Free())
    m.drive("motion", on=base, position=(x, 0, 0, 1, 0, 0, 0), rate=(v, 0, 0, 0, 0, 0))
    crank = m.body("crank", base, mbs.Revolute("y"), mass=1.0, com=(0.1, 0, 0), inertia=(0.02, 0.03, 0.04))
    m.drive("turning", on=crank, position=m.parameter("amplitude", 0.4) * mbs.sin(3.0 * mbs.time))
    nut = m.body("nut", crank, mbs.Screw("x", 0.05), mass=0.4, com=(0, 0.02, 0), inertia=(0.01, 0.02, 0.02))
    m.spring("thread", on=nut, stiffness=2.0, damping=0.1)
    bead = mbs.CustomJoint(["m"], position=lambda q, t: (q[0], 0, q[0] * q[0]))
    m.body("bead", crank, bead, mass=0.2, inertia=(0.001, 0.001, 0.001), at=(0.3, 0, 0))
    top = m.body("top", nut, mbs.Spherical("euler"), mass=0.3, com=(0, 0, 0.1), inertia=(0.01, 0.01, 0.02))
    m.start(top, q=(0.1, 1.2, 0.3), u=(0.2, -0.1, 3.0))
    m.output("push", mbs.drive_force("motion", 1, mean=True), unit="N")
    m.output("torque", mbs.drive_force("turning"), unit="N.m")
    m.output("mean_torque", mbs.drive_force("turning", mean=True), unit="N.m")
    m.output("tip", mbs.position(top, (0, 0, 0.2)), unit="m")
    return m


def pushed() -> mbs.Model:
    """10 kg with motion prescribed by inputs."""
    m = mbs.Model("pushed")
    x, v = m.input("x", unit="m"), m.input("v", unit="m/s", start=0.2)
    base = m.body("base", joint=mbs.Prismatic("x"), mass=10.0)
    m.drive("d", on=base, position=x, rate=v)
    m.output("push", mbs.drive_force("d", mean=True), unit="N")
    return m


def parted() -> mbs.Model:
    """Two slides joined by a rod, with speeds prescribed by inputs, which must be equal."""
    m = mbs.Model("parted", description="Two driven slides and a rod")
    for name in "ab":
        speed = m.input(f"v_{name}", unit="m/s")
        m.body(name, joint=mbs.Prismatic("x"), mass=1.0)
        m.drive(f"drive_{name}", on=name, position=m.state(f"x_{name}", rate=speed, unit="m"), rate=speed)
    m.body("rod", "a", mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.close("pin", "rod", "b", mbs.Revolute("y"))
    m.output("angle", mbs.coordinate("rod"), unit="rad", description="angle of the rod")
    m.start("rod", q=0.5)
    return m


def overturned() -> mbs.Model:
    """A body that pitches through 90 degrees, the gimbal lock of its angles."""
    m = mbs.Model("overturned", gravity=(0, 0, 0))
    body = m.body("body", joint=mbs.Spherical("ship"), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.start(body, q=(0, 1.0, 0), u=(0, 1.0, 0))
    m.output("pitch", mbs.coordinate(body, 2), unit="rad")
    return m


def pounder() -> mbs.Model:
    """A mass shaken over a floor, with samples, a reset and a brake: events within every few milliseconds."""
    m = mbs.Model("pounder", description="Mass over a floor, with all that may happen at an instant")
    push = m.input("push", unit="N", description="force on the mass")
    mass = m.body("mass", joint=mbs.Prismatic("z"), mass=1.0)
    m.contact("floor", "world", mass, mbs.OnPlane("z"), restitution=0.6)
    m.friction("brake", on=mass, force=1.0 + 0.5 * mbs.abs(push), stick=True)
    filling = m.state("filling", 1.0 + 0.5 * mbs.clip(push, -1.0, 1.0))
    m.event("full", filling - 0.0123, direction=1, reset={"filling": 0.001})
    m.motor("shaker", on=mass, force=m.sampled("force", 0.004, lambda f: 20.0 * push - 0.5 * f))
    m.output("floor", mbs.constraint_mode("floor"), description="mode of the contact")
    m.output("pressure", mbs.multiplier("floor"), unit="N", description="force of the floor")
    m.start(mass, q=0.0005, u=-0.1)
    return m


def shuttle() -> mbs.Model:
    """A shuttle with inputs and outputs of all kinds: a brake that latches it until the lever goes back, a gear."""
    places = ("back", "neutral", "forth")
    m = mbs.Model("shuttle", description="Shuttle with inputs and outputs of all types")
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=2.0)
    brake = m.input("brake", kind="boolean", start=False, description="latches the shuttle")
    gear = m.input("gear", kind="integer", start=1, min=0, max=5)
    lever = m.input("lever", kind=places, min=-1, start="forth", description="direction of the push")
    push = m.input("push", unit="N", start=3.0)
    m.motor("engine", on=cart, force=push * gear * lever)
    m.lock("latch", on=cart, when=brake > 0.5, until=lever < -0.5)
    m.friction("rub", on=cart, force=0.5, stick=True)
    beats = m.sampled("beats", 0.004, lambda n: n + gear)
    m.output("place", mbs.coordinate(cart), unit="m")
    m.output("far", mbs.coordinate(cart) > 0.05, kind="boolean", description="beyond 50 mm")
    m.output("braked", [brake, 1 - brake], kind="boolean")
    m.output("count", beats, kind="integer")
    m.output("direction", lever, kind=places, min=-1)
    return m


MODELS: dict[str, Callable[[], mbs.Model]] = {
    "pushed": pushed,
    "overturned": overturned,
    "parted": parted,
    "driven": driven,
    "governor": lambda: bundled_model("governor", "governor"),
    "governed": lambda: bundled_model("governor", "governed"),
    "digitally_governed": lambda: bundled_model("governor", "digitally_governed"),
    "digital_regulator": lambda: bundled_model("governor", "digital_regulator"),
    "speed_regulator": lambda: bundled_model("speed_regulator", "speed_regulator"),
    "pi_speed_regulator": lambda: bundled_model("speed_regulator", "pi_speed_regulator"),
    "gyro": gyro,
    "top": top,
    "swing": swing,
    "burst": burst,
    "thickened": thickened,
    "four_bar": lambda: bundled_model("four_bar", "four_bar"),
    "bouncing_pendulum": lambda: bundled_model("bouncing_pendulum", "bouncing_pendulum"),
    "quadruped": lambda: bundled_model("quadruped", "quadruped"),
    "stewart_platform": lambda: bundled_model("stewart_platform", "stewart_platform"),
    "linkage": linkage,
    "bob": bob,
    "leaky": lambda: bob(1e-9),
    "hoist": hoist,
    "turned_body": lambda: turned_body(mbs.Revolute("z"), (1, 1, 0), 3.0, base="ball"),
    "stretched_arm": stretched_arm,
    "boom": boom,
    "slider_crank": slider_crank,
    "plank": plank,
    "two_rods": lambda: two_rods(free=True),
    "pounder": pounder,
    "vectors": vectors,
    "shuttle": shuttle,
}
METHODS: dict[str, dict[str, Any]] = {
    "rk4": {"method": "rk4", "step": STEP},
    "dopri5": {"method": "dopri5", "rtol": 1e-7},
    "dopri5_fixed": {"method": "dopri5", "step": STEP},
    "fine": {"method": "rk4", "step": FINE},
    "tight": {"method": "dopri5", "rtol": 1e-11, "atol": 1e-13},
}

SOUND = ("governor", "gyro", "speed_regulator", "pi_speed_regulator", "governed", "top", "swing")
INPUTS = {"governor": {"torque": 0.8}, "gyro": {"push": 0.3}, "pi_speed_regulator": {"speed": 9.0}}
LOOP_INPUTS = {
    "linkage": {"torque": 0.7}, "bob": {"push": 2.0}, "hoist": {"push": 3.0}, "stewart_platform": {"leg2": 40.0},
}  # fmt: skip
MOVING = ("governor", "gyro", "pi_speed_regulator", "top", "swing")


def inputs_of_loops(model: str) -> dict[str, float]:
    """All inputs of a model with loops, those without an entry in LOOP_INPUTS at zero."""
    return dict.fromkeys(MODELS[model]().inputs, 0.0) | LOOP_INPUTS.get(model, {})
