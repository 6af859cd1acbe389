"""Rates at times inside a step, for result rows and for the search of zero crossings."""

from __future__ import annotations

from ...kernels.hooks import evaluate_singular, is_singular
from ...kernels.linked import momenta
from ...record.schema import NV, Inputs, Record
from .drivers import evaluate_between, normalise
from .hooks import METHOD_dense


def METHOD_between(R: Record, U: Inputs, time: float, theta: float, h: float) -> None:
    """Compute all rates at a time inside a step of size h, at fraction theta of the step.

    Expects state and rates at the end of the step in `work`, after a call of METHOD_dense_stages. Replaces time, state
    and all rates, which the caller restores, and in a singular position `errors`.

    In a singular position momenta do not determine all velocities. The velocities are then the mean of those before and
    after the position.
    """
    METHOD_interpolated(R, U, time, theta, h)
    if is_singular(R):
        aside = 2.0e-3
        METHOD_interpolated(R, U, time - aside * h, theta - aside, h)
        R.errors[:] = R.u
        METHOD_interpolated(R, U, time + aside * h, theta + aside, h)
        for k in range(NV):
            R.errors[k] = 0.5 * (R.errors[k] + R.u[k])
        METHOD_interpolated(R, U, time, theta, h)
        R.u[:] = R.errors
        momenta(R)
        evaluate_singular(R, U)


def share_of(start: float, end: float, time: float) -> float:
    """Return the fraction of the step from `start` to `end` that has passed at `time`; 0 for a step of length zero."""
    return (time - start) / (end - start) if end > start else 0.0


def METHOD_interpolated(R: Record, U: Inputs, time: float, theta: float, h: float) -> None:
    """Compute all rates at a state that is interpolated within a step; those of the present state if h is zero."""
    R.time = time
    if h > 0.0:  # a step of length zero has neither a trial nor stages
        METHOD_dense(R, theta, h)
    normalise(R)
    evaluate_between(R, U)
