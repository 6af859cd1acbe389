"""Differences of the states' rates on both sides of a state, for laws that switch there."""

from __future__ import annotations

import numpy as np

from support.comparisons import first_difference
from support.generators.mechanisms import Plain

STEP = 1e-6  #: of the differences, in units of the states


def compare_with_one_side(plain: Plain, tolerance: float) -> None:
    """Assert that the derivatives of the rates by each state and input are the differences on one side of it.

    Both sides are the same where no law switches, and the mean of both is accepted, as of the length of a vector at
    zero. Differences of the second order: they err by the square of the step times a third derivative, and by eps over
    the step. tolerance: of the largest difference by a state, or 1.
    """
    rates, states = plain.program.rate_slice, plain.program.state_slice
    inputs = [v.slot for v in plain.program.of_role("input")]
    labels = [*plain.program.owners, *(f"input {slot}" for slot in inputs)]
    for label, slot in zip(labels, [*range(states.start, states.stop), *inputs], strict=True):
        tangent = np.zeros_like(plain.R)
        tangent[slot] = 1.0
        plain.real.derive_d(plain.R.copy(), tangent)
        here, one, two, half, less = (_rates(plain, slot, k * STEP) for k in (0.0, 1.0, -1.0, 0.5, -0.5))
        above, below = (4.0 * half - one - 3.0 * here) / STEP, (3.0 * here + two - 4.0 * less) / STEP
        bound = tolerance * max(1.0, float(np.abs([above, below]).max()))
        sides = [above, below, 0.5 * (above + below)]
        nearest = min(sides, key=lambda side: float(np.abs(tangent[rates] - side).max()))
        message = first_difference(tangent[rates], nearest, bound, f"derivative by {label}", plain.program.owners)
        assert np.abs(tangent[rates] - nearest).max() <= bound, message


def _rates(plain: Plain, slot: int, change: float) -> np.ndarray:
    R = plain.R.copy()
    R[slot] += change
    plain.real.derive(R)
    return R[plain.program.rate_slice]
