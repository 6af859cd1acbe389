"""Error-controlled steps after failed trials, and the cost of trials of feet on stiff ground."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.integrate.methods.table import METHODS, method
from mbs_fmu.record.blocks import HeadNumbers
from support.cases import Case, each, some_quick, tiers
from support.generators.elastic_mechanisms import bent_loops, bent_tree
from support.generators.legged_robots import dropped_robot
from support.generators.loops import random_loops
from support.generators.mechanisms import JOINTS, Plain, add_drives, random_tree
from support.generators.trees import add_forces
from support.models.kernel_coverage import held_drive

Failure = Callable[[Plain, str, np.ndarray, np.ndarray], float]
TOLERANCE = 1e-6
STEP = 1e-3  #: s


def step_behind(m: mbs.Model, name: str, solver: str = "cholesky", failed: Failure | None = None) -> np.ndarray:
    """State and rates after the second of two steps, before which `fail` makes a trial fail."""
    plain = Plain(compile_model(m, solver, methods=(name,)))
    kernels, R = plain.real, plain.R
    assert kernels.initialise(R) == 0
    R[HeadNumbers.absolute] = 1.0
    U = np.zeros(2 * len(plain.program.of_role("input")) + 4)
    right = getattr(kernels, f"{name}_trial_step")

    def attempt(R: np.ndarray, U: np.ndarray, h: float, tolerance: float) -> float:
        """Make a failing trial, then accept one whose size does not depend on it."""
        if failed and R[HeadNumbers.steps] == 1.0 and R[HeadNumbers.rejected] == 0.0:
            return failed(plain, name, R, U)
        right(R, U, STEP, tolerance)
        return 0.5

    setattr(kernels, f"{name}_trial_step", attempt)
    # without the search for crossings behind a step: it evaluates at the step's end, which the accepted trial changes
    step = getattr(kernels, f"{name}_plain_step", getattr(kernels, f"{name}_step"))
    with np.errstate(all="ignore"):
        for _ in range(2):
            R[HeadNumbers.step] = STEP
            assert step(R, U, 1.0, TOLERANCE) == 0
    return np.concatenate([R[plain.slice(part)] for part in ("q", "p", "z", "q_dot", "p_dot", "z_dot", "u")])


def far_too_long(plain: Plain, name: str, R: np.ndarray, U: np.ndarray) -> float:
    """Fail by a trial over ten million seconds; Python functions may raise errors for its numbers, machine code does
    not.
    """
    with contextlib.suppress(OverflowError):
        getattr(plain.real, f"{name}_stages")(R, U, R[HeadNumbers.time], 1e7)
        getattr(plain.real, f"{name}_arrive")(R, U)
        getattr(plain.real, f"{name}_errors")(R, 1e7)
    return 1e20


def not_finite(plain: Plain, name: str, R: np.ndarray, U: np.ndarray) -> float:
    """Fail by a trial that ends with NaN."""
    for part in ("q", "p", "z", "u"):
        R[plain.slice(part)] = np.nan
    plain.real.evaluate(R, U)
    getattr(plain.real, f"{name}_errors")(R, STEP)
    return -1.0


def with_laws(case: Case) -> mbs.Model:
    """A body that bears three others, with forces, or with drives and prescribed motions."""
    rng = np.random.default_rng(case.seed)
    m = random_tree(rng, 4, "star", must=case.joint)
    add_forces(m, rng) if case.seed % 3 else add_drives(m, rng)
    return m


@pytest.mark.parametrize("failed", [far_too_long, not_finite])
@pytest.mark.parametrize("solver", some_quick(["cholesky", "sweep"], 1))
@each(JOINTS, rounds=2, usual=1, quick=1)
def test_failed_trials_leave_no_trace_in_trees(case: Case, solver: str, failed: Failure) -> None:
    """The step after a failed trial has the bits of a step without one, whatever the trial's numbers."""
    m, name = with_laws(case), ("dopri5", "rodas5p")[case.seed // 7 % 2]
    assert np.array_equal(step_behind(m, name, solver), step_behind(m, name, solver, failed))


OTHERS: dict[str, Callable[[], mbs.Model]] = {
    "driven loop": held_drive,
    "loops": lambda: random_loops(5),
    "elastic": lambda: bent_tree(3),
    "elastic loops": lambda: bent_loops(1),
}


@pytest.mark.parametrize("failed", [far_too_long, not_finite])
@pytest.mark.parametrize("name", ["dopri5", "rodas5p"])
@pytest.mark.parametrize("model", tiers(OTHERS, usual=1))
def test_failed_trials_leave_no_trace(model: Callable[[], mbs.Model], name: str, failed: Failure) -> None:
    """The same with closed loops, elastic bodies and drive forces."""
    m = model()
    assert np.array_equal(step_behind(m, name), step_behind(m, name, failed=failed))


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
def test_too_short_steps_have_a_remedy() -> None:
    """x' = x² has no solution after t = 1; the message names possible causes of short steps."""
    m = mbs.Model("blows_up")
    m.state("x", mbs.signal("x") ** 2, start=1.0)
    with pytest.raises(mbs.SimulationError, match=r"step size became too small for state 'x' at t = 1\.0.* max_step"):
        mbs.simulate(m, 2.0)


# -- feet on stiff ground ------------------------------------------------------------------------------------

ADAPTIVE = [name for name in METHODS if method(name).adaptive]


def evaluations(m: mbs.Model, name: str, stiffness: float, max_step: float | None, time: float) -> int:
    """Number of evaluations of a run that completes."""
    parameters = {"stiffness": stiffness}
    result = mbs.simulate(m, time, method=name, max_step=max_step, parameters=parameters, output_interval=time)
    return int(result.statistics["evaluations"])


def test_a_robot_lands() -> None:
    """Trial steps that end deep in the ground are rejected and shortened."""
    assert evaluations(dropped_robot(2), "rodas5p", 1e6, None, 0.3) < 8000


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_robots_land_as_well_as_with_any_longest_step(seed: int) -> None:
    """No `max_step` saves more than a sixth of the evaluations on ground of any stiffness: failed trials cost little.

    The remaining differences are chance: feet that slip and bounce take other paths, with other numbers of steps.
    """
    m = dropped_robot(seed)
    limits = (None, 0.2, 0.1, 0.03, 0.01, 0.003)
    print(f"\nrobot {seed}: evaluations with max_step = {limits}")
    worst = 0.0
    for name in ADAPTIVE:
        for stiffness in (1e4, 1e5, 1e6, 1e7):
            free, *limited = (evaluations(m, name, stiffness, limit, 0.6) for limit in limits)
            print(f"{name:8} {stiffness:.0e} N/m {free:7d}", *(f"{count:7d}" for count in limited))
            worst = max(worst, free / min(limited))
    assert worst <= 1.2


@pytest.mark.quick
def test_a_rejected_step_is_not_tried_again(in_plain_python: None) -> None:
    """z' = z² from 0.9 ends with a message at its pole, where step sizes are few ulp of the time."""
    m = mbs.Model("pole")
    m.state("z", rate=lambda z: z * z, start=0.9)
    with pytest.raises(mbs.SimulationError, match=r"step size became too small for state 'z' at t = 1\.1111"):
        mbs.simulate(m, 2.0, output_interval=0.1)
