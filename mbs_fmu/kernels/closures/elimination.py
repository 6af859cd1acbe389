"""Kernels that eliminate constraint rows, as small loops over the rows; equation (L7) of docs/equations_loops.md.

The modules of models with closed loops contain these functions and also their first and second tangents (dual.py).
The symbols Y, Z, S (R.delassus), L, B, D, V and x are those of (L7); its subscripts c, d and e denote loops. Rows are
eliminated at the link where their loop is rooted, the lowest common ancestor of the bodies on which they act; they are
open at the links between this one and these bodies. The tables ROOTED, LATER, UPDATES, PAIRS and OPEN contain the
places of blocks of S and of rows of Y, B and DB (the product D Bᵀ of one row) in the record.

A closure g with constraint modes is engaged if R.modes[g] is 0, otherwise released; other closures are permanent.

Arguments that occur often: i is a link (N_LINKS: the world), `entry` the index in ROOTED of the loop c that is
eliminated, m the number of its rows, `first` the first of them, `rank` the number of its pivots.
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
from ..library import each, integer, lt, where

# -- rows that are in use --------------------------------------------------------------------------------------


def start_rows(R: Record) -> None:
    """Set Y, S, D Bᵀ Lambda and `row_z` of coupled joints to zero, and mark the links of engaged closures.

    Called before the model's rows are written.
    """
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
    """Update `engaged_links`; set rank and multipliers of released closures to zero."""
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
    """Write `engaged_links`: 1 for links with rows of engaged closures with constraint modes, else 0.

    The world follows the links, then 1 if there is such a closure at all.
    """
    for i in range(N_LINKS + 2):
        R.engaged_links[i] = 0.0
    for g in range(N_MODES):
        link_range = SWITCHED[g]
        if R.modes[g] == 0.0:
            R.engaged_links[N_LINKS + 1] = 1.0
            for e in range(link_range.first, link_range.end):
                R.engaged_links[SWITCHED_LINKS[e]] = 1.0


def end_in_use(R: Record, i: int, permanent_end: int, end: int) -> int:
    """Return the end of the entries of a table for link i that are in use.

    The entries of permanent closures end at `permanent_end`; those of closures with constraint modes follow, up to
    `end`. The latter are in use only if one of these closures is engaged.
    """
    return end if N_MODES == 0 or R.engaged_links[i] > 0.0 else permanent_end


def is_released(R: Record, loop: int) -> bool:
    """True if a loop's closure has constraint modes and is released."""
    return N_MODES > 0 and LOOP_MODE[loop] > 0 and R.modes[LOOP_MODE[loop] - 1] != 0.0


def both_engaged(R: Record, first: int, second: int) -> bool:
    """True if the closures of both loops are engaged or permanent."""
    return not (is_released(R, second) or is_released(R, first))


def is_excluded(R: Record, row: int) -> bool:
    """True if a row is excluded: its closure is released, or it is a rate constraint while positions are projected."""
    if N_MODES > 0 and ROW_MODE[row] > 0 and R.modes[ROW_MODE[row] - 1] != 0.0:
        return True
    return N_UNBOUND > 0 and ROW_BINDS[row] == 0 and R.positions != 0.0


def excluded_rows_bitmask(R: Record, first: int, m: int) -> int:
    """Return the excluded rows of a loop as an integer with one bit for each row; bit 0 is the loop's first row."""
    excluded = 0
    if N_UNBOUND > 0 or (N_MODES > 0 and ROW_MODE[first] > 0):
        for i in range(m):
            if is_excluded(R, first + i):
                excluded |= 1 << i
    return excluded


# -- right-hand sides ------------------------------------------------------------------------------------------


def row_biases(R: Record) -> None:
    """Compute b = gamma + alpha g; R.drift = 0 omits gamma. At an impact the rebound velocities are added."""
    drift = R.drift
    alpha = R.alpha
    for k in range(N_ROWS):
        value = drift * R.residual_rates[k] + alpha * R.residuals[k]
        if N_MODES > 0:
            value += R.rebounds[k]
        R.row_bias[k] = value


def update_residual(R: Record) -> None:
    """Set R.residual to the largest residual (m, rad) of all rows that are not excluded, and R.fault to its row."""
    largest = 0.0
    for k in range(N_ROWS):
        if not is_excluded(R, k):
            is_larger = not abs(R.residuals[k]) <= largest
            largest = where(is_larger, abs(R.residuals[k]), largest)
            R.fault = where(is_larger, 1.0 * k, R.fault)
    R.residual = largest


