"""Time loops of runs in models with crossings: they replace those of drivers.py and adaptive.py.

A result row is the state at the left limit (t, 0). What is due there is done when the next part of a step begins, so
that a run ends before it. The last row of a run that an event ends is the state at that event.
"""

from __future__ import annotations

from ...kernels.constants import BUDGET, OK, STEP_NOT_FELT
from ...kernels.linked import switches
from ...kernels.logs import empty_log, log_fills
from ...record.fields import Numbers
from ...record.schema import N_COLUMNS, Inputs, Record
from .adaptive import METHOD_rows
from .clock import is_lost
from .drivers import (
    METHOD_finish,
    equal_steps,
    fail,
    output_time,
    prepare_step,
    record,
    refresh,
    start_means,
)
from .hooks import METHOD_enter, METHOD_leave
from .instants import start_watching
from .parts import METHOD_part, METHOD_step
from .windows import delta


def METHOD_run_fixed(R: Record, U: Inputs, Y: Numbers, row: int, step: float, budget: int) -> int:
    """Make fixed steps of METHOD through the output times from row `row` on, in parts that end at instants.

    Returns the number of rows written by this and earlier calls, or -1 - status. It returns early if the log fills, and
    if `budget` is positive after `budget` steps; the next call continues there.
    """
    rows = int(U.rows)
    done = 0
    empty_log(R)
    switches(R)
    if row == 0:
        status = start_watching(R, U, step, False)
        if status != OK:
            R.done = 0.0
            return -1 - status
        refresh(R, U)
        record(R, Y, 0)
        row = 1
    interval = R.output_interval
    while row < rows:
        if 0 < budget <= done or log_fills(R):
            return row
        stop = output_time(U, row)
        if interval.steps == 0.0:
            refresh(R, U)
            start_means(R)
            interval.start = R.time
            interval.steps = equal_steps(R.time, stop, step)
            interval.done = 0.0
        h = (stop - interval.start) / interval.steps
        if is_lost(0.25 * h, interval.start, stop):
            R.done = row
            return -1 - fail(R, 0, step, STEP_NOT_FELT)
        METHOD_enter(R, U, stop, h)
        start = interval.start + interval.done * h
        end = stop if interval.done + 1.0 == interval.steps else interval.start + (interval.done + 1.0) * h
        status = METHOD_part(R, U, start, h, end)
        if status == BUDGET:
            return row
        if status == OK:
            METHOD_leave(R, U, h)
            if R.instants.stopped > 0.0:
                return last_row(R, U, Y, row)
            if R.time == end:
                interval.done += 1.0
                done += 1
            if R.time == stop:
                status = METHOD_finish(R, U, start, h)
        if status != OK:
            R.done = row
            return -1 - status
        if R.time == stop:
            record(R, Y, row)
            interval.steps = 0.0
            row += 1
    return row


def last_row(R: Record, U: Inputs, Y: Numbers, row: int) -> int:
    """Write the row at the event that ends the run, in place of one at the same time; return the number of rows."""
    if Y[(row - 1) * N_COLUMNS] == R.time:
        row -= 1
    refresh(R, U)
    record(R, Y, row)
    return row + 1


def METHOD_run_adaptive(R: Record, U: Inputs, Y: Numbers, row: int, tolerance: float, budget: int) -> int:
    """Make steps of METHOD with error control, with dense output at the output times from row `row` on.

    Returns the number of rows written, or -1 - status. It returns early if the log fills, and if `budget` is positive
    after `budget` steps; the next call continues there.
    """
    rows = int(U.rows)
    done = 0
    empty_log(R)
    switches(R)
    if row == 0:
        status = start_watching(R, U, R.step, True)
        if status != OK:
            R.done = 0.0
            return -1 - status
        refresh(R, U)
        record(R, Y, 0)
        row = 1
    while row < rows:
        if 0 < budget <= done or log_fills(R):
            return row
        start = R.time
        start_means(R)
        status = METHOD_step(R, U, U.stop, tolerance)
        if status == BUDGET:
            return row
        if status != OK:
            R.done = row
            return -1 - status
        if output_time(U, row) <= R.time:
            R.done = row
            row = METHOD_rows(R, U, Y, row, start, R.time)
            if row < 0:
                return row
        if R.instants.stopped > 0.0:
            return last_row(R, U, Y, row)
        done += 1
    return row


def prepare_row(R: Record, U: Inputs) -> int:
    """Compute rates and outputs for a result row at the end of a part, with left limits; return a status."""
    R.side = -delta(R, U)
    status = prepare_step(R, U, R.step, True)
    if status == OK:
        refresh(R, U)
    R.side = 0.0
    return status
