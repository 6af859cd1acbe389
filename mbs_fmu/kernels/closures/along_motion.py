"""Kernels that compute rates of change along the motion: tangents in the direction of the state's own rates."""

from ..declarations import Record
from ..linked import forces_d, solve_d
from ..names import DRIVE_MOMENTA, F0, FIRST_P, N_DRIVES, NV, NX, TAIL, TIME, X0
from .names import ALPHA, EXCHANGE_FRESH, EXCHANGE_RATES, MOMENTUM, MULTIPLIERS, N_ROWS, ROW_FORCES


def motion(R: Record, D: Record) -> None:
    """Set the tangents of the state to its rates, so that all other tangents become time derivatives.

    Expects the results of `derive`.

    Reads: drive_rests, p_dot, q_dot, z_dot. Writes: D.
    """
    for k in range(TAIL):
        D[k] = 0.0
    for k in range(NX):
        D[X0 + k] = R[F0 + k]
    D[TIME] = 1.0


def exchange_rates(R: Record, D: Record) -> None:
    """Compute rates of the state for an importer's solver, including the forces of the loops (L9).

    Expects the results of `derive`. The momenta are linear in the impulses: if only the impulses have tangents, those
    of the momenta are Jᵀ(lambda + alpha Lambda). D is workspace for tangents.

    Reads: D, drive_rests, exchange_rates, loop_state, multipliers, p_dot, q_dot, row_forces, z_dot. Writes: D,
    exchange_rates, loop_state, row_forces.
    """
    motion(R, D)
    solve_d(R, D)
    for k in range(N_ROWS):
        R[ROW_FORCES + k] = D[MULTIPLIERS + k]
    for k in range(TAIL):
        D[k] = 0.0
    for k in range(N_ROWS):
        D[MULTIPLIERS + k] = -(R[ROW_FORCES + k] + R[ALPHA] * R[MULTIPLIERS + k])
    forces_d(R, D)
    for k in range(NX):
        R[EXCHANGE_RATES + k] = R[F0 + k]
    for k in range(NV):
        R[EXCHANGE_RATES + FIRST_P + k] += D[MOMENTUM + k]
    for k in range(N_DRIVES):
        R[EXCHANGE_RATES + NX - N_DRIVES + k] += D[DRIVE_MOMENTA + k]
    R[EXCHANGE_FRESH] = 1.0
