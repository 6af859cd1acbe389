"""Kernels that eliminate constraint rows, as small loops over the rows; equation (L7) of docs/equations_loops.md.

The modules of models with closed loops contain these functions and also their first and second tangents (dual.py).
The symbols Y, Z, S, B, D, V and x are those of (L7).
"""

import numpy as np

from ..declarations import Record, inlined
from ..library import integer, lt
from ..names import FAULT, N_LINKS, N_MODES, NV, TWIST
from .names import (
    ADDED,
    ALPHA,
    BLOCKS,
    CHOICE,
    CHOSEN,
    COLUMN,
    CONTROLLED,
    DRIFT,
    FACTORS,
    FREE_CHOICE,
    FROZEN_CHOICE,
    HELD,
    LATER,
    LATER_FIRST,
    LATER_SURE,
    LOOP_MODE,
    MODES,
    MULTIPLIERS,
    N_ADDED,
    N_BLOCKS,
    N_ROWS,
    N_SWITCHED,
    N_UNBOUND,
    N_Y,
    N_Z,
    NO_CHOICE,
    OPEN,
    OPEN_FIRST,
    OPEN_SURE,
    PAIR_FIRST,
    PAIR_LOOPS,
    PAIR_SURE,
    PAIRS,
    PIVOTS,
    POSITIONS,
    PUSH,
    RANKS,
    REBOUNDS,
    RESIDUAL,
    RESIDUAL_RATES,
    RESIDUALS,
    RIGHT,
    ROOTED,
    ROOTED_FIRST,
    ROOTED_SURE,
    ROW_B,
    ROW_BINDS,
    ROW_D,
    ROW_LOOP,
    ROW_MODE,
    ROW_V,
    ROW_Y,
    ROW_Z,
    SCALES,
    SOLVED,
    SWITCHED,
    SWITCHED_LINKS,
    SWITCHED_ROWS,
    TOLERANCE,
    UPDATE_FIRST,
    UPDATE_LOOPS,
    UPDATE_SURE,
    UPDATES,
)


def start_rows(R: Record) -> None:
    """Set Y, Z and S to zero and mark engaged closures; called before the model's rows are written.

    Writes: blocks, push, row_y, row_z.
    """
    for k in range(N_Y):
        R[ROW_Y + k] = 0.0
    for k in range(N_Z):
        R[ROW_Z + k] = 0.0
    for k in range(N_BLOCKS):
        R[BLOCKS + k] = 0.0
    for k in range(NV):
        R[PUSH + k] = 0.0
    if N_SWITCHED > 0:
        mark_held(R)


def mark_held(R: Record) -> None:
    """Mark the engaged closures with constraint modes; set rank and multipliers of the released ones to zero.

    Reads: held, modes. Writes: multipliers, ranks.
    """
    marked = R[HELD + N_LINKS + 1] != 0.0
    for e in range(N_SWITCHED):
        if R[MODES + SWITCHED_ROWS[3 * e + 1]] != 0.0:
            R[MULTIPLIERS + SWITCHED_ROWS[3 * e]] = 0.0
            R[RANKS + SWITCHED_ROWS[3 * e + 2]] = 0.0
        else:
            marked = True
    if marked:
        mark_links(R)


def mark_links(R: Record) -> None:
    """Mark the links with rows of engaged closures with constraint modes.

    Reads: modes. Writes: held.
    """
    for i in range(N_LINKS + 2):
        R[HELD + i] = 0.0
    for g in range(N_MODES):
        if R[MODES + g] == 0.0:
            R[HELD + N_LINKS + 1] = 1.0
            for e in range(SWITCHED[2 * g], SWITCHED[2 * g + 1]):
                R[HELD + SWITCHED_LINKS[e]] = 1.0


def end_of(R: Record, i: int, sure: int, end: int) -> int:
    """Return the end of the entries of link i that are in use.

    The entries of permanent closures end at `sure`; those of closures with constraint modes follow, up to `end`. The
    latter are in use only if one of these closures is engaged.

    Reads: held.
    """
    return end if N_MODES == 0 or R[HELD + i] > 0.0 else sure


def right_sides(R: Record) -> None:
    """Compute b = gamma + alpha g.

    Reads: loop_state, rebounds, residual_rates, residuals. Writes: right.
    """
    drift = R[DRIFT]
    alpha = R[ALPHA]
    for k in range(N_ROWS):
        value = drift * R[RESIDUAL_RATES + k] + alpha * R[RESIDUALS + k]
        if N_MODES > 0:
            value += R[REBOUNDS + k]
        R[RIGHT + k] = value


