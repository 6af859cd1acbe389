"""Laws of actuators: hydraulic cylinders, ropes, electric motors and friction with bristles.

Balances of energy on random mechanisms hold to rounding, since the rate of the energy is a complex step along the
motion. Closed forms follow from the equations of docs/actuators.md.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

import mbs_fmu as mbs
from support.cases import Case, each
from support.generators.mechanisms import JOINTS, Plain
from support.generators.trees import moving_tree
from support.oracles.complex_steps import compare_tangents, output_rates, outputs

ROUNDING = 1e-12  #: share of the largest power or energy; an evaluation takes some thousand operations
G = 9.81

LIFT: dict[str, Any] = {"bore": 0.1, "rod": 0.06, "stroke": 1.5, "closed": 0.5, "flow": 2.2e-7, "supply": 210e5}
FULL, RING = math.pi / 4 * 0.1**2, math.pi / 4 * (0.1**2 - 0.06**2)  #: m², areas of that cylinder
DEAD, MODULUS = 5e-5, 1.4e9
MASS = 2000.0

Adding = Callable[[mbs.Model, mbs.Body, np.random.Generator], mbs.Expression]


def jack(m: mbs.Model, body: mbs.Body, rng: np.random.Generator) -> mbs.Expression:
    """Add a cylinder with valve, leakage and friction; return the power that it brings in, without that of friction."""
    c = m.cylinder(
        "jack", "world", body, at_a=(0.3, 4.0, 5.0), at_b=rng.normal(size=3), bore=0.05, rod=0.03, stroke=9.0,
        closed=1.0, opening=0.7 * mbs.sin(3.0 * mbs.time + 1.0), flow=2e-8, supply=9e5, tank=1e5,
        leak=1e-10, viscous=20.0, modulus=4e7, start=(3e5, 5e5),
    )  # fmt: skip
    return c.inflow - 20.0 * c.speed * c.speed


def stopped(m: mbs.Model, body: mbs.Body, rng: np.random.Generator) -> mbs.Expression:
    """Add a cylinder, at rest in its elastic stop but for the body's motion, with a closed valve."""
    c = m.cylinder(
        "jack", body, "world", at_a=rng.normal(size=3), at_b=(5.0, 4.0, 9.0), bore=0.05, stroke=0.5, closed=1.0,
        opening=0.0, flow=2e-8, supply=9e5, modulus=4e7, dead=0.1, stop=30.0, start=(3e5, 5e5),
    )  # fmt: skip
    return c.inflow


def sling(m: mbs.Model, body: mbs.Body, rng: np.random.Generator) -> mbs.Expression:
    """Add a rope on a winch; return the power of the winch, minus that of the damper."""
    paid = 0.2 * mbs.cos(mbs.time + 1.0)
    eyes = [
        ("world", (0.0, 4.0, 5.0)),
        (body, rng.normal(size=3)),
        ("world", (2.0, 7.0, 5.0)),
        ("world", (3.0, 7.0, 5.0)),
    ]
    m.rope("sling", eyes, length=0.2 * mbs.sin(mbs.time + 1.0), length_rate=paid, stiffness=30.0, damping=2.0)
    (a, b), c = (mbs.position("world", eyes[0][1]), mbs.position(body, eyes[1][1])), mbs.position("world", eyes[2][1])
    v = mbs.velocity(body, eyes[1][1])
    rate = v.dot(b - a) / (b - a).norm() + v.dot(b - c) / (b - c).norm() - paid
    return -paid * mbs.strength("sling") - 2.0 * rate * rate


