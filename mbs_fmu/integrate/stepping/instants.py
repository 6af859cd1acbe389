"""What happens at one instant: rounds of assignments, mode changes and events (docs/instants.md).

The modules of models with crossings contain copies of these functions. A part of a step ends at the instant (t, 0), the
left limit of state and inputs. The rounds (t, 1), (t, 2), ... follow when the next part begins. In the first, inputs
take their right limits, and due samples act. In each, due resets and samples are assigned together from the values
before, then the modes that end are changed, then events are looked for that the round has caused.
"""

from __future__ import annotations

import numpy as np

from ...kernels.breaks import next_jump
from ...kernels.constants import (
    ALL_FRESH,
    BUDGET,
    DERIVATIVES_FRESH,
    MOST_ROUNDS,
    MOST_TINY,
    OF_EVENT,
    OF_STOP,
    OK,
    PERIOD_NOT_FELT,
    RATES_FRESH,
    READY_STEPS,
    ROWS_CHOSEN,
    STALE,
    UNENDING,
)
from ...kernels.hooks import (
    assign,
    change_ended_modes,
    choose_rows,
    clear_residual_offsets,
    find_held,
    is_load_mode,
    lost_clock,
    release_values,
    sample_time,
    sample_window,
    side_when_engaged,
    some_sample,
)
from ...kernels.logs import log_entry, log_fills
from ...kernels.tolerances import (
    AHEAD_SHARE,
    MOTION_ROUNDING_SHARE,
    START_ZERO_SHARE,
    TINY_PART_SHARE,
)
from ...record.schema import (
    N_BEATS,
    N_CLOCKS,
    N_EVENTS,
    N_HISTORY_VECTORS,
    N_INPUTS,
    N_MODES,
    N_SWITCHES,
    N_WATCHED,
    NX,
    RESETS,
    STOPS,
    Inputs,
    Record,
)
from .crossings import acts, sign, turns, watch
from .drivers import evaluate, fail, prepare_step, refresh
from .windows import delta


def start_instants(R: Record) -> None:
    """Initialise the numbers of instants; the watched functions are evaluated when the first step begins."""
    instants = R.instants
    instants.begun = instants.round = instants.jumps = instants.crossed = instants.spent = instants.stopped = (
        instants.last_part
    ) = instants.tiny = instants.interval = instants.logged = 0.0
    instants.call_start = instants.call_end = -np.inf
    instants.jump = -np.inf
    instants.next_sample = np.inf
    R.output_interval.steps = 0.0
    R.failed_trial.part_size = 0.0
    for w in range(N_WATCHED):
        R.due[w] = 0.0
        R.watched[w].contact = 0.0


# -- times -----------------------------------------------------------------------------------------------------------


def next_time(R: Record, U: Inputs, end: float) -> float:
    """Return the end of the next part: the first sample or jump before `end`, with all that coincide with it, or `end`.

    The latest of those that coincide is the instant, or `end` if it is one of them.
    """
    near = delta(R, U)
    if R.instants.jump <= R.time + near:
        R.instants.jump = next_jump(R, U, R.time + near)
    first = min(end, R.instants.jump if R.instants.jump < end - near else end)
    for k in range(N_CLOCKS):
        time = sample_time(R, k)
        first = min(first, time if time < end - sample_window(R, k, end, near) else end)
    if first >= end:
        return end
    last = first
    for k in range(N_CLOCKS):
        time = sample_time(R, k)
        last = max(last, time if time <= first + near else last)
    jump = R.instants.jump
    for _ in range(N_SWITCHES + N_BEATS + N_INPUTS):
        if jump > first + near:
            break
        last = max(last, jump)
        jump = next_jump(R, U, jump)
    return last if last < end - near else end


# -- rounds ----------------------------------------------------------------------------------------------------------


def make_rounds(R: Record, U: Inputs, h: float, controlled: bool) -> int:
    """Make the rounds that are due at the present time, before a step of size h (s); return a status.

    `controlled` is as in `prepare_step`. With the status BUDGET, the log must be emptied before the next round. If
    nothing is due, nothing is done: the step prepares itself.
    """
    instants = R.instants
    status = OK
    if instants.begun == 0.0:
        status = start_watching(R, U, h, controlled)
    if status != OK or not something_happens(R, U):
        return status
    if instants.round == 0.0:
        status = take_right_limits(R, U, h, controlled)
    while status == OK and instants.stopped == 0.0 and something_is_due(R, U):
        if log_fills(R) and U.rows > 0.0:
            return BUDGET
        status = make_round(R, U, h, controlled)
    return leave_instant(R, h) if status == OK else status


def something_happens(R: Record, U: Inputs) -> bool:
    """True if a round is due at the present time, or inputs may have jumped."""
    return R.instants.jumps != 0.0 or something_is_due(R, U)


def something_is_due(R: Record, U: Inputs) -> bool:
    """True if a round is due at the present time."""
    some = some_sample(R, delta(R, U))
    for w in range(N_WATCHED):
        some = some or R.due[w] != 0.0
    return some


