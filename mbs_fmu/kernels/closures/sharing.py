"""Kernels that share loads between redundant rows: the multipliers of least norm with the same generalized forces.

The modules of models that output reactions or instantaneous multipliers contain them and also their tangents. The
equations are (L16) of docs/equations_loops.md.

An addition nu to the multipliers must not change the motion. With the factors L and Z of the last solution of (L7) it
satisfies L_kk nu_k = -(sum of L_jk nu_j + Z nu) for each pivot k; the entries of omitted rows are free. Least squares
determine them, loop by loop in the order of elimination, as in a multifrontal method. The frontal matrix H of a loop is
a quadratic form in nu, with its linear part in a last column. It contains the loop's own rows and its later rows: rows
of loops that are eliminated later and share blocks with this loop. After the elimination of the own rows, what remains
for the later rows is added to the frontal matrix of the next loop, the first of the later ones to be eliminated.

Arguments: D is the record of tangents along the motion, so that D.multipliers are lambda. t is an index in FRONTAL. A
frontal matrix has `size` rows, of which the first m are those of the loop. `used` has a bit for each of these m rows,
which is 1 if the row is excluded or eliminated. Lanes agree in ranks and in excluded rows; each has its own pivots.
"""

from ...record.fields import Vector
from ...record.schema import (
    FRONT_MAP,
    FRONT_ROWS,
    FRONTAL,
    LATER,
    LATER_FIRST,
    N_FRONT,
    N_LOOPS,
    N_ROWS,
    ROOTED,
    Record,
)
from ..library import each, integer, where
from .elimination import excluded_rows_bitmask, factor_all_rows


def least_norm_multipliers(R: Record, D: Record) -> None:
    """Replace the multipliers lambda in D by those of least weighted norm, if some row is not active.

    Expects the results of `solve_d` along the motion.
    """
    rank = 0
    for k in range(N_LOOPS):
        rank += integer(R.ranks[k])
    if rank < N_ROWS:
        for k in range(N_FRONT):
            R.frontal[k] = 0.0
        for k in range(N_ROWS):
            R.multiplier_additions[k] = 0.0
        for t in range(N_LOOPS):
            eliminate_own_rows(R, D, t)
        for t in range(N_LOOPS - 1, -1, -1):
            back_substitute(R, D, t)
        for k in range(N_ROWS):
            D.multipliers[k] += R.multiplier_additions[k]


def eliminate_own_rows(R: Record, D: Record, t: int) -> None:
    """Eliminate a loop's own rows from its frontal matrix, and add the remainder to the next frontal matrix.

    First pivots are substituted, then omitted rows are minimised over. The rows of R.elimination_factors are the own
    rows of the frontal matrix in this order. Each is replaced by its g when it is eliminated.
    """
    frontal = FRONTAL[t]
    entry = frontal.rooted
    size = frontal.size
    H = R.frontal.matrix(frontal.matrix, size + 1)
    rooted = ROOTED[entry]
    m = rooted.rows
    first = rooted.first_row
    rank = integer(R.ranks[rooted.loop])
    used = excluded_rows_bitmask(R, first, m)
    end = order_rows(R, D, first, m, rank)
    factor_all_rows(R, entry)
    for r in range(m):
        H[r, r] += R.reference_pivots[first + r]
        H[r, size] += R.reference_pivots[first + r] * D.multipliers[first + r]
    for k in range(end):
        g = R.elimination_factors.matrix(frontal.matrix, size + 1)[k]
        row = H[each(R.elimination_order[first + k])]
        for c in range(size + 1):
            g[c] = row[c]
    for k in range(end):
        g = R.elimination_factors.matrix(frontal.matrix, size + 1)[k]
        for c in range(size + 1):
            R.frontal_row[c] = g[c]
        i = each(R.elimination_order[first + k])
        used |= 1 << i
        if k < rank:
            pivot_factors(R, D, entry, g, k, used)
            g[size] = 0.0
        else:
            for j in range(size + 1):
                g[j] = where(j >= m or (used >> j) & 1 == 0, -R.frontal_row[j] / R.frontal_row[i], 0.0)
        substitute_in_frontal(R, D, t, k, end)
    extend_add(R, D, t, m)


def order_rows(R: Record, D: Record, first: int, m: int, rank: int) -> int:
    """Write the rows of a loop in the order of their elimination to R.elimination_order; return their number.

    Pivots come first, omitted rows follow. Excluded rows are left out.
    """
    excluded = excluded_rows_bitmask(R, first, m)
    used = excluded
    for k in range(rank):
        used |= 1 << each(R.pivots[first + k])
        R.elimination_order[first + k] = R.pivots[first + k]
    end = m
    for i in range(m):
        end += -((excluded >> i) & 1)
    for k in range(rank, end):
        row = 0
        for i in range(m - 1, -1, -1):
            row = where((used >> i) & 1 == 0, i, row)
        used |= 1 << row
        R.elimination_order[first + k] = row
    return end


