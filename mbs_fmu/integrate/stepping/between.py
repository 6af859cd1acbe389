"""Rates at times inside a step, as text: for the result's rows, and where numbers cross zero."""

from __future__ import annotations

from ...kernels.declarations import Record
from ...kernels.hooks import evaluate_folded, is_folded
from ...kernels.linked import momenta
from ...kernels.names import ERRORS, NV, RATES, TIME
from .drivers import copy, evaluate_between, normalise
from .hooks import METHOD_dense


def METHOD_between(R: Record, U: Record, time: float, theta: float, h: float) -> None:
    """Compute all rates at a time inside a step of size h, at fraction theta of the step.

    In a folded position momenta do not determine all velocities: there these are the mean of those before and after.

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
    """Compute all rates from the momenta interpolated in a step.

    Writes: head.
    """
    R[TIME] = time
    METHOD_dense(R, theta, h)
    normalise(R)
    evaluate_between(R, U)
