"""The truss boom as all its points and bars, without a reduction: Newton's equation of each point.

A bar between points a and b of the length l, undeformed L, pulls with EA (l/L - 1) along its line, however far the
boom moves and bends. The thruster's force acts on the four points of the tip in equal parts.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from models import truss_boom as boom

from .solver import run

Array = np.ndarray
PLACES, BARS = boom.places(), np.array(boom.bars())
LENGTHS = np.linalg.norm(PLACES[BARS[:, 1]] - PLACES[BARS[:, 0]], axis=1)
SIGNS, ROWS = np.tile([-1.0, 1.0], len(BARS)), np.repeat(np.arange(len(BARS)), 2)
ENDS = csr_array((SIGNS, (ROWS, BARS.ravel())))  # from points to the difference of a bar's ends
BACK = csr_array(ENDS.T)


def rates(t: float, y: Array) -> Array:
    """Of places and velocities."""
    x, v = y.reshape(2, -1, 3)
    lines = ENDS @ x
    pulls = boom.EA * (1.0 / LENGTHS - 1.0 / np.linalg.norm(lines, axis=1))
    forces = -BACK @ (pulls[:, None] * lines)
    forces[-4:, 2] += 0.25 * thrust(t)
    return np.concatenate([v, forces / boom.MASS]).ravel()


def thrust(t: float) -> float:
    """Of the thruster, N."""
    return float(boom.THRUST * np.sin(np.pi * min(t, boom.BURN) / boom.BURN) ** 2)


def truss_boom(times: Array) -> dict[str, Array]:
    """All outputs."""
    spin = np.array([0.0, 0.0, boom.SPIN])
    start = np.concatenate([PLACES, np.cross(spin, PLACES - PLACES.mean(axis=0))]).ravel()
    states = run(rates, start, times).reshape(len(times), 2, -1, 3)
    root, tip = states[:, 0, :4].mean(axis=1), states[:, 0, -4:].mean(axis=1)
    lines = states[:, 0, BARS[:, 1]] - states[:, 0, BARS[:, 0]]
    stretched = np.linalg.norm(lines, axis=2) - LENGTHS
    energy = 0.5 * boom.MASS * (states[:, 1] ** 2).sum(axis=(1, 2)) + 0.5 * stretched**2 @ (boom.EA / LENGTHS)
    return {"root": root.T, "tip": tip.T, "length": np.linalg.norm(tip - root, axis=1), "energy": energy}
