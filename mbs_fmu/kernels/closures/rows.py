"""Kernels for constraint rows: their sizes, their residuals, and the number of independent rows."""

from ..declarations import Record
from ..library import integer
from ..linked import contact_steps, copy, evaluate, solve
from ..names import ARM, BODIES, BODY_SIZE, N_LINKS, N_MODES
from .elimination import is_off, residual
from .names import (
    BLOCKS,
    BOUND,
    CHOICE,
    CHOSEN,
    CONTACT,
    CONTACT_STEPS,
    CONTACTS,
    CONTROLLED,
    ENDS,
    FACTORS,
    FOLDED,
    FREE_CHOICE,
    FROZEN_CHOICE,
    KEPT_CHOICE,
    LEAST,
    LENGTH,
    MOST_SCALE,
    N_CONTACTS,
    N_ENDS,
    N_LOOPS,
    N_ROWS,
    N_UNBOUND,
    NO_CHOICE,
    OPEN,
    OPEN_FIRST,
    PIVOTS,
    POSE,
    POSITION_RANK,
    POSITIONS,
    PROJECT,
    RANK,
    RANKS,
    RATES_OF,
    RESIDUAL,
    ROOTED,
    ROOTED_FIRST,
    ROW_W,
    ROW_Y,
    SCALES,
    STRUCK,
    TERMS,
    TOLERANCE,
)


def largest_residual(R: Record) -> float:
    """Return the largest residual of all rows; R[FAULT] is its row.

    Reads: loop_state.
    """
    residual(R)
    return R[RESIDUAL]


def touch(R: Record, most: int) -> None:
    """Compute the contact parameters at which curves touch for the present coordinates.

    At most `most` Newton steps are made, each limited to a twentieth of a turn.

    Reads: z, z_dot. Writes: z.
    """
    for _ in range(most):
        contact_steps(R)
        largest = 0.0
        for k in range(N_CONTACTS):
            largest = max(largest, abs(R[CONTACT_STEPS + CONTACT[k]]))
        factor = 0.3 / largest if largest > 0.3 else 1.0
        for k in range(N_CONTACTS):
            R[CONTACTS + CONTACT[k]] += factor * R[CONTACT_STEPS + CONTACT[k]]
        if largest <= 1.0e-15:
            break


def set_tolerance(R: Record) -> None:
    """Set the threshold below which pivots count as zero, from the residual.

    A residual g rotates the direction of a row with pivot d² by about g/d². At d² = g the direction is wrong, and the
    row would lead the motion round the singular position instead of through it. Steps with error control reject such
    stages; steps without it need a larger threshold. Bodies do not move during an impact, so that the rows of the
    present position apply.

    Reads: loop_state. Writes: loop_state.
    """
    g = R[RESIDUAL] / R[LENGTH]
    if N_MODES > 0 and R[STRUCK] != 0.0:
        g = 0.0
    if R[CHOICE] == FREE_CHOICE:
        R[LEAST] = min(1.0e-6, max(1.0e-12, (10.0 if R[CONTROLLED] > 0.0 else 100.0) * g))
        R[TOLERANCE] = R[LEAST]
    elif R[CHOICE] == FROZEN_CHOICE and R[PROJECT] < 0.0:
        R[TOLERANCE] = R[LEAST]
    elif R[CHOICE] == FROZEN_CHOICE and R[CONTROLLED] > 0.0:
        R[TOLERANCE] = max(R[LEAST], min(1.0e-2, g))
    elif R[CHOICE] == FROZEN_CHOICE:
        R[TOLERANCE] = max(R[TOLERANCE], min(1.0e-2, 10.0 * g))


def stands_off(R: Record) -> bool:
    """True if a state must be projected: its residual exceeds the tolerance, or would rotate the row with the least
    pivot too far.

    Reads: loop_state.
    """
    if R[PROJECT] < 0.0:
        return False
    turned = R[LENGTH] * max(4.0e-15, 1.0e-6 * weakest(R))
    return min(R[PROJECT], turned) < R[RESIDUAL]