def residual(R: Record) -> None:
    """Set R[RESIDUAL] to the largest residual of all rows and R[FAULT] to its row.

    Reads: residuals. Writes: head, loop_state.
    """
    largest = 0.0
    for k in range(N_ROWS):
        if not abs(R[RESIDUALS + k]) <= largest and not is_off(R, k):
            largest = abs(R[RESIDUALS + k])
            R[FAULT] = k
    R[RESIDUAL] = largest


@inlined
def gather(R: Record, i: int) -> None:
    """Add B D Bᵀ to S for all pairs of loops with rows open at the joint of link i."""
    sure = PAIR_SURE[i]
    for pair in range(PAIR_FIRST[i], end_of(R, i, sure, PAIR_FIRST[i + 1])):
        if pair < sure or both_hold(R, PAIR_LOOPS[2 * pair], PAIR_LOOPS[2 * pair + 1]):
            gather_pair(R, pair)


def gather_pair(R: Record, pair: int) -> None:
    """Add B D Bᵀ to S for one pair of loops, entry `pair` of PAIRS.

    Reads: blocks, row_b, row_d. Writes: blocks.
    """
    left = ROW_B + PAIRS[6 * pair]
    right = ROW_D + PAIRS[6 * pair + 1]
    block = BLOCKS + PAIRS[6 * pair + 2]
    columns = PAIRS[6 * pair + 4]
    rates = PAIRS[6 * pair + 5]
    for r in range(PAIRS[6 * pair + 3]):
        for c in range(columns):
            total = 0.0
            for k in range(rates):
                total += R[left + r * rates + k] * R[right + c * rates + k]
            R[block + r * columns + c] += total


def left_free(R: Record, first: int, m: int) -> int:
    """Return the excluded rows of a loop as an integer with one bit for each row."""
    used = 0
    if N_UNBOUND > 0 or (N_MODES > 0 and ROW_MODE[first] > 0):
        for i in range(m):
            if is_off(R, first + i):
                used |= 1 << i
    return used


def is_off(R: Record, row: int) -> bool:
    """True if a row is excluded: its closure is released, or it is a rate constraint while positions are projected.

    Reads: loop_state, modes.
    """
    if N_MODES > 0 and ROW_MODE[row] > 0 and R[MODES + ROW_MODE[row] - 1] != 0.0:
        return True
    return N_UNBOUND > 0 and ROW_BINDS[row] == 0 and R[POSITIONS] != 0.0


def factor(R: Record, loop: int, m: int, first: int, block: int, L: int) -> int:
    """Factorise the block S_cc = L Lᵀ by pivoted Cholesky; return its rank.

    The rows of L are in the order of the loop's rows, its columns in the order of the pivots. If rows were chosen
    before, only those of them that are still independent are used; without error control the others stay excluded.

    Reads: L, block, chosen, loop_state, pivots, scales. Writes: L, block, chosen, pivots, ranks.
    """
    used = left_free(R, first, m) if N_UNBOUND > 0 else 0
    rank = 0
    for k in range(m):
        best = -1
        if R[CHOICE] == FREE_CHOICE:
            largest = R[TOLERANCE]
            for i in range(m):
                if (used >> i) & 1 == 0:
                    ratio = R[block + i * m + i] / R[SCALES + first + i]
                    if lt(largest, ratio):
                        largest = ratio
                        best = i
        elif R[CHOICE] == FROZEN_CHOICE and k < integer(R[CHOSEN + loop]):
            i = integer(R[PIVOTS + first + k])
            if lt(R[TOLERANCE] * R[SCALES + first + i], R[block + i * m + i]):
                best = i
        if best < 0:
            break
        used |= 1 << best
        rank += 1
        R[PIVOTS + first + k] = best
        R[L + best * m + k] = np.sqrt(R[block + best * m + best])
        for i in range(m):
            if (used >> i) & 1 == 0:
                R[L + i * m + k] = R[block + i * m + best] / R[L + best * m + k]
        for i in range(m):
            if (used >> i) & 1 == 0:
                for j in range(m):
                    if (used >> j) & 1 == 0:
                        R[block + i * m + j] += -R[L + i * m + k] * R[L + j * m + k]
    if R[CHOICE] != NO_CHOICE:
        R[RANKS + loop] = rank
    if R[CHOICE] == FREE_CHOICE or (R[CHOICE] == FROZEN_CHOICE and R[CONTROLLED] == 0.0):
        R[CHOSEN + loop] = rank
    return rank


