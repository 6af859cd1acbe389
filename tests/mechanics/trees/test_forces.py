"""Laws of forces: action and reaction, power and energy, closed forms of each kind.

Equations of motion, tangents and energy of every kind of force are compared with the dense oracle and complex steps in
test_dense.py and test_dynamics.py, on random trees that contain all of them (`add_forces`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import mbs_fmu as mbs
from mbs_fmu.symbolic.graph import evaluate
from mbs_fmu.symbolic.tables import area
from support.cases import Case, each, tiers
from support.comparisons import assert_close
from support.generators.loops import PlainLoops, random_loops
from support.generators.mechanisms import JOINTS, Plain, random_inertia, random_pose, random_rotation
from support.generators.trees import add_forces, moving_tree
from support.oracles.complex_steps import STEP, output_rates, outputs


def two_bodies(seed: int) -> tuple[mbs.Model, mbs.Body, mbs.Body, dict[str, Any]]:
    """Return two free bodies in motion without gravity, in similar attitudes, and places on them."""
    rng = np.random.default_rng(seed)
    m = mbs.Model("two_bodies", gravity=(0, 0, 0))
    bodies = []
    for name in "ab":
        body = m.body(
            name, joint=mbs.Free(), mass=1 + rng.random(), com=rng.normal(size=3), inertia=random_inertia(rng)
        )
        m.start(body, q=(*rng.normal(size=3), 1, *(0.4 * rng.normal(size=3))), u=rng.normal(size=6))
        bodies.append(body)
    places = {"at_a": random_pose(rng), "at_b": random_pose(rng)}
    return m, bodies[0], bodies[1], places


Adding = Callable[[mbs.Model, mbs.Body, mbs.Body, dict[str, Any]], None]
POINTS: dict[str, Any] = {"at_a": (0.1, 0.2, 0.3), "at_b": (0.5, -0.3, 0.1)}
ELASTIC: dict[str, Adding] = {
    "spring": lambda m, a, b, at: m.spring("x", a, b, **POINTS, stiffness=5.0, length=0.4),
    "table": lambda m, a, b, at: m.spring("x", a, b, **POINTS, force=([-1, 0.5, 4], [-3, 1, 2]), length=0.4),
    "formula": lambda m, a, b, at: m.spring("x", a, b, **POINTS, force=lambda x: 3 * x + x**3 + mbs.abs(x) * x),
    "potential": lambda m, a, b, at: m.spring("x", a, b, **POINTS, energy=lambda x: 3 * mbs.exp(x) - 3 * x),
    "rotational": lambda m, a, b, at: m.rotational_spring("x", a, b, **at, axis=(1, 2, 3), stiffness=4.0, angle=0.3),
    "hardening": lambda m, a, b, at: m.rotational_spring("x", a, b, **at, axis="x", force=lambda x: x + 2 * x**3),
    "bushing": lambda m, a, b, at: m.bushing("x", a, b, **at, stiffness=(3, 4, 5), rotational_stiffness=(2, 0.5, 1)),
}
DAMPING: dict[str, Adding] = {
    "damper": lambda m, a, b, at: m.spring("x", a, b, **POINTS, damping=0.7),
    "formula": lambda m, a, b, at: m.spring("x", a, b, **POINTS, force=lambda x, v: (1 + x * x) * v**3),
    "rotational": lambda m, a, b, at: m.rotational_spring("x", a, b, **at, axis="y", damping=0.6),
    "bushing along": lambda m, a, b, at: m.bushing("x", a, b, **at, damping=(0.3, 0.4, 0.5)),
    "bushing about": lambda m, a, b, at: m.bushing("x", a, b, **at, rotational_damping=(1, 2, 3)),
}  #: one damper each, since another one could hide a wrong sign
GIVEN: dict[str, Any] = {"at": (0.5, -0.3, 0.1), "force": (1, 2, mbs.time - 3), "torque": (0.4, 0.5, 0.6)}
BETWEEN: dict[str, Adding] = {
    **ELASTIC,
    **{f"damping {kind}": add for kind, add in DAMPING.items()},
    "given": lambda m, a, b, at: m.force("x", on=b, **GIVEN, reaction_on=a),
    "given in axes": lambda m, a, b, at: m.force("x", on=b, **GIVEN, resolve_in="body", reaction_on="a"),
}


@pytest.mark.parametrize("seed", tiers(range(4), usual=1, quick=1))
@pytest.mark.parametrize("kind", ELASTIC)
def test_elastic_forces_conserve_energy(kind: str, seed: int) -> None:
    """dE/dt = 0: the force is the gradient of the reported energy."""
    m, a, b, at = two_bodies(seed)
    ELASTIC[kind](m, a, b, at)
    m.output("E", mbs.energy())
    m.output("power", mbs.power("x"))
    plain = Plain(m)
    assert abs(outputs(plain)["power"]) > 1e-3
    terms = np.abs(plain.rates()).max() * np.abs(plain.get(plain.R, "u")).max()  # terms that cancel
    assert_close(output_rates(plain)["E"], 0.0, 1e-13 * (1 + terms), f"{kind}: rate of energy")


@pytest.mark.parametrize("seed", tiers(range(4), usual=1, quick=1))
@pytest.mark.parametrize("kind", DAMPING)
def test_dampers_dissipate_energy(kind: str, seed: int) -> None:
    """dE/dt equals the power of the damper, and is negative."""
    m, a, b, at = two_bodies(seed)
    DAMPING[kind](m, a, b, at)
    m.output("E", mbs.energy())
    m.output("power", mbs.power("x"))
    plain = Plain(m)
    power = outputs(plain)["power"]
    assert power < 0, f"{kind}: the damper supplies {power:g} W"
    assert_close(output_rates(plain)["E"], power, 1e-12 * (1 - power), f"{kind}: rate of energy")


@pytest.mark.parametrize("seed", tiers(range(4), usual=1, quick=1))
@pytest.mark.parametrize("kind", BETWEEN)
def test_action_equals_reaction(kind: str, seed: int) -> None:
    """A force between two free bodies changes neither their momentum nor their angular momentum."""
    m, a, b, at = two_bodies(seed)
    BETWEEN[kind](m, a, b, at)
    m.output("P", mbs.momentum())
    m.output("L", mbs.angular_momentum())
    m.output("Pb", mbs.momentum(b))
    m.output("wrench", mbs.applied("x"))
    plain = Plain(m)
    rates, wrench = output_rates(plain), outputs(plain)
    assert_close(rates["Pb"], wrench["wrench.f"], 1e-12 * (1 + np.abs(wrench["wrench.f"]).max()), "rate of momentum")
    scale = 1 + np.abs(wrench["wrench.f"]).max() + np.abs(wrench["wrench.t"]).max()
    assert_close(rates["P"], 0.0, 1e-13 * scale, "rate of momentum")
    assert_close(rates["L"], 0.0, 1e-12 * scale, "rate of angular momentum")


@each(JOINTS, rounds=2, usual=1, quick=1)
def test_powers_of_forces_sum_to_the_rate_of_energy(case: Case) -> None:
    """The powers of all forces are the rate of the kinetic energy and of the energy in gravity."""
    forced, free = (moving_tree(case, 6) for _ in range(2))
    add_forces(forced, np.random.default_rng(case.seed))
    free.output("E", mbs.energy())
    for name in forced.forces:
        forced.output(f"power_{name}", mbs.power(name))
    plain, bare = Plain(forced), Plain(free)
    f = plain.rates()
    total = sum(outputs(plain).values())
    assert np.array_equal(bare.R[bare.program.state_slice], plain.R[plain.program.state_slice])
    C = bare.R.astype(complex)
    C[bare.program.state_slice] += 1j * STEP * f
    bare.complex.derive(C)
    bare.complex.outputs(C)
    rate = C[bare.slice("outputs")][0].imag / STEP
    assert_close(
        rate,
        total,
        1e-10 * (1 + np.abs(f).max() * np.abs(plain.get(plain.R, "u")).max()),
        "rate of energy without forces",
    )


@pytest.mark.parametrize("seed", tiers(range(6), usual=1))
def test_powers_sum_to_the_rate_of_energy_in_closed_loops(seed: int) -> None:
    """dE/dt is the power of the forces that store nothing, since loops do no work."""
    rng = np.random.default_rng(seed)
    m = random_loops(seed, 6, 1 + seed % 2)
    bodies = list(m.bodies.values())
    m.drag("air", on=bodies[-1], at=(0.1, 0.2, 0.3), linear=0.3, quadratic=0.2, velocity=(1, 0, 0))
    m.spring("damper", "world", bodies[2], at_a=(1, 2, 3), damping=0.5)
    m.bushing("mount", bodies[0], bodies[3], at_a=random_pose(rng), stiffness=(1, 2, 3), rotational_stiffness=(3, 1, 2))
    m.rotational_spring("twist", bodies[1], bodies[4], axis=(1, 2, 3), stiffness=2.0)
    which = "torque" if bodies[5].joint.rates[-1][1] == "rad/s" else "force"
    m.friction("dry", on=bodies[5], coordinate=len(bodies[5].joint.rates), **{which: 1.0}, static=2.0, speed=0.5)
    m.output("E", mbs.energy())
    m.output("P", mbs.momentum())
    for body in bodies:
        m.output(f"P_{body.name}", mbs.momentum(body))
    for name in ("air", "damper", "dry"):
        m.output(f"power_{name}", mbs.power(name))
    plain = PlainLoops(m)
    rate, values = output_rates(plain)["E"], outputs(plain)
    powers = [values[f"power_{name}"] for name in ("air", "damper", "dry")]
    terms = np.abs(plain.rates()).max() * np.abs(plain.get(plain.R, "u")).max()
    assert_close(rate, sum(powers), 1e-13 * (1 + terms), "rate of energy")
    assert_close(
        values["P"], sum(values[f"P_{b.name}"] for b in bodies), 1e-12 * (1 + np.abs(values["P"]).max()), "momentum"
    )


# -- bushings and rotational springs ---------------------------------------------------------------------


def turned(angle: float, axis: int, **bushing: Any) -> dict[str, np.ndarray]:
    """Return the outputs of a ball at its place, turned about an axis, on a bushing "x"."""
    m = mbs.Model("turned", gravity=(0, 0, 0))
    body = m.body("body", joint=mbs.Spherical(), mass=1.0, inertia=(1, 1, 1))
    quaternion = [math.cos(angle / 2), 0, 0, 0]
    quaternion[1 + axis] = math.sin(angle / 2)
    m.start(body, q=quaternion)
    m.bushing("x", "world", body, **bushing)
    m.output("wrench", mbs.applied("x"))
    m.output("E", mbs.energy())
    return outputs(Plain(m))


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("angle", [-3.0, -1.0, 1e-6, 0.5, 2.0, 3.1])
def test_a_bushing_resists_with_the_sine_of_its_angle(axis: int, angle: float) -> None:
    """Turned by phi about an axis, a bushing has the torque kappa sin(phi) and the energy kappa (1 - cos(phi))."""
    computed = turned(angle, axis, rotational_stiffness=(2.0, 3.0, 4.0))
    expected = np.zeros(3)
    expected[axis] = -(2.0 + axis) * math.sin(angle)
    assert computed["wrench.t"] == pytest.approx(expected, abs=1e-14)
    assert computed["E"] == pytest.approx((2.0 + axis) * (1 - math.cos(angle)), abs=1e-14)


def test_a_bushing_without_stiffness_about_z_resists_tilt_only() -> None:
    """Without stiffness about z a bushing is a hinge: only its tilt counts, for any rotation about z."""
    m = mbs.Model("hinge", gravity=(0, 0, 0))
    about_z = m.body("about_z", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    tilted = m.body("tilted", about_z, mbs.Revolute("x"), mass=1.0, inertia=(1, 1, 1))
    m.start(tilted, q=0.3)
    m.bushing("x", "world", tilted, rotational_stiffness=(5, 5, 0))
    m.output("E", mbs.energy())
    plain = Plain(m)
    for turns in np.linspace(-10, 10, 23):
        plain.R[plain.slice("q")] = turns, 0.3
        assert outputs(plain)["E"] == pytest.approx(5 * (1 - math.cos(0.3)), abs=1e-14)
        assert_close(plain.rates()[2:4], (0, -5 * math.sin(0.3)), 1e-14, "rate")


def test_the_bushing_force_is_resolved_in_frame_a() -> None:
    """Displaced by d, the bushing has the force C Aᵀd in the axes of frame a, in any attitude."""
    rng = np.random.default_rng(5)
    A, d = random_rotation(rng), rng.normal(size=3)
    m = mbs.Model("shifted", gravity=(0, 0, 0))
    body = m.body("body", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    m.start(body, q=(*(d + np.array((1, 2, 3))), 1, 0, 0, 0))
    place = mbs.Pose((1, 2, 3), A)
    m.bushing("x", "world", body, at_a=place, at_b=mbs.Pose((0, 0, 0), A), stiffness=(2, 3, 4), rotational_stiffness=7)
    m.output("wrench", mbs.applied("x"))
    computed = outputs(Plain(m))
    assert computed["wrench.f"] == pytest.approx(-A @ np.diag((2, 3, 4)) @ A.T @ d, abs=1e-14)
    assert computed["wrench.t"] == pytest.approx(np.zeros(3), abs=1e-14)


@pytest.mark.parametrize("axis", ["z", "-x", (1, 2, 3)])
def test_a_rotational_spring_about_a_hinge_equals_the_spring_on_it(axis: Any) -> None:
    """They agree up to half a turn from the rest angle."""
    plains = []
    for on_joint in (True, False):
        m = mbs.Model("hinge")
        arm = m.body("arm", joint=mbs.Revolute(axis), mass=1.0, com=(0.3, 0.2, 0.1), inertia=(1, 1, 1))
        if on_joint:
            m.spring("x", on=arm, stiffness=3.0, damping=0.4, length=0.5)
        else:
            m.rotational_spring("x", "world", arm, axis=axis, stiffness=3.0, damping=0.4, angle=0.5)
        m.output("E", mbs.energy())
        plains.append(Plain(m))
    for angle in (-2.6, -1.0, 0.0, 0.5, 2.0, 3.6):
        computed = []
        for plain in plains:
            plain.R[plain.slice("q")], plain.R[plain.slice("p")] = angle, 0.7
            computed.append([*plain.rates(), outputs(plain)["E"]])
        assert computed[0] == pytest.approx(computed[1], abs=1e-13)


# -- springs by table and formula ------------------------------------------------------------------------


def slider(**spring: Any) -> mbs.Model:
    """Return 1 kg on a slide with a spring "x" on its coordinate."""
    m = mbs.Model("slider", gravity=(0, 0, 0))
    body = m.body("body", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("x", on=body, **spring)
    m.output("E", mbs.energy())
    m.output("strength", mbs.strength("x"))
    return m


def at(plain: Plain, q: float, u: float = 0.0) -> dict[str, Any]:
    """Return the slider's outputs at a coordinate and velocity."""
    plain.R[plain.slice("q")], plain.R[plain.slice("p")] = q, u
    return outputs(plain)


