"""Rates for an importer's solver in models with closed loops (docs/equations_loops.md, L9), run as plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.loops import PlainLoops, random_loops
from support.generators.mechanisms import random_inertia, random_rotation
from support.models.linkages import quadrilateral
from support.oracles.complex_steps import STEP

G = 9.81
ALPHA = 3.0  #: 1/s


def trial_state(plain: PlainLoops, seed: int) -> np.ndarray:
    """Return a record at a trial state of a solver: loops slightly open, and momenta that belong to no velocities."""
    rng = np.random.default_rng(seed)
    R = plain.R.copy()
    R[plain.slice("q")] += 0.01 * rng.normal(size=plain.real.NQ)
    R[plain.slice("p")] += rng.normal(size=plain.real.NV)
    R[plain.real.ALPHA] = ALPHA
    return R


def exchange_rates(plain: PlainLoops, R: np.ndarray) -> np.ndarray:
    """Return the rates for an importer's solver."""
    plain.module(R).derive(R)
    plain.module(R).exchanged(R, np.zeros_like(R))
    return R[plain.program.exchange_slice].copy()


def along(plain: PlainLoops, R: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Return the rates of the whole record if the state changes with these rates, by complex step."""
    Z = R.astype(complex)
    Z[plain.program.state_slice] += 1j * STEP * rates
    Z[0] += 1j * STEP
    plain.complex.derive(Z)
    return Z.imag / STEP


def driven_loops(seed: int) -> Model:
    """Return loops of which one body is driven by a formula of time, with the force of the drive as an output."""
    rng = np.random.default_rng(seed)
    m = Model("driven_loops")
    before = "world"
    for k in range(4):
        m.body(
            f"rod{k}", before, mbs.Revolute(rng.normal(size=3)), 1.0, rng.normal(size=3) * 0.3, random_inertia(rng),
            at=mbs.Pose(rng.normal(size=3), random_rotation(rng)),
        )  # fmt: skip
        before = f"rod{k}"
    m.body("weight", joint=mbs.Spherical(), mass=1.0, com=(0.1, 0.2, 0.3), inertia=random_inertia(rng))
    m.close("loop", before, "weight", mbs.Distance(3.0), at_a=rng.normal(size=3) * 0.3, at_b=(0.3, 0, 0))
    m.drive("drive", on=f"rod{seed % 3}", position=0.3 * mbs.sin(2.0 * mbs.time + 0.4))
    for name in set(m.bodies) - {f"rod{seed % 3}"}:
        m.start(name, guess=True)
    m.output("torque", mbs.drive_force("drive"))
    return m


@pytest.mark.parametrize("seed", tiers(range(6), usual=1))
def test_exchange_rates_give_the_physical_accelerations(seed: int) -> None:
    """p_dot = pi_dot + Jᵀ(lambda + alpha Lambda): velocities change as along the kernels' own rates, and impulses
    decay, Lambda_dot = -alpha Lambda. This also holds for impulses far from zero, so errors of a solver do no harm.

    lambda is the complex-step rate of Lambda along the kernels' own rates.
    """
    plain = PlainLoops(random_loops(seed, 5, 1 + seed % 2))
    R = trial_state(plain, seed)
    rates = exchange_rates(plain, R)
    spent = R[plain.slice("multipliers")]
    own = along(plain, R, R[plain.program.rate_slice])
    forces = own[plain.slice("multipliers")] + ALPHA * spent
    expected = R[plain.program.rate_slice].copy()
    expected[plain.real.FIRST_P :][: plain.real.NV] += plain.jacobian(R).T @ forces
    assert np.max(np.abs(forces)) > 0.1
    assert np.max(np.abs(rates - expected)) <= 1e-10 * (1 + np.abs(expected).max()), (
        f"rates of states, computed minus expected: {dict(zip(plain.program.owners, rates - expected))}"
    )
    theirs = along(plain, R, rates)
    for computed, exact in (
        (theirs[plain.slice("u")], own[plain.slice("u")]),
        (theirs[plain.slice("multipliers")], -ALPHA * spent),
    ):
        assert_close(computed, exact, 1e-9 * (1 + np.abs(exact).max()), "rate of exchange")


@pytest.mark.parametrize("seed", tiers(range(3), usual=1))
def test_exchange_rates_of_driven_momenta_contain_the_drive_force(seed: int) -> None:
    """The rate of a driven momentum, minus that of the impulse that is a state, is the drive's force."""
    plain = PlainLoops(driven_loops(seed))
    R = trial_state(plain, seed)
    rates = exchange_rates(plain, R)
    change = along(plain, R, rates)[plain.slice("drive_momenta")][0]
    plain.real.outputs(R)
    torque = R[plain.slice("outputs")][0]
    assert_close(change - rates[-1], torque, 1e-10 * (1 + abs(torque)), "change of the rate of momentum")


@pytest.mark.parametrize("seed", tiers(range(4), usual=1))
def test_tangents_of_exchange_rates_equal_complex_steps(seed: int) -> None:
    """Tangents are taken by state, time and parameters."""
    m = driven_loops(seed) if seed == 0 else random_loops(seed, 5, 1 + seed % 2)
    plain = PlainLoops(m)
    R = trial_state(plain, seed)
    E = np.zeros_like(R)
    E[plain.program.state_slice] = np.random.default_rng(seed).normal(size=plain.real.NX)
    E[0] = 1.0
    Z = R + 1j * STEP * E
    exact = exchange_rates(plain, Z).imag / STEP
    plain.real.tangent(R, E)
    plain.real.exchange_rates_d(R, np.zeros_like(R), E, np.zeros_like(R))
    assert_close(E[plain.program.exchange_slice], exact, 1e-9 * (1 + np.abs(exact).max()), "rate of exchange")


# -- linearisation ---------------------------------------------------------------------------------------


def jacobian(plain: PlainLoops, R: np.ndarray) -> np.ndarray:
    """Return the Jacobian of state derivatives by states, as an importer gets it from directional derivatives."""
    columns = []
    for k in range(plain.real.NX):
        E = np.zeros_like(R)
        E[plain.program.state_slice.start + k] = 1.0
        plain.real.tangent(R, E)
        plain.real.exchange_rates_d(R, np.zeros_like(R), E, np.zeros_like(R))
        columns.append(E[plain.program.exchange_slice])
    return np.array(columns).T


def eigenvalues(plain: PlainLoops, R: np.ndarray) -> np.ndarray:
    """Return the eigenvalues of the motion, without the -alpha of each row's residual and impulse."""
    alpha = R[plain.real.ALPHA]
    computed = np.linalg.eigvals(jacobian(plain, R))
    order = np.argsort(np.abs(computed + alpha))
    twice = 2 * plain.program.regions["residuals"][1]
    assert_close(
        computed[order[:twice]], -alpha, 1e-5 * alpha, "eigenvalue"
    )  # those of defective matrices: sqrt of eps
    return computed[order[twice:]]


def test_a_bar_on_a_pin_swings_at_the_exact_frequency() -> None:
    """A bar of 1 m and 1.3 kg hangs from a pin by m.close: at rest all rates are zero, and small oscillations have ω² =
    m g (l/2) / J.
    """
    m = Model("bar", gravity=(0, 0, -G))
    bar = m.body(
        "bar", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z"), mbs.turn("y")), mass=1.3, com=(0, 0, -0.5),
        inertia=(1.3 / 12, 1.3 / 12, 0.001),
    )  # fmt: skip
    m.close("pin", "world", bar, mbs.OnLine("y"))
    plain = PlainLoops(m)
    assert_close(exchange_rates(plain, plain.R), 0.0, 1e-14 * 1.3 * G, "rate")
    omega = math.sqrt(G * 0.5 / (1 / 12 + 0.25))
    assert_close(omega, 3.8360, 1e-4, "frequency")
    computed = eigenvalues(plain, plain.R)
    assert_close(np.sort_complex(computed), [-1j * omega, 1j * omega], 1e-7, "eigenvalue")


@pytest.mark.parametrize("seed", tiers(range(3), usual=1))
def test_chains_hung_by_loops_have_the_eigenvalues_of_the_tree(seed: int) -> None:
    """Three bars hang at rest on tilted hinges with springs."""
    rng = np.random.default_rng(seed)
    axes, com = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)) * 0.2
    masses, inertias = 0.5 + rng.random(3), [random_inertia(rng) for _ in range(3)]

    def chain(torques: np.ndarray, closed: bool) -> PlainLoops:
        """Return the chain; if `closed`, one hinge consists of three slides and a turn, and a loop that holds the
        slides.
        """
        m = Model("chain", gravity=(0, 0, -G))
        before, place = "world", (0.1, 0.2, -0.5)
        for k in range(3):
            loop, turn = closed and k == seed, mbs.turn(axes[k])
            joint = mbs.Compound(*map(mbs.slide, "xyz"), turn) if loop else mbs.Compound(turn)
            m.body(f"bar{k}", before, joint, masses[k], com[k], inertias[k], place)
            m.motor(f"hold{k}", on=f"bar{k}", torque=torques[k], coordinate=4 if loop else 1)
            if loop:
                m.close("hinge", before, f"bar{k}", mbs.Spherical(), at_a=place)
            before = f"bar{k}"
        m.output("load", mbs.reaction("bar0").f)
        return PlainLoops(m)

    loose = chain(np.zeros(3), False)
    torques = -loose.rates()[loose.real.NQ :]  # torques that hold it at rest
    tree, closed = chain(torques, False), chain(torques, True)
    assert_close(tree.rates(), 0.0, 1e-13, "rate of the tree")
    assert_close(exchange_rates(closed, closed.R), 0.0, 1e-12, "rate of the loop")
    columns = []
    for k in range(tree.real.NX):
        E = np.zeros_like(tree.R)
        E[tree.program.state_slice.start + k] = 1.0
        tree.real.derive_d(tree.R, E)
        columns.append(E[tree.program.rate_slice])
    expected = np.linalg.eigvals(np.array(columns).T)
    computed = eigenvalues(closed, closed.R)
    for value in expected:
        assert np.min(np.abs(computed - value)) <= 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize(("project", "counted"), [(-1.0, 2.0), (1e-6, 1.0)])
def test_exchange_rates_near_folded_positions_use_all_rows(project: float, counted: float) -> None:
    """Rows count even if the residual exceeds a pivot: without projection, the motion would drift along an omitted row.

    With projections the row is omitted.
    """
    plain = PlainLoops(quadrilateral(1, 2, 1, 2, 0.02, 1.0))
    R = plain.R.copy()
    R[plain.real.PROJECTION_RESIDUAL] = project
    R[plain.real.CONTROLLED] = 1.0
    R[plain.slice("q")][2] += 5e-3
    plain.module(R).derive(R)
    assert R[plain.slice("chosen")] == 2.0
    assert R[plain.slice("ranks")] == counted
