"""Sampled signals and event resets. The modules of models with these contain copies of these functions.

All new values that are due are computed from the values before and assigned together at the beginning of a step. Steps
end at samples and at events with resets (switching.py, resets.py).
"""

from __future__ import annotations

import numpy as np

from ...kernels.declarations import Record
from ...kernels.hooks import forget_met, forget_ties, note_break, note_resets, start_drives, strike_ties, watch_resets
from ...kernels.linked import momenta, new_values
from ...kernels.names import (
    CLOCK,
    CLOCKS,
    DERIVATIVES_FRESH,
    DUE,
    END_VALUES,
    FRESH,
    HISTORY,
    JUMPS,
    MOST_JUMPS,
    N_CLOCKS,
    N_DRIVES,
    N_HISTORY,
    N_MODES,
    N_NEW,
    N_RESETS,
    NEW,
    NEW_MOVES,
    NEW_OWNER,
    NEW_TARGET,
    NEXT_SAMPLE,
    OK,
    PERIOD_NOT_FELT,
    RESET_CHATTERS,
    RESET_EVENT,
    RESET_FIRST,
    RESET_GAP,
    RESET_LAST,
    RESET_OFF,
    RESET_REACH,
    RESET_SHRUNK,
    RESET_SIDE,
    RESET_SIZE,
    RESET_STANDS,
    RESET_ZERO,
    RESETS,
    SAME_SAMPLE,
    STALE,
    TICKS,
    TIME,
    UNENDING,
)
from .clock import is_lost
from .drivers import evaluate, fail, normalise, prepare_step


def start_samples(R: Record) -> None:
    """Initialise the clocks, with first samples at or after the start time, and the events with resets.

    Reads: clocks, head. Writes: due, end_values, sample_state, resets, ticks.
    """
    for k in range(N_CLOCKS):
        before = np.ceil((R[TIME] - R[CLOCKS + 2 * k + 1]) / R[CLOCKS + 2 * k] - SAME_SAMPLE)
        R[TICKS + k] = max(0.0, before)
    for j in range(N_RESETS):
        R[DUE + N_MODES + j] = R[END_VALUES + N_MODES + j] = 0.0
        reset = RESETS + RESET_SIZE * j
        R[reset + RESET_SIDE] = 0.0
        R[reset + RESET_STANDS] = R[reset + RESET_OFF] = R[reset + RESET_REACH] = 0.0
        R[reset + RESET_CHATTERS] = R[reset + RESET_SHRUNK] = 0.0
        R[reset + RESET_LAST] = R[reset + RESET_ZERO] = R[TIME]
        R[reset + RESET_GAP] = R[reset + RESET_FIRST] = np.inf
    R[JUMPS] = 0.0
    forget_ties(R)
    forget_met(R)
    note_next(R)


def sample_time(R: Record, k: int) -> float:
    """Return the time of the next sample of clock k.

    Reads: clocks, ticks.
    """
    return R[CLOCKS + 2 * k + 1] + R[TICKS + k] * R[CLOCKS + 2 * k]


def note_next(R: Record) -> None:
    """Store the time of the next sample for importers; infinity if there is none.

    Writes: sample_state.
    """
    R[NEXT_SAMPLE] = np.inf
    for k in range(N_CLOCKS):
        R[NEXT_SAMPLE] = min(R[NEXT_SAMPLE], sample_time(R, k))


def ticks_now(R: Record, k: int) -> bool:
    """True if a sample of clock k is due; the importer's time may differ from it by a small part of the period.

    Reads: clocks, head.
    """
    return sample_time(R, k) <= R[TIME] + SAME_SAMPLE * R[CLOCKS + 2 * k]


def next_stop(R: Record, end: float) -> float:
    """Return the latest end of a step towards `end`: the next sample, or `end` if both coincide.

    Reads: clocks.
    """
    stop = end
    for k in range(N_CLOCKS):
        time = sample_time(R, k)
        if time < stop and time + SAME_SAMPLE * R[CLOCKS + 2 * k] < end:
            stop = time
    return stop


def jump(R: Record, U: Record, h: float, controlled: bool) -> int:
    """Assign samples and resets due at the beginning of a step of size h, and those they trigger; return a status.

    Reads: clocks, due, head.
    """
    met = 0
    lost = lost_clock(R, U)
    if lost >= 0:
        return fail(R, 0, R[CLOCKS + 2 * lost], PERIOD_NOT_FELT)
    before = forget_met(R)
    size = max(h, before) if h > 0.0 else h
    for _ in range(MOST_JUMPS):
        due = some_tick(R)
        if not (due or N_RESETS > 0):
            return OK
        if R[FRESH] == DERIVATIVES_FRESH:
            R[FRESH] = STALE
        status = prepare_step(R, U, h, controlled)
        if status != OK:
            return status
        watch_resets(R, U, size)
        for j in range(N_RESETS):
            if R[DUE + N_MODES + j] != 0.0:
                due = True
                met = RESET_EVENT[j]
        if not due:
            return OK
        take_new(R)
        again = note_jump(R, h)
        if again >= 0:
            return fail(R, again, h, UNENDING)
        begin_anew(R, U)
    return fail(R, met, h, UNENDING)


def lost_clock(R: Record, U: Record) -> int:
    """Return a clock whose period is within four roundings of the present time or of the end of the run, or -1.

    Reads: U, clocks, head.
    """
    lost = -1
    for k in range(N_CLOCKS):
        if is_lost(0.25 * R[CLOCKS + 2 * k], R[TIME], U[CLOCK + 3]):
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

    Returns what `note_resets` returns.

    Reads: sample_state, ticks. Writes: sample_state, ticks.
    """
    for k in range(N_CLOCKS):
        if ticks_now(R, k):
            R[TICKS + k] += 1.0
    R[JUMPS] += 1.0
    note_next(R)
    note_break(R)
    return note_resets(R, h)


def begin_anew(R: Record, U: Record) -> None:
    """Mark the rates as stale and discard the history: both belong to the state before the changes.

    Writes: head, history.
    """
    if N_DRIVES > 0:
        evaluate(R, U)
        start_drives(R)  # the impulses of drives do not include the changes
    R[FRESH] = STALE
    if N_HISTORY > 0:
        R[HISTORY] = 0.0


def jump_now(R: Record, U: Record) -> int:
    """Call `jump` at the present time, for importers that integrate the model (model exchange); return a status."""
    strike_ties(R, U)
    R[FRESH] = STALE
    return jump(R, U, 0.0, True)


def take_new(R: Record) -> None:
    """Assign the due new values, computed from the old ones; update momenta if coordinates or velocities change.

    Reads: due, new_values.
    """
    new_values(R)
    moves = False
    for n in range(N_NEW):
        owner = NEW_OWNER[n]
        is_due = ticks_now(R, owner) if owner < N_CLOCKS else R[DUE + N_MODES + owner - N_CLOCKS] != 0.0
        if is_due:
            R[NEW_TARGET[n]] = R[NEW + n]
            moves = moves or NEW_MOVES[n] > 0
    if moves:
        normalise(R)
        momenta(R)