def pivot_factors(R: Record, D: Record, entry: int, g: Vector, k: int, used: int) -> None:
    """Compute g of pivot k of a loop, for its own and its later rows: -L_jk / L_kk and -Z_kd / L_kk."""
    rooted = ROOTED[entry]
    m = rooted.rows
    L = R.delassus_factors.matrix(rooted.factor, m)
    of_rows = R.row_factors.matrix(rooted.factor, m)
    for j in range(m):
        g[j] = where((used >> j) & 1 == 0, -of_rows[j, k] / L[k, k], 0.0)
    of_later = g[m:]
    for e in range(LATER_FIRST[entry], LATER_FIRST[entry + 1]):
        later_loop = LATER[e]
        n = later_loop.rows
        Z = R.delassus.matrix(later_loop.block, n)
        for c in range(n):
            of_later[c] = -Z[k, c] / L[k, k]
        of_later = of_later[n:]


def substitute_in_frontal(R: Record, D: Record, t: int, k: int, end: int) -> None:
    """Substitute nu_i = sum of g_j nu_j + g_size in a frontal matrix: H_jc += g_j H_ic + H_ij g_c + g_j g_c H_ii.

    Row i is the one that is eliminated as number k; R.frontal_row contains its H. The rows after it are own rows up to
    number `end` - 1, then those of later loops.
    """
    frontal = FRONTAL[t]
    size = frontal.size
    rooted = ROOTED[frontal.rooted]
    m = rooted.rows
    first = rooted.first_row
    H = R.frontal.matrix(frontal.matrix, size + 1)
    own = R.elimination_factors.matrix(frontal.matrix, size + 1)
    g = own[k]
    pivot = R.frontal_row[each(R.elimination_order[first + k])]
    for j in range(k + 1, end):
        other = own[j]
        i = each(R.elimination_order[first + j])
        for c in range(size + 1):
            other[c] += g[i] * R.frontal_row[c] + R.frontal_row[i] * g[c] + g[i] * g[c] * pivot
    for j in range(m, size):
        later = H[j]
        for c in range(m, size + 1):
            later[c] += g[j] * R.frontal_row[c] + R.frontal_row[j] * g[c] + g[j] * g[c] * pivot


def extend_add(R: Record, D: Record, t: int, m: int) -> None:
    """Add the remainder of a frontal matrix, its rows from m on, to the next frontal matrix, `frontal.next`.

    FRONT_MAP[frontal.rows + i] is the index of row i in the next frontal matrix.
    """
    frontal = FRONTAL[t]
    size = frontal.size
    H = R.frontal.matrix(frontal.matrix, size + 1)
    if size > m:
        first = frontal.rows
        next_frontal = FRONTAL[frontal.next]
        whole = next_frontal.size
        sum_of_both = R.frontal.matrix(next_frontal.matrix, whole + 1)
        for a in range(m, size):
            row = sum_of_both[FRONT_MAP[first + a]]
            for b in range(m, size):
                row[FRONT_MAP[first + b]] += H[a, b]
            row[whole] += H[a, size]


def back_substitute(R: Record, D: Record, t: int) -> None:
    """Compute nu of one loop (R.multiplier_additions) from nu of later loops, the last eliminated row first."""
    rooted = ROOTED[FRONTAL[t].rooted]
    m = rooted.rows
    first = rooted.first_row
    end = order_rows(R, D, first, m, integer(R.ranks[rooted.loop]))
    for k in range(end - 1, -1, -1):
        back_substitute_row(R, D, t, m, k, each(R.elimination_order[first + k]))


def back_substitute_row(R: Record, D: Record, t: int, m: int, k: int, i: int) -> None:
    """Compute nu_i = sum of g_j nu_j + g_size of own row i, which was eliminated as number k.

    FRONT_ROWS[frontal.rows + i] is the constraint row of row i of the frontal matrix.
    """
    frontal = FRONTAL[t]
    size = frontal.size
    g = R.elimination_factors.matrix(frontal.matrix, size + 1)[k]
    first = frontal.rows
    total = g[size]
    for j in range(size):
        total += g[j] * R.multiplier_additions[FRONT_ROWS[first + j]]
    for r in range(m):
        row = FRONT_ROWS[first + r]
        R.multiplier_additions[row] = where(i == r, total, R.multiplier_additions[row])