# -- inward, rows rooted at a link -----------------------------------------------------------------------------


def eliminate(R: Record, i: int, moving: bool) -> None:
    """Eliminate the rows rooted at link i, and write what they add to M* and Phi* to R.eliminated_inertia.

    `moving` is true if the link has a twist of its own, on which the rows act; the world has none.
    """
    for k in range(N_ELIMINATED_INERTIA):
        R.eliminated_inertia[k] = 0.0
    permanent_end = ROOTED_PERMANENT_END[i]
    for entry in range(ROOTED_FIRST[i], end_in_use(R, i, permanent_end, ROOTED_FIRST[i + 1])):
        if entry < permanent_end or not is_released(R, ROOTED[entry].loop):
            eliminate_loop(R, i, entry, moving)


def eliminate_loop(R: Record, i: int, entry: int, moving: bool) -> None:
    """Eliminate the rows of one loop rooted at link i: S_cc = L Lᵀ, x = L⁻¹ b_c, V = L⁻¹ Y_c."""
    rooted = ROOTED[entry]
    m = rooted.rows
    first = rooted.first_row
    L = R.delassus_factors.matrix(rooted.factor, m)
    Y = R.row_y.matrix(rooted.y, 6)
    rank = pivoted_cholesky(R, entry)
    forward_substitution(R, L, m, first, rank, R.row_bias[first:], R.substituted)
    for k in range(rank):
        R.reduced_bias[first + k] = R.substituted[k]
    if moving:
        for h in range(6):
            forward_substitution(R, L, m, first, rank, Y[:, h], R.substituted)
            for k in range(rank):
                R.reduced_rows[first + k, h] = R.substituted[k]
        add_eliminated_inertia(R, first, rank)
    eliminate_from_later(R, i, entry, moving, L, m, first, rank)


def pivoted_cholesky(R: Record, entry: int) -> int:
    """Factorise the block S_cc = L Lᵀ of a loop by pivoted Cholesky; return its rank. S stays as it is.

    Rows and columns of the triangle L are in the order of the pivots; rows without a pivot are not part of it. A pivot
    must exceed R.tolerance times the reference pivot of its row. R.row_selection determines the pivots:

    - free: the next pivot is the largest one relative to its reference pivot. This selects the rows. R.row_factors
      then contains the factors of the rows without a pivot too.
    - frozen: the selected rows in their order, up to the first whose pivot is too small. Without error control this
      row and those after it are no longer selected.
    - none: no row has a pivot, and R.ranks keeps its value.

    A lane has its own pivots. Both forms are left-looking: each entry of L is computed when it is needed, in one sum.
    """
    loop = ROOTED[entry].loop
    rank = 0
    if R.row_selection == FREE_SELECTION:
        rank = factor_free(R, entry)
    elif R.row_selection == FROZEN_SELECTION:
        rank = factor_frozen(R, entry, integer(R.selected_ranks[loop]))
    if R.row_selection != NO_SELECTION:
        R.ranks[loop] = rank
    if R.row_selection == FREE_SELECTION or (R.row_selection == FROZEN_SELECTION and R.controlled == 0.0):
        R.selected_ranks[loop] = rank
    return rank


def factor_free(R: Record, entry: int) -> int:
    """Factorise the block of a loop and select its pivots; return the rank.

    R.remaining_pivots are the diagonal of S less what the pivots up to now explain. Used rows have no meaning in it.
    """
    rooted = ROOTED[entry]
    m = rooted.rows
    first = rooted.first_row
    S = R.delassus.matrix(rooted.block, m)
    L = R.delassus_factors.matrix(rooted.factor, m)
    of_rows = R.row_factors.matrix(rooted.factor, m)
    used = excluded_rows_bitmask(R, first, m) if N_UNBOUND > 0 else 0  # bits of rows that are pivots or excluded
    for i in range(m):
        R.remaining_pivots[i] = S[i, i]
    for k in range(m):
        p = 0
        largest = R.tolerance
        for i in range(m):
            ratio = R.remaining_pivots[i] / R.reference_pivots[first + i]
            is_larger = lt(largest, ratio) and (used >> i) & 1 == 0
            largest = where(is_larger, ratio, largest)
            p = where(is_larger, i, p)
        if not lt(R.tolerance, largest):
            return k
        used |= 1 << p
        R.pivots[first + k] = p
        for j in range(k):
            L[k, j] = of_rows[p, j]
        L[k, k] = np.sqrt(R.remaining_pivots[p])
        if k < m - 1:
            factor_column(R, entry, k, p)
            for i in range(m):
                R.remaining_pivots[i] += -of_rows[i, k] * of_rows[i, k]
    return m