def capstan(m: mbs.Model, body: mbs.Body, rng: np.random.Generator) -> mbs.Expression:
    """Add a rope on a winch, with friction at a moving and at a fixed eye; return the winch's power minus the losses.

    The speeds at the eyes are those of the winch, minus the rates of the spans before, plus their part of the stretch.
    """
    paid = 0.2 * mbs.cos(mbs.time + 1.0)
    eyes = [("world", (0.0, 4.0, 5.0)), (body, rng.normal(size=3)), ("world", (2.0, 7.0, 5.0)), (body, (0.0, 0.1, 0.0))]
    t = m.rope(
        "capstan", eyes, length=0.2 * mbs.sin(mbs.time + 1.0), length_rate=paid, stiffness=30.0, damping=2.0,
        friction=[0.3, 0.2], turns=[0.0, 2.0], creep=0.5,
    )  # fmt: skip
    places = [mbs.position(body, at) for body, at in eyes]
    rates = [mbs.velocity(body, at) for body, at in eyes]
    lines = [b - a for a, b in itertools.pairwise(places)]
    lengths = [line.norm() for line in lines]
    speeds = [(w - v).dot(x) / x.norm() for (v, w), x in zip(itertools.pairwise(rates), lines, strict=True)]
    rate = sum(speeds[1:], start=speeds[0]) - paid
    first = paid + lengths[0] / sum(lengths[1:], start=lengths[0]) * rate - speeds[0]
    second = speeds[2] - lengths[2] / sum(lengths[1:], start=lengths[0]) * rate
    return -paid * t[0] - 2.0 * rate * rate - (t[1] - t[0]) * first - (t[2] - t[1]) * second


def haul(m: mbs.Model, body: mbs.Body, rng: np.random.Generator) -> mbs.Expression:
    """Add a pull; return its power, from the tension and the points."""
    at = rng.normal(size=3)
    m.pull("haul", "world", body, at_a=(3.0, 4.0, 5.0), at_b=at, force=3.0 + mbs.sin(mbs.time))
    line = mbs.position(body, at) - mbs.position("world", (3.0, 4.0, 5.0))
    return -mbs.strength("haul") * line.dot(mbs.velocity(body, at)) / line.norm()


ON_BODIES: dict[str, Adding] = {"cylinder": jack, "stop": stopped, "rope": sling, "capstan": capstan, "pull": haul}


def engine(m: mbs.Model, body: mbs.Body, rng: np.random.Generator) -> mbs.Expression:
    """Add a DC motor; return its electrical power minus that of the resistance."""
    u = 12.0 * mbs.sin(mbs.time + 1.0)
    i = m.dc_motor("engine", body, voltage=u, resistance=0.5, inductance=0.1, constant=0.05, ratio=20.0, rotor=1e-4)
    return u * i - 0.5 * i * i


def bristles(m: mbs.Model, body: mbs.Body, rng: np.random.Generator) -> mbs.Expression:
    """Add LuGre friction; return minus the power that it loses."""
    s0, s1, s2, fc, fs, vs = 100.0, 3.0, 0.2, 0.7, 1.1, 0.5
    numbers = {"coulomb": fc, "static": fs, "speed": vs, "stiffness": s0, "damping": s1, "viscous": s2}
    z = m.lugre_friction("bristles", body, **numbers)
    v = mbs.rate(body)
    creep = s0 * mbs.abs(v) / (fc + (fs - fc) * mbs.exp(-((v / vs) ** 2))) * z
    return -(s0 * z * creep + s1 * (v - creep) * v + s2 * v * v)


ON_JOINTS: dict[str, Adding] = {"motor": engine, "bristles": bristles}


def check_balance(m: mbs.Model, supplied: mbs.Expression) -> None:
    m.output("E", mbs.energy())
    m.output("supplied", supplied)
    plain = Plain(m)
    rate, power = output_rates(plain)["E"], float(outputs(plain)["supplied"])
    size = 1.0 + abs(power) + np.abs(plain.R[plain.program.state_slice] * plain.rates()).max()
    assert abs(rate - power) < ROUNDING * size
    compare_tangents(plain, 1, [plain.program.state_slice], "outputs")


