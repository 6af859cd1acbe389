"""Events: zero crossings of the model's indicators, detected after each accepted step.

An indicator is the expression of an event. The modules of models with events contain copies of these functions.

Indicators are evaluated at both ends of a step, with error control also in its middle. If the sign changes, the
crossing is located on the step's dense output or, without one, on the cubic through states and rates at its ends.

A zero counts as one event: when the indicator reaches it in the event's direction, or otherwise when it leaves it in
that direction. A zero at the start of a run does not count if the indicator leaves it at once. If mode changes, samples
or resets at the beginning of a step change the sign, the event is at that time. Detection never changes a step.
"""

from __future__ import annotations

import numpy as np

from ...kernels.declarations import Record
from ...kernels.hook_table import Condition, hook
from ...kernels.hooks import (
    apply_ties,
    find_ties_at_start,
    forget_ties,
    has_switched,
    resets_by,
    start_log,
    tie_watched,
    untie_watched,
)
from ...kernels.library import crosses
from ...kernels.linked import indicators, outputs
from ...kernels.names import (
    BEGAN,
    CLOCK,
    CROSSED,
    CROSSINGS,
    DONE,
    EVENT_DIRECTIONS,
    F0,
    FRESH,
    INDICATORS,
    JUMPED,
    MET,
    N_ENDINGS,
    N_EVENTS,
    NX,
    OF_EVENTS,
    OK,
    RATES_FRESH,
    READY_STEPS,
    SIDE,
    STALE,
    STOPPED,
    STOPS,
    TIME,
    VALUES,
    WATCHED_DONE,
    WATCHED_START,
    WATCHED_STEPS,
    WORK,
    X0,
)
from .between import METHOD_between, share_of
from .clock import nearness
from .crossings import METHOD_at, METHOD_locate
from .drivers import (
    METHOD_finish,
    METHOD_one,
    copy,
    equal_steps,
    evaluate,
    mark,
    output_time,
    record,
    refresh,
)
from .hooks import METHOD_enter, METHOD_extra, METHOD_leave


def look_at_events(R: Record) -> None:
    """Compute the indicators of events at the present rates."""
    indicators(R)
    apply_ties(R)


def start_watch(R: Record, U: Record) -> None:
    """Compute the indicators at the start of a run; expects and leaves fresh rates.

    A zero that an indicator leaves at once does not count as an event; a lasting zero counts when it is left.

    Reads: head, indicators, p, q, watch, work, z. Writes: head, p, q, watch, work, z.
    """
    indicators(R)
    copy(R, INDICATORS, VALUES, N_EVENTS)
    R[CROSSED] = R[JUMPED] = 0.0
    R[STOPPED] = np.inf
    R[WATCHED_STEPS] = 0.0
    begins = False
    for i in range(N_EVENTS):
        R[MET + i] = 0.0
        begins = begins or R[VALUES + i] == 0.0
    if begins:
        time = R[TIME]
        fresh = R[FRESH]
        copy(R, X0, WORK, NX)
        move_along(R, U, 1.0e-6, 4)
        indicators(R)
        for i in range(N_EVENTS):
            if R[VALUES + i] == 0.0 and R[INDICATORS + i] != 0.0:
                R[VALUES + i] = np.nan
        copy(R, WORK, X0, NX)
        R[TIME] = time
        evaluate(R, U)
        R[FRESH] = fresh
    fresh = R[FRESH]
    forget_ties(R)
    if find_ties_at_start(R, U):
        tie_watched(R, VALUES)
        R[FRESH] = fresh


def move_along(R: Record, U: Record, size: float, steps: int) -> None:
    """Advance the state over a short time by Euler steps; with several steps, coordinates at rest move too.

    Expects and leaves fresh rates.

    Reads: drive_impulses, drive_rests, head, p, p_dot, q, q_dot, z, z_dot. Writes: drive_impulses, head, p, q, z.
    """
    h = size / steps
    for _ in range(steps):
        for k in range(NX):
            R[X0 + k] += h * R[F0 + k]
        R[TIME] += h
        evaluate(R, U)


def note_break(R: Record) -> None:
    """Note that modes or values change at this instant, where the next step begins.

    Writes: watch.
    """
    R[JUMPED] = 1.0


def stopped_at(R: Record) -> float:
    """Return the time at which an event of the last step ends the run; infinity if none does.

    Reads: watch.
    """
    return R[STOPPED]