def factor_frozen(R: Record, entry: int, selected: int) -> int:
    """Factorise the rows of a loop that are selected, in their order; return the rank."""
    rooted = ROOTED[entry]
    m = rooted.rows
    first = rooted.first_row
    S = R.delassus.matrix(rooted.block, m)
    L = R.delassus_factors.matrix(rooted.factor, m)
    for k in range(selected):
        p = each(R.pivots[first + k])
        for j in range(k):
            value = S[p, each(R.pivots[first + j])]
            for h in range(j):
                value += -L[k, h] * L[j, h]
            L[k, j] = value / L[j, j]
        pivot = S[p, p]
        for h in range(k):
            pivot += -L[k, h] * L[k, h]
        if not lt(R.tolerance * R.reference_pivots[first + p], pivot):
            return k
        L[k, k] = np.sqrt(pivot)
    return selected


def factor_column(R: Record, entry: int, k: int, p: int) -> None:
    """Compute column k of the factors L of all rows of a loop, R.row_factors, whose rows are in the order of the loop.

    p is the row of pivot k. Expects columns 0 to k - 1. Rows of pivots up to k have no meaning.
    """
    rooted = ROOTED[entry]
    m = rooted.rows
    S = R.delassus.matrix(rooted.block, m)
    L = R.delassus_factors.matrix(rooted.factor, m)
    of_rows = R.row_factors.matrix(rooted.factor, m)
    for i in range(m):
        value = S[i, p]
        for j in range(k):
            value += -of_rows[i, j] * L[k, j]
        of_rows[i, k] = value / L[k, k]


def factor_all_rows(R: Record, entry: int) -> None:
    """Compute R.row_factors of a loop after a solution of (L7) with any selection of rows.

    Expects S of that solution, which `start_rows` sets to zero.
    """
    rooted = ROOTED[entry]
    for k in range(integer(R.ranks[rooted.loop])):
        factor_column(R, entry, k, each(R.pivots[rooted.first_row + k]))


def forward_substitution(
    R: Record,
    L: Annotated[Matrix, "m"],
    m: int,
    first: int,
    rank: int,
    source: Annotated[Vector, "stride"],
    target: Vector,
) -> None:
    """Compute target = L⁻¹ source.

    source: a number for each of the m rows of the loop, `stride` entries apart. target: a number for each pivot.
    """
    for k in range(rank):
        value = source[each(R.pivots[first + k])]
        for j in range(k):
            value += -L[k, j] * target[j]
        target[k] = value / L[k, k]


def add_eliminated_inertia(R: Record, first: int, rank: int) -> None:
    """Add VᵀV to M* and Vᵀx to Phi* of R.eliminated_inertia, whose blocks are R.eliminated_blocks."""
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
    R: Record, i: int, entry: int, moving: bool, L: Annotated[Matrix, "m"], m: int, first: int, rank: int
) -> None:
    """Update the loops d and e that are eliminated after loop c.

    Z_d = L⁻¹ S_cd replaces S_cd; b_d -= Z_dᵀx, Y_d -= Z_dᵀV, S_de -= Z_dᵀZ_e.
    """
    permanent_end = LATER_PERMANENT_END[entry]
    for e in range(LATER_FIRST[entry], end_in_use(R, i, permanent_end, LATER_FIRST[entry + 1])):
        if e < permanent_end or not is_released(R, ROW_LOOP[LATER[e].first_row]):
            eliminate_from_one(R, e, moving, L, m, first, rank)
    permanent_end = UPDATE_PERMANENT_END[entry]
    for e in range(UPDATE_FIRST[entry], end_in_use(R, i, permanent_end, UPDATE_FIRST[entry + 1])):
        loops = UPDATE_LOOPS[e]
        if e < permanent_end or both_engaged(R, loops.first, loops.second):
            schur_complement_of_pair(R, e, rank)


def eliminate_from_one(
    R: Record, e: int, moving: bool, L: Annotated[Matrix, "m"], m: int, first: int, rank: int
) -> None:
    """Compute Z_d = L⁻¹ S_cd, b_d -= Z_dᵀx and Y_d -= Z_dᵀV for one later loop, entry e of LATER."""
    later_loop = LATER[e]
    n = later_loop.rows
    Z = R.delassus.matrix(later_loop.block, n)
    Y = R.row_y.matrix(later_loop.y, 6)
    for c in range(n):
        forward_substitution(R, L, m, first, rank, Z[:, c], R.substituted)
        for k in range(rank):
            Z[k, c] = R.substituted[k]
            R.row_bias[later_loop.first_row + c] += -R.substituted[k] * R.reduced_bias[first + k]
            if moving:
                for h in range(6):
                    Y[c, h] += -R.substituted[k] * R.reduced_rows[first + k, h]