@pytest.mark.parametrize("kind", ON_BODIES)
@each(JOINTS, rounds=1, usual=1, quick=1)
def test_energy_changes_by_what_actuators_of_bodies_supply(case: Case, kind: str) -> None:
    """dE/dt is the power of oil or winch minus losses, on any tree; tangents agree with complex steps."""
    m = moving_tree(case, 4)
    body = [body for body in m.bodies.values() if body.joint.motions][-1]
    check_balance(m, ON_BODIES[kind](m, body, np.random.default_rng(case.seed)))


@pytest.mark.parametrize("kind", ON_JOINTS)
@each(("revolute", "tilted"), rounds=2, usual=1, quick=1)
def test_energy_changes_by_what_actuators_of_joints_supply(case: Case, kind: str) -> None:
    """The same law for parts whose states are a current and a deflection."""
    m = moving_tree(case, 4)
    body = next(body for body in m.bodies.values() if [u for _, u in body.joint.rates] == ["rad/s"])
    check_balance(m, ON_JOINTS[kind](m, body, np.random.default_rng(case.seed)))


# -- closed forms --------------------------------------------------------------------------------------


def press(opening: Any, **more: Any) -> tuple[mbs.Model, Any]:
    """A mass on a vertical cylinder, which carries its weight at the start."""
    m = mbs.Model("press")
    ram = m.body("ram", joint=mbs.Prismatic("z"), mass=MASS)
    m.start(ram, q=0.75)
    holding = (MASS * G + 50e5 * RING) / FULL, 50e5
    return m, m.cylinder("jack", "world", ram, opening=opening, dead=DEAD, start=holding, **{**LIFT, **more})


@pytest.mark.quick
def test_oil_is_a_spring() -> None:
    """With a closed valve w² = beta (Aa²/Va + Ab²/Vb) / m, without damping."""
    m, _ = press(0.0)
    eigenvalues = np.linalg.eigvals(mbs.linearize(m).A)
    stiffness = MODULUS * (FULL**2 / (DEAD + FULL * 0.25) + RING**2 / (DEAD + RING * 1.25))
    expected = math.sqrt(stiffness / MASS)
    assert abs(max(eigenvalues.imag) - expected) < 1e-6 * expected  # pressures and metres: a badly scaled matrix
    assert max(abs(eigenvalues.real)) < 1e-6 * expected


def test_speed_of_lifting_follows_from_the_edges_of_the_valve() -> None:
    """pa Aa - pb Ab = m g, with the pressure differences (A v / K)² of both edges."""
    m, c = press(0.5, modulus=1e12)  # stiff oil: chambers are filled by the motion alone
    m.output("v", c.speed)
    m.output("supply", c.supply)
    result = mbs.simulate(m, 1.0, method="rodas5p", rtol=1e-8, output_interval=0.5)
    edge = 0.5 * LIFT["flow"]

    def out_of_balance(v: float) -> float:
        pa, pb = LIFT["supply"] - (FULL * v / edge) ** 2, (RING * v / edge) ** 2
        return pa * FULL - pb * RING - MASS * G

    v = brentq(out_of_balance, 0.0, 1.0)
    assert abs(result["v"][-1] - v) < 1e-5 * v  # the edges are laminar below 1e4 Pa, of 1e6
    assert abs(result["supply"][-1] - FULL * v) < 1e-5 * FULL * v


def test_piston_stops_at_the_end_of_its_stroke() -> None:
    """There the stop carries what the supply presses: x = (ps A - m g) / k."""
    m, c = press(1.0, stroke=0.3, stop=1e9, stop_damping=1e6)
    m.output("stroke", c.stroke)
    m.output("tension", mbs.strength("jack"))
    result = mbs.simulate(m, 3.0, method="rodas5p", rtol=1e-8, output_interval=1.0)
    beyond = (LIFT["supply"] * FULL - MASS * G) / 1e9
    assert abs(result["stroke"][-1] - 0.3 - beyond) < 1e-5 * beyond
    assert abs(result["tension"][-1] + MASS * G) < 1e-5 * MASS * G


