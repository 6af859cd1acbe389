"""User code in the manner of docs/tutorial.md, which must pass `mypy --strict`; `test_typing.py` checks and runs it."""

from __future__ import annotations

from typing import assert_type

import numpy as np

import mbs_fmu as mbs


def robot() -> mbs.Model:
    """An arm with a motor, a controller, a spring and a gear."""
    m = mbs.Model("robot", gravity=(0, 0, -9.81), description="two links and a controller")
    length = m.parameter("length", "40 cm", unit="cm", min=10, max=100)
    base = m.body("base", mass="2 kg", inertia=(0.1, 0.1, 0.1))
    assert_type(base, mbs.Body)
    assert_type(length, mbs.Expression)
    assert_type(m.parameter("gains", (1.0, 2.0)), mbs.Vector)
    curve = m.table("curve", [0.0, 1.0], ["1 N.m", 2.0], unit="N.m")
    assert_type(curve, mbs.Table)
    assert_type(curve.slope(length), mbs.Expression)
    arm = m.body(
        "arm",
        parent=base,
        joint=mbs.Revolute("y"),
        mass=np.float64(1.5),
        com=(0, 0, -length / 2),
        inertia=np.diag([0.02, 0.02, 0.001]),
        at=mbs.Pose((0, 0, 0.1), rotation=mbs.rpy(0.0, 0.0, 0.1)),
        shape=[mbs.Cylinder(0.02, 0.4)],
    )
    solid = mbs.box(0.1, 0.1, 0.2, density=1000.0)
    m.body("hand", arm, mbs.Prismatic("z"), **solid, at=np.array([0.0, 0.0, -0.4]))
    m.range("hand", lower="-20 cm", upper=0.2)
    m.start(arm, q="30 deg", u=0.0)
    m.start("hand", q=[length / 10])

    angle, rate = mbs.coordinate(arm), mbs.rate(arm)
    set_point = m.input("set_point", unit="deg", start=0.0)
    integral = m.state("integral", rate=lambda x: set_point - angle - 0.01 * x)
    held = m.sampled("held", "10 ms", lambda x: 0.5 * (x + angle), start=0.0)
    m.motor("drive", on=arm, torque=50.0 * (set_point - held) + 5.0 * integral - 2.0 * rate)
    m.rotor("rotor", arm, inertia="0.01 kg.m2")
    m.spring("tie", a="world", b="hand", stiffness=100.0, damping=1.0, at_a=(0.3, 0, 0))
    m.lock("brake", arm, when=angle >= 1.5, until=mbs.time > 2.0)
    m.contact("floor", "world", "hand", mbs.OnPlane("z"), at_a=(0, 0, -2), restitution=0.3)
    m.event("upright", angle, direction=1, reset={"integral": 0.0})

    position = mbs.position("hand", (0, 0, -0.1))
    assert_type(position, mbs.Vector)
    m.output("height", position[2], unit="mm", description="of the hand")
    m.output("place", mbs.pose("hand"))
    m.output("error", mbs.max(mbs.abs(angle - set_point), 0.0))
    return m


def runs(m: mbs.Model) -> float:
    """One run with a result, and many with that of a batch."""
    result = mbs.simulate(
        m, 0.1, inputs={"set_point": lambda t: 10.0 * mbs.sin(t)}, parameters={"length": 50.0, "gains": [1.0, 3.0]}
    )
    assert_type(result, mbs.Result)
    assert_type(result["height"], np.ndarray)
    return float(result["height"][-1])


def many(m: mbs.Model) -> mbs.BatchResult:
    """A batch, whose result is indexed by column or by member."""
    results = mbs.simulate(m, 0.1, batch=mbs.Batch(parameters={"length": np.linspace(20.0, 60.0, 5)}))
    assert_type(results, mbs.BatchResult)
    assert_type(results[0], mbs.Result)
    assert_type(results["height"], np.ndarray)
    return results


def either(m: mbs.Model, batch: mbs.Batch | None) -> mbs.Result | mbs.BatchResult:
    """A function that hands its batch on."""
    return mbs.simulate(m, 1.0, batch=batch)


def until_failure(m: mbs.Model) -> mbs.Result | None:
    """The rows of a run that fails or is interrupted."""
    try:
        return mbs.simulate(m, 0.1)
    except (mbs.SimulationError, mbs.Interrupted) as error:
        return error.result if isinstance(error.result, mbs.Result) else None


