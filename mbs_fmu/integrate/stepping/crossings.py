"""Sides of watched functions, and the search for their crossings in a part of a step.

The modules of models with crossings contain copies of these functions. Watched are the distances of constraint modes
from their ends (rows 0 to N_MODES - 1), which end the mode when they fall to zero, then the expressions of events.

The side of a function is its sign. An event happens when the side changes in the event's direction (`turns`): reaching
zero counts if it fits the direction, otherwise leaving it does, so that a zero counts once. Sides are compared at the
end of a part of a step, with error control also in its middle. A crossing is located on the step's dense output or,
without one, on the cubic through states and rates at the ends of the part.
"""

from __future__ import annotations

import numpy as np

from ...kernels.constants import COUNTED_ZERO, DERIVATIVES_FRESH, STALE
from ...kernels.hooks import clear_residual_offsets, hold_values, is_load_mode, mode_values
from ...kernels.linked import indicators
from ...kernels.tolerances import FUNCTION_ROUNDING_SHARE, LATCH_ROUNDING_SHARE, START_ROUNDING_SHARE
from ...record.schema import EVENT_DIRECTIONS, N_EVENTS, N_MODES, N_WATCHED, RESETS, STOPS, Inputs, Record
from .between import METHOD_between
from .hooks import METHOD_dense_stages
from .windows import with_row


def watch(R: Record) -> None:
    """Compute all watched functions at the present state and write them to `now`; expects fresh rates."""
    mode_values(R)
    indicators(R)
    for i in range(N_EVENTS):
        R.now[N_MODES + i] = R.indicators[i]
    hold_values(R)


def direction_of(w: int) -> int:
    """Return the direction in which function w crosses zero at its event: 1, -1, or 0 for both."""
    return -1 if w < N_MODES else EVENT_DIRECTIONS[w - N_MODES]


def acts(w: int) -> bool:
    """True if the event of function w ends the part of the step: of a mode, with resets, or the end of the run."""
    return w < N_MODES or RESETS[w - N_MODES] > 0 or STOPS[w - N_MODES] > 0


def sign(value: float) -> float:
    """Return 1, -1 or 0; a value that is not a number counts as zero."""
    return 1.0 if value > 0.0 else -1.0 if value < 0.0 else 0.0


def is_event(side: float, is_open: float, new: float, direction: int) -> bool:
    """True if a change from `side` to `new` is an event; at a zero that was counted (not `is_open`) it is none."""
    fits = new != side and direction * (new - side) >= 0.0
    return fits and (side != 0.0 or is_open != 0.0)


def is_open_zero(side: float, is_open: float, new: float, event: bool) -> float:
    """Return 1 if `new`, reached from `side`, is a zero that has not been counted, else 0."""
    return 1.0 if new == 0.0 and not event and (side != 0.0 or is_open != 0.0) else 0.0


def turns(R: Record, w: int, new: float) -> bool:
    """Set the side of function w; True if that is an event."""
    watched = R.watched[w]
    event = is_event(watched.side, watched.open, new, direction_of(w))
    watched.open = is_open_zero(watched.side, watched.open, new, event)
    watched.side = new
    return event


# -- the search in a part of a step ----------------------------------------------------------------------------------


