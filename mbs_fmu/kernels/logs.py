"""Kernels that write the log of a run: events, changes of modes, resets and samples, in superdense order.

The modules of models with crossings contain them. A run returns to its caller, who empties the log, before it is full.
In calls of importers nobody reads it: what does not fit is not written.
"""

from __future__ import annotations

from ..record.schema import N_LOGGED, NV, Record
from .constants import FULL_LOG
from .linked import momenta


def log_entry(R: Record, kind: int, owner: int, before: float, after: float, lost: float) -> None:
    """Write an entry at the present instant (t, n); `record.blocks.LogEntry` explains the arguments."""
    log_at(R, R.time, R.instants.round, kind, owner, before, after)
    if R.instants.logged < N_LOGGED:
        R.log[int(R.instants.logged) - 1].lost = lost


def log_at(R: Record, time: float, n: float, kind: int, owner: int, before: float, after: float) -> None:
    """Write an entry without loss of energy at the instant (time, n)."""
    if R.instants.logged < N_LOGGED:
        entry = R.log[int(R.instants.logged)]
        entry.time = time
        entry.round = n
        entry.kind = kind
        entry.owner = owner
        entry.before = before
        entry.after = after
        entry.lost = 0.0
        R.instants.logged += 1.0


def log_fills(R: Record) -> bool:
    """True if the log should be emptied before the next instant, or the next round of one."""
    return R.instants.logged >= FULL_LOG


def energy_of_rates(R: Record) -> float:
    """Return the part of the kinetic energy (J) that changes with the joint velocities: pᵀu - ½ uᵀM u.

    The rest is the energy of prescribed motions with all joint velocities zero. Expects and leaves velocities u, and
    their momenta p after a re-basing. Overwrites `errors`.
    """
    R.errors[:] = R.p
    R.still = 1.0
    momenta(R)
    R.still = 0.0
    energy = 0.0
    for k in range(NV):
        energy += (R.errors[k] - 0.5 * R.p[k]) * R.u[k]
    momenta(R)  # prescribed velocities again
    R.p[:] = R.errors
    return energy


def empty_log(R: Record) -> None:
    """Discard all entries."""
    R.instants.logged = 0.0
