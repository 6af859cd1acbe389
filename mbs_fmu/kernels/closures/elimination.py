"""Kernels that eliminate constraint rows, as small loops over the rows; equation (L7) of docs/equations_loops.md.

The modules of models with closed loops contain these functions and also their first and second tangents (dual.py).
The symbols Y, Z, S, B, D, V and x are those of (L7).
"""

from typing import Annotated

import numpy as np

from ...kernels.constants import FREE_CHOICE, FROZEN_CHOICE, NO_CHOICE
from ...kernels.declarations import inlined
from ...record.fields import Matrix, Vector
from ...record.schema import (
    LATER,
    LATER_FIRST,
    LATER_SURE,
    LOOP_MODE,
    N_ADDED,
    N_BLOCKS,
    N_LINKS,
    N_MODES,
    N_ROWS,
    N_SWITCHED,
    N_UNBOUND,
    N_Y,
    N_Z,
    NV,
    OPEN,
    OPEN_FIRST,
    OPEN_SURE,
    PAIR_FIRST,
    PAIR_LOOPS,
    PAIR_SURE,
    PAIRS,
    ROOTED,
    ROOTED_FIRST,
    ROOTED_SURE,
    ROW_BINDS,
    ROW_LOOP,
    ROW_MODE,
    SWITCHED,
    SWITCHED_LINKS,
    SWITCHED_ROWS,
    UPDATE_FIRST,
    UPDATE_LOOPS,
    UPDATE_SURE,
    UPDATES,
    Record,
)
from ..library import integer, lt


def start_rows(R: Record) -> None:
    """Set Y, Z and S to zero and mark engaged closures; called before the model's rows are written."""
    for k in range(N_Y):
        R.row_y[k] = 0.0
    for k in range(N_Z):
        R.row_z[k] = 0.0
    for k in range(N_BLOCKS):
        R.blocks[k] = 0.0
    for k in range(NV):
        R.push[k] = 0.0
    if N_SWITCHED > 0:
        mark_held(R)


def mark_held(R: Record) -> None:
    """Mark the engaged closures with constraint modes; set rank and multipliers of the released ones to zero."""
    marked = R.held[N_LINKS + 1] != 0.0
    for e in range(N_SWITCHED):
        switched = SWITCHED_ROWS[e]
        if R.modes[switched.mode] != 0.0:
            R.multipliers[switched.row] = 0.0
            R.ranks[switched.loop] = 0.0
        else:
            marked = True
    if marked:
        mark_links(R)


def mark_links(R: Record) -> None:
    """Mark the links with rows of engaged closures with constraint modes."""
    for i in range(N_LINKS + 2):
        R.held[i] = 0.0
    for g in range(N_MODES):
        links = SWITCHED[g]
        if R.modes[g] == 0.0:
            R.held[N_LINKS + 1] = 1.0
            for e in range(links.first, links.end):
                R.held[SWITCHED_LINKS[e]] = 1.0


def end_of(R: Record, i: int, sure: int, end: int) -> int:
    """Return the end of the entries of link i that are in use.

    The entries of permanent closures end at `sure`; those of closures with constraint modes follow, up to `end`. The
    latter are in use only if one of these closures is engaged.
    """
    return end if N_MODES == 0 or R.held[i] > 0.0 else sure


def right_sides(R: Record) -> None:
    """Compute b = gamma + alpha g."""
    drift = R.drift
    alpha = R.alpha
    for k in range(N_ROWS):
        value = drift * R.residual_rates[k] + alpha * R.residuals[k]
        if N_MODES > 0:
            value += R.rebounds[k]
        R.right[k] = value


def residual(R: Record) -> None:
    """Set R.residual to the largest residual of all rows and R.fault to its row."""
    largest = 0.0
    for k in range(N_ROWS):
        if not abs(R.residuals[k]) <= largest and not is_off(R, k):
            largest = abs(R.residuals[k])
            R.fault = k
    R.residual = largest


@inlined
def gather(R: Record, i: int) -> None:
    """Add B D Bᵀ to S for all pairs of loops with rows open at the joint of link i."""
    sure = PAIR_SURE[i]
    for pair in range(PAIR_FIRST[i], end_of(R, i, sure, PAIR_FIRST[i + 1])):
        loops = PAIR_LOOPS[pair]
        if pair < sure or both_hold(R, loops.first, loops.second):
            gather_pair(R, pair)


def gather_pair(R: Record, pair: int) -> None:
    """Add B D Bᵀ to S for one pair of loops, entry `pair` of PAIRS."""
    own = PAIRS[pair]
    columns = own.columns
    rates = own.rates
    left = R.row_b.matrix(own.left, rates)
    right = R.row_d.matrix(own.right, rates)
    block = R.blocks.matrix(own.block, columns)
    for r in range(own.rows):
        for c in range(columns):
            total = 0.0
            for k in range(rates):
                total += left[r, k] * right[c, k]
            block[r, c] += total


