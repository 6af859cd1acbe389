"""Kernels that log changes of constraint modes, with the energy that is lost in them.

The modules of models whose closures have constraint modes contain them.
"""

from ...record.schema import MODE, N_MODES, Record
from ..constants import OF_MODE
from ..logs import energy_of_rates, log_entry
from ..tolerances import LOSS_ROUNDING_SHARE


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
            R.fault = last = g
            unexplained -= R.energy_losses[g]
    if last >= 0 and abs(unexplained) > LOSS_ROUNDING_SHARE * (abs(before) + abs(after)):
        R.energy_losses[last] += unexplained
    for g in range(N_MODES):
        if has_changed(R, g):
            log_entry(R, OF_MODE, g, R.mode_old[g], R.modes[g], R.energy_losses[g])


def has_changed(R: Record, g: int) -> bool:
    """True if the mode of a closure changed, or if it had an impact of its own.

    A closure that stays engaged also has impulses from impacts of others: these do not count.
    """
    had_impact = False
    closure = MODE[g]
    for row in range(closure.first_row, closure.first_row + closure.rows):
        had_impact = had_impact or R.impact_impulses[row] != 0.0
    return (had_impact and (R.due[g] != 0.0 or R.mode_old[g] != 0.0)) or R.modes[g] != R.mode_old[g]
