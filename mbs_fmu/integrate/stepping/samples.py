"""Jumps, as text: signals that are sampled, and what events reset; copied into modules of models that have them.

A jump is made where a step begins, from the values before it, all that are due at once. Steps end where a sample is due
or an event is met that resets something (switching.py, resets.py).
"""

from __future__ import annotations

import numpy as np

from ...kernels.declarations import Record
from ...kernels.hooks import forget_met, forget_ties, note_break, note_resets, start_drives, strike_ties, watch_resets
from ...kernels.linked import momenta, new_values
from ...kernels.names import (
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
from .drivers import evaluate, fail, normalise, prepare_step


def start_samples(R: Record) -> None:
    """At the start: the first sample of each clock is the first that does not lie before; no event has been met.

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
    """When clock k ticks next.

    Reads: clocks, ticks.
    """
    return R[CLOCKS + 2 * k + 1] + R[TICKS + k] * R[CLOCKS + 2 * k]


def note_next(R: Record) -> None:
    """The time of the next sample, for importers; infinite where there is none.

    Writes: sample_state.
    """
    R[NEXT_SAMPLE] = np.inf
    for k in range(N_CLOCKS):
        R[NEXT_SAMPLE] = min(R[NEXT_SAMPLE], sample_time(R, k))


def ticks_now(R: Record, k: int) -> bool:
    """Whether clock k ticks at the present time: an importer's may lie beside it by a small part of a period.

    Reads: clocks, head.
    """
    return sample_time(R, k) <= R[TIME] + SAME_SAMPLE * R[CLOCKS + 2 * k]


def next_stop(R: Record, end: float) -> float:
    """Where a step towards `end` ends at the latest: at the next sample, or at `end` if they are the same.

    Reads: clocks.
    """
    stop = end
    for k in range(N_CLOCKS):
        time = sample_time(R, k)
        if time < stop and time + SAME_SAMPLE * R[CLOCKS + 2 * k] < end:
            stop = time
    return stop


def jump(R: Record, U: Record, h: float, controlled: bool) -> int:
    """Samples and resets that are due where a step of size h begins, and those that they make due; a status.

    Reads: due, head.
    """
    met = 0
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


def some_tick(R: Record) -> bool:
    """Whether a clock ticks at the present time."""
    found = False
    for k in range(N_CLOCKS):
        found = found or ticks_now(R, k)
    return found


def note_jump(R: Record, h: float) -> int:
    """Clocks and events go on behind what was due, as a step of size h begins; see `note_resets`.

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
    """Rates and what is remembered of earlier steps belong to the state before the jump.

    Writes: head, history.
    """
    if N_DRIVES > 0:
        evaluate(R, U)
        start_drives(R)  # none of them has made this jump
    R[FRESH] = STALE
    if N_HISTORY > 0:
        R[HISTORY] = 0.0


def jump_now(R: Record, U: Record) -> int:
    """`jump`, for an importer that makes the steps itself, at the present time; a status."""
    strike_ties(R, U)
    R[FRESH] = STALE
    return jump(R, U, 0.0, True)


def take_new(R: Record) -> None:
    """The new values of all that is due, each from those before; momenta where coordinates or velocities jump.

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
