"""Kernels that assemble loops: they compute positions and velocities that close all loops.

They also find prescribed motions that contradict each other. The modules of models with closed loops contain these
kernels. Assembly does not use inertia: its rows are those of the Jacobian, and changes are measured by the coordinates
that MASK allows to change. If several velocities close the loops, start_velocities.py chooses among them.
"""

from ..declarations import Record
from ..library import integer
from ..linked import conditions, contact_guesses, copy, fail, momenta, normalise, plain_inboard
from ..names import BASE, F0, FAULT, N_LINKS, NQ, NV, NX, OK, RATES, STILL, U_OLD, X0
from .elimination import eliminate, is_off, multipliers, push
from .names import (
    AGREES,
    ANGULAR,
    AT_REST,
    BLAMED,
    BLOCKS,
    CHOICE,
    CHOSEN,
    DRIVEN_U,
    FACTORS,
    FREE,
    FREE_CHOICE,
    ITERATIONS,
    LAST_GOOD,
    LENGTH,
    MASK,
    MOVED,
    N_CONTACTS,
    N_DRIVEN,
    N_LOOPS,
    N_ROWS,
    NOT_ASSEMBLED,
    NOT_FOLLOWED,
    OPEN,
    OPEN_FIRST,
    PIVOTS,
    POSITIONS,
    PRESCRIBED_MOTION,
    PUSH,
    RANK,
    RANKS,
    RATE_INDEX,
    RATES_OF,
    RESIDUAL_RATES,
    RESIDUALS,
    RIGHT,
    ROOTED,
    ROW_ANGULAR,
    ROW_B,
    ROW_LOOP,
    ROW_V,
    SCALES,
    SOLVED,
    TERMS,
    TOLERANCE,
)
from .rows import count_rank, largest_residual, row_size, set_length, touch


def assemble_positions(R: Record) -> int:
    """Compute coordinates that close all loops, from the start values; return a status.

    The start values of velocities stay in U_OLD and RATES. Held coordinates keep their values; but if these leave only
    a small gap (a thousandth of the mechanism's size), all coordinates move as little as necessary.

    Reads: free, head, loop_state, u, u_old. Writes: head, loop_state, mask, u, u_old.
    """
    set_start(R)
    copy(R, RATES, U_OLD, NV)
    copy(R, FREE, MASK, NV)
    first = largest_residual(R)
    left = close_positions(R)
    if left > 1.0e-10 * R[LENGTH] and first < 1.0e-3 * R[LENGTH]:
        for k in range(NV):
            R[MASK + k] = 1.0
        R[MOVED] = 1.0
        left = close_positions(R)
    R[LAST_GOOD] = left
    if not left <= 1.0e-10 * R[LENGTH]:
        R[FAULT] = ROW_LOOP[int(R[FAULT])]
        return NOT_ASSEMBLED
    if PRESCRIBED_MOTION > 0:
        left = contradiction(R, AGREES)
        if left > 0.0:
            R[LAST_GOOD] = left
            return fail(R, ROW_LOOP[int(R[FAULT])], 0.0, NOT_FOLLOWED)
    copy(R, U_OLD, RATES, NV)
    return OK


