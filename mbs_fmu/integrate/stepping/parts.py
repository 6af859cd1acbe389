"""Parts of steps: each ends at the next instant (docs/instants.md).

The modules of models with crossings contain copies of these functions. A step is made as in any other model
(METHOD_step_to, METHOD_plain_step), up to the next sample or jump at most. Then it is searched for crossings. If one
acts, the step is repeated up to its time, so that the method keeps its order. What is due is done when the next part
begins, or earlier by an importer to which it is reported.
"""

from __future__ import annotations

import numpy as np

from ...kernels.constants import MOST_REPEATED, NON_FINITE, OF_EVENT, OK, RATES_FRESH, STALE
from ...kernels.hooks import keep_residual_offsets, restore_residual_offsets
from ...kernels.logs import log_at
from ...kernels.tolerances import FUNCTION_ROUNDING_SHARE, NEAR_ZERO_SHARE
from ...record.schema import N_EVENTS, N_MODES, N_WATCHED, Inputs, Record
from .adaptive import METHOD_trial_step, accept_state, leads_beyond
from .crossings import METHOD_at, METHOD_search, acts, turns, watch
from .drivers import METHOD_step_to, evaluate, fail_from
from .hooks import METHOD_LANDINGS, METHOD_again, METHOD_dense_stages, METHOD_plain_step
from .instants import begin_part, log_events, make_rounds, next_time
from .trials import METHOD_step_or_substep, discard_history, evaluate_step_end, invalidate
from .windows import delta, with_row


def METHOD_part(R: Record, U: Inputs, time: float, h: float, end: float) -> int:
    """Make what is due at the present instant, then the next part of a step from `time` to `end`; return a status.

    The step has the size h; the present time lies in it.
    """
    status = make_rounds(R, U, h, False)
    if status != OK or R.instants.stopped > 0.0:
        return status
    R.instants.spent += 1.0
    start = R.time
    stop = next_time(R, U, end)
    size = h - (start - time)
    if stop < end:
        size = stop - start
        discard_history(R)
    status = METHOD_step_or_substep(R, U, start, size, stop)
    if status != OK:
        return status
    window = delta(R, U)
    begin_search(R)
    METHOD_search(R, U, start, R.time, False)
    w = first_to_act(R)
    for _ in range(MOST_REPEATED):
        if R.at_steps != 0.0 or w < 0 or is_at_end(R, w, R.looked[w].first, window):
            break
        R.instants.spent += 1.0
        status = METHOD_land(R, U, start, w)
        if status != OK:
            return status
        window = mark_near(R, U, start, w)
        METHOD_search(R, U, start, R.time, False)
        w = first_to_act(R)
    METHOD_end_part(R, U, start, window)
    return OK


def METHOD_land(R: Record, U: Inputs, start: float, w: int) -> int:
    """Repeat the part from `start` up to the crossing of function w; return a status.

    A method whose order exceeds that of its dense output lands several times: the residual of the function corrects the
    time.
    """
    looked = R.looked[w]
    at = first_of_instant(R, U, w)
    end = R.time
    status = OK
    for _ in range(METHOD_LANDINGS):
        restore_residual_offsets(R)
        R.x[:] = R.step_start
        R.time = start
        invalidate(R)
        if at > start:
            status = METHOD_step_to(R, U, start, at - start, at)
        if status != OK:
            return status
        evaluate_step_end(R, U)
        if at <= start or looked.slope == 0.0 or abs(R.now[w]) <= delta(R, U) * looked.slope:
            break
        at = min(max(at + looked.before * R.now[w] / looked.slope, start), end)
    return status


def METHOD_step(R: Record, U: Inputs, stop: float, tolerance: float) -> int:
    """Make what is due at the present instant, then one accepted step of METHOD towards time `stop`; return a status.

    The step is a part: it ends at the next instant.
    """
    status = make_rounds(R, U, R.step, True)
    if status != OK or R.instants.stopped > 0.0:
        return status
    R.instants.spent += 1.0
    start = R.time
    status = METHOD_plain_step(R, U, with_row(R, U, next_time(R, U, stop)), tolerance)
    if status != OK and not leads_beyond(R, start, status):
        return status
    window = delta(R, U)
    begin_search(R)
    evaluate_accepted(R, U)
    METHOD_search(R, U, start, R.time, True)
    w = first_to_act(R)
    for _ in range(MOST_REPEATED):
        if w < 0 or is_at_end(R, w, R.looked[w].first, window):
            break
        R.instants.spent += 1.0
        status = METHOD_land_accurately(R, U, start, first_of_instant(R, U, w), tolerance)
        if status != OK:
            return status
        window = mark_near(R, U, start, w)
        METHOD_search(R, U, start, R.time, True)
        w = first_to_act(R)
    if status == OK:
        METHOD_end_part(R, U, start, window)
    return status


