"""Functions for laws that switch: at the point where they do, each has the derivative of one side."""

from __future__ import annotations

from typing import Any

from .expressions import ZERO, Expression, as_expression, max, where


def sense(x: Any) -> Expression:
    """-1 or 1, also for zero: for directions, and for functions whose value at zero is their limit there."""
    return where(as_expression(x) < 0.0, -1.0, 1.0)


def parts(x: Any) -> tuple[Expression, Expression]:
    """Positive part of x and of -x. At zero only the first has a derivative, so that both together have that of one
    side."""
    x = as_expression(x)
    return max(x, ZERO), max(ZERO, -x)