def test_a_table_spring_stores_the_integral_of_its_table() -> None:
    """The force interpolates the table, constant beyond its ends; the energy is its integral from extension zero."""
    points, values = [-2.0, -0.5, 0.2, 3.0], [-4.0, -1.5, 0.5, 2.0]
    plain = Plain(slider(force=(points, values), length=0.4))
    formula = Plain(slider(force=lambda x: mbs.table(x, points, values), length=0.4))
    for q in (-4.0, -1.6, -0.7, 0.0, 0.4, 0.5, 1.1, 3.4, 9.0):
        computed, x = at(plain, q), q - 0.4
        assert at(formula, q) == computed
        assert computed["strength"] == pytest.approx(-np.interp(x, points, values), abs=1e-14)
        knots = [p for p in points if min(x, 0) < p < max(x, 0)]
        energy = quad(lambda s: np.interp(s, points, values), 0, x, points=knots or None)[0]
        assert computed["E"] == pytest.approx(energy, abs=1e-13)


def test_area_is_the_integral_of_its_table() -> None:
    """The area is the integral from the first point, also beyond the ends."""
    points, values = [-2.0, -0.5, 0.2, 3.0], [-4.0, -1.5, 0.5, 2.0]
    for x in (-3.0, -2.0, -1.0, 0.2, 1.7, 3.0, 5.0):
        knots = [p for p in points if -2.0 < p < x]
        expected = quad(lambda s: np.interp(s, points, values), -2.0, x, points=knots or None)[0]
        assert evaluate(area(x, points, values), {}) == pytest.approx(expected, abs=1e-14)


