"""Laws and closed forms of compliant contacts (docs/contact.md): energy, momentum, tangents, impacts, friction."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.forces.contacts import Contact, ContactPoint
from mbs_fmu.run.results.results import Result
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.contacts import CONTACTS, bodies_in_contact, heap, thrown
from support.generators.mechanisms import Plain
from support.oracles.complex_steps import compare_tangents, output_rates, outputs

G = 9.81


# -- laws ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", tiers(CONTACTS, usual=4, quick=2))
@pytest.mark.parametrize("seed", tiers(range(3), usual=1, quick=1))
def test_tangents_equal_complex_steps(kind: str, seed: int) -> None:
    """Along all states and the parameter of the law."""
    m = bodies_in_contact(kind, seed)
    m.output("E", mbs.energy())
    for name in ("gap", "penetration", "contact_point", "contact_force"):
        m.output(name, getattr(mbs, name)("x"))
    plain = Plain(m)
    slots = [v.slot for v in plain.program.of_role("parameter")]
    along = [plain.program.state_slice, slice(slots[0], slots[0] + 1)]
    compare_tangents(plain, seed, along, "outputs")


@pytest.mark.parametrize("kind", tiers(CONTACTS, usual=4, quick=4))
def test_pairs_conserve_momentum(kind: str) -> None:
    """The rates of momentum and angular momentum of two free bodies vanish, to the round-off of the forces.

    The shapes overlap, since these states would prove nothing otherwise.
    """
    m = bodies_in_contact(kind, 5)
    m.output("P", mbs.momentum())
    m.output("L", mbs.angular_momentum())
    m.output("load", mbs.strength("x"))
    plain = Plain(m)
    rates, load = output_rates(plain), float(outputs(plain)["load"])
    assert load > 0.0
    assert np.abs(np.concatenate([rates["P"], rates["L"]])).max() < 1e-13 * (1.0 + load)


@pytest.mark.slow
@pytest.mark.parametrize("model", [thrown, heap])
@pytest.mark.parametrize("seed", range(4))
def test_thrown_bodies_never_gain_energy(model: Callable[[int], mbs.Model], seed: int) -> None:
    """Random trees of random shapes fall on a floor, and free bodies on each other: the energy rises by no more than
    the error of the method.

    dopri5 at rtol 1e-9 makes errors of 1e-8 of the first energy in the thousand steps that such a fall takes.
    """
    result = mbs.simulate(model(seed), 1.5, rtol=1e-9, atol=1e-12)
    energy = result["E"]
    assert np.max(energy[1:] - np.minimum.accumulate(energy)[:-1]) < 1e-7 * abs(energy[0])
    assert energy[-1] < 0.9 * energy[0]


# -- impacts -------------------------------------------------------------------------------------------------
def ball(speed: float, mass: float = 0.7, radius: float = 0.1, **law: object) -> mbs.Model:
    """Return a ball that hits the floor at a speed (m/s), without gravity."""
    m = mbs.Model("ball", gravity=(0, 0, 0))
    m.body("ball", joint=mbs.Free(), mass=mass, inertia=(0.4 * mass * radius**2,) * 3)
    m.contact("floor", "world", "ball", shape_b=mbs.Sphere(radius), **law)  # type: ignore[arg-type]
    m.start("ball", q=(0, 0, radius + 0.01 * speed, 1, 0, 0, 0), u=(0, 0, -speed, 0, 0, 0))
    return m


IMPACTS = [(1.0, 1.0, 1.0), (3.0, 0.2, 1.5), (0.1, 1.0, 1.5), (3.0, 1.0, 1.0)]  #: speed, dissipation, exponent


@pytest.mark.parametrize("impact", tiers(IMPACTS, usual=1))
def test_restitution(impact: tuple[float, float, float]) -> None:
    """The rebound follows from (C3), whatever stiffness and mass."""
    speed, dissipation, exponent = impact
    for stiffness, mass in ((1e4, 0.7), (3e5, 0.2)):
        law = {"stiffness": stiffness, "dissipation": dissipation, "exponent": exponent}
        result = mbs.simulate(ball(speed, mass, **law), 0.5, rtol=1e-10, atol=1e-13)
        dv = dissipation * speed
        e = brentq(lambda e, dv=dv: math.log((1 + dv) / (1 - e * dv)) - dv * (1 + e), 0.0, min(1.0, 1 / dv) - 1e-12)
        assert result["ball.u[3]"][-1] == pytest.approx(e * speed, rel=1e-6)


def test_oblique_impact_keeps_momentum() -> None:
    """Two balls collide off centre, with friction: momenta stay to 1e-10, and the energy falls monotonically."""
    m = mbs.Model("pair", gravity=(0, 0, 0))
    for name, x in (("a", -0.2), ("b", 0.2)):
        m.body(name, joint=mbs.Free(), mass=1.0, inertia=(4e-3,) * 3)
        m.start(name, q=(x, 0.3 * x, 0.1 * x, 1, 0, 0, 0), u=(-5 * x, 0.3, 0, 1.0, 2.0, -3.0))
    m.contact("hit", "a", "b", shape_a=mbs.Sphere(0.1), shape_b=mbs.Sphere(0.1), stiffness=1e4, friction=0.4)
    m.output("P", mbs.momentum())
    m.output("L", mbs.angular_momentum())
    m.output("E", mbs.energy())
    result = mbs.simulate(m, 0.6, rtol=1e-10, atol=1e-13)
    assert np.ptp(result["P"], axis=0).max() < 1e-10 and np.ptp(result["L"], axis=0).max() < 1e-10
    assert np.diff(result["E"]).max() < 1e-9 and result["E"][-1] < 0.9 * result["E"][0]


# -- friction ------------------------------------------------------------------------------------------------
def block(angle: float, friction: float, speed: float = 0.0, **law: object) -> Result:
    """Return the run, 4 s, of a block of 1 kg on a slope, sunk to its rest on four corners, with a speed downhill."""
    m = mbs.Model("block", gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    m.body("block", joint=mbs.Free(), mass=1.0, inertia=(0.01, 0.01, 0.01))
    sunk = G * math.cos(angle) / (4 * 2e4)
    m.contact("slope", "world", "block", shape_b=mbs.Box(0.2, 0.2, 0.05), stiffness=2e4, friction=friction, **law)  # type: ignore[arg-type]
    m.start("block", q=(0, 0, 0.025 - sunk, 1, 0, 0, 0), u=(speed, 0, 0, 0, 0, 0))
    return mbs.simulate(m, 4.0, method="rk4", step=1e-3)


def test_sliding_block_stops() -> None:
    """After v²/(2 mu g), up to the deflection of its bristles, a tenth of a millimetre."""
    result = block(0.0, 0.3, speed=3.0)
    assert result["block.q[1]"][-1] == pytest.approx(9.0 / (2 * 0.3 * G), abs=2e-4)
    assert_close(result["block.u[1]"][-1], 0.0, 1e-6, "velocity of the block at the end")


def test_block_stands_on_a_slope() -> None:
    """Below the angle of friction it does not creep; above it, it accelerates by g (sin - mu cos)."""
    angle = math.radians(20.0)
    standing = block(angle, 0.5)["block.q[1]"]
    assert np.ptp(standing[len(standing) // 2 :]) < 1e-6  # what is left of the first swing of its bristles
    sliding = block(angle, 0.2)["block.u[1]"]
    assert sliding[-1] == pytest.approx(4.0 * G * (math.sin(angle) - 0.2 * math.cos(angle)), rel=1e-3)


def test_creeping_block_creeps_by_its_closed_form() -> None:
    """With creep=v the speed on the slope is v tan/sqrt(mu² - tan²)."""
    angle = math.radians(20.0)
    result = block(angle, 0.5, creep=5e-3)
    assert result["block.u[1]"][-1] == pytest.approx(
        5e-3 * math.tan(angle) / math.sqrt(0.25 - math.tan(angle) ** 2), rel=1e-4
    )


def test_ball_slides_until_it_rolls() -> None:
    """A ball at 2 m/s without spin rolls at 5/7 of that, by its rolling radius r - depth/2."""
    m = mbs.Model("rolling")
    m.body("ball", joint=mbs.Free(), mass=1.0, inertia=(0.4 * 0.01,) * 3)
    m.contact("floor", "world", "ball", shape_b=mbs.Sphere(0.1), stiffness=1e5, friction=0.2)
    depth = G / 1e5
    m.start("ball", q=(0, 0, 0.1 - depth, 1, 0, 0, 0), u=(2.0, 0, 0, 0, 0, 0))
    result = mbs.simulate(m, 2.0, method="rk4", step=5e-4)
    r = 0.1 - 0.5 * depth
    assert np.hypot(*(result[f"ball.{c}"][-1] for c in ("u[1]", "u[3]"))) == pytest.approx(
        2.0 / (1 + 0.4 * 0.01 / r**2), rel=1e-4
    )
    assert result["ball.u[2]"][-1] == pytest.approx(0.0, abs=1e-9)


def test_spinning_ball_stops_by_its_pad() -> None:
    """A pad of radius R brakes a spin by mu m g R: it takes J w/(mu m g R), up to the settling of the bristle."""
    m = mbs.Model("spinning")
    m.body("ball", joint=mbs.Free(), mass=1.0, inertia=(0.4 * 0.01,) * 3)
    m.contact("floor", "world", "ball", shape_b=mbs.Sphere(0.1), stiffness=1e5, friction=0.5, pad=5e-3)
    m.start("ball", q=(0, 0, 0.1 - G / 1e5, 1, 0, 0, 0), u=(0, 0, 0, 0, 0, 20.0))
    m.event("stopped", mbs.angular_velocity("ball")[2], direction=-1)
    result = mbs.simulate(m, 3.6, method="rk4", step=5e-4)
    assert result.events["stopped"][0] == pytest.approx(4e-3 * 20.0 / (0.5 * G * 5e-3), abs=0.01)


ROLL, DEPTH = 4e-3, G / 1e5  #: resistance of the ball below, m, and its depth at rest
LEVER = 0.1 - 0.5 * DEPTH  #: of its weight about the contact point, which lies in the middle of the overlap


def on_slope(tangent: float, speed: float = 0.0) -> mbs.Model:
    """Return a ball of 1 kg that rolls down a slope at a speed, with resistance."""
    angle = math.atan(tangent)
    m = mbs.Model("on_slope", gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    m.body("ball", joint=mbs.Free(), mass=1.0, inertia=(0.4 * 0.01,) * 3)
    m.contact("floor", "world", "ball", shape_b=mbs.Sphere(0.1), stiffness=1e5, friction=0.5, roll=ROLL)
    m.start("ball", q=(0, 0, 0.1 - DEPTH * math.cos(angle), 1, 0, 0, 0), u=(speed, 0, 0, 0, speed / LEVER, 0))
    m.output("load", mbs.strength("floor"))
    m.output("speed", mbs.velocity("ball")[0])
    wrench = mbs.applied("floor")
    arm = mbs.contact_point("floor") - mbs.position("ball")
    m.output("torque", wrench.t - arm.cross(wrench.f))
    return m


@pytest.mark.parametrize("tangent", [0.0, 1.1 * ROLL / 0.1, 3.0 * ROLL / 0.1])
def test_rolling_ball_is_braked_by_its_resistance(tangent: float) -> None:
    """Its torque is `roll` times the load, to rounding, and its weight drives it: J a/r² = m g (sin - roll cos/r).

    J is the inertia about the contact point; the acceleration errs by what is left of the first swing of the bristles.
    """
    result = mbs.simulate(on_slope(tangent, speed=1.0), 1.0, method="rk4", step=5e-4, output_interval=0.05)
    torque, load = result["torque"][4:], result["load"][4:]
    assert_close(torque, ROLL * load[:, None] * [0.0, -1.0, 0.0], 1e-9, "torque of the floor", times=result.time[4:])
    angle = math.atan(tangent)
    pull = G * (math.sin(angle) - ROLL * math.cos(angle) / LEVER)
    speed = result["speed"]
    assert (speed[-1] - speed[4]) / 0.8 == pytest.approx(pull / (1.0 + 0.4 * 0.01 / LEVER**2), rel=2e-3)


@pytest.mark.parametrize("law", [{"creep": 1e-4}, {"settling": 1e-3}])
def test_rolling_ball_on_a_level_floor_slows_down_as_its_lever_says(law: dict[str, float]) -> None:
    """A ball with the lever f decelerates by g f/(1.4 r), 0.07007 m/s² here, also with friction that creeps (C15).

    The depth at rest, 2e-4 of the radius, changes the lever of the weight by half as much.
    """
    radius, lever, mass, stiffness = 0.05, 5e-4, 1.0, 1e6
    m = mbs.Model("roll")
    m.body("ball", joint=mbs.Free(), mass=mass, inertia=(0.4 * mass * radius**2,) * 3)
    shape = mbs.Sphere(radius)
    m.contact("floor", "world", "ball", shape_b=shape, stiffness=stiffness, friction=0.5, roll=lever, **law)  # type: ignore[arg-type]
    m.start("ball", q=(0, 0, radius - G / stiffness, 1, 0, 0, 0), u=(1.0, 0, 0, 0, 1.0 / radius, 0))
    m.output("speed", mbs.velocity("ball")[0])
    result = mbs.simulate(m, 0.5, method="rodas5p", rtol=1e-7, output_interval=0.1)
    found = (result["speed"][1] - result["speed"][5]) / (result.time[5] - result.time[1])
    assert found == pytest.approx(G * lever / (1.4 * radius), rel=1e-3)


def test_ball_holds_on_a_slope_up_to_its_resistance() -> None:
    """Up to the slope roll/r it stays, beyond it rolls; within 1 % of it."""
    still = mbs.simulate(on_slope(0.99 * ROLL / LEVER), 3.0, method="rk4", step=5e-4)["ball.q[1]"]
    assert_close(still[len(still) // 2 :], still[-1], 1e-7, "place of a ball that holds")
    assert mbs.simulate(on_slope(1.01 * ROLL / LEVER), 3.0, method="rk4", step=5e-4)["speed"][-1] > 5e-3


def test_stick_slip() -> None:
    """A block that a spring draws at a speed v sticks up to mu_s m g, then slips until the spring has swung back.

    With rigid Coulomb friction the spring force swings about mu m g with the amplitude of the oscillator, which begins
    with the force (mu_s - mu) m g and the speed v. (C10) follows the sliding velocity: `speed` over v, 2 %, at each
    change.
    """
    m = mbs.Model("drawn")
    m.body("block", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=1.0)
    m.contact("floor", "world", "block", stiffness=1e5, friction=0.3, static=0.5, speed=1e-3)
    m.spring("rope", on="block", coordinate=1, stiffness=50.0, length=0.05 * mbs.time)
    m.start("block", q=(0, -G / 1e5), u=(0, 0))
    m.output("pull", mbs.strength("rope"))
    pull = mbs.simulate(m, 6.0, method="rk4", step=2e-4, output_interval=1e-3)["pull"][2000:]
    amplitude = math.hypot(0.2 * G, 0.05 * math.sqrt(50.0))
    assert pull.max() == pytest.approx(0.3 * G + amplitude, abs=0.02 * amplitude)
    assert pull.min() == pytest.approx(0.3 * G - amplitude, abs=0.04 * amplitude)


def test_stack_carries_its_weight() -> None:
    """Three boxes on each other by corners on boxes: the forces are 3, 2, 1 weights, and nothing moves sideways."""
    m, below = mbs.Model("stack"), "world"
    sunk, height = 0.0, 0.0
    for k in range(3):
        name = f"box{k}"
        m.body(name, joint=mbs.Free(), mass=1.0, inertia=(0.002,) * 3)
        corners = [(x, y, -0.05) for x in (-0.05, 0.05) for y in (-0.05, 0.05)]
        surface = mbs.Plane() if k == 0 else mbs.Box(0.12, 0.12, 0.1)
        m.contact(f"c{k}", below, name, shape_a=surface, shape_b=corners, stiffness=2e4, friction=0.5)
        sunk += (3 - k) * G / 8e4
        height = 0.05 + 0.1 * k - sunk
        m.start(name, q=(0, 0, height, 1, 0, 0, 0))
        m.output(f"f{k}", mbs.strength(f"c{k}"))
        below = name
    result = mbs.simulate(m, 1.0, method="rk4", step=1e-3)
    for k in range(3):
        assert result[f"f{k}"][-1] == pytest.approx((3 - k) * G, rel=1e-9)
        assert_close(result[f"box{k}.q[1]"], 0.0, 1e-12, f"sideways position of box{k}", times=result.time)
    assert result["box2.q[3]"][-1] == pytest.approx(height, abs=1e-12)


def test_cylinder_and_capsule_stand_and_lie() -> None:
    """The normal forces of a standing cylinder and of a lying capsule are their weights, and both stay level."""
    m = mbs.Model("resting")
    shapes = {"drum": (mbs.Cylinder(0.1, 0.2), 0.1, 3), "pill": (mbs.Capsule(0.05, 0.2, "x"), 0.05, 2)}
    for k, (name, (shape, height, points)) in enumerate(shapes.items()):
        m.body(name, joint=mbs.Free(), mass=1.0, inertia=(0.005,) * 3)
        m.contact(f"floor_{name}", "world", name, shape_b=shape, stiffness=1e4, friction=0.5)
        m.start(name, q=(float(k), 0, height - G / (points * 1e4), 1, 0, 0, 0))
        m.output(f"load_{name}", mbs.strength(f"floor_{name}"))
        m.output(f"tilt_{name}", mbs.orientation(name)[1:])
    result = mbs.simulate(m, 1.0, method="rk4", step=5e-4)
    for name in shapes:
        assert result[f"load_{name}"][-1] == pytest.approx(G, rel=1e-6)
        assert_close(result[f"tilt_{name}"], 0.0, 1e-6, f"tilt of {name}", times=result.time)


# -- measures and the ground ---------------------------------------------------------------------------------
def test_measures_of_a_resting_box() -> None:
    """Depth, load, force and centre of pressure of a box on the ground, in total and of its points."""
    m = mbs.Model("measured")
    m.body("box", joint=mbs.Free(), mass=2.0, inertia=(0.01,) * 3)
    m.body("peg", joint=mbs.Free(), mass=1.0, inertia=(0.01,) * 3)
    names = m.ground("floor", {"box": mbs.Box(0.2, 0.3, 0.1), "peg": (0.0, 0.0, -0.1)}, stiffness=1e4, friction=0.4)
    assert names == ["floor.box", "floor.peg"]
    m.start("box", q=(0.4, -0.2, 0.05 - 2 * G / 4e4, 1, 0, 0, 0))
    m.start("peg", q=(2.0, 0, 0.1 - G / 1e4, 1, 0, 0, 0))
    m.output("force", mbs.contact_force(names))
    m.output("depth", mbs.penetration("floor.box"))
    m.output("upper", mbs.penetration("floor.box", 8))
    m.output("place", mbs.contact_point("floor.box"))
    m.output("applied", mbs.applied("floor.box"))
    m.output("slip", mbs.slip("floor.peg"))
    result = mbs.simulate(m, 1e-3, method="rk4", step=1e-3)
    assert result["force"][0] == pytest.approx([0, 0, 3 * G], abs=1e-9)
    assert result["depth"][0] == pytest.approx(2 * G / 4e4, rel=1e-9) and result["upper"][0] == 0.0
    assert result["place"][0] == pytest.approx([0.4, -0.2, -G / 4e4], abs=1e-9)
    assert result["applied.f"][0] == pytest.approx([0, 0, 2 * G], abs=1e-9)
    assert result["applied.t"][0] == pytest.approx([0, 0, 0], abs=1e-9)
    assert result["slip"][0] == pytest.approx([0, 0, 0], abs=1e-12)


# -- against other forms -------------------------------------------------------------------------------------
def test_bristles_move_alike_in_absolute_coordinates() -> None:
    """The rates of bristles replace the states' own in contacts of one piece too, which absolute coordinates have."""
    m = mbs.Model("rubbing")
    m.body("a", joint=mbs.Free(), mass=1.0, inertia=(0.02, 0.02, 0.02))
    m.body("b", "a", mbs.Revolute("y"), at=(0.2, 0, 0), mass=0.5, inertia=(0.01, 0.01, 0.01))
    m.start("a", q=(0, 0, 0.105, 1, 0, 0, 0), u=(1.0, 0.3, 0, 0.5, 1, 2))
    m.ground("floor", {"b": mbs.Sphere(0.1)}, stiffness=5e3, friction=0.5)
    tree, free = (mbs.simulate(m, 0.04, rtol=1e-9, atol=1e-11, formulation=form) for form in ("tree", "absolute"))
    assert tree["floor.b.z1"][-1] > 1e-3  # m
    for name in ("floor.b.z1", "a.u[1]"):  # contacts amplify errors
        assert np.abs(tree[name] - free[name]).max() < 1e-6, name


