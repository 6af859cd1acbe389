"""Elastic bodies in absolute coordinates: the results of the tree, of which free bodies and closures are independent.

Both share the bodies' equations (F1) to (F4); recursion, cuts and node twists relative to the root differ.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.elastic.frames import Node
from mbs_fmu.model.model import Model
from mbs_fmu.run.absolute.rewriting import absolute
from mbs_fmu.symbolic.graph import evaluate
from support.cases import tiers
from support.formulations import STEP, assert_close, assert_same_step, both, measure_all
from support.generators.elastic_mechanisms import bent_loops, bent_tree
from support.generators.mechanisms import COMPANIONS
from support.generators.trees import add_forces
from support.models.elastic_models import STEEL, two_rods

KNOWN = tuple(joint for joint in COMPANIONS if joint != "custom")  #: joints with an absolute form

#: 20 mechanisms: 12 trees and 8 with a loop, every other one with forces of all kinds.
RANDOM = {f"{kind} {seed}": (kind, seed) for seed in range(8) for kind in ("loop", "tree")} | {
    f"tree {seed}": ("tree", seed) for seed in range(8, 12)
}


def random_mechanism(kind: str, seed: int) -> Model:
    """A mechanism of rigid and elastic bodies that moves, with all measures as outputs."""
    m = bent_loops(seed, 3, 1) if kind == "loop" else bent_tree(seed, 3 + seed % 2, KNOWN)
    if seed % 2:
        add_forces(m, np.random.default_rng(seed))
    measure_all(m)
    for name, body in m.bodies.items():
        if body.elastic is not None:
            m.output(f"d_{name}", mbs.deformation(body, body.elastic.attachments[0]))
    return m


@pytest.mark.parametrize("mechanism", tiers(RANDOM, usual=1))
def test_random_mechanisms(mechanism: tuple[str, int], in_plain_python: None) -> None:
    """Coordinates of joints and modes, accelerations, reactions, powers and energy, at the start and after a step."""
    assert_same_step(random_mechanism(*mechanism))


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", RANDOM.values(), ids=RANDOM)
def test_random_mechanisms_run(mechanism: tuple[str, int], in_plain_python: None) -> None:
    """0.02 s with error control to 1e-12: coordinates agree to 1e-9, reactions and all else to 1e-6."""
    tree, free = both(random_mechanism(*mechanism), 0.02, rtol=1e-12, atol=1e-12, output_interval=5e-3)
    unique = tree.statistics.get("rank", 0) == tree.statistics.get("conditions", 0)
    coordinates = {f"{b.name}.{suffix}" for b in free.model.bodies.values() for suffix, _ in b.coordinates}
    for name in tree.columns[1:]:
        if unique or not name.startswith("r_"):
            assert_close(tree, free, name, 1e-9 if name in coordinates else 1e-6, 1.0)


# -- runs ------------------------------------------------------------------------------------------------------
def pendulum() -> Model:
    """Two beams with a universal joint between them, a load welded to the end, a damped hinge."""
    rod = mbs.beam(1.0, mbs.Rectangle(0.02, 0.01), 7e10, 2700.0, modes=5, nodes={"root": 0.0, "tip": 1.0})
    m = Model("pendulum")
    a = m.body("a", joint=mbs.Revolute("y"), elastic=rod)
    b = m.body("b", a.node("tip"), mbs.Universal("yz"), elastic=rod)
    m.body("load", b.node("tip"), mass=0.3, inertia=(1e-3, 1e-3, 1e-3))
    m.spring("s", on=a, stiffness=2.0, damping=0.05)
    m.output("bend", mbs.deformation(b, "tip").d)
    m.output("r", [*mbs.reaction(b).f, *mbs.reaction(b).t])
    m.output("E", mbs.energy())
    m.start(a, q=0.3, u=2.0, xi=(0.002, 0.001))
    m.start(b, q=(0.2, -0.1), u=(0, 1.0))
    return m


def four_bar() -> Model:
    """A four-bar linkage with an elastic coupler."""
    link = mbs.beam(1.0, mbs.Rectangle(0.04, 0.01), 7e10, 2700.0, modes=4, along="z")
    m = Model("four_bar")
    crank = m.body("crank", joint=mbs.Revolute("y"), mass=1.0, com=(0.15, 0, 0), inertia=(0.001, 0.01, 0.01))
    coupler = m.body("coupler", crank, mbs.Revolute("y"), at=(0.3, 0, 0), elastic=link)
    rocker = m.body(
        "rocker", joint=mbs.Revolute("y"), mass=1.0, com=(0.3, 0, 0), inertia=(0.001, 0.03, 0.03), at=(0.9, 0, 0)
    )
    m.close("pin", coupler.node("tip"), rocker, at_b=(0.6, 0, 0), joint=mbs.Revolute("y"))
    m.start(crank, q=-1.5, u=10.0)
    m.start(coupler, q=1.4, guess=True)
    m.start(rocker, q=-1.2, guess=True)
    m.output("bend", mbs.deformation(coupler, "tip").d)
    m.output("r", [*mbs.reaction(coupler).f, *mbs.reaction("pin").f])
    m.output("E", mbs.energy())
    return m


@pytest.mark.slow
@pytest.mark.parametrize(("build", "conditions"), [(pendulum, 9), (four_bar, 20)])
def test_runs(build: object, conditions: int) -> None:
    """0.3 s with error control: coordinates agree to 1e-9, reactions to 1e-6 of the largest, energy to 1e-9.

    Velocities of joints and modes agree as coordinates do, times the highest frequency of the modes.
    """
    assert callable(build)
    model = build()
    tree, free = both(model, 0.3, rtol=1e-8)
    assert free.statistics["conditions"] == conditions
    assert np.ptp(tree["bend"]) > 1e-3
    largest = float(np.max(np.abs(tree["r"])))
    frequency = max(2 * np.pi * b.elastic.modes.frequencies[-1] for b in model.bodies.values() if b.elastic is not None)
    for name in tree.columns[1:]:
        if name.startswith("r["):
            assert_close(tree, free, name, 1e-6, largest)
        else:
            assert_close(tree, free, name, 1e-9, frequency if tree.unit(name) in ("m/s", "rad/s") else 1.0)


@pytest.mark.slow
def test_stress_stiffness_and_coupled_damping(in_plain_python: None) -> None:
    """A truss with stress stiffness of its bars and a damping matrix that couples modes, spinning on a rigid arm."""
    pytest.importorskip("scipy")
    from support.oracles.finite_elements import bar_boom

    boom = bar_boom()
    full = boom.full()
    damping = np.zeros(full.K.shape)
    one, two = (slice(3 * k, 3 * k + 3) for k in boom.bars[3])
    for block, sign in (((one, one), 1), ((two, two), 1), ((one, two), -1), ((two, one), -1)):
        line = full.nodes[boom.bars[3][1]] - full.nodes[boom.bars[3][0]]
        damping[block] += sign * 40.0 * np.outer(line, line) / (line @ line)
    rod = full.modes(modes=2, geometric="bars", damping_matrix=damping)
    D = rod.damping_matrix
    assert rod.foreshortening and np.abs(D - np.diag(np.diag(D))).max() > 1e-3 * D.max()
    m = Model("spinning_truss")
    arm = m.body("arm", joint=mbs.Revolute("z"), mass=2.0, com=(0.1, 0, 0), inertia=(0.1, 0.2, 0.2))
    truss = m.body("truss", arm, mbs.Revolute("y"), at=(0.2, 0, 0), elastic=rod)
    m.body("load", truss.node("tip"), mbs.Spherical(), mass=0.5, com=(0.1, 0, 0), inertia=(0.01, 0.02, 0.02))
    m.start(arm, u=10.0)
    m.start(truss, q=0.2, u=0.5, xi=[0.002] * rod.count, xi_dot=[0.1] * rod.count)
    m.start("load", u=(0.3, 0.2, 0.1))
    measure_all(m)
    assert_same_step(m)


@pytest.mark.slow
def test_start_in_equilibrium(in_plain_python: None) -> None:
    """A beam that starts in static equilibrium in the tree has this deformation in absolute coordinates too."""
    m = Model("sagging")
    beam = mbs.beam(1.0, mbs.Rectangle(0.04, 0.01), 7e10, 2700.0, modes=2, along="z")
    boom = m.body("boom", joint=mbs.Revolute("y"), elastic=beam)
    m.spring("hold", on=boom, stiffness=200.0)
    m.start(boom, q=0.1, xi="static")
    m.output("sag", mbs.deformation(boom, "tip").d)
    measure_all(m)
    assert_same_step(m)
    assert mbs.simulate(m, STEP, method="rk4", step=STEP, formulation="absolute")["sag"][0, 2] < -1e-4


def test_section_forces_and_modal_factors(in_plain_python: None) -> None:
    """Section forces, and factors on stiffness and damping by parameters."""
    m = Model("mast")
    tube = mbs.Tube(0.06, 0.002)
    beam = mbs.beam(2.0, tube, STEEL, 7800.0, modes=8, along="yz", nodes={"root": 0.0, "middle": 0.5, "tip": 2.0})
    k, d = m.parameter("k", 1.0), m.parameter("d", 0.02)
    mast = m.body("mast", joint=mbs.Universal("xy"), elastic=beam, stiffness=k, damping=d)
    m.force("wind", on=mast.node("tip"), force=(0, m.input("wind", start=100.0), 0))
    m.output("middle", mbs.section_forces(mast, "middle"))
    m.start(mast, q=(0.1, 0.2), u=(0.5, 0.3), xi=(0.01, 0.002, 0.003))
    run = {"method": "rk4", "step": 1e-6, "output_interval": 1e-6, "parameters": {"k": 0.7, "d": 0.05}}
    tree, free = both(m, 1e-6, inputs={"wind": 300.0}, **run)
    for name in tree.columns:
        assert_close(tree, free, name, 1e-9, 1.0)


def test_resets_of_modes(in_plain_python: None) -> None:
    """An event may reset rates of modes, but not of a body that carries others, which would move with them."""
    m = Model("struck")
    beam = mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), STEEL, 7800.0, modes=2, along="z")
    boom = m.body("boom", joint=mbs.Revolute("y"), elastic=beam)
    m.event("strike", mbs.time - 0.5 * STEP, reset={"boom.xi_dot[1]": 0.3})
    m.output("bend", mbs.deformation(boom, "tip").d)
    tree, free = both(m, 3 * STEP, method="rk4", step=0.25 * STEP, output_interval=STEP)
    assert tree["boom.xi_dot[1]"][1] > 0.25
    for name in tree.columns:
        assert_close(tree, free, name, 1e-6, 1.0)
    m.body("load", boom.node("tip"), mbs.Revolute("y"), mass=1.0, com=(0, 0, 0.1), inertia=(0.1, 0.1, 0.1))
    message = "event 'strike' resets 'boom.xi_dot[1]', with which body 'load' moves in joint coordinates"
    with pytest.raises(mbs.ModelError, match=re.escape(message)):
        absolute(m)


@pytest.mark.slow
# -- absolute coordinates by hand ------------------------------------------------------------------------------
def test_free_rods_and_closures_move_as_the_tree(in_plain_python: None) -> None:
    """A model of free elastic bodies and closures between nodes is what the absolute form of the tree is."""
    run = {"method": "rk4", "step": STEP, "output_interval": STEP, "inputs": {"torque": 5.0}}
    (tree, rewritten), free = both(two_rods(), STEP, **run), mbs.simulate(two_rods(free=True), STEP, **run)
    for name in ("place", "bend", "elbow.force", "energy"):
        for other in (rewritten, free):
            assert np.abs(other[name] - tree[name]).max() < 1e-9 * max(1.0, np.abs(tree[name]).max()), name


@pytest.mark.slow
def test_linear_models_of_free_rods_are_those_of_the_tree() -> None:
    """Tangents of nodes, modes and closures about an equilibrium under load: poles and transfer functions to 1e-9."""
    tree, free = (mbs.trim(two_rods(form, (0, 0)), inputs={"torque": 5.0}) for form in (False, True))
    one, two = (np.linalg.eigvals(linear.A) for linear in (tree, free))
    assert len(one) == len(two) == 2 * (2 + 2 * 4)
    for pole in one:
        assert np.abs(two - pole).min() < 1e-9 * np.abs(one).max(), f"pole {pole} of the tree"
    for s in (0.0, 5j, 500j):
        expected, actual = (x.C @ np.linalg.solve(s * np.eye(len(x.A)) - x.A, x.B) + x.D for x in (tree, free))
        assert np.abs(actual - expected).max() < 1e-9 * np.abs(expected).max(), f"transfer at {s} rad/s"


@pytest.mark.slow
def test_sensitivities_of_free_rods_are_those_of_the_tree() -> None:
    """Derivatives by a mode's stiffness and an input, along a run with fixed steps."""
    run = {"method": "rk4", "step": 1e-5, "output_interval": 1e-3, "inputs": {"torque": 5.0}}
    names = ["stiffness", "torque"]
    tree, free = (mbs.simulate(two_rods(form), 0.01, sensitivities=names, **run) for form in (False, True))
    for name in names:
        for column in ("place", "bend", "elbow.force", "energy"):
            expected, actual = tree.sensitivity(column, name), free.sensitivity(column, name)
            assert np.abs(actual - expected).max() < 1e-6 * np.abs(expected).max(), (column, name)


