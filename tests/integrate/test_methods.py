"""Methods: orders by regression, invariants of implicit and multistep methods, stiffness."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import mbs_fmu as mbs
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.integrate.features import Features
from mbs_fmu.integrate.methods.explicit import TABLEAUS, Tableau
from mbs_fmu.integrate.methods.gauss import GAUSS, Gauss
from mbs_fmu.integrate.methods.method import Method, Parts
from mbs_fmu.integrate.methods.multistep import Multistep
from mbs_fmu.integrate.methods.orders import Conditions, check_order, rooted_trees
from mbs_fmu.integrate.methods.rosenbrock import Rosenbrock
from mbs_fmu.integrate.methods.table import METHODS, method
from mbs_fmu.integrate.methods.texts import written
from mbs_fmu.integrate.stepping.hooks import METHOD_stages
from mbs_fmu.integrate.write import stepping_of
from mbs_fmu.model.model import Model
from mbs_fmu.run.simulate import compiled
from support.comparisons import assert_close
from support.models.small_models import hard, rich_model, two_motions, two_motions_exactly

ROOT = Path(mbs.__file__).parents[1]


@pytest.fixture(scope="module")
def motions() -> Model:
    return two_motions()


def error(r: mbs.Result) -> float:
    return float(np.max(np.abs(np.array([r["swing.phi"], r["mass.s"]]) - two_motions_exactly(r.time))))


@pytest.mark.parametrize("name", METHODS)
def test_order_of_the_method(motions: Model, name: str) -> None:
    """The largest error at four times, with fixed steps, falls with the order of the method, by regression.

    Steps shrink until the error is 10^-(2 order), or would be lost in rounding.
    """
    order, steps, errors = method(name).order, [], []
    while len(steps) < 3 or errors[-1] > max(10.0 ** (-2 * order), 3e-12):
        assert len(steps) < 60, f"errors with {steps} steps: {errors}"
        steps.append(steps[-1] + 4 * max(2, steps[-1] // 10) if steps else 24)
        errors.append(error(mbs.simulate(motions, 2.0, method=name, step=2.0 / steps[-1], output_interval=0.5)))
    assert errors[-1] > 3e-13  # far enough from rounding
    slope = -np.polyfit(np.log(steps[-3:]), np.log(errors[-3:]), 1)[0]
    # the rates that a multistep method predicts add an error of one order more, with a constant 22 times larger
    assert order - 0.3 < slope < order + 0.3 + (1.0 if isinstance(method(name), Multistep) else 0.0)


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.parametrize("name", [name for name in METHODS if isinstance(method(name), Multistep)])
def test_multistep_methods_integrate_polynomials_exactly(name: str) -> None:
    """Rates that are polynomials of time have exact integrals, also when the history has filled several times.

    The degree is that of the method's order less one. Each step rounds a few times.
    """
    order = method(name).order
    weights = np.random.default_rng(order).normal(size=order)
    m = Model("polynomial")
    m.state("z", rate=sum(float(w) * (k + 1) * mbs.time**k for k, w in enumerate(weights)), start=0.0)
    r = mbs.simulate(m, 1.0, method=name, step=1.0 / 64, output_interval=1.0 / 64)
    exact = sum(w * r.time ** (k + 1) for k, w in enumerate(weights))
    assert_close(r["z"], exact, 1e-13 * np.abs(weights).sum(), "integral", times=r.time)


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.parametrize("name", list(GAUSS))
def test_gauss_methods_conserve_quadratic_energies(name: str) -> None:
    """The energies of a fast, a slow and a resting oscillator are constant to rounding: the iteration of the stages
    ends with the component that changes most, not with one that rests.
    """
    m = Model("oscillators", gravity=(0, 0, 0))
    for k, (stiffness, start) in enumerate(((4000.0, 1.0), (1.0, 3.0), (50.0, 0.0))):
        body = m.body(f"b{k}", joint=mbs.Prismatic("x"), mass=1.0)
        m.spring(f"s{k}", on=body, stiffness=stiffness)
        m.start(body, q=start)
        m.output(f"E{k}", 0.5 * mbs.rate(body) ** 2 + 0.5 * stiffness * mbs.coordinate(body) ** 2)
    r = mbs.simulate(m, 0.4, method=name, step=0.01, output_interval=0.01)
    for k in range(3):
        energy = r[f"E{k}"]
        assert_close(energy, energy[0], 1e-13 * max(energy[0], 1e-3), f"energy {k}", times=r.time)


@pytest.mark.parametrize("name", [name for name in METHODS if method(name).adaptive])
@pytest.mark.parametrize("rtol", [1e-5, 1e-8, 1e-11])
def test_error_follows_the_tolerance(motions: Model, name: str, rtol: float) -> None:
    """Methods with error control keep every output point, most of them inside steps, near the tolerance.

    A step of size h has an estimated error of some (h / T)^k and is as long as the tolerance permits; T is the time in
    which the motions change, two thirds of a second: a fifteenth of the run.
    """
    r = mbs.simulate(motions, 10.0, method=name, rtol=rtol, atol=rtol, output_interval=0.01)
    assert error(r) <= 200 * rtol
    assert r.statistics["steps"] <= 15 * rtol ** (-1.0 / method(name).parts(False).numbers["METHOD_ORDER"])


# -- coefficients ---------------------------------------------------------------------------------------------


def test_rooted_trees_are_counted() -> None:
    """There are 1, 1, 2, 4, 9, 20, 48, 115 trees of orders 1 to 8 (OEIS A000081)."""
    assert [len(set(rooted_trees(n))) for n in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


def test_order_conditions_are_sharp() -> None:
    """Each method violates some condition of the next order, so the check is sharp."""
    for name in (*TABLEAUS, *GAUSS):
        m = method(name)
        assert isinstance(m, (Tableau, Gauss))
        with pytest.raises(ValueError, match=f"condition of order {m.order + 1}"):
            check_order(name, m.order + 1, m.b, Conditions(m.a))


@pytest.mark.quick
def test_one_wrong_digit_is_refused() -> None:
    """A coefficient that is off by 1e-10 is not rounding. For a multistep method, a sum of 1 is not enough."""
    stiff, multi, gauss = method("rodas5p"), method("abm6"), method("gauss6")
    assert isinstance(stiff, Rosenbrock) and isinstance(multi, Multistep) and isinstance(gauss, Gauss)
    with pytest.raises(ValueError, match="rodas5p"):
        Rosenbrock(**{**vars(stiff), "m": (stiff.m[0] + 1e-10, *stiff.m[1:])})
    for name in ("predictor", "corrector"):
        first, second, *others = getattr(multi, name)
        with pytest.raises(ValueError, match="do not integrate t"):
            Multistep(**{**vars(multi), name: (first + F(1, 1440), second - F(1, 1440), *others)})
    wrong = ((gauss.a[0][0], float(gauss.a[0][1]) + 1e-10, float(gauss.a[0][2]) - 1e-10), *gauss.a[1:])
    with pytest.raises(ValueError, match="gauss6"):
        Gauss(**{**vars(gauss), "a": wrong})


DENSE = [m for m in map(method, TABLEAUS) if isinstance(m, Tableau) and m.dense is not None]


@pytest.mark.parametrize("m", DENSE, ids=[m.name for m in DENSE])
@pytest.mark.parametrize("theta", [0.3, 0.5, 0.9])
def test_dense_weights_have_an_order(m: Tableau, theta: float) -> None:
    """At a fraction theta of the step the weights fulfil sum b_i Phi_i = theta^n / gamma for every tree of n vertices,
    up to one order less than the solution's, within the rounding of factors and sums.
    """
    assert m.dense is not None
    factors = [theta if m.nested and k % 2 else 1.0 - theta if m.nested else theta for k in range(20)]
    powers = theta * np.array([math.prod(factors[:k]) for k in range(len(m.dense[0]))])
    dense = np.array(m.dense, float)
    rows = [*m.a, *(row for row, _ in m.extra)]
    matrix = np.array([[*map(float, row), *[0.0] * (len(rows) - len(row))] for row in rows])

    def weights(tree: tuple, a: np.ndarray) -> np.ndarray:
        return math.prod((a @ weights(branch, a) for branch in tree), start=np.ones(len(rows)))

    def size(tree: tuple) -> int:
        return 1 + sum(map(size, tree))

    def density(tree: tuple) -> int:
        return size(tree) * math.prod(map(density, tree))

    for tree in (tree for n in range(1, m.order) for tree in rooted_trees(n)):
        allowed = 1.1e-16 * len(rows) * size(tree) * (np.abs(dense) @ powers @ weights(tree, np.abs(matrix)))
        found, exact = (dense @ powers) @ weights(tree, matrix), theta ** size(tree) / density(tree)
        assert_close(found, exact, allowed, f"sum of {m.name} for the tree {tree}")


def test_dense_ends_are_distinguished_from_rounding() -> None:
    """Decimals may be off in their last digit, fractions not at all; wrong digits are refused in both."""
    for name, off in (("tsit5", 1e-10), ("dopri5", F(1, 10**15))):
        m = method(name)
        assert isinstance(m, Tableau) and m.dense is not None
        first, *others = m.dense
        with pytest.raises(ValueError, match="dense weight 0 must end"):
            replace(m, dense=((first[0], first[1] + off, *first[2:]), *others))
    with pytest.raises(ValueError, match="7 stages need as many dense weights"):
        replace(m, dense=m.dense[1:])


def test_error_control_needs_the_end() -> None:
    """Velocity errors come from the evaluation of the last stage, which must be at the step end."""
    m = method("rk4")
    assert isinstance(m, Tableau)
    with pytest.raises(ValueError, match="last stage at the end"):
        replace(m, error=(F(1), F(0), F(0), F(-1)), error_order=3)


@dataclass(frozen=True)
class Euler(Method):
    """The explicit Euler method as a class: the least that a new kind of method must have."""

    name: str = "euler"
    order: int = 1
    source: str = "L. Euler, Institutionum calculi integralis (1768)"
    lines: tuple[str, ...] = ("for k in range(NX):", "    R.x[k] = R.step_start[k] + h * R.stages[0, k]")

    @property
    def slots(self) -> int:
        return 1

    def parts(self, loops: bool) -> Parts:
        if not self.lines:
            return Parts({})
        return Parts({"METHOD_stages": written(METHOD_stages, "To the new state.", self.lines)})


def test_a_kind_of_method_is_a_class(motions: Model) -> None:
    """A class that writes its stages runs in every driver for fixed steps; one that does not is refused."""
    euler = Euler()
    program, stepping = compiled(motions).program, stepping_of([euler], Features(loops=False, events=False))
    plain = load_plain(program.module.with_functions(stepping.functions))
    R, U = program.new_record(), np.zeros(4)
    assert plain.initialise(R) == 0
    plain.evaluate(R, U)
    expected = R[program.state_slice] + 0.1 * R[program.rate_slice]
    assert plain.euler_fixed(R, U, 0.1, 0.1, 0) == 0
    assert np.array_equal(R[program.state_slice], expected)
    with pytest.raises(NotImplementedError, match="method euler has no function METHOD_stages"):
        stepping_of([Euler(lines=())], Features(loops=False, events=False))


def test_all_methods_are_documented() -> None:
    """Every name is in the table of docs/methods.md, and in the descriptions of simulate and the command line."""
    table = (ROOT / "docs" / "methods.md").read_text().partition("## Steps with error control")[0]
    options = (ROOT / "mbs_fmu" / "command_line" / "options.py").read_text()
    for name in METHODS:
        assert f"`{name}`" in table, f"the first table of docs/methods.md has no method {name}"
        assert name in str(mbs.simulate.__doc__), f"the docstring of mbs.simulate has no method {name}"
        assert name in options, f"the help of --method in command_line/options.py has no method {name}"


def test_gauss4_is_symplectic_in_doubles() -> None:
    """b_i a_ij + b_j a_ji = b_i b_j holds exactly for the coefficients in double precision."""
    m = method("gauss4")
    assert isinstance(m, Gauss)
    assert all(float(m.a[i][j]) + float(m.a[j][i]) == 0.5 for i in range(2) for j in range(2))


# -- symplectic -----------------------------------------------------------------------------------------------


def universal_pendulum() -> Model:
    """Two rods on universal joints, at rest 2.2 J above hanging: too little to lift either beyond 60 degrees."""
    m = Model("universal_pendulum")
    parent: mbs.Body | str = "world"
    for k, start in enumerate(((0.4, -0.25), (0.1, 0.4))):
        rod = m.body(
            f"rod{k + 1}", parent, mbs.Universal("xy"), mass=1.0, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 1e-3),
            at=(0, 0, -1.0 if k else 0.0),
        )  # fmt: skip
        m.start(rod, q=start)
        parent = rod
    m.output("E", mbs.energy(), unit="J")
    return m


def energy_trend(r: mbs.Result) -> tuple[float, float]:
    """Change of the energy over the run by a fitted line, and the amplitude of the rest."""
    slope, level = np.polyfit(r.time, r["E"], 1)
    rest = r["E"] - slope * r.time - level
    return abs(slope) * (r.time[-1] - r.time[0]), float(np.max(np.abs(rest)))


@pytest.mark.parametrize(
    ("name", "span"),
    [
        ("gauss4", 1e3),
        *(pytest.param(name, span, marks=pytest.mark.slow) for name, span in (("gauss6", 1e3), ("gauss4", 1e4))),
    ],
)
def test_energy_oscillates_without_trend(name: str, span: float) -> None:
    """Over 1e5 and 1e6 steps of 10 ms the fitted trend stays below a tenth of the oscillation."""
    r = mbs.simulate(universal_pendulum(), span, method=name, step=0.01, output_interval=0.13)
    trend, amplitude = energy_trend(r)
    assert trend < 0.1 * amplitude
    assert amplitude < {"gauss4": 1e-6, "gauss6": 1e-8}[name]
    assert r["E"][0] < -2.0 * 9.81 + 0.25 * 9.81  # the lower rod at 60 degrees, the other one hanging


def test_gauss_is_symmetric(motions: Model) -> None:
    """Forward and back with reversed steps, only rounding remains."""
    m = universal_pendulum()
    there = mbs.simulate(m, 1.0, method="gauss4", step=0.01, output_interval=1.0)
    back = universal_pendulum()
    for k in (1, 2):
        q = [there[f"rod{k}.q[{j}]"][-1] for j in (1, 2)]
        back.start(f"rod{k}", q=q, u=[-there[f"rod{k}.u[{j}]"][-1] for j in (1, 2)])
    home = mbs.simulate(back, 1.0, method="gauss4", step=0.01, output_interval=1.0)
    for name in there.columns[1:]:
        if ".q" in name:
            assert home[name][-1] == pytest.approx(there[name][0], abs=1e-12)


def test_long_sums_do_not_drift() -> None:
    """The coordinate of a free flight grows by equal steps: 1e5 compensated sums are as accurate as one product."""
    m = Model("flight", gravity=(0, 0, 0))
    b = m.body("b", "world", mbs.Prismatic("x"), mass=1.0)
    m.start(b, u=0.1)
    exact = mbs.simulate(m, 1e3, method="gauss2", step=0.01, output_interval=1e3)["b.s"][-1]
    plain = mbs.simulate(m, 1e3, method="rk4", step=0.01, output_interval=1e3)["b.s"][-1]
    assert_close(exact, 100.0, 2e-14, "last b.s")
    assert abs(plain - 100.0) > 2e-14


def test_stages_that_do_not_converge_are_named() -> None:
    """Fixed-point iteration needs steps that resolve the motion; the message says so, and the rows so far remain."""
    m = hard()
    with pytest.raises(mbs.SimulationError, match=r"do not converge.*'weight'.*step size 0.01 s: use a smaller step"):
        mbs.simulate(m, 1.0, method="gauss4", step=0.01, output_interval=0.1)
    mbs.simulate(m, 0.001, method="gauss4", step=2e-5)


# -- multistep ------------------------------------------------------------------------------------------------


def test_one_evaluation_a_step(motions: Model) -> None:
    """abm6 takes one evaluation per step, 35 more to start and one for each row, whatever the number of calls."""
    for rows in (1, 10, 50):
        s = mbs.simulate(motions, 2.0, method="abm6", step=0.002, output_interval=2.0 / rows).statistics
        assert s["steps"] == 1000
        assert s["evaluations"] <= 1000 + 36 + rows + 1


def test_stability_of_pec() -> None:
    """Steps below and above the limit 0.0568 / omega, where a root of the method's characteristic polynomial leaves the
    unit circle.
    """
    m = Model("oscillation", gravity=(0, 0, 0))
    b = m.body("b", "world", mbs.Prismatic("x"), mass=1.0)
    m.spring("s", on=b, stiffness=1.0)
    m.start(b, q=1.0)
    below = mbs.simulate(m, 500.0, method="abm6", step=0.05, output_interval=500.0)
    above = mbs.simulate(m, 500.0, method="abm6", step=0.0625, output_interval=500.0)
    assert_close(below["b.s"][-1], np.cos(500.0), 1e-6, "last b.s")
    assert abs(above["b.s"][-1]) > 10.0


def test_order_of_the_corrector() -> None:
    """If rates do not depend on the state, abm6 has order 6 exactly: the predictor has no effect."""
    m = Model("integral")
    m.state("z", rate=mbs.cos(3 * mbs.time))
    steps = np.array([100, 150, 200])
    errors = []
    for n in steps:
        r = mbs.simulate(m, 1.5, method="abm6", step=1.5 / n, output_interval=1.5)
        errors.append(abs(r["z"][-1] - np.sin(4.5) / 3))
    assert -np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(6, abs=0.2)


def test_rows_do_not_change_the_multistep_method(motions: Model) -> None:
    """The history survives rows: another output interval gives the same motion, to rounding."""
    one = mbs.simulate(motions, 2.0, method="abm6", step=0.002, output_interval=1.0)
    other = mbs.simulate(motions, 2.0, method="abm6", step=0.002, output_interval=0.002)
    assert_close(one.data[-1], other.data[-1], 1e-12, "last row", one.columns)


def test_a_shorter_last_step_restarts_the_method(motions: Model) -> None:
    """A change of the step size restarts the method, with its order."""
    r = mbs.simulate(motions, 2.0007, method="abm6", step=0.002, output_interval=0.01)
    assert error(r) <= 1e-8
    assert len(r) == 202


# -- stiff ----------------------------------------------------------------------------------------------------


def stiff_chain(count: int = 3, ratio: float = 1e6) -> Model:
    """A rod of 1 m and 1 kg in pieces, with springs `ratio` times stiffer than gravity and critically damped."""
    m = Model("stiff_chain")
    parent: mbs.Body | str = "world"
    size = 1.0 / count
    for k in range(count):
        rod = m.body(
            f"rod{k}", parent, mbs.Revolute("y"), mass=size, com=(0, 0, -size / 2),
            inertia=(size**3 / 12, size**3 / 12, 1e-6), at=(0, 0, -size if k else 0.0),
        )  # fmt: skip
        stiffness = ratio * size * 9.81 * size
        if k:
            m.spring(f"spring{k}", on=rod, stiffness=stiffness, damping=2 * np.sqrt(stiffness * size**3 / 3))
        parent = rod
    m.start("rod0", q=1.0)
    return m


def rigid(t: np.ndarray) -> np.ndarray:
    """The rod in one piece: a pendulum of length 2/3 m, from 1 rad."""
    k = np.sin(0.5)
    return 2 * np.arcsin(k * ellipj(ellipk(k * k) - np.sqrt(1.5 * 9.81) * t, k * k)[0])


def test_stiff_chain_is_followed_by_long_steps() -> None:
    """rodas5p makes steps more than 100 times longer than dopri5, whose steps stability limits at any tolerance.

    The slow motion is that of a rigid rod, except for the yield of the springs, an angle of some 1e-6.
    """
    m = stiff_chain()
    fine = mbs.simulate(m, 2.0, method="rodas5p", rtol=1e-11, output_interval=0.05)
    assert_close(fine["rod0.phi"], rigid(fine.time), 1e-5, "angle of rod0", times=fine.time)
    explicit = [mbs.simulate(m, 2.0, rtol=rtol, output_interval=0.05) for rtol in (1e-2, 1e-6)]
    for allowed, rtol in ((1e-3, 1e-3), (1e-5, 1e-6), (1e-8, 1e-8)):
        r = mbs.simulate(m, 2.0, method="rodas5p", rtol=rtol, output_interval=0.05)
        assert_close(r["rod0.phi"], fine["rod0.phi"], allowed, f"angle of rod0 at tolerance {rtol}", times=r.time)
        for other in explicit:
            assert other.statistics["steps"] > 100 * r.statistics["steps"]
    fixed = mbs.simulate(m, 2.0, method="rodas5p", step=0.05, output_interval=0.05)  # 2000 times the fast time constant
    assert_close(fixed["rod0.phi"], fine["rod0.phi"], 1e-6, "angle of rod0 by fixed steps", times=fixed.time)


def test_jacobian_is_exact() -> None:
    """The matrix of the tangents equals central differences of the rates, to their accuracy."""

    from mbs_fmu.codegen.modules import load_plain
    from mbs_fmu.compile.build import compile_model

    program = compile_model(rich_model(), methods=("rodas5p",))
    kernels = load_plain(program.module)
    R = program.new_record()
    tables = np.zeros(2 * len(program.of_role("input")) + 4)
    assert kernels.initialise(R) == 0
    kernels.evaluate(R, tables)
    kernels.rodas5p_jacobian(R, tables)
    n = program.state_slice.stop - program.state_slice.start
    J = R[program.region("jacobian")].reshape(n, n).T
    for j in range(n):
        two = []
        for sign in (1, -1):
            other = R.copy()
            other[program.state_slice.start + j] += sign * 1e-6
            kernels.derive(other)
            two.append(other[program.rate_slice])
        difference = (two[0] - two[1]) / 2e-6
        bound = 1e-7 * (1 + np.max(np.abs(R[program.rate_slice])) + np.abs(J).max())
        assert_close(J[:, j], difference, bound, f"derivatives by state {j}")


def test_slopes_of_tables_are_in_the_jacobian() -> None:
    """A ramp as a table gives rodas5p's stages the time derivative that the ramp as a formula gives."""
    m = Model("ramp", gravity=(0, 0, 0))
    b = m.body("b", "world", mbs.Prismatic("x"), mass=1.0)
    m.spring("s", on=b, stiffness=9.0, damping=1.0)
    m.motor("pull", on=b, force=m.input("force"))
    options = {"method": "rodas5p", "step": 0.1, "output_interval": 0.5}
    table = mbs.simulate(m, 4.0, inputs={"force": ([0.0, 4.0], [0.0, 8.0])}, **options)
    formula = mbs.simulate(m, 4.0, inputs={"force": lambda t: 2.0 * t}, **options)
    assert_close(table["b.s"], formula["b.s"], 1e-14, "b.s", times=table.time)


def test_too_large_jacobians_are_refused() -> None:
    """The dense Jacobian has a size limit; the message names alternatives."""
    m = Model("long_chain")
    parent: mbs.Body | str = "world"
    for k in range(1001):
        parent = m.body(f"b{k}", parent, mbs.Revolute("y"), mass=1.0, com=(0, 0, -1), at=(0, 0, -1))
    with pytest.raises(mbs.ModelError, match=r"at most 2000 states, model 'long_chain' has 2002"):
        mbs.simulate(m, 1.0, method="rodas5p")
