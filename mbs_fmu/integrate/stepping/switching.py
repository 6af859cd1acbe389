"""Steps that end early: at ends of constraint modes, at events with resets, and at samples.

The modules of models with any of these contain copies of these functions. A step is made as in any other model
(METHOD_smooth, METHOD_smooth_step), up to the next sample at most. Then the step is searched for mode ends and events
with resets. If there is one, the step is repeated up to its time, so that the method keeps its order. The changes that
are due are made at the beginning of the next step, or earlier by an importer to which they are reported.
"""

from __future__ import annotations

import numpy as np

from ...kernels.declarations import Record
from ...kernels.hooks import (
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
    BARELY,
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
    MOST_PARTS,
    MOST_REPEATED,
    N_CLOCKS,
    N_ENDINGS,
    N_MODES,
    N_RESETS,
    NON_FINITE,
    NX,
    OF_ENDS,
    OK,
    ROLLBACK,
    SAME_END,
    STALE,
    STEP,
    STEPS,
    TIME,
    WORK,
    X0,
)
from .adaptive import METHOD_try, arrive, leads_beyond
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
from .hooks import (
    METHOD_again,
    METHOD_enter,
    METHOD_extra,
    METHOD_leave,
    METHOD_ready,
    METHOD_smooth,
    METHOD_smooth_step,
)
from .trials import METHOD_trial, forget, forget_steps, look_at_last, some_end


def METHOD_one(R: Record, U: Record, time: float, h: float, end: float) -> int:
    """Make one step of METHOD from `time` to `end`, of size h, in several parts if it ends early; return a status.

    The sizes of the parts add up to h, which may differ from the difference of the times by rounding. After MOST_PARTS
    parts the status is BUDGET, and the next call with the same step continues it.

    Reads: head.
    """
    if N_CLOCKS == 0 and R[AT_STEPS] != 0.0:  # nothing ends a step early
        return METHOD_part(R, U, time, h, end)
    return METHOD_parts(R, U, time, h, end, time, end, 0)


def METHOD_parts(
    R: Record, U: Record, time: float, h: float, end: float, start: float, stop: float, reported: int
) -> int:  # fmt: skip
    """Make parts of a step from `time` to `end`, of size h, or those behind the present time; return a status.

    Ends early, with status OK, when changes are due that a call from `start` to `stop` reports (`ends_call`), and with
    BUDGET after MOST_PARTS parts.

    Reads: head.
    """
    for _ in range(MOST_PARTS):
        status = METHOD_part(R, U, R[TIME], h - (R[TIME] - time), end)
        if status != OK or R[TIME] >= end or ends_call(R, start, stop, reported):
            return status
    return BUDGET


def METHOD_part(R: Record, U: Record, time: float, h: float, end: float) -> int:
    """Make one step of METHOD from `time` towards `end`, of size h, which may end early; return a status.

    Reads: head, x0. Writes: drive_impulses, head, p, q, z.
    """
    status = METHOD_ready(R, U, h) if N_RESETS > 0 else OK
    if status == OK:
        status = jump(R, U, h, False)
    if status != OK:
        return status
    stop = next_stop(R, end)
    size = h
    if stop < end:
        size = stop - time
        forget_steps(R)
    status = METHOD_trial(R, U, time, size, stop)
    if status != OK or N_ENDINGS == 0 or R[AT_STEPS] != 0.0:
        return status
    if R[TIME] < stop:
        stop = R[TIME]
        size = stop - time
    at = METHOD_next_end(R, U, time, stop, False)
    if at > stop:
        return OK
    for _ in range(MOST_REPEATED):
        if at >= stop or status != OK:
            break
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


def fall_due(R: Record, U: Record, h: float) -> None:
    """Mark as due the mode ends and events that end a step of size h.

    Reads: ending. Writes: due.
    """
    if find_ties(R, U, False):
        tie_resets(R, ENDING, h)
    reach_end(R, U)
    copy(R, ENDING, DUE, N_ENDINGS)
    forget(R)


def METHOD_next_end(R: Record, U: Record, start: float, end: float, is_adaptive: bool) -> float:
    """Return the time of the first mode end or event with resets in the last step, or infinity; ENDING marks them.

    State and rates stay unchanged.

    Reads: drive_impulses, drive_rests, end_last, end_now, ending, head, p, p_dot, q, q_dot, work, z, z_dot. Writes:
    drive_impulses, drive_rests, end_last, end_middle, end_values, ending, head, p, p_dot, q, q_dot, work, z, z_dot.
    """
    if not is_adaptive:
        if R[FRESH] == STALE:  # otherwise a trial has done it
            look_at_last(R, U)
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
    if first == np.inf:  # otherwise the step is repeated
        copy(R, END_LAST + N_MODES, END_VALUES + N_MODES, N_ENDINGS - N_MODES)
    copy(R, WORK, X0, NX)
    copy(R, WORK + NX, F0, NX)
    R[TIME] = end
    R[FRESH] = fresh
    return first


def METHOD_earlier_end(R: Record, U: Record, start: float, end: float, is_adaptive: bool) -> float:
    """Return the first end in a step that was repeated up to `end`: `end` itself, or an earlier time.

    ENDING marks the cause of the repetition. An earlier end is possible: in the longer step, two crossings may have
    been between the times at which the quantities were evaluated. A step is repeated MOST_REPEATED times at most: with
    numbers so large that each repetition ends earlier by little more than rounding, the last one counts.

    Reads: ending, ending_before. Writes: ending, ending_before.
    """
    copy(R, ENDING, ENDING_BEFORE, N_ENDINGS)
    at = METHOD_next_end(R, U, start, end, is_adaptive)
    if at < end - SAME_END * (end - start):
        return at
    copy(R, ENDING_BEFORE, ENDING, N_ENDINGS)
    return end


