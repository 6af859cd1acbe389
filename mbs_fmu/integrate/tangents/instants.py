"""Instants, one round at a time, for the tangents of what a round assigns and changes (run/flights.py).

The modules for sensitivities of models in which something takes effect at instants contain copies of these functions.
"""

from __future__ import annotations

from ...kernels.constants import OK, STALE
from ...record.schema import Inputs, Record
from ..stepping.crossings import watch
from ..stepping.drivers import evaluate, prepare_step
from ..stepping.instants import (
    leave_instant,
    make_round,
    something_happens,
    something_is_due,
    start_watching,
    take_right_limits,
)
from ..stepping.windows import delta


def begin_instant(R: Record, U: Inputs, h: float, controlled: int) -> int:
    """Do what precedes the rounds at the present time, before a step of size h; return a status.

    `controlled` is 1 if the steps have error control.
    """
    R.instants.logged = 0.0
    status = OK
    if R.instants.begun == 0.0:
        status = start_watching(R, U, h, controlled > 0)
    if status == OK and something_happens(R, U):
        status = take_right_limits(R, U, h, controlled > 0)
    return status


def some_round(R: Record, U: Inputs) -> int:
    """Return 1 if a round is due at the present time, else 0."""
    return 1 if something_is_due(R, U) else 0


def same_instant(R: Record, U: Inputs) -> float:
    """Return the time (s) within which instants coincide."""
    return delta(R, U)


def next_round(R: Record, U: Inputs, h: float, controlled: int) -> int:
    """Make the next round, before a step of size h; return a status."""
    R.instants.logged = 0.0
    return make_round(R, U, h, controlled > 0)


def repeat_round(R: Record, U: Inputs, h: float, controlled: int) -> int:
    """Make a round from a state near that from which it was made; return a status."""
    R.fresh = STALE
    R.side = delta(R, U)
    status = prepare_step(R, U, h, controlled > 0)
    return next_round(R, U, h, controlled) if status == OK else status


def end_instant(R: Record, h: float) -> int:
    """Begin the motion behind the instant, with a step of size h; return a status."""
    return leave_instant(R, h)


def watch_before(R: Record, U: Inputs) -> None:
    """Compute the watched functions at the present time, with the left limits of inputs."""
    R.side = -delta(R, U)
    evaluate(R, U)
    R.side = 0.0
    watch(R)