def test_a_force_formula_equals_its_potential() -> None:
    """A force by formula equals that by its potential; polynomials are integrated exactly."""
    force = Plain(slider(force=lambda x: 3 * x - x**3 + mbs.abs(x) * x, length=0.2))
    energy = Plain(slider(energy=lambda x: 1.5 * x**2 - x**4 / 4 + mbs.abs(x) ** 3 / 3, length=0.2))
    for q in (-2.0, 0.0, 0.2, 0.7, 3.0):
        computed, other = at(force, q), at(energy, q)
        for name in ("E", "strength"):
            assert computed[name] == pytest.approx(other[name], abs=1e-13)


def test_formula_of_speed_stores_its_part_at_rest() -> None:
    """energy() counts the integral of force(x, 0); the rest of the force is its power."""
    m = slider(force=lambda x, v: 2 * x + (1 + x * x) * v)
    m.output("power", mbs.power("x"))
    plain = Plain(m)
    computed = at(plain, 0.6, 0.5)
    assert computed["strength"] == pytest.approx(-(2 * 0.6 + (1 + 0.36) * 0.5), abs=1e-15)
    assert computed["power"] == pytest.approx(0.5 * computed["strength"], abs=1e-15)
    assert computed["E"] == pytest.approx(0.6**2 + 0.125, abs=1e-14)


