"""The linearly implicit method: error estimate, linear equations, columns of the Jacobian, steps of stiff models."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from benchmarks.stiff import stiff_chain
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.compile.build import compile_model
from mbs_fmu.integrate.methods.rosenbrock import Rosenbrock
from mbs_fmu.integrate.methods.table import method
from support.cases import some_quick, tiers
from support.comparisons import assert_close
from support.generators.contacts import thrown
from support.generators.elastic_mechanisms import bent_tree
from support.generators.loops import random_loops
from support.models.bundled import builders, built
from support.models.small_models import BUILDERS

EPS = np.finfo(float).eps


class Step:
    """A step of `rodas5p` in plain Python, from the start of a model."""

    def __init__(self, model: mbs.Model):
        self.program = compile_model(model, methods=("rodas5p",))
        self.kernels = load_plain(self.program.module)
        self.R, self.U = self.program.new_record(), np.zeros(2 * len(self.program.of_role("input")) + 4)
        assert self.kernels.initialise(self.R) == 0
        self.kernels.evaluate(self.R, self.U)
        self.kernels.rodas5p_jacobian(self.R, self.U)
        self.n = self.program.state_slice.stop - self.program.state_slice.start

    @property
    def jacobian(self) -> np.ndarray:
        """The derivatives of the rates by the state, a view: a row for each rate."""
        return self.R[self.program.region("jacobian")].reshape(self.n, self.n).T

    def estimate(self, h: float) -> np.ndarray:
        """Return the estimated error of a step of size h."""
        R, start = self.R, self.program.region("stages").start
        R[self.kernels.STEP_START :][: self.n] = R[self.program.state_slice]
        R[start : start + self.n] = R[self.program.rate_slice]
        self.kernels.rodas5p_stages(R, self.U, 0.0, h)
        self.kernels.rodas5p_arrive(R, self.U)
        return np.array([self.kernels.rodas5p_error(R, k, h) for k in range(self.n)])

    def solution(self, diagonal: float, b: np.ndarray) -> np.ndarray:
        """Solve (diagonal I - J) x = b by the method's kernels."""
        self.kernels.decompose(self.R, diagonal)
        place = self.program.region("stages")
        self.R[place][: self.n] = b
        self.kernels.substitute(self.R, place.start)
        return self.R[place][: self.n].copy()


# -- the error estimate ------------------------------------------------------------------------------------------


def oscillators(rng: np.random.Generator, n: int, stiffness: float) -> tuple[mbs.Model, np.ndarray]:
    """Return sliders with linear springs and dampers between all, and the matrix of the rates of (q, p)."""
    m = mbs.Model("oscillators", gravity=(0, 0, 0))
    mass = rng.uniform(0.5, 2.0, n)
    roots = rng.normal(size=(2, n, n)) * np.geomspace(1.0, stiffness**0.5, n)
    K, D = (root @ root.T for root in roots)
    for k in range(n):
        m.body(f"b{k}", joint=mbs.Prismatic("x"), mass=mass[k])
        m.start(f"b{k}", q=rng.normal(), u=rng.normal())
    for k in range(n):
        pulls = [K[k, j] * mbs.coordinate(f"b{j}") + D[k, j] * mbs.rate(f"b{j}") for j in range(n)]
        m.motor(f"force{k}", on=f"b{k}", force=-sum(pulls[1:], pulls[0]))
    inverse = np.diag(1.0 / mass)
    return m, np.block([[np.zeros((n, n)), inverse], [-K, -D @ inverse]])


