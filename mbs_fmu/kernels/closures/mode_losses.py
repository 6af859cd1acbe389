"""Kernels that log changes of constraint modes, with the energy that is lost in them.

The modules of models whose closures have constraint modes contain them.
"""

from ..declarations import Record
from ..linked import copy, momenta
from ..names import DUE, FAULT, N_MODES, NV, P0, RATES, STILL, TIME
from .names import (
    IMPACT_IMPULSES,
    LOGGED,
    LOSSES,
    MODE_FIRST,
    MODE_LOG,
    MODE_OLD,
    MODE_ROWS,
    MODES,
    MOST_CHANGES,
    MULTIPLIERS,
    RATES_BEFORE,
    RESIDUAL_RATES,
    ROUNDED_LOSS,
    ROW_RATES,
    START_MISSING,
)


def energy_of_rates(R: Record) -> float:
    """Return the part of the kinetic energy that changes with the joint velocities: pᵀu - ½ uᵀM u.

    It is the kinetic energy except for that of prescribed motions with all joint velocities zero. Expects and leaves
    momenta p that contain no impulses of rows, and the velocities u.

    Reads: p, start_missing, u. Writes: head, p, start_missing.
    """
    copy(R, P0, START_MISSING, NV)
    R[STILL] = 1.0
    momenta(R)
    R[STILL] = 0.0
    energy = 0.0
    for k in range(NV):
        energy += (R[START_MISSING + k] - 0.5 * R[P0 + k]) * R[RATES + k]
    momenta(R)  # prescribed velocities again
    copy(R, START_MISSING, P0, NV)
    return energy


def add_losses(R: Record) -> None:
    """Add the energies that the impulses of an impact take from the motion to LOSSES, closure by closure.

    Reads: losses, multipliers, rates_before, residual_rates, row_rates. Writes: losses.
    """
    for g in range(N_MODES):
        for row in range(MODE_FIRST[g], MODE_FIRST[g] + MODE_ROWS[g]):
            speeds = R[RATES_BEFORE + row] + R[ROW_RATES + row] - 2.0 * R[RESIDUAL_RATES + row]
            R[LOSSES + g] += -0.5 * R[MULTIPLIERS + row] * speeds


def note_changes(R: Record, before: float) -> None:
    """Log the closures whose mode changed or that had an impact; R[FAULT] is one of them.

    `before` is `energy_of_rates` before the change. What the impulses of the logged closures don't explain is the work
    of drives and of closures that hold, and the motion of friction that sticks at the end of a step. It counts with the
    last entry.

    Reads: impact_impulses, due, head, loop_state, losses, mode_log, mode_old, modes. Writes: head, loop_state,
    mode_log.
    """
    after = energy_of_rates(R)
    rest = before - after
    entry = -1
    for g in range(N_MODES):
        if has_changed(R, g):
            R[FAULT] = g
            if R[LOGGED] < MOST_CHANGES:
                entry = MODE_LOG + 5 * int(R[LOGGED])
                R[entry] = R[TIME]
                R[entry + 1] = g
                R[entry + 2] = R[MODE_OLD + g]
                R[entry + 3] = R[MODES + g]
                R[entry + 4] = R[LOSSES + g]
                R[LOGGED] += 1.0
            rest -= R[LOSSES + g]
    if entry >= 0 and abs(rest) > ROUNDED_LOSS * (abs(before) + abs(after)):
        R[entry + 4] += rest


def has_changed(R: Record, g: int) -> bool:
    """True if the mode of a closure changed or if it had an impact; closures that hold also carry impacts of others.

    Reads: due, impact_impulses, mode_old, modes.
    """
    struck = False
    for row in range(MODE_FIRST[g], MODE_FIRST[g] + MODE_ROWS[g]):
        struck = struck or R[IMPACT_IMPULSES + row] != 0.0
    return (struck and (R[DUE + g] != 0.0 or R[MODE_OLD + g] != 0.0)) or R[MODES + g] != R[MODE_OLD + g]