def forward(R: Record, L: int, m: int, first: int, rank: int, source: int, stride: int, target: int) -> None:
    """Compute target = L⁻¹ source in the order of the pivots; rows of the source are `stride` entries apart.

    Reads: L, pivots, source, target. Writes: target.
    """
    for k in range(rank):
        p = integer(R[PIVOTS + first + k])
        value = R[source + p * stride]
        for j in range(k):
            value += -R[L + p * m + j] * R[target + j]
        R[target + k] = value / R[L + p * m + k]


def eliminate(R: Record, i: int, moving: bool) -> None:
    """Eliminate the rows rooted at link i (N_LINKS: the world) and add their contribution to M* and Phi* to `added`.

    `moving` is true if the link has a twist of its own, on which the rows act.

    Writes: added.
    """
    for k in range(N_ADDED):
        R[ADDED + k] = 0.0
    sure = ROOTED_SURE[i]
    for z in range(ROOTED_FIRST[i], end_of(R, i, sure, ROOTED_FIRST[i + 1])):
        if z < sure or not is_free(R, ROOTED[6 * z]):
            eliminate_loop(R, i, z, moving)


def is_free(R: Record, loop: int) -> bool:
    """True if a loop's closure has constraint modes and is released.

    Reads: modes.
    """
    return N_MODES > 0 and LOOP_MODE[loop] > 0 and R[MODES + LOOP_MODE[loop] - 1] != 0.0


def both_hold(R: Record, first: int, second: int) -> bool:
    """True if the closures of both loops are engaged or permanent."""
    return not (is_free(R, second) or is_free(R, first))


def eliminate_loop(R: Record, i: int, z: int, moving: bool) -> None:
    """Eliminate the rows of one loop rooted at link i, as described in `eliminate`.

    Reads: blocks, column, factors, right, row_y. Writes: blocks, column, factors, row_v, solved.
    """
    m = ROOTED[6 * z + 1]
    first = ROOTED[6 * z + 2]
    L = FACTORS + ROOTED[6 * z + 4]
    y = ROW_Y + ROOTED[6 * z + 5]
    rank = factor(R, ROOTED[6 * z], m, first, BLOCKS + ROOTED[6 * z + 3], L)
    forward(R, L, m, first, rank, RIGHT + first, 1, COLUMN)
    for k in range(rank):
        R[SOLVED + first + k] = R[COLUMN + k]
    if moving:
        for h in range(6):
            forward(R, L, m, first, rank, y + h, 6, COLUMN)
            for k in range(rank):
                R[ROW_V + 6 * (first + k) + h] = R[COLUMN + k]
        add_rows(R, first, rank)
    reduce_later(R, i, z, moving, L, m, first, rank)


def add_rows(R: Record, first: int, rank: int) -> None:
    """Add VᵀV and Vᵀx to M* and Phi* in `added`, components in the order of the passes: M, H, J, f, n.

    Reads: added, row_v, solved. Writes: added.
    """
    for row in range(first, first + rank):
        V = ROW_V + 6 * row
        place = ADDED
        for a in range(3):
            for b in range(a, 3):
                R[place] += R[V + a] * R[V + b]
                R[place + 15] += R[V + 3 + a] * R[V + 3 + b]
                place += 1
        for a in range(3):
            for b in range(3):
                R[ADDED + 6 + 3 * a + b] += R[V + 3 + a] * R[V + b]
        for h in range(6):
            R[ADDED + 21 + h] += R[V + h] * R[SOLVED + row]


def reduce_later(R: Record, i: int, z: int, moving: bool, L: int, m: int, first: int, rank: int) -> None:
    """Replace S_cd by Z_d = L⁻¹ S_cd; b_d -= Z_dᵀx, Y_d -= Z_dᵀV, S_de -= Z_dᵀZ_e."""
    sure = LATER_SURE[z]
    for e in range(LATER_FIRST[z], end_of(R, i, sure, LATER_FIRST[z + 1])):
        if e < sure or not is_free(R, ROW_LOOP[LATER[4 * e]]):
            reduce_one(R, e, moving, L, m, first, rank)
    sure = UPDATE_SURE[z]
    for e in range(UPDATE_FIRST[z], end_of(R, i, sure, UPDATE_FIRST[z + 1])):
        if e < sure or both_hold(R, UPDATE_LOOPS[2 * e], UPDATE_LOOPS[2 * e + 1]):
            update_pair(R, e, rank)