def test_rope_over_pulleys_carries_two_loads() -> None:
    """Atwood's machine: a = (m2 - m1) / (m1 + m2) g, T = 2 m1 m2 g / (m1 + m2), if T stretches it from the start."""
    m = mbs.Model("pulley")
    tension = 2 * 10 * 12 * G / 22
    for name, x, mass in (("a", -1.0, 10.0), ("b", 1.0, 12.0)):
        m.body(name, joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=mass)
        m.start(name, q=(x, -2.0))
    over = [("a", (0, 0, 0)), ("world", (-1, 0, 0)), ("world", (1, 0, 0)), ("b", (0, 0, 0))]
    m.rope("rope", over, length=6.0 - tension / 1e6, stiffness=1e6, damping=3e3)
    m.output("tension", mbs.strength("rope"))
    result = mbs.simulate(m, 0.5, rtol=1e-9, atol=1e-9, output_interval=0.25)
    assert np.all(np.abs(result["tension"] - tension) < 1e-4 * tension)
    assert abs(result["b.q[2]"][-1] + 2.0 + 0.5 * 2 / 22 * G * 0.25) < 1e-6


@pytest.mark.quick
@pytest.mark.parametrize("length", [2.0, 3.0])
def test_slack_rope_does_not_push(length: float) -> None:
    """A rope longer than its way has no tension, however fast its ends approach."""
    m = mbs.Model("slack")
    load = m.body("load", joint=mbs.Prismatic("z"), mass=1.0)
    m.start(load, q=-2.0, u=3.0)
    m.rope("rope", [("world", (0, 0, 0)), (load, (0, 0, 0))], length=length, stiffness=1e5, damping=1e3)
    m.output("tension", mbs.strength("rope"))
    assert float(outputs(Plain(m))["tension"]) == 0.0
    assert mbs.forward_dynamics(m)["load.v"] == -G


def test_motor_starts_as_two_linear_equations_say() -> None:
    """Current and speed after a step of the voltage: the exponential of a matrix."""
    m = mbs.Model("starter", gravity=(0, 0, 0))
    arm = m.body("arm", joint=mbs.Revolute("z"), mass=1.0, inertia=(0.1, 0.1, 0.1))
    i = m.dc_motor("motor", arm, voltage=12.0, resistance=0.5, inductance=1e-3, constant=0.05, ratio=50, rotor=1e-5)
    m.output("i", i)
    result = mbs.simulate(m, 0.2, rtol=1e-11, atol=1e-11, output_interval=0.1)
    k, inertia = 0.05 * 50, 0.1 + 1e-5 * 50**2
    A = np.array([[-0.5 / 1e-3, -k / 1e-3, 12.0 / 1e-3], [k / inertia, 0, 0], [0, 0, 0]])
    for row, t in enumerate((0.0, 0.1, 0.2)):
        current, speed, _ = expm(A * t) @ (0.0, 0.0, 1.0)
        assert abs(result["i"][row] - current) < 1e-8 and abs(result["arm.w"][row] - speed) < 1e-8


