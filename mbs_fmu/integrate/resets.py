"""Events that reset something, as text: how far each is from its crossing; copied into modules that have events."""

from __future__ import annotations

import numpy as np

from ..kernels.declarations import Record
from ..kernels.linked import indicators
from ..kernels.names import (
    CHATTER,
    DUE,
    END_NOW,
    END_VALUES,
    EVENT_DIRECTIONS,
    F0,
    INDICATORS,
    JUMPED_OVER,
    MOST_CHATTERS,
    N_EVENTS,
    N_MODES,
    N_RESETS,
    NX,
    RESET_CHATTERS,
    RESET_EVENT,
    RESET_FIRST,
    RESET_GAP,
    RESET_LAST,
    RESET_SEEN,
    RESET_SIDE,
    RESET_SIZE,
    RESETS,
    TIME,
    VALUES,
    WORK,
    X0,
    ZENO,
)
from .drivers import copy, evaluate


def reset_values(R: Record) -> None:
    """How far each event with resets is from its crossing, into END_NOW behind those of modes: positive before it.

    Expects fresh rates.

    Reads: indicators. Writes: end_now.
    """
    indicators(R)
    for j in range(N_RESETS):
        R[END_NOW + N_MODES + j] = side_before(R, j) * R[INDICATORS + RESET_EVENT[j]]


def side_before(R: Record, j: int) -> float:
    """The sign of an event's expression before it is met.

    Reads: resets.
    """
    direction = EVENT_DIRECTIONS[RESET_EVENT[j]]
    return 0.0 - direction if direction != 0 else R[RESETS + RESET_SIZE * j + RESET_SIDE]


def watch_resets(R: Record, U: Record, h: float) -> None:
    """How far events with resets are from their crossings where a step of size h begins; due is what jumped over.

    Expects fresh rates, and leaves such.

    Reads: end_now, end_values, head, resets. Writes: due, end_values.
    """
    if N_RESETS == 0:
        return
    begins = False
    for j in range(N_RESETS):
        begins = begins or R[RESETS + RESET_SIZE * j + RESET_LAST] == R[TIME]
    if begins:
        look_ahead(R, U, h)
    reset_values(R)
    for j in range(N_RESETS):
        end = N_MODES + j
        if R[RESETS + RESET_SIZE * j + RESET_LAST] != R[TIME]:
            if R[END_VALUES + end] > 0.0 and R[END_NOW + end] <= 0.0:
                R[DUE + end] = JUMPED_OVER
            R[END_VALUES + end] = R[END_NOW + end]


def look_ahead(R: Record, U: Record, h: float) -> None:
    """On which side of its crossing an event is that was met just now: where it goes in a small part of a step.

    Rounding decides of which sign a number is that has just become zero.

    Reads: head, indicators, p_dot, q_dot, resets, work. Writes: end_values, head, resets, watch, work.
    """
    ahead = 1.0e-6 * (h if h > 0.0 else 1.0e-3)
    for j in range(N_RESETS):
        if R[RESETS + RESET_SIZE * j + RESET_LAST] == R[TIME]:
            ahead = min(ahead, 1.0e-3 * R[RESETS + RESET_SIZE * j + RESET_GAP])
    time = R[TIME]
    copy(R, X0, WORK, NX)
    for k in range(NX):
        R[X0 + k] += ahead * R[F0 + k]
    R[TIME] = time + ahead
    evaluate(R, U)
    indicators(R)
    for j in range(N_RESETS):
        reset = RESETS + RESET_SIZE * j
        if R[reset + RESET_LAST] == time:
            value = R[INDICATORS + RESET_EVENT[j]]
            R[reset + RESET_SIDE] = 1.0 if value > 0.0 else -1.0
            R[END_VALUES + N_MODES + j] = side_before(R, j) * value
            if R[reset + RESET_SEEN] != 0.0:
                R[VALUES + RESET_EVENT[j]] = value
    copy(R, WORK, X0, NX)
    R[TIME] = time
    evaluate(R, U)


def note_resets(R: Record, h: float) -> int:
    """Note when events that were due were met; the number of one that is met again and again, or -1.

    That is one whose intervals have shrunk, each shorter than the one before, to next to nothing, or have long been
    next to nothing of the step of size h that begins.

    Reads: due, head, resets. Writes: due, resets.
    """
    found = -1
    for j in range(N_RESETS):
        if R[DUE + N_MODES + j] != 0.0:
            reset = RESETS + RESET_SIZE * j
            R[reset + RESET_SEEN] = 0.0 if R[DUE + N_MODES + j] == JUMPED_OVER else 1.0
            R[DUE + N_MODES + j] = 0.0
            gap = R[TIME] - R[reset + RESET_LAST]
            if gap >= R[reset + RESET_GAP] or R[reset + RESET_FIRST] == np.inf:
                R[reset + RESET_FIRST] = gap
            elif gap <= ZENO * R[reset + RESET_FIRST]:
                found = RESET_EVENT[j]
            R[reset + RESET_CHATTERS] = R[reset + RESET_CHATTERS] + 1.0 if gap < CHATTER * h else 0.0
            if R[reset + RESET_CHATTERS] > MOST_CHATTERS:
                found = RESET_EVENT[j]
            R[reset + RESET_GAP] = gap
            R[reset + RESET_LAST] = R[TIME]
    return found


def show_met(R: Record) -> None:
    """What ended the step is an event of it, of whichever sign its expression is there by rounding.

    Reads: due. Writes: watch.
    """
    for j in range(N_RESETS):
        if R[DUE + N_MODES + j] != 0.0:
            R[VALUES + 2 * N_EVENTS + RESET_EVENT[j]] = 0.0
