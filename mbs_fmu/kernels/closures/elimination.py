"""Kernels that eliminate constraint rows, as small loops over the rows; equation (L7) of docs/equations_loops.md.

The modules of models with closed loops contain these functions and also their first and second tangents (dual.py).
The symbols Y, Z, S, B, D, V and x are those of (L7).
"""

from typing import Annotated

import numpy as np

from ...record.fields import Matrix, Vector
from ...record.schema import (
    LATER,
    LATER_FIRST,
    LATER_PERMANENT_END,
    LOOP_MODE,
    N_DELASSUS,
    N_ELIMINATED_INERTIA,
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
    OPEN_PERMANENT_END,
    PAIR_FIRST,
    PAIR_LOOPS,
    PAIR_PERMANENT_END,
    PAIRS,
    ROOTED,
    ROOTED_FIRST,
    ROOTED_PERMANENT_END,
    ROW_BINDS,
    ROW_LOOP,
    ROW_MODE,
    SWITCHED,
    SWITCHED_LINKS,
    SWITCHED_ROWS,
    UPDATE_FIRST,
    UPDATE_LOOPS,
    UPDATE_PERMANENT_END,
    UPDATES,
    Record,
)
from ..constants import FREE_SELECTION, FROZEN_SELECTION, NO_SELECTION
from ..declarations import inlined
from ..library import integer, lt


def start_rows(R: Record) -> None:
    """Set Y, Z and S to zero and mark engaged closures; called before the model's rows are written."""
    for k in range(N_Y):
        R.row_y[k] = 0.0
    for k in range(N_Z):
        R.row_z[k] = 0.0
    for k in range(N_DELASSUS):
        R.delassus[k] = 0.0
    for k in range(NV):
        R.joint_impulses[k] = 0.0
    if N_SWITCHED > 0:
        mark_engaged(R)


def mark_engaged(R: Record) -> None:
    """Mark the engaged closures with constraint modes; set rank and multipliers of the released ones to zero."""
    some_engaged = R.engaged_links[N_LINKS + 1] != 0.0
    for e in range(N_SWITCHED):
        switched_row = SWITCHED_ROWS[e]
        if R.modes[switched_row.mode] != 0.0:
            R.multipliers[switched_row.row] = 0.0
            R.ranks[switched_row.loop] = 0.0
        else:
            some_engaged = True
    if some_engaged:
        mark_links_of_engaged(R)


def mark_links_of_engaged(R: Record) -> None:
    """Mark the links with rows of engaged closures with constraint modes."""
    for i in range(N_LINKS + 2):
        R.engaged_links[i] = 0.0
    for g in range(N_MODES):
        link_range = SWITCHED[g]
        if R.modes[g] == 0.0:
            R.engaged_links[N_LINKS + 1] = 1.0
            for e in range(link_range.first, link_range.end):
                R.engaged_links[SWITCHED_LINKS[e]] = 1.0


def end_in_use(R: Record, i: int, permanent_end: int, end: int) -> int:
    """Return the end of the entries of link i that are in use.

    The entries of permanent closures end at `sure`; those of closures with constraint modes follow, up to `end`. The
    latter are in use only if one of these closures is engaged.
    """
    return end if N_MODES == 0 or R.engaged_links[i] > 0.0 else permanent_end


def row_biases(R: Record) -> None:
    """Compute b = gamma + alpha g."""
    drift = R.drift
    alpha = R.alpha
    for k in range(N_ROWS):
        value = drift * R.residual_rates[k] + alpha * R.residuals[k]
        if N_MODES > 0:
            value += R.rebounds[k]
        R.row_bias[k] = value


def residual(R: Record) -> None:
    """Set R.residual to the largest residual of all rows and R.fault to its row."""
    largest = 0.0
    for k in range(N_ROWS):
        if not abs(R.residuals[k]) <= largest and not is_excluded(R, k):
            largest = abs(R.residuals[k])
            R.fault = k
    R.residual = largest


@inlined
def add_to_delassus(R: Record, i: int) -> None:
    """Add B D Bᵀ to S for all pairs of loops with rows open at the joint of link i."""
    permanent_end = PAIR_PERMANENT_END[i]
    for pair in range(PAIR_FIRST[i], end_in_use(R, i, permanent_end, PAIR_FIRST[i + 1])):
        loops = PAIR_LOOPS[pair]
        if pair < permanent_end or both_engaged(R, loops.first, loops.second):
            add_pair_to_delassus(R, pair)


def add_pair_to_delassus(R: Record, pair: int) -> None:
    """Add B D Bᵀ to S for one pair of loops, entry `pair` of PAIRS."""
    entry = PAIRS[pair]
    columns = entry.columns
    rates = entry.rates
    left = R.row_b.matrix(entry.left, rates)
    right = R.row_d.matrix(entry.right, rates)
    block = R.delassus.matrix(entry.block, columns)
    for r in range(entry.rows):
        for c in range(columns):
            total = 0.0
            for k in range(rates):
                total += left[r, k] * right[c, k]
            block[r, c] += total


