"""Trial steps that fail although something ends the step, or the run, before the failure.

The modules of models with crossings contain copies of these functions. A law may be undefined beyond a stop, limit or
reset that keeps the motion from going there. A fixed step that fails, or whose end is not finite, is then made in
parts. The size of a part is halved until the part succeeds, and each part is searched as a step is. If nothing acts
before the end of the step, it fails as the whole step did.
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
from ...kernels.hooks import choose_rows
from ...kernels.tolerances import LEAST_SUBSTEP_SHARE
from ...record.schema import N_HISTORY_VECTORS, N_WATCHED, NX, Inputs, Record
from .crossings import acts, direction_of, is_event, side_at, watch
from .drivers import METHOD_step_to, fail, finite
from .windows import delta


def METHOD_step_or_substep(R: Record, U: Inputs, time: float, h: float, end: float) -> int:
    """Make one step of METHOD from `time` to `end`, of size h, or a part of it if the whole fails; return a status.

    With status OK, the step or part ends at the present time. Expects the watched functions at the beginning of the
    step.
    """
    if R.at_steps != 0.0 or not may_act(R):
        status = METHOD_step_to(R, U, time, h, end)
        if status == OK:
            evaluate_step_end(R, U)
        return status
    size = first_size(R, time, h)
    status = METHOD_step_to(R, U, time, size, end if size == h else time + size)
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
            return without_parts(R, U, METHOD_step_to(R, U, time, h, end), h)
        status = METHOD_step_to(R, U, time, size, time + size)
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
    """True if a crossing may end a step or the run."""
    some = False
    for w in range(N_WATCHED):
        some = some or acts(w)
    return some


def is_trial_valid(R: Record, U: Inputs, status: int) -> bool:
    """True unless a trial that ended with this status must be repeated with a smaller size.

    After a success, evaluates rates and watched functions at the end, where they must be finite.
    """
    if status != OK:
        is_beyond = status == NON_FINITE
        is_beyond = is_beyond or status == NOT_CONVERGED
        return not (is_beyond or status == FAILED_START_CHECK)
    evaluate_step_end(R, U)
    return finite(R, R.x_dot, NX) < 0 and not is_lost_from_sight(R)


def evaluate_step_end(R: Record, U: Inputs) -> None:
    """Compute rates and the watched functions at the end of a step, with the left limits of inputs."""
    R.side = -delta(R, U)
    choose_rows(R, U, False)  # also serves the next step if this one does not end early
    R.fresh = ROWS_CHOSEN if READY_STEPS > 0 else RATES_FRESH
    watch(R)


def is_lost_from_sight(R: Record) -> bool:
    """True if a function that may act was a number at the beginning of the step and is NaN now."""
    lost = False
    for w in range(N_WATCHED):
        value = R.watched[w].value
        lost = lost or (acts(w) and R.now[w] != R.now[w] and value == value)
    return lost


def something_ends_trial(R: Record) -> bool:
    """True if a function that acts crosses zero before the present time, at which the functions are evaluated."""
    some = False
    for w in range(N_WATCHED):
        watched = R.watched[w]
        side = side_at(R, w, watched.side, R.now[w], R.time)
        some = some or (acts(w) and is_event(watched.side, watched.open, side, direction_of(w)))
    return some


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
