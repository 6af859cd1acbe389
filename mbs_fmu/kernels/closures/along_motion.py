"""Kernels that compute rates of change along the motion: tangents in the direction of the state's own rates."""

from ...record.schema import FIRST_P, N_DRIVES, N_ROWS, NV, NX, TAIL, Record
from ..linked import forces_d, solve_d


def motion(R: Record, D: Record) -> None:
    """Set the tangents of the state to its rates, so that all other tangents become time derivatives.

    Expects the results of `derive`.
    """
    for k in range(TAIL):
        D[k] = 0.0
    for k in range(NX):
        D.x[k] = R.x_dot[k]
    D.time = 1.0


def exchange_rates(R: Record, D: Record) -> None:
    """Compute rates of the state for an importer's solver, including the forces of the loops (L9).

    Expects the results of `derive`. pi = p - Jᵀ Lambda is linear in the impulses: if only these have tangents,
    -(lambda + alpha Lambda), pi has the tangents Jᵀ(lambda + alpha Lambda). D is workspace for tangents.
    """
    motion(R, D)
    solve_d(R, D)
    for k in range(N_ROWS):
        R.row_forces[k] = D.multipliers[k]
    for k in range(TAIL):
        D[k] = 0.0
    for k in range(N_ROWS):
        D.multipliers[k] = -(R.row_forces[k] + R.alpha * R.multipliers[k])
    forces_d(R, D)
    for k in range(NX):
        R.exchange_rates[k] = R.x_dot[k]
    for k in range(NV):
        R.exchange_rates[FIRST_P + k] += D.momentum[k]
    for k in range(N_DRIVES):
        R.exchange_rates[NX - N_DRIVES + k] += D.drive_momenta[k]
    R.exchange_fresh = 1.0