def left_free(R: Record, first: int, m: int) -> int:
    """Return the excluded rows of a loop as an integer with one bit for each row."""
    used = 0
    if N_UNBOUND > 0 or (N_MODES > 0 and ROW_MODE[first] > 0):
        for i in range(m):
            if is_off(R, first + i):
                used |= 1 << i
    return used


def is_off(R: Record, row: int) -> bool:
    """True if a row is excluded: its closure is released, or it is a rate constraint while positions are projected."""
    if N_MODES > 0 and ROW_MODE[row] > 0 and R.modes[ROW_MODE[row] - 1] != 0.0:
        return True
    return N_UNBOUND > 0 and ROW_BINDS[row] == 0 and R.positions != 0.0


def factor(R: Record, loop: int, m: int, first: int, block: Annotated[Matrix, "m"], L: Annotated[Matrix, "m"]) -> int:
    """Factorise the block S_cc = L Lᵀ by pivoted Cholesky; return its rank.

    The rows of L are in the order of the loop's rows, its columns in the order of the pivots. If rows were chosen
    before, only those of them that are still independent are used; without error control the others stay excluded.
    """
    used = left_free(R, first, m) if N_UNBOUND > 0 else 0
    rank = 0
    for k in range(m):
        best = -1
        if R.choice == FREE_CHOICE:
            largest = R.tolerance
            for i in range(m):
                if (used >> i) & 1 == 0:
                    ratio = block[i, i] / R.scales[first + i]
                    if lt(largest, ratio):
                        largest = ratio
                        best = i
        elif R.choice == FROZEN_CHOICE and k < integer(R.chosen[loop]):
            i = integer(R.pivots[first + k])
            if lt(R.tolerance * R.scales[first + i], block[i, i]):
                best = i
        if best < 0:
            break
        used |= 1 << best
        rank += 1
        R.pivots[first + k] = best
        L[best, k] = np.sqrt(block[best, best])
        for i in range(m):
            if (used >> i) & 1 == 0:
                L[i, k] = block[i, best] / L[best, k]
        for i in range(m):
            if (used >> i) & 1 == 0:
                for j in range(m):
                    if (used >> j) & 1 == 0:
                        block[i, j] += -L[i, k] * L[j, k]
    if R.choice != NO_CHOICE:
        R.ranks[loop] = rank
    if R.choice == FREE_CHOICE or (R.choice == FROZEN_CHOICE and R.controlled == 0.0):
        R.chosen[loop] = rank
    return rank


def forward(
    R: Record,
    L: Annotated[Matrix, "m"],
    m: int,
    first: int,
    rank: int,
    source: Annotated[Vector, "stride"],
    target: Vector,
) -> None:
    """Compute target = L⁻¹ source in the order of the pivots; rows of the source are `stride` entries apart."""
    for k in range(rank):
        p = integer(R.pivots[first + k])
        value = source[p]
        for j in range(k):
            value += -L[p, j] * target[j]
        target[k] = value / L[p, k]


def eliminate(R: Record, i: int, moving: bool) -> None:
    """Eliminate the rows rooted at link i (N_LINKS: the world) and add their contribution to M* and Phi* to `added`.

    `moving` is true if the link has a twist of its own, on which the rows act.
    """
    for k in range(N_ADDED):
        R.added[k] = 0.0
    sure = ROOTED_SURE[i]
    for z in range(ROOTED_FIRST[i], end_of(R, i, sure, ROOTED_FIRST[i + 1])):
        if z < sure or not is_free(R, ROOTED[z].loop):
            eliminate_loop(R, i, z, moving)


def is_free(R: Record, loop: int) -> bool:
    """True if a loop's closure has constraint modes and is released."""
    return N_MODES > 0 and LOOP_MODE[loop] > 0 and R.modes[LOOP_MODE[loop] - 1] != 0.0


def both_hold(R: Record, first: int, second: int) -> bool:
    """True if the closures of both loops are engaged or permanent."""
    return not (is_free(R, second) or is_free(R, first))


def eliminate_loop(R: Record, i: int, z: int, moving: bool) -> None:
    """Eliminate the rows of one loop rooted at link i, as described in `eliminate`."""
    root = ROOTED[z]
    m = root.rows
    first = root.first_row
    L = R.factors.matrix(root.factor, m)
    y = R.row_y.matrix(root.y, 6)
    rank = factor(R, root.loop, m, first, R.blocks.matrix(root.block, m), L)
    forward(R, L, m, first, rank, R.right[first:], R.column)
    for k in range(rank):
        R.solved[first + k] = R.column[k]
    if moving:
        for h in range(6):
            forward(R, L, m, first, rank, y[:, h], R.column)
            for k in range(rank):
                R.row_v[first + k, h] = R.column[k]
        add_rows(R, first, rank)
    reduce_later(R, i, z, moving, L, m, first, rank)


