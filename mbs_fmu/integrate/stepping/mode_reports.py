"""Reports of constraint modes to importers and callers; modules of models with such modes contain copies."""

from __future__ import annotations

from ...kernels.closures.names import LOGGED
from ...kernels.declarations import Record
from ...kernels.hooks import mode_values
from ...kernels.names import END_NOW, N_MODES
from .drivers import rates


def mode_ends(R: Record, U: Record) -> None:
    """Compute distances of constraint modes from their ends for importers, with an offset so that none is exactly zero.

    Reads: end_now. Writes: end_now.
    """
    rates(R, U)
    mode_values(R)
    for g in range(N_MODES):
        R[END_NOW + g] += 1.0e-10


def start_log(R: Record) -> None:
    """Clear the log of mode changes at the beginning of a call.

    Writes: loop_state.
    """
    R[LOGGED] = 0.0


def has_switched(R: Record) -> bool:
    """True if constraint modes have changed in this call.

    Reads: loop_state.
    """
    return R[LOGGED] > 0.0
