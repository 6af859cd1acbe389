"""Kernels that assemble loops: steps without inertia, and velocities that close all loops.

They also find prescribed motions that contradict each other. The modules of models with closed loops contain these
kernels. positions.py closes the loops by such steps; if several velocities close them, start_velocities.py chooses.

Assembly solves (L7) of docs/equations_loops.md without inertia. B is then the Jacobian of the rows, and D is diagonal:
1 for joint velocities that may change (`R.free_mask`), 0 for held ones, whose start value the user has fixed. Then
S = B B_fᵀ, with the free columns B_f of B, and R.joint_impulses, D Bᵀ Lambda, is the least change that satisfies the
rows. K v + gamma are the rates of the rows (L1). A dependent row has no pivot and is omitted. Pivots are compared with
the reference pivots of the rows (rows.py). Functions plain_... are counterparts, without inertia, of others.
"""

from ...record.schema import (
    N_DRIVEN,
    N_LINKS,
    N_LOOPS,
    N_ROWS,
    NV,
    OPEN,
    OPEN_FIRST,
    RATE_INDEX,
    RATES_OF,
    ROOTED,
    ROW_ANGULAR,
    Record,
)
from ..constants import FREE_SELECTION
from ..library import integer
from ..linked import conditions, plain_inboard
from ..tolerances import REST_RATE
from .elimination import eliminate, is_excluded, joint_impulses_of_rows, multipliers
from .rows import count_rank, squared_row_norm


def plain_reference_pivots(R: Record) -> None:
    """Set the reference pivots for eliminations without inertia: the squared norms of the rows, 1 for rows of zeros.

    Expects the results of `conditions`.
    """
    for k in range(N_ROWS):
        norm = squared_row_norm(R, k)
        R.reference_pivots[k] = norm if norm > 0.0 else 1.0


def close_velocities(R: Record) -> float:
    """Satisfy K v + gamma = 0 by the least change of the joint velocities with 1 in R.free_mask.

    Return the remaining residual, m/s; R.fault is its row.
    """
    for _ in range(2):  # the second pass removes rounding errors of the first
        conditions(R)
        correct_rates(R)
    conditions(R)
    plain_inboard(R)
    return velocity_residual(R)


def velocity_residual(R: Record) -> float:
    """Compute K v + gamma in R.row_bias and the magnitudes of its terms in R.term_sizes; return the largest rate, m/s.

    R.fault is the row of that rate. Expects the results of `plain_inboard`, with which both arrays contain gamma and
    the part of prescribed motions.
    """
    for i in range(N_LINKS):
        for e in range(OPEN_FIRST[i], OPEN_FIRST[i + 1]):
            open_row = OPEN[e]
            row = open_row.row
            for k in range(RATES_OF[i]):
                term = R.row_b[open_row.projection + k] * R.u[RATE_INDEX[i] + k]
                R.row_bias[row] += term
                R.term_sizes[row] += abs(term)
    return largest_row_bias(R)


def largest_row_bias(R: Record) -> float:
    """Return the largest magnitude in R.row_bias, m/s, angles times the characteristic length; R.fault is its row."""
    largest = 0.0
    for k in range(N_ROWS):
        size = abs(R.row_bias[k]) * angular_row_scale(R, k)
        if not size <= largest and not is_excluded(R, k):
            largest = size
            R.fault = k
    return largest


def largest_term(R: Record) -> float:
    """Return the speed (m/s) with which velocity residuals are compared: the largest of R.term_sizes."""
    largest = 0.0
    for k in range(N_ROWS):
        if not is_excluded(R, k):
            largest = max(largest, R.term_sizes[k] * angular_row_scale(R, k))
    return largest


def angular_row_scale(R: Record, row: int) -> float:
    """Return the factor that turns rad into m in a row of angles, the characteristic length; 1 for other rows."""
    return R.characteristic_length if ROW_ANGULAR[row] > 0 else 1.0


def plain_solve(R: Record, damping: float) -> None:
    """Compute R.joint_impulses, the least change of the free joint velocities that changes the rows by -R.row_bias.

    For a step of the assembly, R.row_bias contains residuals, and the result is a change of coordinates. `damping`
    times the reference pivots are added to the diagonal of S. Expects the results of `plain_inboard`.
    """
    for entry in range(N_LOOPS):
        rooted = ROOTED[entry]
        m = rooted.rows
        S = R.delassus.matrix(rooted.block, m)
        for r in range(m):
            S[r, r] += damping * R.reference_pivots[rooted.first_row + r]
    eliminate_plain(R)
    multipliers(R, N_LINKS, False)
    for i in range(N_LINKS):
        multipliers(R, i, False)
        joint_impulses_of_rows(R, i, RATE_INDEX[i], RATES_OF[i])
    count_rank(R)


def project_rates(R: Record) -> None:
    """Satisfy K v = 0 by the least change of the joint velocities in `u` with 1 in R.free_mask.

    Expects the reference pivots of `plain_reference_pivots`, and R.still = 1, which sets prescribed velocities to zero.
    """
    for _ in range(2):  # the second pass removes rounding errors of the first
        conditions(R)
        for k in range(N_ROWS):
            R.residual_rates[k] = 0.0
        correct_rates(R)


