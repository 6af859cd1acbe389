"""Which times are one instant: the window within which samples, jumps, crossings and results coincide.

The modules of models with crossings contain copies of these functions.
"""

from __future__ import annotations

from ...kernels.constants import STALE
from ...kernels.tolerances import SAME_INSTANT_ROUNDING, SAME_INSTANT_SHARE
from ...record.schema import N_CLOCKS, Inputs, Record
from .clock import nearness
from .drivers import output_time


def delta(R: Record, U: Inputs) -> float:
    """Return the time (s) within which instants coincide: rounding of times, and a small share of the interval."""
    near = SAME_INSTANT_ROUNDING * abs(R.time) + SAME_INSTANT_SHARE * max(U.interval, R.instants.interval)
    for k in range(N_CLOCKS):
        near = min(near, 0.25 * R.clocks[k].period)
    return near


def near_step(R: Record, U: Inputs, time: float, h: float) -> float:
    """Return the time up to which a jump counts as being at an end of a step of size h from `time`."""
    return nearness(time, h) + delta(R, U)


def near_break(R: Record, U: Inputs, time: float, stop: float) -> float:
    """Return the time (s) by which a jump may be early or late."""
    return delta(R, U)


def restart_after_jump(R: Record, U: Inputs, time: float, stop: float) -> float:
    """Take the right limits at a jump where a step begins, and clear the proposed step size; return the time."""
    R.side = delta(R, U)
    R.fresh = STALE
    R.step = 0.0
    R.last_error = 1.0e-4
    return time


def with_row(R: Record, U: Inputs, time: float) -> float:
    """Return the time of a result behind the first one that coincides with `time`, or else `time`."""
    if U.rows == 0.0:
        return time
    row = int(max(0.0, (time - U.start) / U.interval + 0.5))
    return output_time(U, row) if row > 0 and abs(time - output_time(U, row)) <= delta(R, U) else time
