"""Events that coincide with contacts: their indicators vanish on the surface of a contact.

The modules of models with events and constraint modes contain copies of these functions.

At an impact a body reaches the surface of a contact and leaves it at the same instant; at rest it stays on the surface.
An indicator that vanishes on the same surface would have a sign that depends on rounding and on the method's error. So
each impact searches for indicators that vanish together with the contact's residual for all coordinates. Such an event
is bound to the contact: its indicator counts as zero at the impact and while the contact is engaged. After a separation
the indicator has at least the least value on the outer side of the surface, until it exceeds that value.
"""

from __future__ import annotations

import numpy as np

from ...kernels.closures.mode_ends import find_row_accelerations
from ...kernels.constants import COUNTED_ZERO, UNILATERAL
from ...kernels.hooks import mode_values, resets_by
from ...kernels.linked import indicators
from ...kernels.tolerances import CHATTER_SHARE
from ...record.fields import Vector
from ...record.schema import (
    EVENT_DIRECTIONS,
    MODE,
    N_EVENTS,
    N_MODES,
    N_RESETS,
    NX,
    RESET_EVENT,
    CoincidentEvent,
    Inputs,
    Record,
)
from .drivers import evaluate


def correct_bound_indicators(R: Record) -> None:
    """Correct the indicators of bound events; expects the indicators of the present state."""
    for i in range(N_EVENTS):
        mode = int(R.coincident_events[i].mode)
        if mode > 0 and R.time >= R.coincident_events[i].since:
            side = R.coincident_events[i].side
            outside = side * max(side * R.indicators[i], 2.0 * COUNTED_ZERO)
            R.indicators[i] = 0.0 if R.modes[mode - 1] == 0.0 else outside


def is_bound(R: Record, i: int) -> bool:
    """True if event i is bound to a contact."""
    return R.coincident_events[i].mode > 0.0


def bind_to_contact(R: Record, i: int) -> None:
    """Bind event i to the contact that `find_coincident_events` has found for it."""
    event = R.coincident_events[i]
    event.mode = abs(event.found)
    event.side = 1.0 if event.found > 0.0 else -1.0
    event.since = R.time
    event.found = 0.0


def unbind(R: Record, i: int, value: float) -> None:
    """Release event i from its contact if its corrected indicator `value` has left the surface of the contact."""
    event = R.coincident_events[i]
    mode = int(event.mode)
    has_left = R.time > event.since and event.side * value > 2.0 * COUNTED_ZERO
    if mode > 0 and has_left and R.modes[mode - 1] != 0.0:
        event.mode = 0.0


# -- search for events on the surface of a contact ------------------------------------------------------------------


def find_coincident_events(R: Record, U: Inputs, is_engaged: bool) -> bool:
    """Find the events whose indicators vanish on the surface of a contact, and write it to `CoincidentEvent.found`.

    Contacts with 1 in `ending` are searched: engaged ones if `is_engaged`, otherwise those at an impact. Return True if
    there is one. The indicator of an event on the surface changes in proportion to the residual, in whatever direction
    the state moves, and vanishes where the residual does, or where the contact was found to touch (`residual_offsets`).
    State and rates stay unchanged.
    """
    for i in range(N_EVENTS):
        R.coincident_events[i].found = 0.0
    any_searched = False
    for g in range(N_MODES):
        any_searched = any_searched or is_marked(R, g, is_engaged)
    if not any_searched:
        return False
    R.work[0] = R.x
    evaluate(R, U)
    indicators(R)
    R.coincidence_values[:] = R.indicators
    for g in range(N_MODES):
        R.coincidence_residuals[g] = R.residuals[MODE[g].first_row]
    for trial in range(3):
        perturb_state(R, trial)
        evaluate(R, U)
        indicators(R)
        for g in range(N_MODES):
            if is_marked(R, g, is_engaged):
                ratio_to_residual(R, g, trial)
    R.x[:] = R.work[0]
    evaluate(R, U)
    for i in range(N_EVENTS):
        for g in range(N_MODES):
            ratio = R.coincidence_ratios[g, i]
            if is_marked(R, g, is_engaged) and ratio != 0.0:
                residual, zero = R.coincidence_residuals[g], R.residual_offsets[MODE[g].first_row]
                level = residual - R.coincidence_values[i] / ratio  # residual at which the indicator vanishes
                allowed = 1.0e-3 * abs(residual - zero) + 1.0e-12 * R.characteristic_length
                if min(abs(level), abs(level - zero)) <= allowed:
                    R.coincident_events[i].found = (g + 1.0) * (1.0 if ratio > 0.0 else -1.0)
    return True


