"""Joint velocities after an impact, by dense algebra: an oracle for start velocities."""

from __future__ import annotations

import numpy as np

from support.oracles.dense import Array, Dense, shortest


def behind_impact(dense: Dense, q: Array, u: Array, held: Array, t: float = 0.0) -> Array:
    """Joint velocities after an impact that closes the loops; held: True for joint velocities that do not change.

    The change x of the other velocities has the least ½ xᵀ M x of all changes that close the loops.
    """
    free = ~np.asarray(held)
    G = dense.jacobian(q, t)
    G[np.abs(G) < 1e-13] = 0.0  # round-off, which would be all that rows without free velocities have
    L = np.linalg.cholesky(dense.mass_matrix(q)[np.ix_(free, free)])
    velocities = np.array(u, dtype=float)
    change = shortest(np.linalg.solve(L, G[:, free].T).T, -(G @ velocities + dense.time_rate(q, t)))  # y = Lᵀ x
    velocities[free] += np.linalg.solve(L.T, change)
    return velocities