def set_start(R: Record) -> None:
    """Compute the sizes of the mechanism and of the rows, which the assembly needs.

    Writes: loop_state.
    """
    R[LENGTH] = 1.0
    R[CHOICE] = FREE_CHOICE
    R[TOLERANCE] = 1.0e-10
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

    Writes: scales.
    """
    for k in range(N_ROWS):
        size = row_size(R, k)
        R[SCALES + k] = size if size > 0.0 else 1.0


def close_positions(R: Record) -> float:
    """Close the loops by damped Gauss-Newton steps from the start values; return the remaining residual.

    Only coordinates that MASK frees change.

    Reads: drive_impulses, loop_state, p, q, residuals, x0, z. Writes: loop_state, p, q, right, x0.
    """
    R[POSITIONS] = 1.0
    fit = misfit(R)
    damping = 1.0e-3
    for iteration in range(100):
        residual = largest_residual(R)
        if residual <= 1.0e-15 * R[LENGTH]:
            break
        small = residual < 1.0e-3 * R[LENGTH]
        plain_inboard(R)
        copy(R, RESIDUALS, RIGHT, N_ROWS)
        copy(R, X0, BASE, NX)
        plain_solve(R, 0.0 if small else damping)
        if not small:
            R[RANK] = 0.0
        move(R)
        before = fit
        fit = misfit(R)
        R[ITERATIONS] = iteration + 1.0
        if fit < before * (1.0 - 1.0e-4):
            damping = max(1.0e-9, 0.1 * damping)
            continue
        copy(R, BASE, X0, NX)
        fit = misfit(R)
        damping *= 10.0
        if small or damping > 1.0e6:
            break
    R[POSITIONS] = 0.0
    return largest_residual(R)


def misfit(R: Record) -> float:
    """Return the sum of the squares of all residuals, each divided by its row's size.

    Reads: residuals, scales.
    """
    if N_CONTACTS > 0:
        touch(R, 30)
    conditions(R)
    total = 0.0
    for k in range(N_ROWS):
        if not is_off(R, k):
            total += R[RESIDUALS + k] ** 2 / R[SCALES + k]
    return total


def move(R: Record) -> None:
    """Change the coordinates by the step in PUSH, each by at most half a radian or half the mechanism's size.

    Reads: loop_state, push, q, q_dot. Writes: q, u.
    """
    largest = 0.0
    for k in range(NV):
        largest = max(largest, abs(R[PUSH + k]) / (1.0 if ANGULAR[k] > 0 else R[LENGTH]))
    factor = 0.5 / largest if largest > 0.5 else 1.0
    for k in range(NV):
        R[RATES + k] = factor * R[PUSH + k]
    momenta(R)
    for k in range(NQ):
        R[X0 + k] += R[F0 + k]
    normalise(R)


def close_velocities(R: Record) -> float:
    """Close the loops by the least change of the joint velocities that MASK frees.

    Return the remaining residual, m/s.
    """
    for _ in range(2):
        conditions(R)
        correct_rates(R)
    conditions(R)
    plain_inboard(R)
    return velocity_residual(R)


def velocity_residual(R: Record) -> float:
    """Write K v + gamma to RIGHT and the size of its terms to TERMS; return the largest entry, m/s.

    R[FAULT] is the row of that entry. Expects the results of `plain_inboard`, which adds the part of prescribed
    motions.

    Reads: right, row_b, terms, u. Writes: right, terms.
    """
    for i in range(N_LINKS):
        for e in range(OPEN_FIRST[i], OPEN_FIRST[i + 1]):
            row = OPEN[4 * e + 3]
            for k in range(RATES_OF[i]):
                term = R[ROW_B + OPEN[4 * e + 2] + k] * R[RATES + RATE_INDEX[i] + k]
                R[RIGHT + row] += term
                R[TERMS + row] += abs(term)
    return largest_right(R)


def largest_right(R: Record) -> float:
    """Return the largest entry of R[RIGHT], m/s, with its row in R[FAULT].

    Reads: right. Writes: head.
    """
    largest = 0.0
    for k in range(N_ROWS):
        size = abs(R[RIGHT + k]) * arm(R, k)
        if not size <= largest and not is_off(R, k):
            largest = size
            R[FAULT] = k
    return largest


def largest_term(R: Record) -> float:
    """Return the speed (m/s) with which velocity residuals are compared: the largest terms of a row over its size.

    Reads: terms.
    """
    largest = 0.0
    for k in range(N_ROWS):
        if not is_off(R, k):
            largest = max(largest, R[TERMS + k] * arm(R, k))
    return largest


def arm(R: Record, row: int) -> float:
    """Return the factor that makes a row of angles comparable to others: the mechanism's size; 1 for other rows.

    Reads: loop_state.
    """
    return R[LENGTH] if ROW_ANGULAR[row] > 0 else 1.0


def plain_solve(R: Record, damping: float) -> None:
    """Compute the least change of the free joint velocities that removes R[RIGHT], and write it to PUSH.

    Expects the results of `plain_inboard`. The rows are those of the Jacobian, without inertia.

    Reads: blocks, scales. Writes: blocks.
    """
    for z in range(N_LOOPS):
        m = ROOTED[6 * z + 1]
        for r in range(m):
            R[BLOCKS + ROOTED[6 * z + 3] + r * m + r] += damping * R[SCALES + ROOTED[6 * z + 2] + r]
    eliminate_plain(R)
    multipliers(R, N_LINKS, False)
    for i in range(N_LINKS):
        multipliers(R, i, False)
        push(R, i, RATE_INDEX[i], RATES_OF[i])
    count_rank(R)


def allow_rates(R: Record) -> None:
    """Change the joint velocities in RATES, where MASK allows it, as little as K v = 0 needs.

    Expects `plain_scales`, and STILL, with which prescribed motions stand still.

    Writes: residual_rates.
    """
    for _ in range(2):  # the second pass removes rounding errors of the first
        conditions(R)
        for k in range(N_ROWS):
            R[RESIDUAL_RATES + k] = 0.0
        correct_rates(R)


def correct_rates(R: Record) -> None:
    """Change the joint velocities in RATES, where MASK allows it, as little as K v + gamma = 0 needs.

    Expects the results of `conditions`, of which gamma is RESIDUAL_RATES.

    Reads: push, u. Writes: u.
    """
    plain_inboard(R)
    velocity_residual(R)
    plain_solve(R, 0.0)
    for k in range(NV):
        R[RATES + k] += R[PUSH + k]


def eliminate_plain(R: Record) -> None:
    """Eliminate all rows without inertia; R[SOLVED] receives the rest of R[RIGHT]. Expects `plain_inboard`."""
    for i in range(N_LINKS - 1, -1, -1):
        eliminate(R, i, False)
    eliminate(R, N_LINKS, False)


# -- prescribed motions that contradict each other -----------------------------------------------------------


def contradiction(R: Record, share: float) -> float:
    """Return the amount by which prescribed motions contradict each other.

    It is zero up to the given share of their terms, and up to rounding at rest. The amount is the velocity that
    prescribed motions require in a redundant row of the Jacobian, with all joint velocities free: no motion of the
    joints can produce it. R[FAULT] is the row. R[BLAMED] is the number, from 1, of the prescribed velocity with the
    largest part in it, or 0. The choice of rows does not change.

    Reads: head, loop_state, right. Writes: loop_state, mask.
    """
    keep_rows(R)
    choice = R[CHOICE]
    tolerance = R[TOLERANCE]
    R[CHOICE] = FREE_CHOICE
    R[TOLERANCE] = 1.0e-10
    for k in range(NV):
        R[MASK + k] = 1.0
    conditions(R)
    plain_scales(R)
    plain_inboard(R)
    allowed = max(share * largest_term(R), AT_REST * R[LENGTH])
    eliminate_plain(R)
    left_out(R)
    left = 0.0
    if largest_right(R) > allowed:
        row = int(R[FAULT])
        left = abs(R[RIGHT + row])
        blame(R, row, left)
    restore_rows(R)
    R[CHOICE] = choice
    R[TOLERANCE] = tolerance
    return left


def in_doubt(R: Record) -> bool:
    """True if the velocities that excluded rows require exceed rounding: a quick check with the last rates.

    Reads: driven_u, loop_state, u.
    """
    if R[RANK] == N_ROWS:
        return False
    speed = 0.0
    for k in range(NV):
        speed = max(speed, abs(R[RATES + k]))
    for k in range(N_DRIVEN):
        speed = max(speed, abs(R[DRIVEN_U + k]))
    left_out(R)
    return largest_right(R) > 1.0e-9 * speed


def left_out(R: Record) -> None:
    """Replace R[RIGHT] by the right sides that excluded rows still have once the chosen rows are satisfied.

    They are zero if all rows can be satisfied together.

    Reads: factors, pivots, ranks, right, solved. Writes: right.
    """
    for z in range(N_LOOPS):
        m = ROOTED[6 * z + 1]
        first = ROOTED[6 * z + 2]
        L = FACTORS + ROOTED[6 * z + 4]
        rank = integer(R[RANKS + ROOTED[6 * z]])
        for k in range(rank):
            R[RIGHT + first + integer(R[PIVOTS + first + k])] = 0.0
        used = 0
        for k in range(rank):
            used |= 1 << integer(R[PIVOTS + first + k])
        for i in range(m):
            if (used >> i) & 1 == 0:
                for k in range(rank):
                    R[RIGHT + first + i] += -R[L + i * m + k] * R[SOLVED + first + k]


def blame(R: Record, row: int, left: float) -> None:
    """Set R[BLAMED] to the prescribed velocity, from 1, that contributes most to an excluded row; 0 if none does.

    Reads: right. Writes: driven_u, head, loop_state, residual_rates.
    """
    R[BLAMED] = 0.0
    most = 1.0e-3 * left
    for drive in range(N_DRIVEN):
        conditions(R)
        for k in range(N_ROWS):
            R[RESIDUAL_RATES + k] = 0.0
        for k in range(N_DRIVEN):
            if k != drive:
                R[DRIVEN_U + k] = 0.0
        R[STILL] = 1.0
        plain_inboard(R)
        R[STILL] = 0.0
        eliminate_plain(R)
        left_out(R)
        if abs(R[RIGHT + row]) > most:
            most = abs(R[RIGHT + row])
            R[BLAMED] = drive + 1.0


def keep_rows(R: Record) -> None:
    """Store the choice of rows before an elimination without inertia.

    Reads: chosen, pivots, ranks, scales. Writes: row_v.
    """
    copy(R, SCALES, ROW_V, N_ROWS)
    copy(R, PIVOTS, ROW_V + N_ROWS, N_ROWS)
    copy(R, RANKS, ROW_V + 2 * N_ROWS, N_LOOPS)
    copy(R, CHOSEN, ROW_V + 2 * N_ROWS + N_LOOPS, N_LOOPS)


def restore_rows(R: Record) -> None:
    """Restore the choice of rows that `keep_rows` stored.

    Reads: row_v. Writes: chosen, pivots, ranks, scales.
    """
    copy(R, ROW_V, SCALES, N_ROWS)
    copy(R, ROW_V + N_ROWS, PIVOTS, N_ROWS)
    copy(R, ROW_V + 2 * N_ROWS, RANKS, N_LOOPS)
    copy(R, ROW_V + 2 * N_ROWS + N_LOOPS, CHOSEN, N_LOOPS)
