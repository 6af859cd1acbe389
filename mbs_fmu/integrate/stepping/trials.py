"""Trial steps that fail although something ends the step, or the run, before the failure.

The modules of models with constraint modes, sampled signals, resets, or events that end runs contain copies of these
functions. A law may be undefined beyond the stop, limit or reset that keeps the motion from there. A fixed step that
fails, or whose end is not finite, is then made in parts. Their sizes are halved until they succeed, and each part is
searched as a step is. If nothing acts before the end of the step, it fails as the whole step did.
"""

from __future__ import annotations

from ...kernels.declarations import Record
from ...kernels.hooks import choose_rows, look_at_ends, look_at_events
from ...kernels.library import crosses
from ...kernels.names import (
    AT_STEPS,
    BASE,
    END_NOW,
    END_VALUES,
    EVENT_DIRECTIONS,
    F0,
    FAILED_START_CHECK,
    FAILED_STEP,
    FAULT,
    FAULT_TIME,
    FRESH,
    HISTORY,
    INDICATORS,
    LEAST_PART,
    MOST_TRIED,
    N_ENDINGS,
    N_EVENTS,
    N_HISTORY,
    NON_FINITE,
    NOT_CONVERGED,
    NX,
    OK,
    RATES_FRESH,
    READY_STEPS,
    ROWS_CHOSEN,
    STALE,
    STOPS,
    TIME,
    TRIED_AT,
    TRIED_FAULT,
    TRIED_PARTS,
    TRIED_SIZE,
    TRIED_STATUS,
    TRIED_STEP,
    TRIED_TIME,
    VALUES,
    WATCHED_STEPS,
    X0,
)
from .drivers import copy, evaluate, fail, finite
from .hooks import METHOD_smooth


def METHOD_trial(R: Record, U: Record, time: float, h: float, end: float) -> int:
    """Make one step of METHOD from `time` to `end`, of size h, or a part of it if the whole fails; return a status.

    With status OK, the step or part ends at the present time. Expects monitored quantities of the beginning.

    Reads: failed_trial, head, x0. Writes: drive_impulses, failed_trial, head, p, q, z.
    """
    if R[AT_STEPS] != 0.0 or not may_act(R):
        return METHOD_smooth(R, U, time, h, end)
    size = first_size(R, time, h)
    status = METHOD_smooth(R, U, time, size, end if size == h else time + size)
    while not stands(R, U, status):
        if size == h and R[TRIED_SIZE] == 0.0:
            note_failure(R, status)
        size *= 0.5
        is_last = size <= LEAST_PART * h or time + size <= time
        if is_last and R[TRIED_STATUS] != OK:
            return earlier_failure(R)
        copy(R, BASE, X0, NX)
        R[TIME] = time
        forget(R)
        if is_last:
            return without_parts(R, U, METHOD_smooth(R, U, time, h, end), h)
        status = METHOD_smooth(R, U, time, size, time + size)
    return concluded(R, status, size, h)


def first_size(R: Record, time: float, h: float) -> float:
    """Return the size of the first trial from `time`: h, or twice the last part if the step has failed as a whole.

    Reads: failed_trial. Writes: failed_trial.
    """
    if R[TRIED_SIZE] == 0.0 or R[TRIED_AT] != time:
        R[TRIED_SIZE] = R[TRIED_STATUS] = R[TRIED_PARTS] = 0.0
        return h
    forget_steps(R)
    size = 2.0 * R[TRIED_SIZE]
    return size if size < 0.75 * h else h  # type: ignore[no-any-return]


def may_act(R: Record) -> bool:
    """True if modes or resets may end a step, or watched events the run."""
    return N_ENDINGS > 0 or is_watched(R)


def is_watched(R: Record) -> bool:
    """True if this is a run with fixed steps that an event may end.

    Reads: watch.
    """
    stopping = 0
    for i in range(N_EVENTS):
        stopping += STOPS[i]
    return stopping > 0 and R[WATCHED_STEPS] > 0.0


def stands(R: Record, U: Record, status: int) -> bool:
    """True unless a trial that ended with this status must be repeated with a smaller size.

    After a success, evaluates what is monitored at the end; rates and monitored quantities must be finite there.

    Writes: head.
    """
    if status != OK:
        is_beyond = status == NON_FINITE
        is_beyond = is_beyond or status == NOT_CONVERGED
        return not (is_beyond or status == FAILED_START_CHECK)
    if N_ENDINGS > 0:
        look_at_last(R, U)
    else:
        evaluate(R, U)
        R[FRESH] = STALE if READY_STEPS > 0 else RATES_FRESH
    if is_watched(R):
        look_at_events(R)
    return finite(R, F0, NX) < 0 and not is_lost_from_sight(R)


