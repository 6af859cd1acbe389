"""Constraints on velocities: accelerations, closed forms of rolling and skating, and refused conditions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.model import Model
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.loops import PlainLoops, close_between, state, world_poses
from support.generators.mechanisms import random_tree
from support.oracles.complex_steps import STEP
from support.oracles.dense import Dense, split

JOINTS = ("revolute", "prismatic", "universal", "compound", "spherical", "free")
SCALAR = ("revolute", "prismatic", "universal", "compound")
ALPHA = 2.0


# -- accelerations --------------------------------------------------------------------------------------------
def direction(name: str, rng: np.random.Generator) -> mbs.Vector:
    """Return a direction that is fixed in a body."""
    return mbs.position(name, rng.normal(size=3)) - mbs.position(name)


def rate_row(m: Model, rng: np.random.Generator, kind: int) -> mbs.Expression:
    """Return a nonholonomic condition: on the velocity of a point, an angular velocity, or joint velocities."""
    names = [b.name for b in m.bodies.values()]
    one, other = (str(x) for x in rng.choice(names, size=2, replace=False))
    a, t = rng.normal(size=4), mbs.time
    q = next((mbs.coordinate(b, 1) for b in m.bodies.values() if b.joint.scalar), t)
    free = 0.4 * a[0] * mbs.cos(q + t)
    if kind == 0:
        return mbs.velocity(one, rng.normal(size=3)).dot(direction(other, rng)) + free
    if kind == 1:
        spin = mbs.angular_velocity(one) - 0.3 * mbs.angular_velocity(other)
        return spin.dot(direction(other, rng)) * (1.0 + 0.3 * mbs.sin(t)) + free
    total = free
    for k, body in enumerate(m.bodies.values()):
        for j in range(len(body.joint.rates)):
            total += (a[1] + mbs.sin(a[2] * q + (k + j) * t) + 0.2 * k) * mbs.rate(body, j + 1)
    return total


def bound(seed: int, joints: tuple[str, ...] = JOINTS) -> Model:
    """Return a tree with two to four constraints on velocities, and a rod, that leave it some freedom."""
    rng = np.random.default_rng(seed)
    while True:
        m = drawn(rng, seed, joints)
        dense = Dense(m)
        sizes = np.linalg.svd(dense.jacobian(dense.q0))[1]
        if sizes[-1] > 0.05 * sizes[0] and len(sizes) < dense.n:
            return m


def drawn(rng: np.random.Generator, seed: int, joints: tuple[str, ...]) -> Model:
    """Return a random tree with a rod and two to four constraints on velocities, multipliers as outputs."""
    m = random_tree(rng, 4 + seed % 4, ("chain", "tree", "star")[seed % 3], joints)
    m.body("last", "b1", mbs.Universal("xy"), 0.7, (0.1, 0.2, 0.3), (0.04, 0.05, 0.06), (0.2, 0, 0.1))
    m.start("last", q=(0.2, -0.3), u=(0.1, 0.4))
    close_between(m, rng, "rod", "distance", "world", "last", world_poses(m))
    for k in range(2 + seed % 3):
        m.constrain(f"rates{k}", rate_row(m, rng, (seed + k) % 3))
    for name, start in m.starts.items():
        m.start(name, q=start.q, u=start.u, guess=True)
    m.stabilize(alpha=ALPHA)
    for name in m.loops:
        m.output(name, mbs.multiplier(name))
    return m


def late_state(m: Model, solver: str, seed: int) -> PlainLoops:
    """Return a late state, with the rod slightly open and large impulses."""
    plain = PlainLoops(m, solver)
    rng, R = np.random.default_rng(seed), plain.R
    R[0] = 0.7
    R[plain.slice("q")] += 0.01 * rng.normal(size=plain.real.NQ)
    plain.real.normalise(R)
    R[plain.slice("p")] += 3.0 * rng.normal(size=plain.real.NV)
    R[plain.real.ROW_SELECTION] = plain.real.FREE_SELECTION
    assert R[plain.real.ALPHA] == ALPHA
    return plain


def solved(dense: Dense, q: np.ndarray, u: np.ndarray, t: float, more: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (u_dot, lambda) with residuals that decay with alpha, and with additional forces along u."""
    G, M = dense.jacobian(q, t), dense.mass_matrix(q)
    opens = np.where(dense.binding, G @ u + dense.time_rate(q, t), 0.0)
    n, rows = dense.n, len(G)
    K = np.block([[M, -G.T], [G, np.zeros((rows, rows))]])
    right = np.concatenate([dense.bias(q, u, t) + more, -dense.drift(q, u, t) - ALPHA * opens])
    x = np.linalg.solve(K, right)
    return x[:n], x[n:]


