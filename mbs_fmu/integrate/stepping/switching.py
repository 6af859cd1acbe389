"""Steps that end early: at ends of constraint modes, at events with resets, and at samples.

The modules of models with any of these contain copies of these functions. A step is made as in any other model
(METHOD_plain_step_to, METHOD_plain_step), up to the next sample at most. Then the step is searched for mode ends and
events with resets. If there is one, the step is repeated up to its time, so that the method keeps its order. The
changes that are due are made at the beginning of the next step, or earlier by an importer to which they are reported.
"""

from __future__ import annotations

import numpy as np

from ...kernels.constants import BUDGET, MOST_PARTS, MOST_REPEATED, NON_FINITE, OF_ENDS, OK, STALE
from ...kernels.hooks import (
    bind_resets,
    find_coincident_events,
    jump,
    mode_values,
    next_stop,
    reach_end,
    reset_values,
    some_tick,
)
from ...kernels.linked import switches
from ...kernels.tolerances import SAME_END_SHARE, START_ROUNDING_SHARE
from ...record.schema import N_CLOCKS, N_ENDINGS, N_MODES, N_RESETS, Inputs, Record
from .adaptive import METHOD_trial_step, accept_state, leads_beyond
from .clock import state_span
from .crossings import METHOD_at, METHOD_locate
from .drivers import (
    METHOD_finish,
    equal_steps,
    evaluate,
    fail_from,
    finish_call,
    normalise,
    prepare_step,
    restore_call_start,
    start_means,
)
from .hooks import (
    METHOD_again,
    METHOD_dense_stages,
    METHOD_enter,
    METHOD_leave,
    METHOD_plain_step,
    METHOD_plain_step_to,
    METHOD_ready,
)
from .trials import METHOD_step_or_substep, discard_history, evaluate_step_end, invalidate, some_end


def METHOD_step_to(R: Record, U: Inputs, time: float, h: float, end: float) -> int:
    """Make one step of METHOD from `time` to `end`, of size h, in several parts if it ends early; return a status.

    The sizes of the parts add up to h, which may differ from the difference of the times by rounding. After MOST_PARTS
    parts the status is BUDGET, and the next call with the same step continues it.
    """
    if N_CLOCKS == 0 and R.at_steps != 0.0:  # nothing ends a step early
        return METHOD_substep(R, U, time, h, end)
    return METHOD_substeps(R, U, time, h, end, time, end, 0)


def METHOD_substeps(
    R: Record, U: Inputs, time: float, h: float, end: float, start: float, stop: float, reported: int
) -> int:  # fmt: skip
    """Make parts of a step from `time` to `end`, of size h, or those behind the present time; return a status.

    Ends early, with status OK, when changes are due that a call from `start` to `stop` reports (`must_report`), and
    with BUDGET after MOST_PARTS parts.
    """
    for _ in range(MOST_PARTS):
        status = METHOD_substep(R, U, R.time, h - (R.time - time), end)
        if status != OK or R.time >= end or must_report(R, start, stop, reported):
            return status
    return BUDGET


def METHOD_substep(R: Record, U: Inputs, time: float, h: float, end: float) -> int:
    """Make one step of METHOD from `time` towards `end`, of size h, which may end early; return a status."""
    status = METHOD_ready(R, U, h) if N_RESETS > 0 else OK
    if status == OK:
        status = jump(R, U, h, False)
    if status != OK:
        return status
    stop = next_stop(R, end)
    size = h
    if stop < end:
        size = stop - time
        discard_history(R)
    status = METHOD_step_or_substep(R, U, time, size, stop)
    if status != OK or N_ENDINGS == 0 or R.at_steps != 0.0:
        return status
    if R.time < stop:
        stop = R.time
        size = stop - time
    at = METHOD_next_end(R, U, time, stop, False)
    if at > stop:
        return OK
    for _ in range(MOST_REPEATED):
        if at >= stop or status != OK:
            break
        R.x[:] = R.step_start
        R.time = time
        invalidate(R)
        stop = at
        if at > time:
            status = METHOD_plain_step_to(R, U, time, at - time, at)
            if status == OK:
                at = METHOD_earlier_end(R, U, time, stop, False)
    mark_due_ends(R, U, size)
    return status