def METHOD_land_accurately(R: Record, U: Inputs, start: float, at: float, tolerance: float) -> int:
    """Repeat a step with error control from `start` up to the time `at`; return a status. No error is tested."""
    restore_residual_offsets(R)
    R.x[:] = R.step_start
    R.time = start
    if at > start:
        METHOD_again(R, U)
        if METHOD_trial_step(R, U, at - start, tolerance) < 0.0:
            return fail_from(R, U, 0, at - start, at - start, NON_FINITE)
        R.time = start
    status = accept_state(R, start, at, at, at - start)
    if at == start:
        R.fresh = STALE
    evaluate_accepted(R, U)
    return status


def evaluate_accepted(R: Record, U: Inputs) -> None:
    """Compute the watched functions at the end of an accepted step, with left limits; the derivatives stay."""
    fresh = R.fresh
    if fresh != RATES_FRESH:
        R.work[1] = R.x_dot
        R.side = -delta(R, U)
        evaluate(R, U)
        R.side = 0.0
    watch(R)
    if fresh != RATES_FRESH:
        R.x_dot[:] = R.work[1]
    R.fresh = fresh


# -- what ends a part --------------------------------------------------------------------------------------------------


def begin_search(R: Record) -> None:
    """Forget which functions crossed zero together in the last part, and store what the search may change."""
    keep_residual_offsets(R)
    for w in range(N_WATCHED):
        R.looked[w].near = 0.0


def first_to_act(R: Record) -> int:
    """Return the number of the function with the first crossing that acts; -1 without one."""
    which = -1
    first = np.inf
    for w in range(N_WATCHED):
        if acts(w) and R.looked[w].first < first:
            first = R.looked[w].first
            which = w
    return which


def first_of_instant(R: Record, U: Inputs, w: int) -> float:
    """Return the time of the instant at which function w crosses zero.

    It is that of a result which coincides with the crossing, or of the first crossing that does.
    """
    first = R.looked[w].first
    time = first
    for k in range(N_WATCHED):
        if first - delta(R, U) <= R.looked[k].first < time:
            time = R.looked[k].first
    return with_row(R, U, time)


def mark_near(R: Record, U: Inputs, start: float, w: int) -> float:
    """Mark the functions that cross zero together with function w, at which a repeated part from `start` ends.

    Returns the time within which crossings coincide with it: the error of the landing may exceed the usual one.
    """
    slope = R.looked[w].slope
    window = delta(R, U)
    if slope > 0.0:  # where a function is nearly flat, its residual says nothing about others
        error = min(2.0 * abs(R.now[w]) / slope, 1.0e-3 * (R.time - start))
        window = max(window, error)
    first = R.looked[w].first
    for k in range(N_WATCHED):
        R.looked[k].near = 1.0 if abs(R.looked[k].first - first) <= own_window(R, k, window) else 0.0
    return window


def own_window(R: Record, w: int, window: float) -> float:
    """Return the time within which a crossing of function w coincides with others, at least `window` (s).

    The rounding of a function that moves slowly makes the time of its zero uncertain.
    """
    looked = R.looked[w]
    if looked.slope == 0.0:
        return window
    return max(window, min(FUNCTION_ROUNDING_SHARE * R.watched[w].reach / looked.slope, 1.0e3 * window))


def is_at_end(R: Record, w: int, time: float, window: float) -> bool:
    """True if function w has a crossing at `time`, which is finite and coincides with the end of the part."""
    return R.time - own_window(R, w, window) <= time < np.inf


def METHOD_end_part(R: Record, U: Inputs, start: float, window: float) -> None:
    """Conclude a part that ends at the present time: move the sides of all functions, log events, note what is due.

    Crossings at most `window` (s) before the end are part of the instant. So are zeros that functions reach behind the
    end within the time that counts as one instant.
    """
    end = R.time
    for w in range(N_WATCHED):
        looked = R.looked[w]
        watched = R.watched[w]
        if is_at_end(R, w, looked.first, window) or looked.near != 0.0:
            looked.near = 1.0
            looked.first = looked.again = np.inf
        elif is_at_end(R, w, looked.again, window):
            looked.near = 1.0
            looked.again = np.inf
        watched.side = looked.side
        watched.open = looked.open
        watched.zone = 0.0
    log_passed(R, end - window)
    for w in range(N_WATCHED):
        if R.looked[w].near != 0.0:
            reach_zero(R, U, w, R.looked[w].slope)
    METHOD_reach_behind(R, U, start, window)
    begin_part(R)
    R.instants.last_part = end - start
    if R.instants.jump <= end + delta(R, U):
        R.instants.jumps = 1.0
    log_events(R)


