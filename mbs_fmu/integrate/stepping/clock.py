"""Time as an importer counts it, and as far as it is felt, as text: copied into modules with the drivers."""

from __future__ import annotations

from ...kernels.declarations import Record
from ...kernels.hook_table import Condition, hook
from ...kernels.hooks import move_history
from ...kernels.names import AHEAD, FRESH, OK, OTHER_TIME, STALE, TIME


def follow(R: Record, time: float, size: float) -> int:
    """The importer's time becomes the record's, where a step of this size begins close to it; a status.

    Sizes are not added up: rounding alone parts such a clock from an importer's t0 + k size. Close is what an importer
    may round that counts in single precision (2^-23), as long as it can't be another communication point. Up to its
    own rounding a time stands for the same instant: R[AHEAD] says how far the state is ahead of it, by which the next
    step is shorter, so that what rounding takes from one step the next one has. At another time all is made anew.

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
    """By how much the state has to move where time moves by `span`, and is even with it then.

    Reads: head. Writes: head.
    """
    ahead = R[AHEAD]
    R[AHEAD] = 0.0
    return span - ahead if abs(ahead) < 0.5 * span else span


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def move_marks(R: Record, before: float) -> None:
    """Noted times that were the present one stay so: there are none in models without loops or measured forces."""


def is_lost(h: float, start: float, stop: float) -> bool:
    """True if a step is lost in the rounding of the times between these: time does not feel it."""
    return not h > 2.3e-16 * max(abs(start), abs(stop))
