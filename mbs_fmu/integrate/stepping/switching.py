"""Steps that end where something happens, as text: modes of closures end, events reset, signals are sampled.

A step is made as in any model (METHOD_smooth, METHOD_smooth_step), up to the next sample at most, and looked through:
where a mode ends or an event is met within, it is taken back and made again up to there, in the method's own order.
What is due there is done when the next step begins, or before by an importer that is told of it.
"""

from __future__ import annotations

import numpy as np

from ...kernels.declarations import Record
from ...kernels.hooks import (
    choose_rows,
    find_ties,
    jump,
    mode_values,
    next_stop,
    reach_end,
    reset_values,
    some_tick,
    tie_resets,
)
from ...kernels.linked import switches
from ...kernels.names import (
    AT_STEPS,
    BASE,
    BUDGET,
    DUE,
    END_LAST,
    END_MIDDLE,
    END_NOW,
    END_VALUES,
    ENDING,
    ENDING_BEFORE,
    F0,
    FRESH,
    HISTORY,
    N_ENDINGS,
    N_HISTORY,
    N_MODES,
    NON_FINITE,
    NX,
    OF_ENDS,
    OK,
    RATES_FRESH,
    READY_STEPS,
    ROLLBACK,
    ROWS_CHOSEN,
    SAME_END,
    STALE,
    STEP,
    TIME,
    WORK,
    X0,
)
from .adaptive import METHOD_try, arrive
from .clock import state_span
from .crossings import METHOD_at, METHOD_locate
from .drivers import (
    METHOD_finish,
    copy,
    equal_steps,
    evaluate,
    fail_from,
    mark,
    normalise,
    prepare_step,
    settle,
    take_back,
)
from .hooks import METHOD_enter, METHOD_extra, METHOD_leave, METHOD_smooth, METHOD_smooth_step


def METHOD_one(R: Record, U: Record, time: float, h: float, end: float) -> int:
    """One step of METHOD from `time` to `end`, of size h, in parts between which something happens; a status.

    Sizes of the parts add up to h, which the difference of rounded times need not be.

    Reads: head.
    """
    status = METHOD_part(R, U, time, h, end)
    while status == OK and R[TIME] < end:
        status = METHOD_part(R, U, R[TIME], h - (R[TIME] - time), end)
    return status


def METHOD_part(R: Record, U: Record, time: float, h: float, end: float) -> int:
    """One step of METHOD from `time` towards `end`, of size h, which ends where something happens; a status.

    Reads: head, x0. Writes: drive_impulses, head, p, q, z.
    """
    status = jump(R, U, h, False)
    if status != OK:
        return status
    stop = next_stop(R, end)
    size = h
    if stop < end:
        size = stop - time
        forget_steps(R)
    status = METHOD_smooth(R, U, time, size, stop)
    if status != OK or N_ENDINGS == 0 or R[AT_STEPS] != 0.0:
        return status
    at = METHOD_next_end(R, U, time, stop, False)
    if at > stop:
        return OK
    while at < stop and status == OK:
        copy(R, BASE, X0, NX)
        R[TIME] = time
        forget(R)
        stop = at
        if at > time:
            status = METHOD_smooth(R, U, time, at - time, at)
            if status == OK:
                at = METHOD_earlier_end(R, U, time, stop, False)
    fall_due(R, U, size)
    return status


def forget(R: Record) -> None:
    """Rates, and what is remembered of earlier steps, are no longer those of the state.

    Writes: head.
    """
    R[FRESH] = STALE
    forget_steps(R)


def forget_steps(R: Record) -> None:
    """Earlier steps are of another size than those that follow.

    Writes: history.
    """
    if N_HISTORY > 0:
        R[HISTORY] = 0.0


def fall_due(R: Record, U: Record, h: float) -> None:
    """What was found to end a step of size h is due.

    Reads: ending. Writes: due.
    """
    if find_ties(R, U, False):
        tie_resets(R, ENDING, h)
    reach_end(R, U)
    copy(R, ENDING, DUE, N_ENDINGS)
    forget(R)