@pytest.mark.slow
def test_absolute_coordinates_give_the_same_motion() -> None:
    """A tree thrown on a floor moves alike in absolute coordinates: both runs err by some 1e-8, contacts amplify it."""
    m = thrown(0)
    tree, free = (mbs.simulate(m, 0.6, rtol=1e-9, atol=1e-11, formulation=form) for form in ("tree", "absolute"))
    assert tree["E"][-1] < tree["E"][0] - 1e-3
    for name in ("b0.q[3]", "b0.u[1]", "E"):
        assert np.abs(tree[name] - free[name]).max() < 1e-5, name


@pytest.mark.slow
def test_stiff_coin_moves_as_one_that_rolls() -> None:
    """A tilted coin on a plane differs from one that rolls (m.roll) in first order of its compliance."""
    results = {}
    for stiffness in (None, 1e5, 1e6):
        m = mbs.Model("coin")
        m.body("coin", joint=mbs.Free(), mass=0.2, inertia=(2e-4, 4e-4, 2e-4))
        tilt, R, rho = 0.3, 0.06, 0.004
        height = R * math.cos(tilt) + rho
        spin = 12.0
        turn = (math.cos(tilt / 2), math.sin(tilt / 2), 0, 0)
        arm = np.array([0.0, 0.0, R]) + rho * np.array([0.0, math.sin(tilt), math.cos(tilt)])  # from the contact
        v = np.cross([0.0, spin, 0.0], arm)
        sunk = 0.0 if stiffness is None else 0.2 * G / stiffness
        m.start("coin", q=(0, 0, height - sunk, *turn), u=(*v, 0, spin, 0), guess=stiffness is None)
        if stiffness is None:
            m.roll("floor", "coin", radius=R, crown=rho)
        else:
            law = {"stiffness": stiffness, "friction": 2.0, "grip": stiffness, "settling": 1e-4}
            m.contact("floor", "world", "coin", shape_b=mbs.Ring(R, rho, "y"), **law)
        m.output("x", mbs.position("coin"))
        results[stiffness] = mbs.simulate(m, 0.6, rtol=1e-9, atol=1e-11)["x"]
    errors = [np.abs(results[k] - results[None]).max() for k in (1e5, 1e6)]
    assert errors[1] < 2e-4 and 5.0 < errors[0] / errors[1] < 20.0, errors