def has_crossed(R: Record) -> bool:
    """True if the last step contained events.

    Reads: watch.
    """
    return R[CROSSED] > 0.0


def keep_fresh(R: Record) -> None:
    """Mark everything as stale after result rows inside a step, because their evaluations have overwritten it.

    Writes: head.
    """
    R[FRESH] = STALE


def METHOD_look(R: Record, U: Record, start: float, end: float, is_adaptive: bool) -> None:
    """Locate the events in the step that has just ended; the state and rates at its end stay unchanged.

    Reads: drive_impulses, drive_rests, head, indicators, p, p_dot, q, q_dot, watch, work, z, z_dot. Writes:
    drive_impulses, drive_rests, head, p, p_dot, q, q_dot, watch, work, z, z_dot.
    """
    if end == start:  # a step of length zero: the next one is searched
        begin_look(R, start)
        jumped = R[JUMPED]
        copy(R, VALUES, INDICATORS, N_EVENTS)
        tie_watched(R, INDICATORS)
        look_at_jump(R)
        R[JUMPED] = jumped
        return
    copy(R, X0, WORK, NX)
    copy(R, F0, WORK + NX, NX)
    fresh = R[FRESH]
    R[TIME] = end
    if is_adaptive or N_ENDINGS > 0 or fresh != RATES_FRESH:  # otherwise a trial has done it
        evaluate(R, U)
    look_at_events(R)
    copy(R, INDICATORS, VALUES + 2 * N_EVENTS, N_EVENTS)
    if not is_adaptive:
        copy(R, F0, WORK + NX, NX)
        fresh = STALE if READY_STEPS > 0 else RATES_FRESH
    is_moved = METHOD_extra(R, U, start, end - start)
    begin_look(R, start)
    if R[JUMPED] > 0.0:
        is_moved = True
        METHOD_at(R, U, start, end, 0.0, OF_EVENTS)
        look_at_jump(R)
    if is_adaptive:
        is_moved = True
        METHOD_at(R, U, start, end, 0.5, OF_EVENTS)
        copy(R, INDICATORS, VALUES + N_EVENTS, N_EVENTS)
    tie_watched(R, VALUES + 2 * N_EVENTS)
    for i in range(N_EVENTS):
        if resets_by(i):
            continue  # note_resets counts it
        if is_adaptive:
            METHOD_search(R, U, start, end, i, 0, 0.5, VALUES + i, VALUES + N_EVENTS + i)
            METHOD_search(R, U, start, end, i, 1, 1.0, VALUES + N_EVENTS + i, VALUES + 2 * N_EVENTS + i)
        else:
            METHOD_search(R, U, start, end, i, 2, 1.0, VALUES + i, VALUES + 2 * N_EVENTS + i)
    copy(R, VALUES + 2 * N_EVENTS, VALUES, N_EVENTS)
    is_moved = is_moved or R[CROSSED] > 0.0
    copy(R, WORK, X0, NX)
    copy(R, WORK + NX, F0, NX)
    R[TIME] = end
    untie_watched(R)
    R[FRESH] = STALE if is_moved else fresh


def begin_look(R: Record, start: float) -> None:
    """Clear the events of a step that began at this time, except those with resets at its beginning.

    Reads: watch. Writes: watch.
    """
    R[BEGAN] = start
    R[CROSSED] = 0.0
    for i in range(N_EVENTS):
        for half in range(2):
            R[CROSSINGS + 2 * i + half] = np.nan
        if not resets_by(i):
            R[MET + i] = 0.0
        R[CROSSED] += R[MET + i]


def look_at_jump(R: Record) -> None:
    """Detect events without resets that a change at the beginning of the step triggers.

    Expects the indicators after the change.

    Reads: indicators, watch. Writes: watch.
    """
    R[JUMPED] = 0.0
    for i in range(N_EVENTS):
        met = crosses(R[VALUES + i], R[INDICATORS + i], EVENT_DIRECTIONS[i])
        if met and not resets_by(i):
            R[MET + i] = 1.0
            R[CROSSED] += 1.0
            if STOPS[i] > 0:
                R[STOPPED] = min(R[STOPPED], R[BEGAN])
        R[VALUES + i] = counted(R[VALUES + i], R[INDICATORS + i], met)


def counted(before: float, after: float, met: bool) -> float:
    """Return the value to store for an indicator: NaN while it stays at a zero that was counted, else its value."""
    return np.nan if after == 0.0 and (met or before != before) else after  # type: ignore[no-any-return]


