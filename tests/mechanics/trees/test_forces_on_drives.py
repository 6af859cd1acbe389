"""Forces along driven coordinates: the drive balances them, and the motion stays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.items import Body
from mbs_fmu.model.model import Model
from support.cases import tiers
from support.comparisons import assert_close

pytestmark = pytest.mark.usefixtures("in_plain_python")

#: elements along a driven coordinate of a body; they return the force along it, an expression
ELEMENTS: dict[str, Callable[[Model, Body, np.random.Generator], mbs.Expression]] = {}

#: forces of the elements that store no energy
LOSSES = ("motor", "friction", "sticking", "gear.loss")


def element(make: Callable[[Model, Body, np.random.Generator], mbs.Expression]) -> Callable[..., mbs.Expression]:
    ELEMENTS[make.__name__] = make
    return make


@element
def spring(m: Model, body: Body, rng: np.random.Generator) -> mbs.Expression:
    k, d = rng.uniform(1.0, 9.0, 2)
    m.spring("spring", on=body, stiffness=k, damping=d)
    return -k * mbs.coordinate(body) - d * mbs.rate(body)


@element
def motor(m: Model, body: Body, rng: np.random.Generator) -> mbs.Expression:
    torque = rng.normal() * mbs.cos(mbs.time)
    m.motor("motor", on=body, torque=torque)
    return torque


@element
def friction(m: Model, body: Body, rng: np.random.Generator) -> mbs.Expression:
    c = float(rng.uniform(1.0, 9.0))
    m.friction("friction", on=body, torque=c, speed=0.1)
    return mbs.strength("friction")


@element
def limit(m: Model, body: Body, rng: np.random.Generator) -> mbs.Expression:
    m.limit("limit", on=body, upper=-0.1, stiffness=float(rng.uniform(50.0, 90.0)), damping=1.0)
    return mbs.strength("limit")


@element
def sticking(m: Model, body: Body, rng: np.random.Generator) -> mbs.Expression:
    """Dry friction with a capacity that changes in time and with a parameter."""
    capacity = rng.uniform(1.0, 9.0) * (1.0 + 0.5 * mbs.sin(mbs.time)) * m.parameter("load", 2.0)
    m.friction("sticking", on=body, torque=capacity, static=2.0 * capacity, viscous=0.3, stick=True)
    return -capacity * mbs.sign(mbs.rate(body)) - 0.3 * mbs.rate(body)


@element
def lossy_gear(m: Model, body: Body, rng: np.random.Generator) -> mbs.Expression:
    """An elastic gear between the driven joint and a free wheel, with losses on the driven side."""
    k, efficiency = float(rng.uniform(5.0, 9.0)), 0.8
    m.body("wheel", joint=mbs.Revolute("z"), mass=1.0, inertia=(0.2, 0.2, 0.2), at=(0.0, 3.0, 0.0))
    m.start("wheel", q=rng.normal())
    m.gear("gear", "wheel", body, ratio=2.0, stiffness=k, efficiency=efficiency)
    torque = 2.0 * k * (mbs.coordinate("wheel") - 2.0 * mbs.coordinate(body))
    power = torque * mbs.rate(body)
    return torque * mbs.where(power > 0.0, efficiency, 1.0 / efficiency)


@element
def bristles(m: Model, body: Body, rng: np.random.Generator) -> mbs.Expression:
    """LuGre friction with a single level, s0 z + s1 dz/dt, dz/dt = v - s0 |v| z / Fc."""
    c, v = float(rng.uniform(1.0, 9.0)), mbs.rate(body)
    z = m.lugre_friction("bristles", body, coulomb=c, static=c, speed=0.1, stiffness=20.0, damping=0.5)
    return -(20.0 * z + 0.5 * (v - 20.0 * mbs.abs(v) * z / c))


def driven(seed: int, makers: list[Callable[..., mbs.Expression]]) -> Model:
    """A chain of a driven body between others that move freely; its outputs are energies and forces."""
    rng = np.random.default_rng([17, seed])
    m = Model("driven")
    above: str | Body = "world"
    bodies = []
    for k in range(3):
        inertia = tuple(rng.uniform(0.2, 0.3, 3))
        joint = mbs.Revolute(rng.normal(size=3))
        body = m.body(
            f"b{k}", above, joint, mass=1.0, com=0.3 * rng.normal(size=3), inertia=inertia, at=rng.normal(size=3)
        )
        bodies.append(body)
        above = body
    place = seed % 3
    for k, body in enumerate(bodies):
        if k != place:
            m.start(body, q=rng.normal(), u=rng.normal())
    m.drive("drive", on=bodies[place], position=0.5 * mbs.sin(3.0 * mbs.time + rng.normal()))
    forces = [make(m, bodies[place], rng) for make in makers]
    total = 0.0 * mbs.time
    for force in forces:
        total = total + force
    m.output("element", total)
    m.output("drive", mbs.drive_force("drive"))
    m.output("power", (total + mbs.drive_force("drive")) * mbs.rate(bodies[place]))
    m.output("speed", mbs.rate(bodies[place]))
    m.output("energy", mbs.energy())
    m.output("supplied", sum((mbs.power(name) for name in LOSSES if name in m.forces), start=0.0 * mbs.time))
    return m


@pytest.mark.parametrize("seed", tiers(range(60), usual=2, quick=1))
def test_drives_balance_the_forces_along_their_coordinates(seed: int) -> None:
    """The drive's force is that of the bare mechanism less the force of the elements, and the motion is the same."""
    chosen = np.random.default_rng(seed).permutation(list(ELEMENTS))[: 1 + seed % 4]
    runs = [
        mbs.simulate(driven(seed, makers), 0.5, method="rk4", step=0.05, output_interval=0.05)
        for makers in ([], [ELEMENTS[name] for name in chosen])
    ]
    bare, loaded = runs
    for k in range(3):
        name = f"b{k}.phi"
        assert np.array_equal(bare[name], loaded[name])
    size = np.abs(bare["drive"]).max() + np.abs(loaded["element"]).max()
    assert np.abs(loaded["element"]).max() > 0.0
    assert_close(loaded["drive"], bare["drive"] - loaded["element"], 1e-13 * size, "force of the drive")
    assert_close(loaded["power"], bare["power"], 1e-12 * size, "power of all forces along the drive")


