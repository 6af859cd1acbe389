"""Samples and resets: clocks, and the values that are assigned in a round of an instant.

The modules of models with sampled signals, or events with resets, contain copies of these functions. All new values
that are due in a round are computed from the values before and assigned together (instants.py).
"""

from __future__ import annotations

import numpy as np

from ...kernels.constants import LEAST_SHRUNK, OF_RESET, OF_SAMPLE, STALE
from ...kernels.hooks import find_feet, start_drives
from ...kernels.linked import momenta, new_values
from ...kernels.logs import energy_of_rates, log_entry
from ...kernels.tolerances import SAME_SAMPLE_SHARE, ZENO_SHARE
from ...record.schema import (
    N_CLOCKS,
    N_DRIVES,
    N_EVENTS,
    N_MODES,
    N_NEW,
    NEW_MOVES,
    NEW_OWNER,
    NEW_TARGET,
    RESETS,
    Inputs,
    Record,
)
from .clock import is_lost
from .drivers import evaluate, normalise


def start_samples(R: Record) -> None:
    """Initialise clocks, with first samples at or after the start time."""
    for k in range(N_CLOCKS):
        before = np.ceil((R.time - R.clocks[k].first) / R.clocks[k].period - SAME_SAMPLE_SHARE)
        R.ticks[k] = max(0.0, before)
    note_next_sample(R)


def sample_time(R: Record, k: int) -> float:
    """Return the time of the next sample of clock k."""
    return R.clocks[k].first + R.ticks[k] * R.clocks[k].period


def note_next_sample(R: Record) -> None:
    """Store the time of the next sample for importers; infinity if there is none."""
    R.instants.next_sample = np.inf
    for k in range(N_CLOCKS):
        R.instants.next_sample = min(R.instants.next_sample, sample_time(R, k))


def sample_window(R: Record, k: int, time: float, near: float) -> float:
    """Return the time (s) by which a sample of clock k may differ from `time` and still coincide with it.

    This is `near`, and at a communication point, which an importer may have rounded, a small part of the period.
    """
    communicates = time == R.instants.call_start or time == R.instants.call_end
    return max(near, SAME_SAMPLE_SHARE * R.clocks[k].period) if communicates else near


def lost_clock(R: Record, U: Inputs) -> int:
    """Return the index of a clock whose period is within four roundings of the present or final time, or -1."""
    lost = -1
    for k in range(N_CLOCKS):
        if is_lost(0.25 * R.clocks[k].period, R.time, U.stop):
            lost = k
    return lost


def assign(R: Record, U: Inputs, near: float) -> int:
    """Assign the values of due samples and resets, and log them; return 1 if there are any, else 0.

    A negative number is -1 - i for an event i whose resets follow each other without end. Expects fresh rates; if it
    returns 1, they are stale.
    """
    some_due = some_sample(R, near)
    for i in range(N_EVENTS):
        some_due = some_due or (RESETS[i] > 0 and R.due[N_MODES + i] != 0.0)
    if not some_due:
        return 0
    before = energy_before(R, near)
    new_values(R)
    moves = False
    for n in range(N_NEW):
        if is_owner_due(R, NEW_OWNER[n], near):
            if NEW_OWNER[n] < N_CLOCKS:
                log_entry(R, OF_SAMPLE, n, R[NEW_TARGET[n]], R.new_values[n], 0.0)
            R[NEW_TARGET[n]] = R.new_values[n]
            moves = moves or NEW_MOVES[n] > 0
    if moves:
        normalise(R)
        momenta(R)
        find_feet(R)
    for k in range(N_CLOCKS):
        if is_sampled_now(R, k, near):
            R.ticks[k] += 1.0
    recurring = log_resets(R, before - energy_of_rates(R) if moves else 0.0)
    note_next_sample(R)
    if N_DRIVES > 0:
        evaluate(R, U)
        start_drives(R)  # the impulses of drives do not include the changes
    R.fresh = STALE
    return 1 if recurring < 0 else -1 - recurring


def is_sampled_now(R: Record, k: int, near: float) -> bool:
    """True if clock k has a sample at the present instant that has not been taken; each has one at most."""
    is_near = sample_time(R, k) <= R.time + sample_window(R, k, R.time, near)
    return is_near and R.instants.round <= 1.0


def some_sample(R: Record, near: float) -> bool:
    """True if a sample is due at the present instant."""
    some = False
    for k in range(N_CLOCKS):
        some = some or is_sampled_now(R, k, near)
    return some


def is_owner_due(R: Record, owner: int, near: float) -> bool:
    """True if a clock, or an event whose number follows those of the clocks, is due."""
    return is_sampled_now(R, owner, near) if owner < N_CLOCKS else R.due[N_MODES + owner - N_CLOCKS] != 0.0


def energy_before(R: Record, near: float) -> float:
    """Return `energy_of_rates` if a due reset changes coordinates or joint velocities, else 0."""
    moves = False
    for n in range(N_NEW):
        moves = moves or (NEW_MOVES[n] > 0 and is_owner_due(R, NEW_OWNER[n], near))
    return energy_of_rates(R) if moves else 0.0


def log_resets(R: Record, lost: float) -> int:
    """Log the due events with resets, the last one with the energy lost; return one that recurs without end, or -1."""
    recurring = -1
    last = -1
    for i in range(N_EVENTS):
        if RESETS[i] > 0 and R.due[N_MODES + i] != 0.0:
            last = i
    for i in range(N_EVENTS):
        if RESETS[i] > 0 and R.due[N_MODES + i] != 0.0:
            watched = R.watched[N_MODES + i]
            log_entry(R, OF_RESET, i, R.looked[N_MODES + i].before, watched.side, lost if i == last else 0.0)
            if recurs(R, i):
                recurring = i
    return recurring


def recurs(R: Record, i: int) -> bool:
    """Note the gap since the last reset of event i; True if the gaps shrink one after the other to almost zero.

    Gaps between changes of modes do not count: bouncing bodies come to rest.
    """
    watched = R.watched[N_MODES + i]
    gap = R.time - watched.last
    changes = False
    for g in range(N_MODES):
        changes = changes or R.due[g] != 0.0 or R.looked[g].acted != 0.0
    if gap >= watched.gap or watched.first_gap == np.inf or changes:
        watched.first_gap = np.inf if changes else gap
        watched.shrunk = 0.0
    else:
        watched.shrunk += 1.0
    watched.gap = gap
    watched.last = R.time
    return watched.shrunk >= LEAST_SHRUNK and gap <= ZENO_SHARE * watched.first_gap
