"""Kernels that find the times at which steps with error control must end.

These are the knots of tables over time, the times at which conditions on time switch, and the periodic times (beats) at
which laws bend or jump. No step contains such a time
in its interior. If something may jump there (a switch, or an input with two values at one time), the step ends just
before that time, and the next step restarts just after it.
"""

import numpy as np

from ..record.fields import Array
from ..record.schema import KNOTS, N_BEATS, N_INPUTS, N_KNOTS, N_SWITCHES, Inputs, Record
from .constants import STALE
from .hook_table import Condition, hook
from .library import last_point, segment


def rounding(R: Record, time: float, stop: float) -> float:
    """Return the time (s) by which a law over time may jump early or late: 4 eps times the largest of these times.

    Those of a periodic law are its period and the first time, which is far from `time` if the law subtracts a large
    number from it.
    """
    largest = max(abs(time), abs(stop))
    for k in range(N_BEATS):
        largest = max(largest, abs(R.beats[k].first), R.beats[k].period)
    return 8.9e-16 * largest


def next_time_after(A: Array, start: int, n: int, time: float) -> float:
    """Return the first of n times at A[start:] after `time`; infinity if there is none, or if n < 2."""
    if n < 2 or A[start + n - 1] <= time:
        return np.inf
    return A[start] if time < A[start] else A[start + segment(A, start, n, time) + 1]


def next_beat(R: Record, k: int, time: float) -> float:
    """Return the first time of beat k after `time`."""
    beat = R.beats[k]
    found: float = beat.first + beat.period * (1.0 - np.ceil((beat.first - time) / beat.period))
    return found if found > time else found + beat.period


def next_break(R: Record, U: Inputs, time: float, stop: float) -> float:
    """Return the latest time at which a step from `time` must end: that of the next switch or knot, or `stop`.

    Times within rounding of `time` or `stop` do not count.
    """
    near = near_break(R, U, time, stop)
    beyond = time + 2.0 * near
    first = stop - 2.0 * near
    for k in range(N_SWITCHES):
        first = min(first, R.switches[k] if R.switches[k] > beyond else first)
    for k in range(N_BEATS):
        first = min(first, next_beat(R, k, beyond))
    for k in range(N_KNOTS):
        knot_table = KNOTS[k]
        first = min(first, next_time_after(R, knot_table.first, knot_table.points, beyond))
    for k in range(N_INPUTS):
        first = min(first, next_time_after(U, int(U.tables[k].first), int(U.tables[k].points), beyond))
    return first if first < stop - 2.0 * near else stop


def next_jump(R: Record, U: Inputs, time: float) -> float:
    """Return the first time after `time` at which a law over time jumps or an input has two values; infinity."""
    first = np.inf
    for k in range(N_SWITCHES):
        first = min(first, R.switches[k] if R.switches[k] > time else first)
    for k in range(N_BEATS):
        first = min(first, next_beat(R, k, time) if R.beats[k].jumps != 0.0 else first)
    for k in range(N_INPUTS):
        start = int(U.tables[k].first)
        n = int(U.tables[k].points)
        if n > 1 and U[start + n - 1] > time:
            for point in range(start + segment(U, start, n, time), start + n - 1):
                if U[point] > time and U[point] == U[point + 1]:
                    first = min(first, U[point])
                    break
    return first


@hook(Condition.CROSSINGS, "mbs_fmu.integrate.stepping.windows")
def near_break(R: Record, U: Inputs, time: float, stop: float) -> float:
    """Return the time (s) by which a jump between `time` and `stop` may be early or late: its rounding."""
    return rounding(R, time, stop)


@hook(Condition.CROSSINGS, "mbs_fmu.integrate.stepping.windows")
def restart_after_jump(R: Record, U: Inputs, time: float, stop: float) -> float:
    """Set the time just after one at which something may jump; return the new time.

    The rates become stale, and the proposal of a step size is cleared.
    """
    R.time = time + rounding(R, time, stop)
    R.fresh = STALE
    R.step = 0.0
    R.last_error = 1.0e-4
    return R.time


def may_jump(R: Record, U: Inputs, time: float, stop: float) -> bool:
    """True if a law over time jumps at `time`, or an input has two values there."""
    return jumps_within(R, U, time, near_break(R, U, time, stop))


def jumps_within(R: Record, U: Inputs, time: float, near: float) -> bool:
    """True if a law over time jumps, or an input has two values, at most `near` before or after `time`."""
    is_jump = False
    for k in range(N_SWITCHES):
        is_jump = is_jump or abs(R.switches[k] - time) <= near
    for k in range(N_BEATS):
        beat = next_beat(R, k, time - 2.0 * near)
        is_jump = is_jump or (R.beats[k].jumps != 0.0 and abs(beat - time) <= near)
    for k in range(N_INPUTS):
        start = int(U.tables[k].first)
        n = int(U.tables[k].points)
        if n > 1:
            last = last_point(U, start, n, time + near)
            is_jump = is_jump or (last > start and U[last - 1] == U[last] and abs(U[last] - time) <= near)
    return is_jump