def weakest(R: Record) -> float:
    """Return the least ratio of pivot to scale of all chosen rows, at most 1.

    Reads: factors, pivots, ranks, scales.
    """
    least = 1.0
    for z in range(ROOTED_FIRST[N_LINKS + 1]):
        m = ROOTED[6 * z + 1]
        first = ROOTED[6 * z + 2]
        L = FACTORS + ROOTED[6 * z + 4]
        for k in range(integer(R[RANKS + ROOTED[6 * z]])):
            p = integer(R[PIVOTS + first + k])
            least = min(least, R[L + p * m + k] ** 2 / R[SCALES + first + p])
    return least


def is_folded(R: Record) -> bool:
    """True in a singular position: rows of closures that hold are excluded, or their pivots depend on rounding.

    Reads: chosen, ranks.
    """
    for z in range(ROOTED_FIRST[N_LINKS + 1]):
        loop = ROOTED[6 * z]
        if R[RANKS + loop] < R[CHOSEN + loop] and not is_off(R, ROOTED[6 * z + 2]):
            return True
    return weakest(R) < FOLDED


def evaluate_folded(R: Record, U: Record) -> None:
    """Compute all rates in a singular position, with momenta from velocities and without rows that depend on rounding.

    Reads: loop_state. Writes: loop_state.
    """
    least = R[LEAST]
    R[LEAST] = FOLDED
    evaluate(R, U)
    R[LEAST] = least


def has_left_rows(R: Record, tolerance: float) -> bool:
    """True if the end of a trial step omits rows that its start has chosen, and does not satisfy them.

    While the stages omit a row, the motion that the row should prevent is smooth, so the error estimate does not detect
    it. In a singular position, that motion is correct and keeps the loops closed. If a row is omitted because light
    links make its pivot small, the step only has to be shorter: the residuals of its stages, with which pivots are
    compared, decrease as h².

    Reads: loop_state, ranks.
    """
    rank = 0.0
    for k in range(N_LOOPS):
        rank += R[RANKS + k]
    return rank < R[RANK] and R[RESIDUAL] > 100.0 * tolerance * R[LENGTH]


def keep_choice(R: Record) -> None:
    """Store the choice of rows while another choice is in use.

    Reads: chosen, pivots. Writes: kept_choice.
    """
    copy(R, PIVOTS, KEPT_CHOICE, N_ROWS)
    copy(R, CHOSEN, KEPT_CHOICE + N_ROWS, N_LOOPS)


def restore_choice(R: Record) -> None:
    """Choose the stored rows again, as far as they are still independent.

    Reads: kept_choice. Writes: chosen, pivots.
    """
    copy(R, KEPT_CHOICE, PIVOTS, N_ROWS)
    copy(R, KEPT_CHOICE + N_ROWS, CHOSEN, N_LOOPS)


def count_rank(R: Record) -> None:
    """Set R[RANK] to the number of chosen rows of all loops.

    Reads: ranks. Writes: loop_state.
    """
    rank = 0.0
    for k in range(N_LOOPS):
        rank += R[RANKS + k]
    R[RANK] = rank


def set_length(R: Record) -> None:
    """Set the size of the mechanism, a length, from its lever arms, offsets and extent in space.

    Reads: bodies, loop_state, pose. Writes: loop_state.
    """
    largest = 0.0
    for i in range(N_LINKS):
        for k in range(3):
            c = BODIES + BODY_SIZE * i
            largest = max(largest, abs(R[c + ARM + k]))
            if R[c] > 0.0:
                largest = max(largest, abs(R[c + 1 + k]) / R[c])
            largest = max(largest, abs(R[POSE + 12 * i + 9 + k] - R[POSE + 9 + k]))
    R[LENGTH] = largest if largest > 0.0 else 1.0
    if R[BOUND] > 1.0e300:  # no bound is given
        R[BOUND] = 1.0e-2 * R[LENGTH]