def is_marked(R: Record, g: int, is_engaged: bool) -> bool:
    """True if closure g is a contact with 1 in `ending` that is engaged, or without `is_engaged` released."""
    fits = R.modes[g] == 0.0 if is_engaged else R.modes[g] != 0.0
    return MODE[g].role == UNILATERAL and R.ending[g] != 0.0 and fits


def perturb_state(R: Record, trial: int) -> None:
    """Set the state to that in `work`, each component displaced by a small amount, which differs between trials."""
    for k in range(NX):
        R.x[k] = R.work[0, k] + 1.0e-7 * (1.0 + abs(R.work[0, k])) * np.sin(1.0 + 12.9898 * k + 78.233 * trial)


def ratio_to_residual(R: Record, g: int, trial: int) -> None:
    """Compute the ratios of changes of indicators to the change of the residual of contact g; zero if trials differ."""
    moved = R.residuals[MODE[g].first_row] - R.coincidence_residuals[g]
    for i in range(N_EVENTS):
        change = R.indicators[i] - R.coincidence_values[i]
        if trial == 0:
            R.coincidence_ratios[g, i] = change / moved if moved != 0.0 else 0.0
        if not abs(change - R.coincidence_ratios[g, i] * moved) <= 1.0e-3 * abs(R.coincidence_ratios[g, i] * moved):
            R.coincidence_ratios[g, i] = 0.0


# -- impacts -------------------------------------------------------------------------------------------


def bind_resets(R: Record, occurring: Vector, h: float) -> None:
    """Bind events with resets that have been found to their contacts, at an impact at the end of a step of size h.

    `occurring` is `due` or `ending`; an event that occurs now gets 1 there, another one 0. An event in the direction
    into the contact occurs now, unless it has just occurred. An event in the opposite direction occurs when the body
    leaves the surface.
    """
    for j in range(N_RESETS):
        i = RESET_EVENT[j]
        if R.coincident_events[i].found == 0.0:
            continue
        reset = R.resets[j]
        again = not is_bound(R, i) and R.time - reset.last <= CHATTER_SHARE * h
        bind_to_contact(R, i)
        side = R.coincident_events[i].side
        leaves = EVENT_DIRECTIONS[i] * side > 0.0
        reset.side = side
        reset.is_on_zero = 1.0 if leaves else 0.0
        R.end_values[N_MODES + j] = COUNTED_ZERO if leaves else 1.0
        occurring[N_MODES + j] = 0.0 if leaves or again else 1.0


def bind_watched(R: Record, after: Vector) -> None:
    """Bind events without resets that have been found to their contacts, and set their values in `after` to zero."""
    for i in range(N_EVENTS):
        if R.coincident_events[i].found != 0.0 and not resets_by(i):
            bind_to_contact(R, i)
            after[i] = 0.0


def unbind_watched(R: Record) -> None:
    """Release events without resets that have left the surface of their contact."""
    for i in range(N_EVENTS):
        if not resets_by(i):
            unbind(R, i, R.event_values[0, i])


def bind_at_impact(R: Record, U: Inputs) -> None:
    """Bind events with resets to contacts with an impact at the end of an importer's step; leaves fresh rates."""
    evaluate(R, U)
    mode_values(R)
    R.all_rows = 1.0
    find_row_accelerations(R)
    R.all_rows = 0.0
    for g in range(N_MODES):
        passes = R.end_values[g] > 0.0 and R.end_now[g] <= 0.0
        R.ending[g] = 1.0 if passes and R.row_rates[MODE[g].first_row] < 0.0 else 0.0
    if find_coincident_events(R, U, False):
        bind_resets(R, R.due, 0.0)


def find_coincident_at_start(R: Record, U: Inputs) -> bool:
    """Call `find_coincident_events` for contacts that are engaged at the start of a run."""
    for g in range(N_MODES):
        R.ending[g] = 1.0
    return find_coincident_events(R, U, True)


def bind_at_start(R: Record, U: Inputs) -> None:
    """Bind events with resets to contacts that are engaged at the start of a run."""
    if find_coincident_at_start(R, U):
        for j in range(N_RESETS):
            if R.coincident_events[RESET_EVENT[j]].found != 0.0:
                bind_to_contact(R, RESET_EVENT[j])
        for i in range(N_EVENTS):
            R.coincident_events[i].found = 0.0


def unbind_all(R: Record) -> None:
    """Release all events from contacts."""
    for k in range(CoincidentEvent.size * N_EVENTS):
        R.coincident_events.flat[k] = 0.0
