"""Events with resets: their distances from zero crossings, which end steps.

The modules of models with such events contain copies of these functions. The distance of an event is its indicator with
the sign that makes it positive before the crossing.
"""

from __future__ import annotations

import numpy as np

from ...kernels.declarations import Record
from ...kernels.hooks import apply_ties, is_tied, start_ties, untie
from ...kernels.linked import indicators
from ...kernels.names import (
    BEGAN,
    CHATTER,
    DUE,
    END_NOW,
    END_VALUES,
    EVENT_DIRECTIONS,
    INDICATORS,
    LEAST_SHRUNK,
    MET,
    MOST_CHATTERS,
    N_EVENTS,
    N_MODES,
    N_RESETS,
    NX,
    ON_START,
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
    SAME_END,
    STANDS,
    TIME,
    WORK,
    X0,
    ZENO,
)
from .drivers import copy, evaluate
from .events import move_along


def reset_values(R: Record) -> None:
    """Write the distances of events with resets from their crossings to END_NOW, after the distances of modes.

    They are positive before the crossing. Expects fresh rates.

    Writes: end_now.
    """
    indicators(R)
    apply_ties(R)
    for j in range(N_RESETS):
        R[END_NOW + N_MODES + j] = distance(R, j)


def distance(R: Record, j: int) -> float:
    """Return the distance of an event from its crossing.

    On a zero that does not count, the crossing is the instant when the indicator leaves it in the event's direction.

    Reads: indicators, resets.
    """
    value = R[INDICATORS + RESET_EVENT[j]]
    direction = EVENT_DIRECTIONS[RESET_EVENT[j]]
    if R[RESETS + RESET_SIZE * j + RESET_STANDS] == 0.0:
        side = 0.0 - direction if direction != 0 else R[RESETS + RESET_SIZE * j + RESET_SIDE]
        return side * value
    return STANDS - (direction * value if direction != 0 else abs(value))


def reach_end(R: Record, U: Record) -> None:
    """Update the distances of events with resets where one has ended a step, before samples and resets there.

    Reads: end_now, end_values. Writes: end_values.
    """
    if N_RESETS == 0:
        return
    evaluate(R, U)
    reset_values(R)
    for k in range(N_MODES, N_MODES + N_RESETS):
        if not (R[END_VALUES + k] > 0.0 and R[END_NOW + k] <= 0.0):  # otherwise it is due when the next step begins
            R[END_VALUES + k] = R[END_NOW + k]


def watch_resets(R: Record, U: Record, h: float) -> None:
    """Update the distances of events with resets where a step begins; events whose indicators jumped over zero are due.

    `h` is the larger of the sizes of this step and the last one. If an indicator is at its zero, its sign is rounding,
    and the direction in which it moves decides. Expects and leaves fresh rates.

    Reads: due, end_now, head, indicators, resets. Writes: resets.
    """
    if N_RESETS == 0:
        return
    if begins_on(R, 0) and R[RESETS + RESET_LAST] == R[TIME]:
        start_ties(R, U)
    reset_values(R)
    on_zero = False
    for j in range(N_RESETS):
        untie(R, RESET_EVENT[j], R[INDICATORS + RESET_EVENT[j]])
        reset = RESETS + RESET_SIZE * j
        R[reset + RESET_REACH] = max(R[reset + RESET_REACH], abs(R[INDICATORS + RESET_EVENT[j]]))
        if abs(R[END_NOW + N_MODES + j]) < SAME_END * R[reset + RESET_REACH]:
            R[reset + RESET_ZERO] = R[TIME]
        if R[DUE + N_MODES + j] != 0.0:
            R[reset + RESET_OFF] = 1.000001 * abs(R[END_NOW + N_MODES + j])
        on_zero = on_zero or (R[reset + RESET_ZERO] == R[TIME] and not is_tied(R, RESET_EVENT[j]))
    if on_zero:
        look_ahead(R, U, h)
    else:
        for j in range(N_RESETS):
            take_value(R, j)