@pytest.mark.parametrize("solver", tiers(["cholesky", "sweep"], usual=1))
@pytest.mark.parametrize("seed", tiers(range(8), usual=1))
def test_rate_constraints_obey_dalemberts_principle(seed: int, solver: str) -> None:
    """For any impulses, constraint forces act along their rows and nowhere else."""
    m = bound(seed)
    plain, dense = late_state(m, solver, seed), Dense(m)
    R, D = plain.R, np.zeros_like(plain.R)
    D[plain.program.state_slice], D[0] = plain.rates(), 1.0
    plain.real.derive_d(R, D)
    plain.real.outputs(R)
    slots = {v.name: v.slot for v in plain.program.variables}
    q, u = state(plain, dense)
    G = dense.jacobian(q, 0.7)
    assert len(G) == 3 + seed % 3 and split(G)[3] == len(G)
    off = G @ u + dense.time_rate(q, 0.7) + ALPHA * dense.residual(q, 0.7)
    assert_close(off, 0.0, 1e-11 * (1.0 + np.abs(u).max()), "row rate")
    u_dot, multipliers = solved(dense, q, u, 0.7, np.zeros(dense.n))
    computed = np.array([D[slots[name]] for name in dense.rates])
    assert np.abs(computed - u_dot).max() <= 1e-10 * np.abs(u_dot).max(), (
        f"accelerations, computed minus expected: {dict(zip(dense.rates, computed - u_dot))}"
    )
    computed = np.array([R[slots[name]] for name in m.loops])
    assert np.abs(computed - multipliers).max() <= 1e-10 * np.abs(multipliers).max(), (
        f"multipliers, computed minus expected: {dict(zip(m.loops, computed - multipliers))}"
    )
    assert np.abs(plain.get(R, "multipliers")).min() > 1e-3 and np.abs(plain.get(R, "multipliers")).max() > 1.0


@pytest.mark.parametrize("seed", tiers((0, 2, 3, 5, 1), usual=1))
def test_impulses_of_rate_constraints_act_along_the_rows(seed: int) -> None:
    """For the rod alone, d/dt(Jᵀ) Lambda is the gradient of Lambda J u by positions.

    For constraints on velocities it differs, and accelerations with the gradient would be far off.
    """
    m = bound(seed, SCALAR)
    plain, dense = late_state(m, "cholesky", seed), Dense(m)
    f, R = plain.rates(), plain.R
    u, L = R[plain.slice("u")].copy(), R[plain.slice("multipliers")].copy()
    Z = R.astype(complex)
    Z[plain.program.state_slice] += 1j * STEP * f
    Z[0] += 1j * STEP
    rates = plain.jacobian(Z).imag / STEP
    slopes = np.zeros((len(L), plain.real.NQ))
    for k in range(plain.real.NQ):
        Z = R.astype(complex)
        Z[plain.slice("q").start + k] += 1j * STEP
        slopes[:, k] = (plain.jacobian(Z) @ u).imag / STEP
    own = [v.slot - plain.slice("u").start for v in plain.program.of_role("rate")]
    names = [v.name for v in plain.program.of_role("rate")]
    off = slopes - rates  # of scalar coordinates, for which q_dot = u in the same order
    binding = plain.real.ROW_BINDS.astype(bool)
    assert np.array_equal(binding, dense.binding) and list(binding) == [True] + [False] * (len(L) - 1)
    share = np.linalg.norm(off, axis=1) / np.linalg.norm(rates, axis=1)
    assert share[0] < 1e-13 and share[1:].max() > 0.5
    wrong = (off.T @ L)[own]
    q, u = state(plain, dense)
    order = [names.index(name) for name in dense.rates]
    right = solved(dense, q, u, 0.7, np.zeros(dense.n))[0]
    moved = solved(dense, q, u, 0.7, wrong[order])[0]
    assert np.linalg.norm(moved - right) > 0.01 * np.linalg.norm(right)