def mark_due_ends(R: Record, U: Inputs, h: float) -> None:
    """Mark as due the mode ends and events that end a step of size h (`ending`)."""
    if find_coincident_events(R, U, False):
        bind_resets(R, R.ending, h)
    reach_end(R, U)
    R.due[:] = R.ending
    invalidate(R)


def METHOD_next_end(R: Record, U: Inputs, start: float, end: float, is_adaptive: bool) -> float:
    """Return the time of the first mode end or event with resets in the last step, or infinity without one.

    In `ending`, all that coincide there are 1, the others 0. State and rates stay unchanged. `is_adaptive` states
    whether the step had error control.
    """
    if not is_adaptive:
        if R.fresh == STALE:  # otherwise a trial has evaluated the end
            evaluate_step_end(R, U)
        if not some_end(R):
            R.end_values[N_MODES:] = R.end_now[N_MODES:]
            return np.inf
    R.work[0] = R.x
    R.work[1] = R.x_dot
    fresh = R.fresh
    if is_adaptive:
        R.time = end
        normalise(R)
        evaluate(R, U)
        evaluate_ends(R)
    R.end_last[:] = R.end_now
    R.end_middle[:] = R.end_last
    if is_adaptive:
        METHOD_dense_stages(R, U, start, end - start)
        METHOD_at(R, U, start, end, 0.5, OF_ENDS)
        R.end_middle[:] = R.end_now
        fresh = STALE
    first = np.inf
    for g in range(N_ENDINGS):
        R.ending[g] = METHOD_end_of(R, U, start, end, g, is_adaptive)
        first = min(first, R.ending[g])
    if first < np.inf:
        fresh = STALE
    for g in range(N_ENDINGS):
        same = SAME_END_SHARE * (end - start) if g < N_MODES else 2.0e-15 * max(abs(start), abs(end))
        R.ending[g] = 1.0 if R.ending[g] <= first + same else 0.0
    if first == np.inf:  # otherwise the step is repeated
        R.end_values[N_MODES:] = R.end_last[N_MODES:]
    R.x[:] = R.work[0]
    R.x_dot[:] = R.work[1]
    R.time = end
    R.fresh = fresh
    return first


def METHOD_earlier_end(R: Record, U: Inputs, start: float, end: float, is_adaptive: bool) -> float:
    """Return the first end in a step that was repeated up to `end`: `end` itself, or an earlier time.

    Expects 1 in `ending` for the cause of the repetition. An earlier end is possible: in the longer step, two crossings
    may have been between the times at which the quantities were evaluated. A step is repeated MOST_REPEATED times at
    most: with numbers so large that each repetition ends earlier by little more than rounding, the last one counts.
    """
    R.ending_before[:] = R.ending
    at = METHOD_next_end(R, U, start, end, is_adaptive)
    if at < end - SAME_END_SHARE * (end - start):
        return at
    R.ending[:] = R.ending_before
    return end


def METHOD_end_of(R: Record, U: Inputs, start: float, end: float, g: int, is_adaptive: bool) -> float:
    """Return the time in the last step at which distance g, positive before, becomes zero or less, or infinity.

    `g` is an index of `end_values`: of a mode, or N_MODES plus that of an event with resets.
    """
    before = R.end_values[g]
    middle = R.end_middle[g]
    last = R.end_last[g]
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
        METHOD_dense_stages(R, U, start, end - start)
    if left == 0.0 and g < N_MODES and before < START_ROUNDING_SHARE * abs(last):
        left = METHOD_first_positive_fraction(R, U, start, end, g, right)
        before = before if left == 0.0 else R.end_now[g]
    theta = METHOD_locate(R, U, start, end, OF_ENDS, R.end_now[g:], left, right, before, last)
    return end if theta == 1.0 else start + theta * (end - start)


def METHOD_first_positive_fraction(R: Record, U: Inputs, start: float, end: float, g: int, right: float) -> float:
    """Return a fraction of the step, before `right`, at which the distance of mode g is positive; zero without one.

    A contact that rebounds at the start of the step is there at its surface up to rounding, which must not look like
    the impact that ends its flight.
    """
    theta = right
    for _ in range(50):
        theta = 0.5 * theta
        METHOD_at(R, U, start, end, theta, OF_ENDS)
        if R.end_now[g] > 0.0:
            return theta
    return 0.0


