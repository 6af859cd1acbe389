"""Trial steps that fail although something ends the step, or the run, before the failure.

The modules of models with constraint modes, sampled signals, resets, or events that end runs contain copies of these
functions. A law may be undefined beyond a stop, limit or reset that keeps the motion from going there. A fixed step
that fails, or whose end is not finite, is then made in parts. The size of a part is halved until the part succeeds, and
each part is searched as a step is. If nothing acts before the end of the step, it fails as the whole step did.
"""

from __future__ import annotations

from ...kernels.constants import (
    FAILED_START_CHECK,
    MOST_TRIED,
    NON_FINITE,
    NOT_CONVERGED,
    OK,
    RATES_FRESH,
    READY_STEPS,
    ROWS_CHOSEN,
    STALE,
)
from ...kernels.hooks import choose_rows, evaluate_ends, evaluate_indicators
from ...kernels.library import crosses
from ...kernels.tolerances import LEAST_SUBSTEP_SHARE
from ...record.schema import EVENT_DIRECTIONS, N_ENDINGS, N_EVENTS, N_HISTORY_VECTORS, NX, STOPS, Inputs, Record
from .drivers import evaluate, fail, finite
from .hooks import METHOD_plain_step_to


def METHOD_step_or_substep(R: Record, U: Inputs, time: float, h: float, end: float) -> int:
    """Make one step of METHOD from `time` to `end`, of size h, or a part of it if the whole fails; return a status.

    With status OK, the step or part ends at the present time. Expects the monitored quantities at the beginning of the
    step.
    """
    if R.at_steps != 0.0 or not may_act(R):
        return METHOD_plain_step_to(R, U, time, h, end)
    size = first_size(R, time, h)
    status = METHOD_plain_step_to(R, U, time, size, end if size == h else time + size)
    while not is_trial_valid(R, U, status):
        if size == h and R.failed_trial.part_size == 0.0:
            note_failure(R, status)
        size *= 0.5
        is_last = size <= LEAST_SUBSTEP_SHARE * h or time + size <= time
        if is_last and R.failed_trial.status != OK:
            return earlier_failure(R)
        R.x[:] = R.step_start
        R.time = time
        invalidate(R)
        if is_last:
            return without_parts(R, U, METHOD_plain_step_to(R, U, time, h, end), h)
        status = METHOD_plain_step_to(R, U, time, size, time + size)
    return concluded(R, status, size, h)


def first_size(R: Record, time: float, h: float) -> float:
    """Return the size of the first trial from `time`: h, or twice the last part's if the whole step has failed."""
    if R.failed_trial.part_size == 0.0 or R.failed_trial.end != time:
        R.failed_trial.part_size = R.failed_trial.status = R.failed_trial.parts = 0.0
        return h
    discard_history(R)
    size = 2.0 * R.failed_trial.part_size
    return size if size < 0.75 * h else h  # type: ignore[no-any-return]


def may_act(R: Record) -> bool:
    """True if modes or resets may end a step, or an event may end the run."""
    return N_ENDINGS > 0 or is_watched(R)


def is_watched(R: Record) -> bool:
    """True if this is a run with fixed steps that an event may end."""
    stopping = 0
    for i in range(N_EVENTS):
        stopping += STOPS[i]
    return stopping > 0 and R.event_search.steps > 0.0


def is_trial_valid(R: Record, U: Inputs, status: int) -> bool:
    """True unless a trial that ended with this status must be repeated with a smaller size.

    After a success, evaluates rates and monitored quantities at the end, where they must be finite.
    """
    if status != OK:
        is_beyond = status == NON_FINITE
        is_beyond = is_beyond or status == NOT_CONVERGED
        return not (is_beyond or status == FAILED_START_CHECK)
    if N_ENDINGS > 0:
        evaluate_step_end(R, U)
    else:
        evaluate(R, U)
        R.fresh = STALE if READY_STEPS > 0 else RATES_FRESH
    if is_watched(R):
        evaluate_indicators(R)
    return finite(R, R.x_dot, NX) < 0 and not is_lost_from_sight(R)


def evaluate_step_end(R: Record, U: Inputs) -> None:
    """Compute rates, and the distances of modes and resets, at the end of a step."""
    choose_rows(R, U, False)  # also serves the next step if this one does not end early
    R.fresh = ROWS_CHOSEN if READY_STEPS > 0 else RATES_FRESH
    evaluate_ends(R)


def is_lost_from_sight(R: Record) -> bool:
    """True if a quantity that may end the step or the run was a number at the beginning of the step and is NaN now."""
    lost = False
    for g in range(N_ENDINGS):
        lost = lost or (R.end_now[g] != R.end_now[g] and R.end_values[g] == R.end_values[g])
    if is_watched(R):
        for i in range(N_EVENTS):
            is_none = R.indicators[i] != R.indicators[i]
            lost = lost or (STOPS[i] > 0 and is_none and R.event_values[0, i] == R.event_values[0, i])
    return lost


def something_ends_trial(R: Record) -> bool:
    """True if something ends the step or the run before the present time, at which the quantities are evaluated."""
    some = some_end(R)
    if is_watched(R):
        for i in range(N_EVENTS):
            some = some or (STOPS[i] > 0 and crosses(R.event_values[0, i], R.indicators[i], EVENT_DIRECTIONS[i]))
    return some


def some_end(R: Record) -> bool:
    """True if a quantity that was positive before the step is zero or less now."""
    any_end = False
    for g in range(N_ENDINGS):
        any_end = any_end or (R.end_values[g] > 0.0 and R.end_now[g] <= 0.0)
    return any_end


def note_failure(R: Record, status: int) -> None:
    """Store how a whole step has failed, for `earlier_failure`."""
    R.failed_trial.status = status
    R.failed_trial.fault = R.fault
    R.failed_trial.time = R.fault_time
    R.failed_trial.step = R.failed_step


def earlier_failure(R: Record) -> int:
    """Record the failure of the whole step again, and return its status: nothing has acted before its end."""
    fail(R, int(R.failed_trial.fault), R.failed_trial.step, NON_FINITE)
    R.fault_time = R.failed_trial.time
    R.failed_trial.part_size = 0.0
    return int(R.failed_trial.status)


def without_parts(R: Record, U: Inputs, status: int, h: float) -> int:
    """Conclude a whole step of size h after no part of it succeeded; return a status.

    `status` is that of the whole step, whose end may not be finite. Without finite rates, nothing can be located in it.
    """
    R.failed_trial.part_size = 0.0
    if status != OK or is_trial_valid(R, U, status) or not something_ends_trial(R):
        return status
    fault = finite(R, R.x_dot, NX)
    return fail(R, fault, h, NON_FINITE) if fault >= 0 else OK


def concluded(R: Record, status: int, size: float, h: float) -> int:
    """Conclude a step of size h after a trial of `size` that need not be repeated; return a status."""
    if size == h and R.failed_trial.part_size == 0.0:
        return status
    goes_on = status == OK and not something_ends_trial(R)
    if goes_on and size < h and R.failed_trial.parts < MOST_TRIED:
        R.failed_trial.parts += 1.0
        R.failed_trial.part_size = size
        R.failed_trial.end = R.time
        return OK
    if goes_on and R.failed_trial.status != OK:
        return earlier_failure(R)
    R.failed_trial.part_size = 0.0
    return status


def invalidate(R: Record) -> None:
    """Mark the rates as stale and discard the history, because the state has changed."""
    R.fresh = STALE
    discard_history(R)


def discard_history(R: Record) -> None:
    """Discard the history, because the step size changes."""
    if N_HISTORY_VECTORS > 0:
        R.history.count = 0.0
