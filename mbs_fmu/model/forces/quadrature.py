"""Nodes and weights for integrals of t^(b-1) f(t) on [0, 1] that are exact to rounding for given functions f."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

NODES = 10  #: of each panel
CLOSE = 1e-13  #: relative to the whole integral, difference between a panel and its halves, which err much less
MOST_HALVINGS = 16

Function = Callable[[np.ndarray], np.ndarray]
Rule = tuple[np.ndarray, np.ndarray]  #: nodes, weights


def gauss_jacobi(count: int, b: float) -> Rule:
    """Return the rule for the weight t^(b-1) that is exact for polynomials of degree 2 count - 1; b: positive.

    Source: G. H. Golub and J. H. Welsch, Mathematics of Computation 23 (1969) 221.
    """
    beta = b - 1.0
    n = np.arange(1.0, count)
    middle = np.concatenate([[beta / (beta + 2.0)], beta * beta / ((2.0 * n + beta) * (2.0 * n + beta + 2.0))])
    beside = 2.0 * n * (n + beta) / ((2.0 * n + beta) * np.sqrt((2.0 * n + beta) ** 2 - 1.0))
    x, modes = np.linalg.eigh(np.diag(middle) + np.diag(beside, 1) + np.diag(beside, -1))
    return 0.5 * (1.0 + x), modes[0] ** 2 / b


def rule_for(functions: Sequence[Function], b: float) -> Rule:
    """Return a rule for some positive functions. [0, 1] is halved where they vary too fast for polynomials."""
    t, w = _panel(b, 0.0, 1.0)
    allowed = np.array([CLOSE * float(w @ f(t)) for f in functions])
    return _refined(functions, b, (0.0, 1.0), allowed, MOST_HALVINGS)


def _refined(
    functions: Sequence[Function], b: float, panel: tuple[float, float], allowed: np.ndarray, halvings: int
) -> Rule:
    """Return a rule on a panel; allowed: error of the integral of each function."""
    middle = 0.5 * sum(panel)
    halves = (panel[0], middle), (middle, panel[1])
    whole, parts = _panel(b, *panel), [_panel(b, *half) for half in halves]
    errors = [abs(whole[1] @ f(whole[0]) - sum(w @ f(t) for t, w in parts)) for f in functions]
    if halvings > 0 and not np.all(np.array(errors) <= allowed):
        parts = [_refined(functions, b, half, allowed, halvings - 1) for half in halves]
    return np.concatenate([t for t, _ in parts]), np.concatenate([w for _, w in parts])


def _panel(b: float, low: float, high: float) -> Rule:
    """Return the rule of `NODES` nodes on a part of [0, 1]."""
    if low == 0.0:
        t, w = gauss_jacobi(NODES, b)
        return high * t, high**b * w
    t, w = gauss_jacobi(NODES, 1.0)
    t = low + (high - low) * t
    return t, (high - low) * w * t ** (b - 1.0)
