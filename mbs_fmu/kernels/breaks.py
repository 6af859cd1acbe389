"""Kernels that find the times at which steps with error control must end.

These are the knots of tables over time and the times at which conditions on time switch. No step contains such a time
in its interior. If something may jump there (a switch, or an input with two values at one time), the step ends just
before that time, and the next step restarts just after it.
"""

import numpy as np

from .declarations import Record
from .library import last_point, segment
from .names import FRESH, KNOTS, LAST_ERROR, N_INPUTS, N_KNOTS, N_SWITCHES, STALE, STEP, SWITCHES, TIME


def rounding(time: float, stop: float) -> float:
    """Return the time by which a condition on time may switch early or late due to rounding."""
    return 8.9e-16 * max(abs(time), abs(stop))


def following(A: Record, start: int, n: int, time: float) -> float:
    """Return the first of n times at A[start:] after `time`; infinity if there is none, or if n is 1.

    Reads: start.
    """
    if n < 2 or A[start + n - 1] <= time:
        return np.inf
    return A[start] if time < A[start] else A[start + segment(A, start, n, time) + 1]


def next_break(R: Record, U: Record, time: float, stop: float) -> float:
    """Return the latest time at which a step from `time` must end.

    Reads: U, switches, values.
    """
    beyond = time + 2.0 * rounding(time, stop)
    first = stop - 2.0 * rounding(time, stop)
    for k in range(N_SWITCHES):
        first = min(first, R[SWITCHES + k] if R[SWITCHES + k] > beyond else first)
    for k in range(N_KNOTS):
        first = min(first, following(R, KNOTS[2 * k], KNOTS[2 * k + 1], beyond))
    for k in range(N_INPUTS):
        first = min(first, following(U, int(U[2 * k]), int(U[2 * k + 1]), beyond))
    return first if first < stop - 2.0 * rounding(time, stop) else stop


def behind_jump(R: Record, time: float, stop: float) -> float:
    """Restart just after a time at which something may jump; return the new time.

    Reads: head. Writes: head.
    """
    R[TIME] = time + rounding(time, stop)
    R[FRESH] = STALE
    R[STEP] = 0.0
    R[LAST_ERROR] = 1.0e-4
    return R[TIME]


def may_jump(R: Record, U: Record, time: float, stop: float) -> bool:
    """True if a condition on time switches at `time`, or an input has two values there.

    Reads: U, switches.
    """
    return jumps_within(R, U, time, rounding(time, stop))


def jumps_within(R: Record, U: Record, time: float, near: float) -> bool:
    """True if a condition on time switches, or an input has two values, at most `near` before or after `time`.

    Reads: U, switches.
    """
    is_jump = False
    for k in range(N_SWITCHES):
        is_jump = is_jump or abs(R[SWITCHES + k] - time) <= near
    for k in range(N_INPUTS):
        start = int(U[2 * k])
        n = int(U[2 * k + 1])
        if n > 1:
            last = last_point(U, start, n, time + near)
            is_jump = is_jump or (last > start and U[last - 1] == U[last] and abs(U[last] - time) <= near)
    return is_jump
