"""What methods remember from step to step, as text: whether it still holds, and noting it.

State, inputs and parameters at the end of a call are kept beside the vectors. A call that finds others (set from
outside, or taken back after a failure) begins anew, so that a record's future depends on nothing but the record.
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
    """Whether time, state, inputs and parameters are those in which the last call ended.

    Reads: U, drive_impulses, head, history, inputs, p, parameters, q, z.
    """
    known = HISTORY + HISTORY_SIZE
    is_same = R[HISTORY] > 0.0 and R[HISTORY_TIME] == R[TIME]
    for k in range(NX):
        is_same = is_same and R[known + k] == R[X0 + k]
    for k in range(N_INPUTS):
        is_same = is_same and (U[2 * k + 1] > 0.0 or R[known + NX + k] == R[INPUTS + k])
    for k in range(N_PARAMETERS):
        is_same = is_same and R[known + NX + N_INPUTS + k] == R[PARAMETERS + k]
    return is_same


def note_history(R: Record, h: float) -> None:
    """What must be so again when the history is used.

    Reads: drive_impulses, head, inputs, p, parameters, q, z. Writes: history.
    """
    known = HISTORY + HISTORY_SIZE
    R[HISTORY_STEP] = h
    R[HISTORY_TIME] = R[TIME]
    copy(R, X0, known, NX)
    copy(R, INPUTS, known + NX, N_INPUTS)
    copy(R, PARAMETERS, known + NX + N_INPUTS, N_PARAMETERS)


def other_step(R: Record, stop: float, h: float) -> bool:
    """Whether steps of size h are others than before, by more than the times' rounding explains.

    Reads: head, history.
    """
    return abs(h - R[HISTORY_STEP]) > 1.0e-12 * h + 8.9e-16 * max(abs(stop), abs(R[TIME]))


def move_history(R: Record, before: float) -> None:
    """What is remembered of the time before belongs to the present one.

    Reads: head, history. Writes: history.
    """
    if R[HISTORY_TIME] == before:
        R[HISTORY_TIME] = R[TIME]
