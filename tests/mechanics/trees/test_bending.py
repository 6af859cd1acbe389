"""Elastic bodies in mechanisms, against Lagrange's equations of their energy (docs/equations_elastic.md, F)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.model import Model
from mbs_fmu.record.codes import Status
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.elastic_mechanisms import ELASTIC_BLOCK, bearing_body, bent_loops, bent_tree, random_modes
from support.generators.loops import PlainLoops, outputs, state
from support.generators.mechanisms import random_inertia
from support.oracles.complex_steps import STEP, close
from support.oracles.dense_elastic import DenseElastic

SOLVERS = ("cholesky", "sweep")
MORE = [pytest.param(k, SOLVERS[k % 2], marks=pytest.mark.slow) for k in range(1, 6)]


def accelerations(plain: PlainLoops, dense: DenseElastic) -> np.ndarray:
    """Return the rates of the joint velocities along the motion."""
    slots = {v.name: v.slot for v in plain.program.of_role("rate")}
    D = np.zeros_like(plain.R)
    D[plain.program.state_slice] = plain.rates()
    plain.real.derive_d(plain.R, D)
    return np.array([D[slots[name]] for name in dense.rates])


@pytest.mark.parametrize("seed", tiers(range(24), usual=2, quick=2))
def test_elastic_trees_obey_lagrange_equations(seed: int) -> None:
    """M, u, the accelerations and the energy equal those of Lagrange's equations."""
    m = bent_tree(seed, 1 + seed % 6, modes=1 + seed % 4)
    m.output("E", mbs.energy())
    plain, dense = PlainLoops(m, SOLVERS[seed % 2]), DenseElastic(m)
    q, u = state(plain, dense)
    slots = {v.name: v.slot for v in plain.program.of_role("rate")}
    own = [slots[name] - plain.slice("u").start for name in dense.rates]
    M = plain.mass_matrix(plain.R)[np.ix_(own, own)]
    close(M, dense.mass_matrix(q), 1e-13, "mass matrix", dense.rates)
    plain.rates()
    close(state(plain, dense)[1], u, 1e-15 * np.linalg.cond(M), "joint velocity", dense.rates)
    bound = 200 * np.finfo(float).eps * np.linalg.cond(M)
    exact = dense.accelerations(q, u)[0]
    assert np.linalg.norm(accelerations(plain, dense) - exact) <= bound * np.linalg.norm(exact), (
        f"accelerations, computed minus expected: {dict(zip(dense.rates, accelerations(plain, dense) - exact))}"
    )
    plain.real.outputs(plain.R)
    assert plain.R[plain.slice("outputs")][0] == pytest.approx(dense.energy(q, u), rel=1e-12, abs=1e-12)


@pytest.mark.quick
def test_a_body_afloat_and_its_arm_obey_lagrange_equations() -> None:
    """The smallest tree whose arm, hinge and modes exchange twists and wrenches: its accelerations are the dense ones,
    and errors of momenta become M⁻¹ times as large.
    """
    m = bearing_body()
    plain, dense = PlainLoops(m), DenseElastic(m)
    q, u = state(plain, dense)
    exact, computed = dense.accelerations(q, u)[0], accelerations(plain, dense)
    bound = 200 * np.finfo(float).eps * np.linalg.cond(dense.mass_matrix(q))
    assert_close(computed, exact, bound * np.linalg.norm(exact), "acceleration", dense.rates)
    errors, M = np.random.default_rng(1).normal(size=len(u)), plain.mass_matrix(plain.R)
    plain.R[plain.slice("errors")] = errors
    plain.real.error_velocities(plain.R)
    exact, computed = np.linalg.solve(M, errors), plain.get(plain.R, "errors")
    bound = 200 * np.finfo(float).eps * np.linalg.cond(M)
    assert_close(computed, exact, bound * np.linalg.norm(exact), "error of a velocity", plain.labels("u"))


@pytest.mark.usual
@pytest.mark.parametrize("seed", tiers(range(12), usual=1, quick=1))
def test_elastic_loops_have_dense_accelerations_and_reactions(seed: int) -> None:
    """Loops join nodes and bodies; accelerations equal the dense ones, and so does every wrench of joints and loops as
    far as it is unique.
    """
    m = bent_loops(seed, 3 + seed % 3, 1 + seed % 2)
    for name, body in m.bodies.items():
        if body.joint.motions:
            m.output(f"{name}.reaction", mbs.reaction(name))
        m.output(f"{name}.a", mbs.acceleration(name))
    for name in m.loops:
        m.output(f"{name}.reaction", mbs.reaction(name))
    plain, dense = PlainLoops(m, SOLVERS[seed % 2]), DenseElastic(m)
    computed = outputs(plain)
    q, u = state(plain, dense)
    exact = dense.accelerations(q, u)[0]
    assert np.linalg.norm(accelerations(plain, dense) - exact) <= 1e-9 * np.linalg.norm(exact), (
        f"accelerations, computed minus expected: {dict(zip(dense.rates, accelerations(plain, dense) - exact))}"
    )
    wrenches, unknown = dense.reactions(q, u), dense.undetermined(q, u)
    scale = max(np.abs(x).max() for x in wrenches.values())
    for name, wrench in wrenches.items():
        if f"{name}.reaction.f" in computed:
            off = np.concatenate([computed[f"{name}.reaction.f"], computed[f"{name}.reaction.t"]]) - wrench
            if np.size(unknown[name]):
                off = off - unknown[name] @ (unknown[name].T @ off)
            assert np.abs(off).max() <= 1e-8 * scale, name


