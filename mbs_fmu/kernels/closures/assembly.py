"""Kernels that assemble loops: they compute positions and velocities that close all loops.

They also find prescribed motions that contradict each other. The modules of models with closed loops contain these
kernels. Assembly does not use inertia: its rows are those of the Jacobian, and changes are measured by the coordinates
that MASK allows to change. If several velocities close the loops, start_velocities.py chooses among them.
"""

from ...kernels.constants import AGREES, AT_REST, FREE_CHOICE, NOT_ASSEMBLED, NOT_FOLLOWED, OK, PRESCRIBED_MOTION
from ...record.schema import (
    ANGULAR,
    N_CONTACTS,
    N_DRIVEN,
    N_LINKS,
    N_LOOPS,
    N_ROWS,
    NQ,
    NV,
    OPEN,
    OPEN_FIRST,
    RATE_INDEX,
    RATES_OF,
    ROOTED,
    ROW_ANGULAR,
    ROW_LOOP,
    Record,
)
from ..library import integer
from ..linked import conditions, contact_guesses, fail, momenta, normalise, plain_inboard
from .elimination import eliminate, is_off, multipliers, push
from .rows import count_rank, largest_residual, row_size, set_length, touch


def assemble_positions(R: Record) -> int:
    """Compute coordinates that close all loops, from the start values; return a status.

    The start values of velocities stay in `u_old` and `u`. Held coordinates keep their values; but if these leave only
    a small gap (a thousandth of the mechanism's size), all coordinates move as little as necessary.
    """
    set_start(R)
    R.u_old[:] = R.u
    R.mask[:] = R.free
    first = largest_residual(R)
    left = close_positions(R)
    if left > 1.0e-10 * R.length and first < 1.0e-3 * R.length:
        for k in range(NV):
            R.mask[k] = 1.0
        R.moved = 1.0
        left = close_positions(R)
    R.last_good = left
    if not left <= 1.0e-10 * R.length:
        R.fault = ROW_LOOP[int(R.fault)]
        return NOT_ASSEMBLED
    if PRESCRIBED_MOTION > 0:
        left = contradiction(R, AGREES)
        if left > 0.0:
            R.last_good = left
            return fail(R, ROW_LOOP[int(R.fault)], 0.0, NOT_FOLLOWED)
    R.u[:] = R.u_old
    return OK


def set_start(R: Record) -> None:
    """Compute the sizes of the mechanism and of the rows, which the assembly needs."""
    R.length = 1.0
    R.choice = FREE_CHOICE
    R.tolerance = 1.0e-10
    conditions(R)
    if N_CONTACTS > 0:
        contact_guesses(R)
        touch(R, 30)
        conditions(R)
    set_length(R)
    plain_scales(R)


def plain_scales(R: Record) -> None:
    """Compute the sizes of rows, with which their pivots are compared in eliminations without inertia.

    Expects the results of `conditions`.
    """
    for k in range(N_ROWS):
        size = row_size(R, k)
        R.scales[k] = size if size > 0.0 else 1.0


def close_positions(R: Record) -> float:
    """Close the loops by damped Gauss-Newton steps from the start values; return the remaining residual.

    Only coordinates that `mask` frees change.
    """
    R.positions = 1.0
    fit = misfit(R)
    damping = 1.0e-3
    for iteration in range(100):
        residual = largest_residual(R)
        if residual <= 1.0e-15 * R.length:
            break
        small = residual < 1.0e-3 * R.length
        plain_inboard(R)
        R.right[:] = R.residuals
        R.x0[:] = R.x
        plain_solve(R, 0.0 if small else damping)
        if not small:
            R.rank = 0.0
        move(R)
        before = fit
        fit = misfit(R)
        R.iterations = iteration + 1.0
        if fit < before * (1.0 - 1.0e-4):
            damping = max(1.0e-9, 0.1 * damping)
            continue
        R.x[:] = R.x0
        fit = misfit(R)
        damping *= 10.0
        if small or damping > 1.0e6:
            break
    R.positions = 0.0
    return largest_residual(R)


