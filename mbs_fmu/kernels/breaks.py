"""Times at which steps with error control end, as kernels: knots of tables over time, switches of conditions on time.

A step knows one side of them only. Where something may jump (a switch, or two values of an input at one time) it is
computed from just behind one such time to just before the next, and the step behind it begins anew.
"""

import numpy as np

from .declarations import Record
from .library import segment
from .names import FRESH, KNOTS, LAST_ERROR, N_INPUTS, N_KNOTS, N_SWITCHES, STALE, STEP, SWITCHES, TIME


def rounding(time: float, stop: float) -> float:
    """How far from its time a condition on time may switch, computed as it is."""
    return 8.9e-16 * max(abs(time), abs(stop))


def following(A: Record, start: int, n: int, time: float) -> float:
    """The first of n times at A[start:] that lies beyond a time; infinite where there is none, or only one in all.

    Reads: start.
    """
    if n < 2 or A[start + n - 1] <= time:
        return np.inf
    return A[start] if time < A[start] else A[start + segment(A, start, n, time) + 1]


def next_break(R: Record, U: Record, time: float, stop: float) -> float:
    """Where a step from `time` must end at the latest.

    Reads: U, switches, values.
    """
    beyond = time + 2.0 * rounding(time, stop)
    found = stop - 2.0 * rounding(time, stop)
    for k in range(N_SWITCHES):
        found = min(found, R[SWITCHES + k] if R[SWITCHES + k] > beyond else found)
    for k in range(N_KNOTS):
        found = min(found, following(R, KNOTS[2 * k], KNOTS[2 * k + 1], beyond))
    for k in range(N_INPUTS):
        found = min(found, following(U, int(U[2 * k]), int(U[2 * k + 1]), beyond))
    return found if found < stop - 2.0 * rounding(time, stop) else stop


def behind_jump(R: Record, time: float, stop: float) -> float:
    """Begin anew just behind a time where something may jump; that time.

    Reads: head. Writes: head.
    """
    R[TIME] = time + rounding(time, stop)
    R[FRESH] = STALE
    R[STEP] = 0.0
    R[LAST_ERROR] = 1.0e-4
    return R[TIME]


def may_jump(R: Record, U: Record, time: float, stop: float) -> bool:
    """Whether a condition on time switches at a time, or an input has two values there.

    Reads: U, switches.
    """
    near = rounding(time, stop)
    is_jump = False
    for k in range(N_SWITCHES):
        is_jump = is_jump or abs(R[SWITCHES + k] - time) <= near
    for k in range(N_INPUTS):
        start = int(U[2 * k])
        n = int(U[2 * k + 1])
        if n > 1 and U[start] <= time + near:
            last = start + n - 1
            if time + near < U[last]:
                last = start + segment(U, start, n, time + near)
            is_jump = is_jump or (last > start and U[last - 1] == U[last] and abs(U[last] - time) <= near)
    return is_jump
