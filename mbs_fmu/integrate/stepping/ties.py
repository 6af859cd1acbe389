"""Events tied to contacts: events whose indicator vanishes on the surface of a contact.

The modules of models with events and constraint modes contain copies of these functions.

At an impact a body reaches the surface of a contact and leaves it at the same instant; at rest it stays on the surface.
An indicator that vanishes on the same surface would have a sign that depends on rounding and on the method's error. So
each impact searches for indicators that vanish together with the contact's residual for all coordinates. Such an event
is tied to the contact: its indicator counts as zero at the impact and while the contact holds. After a separation it
counts as on the outer side of the surface until it is there.
"""

from __future__ import annotations

import numpy as np

from ...kernels.closures.mode_ends import find_row_accelerations
from ...kernels.closures.names import (
    ALL_ROWS,
    LENGTH,
    MODE_FIRST,
    MODE_ROLE,
    MODES,
    ONE_SIDED,
    RESIDUALS,
    ROW_RATES,
    ZEROS,
)
from ...kernels.declarations import Record
from ...kernels.hooks import mode_values, resets_by
from ...kernels.linked import indicators
from ...kernels.names import (
    CHATTER,
    DUE,
    END_NOW,
    END_VALUES,
    ENDING,
    EVENT_DIRECTIONS,
    INDICATORS,
    N_EVENTS,
    N_MODES,
    N_RESETS,
    NX,
    RESET_EVENT,
    RESET_LAST,
    RESET_SIDE,
    RESET_SIZE,
    RESET_STANDS,
    RESETS,
    STANDS,
    TIE_FOUND,
    TIE_MODE,
    TIE_RATIOS,
    TIE_RESIDUALS,
    TIE_SIDE,
    TIE_SINCE,
    TIE_SIZE,
    TIE_VALUES,
    TIES,
    TIME,
    VALUES,
    WORK,
    X0,
)
from .drivers import copy, evaluate


def apply_ties(R: Record) -> None:
    """Correct the indicators of tied events; expects the indicators of the present state.

    Reads: head, indicators, modes, ties. Writes: indicators.
    """
    for i in range(N_EVENTS):
        mode = int(R[TIES + TIE_SIZE * i + TIE_MODE])
        if mode > 0 and R[TIME] >= R[TIES + TIE_SIZE * i + TIE_SINCE]:
            side = R[TIES + TIE_SIZE * i + TIE_SIDE]
            outside = side * max(side * R[INDICATORS + i], 2.0 * STANDS)
            R[INDICATORS + i] = 0.0 if R[MODES + mode - 1] == 0.0 else outside


def is_tied(R: Record, i: int) -> bool:
    """True if event i is tied to a contact.

    Reads: ties.
    """
    return R[TIES + TIE_SIZE * i + TIE_MODE] > 0.0


def tie(R: Record, i: int) -> None:
    """Tie event i to the contact that `find_ties` has found for it.

    Reads: head, ties. Writes: ties.
    """
    place = TIES + TIE_SIZE * i
    R[place + TIE_MODE] = abs(R[place + TIE_FOUND])
    R[place + TIE_SIDE] = 1.0 if R[place + TIE_FOUND] > 0.0 else -1.0
    R[place + TIE_SINCE] = R[TIME]
    R[place + TIE_FOUND] = 0.0


def untie(R: Record, i: int, value: float) -> None:
    """Untie event i if its corrected indicator `value` has left the surface of the contact.

    Reads: head, modes, ties. Writes: ties.
    """
    place = TIES + TIE_SIZE * i
    mode = int(R[place + TIE_MODE])
    is_off = R[TIME] > R[place + TIE_SINCE] and R[place + TIE_SIDE] * value > 2.0 * STANDS
    if mode > 0 and is_off and R[MODES + mode - 1] != 0.0:
        R[place + TIE_MODE] = 0.0


# -- search for events on the surface of a contact ------------------------------------------------------------------


def find_ties(R: Record, U: Record, holds: bool) -> bool:
    """Find events whose indicators vanish with contacts marked in ENDING, and write them to TIE_FOUND.

    Return True if a contact is marked. `holds` is true for contacts that hold, false for contacts at an impact. An
    indicator of the same surface changes in proportion to the residual, in whatever direction the state moves, and
    vanishes where the residual does, or where the contact was found to touch (ZEROS). State and rates stay unchanged.

    Reads: indicators, loop_state, p, q, residuals, tie_ratios, tie_residuals, tie_values, work, z, zeros. Writes: p, q,
    tie_residuals, tie_values, ties, work, z.
    """
    for i in range(N_EVENTS):
        R[TIES + TIE_SIZE * i + TIE_FOUND] = 0.0
    some = False
    for g in range(N_MODES):
        some = some or is_marked(R, g, holds)
    if not some:
        return False
    copy(R, X0, WORK, NX)
    evaluate(R, U)
    indicators(R)
    copy(R, INDICATORS, TIE_VALUES, N_EVENTS)
    for g in range(N_MODES):
        R[TIE_RESIDUALS + g] = R[RESIDUALS + MODE_FIRST[g]]
    for trial in range(3):
        move_aside(R, trial)
        evaluate(R, U)
        indicators(R)
        for g in range(N_MODES):
            if is_marked(R, g, holds):
                compare(R, g, trial)
    copy(R, WORK, X0, NX)
    evaluate(R, U)
    for i in range(N_EVENTS):
        for g in range(N_MODES):
            ratio = R[TIE_RATIOS + N_EVENTS * g + i]
            if is_marked(R, g, holds) and ratio != 0.0:
                residual, zero = R[TIE_RESIDUALS + g], R[ZEROS + MODE_FIRST[g]]
                level = residual - R[TIE_VALUES + i] / ratio  # residual at which the indicator vanishes
                allowed = 1.0e-3 * abs(residual - zero) + 1.0e-12 * R[LENGTH]
                if min(abs(level), abs(level - zero)) <= allowed:
                    R[TIES + TIE_SIZE * i + TIE_FOUND] = (g + 1.0) * (1.0 if ratio > 0.0 else -1.0)
    return True