def bollard(light: float, heavy: float, friction: float, turns: float, speed: float = 0.0) -> mbs.Model:
    """Return two masses (kg) on both ends of a rope over a bollard; the angle is pi plus `turns`."""
    m = mbs.Model("bollard")
    for name, mass, sense in (("light", light, 1.0), ("heavy", heavy, -1.0)):
        m.body(name, joint=mbs.Prismatic("z"), mass=mass)
        m.start(name, q=-5.0, u=sense * speed)
    over = [("light", (0, 0, 0)), ("world", (0, 0, 0)), ("heavy", (0, 0, 0))]
    tensions = m.rope("rope", over, length=10.0, stiffness=1e6, damping=1e4, friction=friction, turns=turns)
    m.output("T", list(tensions))
    m.output("E", mbs.energy())
    return m


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("turns", [0.0, 2.0 * math.pi])
def test_tensions_of_a_sliding_rope_have_the_ratio_of_euler_and_eytelwein(sense: float, turns: float) -> None:
    """T2 = R T1 with R = exp(mu theta); m2 g - T2 = m2 a and T1 - m1 g = m1 a: a = g (m2 - R m1)/(m2 + R m1).

    Above 1 m/s the regularized law is at its limit up to mu theta (creep/v)²/2 < 1e-6.
    """
    light, heavy, friction = 20.0, 30.0, 0.1
    ratio = math.exp(sense * friction * (math.pi + turns))
    m = bollard(light, heavy, friction, turns, 4.0 * sense)
    result = mbs.simulate(m, 0.3, method="rodas5p", rtol=1e-8, output_interval=0.05)
    upper, lower = result["T[1]"][2:], result["T[2]"][2:]
    np.testing.assert_allclose(lower / upper, ratio, rtol=1e-6)
    acceleration = G * (heavy - ratio * light) / (heavy + ratio * light)
    found = np.diff(result["light.v"][2:]) / 0.05
    np.testing.assert_allclose(found, acceleration, atol=2e-3)  # what is left of vibration
    assert np.all(np.diff(result["E"]) < 0.0)


def test_a_rope_within_the_cone_creeps_as_its_law_states() -> None:
    """Below the limit, ln(m2/m1) = mu theta v/sqrt(v² + creep²): the heavy mass sinks with this v only."""
    light, heavy, friction = 20.0, 30.0, 0.2
    result = mbs.simulate(bollard(light, heavy, friction, 0.0), 2.0, method="rodas5p", rtol=1e-8, output_interval=0.1)
    share = math.log(heavy / light) / (friction * math.pi)
    creep = 1e-3 * share / math.sqrt(1.0 - share * share)
    np.testing.assert_allclose(result["light.v"][-5:], creep, rtol=1e-4)
    np.testing.assert_allclose(result["T[2]"][-1] / result["T[1]"][-1], heavy / light, rtol=1e-6)


def test_bristles_slide_along_the_curve_of_stribeck() -> None:
    """At constant speed the friction is Fc + (Fs - Fc) exp(-(v/vs)²) + s2 v."""
    m = mbs.Model("slider", gravity=(0, 0, 0))
    block = m.body("block", joint=mbs.Prismatic("x"), mass=1e12)  # friction hardly slows it down
    m.start(block, u=0.002)
    m.lugre_friction("rail", block, coulomb=1.0, static=1.5, speed=1e-3, stiffness=1e5, damping=300.0, viscous=0.4)
    m.output("friction", mbs.strength("rail"))
    result = mbs.simulate(m, 1.0, method="rodas5p", rtol=1e-9, atol=1e-14, output_interval=0.5)
    expected = 1.0 + 0.5 * math.exp(-4.0) + 0.4 * 0.002
    assert abs(result["friction"][-1] + expected) < 1e-8


@pytest.mark.quick
@pytest.mark.parametrize(
    ("place", "more", "message"),
    [
        (0.5, {}, None),
        (2.0, {}, None),
        (0.49, {}, "cylinder 'jack': its piston starts before its stroke: its ends are closer than closed=, 0.5 m; "),
        (2.01, {}, "beyond its stroke: its ends are further apart than closed= and stroke= together, 2 m; move"),
        (0.499, {"stop": 1e6}, None),  # less than half of the dead volume over the area, 3 mm
        (0.49, {"stop": 1e6}, "before its stroke"),
        (2.004, {"stop": 1e6}, None),
        (2.01, {"stop": 1e6}, "beyond its stroke"),
    ],
)
@pytest.mark.usefixtures("in_plain_python")
def test_starts_outside_of_the_stroke_are_refused(place: float, more: dict[str, float], message: str | None) -> None:
    """Without stops strictly, with stops beyond half of a chamber's dead volume; a start of a run changes it too."""
    m, _ = press(0.0, **more)
    for inside in (False, True):
        if inside:
            m.start("ram", q=place)
        start = {} if inside else {"ram.s": place}
        if message is None:
            mbs.simulate(m, 1e-4, method="rk4", step=1e-4, output_interval=1e-4, start=start)
            continue
        with pytest.raises(mbs.ModelError) as raised:
            mbs.simulate(m, 1e-4, method="rk4", step=1e-4, output_interval=1e-4, start=start)
        assert message in str(raised.value)