# -- inertia of free bodies ------------------------------------------------------------------------------------
ROD = {"mass": 1.0, "com": (0.1, 0, 0), "inertia": (0.0, 0.1, 0.1)}  #: a rigid rod without inertia about its own axis


def hung(along: str) -> Model:
    """A thin rigid rod on a hinge at the tip of a beam that deforms in some directions."""
    m = Model("hung")
    beam = mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), STEEL, 7800.0, modes=2 * len(along), along=along)
    boom = m.body("boom", joint=mbs.Revolute("y"), elastic=beam)
    m.body("rod", boom.node("tip"), mbs.Revolute("y"), **ROD)
    m.start(boom, q=0.2, u=1.0, xi=(0.01, 0.002))
    return m


@pytest.mark.slow
def test_a_thin_rod_behind_a_beam(in_plain_python: None) -> None:
    """It gets inertia about its own axis where the beam bends in the plane, and is refused where the beam twists."""
    planar = hung("z")
    measure_all(planar)
    assert_same_step(planar)
    with pytest.raises(mbs.ModelError, match="body 'rod' has no inertia about an axis that it turns about"):
        absolute(hung("zt"))


def test_a_hub_without_mass_that_holds_a_beam(in_plain_python: None) -> None:
    """The elastic body that is welded to the hub gives it the inertia that it needs to be free."""
    m = Model("hub")
    beam = mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), STEEL, 7800.0, modes=5)
    hub = m.body("hub", joint=mbs.Revolute("z"))
    blade = m.body("blade", hub, mbs.Weld(), at=mbs.Pose((0.1, 0, 0), mbs.rpy(0.1, 0.2, 0.3)), elastic=beam)
    m.start(hub, u=3.0)
    m.start(blade, xi=(0.01, 0.002), xi_dot=(0.1, 0.3))
    measure_all(m)
    assert_same_step(m)


