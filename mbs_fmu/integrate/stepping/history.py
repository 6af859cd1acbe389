"""The history of methods: functions that store it and check that it is still valid.

The state, inputs and parameters at the end of a call are stored with the history's vectors. If the next call begins
with other values (set from outside, or restored after a failure), the history is discarded. So results depend on the
record alone.
"""

from __future__ import annotations

from ...record.schema import N_INPUTS, N_PARAMETERS, NX, Inputs, Record


def history_holds(R: Record, U: Inputs) -> bool:
    """True if a history is stored, and time, state, inputs and parameters are those at the end of the last call."""
    is_same = R.history.count > 0.0 and R.history.time == R.time
    for k in range(NX):
        is_same = is_same and R.known_x[k] == R.x[k]
    for k in range(N_INPUTS):
        is_same = is_same and (U.tables[k].points > 0.0 or R.known_inputs[k] == R.inputs[k])
    for k in range(N_PARAMETERS):
        is_same = is_same and R.known_parameters[k] == R.parameters[k]
    return is_same


def note_history(R: Record, h: float) -> None:
    """Store the values that `history_holds` compares, and the step size h."""
    R.history.step = h
    R.history.time = R.time
    R.known_x[:] = R.x
    R.known_inputs[:] = R.inputs
    R.known_parameters[:] = R.parameters


def other_step(R: Record, stop: float, h: float) -> bool:
    """True if the size h of steps up to `stop` differs from that of the history by more than the rounding of times."""
    return abs(h - R.history.step) > 1.0e-12 * h + 8.9e-16 * max(abs(stop), abs(R.time))


def move_history(R: Record, before: float) -> None:
    """Move the time of the history to the present time, if it is `before`."""
    if R.history.time == before:
        R.history.time = R.time
