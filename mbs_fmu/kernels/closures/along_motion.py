"""Kernels that compute time derivatives as tangents (directional derivatives) in the direction of the motion.

D is a second record. D.x contains the tangent of R.x, and so on. `solve_d` and `forces_d` are `solve` and `forces` with
tangents. L9 is an equation of docs/equations_loops.md.
"""

from ...record.schema import FIRST_P, N_DRIVES, N_ROWS, N_VALUES, NV, NX, TAIL, Record
from ..linked import forces_d, solve_d


def set_motion_tangents(R: Record, D: Record) -> None:
    """Set the tangents of state and time to their rates, and all others to zero.

    The tangents that `solve_d` and other functions compute from these are then time derivatives. Expects the results of
    `derive`. The tangents of numbers and tables of laws are zero already: a road may have millions of heights.
    """
    for k in range(D.values.address):
        D[k] = 0.0
    for k in range(D.values.address + N_VALUES, TAIL):
        D[k] = 0.0
    for k in range(NX):
        D.x[k] = R.x_dot[k]
    D.time = 1.0


def exchange_rates(R: Record, D: Record) -> None:
    """Compute `exchange_rates`, the rates of the state for an importer's solver (L9).

    The rates of the momenta pi increase by Jᵀ(lambda + alpha Lambda). Because pi = p - Jᵀ Lambda is linear in Lambda,
    this is the tangent of pi if Lambda has the tangent -(lambda + alpha Lambda) and p has none. `row_forces` becomes
    lambda. Expects the results of `derive`. D is workspace.
    """
    set_motion_tangents(R, D)
    solve_d(R, D)
    for k in range(N_ROWS):
        R.row_forces[k] = D.multipliers[k]
    for k in range(D.values.address):
        D[k] = 0.0
    for k in range(D.values.address + N_VALUES, TAIL):
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
