"""Kernels that log changes of constraint modes, with the energy that is lost in them.

The modules of models whose closures have constraint modes contain them.
"""

from ...record.schema import MODE, N_MODES, NV, Record
from ..constants import MOST_CHANGES
from ..linked import momenta
from ..tolerances import LOSS_ROUNDING_SHARE


def energy_of_rates(R: Record) -> float:
    """Return the part of the kinetic energy (J) that changes with the joint velocities: pᵀu - ½ uᵀM u.

    The rest is the energy of prescribed motions with all joint velocities zero. Expects and leaves velocities u, and
    their momenta p after a re-basing (Lambda = 0). Overwrites `start_missing`.
    """
    R.start_missing[:] = R.p
    R.still = 1.0
    momenta(R)
    R.still = 0.0
    energy = 0.0
    for k in range(NV):
        energy += (R.start_missing[k] - 0.5 * R.p[k]) * R.u[k]
    momenta(R)  # prescribed velocities again
    R.p[:] = R.start_missing
    return energy


def add_losses(R: Record) -> None:
    """Add the energies that the impulses of an impact take from the motion (L14) to R.energy_losses, by closure."""
    for g in range(N_MODES):
        closure = MODE[g]
        for row in range(closure.first_row, closure.first_row + closure.rows):
            speeds = R.rates_before[row] + R.row_rates[row] - 2.0 * R.residual_rates[row]
            R.energy_losses[g] += -0.5 * R.multipliers[row] * speeds


def log_changes(R: Record, before: float) -> None:
    """Log the closures whose mode changed or that had an impact; R.fault is the last of them.

    `before` is `energy_of_rates` before the change. The impulses of the logged closures do not explain the whole loss:
    the rest is the work of drives and of closures that stay engaged, and the kinetic energy that is lost when friction
    sticks at the end of a step. It is added to the last entry.
    """
    after = energy_of_rates(R)
    unexplained = before - after
    last = -1
    for g in range(N_MODES):
        if has_changed(R, g):
            R.fault = g
            if R.logged < MOST_CHANGES:
                last = int(R.logged)
                entry = R.mode_log[last]
                entry.time = R.time
                entry.closure = g
                entry.before = R.mode_old[g]
                entry.after = R.modes[g]
                entry.loss = R.energy_losses[g]
                R.logged += 1.0
            unexplained -= R.energy_losses[g]
    if last >= 0 and abs(unexplained) > LOSS_ROUNDING_SHARE * (abs(before) + abs(after)):
        R.mode_log[last].loss += unexplained


def has_changed(R: Record, g: int) -> bool:
    """True if the mode of a closure changed, or if it had an impact of its own.

    A closure that stays engaged also has impulses from impacts of others: these do not count.
    """
    had_impact = False
    closure = MODE[g]
    for row in range(closure.first_row, closure.first_row + closure.rows):
        had_impact = had_impact or R.impact_impulses[row] != 0.0
    return (had_impact and (R.due[g] != 0.0 or R.mode_old[g] != 0.0)) or R.modes[g] != R.mode_old[g]