def METHOD_next_end(R: Record, U: Record, start: float, end: float, is_adaptive: bool) -> float:
    """When the first mode ends, or event is met, in the step that was made, or infinity; ENDING says which.

    State and rates are left.

    Reads: drive_impulses, drive_rests, end_last, end_now, ending, head, p, p_dot, q, q_dot, work, z, z_dot. Writes:
    drive_impulses, drive_rests, end_last, end_middle, end_values, ending, head, p, p_dot, q, q_dot, work, z, z_dot.
    """
    if not is_adaptive:
        choose_rows(R, U, False)  # the next step needs no other evaluation, if nothing ends in this one
        R[FRESH] = ROWS_CHOSEN if READY_STEPS > 0 else RATES_FRESH
        look_at_ends(R)
        if not some_end(R):
            copy(R, END_NOW + N_MODES, END_VALUES + N_MODES, N_ENDINGS - N_MODES)
            return np.inf
    copy(R, X0, WORK, NX)
    copy(R, F0, WORK + NX, NX)
    fresh = R[FRESH]
    if is_adaptive:
        R[TIME] = end
        normalise(R)
        evaluate(R, U)
        look_at_ends(R)
    copy(R, END_NOW, END_LAST, N_ENDINGS)
    copy(R, END_LAST, END_MIDDLE, N_ENDINGS)
    if is_adaptive:
        METHOD_extra(R, U, start, end - start)
        METHOD_at(R, U, start, end, 0.5, OF_ENDS)
        copy(R, END_NOW, END_MIDDLE, N_ENDINGS)
        fresh = STALE
    first = np.inf
    for g in range(N_ENDINGS):
        R[ENDING + g] = METHOD_end_of(R, U, start, end, g, is_adaptive)
        first = min(first, R[ENDING + g])
    if first < np.inf:
        fresh = STALE
    for g in range(N_ENDINGS):
        same = SAME_END * (end - start) if g < N_MODES else 2.0e-15 * max(abs(start), abs(end))
        R[ENDING + g] = 1.0 if R[ENDING + g] <= first + same else 0.0
    if first == np.inf:  # else the step is made again
        copy(R, END_LAST + N_MODES, END_VALUES + N_MODES, N_ENDINGS - N_MODES)
    copy(R, WORK, X0, NX)
    copy(R, WORK + NX, F0, NX)
    R[TIME] = end
    R[FRESH] = fresh
    return first


def METHOD_earlier_end(R: Record, U: Record, start: float, end: float, is_adaptive: bool) -> float:
    """`METHOD_next_end` of a step that was made again up to `end`, because of ENDING: `end`, or what comes before.

    In the longer step two crossings may have lain between the places where it was looked at.

    Reads: ending, ending_before. Writes: ending, ending_before.
    """
    copy(R, ENDING, ENDING_BEFORE, N_ENDINGS)
    at = METHOD_next_end(R, U, start, end, is_adaptive)
    if at < end - SAME_END * (end - start):
        return at
    copy(R, ENDING_BEFORE, ENDING, N_ENDINGS)
    return end


def METHOD_end_of(R: Record, U: Record, start: float, end: float, g: int, is_adaptive: bool) -> float:
    """When number g, which is positive before it, becomes zero or less in the step that was made; infinite: it doesn't.

    Reads: end_last, end_middle, end_now, end_values.
    """
    before = R[END_VALUES + g]
    middle = R[END_MIDDLE + g]
    last = R[END_LAST + g]
    left = 0.0
    right = 1.0
    if is_adaptive and before > 0.0 and middle <= 0.0:
        right = 0.5
        last = middle
    elif is_adaptive and middle > 0.0:
        left = 0.5
        before = middle
    if not (before > 0.0 and last <= 0.0):
        return np.inf
    if not is_adaptive:
        METHOD_extra(R, U, start, end - start)
    theta = METHOD_locate(R, U, start, end, OF_ENDS, END_NOW + g, left, right, before, last)
    return end if theta == 1.0 else start + theta * (end - start)


