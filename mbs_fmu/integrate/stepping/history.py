"""The history of multistep methods: functions that store it and check that it is still valid.

The state, inputs and parameters at the end of a call are stored with the history's vectors. If the next call begins
with other values (set from outside, or restored after a failure), the history is discarded. So results depend on the
record alone.
"""

from __future__ import annotations

from ...kernels.declarations import Record
from ...kernels.names import (
    HISTORY,
    HISTORY_SIZE,
    HISTORY_STEP,
    HISTORY_TIME,
    INPUTS,
    N_INPUTS,
    N_PARAMETERS,
    NX,
    PARAMETERS,
    TIME,
    X0,
)
from .drivers import copy


def history_holds(R: Record, U: Record) -> bool:
    """True if time, state, inputs and parameters are those at the end of the last call.

    Reads: U, drive_impulses, head, history, inputs, p, parameters, q, z.
    """
    stored = HISTORY + HISTORY_SIZE
    is_same = R[HISTORY] > 0.0 and R[HISTORY_TIME] == R[TIME]
    for k in range(NX):
        is_same = is_same and R[stored + k] == R[X0 + k]
    for k in range(N_INPUTS):
        is_same = is_same and (U[2 * k + 1] > 0.0 or R[stored + NX + k] == R[INPUTS + k])
    for k in range(N_PARAMETERS):
        is_same = is_same and R[stored + NX + N_INPUTS + k] == R[PARAMETERS + k]
    return is_same


def note_history(R: Record, h: float) -> None:
    """Store the values that `history_holds` compares, and the step size.

    Reads: drive_impulses, head, inputs, p, parameters, q, z. Writes: history.
    """
    stored = HISTORY + HISTORY_SIZE
    R[HISTORY_STEP] = h
    R[HISTORY_TIME] = R[TIME]
    copy(R, X0, stored, NX)
    copy(R, INPUTS, stored + NX, N_INPUTS)
    copy(R, PARAMETERS, stored + NX + N_INPUTS, N_PARAMETERS)


def other_step(R: Record, stop: float, h: float) -> bool:
    """True if the step size h differs from the last one by more than the rounding of times.

    Reads: head, history.
    """
    return abs(h - R[HISTORY_STEP]) > 1.0e-12 * h + 8.9e-16 * max(abs(stop), abs(R[TIME]))


def move_history(R: Record, before: float) -> None:
    """Move the time of the history from `before` to the present time.

    Reads: head, history. Writes: history.
    """
    if R[HISTORY_TIME] == before:
        R[HISTORY_TIME] = R[TIME]