def METHOD_search(
    R: Record, U: Record, start: float, end: float, i: int, part: int, right: float, before: int, after: int
) -> None:
    """Record the crossing of event i in a part of a step, if there is one.

    `part` is 0 or 1 for a half of the step, 2 for all of it; `right` is the end of the part, as a fraction of the step;
    `before` and `after` are the addresses of the indicator's values at both ends of the part.

    Reads: indicators, watch. Writes: watch.
    """
    g_left = R[before]
    g_right = R[after]
    met = crosses(g_left, g_right, EVENT_DIRECTIONS[i])
    R[after] = counted(g_left, g_right, met)
    if not met:
        return
    left = 0.5 if part == 1 else 0.0
    theta = METHOD_locate(R, U, start, end, OF_EVENTS, INDICATORS + i, left, right, g_left, g_right)
    time = end if theta == 1.0 else on_row(U, start + theta * (end - start))
    R[CROSSINGS + 2 * i + (part & 1)] = time
    R[CROSSED] += 1.0
    if STOPS[i] > 0:
        R[STOPPED] = min(R[STOPPED], time)


def on_row(U: Record, time: float) -> float:
    """Return the time of a crossing, or an output time that differs by rounding only, so that there is one row.

    Reads: U.
    """
    row = output_time(U, int(max(0.0, (time - U[CLOCK]) / U[CLOCK + 1] + 0.5)))
    return row if abs(time - row) <= 4.5e-16 * max(abs(time), abs(row)) else time


@hook(Condition.SWITCHING, "mbs_fmu.integrate.stepping.switching")
@hook(Condition.STOPS, "mbs_fmu.integrate.stepping.trials", "METHOD_trial")
def METHOD_part(R: Record, U: Record, time: float, h: float, end: float) -> int:
    """Make one step of METHOD from `time` to `end`, in models whose steps do not end early; return a status."""
    return METHOD_one(R, U, time, h, end)


def METHOD_run_watched(R: Record, U: Record, Y: Record, row: int, step: float, budget: int) -> int:
    """Make fixed steps of METHOD through the output times, as `METHOD_run_fixed` does, and locate events in each.

    It returns after steps with events; the next call continues there.

    Reads: U, head, watch. Writes: head, watch.
    """
    rows = int(U[CLOCK + 2])
    done = 0
    start_log(R)
    if row == 0:
        R[SIDE] = nearness(R[TIME], step)
        refresh(R, U)
        start_watch(R, U)
        record(R, Y, 0)
        row = 1
    while row < rows:
        if 0 < budget <= done:
            return row
        stop = output_time(U, row)
        if R[WATCHED_STEPS] == 0.0:
            refresh(R, U)
            R[WATCHED_START] = R[TIME]
            mark(R)
            R[WATCHED_STEPS] = equal_steps(R[TIME], stop, step)
            R[WATCHED_DONE] = 0.0
        n = R[WATCHED_STEPS]
        h = (stop - R[WATCHED_START]) / n
        METHOD_enter(R, U, stop, h)
        start = R[WATCHED_START] + R[WATCHED_DONE] * h
        end = stop if R[WATCHED_DONE] + 1.0 == n else R[WATCHED_START] + (R[WATCHED_DONE] + 1.0) * h
        size = h
        if start < R[TIME]:  # an earlier call has made a part of this step
            size = h - (R[TIME] - start)
            start = R[TIME]
        status = METHOD_part(R, U, start, size, end)
        if status == OK:
            R[WATCHED_DONE] += 1.0 if R[TIME] == end else 0.0
            end = R[TIME]
            METHOD_look(R, U, start, end, False)
            METHOD_leave(R, U, h)
            if R[STOPPED] <= end:
                return METHOD_last_row(R, U, Y, row, start, end)
            if end == stop:
                status = METHOD_finish(R, U, start, h)
        if status != OK:
            R[DONE] = row
            return -1 - status
        done += 1
        if end == stop:
            record(R, Y, row)
            R[WATCHED_STEPS] = 0.0
            row += 1
        if R[CROSSED] > 0.0 or has_switched(R):
            return row
    return row


def METHOD_last_row(R: Record, U: Record, Y: Record, row: int, start: float, end: float) -> int:
    """Write the row at the event that ends the run, in the step from `start` to `end`; return the number of rows.

    Reads: watch.
    """
    METHOD_between(R, U, R[STOPPED], share_of(start, end, R[STOPPED]), end - start)
    outputs(R)
    record(R, Y, row)
    return row + 1