def METHOD_step(R: Record, U: Inputs, stop: float, tolerance: float) -> int:
    """Make one accepted step of METHOD towards time `stop`, which may end early; return a status."""
    status = jump(R, U, R.step, True)
    if status != OK:
        return status
    start = R.time
    status = METHOD_plain_step(R, U, next_stop(R, stop), tolerance)
    if N_ENDINGS == 0 or not (status == OK or leads_beyond(R, start, status)):
        return status
    end = R.time
    at = METHOD_next_end(R, U, start, end, True)
    if at > end or (at == end and status != OK):
        return status
    status = OK
    for _ in range(MOST_REPEATED):
        if at >= end or status != OK:
            break
        R.x[:] = R.step_start
        R.time = start
        end = at
        if at > start:
            METHOD_again(R, U)
        if at > start and METHOD_trial_step(R, U, at - start, tolerance) < 0.0:
            return fail_from(R, U, 0, at - start, at - start, NON_FINITE)
        status = accept_state(R, start, at, at, at - start)
        if at > start and status == OK:
            at = METHOD_earlier_end(R, U, start, end, True)
    mark_due_ends(R, U, at - start)
    return status


def evaluate_ends(R: Record) -> None:
    """Compute distances of modes from their ends and of events with resets from crossings; expects fresh rates."""
    mode_values(R)
    reset_values(R)


# -- calls of importers to which events are reported ---------------------------------------------------------------


def METHOD_fixed_to_event(R: Record, U: Inputs, stop: float, step: float, budget: int, reported: int) -> int:
    """Make the steps of METHOD_fixed; end early, with status OK, if changes to be reported are due (`must_report`).

    R.step is then the size of the next step, for `apply_due`.
    """
    start_means(R)
    start = R.time
    n = equal_steps(start, stop, step)
    h = state_span(R, stop - start) / n
    R.rollback[:] = R.x
    METHOD_enter(R, U, stop, h)
    R.step = h
    begun = R.steps
    k = 0
    while k < n:
        if 0 < budget <= R.steps - begun:
            METHOD_leave(R, U, h)
            return BUDGET
        time = start + k * h
        end = stop if k == n - 1 else start + (k + 1) * h
        status = METHOD_substeps(R, U, time, h, end, start, stop, reported)
        if status == BUDGET:
            continue
        if status != OK:
            return restore_call_start(R, start, status)
        if must_report(R, start, stop, reported):
            R.step = h - (R.time - time) if R.time < end else h
            METHOD_leave(R, U, h)
            return OK
        k += 1
    return METHOD_finish(R, U, start, h)


def METHOD_adaptive_to_event(R: Record, U: Inputs, stop: float, tolerance: float, budget: int, reported: int) -> int:
    """Make the steps of METHOD_adaptive; end early, with status OK, if changes to be reported are due."""
    done = 0
    beginning = R.time
    start_means(R)
    switches(R)
    R.rollback[:] = R.x
    while R.time < stop:
        if 0 < budget <= done:
            return BUDGET
        status = METHOD_step(R, U, stop, tolerance)
        if status != OK:
            return restore_call_start(R, beginning, status)
        if must_report(R, beginning, stop, reported):
            return OK
        done += 1
    return finish_call(R, U, beginning, R.step, True)


def must_report(R: Record, start: float, stop: float, reported: int) -> bool:
    """True if a call ends at the present time because changes are due.

    `reported` is 2 if it may end at any time after `start`, 1 for `stop` only, 0 for never.
    """
    may_end = R.time > start if reported > 1 else reported > 0 and R.time >= stop
    return may_end and is_due(R) > 0


def is_due(R: Record) -> int:
    """Return 1 if a mode end, an event with resets or a sample is due before the next step, else 0."""
    any_due = some_tick(R)
    for g in range(N_ENDINGS):
        any_due = any_due or R.due[g] != 0.0
    return 1 if any_due else 0


def apply_due(R: Record, U: Inputs, controlled: int) -> int:
    """Make the changes that are due, as at the beginning of a step of size R.step; return a status.

    New inputs may have made further changes due.
    """
    status = jump(R, U, R.step, controlled > 0)
    if status != OK:
        return status
    return prepare_step(R, U, R.step, controlled > 0)