def update_pair(R: Record, e: int, rank: int) -> None:
    """S_de -= Z_dᵀZ_e for one pair of later loops, entry e of UPDATES.

    Reads: blocks. Writes: blocks.
    """
    left = BLOCKS + UPDATES[5 * e]
    right = BLOCKS + UPDATES[5 * e + 1]
    block = BLOCKS + UPDATES[5 * e + 2]
    rows = UPDATES[5 * e + 3]
    columns = UPDATES[5 * e + 4]
    for k in range(rank):
        for r in range(rows):
            for c in range(columns):
                R[block + r * columns + c] += -R[left + k * rows + r] * R[right + k * columns + c]


def reduce_one(R: Record, e: int, moving: bool, L: int, m: int, first: int, rank: int) -> None:
    """Compute Z_d and update b_d and Y_d for one later loop, entry e of LATER.

    Reads: blocks, column, factors, right, row_v, row_y, solved. Writes: blocks, column, right, row_y.
    """
    n = LATER[4 * e + 1]
    Z = BLOCKS + LATER[4 * e + 2]
    y = ROW_Y + LATER[4 * e + 3]
    for c in range(n):
        forward(R, L, m, first, rank, Z + c, n, COLUMN)
        for k in range(rank):
            R[Z + k * n + c] = R[COLUMN + k]
            R[RIGHT + LATER[4 * e] + c] += -R[COLUMN + k] * R[SOLVED + first + k]
            if moving:
                for h in range(6):
                    R[y + 6 * c + h] += -R[COLUMN + k] * R[ROW_V + 6 * (first + k) + h]


def multipliers(R: Record, i: int, moving: bool) -> None:
    """Compute Lambda of the rows rooted at link i, from its twist and the multipliers computed before.

    Reads: blocks, factors, loop_state, multipliers, pivots, ranks, row_v, solved, twist. Writes: multipliers.
    """
    sure = ROOTED_SURE[i]
    for z in range(end_of(R, i, sure, ROOTED_FIRST[i + 1]) - 1, ROOTED_FIRST[i] - 1, -1):
        if z >= sure and is_free(R, ROOTED[6 * z]):
            continue
        m = ROOTED[6 * z + 1]
        first = ROOTED[6 * z + 2]
        L = FACTORS + ROOTED[6 * z + 4]
        rank = integer(R[RANKS + ROOTED[6 * z]])
        if R[CHOICE] == NO_CHOICE:
            rank = 0
        for k in range(m):
            R[MULTIPLIERS + first + k] = 0.0
        end = end_of(R, i, LATER_SURE[z], LATER_FIRST[z + 1])
        for k in range(rank - 1, -1, -1):
            p = integer(R[PIVOTS + first + k])
            value = R[SOLVED + first + k]
            if moving:
                for h in range(6):
                    value += R[ROW_V + 6 * (first + k) + h] * R[TWIST + 6 * i + h]
            for e in range(LATER_FIRST[z], end):
                n = 0 if is_free(R, ROW_LOOP[LATER[4 * e]]) else LATER[4 * e + 1]
                for c in range(n):
                    value += R[BLOCKS + LATER[4 * e + 2] + k * n + c] * R[MULTIPLIERS + LATER[4 * e] + c]
            for j in range(k + 1, rank):
                q = integer(R[PIVOTS + first + j])
                value += R[L + q * m + k] * R[MULTIPLIERS + first + q]
            R[MULTIPLIERS + first + p] = -value / R[L + p * m + k]


def push(R: Record, i: int, j: int, rates: int) -> None:
    """Compute D Bᵀ Lambda of the rows open at the joint of link i, whose joint velocities begin at j."""
    sure = OPEN_SURE[i]
    for e in range(OPEN_FIRST[i], end_of(R, i, sure, OPEN_FIRST[i + 1])):
        if (e < sure and N_UNBOUND == 0) or not is_off(R, OPEN[4 * e + 3]):
            push_row(R, e, j, rates)


def push_row(R: Record, e: int, j: int, rates: int) -> None:
    """Add D Bᵀ Lambda of one open row, entry e of OPEN.

    Reads: multipliers, push, row_d. Writes: push.
    """
    row = OPEN[4 * e + 3]
    d = ROW_D + OPEN[4 * e + 2]
    for k in range(rates):
        R[PUSH + j + k] += R[d + k] * R[MULTIPLIERS + row]