def look_ahead(R: Record, U: Record, h: float) -> None:
    """Call `take_value` if some events are at their zeros; for these, after a small part of a step of size h.

    At the start of a run the size of an indicator is not known yet. All are looked at again, and those that the look
    ahead has found off their zeros have the values of the present state, which may cross zero within that time.

    Reads: head, resets.
    """
    ahead = 1.0e-6 * (h if h > 0.0 else 1.0e-3)
    for j in range(N_RESETS):
        reset = RESETS + RESET_SIZE * j
        if R[reset + RESET_LAST] == R[TIME] and R[reset + RESET_GAP] > 0.0:
            ahead = min(ahead, 1.0e-3 * R[reset + RESET_GAP])
        if not stands_on(R, j, R[TIME]):
            take_value(R, j)
    if take_value_ahead(R, U, ahead, 1):
        take_value_ahead(R, U, 1.0e3 * ahead, 4)
    reset_values(R)
    for j in range(N_RESETS):
        if begins_on(R, j) and R[RESETS + RESET_SIZE * j + RESET_ZERO] != R[TIME]:
            take_value(R, j)


def take_value_ahead(R: Record, U: Record, ahead: float, steps: int) -> bool:
    """Call `take_value` for events at their zeros, with the values after a time `ahead`, reached in `steps` steps.

    Return True if an event is undecided: at a zero at the start of the run, and still there after a single step. An
    event that starts further from its zero than rounding is marked as off it, whatever it is after that time.

    Reads: head, indicators, resets, work. Writes: drive_impulses, end_now, head, p, q, resets, work, z.
    """
    time = R[TIME]
    copy(R, X0, WORK, NX)
    move_along(R, U, ahead, steps)
    indicators(R)
    rests = False
    for j in range(N_RESETS):
        if stands_on(R, j, time) and (steps == 1 or begins_on(R, j)):
            now = R[END_NOW + N_MODES + j]
            off = RESETS + RESET_SIZE * j + RESET_OFF
            moved = abs(R[INDICATORS + RESET_EVENT[j]])
            R[END_NOW + N_MODES + j] = distance(R, j)
            if begins_on(R, j) and R[RESETS + RESET_SIZE * j + RESET_REACH] > ON_START * moved:
                R[RESETS + RESET_SIZE * j + RESET_ZERO] = -np.inf
            elif R[RESETS + RESET_SIZE * j + RESET_LAST] == time and R[off] > 0.0 and abs(now) <= R[off]:
                go_on(R, j, now)
            elif steps == 1 and begins_on(R, j) and R[INDICATORS + RESET_EVENT[j]] == 0.0:
                rests = True
            else:
                take_value(R, j)
    copy(R, WORK, X0, NX)
    R[TIME] = time
    evaluate(R, U)
    return rests


def stands_on(R: Record, j: int, time: float) -> bool:
    """True if an event is at its zero up to rounding, unless it has just occurred and its reset led away from zero.

    Reads: end_now, resets.
    """
    reset = RESETS + RESET_SIZE * j
    left = R[reset + RESET_LAST] == time and R[reset + RESET_OFF] > 0.0
    left = left and abs(R[END_NOW + N_MODES + j]) > R[reset + RESET_OFF]
    return R[reset + RESET_ZERO] == time and not left and not is_tied(R, RESET_EVENT[j])


def take_value(R: Record, j: int) -> None:
    """Store END_NOW as the distance of an event; the event is due if its distance becomes zero or less.

    Leaving a zero is a crossing, unless that zero was counted or the run started there.

    Reads: end_now, end_values, indicators, resets. Writes: due, end_values, resets.
    """
    reset = RESETS + RESET_SIZE * j
    before = R[END_VALUES + N_MODES + j]
    value = R[INDICATORS + RESET_EVENT[j]]
    if before > 0.0 and R[END_NOW + N_MODES + j] <= 0.0 and R[DUE + N_MODES + j] == 0.0:
        R[DUE + N_MODES + j] = 1.0
        R[reset + RESET_OFF] = 0.0
    if value != 0.0 or before < 0.0 or begins_on(R, j):
        R[reset + RESET_STANDS] = 0.0 if value != 0.0 else 1.0
    if value != 0.0 and (before == 0.0 or R[DUE + N_MODES + j] == 0.0):
        R[reset + RESET_SIDE] = 1.0 if value > 0.0 else -1.0
    R[END_VALUES + N_MODES + j] = distance(R, j)


