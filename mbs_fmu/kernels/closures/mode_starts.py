"""Kernels that set constraint modes at the start: before the assembly, then of latches, contacts and friction.

The modules of models whose closures have constraint modes contain them, together with modes.py.
"""

from ...kernels.constants import ARMED, FREE_CHOICE, LAGGED, OK, ONE_SIDED, PENETRATES, STANDS, TOUCHING
from ...record.schema import MODE, N_MODES, N_ROWS, N_TURNED, Record
from ..linked import derive, mode_numbers, row_rates
from .mode_ends import note_idle, settle_values
from .modes import change_modes, hold_here


def free_modes(R: Record) -> None:
    """Set modes before the assembly: only closures without a condition for engaging hold. Expects poses."""
    for k in range(N_ROWS):
        R.zeros[k] = 0.0
        R.impact_impulses[k] = 0.0
        R.rebounds[k] = 0.0
    R.all_rows = 1.0  # until the first modes are chosen
    for k in range(9 * N_TURNED):
        R.turned.flat[k] = 0.0
    for g in range(N_MODES):
        R.due[g] = R.idle[g] = 0.0
        R.released[g] = R.reach[g] = 0.0
        R.modes[g] = 0.0 if MODE[g].held > 0 else -1.0
    R.logged = 0.0
    row_rates(R)
    for g in range(N_MODES):
        closure = MODE[g]
        if closure.held > 0 and closure.here > 0:
            hold_here(R, g)


def armed_at_start(R: Record) -> bool:
    """Engage latches whose conditions hold at the start; return True if any did.

    The loops must then be closed again.
    """
    derive(R)
    mode_numbers(R)
    row_rates(R)
    is_engaged = False
    for g in range(N_MODES):
        closure = MODE[g]
        if closure.role == ARMED and R.modes[g] != 0.0 and R.mode_numbers[g, 0] >= 0.0:
            R.modes[g] = 0.0
            if closure.here > 0:
                hold_here(R, g)
            is_engaged = True
    return is_engaged


def first_modes(R: Record) -> int:
    """Choose the modes of contacts and friction at the start; return a status."""
    R.choice = FREE_CHOICE
    derive(R)
    mode_numbers(R)
    row_rates(R)
    for g in range(N_MODES):
        closure = MODE[g]
        if closure.role == ONE_SIDED:
            residual = R.residuals[closure.first_row]
            if residual < -TOUCHING * R.length:
                R.fault = g
                R.last_good = -residual
                return PENETRATES
            R.due[g] = 1.0 if residual <= TOUCHING * R.length else 0.0
    status = change_modes(R, 1.0e-6)
    if LAGGED > 0 and status == OK:  # there is no last step: use the values of this instant as its means
        R.means[:] = R.multiplier_rates
        for g in range(N_MODES):
            R.due[g] = 0.0
        status = change_modes(R, 1.0e-6)
    if status != OK:
        return status
    settle_values(R)
    R.end_values[:N_MODES] = R.end_now[:N_MODES]
    for g in range(N_MODES):
        if MODE[g].role == ARMED and R.modes[g] != 0.0 and R.end_now[g] <= 0.0:
            R.end_values[g] = STANDS  # its condition holds since the start: it engages when the first step begins
    note_idle(R)
    R.logged = 0.0
    R.changes = 0.0
    return OK
