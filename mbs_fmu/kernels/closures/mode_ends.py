"""How far modes of closures are from their ends, as kernels, and which of them are due.

Copied into modules of models whose closures have modes, beside modes.py, which changes them.
"""

from ..declarations import Record
from ..library import tail
from ..linked import mode_numbers, row_rates, row_rates_d, solve_d
from ..names import AT_STEPS, DUE, END_NOW, END_VALUES, N_MODES, TAIL
from .along_motion import motion
from .names import (
    ARMED,
    BEYOND,
    IDLE,
    LENGTH,
    MODE_FIRST,
    MODE_NUMBERS,
    MODE_OLD,
    MODE_ROLE,
    MODES,
    MULTIPLIER_RATES,
    MULTIPLIERS,
    N_ROWS,
    ON_END,
    ONE_SIDED,
    PASSED,
    RATES_BEFORE,
    REACH,
    RELEASED,
    RESIDUALS,
    ROW_ACCELERATIONS,
    ROW_RATES,
    SLOW,
    STICKING,
    TRIAL,
    ZEROS,
)


def mode_values(R: Record) -> None:
    """How far each mode is from its end, into END_NOW: positive while it lasts; expects fresh rates.

    Reads: multiplier_rates, mode_numbers, modes, residuals, row_rates, zeros. Writes: end_now.
    """
    mode_numbers(R)
    bears = False
    slips = False
    for g in range(N_MODES):
        bears = bears or (MODE_ROLE[g] != ARMED and R[MODES + g] == 0.0)
        slips = slips or (MODE_ROLE[g] == STICKING and R[MODES + g] != 0.0)
    if bears:
        find_row_accelerations(R)
    elif slips:
        row_rates(R)
    for g in range(N_MODES):
        row = MODE_FIRST[g]
        mode = R[MODES + g]
        if MODE_ROLE[g] == ARMED:
            value = -R[MODE_NUMBERS + 2 * g + (1 if mode == 0.0 else 0)]
        elif MODE_ROLE[g] == ONE_SIDED:
            value = R[MULTIPLIER_RATES + row] if mode == 0.0 else R[RESIDUALS + row] - R[ZEROS + row]
        elif mode == 0.0:
            value = R[MODE_NUMBERS + 2 * g] - abs(R[MULTIPLIER_RATES + row])
        elif bears_nothing(R, g):
            value = 1.0
        else:
            value = -mode * R[ROW_RATES + row] - R[ZEROS + row]
        R[END_NOW + g] = value


def bears_nothing(R: Record, g: int) -> bool:
    """True if a friction has no capacity now: it slips whatever its velocity, without force, and no mode ends.

    Reads: mode_numbers.
    """
    return R[MODE_NUMBERS + 2 * g] <= 0.0 and R[MODE_NUMBERS + 2 * g + 1] <= 0.0


def let_pass(R: Record, long: float) -> bool:
    """Frictions that would stop what they can't, within a time that is `long` (s), go on; whether there was one.

    Where a row all but depends on others, as that of a rocker in its dead centre, it is zero for an instant whatever
    the velocities are, and to hold it would stop all that moves: by a blow, and frictions bear none.

    Reads: due, mode_numbers, mode_old, multipliers, rates_before, trial. Writes: modes, trial.
    """
    found = False
    for g in range(N_MODES):
        row = MODE_FIRST[g]
        stops = MODE_ROLE[g] == STICKING and R[TRIAL + g] > 0.0 and R[MODES + g] == 0.0
        if stops and abs(R[MULTIPLIERS + row]) > long * R[MODE_NUMBERS + 2 * g]:
            passes = R[DUE + g] != 0.0 and R[MODE_OLD + g] != 0.0
            before = -1.0 if R[RATES_BEFORE + row] > 0.0 else 1.0
            R[MODES + g] = -R[MODE_OLD + g] if passes else before
            R[TRIAL + g] = BEYOND
            found = True
    return found


def turns_round(R: Record, g: int) -> bool:
    """True for a friction that slips, and the other way since others hold.

    Reads: modes, row_rates, slow, trial.
    """
    slips = MODE_ROLE[g] == STICKING and R[TRIAL + g] == 0.0 and not bears_nothing(R, g)
    return slips and R[MODES + g] * R[ROW_RATES + MODE_FIRST[g]] > R[SLOW + MODE_FIRST[g]]