def misfit(R: Record) -> float:
    """Return the sum of the squares of all residuals, each divided by its row's size."""
    if N_CONTACTS > 0:
        touch(R, 30)
    conditions(R)
    total = 0.0
    for k in range(N_ROWS):
        if not is_off(R, k):
            total += R.residuals[k] ** 2 / R.scales[k]
    return total


def move(R: Record) -> None:
    """Change the coordinates by the step in `push`, each by at most half a radian or half the mechanism's size."""
    largest = 0.0
    for k in range(NV):
        largest = max(largest, abs(R.push[k]) / (1.0 if ANGULAR[k] > 0 else R.length))
    factor = 0.5 / largest if largest > 0.5 else 1.0
    for k in range(NV):
        R.u[k] = factor * R.push[k]
    momenta(R)
    for k in range(NQ):
        R.x[k] += R.x_dot[k]
    normalise(R)


def close_velocities(R: Record) -> float:
    """Close the loops by the least change of the joint velocities that `mask` frees.

    Return the remaining residual, m/s.
    """
    for _ in range(2):
        conditions(R)
        correct_rates(R)
    conditions(R)
    plain_inboard(R)
    return velocity_residual(R)


def velocity_residual(R: Record) -> float:
    """Write K v + gamma to `right` and the size of its terms to `terms`; return the largest entry, m/s.

    R.fault is the row of that entry. Expects the results of `plain_inboard`, which adds the part of prescribed
    motions.
    """
    for i in range(N_LINKS):
        for e in range(OPEN_FIRST[i], OPEN_FIRST[i + 1]):
            opened = OPEN[e]
            row = opened.row
            for k in range(RATES_OF[i]):
                term = R.row_b[opened.projection + k] * R.u[RATE_INDEX[i] + k]
                R.right[row] += term
                R.terms[row] += abs(term)
    return largest_right(R)


def largest_right(R: Record) -> float:
    """Return the largest entry of R.right, m/s, with its row in R.fault."""
    largest = 0.0
    for k in range(N_ROWS):
        size = abs(R.right[k]) * arm(R, k)
        if not size <= largest and not is_off(R, k):
            largest = size
            R.fault = k
    return largest


def largest_term(R: Record) -> float:
    """Return the speed (m/s) with which velocity residuals are compared: the largest terms of a row over its size."""
    largest = 0.0
    for k in range(N_ROWS):
        if not is_off(R, k):
            largest = max(largest, R.terms[k] * arm(R, k))
    return largest


def arm(R: Record, row: int) -> float:
    """Return the factor that makes a row of angles comparable to others: the mechanism's size; 1 for other rows."""
    return R.length if ROW_ANGULAR[row] > 0 else 1.0


def plain_solve(R: Record, damping: float) -> None:
    """Compute the least change of the free joint velocities that removes R.right, and write it to `push`.

    Expects the results of `plain_inboard`. The rows are those of the Jacobian, without inertia.
    """
    for z in range(N_LOOPS):
        root = ROOTED[z]
        m = root.rows
        for r in range(m):
            R.blocks[root.block + r * m + r] += damping * R.scales[root.first_row + r]
    eliminate_plain(R)
    multipliers(R, N_LINKS, False)
    for i in range(N_LINKS):
        multipliers(R, i, False)
        push(R, i, RATE_INDEX[i], RATES_OF[i])
    count_rank(R)


def allow_rates(R: Record) -> None:
    """Change the joint velocities in `u`, where `mask` allows it, as little as K v = 0 needs.

    Expects `plain_scales`, and `still`, with which prescribed motions stand still.
    """
    for _ in range(2):  # the second pass removes rounding errors of the first
        conditions(R)
        for k in range(N_ROWS):
            R.residual_rates[k] = 0.0
        correct_rates(R)


def correct_rates(R: Record) -> None:
    """Change the joint velocities in `u`, where `mask` allows it, as little as K v + gamma = 0 needs.

    Expects the results of `conditions`, of which gamma is `residual_rates`.
    """
    plain_inboard(R)
    velocity_residual(R)
    plain_solve(R, 0.0)
    for k in range(NV):
        R.u[k] += R.push[k]


