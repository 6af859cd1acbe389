"""Followers: their equations are the dense ones projected on the leaders, and those with conditions instead."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu

import mbs_fmu as mbs
from mbs_fmu.compile.followers import as_conditions
from mbs_fmu.infrastructure.errors import ArgumentError, ModelError
from mbs_fmu.model.model import Model
from support.cases import Case, each, some_quick, tiers
from support.comparisons import assert_close
from support.generators.coupled_joints import SINGLE, following_loops, following_tree, left_free, ratios, single
from support.generators.elastic_mechanisms import bent_tree
from support.generators.loops import PlainLoops
from support.generators.loops import outputs as outputs_of
from support.generators.mechanisms import Plain, forget_start
from support.generators.trees import add_forces, add_rotors
from support.oracles.complex_steps import close, compare_tangents
from support.oracles.dense import Dense

RATIO = {"ratio": 1.3}


def tree_with_followers(case: Case, largest: int = 10) -> Model:
    """Return a random tree with followers, forces and rotors."""
    model = following_tree(case, largest)
    add_forces(model, np.random.default_rng(case.seed))
    add_rotors(model)
    model.output("E", mbs.energy())
    return model


def started(model: Model, solver: str = "cholesky") -> tuple[Plain, dict[str, int]]:
    """Return the model at its start, with a ratio that is not the default."""
    plain = Plain(model, solver)
    slots = {v.name: v.slot for v in plain.program.variables}
    plain.R[slots["ratio"]] = RATIO["ratio"]
    assert plain.real.initialise(plain.R) == 0
    plain.rates()
    return plain, slots


def compare_with_conditions(model: Model, solver: str) -> None:
    """Compare accelerations and reactions at the same start with those by conditions."""
    for name, body in model.bodies.items():
        model.output(f"{name}.a", mbs.acceleration(name))
        if body.joint.motions:
            model.output(f"{name}.w", mbs.reaction(name))
    one, other = PlainLoops(model, solver), PlainLoops(as_conditions(model), solver)
    ours = {v.name: v.slot for v in one.program.variables}
    for v in other.program.of_role("coordinate", "rate"):
        other.R[v.slot] = one.R[ours[v.name]]
    assert other.real.initialise(other.R) == 0
    computed, expected = outputs_of(one), outputs_of(other)
    scale = max(np.max(np.abs(x)) for x in expected.values())
    for name in computed:
        assert np.max(np.abs(computed[name] - expected[name])) <= 1e-8 * scale, name


def compare_with_projected(model: Model, plain: Plain, given: dict[str, float]) -> tuple[Dense, np.ndarray, np.ndarray]:
    """Compare coordinates, M and accelerations with those of dense algebra; return it with its q and u.

    given: the values of parameters that are not their defaults.
    """
    slots = {v.name: v.slot for v in plain.program.variables}
    dense = Dense(model, given)
    D = np.zeros_like(plain.R)
    D[plain.program.state_slice] = plain.rates()
    plain.real.derive_d(plain.R, D)
    parameters = {p.name: p.value for p in model.parameters.values()} | given
    for name, (leader, ratio, offset) in ratios(model, parameters).items():
        q, lead = (plain.R[slots[f"{body}.{model.bodies[body].joint.coordinates[0][0]}"]] for body in (name, leader))
        assert_close(q, ratio * lead + offset, 1e-15 * (1 + abs(q)), f"coordinate of follower {name}")
    q, u = dense.read({name: plain.R[slot] for name, slot in slots.items()})
    G, free = left_free(model, dense.rates, parameters)
    own = [slots[name] - plain.slice("u").start for name in free]
    close(u, G @ plain.R[plain.slice("u")][own], 1e-15, "joint velocity", dense.rates)
    M = np.array([plain.momenta(column) for column in np.eye(len(own))]).T[np.ix_(own, own)]
    full = dense.mass_matrix(q)
    close(M, G.T @ full @ G, 1e-12, "mass matrix", free)
    expected = np.linalg.solve(G.T @ full @ G, G.T @ full @ dense.accelerations(q, u)[0])
    bound = 1000 * np.finfo(float).eps * np.linalg.cond(M)
    computed = np.array([D[slots[name]] for name in free])
    assert np.linalg.norm(computed - expected) <= bound * np.linalg.norm(expected), (
        f"accelerations, computed minus expected: {dict(zip(free, computed - expected))}"
    )
    rates = np.array([D[slots[name]] for name in dense.rates])
    close(rates, G @ computed, 1e-13, "acceleration", dense.rates)
    return dense, q, u


@pytest.mark.parametrize("solver", some_quick(["cholesky", "sweep"], 1))
@each(SINGLE, rounds=4, usual=2, quick=2)
def test_followers_obey_the_projected_dense_equations(case: Case, solver: str) -> None:
    """M and u_dot are those of Gᵀ M G and Gᵀ f, where u = G w; followers' coordinates are exact, and the energy is that
    of the tree.
    """
    model = tree_with_followers(case)
    plain, slots = started(model, solver)
    dense, q, u = compare_with_projected(model, plain, RATIO)
    plain.real.outputs(plain.R)
    E = plain.R[slots["E"]]
    assert_close(dense.energy(q, u), E, 1e-11 * (1 + abs(E)), "energy")


@pytest.mark.quick
@pytest.mark.parametrize("leaders", [(0, 1), (1, 0)], ids=["interlaced", "nested"])
def test_groups_with_common_paths_obey_the_projected_dense_equations(leaders: tuple[int, int]) -> None:
    """In a chain the third and the fourth joint follow the first two: two groups are open at a joint of one of them."""
    model = Model("chain", gravity=(0.5, -1.0, -9.0))
    at, parents = (0.3, 0.2, -0.1), ("world", "b0", "b1", "b2")
    for k, parent in enumerate(parents):
        model.body(f"b{k}", parent, mbs.Revolute("xy"[k % 2]), 1.0, at, (0.1, 0.2, 0.25), at=at)
    for k, leader in enumerate(leaders):
        model.follow(f"f{k}", on=f"b{k + 2}", leader=f"b{leader}", ratio=0.7 + 0.3 * leader)
    model.start("b0", q=0.4, u=1.0)
    model.start("b1", q=-0.7, u=-2.0)
    plain = Plain(model)
    assert plain.real.initialise(plain.R) == 0
    compare_with_projected(model, plain, {})


@pytest.mark.parametrize("solver", some_quick(["cholesky", "sweep"], 1))
@each(SINGLE, rounds=2, usual=1, quick=1)
def test_tangents_and_error_norms_include_followers(case: Case, solver: str) -> None:
    """Tangents equal complex steps, errors of momenta become M⁻¹ times as large, and no stale number is read."""
    model = tree_with_followers(case, 8)
    plain, _ = started(model, solver)
    rng = np.random.default_rng(case.seed)
    errors = rng.normal(size=plain.slice("p").stop - plain.slice("p").start)
    M = np.array([plain.momenta(column) for column in np.eye(errors.size)]).T
    plain.R[plain.slice("errors")] = errors
    plain.real.error_velocities(plain.R)
    computed, expected = plain.get(plain.R, "errors"), np.linalg.solve(M, errors)
    assert np.linalg.norm(computed - expected) <= 1e-14 * np.linalg.cond(M) * np.linalg.norm(expected), (
        f"errors of velocities differ by {computed - expected}"
    )
    along = plain.program.state_slice, plain.slice("inputs")
    compare_tangents(plain, case.seed, along, "u", "driven_u", "driven_q", "tau", "outputs")
    clean = np.concatenate([plain.rates(), plain.get(plain.R, "driven_u")])
    for name in ("q_dot", "p_dot", "u", "driven_u", "driven_q", "tau", "saved", "twist"):
        plain.R[plain.slice(name)] = np.nan
    again = np.concatenate([plain.rates(), plain.get(plain.R, "driven_u")])
    assert np.array_equal(again, clean)


@pytest.mark.usual
@pytest.mark.parametrize("solver", tiers(["sweep", "cholesky"], usual=1))
@each(SINGLE, rounds=2, usual=1, quick=1)
def test_followers_equal_conditions(case: Case, solver: str) -> None:
    """Accelerations and reactions of all joints are those of the tree with conditions in place of followers."""
    compare_with_conditions(tree_with_followers(case, 7), solver)


@pytest.mark.slow
@pytest.mark.parametrize("solver", tiers(["sweep", "cholesky"], usual=1))
@each(("revolute", "spherical", "plane"), rounds=3, usual=1)
def test_followers_in_closed_loops_equal_conditions(case: Case, solver: str) -> None:
    """Loops pass through following joints, and conditions bind their coordinates."""
    compare_with_conditions(following_loops(case, 1 + case.number % 2, case.number == 2), solver)


def gripper() -> Model:
    """Return a swinging hand whose fingers move apart, one by a screw that turns with it, both by a
    motor on the screw.
    """
    m = mbs.Model("gripper")
    hand = m.body("hand", joint=mbs.Revolute("x"), mass=1.0, com=(0, 0, -0.1), inertia=(0.01, 0.01, 0.01))
    finger = {"mass": 0.1, "com": (0, 0, -0.03), "inertia": (1e-4, 1e-4, 1e-4)}
    m.body("left", hand, mbs.Prismatic("y"), at=(0, 0.02, -0.1), **finger)
    m.body("right", hand, mbs.Prismatic("-y"), at=(0, -0.02, -0.1), **finger)
    m.body("screw", hand, mbs.Revolute("y"), mass=0.05, inertia=(1e-5, 2e-5, 1e-5), at=(0, 0, -0.05))
    gain = m.parameter("gain", 300.0)
    m.follow("parallel", on="right", leader="left", offset=0.001)
    m.follow("drive", on="screw", leader="right", ratio=gain)
    m.motor("motor", on="screw", torque=1e-3)
    m.spring("guide", on="right", stiffness=30.0, damping=0.5)
    m.start("left", q=0.005, u=0.01)
    m.start("hand", q=0.3)
    m.output("E", mbs.energy())
    return m


def test_a_gripper_of_followers_runs_as_with_conditions(in_plain_python: None) -> None:
    """Runs agree, also for another value of the parameter."""
    m = gripper()
    options = {"method": "rk4", "step": 0.01, "output_interval": 0.05}
    for gain in (300.0, 100.0):
        one, other = (mbs.simulate(x, 0.2, parameters={"gain": gain}, **options) for x in (m, as_conditions(m)))
        for name in ("hand.phi", "left.s", "right.v", "screw.phi", "E"):
            assert np.max(np.abs(one[name] - other[name])) < 1e-7 * max(1.0, np.max(np.abs(one[name]))), name
        assert np.array_equal(one["right.s"], one["left.s"] + 0.001)


def test_constraint_modes_on_followers_equal_those_with_conditions(in_plain_python: None) -> None:
    """Rigid stops, sticking friction and rate constraints along a follower act as they do beside conditions."""

    def held() -> Model:
        m = gripper()
        m.limit("stop", on="right", lower=0.0, upper=0.0063, restitution=0.5)
        m.friction("brake", on="screw", torque=1e-4, static=1e-2, stick=True)
        return m

    options = {"method": "rk4", "step": 0.01, "output_interval": 0.05}
    one, other = (mbs.simulate(x, 0.1, **options) for x in (held(), as_conditions(held())))
    for name in ("hand.phi", "left.s", "screw.w"):
        assert np.max(np.abs(one[name] - other[name])) <= 1e-10 * max(1.0, np.max(np.abs(one[name]))), name


@pytest.mark.slow
def test_followers_beside_elastic_bodies_become_conditions(in_plain_python: None) -> None:
    """They start at the positions that their leaders determine."""
    model = bent_tree(4)
    leader, name = single(model)[:2]
    forget_start(model, name, range(1), range(1))
    model.follow("train", on=name, leader=leader, ratio=0.5, offset=0.1)
    run = mbs.simulate(model, 0.003, method="rk4", step=1e-3, output_interval=1e-3)
    q, lead = (run[f"{x}.{model.bodies[x].joint.coordinates[0][0]}"] for x in (name, leader))
    assert np.max(np.abs(q - (0.5 * lead + 0.1))) < 1e-12, (
        f"coordinate of {name} at times {run.time}: {q}, leader: {lead}"
    )


@pytest.mark.quick
def test_linear_models_have_states_of_leaders_only(in_plain_python: None) -> None:
    """The eigenvalues are those of the model with conditions."""
    one, other = (mbs.linearize(x) for x in (gripper(), as_conditions(gripper())))
    assert one.states == ["hand.phi", "left.s", "hand.w", "left.v"]
    computed, expected = (np.sort_complex(np.linalg.eigvals(x.A)) for x in (one, other))
    close(computed, expected, 1e-11, "eigenvalue")
    assert list(mbs.inverse_dynamics(gripper(), u_dot={"left": 1.0})) == ["hand", "left"]


@pytest.mark.quick
def test_invalid_followers_are_refused() -> None:
    """Joints with several coordinates, drives, cycles, start values and ratios that change in a run are refused, each
    with its message.
    """
    m = gripper()
    ball = m.body("ball", "hand", mbs.Spherical(), mass=0.1, inertia=(1e-4, 1e-4, 1e-4))
    for wrong, message in (
        (lambda: m.follow("x", on=ball, leader="hand"), "joint of body 'ball' has 4 coordinates: leader and follower"),
        (lambda: m.follow("x", on="right", leader="hand"), "'right' follows 'left' already, by 'parallel': keep one"),
        (lambda: m.follow("x", on="left", leader="screw"), "'left' would follow itself, since 'screw' follows it"),
        (lambda: m.follow("x", on="hand", leader="hand"), "body 'hand' would follow itself: one must lead"),
        (lambda: m.follow("x", on="left", leader="hand", ratio=mbs.time), "ratio of follower 'x' depends on time"),
        (lambda: m.follow("x", on="left", leader="hand", offset="1 rad"), "offset of follower 'x'"),
        (lambda: m.follow("drive", on="left", leader="hand"), "follower name 'drive' is taken by a follower"),
        (
            lambda: m.drive("d", on="right", position=0.1),
            "follower 'parallel': drive 'd' and 'left' would both give the",
        ),
        (lambda: m.start("right", q=0.1), "start q of body 'right' would be ignored, it follows 'left'"),
        (lambda: mbs.inverse_dynamics(m, u_dot={"right": 1.0}), "its leader determines its motion, leave it out"),
        (lambda: mbs.simulate(m, 0.1, start={"right.s": 0.0}), "a drive or a leader gives it"),
    ):
        with pytest.raises((ModelError, ArgumentError), match=message):
            wrong()


@pytest.mark.slow
def test_followers_in_batches_and_native_fmus_equal_single_runs(tmp_path: Path) -> None:
    """A member of a batch and a native FMU have the bits of a single run; the ratio is a parameter."""
    gains = np.linspace(100.0, 500.0, 9)
    fixed = {"method": "rk4", "step": 0.01, "output_interval": 0.1}
    batch = mbs.simulate(gripper(), 1.0, batch=mbs.Batch(parameters={"gain": gains}), **fixed)
    single = [mbs.simulate(gripper(), 1.0, parameters={"gain": float(gain)}, **fixed) for gain in gains]
    assert np.all(batch.statistics["lanes"] > 1)
    assert np.array_equal(batch["screw.phi"], [run["screw.phi"] for run in single])
    path = mbs.export(gripper(), tmp_path / "gripper.fmu", "native", method="rk4", step=0.01, platforms="host")
    variables = {v.name: v for v in read_model_description(str(path)).modelVariables}
    assert (variables["right.s"].causality, variables["right.s"].initial) == ("local", "calculated")
    assert variables["screw.w"].description == "joint velocity of screw against hand, follows left"
    options = {"stop_time": 1.0, "step_size": 0.1, "output_interval": 0.1, "start_values": {"gain": gains[4]}}
    run = simulate_fmu(str(path), output=["screw.phi", "right.v"], **options)
    for name in ("screw.phi", "right.v"):
        assert np.array_equal(run[name], single[4][name])


def test_drive_forces_are_the_same_beside_followers(in_plain_python: None) -> None:
    """Followers' numbers are stored among those of the drives and have names too."""
    runs = []
    for model in (gripper(), as_conditions(gripper())):
        model.starts.pop("hand")
        model.drive("swing", on="hand", position=0.3 * mbs.cos(3 * mbs.time))
        model.output("torque", mbs.drive_force("swing"))
        model.output("mean", mbs.drive_force("swing", mean=True))
        plain = PlainLoops(model)
        assert (
            len(plain.program.of_role("derivative")) == plain.program.state_slice.stop - plain.program.state_slice.start
        )
        runs.append(mbs.simulate(model, 0.1, method="rk4", step=0.01, output_interval=0.05))
    for name in ("torque", "mean", "left.s"):
        assert np.max(np.abs(runs[0][name] - runs[1][name])) <= 1e-7 * np.max(np.abs(runs[0][name])), name