def go_on(R: Record, j: int, now: float) -> None:
    """The same as `take_value` for an event that has just occurred and is still at its crossing.

    The direction in which the indicator moves decides. Its sign is meaningless, because the error of the method makes
    the repeated step end beside the zero.

    Reads: end_now, end_values, resets. Writes: due, end_now, end_values, resets.
    """
    end = END_NOW + N_MODES + j
    side = RESETS + RESET_SIZE * j + RESET_SIDE
    either_way = EVENT_DIRECTIONS[RESET_EVENT[j]] == 0
    if R[end] < now and either_way and R[END_VALUES + N_MODES + j] == 0.0:
        R[side] = -R[side]
        R[end] = STANDS
    elif R[end] < now:
        R[end] = min(R[end], -STANDS)
    elif R[end] > now and either_way:
        R[end] = max(R[end], STANDS)
    else:
        take_value(R, j)
        return
    if R[END_VALUES + N_MODES + j] > 0.0 and R[end] < 0.0:
        R[DUE + N_MODES + j] = 1.0
        R[RESETS + RESET_SIZE * j + RESET_OFF] = 0.0
    R[END_VALUES + N_MODES + j] = R[end]


def begins_on(R: Record, j: int) -> bool:
    """True if the distance of an event is evaluated for the first time.

    Reads: end_values, resets.
    """
    return R[END_VALUES + N_MODES + j] == 0.0 and R[RESETS + RESET_SIZE * j + RESET_GAP] == np.inf


def note_resets(R: Record, h: float) -> int:
    """Record the times of events that were due; return the index of an event that recurs without end, or -1.

    The intervals of such an event decrease one after the other to almost zero, or they have been a tiny part of the
    step size h many times in succession.

    Reads: due, head, resets, watch. Writes: due, end_values, resets, watch.
    """
    recurring = -1
    for j in range(N_RESETS):
        if R[DUE + N_MODES + j] != 0.0:
            reset = RESETS + RESET_SIZE * j
            R[DUE + N_MODES + j] = 0.0
            R[END_VALUES + N_MODES + j] = R[reset + RESET_STANDS] = 0.0
            R[reset + RESET_ZERO] = R[TIME]
            R[MET + RESET_EVENT[j]] += 1.0
            gap = R[TIME] - R[reset + RESET_LAST]
            if is_tied(R, RESET_EVENT[j]):  # the contact may come to rest
                R[reset + RESET_FIRST] = np.inf
            if gap >= R[reset + RESET_GAP] or R[reset + RESET_FIRST] == np.inf:
                R[reset + RESET_FIRST] = gap
                R[reset + RESET_SHRUNK] = 0.0
            else:
                R[reset + RESET_SHRUNK] += 1.0
                if gap <= ZENO * R[reset + RESET_FIRST] and R[reset + RESET_SHRUNK] >= LEAST_SHRUNK:
                    recurring = RESET_EVENT[j]
            R[reset + RESET_CHATTERS] = R[reset + RESET_CHATTERS] + 1.0 if gap < CHATTER * h else 0.0
            if R[reset + RESET_CHATTERS] > MOST_CHATTERS:
                recurring = RESET_EVENT[j]
            R[reset + RESET_GAP] = gap
            R[reset + RESET_LAST] = R[TIME]
    return recurring


def forget_met(R: Record) -> float:
    """Clear the met events at the beginning of a step, and return the size of the last step.

    Reads: head, watch. Writes: watch.
    """
    size = R[TIME] - R[BEGAN]
    R[BEGAN] = R[TIME]
    for i in range(N_EVENTS):
        R[MET + i] = 0.0
    return size  # type: ignore[no-any-return]


def resets_by(i: int) -> bool:
    """True if event i has resets."""
    has_reset = False
    for j in range(N_RESETS):
        has_reset = has_reset or RESET_EVENT[j] == i
    return has_reset
