"""Events: zero crossings of the model's indicators, detected after each accepted step.

An indicator is the expression of an event. The modules of models with events contain copies of these functions.

Indicators are evaluated at both ends of a step, with error control also in its middle. If the sign changes, the
crossing is located on the step's dense output or, without one, on the cubic through states and rates at its ends.

An indicator may stay at zero for a time. This is one event: when the indicator reaches zero, if it does so in the
event's direction; otherwise when it leaves zero in the event's direction. A zero at the start of a run does not count
if the indicator leaves it at once. If mode changes, samples or resets at the beginning of a step change the sign, the
event is at that time. The search for events without resets never changes a step; events with resets end steps early
(switching.py).
"""

from __future__ import annotations

import numpy as np

from ...kernels.constants import OF_EVENTS, OK, RATES_FRESH, READY_STEPS, STALE
from ...kernels.hook_table import Condition, hook
from ...kernels.hooks import (
    bind_watched,
    correct_bound_indicators,
    find_coincident_at_start,
    has_switched,
    resets_by,
    start_log,
    unbind_all,
    unbind_watched,
)
from ...kernels.library import crosses
from ...kernels.linked import indicators, outputs
from ...record.fields import Numbers, Vector
from ...record.schema import EVENT_DIRECTIONS, N_ENDINGS, N_EVENTS, NX, STOPS, Inputs, Record
from .between import METHOD_between, share_of
from .clock import nearness
from .crossings import METHOD_at, METHOD_locate
from .drivers import (
    METHOD_finish,
    METHOD_step_to,
    equal_steps,
    evaluate,
    output_time,
    record,
    refresh,
    start_means,
)
from .hooks import METHOD_dense_stages, METHOD_enter, METHOD_leave


def evaluate_indicators(R: Record) -> None:
    """Compute the indicators of events at the present rates."""
    indicators(R)
    correct_bound_indicators(R)


def start_watch(R: Record, U: Inputs) -> None:
    """Compute the indicators at the start of a run; expects and leaves fresh rates.

    A zero that an indicator leaves at once does not count as an event; a lasting zero counts when it is left.
    """
    indicators(R)
    R.event_values[0] = R.indicators
    R.event_search.crossed = R.event_search.jumped = 0.0
    R.event_search.stopped = np.inf
    R.event_search.steps = 0.0
    begins = False
    for i in range(N_EVENTS):
        R.met[i] = 0.0
        begins = begins or R.event_values[0, i] == 0.0
    if begins:
        time = R.time
        fresh = R.fresh
        R.work[0] = R.x
        move_along(R, U, 1.0e-6, 4)
        indicators(R)
        for i in range(N_EVENTS):
            if R.event_values[0, i] == 0.0 and R.indicators[i] != 0.0:
                R.event_values[0, i] = np.nan
        R.x[:] = R.work[0]
        R.time = time
        evaluate(R, U)
        R.fresh = fresh
    fresh = R.fresh
    unbind_all(R)
    if find_coincident_at_start(R, U):
        bind_watched(R, R.event_values[0])
        R.fresh = fresh


def move_along(R: Record, U: Inputs, size: float, steps: int) -> None:
    """Advance the state over a short time `size` by equal Euler steps; with several, coordinates at rest move too.

    Expects and leaves fresh rates.
    """
    h = size / steps
    for _ in range(steps):
        for k in range(NX):
            R.x[k] += h * R.x_dot[k]
        R.time += h
        evaluate(R, U)


def note_break(R: Record) -> None:
    """Note that modes or values change at the present time, where the next step begins."""
    R.event_search.jumped = 1.0


def stopped_at(R: Record) -> float:
    """Return the time at which an event of the last step ends the run; infinity if none does."""
    return R.event_search.stopped


def has_crossed(R: Record) -> bool:
    """True if the last step contained events."""
    return R.event_search.crossed > 0.0


def mark_overwritten(R: Record) -> None:
    """Mark everything as stale after result rows inside a step, because the rows' evaluations have overwritten it.

    This replaces the default in kernels/hooks.py, which keeps the derivatives.
    """
    R.fresh = STALE