def with_forces(m: Model, seed: int) -> Model:
    """Return the model with springs, bushings and wrenches on nodes."""
    rng = np.random.default_rng(seed)
    gain = m.parameter("gain", 1.3)
    names = list(m.bodies)
    nodes = [name for name in names if m.bodies[name].attachment is not None]
    for k, name in enumerate(nodes[:3]):
        other = "world" if k == 0 else str(rng.choice([x for x in names if x != name]))
        m.spring(
            f"s{k}", other, name, at_a=rng.normal(size=3), at_b=rng.normal(size=3), stiffness=4 * gain, damping=0.3
        )
        m.force(f"f{k}", on=name, force=(gain, 0.5, -0.3), torque=(0.1, 0.2, gain), resolve_in="body")
    first = m.bodies["b0"]
    if first.joint.rates and first.joint.rates[0][1] == "rad/s":
        m.motor("m", on=first, coordinate=1, torque=0.7)
    return m


@pytest.mark.parametrize("seed", tiers(range(12), usual=1, quick=1))
def test_forces_on_nodes_give_dense_accelerations(seed: int) -> None:
    m = with_forces(bent_tree(seed, 1 + seed % 4), seed)
    plain, dense = PlainLoops(m, SOLVERS[seed % 2]), DenseElastic(m)
    q, u = state(plain, dense)
    exact = dense.accelerations(q, u)[0]
    bound = 200 * np.finfo(float).eps * np.linalg.cond(dense.mass_matrix(q))
    assert np.linalg.norm(accelerations(plain, dense) - exact) <= bound * np.linalg.norm(exact), (
        f"accelerations, computed minus expected: {dict(zip(dense.rates, accelerations(plain, dense) - exact))}"
    )


@pytest.mark.parametrize("seed", tiers(range(24), usual=1, quick=1))
def test_a_tree_equals_a_model_with_loops_without_rows(seed: int) -> None:
    """A requested acceleration adds the balance of momenta: joint accelerations and errors of velocities stay those of
    the tree's outboard pass.
    """
    m = with_forces(bent_tree(seed, 1 + seed % 6, modes=1 + seed % 5), seed)
    tree = PlainLoops(m, SOLVERS[seed % 2])
    m.output("a", mbs.acceleration("b0"))
    balanced = PlainLoops(m, SOLVERS[seed % 2])
    assert "loop_state" not in tree.program.regions and "loop_state" in balanced.program.regions
    where = tree.slice("u")
    bound = 1e-15 * np.linalg.cond(tree.mass_matrix(tree.R))
    errors = np.random.default_rng(seed).normal(size=where.stop - where.start)
    computed = []
    for plain in (tree, balanced):
        assert plain.real.initialise(plain.R) == 0
        plain.rates()
        rates = plain.R[plain.program.rate_slice].copy()
        plain.R[plain.slice("errors")] = errors
        plain.real.error_velocities(plain.R)
        computed.append((rates, plain.R[plain.slice("errors")].copy()))
    for one, other, quantity in zip(*computed, ("rate", "error of a velocity"), strict=True):
        close(one, other, bound, quantity, tree.labels("rates") if quantity == "rate" else tree.labels("u"))


@pytest.mark.parametrize(("seed", "solver"), [(0, "cholesky"), *MORE])
def test_tangents_of_elastic_models_equal_complex_steps(seed: int, solver: str) -> None:
    """This holds for rates and for outputs: reactions, accelerations, deformations, totals and energy."""
    m = bent_loops(seed, 3) if seed % 3 else with_forces(bent_tree(seed, 3), seed)
    for name, body in m.bodies.items():
        if body.elastic is not None:
            m.output(f"{name}.sag", mbs.deformation(body, "b"))
            m.output(f"{name}.first", mbs.modal(body, 1) * mbs.modal_rate(body, 2))
            m.output(f"{name}.spin", mbs.angular_momentum(body))
            m.output(f"{name}.reaction", mbs.reaction(body)) if body.joint.motions else None
    m.output("E", mbs.energy())
    m.output("p", mbs.momentum())
    m.output("c", mbs.center_of_mass())
    m.output("r", mbs.angular_acceleration("b0"))
    plain = PlainLoops(m, solver)
    rng = np.random.default_rng(seed)
    R, D = plain.R.copy(), np.zeros_like(plain.R)
    where = plain.program.state_slice
    R[where] += 0.01 * rng.normal(size=R[where].size)
    for part in (where, slice(0, 1), plain.slice("parameters")):
        D[part] = rng.normal(size=D[part].size)
    Z = R + 1j * STEP * D
    for kernel in ("prepare", "derive", "outputs"):
        getattr(plain.complex, kernel)(Z)
    plain.real.prepare(R)
    plain.real.tangent(R, D)
    for region, bound in (("u", 1e-12), ("p_dot", 1e-12), ("outputs", 1e-10)):  # reactions have second tangents
        computed, exact = D[plain.slice(region)], Z[plain.slice(region)].imag / STEP
        assert np.count_nonzero(exact) > 0.5 * exact.size
        assert np.max(np.abs(computed - exact)) <= bound * (1 + np.abs(exact).max()), region


