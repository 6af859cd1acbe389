"""Forward dynamics against the dense reference and inverse dynamics; Jacobians against differences of poses."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.analysis.mechanism import Mechanism
from mbs_fmu.model.model import Model
from models.four_bar import four_bar
from support.cases import Case, each
from support.comparisons import assert_close
from support.generators.loops import loops_of
from support.generators.mechanisms import JOINTS
from support.generators.trees import moving_tree
from support.oracles.dense import Dense

pytestmark = pytest.mark.usefixtures("in_plain_python")

STEP = 1e-3  #: of fourth-order differences
EPS = np.finfo(float).eps
TWIST = ("v_x", "v_y", "v_z", "w_x", "w_y", "w_z")


def dense_accelerations(dense: Dense, start: dict[str, float], forces: np.ndarray) -> np.ndarray:
    """Return accelerations by the dense reference, with forces along all joints: virtual work in motions that the loops
    allow.
    """
    q, u = dense.read(start)
    own = dense.accelerations(q, u, 0.0)[0]
    J = dense.jacobian(q)
    M = dense.mass_matrix(q)
    _, sizes, Vt = np.linalg.svd(J)
    N = Vt[np.sum(sizes > 1e-9 * max(sizes, default=0.0)) :].T if len(J) else np.eye(len(u))
    return np.asarray(own + N @ np.linalg.solve(N.T @ M @ N, N.T @ forces))


def check(m: Model, seed: int, accuracy: float) -> None:
    """Compare accelerations under random forces with the dense reference."""
    dense, rng = Dense(m), np.random.default_rng(seed)
    start = mbs.assemble(m)
    tau = rng.normal(size=dense.n)
    forces = dict(zip(dense.rates, tau.tolist(), strict=True))
    computed = mbs.forward_dynamics(m, start, forces)
    expected = dense_accelerations(dense, start, tau)
    assert list(computed) == Mechanism(m).rate_names
    bound = accuracy * np.linalg.cond(dense.mass_matrix(dense.read(start)[0])) * np.abs(expected).max()
    assert_close([computed[name] for name in dense.rates], expected, bound, "acceleration", dense.rates)


@each(JOINTS, rounds=1, usual=1, quick=1)
def test_forward_dynamics_of_trees_equals_the_dense_one(case: Case) -> None:
    """M u' is the sum of the arguments and of the model's forces, in motion."""
    check(moving_tree(case, 4), case.seed, 100 * EPS)


@each(("spherical", "distance", "rolling", "ellipses"), rounds=1, usual=1)
def test_forward_dynamics_of_loops_equals_the_dense_one(case: Case) -> None:
    """The law holds along motions that the loops allow; two assemblies and two curvature terms cost half the digits."""
    check(loops_of(case, 4), case.seed, 1e-11)


@pytest.mark.quick
def test_forward_dynamics_inverts_inverse_dynamics() -> None:
    """Forces are passed by names of columns, by bodies, and by names of forces."""
    m = moving_tree(Case("universal", 1), 4)
    start = mbs.assemble(m)
    body = next(b for b in m.bodies.values() if b.joint.motions)
    tau = np.arange(1.0, 1.0 + len(body.joint.rates))
    computed = mbs.forward_dynamics(m, start, {body: tau})
    named = {f"{body.name}.{name}": x for (name, _), x in zip(body.joint.forces, tau, strict=True)}
    assert mbs.forward_dynamics(m, start, named) == computed
    kinds = {role: {v.name for v in Mechanism(m).program.of_role(role)} for role in ("coordinate", "rate")}
    q, u = ({k: x for k, x in start.items() if k in kinds[role]} for role in kinds)
    back = mbs.inverse_dynamics(m, q, u, computed)
    largest = max(np.abs(x).max() for x in back.values())
    for name, x in back.items():
        expected = tau if name == body.name else 0.0
        assert_close(x, expected, 1e-10 * max(largest, 1e2), f"joint force of body {name!r}")


@pytest.mark.quick
def test_unknown_forces_are_refused() -> None:
    m = four_bar()
    with pytest.raises(mbs.ArgumentError, match=r"forces: unknown body or column 'crank.f' \(did you mean 'crank.tau'"):
        mbs.forward_dynamics(m, forces={"crank.f": 1.0})
    with pytest.raises(mbs.ArgumentError, match="forces must be a dictionary by body or column, not 3"):
        mbs.forward_dynamics(m, forces=3.0)  # type: ignore[arg-type]
    with pytest.raises(mbs.ModelError, match="forces of 'crank': its joint has 1 of them, 2 given"):
        mbs.forward_dynamics(m, forces={"crank": (1.0, 2.0)})


# -- Jacobians ------------------------------------------------------------------------------------------


def check_jacobian(m: Model, body: str, seed: int) -> None:
    """Compare J u with the rate of the place: differences have errors of h^4 and eps/h, some 1e-11
    of the sizes here.
    """
    rng, dense, mechanism = np.random.default_rng(seed), Dense(m), Mechanism(m)
    point, start = rng.normal(size=3), mbs.assemble(m)
    J, names = mbs.jacobian(m, body, start, point=point)
    q = dense.read(start)[0]
    R = mechanism.record(start, {}, {}, 0.0)
    mechanism.begin(R)
    u = rng.normal(size=len(names))
    rates = dict(
        zip([v.name for v in mechanism.program.of_role("coordinate")], mechanism.coordinate_rates(R, u), strict=True)
    )
    q_dot = np.array([rates[name] for name in dense.coordinates])

    def place(h: float) -> tuple[np.ndarray, np.ndarray]:
        A, x = dense.poses(q + h * q_dot)[body]
        return A, x + A @ point

    weights = ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0))
    A_dot, v = (sum(w * place(k * STEP)[part] for k, w in weights) / (12 * STEP) for part in (0, 1))
    A = place(0.0)[0]
    turning = A_dot @ A.T
    w = 0.5 * np.array([turning[2, 1] - turning[1, 2], turning[0, 2] - turning[2, 0], turning[1, 0] - turning[0, 1]])
    scale = max(np.abs(J).max(), 1.0) * np.abs(u).max()
    assert names == mechanism.rate_names
    assert_close(J @ u, [*v, *w], 1e-9 * scale, f"twist of body {body!r}", TWIST)
    turned = mbs.jacobian(m, body, start, point=point, axes="body").matrix
    assert_close(np.kron(np.eye(2), A) @ turned, J, 1e-13 * scale, f"turned Jacobian of body {body!r}", names)


@each(JOINTS, rounds=1, usual=1, quick=1)
def test_jacobians_of_trees_equal_differences(case: Case) -> None:
    m = moving_tree(case, 4)
    check_jacobian(m, [name for name, body in m.bodies.items() if body.joint.motions][-1], case.seed)


@pytest.mark.slow
def test_jacobians_in_loops_are_those_of_the_tree() -> None:
    m = four_bar()
    check_jacobian(m, "rocker", 1)
    check_jacobian(m, list(m.bodies)[1], 2)


@pytest.mark.slow
def test_jacobians_of_nodes_have_columns_of_modes() -> None:
    """Nodes of elastic bodies are bodies: the column of the first mode is the motion of the tip."""
    m = Model("boom")
    rod = mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=2, along="x", elements=2)
    boom = m.body("boom", joint=mbs.Revolute("y"), elastic=rod)
    tip = boom.node(list(rod.nodes)[-1])
    m.output("tip", mbs.position(tip))
    J, names = mbs.jacobian(m, tip, {"boom.phi": 0.3})
    assert names == ["boom.w", "boom.xi_dot[1]", "boom.xi_dot[2]"]
    assert_close(J[:, 0], [-np.sin(0.3), 0, -np.cos(0.3), 0, 1, 0], 1e-14, "column of boom.w", TWIST)
    bent = [mbs.linearize(m, start={"boom.phi": 0.3, "boom.xi[1]": x}).values for x in (-1e-3, 1e-3)]
    computed = [(bent[1][f"tip[{k}]"] - bent[0][f"tip[{k}]"]) / 2e-3 for k in (1, 2, 3)]
    assert_close(J[:3, 1], computed, 1e-6 * np.abs(J[:3, 1]).max(), "column of boom.xi_dot[1]", TWIST)


@pytest.mark.quick
def test_jacobians_of_followers_and_drives_belong_to_free_velocities() -> None:
    m = Model("gripper")
    solid = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    m.body("rail", joint=mbs.Prismatic("x"), **solid)  # type: ignore[arg-type]
    m.body("left", "rail", mbs.Prismatic("y"), **solid)  # type: ignore[arg-type]
    m.body("right", "rail", mbs.Prismatic("y"), **solid)  # type: ignore[arg-type]
    m.follow("pair", on="right", leader="left", ratio=-2.0)
    m.drive("drive", on="rail", position=3.0 * mbs.time)
    J, names = mbs.jacobian(m, "right")
    assert names == ["left.v"] and np.array_equal(J[:, 0], [0, -2.0, 0, 0, 0, 0])


@pytest.mark.quick
def test_invalid_arguments_of_jacobians_are_refused() -> None:
    with pytest.raises(mbs.ArgumentError, match=r"unknown body 'krank' \(did you mean 'crank'"):
        mbs.jacobian(four_bar(), "krank")
    with pytest.raises(mbs.ArgumentError, match='axes is \'local\': use "world" or "body"'):
        mbs.jacobian(four_bar(), "crank", axes="local")
    with pytest.raises(mbs.ArgumentError, match="point must be three finite numbers"):
        mbs.jacobian(four_bar(), "crank", point=(1.0, 2.0))
