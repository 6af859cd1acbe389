"""Projections in lanes of which only some need one: the others keep their numbers instead of leaving.

In the lane modules of models with closed loops these functions replace those of single runs.
"""

from __future__ import annotations

import numpy as np

from ...kernels.closures.loops import project_state
from ...kernels.closures.rows import needs_projection
from ...kernels.declarations import supplied
from ...kernels.library import where
from ...record.schema import Inputs, Record
from .drivers import ACTIVE, every

WAITING = supplied()  #: address of a number behind the record: 1 while an active lane waits for others
BACKUP = supplied()  #: address of the numbers of lanes that wait, behind the record
N_KEPT = supplied()  #: number of parts of a record that a projection changes
#: First number and end of each of these parts; the writer of the module supplies them.
KEPT = np.zeros(2, dtype=np.int64)


def keep_closed(R: Record, U: Inputs) -> None:
    """Project the states of those lanes whose residuals are too large."""
    projecting = where(needs_projection(R), R[ACTIVE], 0.0)
    if every(projecting < 0.5):
        return
    if every(projecting == R[ACTIVE]):
        project_state(R, U)
        return
    back_up(R)
    R[WAITING] = R[ACTIVE] - projecting
    R[ACTIVE] = projecting
    project_state(R, U)
    restore_waiting(R)
    R[ACTIVE] = R[ACTIVE] + R[WAITING]


def back_up(R: Record) -> None:
    """Store what a projection changes, of all lanes."""
    place = BACKUP
    for part in range(N_KEPT):
        for k in range(KEPT[2 * part], KEPT[2 * part + 1]):
            R[place] = R[k]
            place += 1


def restore_waiting(R: Record) -> None:
    """Restore what a projection of other lanes has changed in lanes that wait."""
    place = BACKUP
    for part in range(N_KEPT):
        for k in range(KEPT[2 * part], KEPT[2 * part + 1]):
            R[k] = where(R[WAITING] > 0.5, R[place], R[k])
            place += 1