@pytest.mark.parametrize("stiffness", some_quick((1.0, 1e4, 1e8), 1))
def test_estimate_of_a_linear_problem_is_the_closed_form(stiffness: float) -> None:
    """For x' = A x, it is (I - gamma h A)^-1 times the difference of both solutions.

    This difference follows from the equations of all stages at once, K_i = A (x + h sum_j (alpha + Gamma)_ij K_j).
    """
    rosenbrock = method("rodas5p")
    assert isinstance(rosenbrock, Rosenbrock)
    alpha, coupling = (np.array(rows, dtype=float) for rows in rosenbrock._classical())
    model, A = oscillators(np.random.default_rng(3), 3, stiffness)
    step = Step(model)
    x, stages = step.R[step.program.state_slice].copy(), len(alpha)
    for h in (1e-3, 0.1, 1.0):
        whole = np.eye(stages * len(x)) - h * np.kron(alpha + coupling, A)
        K = np.linalg.solve(whole, np.tile(A @ x, stages)).reshape(stages, len(x))
        difference = h * coupling[-1] @ K
        expected = np.linalg.solve(np.eye(len(x)) - rosenbrock.gamma * h * A, difference)
        rounding = 1e3 * EPS * np.linalg.cond(whole) ** 0.5 * np.abs(h * K).max()
        assert_close(step.estimate(h), expected, rounding, f"estimate of a step of {h} s")
        step.R[step.program.state_slice] = x
        step.kernels.evaluate(step.R, step.U)


# -- linear equations --------------------------------------------------------------------------------------------


def sluggish() -> mbs.Model:
    """Return a body drawn by a rope of signal states, with LuGre friction."""
    m = mbs.Model("sluggish")
    m.body("block", joint=mbs.Prismatic("x"), mass=1.0)
    m.lugre_friction("rail", "block", coulomb=1.0, static=1.5, speed=1e-3, stiffness=1e5, damping=316.0, viscous=0.4)
    lag = m.state("lag", lambda z: 1e6 * (mbs.coordinate("block") - z), start=0.3)
    m.motor("pull", on="block", force=m.state("later", lambda z: 1e3 * (lag - z)))
    m.start("block", u=1e-3)
    return m


SYSTEMS = {
    "friction and signals": sluggish,
    **{f"contacts {seed}": lambda seed=seed: thrown(seed) for seed in range(4)},
    **{f"loops {seed}": lambda seed=seed: random_loops(seed, bodies=5, loops=1) for seed in range(2)},
    "elastic": lambda: bent_tree(np.random.default_rng(7)),
}


@pytest.mark.parametrize("name", some_quick({name: name for name in SYSTEMS}, 2, 4))
def test_elimination_solves_the_equations_of_random_mechanisms(name: str) -> None:
    """The residual is that of rounding, for steps from a microsecond to a second, as with LAPACK's dense solution."""
    step, rng = Step(SYSTEMS[name]()), np.random.default_rng(1)
    for h in (1e-6, 1e-3, 1.0):
        W, b = np.eye(step.n) / h - step.jacobian, rng.normal(size=step.n)
        assert_solved(W, step.solution(1.0 / h, b), b, f"{name}, step of {h} s")


def assert_solved(W: np.ndarray, x: np.ndarray, b: np.ndarray, what: str) -> None:
    """Assert that the residual of W x = b is that of a matrix next to W; partial pivoting gives n eps in practice."""
    allowed = 100.0 * len(b) * EPS * (np.abs(W) @ np.abs(x)).max()
    assert_close(W @ x, b, allowed, f"right side of {what}")


@pytest.mark.parametrize("seed", some_quick(range(12), 4))
def test_elimination_survives_small_pivots(seed: int) -> None:
    """Pivots that are zero, tiny or become tiny, and blocks of zeros: rows are exchanged."""
    rng = np.random.default_rng(seed)
    step = Step(SYSTEMS["friction and signals"]())
    n = step.n
    W = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.6)
    W += np.eye(n)[rng.permutation(n)] * rng.uniform(1.0, 3.0, n)
    W[np.arange(n), np.arange(n)] *= rng.choice([0.0, 1e-300, 1e-12, 1.0], n)
    if seed % 2:  # a row that is nearly the multiple of another one
        W[1] = 2.0 * W[0] + 1e-6 * rng.normal(size=n)
    if abs(np.linalg.det(W)) < 1e-9:
        W += np.fliplr(np.eye(n))
    step.jacobian[:] = np.eye(n) - W
    W = np.eye(n) - step.jacobian
    b = rng.normal(size=n)
    assert_solved(W, step.solution(1.0, b), b, f"matrix {seed}")