def METHOD_end_of(R: Record, U: Record, start: float, end: float, g: int, is_adaptive: bool) -> float:
    """Return the time in the last step at which quantity g, positive before, becomes zero or less; else infinity.

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
    if left == 0.0 and g < N_MODES and before < BARELY * abs(last):
        left = METHOD_departure(R, U, start, end, g, right)
        before = before if left == 0.0 else R[END_NOW + g]
    theta = METHOD_locate(R, U, start, end, OF_ENDS, END_NOW + g, left, right, before, last)
    return end if theta == 1.0 else start + theta * (end - start)


def METHOD_departure(R: Record, U: Record, start: float, end: float, g: int, right: float) -> float:
    """Return a fraction of the step, before `right`, at which mode quantity g is positive; zero without one.

    A contact that rebounds at the start of the step is there at its surface up to rounding, which must not look like
    the impact that ends its flight.

    Reads: end_now.
    """
    theta = right
    for _ in range(50):
        theta = 0.5 * theta
        METHOD_at(R, U, start, end, theta, OF_ENDS)
        if R[END_NOW + g] > 0.0:
            return theta
    return 0.0


def METHOD_step(R: Record, U: Record, stop: float, tolerance: float) -> int:
    """Make one accepted step of METHOD towards time `stop`, which may end early; return a status.

    Reads: head, x0. Writes: drive_impulses, head, p, q, z.
    """
    status = jump(R, U, R[STEP], True)
    if status != OK:
        return status
    start = R[TIME]
    status = METHOD_smooth_step(R, U, next_stop(R, stop), tolerance)
    if N_ENDINGS == 0 or not (status == OK or leads_beyond(R, start, status)):
        return status
    end = R[TIME]
    at = METHOD_next_end(R, U, start, end, True)
    if at > end or (at == end and status != OK):
        return status
    status = OK
    for _ in range(MOST_REPEATED):
        if at >= end or status != OK:
            break
        copy(R, BASE, X0, NX)
        R[TIME] = start
        end = at
        if at > start:
            METHOD_again(R, U)
        if at > start and METHOD_try(R, U, at - start, tolerance) < 0.0:
            return fail_from(R, U, 0, at - start, at - start, NON_FINITE)
        status = arrive(R, start, at, at, at - start)
        if at > start and status == OK:
            at = METHOD_earlier_end(R, U, start, end, True)
    fall_due(R, U, at - start)
    return status


def look_at_ends(R: Record) -> None:
    """Compute distances of modes from their ends and of events with resets from crossings; expects fresh rates."""
    mode_values(R)
    reset_values(R)


# -- calls of importers to which events are reported ---------------------------------------------------------------


def METHOD_fixed_to_event(R: Record, U: Record, stop: float, step: float, budget: int, reported: int) -> int:
    """The same as METHOD_fixed, but also ends, with status OK, when changes to be reported are due (`ends_call`).

    R[STEP] is then the size of the next step, for `make_due`.

    Reads: drive_impulses, head, p, q, z. Writes: head, rollback.
    """
    mark(R)
    start = R[TIME]
    n = equal_steps(start, stop, step)
    h = state_span(R, stop - start) / n
    copy(R, X0, ROLLBACK, NX)
    METHOD_enter(R, U, stop, h)
    R[STEP] = h
    begun = R[STEPS]
    k = 0
    while k < n:
        if 0 < budget <= R[STEPS] - begun:
            METHOD_leave(R, U, h)
            return BUDGET
        time = start + k * h
        end = stop if k == n - 1 else start + (k + 1) * h
        status = METHOD_parts(R, U, time, h, end, start, stop, reported)
        if status == BUDGET:
            continue
        if status != OK:
            return take_back(R, start, status)
        if ends_call(R, start, stop, reported):
            R[STEP] = h - (R[TIME] - time) if R[TIME] < end else h
            METHOD_leave(R, U, h)
            return OK
        k += 1
    return METHOD_finish(R, U, start, h)


def METHOD_adaptive_to_event(R: Record, U: Record, stop: float, tolerance: float, budget: int, reported: int) -> int:
    """The same as METHOD_adaptive, but also ends, with status OK, when changes to be reported are due (`ends_call`).

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
        if ends_call(R, beginning, stop, reported):
            return OK
        done += 1
    return settle(R, U, beginning, R[STEP], True)


def ends_call(R: Record, start: float, stop: float, reported: int) -> bool:
    """True if a call ends at the present time because changes are due.

    `reported` is 2 if it may end at any time after `start`, 1 for `stop` only, 0 for never.

    Reads: head.
    """
    may_end = R[TIME] > start if reported > 1 else reported > 0 and R[TIME] >= stop
    return may_end and is_due(R) > 0


def is_due(R: Record) -> int:
    """Return 1 if a mode end, an event with resets or a sample is due before the next step, else 0.

    Reads: due.
    """
    any_due = some_tick(R)
    for g in range(N_ENDINGS):
        any_due = any_due or R[DUE + g] != 0.0
    return 1 if any_due else 0


def make_due(R: Record, U: Record, controlled: int) -> int:
    """Make the changes that are due, as at the beginning of a step of size R[STEP]; return a status.

    New inputs may have made further changes due.

    Reads: head.
    """
    status = jump(R, U, R[STEP], controlled > 0)
    if status != OK:
        return status
    return prepare_step(R, U, R[STEP], controlled > 0)