def test_laws_may_depend_on_parameters_and_signals() -> None:
    """A characteristic may contain parameters, inputs and states; parameters take effect at once."""
    m = mbs.Model("signals", gravity=(0, 0, 0))
    k, heat = m.parameter("k", 2.0), m.input("heat", start=0.5)
    body = m.body("body", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("x", on=body, force=lambda x, v: k * (1 - heat) * x, length=k)
    m.output("strength", mbs.strength("x"))
    plain = Plain(m)
    slots = {v.name: v.slot for v in plain.program.variables}
    assert at(plain, 3.0)["strength"] == pytest.approx(-2 * 0.5 * 1.0)
    plain.R[slots["k"]], plain.R[slots["heat"]] = 1.0, 0.2
    assert at(plain, 3.0)["strength"] == pytest.approx(-1 * 0.8 * 2.0)


# -- friction, limits, drag ------------------------------------------------------------------------------


def test_friction_follows_its_curve() -> None:
    """Static friction acts at `speed`, Coulomb's beyond, and viscous friction in addition; the curve is odd and never
    along the motion.
    """
    m = mbs.Model("friction", gravity=(0, 0, 0))
    body = m.body("body", joint=mbs.Prismatic("x"), mass=1.0)
    m.friction("x", on=body, force=2.0, static=3.0, viscous=0.5, speed=0.1)
    m.output("strength", mbs.strength("x"))
    plain = Plain(m)
    assert at(plain, 0, 0.1)["strength"] == pytest.approx(-(3.0 + 0.05), abs=2 * 2e-8 * 2)  # tanh(10) = 1 - 4e-9
    assert at(plain, 0, 2.0)["strength"] == pytest.approx(-(2.0 + 1.0), abs=1e-14)
    assert at(plain, 0, 0.0)["strength"] == 0.0
    for u in (1e-9, 1e-3, 0.02, 0.3, 50.0):
        forward, backward = at(plain, 0, u)["strength"], at(plain, 0, -u)["strength"]
        assert forward == -backward < 0


def test_friction_stops_a_block_and_lets_it_creep() -> None:
    """A block slides v²/2a far and stays; under half of Coulomb's force it creeps at speed/10 atanh(1/2)."""
    m = mbs.Model("block", gravity=(0, 0, 0))
    body = m.body("body", joint=mbs.Prismatic("x"), mass=1.0)
    m.start(body, u=2.0)
    m.friction("x", on=body, force=4.0, speed=1e-4)
    m.motor("load", on=body, force=mbs.where(mbs.time < 1.0, 0.0, 2.0))
    result = mbs.simulate(m, 2.0, rtol=1e-9, output_interval=0.1)
    assert result["body.s"][10] == pytest.approx(2.0**2 / 8, abs=1e-4)
    assert_close(result["body.v"][10], 0.0, 1e-9, "velocity of the body at its stop")
    assert result["body.v"][-1] == pytest.approx(1e-5 * math.atanh(0.5), rel=1e-6)


def bouncing(damping: float) -> mbs.Result:
    """Return a run of 3 s of 1 kg between stops at -0.1 and 0.2 m."""
    m = mbs.Model("bouncing", gravity=(0, 0, 0))
    body = m.body("body", joint=mbs.Prismatic("x"), mass=1.0)
    m.start(body, u=1.0)
    m.limit("x", on=body, lower=-0.1, upper=0.2, stiffness=1e4, damping=m.parameter("damping", damping))
    m.output("strength", mbs.strength("x"))
    m.output("E", mbs.energy())
    return mbs.simulate(m, 3.0, rtol=1e-9, output_interval=1e-3)


def test_elastic_limits_push_and_never_pull() -> None:
    """Elastic stops conserve energy; damped ones dissipate some, and never hold the body.

    Energies hold to 1e-6 J: rows within a step that meets a stop are interpolated over the force's kink.
    """
    for damping, conserved in ((0.0, 1.0), (40.0, None)):
        result = bouncing(damping)
        q, force = result["body.s"], result["strength"]
        assert np.all(force[(q > -0.1) & (q < 0.2)] == 0)
        assert np.all(force[q <= -0.1] >= 0)
        assert np.all(force[q >= 0.2] <= 0)
        beyond = np.maximum(q - 0.2, 0) + np.maximum(-0.1 - q, 0)
        assert np.all(np.abs(force) <= 2e4 * beyond + 1e-12)  # hence the force begins at zero
        assert np.sum(np.abs(np.diff(np.sign(force))) > 0) > 6
        if conserved:
            assert_close(result["E"], 0.5, 1e-6, "E", times=result.time)
        else:
            assert np.all(np.diff(result["E"]) < 1e-6)
            assert result["E"][-1] < 0.25


@pytest.mark.usefixtures("plain_by_default")
def test_falling_bodies_reach_the_closed_form_of_drag() -> None:
    """In wind, v = v_t tanh(g t / v_t) with v_t = sqrt(m g / c) for quadratic drag, and v_t (1 - exp(-g t / v_t)) for
    linear drag.
    """
    for linear, quadratic in ((0.0, 0.02), (0.3, 0.0)):
        m = mbs.Model("falling")
        body = m.body("body", joint=mbs.Free(), mass=2.0, inertia=(1, 1, 1))
        m.start(body, u=(0, 0, 5, 0, 0, 0))
        m.drag("air", on=body, linear=linear, quadratic=quadratic, velocity=(0, 0, 5))
        m.output("v", mbs.velocity(body))
        result = mbs.simulate(m, 6.0, rtol=1e-10, atol=1e-12, output_interval=0.5)
        if quadratic:
            limit = math.sqrt(2 * 9.81 / quadratic)
            expected = limit * np.tanh(9.81 * result.time / limit)
        else:
            limit = 2 * 9.81 / linear
            expected = limit * (1 - np.exp(-9.81 * result.time / limit))
        assert result["v"][:, 2] == pytest.approx(5 - expected, abs=1e-8)
        assert np.abs(result["v"][:, :2]).max() == 0


def test_tangents_are_finite_at_rest() -> None:
    """If speeds, extensions and lengths are zero, all tangents are finite."""
    m = mbs.Model("at_rest", gravity=(0, 0, 0))
    body = m.body("body", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    arm = m.body("arm", body, mbs.Revolute("z"), mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1))
    m.drag("air", on=body, linear=1.0, quadratic=2.0)
    m.bushing("mount", "world", body, stiffness=1, damping=1, rotational_stiffness=1, rotational_damping=1)
    m.rotational_spring("twist", body, arm, axis="z", stiffness=1, damping=1)
    m.friction("dry", on=arm, torque=1.0, static=2.0)
    m.limit("stop", on=arm, lower=0, upper=0, stiffness=1, damping=1)
    plain = Plain(m)
    for k in range(plain.program.state_slice.stop - plain.program.state_slice.start):
        D = np.zeros_like(plain.R)
        D[plain.program.state_slice.start + k] = 1.0
        plain.real.derive_d(plain.R, D)
        assert np.all(np.isfinite(D[plain.program.rate_slice]))


# -- mistakes ----------------------------------------------------------------------------------------------


def mistaken(m: mbs.Model, hinge: mbs.Body, ball: mbs.Body) -> dict[str, tuple[Callable[[], None], str]]:
    """Return calls with one mistake each, by name, and the expected messages."""
    s: Any = m.spring
    return {
        "both": (lambda: s("x", on=hinge, force=lambda x: x, energy=lambda x: x), "give force= or energy=, not both"),
        "table": (lambda: s("x", on=hinge, force=([0, 0], [1, 2])), "strictly increasing"),
        "lengths": (lambda: s("x", on=hinge, force=([0, 1], [1])), "two or more points and as many values"),
        "three": (lambda: s("x", on=hinge, force=lambda x, v, w: x), "this one takes 3 arguments"),
        "energy": (lambda: s("x", on=hinge, energy=3.0), "energy of spring 'x' must be a function of the extension"),
        "rate": (lambda: s("x", on=hinge, force=lambda x, v: x / v), "divides by the speed"),
        "singular": (
            lambda: s("x", on=hinge, force=lambda x: 1 / x**2),
            "force of spring 'x' has no value at extension",
        ),
        "singular root": (lambda: s("x", on=hinge, force=lambda x: mbs.log(x)), "or energy= instead, whose derivative"),
        "ball": (lambda: m.limit("x", on=ball, coordinate=1, upper=1, stiffness=1), "whose coordinates allow no limit"),
        "bare ball": (lambda: s("x", on=ball, stiffness=1), "a ball or free joint, whose coordinates allow no spring"),
        "one body": (lambda: s("x", hinge, hinge, stiffness=1), "spring 'x' joins body 'hinge' with itself: give two"),
        "itself": (
            lambda: m.force("x", ball, force=(0, 0, 1), reaction_on=ball),
            "body 'ball' would act on itself",
        ),
        "one bushing": (
            lambda: m.bushing("x", hinge, hinge, stiffness=1),
            "bushing 'x' joins body 'hinge' with itself",
        ),
        "turned": (lambda: m.rotational_spring("x", ball, ball, stiffness=1), "joins body 'ball' with itself"),
        "no law": (lambda: s("x", "world", hinge), "spring 'x' does nothing: give stiffness=, damping=, force= or"),
        "no law on": (lambda: s("x", on=hinge, length=1), "spring 'x' does nothing: give stiffness="),
        "no turn": (lambda: m.rotational_spring("x", "world", hinge), "spring 'x' does nothing: give stiffness="),
        "no bushing": (lambda: m.bushing("x", "world", hinge), "bushing 'x' does nothing: give a stiffness or damping"),
        "no drag": (lambda: m.drag("x", on=hinge), "drag 'x' does nothing: give linear=, quadratic= or both"),
        "linear": (lambda: m.drag("x", on=hinge, linear=-1), "linear of drag 'x' is -1.0: it must not be negative"),
        "quadratic": (lambda: m.drag("x", on=hinge, quadratic=-1), "quadratic of drag 'x' is -1.0: it must not be"),
        "soft": (lambda: m.limit("x", on=hinge, upper=1, stiffness=0), "stiffness of limit 'x' is 0.0: it must be pos"),
        "damping": (lambda: m.limit("x", on=hinge, upper=1, stiffness=1, damping=-1), "is -1.0: it must not be neg"),
        "viscous": (
            lambda: m.friction("x", on=hinge, torque=1, viscous=-1),
            "viscous of friction 'x' is -1.0: it must",
        ),
        "no limit": (lambda: m.limit("x", on=hinge, stiffness=1), "give lower=, upper= or both"),
        "order": (lambda: m.limit("x", on=hinge, lower=1, upper=0, stiffness=1), "lower 1.0 lies above upper 0.0"),
        "unit": (lambda: m.friction("x", on=hinge, force=1.0), "turns: give torque="),
        "negative": (lambda: m.friction("x", on=hinge, torque=-1.0), "must not be negative"),
        "static": (lambda: m.friction("x", on=hinge, torque=2.0, static=1.0), "at least Coulomb's friction 2.0"),
        "speed": (lambda: m.friction("x", on=hinge, torque=2.0, speed=0.0), "it must be positive"),
        "axis": (lambda: m.rotational_spring("x", "world", hinge, axis="w"), "unknown axis 'w'"),
        "six": (lambda: m.bushing("x", "world", hinge, stiffness=(1, 2)), "must be 3 numbers such as (0, 0, 1): got 2"),
        "unknown": (lambda: m.bushing("x", "nothing", hinge), "unknown body 'nothing'"),
    }


@pytest.mark.parametrize("which", mistaken(mbs.Model("names"), None, None))  # type: ignore[arg-type]
def test_invalid_forces_are_refused(which: str) -> None:
    """Each message has the thing, the value and the remedy."""
    m = mbs.Model("mistakes")
    hinge = m.body("hinge", joint=mbs.Revolute("x"), mass=1.0, com=(0, 0, 1), inertia=(1, 1, 1))
    ball = m.body("ball", hinge, mbs.Spherical(), mass=1.0, inertia=(1, 1, 1))
    mistake, message = mistaken(m, hinge, ball)[which]
    with pytest.raises(mbs.ModelError) as error:
        mistake()
    assert message in str(error.value)
