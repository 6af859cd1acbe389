"""Sampled signals and event resets. The modules of models with these contain copies of these functions.

All new values that are due are computed from the values before and assigned together at the beginning of a step. Steps
end at samples and at events with resets (switching.py, resets.py).
"""

from __future__ import annotations

import numpy as np

from ...kernels.constants import DERIVATIVES_FRESH, MOST_JUMPS, OK, PERIOD_NOT_FELT, STALE, UNENDING
from ...kernels.hooks import bind_at_impact, forget_met, note_break, note_resets, start_drives, unbind_all, watch_resets
from ...kernels.linked import momenta, new_values
from ...kernels.tolerances import SAME_SAMPLE_SHARE
from ...record.schema import (
    N_CLOCKS,
    N_DRIVES,
    N_HISTORY_VECTORS,
    N_MODES,
    N_NEW,
    N_RESETS,
    NEW_MOVES,
    NEW_OWNER,
    NEW_TARGET,
    RESET_EVENT,
    Inputs,
    Record,
)
from .clock import is_lost
from .drivers import evaluate, fail, normalise, prepare_step


def start_samples(R: Record) -> None:
    """Initialise clocks, with first samples at or after the start time, and events with resets."""
    for k in range(N_CLOCKS):
        before = np.ceil((R.time - R.clocks[k].first) / R.clocks[k].period - SAME_SAMPLE_SHARE)
        R.ticks[k] = max(0.0, before)
    for j in range(N_RESETS):
        R.due[N_MODES + j] = R.end_values[N_MODES + j] = 0.0
        reset = R.resets[j]
        reset.side = 0.0
        reset.is_on_zero = reset.crossing_distance = reset.farthest_distance = 0.0
        reset.chatters = reset.shrunk = 0.0
        reset.last = reset.zero = R.time
        reset.interval = reset.first_interval = np.inf
    R.sample_state.count = 0.0
    unbind_all(R)
    forget_met(R)
    note_next(R)


def sample_time(R: Record, k: int) -> float:
    """Return the time of the next sample of clock k."""
    return R.clocks[k].first + R.ticks[k] * R.clocks[k].period


def note_next(R: Record) -> None:
    """Store the time of the next sample for importers; infinity if there is none."""
    R.sample_state.next_sample = np.inf
    for k in range(N_CLOCKS):
        R.sample_state.next_sample = min(R.sample_state.next_sample, sample_time(R, k))


def ticks_now(R: Record, k: int) -> bool:
    """True if a sample of clock k is due; the importer's time may differ from it by a small part of the period."""
    return sample_time(R, k) <= R.time + SAME_SAMPLE_SHARE * R.clocks[k].period


def next_stop(R: Record, end: float) -> float:
    """Return the latest end of a step towards `end`: the next sample, or `end` if both coincide."""
    stop = end
    for k in range(N_CLOCKS):
        time = sample_time(R, k)
        if time < stop and time + SAME_SAMPLE_SHARE * R.clocks[k].period < end:
            stop = time
    return stop


def jump(R: Record, U: Inputs, h: float, controlled: bool) -> int:
    """Assign due samples and resets at the beginning of a step of size h, and those that they trigger; return a status.

    `controlled` is as in `prepare_step`.
    """
    met = 0
    lost = lost_clock(R, U)
    if lost >= 0:
        return fail(R, 0, R.clocks[lost].period, PERIOD_NOT_FELT)
    before = forget_met(R)
    size = max(h, before) if h > 0.0 else h
    for _ in range(MOST_JUMPS):
        due = some_tick(R)
        if not (due or N_RESETS > 0):
            return OK
        if R.fresh == DERIVATIVES_FRESH:
            R.fresh = STALE
        status = prepare_step(R, U, h, controlled)
        if status != OK:
            return status
        watch_resets(R, U, size)
        for j in range(N_RESETS):
            if R.due[N_MODES + j] != 0.0:
                due = True
                met = RESET_EVENT[j]
        if not due:
            return OK
        take_new(R)
        recurring = note_jump(R, h)
        if recurring >= 0:
            return fail(R, recurring, h, UNENDING)
        begin_anew(R, U)
    return fail(R, met, h, UNENDING)


def lost_clock(R: Record, U: Inputs) -> int:
    """Return the index of a clock whose period is within four roundings of the present or final time, or -1."""
    lost = -1
    for k in range(N_CLOCKS):
        if is_lost(0.25 * R.clocks[k].period, R.time, U.stop):
            lost = k
    return lost


def some_tick(R: Record) -> bool:
    """True if a sample of some clock is due."""
    any_due = False
    for k in range(N_CLOCKS):
        any_due = any_due or ticks_now(R, k)
    return any_due


def note_jump(R: Record, h: float) -> int:
    """Advance clocks and events after the due changes, at the beginning of a step of size h.

    Returns the index of an event that recurs without end, or -1 (`note_resets`).
    """
    for k in range(N_CLOCKS):
        if ticks_now(R, k):
            R.ticks[k] += 1.0
    R.sample_state.count += 1.0
    note_next(R)
    note_break(R)
    return note_resets(R, h)


def begin_anew(R: Record, U: Inputs) -> None:
    """Mark the rates as stale and discard the history: both belong to the state before the changes."""
    if N_DRIVES > 0:
        evaluate(R, U)
        start_drives(R)  # the impulses of drives do not include the changes
    R.fresh = STALE
    if N_HISTORY_VECTORS > 0:
        R.history.count = 0.0


def jump_now(R: Record, U: Inputs) -> int:
    """Call `jump` at the present time, for importers that integrate the model (model exchange); return a status."""
    bind_at_impact(R, U)
    R.fresh = STALE
    return jump(R, U, 0.0, True)


def take_new(R: Record) -> None:
    """Assign the due new values, computed from the present ones; update momenta if coordinates or velocities change."""
    new_values(R)
    moves = False
    for n in range(N_NEW):
        owner = NEW_OWNER[n]
        is_due = ticks_now(R, owner) if owner < N_CLOCKS else R.due[N_MODES + owner - N_CLOCKS] != 0.0
        if is_due:
            R[NEW_TARGET[n]] = R.new_values[n]
            moves = moves or NEW_MOVES[n] > 0
    if moves:
        normalise(R)
        momenta(R)