def excluded_rows_bitmask(R: Record, first: int, m: int) -> int:
    """Return the excluded rows of a loop as an integer with one bit for each row."""
    used = 0
    if N_UNBOUND > 0 or (N_MODES > 0 and ROW_MODE[first] > 0):
        for i in range(m):
            if is_excluded(R, first + i):
                used |= 1 << i
    return used


def is_excluded(R: Record, row: int) -> bool:
    """True if a row is excluded: its closure is released, or it is a rate constraint while positions are projected."""
    if N_MODES > 0 and ROW_MODE[row] > 0 and R.modes[ROW_MODE[row] - 1] != 0.0:
        return True
    return N_UNBOUND > 0 and ROW_BINDS[row] == 0 and R.positions != 0.0


def pivoted_cholesky(
    R: Record, loop: int, m: int, first: int, block: Annotated[Matrix, "m"], L: Annotated[Matrix, "m"]
) -> int:
    """Factorise the block S_cc = L Lᵀ by pivoted Cholesky; return its rank.

    The rows of L are in the order of the loop's rows, its columns in the order of the pivots. If rows were chosen
    before, only those of them that are still independent are used; without error control the others stay excluded.
    """
    used = excluded_rows_bitmask(R, first, m) if N_UNBOUND > 0 else 0
    rank = 0
    for k in range(m):
        best = -1
        if R.row_selection == FREE_SELECTION:
            largest = R.tolerance
            for i in range(m):
                if (used >> i) & 1 == 0:
                    ratio = block[i, i] / R.reference_pivots[first + i]
                    if lt(largest, ratio):
                        largest = ratio
                        best = i
        elif R.row_selection == FROZEN_SELECTION and k < integer(R.selected_ranks[loop]):
            i = integer(R.pivots[first + k])
            if lt(R.tolerance * R.reference_pivots[first + i], block[i, i]):
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
    if R.row_selection != NO_SELECTION:
        R.ranks[loop] = rank
    if R.row_selection == FREE_SELECTION or (R.row_selection == FROZEN_SELECTION and R.controlled == 0.0):
        R.selected_ranks[loop] = rank
    return rank


