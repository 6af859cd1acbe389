"""Reports of constraint modes to importers and callers; modules of models with such modes contain copies."""

from __future__ import annotations

from ...kernels.hooks import mode_values
from ...record.schema import N_MODES, Inputs, Record
from .drivers import rates


def mode_ends(R: Record, U: Inputs) -> None:
    """Compute the distances of constraint modes from their ends for importers, with an offset: they are never zero."""
    rates(R, U)
    mode_values(R)
    for g in range(N_MODES):
        R.end_now[g] += 1.0e-10


def start_log(R: Record) -> None:
    """Clear the log of mode changes at the beginning of a call."""
    R.logged = 0.0


def has_switched(R: Record) -> bool:
    """True if constraint modes have changed in this call."""
    return R.logged > 0.0
