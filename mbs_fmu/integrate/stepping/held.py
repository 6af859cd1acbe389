"""Events on the surface of a closed contact: their expressions are held at zero.

The modules of models with events and constraint modes contain copies of these functions.

While a body rests on a contact, an expression that vanishes on the same surface, such as the height of the body, has a
sign that is rounding or drift. So when contacts close, their surfaces are searched for such events: those whose
expression changes in proportion to the residual, in whatever direction the state moves, and vanishes with it. Such an
expression counts as zero while the contact is closed, and afterwards as outside until it is.
"""

from __future__ import annotations

import numpy as np

from ...kernels.constants import COUNTED_ZERO, UNILATERAL
from ...kernels.linked import indicators
from ...record.schema import MODE, N_EVENTS, N_MODES, NX, Inputs, Record
from .drivers import evaluate


def hold_values(R: Record) -> None:
    """Correct the expressions in `now` of events on the surfaces of contacts."""
    for i in range(N_EVENTS):
        watched = R.watched[N_MODES + i]
        contact = int(watched.contact)
        if contact > 0:
            side = watched.outside
            outside = side * max(side * R.now[N_MODES + i], 2.0 * COUNTED_ZERO)
            R.now[N_MODES + i] = 0.0 if R.modes[contact - 1] == 0.0 else outside


def release_values(R: Record) -> None:
    """Release the events whose expressions have left the surface of their contact, which is open."""
    for i in range(N_EVENTS):
        watched = R.watched[N_MODES + i]
        contact = int(watched.contact)
        if contact > 0 and R.modes[contact - 1] != 0.0 and watched.outside * R.now[N_MODES + i] > 2.0 * COUNTED_ZERO:
            watched.contact = 0.0


def find_held(R: Record, U: Inputs) -> None:
    """Find events on the surfaces of closed contacts; expects and leaves fresh rates.

    An expression vanishes where the residual does, or where the contact was found to touch (`residual_offsets`).
    """
    searched = False
    for g in range(N_MODES):
        searched = searched or is_searched(R, g)
    if not searched:
        return
    fresh = R.fresh
    R.work[0] = R.x
    indicators(R)
    R.surface_values[:] = R.indicators
    for g in range(N_MODES):
        R.surface_residuals[g] = R.residuals[MODE[g].first_row]
    for trial in range(3):
        perturb_state(R, trial)
        evaluate(R, U)
        indicators(R)
        for g in range(N_MODES):
            if is_searched(R, g):
                ratio_to_residual(R, g, trial)
    R.x[:] = R.work[0]
    evaluate(R, U)
    R.fresh = fresh
    for i in range(N_EVENTS):
        for g in range(N_MODES):
            ratio = R.surface_ratios[g, i]
            if is_searched(R, g) and ratio != 0.0:
                residual, zero = R.surface_residuals[g], R.residual_offsets[MODE[g].first_row]
                level = residual - R.surface_values[i] / ratio  # residual at which the expression vanishes
                allowed = 1.0e-3 * abs(residual - zero) + 1.0e-12 * R.characteristic_length
                if min(abs(level), abs(level - zero)) <= allowed:
                    R.watched[N_MODES + i].contact = g + 1.0
                    R.watched[N_MODES + i].outside = 1.0 if ratio > 0.0 else -1.0


def is_searched(R: Record, g: int) -> bool:
    """True if closure g is a contact that has just closed, at this instant or at the start."""
    return MODE[g].role == UNILATERAL and R.modes[g] == 0.0 and R.looked[g].acted != 0.0


def perturb_state(R: Record, trial: int) -> None:
    """Set the state to that in `work`, each component displaced by a small amount, which differs between trials."""
    for k in range(NX):
        R.x[k] = R.work[0, k] + 1.0e-7 * (1.0 + abs(R.work[0, k])) * np.sin(1.0 + 12.9898 * k + 78.233 * trial)


def ratio_to_residual(R: Record, g: int, trial: int) -> None:
    """Compute the ratios of changes of indicators to the change of the residual of contact g; zero if trials differ."""
    moved = R.residuals[MODE[g].first_row] - R.surface_residuals[g]
    for i in range(N_EVENTS):
        change = R.indicators[i] - R.surface_values[i]
        if trial == 0:
            R.surface_ratios[g, i] = change / moved if moved != 0.0 else 0.0
        if not abs(change - R.surface_ratios[g, i] * moved) <= 1.0e-3 * abs(R.surface_ratios[g, i] * moved):
            R.surface_ratios[g, i] = 0.0