@pytest.mark.parametrize("seed", tiers(range(30), usual=1, quick=1))
def test_drives_and_losses_supply_the_energy(seed: int) -> None:
    """The energy changes by the power of drives and of all forces that store none, sticking friction included.

    Simpson's rule over two rows of 0.005 s misses h^5 / 90 times the fourth derivative of the power, some 1e4 times its
    size; where the motion turns, the friction jumps, and the rule does not hold.
    """
    makers = np.random.default_rng(seed).permutation(["sticking", "motor", "friction", "lossy_gear"])[: 1 + seed % 4]
    m = driven(seed, [ELEMENTS[name] for name in makers])
    r = mbs.simulate(m, 0.15, method="rk4", step=0.005, output_interval=0.005)
    power = r["drive"] * r["speed"] + r["supplied"]
    first, middle, last = (slice(k, len(power) - 2 + k) for k in range(3))
    gained = (power[first] + 4.0 * power[middle] + power[last]) * 0.005 / 3.0
    turns = np.sign(r["speed"])[first] != np.sign(r["speed"])[last]
    missed = np.where(turns, 0.0, r["energy"][last] - r["energy"][first] - gained)
    assert_close(missed, 0.0 * missed, 1e-8 * (np.abs(power).max() + 1.0), "change of energy")


def pendulum(u: mbs.Expression, **law: object) -> Model:
    """A pendulum whose angle is given, with dry friction that sticks."""
    m = Model("pendulum")
    m.body("b", joint=mbs.Revolute("y"), mass=1.0, com=(0.5, 0.0, 0.0))
    m.friction("f", on="b", torque=2.0, static=3.0, stick=True, **law)  # type: ignore[arg-type]
    m.drive("d", on="b", position=u)
    m.output("drive", mbs.drive_force("d"))
    m.output("mean", mbs.drive_force("d", mean=True))
    m.output(
        "measures", [mbs.constraint_mode("f"), mbs.multiplier("f"), mbs.multiplier("f", mean=True), mbs.impulse("f")]
    )
    m.output("strength", mbs.strength("f"))
    return m