def test_a_singular_matrix_gives_numbers_that_are_not_finite() -> None:
    """A trial step with it is rejected, and repeated with another size."""
    step = Step(SYSTEMS["friction and signals"]())
    step.jacobian[:] = np.eye(step.n)
    with np.errstate(all="ignore"):
        assert not np.isfinite(step.solution(1.0, np.ones(step.n))).any()


# -- columns of the Jacobian in lanes ----------------------------------------------------------------------------


LANE_MODELS = {
    "tree": BUILDERS["tree"], "driven": BUILDERS["driven"], "loops": BUILDERS["loops"], "friction": sluggish,
    "contact": lambda: thrown(0), "elastic": lambda: bent_tree(np.random.default_rng(7)),
    **{name: lambda name=name: built(name) for name in builders()},
}  # fmt: skip


@pytest.mark.parametrize("name", tiers({name: name for name in LANE_MODELS}, usual=2))
def test_compiled_steps_have_the_bits_of_plain_python(name: str) -> None:
    """Machine code computes several columns of the Jacobian at once, plain Python one after the other."""
    h = 1e-4
    for options in ({"step": h}, {"rtol": 1e-4, "atol": 1e-6}):
        found = []
        for engine in ("own", "python"):
            model = LANE_MODELS[name]()
            inputs = {key: i.start or 0.0 for key, i in model.inputs.items()}
            found.append(
                mbs.simulate(
                    model, 2 * h, method="rodas5p", output_interval=h, inputs=inputs, engine=engine, **options
                ).data
            )
        assert np.array_equal(*found, equal_nan=True), options


# -- steps -------------------------------------------------------------------------------------------------------


def run(model: mbs.Model, rtol: float) -> mbs.Result:
    return mbs.simulate(model, 2.0, method="rodas5p", rtol=rtol, atol=rtol / 100, output_interval=0.1)


def test_steps_of_a_stiff_chain_are_few_and_accurate() -> None:
    """Errors of fast motions that decay do not shorten the steps; positions have the accuracy of the tolerance."""
    m = stiff_chain()
    m.output("tip", mbs.position("half5", (0, 0, -1)))
    fine = run(m, 1e-9)
    assert fine.statistics["steps"] <= 3300
    for rtol, most in ((1e-3, 55), (1e-5, 122), (1e-7, 470)):
        result = run(m, rtol)
        assert result.statistics["steps"] <= most, rtol
        assert_close(result["tip"], fine["tip"], rtol / 50, f"tip at rtol {rtol}", times=fine.time)


@pytest.mark.slow
def test_steps_of_a_chain_without_stiffness_are_those_of_the_plain_estimate() -> None:
    """The estimate differs in higher order only: the counts are those without the filter, within 1 %."""
    rng, m, parent = np.random.default_rng(1), mbs.Model("chain"), "world"
    q, u = rng.uniform(-0.5, 0.5, (10, 2)), 0.5 * rng.normal(size=(10, 2))
    for k in range(10):
        parent = m.body(
            f"b{k}", parent, mbs.Universal(), mass=1.0, com=(0, 0, -0.5), at=(0, 0, -1.0 if k else 0),
            inertia=(1 / 12 + 0.01, 1 / 12 + 0.01, 0.02),
        )  # fmt: skip
        m.start(parent, q=tuple(q[k]), u=tuple(u[k]))
    for rtol, steps in ((1e-3, 225), (1e-5, 571), (1e-7, 1484)):
        assert run(m, rtol).statistics["steps"] == pytest.approx(steps, rel=0.01), rtol
