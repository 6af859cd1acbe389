"""Calls of importers in models with crossings: steps of co-simulation, and the instants of model exchange.

The modules of models with crossings contain copies of these functions. A communication step ends at the left limit
(t, 0). What is due there is done by `apply_due` in event mode, or when the next step begins.
"""

from __future__ import annotations

from ...kernels.constants import BUDGET, MOST_PARTS, OK, RATES_FRESH, STALE, STEP_NOT_FELT
from ...kernels.hooks import is_load_mode, mode_values, some_sample
from ...kernels.library import integer
from ...kernels.linked import switches
from ...record.schema import N_MODES, N_WATCHED, NX, Inputs, Record
from .clock import is_lost, state_span
from .crossings import acts, sign, turns, watch
from .drivers import (
    METHOD_finish,
    equal_steps,
    evaluate,
    fail,
    finish_call,
    prepare_step,
    rates,
    restore_call_start,
    start_means,
)
from .hooks import METHOD_enter, METHOD_leave
from .instants import make_rounds
from .parts import METHOD_part, METHOD_step, reach_zero
from .windows import delta


def begin_call(R: Record, U: Inputs, stop: float) -> None:
    """Begin a communication step to time `stop`, or its next part: inputs and parameters may have jumped before it."""
    if is_new_call(R, stop):
        R.instants.interval = stop - R.time
        R.instants.call_start = R.time
        R.instants.call_end = stop
    R.instants.jump = R.time
    R.instants.logged = R.instants.spent = 0.0
    if R.fresh == STALE:
        R.instants.jumps = 1.0
    start_means(R)
    switches(R)
    R.rollback[:] = R.x


def is_new_call(R: Record, stop: float) -> bool:
    """True if a communication step to time `stop` begins; False behind its part that ended early."""
    return R.instants.call_end != stop  # type: ignore[no-any-return]


def METHOD_fixed(R: Record, U: Inputs, stop: float, step: float, budget: int) -> int:
    """Make equal steps of METHOD of at most the size `step` to time `stop` (`equal_steps`), in parts; return a status.

    After a failure the state at the beginning of the call is restored. `budget` is as in METHOD_fixed_to_event.
    """
    return METHOD_fixed_to_event(R, U, stop, step, budget, 0)


def METHOD_adaptive(R: Record, U: Inputs, stop: float, tolerance: float, budget: int) -> int:
    """Make steps of METHOD that end exactly at time `stop`; return a status. A failure restores the initial state."""
    return METHOD_adaptive_to_event(R, U, stop, tolerance, budget, 0)


def METHOD_fixed_to_event(R: Record, U: Inputs, stop: float, step: float, budget: int, reported: int) -> int:
    """Make the steps of METHOD_fixed in parts; end early, with status OK, if something to report is due.

    `reported` is as in `must_report`. R.step is then the size of the steps, for what is due there. If `budget` is
    positive, the call ends behind the step in which as many parts and repetitions have been made, or within a step of
    very many parts; the status BUDGET then means that more calls are needed.
    """
    is_rest = not is_new_call(R, stop)
    begin_call(R, U, stop)
    start = R.time
    if is_rest:  # the rest of a step has another size
        status = make_rounds(R, U, R.step, False)
        if status != OK:
            return restore_call_start(R, start, status)
    n = integer(equal_steps(start, stop, step))
    h = state_span(R, stop - start) / n
    if is_lost(0.25 * h, start, stop):
        return restore_call_start(R, start, fail(R, 0, step, STEP_NOT_FELT))
    METHOD_enter(R, U, stop, h)
    R.step = h
    k = 0
    while k < n:
        spent = R.instants.spent
        if 0 < budget <= spent and (R.time <= start + k * h or spent >= budget + MOST_PARTS):
            METHOD_leave(R, U, h)
            return end_early(R, U, start, h, False, BUDGET)
        end = stop if k == n - 1 else start + (k + 1) * h
        status = METHOD_part(R, U, start + k * h, h, end)
        if status != OK:
            return restore_call_start(R, start, status)
        if must_report(R, U, start, stop, reported):
            METHOD_leave(R, U, h)
            return end_early(R, U, start, h, False, OK)
        if R.time >= end:
            k += 1
    return METHOD_finish(R, U, start, h)


