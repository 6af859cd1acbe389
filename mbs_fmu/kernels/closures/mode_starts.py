"""Kernels that set constraint modes at the start: before the assembly, then of latches, contacts and friction.

The modules of models whose closures have constraint modes contain them, together with modes.py.
"""

from ..declarations import Record
from ..linked import copy, derive, mode_numbers, row_rates
from ..names import DUE, END_NOW, END_VALUES, FAULT, N_MODES, OK, STANDS
from .mode_ends import note_idle, settle_values
from .modes import change_modes, hold_here
from .names import (
    ALL_ROWS,
    ARMED,
    CHANGES,
    CHOICE,
    FREE_CHOICE,
    IDLE,
    IMPACT_IMPULSES,
    LAGGED,
    LAST_GOOD,
    LENGTH,
    LOGGED,
    MEANS,
    MODE_FIRST,
    MODE_HELD,
    MODE_HERE,
    MODE_NUMBERS,
    MODE_ROLE,
    MODES,
    MULTIPLIER_RATES,
    N_ROWS,
    N_TURNED,
    ONE_SIDED,
    PENETRATES,
    PER_MODE,
    REACH,
    REBOUNDS,
    RELEASED,
    RESIDUALS,
    TOUCHING,
    TURNED,
    ZEROS,
)


def free_modes(R: Record) -> None:
    """Set modes before the assembly: only closures without a condition for engaging hold. Expects poses.

    Writes: impact_impulses, due, idle, released, loop_state, modes, reach, rebounds, turned, zeros.
    """
    for k in range(N_ROWS):
        R[ZEROS + k] = 0.0
        R[IMPACT_IMPULSES + k] = 0.0
        R[REBOUNDS + k] = 0.0
    R[ALL_ROWS] = 1.0  # until the first modes are chosen
    for k in range(N_TURNED):
        R[TURNED + k] = 0.0
    for g in range(N_MODES):
        R[DUE + g] = R[IDLE + g] = 0.0
        R[RELEASED + g] = R[REACH + g] = 0.0
        R[MODES + g] = 0.0 if MODE_HELD[g] > 0 else -1.0
    R[LOGGED] = 0.0
    row_rates(R)
    for g in range(N_MODES):
        if MODE_HELD[g] > 0 and MODE_HERE[g] > 0:
            hold_here(R, g)


def armed_at_start(R: Record) -> bool:
    """Engage latches whose conditions hold at the start; return True if any did.

    The loops must then be closed again.

    Reads: mode_numbers, modes. Writes: modes.
    """
    derive(R)
    mode_numbers(R)
    row_rates(R)
    is_engaged = False
    for g in range(N_MODES):
        if MODE_ROLE[g] == ARMED and R[MODES + g] != 0.0 and R[MODE_NUMBERS + PER_MODE * g] >= 0.0:
            R[MODES + g] = 0.0
            if MODE_HERE[g] > 0:
                hold_here(R, g)
            is_engaged = True
    return is_engaged


def first_modes(R: Record) -> int:
    """Choose the modes of contacts and friction at the start; return a status.

    Reads: end_now, loop_state, modes, residuals. Writes: due, end_values, loop_state.
    """
    R[CHOICE] = FREE_CHOICE
    derive(R)
    mode_numbers(R)
    row_rates(R)
    for g in range(N_MODES):
        if MODE_ROLE[g] == ONE_SIDED:
            residual = R[RESIDUALS + MODE_FIRST[g]]
            if residual < -TOUCHING * R[LENGTH]:
                R[FAULT] = g
                R[LAST_GOOD] = -residual
                return PENETRATES
            R[DUE + g] = 1.0 if residual <= TOUCHING * R[LENGTH] else 0.0
    status = change_modes(R, 1.0e-6)
    if LAGGED > 0 and status == OK:  # there is no last step: use the values of this instant as its means
        copy(R, MULTIPLIER_RATES, MEANS, N_ROWS)
        for g in range(N_MODES):
            R[DUE + g] = 0.0
        status = change_modes(R, 1.0e-6)
    if status != OK:
        return status
    settle_values(R)
    copy(R, END_NOW, END_VALUES, N_MODES)
    for g in range(N_MODES):
        if MODE_ROLE[g] == ARMED and R[MODES + g] != 0.0 and R[END_NOW + g] <= 0.0:
            R[END_VALUES + g] = STANDS  # its condition holds since the start: it engages when the first step begins
    note_idle(R)
    R[LOGGED] = 0.0
    R[CHANGES] = 0.0
    return OK
