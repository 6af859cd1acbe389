"""One step of a method, for exported C code, whose users write the time loop (docs/c_sources.md).

Only its text contains these functions, after all others (`write.one_step_functions`).
"""

from __future__ import annotations

from ...kernels.constants import ALL_FRESH, OK
from ...kernels.linked import derive, outputs
from ...record.schema import N_MODES, Inputs, Record
from .drivers import METHOD_finish, METHOD_step_to, check_outputs, prepare_step, start_means
from .hooks import METHOD_enter


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


def log_changes_outside(R: Record, before: float) -> None:
    """Set R.fault to a closure whose mode changed; in place of `log_changes`, because nobody reads a log."""
    for g in range(N_MODES):
        if R.modes[g] != R.mode_old[g]:
            R.fault = g


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
