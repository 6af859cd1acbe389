"""Kernels for closed loops: start, stabilization, re-basing and projection.

In models with closed loops these functions replace defaults of the drivers, such as `prepare_step` and `initialise`.
"""

import numpy as np

from ..declarations import Record
from ..hooks import armed_at_start, first_modes, forget_zeros, free_modes, next_modes, start_elastic, start_samples
from ..linked import (
    check_gimbal_lock,
    check_start,
    copy,
    evaluate,
    fail,
    forces,
    lost_motion,
    momenta,
    normalise,
    prepare,
    solve,
    starts,
)
from ..names import (
    AT_STEPS,
    DRIVE_IMPULSES,
    DRIVE_MEANS,
    DRIVE_MOMENTA,
    DRIVE_STARTS,
    ERRORS,
    EVALUATIONS,
    F0,
    FAILED_CHECK,
    FAILED_START_CHECK,
    FAILED_STEP,
    FAULT,
    FRESH,
    HISTORY,
    JACOBIANS,
    LAST_ERROR,
    LOCKS,
    N_DRIVES,
    N_HISTORY,
    N_LOCKS,
    N_QUATERNIONS,
    NO_DIRECTION,
    NO_INERTIA,
    NQ,
    NV,
    OK,
    P0,
    QUATERNIONS,
    RATES,
    RATES_FRESH,
    REJECTED,
    ROWS_CHOSEN,
    STALE,
    STEP,
    STEPS,
    STILL,
    TIME,
    U_NEW,
    X0,
)
from .along_motion import exchange_rates
from .assembly import contradiction, in_doubt
from .names import (
    AGREES,
    ALPHA,
    ALPHA_STEP,
    BOUND,
    CHOICE,
    CONTROLLED,
    DRIFT,
    EXCHANGE_FRESH,
    FREE_CHOICE,
    FROZEN_CHOICE,
    IMPULSE_MOST,
    LAGGED,
    LAST_GOOD,
    LAST_ROW_FORCES,
    LEAST,
    LENGTH,
    MARKED,
    MEANS,
    MEASURED,
    MOMENTUM,
    MOST_ALPHA,
    MULTIPLIERS,
    N_CONTACTS,
    N_COUNTERS,
    N_ROWS,
    N_UNBOUND,
    NO_CHOICE,
    NOT_FOLLOWED,
    OPEN_LOOP,
    POSITIONS,
    PRESCRIBED_MOTION,
    PROJECTIONS,
    RANK,
    REBASE,
    REBASED,
    REBASINGS,
    RESIDUAL,
    ROW_FORCES,
    ROW_LOOP,
    TOLERANCE,
    WORST,
)
from .rows import (
    choose_start_rows,
    count_rank,
    keep_choice,
    largest_residual,
    restore_choice,
    stands_off,
    touch,
    weakest,
)
from .start_velocities import assemble


def rebase(R: Record) -> None:
    """Move the impulses into the momenta: p = pi + Jᵀ Lambda, then Lambda = 0. The motion does not change.

    Reads: drive_impulses, drive_momenta, drive_starts, head, loop_state, momentum, multipliers. Writes: drive_impulses,
    drive_starts, loop_state, means, multipliers, p.
    """
    span = R[TIME] - R[REBASED]
    for k in range(N_ROWS):
        if span > 0.0:
            R[MEANS + k] = R[MULTIPLIERS + k] / span
        R[MULTIPLIERS + k] = 0.0
    for k in range(N_DRIVES):
        R[DRIVE_STARTS + k] = (
            R[DRIVE_MOMENTA + k] - R[DRIVE_STARTS + k] - R[DRIVE_IMPULSES + k]
        )  # since the last re-basing
        R[DRIVE_IMPULSES + k] = 0.0
    forces(R)
    copy(R, MOMENTUM, P0, NV)
    for k in range(N_DRIVES):
        R[DRIVE_STARTS + k] = R[DRIVE_MOMENTA + k] - R[DRIVE_STARTS + k]
    R[REBASED] = R[TIME]
    R[REBASINGS] += 1.0