@pytest.mark.quick
def test_messages_name_the_remedy() -> None:
    m = mbs.Model("wrong")
    arm = m.body("arm", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    slide = m.body("slide", joint=mbs.Prismatic("z"), mass=1.0)
    jack = {"bore": 0.1, "stroke": 1.0, "closed": 1.0, "opening": 0.0, "flow": 1e-7, "supply": 1e7}
    through = [(arm, (1, 0, 0)), ("world", (0, 0, 1)), (slide, (0, 0, 0))]
    friction = {"coulomb": 1.0, "static": 0.5, "speed": 1.0, "stiffness": 1.0, "damping": 0.0}
    for call, message in (
        (lambda: m.cylinder("x", "world", arm, **jack, rod=0.1), "must be thinner than the bore, 0.1 m"),
        (lambda: m.cylinder("x", "world", arm, **jack, stop_damping=1.0), "give stop= "),
        (lambda: m.cylinder("x", "world", arm, **{**jack, "bore": -0.1}), "bore of cylinder 'x' is -0.1"),
        (lambda: m.cylinder("x", "world", arm, **jack, start=(1.0,)), "start of cylinder 'x'"),
        (lambda: m.rope("x", [("world", (0, 0, 1))], length=1.0, stiffness=1.0), "two or more pairs"),
        (
            lambda: m.rope("x", [(arm, (0, 0, 1)), (arm, (1, 0, 0))], length=1, stiffness=1),
            "all its points lie on 'arm'",
        ),
        (lambda: m.rope("x", through, length=1, stiffness=1, friction=[0.1, 0.2]), "one for each eye between the ends"),
        (lambda: m.rope("x", through, length=1, stiffness=1, friction=-0.1), "friction of rope 'x' is -0.1"),
        (lambda: m.rope("x", through, length=1, stiffness=1, turns=6.3), "turns= has no effect without friction"),
        (lambda: m.rope("x", [arm, slide], length=1.0, stiffness=1.0), "give a pair (body, point"),
        (lambda: m.pull("x", arm, arm, force=1.0), "joins body 'arm' with itself"),
        (lambda: m.state("x", rate=0.0, energy=mbs.energy()), "depends on mbs.energy()"),
        (
            lambda: m.dc_motor("x", slide, voltage=1, resistance=1, inductance=1, constant=1),
            "give a joint that turns",
        ),
        (lambda: m.lugre_friction("x", arm, **friction), "at least Coulomb's friction 1.0"),
    ):
        with pytest.raises(mbs.ModelError) as raised:
            call()
        assert message in str(raised.value)
    assert not m.forces and not m.states
    m.pull("x", "world", arm, force=1.0)
    with pytest.raises(mbs.ModelError, match="its ends coincide, so it has no direction; move an attachment point"):
        mbs.simulate(m, 0.1)


@pytest.mark.quick
@pytest.mark.parametrize("numbers", [{"constant": 0.0}, {"constant": 0.05, "ratio": 0}])
def test_a_motor_without_torque_is_refused(numbers: dict[str, float]) -> None:
    """A zero in the product of constant and ratio leaves a motor that does nothing."""
    m = mbs.Model("winch")
    m.body("drum", joint=mbs.Revolute("y"), mass=1.0, inertia=(0.1, 0.1, 0.1))
    with pytest.raises(mbs.ModelError, match=r"DC motor 'motor': its constant or its ratio is zero.*another number"):
        m.dc_motor("motor", "drum", voltage=12.0, resistance=1.0, inductance=1e-3, **numbers)
