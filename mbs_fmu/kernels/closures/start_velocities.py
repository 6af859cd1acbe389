"""Kernels that compute joint velocities at the start of models with closed loops.

Many velocities may keep the loops closed and agree with the held start values. Among these the start takes those whose
change from the guesses has the least kinetic energy, as after an impact of all closures (docs/equations_loops.md, L20).
"""

from ..declarations import Record
from ..linked import conditions, copy, momenta, plain_inboard, solve
from ..names import FAULT, N_LINKS, NV, OK, P0, RATES, STILL, U_NEW, U_OLD
from .assembly import (
    allow_rates,
    assemble_positions,
    close_velocities,
    largest_term,
    plain_scales,
    velocity_residual,
)
from .elimination import is_off
from .names import (
    AGREES,
    ALPHA,
    AT_REST,
    CHOICE,
    DRIFT,
    FREE_CHOICE,
    FREE_RATES,
    GUESSED,
    LAST_GOOD,
    LENGTH,
    MASK,
    MOST_ALPHA,
    MOVED,
    N_ROWS,
    NO_CHOICE,
    NOT_MOVABLE,
    OPEN,
    OPEN_FIRST,
    PROJECT,
    RANK,
    RATE_INDEX,
    RATES_OF,
    RIGHT,
    ROUNDED,
    ROW_B,
    ROW_LOOP,
    SCALES,
    SINGULAR,
    START_MISSING,
    START_RATES,
    START_WAY,
    TOLERANCE,
)
from .rows import set_scales


def assemble(R: Record) -> int:
    """Compute coordinates and joint velocities that close all loops, from the start values; return a status.

    Reads: loop_state. Writes: loop_state.
    """
    status = assemble_positions(R)
    if status == OK:
        rank = R[RANK]
        status = start_velocities(R)
        R[SINGULAR] = 1.0 if R[RANK] < rank else 0.0
    return status


def start_velocities(R: Record) -> int:
    """Compute joint velocities that close the loops, from those in U_OLD; return a status.

    Held velocities keep their values if these agree with loops and prescribed motion up to rounding, which at rest
    exceeds the velocities themselves. They move if they differ by no more than those in a row of a run, where
    stabilization closes residuals at the rate alpha.

    Reads: head, loop_state, right, u, u_new, u_old. Writes: head, loop_state, mask, u, u_new.
    """
    conditions(R)
    plain_inboard(R)
    velocity_residual(R)
    find_free(R)
    speed = largest_term(R)  # with the guesses: their rounding errors remain in the residual even if loops end at rest
    left = close_velocities(R)
    speed = max(speed, largest_term(R))
    rounding = max(1.0e-9 * speed, AT_REST * R[LENGTH])
    if left <= rounding:
        if is_open(R):
            least_energy(R, rounding)
        return OK
    row = int(R[FAULT])
    missed = abs(R[RIGHT + row])
    copy(R, RATES, U_NEW, NV)
    copy(R, U_OLD, RATES, NV)
    for k in range(NV):
        R[MASK + k] = 1.0
    if left <= 2.0 * close_velocities(R):  # prescribed motions disagree slightly: held values are not the cause
        copy(R, U_NEW, RATES, NV)
    elif left <= max(AGREES * speed, R[MOST_ALPHA] * R[PROJECT]):
        R[MOVED] += 2.0
    else:
        R[LAST_GOOD] = missed
        R[FAULT] = ROW_LOOP[row]
        return NOT_MOVABLE
    return OK


def find_free(R: Record) -> None:
    """Set MASK to 1 for velocities that may change.

    Velocities without a start value that occur in no row are zero, as in a tree. Expects `plain_inboard`.

    Reads: free_rates, row_b, scales. Writes: mask.
    """
    for k in range(NV):
        R[MASK + k] = 1.0 if R[FREE_RATES + k] == GUESSED else 0.0
    for i in range(N_LINKS):
        for e in range(OPEN_FIRST[i], OPEN_FIRST[i + 1]):
            row = OPEN[4 * e + 3]
            for k in range(RATES_OF[i]):
                j = RATE_INDEX[i] + k
                part = R[ROW_B + OPEN[4 * e + 2] + k] ** 2
                if part > 1.0e-20 * R[SCALES + row] and R[FREE_RATES + j] > 0.0 and not is_off(R, row):
                    R[MASK + j] = 1.0


def is_open(R: Record) -> bool:
    """True if guesses changed by more than rounding, and other changes could have closed the loops too.

    Reads: loop_state, mask, u, u_old.
    """
    largest = 0.0
    change = 0.0
    free = 0.0
    for k in range(NV):
        free += R[MASK + k]
        largest = max(largest, abs(R[RATES + k]))
        change = max(change, abs(R[RATES + k] - R[U_OLD + k]))
    return free > R[RANK] and change > 1.0e-13 * largest