def is_marked(R: Record, g: int, holds: bool) -> bool:
    """True for a contact that is marked in ENDING and whose state, holding or not, is that of `holds`.

    Reads: ending, modes.
    """
    fits = R[MODES + g] == 0.0 if holds else R[MODES + g] != 0.0
    return MODE_ROLE[g] == ONE_SIDED and R[ENDING + g] != 0.0 and fits


def move_aside(R: Record, trial: int) -> None:
    """Displace each component of the state in WORK by a small amount, which differs between trials.

    Reads: work. Writes: p, q, z.
    """
    for k in range(NX):
        R[X0 + k] = R[WORK + k] + 1.0e-7 * (1.0 + abs(R[WORK + k])) * np.sin(1.0 + 12.9898 * k + 78.233 * trial)


def compare(R: Record, g: int, trial: int) -> None:
    """Compute ratios of indicator changes to changes of the residual of contact g; zero if the trials differ.

    Reads: indicators, residuals, tie_ratios, tie_residuals, tie_values. Writes: tie_ratios.
    """
    moved = R[RESIDUALS + MODE_FIRST[g]] - R[TIE_RESIDUALS + g]
    for i in range(N_EVENTS):
        place = TIE_RATIOS + N_EVENTS * g + i
        change = R[INDICATORS + i] - R[TIE_VALUES + i]
        if trial == 0:
            R[place] = change / moved if moved != 0.0 else 0.0
        if not abs(change - R[place] * moved) <= 1.0e-3 * abs(R[place] * moved):
            R[place] = 0.0


# -- impacts -------------------------------------------------------------------------------------------


def tie_resets(R: Record, first: int, h: float) -> None:
    """Tie events with resets to impacting contacts at the end of a step of size h.

    Marks the events that are due, from address `first` on. An event in the direction into the contact occurs now,
    unless it has just occurred. An event in the opposite direction occurs when the body leaves the surface.

    Reads: head, resets, ties. Writes: end_values, ending, resets.
    """
    for j in range(N_RESETS):
        i = RESET_EVENT[j]
        if R[TIES + TIE_SIZE * i + TIE_FOUND] == 0.0:
            continue
        reset = RESETS + RESET_SIZE * j
        again = not is_tied(R, i) and R[TIME] - R[reset + RESET_LAST] <= CHATTER * h
        tie(R, i)
        side = R[TIES + TIE_SIZE * i + TIE_SIDE]
        leaves = EVENT_DIRECTIONS[i] * side > 0.0
        R[reset + RESET_SIDE] = side
        R[reset + RESET_STANDS] = 1.0 if leaves else 0.0
        R[END_VALUES + N_MODES + j] = STANDS if leaves else 1.0
        R[first + N_MODES + j] = 0.0 if leaves or again else 1.0


def tie_watched(R: Record, after: int) -> None:
    """Tie events without resets to impacting contacts, and set their indicators, stored at `after`, to zero.

    Reads: ties. Writes: watch.
    """
    for i in range(N_EVENTS):
        if R[TIES + TIE_SIZE * i + TIE_FOUND] != 0.0 and not resets_by(i):
            tie(R, i)
            R[after + i] = 0.0


def untie_watched(R: Record) -> None:
    """Untie events without resets that have left the surface of their contact.

    Reads: watch.
    """
    for i in range(N_EVENTS):
        if not resets_by(i):
            untie(R, i, R[VALUES + i])


def strike_ties(R: Record, U: Record) -> None:
    """Tie events to contacts with an impact at the end of an importer's step; leaves rates of the present state.

    Reads: end_now, end_values, row_rates. Writes: ending, loop_state.
    """
    evaluate(R, U)
    mode_values(R)
    R[ALL_ROWS] = 1.0
    find_row_accelerations(R)
    R[ALL_ROWS] = 0.0
    for g in range(N_MODES):
        passes = R[END_VALUES + g] > 0.0 and R[END_NOW + g] <= 0.0
        R[ENDING + g] = 1.0 if passes and R[ROW_RATES + MODE_FIRST[g]] < 0.0 else 0.0
    if find_ties(R, U, False):
        tie_resets(R, DUE, 0.0)


def find_ties_at_start(R: Record, U: Record) -> bool:
    """Call `find_ties` for contacts that hold at the start of a run.

    Writes: ending.
    """
    for g in range(N_MODES):
        R[ENDING + g] = 1.0
    return find_ties(R, U, True)


def start_ties(R: Record, U: Record) -> None:
    """Tie events with resets to contacts that hold at the start.

    Reads: ties. Writes: ties.
    """
    if find_ties_at_start(R, U):
        for j in range(N_RESETS):
            if R[TIES + TIE_SIZE * RESET_EVENT[j] + TIE_FOUND] != 0.0:
                tie(R, RESET_EVENT[j])
        for i in range(N_EVENTS):
            R[TIES + TIE_SIZE * i + TIE_FOUND] = 0.0


def forget_ties(R: Record) -> None:
    """Untie all events.

    Writes: ties.
    """
    for k in range(TIE_SIZE * N_EVENTS):
        R[TIES + k] = 0.0
