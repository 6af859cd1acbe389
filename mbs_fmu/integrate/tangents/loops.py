"""Tangents in models with closed loops: `prepare_step` with tangents, which is called after each step.

Rows are chosen as in steps without tangents; the choice has no tangent.
"""

from __future__ import annotations

from ...kernels.closures.loops import project, transfer_impulses
from ...kernels.closures.rows import count_rank, needs_projection
from ...kernels.constants import FREE_SELECTION, FROZEN_SELECTION
from ...record.schema import Inputs, Record
from .hooks import evaluate_d, project_d, transfer_impulses_d


def arrive_d(R: Record, D: Record, U: Inputs, h: float) -> None:
    """Prepare a state for a step of size h, with tangents: evaluate rates, choose rows, re-base momenta, project."""
    alpha = R.most_alpha
    if h > 0.0:
        alpha = min(alpha, R.alpha_step / h)
    R.alpha = alpha
    R.row_selection = FREE_SELECTION
    evaluate_d(R, D, U)
    if R.transfer_each_step > 0.0:
        transfer_impulses_d(R, D)
    if needs_projection(R):
        project_d(R, D)
        evaluate_d(R, D, U)
        if R.transfer_each_step > 0.0:
            transfer_impulses_d(R, D)
    R.row_selection = FROZEN_SELECTION
    count_rank(R)


WITH_TANGENTS = (transfer_impulses, project)  #: kernels whose functions with tangents `arrive_d` calls
CALLED = ("forces", "solve", "copy", "normalise")  #: functions with tangents that kernels in WITH_TANGENTS call
