"""Steps of groups of lanes between two calls of Python, and new starts of some lanes. A lane module contains copies.

A contains the records of all groups one after the other, `size` rows each, with a column for each lane. Rows of C and M
belong to one group each: the number of intervals since the start of each member, and 1 for members to start anew. Every
member has its own time, C * interval.
"""

from __future__ import annotations

from ...kernels.declarations import Record
from ...kernels.library import tail, where
from ...kernels.linked import momenta, outputs
from ...kernels.names import BASE, DONE, F0, N_OUTPUTS, NX, OUTPUTS, SIDE, STEPS, TIME, X0
from ..stepping.clock import nearness
from ..stepping.drivers import METHOD_advance, copy, evaluate, normalise
from .drivers import every, watch


def METHOD_interval(R: Record, U: Record, start: float, stop: float, step: float, steps: int) -> None:
    """Make equal steps of METHOD in all lanes, each from its own time `start` to `stop`, then compute outputs.

    The inputs may have changed since the last call. `step` is the size of steps for messages of failures. The steps
    are those of METHOD_onward.

    Reads: drive_impulses, drive_rests, head, outputs, p, p_dot, q, q_dot, z, z_dot. Writes: head, stages, x0.
    """
    h = (stop - start) / steps
    R[SIDE] = nearness(start, h)
    for k in range(steps):
        evaluate(R, U)
        watch(R, F0, NX, 0, step, 0)
        METHOD_advance(R, U, start + k * h, h)
        R[TIME] = start + k * h
        watch(R, X0, NX, 0, step, 0)
        normalise(R)
        R[TIME] = stop if k == steps - 1 else start + (k + 1) * h
        R[STEPS] += where(R[DONE] < 0.0, 1.0, 0.0)
    evaluate(R, U)
    outputs(R)
    watch(R, F0, NX, 0, step, 0)
    watch(R, OUTPUTS, N_OUTPUTS, NX, step, 0)


def METHOD_groups(
    A: Record, U: Record, C: Record, size: int, first: int, last: int, interval: float, steps: int
) -> None:
    """Advance the groups from `first` to `last`, exclusive, by one interval, in `steps` steps of METHOD.

    Reads: C. Writes: C.
    """
    for g in range(first, last):
        METHOD_interval(tail(A, g * size), U, C[g] * interval, (C[g] + 1.0) * interval, interval / steps, steps)
        C[g] += 1.0


def clear_lanes(A: Record, T: Record, C: Record, M: Record, size: int, groups: int) -> None:
    """Replace the records of the members that M marks by T, and the numbers of their intervals by zero.

    Reads: M, T. Writes: A, C.
    """
    for g in range(groups):
        if not every(M[g] < 0.5):
            for k in range(size):
                A[g * size + k] = where(M[g] > 0.5, T[k], A[g * size + k])
            C[g] = where(M[g] > 0.5, 0.0, C[g])


def begin_groups(A: Record, U: Record, M: Record, size: int, groups: int, from_velocities: int) -> None:
    """Compute rates and outputs of the members that M marks, before that their momenta if `from_velocities` is 1.

    Reads: M.
    """
    for g in range(groups):
        if not every(M[g] < 0.5):
            if from_velocities == 1:
                begin_lanes(tail(A, g * size), M[g])
            settle_lanes(tail(A, g * size), U)


def begin_lanes(R: Record, mark: float) -> None:
    """Normalise quaternions and compute momenta of the marked lanes from their start values.

    Reads: p, q, x0, z. Writes: drive_impulses, p, q, x0, z.
    """
    copy(R, X0, BASE, NX)
    normalise(R)
    momenta(R)
    for k in range(NX):
        R[X0 + k] = where(mark > 0.5, R[X0 + k], R[BASE + k])


def settle_lanes(R: Record, U: Record) -> None:
    """Compute rates and outputs of all lanes; they stay the same where states and inputs do.

    Reads: outputs.
    """
    evaluate(R, U)
    outputs(R)
    watch(R, F0, NX, 0, 0.0, 0)
    watch(R, OUTPUTS, N_OUTPUTS, NX, 0.0, 0)
