"""Steps that end where modes of closures end, as text.

A step is made as in any model (METHOD_smooth, METHOD_smooth_step), and looked through: where a mode ends within, it is
taken back and made again up to there, in the method's own order. The modes change when the next step begins.
"""

from __future__ import annotations

import numpy as np

from ..kernels.declarations import Record
from ..kernels.linked import choose_rows, mode_values
from ..kernels.loop_names import (
    DUE,
    ENDING,
    LOGGED,
    MODE_END,
    MODE_MIDDLE,
    MODE_NOW,
    MODE_VALUES,
    N_MODES,
    ROWS_CHOSEN,
    SAME_END,
)
from ..kernels.names import (
    BASE,
    F0,
    FRESH,
    HISTORY,
    N_HISTORY,
    NON_FINITE,
    NX,
    OF_MODES,
    OK,
    TIME,
    WORK,
    X0,
)
from .adaptive import METHOD_try, arrive
from .crossings import METHOD_at, METHOD_locate
from .drivers import copy, evaluate, fail_from, normalise, rates
from .parts import METHOD_extra, METHOD_smooth, METHOD_smooth_step


def METHOD_one(R: Record, U: Record, time: float, h: float, end: float) -> int:
    """One step of METHOD from `time` to `end`, of size h, in parts between which modes change; a status.

    Reads: x0. Writes: head, p, q.
    """
    begin = time
    size = h
    while True:
        status = METHOD_smooth(R, U, begin, size, end)
        if status != OK:
            return status
        at = METHOD_next_end(R, U, begin, end, False)
        if at > end:
            return OK
        if at < end:
            copy(R, BASE, X0, NX)
            R[TIME] = begin
            forget(R)
            if at > begin:
                status = METHOD_smooth(R, U, begin, at - begin, at)
                if status != OK:
                    return status
        fall_due(R)
        if at == end:
            return OK
        begin = at
        size = end - at


def forget(R: Record) -> None:
    """Rates, and what is remembered of earlier steps, are no longer those of the state.

    Writes: head, history.
    """
    R[FRESH] = 0.0
    if N_HISTORY > 0:
        R[HISTORY] = 0.0


def fall_due(R: Record) -> None:
    """The modes whose ends were found are due.

    Reads: ending. Writes: due.
    """
    copy(R, ENDING, DUE, N_MODES)
    forget(R)


def METHOD_next_end(R: Record, U: Record, start: float, end: float, is_adaptive: bool) -> float:
    """When the first mode ends in the step that was made, or infinity; ENDING says which. State and rates are left.

    Reads: head, mode_end, mode_middle, mode_now, mode_values, p, p_dot, q, q_dot, ending, work. Writes: head, mode_end,
    mode_middle, p, p_dot, q, q_dot, ending, work.
    """
    copy(R, X0, WORK, NX)
    copy(R, F0, WORK + NX, NX)
    fresh = R[FRESH]
    R[TIME] = end
    normalise(R)
    if is_adaptive:
        evaluate(R, U)
    else:
        choose_rows(R, U, False)  # the next step needs no other evaluation, if no mode ends in this one
        copy(R, F0, WORK + NX, NX)
        fresh = ROWS_CHOSEN
    mode_values(R)
    copy(R, MODE_NOW, MODE_END, N_MODES)
    copy(R, MODE_END, MODE_MIDDLE, N_MODES)
    if is_adaptive:
        METHOD_extra(R, U, start, end - start)
        METHOD_at(R, U, start, end, 0.5, OF_MODES)
        copy(R, MODE_NOW, MODE_MIDDLE, N_MODES)
        fresh = 0.0
    first = np.inf
    for g in range(N_MODES):
        R[ENDING + g] = np.inf
        if R[MODE_VALUES + g] > 0.0 and (R[MODE_MIDDLE + g] <= 0.0 or R[MODE_END + g] <= 0.0):
            half = is_adaptive and R[MODE_MIDDLE + g] <= 0.0
            right = 0.5 if half else 1.0
            value = R[MODE_MIDDLE + g] if half else R[MODE_END + g]
            fresh = 0.0
            if not is_adaptive:
                METHOD_extra(R, U, start, end - start)
            theta = METHOD_locate(R, U, start, end, OF_MODES, MODE_NOW + g, 0.0, right, R[MODE_VALUES + g], value)
            R[ENDING + g] = end if theta == 1.0 else start + theta * (end - start)
            first = min(first, R[ENDING + g])
    for g in range(N_MODES):
        R[ENDING + g] = 1.0 if R[ENDING + g] <= first + SAME_END * (end - start) else 0.0
    copy(R, WORK, X0, NX)
    copy(R, WORK + NX, F0, NX)
    R[TIME] = end
    R[FRESH] = fresh
    return first


def METHOD_step(R: Record, U: Record, stop: float, tolerance: float) -> int:
    """One accepted step of METHOD towards time `stop`, which ends where a mode does; a status.

    Reads: head, x0. Writes: head, p, q.
    """
    start = R[TIME]
    status = METHOD_smooth_step(R, U, stop, tolerance)
    if status != OK:
        return status
    at = METHOD_next_end(R, U, start, R[TIME], True)
    if at > R[TIME]:
        return OK
    if at < R[TIME]:
        copy(R, BASE, X0, NX)
        R[TIME] = start
        if at > start and METHOD_try(R, U, at - start, tolerance) < 0.0:
            return fail_from(R, U, 0, at - start, at - start, NON_FINITE)
        status = arrive(R, start, at, at, at - start)
    fall_due(R)
    return status


def look_at_modes(R: Record) -> None:
    """How far modes are from their ends, at the present rates."""
    mode_values(R)


def mode_ends(R: Record, U: Record) -> None:
    """How far modes are from their ends, for importers, whose zeros come behind those: none of them meets one.

    Reads: mode_now. Writes: mode_now.
    """
    rates(R, U)
    mode_values(R)
    for g in range(N_MODES):
        R[MODE_NOW + g] += 1.0e-10


def start_log(R: Record) -> None:
    """At the beginning of a call: whoever made the last one has read what changed in it.

    Writes: loop_state.
    """
    R[LOGGED] = 0.0


def has_switched(R: Record) -> bool:
    """Whether modes have changed in this call.

    Reads: loop_state.
    """
    return R[LOGGED] > 0.0