def measured() -> mbs.Model:
    """Forces and measures with arguments of all kinds."""
    m = mbs.Model("satellite", gravity=mbs.PointGravity("3.986e14 m3/s2", center=np.zeros(3)))
    mass = m.parameter("mass", 10.0, unit="kg")
    bus = m.body("bus", joint=mbs.Free(), mass=mass, inertia=[0.1, 0.1, 0.1], at=(7e6, 0, 0))
    boom = m.body("boom", bus, mbs.Revolute("z"), **mbs.rod(("1 m", 0, 0), r="1 cm", mass=mass / 10, color="gray"))
    m.force("thrust", bus, force=(1.0, 0, mbs.sin(mbs.time)), resolve_in="body")
    m.drag("air", bus, linear="0.1 N.s/m", velocity=np.array([7500.0, 0, 0]))
    m.bushing("mount", "world", bus, stiffness=10.0, damping=(0.1, 0.1, mass / 100))
    m.limit("stop", boom, lower="-30 deg", upper=0.5, stiffness=100.0)
    m.friction("hinge", boom, torque=0.1 * mass, viscous="0.01 N.m.s/rad")
    m.spring("cable", bus, "world", at_a=[0.1, 0, 0], force=lambda x, v: 2.0 * x + v, length="1 m")
    m.spring("wound", on=boom, force=([-1.0, 0.0, 1.0], np.array([-2.0, 0.0, 2.0])))
    m.rotational_spring("twist", bus, boom, axis="z", at_a=mbs.Pose(rotation=mbs.rpy(0, 0, "90 deg")), stiffness=mass)
    assert_type(mbs.relative_position(bus, boom, at_b=mbs.Pose((1, 0, 0))), mbs.Vector)
    assert_type(mbs.acceleration("boom", (mass / 10, 0, 0))[0], mbs.Expression)
    m.output("spin", mbs.angular_momentum(about=mbs.center_of_mass()))
    m.gravity = (0, 0, -mass)
    return m


def composed() -> mbs.Model:
    """Two models in one, with wheels that mesh and a joint that follows."""
    m = mbs.Model("cell")
    table = m.body("table")
    m.include(robot(), "left", on=table, at=(1, 0, 0), inputs={"set_point": "5 deg"})
    one = m.body("one", table, mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    two = m.body("two", table, mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1), at=(0.3, 0, 0))
    three = m.body("three", table, mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1), at=(0, 0.3, 0))
    m.gear("mesh", one, two, teeth=(20, 40), stiffness=1e6, damping="10 N.s/m")
    m.follow("belt", three, two, ratio=0.5, offset="1 deg")
    m.constrain("still", [mbs.rate(one) - 2.0])
    return m


def closed() -> mbs.Model:
    """Closures and elastic bodies, with lengths as numbers, texts and expressions."""
    m = mbs.Model("closed")
    size = m.parameter("size", 0.3, unit="m")
    m.body("wheel", joint=mbs.Free(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.close("rod", "world", "wheel", mbs.Distance("30 cm"))
    m.close("contact", "world", "wheel", mbs.Rolling(size, "y", crown="1 mm"))
    m.close("cam", "world", "wheel", mbs.OnCurve(mbs.Circle(size / 2), radius="5 mm"))
    m.close("cams", "world", "wheel", mbs.CurveOnCurve(mbs.Ellipse(0.1, "5 cm"), mbs.Circle(size)))
    section = mbs.Rectangle(0.02, 0.01)
    rod = mbs.beam(1.0, section, 7e10, 2700.0, loads={"inertia": True, "wind": lambda x: (0.0, 5.0 * x, 0.0)})
    m.body("rod", "wheel", mbs.Revolute("z"), elastic=rod)
    plate = mbs.plate(1.0, 0.5, 0.01, 7e10, 0.3, 2700.0, {"root": lambda x, y: x < 0.01, "pad": ([7, 8], (0.5, 0, 0))})
    assert_type(plate, mbs.Modes)
    points, K = np.zeros((4, 3)), np.eye(12)
    assert_type(
        mbs.Modes.matrices(points, K, K.tolist(), {"root": [0, 1]}, geometric="bars", loads="inertia"), mbs.Modes
    )
    mbs.Modes.matrices(points, K, K, {"root": (np.arange(2), (0, 0, 0))}, stress={"gauge": K}, geometric={"ax": K})
    mbs.Modes.solid("part.msh", E=7e10, nu=0.3, density=2700.0, frames={"root": "clamp"}, stress={"a": (0, 0, 1)})
    mbs.Modes.solid((points, [[0, 1, 2, 3]]), E=7e10, nu=0.3, density=2700.0, frames={"root": [0, 1, 2]})
    mbs.Modes.invariants(1.0, [0, 0, 0], np.eye(3), [[1.0]], [[100.0]], S1=np.zeros((3, 1)))
    mbs.ElasticNode(position=np.zeros(3), axes=np.eye(3), Y1=np.zeros((6, 1)), Y2=np.zeros((6, 1, 1)))
    return m
