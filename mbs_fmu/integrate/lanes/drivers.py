"""Runs of a batch in lanes. The lane module of a model contains a copy of these functions after the model's functions.

A lane computes one member of the batch. R, U and Y have a column for each member: R[k] is one number of all LANES
members. The members take the same fixed steps, with the functions of single runs (METHOD_run_fixed). Where the members
would take different branches, those of the minority leave (codegen/llvm/agreement.py): from then on their numbers have
no meaning. After some steps, or earlier if no lane goes on, a run therefore returns to its caller, who repeats the
steps of the lanes that have left: one by one, with the kernels of single runs, from the record that `save` has stored.
"""

from __future__ import annotations

import numpy as np

from ...kernels.declarations import supplied
from ...kernels.library import common, where
from ...record.fields import Numbers
from ...record.schema import Inputs, Record
from ..stepping.drivers import METHOD_run_fixed

LANES = supplied()
ACTIVE = supplied()  #: address of a number behind the record: 1 while a lane is active, 0 after it has left
FAILED = supplied()  #: address of a number behind the record: 1 if the member has failed, which its caller writes
SAVED_ROW = supplied()  #: address of a number behind the record: number of rows written before the last `save`
N_SAVED = supplied()  #: number of parts of a record that steps change
#: First number and end of each of these parts; the writer of the module supplies them.
SAVED = np.zeros(2, dtype=np.int64)


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


def save(R: Record, S: Record) -> None:
    """Copy what steps change to S, and make all lanes active whose members have not failed."""
    for part in range(N_SAVED):
        for k in range(SAVED[2 * part], SAVED[2 * part + 1]):
            S[k] = R[k]
    R[ACTIVE] = where(R[FAILED] > 0.5, 0.0, 1.0)


def METHOD_run_lanes(
    R: Record, S: Record, U: Inputs, Y: Numbers, row: int, step: float, chunk: int, budget: int
) -> int:
    """Make fixed steps of METHOD in all lanes through the output times from row `row` on, as METHOD_run_fixed.

    Returns the number of rows written up to now, or -1 - status if no lane goes on. The call ends after `budget` steps
    and rows, or when lanes have left. They are repeated from S, which contains the record from before the last `chunk`
    steps and rows; R[SAVED_ROW] is the number of rows written until then.
    """
    rows = int(common(U.rows))
    done = 0
    while row < rows and done < budget:
        save(R, S)
        R[SAVED_ROW] = row
        row = METHOD_run_fixed(R, U, Y, row, step, chunk)
        if row < 0 or not every(R[ACTIVE] + R[FAILED] > 0.5):
            return row
        done += chunk
    return row
