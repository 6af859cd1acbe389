"""Kernels that set constraint modes at the start: before the assembly, then of latches, contacts and friction.

The modules of models whose closures have constraint modes contain them, together with modes.py, which explains the
numbers of the record. A latch engages and releases by conditions. A lock is a latch that also engages at its present
position at the start (`closure.here`), as all latches do later: this position becomes the zero of its residuals. The
assembly closes other latches that are engaged at the start.
"""

from ...record.schema import MODE, N_MODES, N_ROTATED_AXES, N_ROWS, Record
from ..constants import FREE_SELECTION, LAGGED, LATCH, OK, PENETRATES, UNILATERAL
from ..linked import derive, mode_numbers, row_rates
from ..tolerances import CONTACT_GAP
from .mode_ends import clear_rounding_of_new_modes, note_lacking_capacity
from .modes import change_modes, lock_at_present_position


def modes_for_assembly(R: Record) -> None:
    """Set modes before the assembly: only closures that are engaged at every start are engaged (`closure.held`).

    Also sets all other numbers of constraint modes to their initial values. Computes poses and rows.
    """
    for k in range(N_ROWS):
        R.residual_offsets[k] = 0.0
        R.impact_impulses[k] = 0.0
        R.rebounds[k] = 0.0
    R.all_rows = 1.0  # until the first modes are chosen
    for k in range(9 * N_ROTATED_AXES):
        R.rotated_axes.flat[k] = 0.0
    for g in range(N_MODES):
        R.due[g] = R.lacks_capacity[g] = 0.0
        R.modes[g] = 0.0 if MODE[g].held > 0 else -1.0
    row_rates(R)
    for g in range(N_MODES):
        closure = MODE[g]
        if closure.held > 0 and closure.here > 0:
            lock_at_present_position(R, g)


def engage_latches_at_start(R: Record) -> bool:
    """Engage latches whose conditions hold at the start; return True if any did.

    The loops must then be closed again.
    """
    derive(R)
    mode_numbers(R)
    row_rates(R)
    is_engaged = False
    for g in range(N_MODES):
        closure = MODE[g]
        if closure.role == LATCH and R.modes[g] != 0.0 and R.mode_numbers[g, 0] >= 0.0:
            R.modes[g] = 0.0
            if closure.here > 0:
                lock_at_present_position(R, g)
            is_engaged = True
    return is_engaged


def first_modes(R: Record) -> int:
    """Choose the modes of contacts and friction at the start; return a status.

    Contacts whose residual is zero are due. If bodies penetrate each other, R.fault is the contact and R.last_good the
    depth (m).
    """
    R.row_selection = FREE_SELECTION
    derive(R)
    mode_numbers(R)
    row_rates(R)
    for g in range(N_MODES):
        closure = MODE[g]
        if closure.role == UNILATERAL:
            residual = R.residuals[closure.first_row]
            if residual < -CONTACT_GAP * R.characteristic_length:
                R.fault = g
                R.last_good = -residual
                return PENETRATES
            R.due[g] = 1.0 if residual <= CONTACT_GAP * R.characteristic_length else 0.0
    status = change_modes(R, 1.0e-6)
    if LAGGED > 0 and status == OK:  # there is no last step: use the values of this instant as its means
        R.means[:] = R.multiplier_rates
        for g in range(N_MODES):
            R.due[g] = 0.0
        status = change_modes(R, 1.0e-6)
    if status != OK:
        return status
    clear_rounding_of_new_modes(R)
    note_lacking_capacity(R)
    return OK
