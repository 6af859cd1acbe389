"""What importers and callers hear of modes, as text; copied into modules of models whose closures have modes."""

from __future__ import annotations

from ...kernels.closures.names import LOGGED
from ...kernels.declarations import Record
from ...kernels.hooks import mode_values
from ...kernels.names import END_NOW, N_MODES
from .drivers import rates


def mode_ends(R: Record, U: Record) -> None:
    """How far modes are from their ends, for importers, whose zeros come behind those: none of them meets one.

    Reads: end_now. Writes: end_now.
    """
    rates(R, U)
    mode_values(R)
    for g in range(N_MODES):
        R[END_NOW + g] += 1.0e-10


def start_log(R: Record) -> None:
    """At the beginning of a call: whoever made the last one has read what changed in it.

    Writes: loop_state.
    """
    R[LOGGED] = 0.0


def has_switched(R: Record) -> bool:
    """Whether modes have changed in this call.

    Reads: loop_state.
    """
    return R[LOGGED] > 0.0