def METHOD_locate_events(R: Record, U: Inputs, start: float, end: float, is_adaptive: bool) -> None:
    """Locate the events in the step from `start` to `end`, which has just been made; state and rates stay unchanged.

    `is_adaptive` states whether the step had error control: the search then also looks at its middle.
    """
    if end == start:  # a step of length zero: the next one is searched
        begin_search(R, start)
        jumped = R.event_search.jumped
        R.indicators[:] = R.event_values[0]
        bind_watched(R, R.indicators)
        events_of_jump(R)
        R.event_search.jumped = jumped
        return
    R.work[0] = R.x
    R.work[1] = R.x_dot
    fresh = R.fresh
    R.time = end
    if is_adaptive or N_ENDINGS > 0 or fresh != RATES_FRESH:  # otherwise a trial has evaluated the end
        evaluate(R, U)
    evaluate_indicators(R)
    R.event_values[2] = R.indicators
    if not is_adaptive:
        R.work[1] = R.x_dot
        fresh = STALE if READY_STEPS > 0 else RATES_FRESH
    is_moved = METHOD_dense_stages(R, U, start, end - start)
    begin_search(R, start)
    if R.event_search.jumped > 0.0:
        is_moved = True
        METHOD_at(R, U, start, end, 0.0, OF_EVENTS)
        events_of_jump(R)
    if is_adaptive:
        is_moved = True
        METHOD_at(R, U, start, end, 0.5, OF_EVENTS)
        R.event_values[1] = R.indicators
    bind_watched(R, R.event_values[2])
    for i in range(N_EVENTS):
        if resets_by(i):
            continue  # `note_resets` counts its crossings
        if is_adaptive:
            METHOD_locate_in_part(R, U, start, end, i, 0, 0.5, R.event_values[0, i:], R.event_values[1, i:])
            METHOD_locate_in_part(R, U, start, end, i, 1, 1.0, R.event_values[1, i:], R.event_values[2, i:])
        else:
            METHOD_locate_in_part(R, U, start, end, i, 2, 1.0, R.event_values[0, i:], R.event_values[2, i:])
    R.event_values[0] = R.event_values[2]
    is_moved = is_moved or R.event_search.crossed > 0.0
    R.x[:] = R.work[0]
    R.x_dot[:] = R.work[1]
    R.time = end
    unbind_watched(R)
    R.fresh = STALE if is_moved else fresh


def begin_search(R: Record, start: float) -> None:
    """Clear the events of a step that began at time `start`, except those with resets at its beginning."""
    R.event_search.began = start
    R.event_search.crossed = 0.0
    for i in range(N_EVENTS):
        for half in range(2):
            R.crossings[i, half] = np.nan
        if not resets_by(i):
            R.met[i] = 0.0
        R.event_search.crossed += R.met[i]


def events_of_jump(R: Record) -> None:
    """Detect events without resets that a change of modes or values at the beginning of the step triggers.

    Expects the indicators after the change.
    """
    R.event_search.jumped = 0.0
    for i in range(N_EVENTS):
        met = crosses(R.event_values[0, i], R.indicators[i], EVENT_DIRECTIONS[i])
        if met and not resets_by(i):
            R.met[i] = 1.0
            R.event_search.crossed += 1.0
            if STOPS[i] > 0:
                R.event_search.stopped = min(R.event_search.stopped, R.event_search.began)
        R.event_values[0, i] = stored_value(R.event_values[0, i], R.indicators[i], met)


def stored_value(before: float, after: float, met: bool) -> float:
    """Return the value to store for an indicator after a step: NaN at a zero that was counted, else its value `after`.

    `before` is the value stored last; `met` is true if the indicator crossed zero in the step.
    """
    return np.nan if after == 0.0 and (met or before != before) else after