def start_watching(R: Record, U: Inputs, h: float, controlled: bool) -> int:
    """Evaluate the watched functions at the start of a run, before a step of size h; return a status.

    At a zero that a function leaves at once, its side is the direction of motion, and there is no event. At a lasting
    zero, leaving it is the event. Latches whose conditions hold are due.
    """
    instants = R.instants
    if instants.interval == 0.0:
        instants.interval = U.interval
    lost = lost_clock(R, U)
    if lost >= 0:
        return fail(R, 0, R.clocks[lost].period, PERIOD_NOT_FELT)
    R.side = delta(R, U)
    choose_rows(R, U, False)
    R.fresh = ROWS_CHOSEN if READY_STEPS > 0 else RATES_FRESH
    for w in range(N_WATCHED):
        R.looked[w].acted = 1.0
    find_held(R, U)
    watch(R)
    for w in range(N_WATCHED):
        watched = R.watched[w]
        watched.reach = abs(R.now[w])
        watched.zone = watched.shrunk = 0.0
        watched.quiet = -np.inf
        watched.last = R.time
        watched.gap = watched.first_gap = np.inf
    find_zeros_at_start(R, U, h)
    look_at_motion(R, U, h)
    for w in range(N_WATCHED):
        watched = R.watched[w]
        watched.zone = 0.0
        watched.side = 1.0 if is_load_mode(w) else R.looked[w].motion
        watched.open = 1.0 if watched.side == 0.0 else 0.0
        R.due[w] = 1.0 if w < N_MODES and watched.side < 0.0 else 0.0
    begin_part(R)
    instants.begun = 1.0
    refresh(R, U)  # for the first row of a run; importers' calls begin with the same bits
    return OK


def find_zeros_at_start(R: Record, U: Inputs, h: float) -> None:
    """Set the zones of functions that start on a zero up to rounding: a short time later they are far from it.

    `h` is the size of the first step (s). Expects fresh rates and `now`, and leaves them.
    """
    time = R.time
    fresh = R.fresh
    R.work[0] = R.x
    for w in range(N_WATCHED):
        R.looked[w].last = R.now[w]
    follow_motion(R, U, AHEAD_SHARE * (h if h > 0.0 else 1.0e-3), 1)
    for w in range(N_WATCHED):
        value = R.looked[w].last
        R.watched[w].zone = abs(value) if abs(value) <= START_ZERO_SHARE * abs(R.now[w]) else 0.0
        R.now[w] = value
    R.x[:] = R.work[0]
    R.time = time
    evaluate(R, U)
    R.fresh = fresh


def take_right_limits(R: Record, U: Inputs, h: float, controlled: bool) -> int:
    """Evaluate the rates with the right limits of inputs, before a step of size h; return a status.

    The functions that a jump moves over zero are due.
    """
    jumps = R.instants.jumps != 0.0
    R.side = delta(R, U)
    if jumps or R.fresh == DERIVATIVES_FRESH or R.fresh == ALL_FRESH:
        R.fresh = STALE
    status = prepare_step(R, U, h, controlled)
    R.instants.jumps = 0.0
    if status == OK and jumps:
        watch(R)
        look_at_motion(R, U, h)
        for w in range(N_WATCHED):
            R.looked[w].before = R.watched[w].side
            if R.due[w] == 0.0 and turns(R, w, R.looked[w].motion):
                R.due[w] = 1.0
    return status


def make_round(R: Record, U: Inputs, h: float, controlled: bool) -> int:
    """Make the next round of this instant, before a step of size h; return a status.

    Expects fresh rates, and leaves them for the state after the round. What the round moves over zero is due then.
    """
    instants = R.instants
    instants.round += 1.0
    instants.spent += 1.0
    fault = some_due_function(R)
    if fault < N_WATCHED:
        instants.crossed = 1.0 + fault
    if instants.round > MOST_ROUNDS:
        return fail(R, fault, h, UNENDING)
    some = assign(R, U, delta(R, U))
    if some < 0:
        return fail(R, N_MODES - 1 - some, h, UNENDING)
    status = prepare_step(R, U, h, controlled) if some > 0 else OK
    for w in range(N_WATCHED):
        R.looked[w].acted = 1.0 if R.due[w] != 0.0 else 0.0
    if status == OK:
        status = change_ended_modes(R, U, h, controlled)
    if status != OK:
        return status
    find_held(R, U)
    watch(R)
    look_at_motion(R, U, h)
    for w in range(N_WATCHED):
        arm(R, w)
    log_events(R)
    return OK


def some_due_function(R: Record) -> int:
    """Return the number of a function that is due, or N_WATCHED for samples."""
    some = N_WATCHED
    for w in range(N_WATCHED):
        some = w if R.due[w] != 0.0 and acts(w) else some
    return some


