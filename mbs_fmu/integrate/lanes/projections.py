"""Projections in lanes of which only some need one: the others keep their numbers instead of leaving.

In the lane modules of models with closed loops these functions replace those of single runs.
"""

from __future__ import annotations

import numpy as np

from ...kernels.closures.loops import project_state
from ...kernels.closures.rows import needs_projection
from ...kernels.contact_parameters import contact_newton_step
from ...kernels.declarations import supplied
from ...kernels.library import common, where
from ...kernels.tolerances import CONTACT_ROUNDING
from ...record.schema import Inputs, Record
from ..stepping.drivers import prepare_step
from .drivers import ACTIVE, every

WAITING = supplied()  #: address of a number behind the record: 1 while an active lane waits for others
OUTPUTS_FOLLOW = supplied()  #: address of a number behind the record: 1 if outputs are computed next, otherwise steps
BACKUP = supplied()  #: address of the numbers of lanes that wait, behind the record
N_STEPPED = supplied()  #: number of parts of a record from which the next step follows
N_KEPT = supplied()  #: number of these parts and of those that outputs need too
#: First number and end of each of these parts; the writer of the module supplies them.
KEPT = np.zeros(2, dtype=np.int64)


def prepare_outputs(R: Record, U: Inputs, h: float, controlled: bool) -> int:
    """Prepare a state as `prepare_step` does, for a step and for outputs; return a status."""
    R[OUTPUTS_FOLLOW] = 1.0
    status = prepare_step(R, U, h, controlled)
    R[OUTPUTS_FOLLOW] = 0.0
    return status


def keep_closed(R: Record, U: Inputs) -> None:
    """Project the states of those lanes whose residuals are too large."""
    projecting = where(needs_projection(R), R[ACTIVE], 0.0)
    if every(projecting < 0.5):
        return
    if every(projecting == R[ACTIVE]):
        project_state(R, U)
        return
    parts = N_KEPT if common(R[OUTPUTS_FOLLOW]) > 0.5 else N_STEPPED
    back_up(R, parts)
    R[WAITING] = R[ACTIVE] - projecting
    R[ACTIVE] = projecting
    project_state(R, U)
    restore_waiting(R, parts)
    R[ACTIVE] = R[ACTIVE] + R[WAITING]


def solve_contact_parameters(R: Record, most: int) -> None:
    """Compute the contact parameters at which curves touch, by as many Newton steps as each lane needs."""
    moving = R[ACTIVE]
    for _ in range(most):
        largest = contact_newton_step(R, moving > 0.5)
        moving = where(largest <= CONTACT_ROUNDING, 0.0, moving)
        if every(moving < 0.5):
            break


def back_up(R: Record, parts: int) -> None:
    """Store the first parts of the records of all lanes that a projection changes."""
    place = BACKUP
    for part in range(parts):
        for k in range(KEPT[2 * part], KEPT[2 * part + 1]):
            R[place] = R[k]
            place += 1


def restore_waiting(R: Record, parts: int) -> None:
    """Restore these parts in lanes that wait, after a projection of other lanes has changed them."""
    place = BACKUP
    for part in range(parts):
        for k in range(KEPT[2 * part], KEPT[2 * part + 1]):
            R[k] = where(R[WAITING] > 0.5, R[place], R[k])
            place += 1