def log_passed(R: Record, until: float) -> None:
    """Log the events without consequences in the part before the time `until`, in their order."""
    for _ in range(2 * N_EVENTS):
        which = -1
        time = until
        for i in range(N_EVENTS):
            w = N_MODES + i
            if R.looked[w].first < time and not acts(w):
                which = w
                time = R.looked[w].first
        if which < 0:
            return
        looked = R.looked[which]
        after = -looked.before if looked.before != 0.0 else looked.side
        log_at(R, time, 0.0, OF_EVENT, which - N_MODES, looked.before, after)
        looked.before = after
        looked.first = looked.again
        looked.again = np.inf


def reach_zero(R: Record, U: Inputs, w: int, slope: float) -> None:
    """Note that function w crosses zero at the present instant; its sign is rounding for a while.

    If crossings are not located, the function is beyond zero, and its sign is none of rounding.
    """
    near = delta(R, U)
    residual = abs(R.now[w]) if R.at_steps == 0.0 else 0.0
    width = 2.0 * residual / slope if slope > 0.0 else 0.0
    watched = R.watched[w]
    watched.side = 0.0
    watched.open = 0.0
    watched.zone = max(2.0 * residual, near * slope, FUNCTION_ROUNDING_SHARE * watched.reach)
    watched.quiet = R.time + 2.0 * max(near, width)
    R.due[w] = 1.0


def METHOD_reach_behind(R: Record, U: Inputs, start: float, window: float) -> None:
    """Find functions that reach zero at most `window` (s) behind the end of the part: they belong to the same instant.

    So do those that have passed zero within this time before the end, in a direction without event. Slopes at the end
    follow from an evaluation just before it: over a whole flight a function does not change.
    """
    end = R.time
    share = NEAR_ZERO_SHARE if window == delta(R, U) else 1.0
    some = False
    for w in range(N_WATCHED):
        some = some or may_reach_zero(R, w, end, share)
    if not some or end <= start:
        return
    R.work[0] = R.x
    R.work[1] = R.x_dot
    for w in range(N_WATCHED):
        R.looked[w].last = R.now[w]
    METHOD_dense_stages(R, U, start, end - start)
    METHOD_at(R, U, start, end, 0.999)
    for w in range(N_WATCHED):
        R.looked[w].middle = R.now[w]
        R.now[w] = R.looked[w].last
    R.x[:] = R.work[0]
    R.x_dot[:] = R.work[1]
    R.time = end
    R.fresh = STALE
    for w in range(N_WATCHED):
        if may_reach_zero(R, w, end, share):
            reach_behind(R, U, w, end - start, window)


def reach_behind(R: Record, U: Inputs, w: int, size: float, window: float) -> None:
    """Note that function w is at zero at the end of a part of this size if it is so up to its way in `window` (s).

    Expects its value at 0.999 of the part in `middle`.
    """
    watched = R.watched[w]
    value = R.now[w]
    rate = (value - R.looked[w].middle) / (0.001 * size)
    leaves = watched.side * rate > 0.0
    zone = max(window * abs(rate), FUNCTION_ROUNDING_SHARE * watched.reach)
    if abs(value) > zone or (leaves and abs(rate) * size <= 2.0 * abs(value)):
        return
    if leaves:  # it has passed zero just before the end, in a direction without event
        watched.side = -watched.side
    R.looked[w].before = watched.side
    if turns(R, w, 0.0):
        reach_zero(R, U, w, abs(rate))
    watched.zone = max(watched.zone, 2.0 * zone)
    watched.quiet = max(watched.quiet, R.time + 2.0 * window)


def may_reach_zero(R: Record, w: int, time: float, share: float) -> bool:
    """True if function w is so near zero at the end of a part that the slope decides whether it reaches it.

    `share` is that of the function's largest magnitude up to which it is near.
    """
    watched = R.watched[w]
    is_small = abs(R.now[w]) <= share * watched.reach
    return is_small and R.looked[w].near == 0.0 and watched.side != 0.0 and time > watched.quiet