def test_an_elastic_body_without_inertia_about_an_axis_is_refused() -> None:
    """Points on a line: the message names the body and the remedy."""
    shape = np.zeros((6, 1))
    shape[2] = 1.0
    node = Node(np.zeros(3), np.eye(3), shape, np.zeros((6, 1, 1)))
    line = mbs.Modes.invariants(1.0, (0, 0, 0), np.diag([0, 0.1, 0.1]), [[1.0]], [[100.0]], nodes={"root": node})
    m = Model("line")
    m.body("string", joint=mbs.Revolute("y"), elastic=line)
    message = "body 'string' is elastic and has no inertia about one of its axes, and every body is free in absolute "
    remedy = 'form: give its data that inertia, or leave formulation="absolute" out'
    with pytest.raises(mbs.ModelError, match=re.escape(message + remedy)):
        absolute(m)


@pytest.mark.quick
@pytest.mark.parametrize("noise", [0.0, 1e-14])
def test_noise_in_shapes_turns_no_body(noise: float) -> None:
    """A rod without inertia about its own axis hangs on the tip of a beam that bends in one plane: nothing turns it
    about that axis, so it gets any inertia there. Twists of the size of rounding in the beam's shapes change nothing.
    """
    beam = mbs.beam(1.0, mbs.Rectangle(0.04, 0.01), 7e10, 2700.0, modes=2, along="z")
    tip = beam.node("tip")
    twisted = tip.Y1 + noise * np.outer((0, 0, 0, 1, 0, 0), np.ones(beam.count)) * np.abs(tip.Y1[4]).max()
    elastic = replace(beam, nodes={**beam.nodes, "tip": replace(tip, Y1=twisted)})
    m = Model("hung")
    a = m.body("a", joint=mbs.Revolute("y"), elastic=elastic)
    m.body("rod", a.node("tip"), mbs.Revolute("y"), mass=0.2, com=(0.1, 0, 0), inertia=(0, 1e-3, 1e-3))
    rod = absolute(m).bodies["rod"]
    inertia = np.array([[evaluate(x, {}) for x in row] for row in rod.inertia])
    assert np.linalg.eigvalsh(inertia).min() > 1e-4
