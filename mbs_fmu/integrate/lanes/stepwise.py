"""Steps of a batch for one interval at a time, and new starts of some members. A lane module contains copies.

The members of the batch are divided into groups, one member for each lane of a group.

A contains the records of all groups one after the other, `size` rows each, with a column for each lane. C and M have a
row for each group, with a number for each lane: in C the number of intervals since the start of the member, in M 1 if
the member starts anew. Every member has its own time, C * interval.
"""

from __future__ import annotations

from ...kernels.library import tail, where
from ...kernels.linked import momenta, outputs
from ...record.fields import Numbers
from ...record.schema import N_OUTPUTS, NX, Inputs, Record
from ..stepping.clock import nearness
from ..stepping.drivers import METHOD_advance, evaluate, normalise
from .drivers import every, note_failed_members


def METHOD_interval(R: Record, U: Inputs, start: float, stop: float, step: float, steps: int) -> None:
    """Make equal steps of METHOD in all lanes, each from its own time `start` to `stop`, then compute outputs.

    The inputs may have changed since the last call. `step` is the step size that failures report. The steps are the
    same as in METHOD_onward.
    """
    h = (stop - start) / steps
    R.side = nearness(start, h)
    for k in range(steps):
        evaluate(R, U)
        note_failed_members(R, R.x_dot.address, NX, 0, step, 0)
        METHOD_advance(R, U, start + k * h, h)
        R.time = start + k * h
        note_failed_members(R, R.x.address, NX, 0, step, 0)
        normalise(R)
        R.time = stop if k == steps - 1 else start + (k + 1) * h
        R.steps += where(R.done < 0.0, 1.0, 0.0)
    evaluate(R, U)
    outputs(R)
    note_failed_members(R, R.x_dot.address, NX, 0, step, 0)
    note_failed_members(R, R.outputs.address, N_OUTPUTS, NX, step, 0)


def METHOD_groups(
    A: Record, U: Inputs, C: Numbers, size: int, first: int, last: int, interval: float, steps: int
) -> None:
    """Advance the groups from `first` to `last`, exclusive, by one interval, in `steps` steps of METHOD."""
    for g in range(first, last):
        METHOD_interval(tail(A, g * size), U, C[g] * interval, (C[g] + 1.0) * interval, interval / steps, steps)
        C[g] += 1.0


def clear_lanes(A: Record, T: Numbers, C: Numbers, M: Numbers, size: int, groups: int) -> None:
    """Replace the records of members with 1 in M by the record T, and their numbers of intervals in C by zero."""
    for g in range(groups):
        if not every(M[g] < 0.5):
            for k in range(size):
                A[g * size + k] = where(M[g] > 0.5, T[k], A[g * size + k])
            C[g] = where(M[g] > 0.5, 0.0, C[g])


def begin_groups(A: Record, U: Inputs, M: Numbers, size: int, groups: int, from_velocities: int) -> None:
    """Compute rates and outputs of members with 1 in M; before that their momenta, if `from_velocities` is 1."""
    for g in range(groups):
        if not every(M[g] < 0.5):
            if from_velocities == 1:
                begin_lanes(tail(A, g * size), M[g])
            evaluate_lanes(tail(A, g * size), U)


def begin_lanes(R: Record, mark: float) -> None:
    """Normalise quaternions, and compute momenta from start velocities, in lanes where `mark` is 1."""
    R.step_start[:] = R.x
    normalise(R)
    momenta(R)
    for k in range(NX):
        R.x[k] = where(mark > 0.5, R.x[k], R.step_start[k])


def evaluate_lanes(R: Record, U: Inputs) -> None:
    """Compute rates and outputs of all lanes; those of unchanged states and inputs stay the same to the last bit."""
    evaluate(R, U)
    outputs(R)
    note_failed_members(R, R.x_dot.address, NX, 0, 0.0, 0)
    note_failed_members(R, R.outputs.address, N_OUTPUTS, NX, 0.0, 0)