def METHOD_adaptive_to_event(R: Record, U: Inputs, stop: float, tolerance: float, budget: int, reported: int) -> int:
    """Make the steps of METHOD_adaptive in parts; end early, with status OK, if something to report is due."""
    beginning = R.time
    begin_call(R, U, stop)
    while R.time < stop:
        if 0 < budget <= R.instants.spent:
            return end_early(R, U, beginning, R.step, True, BUDGET)
        status = METHOD_step(R, U, stop, tolerance)
        if status != OK:
            return restore_call_start(R, beginning, status)
        if must_report(R, U, beginning, stop, reported):
            return end_early(R, U, beginning, R.step, True, OK)
    return finish_call(R, U, beginning, R.step, True)


def end_early(R: Record, U: Inputs, start: float, h: float, controlled: bool, result: int) -> int:
    """End a call that began at time `start` before its end; return the status `result`, or a failure.

    Rates are not stale then, because stale ones tell the next call that inputs have changed. `h` and `controlled` are
    as in `prepare_step`.
    """
    status = prepare_step(R, U, h, controlled) if R.fresh == STALE else OK
    return result if status == OK else restore_call_start(R, start, status)


def must_report(R: Record, U: Inputs, start: float, stop: float, reported: int) -> bool:
    """True if a call ends at the present time because something is due.

    `reported` is 2 if it may end at any time after `start`, 1 for `stop` only, 0 for never.
    """
    may_end = R.time > start if reported > 1 else reported > 0 and R.time >= stop
    return may_end and is_due(R, U) > 0


def is_due(R: Record, U: Inputs) -> int:
    """Return 1 if a mode end, an event with resets or a sample is due before the next step, else 0.

    With events at step ends, importers learn of samples only.
    """
    some = some_sample(R, delta(R, U))
    for w in range(N_WATCHED):
        some = some or (R.at_steps == 0.0 and R.due[w] != 0.0 and acts(w))
    return 1 if some else 0


def apply_due(R: Record, U: Inputs, controlled: int) -> int:
    """Do what is due at the present time, as when a step of size R.step begins; return a status.

    New inputs may have made more due.
    """
    if R.fresh == STALE:
        R.instants.jumps = 1.0
    status = make_rounds(R, U, R.step, controlled > 0)
    return prepare_step(R, U, R.step, controlled > 0) if status == OK else status


# -- model exchange --------------------------------------------------------------------------------------------------


def mode_ends(R: Record, U: Inputs) -> None:
    """Compute the distances of constraint modes from their ends, with an offset: for importers they are never zero."""
    rates(R, U)
    mode_values(R)
    for g in range(N_MODES):
        R.now[g] += 1.0e-10


def act(R: Record, U: Inputs) -> int:
    """Do what is due at the present state of an importer that integrates the model; return a status.

    What has crossed zero since the last call is due, and what reaches zero within the same instant, on whatever side of
    it the importer has stopped.
    """
    R.instants.interval = 1.0
    R.instants.call_start = R.time
    R.instants.logged = 0.0
    R.fresh = STALE
    status = prepare_step(R, U, 0.0, True)
    if status == OK and R.instants.begun > 0.0:
        find_crossed(R, U)
    if status == OK:
        status = make_rounds(R, U, 0.0, True)
    return status


def find_crossed(R: Record, U: Inputs) -> None:
    """Note as due the functions that have crossed zero since the last call; expects and leaves fresh rates."""
    watch(R)
    time = R.time
    size = 1.0e-6
    R.work[0] = R.x
    for w in range(N_WATCHED):
        R.looked[w].last = R.now[w]
    for k in range(NX):
        R.x[k] += size * R.x_dot[k]
    R.time += size
    evaluate(R, U)
    watch(R)
    for w in range(N_WATCHED):
        value = R.looked[w].last
        R.looked[w].slope = (R.now[w] - value) / size
        R.now[w] = value
    R.x[:] = R.work[0]
    R.time = time
    evaluate(R, U)
    R.fresh = RATES_FRESH
    for w in range(N_WATCHED):
        watched = R.watched[w]
        slope = R.looked[w].slope
        value = R.now[w]
        R.looked[w].before = watched.side
        if time > watched.quiet:
            watched.zone = 0.0
        elif abs(value) <= watched.zone and not is_load_mode(w):
            continue
        reaches = watched.side * slope < 0.0 and abs(value) <= delta(R, U) * abs(slope)
        side = 0.0 if reaches else sign(value)
        if side != watched.side and turns(R, w, side):
            reach_zero(R, U, w, abs(slope))