def look_at_last(R: Record, U: Record) -> None:
    """Compute rates, and the distances of modes and resets, at the end of a step.

    Writes: head.
    """
    choose_rows(R, U, False)  # also serves the next step if this one does not end early
    R[FRESH] = ROWS_CHOSEN if READY_STEPS > 0 else RATES_FRESH
    look_at_ends(R)


def is_lost_from_sight(R: Record) -> bool:
    """True if a monitored quantity that acts was a number at the beginning of the step and is none now.

    Reads: end_now, end_values, indicators, watch.
    """
    lost = False
    for g in range(N_ENDINGS):
        lost = lost or (R[END_NOW + g] != R[END_NOW + g] and R[END_VALUES + g] == R[END_VALUES + g])
    if is_watched(R):
        for i in range(N_EVENTS):
            is_none = R[INDICATORS + i] != R[INDICATORS + i]
            lost = lost or (STOPS[i] > 0 and is_none and R[VALUES + i] == R[VALUES + i])
    return lost


def acts(R: Record) -> bool:
    """True if something ends the step or the run before the present time; expects monitored quantities.

    Reads: indicators, watch.
    """
    some = some_end(R)
    if is_watched(R):
        for i in range(N_EVENTS):
            some = some or (STOPS[i] > 0 and crosses(R[VALUES + i], R[INDICATORS + i], EVENT_DIRECTIONS[i]))
    return some


def some_end(R: Record) -> bool:
    """True if a quantity that was positive before the step is zero or less now.

    Reads: end_now, end_values.
    """
    any_end = False
    for g in range(N_ENDINGS):
        any_end = any_end or (R[END_VALUES + g] > 0.0 and R[END_NOW + g] <= 0.0)
    return any_end


def note_failure(R: Record, status: int) -> None:
    """Store how a whole step has ended, for `earlier_failure`.

    Reads: head. Writes: failed_trial.
    """
    R[TRIED_STATUS] = status
    R[TRIED_FAULT] = R[FAULT]
    R[TRIED_TIME] = R[FAULT_TIME]
    R[TRIED_STEP] = R[FAILED_STEP]


def earlier_failure(R: Record) -> int:
    """Return the status of the whole step, which counts because nothing has acted before its end.

    Reads: failed_trial. Writes: failed_trial, head.
    """
    fail(R, int(R[TRIED_FAULT]), R[TRIED_STEP], NON_FINITE)
    R[FAULT_TIME] = R[TRIED_TIME]
    R[TRIED_SIZE] = 0.0
    return int(R[TRIED_STATUS])


def without_parts(R: Record, U: Record, status: int, h: float) -> int:
    """Conclude a whole step whose end is not finite, after no part of it was; return a status.

    Without finite rates, nothing can be located in it.

    Reads: head. Writes: failed_trial.
    """
    R[TRIED_SIZE] = 0.0
    if status != OK or stands(R, U, status) or not acts(R):
        return status
    fault = finite(R, F0, NX)
    return fail(R, fault, h, NON_FINITE) if fault >= 0 else OK


def concluded(R: Record, status: int, size: float, h: float) -> int:
    """Conclude a step of size h after a trial of `size` that need not be repeated; return a status.

    Reads: failed_trial, head. Writes: failed_trial.
    """
    if size == h and R[TRIED_SIZE] == 0.0:
        return status
    goes_on = status == OK and not acts(R)
    if goes_on and size < h and R[TRIED_PARTS] < MOST_TRIED:
        R[TRIED_PARTS] += 1.0
        R[TRIED_SIZE] = size
        R[TRIED_AT] = R[TIME]
        return OK
    if goes_on and R[TRIED_STATUS] != OK:
        return earlier_failure(R)
    R[TRIED_SIZE] = 0.0
    return status


def forget(R: Record) -> None:
    """Mark the rates as stale and discard the history, because the state has changed.

    Writes: head.
    """
    R[FRESH] = STALE
    forget_steps(R)


def forget_steps(R: Record) -> None:
    """Discard the history, because the step size changes.

    Writes: history.
    """
    if N_HISTORY > 0:
        R[HISTORY] = 0.0