def least_energy(R: Record, rounding: float) -> None:
    """Replace the joint velocities by those whose change from U_OLD has the least kinetic energy.

    The unknowns of the conjugate gradient iteration are the impulses of the held velocities or the remaining degrees of
    freedom, whichever are fewer. Without held velocities a single impact gives the result. If bodies lack the inertia
    for this, the velocities stay as they are. `rounding` is the residual that counts as zero, m/s.

    Reads: loop_state, mask, start_rates, u, u_new, u_old. Writes: head, loop_state, start_rates, u, u_new.
    """
    copy(R, RATES, U_NEW, NV)
    free = 0.0
    for k in range(NV):
        free += R[MASK + k]
    degrees_of_freedom = int(free - R[RANK])
    held = NV - int(free)
    R[STILL] = 1.0
    if held <= degrees_of_freedom:
        by_impulses(R, 4 * held + 4)
    else:
        by_free_motions(R, 4 * degrees_of_freedom + 4)
    R[STILL] = 0.0
    total = 0.0
    for k in range(NV):
        R[RATES + k] = R[START_RATES + k] if R[MASK + k] > 0.0 else R[U_OLD + k]
        total += R[RATES + k]
    if total - total != 0.0 or not close_velocities(R) <= rounding:
        copy(R, U_NEW, RATES, NV)


def by_impulses(R: Record, most: int) -> None:
    """Compute START_RATES from the impulses of all closures and of the held velocities.

    The impulses s of held velocities change the joint velocities by P s. P is the inverse of the mass matrix, projected
    onto the motions that the loops allow.

    Reads: loop_state, start_rates, u. Writes: head, loop_state, start_rates.
    """
    alpha = R[ALPHA]
    R[ALPHA] = 0.0
    copy(R, U_OLD, RATES, NV)
    R[STILL] = 0.0
    momenta(R)
    R[CHOICE] = NO_CHOICE
    set_scales(R, 0, N_ROWS)
    R[CHOICE] = FREE_CHOICE
    solve(R)
    copy(R, RATES, START_RATES, NV)
    R[STILL] = 1.0
    R[DRIFT] = 0.0
    floor = ROUNDED * square_of(R, RATES)
    for _ in range(2):  # the second pass removes rounding errors of the first
        missing_held(R)
        copy(R, START_MISSING, START_WAY, NV)
        square = square_of(R, START_MISSING)
        least = max(floor, 1.0e-20 * square)
        for _ in range(most):
            if not least < square:
                break
            copy(R, START_WAY, P0, NV)
            solve(R)
            length = along_way(R, square)
            for k in range(NV):
                R[START_RATES + k] += length * R[RATES + k]
            missing_held(R)
            square = next_way(R, square)
    R[ALPHA] = alpha
    R[DRIFT] = 1.0
    R[CHOICE] = FREE_CHOICE
    R[TOLERANCE] = 1.0e-10
    conditions(R)
    plain_scales(R)


def missing_held(R: Record) -> None:
    """Set START_MISSING to the errors of START_RATES in the held velocities.

    Reads: mask, start_rates, u_old. Writes: start_missing.
    """
    for k in range(NV):
        R[START_MISSING + k] = 0.0 if R[MASK + k] > 0.0 else R[U_OLD + k] - R[START_RATES + k]


def by_free_motions(R: Record, most: int) -> None:
    """Compute START_RATES from U_NEW, by changes along the motions that loops and held velocities leave free.

    Reads: start_missing, start_rates, start_way, u, u_old. Writes: start_missing, start_rates, u.
    """
    copy(R, U_NEW, START_RATES, NV)
    for _ in range(2):  # the second pass removes rounding errors of the first
        for k in range(NV):
            R[RATES + k] = R[U_OLD + k] - R[START_RATES + k]
        project_momenta(R)
        copy(R, RATES, START_MISSING, NV)
        copy(R, RATES, START_WAY, NV)
        square = square_of(R, START_MISSING)
        least = max(ROUNDED * square_of(R, P0), 1.0e-20 * square)
        for _ in range(most):
            if not least < square:
                break
            copy(R, START_WAY, RATES, NV)
            project_momenta(R)
            length = along_way(R, square)
            for k in range(NV):
                R[START_RATES + k] += length * R[START_WAY + k]
                R[START_MISSING + k] += -length * R[RATES + k]
            square = next_way(R, square)


def project_momenta(R: Record) -> None:
    """Replace velocities in RATES by their momenta, projected onto the motions that are free.

    Free motions are those that the loops and the held velocities allow.

    Reads: mask, p, push, u. Writes: residual_rates, u.
    """
    momenta(R)
    for k in range(NV):
        R[RATES + k] = R[MASK + k] * R[P0 + k]
    allow_rates(R)


def square_of(R: Record, first: int) -> float:
    """Return the sum of squares of a vector with one entry for each joint velocity.

    Reads: first.
    """
    total = 0.0
    for k in range(NV):
        total += R[first + k] ** 2
    return total


def along_way(R: Record, square: float) -> float:
    """Return the step length of the conjugate gradient iteration along START_WAY; 0 if its image is zero.

    RATES contains the image of START_WAY under the matrix.

    Reads: start_way, u.
    """
    power = 0.0
    for k in range(NV):
        power += R[START_WAY + k] * R[RATES + k]
    return square / power if power > 0.0 else 0.0


def next_way(R: Record, square: float) -> float:
    """Compute the next conjugate direction; return the square of the present error. `square` is the previous one.

    Reads: start_missing, start_way. Writes: start_way.
    """
    now = square_of(R, START_MISSING)
    for k in range(NV):
        R[START_WAY + k] = R[START_MISSING + k] + now / square * R[START_WAY + k]
    return now