# -- text ----------------------------------------------------------------------------------------------------
def boxes(count: int) -> mbs.Model:
    """Return boxes on a floor, each with eight contact points, of which three stand on a table that turns."""
    m = mbs.Model("boxes")
    table = m.body("table", joint=mbs.Revolute("z"), mass=5.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    mu = m.parameter("mu", 0.4)
    for k in range(count):
        m.body(f"b{k}", joint=mbs.Free(), mass=1.0, inertia=(0.01, 0.01, 0.01), com=(0, 0, 0.01))
        m.start(f"b{k}", q=(k, 0, 0.05, 1, 0, 0, 0))
    shapes = {f"b{k}": mbs.Box(0.2, 0.3, 0.1) for k in range(count)}
    m.ground("floor", dict(list(shapes.items())[3:]), stiffness=25e3 * mu, friction=mu, static=1.5 * mu, pad=0.01)
    m.ground("top", dict(list(shapes.items())[:3]), table, stiffness=2e4, friction=0.3)
    m.output("E", mbs.energy())
    m.output("power", mbs.power("floor.b3"))
    return m


def test_equal_points_are_traced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the program is the same as if each were traced, unless points share traces with others that differ."""
    monkeypatch.setattr("mbs_fmu.compile.laws.part_kinds.SHARED_FROM", 1000)
    for m in (boxes(6), thrown(1)):
        once = compile_model(m)
        with monkeypatch.context() as patch:
            patch.setattr("mbs_fmu.compile.laws.part_kinds.PartKinds._of", lambda *_: None)
            assert compile_model(m) == once


def test_text_does_not_grow_with_the_number_of_points() -> None:
    """Only tables of addresses do, which are rows of numbers."""
    lengths = []
    for count in (8, 16):
        lines = compile_model(boxes(count)).text.splitlines()
        lengths.append(sum(re.fullmatch(r"[\s\d,-]+", line) is None for line in lines))
    assert lengths[0] == lengths[1]


def test_points_that_are_like_others_are_not_traced_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of traced points depends on their kinds, two and the eight points of a measure, not on bodies."""
    traced: list[ContactPoint] = []
    touch = Contact.touch
    monkeypatch.setattr(Contact, "touch", lambda contact, point: traced.append(point) or touch(contact, point))
    for count in (4, 24):
        traced.clear()
        compile_model(boxes(count))
        assert len(traced) == 10, f"{count} boxes"


@pytest.mark.parametrize("model", [thrown, heap])
def test_points_apart_have_the_bits_of_whole_laws(
    model: Callable[[int], mbs.Model], monkeypatch: pytest.MonkeyPatch, in_plain_python: None
) -> None:
    """While a point is apart its law is shorter; the run has the same bits as one that always evaluates whole laws."""
    settings = {"method": "rk4", "step": 2e-3, "output_interval": 0.02}
    short = mbs.simulate(model(2), 0.3, **settings)
    part = Contact._at_point
    monkeypatch.setattr(Contact, "_at_point", lambda contact, point: replace(part(contact, point), apart=None))
    whole = mbs.simulate(model(2), 0.3, **settings)
    assert np.array_equal(short.data, whole.data)
    assert np.abs(short["E"]).max() > 0.0
