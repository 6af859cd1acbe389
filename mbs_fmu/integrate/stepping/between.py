"""Rates at times inside a step, for result rows and for the search of zero crossings."""

from __future__ import annotations

from ...kernels.declarations import Record
from ...kernels.hooks import evaluate_folded, is_folded
from ...kernels.linked import momenta
from ...kernels.names import ERRORS, NV, RATES, TIME
from .drivers import copy, evaluate_between, normalise
from .hooks import METHOD_dense


def METHOD_between(R: Record, U: Record, time: float, theta: float, h: float) -> None:
    """Compute all rates at a time inside a step of size h, at fraction theta of the step.

    In a singular position momenta do not determine all velocities. The velocities are then the mean of those before and
    after the position.

    Reads: errors, u. Writes: errors, u.
    """
    METHOD_interpolated(R, U, time, theta, h)
    if is_folded(R):
        aside = 2.0e-3
        METHOD_interpolated(R, U, time - aside * h, theta - aside, h)
        copy(R, RATES, ERRORS, NV)
        METHOD_interpolated(R, U, time + aside * h, theta + aside, h)
        for k in range(NV):
            R[ERRORS + k] = 0.5 * (R[ERRORS + k] + R[RATES + k])
        METHOD_interpolated(R, U, time, theta, h)
        copy(R, ERRORS, RATES, NV)
        momenta(R)
        evaluate_folded(R, U)


def share_of(start: float, end: float, time: float) -> float:
    """Return the fraction of the step from `start` to `end` that has passed at `time`; 0 for a step of length zero."""
    return (time - start) / (end - start) if end > start else 0.0


def METHOD_interpolated(R: Record, U: Record, time: float, theta: float, h: float) -> None:
    """Compute all rates from momenta that are interpolated within a step; those of the present state if h is zero.

    Writes: head.
    """
    R[TIME] = time
    if h > 0.0:  # a step of length zero has neither a trial nor stages
        METHOD_dense(R, theta, h)
    normalise(R)
    evaluate_between(R, U)