@pytest.mark.quick
def test_energy_does_not_depend_on_what_moves_a_joint() -> None:
    """With a drive the energy is summed over all links, without one it contains ½ pᵀu: both agree for equal motions."""
    energies = []
    for is_driven in (False, True):
        rng = np.random.default_rng(11)
        m = Model("carried", gravity=rng.normal(size=3) * 5)
        base = m.body("base", joint=mbs.Revolute("y"), elastic=random_modes(rng), root="root")
        body = m.body(
            "body", base.node("a"), mbs.Universal("xz"), elastic=random_modes(rng), root="b", at=(0.3, 0.2, 0)
        )
        m.body("arm", body.node("a"), mbs.Revolute("z"), 1.0, rng.normal(size=3), random_inertia(rng))
        angle, rate = rng.normal(size=2)
        if is_driven:
            m.drive("turn", on=base, position=angle + rate * mbs.time)
        else:
            m.start(base, q=angle, u=rate)
        for one in (base, body):
            m.start(one, xi=ELASTIC_BLOCK * rng.normal(size=3), xi_dot=rng.normal(size=3))
        m.start(body, q=rng.normal(size=2), u=rng.normal(size=2))
        m.start("arm", q=0.3, u=rng.normal())
        m.output("E", mbs.energy())
        plain = PlainLoops(m)
        plain.real.refresh(plain.R, np.zeros(8))
        energies.append(plain.R[plain.slice("outputs")][0])
    assert energies[1] == pytest.approx(energies[0], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("balanced", [False, True], ids=["tree", "balanced"])
def test_a_start_with_too_large_deformations_is_refused(balanced: bool) -> None:
    """The status is that of too large deformations, and not that of a gimbal lock."""
    m = Model("hoop")
    rod = mbs.beam(1.0, mbs.Rectangle(0.04, 0.002), 2.1e11, 7800.0, modes=6)
    boom = m.body("boom", elastic=rod)
    if balanced:
        m.output("a", mbs.acceleration(boom.node("tip")))
    plain = PlainLoops(m)
    R = plain.program.new_record()
    R[plain.slice("q")] = 5.0
    assert plain.real.initialise(R) == Status.too_large


@pytest.mark.parametrize("settings", [{"rtol": 1e-6}, {"method": "rk4", "step": 2e-5}], ids=["dopri5", "rk4"])
def test_a_run_ends_at_too_large_deformations(settings: dict) -> None:
    """A growing load bends a thin beam until a node has turned by one radian relative to the mean frame; there the run
    ends.
    """
    rod = mbs.beam(1.0, mbs.Rectangle(0.04, 0.002), 2.1e11, 7800.0, modes=6)
    m = Model("fishing_rod")
    boom = m.body("boom", elastic=rod)
    m.force("pull", on=boom.node("tip"), force=(0, 0, 300.0 * mbs.time))
    m.output("sag", mbs.deformation(boom, "tip"))
    with pytest.raises(mbs.SimulationError, match=r"'boom'.* is bent beyond small deformations at t = 0.15.*divide it"):
        mbs.simulate(m, stop_time=1.0, **settings)


@pytest.mark.slow
@pytest.mark.parametrize("make", [bent_tree, bent_loops])
def test_node_rotations_as_functions_change_no_bit(make: Callable[[int], Model]) -> None:
    """Rotations in functions of their own, called in the opposite order, give the same bits, and so
    do their tangents.
    """
    program = compile_model(make(3))
    text, rng = program.text, np.random.default_rng(0)
    assert text.count("    return iterations\n") == 1
    D = rng.normal(size=program.new_record().size)
    results = []
    for order in ("", "[::-1]"):
        kernels = load_plain(text.replace("    return iterations\n", f"    return iterations{order}\n"))
        R, slopes = program.new_record(), D.copy()
        assert kernels.initialise(R) == Status.ok
        kernels.derive(R)
        kernels.derive_d(R, slopes)
        results.append(np.concatenate([R, slopes]))
    assert np.array_equal(*results, equal_nan=True)
