"""Poisson impulses and the matrices of their equations, against the dense reference and the printed ones."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from models.four_bar import four_bar
from models.governor import governor
from support.cases import Case, each
from support.comparisons import assert_close, first_difference
from support.generators.coupled_joints import following_tree
from support.generators.elastic_mechanisms import bent_tree
from support.generators.loops import loops_of
from support.generators.mechanisms import COMPANIONS, JOINTS, add_drives, random_tree
from support.generators.trees import add_forces, add_rotors, moving_tree
from support.oracles.dense import Dense
from support.oracles.jets import Array

pytestmark = pytest.mark.usefixtures("in_plain_python")

EPS = np.finfo(float).eps
STEP = 1e-3  #: of fourth-order differences


def skew(x: Array) -> Array:
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def body_twist(T: Array, rate: Array) -> Array:
    """Return (v; w) in body axes of a frame with this rate."""
    W = np.linalg.solve(T, rate)
    return np.array([*W[:3, 3], W[2, 1], W[0, 2], W[1, 0]])


def blocks(matrices: list[Array]) -> Array:
    assembled = np.zeros((6 * len(matrices), 6 * len(matrices)))
    for k, block in enumerate(matrices):
        assembled[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = block
    return assembled


def inertia(P: Array) -> Array:
    """Return M of (8), from the integral of p pᵀ dm over the points p = (x; 1) of a body."""
    first = skew(P[:3, 3])
    return np.block([[P[3, 3] * np.eye(3), -first], [first, np.trace(P[:3, :3]) * np.eye(3) - P[:3, :3]]])


class Printed:
    """The matrices of (12) by their definitions (1), (2), (8): from frames of the dense reference and their slopes."""

    def __init__(self, dense: Dense, bodies: list[str], q: Array, u: Array):
        scene = dense.scene(q, u)
        frames = scene.frames
        self.S = np.eye(6 * len(bodies))
        for k, name in enumerate(bodies):
            parent = dense.parts[name].parent
            if parent != "world":
                between = np.linalg.solve(frames[parent].value, frames[name].value)
                G, rho = between[:3, :3].T, between[:3, 3]
                j = bodies.index(parent)
                self.S[6 * k : 6 * k + 3, 6 * j : 6 * j + 3] = self.S[6 * k + 3 : 6 * k + 6, 6 * j + 3 : 6 * j + 6] = -G
                self.S[6 * k : 6 * k + 3, 6 * j + 3 : 6 * j + 6] = G @ skew(rho)
        J = [[body_twist(frames[name].value, rate) for rate in frames[name].gradient] for name in bodies]
        self.J = np.array(J).transpose(0, 2, 1).reshape(6 * len(bodies), dense.n)
        self.A = self.S @ self.J
        self.v = np.concatenate([body_twist(frames[name].value, frames[name].first) for name in bodies])
        self.M = blocks([inertia(dense.parts[name].J) for name in bodies])
        twists = self.v.reshape(-1, 2, 3)
        self.Omega = blocks([np.block([[skew(w), np.zeros((3, 3))], [skew(v), skew(w)]]) for v, w in twists])
        self.Q = dense.bias(
            q, u
        )  # applied forces: the loop below removes the inertial forces at zero accelerations from the bias
        for name in bodies:
            T = frames[name]
            self.Q += (T.gradient @ dense.parts[name].J).reshape(-1, 16) @ T.second.ravel()
        self.q_dot = scene.coordinates.first


def rate_of_A(dense: Dense, bodies: list[str], q: Array, u: Array, q_dot: Array) -> Array:
    near = {k: Printed(dense, bodies, q + k * STEP * q_dot, u).A for k in (-2, -1, 1, 2)}
    return (8.0 * (near[1] - near[-1]) - (near[2] - near[-2])) / (12.0 * STEP)


def agree(computed: Array, expected: Array, tolerance: float) -> None:
    assert computed.shape == expected.shape
    bound = tolerance * max(1.0, np.abs(expected).max(initial=0.0))
    assert np.all(np.abs(computed - expected) <= bound), first_difference(computed, expected, bound)


@each(JOINTS, rounds=1, usual=1, quick=1)
def test_matrices_of_trees_equal_their_definitions(case: Case) -> None:
    """All matrices of (12) agree, with forces of all kinds; the definitions share no code with the kernels."""
    m = moving_tree(case, 5)
    add_forces(m, np.random.default_rng(case.seed))
    dense, s = Dense(m), mbs.extended_system(m)
    q, u = dense.read(mbs.assemble(m))
    own = [dense.rates.index(name) for name in s.velocities]
    printed = Printed(dense, s.bodies, q, u)
    for name in ("S", "M", "v", "Omega"):  # a few products of numbers below ten
        agree(getattr(s, name), getattr(printed, name), 1e-13)
    agree(s.T, np.linalg.inv(printed.S), 1e-13)
    agree(s.A, printed.A[:, own], 1e-13)
    agree(s.v_star, np.zeros_like(s.v), 1e-13)
    mu = np.linalg.inv(printed.S).T @ printed.M @ printed.v
    p = (dense.mass_matrix(q) @ u)[own]
    agree(s.mu, mu, 1e-12)
    agree(s.p, p, 1e-12)
    agree(s.Q, printed.Q[own], 1e-12 * max(1.0, np.abs(s.p_dot).max()))  # remaining terms of p_dot
    # h⁴/30 times a fifth derivative, of joint velocities below four
    agree(s.A_dot, rate_of_A(dense, s.bodies, q, u, printed.q_dot)[:, own], 1e-9)
    check_linear_system(s)


def check_linear_system(s: mbs.ExtendedSystem) -> None:
    """Check that the linear system returns v, u and mu, and p_dot as in (12)."""
    x = np.linalg.solve(s.matrix, s.right)
    expected = np.concatenate([s.v, s.u, s.mu])
    bound = 100 * EPS * np.linalg.cond(s.matrix) * max(1.0, np.abs(expected).max())
    assert_close(x, expected, bound, "solution v, u, mu of the linear system")
    agree(s.matrix, s.matrix.T, 1e-15)
    convective = (s.A_dot.T - s.A.T @ s.Omega) @ s.mu
    agree(convective + s.Q, s.p_dot, 1e-14 * max(1.0, np.abs(convective).max(initial=0.0)))


@each(("revolute", "screw"), rounds=2, usual=1)
def test_followers_rotors_and_drives_keep_the_form(case: Case) -> None:
    """Columns of followers are included in those of their leaders, rotors appear beside A'mu, and prescribed motions
    are v_star.
    """
    following = following_tree(case, 6)
    add_rotors(following)
    driven = random_tree(np.random.default_rng(case.seed), 6, "tree", COMPANIONS, case.joint)
    add_drives(driven, np.random.default_rng(case.seed))
    for m in (following, driven):
        s = mbs.extended_system(m, time=0.3)
        check_linear_system(s)
        agree(s.v, s.T @ (s.A @ s.u + s.v_star), 1e-13)
    assert np.any(s.v_star)
    assert np.any(mbs.extended_system(following).rotors)


def test_matrices_of_the_governor_are_those_of_the_paper() -> None:
    """A_2, its rate, M_2 and Q of I16 agree with the corrections of docs/equations.md, at a generic state."""
    m = governor()
    y, a, b, w, y_t, a_t, b_t = 0.3, 0.4, -0.7, 2.0, 0.5, -0.6, 1.1
    places, speeds = (y, a, b), (y_t, a_t, b_t)
    start = {f"arm.{name}[{k + 1}]": x for name, three in (("q", places), ("u", speeds)) for k, x in enumerate(three)}
    start["shaft.w"] = w
    s = mbs.extended_system(m, start, inputs={"torque": 0.8})
    (sa, sb), (ca, cb) = np.sin([a, b]), np.cos([a, b])
    A_2 = [[sa * sb, 0, 0], [ca, 0, 0], [-sa * cb, 0, 0], [0, cb, 0], [0, 0, 1], [0, sb, 0]]
    A_2_dot = [
        [a_t * ca * sb + b_t * sa * cb, 0, 0], [-a_t * sa, 0, 0], [-a_t * ca * cb + b_t * sa * sb, 0, 0],
        [0, -b_t * sb, 0], [0, 0, 0], [0, b_t * cb, 0],
    ]  # fmt: skip
    agree(s.A[6:, 1:], np.array(A_2), 1e-14)
    agree(s.A_dot[6:, 1:], np.array(A_2_dot), 1e-14)
    assert np.array_equal(s.A[:6], np.outer([0, 0, 0, 0, 0, 1], [1, 0, 0, 0]))
    arm, g = m.bodies["arm"], 9.81
    mass, z = arm.mass.value, arm.com[2].value
    M_2 = mass * np.eye(6)
    M_2[3:, 3:] = np.array([[x.value for x in row] for row in arm.inertia]) + mass * z**2 * np.diag([1, 1, 0])
    M_2[0, 4] = M_2[4, 0] = mass * z
    M_2[1, 3] = M_2[3, 1] = -mass * z
    agree(s.M[6:, 6:], M_2, 1e-14)
    Q = [0.8, 400.0 * (0.2 - y) - 4.0 * y_t, g * mass * z * sa * cb - 0.05 * a_t, g * mass * z * ca * sb - 0.05 * b_t]
    agree(s.Q, np.array(Q), 1e-14)  # the spring, with dampers that are not in the paper


@each(("revolute", "spherical", "distance"), rounds=1, usual=1)
def test_impulses_of_loops_equal_the_momenta_of_their_velocities(case: Case) -> None:
    """p = M u with all loops closed, and mu is the momentum of the branch."""
    m = loops_of(case, 5)
    computed, s = mbs.poisson_impulses(m), mbs.extended_system(m)
    start = mbs.assemble(m)
    M, names = mbs.mass_matrix(m)
    agree(s.p, M @ np.array([start[name] for name in names]), 1e-13)
    agree(np.concatenate([computed[name].mu for name in s.bodies]), s.mu, 1e-13)
    agree(np.concatenate([computed[name].p for name in computed]), s.p, 1e-15)


@pytest.mark.parametrize("seed", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_branch_momenta_of_elastic_bodies_sum_to_the_total(seed: int) -> None:
    """The sum is over branches on the world; momenta along joints are components of branch momenta."""
    m = bent_tree(seed, 4)
    m.output("P", [*mbs.momentum(), *mbs.angular_momentum()])
    for name in m.bodies:
        m.output(f"x_{name}", [*mbs.position(name), *mbs.orientation(name)])
    run = mbs.simulate(m, 1e-3, output_interval=1e-3)
    total = np.zeros(6)
    computed = mbs.poisson_impulses(m)
    for name, body in m.bodies.items():
        if body.parent == "world":
            x, Q = run[f"x_{name}"][0][:3], run[f"x_{name}"][0][3:]
            R = np.eye(3) + 2 * (Q[0] * skew(Q[1:]) + skew(Q[1:]) @ skew(Q[1:]))
            f, n = R @ computed[name].mu[:3], R @ computed[name].mu[3:]
            total += [*f, *(n + np.cross(x, f))]
    agree(total, run["P"][0], 1e-12)
    with pytest.raises(
        mbs.ArgumentError, match=r"body 'b0' is elastic, .*use mbs.poisson_impulses, .*or leave elastic= out"
    ):
        mbs.extended_system(m)


# -- columns of runs -------------------------------------------------------------------------------------


@each(JOINTS, rounds=1, usual=1, quick=1)
def test_columns_of_momenta_equal_mass_matrix_times_velocities(case: Case) -> None:
    """With momenta=True a run has columns M(q) u in every row, and all others are unchanged."""
    m = moving_tree(case, 3)
    dense = Dense(m)
    run = mbs.simulate(m, 0.05, output_interval=0.025, momenta=True)
    without = mbs.simulate(m, 0.05, output_interval=0.025)
    assert np.array_equal(run.data[:, : len(without.columns)], without.data)
    names = [f"{b.name}.{suffix}" for b in m.bodies.values() for suffix, _ in b.momenta]
    assert sorted(run.columns[len(without.columns) :]) == sorted(names)
    assert all(run.unit(name) in ("N.s", "N.m.s") for name in names)
    rates = [f"{b.name}.{suffix}" for b in m.bodies.values() for suffix, _ in b.rates]
    for row, (q, u) in enumerate(zip(*(x.T for x in dense.read(run)), strict=True)):
        p = dict(zip(dense.rates, dense.mass_matrix(q) @ u, strict=True))
        agree(np.array([run[name][row] for name in names]), np.array([p[name] for name in rates]), 1e-12)


def test_momenta_include_the_velocity_of_a_driven_base() -> None:
    """A slide on a base that follows an input table has m (V + u), in single runs, in batches, and in files."""
    m = Model("base", gravity=(0, 0, 0))
    speed = m.input("speed")
    place = m.state("place", rate=speed)
    base = m.body("base", joint=mbs.Prismatic("x"))
    m.drive("given", on=base, position=place, rate=speed)
    cart = m.body("cart", base, mbs.Prismatic("x"), mass=m.parameter("mass", 2.0))
    m.start(cart, u=3.0)
    speeds = {"speed": ([0.0, 1.0], [0.5, 1.5])}
    run = mbs.simulate(m, 1.0, inputs=speeds, output_interval=0.1, momenta=True, parameters={"mass": 4.0})
    assert run.columns[-1] == "cart.p"
    agree(run["cart.p"], 4.0 * (run["speed"] + run["cart.v"]), 1e-15)
    masses = np.array([1.0, 2.0])
    batch = mbs.Batch(parameters={"mass": masses})
    runs = mbs.simulate(m, 1.0, inputs=speeds, output_interval=0.1, momenta=True, batch=batch)
    agree(runs["cart.p"], masses[:, None] * (runs["speed"] + runs["cart.v"]), 1e-15)
    assert "cart.p" not in mbs.simulate(m, 1.0, inputs=speeds, output_interval=0.1)


def test_impulses_along_drives_have_no_column() -> None:
    """A drive whose force is an output has no column, and neither has a follower beside it."""
    m = Model("turntable", gravity=(0, 0, 0))
    table = m.body("table", joint=mbs.Revolute("z"), mass=2.0, inertia=(1.0, 1.0, 2.0))
    m.drive("turning", on=table, position=mbs.time**2)
    cart = m.body("cart", table, mbs.Prismatic("x"), mass=3.0)
    m.follow("wheel", m.body("disc", table, mbs.Revolute("z"), mass=1.0, inertia=(0.1, 0.1, 0.2)), cart)
    m.start(cart, u=0.5)
    m.output("torque", mbs.drive_force("turning"))
    run = mbs.simulate(m, 0.1, output_interval=0.05, momenta=True)
    assert run.columns[-2:] == ["torque", "cart.p"]
    agree(run["cart.p"], 3.0 * run["cart.v"] + 0.2 * (run["table.w"] + run["cart.v"]), 1e-12)


def test_momenta_of_loops_exclude_constraint_impulses(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """For a four-bar, as a tree with a loop and in absolute form, momenta are M u of the row."""
    m = four_bar()
    run = mbs.simulate(m, 0.1, output_interval=0.05, momenta=True)
    for row in range(len(run)):
        M, names = mbs.mass_matrix(m, {name: run[name][row] for name in run.columns if name.endswith((".phi", ".w"))})
        p = M @ [run[name][row] for name in names]
        agree(np.array([run[name.replace(".w", ".p")][row] for name in names]), p, 1e-9)  # assembled again
    absolute = mbs.simulate(m, 0.1, output_interval=0.05, momenta=True, formulation="absolute")
    assert absolute.columns == run.columns
    agree(absolute.data, run.data, 1e-5)
    assert np.array_equal(mbs.Result.read(run.to_npz(tmp_path / "run.npz"))["crank.p"], run["crank.p"])


def test_sensitivities_of_momenta_are_refused() -> None:
    with pytest.raises(mbs.ArgumentError, match="momenta have no sensitivities: leave momenta="):
        mbs.simulate(four_bar(), 0.1, sensitivities=["crank.w"], momenta=True)
    with pytest.raises(mbs.ArgumentError, match="momenta"):
        mbs.simulate(four_bar(), 0.1, momenta="yes")  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["elastic", "following"])
def test_momenta_of_modes_and_followers_equal_impulses(kind: str) -> None:
    """At the start they are those of `mbs.poisson_impulses`, including those of vibration modes, and of followers in
    their leaders'.
    """
    m = bent_tree(3, 4) if kind == "elastic" else following_tree(Case("revolute", 1), 6)
    if kind == "following":
        add_rotors(m)
    run = mbs.simulate(m, 1e-3, output_interval=1e-3, momenta=True)
    computed, rows = mbs.poisson_impulses(m), run.columns[-sum(len(x.p) for x in mbs.poisson_impulses(m).values()) :]
    assert all(".p" in name for name in rows)
    assert any("p_xi" in name for name in rows) == (kind == "elastic")
    for name, impulses in computed.items():
        own = [run[column][0] for column in rows if column.rsplit(".", 1)[0] == name]
        agree(np.array(own), impulses.p, 1e-12)


def test_a_run_that_ends_early_has_momenta() -> None:
    """The result of its error has momenta for all of its rows."""
    m = Model("swing")
    body = m.body("body", joint=mbs.Spherical("ship"), mass=1.0, com=(0, 0, -0.2), inertia=(0.3, 0.2, 0.1))
    m.start(body, u=(0, 6.0, 0))
    with pytest.raises(mbs.SimulationError) as caught:
        mbs.simulate(m, 5.0, output_interval=0.1, momenta=True)
    rows = caught.value.result
    assert 1 < len(rows["body.p[2]"]) == len(rows) < 51