def METHOD_search(R: Record, U: Inputs, start: float, end: float, is_adaptive: bool) -> None:
    """Find the crossings in the part of a step from `start` to `end`, which has just been made.

    Writes to `looked` the sides at its end, and times, slopes and sides of crossings. Expects `now` and rates at the
    end of the part. State, derivatives, time and `now` stay unchanged. `is_adaptive`: the step has error control; the
    search also looks at the middle.
    """
    fresh = R.fresh
    some_turn = is_adaptive and N_WATCHED > 0
    for w in range(N_WATCHED):
        looked = R.looked[w]
        looked.side = R.watched[w].side
        looked.open = R.watched[w].open
        looked.first = looked.again = np.inf
        looked.middle = looked.last = R.now[w]
        some_turn = some_turn or side_at(R, w, looked.side, R.now[w], end) != looked.side
    if not some_turn or end <= start:
        return
    R.work[0] = R.x
    R.work[1] = R.x_dot
    is_moved = False
    if R.at_steps == 0.0:
        is_moved = METHOD_dense_stages(R, U, start, end - start)
    if is_adaptive:
        is_moved = True
        METHOD_at(R, U, start, end, 0.5)
        leave_surfaces(R)
        for w in range(N_WATCHED):
            R.looked[w].middle = R.now[w]
    for w in range(N_WATCHED):
        if is_adaptive:
            METHOD_look(R, U, start, end, w, 0.0, 0.5)
            METHOD_look(R, U, start, end, w, 0.5, 1.0)
        else:
            METHOD_look(R, U, start, end, w, 0.0, 1.0)
        is_moved = is_moved or (R.at_steps == 0.0 and R.looked[w].first < np.inf)
    if is_moved:
        R.x[:] = R.work[0]
        R.x_dot[:] = R.work[1]
        R.time = end
        for w in range(N_WATCHED):
            R.now[w] = R.looked[w].last
        R.fresh = DERIVATIVES_FRESH if is_adaptive and fresh != STALE else STALE


def side_at(R: Record, w: int, side: float, value: float, time: float) -> float:
    """Return the side of function w with this value at `time`: its sign or, if that is rounding, the last `side`.

    Contacts and friction begin before the end of a new mode, which has another function: its sign counts at once.
    """
    watched = R.watched[w]
    is_latch = w < N_MODES and not is_load_mode(w)
    rounding = (LATCH_ROUNDING_SHARE if is_latch else FUNCTION_ROUNDING_SHARE) * watched.reach
    rests = side == 0.0 and abs(value) <= rounding
    is_quiet = time <= watched.quiet and not is_load_mode(w)
    return side if is_quiet or value != value or rests else sign(value)


def METHOD_look(R: Record, U: Inputs, start: float, end: float, w: int, left: float, right: float) -> None:
    """Compare the sides of function w at two fractions of the part; locate its crossing if there is one."""
    looked = R.looked[w]
    value = looked.last if right == 1.0 else looked.middle
    before = looked.side
    side = side_at(R, w, before, value, start + right * (end - start))
    event = is_event(before, looked.open, side, direction_of(w))
    looked.open = is_open_zero(before, looked.open, side, event)
    looked.side = side
    if not event:
        return
    g_left = R.watched[w].value if left == 0.0 else looked.middle
    if R.at_steps != 0.0:  # the crossing is at the end of the part
        looked.first = end
        looked.before = before
        looked.slope = abs(value - g_left) / (end - start)
        return
    from_left = left
    if before == 0.0:
        g_left = 0.0
    elif left == 0.0 and starts_at_zero(R, w, before, value):
        from_left = METHOD_departure(R, U, start, end, w, before, right)
        if from_left > 0.0:
            leave_surfaces(R)
            value = looked.last if right == 1.0 else looked.middle
        g_left = before * COUNTED_ZERO if from_left == 0.0 else R.now[w]
    theta = right
    if value != 0.0:
        theta = METHOD_locate(R, U, start, end, w, from_left, right, g_left, value)
    time = end if theta == 1.0 else with_row(R, U, start + theta * (end - start))
    if looked.first == np.inf:
        looked.first = time
        looked.before = before
        looked.slope = METHOD_slope(R, U, start, end, w, from_left, theta, right)
    else:
        looked.again = time