def set_scales(R: Record, first: int, end: int) -> None:
    """Set the scale of each row: the pivot that it would have with its end bodies alone, without massless bodies.

    The scale would be far too large for a body with very little mass whose joint allows rotation only, or with very
    little inertia. It is therefore at most MOST_SCALE times the row's present pivot in the tree. That pivot may
    vanish in a singular position. The bound then uses another pivot if it is larger: that of free end bodies with the
    mass m + J/L² and the inertia J + m L² in place of m and J, where L is the size of the mechanism. Expects that no
    row is chosen.

    Reads: blocks, bodies, loop_state, scales, terms. Writes: scales, terms.
    """
    solve(R)
    mass = 0.0
    for i in range(N_LINKS):
        mass += R[BODIES + BODY_SIZE * i]
    for k in range(first, end):
        R[SCALES + k] = 0.0
        R[TERMS + k] = 0.0
    for e in range(N_ENDS):
        row = ENDS[3 * e + 2]
        if first <= row < end:
            add_mobility(R, SCALES + row, e, 0.0)
            add_mobility(R, TERMS + row, e, R[LENGTH])
    for z in range(N_LOOPS):
        m = ROOTED[6 * z + 1]
        for r in range(m):
            row = ROOTED[6 * z + 2] + r
            if first <= row < end:
                pivot = max(R[TERMS + row], R[BLOCKS + ROOTED[6 * z + 3] + r * (m + 1)])
                R[SCALES + row] = min(R[SCALES + row], MOST_SCALE * pivot)
                if R[SCALES + row] == 0.0:
                    R[SCALES + row] = row_size(R, row) / mass if mass > 0.0 else 1.0


def add_mobility(R: Record, target: int, e: int, size: float) -> None:
    """Add to a row's pivot the mobility of one free end body (entry e of ENDS).

    With `size` L > 0 (m), the body has the mass m + J/L² and the inertia J + m L²; with 0 it has its own m and J. J is
    half the trace of the inertia tensor about the centre of mass.

    Reads: bodies, row_y, target. Writes: target.
    """
    c = BODIES + BODY_SIZE * ENDS[3 * e]
    y = ROW_Y + ENDS[3 * e + 1]
    m = R[c]
    if m > 0.0:
        x0 = R[c + 1] / m
        x1 = R[c + 2] / m
        x2 = R[c + 3] / m
        half = 0.5 * (R[c + 4] + R[c + 7] + R[c + 9]) - m * (x0 * x0 + x1 * x1 + x2 * x2)
        more = max(0.0, half) / (size * size) if size > 0.0 else 0.0
        R[target] += (R[y] ** 2 + R[y + 1] ** 2 + R[y + 2] ** 2) / (m + more)
        if half > 0.0:
            t0 = R[y + 3] - (x1 * R[y + 2] - x2 * R[y + 1])
            t1 = R[y + 4] - (x2 * R[y] - x0 * R[y + 2])
            t2 = R[y + 5] - (x0 * R[y + 1] - x1 * R[y])
            R[target] += (t0 * t0 + t1 * t1 + t2 * t2) / (half + m * size * size)


def row_size(R: Record, row: int) -> float:
    """Return the sum of squares of a row's entries: forces, torques and rates of coordinates; expects `conditions`.

    Reads: row_w, row_y.
    """
    total = 0.0
    for end in range(N_ENDS):
        if ENDS[3 * end + 2] == row:
            for h in range(6):
                total += R[ROW_Y + ENDS[3 * end + 1] + h] ** 2
    for i in range(N_LINKS):
        for e in range(OPEN_FIRST[i], OPEN_FIRST[i + 1]):
            if OPEN[4 * e + 3] == row:
                for k in range(RATES_OF[i]):
                    total += R[ROW_W + OPEN[4 * e + 2] + k] ** 2
    return total


def choose_start_rows(R: Record) -> None:
    """Choose the rows that are independent in a position with closed loops, and compute the velocities with them.

    Reads: loop_state. Writes: loop_state.
    """
    R[CHOICE] = NO_CHOICE
    set_scales(R, 0, N_ROWS)
    R[CHOICE] = FREE_CHOICE
    if N_UNBOUND > 0:
        R[POSITIONS] = 1.0
        solve(R)
        count_rank(R)
        R[POSITION_RANK] = R[RANK]
        R[POSITIONS] = 0.0
    solve(R)
    R[CHOICE] = FROZEN_CHOICE
    count_rank(R)
    if N_UNBOUND == 0:
        R[POSITION_RANK] = R[RANK]
