"""Tangents in models with closed loops: `prepare_step` with tangents, which is called after each step.

Rows are chosen as in steps without tangents; the choice has no tangent.
"""

from __future__ import annotations

from ...kernels.closures.loops import project, rebase
from ...kernels.closures.rows import count_rank, stands_off
from ...kernels.constants import FREE_CHOICE, FROZEN_CHOICE
from ...record.schema import Inputs, Record
from .hooks import evaluate_d, project_d, rebase_d


def arrive_d(R: Record, D: Record, U: Inputs, h: float) -> None:
    """The same as `prepare_step`, with tangents: evaluate rates, choose rows, project residuals, re-base momenta."""
    alpha = R.most_alpha
    if h > 0.0:
        alpha = min(alpha, R.alpha_step / h)
    R.alpha = alpha
    R.choice = FREE_CHOICE
    evaluate_d(R, D, U)
    if R.rebase > 0.0:
        rebase_d(R, D)
    if stands_off(R):
        project_d(R, D)
        evaluate_d(R, D, U)
        if R.rebase > 0.0:
            rebase_d(R, D)
    R.choice = FROZEN_CHOICE
    count_rank(R)


CARRIED = (rebase, project)  #: kernels of loops that `arrive_d` calls with tangents
CALLED = ("forces", "solve", "copy", "normalise")  #: functions that these call