@each(SINGLE, rounds=12, usual=1)
def test_drives_of_leaders_move_their_followers(case: Case, in_plain_python: None) -> None:
    """The forces of drives on leaders accelerate the mechanism without drives as they prescribe, followers included."""
    free, driven = tree_with_followers(case, 6), tree_with_followers(case, 6)
    rng = np.random.default_rng(case.seed)
    rates = {}
    for leader in sorted({end for end, _, _ in ratios(free, {"ratio": 0.7}).values()}):
        q, u, rate = (float(x) for x in rng.normal(size=3))
        free.start(leader, q=q, u=u)
        forget_start(driven, leader, range(1), range(1))
        driven.drive(f"{leader}_drive", on=leader, position=q + u * mbs.time + 0.5 * rate * mbs.time**2)
        driven.output(f"{leader}_force", mbs.drive_force(f"{leader}_drive"))
        rates[f"{leader}.{free.bodies[leader].joint.rates[0][0]}"] = rate
    first = mbs.simulate(driven, 1e-3, method="rk4", step=1e-3, output_interval=1e-3)
    forces = {name.rsplit(".", 1)[0]: [float(first[name.rsplit(".", 1)[0] + "_force"][0])] for name in rates}
    computed = mbs.forward_dynamics(free, forces=forces)
    rates |= mbs.forward_dynamics(driven)
    expected = np.array([rates.get(name, np.nan) for name in computed])
    known = np.isfinite(expected)
    size = np.abs(expected[known]).max() + max(abs(force[0]) for force in forces.values())
    assert_close(np.array(list(computed.values()))[known], expected[known], 1e-10 * size, "acceleration")
    assert set(rates) <= set(computed)
    for body, (leader, ratio, offset) in ratios(free, {"ratio": 0.7}).items():
        own, led = (f"{x}.{free.bodies[x].joint.coordinates[0][0]}" for x in (body, leader))
        assert_close(first[own], ratio * first[led] + offset, 1e-14 * (1.0 + np.abs(first[own]).max()), own)
