"""The time loop of a batch in lanes. The lane module of a model contains a copy of it after the model's functions.

A lane computes one member of the batch. R and U have a column for each member: R[k] is one number of all LANES members.
Y contains the results of the members one after the other. All members take the same fixed steps, so that time, step
size and number of rows are common. A failure in a lane is stored in the head of that member's record and does not stop
others.
"""

from __future__ import annotations

import numpy as np

from ...kernels.constants import NON_FINITE
from ...kernels.declarations import supplied
from ...kernels.library import common, tail, where
from ...kernels.linked import outputs
from ...record.fields import Numbers
from ...record.schema import N_COLUMNS, N_OUTPUTS, NX, Inputs, Record
from ..stepping.clock import nearness
from ..stepping.drivers import METHOD_advance, equal_steps, evaluate, fail, finite, normalise, output_time, record

LANES = supplied()


def column(R: Record, lane: int) -> Record:
    """Return the record of one member."""
    return R[:, lane]  # type: ignore[index, return-value]


def lane_of(R: Record, place: int, lane: int) -> float:
    """Return the number at address `place` in the record of one member."""
    own = column(R, lane)
    return own[place]


def every(condition: bool) -> bool:
    """True if a condition holds in all lanes."""
    return bool(np.all(condition))


def note_failed_member(R: Record, first: int, size: int, index: int, h: float, row: int) -> None:
    """Record the failure of one member if one of its numbers is not finite, unless the member has failed before.

    R is the record of this member; the other arguments are as in `note_failed_members`. `fail` stores the index of the
    first such number, and R.done the row.
    """
    fault = finite(R, R.at(first), size)  # index of the first number that is not finite, or -1
    if fault >= 0 and R.done < 0.0:
        fail(R, index + fault, h, NON_FINITE)
        R.done = row


def note_failed_members(R: Record, first: int, size: int, index: int, h: float, row: int) -> None:
    """Record the failure of members with a number that is not finite, at row `row` of their results.

    `first` is the address of the first of `size` numbers, `index` the index of this first number among the components
    that can fail, and h the size of the step that fails.
    """
    total = 0.0
    for k in range(size):
        total += 0.0 * R[first + k]
    if not every(total == 0.0):
        for lane in range(LANES):
            note_failed_member(column(R, lane), first, size, index, h, row)


def METHOD_lanes(R: Record, U: Inputs, start: float, stop: float, step: float, row: int, budget: int) -> int:
    """Make steps of about size `step` in all lanes, as METHOD_onward does, from row `row` - 1 to row `row`.

    These rows are at the times `start` and `stop`; the steps that are made already follow from R.time. At most `budget`
    steps are made if it is positive. Return the number of steps made. Expects the rates of the present state; at `stop`
    rates and outputs are computed.
    """
    n = equal_steps(start, stop, step)
    h = (stop - start) / n
    done = int((common(R.time) - start) / h + 0.5)
    last = min(n, done + budget) if budget > 0 else n
    for k in range(done, last):
        if k > 0:
            evaluate(R, U)
        note_failed_members(R, R.x_dot.address, NX, 0, h, row)
        METHOD_advance(R, U, start + k * h, h)
        R.time = start + k * h
        note_failed_members(R, R.x.address, NX, 0, h, row)
        normalise(R)
        R.time = stop if k == n - 1 else start + (k + 1) * h
        R.steps += where(R.done < 0.0, 1.0, 0.0)
    if last == n:
        evaluate(R, U)
        outputs(R)
        note_failed_members(R, R.outputs.address, N_OUTPUTS, NX, h, row)
    return last - done


def METHOD_run_lanes(R: Record, U: Inputs, Y: Numbers, members: int, row: int, step: float, budget: int) -> int:
    """Make fixed steps of METHOD through the output times from row `row` on, for the first `members` lanes.

    Returns the number of rows written up to now; a positive `budget` limits the steps of a call as in METHOD_run_fixed.
    R.done must be -1 at the start; at the end it is the number of valid rows of a member that has failed.
    """
    rows = int(common(U.rows))
    done = 0
    if row == 0:
        R.side = nearness(common(R.time), step)
        evaluate(R, U)
        outputs(R)
        for lane in range(members):
            record(column(R, lane), tail(Y, lane * rows * N_COLUMNS), 0)
        row = 1
    while row < rows:
        if 0 < budget <= done:
            return row
        start = common(output_time(U, row - 1))
        stop = common(output_time(U, row))
        done += METHOD_lanes(R, U, start, stop, step, row, budget - done if budget > 0 else 0) + 1
        if common(R.time) < stop:
            return row
        for lane in range(members):
            record(column(R, lane), tail(Y, lane * rows * N_COLUMNS), row)
        row += 1
    return row