def eliminate_plain(R: Record) -> None:
    """Eliminate all rows without inertia; R.solved receives the rest of R.right. Expects `plain_inboard`."""
    for i in range(N_LINKS - 1, -1, -1):
        eliminate(R, i, False)
    eliminate(R, N_LINKS, False)


# -- prescribed motions that contradict each other -----------------------------------------------------------


def contradiction(R: Record, share: float) -> float:
    """Return the amount by which prescribed motions contradict each other.

    It is zero up to the given share of their terms, and up to rounding at rest. The amount is the velocity that
    prescribed motions require in a redundant row of the Jacobian, with all joint velocities free: no motion of the
    joints can produce it. R.fault is the row. R.blamed is the number, from 1, of the prescribed velocity with the
    largest part in it, or 0. The choice of rows does not change.
    """
    keep_rows(R)
    choice = R.choice
    tolerance = R.tolerance
    R.choice = FREE_CHOICE
    R.tolerance = 1.0e-10
    for k in range(NV):
        R.mask[k] = 1.0
    conditions(R)
    plain_scales(R)
    plain_inboard(R)
    allowed = max(share * largest_term(R), AT_REST * R.length)
    eliminate_plain(R)
    left_out(R)
    left = 0.0
    if largest_right(R) > allowed:
        row = int(R.fault)
        left = abs(R.right[row])
        blame(R, row, left)
    restore_rows(R)
    R.choice = choice
    R.tolerance = tolerance
    return left


def in_doubt(R: Record) -> bool:
    """True if the velocities that excluded rows require exceed rounding: a quick check with the last rates."""
    if R.rank == N_ROWS:
        return False
    speed = 0.0
    for k in range(NV):
        speed = max(speed, abs(R.u[k]))
    for k in range(N_DRIVEN):
        speed = max(speed, abs(R.driven_u[k]))
    left_out(R)
    return largest_right(R) > 1.0e-9 * speed


def left_out(R: Record) -> None:
    """Replace R.right by the right sides that excluded rows still have once the chosen rows are satisfied.

    They are zero if all rows can be satisfied together.
    """
    for z in range(N_LOOPS):
        root = ROOTED[z]
        m = root.rows
        first = root.first_row
        L = R.factors.matrix(root.factor, m)
        rank = integer(R.ranks[root.loop])
        for k in range(rank):
            R.right[first + integer(R.pivots[first + k])] = 0.0
        used = 0
        for k in range(rank):
            used |= 1 << integer(R.pivots[first + k])
        for i in range(m):
            if (used >> i) & 1 == 0:
                for k in range(rank):
                    R.right[first + i] += -L[i, k] * R.solved[first + k]


def blame(R: Record, row: int, left: float) -> None:
    """Set R.blamed to the prescribed velocity, from 1, that contributes most to an excluded row; 0 if none does."""
    R.blamed = 0.0
    most = 1.0e-3 * left
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
        left_out(R)
        if abs(R.right[row]) > most:
            most = abs(R.right[row])
            R.blamed = drive + 1.0


def keep_rows(R: Record) -> None:
    """Store the choice of rows before an elimination without inertia."""
    R.row_v.flat[:N_ROWS] = R.scales
    R.row_v.flat[N_ROWS : N_ROWS + N_ROWS] = R.pivots
    R.row_v.flat[2 * N_ROWS : 2 * N_ROWS + N_LOOPS] = R.ranks
    R.row_v.flat[2 * N_ROWS + N_LOOPS : 2 * N_ROWS + N_LOOPS + N_LOOPS] = R.chosen


def restore_rows(R: Record) -> None:
    """Restore the choice of rows that `keep_rows` stored."""
    R.scales[:] = R.row_v.flat[:N_ROWS]
    R.pivots[:] = R.row_v.flat[N_ROWS : N_ROWS + N_ROWS]
    R.ranks[:] = R.row_v.flat[2 * N_ROWS : 2 * N_ROWS + N_LOOPS]
    R.chosen[:] = R.row_v.flat[2 * N_ROWS + N_LOOPS : 2 * N_ROWS + N_LOOPS + N_LOOPS]