def schur_complement_of_pair(R: Record, e: int, rank: int) -> None:
    """Compute S_de -= Z_dᵀZ_e for one pair of later loops, entry e of UPDATES."""
    later_pair = UPDATES[e]
    rows = later_pair.rows
    columns = later_pair.columns
    Zd = R.delassus.matrix(later_pair.left, rows)
    Ze = R.delassus.matrix(later_pair.right, columns)
    S = R.delassus.matrix(later_pair.block, columns)
    for k in range(rank):
        for r in range(rows):
            for c in range(columns):
                S[r, c] += -Zd[k, r] * Ze[k, c]


# -- inward, at the joint of a link ----------------------------------------------------------------------------


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
    loop_pair = PAIRS[pair]
    columns = loop_pair.columns
    rates = loop_pair.rates
    B = R.row_b.matrix(loop_pair.left, rates)
    DB = R.row_d.matrix(loop_pair.right, rates)
    S = R.delassus.matrix(loop_pair.block, columns)
    for r in range(loop_pair.rows):
        for c in range(columns):
            total = 0.0
            for k in range(rates):
                total += B[r, k] * DB[c, k]
            S[r, c] += total


# -- outward ---------------------------------------------------------------------------------------------------


def joint_impulses_of_rows(R: Record, i: int, j: int, rates: int) -> None:
    """Add D Bᵀ Lambda of the rows open at the joint of link i to R.joint_impulses.

    The joint has `rates` joint velocities, from index j on. Excluded rows of permanent closures have multipliers of
    zero; those of released closures have no current D Bᵀ.
    """
    permanent_end = OPEN_PERMANENT_END[i]
    for e in range(OPEN_FIRST[i], end_in_use(R, i, permanent_end, OPEN_FIRST[i + 1])):
        if e < permanent_end or not is_excluded(R, OPEN[e].row):
            joint_impulses_of_row(R, e, j, rates)


def joint_impulses_of_row(R: Record, e: int, j: int, rates: int) -> None:
    """Add D Bᵀ Lambda of one open row, entry e of OPEN, to R.joint_impulses."""
    open_row = OPEN[e]
    row = open_row.row
    DB = R.row_d[open_row.projection :]
    for k in range(rates):
        R.joint_impulses[j + k] += DB[k] * R.multipliers[row]


def multipliers(R: Record, i: int, moving: bool) -> None:
    """Compute Lambda_c = -L⁻ᵀ (x + V v + sum of Z_d Lambda_d) of the rows rooted at link i, the last loop first."""
    permanent_end = ROOTED_PERMANENT_END[i]
    for entry in range(end_in_use(R, i, permanent_end, ROOTED_FIRST[i + 1]) - 1, ROOTED_FIRST[i] - 1, -1):
        rooted = ROOTED[entry]
        if entry >= permanent_end and is_released(R, rooted.loop):
            continue
        m = rooted.rows
        first = rooted.first_row
        L = R.delassus_factors.matrix(rooted.factor, m)
        rank = integer(R.ranks[rooted.loop])
        if R.row_selection == NO_SELECTION:
            rank = 0
        end = end_in_use(R, i, LATER_PERMANENT_END[entry], LATER_FIRST[entry + 1])
        for k in range(rank - 1, -1, -1):
            value = R.reduced_bias[first + k]
            if moving:
                for h in range(6):
                    value += R.reduced_rows[first + k, h] * R.twist[i, h]
            for e in range(LATER_FIRST[entry], end):
                later_loop = LATER[e]
                n = 0 if is_released(R, ROW_LOOP[later_loop.first_row]) else later_loop.rows
                Z = R.delassus.matrix(later_loop.block, n)
                for c in range(n):
                    value += Z[k, c] * R.multipliers[later_loop.first_row + c]
            for j in range(k + 1, rank):
                value += L[j, k] * R.substituted[j]
            R.substituted[k] = -value / L[k, k]
        for c in range(m):
            value = 0.0
            for k in range(rank):
                value = where(R.pivots[first + k] == c, R.substituted[k], value)
            R.multipliers[first + c] = value