# -- closed forms ---------------------------------------------------------------------------------------------
def test_a_sled_on_an_incline_follows_the_closed_form() -> None:
    """A knife edge under the centre of mass turns steadily: the sled moves across the slope, and
    never down for long.
    """
    G, w = 9.81 * np.sin(0.4), 1.3
    m = Model("sled", gravity=(G, 0.0, -9.81 * np.cos(0.4)))
    sled = m.body("sled", joint=mbs.Planar("z"), mass=2.0, inertia=(0.2, 0.2, 0.3))
    m.roll("edge", sled, axis="y")
    m.start(sled, q=(0, 0, 0), u=(0, 0, w))
    m.output("r", mbs.position(sled))
    r = mbs.simulate(m, 10.0, method="rk4", step=0.002, output_interval=0.1)
    t = r.time
    assert_close(r["r[1]"], G / (2 * w**2) * np.sin(w * t) ** 2, 1e-9, "r[1]", times=r.time)
    assert_close(r["r[2]"], G / (2 * w**2) * (w * t - 0.5 * np.sin(2 * w * t)), 1e-9, "r[2]", times=r.time)
    assert np.abs(r["r[2]"]).max() > 10.0


@pytest.mark.slow
@pytest.mark.parametrize("driven", tiers([True, False], usual=1))
def test_a_ball_on_a_turning_table_moves_in_a_circle(driven: bool) -> None:
    """Its centre revolves at 2/7 of the table's speed, for every way to keep the table turning."""
    speed, radius, x, v = 1.5, 0.1, np.array([0.3, 0.1]), np.array([0.05, -0.2])
    m = Model("turntable")
    J = 1e12
    table = m.body("table", joint=mbs.Revolute("z"), mass=1.0, inertia=(J, J, J))
    if driven:
        m.drive("turning", on=table, position=speed * mbs.time)
    else:
        m.start(table, q=0, u=speed)
    inertia = (0.4 * 0.3 * radius**2,) * 3
    ball = m.body("ball", joint=mbs.Free(), mass=0.3, inertia=inertia)
    m.roll("touch", ball, table, radius=radius, axis=None, at_on=(0.02, 0.01, 0.0))
    spin = ((speed * x[0] - v[1]) / radius, (v[0] + speed * x[1]) / radius, 0.7)
    m.start(ball, q=(*x, radius, 1, 0, 0, 0), u=(*v, 0, *spin))
    m.output("r", mbs.position(ball))
    r = mbs.simulate(m, 10.0, method="dop853", rtol=1e-12, output_interval=0.1)
    w = 2.0 / 7.0 * speed
    centre = (x[0] + 1j * x[1]) + 1j * (v[0] + 1j * v[1]) / w
    exact = centre - 1j * (v[0] + 1j * v[1]) / w * np.exp(1j * w * r.time)
    assert_close(r["r[1]"] + 1j * r["r[2]"], exact, 1e-9, "r[1]", times=r.time)
    assert_close(r["r[3]"], radius, 1e-12, "r[3]", times=r.time)


