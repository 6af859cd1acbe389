"""The importer's time and the rounding of times. Every generated module contains copies of these functions."""

from __future__ import annotations

from ...kernels.constants import OK, OTHER_TIME, STALE
from ...kernels.hook_table import Condition, hook
from ...kernels.hooks import move_history
from ...record.schema import Inputs, Record


def follow(R: Record, time: float, size: float) -> int:
    """Set the record's time to the importer's, `time`, at the beginning of a step of size `size`; return a status.

    The record does not sum step sizes, because rounding would separate the sum from an importer's t0 + k size.

    If the times differ by more than the rounding of an importer with single precision (2^-23), or by more than half a
    step, the status is OTHER_TIME. If they differ by rounding in double precision, they denote the same
    instant: R.ahead stores by how much the state is ahead, and the next step is shorter by this amount. Otherwise all
    rates become stale.
    """
    before = R.time
    largest = max(abs(time), abs(before))
    apart = abs(time - before)
    if not apart <= min(0.5 * size, 1.0e-6 * size + 1.2e-7 * largest):
        return OTHER_TIME
    R.time = time
    move_means(R, before)
    if apart > 8.9e-16 * (largest + size):
        R.fresh = STALE
    else:
        R.ahead = before - time
        move_history(R, before)
    return OK


def state_span(R: Record, span: float) -> float:
    """Return the interval by which the state must advance while time advances by `span`; R.ahead is used up."""
    ahead = R.ahead
    R.ahead = 0.0
    return span - ahead if abs(ahead) < 0.5 * span else span


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def move_means(R: Record, before: float) -> None:
    """Move the ends of means from `before` to the present time: models without loops or drive forces have none."""


def nearness(time: float, h: float) -> float:
    """Return the time up to which a jump counts as being at an end of a step of size h from `time`.

    The computed ends of steps and the times of jumps, which users compute too, differ by the rounding of sums.
    """
    return 1.0e-9 * h + 8.9e-16 * abs(time)


@hook(Condition.CROSSINGS, "mbs_fmu.integrate.stepping.windows")
def near_step(R: Record, U: Inputs, time: float, h: float) -> float:
    """Return the time up to which a jump counts as being at an end of a step: `nearness`."""
    return nearness(time, h)


def is_lost(h: float, start: float, stop: float) -> bool:
    """True if a step is smaller than the rounding of times between `start` and `stop`."""
    return not h > 2.3e-16 * max(abs(start), abs(stop))
