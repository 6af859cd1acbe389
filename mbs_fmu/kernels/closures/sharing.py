"""Kernels that share loads between redundant rows: the multipliers of least norm with the same generalized forces.

The modules of models that output reactions or instantaneous multipliers contain them and also their tangents. The
equations are (L16) of docs/equations_loops.md.

An addition n to the multipliers must not change the motion. With the factors of the last solution (L7) it obeys
L_kk n_k = -(sum of L_jk n_j + Z n) for each pivot k; the entries of rows without a pivot can be chosen. They are chosen
by least squares, loop by loop in the order of elimination. Each loop has a frontal matrix: a quadratic form of its own
rows and of those later rows that share blocks with it. The remainder for the later rows is added to the frontal matrix
of the next of their loops.
"""

from ..declarations import Record
from ..library import integer
from .elimination import left_free
from .names import (
    BLOCKS,
    FACTORS,
    FRONT,
    FRONT_MAP,
    FRONT_ROWS,
    FRONTAL,
    GAINS,
    LATER,
    LATER_FIRST,
    MULTIPLIERS,
    N_FRONT,
    N_LOOPS,
    N_ROWS,
    PIVOTS,
    RANKS,
    ROOTED,
    SCALES,
    SHARES,
)


def share(R: Record, D: Record) -> None:
    """Replace the present multipliers lambda by those of least norm; expects `solve_d` along the motion.

    Reads: D, ranks, shares. Writes: D, frontal, shares.
    """
    rank = 0
    for k in range(N_LOOPS):
        rank += integer(R[RANKS + k])
    if rank < N_ROWS:
        for k in range(N_FRONT):
            R[FRONT + k] = 0.0
        for k in range(N_ROWS):
            R[SHARES + k] = 0.0
        for t in range(N_LOOPS):
            condense(R, D, t)
        for t in range(N_LOOPS - 1, -1, -1):
            expand(R, D, t)
        for k in range(N_ROWS):
            D[MULTIPLIERS + k] += R[SHARES + k]


def condense(R: Record, D: Record, t: int) -> None:
    """Eliminate a loop's own rows from its frontal matrix, and add the remainder to the next frontal matrix.

    The elimination factors replace the eliminated rows.

    Reads: D, blocks, factors, frontal, pivots, ranks, scales. Writes: frontal, elimination_factors.
    """
    z = FRONTAL[5 * t]
    H = FRONT + FRONTAL[5 * t + 1]
    size = FRONTAL[5 * t + 2]
    m = ROOTED[6 * z + 1]
    first = ROOTED[6 * z + 2]
    L = FACTORS + ROOTED[6 * z + 4]
    for i in range(m):
        R[H + i * (size + 1) + i] += R[SCALES + first + i]
        R[H + i * (size + 1) + size] += R[SCALES + first + i] * D[MULTIPLIERS + first + i]
    used = left_free(R, first, m)
    for k in range(integer(R[RANKS + ROOTED[6 * z]])):
        p = integer(R[PIVOTS + first + k])
        used |= 1 << p
        for j in range(m):
            R[GAINS + j] = 0.0
            if (used >> j) & 1 == 0:
                R[GAINS + j] = -R[L + j * m + k] / R[L + p * m + k]
        place = GAINS + m
        for e in range(LATER_FIRST[z], LATER_FIRST[z + 1]):
            n = LATER[4 * e + 1]
            for c in range(n):
                R[place + c] = -R[BLOCKS + LATER[4 * e + 2] + k * n + c] / R[L + p * m + k]
            place += n
        R[GAINS + size] = 0.0
        substitute_row(R, D, H, m, size, p, used)
    for i in range(m):
        if (used >> i) & 1 == 0:
            used |= 1 << i
            for j in range(size + 1):
                R[GAINS + j] = 0.0
                if j >= m or (used >> j) & 1 == 0:
                    R[GAINS + j] = -R[H + i * (size + 1) + j] / R[H + i * (size + 1) + i]
            substitute_row(R, D, H, m, size, i, used)
    extend_add(R, D, t, m)


def substitute_row(R: Record, D: Record, H: int, m: int, size: int, i: int, used: int) -> None:
    """Substitute n_i = sum of g_j n_j + constant in a frontal matrix: H_jl += g_j H_il + H_ij g_l + g_j g_l H_ii.

    The factors g replace row i.

    Reads: H, elimination_factors. Writes: H.
    """
    row = H + i * (size + 1)
    for j in range(size):
        if j >= m or (used >> j) & 1 == 0:
            other = H + j * (size + 1)
            for c in range(size + 1):
                R[other + c] += (
                    R[GAINS + j] * R[row + c] + R[row + j] * R[GAINS + c] + R[GAINS + j] * R[GAINS + c] * R[row + i]
                )
    for c in range(size + 1):
        R[row + c] = R[GAINS + c]


def extend_add(R: Record, D: Record, t: int, m: int) -> None:
    """Add the remainder of a frontal matrix to that of the first loop among the later rows.

    Reads: frontal. Writes: frontal.
    """
    H = FRONT + FRONTAL[5 * t + 1]
    size = FRONTAL[5 * t + 2]
    if size > m:
        u = FRONTAL[5 * t + 3]
        places = FRONTAL[5 * t + 4]
        whole = FRONTAL[5 * u + 2]
        for a in range(m, size):
            row = FRONT + FRONTAL[5 * u + 1] + FRONT_MAP[places + a] * (whole + 1)
            for b in range(m, size):
                R[row + FRONT_MAP[places + b]] += R[H + a * (size + 1) + b]
            R[row + whole] += R[H + a * (size + 1) + size]


def expand(R: Record, D: Record, t: int) -> None:
    """Compute the addition to the multipliers of one loop from the additions to later loops.

    Reads: pivots, ranks.
    """
    z = FRONTAL[5 * t]
    m = ROOTED[6 * z + 1]
    first = ROOTED[6 * z + 2]
    rank = integer(R[RANKS + ROOTED[6 * z]])
    used = left_free(R, first, m)
    for k in range(rank):
        used |= 1 << integer(R[PIVOTS + first + k])
    for i in range(m - 1, -1, -1):
        if (used >> i) & 1 == 0:
            expand_row(R, D, t, i)
    for k in range(rank - 1, -1, -1):
        expand_row(R, D, t, integer(R[PIVOTS + first + k]))


def expand_row(R: Record, D: Record, t: int, i: int) -> None:
    """Compute the addition to the multiplier of row i from its elimination factors.

    Reads: frontal, shares. Writes: shares.
    """
    size = FRONTAL[5 * t + 2]
    row = FRONT + FRONTAL[5 * t + 1] + i * (size + 1)
    rows = FRONTAL[5 * t + 4]
    total = R[row + size]
    for j in range(size):
        total += R[row + j] * R[SHARES + FRONT_ROWS[rows + j]]
    R[SHARES + FRONT_ROWS[rows + i]] = total