# -- refused conditions ------------------------------------------------------------------------------------------
def two() -> Model:
    m = Model("two")
    m.body("base", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.body("wheel", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    m.start("wheel", q=(0, 0, 0.3, 1, 0, 0, 0), guess=True)
    return m


REFUSED: dict[str, tuple[str, Callable[[Model], object]]] = {
    "squares": (
        r"loop 'tie', equation 2: it is not linear in rates",
        lambda m: m.constrain("tie", [mbs.rate("base") - 1.0, mbs.rate("base") ** 2 - 1.0]),
    ),
    "products": (
        r"loop 'tie', equation 1: it is not linear in rates",
        lambda m: m.constrain("tie", mbs.rate("base") * mbs.velocity("wheel")[0]),
    ),
    "inputs": (
        r"loop 'tie' depends on level",
        lambda m: m.constrain("tie", mbs.rate("base") - m.input("level")),
    ),
    "no radius": (r"radius of loop 'roll' is 0\.0: it must be positive", lambda m: m.roll("roll", "wheel", radius=0)),
    "a negative radius": (
        r"radius of loop 'roll' is -0\.1: it must be positive",
        lambda m: m.roll("roll", "wheel", radius=-0.1),
    ),
    "a negative crown": (
        r"crown of loop 'roll' is -0\.1: it must not be negative",
        lambda m: m.roll("roll", "wheel", radius=0.2, crown=-0.1),
    ),
    "a ball with a crown": (
        r"loop 'roll': a ball has no crown",
        lambda m: m.roll("roll", "wheel", radius=0.2, axis=None, crown=0.1),
    ),
    "a radius that changes": (
        r"radius of loop 'roll' depends on time: it may depend on parameters only",
        lambda m: m.roll("roll", "wheel", radius=0.3 + mbs.time),
    ),
    "an edge along nothing": (r"roll 'roll': give radius=", lambda m: m.roll("roll", "wheel", axis=None)),
    "no axis": (r"has no direction", lambda m: m.roll("roll", "wheel", radius=0.3, axis=(0, 0, 0))),
    "no axis across": (r"has no direction", lambda m: m.roll("roll", "wheel", axis=(0, 0, 0))),
    "itself": (r"loop 'roll' joins body 'wheel' with itself", lambda m: m.roll("roll", "wheel", "wheel", radius=0.3)),
}


@pytest.mark.quick
@pytest.mark.parametrize("what", REFUSED)
def test_invalid_rate_constraints_are_refused(what: str) -> None:
    message, build = REFUSED[what]
    m = two()
    with pytest.raises(mbs.ModelError, match=message):
        build(m)
        compile_model(m)


@pytest.mark.slow
def test_a_wheel_that_lies_flat_is_refused_at_the_start() -> None:
    """No single point of its rim touches the ground; a leaning wheel starts."""
    m = two()
    m.roll("roll", "wheel", radius=0.3, axis="z")
    for angle in (0.0, 1e-8):
        m.start("wheel", q=(0, 0, 0, 1, angle, 0, 0))
        with pytest.raises(mbs.ModelError, match=r"loop 'roll': the wheel lies flat on its plane.*start it upright"):
            mbs.simulate(m, 0.01)
    m.start("wheel", q=(0, 0, 0.2, 0.9, 0.4, 0, 0), guess=True)
    mbs.simulate(m, 0.01)


@pytest.mark.slow
def test_a_radius_by_a_parameter_is_checked_at_run_time() -> None:
    """The message names the parameter if its value leaves no radius."""
    m = two()
    m.roll("roll", "wheel", radius=m.parameter("r", 0.3), axis=None)
    mbs.simulate(m, 0.01)
    with pytest.raises(mbs.ModelError, match=r"radius of loop 'roll' must be positive: change parameter 'r'"):
        mbs.simulate(m, 0.01, parameters={"r": -0.1})
