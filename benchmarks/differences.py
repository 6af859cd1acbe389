"""Jacobians by differences, with an estimate of their error; it imports numpy alone, since peers use it too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Function = Callable[[np.ndarray], np.ndarray]
LEVELS = 6  #: of the extrapolation


def central(f: Function, at: np.ndarray, size: float) -> np.ndarray:
    """Return the Jacobian of f by central differences whose steps are `size` times the numbers, at least 0.1."""
    columns = []
    for k, h in enumerate(size * np.maximum(np.abs(at), 0.1)):
        step = np.zeros_like(at)
        step[k] = h
        columns.append((f(at + step) - f(at - step)) / (2.0 * h))
    return np.array(columns).T


def extrapolated(f: Function, at: np.ndarray, size: float = 1e-4) -> tuple[np.ndarray, np.ndarray]:
    """Return the Jacobian of f by Ridders' method, and an estimate of the error of each entry.

    The steps of central differences are quartered LEVELS - 1 times from `size`, and extrapolated to zero. Of all
    entries of the tableau, the one with the smallest difference from its predecessors counts.
    """
    best, error = None, None
    above: list[np.ndarray] = []
    for level in range(LEVELS):
        row = [central(f, at, size / 4.0**level)]
        for order, before in enumerate(above, start=1):
            row.append(row[-1] + (row[-1] - before) / (16.0**order - 1.0))
        if best is None:
            best, error = row[0], np.full_like(row[0], np.inf)
        for k in range(1, len(row)):
            estimate = np.maximum(np.abs(row[k] - row[k - 1]), np.abs(row[k] - above[k - 1]))
            better = estimate < error
            best, error = np.where(better, row[k], best), np.where(better, estimate, error)
        above = row
    return best, error


def trend(f: Function, at: np.ndarray, width: float, samples: int = 51) -> np.ndarray:
    """Return the slopes of f over a range: of cubic polynomials fitted to samples within +-width.

    Differences of a run with fixed steps see its local slope; the trend is what an optimizer follows.
    """
    offsets = np.linspace(-width, width, samples)
    columns = []
    for direction in np.eye(len(at)):
        values = np.array([f(at + offset * direction) for offset in offsets])
        columns.append(np.polynomial.polynomial.polyfit(offsets / width, values, 3)[1] / width)
    return np.array(columns).T
