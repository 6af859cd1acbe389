"""Error control: velocity errors, evaluations per step, rejected steps, step sizes after a rejection."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.integrate.methods.explicit import Tableau
from mbs_fmu.integrate.methods.table import METHODS, method
from mbs_fmu.model.model import Model
from mbs_fmu.record.blocks import HeadNumbers
from support.cases import Case, each, tiers
from support.comparisons import assert_close
from support.generators.elastic_mechanisms import bent_tree
from support.generators.mechanisms import JOINTS, Plain, add_drives, random_tree
from support.generators.trees import add_forces, moving_tree

ADAPTIVE = [method(name) for name in METHODS if method(name).adaptive]
#: evaluations of a step after the first one
STAGES = {m.name: m.stages - 1 if isinstance(m, Tableau) else m.stages for m in ADAPTIVE}
ORDERS = {m.name: m.order for m in ADAPTIVE}


@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
@each(JOINTS, rounds=2, usual=2, quick=1)
def test_velocities_of_errors(case: Case, solver: str) -> None:
    """M u = e for any e in place of the momentum errors; prescribed velocities have no error, and nothing else changes,
    now or in the next evaluation.
    """
    rng = np.random.default_rng(case.seed)
    m = moving_tree(case)
    if case.seed % 2:
        add_drives(m, rng)
    else:
        add_forces(m, rng)
    plain = Plain(m, solver)
    errors = plain.slice("errors")
    plain.rates()
    before = plain.R.copy()
    e = rng.normal(size=errors.stop - errors.start)
    plain.R[errors] = e
    plain.real.error_velocities(plain.R)
    u = plain.R[errors].copy()
    drift = plain.momenta(0 * u) if case.seed % 2 else 0.0  # momenta that only prescribed motions have
    allowed = 1e-11 * np.max(np.abs(e)) * np.linalg.cond(np.array([plain.momenta(x) - drift for x in np.eye(len(u))]))
    rates = [v.name for v in plain.program.of_role("rate")]
    assert_close(plain.momenta(u) - drift, e, allowed, "momentum of rate", rates)
    names = ("u", "q_dot", "p_dot", "z_dot", "q", "p", "z", "tau", "twist")
    for again in range(2):
        for name in names:
            assert np.array_equal(plain.R[plain.slice(name)], before[plain.slice(name)]), (name, again)
        plain.rates()  # the next evaluation is unchanged too


@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
@pytest.mark.parametrize("seed", tiers(range(12), usual=2, quick=1))
def test_velocities_of_errors_of_elastic_trees(seed: int, solver: str) -> None:
    """M u = e for any e in place of the momentum errors of joints and modes."""
    rng = np.random.default_rng([73, seed])
    plain = Plain(bent_tree(seed), solver)
    errors = plain.slice("errors")
    plain.rates()
    e = rng.normal(size=errors.stop - errors.start)
    plain.R[errors] = e
    plain.real.error_velocities(plain.R)
    u = plain.R[errors].copy()
    M = np.array([plain.momenta(x) for x in np.eye(len(u))])
    allowed = 1e-12 * np.max(np.abs(e)) * np.linalg.cond(M)
    assert_close(plain.momenta(u), e, allowed, "momentum of rate", [v.name for v in plain.program.of_role("rate")])


def chain(kind: str, seed: int) -> Model:
    """Ten rods on hinges about x and y in turn, or on universal joints, with random starts."""
    rng = np.random.default_rng(seed)
    m = Model(f"{kind}_chain")
    parent: mbs.Body | str = "world"
    for k in range(10):
        joint = mbs.Revolute("xy"[k % 2]) if kind == "hinged" else mbs.Universal("xy")
        place = (0, 0, -1.0 if k else 0.0)
        rod = m.body(f"rod{k}", parent, joint, mass=1.0, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 1e-3), at=place)
        n = len(joint.rates)
        m.start(rod, q=rng.uniform(-0.6, 0.6, n), u=0.5 * rng.normal(size=n))
        parent = rod
    return m


@pytest.fixture(scope="module")
def chains() -> dict[str, list[Model]]:
    return {"hinged": [chain("hinged", k) for k in range(8)], "universal": [chain("universal", k) for k in range(3)]}


@pytest.mark.parametrize("kind", tiers(["hinged", "universal"], usual=1))
@pytest.mark.parametrize("method", tiers(list(STAGES), usual=1))
def test_few_steps_are_rejected(chains: dict[str, list[Model]], method: str, kind: str) -> None:
    """At most one step in twenty is rejected, over all runs at a tolerance; the final error is at most some tolerances.

    The motion's sensitivity lets errors grow e-fold in some 0.3 s: 28 times over the run. From order 5 on solutions are
    so much better than the estimates that ten tolerances remain.
    """
    allowed = 10 if ORDERS[method] >= 5 else 28
    tight = [np.array(ends(mbs.simulate(m, 1.0, method="dop853", rtol=1e-13, atol=1e-13, output_interval=1.0)))
             for m in chains[kind]]  # fmt: skip
    for tolerance in (1e-4, 1e-5, 1e-6, 1e-8, *((1e-10,) if method == "dop853" else ())):
        steps = rejected = 0
        for m, exact in zip(chains[kind], tight, strict=True):
            r = mbs.simulate(m, 1.0, method=method, rtol=tolerance, atol=tolerance, output_interval=1.0)
            steps, rejected = steps + r.statistics["steps"], rejected + r.statistics["rejected"]
            assert_close(np.array(ends(r)), exact, allowed * tolerance, f"end of {m.name!r} at tolerance {tolerance}")
        assert rejected <= 0.05 * (steps + rejected), f"{rejected} steps rejected, {steps} made, at {tolerance}"


def ends(r: mbs.Result) -> list[float]:
    """Coordinates in the last row."""
    return [r[name][-1] for name in r.columns if ".phi" in name or ".q[" in name]


@pytest.mark.parametrize("joint", tiers(["hinged", "spherical", "universal"], usual=1))
@pytest.mark.parametrize("method", tiers(list(STAGES), usual=1))
def test_evaluations_of_a_step(chains: dict[str, list[Model]], method: str, joint: str) -> None:
    """The last stage serves the next step, also with quaternions; one more evaluation at the start, one for the step
    size.

    rodas5p evaluates its stages and the new state.
    """
    m = chains[joint][0] if joint in chains else random_tree(np.random.default_rng(3), 3, "chain", (joint,))
    s = mbs.simulate(m, 1.0, method=method, rtol=1e-6, output_interval=1.0).statistics
    attempts = s["steps"] + s["rejected"]
    last = joint == "spherical"  # outputs of the last row need the state with a unit quaternion
    assert s["evaluations"] == STAGES[method] * attempts + 2 + last


def test_no_growth_after_a_rejection() -> None:
    """A step that is accepted at the second attempt proposes no larger one, however small its error."""
    plain = Plain(chain("hinged", 1))
    kernels, R = plain.real, plain.R
    kernels.initialise(R)
    R[HeadNumbers.absolute] = R[HeadNumbers.step] = 1.0
    sizes: list[float] = []

    def attempt(R: np.ndarray, U: np.ndarray, h: float, tolerance: float) -> float:
        sizes.append(h)
        return 30.0 if len(sizes) == 1 else 1e-9

    kernels.dopri5_trial_step = attempt  # type: ignore[attr-defined]
    assert kernels.dopri5_step(R, np.zeros(4), 10.0, 1e-6) == 0
    assert sizes[0] == 1.0 and sizes[1] == pytest.approx(0.9 * 30.0**-0.2)
    assert R[HeadNumbers.step] == sizes[1]
    assert kernels.dopri5_step(R, np.zeros(4), 10.0, 1e-6) == 0
    assert R[HeadNumbers.step] > 2 * sizes[1]