def METHOD_locate_in_part(
    R: Record, U: Inputs, start: float, end: float, i: int, part: int, right: float, before: Vector, after: Vector
) -> None:
    """Record the crossing of event i in a part of a step, if there is one.

    `part` is 0 or 1 for a half of the step, 2 for all of it; `right` is the end of the part, as a fraction of the step;
    `before` and `after` begin with the indicator's values at both ends of the part.
    """
    g_left = before[0]
    g_right = after[0]
    met = crosses(g_left, g_right, EVENT_DIRECTIONS[i])
    after[0] = stored_value(g_left, g_right, met)
    if not met:
        return
    left = 0.5 if part == 1 else 0.0
    theta = METHOD_locate(R, U, start, end, OF_EVENTS, R.indicators[i:], left, right, g_left, g_right)
    time = end if theta == 1.0 else snapped_to_output(U, start + theta * (end - start))
    R.crossings[i, part & 1] = time
    R.event_search.crossed += 1.0
    if STOPS[i] > 0:
        R.event_search.stopped = min(R.event_search.stopped, time)


def snapped_to_output(U: Inputs, time: float) -> float:
    """Return the time of a crossing, or an output time that differs by rounding only, so that there is one row."""
    row = output_time(U, int(max(0.0, (time - U.start) / U.interval + 0.5)))
    return row if abs(time - row) <= 4.5e-16 * max(abs(time), abs(row)) else time


@hook(Condition.SWITCHING, "mbs_fmu.integrate.stepping.switching")
@hook(Condition.STOPS, "mbs_fmu.integrate.stepping.trials", "METHOD_step_or_substep")
def METHOD_substep(R: Record, U: Inputs, time: float, h: float, end: float) -> int:
    """Make one step of METHOD from `time` to `end`, in models whose steps do not end early; return a status."""
    return METHOD_step_to(R, U, time, h, end)


def METHOD_run_watched(R: Record, U: Inputs, Y: Numbers, row: int, step: float, budget: int) -> int:
    """Make fixed steps of METHOD through the output times, as `METHOD_run_fixed` does, and locate events in each.

    It returns after steps with events or changes of constraint modes; the next call continues there.
    """
    rows = int(U.rows)
    done = 0
    start_log(R)
    if row == 0:
        R.side = nearness(R.time, step)
        refresh(R, U)
        start_watch(R, U)
        record(R, Y, 0)
        row = 1
    while row < rows:
        if 0 < budget <= done:
            return row
        stop = output_time(U, row)
        if R.event_search.steps == 0.0:
            refresh(R, U)
            R.event_search.start = R.time
            start_means(R)
            R.event_search.steps = equal_steps(R.time, stop, step)
            R.event_search.done = 0.0
        n = R.event_search.steps
        h = (stop - R.event_search.start) / n
        METHOD_enter(R, U, stop, h)
        start = R.event_search.start + R.event_search.done * h
        end = stop if R.event_search.done + 1.0 == n else R.event_search.start + (R.event_search.done + 1.0) * h
        size = h
        if start < R.time:  # an earlier call has made a part of this step
            size = h - (R.time - start)
            start = R.time
        status = METHOD_substep(R, U, start, size, end)
        if status == OK:
            R.event_search.done += 1.0 if R.time == end else 0.0
            end = R.time
            METHOD_locate_events(R, U, start, end, False)
            METHOD_leave(R, U, h)
            if R.event_search.stopped <= end:
                return METHOD_last_row(R, U, Y, row, start, end)
            if end == stop:
                status = METHOD_finish(R, U, start, h)
        if status != OK:
            R.done = row
            return -1 - status
        done += 1
        if end == stop:
            record(R, Y, row)
            R.event_search.steps = 0.0
            row += 1
        if R.event_search.crossed > 0.0 or has_switched(R):
            return row
    return row


def METHOD_last_row(R: Record, U: Inputs, Y: Numbers, row: int, start: float, end: float) -> int:
    """Write the row at the event that ends the run, in the step from `start` to `end`; return the number of rows."""
    METHOD_between(R, U, R.event_search.stopped, share_of(start, end, R.event_search.stopped), end - start)
    outputs(R)
    record(R, Y, row)
    return row + 1