def test_sticking_friction_along_a_drive_is_known() -> None:
    """It opposes the motion while this lasts and vanishes while it stands; measures of its closure stay available."""
    ramp = mbs.clip(mbs.time - 0.5, 0.0, 1.0)
    r = mbs.simulate(pendulum(ramp), 2.0, method="rk4", step=0.125, output_interval=0.125)
    moves = ((r.time > 0.5) & (r.time < 1.5)).astype(float)
    inside = (r.time != 0.5) & (r.time != 1.5)
    assert np.array_equal(r["strength"][inside], -2.0 * moves[inside])
    assert np.array_equal(r["measures"][inside], np.outer(-moves, [1.0, 0.0, 0.0, 0.0])[inside])
    gravity = -9.81 * 0.5 * np.cos(np.clip(r.time - 0.5, 0.0, 1.0))
    assert_close(r["drive"][inside], (gravity + 2.0 * moves)[inside], 1e-14 * 10.0, "force of the drive")
    whole = (r.time > 0.6) & (r.time < 1.5)  # steps that lie in the motion: the mean over one of 0.125 s
    before = np.clip(r.time - 0.625, 0.0, 1.0)
    mean = 2.0 - 9.81 * 0.5 * (np.sin(before + 0.125) - np.sin(before)) / 0.125
    assert_close(r["mean"][whole], mean[whole], 1e-6, "mean force, whose integral rk4 takes by Simpson's rule")


@pytest.mark.quick
def test_sticking_friction_between_two_drives_is_known() -> None:
    """Friction against another driven joint has the sign of the difference of both velocities."""
    m = Model("clutch", gravity=(0.0, 0.0, 0.0))
    for name in ("a", "b"):
        m.body(name, joint=mbs.Revolute("z"), mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.friction("f", on="a", against="b", torque=2.0, stick=True)
    m.drive("da", on="a", position=mbs.time)
    m.drive("db", on="b", position=3.0 * mbs.time)
    for name in ("da", "db"):
        m.output(name + "_force", mbs.drive_force(name))
    r = mbs.simulate(m, 0.1, method="rk4", step=0.1, output_interval=0.1)
    assert_close(r["da_force"], np.full(2, -2.0), 1e-15, "force of the slower drive")
    assert_close(r["db_force"], np.full(2, 2.0), 1e-15, "force of the faster drive")


REFUSED: dict[str, Callable[[Model], object]] = {
    "loop 'x', stop: .* drive 'd': give stiffness= in place": lambda m: m.limit(
        "x", on="b", lower=0.0, restitution=0.5
    ),
    "loop 'x_lower', stop: .* drive 'd': give stiffness=": lambda m: m.limit("x", "b", -1.0, 1.0, restitution=0.5),
    "loop 'x', lock: .* drive 'd': leave it out, and let the drive stand": lambda m: m.lock("x", on="b"),
    "loop 'y', lock: .* drive 'd': leave it out, and let": lambda m: m.lock("y", on="b", when=mbs.time > 0.5),
    "loop 'x', slip: .* drive 'd': leave it or a drive out": lambda m: m.freewheel("x", on="b"),
}


@pytest.mark.quick
@pytest.mark.parametrize("message", REFUSED)
def test_rigid_elements_along_drives_are_refused(message: str) -> None:
    """Closures that could only change a prescribed motion are refused at the build, with the drive and the remedy."""
    m = Model("refused")
    m.body("b", joint=mbs.Revolute("y"), mass=1.0)
    REFUSED[message](m)
    m.drive("d", on="b", position=mbs.time)
    with pytest.raises(mbs.ModelError, match=message):
        mbs.simulate(m, 0.1)