def drive_means(R: Record) -> None:
    """Compute the mean forces of drives since the mark.

    A mean force is the change of momentum along the drive that no other force explains, divided by the time. If a
    motion that follows inputs jumps, the impulse of the jump belongs to that instant and counts in the next mean.

    Reads: drive_impulses, drive_means, drive_momenta, drive_starts, head, loop_state. Writes: drive_means.
    """
    begin = min(R[MARKED], R[MEASURED])
    if R[TIME] > R[MEASURED]:
        for k in range(N_DRIVES):
            impulse = R[DRIVE_MOMENTA + k] - R[DRIVE_STARTS + k] - R[DRIVE_IMPULSES + k]
            R[DRIVE_MEANS + k] = (R[DRIVE_MEANS + k] * (R[MEASURED] - begin) + impulse) / (R[TIME] - begin)
        start_drives(R)


def start_drives(R: Record) -> None:
    """Start to accumulate the impulses of drives, from the present state.

    Reads: drive_impulses, drive_momenta, head. Writes: drive_starts, loop_state.
    """
    for k in range(N_DRIVES):
        R[DRIVE_STARTS + k] = R[DRIVE_MOMENTA + k] - R[DRIVE_IMPULSES + k]
    R[MEASURED] = R[TIME]


def mark(R: Record) -> None:
    """Start the interval of means at the present time.

    Reads: head. Writes: loop_state.
    """
    R[MARKED] = R[TIME]


def move_marks(R: Record, before: float) -> None:
    """Move marks from the time `before` to the present time, so that no mean is taken over a rounding-sized interval.

    Reads: head, loop_state. Writes: loop_state.
    """
    if R[MARKED] == before:
        R[MARKED] = R[TIME]
    if R[MEASURED] == before:
        R[MEASURED] = R[TIME]
    if R[REBASED] == before:
        R[REBASED] = R[TIME]


def project(R: Record) -> None:
    """Project coordinates onto g = 0 by the shortest step, measured with the inertia as the metric.

    Reads: loop_state, momentum, p, q, q_dot. Writes: head, loop_state, momentum, p, q.
    """
    copy(R, P0, MOMENTUM, NV)
    alpha = R[ALPHA]
    choice = R[CHOICE]
    tolerance = R[TOLERANCE]
    if N_UNBOUND > 0:
        leave_positions(R)
    for k in range(NV):
        R[P0 + k] = 0.0
    R[ALPHA] = 1.0
    R[DRIFT] = 0.0
    R[STILL] = 1.0
    solve(R)
    for k in range(NQ):
        R[X0 + k] += R[F0 + k]
    normalise(R)
    if N_CONTACTS > 0:
        touch(R, 2)
    R[ALPHA] = alpha
    R[DRIFT] = 1.0
    R[STILL] = 0.0
    copy(R, MOMENTUM, P0, NV)
    if N_UNBOUND > 0:
        bind_rates(R)
        R[CHOICE] = choice
        R[TOLERANCE] = tolerance


def leave_positions(R: Record) -> None:
    """Exclude rate constraints and choose the rows again, before positions are projected.

    Writes: loop_state.
    """
    keep_choice(R)
    R[CHOICE] = FREE_CHOICE
    R[POSITIONS] = 1.0


def bind_rates(R: Record) -> None:
    """Include all rows again, and restore the choice of rows from before `leave_positions`.

    Writes: loop_state.
    """
    R[POSITIONS] = 0.0
    restore_choice(R)


