"""Events with resets: their distances from zero crossings, which end steps.

The modules of models with such events contain copies of these functions. The distance of an event is its indicator with
the sign that makes it positive before the crossing.
"""

from __future__ import annotations

import numpy as np

from ...kernels.constants import COUNTED_ZERO, LEAST_SHRUNK, MOST_CHATTERS
from ...kernels.hooks import bind_at_start, correct_bound_indicators, is_bound, unbind
from ...kernels.linked import indicators
from ...kernels.tolerances import CHATTER_SHARE, INDICATOR_ROUNDING_SHARE, SAME_END_SHARE, ZENO_SHARE
from ...record.schema import EVENT_DIRECTIONS, N_EVENTS, N_MODES, N_RESETS, RESET_EVENT, Inputs, Record
from .drivers import evaluate
from .events import move_along


def reset_values(R: Record) -> None:
    """Write the distances of events with resets from their crossings to `end_now`, after the distances of modes.

    They are positive before the crossing. Expects fresh rates.
    """
    indicators(R)
    correct_bound_indicators(R)
    for j in range(N_RESETS):
        R.end_now[N_MODES + j] = distance(R, j)


def distance(R: Record, j: int) -> float:
    """Return the distance of event j with resets from its crossing, positive before the crossing.

    On a zero that does not count, the crossing is the instant when the indicator leaves it in the event's direction.
    """
    value = R.indicators[RESET_EVENT[j]]
    direction = EVENT_DIRECTIONS[RESET_EVENT[j]]
    if R.resets[j].is_on_zero == 0.0:
        side = 0.0 - direction if direction != 0 else R.resets[j].side
        return side * value
    return COUNTED_ZERO - (direction * value if direction != 0 else abs(value))


def reach_end(R: Record, U: Inputs) -> None:
    """Update the distances of events with resets where one has ended a step, before samples and resets there."""
    if N_RESETS == 0:
        return
    evaluate(R, U)
    reset_values(R)
    for k in range(N_MODES, N_MODES + N_RESETS):
        if not (R.end_values[k] > 0.0 and R.end_now[k] <= 0.0):  # otherwise it is due when the next step begins
            R.end_values[k] = R.end_now[k]


def watch_resets(R: Record, U: Inputs, h: float) -> None:
    """Update the distances of events with resets where a step begins; an event whose indicator jumped over zero is due.

    `h` is the larger of the sizes of this step and the last one. If an indicator is at its zero, its sign is rounding,
    and the direction in which it moves decides. Expects and leaves fresh rates.
    """
    if N_RESETS == 0:
        return
    if is_first_evaluation(R, 0) and R.resets[0].last == R.time:
        bind_at_start(R, U)
    reset_values(R)
    on_zero = False
    for j in range(N_RESETS):
        unbind(R, RESET_EVENT[j], R.indicators[RESET_EVENT[j]])
        reset = R.resets[j]
        reset.farthest_distance = max(reset.farthest_distance, abs(R.indicators[RESET_EVENT[j]]))
        if abs(R.end_now[N_MODES + j]) < SAME_END_SHARE * reset.farthest_distance:
            reset.zero = R.time
        if R.due[N_MODES + j] != 0.0:
            reset.crossing_distance = 1.000001 * abs(R.end_now[N_MODES + j])
        on_zero = on_zero or (reset.zero == R.time and not is_bound(R, RESET_EVENT[j]))
    if on_zero:
        evaluate_ahead(R, U, h)
    else:
        for j in range(N_RESETS):
            store_distance(R, j)


def evaluate_ahead(R: Record, U: Inputs, h: float) -> None:
    """Call `store_distance` for all events, if some are at their zeros; for these, after a small part of a step.

    `h` is the step size. At the start of a run the size of an indicator is not known yet: events that the evaluation
    ahead has found to be off their zeros are then stored with their present distances, because they may cross zero
    within the small part.
    """
    ahead = 1.0e-6 * (h if h > 0.0 else 1.0e-3)
    for j in range(N_RESETS):
        reset = R.resets[j]
        if reset.last == R.time and reset.interval > 0.0:
            ahead = min(ahead, 1.0e-3 * reset.interval)
        if not is_at_its_zero(R, j, R.time):
            store_distance(R, j)
    if store_distances_ahead(R, U, ahead, 1):
        store_distances_ahead(R, U, 1.0e3 * ahead, 4)
    reset_values(R)
    for j in range(N_RESETS):
        if is_first_evaluation(R, j) and R.resets[j].zero != R.time:
            store_distance(R, j)


def store_distances_ahead(R: Record, U: Inputs, ahead: float, steps: int) -> bool:
    """Call `store_distance` for events at their zeros, with distances after a time `ahead`, reached in `steps` steps.

    Return True if an event is undecided: at a zero at the start of the run, and still there after a single step. An
    event that starts further from its zero than rounding is marked as off it (`Reset.zero`), wherever it is after that
    time.
    """
    time = R.time
    R.work[0] = R.x
    move_along(R, U, ahead, steps)
    indicators(R)
    rests = False
    for j in range(N_RESETS):
        if is_at_its_zero(R, j, time) and (steps == 1 or is_first_evaluation(R, j)):
            now = R.end_now[N_MODES + j]
            reset = R.resets[j]
            moved = abs(R.indicators[RESET_EVENT[j]])
            R.end_now[N_MODES + j] = distance(R, j)
            if is_first_evaluation(R, j) and reset.farthest_distance > INDICATOR_ROUNDING_SHARE * moved:
                reset.zero = -np.inf
            elif reset.last == time and reset.crossing_distance > 0.0 and abs(now) <= reset.crossing_distance:
                store_distance_after_event(R, j, now)
            elif steps == 1 and is_first_evaluation(R, j) and R.indicators[RESET_EVENT[j]] == 0.0:
                rests = True
            else:
                store_distance(R, j)
    R.x[:] = R.work[0]
    R.time = time
    evaluate(R, U)
    return rests


