"""Chains of hinged bodies."""

from __future__ import annotations

import numpy as np

from models import universal_chain as chain

from .hinges import Hinges, Link
from .solver import run

COUNT = 5


def universal_chain(times: np.ndarray) -> dict[str, np.ndarray]:
    """Each universal joint is a hinge about x and one about the new y."""
    m, length, radius = chain.MASS, chain.LENGTH, chain.RADIUS
    across = m * (3 * radius**2 + length**2) / 12
    inertia = np.diag([across, across, m * radius**2 / 2])
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    end, middle = (0.0, 0.0, -length), (0.0, 0.0, -length / 2)
    links = [Link(k - 1, end if k else (0.0, 0.0, 0.0), axes, m, middle, inertia) for k in range(COUNT)]
    system = Hinges(links)
    start = np.zeros(4 * COUNT)
    start[:2] = chain.LEAN
    states = run(system.rates, start, times)
    tips = np.array([system.frames(t, *np.split(y, 2))[0][-1].point(np.array(end))[:2] for t, y in zip(times, states)])
    energy = np.array([system.energy(t, y) for t, y in zip(times, states, strict=True)])
    return {"tip": tips[:, 0].T, "tip_velocity": tips[:, 1].T, "energy": energy}
