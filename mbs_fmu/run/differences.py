"""Derivatives of curves by differences of fourth order, with a step that need not fit the scale of the curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

#: Fourth-order differences, central and one-sided: (step, 12 times weight).
FOURTH = ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0))
FOURTH_AHEAD = ((0, -25.0), (1, 48.0), (2, -36.0), (3, 16.0), (4, -3.0))
SHARE = 1e-3  #: step of differences, relative to the number: h^4 and eps/h are then near 1e-12
LEVELS = 5  #: number of steps that `derivative` tries
RATIO = 0.125  #: of one of them to the one before

Curve = Callable[[float], np.ndarray | None]


def derivative(
    curve: Curve, step: float, nodes: Sequence[tuple[int, float]] = FOURTH
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the derivative of a curve at zero and its error, number by number.

    The curve is an array, or None where it is not defined. The differences have `step` and smaller steps. The result is
    that of two successive steps that agree best, and the error is their difference. None if there are no two such
    steps. With the nodes FOURTH_AHEAD, the curve is needed on the side of `step` only.
    """
    found: list[np.ndarray] = []
    for level in range(LEVELS):
        h = step * RATIO**level
        terms = [weight * value for k, weight in nodes if (value := curve(k * h)) is not None]
        if len(terms) == len(nodes):
            found.append(np.sum(terms, axis=0) / (12.0 * h))
    if len(found) < 2:
        return None
    estimates = np.array(found)
    errors = np.abs(np.diff(estimates, axis=0))
    best = np.argmin(errors, axis=0)[None]
    return np.take_along_axis(estimates[1:], best, 0)[0], np.take_along_axis(errors, best, 0)[0]