def prepare_step(R: Record, U: Record, h: float, controlled: bool) -> int:
    """Prepare an accepted state for a step of size h: choose rows, project, re-base momenta; return a status.

    Reads: head, loop_state, multipliers. Writes: head, loop_state.
    """
    R[CONTROLLED] = 1.0 if controlled else 0.0
    alpha = min(R[MOST_ALPHA], R[ALPHA_STEP] / h) if h > 0.0 else R[MOST_ALPHA]
    if R[FRESH] != STALE and R[FRESH] != ROWS_CHOSEN and R[ALPHA] == alpha:
        return OK
    if R[FRESH] != ROWS_CHOSEN or R[ALPHA] != alpha:
        R[ALPHA] = alpha
        choose_rows(R, U, controlled)
    drive_means(R)
    most = R[IMPULSE_MOST]
    for k in range(N_ROWS):
        most = max(most, abs(R[MULTIPLIERS + k]))
    R[IMPULSE_MOST] = most
    if R[REBASE] > 0.0:
        rebase(R)
    if LAGGED > 0:
        evaluate(R, U)
    if stands_off(R):
        project(R)
        R[PROJECTIONS] += 1.0
        evaluate(R, U)
        start_drives(R)  # the projection is not an impulse of the drives
        if R[REBASE] > 0.0:
            rebase(R)
    share = 0.1 if R[AT_STEPS] == 0.0 else 2.0  # share of a step: shortest flight that is distinguished from rest
    status = next_modes(R, U, 1.0e-6 if controlled else max(1.0e-6, share * h))
    if status != OK:
        return fail(R, int(R[FAULT]), h, status)
    R[CHOICE] = FROZEN_CHOICE
    count_rank(R)
    R[FRESH] = RATES_FRESH
    R[WORST] = max(R[WORST], R[RESIDUAL])
    broken = N_ROWS > 0 and R[RESIDUAL] > R[BOUND]  # without rows, the bound has no meaning
    if PRESCRIBED_MOTION > 0 and (broken or in_doubt(R)):
        left = contradiction(R, 1.0e-5 if broken else AGREES)
        if left > 0.0:
            R[LAST_GOOD] = left
            return fail(R, ROW_LOOP[int(R[FAULT])], h, NOT_FOLLOWED)
    if broken:
        return stands_open(R, h)
    return check_gimbal_lock(R, h)


def stands_open(R: Record, h: float) -> int:
    """Return the status of a loop whose residual exceeds its bound, or of curves that cannot touch in this position.

    Reads: head. Writes: loop_state, head.
    """
    if N_CONTACTS > 0:
        check = check_start(R) - 1
        if check >= 0:
            return fail(R, check, h, FAILED_START_CHECK)
    R[FAULT] = 0.0  # stays if all residuals are zero and the bound is exceeded nevertheless
    R[LAST_GOOD] = largest_residual(R)
    return fail(R, ROW_LOOP[int(R[FAULT])], h, OPEN_LOOP)


def evaluate_between(R: Record, U: Record) -> None:
    """Compute all rates at a state interpolated within a step, and projected as the step's ends are.

    Error control does not check this state. So rows whose directions its residual changes are excluded.

    Reads: loop_state. Writes: loop_state.
    """
    evaluate(R, U)
    if stands_off(R):
        least = R[LEAST]
        R[LEAST] = max(least, 10.0 * R[RESIDUAL] / R[LENGTH])
        project(R)
        evaluate(R, U)
        R[LEAST] = least


def choose_rows(R: Record, U: Record, controlled: bool) -> None:
    """Choose the rows that are independent at the present state, and compute all rates with them.

    Reads: head, loop_state. Writes: head, loop_state.
    """
    count_rank(R)
    before = R[RANK]
    weak = weakest(R)
    keep_choice(R)
    R[CHOICE] = FREE_CHOICE
    evaluate(R, U)
    count_rank(R)
    if controlled and R[RANK] < before:  # error control ignores the new degree of freedom: limit the step
        least = max(1.0e-3, 2.0 * np.sqrt(R[TOLERANCE] / weak))
        R[STEP] = min(R[STEP], least * (R[TIME] - R[REBASED]))
    elif 0.0 < before < R[RANK]:
        take_back_rows(R, U)


def take_back_rows(R: Record, U: Record) -> None:
    """Include rows again that were excluded in a singular position, now that `choose_rows` has chosen them.

    The residual that has grown since then has changed the directions of these rows. So the impulses are moved into the
    momenta with the rows of the last step, and the state is projected, before the rows act on velocities.

    Reads: loop_state. Writes: loop_state.
    """
    restore_choice(R)
    R[CHOICE] = FROZEN_CHOICE
    evaluate(R, U)
    rebase(R)
    R[CHOICE] = FREE_CHOICE
    evaluate(R, U)
    if stands_off(R):
        project(R)
        R[PROJECTIONS] += 1.0
        evaluate(R, U)


def exchanged(R: Record, D: Record) -> None:
    """Compute the rates for an importer's solver, unless they are there already.

    Expects the results of `rates`. D is workspace for tangents.

    Reads: loop_state.
    """
    if R[EXCHANGE_FRESH] == 0.0:
        exchange_rates(R, D)


def begin(R: Record, U: Record, h: float) -> int:
    """Call `prepare_step` for an importer that integrates with an error control of its own."""
    mark(R)
    return prepare_step(R, U, h, True)


