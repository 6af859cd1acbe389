"""The importer's time and the rounding of times, as text. Every module contains these functions."""

from __future__ import annotations

from ...kernels.declarations import Record
from ...kernels.hook_table import Condition, hook
from ...kernels.hooks import move_history
from ...kernels.names import AHEAD, FRESH, OK, OTHER_TIME, STALE, TIME


def follow(R: Record, time: float, size: float) -> int:
    """Set the record's time to the importer's, at the beginning of a step of this size, if both are close; a status.

    Step sizes are not summed, since rounding would separate such a sum from an importer's t0 + k size. Times are close
    if they differ by no more than the rounding of an importer with single precision (2^-23), and by less than a
    communication step; else the status is OTHER_TIME. If they differ by rounding in double precision they denote the
    same instant: R[AHEAD] stores by how much the state is ahead, and the next step is shorter by this. Otherwise all
    rates become stale.

    Reads: head. Writes: head.
    """
    before = R[TIME]
    largest = max(abs(time), abs(before))
    apart = abs(time - before)
    if not apart <= min(0.5 * size, 1.0e-6 * size + 1.2e-7 * largest):
        return OTHER_TIME
    R[TIME] = time
    move_marks(R, before)
    if apart > 8.9e-16 * (largest + size):
        R[FRESH] = STALE
    else:
        R[AHEAD] = before - time
        move_history(R, before)
    return OK


def state_span(R: Record, span: float) -> float:
    """Interval by which the state must advance while time advances by `span`, with R[AHEAD] consumed.

    Reads: head. Writes: head.
    """
    ahead = R[AHEAD]
    R[AHEAD] = 0.0
    return span - ahead if abs(ahead) < 0.5 * span else span


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def move_marks(R: Record, before: float) -> None:
    """Move recorded times that equal the former time: models without loops or measured forces have none."""


def is_lost(h: float, start: float, stop: float) -> bool:
    """True if a step is below the rounding of the times between these."""
    return not h > 2.3e-16 * max(abs(start), abs(stop))