def add_rows(R: Record, first: int, rank: int) -> None:
    """Add VᵀV and Vᵀx to M* and Phi* in `added`."""
    added = R.added_inertia
    for row in range(first, first + rank):
        V = R.row_v[row]
        k = 0
        for a in range(3):
            for b in range(a, 3):
                added.M.packed[k] += V[a] * V[b]
                added.J.packed[k] += V[3 + a] * V[3 + b]
                k += 1
        for a in range(3):
            for b in range(3):
                added.H[a, b] += V[3 + a] * V[b]
        for a in range(3):
            added.f[a] += V[a] * R.solved[row]
            added.n[a] += V[3 + a] * R.solved[row]


def reduce_later(
    R: Record, i: int, z: int, moving: bool, L: Annotated[Matrix, "m"], m: int, first: int, rank: int
) -> None:
    """Replace S_cd by Z_d = L⁻¹ S_cd; b_d -= Z_dᵀx, Y_d -= Z_dᵀV, S_de -= Z_dᵀZ_e."""
    sure = LATER_SURE[z]
    for e in range(LATER_FIRST[z], end_of(R, i, sure, LATER_FIRST[z + 1])):
        if e < sure or not is_free(R, ROW_LOOP[LATER[e].first_row]):
            reduce_one(R, e, moving, L, m, first, rank)
    sure = UPDATE_SURE[z]
    for e in range(UPDATE_FIRST[z], end_of(R, i, sure, UPDATE_FIRST[z + 1])):
        loops = UPDATE_LOOPS[e]
        if e < sure or both_hold(R, loops.first, loops.second):
            update_pair(R, e, rank)


def update_pair(R: Record, e: int, rank: int) -> None:
    """S_de -= Z_dᵀZ_e for one pair of later loops, entry e of UPDATES."""
    update = UPDATES[e]
    rows = update.rows
    columns = update.columns
    left = R.blocks.matrix(update.left, rows)
    right = R.blocks.matrix(update.right, columns)
    block = R.blocks.matrix(update.block, columns)
    for k in range(rank):
        for r in range(rows):
            for c in range(columns):
                block[r, c] += -left[k, r] * right[k, c]


def reduce_one(R: Record, e: int, moving: bool, L: Annotated[Matrix, "m"], m: int, first: int, rank: int) -> None:
    """Compute Z_d and update b_d and Y_d for one later loop, entry e of LATER."""
    later = LATER[e]
    n = later.rows
    Z = R.blocks.matrix(later.block, n)
    y = R.row_y.matrix(later.y, 6)
    for c in range(n):
        forward(R, L, m, first, rank, Z[:, c], R.column)
        for k in range(rank):
            Z[k, c] = R.column[k]
            R.right[later.first_row + c] += -R.column[k] * R.solved[first + k]
            if moving:
                for h in range(6):
                    y[c, h] += -R.column[k] * R.row_v[first + k, h]


def multipliers(R: Record, i: int, moving: bool) -> None:
    """Compute Lambda of the rows rooted at link i, from its twist and the multipliers computed before."""
    sure = ROOTED_SURE[i]
    for z in range(end_of(R, i, sure, ROOTED_FIRST[i + 1]) - 1, ROOTED_FIRST[i] - 1, -1):
        root = ROOTED[z]
        if z >= sure and is_free(R, root.loop):
            continue
        m = root.rows
        first = root.first_row
        L = R.factors.matrix(root.factor, m)
        rank = integer(R.ranks[root.loop])
        if R.choice == NO_CHOICE:
            rank = 0
        for k in range(m):
            R.multipliers[first + k] = 0.0
        end = end_of(R, i, LATER_SURE[z], LATER_FIRST[z + 1])
        for k in range(rank - 1, -1, -1):
            p = integer(R.pivots[first + k])
            value = R.solved[first + k]
            if moving:
                for h in range(6):
                    value += R.row_v[first + k, h] * R.twist[i, h]
            for e in range(LATER_FIRST[z], end):
                later = LATER[e]
                n = 0 if is_free(R, ROW_LOOP[later.first_row]) else later.rows
                Z = R.blocks.matrix(later.block, n)
                for c in range(n):
                    value += Z[k, c] * R.multipliers[later.first_row + c]
            for j in range(k + 1, rank):
                q = integer(R.pivots[first + j])
                value += L[q, k] * R.multipliers[first + q]
            R.multipliers[first + p] = -value / L[p, k]


def push(R: Record, i: int, j: int, rates: int) -> None:
    """Compute D Bᵀ Lambda of the rows open at the joint of link i, whose joint velocities begin at j."""
    sure = OPEN_SURE[i]
    for e in range(OPEN_FIRST[i], end_of(R, i, sure, OPEN_FIRST[i + 1])):
        if (e < sure and N_UNBOUND == 0) or not is_off(R, OPEN[e].row):
            push_row(R, e, j, rates)


def push_row(R: Record, e: int, j: int, rates: int) -> None:
    """Add D Bᵀ Lambda of one open row, entry e of OPEN."""
    opened = OPEN[e]
    row = opened.row
    d = R.row_d[opened.projection :]
    for k in range(rates):
        R.push[j + k] += d[k] * R.multipliers[row]