def completed(R: Record, U: Record) -> int:
    """Update the mean forces at the end of a step that an importer has made; return a status.

    Such a step accumulates no impulses, so each mean is that of the values at the step's two ends. Expects the results
    of `exchanged`.

    Reads: head, last_row_forces, loop_state, row_forces. Writes: last_row_forces, loop_state, means.
    """
    for k in range(N_ROWS):
        if R[TIME] > R[REBASED]:
            R[MEANS + k] = 0.5 * (R[LAST_ROW_FORCES + k] + R[ROW_FORCES + k])
        R[LAST_ROW_FORCES + k] = R[ROW_FORCES + k]
    R[REBASED] = R[TIME]
    forget_zeros(R)
    mark(R)
    drive_means(R)
    return check_gimbal_lock(R, 0.0)


def error_velocities(R: Record) -> None:
    """Convert errors of the momenta into errors of the joint velocities, which also satisfy the constraint rows.

    Reads: errors, head, loop_state, momentum, p, u, u_new. Writes: errors, head, loop_state, momentum, p, u.
    """
    copy(R, P0, MOMENTUM, NV)
    copy(R, ERRORS, P0, NV)
    alpha = R[ALPHA]
    R[ALPHA] = 0.0
    R[DRIFT] = 0.0
    R[STILL] = 1.0
    solve(R)
    R[ALPHA] = alpha
    R[DRIFT] = 1.0
    R[STILL] = 0.0
    copy(R, RATES, ERRORS, NV)
    copy(R, MOMENTUM, P0, NV)
    copy(R, U_NEW, RATES, NV)
    R[EVALUATIONS] += 1.0


# -- start ---------------------------------------------------------------------------------------------------


def initialise(R: Record) -> int:
    """Compute everything from the parameters and start values in the record; return a status, fault in R[FAULT].

    Reads: head, loop_state, q. Writes: head, history, loop_state.
    """
    R[FRESH] = STALE
    R[STEP] = R[STEPS] = R[REJECTED] = R[EVALUATIONS] = R[JACOBIANS] = R[FAILED_STEP] = 0.0
    R[LAST_ERROR] = 1.0e-4
    if N_HISTORY > 0:
        R[HISTORY] = 0.0
    for k in range(N_COUNTERS):
        R[WORST + k] = 0.0
    R[REBASED] = R[MARKED] = R[TIME]
    R[ALPHA] = R[MOST_ALPHA]
    R[DRIFT] = 1.0
    starts(R)
    for k in range(N_QUATERNIONS):
        a = QUATERNIONS[k]
        if not R[a] * R[a] + R[a + 1] * R[a + 1] + R[a + 2] * R[a + 2] + R[a + 3] * R[a + 3] > 1.0e-12:
            R[FAULT] = k
            return NO_DIRECTION
    R[FAULT] = prepare(R) - 1
    if R[FAULT] >= 0.0:
        return FAILED_CHECK
    normalise(R)
    free_modes(R)
    status = start_closed(R)
    if status == OK and armed_at_start(R):
        status = start_closed(R)
    if status == OK:
        status = first_modes(R)
    if status == OK:
        start_drives(R)
        start_samples(R)
    return status


def start_closed(R: Record) -> int:
    """Close the loops, starting from the record's coordinates and joint velocities, and compute all rates.

    Return a status.

    Reads: head. Writes: drive_impulses, drive_means, head, locks, loop_state.
    """
    status = assemble(R)
    if status != OK:
        check = check_start(R) - 1
        if check >= 0:  # for example, a wheel that lies flat: it has no consistent velocities either
            R[FAULT] = check
            return FAILED_START_CHECK
        return status
    momenta(R)
    R[FAULT] = check_start(R) - 1
    if R[FAULT] >= 0.0:
        return FAILED_START_CHECK
    for k in range(N_LOCKS):
        R[LOCKS + 2 * k + 1] = 0.0
    status = start_elastic(R)
    if status == OK:
        status = check_gimbal_lock(R, 0.0)
    if status != OK:
        return status
    R[CHOICE] = NO_CHOICE
    R[FAULT] = lost_motion(R)
    if R[FAULT] >= 0.0:
        return NO_INERTIA
    choose_start_rows(R)
    forces(R)
    for k in range(N_DRIVES):
        R[DRIVE_IMPULSES + k] = R[DRIVE_MEANS + k] = 0.0
    return OK
