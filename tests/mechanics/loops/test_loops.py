"""Laws of closed loops on random mechanisms, run as plain Python (docs/equations_loops.md, L)."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import Case, each, tiers
from support.comparisons import assert_close
from support.generators.loops import LOOP_JOINTS, PlainLoops, closed
from support.generators.mechanisms import Plain, random_tree
from support.models.linkages import scissor
from support.oracles.complex_steps import STEP


def moved(plain: PlainLoops, seed: int, open_by: float = 0.0) -> np.ndarray:
    """Return a record with random momenta, nonzero impulses, and slightly open loops."""
    rng = np.random.default_rng(seed)
    R = plain.R.copy()
    R[plain.slice("q")] += open_by * rng.normal(size=plain.real.NQ)
    plain.real.normalise(R)
    plain.real.solve_contact_parameters(R, 30)
    R[plain.slice("p")] += rng.normal(size=plain.real.NV)
    R[plain.real.ROW_SELECTION] = plain.real.FREE_SELECTION
    R[plain.real.ALPHA] = 3.0
    return R


def along_motion(plain: PlainLoops, R: np.ndarray, function) -> np.ndarray:  # type: ignore[no-untyped-def]
    """Return d/dt of a function of q, z and t along the motion at R, by complex step."""
    Z = R.astype(complex)
    Z[plain.slice("q")] += 1j * STEP * R[plain.program.rate_slice][: plain.real.NQ]
    Z[plain.slice("z")] += 1j * STEP * R[plain.slice("z_dot")]
    Z[0] += 1j * STEP
    return function(Z).imag / STEP


@each(LOOP_JOINTS, rounds=1, usual=1, quick=1)
def test_rows_are_the_rate_of_the_residual(case: Case) -> None:
    """K v + gamma is d/dt g for every kind of loop joint, closed or open, except for rate constraints, which bind no
    position.
    """
    check_rows(closed(case))


def check_rows(plain: PlainLoops) -> None:
    """Compare K v + gamma with the complex-step rate of the residuals."""
    for open_by in (0.0, 0.3):
        R = moved(plain, 1, open_by)
        plain.rates(R)

        def residuals(Z: np.ndarray) -> np.ndarray:
            plain.complex.conditions(Z)
            return Z[plain.slice("residuals")]

        u = R[plain.slice("u")]
        rate = plain.jacobian(R) @ u + R[plain.slice("residual_rates")]
        off = (along_motion(plain, R, residuals) - rate)[np.array(plain.real.ROW_BINDS, dtype=bool)]
        assert np.max(np.abs(off), initial=0.0) <= 1e-13 * (1 + np.abs(u).max())


@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
@each(LOOP_JOINTS, rounds=2, usual=1, quick=1)
def test_velocities_solve_the_dense_equations(case: Case, solver: str) -> None:
    """(L1), (L2): M u = pi + Jᵀ Lambda and J u = -gamma - alpha g, with redundant rows or without."""
    check_velocities(closed(case, solver), case.seed)


@pytest.mark.quick
def test_velocities_of_nested_floating_loops_solve_the_dense_equations() -> None:
    """No loop ends at the world: rows continue to those of other loops, and to moving links."""
    check_velocities(PlainLoops(scissor(4)), 1)


def check_velocities(plain: PlainLoops, seed: int) -> None:
    """Check (L1), and (L2) with the shortest impulses for redundant rows."""
    R = moved(plain, seed, 1e-6)
    plain.rates(R)
    M, J = plain.mass_matrix(R), plain.jacobian(R)
    # redundant rows contradict each other as far as the loops are open (1e-6): no u satisfies them all
    if np.linalg.matrix_rank(J, 1e-5) < len(J):
        R = moved(plain, seed)
        plain.rates(R)
        M, J = plain.mass_matrix(R), plain.jacobian(R)
    p, u, L = (R[plain.slice(name)] for name in ("p", "u", "multipliers"))
    condition = np.linalg.cond(M)
    g = 3.0 * R[plain.slice("residuals")] + R[plain.slice("residual_rates")]
    assert np.max(np.abs(M @ u - p - J.T @ L)) <= 1e-12 * condition * np.abs(p).max(), (
        f"momenta fail M u = pi + Jᵀ Lambda by {M @ u - p - J.T @ L}"
    )
    S = J @ np.linalg.solve(M, J.T)
    least = np.linalg.lstsq(S, -g - J @ np.linalg.solve(M, p), rcond=1e-11)[0]
    assert_close(
        u, np.linalg.solve(M, p + J.T @ least), 1e-9 * condition**0.5 * (1 + np.abs(u).max()), "joint velocity"
    )


@each(LOOP_JOINTS, rounds=1, usual=1, quick=1)
def test_momentum_rates_with_impulses_are_those_of_the_tree(case: Case) -> None:
    """(L3): pi = p - Jᵀ Lambda, so pi_dot is that of the tree with the momenta p, minus d/dt(Jᵀ) Lambda."""
    check_momentum_rates(closed(case), case.seed)


def check_momentum_rates(plain: PlainLoops, seed: int) -> None:
    """Check (L3) by the tree with the momenta p and the complex-step rate of Jᵀ."""
    R = moved(plain, seed)
    rates = plain.rates(R)
    L = R[plain.slice("multipliers")].copy()
    based = R.copy()
    plain.real.transfer_impulses(based)
    assert np.allclose(based[plain.slice("p")], R[plain.slice("p")] + plain.jacobian(R).T @ L, atol=1e-10), (
        "momenta after re-basing are not pi + Jᵀ Lambda"
    )
    rate = along_motion(plain, R, lambda Z: plain.jacobian(Z).T @ L)
    expected = based[plain.slice("p_dot")] - rate
    where = slice(plain.real.NQ, plain.real.NQ + plain.real.NV)
    assert np.max(np.abs(rates[where] - expected)) <= 1e-10 * (1 + np.abs(expected).max()), (
        f"momentum rates, computed minus expected: {rates[where] - expected}"
    )


def equations(seed: int) -> Model:
    """Return a tree whose coordinates, places and attitudes are constrained by formulas that depend on time."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 5, "chain", ("revolute", "tilted", "universal", "compound", "spherical"))
    scalar = [b for b in m.bodies.values() if b.joint.scalar]
    last, other = list(m.bodies.values())[-1], list(m.bodies.values())[2]
    c = m.parameter("c", 0.7)
    q = mbs.coordinate(scalar[0], 1)
    place = mbs.position(last, rng.normal(size=3))
    tie = mbs.sin(q) * place[0] + c * place[1] ** 2 + mbs.time * mbs.cos(q)
    turn = mbs.position(other, (1, 0, 0)) - mbs.position(other)
    m.constrain("tie", [tie - tie_now(m, tie), turn.dot(place) - tie_now(m, turn.dot(place))])
    for name, start in m.starts.items():
        m.start(name, q=start.q, u=start.u, guess=True)
    return m