def is_at_its_zero(R: Record, j: int, time: float) -> bool:
    """True if an event was last at its zero at `time`, up to rounding; False if its reset then led away from zero."""
    reset = R.resets[j]
    left = reset.last == time and reset.crossing_distance > 0.0
    left = left and abs(R.end_now[N_MODES + j]) > reset.crossing_distance
    return reset.zero == time and not left and not is_bound(R, RESET_EVENT[j])


def store_distance(R: Record, j: int) -> None:
    """Store `end_now` as the distance of an event; the event is due if its distance becomes zero or less.

    Leaving a zero is a crossing, unless that zero was counted or the run started there.
    """
    reset = R.resets[j]
    before = R.end_values[N_MODES + j]
    value = R.indicators[RESET_EVENT[j]]
    if before > 0.0 and R.end_now[N_MODES + j] <= 0.0 and R.due[N_MODES + j] == 0.0:
        R.due[N_MODES + j] = 1.0
        reset.crossing_distance = 0.0
    if value != 0.0 or before < 0.0 or is_first_evaluation(R, j):
        reset.is_on_zero = 0.0 if value != 0.0 else 1.0
    if value != 0.0 and (before == 0.0 or R.due[N_MODES + j] == 0.0):
        reset.side = 1.0 if value > 0.0 else -1.0
    R.end_values[N_MODES + j] = distance(R, j)


def store_distance_after_event(R: Record, j: int, now: float) -> None:
    """Store the distance of an event that has just occurred and is still at its crossing; it may be due again.

    `now` is the present distance, `end_now` contains the distance a short time later. The direction in which the
    indicator moves decides: its sign is meaningless, because the error of the method makes the repeated step end beside
    the zero.
    """
    reset = R.resets[j]
    end = N_MODES + j
    either_way = EVENT_DIRECTIONS[RESET_EVENT[j]] == 0
    if R.end_now[end] < now and either_way and R.end_values[end] == 0.0:
        reset.side = -reset.side
        R.end_now[end] = COUNTED_ZERO
    elif R.end_now[end] < now:
        R.end_now[end] = min(R.end_now[end], -COUNTED_ZERO)
    elif R.end_now[end] > now and either_way:
        R.end_now[end] = max(R.end_now[end], COUNTED_ZERO)
    else:
        store_distance(R, j)
        return
    if R.end_values[end] > 0.0 and R.end_now[end] < 0.0:
        R.due[end] = 1.0
        reset.crossing_distance = 0.0
    R.end_values[end] = R.end_now[end]


def is_first_evaluation(R: Record, j: int) -> bool:
    """True if the distance of an event is evaluated for the first time."""
    return R.end_values[N_MODES + j] == 0.0 and R.resets[j].interval == np.inf


def note_resets(R: Record, h: float) -> int:
    """Record the times of events that were due; return the index of an event that recurs without end, or -1.

    The intervals of such an event decrease one after the other to almost zero, or they have been a tiny part of the
    step size h many times in succession.
    """
    recurring = -1
    for j in range(N_RESETS):
        if R.due[N_MODES + j] != 0.0:
            reset = R.resets[j]
            R.due[N_MODES + j] = 0.0
            R.end_values[N_MODES + j] = reset.is_on_zero = 0.0
            reset.zero = R.time
            R.met[RESET_EVENT[j]] += 1.0
            interval = R.time - reset.last
            if is_bound(R, RESET_EVENT[j]):  # the contact may come to rest
                reset.first_interval = np.inf
            if interval >= reset.interval or reset.first_interval == np.inf:
                reset.first_interval = interval
                reset.shrunk = 0.0
            else:
                reset.shrunk += 1.0
                if interval <= ZENO_SHARE * reset.first_interval and reset.shrunk >= LEAST_SHRUNK:
                    recurring = RESET_EVENT[j]
            reset.chatters = reset.chatters + 1.0 if interval < CHATTER_SHARE * h else 0.0
            if reset.chatters > MOST_CHATTERS:
                recurring = RESET_EVENT[j]
            reset.interval = interval
            reset.last = R.time
    return recurring


def forget_met(R: Record) -> float:
    """Clear the counts of crossings at the beginning of a step, and return the size of the last step."""
    size = R.time - R.event_search.began
    R.event_search.began = R.time
    for i in range(N_EVENTS):
        R.met[i] = 0.0
    return size


def resets_by(i: int) -> bool:
    """True if event i has resets."""
    has_reset = False
    for j in range(N_RESETS):
        has_reset = has_reset or RESET_EVENT[j] == i
    return has_reset
