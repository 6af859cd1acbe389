"""Events, as text: zero crossings of the model's indicators, found after each accepted step.

An indicator is taken at both ends of a step, with error control also in the middle. Where its sign changes, the
crossing is located on the step's dense output, or on the cubic through states and rates at its ends. A zero from which
a run starts is no event, and one on which a step ends is one event. Looking changes no step.
"""

from __future__ import annotations

import numpy as np

from ..kernels.declarations import Record
from ..kernels.library import crosses
from ..kernels.linked import indicators, outputs
from ..kernels.names import (
    CLOCK,
    CROSSED,
    CROSSINGS,
    DONE,
    EVENT_DIRECTIONS,
    F0,
    FRESH,
    INDICATORS,
    N_EVENTS,
    NX,
    OF_EVENTS,
    OK,
    READY_STEPS,
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
from .crossings import METHOD_at, METHOD_locate
from .drivers import (
    METHOD_finish,
    METHOD_one,
    copy,
    equal_steps,
    evaluate,
    mark,
    normalise,
    output_time,
    record,
    refresh,
)
from .parts import METHOD_enter, METHOD_extra, METHOD_leave, has_switched, show_met, start_log


def look_at_events(R: Record) -> None:
    """Indicators at the present rates."""
    indicators(R)


def start_watch(R: Record) -> None:
    """Indicators at the start of a run; expects fresh rates.

    Reads: indicators. Writes: watch.
    """
    indicators(R)
    copy(R, INDICATORS, VALUES, N_EVENTS)
    R[CROSSED] = 0.0
    R[STOPPED] = np.inf
    R[WATCHED_STEPS] = 0.0


def stopped_at(R: Record) -> float:
    """The time at which an event of the last step ends the run; infinite where none does.

    Reads: watch.
    """
    return R[STOPPED]


def has_crossed(R: Record) -> bool:
    """Whether there were events in the last step.

    Reads: watch.
    """
    return R[CROSSED] > 0.0


def keep_fresh(R: Record) -> None:
    """Behind result rows inside a step, with state and rates put back: with these rows all has been evaluated anew.

    Writes: head.
    """
    R[FRESH] = 0.0


def METHOD_look(R: Record, U: Record, start: float, end: float, is_adaptive: bool) -> None:
    """Crossings in the step that has ended; the state and its rates are left as they were at the end.

    Reads: drive_impulses, drive_rests, head, indicators, p, p_dot, q, q_dot, watch, work, z, z_dot. Writes:
    drive_impulses, drive_rests, head, p, p_dot, q, q_dot, watch, work, z, z_dot.
    """
    copy(R, X0, WORK, NX)
    copy(R, F0, WORK + NX, NX)
    fresh = R[FRESH]
    R[TIME] = end
    normalise(R)
    evaluate(R, U)
    indicators(R)
    copy(R, INDICATORS, VALUES + 2 * N_EVENTS, N_EVENTS)
    show_met(R)
    if not is_adaptive:
        copy(R, F0, WORK + NX, NX)
        fresh = 0.0 if READY_STEPS > 0 else 3.0
    is_moved = METHOD_extra(R, U, start, end - start)
    if is_adaptive:
        is_moved = True
        METHOD_at(R, U, start, end, 0.5, OF_EVENTS)
        copy(R, INDICATORS, VALUES + N_EVENTS, N_EVENTS)
    R[CROSSED] = 0.0
    for i in range(N_EVENTS):
        for half in range(2):
            R[CROSSINGS + 2 * i + half] = np.nan
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
    R[FRESH] = 0.0 if is_moved else fresh


def METHOD_search(
    R: Record, U: Record, start: float, end: float, i: int, part: int, right: float, before: int, after: int
) -> None:
    """Note the crossing of event i between two places of a step where its values lie in the record, if there is one.

    part: 0 and 1 the halves of the step, 2 all of it; right: the part's end, as a fraction of the step.

    Reads: indicators, watch. Writes: watch.
    """
    if not crosses(R[before], R[after], EVENT_DIRECTIONS[i]):
        return
    left = 0.5 if part == 1 else 0.0
    theta = METHOD_locate(R, U, start, end, OF_EVENTS, INDICATORS + i, left, right, R[before], R[after])
    time = end if theta == 1.0 else on_row(U, start + theta * (end - start))
    R[CROSSINGS + 2 * i + (part & 1)] = time
    R[CROSSED] += 1.0
    if STOPS[i] > 0:
        R[STOPPED] = min(R[STOPPED], time)


def on_row(U: Record, time: float) -> float:
    """A crossing's time, or the output time that it can't be told from: it makes no second row.

    Reads: U.
    """
    row = output_time(U, int(max(0.0, (time - U[CLOCK]) / U[CLOCK + 1] + 0.5)))
    return row if abs(time - row) <= 4.5e-16 * max(abs(time), abs(row)) else time


def METHOD_part(R: Record, U: Record, time: float, h: float, end: float) -> int:
    """One step of METHOD from `time` to `end`; in models where nothing ends it before; a status."""
    return METHOD_one(R, U, time, h, end)


def METHOD_run_watched(R: Record, U: Record, Y: Record, row: int, step: float, budget: int) -> int:
    """METHOD with fixed steps through the output times, as `METHOD_run_fixed`; each is looked through for events.

    It returns after steps with crossings, and goes on from there when called again.

    Reads: U, head, watch. Writes: head, watch.
    """
    rows = int(U[CLOCK + 2])
    done = 0
    start_log(R)
    if row == 0:
        refresh(R, U)
        start_watch(R)
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
        if start < R[TIME]:  # something has happened in this step
            start = R[TIME]
            size = end - start
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
    """The row at the event that ends the run, in the step from `start` to `end`; the number of rows then.

    Reads: watch. Writes: head.
    """
    METHOD_at(R, U, start, end, (R[STOPPED] - start) / (end - start), OF_EVENTS)
    R[TIME] = R[STOPPED]
    outputs(R)
    record(R, Y, row)
    return row + 1
