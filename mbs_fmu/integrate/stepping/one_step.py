"""One step of a method, for exported C code, whose users write the time loop (docs/c_sources.md).

Only its text contains these functions, after all others (`write.one_step_functions`).
"""

from __future__ import annotations

from ...kernels.constants import ALL_FRESH, BUDGET, MOST_PARTS, OK
from ...kernels.linked import derive, outputs
from ...record.schema import N_BEATS, N_CLOCKS, N_SWITCHES, Inputs, Record
from .drivers import METHOD_finish, METHOD_step_to, check_outputs, prepare_step, start_means
from .hooks import METHOD_enter
from .importers import begin_call
from .parts import METHOD_part


def evaluate_without_tables(R: Record, U: Inputs) -> None:
    """Compute all rates at the present state; in place of `evaluate`, because inputs are constant during a step."""
    derive(R)
    R.evaluations += 1.0


def finish_call_evaluated(R: Record, U: Inputs, beginning: float, h: float, controlled: bool) -> int:
    """Compute rates and outputs at the end of a step; return a status. In place of `finish_call`, with one evaluation.

    `finish_call` also serves calls without a step, after which only the derivatives may be up to date. After a step,
    `prepare_step` leaves all rates up to date, so that no second evaluation is needed, nor counted in the bound
    of operations that the header of the C code states.
    """
    status = prepare_step(R, U, h, controlled)
    if status != OK:
        return status
    outputs(R)
    R.fresh = ALL_FRESH
    return check_outputs(R, beginning, h)


def restore_call_start_outside(R: Record, time: float, status: int) -> int:
    """Return the status; in place of `restore_call_start`, because the program restores its copy of the record."""
    return status


def log_nothing(R: Record, kind: int, owner: int, before: float, after: float, lost: float) -> None:
    """In place of `log_entry`: nobody reads a log, and the program's record has none."""


def log_nothing_at(R: Record, time: float, n: float, kind: int, owner: int, before: float, after: float) -> None:
    """In place of `log_at`."""


def no_energy(R: Record) -> float:
    """Return 0 in place of `energy_of_rates`, whose results only the log contains."""
    return 0.0


def METHOD_single(R: Record, U: Inputs, h: float, end: float) -> int:
    """Make one step of METHOD of size h to the time `end`, then compute rates and outputs; return a status.

    METHOD_fixed determines from the rounded interval how many steps it needs, so that its cost varies. A failure leaves
    the record invalid: the C function NAME_step restores all that a step changes (`record.regions.changing`).
    """
    start_means(R)
    start = R.time
    METHOD_enter(R, U, end, h)
    status = METHOD_step_to(R, U, start, h, end)
    if status != OK:
        return status
    return METHOD_finish(R, U, start, h)


def METHOD_single_in_parts(R: Record, U: Inputs, h: float, end: float) -> int:
    """Make one step as METHOD_single, in models with crossings: in a part, or several with clocks or switching times.

    Inputs that have changed since the last step, whose rates are stale then, jump at its beginning.
    """
    begin_call(R, U, end)
    start = R.time
    METHOD_enter(R, U, end, h)
    status = METHOD_part(R, U, start, h, end)
    if N_CLOCKS + N_SWITCHES + N_BEATS > 0:
        for _ in range(MOST_PARTS):
            if status != OK or R.time >= end:
                break
            status = METHOD_part(R, U, start, h, end)
        if status == OK and R.time < end:
            status = BUDGET
    if status != OK:
        return status
    return METHOD_finish(R, U, start, h)