def arm(R: Record, w: int) -> None:
    """Set the side of function w behind a round; it is due if this is an event.

    What has acted takes the side of its new value without an event; only a latch may begin beyond the end of its new
    mode, which then ends in the next round. An event without resets that an input has moved over zero stays due.
    """
    watched = R.watched[w]
    looked = R.looked[w]
    side = looked.motion
    looked.before = watched.side
    if is_load_mode(w):
        side = 1.0
    changes = w < N_MODES or RESETS[w - N_MODES] > 0
    if looked.acted == 0.0 or not changes:
        was_due = R.due[w] != 0.0 and not changes
        R.due[w] = 1.0 if turns(R, w, side) or was_due else 0.0
        return
    holds = w < N_MODES and not is_load_mode(w) and R.modes[w] == 0.0
    if holds:
        side = side_when_engaged(R, w, side)
    watched.side = side
    watched.open = 1.0 if holds and side == 0.0 else 0.0
    R.due[w] = 1.0 if holds and side < 0.0 else 0.0


def log_events(R: Record) -> None:
    """Log the due events without resets at the present instant, and note whether one of them ends the run."""
    for i in range(N_EVENTS):
        w = N_MODES + i
        ends = STOPS[i] > 0 and R.instants.call_start == -np.inf  # importers make runs without ends
        if R.due[w] != 0.0 and (STOPS[i] > 0 or not acts(w)):
            before = R.looked[w].before
            after = R.watched[w].side
            if after == 0.0 and before != 0.0:
                after = -before
            log_entry(R, OF_STOP if STOPS[i] > 0 else OF_EVENT, i, before, after, 0.0)
            R.due[w] = 0.0
            if ends:
                R.instants.stopped = 1.0


def leave_instant(R: Record, h: float) -> int:
    """Begin the motion behind this instant, with a step of size h; return a status."""
    instants = R.instants
    release_values(R)
    begin_part(R)
    for w in range(N_WATCHED):
        R.looked[w].acted = 0.0
    fault = int(instants.crossed) - 1
    is_tiny = instants.crossed != 0.0 and instants.last_part < TINY_PART_SHARE * h
    instants.tiny = instants.tiny + 1.0 if is_tiny else 0.0
    instants.crossed = 0.0
    instants.round = 0.0
    if N_HISTORY_VECTORS > 0:
        R.history.count = 0.0
    return fail(R, fault, h, UNENDING) if instants.tiny > MOST_TINY else OK


def begin_part(R: Record) -> None:
    """Store the watched functions at the beginning of a part of a step."""
    clear_residual_offsets(R)
    for w in range(N_WATCHED):
        R.watched[w].value = R.now[w]
        R.watched[w].reach = max(R.watched[w].reach, abs(R.now[w]))


# -- the direction of motion ------------------------------------------------------------------------------------------


def look_at_motion(R: Record, U: Inputs, h: float) -> None:
    """Write to `motion` the sides of the functions in `now`: their signs or, where these are rounding, the directions.

    A function at zero, or in the zone of a crossing just located, has the side to which it moves: over a short time,
    or if it does not move then, over a longer one. `h` is the size of the next step (s). Expects fresh rates and leaves
    them, and `now`.
    """
    some = False
    ahead = AHEAD_SHARE * (h if h > 0.0 else max(R.instants.interval, 1.0e-3))
    for w in range(N_WATCHED):
        watched = R.watched[w]
        R.looked[w].motion = sign(R.now[w])
        R.looked[w].last = R.now[w]
        if is_at_zero(R, w):
            R.looked[w].motion = 0.0
            watched.quiet = max(watched.quiet, R.time + 2.0 * delta(R, U))
            some = True
            if 0.0 < watched.gap < np.inf:
                ahead = min(ahead, 1.0e-3 * watched.gap)
    if not some:
        return
    time = R.time
    fresh = R.fresh
    R.work[0] = R.x
    if look_ahead(R, U, ahead, 1):
        R.x[:] = R.work[0]
        R.time = time
        evaluate(R, U)
        look_ahead(R, U, 1.0e3 * ahead, 4)
    R.x[:] = R.work[0]
    R.time = time
    evaluate(R, U)
    R.fresh = fresh
    for w in range(N_WATCHED):
        R.now[w] = R.looked[w].last


def is_at_zero(R: Record, w: int) -> bool:
    """True if the sign of function w in `now` is rounding."""
    return not is_load_mode(w) and abs(R.now[w]) <= R.watched[w].zone


def look_ahead(R: Record, U: Inputs, size: float, steps: int) -> bool:
    """Follow the motion over a time `size` in equal Euler steps; return True if a function at zero does not move.

    With several steps, functions of coordinates at rest move too.
    """
    follow_motion(R, U, size, steps)
    rests = False
    for w in range(N_WATCHED):
        looked = R.looked[w]
        before = looked.last
        if abs(before) <= R.watched[w].zone and looked.motion == 0.0 and not is_load_mode(w):
            change = R.now[w] - before
            if abs(change) > MOTION_ROUNDING_SHARE * R.watched[w].reach:
                looked.motion = sign(change)
            rests = rests or looked.motion == 0.0
    return rests


def follow_motion(R: Record, U: Inputs, size: float, steps: int) -> None:
    """Advance the state over a short time `size` by equal Euler steps, and compute the watched functions there."""
    h = size / steps
    for _ in range(steps):
        for k in range(NX):
            R.x[k] += h * R.x_dot[k]
        R.time += h
        evaluate(R, U)
    watch(R)
