"""Constraint rows of closed loops as a matrix: their Jacobian with respect to all joint velocities."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..record.program import Program
from ..record.tables import Open, Rooted, rows_of


def jacobian(program: Program, kernels: Any, R: np.ndarray) -> np.ndarray:
    """Return J of J u + gamma = 0, for all rows in a record after `conditions` and `plain_inboard`."""
    J = np.zeros((program.regions["residuals"][1], program.regions["u"][1]))
    rows = rows_of(Open, kernels.OPEN)
    for i in range(len(kernels.OPEN_FIRST) - 1):
        for own in rows[kernels.OPEN_FIRST[i] : kernels.OPEN_FIRST[i + 1]]:
            row_b = R[kernels.ROW_B + own.projection :][: kernels.RATES_OF[i]]
            J[own.row, kernels.RATE_INDEX[i] :][: kernels.RATES_OF[i]] = row_b
    return J


def chosen_rows(program: Program, kernels: Any, R: np.ndarray) -> list[int]:
    """Return the active rows: those of engaged closures that are not redundant."""
    ranks, pivots = R[program.region("ranks")], R[program.region("pivots")]
    rows = []
    for root in rows_of(Rooted, kernels.ROOTED):
        own = pivots[root.first_row :][: int(ranks[root.loop])]
        rows += [root.first_row + int(pivot) for pivot in own]
    return sorted(rows)


def binding_rows(program: Program, kernels: Any, R: np.ndarray) -> list[int]:
    """Return the rows of engaged closures that are not rate constraints."""
    modes = R[program.region("modes")]
    return [
        row
        for row, binds in enumerate(kernels.ROW_BINDS)
        if binds and (not program.modes or kernels.ROW_MODE[row] == 0 or modes[kernels.ROW_MODE[row] - 1] == 0.0)
    ]


def null_space(J: np.ndarray, rank: int | None = None) -> np.ndarray:
    """Return an orthonormal basis of the null space of J, as columns; `rank`: that of J, computed if None."""
    _, sizes, Vt = np.linalg.svd(J, full_matrices=True)
    if rank is None:
        rank = int(np.sum(sizes > 1e-9 * np.max(sizes, initial=0.0)))
    return np.asarray(Vt[rank:].T)


def pivots(N: np.ndarray, first: list[int]) -> list[int]:
    """Return well-conditioned rows of N, as many as N has columns: the given ones first, then the largest."""
    rest, chosen = N.copy(), list[int]()
    for k in range(N.shape[1]):
        i = first[k] if k < len(first) else int(np.argmax(np.einsum("ij,ij->i", rest, rest)))
        chosen.append(i)
        direction = rest[i] / np.linalg.norm(rest[i])
        rest = rest - np.outer(rest @ direction, direction)
    return sorted(chosen)
