"""Inverse dynamics: forces of a motion, against the dense reference."""

from __future__ import annotations

from time import process_time

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.loops import PlainLoops, random_loops
from support.generators.mechanisms import random_tree
from support.oracles.dense import Dense

pytestmark = pytest.mark.usefixtures("plain_by_default")


def by_body(m: Model, dense: Dense, values: np.ndarray, which: int) -> dict[str, np.ndarray]:
    return {name: values[dense.slots[name][which]] for name in m.bodies if m.bodies[name].joint.motions}


@pytest.mark.parametrize("seed", tiers(range(3), usual=1))
def test_inverse_dynamics_of_trees_equals_the_dense_one(seed: int) -> None:
    """tau = M u_dot - bias, for any motion of a tree."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 4, joints=("revolute", "universal", "spherical", "free"))
    dense = Dense(m)
    u, u_dot = rng.normal(size=dense.n), rng.normal(size=dense.n)
    tau = mbs.inverse_dynamics(m, u=by_body(m, dense, u, 1), u_dot=by_body(m, dense, u_dot, 1))
    exact = dense.mass_matrix(dense.q0) @ u_dot - dense.bias(dense.q0, u)
    for name, computed in tau.items():
        assert np.allclose(computed, exact[dense.slots[name][1]], atol=1e-11 * np.abs(exact).max()), (
            f"forces of {name}: {computed}"
        )


def test_inverse_dynamics_of_an_undeformed_body_is_that_of_a_rigid_one() -> None:
    """The joint carries the weight of the rigid body, and an acceleration of the joint requires its
    moment of inertia.
    """
    m = Model("boom", gravity=(0, 0, -9.81))
    rod = mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=2, along="z")
    boom = m.body("boom", joint=mbs.Revolute("y"), elastic=rod)
    held, moved = (mbs.inverse_dynamics(m, q={boom: (0.3, 0, 0)}, u_dot={boom: (w, 0, 0)})["boom"][0] for w in (0, 1))
    center = rod.inertia.center
    assert held == pytest.approx(-9.81 * rod.mass * center[0] * np.cos(0.3), rel=1e-12)
    assert moved - held == pytest.approx(rod.inertia.central[1, 1] + rod.mass * center @ center, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_the_free_motion_of_closed_loops_needs_no_forces(seed: int) -> None:
    """The motion by the model's own forces requires none; an acceleration that the loops do not allow is refused."""
    m = random_loops(seed, 5, 1, ("revolute", "spherical", "distance"))
    plain, dense = PlainLoops(m), Dense(m)
    q, u = dense.read({v.name: plain.R[v.slot] for v in plain.program.of_role("coordinate", "rate")})
    u_dot = dense.accelerations(q, u, 0.0)[0]
    motion = [by_body(m, dense, x, which) for x, which in ((q, 0), (u, 1), (u_dot, 1))]
    scale = np.abs(dense.mass_matrix(q) @ u_dot).max()
    for computed in mbs.inverse_dynamics(m, *motion).values():
        assert_close(computed, 0.0, 1e-8 * scale, "force that the motion requires")
    with pytest.raises(mbs.ModelError, match="'loop0' does not allow this motion: its acceleration"):
        mbs.inverse_dynamics(m, motion[0], motion[1], by_body(m, dense, u_dot + 1.0, 1))


def four_bar() -> Model:
    m = mbs.Model("four_bar", gravity=(0, -9.81, 0))
    parent, at = "world", (0.0, 0.0, 0.0)
    for name, length in (("crank", 1.0), ("coupler", 2.0), ("rocker", 1.5)):
        J = length**3 / 12
        m.body(name, parent, mbs.Revolute("z"), mass=length, com=(length / 2, 0, 0), inertia=(0, J, J), at=at)
        parent, at = name, (length, 0.0, 0.0)
    m.close("pin", parent, "world", mbs.Revolute("z"), at_a=at, at_b=(2, 0, 0))
    m.start("crank", q=2.0)
    return m


def test_the_holding_torque_of_a_four_bar_obeys_virtual_work() -> None:
    """At rest the torque on the crank is the derivative of the weight's potential."""
    m = four_bar()
    dense = Dense(m)

    def closed(angle: float) -> tuple[dict[str, float], float]:
        guess = dense.q0.copy()
        guess[0] = angle
        q, _ = dense.consistent(guess + np.array([0.0, -1.7, -1.5]), np.zeros(3), held=["crank"])
        return {name: q[dense.slots[name][0]] for name in m.bodies}, dense.energy(q, np.zeros(3))

    h = 1e-5
    torque = (closed(2.0 + h)[1] - closed(2.0 - h)[1]) / (2 * h)
    computed = mbs.inverse_dynamics(m, closed(2.0)[0], actuated=["crank"])
    assert computed["crank"][0] == pytest.approx(torque, rel=1e-8)
    columns = {f"{name}.phi": angle for name, angle in closed(2.0)[0].items()}
    assert mbs.inverse_dynamics(m, columns, {"crank.w": 0.0}, actuated=["crank"])["crank"] == computed["crank"]
    with pytest.raises(mbs.ModelError, match=r"q 'crank\.phi'"):
        mbs.inverse_dynamics(m, {"crank.phi": ((1.0, 2.0),)})
    with pytest.raises(mbs.ModelError, match="unknown body 'lever'"):
        mbs.inverse_dynamics(m, {"lever": 0.0})


