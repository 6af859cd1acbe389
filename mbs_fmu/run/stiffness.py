"""Notes on runs of explicit methods whose step is limited by stability, not by accuracy: the model is stiff."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from ..infrastructure.messages.calls import warn
from ..integrate.methods.explicit import Tableau
from ..record.blocks import HeadNumbers
from ..record.codes import Fresh
from .runtime import Runtime
from .step_control import StepControl

MANY_STEPS = 10_000  #: a shorter run needs no note
LONG_RUN = 1_000_000  #: number of steps after which the note is a warning, since the run may take long
LIMITED = 0.75  #: share of the limit of stability above which steps are limited by it
ITERATIONS, CLOSE = 40, 0.01  #: of the power method; relative change at which it ends
LEAST_PERTURBATION = 1e-8  #: relative to a coordinate, above rounding


def stiffness_notes(runtime: Runtime, R: np.ndarray, U: np.ndarray, control: StepControl) -> list[str]:
    """Return a note if stability limits the steps with error control of an explicit method at the present state.

    This is so where the proposed step times the spectral radius of the Jacobian of the rates reaches the method's limit
    of stability on the negative real axis (Hairer, Wanner, Solving Ordinary Differential Equations II, IV.2).
    """
    if control.fixed or not isinstance(control.method, Tableau):
        return []
    steps, step = int(R[HeadNumbers.steps]), float(R[HeadNumbers.step])
    if steps < MANY_STEPS or step <= 0.0:
        return []
    fastest = _spectral_radius(_rates(runtime, R, U), R[runtime.program.state_slice].copy(), *control.tolerances)
    if not step * fastest > LIMITED * _limit(control.method):
        return []
    return [
        f"the model is stiff: at t = {R[HeadNumbers.time]:.6g} s, after {steps} steps, its fastest motion decays or "
        f"oscillates at {fastest:.3g} 1/s, and the stability of {control.method.name} limits steps to {step:.2g} s: "
        f"try method='rodas5p'"
    ]


def warn_of_stiffness(runtime: Runtime, R: np.ndarray, U: np.ndarray, control: StepControl) -> None:
    """Warn in a run of a stiff model that has made many steps."""
    for note in stiffness_notes(runtime, R, U, control):
        warn(f"{runtime.program.name}: {note}")


def _rates(runtime: Runtime, R: np.ndarray, U: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function of a state that returns its rates at the time of a record, which does not change."""
    program, work = runtime.program, R.copy()

    def rates(x: np.ndarray) -> np.ndarray:
        work[:] = R
        work[program.state_slice] = x
        work[HeadNumbers.fresh] = Fresh.stale
        runtime.kernels.enter_refresh(work, U)
        found: np.ndarray = work[program.rate_slice].copy()
        return found

    return rates


def _spectral_radius(
    rates: Callable[[np.ndarray], np.ndarray], x: np.ndarray, relative: float, absolute: float
) -> float:
    """Return the largest absolute eigenvalue of the Jacobian of `rates` at x, 1/s, by the power method; 0 if it fails.

    Differences are a tenth of the tolerances of x, in which numbers of all units are of equal weight.
    """
    weight = 0.1 * np.maximum(absolute + relative * np.abs(x), LEAST_PERTURBATION * np.abs(x))
    direction = np.random.default_rng(1).choice([-1.0, 1.0], x.size)
    base, radius = rates(x), 0.0
    for _ in range(ITERATIONS):
        change = (rates(x + weight * direction) - base) / weight
        before, radius = radius, float(np.linalg.norm(change) / np.linalg.norm(direction))
        if not np.isfinite(radius) or radius == 0.0:
            return 0.0
        if abs(radius - before) <= CLOSE * radius:
            break
        direction = change / np.max(np.abs(change))
    return radius


@functools.cache
def _limit(method: Tableau) -> float:
    """Return the length of the interval of stability of a method on the negative real axis."""
    stages = len(method.b)
    a = np.zeros((stages, stages))
    for k, row in enumerate(method.a):
        a[k, : len(row)] = [float(number) for number in row]
    b, ones = np.array([float(number) for number in method.b]), np.ones(stages)
    powers = np.array([1.0, *(b @ np.linalg.matrix_power(a, k) @ ones for k in range(stages))])
    lengths = np.arange(0.01, 20.0, 0.01)
    stable = np.abs(np.polynomial.polynomial.polyval(-lengths, powers)) <= 1.0 + 1e-9
    return float(lengths[np.argmin(stable)])
