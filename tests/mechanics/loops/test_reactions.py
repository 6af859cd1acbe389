"""Reactions, multipliers and accelerations against a dense reference and complex steps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import Case, each, tiers
from support.comparisons import assert_close
from support.generators.loops import LOOP_JOINTS, PlainLoops, loops_of, outputs, random_loops, state
from support.generators.mechanisms import random_tree
from support.oracles.complex_steps import STEP
from support.oracles.dense import Dense


def with_reactions(m: Model) -> Model:
    """Return the model with every reaction and acceleration as outputs."""
    for name, body in m.bodies.items():
        if body.joint.motions:
            m.output(f"{name}.reaction", mbs.reaction(name))
        m.output(f"{name}.a", mbs.acceleration(name))
        m.output(f"{name}.alpha", mbs.angular_acceleration(name))
    for name in m.loops:
        m.output(f"{name}.reaction", mbs.reaction(name))
    return m


@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
@each(LOOP_JOINTS, rounds=1, usual=1)
def test_reactions_in_loops_equal_dense_ones(case: Case, solver: str) -> None:
    """Wrenches of all joints and loops agree as far as they are unique."""
    check_reactions(loops_of(case, 7), solver)


@pytest.mark.parametrize("seed", tiers(range(8), usual=1))
def test_reactions_in_trees_equal_dense_ones(seed: int) -> None:
    joints = ("revolute", "universal", "compound", "spherical", "free")
    check_reactions(random_tree(np.random.default_rng(seed), 6, joints=joints), ("cholesky", "sweep")[seed % 2])


def check_reactions(m: Model, solver: str) -> None:
    """Compare wrenches with the dense reference, except for their indeterminate parts."""
    plain, dense = PlainLoops(with_reactions(m), solver), Dense(m)
    computed = outputs(plain)
    q, u = state(plain, dense)
    exact, unknown = dense.reactions(q, u, 0.0), dense.undetermined(q, u, 0.0)
    scale = max(np.abs(x).max() for x in exact.values())
    for name, wrench in exact.items():
        if f"{name}.reaction.f" not in computed:
            continue
        ours = np.concatenate([computed[f"{name}.reaction.f"], computed[f"{name}.reaction.t"]])
        difference = ours - wrench
        free = unknown.get(name)
        if free is not None and np.size(free):
            basis = np.linalg.qr(np.asarray(free).reshape(6, -1))[0]
            difference = difference - basis @ (basis.T @ difference)
        assert np.max(np.abs(difference)) <= 1e-8 * scale, name


MORE = [pytest.param(k, ("cholesky", "sweep")[k == 5], marks=pytest.mark.slow) for k in range(1, 6)]


@pytest.mark.parametrize(("seed", "solver"), [(0, "cholesky"), *MORE])
def test_tangents_of_reactions_equal_complex_steps(seed: int, solver: str) -> None:
    """Tangents of reactions, multipliers, accelerations, drives' forces and the residual agree along random directions
    of states, time, inputs and parameters, with slightly open loops and nonzero impulses.
    """
    m = with_reactions(driven_tree(seed) if seed % 4 == 0 else random_loops(seed, 5, 1 + seed % 2))
    gain = m.parameter("gain", 1.3)
    for name in m.loops:
        m.output(f"{name}.multiplier", gain * mbs.multiplier(name, 1))
    m.output("open", mbs.residual())
    plain = PlainLoops(m, solver)
    rng = np.random.default_rng(seed)
    R, D = plain.R.copy(), np.zeros_like(plain.R)
    where = plain.program.state_slice
    R[where] += 0.01 * rng.normal(size=R[where].size)
    for part in (where, slice(0, 1), plain.slice("inputs"), plain.slice("parameters")):
        D[part] = rng.normal(size=D[part].size)
    Z = R + 1j * STEP * D
    plain.complex.derive(Z)
    plain.complex.outputs(Z)
    plain.real.tangent(R, D)
    computed, exact = D[plain.slice("outputs")], Z[plain.slice("outputs")].imag / STEP
    assert np.count_nonzero(exact) > 0.5 * exact.size
    assert_close(computed, exact, 1e-10 * (1 + np.abs(exact).max()), "reaction")  # round-off, times the condition of S


def driven_tree(seed: int) -> Model:
    """Return a tree without loops, an arm of which is driven by a formula of time, and the torque of the drive."""
    m = random_tree(np.random.default_rng(seed), 3, "chain", joints=("revolute", "universal", "spherical"))
    m.body("arm", "b1", mbs.Revolute("y"), mass=0.7, com=(0.1, 0.2, 0), inertia=(0.02, 0.03, 0.04))
    m.drive("shaking", on="arm", position=m.parameter("amplitude", 0.4) * mbs.sin(3.0 * mbs.time))
    m.output("torque", mbs.drive_force("shaking"))
    return m


@pytest.mark.parametrize("seed", tiers(range(6), usual=1))
def test_accelerations_are_rates_of_velocities(seed: int) -> None:
    """Accelerations of points are the complex-step rates of the velocities along the motion."""
    m = random_loops(seed, 6, 1)
    point = (0.3, -0.2, 0.1)
    for name in m.bodies:
        m.output(f"{name}.v", mbs.velocity(name, point))
        m.output(f"{name}.w", mbs.angular_velocity(name))
        m.output(f"{name}.v_dot", mbs.acceleration(name, point))
        m.output(f"{name}.w_dot", mbs.angular_acceleration(name))
    plain = PlainLoops(m)
    computed = outputs(plain)
    Z = plain.R.astype(complex)
    Z[plain.program.state_slice] += 1j * STEP * plain.R[plain.program.rate_slice]
    plain.complex.derive(Z)
    plain.complex.outputs(Z)
    numbers = {v.name: Z[v.slot].imag / STEP for v in plain.program.of_role("output")}
    for name in m.bodies:
        for kind in "vw":
            exact = np.array([numbers[f"{name}.{kind}[{k}]"] for k in (1, 2, 3)])
            assert np.max(np.abs(computed[f"{name}.{kind}_dot"] - exact)) <= 1e-11 * (1 + np.abs(exact).max()), (
                f"{name}.{kind}_dot: {computed[f'{name}.{kind}_dot']}, not {exact}"
            )


FIXED = {"method": "rk4", "step": 1e-3, "output_interval": 0.01}
TOOL = {"mass": 0.7, "com": (0.1, 0.05, -0.02), "inertia": (0.02, 0.03, 0.025)}


def arm_with_tool(rng: np.random.Generator, joint: mbs.Joint) -> tuple[Model, mbs.Pose]:
    """Return a swinging arm that carries a tool by a joint, and the place of the tool on the arm."""
    m, at = mbs.Model("arm_with_tool"), mbs.Pose(rng.normal(size=3), mbs.rpy(*rng.normal(size=3)))
    m.body("arm", joint=mbs.Universal("yx"), mass=2.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
    m.start("arm", q=rng.normal(size=2), u=rng.normal(size=2))
    m.body("tool", "arm", joint, at=at, **TOOL)
    m.output("a", mbs.acceleration("tool", TOOL["com"]))
    m.output("alpha", mbs.angular_acceleration("tool"))
    m.output("w", mbs.angular_velocity("tool"))
    m.output("axes", mbs.orientation("tool"))
    return m, at


def required(result: mbs.Result) -> list[np.ndarray]:
    """Return the wrench on the tool about its origin, in world axes, by the equations of Newton and Euler."""
    wrenches = []
    for row in range(len(result)):
        axes = Rotation.from_quat(result["axes"][row][[1, 2, 3, 0]]).as_matrix()
        inertia, w = axes @ np.diag(TOOL["inertia"]) @ axes.T, result["w"][row]
        force = TOOL["mass"] * (result["a"][row] - [0, 0, -9.81])
        torque = inertia @ result["alpha"][row] + np.cross(w, inertia @ w)
        wrenches.append(np.concatenate([force, torque + np.cross(axes @ TOOL["com"], force)]))
    return wrenches


@pytest.mark.parametrize("seed", tiers(range(4), usual=1))
@pytest.mark.usefixtures("in_plain_python")
def test_a_free_joint_closed_by_a_weld_has_the_reaction_of_the_weld(seed: int) -> None:
    """The error about a welded body names this remedy, and that it must be a free joint: a hinge bears a part."""
    m, _ = arm_with_tool(np.random.default_rng(seed), mbs.Weld())
    welded = mbs.simulate(m, 0.02, **FIXED)
    m.output("bolts", mbs.reaction("tool"))
    remedy = r"joint=mbs\.Free\(\), add m\.close\('tool_weld', 'arm', 'tool', mbs\.Weld\(\), at_a=\.\.\.\)"
    with pytest.raises(mbs.ModelError, match=f"welded and one with its parent: replace the weld by {remedy}"):
        mbs.simulate(m, 0.02, **FIXED)
    for joint, whole in ((mbs.Free(), True), (mbs.Revolute("z"), False)):
        m, at = arm_with_tool(np.random.default_rng(seed), joint)
        m.close("tool_weld", "arm", "tool", mbs.Weld(), at_a=at)
        m.output("bolts", mbs.reaction("tool_weld"))
        result = mbs.simulate(m, 0.02, **FIXED)
        assert_close(result["arm.q[1]"], welded["arm.q[1]"], 1e-11, "arm.q[1]")
        exact = np.array(required(result))
        deviation = np.abs(np.hstack([result["bolts.f"], result["bolts.t"]]) - exact).max()
        assert (deviation <= 1e-9 * np.abs(exact).max()) == whole
