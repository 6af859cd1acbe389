"""Steps of a batch for one interval at a time, and new starts of some members. A lane module contains copies.

The members of the batch are divided into groups, one member for each lane of a group.

A contains the records of all groups one after the other, `size` rows each, with a column for each lane. S contains as
many rows as one of these records, for what `save` copies. C and M have a row for each group, with a number for each
lane: in C the number of intervals since the start of the member, in M 1 if the member starts anew. Every member has its
own time, C * interval.
"""

from __future__ import annotations

from ...kernels.constants import ALL_FRESH, OK
from ...kernels.library import tail, where
from ...kernels.linked import momenta, outputs
from ...record.fields import Numbers
from ...record.schema import NX, Inputs, Record
from ..stepping.drivers import METHOD_fixed, evaluate, normalise
from .drivers import ACTIVE, FAILED, every, save


def METHOD_groups(
    A: Record, S: Record, U: Inputs, C: Numbers, size: int, first: int, last: int, interval: float, step: float
) -> int:
    """Advance the groups from `first` to `last`, exclusive, by one interval, in steps of METHOD of at most `step`.

    Returns `last`, or the first group of which lanes have left: these are inactive, and the groups behind it have not
    advanced. The caller repeats the interval of these lanes from S, and then continues with the next group. S stays in
    the cache, because all groups use the same.
    """
    for g in range(first, last):
        left = METHOD_group(tail(A, g * size), S, U, (C[g] + 1.0) * interval, step)
        C[g] += 1.0
        if left > 0:
            return g
    return last


def METHOD_group(R: Record, S: Record, U: Inputs, stop: float, step: float) -> int:
    """Make fixed steps of METHOD to time `stop` in all lanes of a group; return 1 if lanes have left, else 0."""
    save(R, S)
    if every(R[FAILED] > 0.5):
        return 0
    status = METHOD_fixed(R, U, stop, step, 0)
    if status != OK:
        R[ACTIVE] = 0.0
    return 0 if every(R[ACTIVE] + R[FAILED] > 0.5) else 1


def clear_lanes(A: Record, T: Numbers, C: Numbers, M: Numbers, size: int, groups: int) -> None:
    """Replace the records of members with 1 in M by the record T, and their numbers of intervals in C by zero."""
    for g in range(groups):
        if not every(M[g] < 0.5):
            for k in range(size):
                A[g * size + k] = where(M[g] > 0.5, T[k], A[g * size + k])
            C[g] = where(M[g] > 0.5, 0.0, C[g])


def begin_groups(A: Record, U: Inputs, M: Numbers, size: int, groups: int, from_velocities: int) -> int:
    """Compute rates and outputs of members with 1 in M; before that their momenta, if `from_velocities` is 1.

    Returns the number of groups of which lanes have left.
    """
    left = 0
    for g in range(groups):
        if not every(M[g] < 0.5):
            left += begin_group(tail(A, g * size), U, M[g], from_velocities)
    return left


def begin_group(R: Record, U: Inputs, mark: float, from_velocities: int) -> int:
    """Do the part of `begin_groups` for one group; return 1 if lanes have left, else 0."""
    R[ACTIVE] = 1.0
    R[FAILED] = where(mark > 0.5, 0.0, R[FAILED])
    if from_velocities == 1:
        begin_lanes(R, mark)
    evaluate(R, U)  # rates of unchanged states and inputs stay the same to the last bit
    outputs(R)
    R.fresh = where(mark > 0.5, 1.0 * ALL_FRESH, R.fresh)
    return 0 if every(R[ACTIVE] > 0.5) else 1


def begin_lanes(R: Record, mark: float) -> None:
    """Normalise quaternions, and compute momenta from start velocities, in lanes where `mark` is 1."""
    R.step_start[:] = R.x
    normalise(R)
    momenta(R)
    for k in range(NX):
        R.x[k] = where(mark > 0.5, R.x[k], R.step_start[k])