def METHOD_slope(
    R: Record, U: Inputs, start: float, end: float, w: int, left: float, theta: float, right: float
) -> float:  # fmt: skip
    """Return the magnitude of the slope of function w at its zero at fraction theta, between two others."""
    aside = -0.001 * (theta - left)
    if theta - left < 1.0e-7:  # hardly a flight: the motion behind the zero tells more
        aside = 0.001 * (right - theta) if right > theta else -0.001 * theta
    METHOD_at(R, U, start, end, theta + aside)
    beside = R.now[w]
    METHOD_at(R, U, start, end, theta)
    return abs(beside - R.now[w]) / (abs(aside) * (end - start))


def starts_at_zero(R: Record, w: int, side: float, value: float) -> bool:
    """True if function w is at zero, up to rounding, at the beginning of a part that it leaves on a side.

    A contact that rebounds starts its flight at its surface: this must not look like the impact that ends the flight.
    `value` is one at another place of the part.
    """
    distance = side * R.watched[w].value
    return distance <= R.watched[w].zone or distance < START_ROUNDING_SHARE * abs(value)


def METHOD_departure(R: Record, U: Inputs, start: float, end: float, w: int, side: float, right: float) -> float:
    """Return a fraction of the part, before `right`, at which function w is on a side; 0 without one.

    Its value there is in `now`.
    """
    theta = right
    for _ in range(50):
        theta = 0.5 * theta
        METHOD_at(R, U, start, end, theta)
        if R.now[w] * side > 0.0:
            return theta
    return 0.0


def leave_surfaces(R: Record) -> None:
    """Clear the offsets of modes that have left their ends within the part, and correct their distances accordingly.

    Expects the functions at a place within the part in `now`.
    """
    for g in range(N_MODES):
        R.looked[g].motion = R.now[g]
    if clear_residual_offsets(R):
        mode_values(R)
        for g in range(N_MODES):
            shift = R.now[g] - R.looked[g].motion
            R.looked[g].middle += shift
            R.looked[g].last += shift


def METHOD_at(R: Record, U: Inputs, start: float, end: float, theta: float) -> None:
    """Compute rates and watched functions at fraction theta of the part from `start` to `end`."""
    METHOD_between(R, U, start + theta * (end - start), theta, end - start)
    watch(R)


def METHOD_locate(
    R: Record, U: Inputs, start: float, end: float, w: int, left: float, right: float, g_left: float, g_right: float
) -> float:  # fmt: skip
    """Locate the zero of function w between two fractions of a part, to the rounding of time; return its fraction.

    The function is `g_left` at fraction `left` and `g_right` at fraction `right`. The search uses inverse quadratic
    interpolation and bisection (T. R. Chandrupatla, Advances in Engineering Software 28 (1997) 145-149). For a function
    that is zero on the left, the result is the point where it leaves zero.
    """
    resolution = max(4.5e-16 * max(abs(start), abs(end)) / (end - start), 1.2e-16)
    a = right
    ga = g_right
    shift = 0.0
    if g_left == 0.0:
        shift = COUNTED_ZERO if g_right < 0.0 else -COUNTED_ZERO
    b = left
    gb = g_left + shift
    c = a
    gc = ga
    t = 0.5
    for _ in range(200):
        x = a if abs(ga) < abs(gb) else b
        share = resolution / max(abs(b - a), 1.0e-300)
        if share >= 0.5 or ga == 0.0 or gb == 0.0:
            break
        t = min(max(t, share), 1.0 - share)
        x = a + t * (b - a)
        METHOD_at(R, U, start, end, x)
        g = R.now[w] + shift
        c = b
        gc = gb
        if (g >= 0.0 and ga >= 0.0) or not (g >= 0.0 or ga >= 0.0):
            c = a
            gc = ga
        else:
            b = a
            gb = ga
        a = x
        ga = g
        xi = (a - b) / (c - b)
        phi = (ga - gb) / (gc - gb)
        t = 0.5
        if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
            t = ga / (gb - ga) * gc / (gb - gc) + (c - a) / (b - a) * ga / (gc - ga) * gb / (gc - gb)
    return a if abs(ga) < abs(gb) else b