def test_inverse_dynamics_accounts_for_prescribed_motion_in_loops() -> None:
    """On a stage that rises by t²/2, a plane holds a body: it sinks relative to the stage by -t and -1 m/s².

    The plane carries its weight; no other velocity or acceleration is consistent.
    """
    m = Model("rising")
    m.body("stage", joint=mbs.Prismatic("z"), mass=1.0)
    m.drive("lift", on="stage", position=0.5 * mbs.time**2)
    m.body("body", "stage", mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=2.0)
    m.close("plane", "world", "body", mbs.OnPlane("z"))
    at = {"q": {"body": (0.0, -2.0)}, "u": {"body": (0.5, -2.0)}, "time": 2.0}
    computed = mbs.inverse_dynamics(m, u_dot={"body": (3.0, -1.0)}, **at)
    assert computed["body"] == pytest.approx([6.0, 0.0], abs=1e-12)
    with pytest.raises(mbs.ModelError, match="'plane' does not allow this motion: its acceleration misses by 1;"):
        mbs.inverse_dynamics(m, u_dot={"body": (3.0, 0.0)}, **at)
    with pytest.raises(mbs.ModelError, match="'plane' does not allow this motion: its velocity misses by 2;"):
        mbs.inverse_dynamics(m, **{**at, "u": {}})


@pytest.mark.quick
def test_a_sampled_motion_equals_single_calls() -> None:
    """One call for a sampled motion gives the bits of a call for each instant; single values are constant."""
    rng = np.random.default_rng(3)
    m = random_tree(rng, 3, joints=("revolute", "spherical", "free"))
    body, last = next(iter(m.bodies)), list(m.bodies)[-1]
    m.motor("swell", on=m.body("slide", last, mbs.Prismatic("x"), mass=1.0), force=mbs.time)
    sizes = {name: (len(b.coordinates), len(b.rates)) for name, b in m.bodies.items()}
    q = {name: rng.normal(size=(4, nq)) for name, (nq, _) in sizes.items()}
    u = {name: rng.normal(size=(4, nu)) for name, (_, nu) in sizes.items()} | {"slide": rng.normal(size=4)}
    u_dot = {"slide.v": rng.normal(size=4), body: rng.normal(size=sizes[body][1])}
    time = rng.normal(size=4)
    computed = mbs.inverse_dynamics(m, q, u, u_dot, time=time)
    for k in range(4):
        at = [{name: x[k] if len(x) == 4 and name != body else x for name, x in part.items()} for part in (u, u_dot)]
        at[0][body] = u[body][k]
        one = mbs.inverse_dynamics(m, {name: x[k] for name, x in q.items()}, *at, time=time[k])
        assert list(one) == list(computed)
        for name, pull in one.items():
            assert np.array_equal(computed[name][k], pull)


def test_a_sampled_motion_of_a_closed_loop_equals_single_calls() -> None:
    """The torque that holds a four-bar by its crank follows from columns of a result; a wrong instant is named."""
    m = four_bar()
    m.start("coupler", q=-1.2, guess=True)
    m.start("rocker", q=-1.5, guess=True)
    r = mbs.simulate(m, 0.02, method="rk4", step=0.005, output_interval=0.005)
    held = {f"{name}.phi": r[f"{name}.phi"] for name in m.bodies}
    computed = mbs.inverse_dynamics(m, held, actuated=["crank"])["crank"]
    assert computed.shape == (len(r), 1)
    for k in range(len(r)):
        one = mbs.inverse_dynamics(m, {name: x[k] for name, x in held.items()}, actuated=["crank"])
        assert computed[k] == one["crank"]
    held["rocker.phi"] = held["rocker.phi"] + np.array([0, 0, 0.1, 0, 0])
    with pytest.raises(mbs.ModelError, match="instant 2: loop 'pin' does not allow this motion: its position"):
        mbs.inverse_dynamics(m, held)


@pytest.mark.quick
def test_samples_of_different_length_are_refused() -> None:
    m = mbs.Model("arm")
    m.body("upper", joint=mbs.Universal("zy"), mass=1.0, inertia=(1, 1, 1))
    m.body("lower", "upper", mbs.Revolute("y"), mass=1.0, inertia=(1, 1, 1))
    for q, u, message in (
        (
            {"lower": np.zeros(3)},
            {"upper": np.zeros((4, 2))},
            "q of body 'lower' has 3 instants, u of body 'upper' has 4",
        ),
        ({"upper": np.zeros((3, 4))}, {}, "q of body 'upper': its joint has 2 at every instant, 4 given"),
        ({"upper": np.zeros(3)}, {}, "q of body 'upper': its joint has 2 of them, 3 given"),
        ({"lower.phi": [0.0, np.inf]}, {}, r"q 'lower.phi' at instant 1 is .*inf.*: it must be finite"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            mbs.inverse_dynamics(m, q, u)
    assert mbs.inverse_dynamics(m, {"upper": np.zeros((0, 2))})["lower"].shape == (0, 1)


@pytest.mark.slow
def test_a_thousand_instants_in_one_call_take_a_twentieth_of_single_calls() -> None:
    """Processor times of an arm with six joints, compiled before: some 15 ms, and 0.9 ms for each single call. Both are
    the least of several, since other programs run.
    """
    m, above = mbs.Model("arm"), "world"
    for k, axis in enumerate("zyyxyx"):
        m.body(f"j{k}", above, mbs.Revolute(axis), 3.0, (0.1, 0.02, 0.15), (0.02, 0.03, 0.025), (0, 0, 0.3 * (k > 0)))
        above = f"j{k}"
    instants = 1000
    sampled = dict.fromkeys(m.bodies, np.sin(np.linspace(0.0, 2.0, instants)))
    single = dict.fromkeys(m.bodies, 0.5)
    spent: dict[int, list[float]] = {id(sampled): [], id(single): []}
    for _ in range(20):
        for values in (sampled, single):
            before = process_time()
            mbs.inverse_dynamics(m, values, values, values)
            spent[id(values)].append(process_time() - before)
    assert min(spent[id(sampled)]) < instants * min(spent[id(single)]) / 20
