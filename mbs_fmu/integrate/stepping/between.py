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


def METHOD_interpolated(R: Record, U: Record, time: float, theta: float, h: float) -> None:
    """Compute all rates from momenta that are interpolated within a step.

    Writes: head.
    """
    R[TIME] = time
    METHOD_dense(R, theta, h)
    normalise(R)
    evaluate_between(R, U)