def note_idle(R: Record) -> None:
    """Which frictions have no capacity now.

    Writes: idle.
    """
    for g in range(N_MODES):
        R[IDLE + g] = 1.0 if MODE_ROLE[g] == STICKING and bears_nothing(R, g) else 0.0


def find_row_accelerations(R: Record) -> None:
    """lambda of all rows, and how fast their rates change; expects fresh rates.

    Reads: D. Writes: loads, pulls.
    """
    D = tail(R, TAIL)
    motion(R, D)
    solve_d(R, D)
    for k in range(N_ROWS):
        R[MULTIPLIER_RATES + k] = D[MULTIPLIERS + k]
    row_rates_d(R, D)
    for k in range(N_ROWS):
        R[ROW_ACCELERATIONS + k] = D[ROW_RATES + k]


def watch_reach(R: Record, g: int) -> None:
    """Keep a closure that lets go where it took hold from engaging there again: the sign of its number is rounding.

    Reads: end_now, released, reach. Writes: end_values, released, reach.
    """
    R[REACH + g] = max(R[REACH + g], R[END_NOW + g])
    if abs(R[END_NOW + g]) > ON_END * R[REACH + g]:
        R[RELEASED + g] = 0.0
    if R[RELEASED + g] != 0.0:
        R[END_VALUES + g] = 0.0


def some_ends(R: Record) -> bool:
    """True if modes are due; due are those too whose end a jump has passed.

    Reads: due, end_now, end_values, released. Writes: due, end_values.
    """
    ends = False
    for g in range(N_MODES):
        if R[END_VALUES + g] > 0.0 and R[END_NOW + g] <= 0.0:
            if R[DUE + g] == 0.0:
                R[DUE + g] = PASSED
        elif R[RELEASED + g] == 0.0:
            R[END_VALUES + g] = R[END_NOW + g]
        ends = ends or R[DUE + g] != 0.0
    return ends


def forget_zeros(R: Record) -> None:
    """Contacts that are outside of what they may touch strike where that is, not where they parted.

    Reads: residuals. Writes: zeros.
    """
    for g in range(N_MODES):
        if MODE_ROLE[g] == ONE_SIDED and R[RESIDUALS + MODE_FIRST[g]] > 0.0:
            R[ZEROS + MODE_FIRST[g]] = 0.0


def settle_values(R: Record) -> None:
    """How far modes are from their ends that have just been chosen: what rounding makes zero or less is none.

    A contact that parts, or that others bear, is where it was held, and a little inside perhaps. Where ends are looked
    at between steps only, one that strikes is as far inside as it moved in a step, and must not begin there. A friction
    that slips may be at rest, held by others, or go the other way for an instant.

    Reads: loop_state, end_now, mode_old, modes, residuals, slow, trial. Writes: due, end_now, zeros.
    """
    for g in range(N_MODES):
        row = MODE_FIRST[g]
        if MODE_ROLE[g] == ONE_SIDED:
            R[ZEROS + row] = 0.0
            if R[MODES + g] != 0.0 and (R[MODE_OLD + g] == 0.0 or R[TRIAL + g] != 0.0):
                R[ZEROS + row] = min(0.0, R[RESIDUALS + row]) - 1.0e-10 * R[LENGTH]
            elif R[MODES + g] != 0.0 and R[AT_STEPS] == 0.0:
                R[ZEROS + row] = min(0.0, R[RESIDUALS + row])
        elif MODE_ROLE[g] == STICKING:
            R[ZEROS + row] = 0.0
    mode_values(R)
    for g in range(N_MODES):
        row = MODE_FIRST[g]
        if MODE_ROLE[g] == STICKING and R[MODES + g] != 0.0 and R[END_NOW + g] < R[SLOW + row]:
            R[ZEROS + row] = R[END_NOW + g] - R[SLOW + row]
            R[END_NOW + g] = R[SLOW + row]
        if MODE_ROLE[g] != ARMED:
            R[END_NOW + g] = max(R[END_NOW + g], 1.0e-300)
        R[DUE + g] = 0.0