def correct_rates(R: Record) -> None:
    """Satisfy K v + gamma = 0 by the least change of the joint velocities in `u` with 1 in R.free_mask.

    gamma are R.residual_rates. Expects the results of `conditions`.
    """
    plain_inboard(R)
    velocity_residual(R)
    plain_solve(R, 0.0)
    for k in range(NV):
        R.u[k] += R.joint_impulses[k]


def eliminate_plain(R: Record) -> None:
    """Eliminate all rows without inertia; R.reduced_bias becomes x = L⁻¹ b. Expects the results of `plain_inboard`."""
    for i in range(N_LINKS - 1, -1, -1):
        eliminate(R, i, False)
    eliminate(R, N_LINKS, False)


# -- prescribed motions that contradict each other -----------------------------------------------------------


def contradiction(R: Record, share: float) -> float:
    """Return the rate (m/s, rad/s) by which prescribed motions contradict each other; 0 if they agree.

    It is the largest rate of a redundant row that remains whatever the joint velocities are; all of them are free here.
    It counts as zero up to `share` times `largest_term`, and up to rounding at rest. R.fault is the row.
    R.contradicting_drive is the number, from 1, of the prescribed velocity that contributes most, or 0
    (`contradicting_motion`). The selection of rows does not change; all of R.free_mask becomes 1.
    """
    store_elimination(R)
    selection = R.row_selection
    tolerance = R.tolerance
    R.row_selection = FREE_SELECTION
    R.tolerance = 1.0e-10
    for k in range(NV):
        R.free_mask[k] = 1.0
    conditions(R)
    plain_reference_pivots(R)
    plain_inboard(R)
    allowed = max(share * largest_term(R), REST_RATE * R.characteristic_length)
    eliminate_plain(R)
    residuals_of_omitted(R)
    remaining = 0.0
    if largest_row_bias(R) > allowed:
        row = int(R.fault)
        remaining = abs(R.row_bias[row])
        contradicting_motion(R, row, remaining)
    restore_elimination(R)
    R.row_selection = selection
    R.tolerance = tolerance
    return remaining


def may_contradict(R: Record) -> bool:
    """True if an omitted row is violated by more than rounding: a quick check with the last rates and elimination."""
    if R.rank == N_ROWS:
        return False
    speed = 0.0
    for k in range(NV):
        speed = max(speed, abs(R.u[k]))
    for k in range(N_DRIVEN):
        speed = max(speed, abs(R.driven_u[k]))
    residuals_of_omitted(R)
    return largest_row_bias(R) > 1.0e-9 * speed


def residuals_of_omitted(R: Record) -> None:
    """Replace R.row_bias by b - L x: zero in the active rows, which x satisfies, and what remains in omitted rows.

    The remainder is zero if all rows can be satisfied together. Expects that the last elimination has selected rows.
    """
    for entry in range(N_LOOPS):
        rooted = ROOTED[entry]
        m = rooted.rows
        first = rooted.first_row
        of_rows = R.row_factors.matrix(rooted.factor, m)
        rank = integer(R.ranks[rooted.loop])
        for k in range(rank):
            R.row_bias[first + integer(R.pivots[first + k])] = 0.0
        active = 0  # a bit for each row
        for k in range(rank):
            active |= 1 << integer(R.pivots[first + k])
        for i in range(m):
            if (active >> i) & 1 == 0:
                for k in range(rank):
                    R.row_bias[first + i] += -of_rows[i, k] * R.reduced_bias[first + k]


def contradicting_motion(R: Record, row: int, remaining: float) -> None:
    """Set R.contradicting_drive to the number, from 1, of the prescribed velocity that contributes most to a row.

    The row is an omitted one, and `remaining` its remainder (`residuals_of_omitted`). A contribution is the remainder
    with all other prescribed velocities zero. The number is 0 if none exceeds a thousandth of `remaining`.
    """
    R.contradicting_drive = 0.0
    most = 1.0e-3 * remaining
    for drive in range(N_DRIVEN):
        conditions(R)
        for k in range(N_ROWS):
            R.residual_rates[k] = 0.0
        for k in range(N_DRIVEN):
            if k != drive:
                R.driven_u[k] = 0.0
        R.still = 1.0
        plain_inboard(R)
        R.still = 0.0
        eliminate_plain(R)
        residuals_of_omitted(R)
        if abs(R.row_bias[row]) > most:
            most = abs(R.row_bias[row])
            R.contradicting_drive = drive + 1.0


def store_elimination(R: Record) -> None:
    """Store reference pivots, pivots and ranks before an elimination without inertia.

    Such an elimination does not use V (R.reduced_rows), where they are stored.
    """
    stored = R.reduced_rows.flat
    stored[:N_ROWS] = R.reference_pivots
    stored[N_ROWS : 2 * N_ROWS] = R.pivots
    stored[2 * N_ROWS : 2 * N_ROWS + N_LOOPS] = R.ranks
    stored[2 * N_ROWS + N_LOOPS : 2 * N_ROWS + 2 * N_LOOPS] = R.selected_ranks


def restore_elimination(R: Record) -> None:
    """Restore what `store_elimination` has stored."""
    stored = R.reduced_rows.flat
    R.reference_pivots[:] = stored[:N_ROWS]
    R.pivots[:] = stored[N_ROWS : 2 * N_ROWS]
    R.ranks[:] = stored[2 * N_ROWS : 2 * N_ROWS + N_LOOPS]
    R.selected_ranks[:] = stored[2 * N_ROWS + N_LOOPS : 2 * N_ROWS + 2 * N_LOOPS]