def tie_now(m: Model, expression: mbs.Expression) -> float:
    """Return the value of an expression at the start."""
    probe = Model("probe")
    probe.bodies, probe.starts, probe.parameters = dict(m.bodies), dict(m.starts), dict(m.parameters)
    probe.output("value", expression)
    plain = Plain(probe)
    plain.rates()
    plain.real.outputs(plain.R)
    return float(plain.get(plain.R, "outputs")[0])


@pytest.mark.parametrize("seed", tiers(range(6), usual=1))
def test_constraint_equations_obey_the_laws_of_loops(seed: int) -> None:
    """Formulas of coordinates, places, attitudes and time obey the same laws."""
    plain = PlainLoops(equations(seed))
    assert_close(plain.R[plain.slice("residuals")], 0.0, 1e-12, "residual")
    check_rows(plain)
    check_momentum_rates(plain, seed)


@pytest.mark.quick
@pytest.mark.parametrize("number", [1, 2, 3])
def test_constraint_equations_may_bind_any_coordinate_of_a_joint(number: int) -> None:
    """The laws hold if a joint has several coordinates and a condition any one of them."""
    m = Model("planar")
    a = m.body("a", "world", mbs.Planar("z"), mass=1.0, com=(0.1, 0.2, 0), inertia=(1.0, 1.0, 1.0))
    b = m.body("b", a, mbs.Revolute("z"), mass=0.5, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.constrain("tie", [mbs.coordinate(a, number) - 0.4 * mbs.sin(mbs.coordinate(b))])
    m.start(b, q=0.3, u=0.2)
    plain = PlainLoops(m)
    assert_close(plain.R[plain.slice("residuals")], 0.0, 1e-12, "residual")
    check_rows(plain)
    check_momentum_rates(plain, number)


@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
@each(LOOP_JOINTS, rounds=1, usual=1, quick=1)
def test_tangents_of_loops_equal_complex_steps(case: Case, solver: str) -> None:
    """Tangents of rates and multipliers by state and time agree for the chosen rows."""
    plain = closed(case, solver)
    R = moved(plain, case.seed, 0.05)
    plain.rates(R)
    R[plain.real.ROW_SELECTION] = plain.real.FROZEN_SELECTION
    D = np.zeros_like(R)
    D[plain.program.state_slice] = np.random.default_rng(case.seed).normal(size=plain.real.NX)
    D[0] = 1.0
    Z = R.astype(complex) + 1j * STEP * D
    plain.real.derive_d(R, D)
    plain.complex.derive(Z)
    for where in (plain.program.rate_slice, plain.slice("multipliers"), plain.slice("u")):
        exact = Z[where].imag / STEP
        assert_close(D[where], exact, 1e-11 * (1 + np.abs(exact).max()), "tangent")