def forward_substitution(
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
    for k in range(N_ELIMINATED_INERTIA):
        R.eliminated_inertia[k] = 0.0
    permanent_end = ROOTED_PERMANENT_END[i]
    for z in range(ROOTED_FIRST[i], end_in_use(R, i, permanent_end, ROOTED_FIRST[i + 1])):
        if z < permanent_end or not is_released(R, ROOTED[z].loop):
            eliminate_loop(R, i, z, moving)


def is_released(R: Record, loop: int) -> bool:
    """True if a loop's closure has constraint modes and is released."""
    return N_MODES > 0 and LOOP_MODE[loop] > 0 and R.modes[LOOP_MODE[loop] - 1] != 0.0


def both_engaged(R: Record, first: int, second: int) -> bool:
    """True if the closures of both loops are engaged or permanent."""
    return not (is_released(R, second) or is_released(R, first))


def eliminate_loop(R: Record, i: int, z: int, moving: bool) -> None:
    """Eliminate the rows of one loop rooted at link i, as described in `eliminate`."""
    rooted = ROOTED[z]
    m = rooted.rows
    first = rooted.first_row
    L = R.delassus_factors.matrix(rooted.factor, m)
    y = R.row_y.matrix(rooted.y, 6)
    rank = pivoted_cholesky(R, rooted.loop, m, first, R.delassus.matrix(rooted.block, m), L)
    forward_substitution(R, L, m, first, rank, R.row_bias[first:], R.substituted)
    for k in range(rank):
        R.reduced_bias[first + k] = R.substituted[k]
    if moving:
        for h in range(6):
            forward_substitution(R, L, m, first, rank, y[:, h], R.substituted)
            for k in range(rank):
                R.reduced_rows[first + k, h] = R.substituted[k]
        add_eliminated_inertia(R, first, rank)
    eliminate_from_later(R, i, z, moving, L, m, first, rank)


def add_eliminated_inertia(R: Record, first: int, rank: int) -> None:
    """Add VᵀV and Vᵀx to M* and Phi* in `added`."""
    added = R.eliminated_blocks
    for row in range(first, first + rank):
        V = R.reduced_rows[row]
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
            added.f[a] += V[a] * R.reduced_bias[row]
            added.n[a] += V[3 + a] * R.reduced_bias[row]


def eliminate_from_later(
    R: Record, i: int, z: int, moving: bool, L: Annotated[Matrix, "m"], m: int, first: int, rank: int
) -> None:
    """Replace S_cd by Z_d = L⁻¹ S_cd; b_d -= Z_dᵀx, Y_d -= Z_dᵀV, S_de -= Z_dᵀZ_e."""
    permanent_end = LATER_PERMANENT_END[z]
    for e in range(LATER_FIRST[z], end_in_use(R, i, permanent_end, LATER_FIRST[z + 1])):
        if e < permanent_end or not is_released(R, ROW_LOOP[LATER[e].first_row]):
            eliminate_from_one(R, e, moving, L, m, first, rank)
    permanent_end = UPDATE_PERMANENT_END[z]
    for e in range(UPDATE_FIRST[z], end_in_use(R, i, permanent_end, UPDATE_FIRST[z + 1])):
        loops = UPDATE_LOOPS[e]
        if e < permanent_end or both_engaged(R, loops.first, loops.second):
            schur_complement_of_pair(R, e, rank)


def schur_complement_of_pair(R: Record, e: int, rank: int) -> None:
    """S_de -= Z_dᵀZ_e for one pair of later loops, entry e of UPDATES."""
    later_pair = UPDATES[e]
    rows = later_pair.rows
    columns = later_pair.columns
    left = R.delassus.matrix(later_pair.left, rows)
    right = R.delassus.matrix(later_pair.right, columns)
    block = R.delassus.matrix(later_pair.block, columns)
    for k in range(rank):
        for r in range(rows):
            for c in range(columns):
                block[r, c] += -left[k, r] * right[k, c]


def eliminate_from_one(
    R: Record, e: int, moving: bool, L: Annotated[Matrix, "m"], m: int, first: int, rank: int
) -> None:
    """Compute Z_d and update b_d and Y_d for one later loop, entry e of LATER."""
    later_loop = LATER[e]
    n = later_loop.rows
    Z = R.delassus.matrix(later_loop.block, n)
    y = R.row_y.matrix(later_loop.y, 6)
    for c in range(n):
        forward_substitution(R, L, m, first, rank, Z[:, c], R.substituted)
        for k in range(rank):
            Z[k, c] = R.substituted[k]
            R.row_bias[later_loop.first_row + c] += -R.substituted[k] * R.reduced_bias[first + k]
            if moving:
                for h in range(6):
                    y[c, h] += -R.substituted[k] * R.reduced_rows[first + k, h]


def multipliers(R: Record, i: int, moving: bool) -> None:
    """Compute Lambda of the rows rooted at link i, from its twist and the multipliers computed before."""
    permanent_end = ROOTED_PERMANENT_END[i]
    for z in range(end_in_use(R, i, permanent_end, ROOTED_FIRST[i + 1]) - 1, ROOTED_FIRST[i] - 1, -1):
        rooted = ROOTED[z]
        if z >= permanent_end and is_released(R, rooted.loop):
            continue
        m = rooted.rows
        first = rooted.first_row
        L = R.delassus_factors.matrix(rooted.factor, m)
        rank = integer(R.ranks[rooted.loop])
        if R.row_selection == NO_SELECTION:
            rank = 0
        for k in range(m):
            R.multipliers[first + k] = 0.0
        end = end_in_use(R, i, LATER_PERMANENT_END[z], LATER_FIRST[z + 1])
        for k in range(rank - 1, -1, -1):
            p = integer(R.pivots[first + k])
            value = R.reduced_bias[first + k]
            if moving:
                for h in range(6):
                    value += R.reduced_rows[first + k, h] * R.twist[i, h]
            for e in range(LATER_FIRST[z], end):
                later_loop = LATER[e]
                n = 0 if is_released(R, ROW_LOOP[later_loop.first_row]) else later_loop.rows
                Z = R.delassus.matrix(later_loop.block, n)
                for c in range(n):
                    value += Z[k, c] * R.multipliers[later_loop.first_row + c]
            for j in range(k + 1, rank):
                q = integer(R.pivots[first + j])
                value += L[q, k] * R.multipliers[first + q]
            R.multipliers[first + p] = -value / L[p, k]


def joint_impulses_of_rows(R: Record, i: int, j: int, rates: int) -> None:
    """Compute D Bᵀ Lambda of the rows open at the joint of link i, whose joint velocities begin at j."""
    permanent_end = OPEN_PERMANENT_END[i]
    for e in range(OPEN_FIRST[i], end_in_use(R, i, permanent_end, OPEN_FIRST[i + 1])):
        if (e < permanent_end and N_UNBOUND == 0) or not is_excluded(R, OPEN[e].row):
            joint_impulses_of_row(R, e, j, rates)


def joint_impulses_of_row(R: Record, e: int, j: int, rates: int) -> None:
    """Add D Bᵀ Lambda of one open row, entry e of OPEN."""
    open_row = OPEN[e]
    row = open_row.row
    d = R.row_d[open_row.projection :]
    for k in range(rates):
        R.joint_impulses[j + k] += d[k] * R.multipliers[row]