def METHOD_step(R: Record, U: Record, stop: float, tolerance: float) -> int:
    """One accepted step of METHOD towards time `stop`, which ends where something happens; a status.

    Reads: head, x0. Writes: drive_impulses, head, p, q, z.
    """
    status = jump(R, U, R[STEP], True)
    if status != OK:
        return status
    start = R[TIME]
    status = METHOD_smooth_step(R, U, next_stop(R, stop), tolerance)
    if status != OK or N_ENDINGS == 0:
        return status
    end = R[TIME]
    at = METHOD_next_end(R, U, start, end, True)
    if at > end:
        return OK
    while at < end and status == OK:
        copy(R, BASE, X0, NX)
        R[TIME] = start
        end = at
        if at > start and METHOD_try(R, U, at - start, tolerance) < 0.0:
            return fail_from(R, U, 0, at - start, at - start, NON_FINITE)
        status = arrive(R, start, at, at, at - start)
        if at > start and status == OK:
            at = METHOD_earlier_end(R, U, start, end, True)
    fall_due(R, U, at - start)
    return status


def some_end(R: Record) -> bool:
    """Whether numbers that were positive before the step no longer are.

    Reads: end_now, end_values.
    """
    found = False
    for g in range(N_ENDINGS):
        found = found or (R[END_VALUES + g] > 0.0 and R[END_NOW + g] <= 0.0)
    return found


def look_at_ends(R: Record) -> None:
    """How far modes are from their ends and events with resets from their crossings, at the present rates."""
    mode_values(R)
    reset_values(R)


# -- calls of importers that are told of events --------------------------------------------------------------------


def METHOD_fixed_to_event(R: Record, U: Record, stop: float, step: float, budget: int, told: int) -> int:
    """METHOD_fixed, which ends where something is due that is to be `told`, see `ends_call`; the status is OK there.

    R[STEP] is the size of the step that begins where it ends, for `make_due`.

    Reads: drive_impulses, head, p, q, z. Writes: head, rollback.
    """
    mark(R)
    start = R[TIME]
    n = equal_steps(start, stop, step)
    h = state_span(R, stop - start) / n
    copy(R, X0, ROLLBACK, NX)
    METHOD_enter(R, U, stop, h)
    R[STEP] = h
    for k in range(n):
        if 0 < budget <= k:
            METHOD_leave(R, U, h)
            return BUDGET
        time = start + k * h
        end = stop if k == n - 1 else start + (k + 1) * h
        status = METHOD_part(R, U, time, h, end)
        while status == OK and R[TIME] < end and not ends_call(R, start, stop, told):
            status = METHOD_part(R, U, R[TIME], h - (R[TIME] - time), end)
        if status != OK:
            return take_back(R, start, status)
        if ends_call(R, start, stop, told):
            R[STEP] = h - (R[TIME] - time) if R[TIME] < end else h
            METHOD_leave(R, U, h)
            return OK
    return METHOD_finish(R, U, start, h)


def METHOD_adaptive_to_event(R: Record, U: Record, stop: float, tolerance: float, budget: int, told: int) -> int:
    """METHOD_adaptive, which ends where something is due that is to be `told`, see `ends_call`; the status is OK there.

    Reads: drive_impulses, head, p, q, z. Writes: rollback.
    """
    done = 0
    beginning = R[TIME]
    mark(R)
    switches(R)
    copy(R, X0, ROLLBACK, NX)
    while R[TIME] < stop:
        if 0 < budget <= done:
            return BUDGET
        status = METHOD_step(R, U, stop, tolerance)
        if status != OK:
            return take_back(R, beginning, status)
        if ends_call(R, beginning, stop, told):
            return OK
        done += 1
    return settle(R, U, beginning, R[STEP], True)


def ends_call(R: Record, start: float, stop: float, told: int) -> bool:
    """Whether a call ends here: something is due, and told is 2, or 1 and here is `stop`; never where it began.

    Reads: head.
    """
    here = R[TIME] > start if told > 1 else told > 0 and R[TIME] >= stop
    return here and is_due(R) > 0


def is_due(R: Record) -> int:
    """1 where something is to be done before the next step: a mode ends, an event is met, a clock ticks; else 0.

    Reads: due.
    """
    found = some_tick(R)
    for g in range(N_ENDINGS):
        found = found or R[DUE + g] != 0.0
    return 1 if found else 0


def make_due(R: Record, U: Record, controlled: int) -> int:
    """What is due, and what inputs have made so, as where a step of size R[STEP] begins; a status.

    Reads: head.
    """
    status = jump(R, U, R[STEP], controlled > 0)
    if status != OK:
        return status
    return prepare_step(R, U, R[STEP], controlled > 0)
