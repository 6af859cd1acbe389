"""Rates and outputs of models with closed loops as functions of minimal coordinates. Modules contain copies.

The states are free positions, free joint velocities and signal states. Free are as many coordinates and joint
velocities as the loops leave degrees of freedom; the others follow from the loops. Each call closes the loops from the
coordinates at the end of the last call.

R, Z, S, D, E and F have the layout of a record:

- R is the record, Z the record at the start of the run, and S a copy of R for computations that would overwrite R.
- D contains tangents along the motion, E tangents along a direction, which is one number of X, and F second tangents
  along both. All are zero at the first call.
- X contains time, states, inputs and parameters, Y receives results. G describes X (`schema.ClosedDescription`):
  G.places[k] is the address in the record of number k of X; the indices of the joint velocities of the free positions
  follow, from G.places[G.count] on.
- W is workspace: for each free velocity, a row with the changes of all momenta by a unit of it; then the changes of all
  coordinates and momenta along the present direction; without rate constraints also, for each free position, the
  changes of all coordinates.

Parameters of geometry change the other coordinates too, by the implicit function theorem: K dq = -g_p, with the
Jacobian K of the rows and the tangents g_p of the residuals along the parameter.
"""

from __future__ import annotations

from ...kernels.closures.assembly import correct_rates, plain_reference_pivots, project_rates
from ...kernels.closures.positions import assemble_positions
from ...kernels.closures.rows import choose_start_rows
from ...kernels.closures.start_velocities import assemble
from ...kernels.constants import FAILED_CHECK, FREE_SELECTION, NOT_ASSEMBLED, OK
from ...kernels.linked import (
    conditions,
    derive,
    derive_d,
    derive_dd,
    momenta,
    momenta_d,
    outputs,
    outputs_d,
    prepare,
)
from ...record.fields import Numbers
from ...record.schema import ANGULAR, N_INPUTS, N_OUTPUTS, N_ROWS, N_UNBOUND, NQ, NV, NX, ClosedDescription, Record
from ..tangents.hooks import prepare_d


def set_arguments_closed(R: Record, G: ClosedDescription, X: Numbers) -> int:
    """Write X to the record and close the loops; return a status, with the fault in R.fault.

    Free positions change from their last values in equal parts of at most a quarter of a radian, or of the mechanism's
    size, and the loops are closed after each part. The mechanism thus stays on its branch of assembly. The status is
    NOT_ASSEMBLED if a position is 1e4 rad or mechanism's sizes away, or if the loops close with other states only.
    """
    positions = int(G.positions)
    far = 0.0
    for k in range(positions):
        change = abs(X[1 + k] - R[int(G.places[1 + k])])
        angular = ANGULAR[int(G.places[int(G.count) + k])] > 0
        far = max(far, change if angular else change / R.characteristic_length)
    if not far < 1.0e4:
        return NOT_ASSEMBLED
    R.time = X[0]
    for k in range(1 + positions, int(G.count)):
        R[int(G.places[k])] = X[k]
    if G.prepares > 0.0:
        R.fault = prepare(R) - 1
        if R.fault >= 0.0:
            return FAILED_CHECK
    parts = int(4.0 * far) + 1
    for part in range(1, parts):
        for k in range(positions):
            place = int(G.places[1 + k])
            R[place] += (X[1 + k] - R[place]) / (parts - part + 1)
        status = assemble_positions(R, 1)
        if status != OK:
            return status
    for k in range(positions):
        R[int(G.places[1 + k])] = X[1 + k]
    R.changed_starts = 0.0
    status = assemble(R, 1)
    if status == OK and R.changed_starts > 0.0:  # near a singular position, other states would close the loops
        R.fault = 0.0
        return NOT_ASSEMBLED
    if status == OK:
        momenta(R)
        choose_start_rows(R)
    return status


def close_again(R: Record, Z: Record, G: ClosedDescription, X: Numbers) -> int:
    """Call `set_arguments_closed`; if the loops do not close, repeat it from the record of the start.

    Return the status.
    """
    status = set_arguments_closed(R, G, X)
    if status != OK:
        side = R.side
        copy_record(Z, R, G)
        R.side = side
        status = set_arguments_closed(R, G, X)
    return status


def closed_rates(
    R: Record, Z: Record, D: Record, G: ClosedDescription, X: Numbers, Y: Numbers, place: int, with_outputs: bool
) -> int:
    """Write the rates of the states, then with `with_outputs` the outputs, to Y from `place` on.

    Return the status of `close_again`. Rates of free velocities are their tangents along the motion.
    """
    status = close_again(R, Z, G, X)
    if status != OK:
        return status
    derive(R)
    if with_outputs:
        outputs(R)
    set_motion(R, D)
    derive_d(R, D)
    positions = int(G.positions)
    velocities = positions + int(G.velocities)
    states = int(G.states)
    for k in range(positions):
        Y[place + k] = R.u[int(G.places[int(G.count) + k])]
    for k in range(positions, velocities):
        Y[place + k] = D[int(G.places[1 + k])]
    for k in range(velocities, states):
        Y[place + k] = R.x_dot[int(G.places[1 + k]) - R.x.address]
    for k in range(N_OUTPUTS if with_outputs else 0):
        Y[place + states + k] = R.outputs[k]
    return OK


def set_motion(R: Record, D: Record) -> None:
    """Set the tangents D of the record's state and of time to their rates, so that others become time derivatives."""
    for k in range(NX):
        D.x[k] = R.x_dot[k]
    D.time = 1.0


def closed_jacobian(
    R: Record, Z: Record, S: Record, D: Record, E: Record, F: Record, W: Numbers, G: ClosedDescription, X: Numbers,
    Y: Numbers, place: int, count: int, with_outputs: bool,
) -> int:  # fmt: skip
    """Write rates and outputs, then their tangents along the first `count` numbers of X after the time, to Y.

    Return the status of `close_again`. From `place` on, Y has a row for the values and one for each direction. Rows
    have room for outputs; `with_outputs` is as in `closed_rates`.
    """
    status = closed_rates(R, Z, D, G, X, Y, place, with_outputs)
    if status != OK:
        return status
    width = int(G.states) + N_OUTPUTS
    if G.prepares > 0.0:  # tangents of constants remain from the last call
        clear_record(E, G)
    for j in range(int(G.velocities)):
        velocity_change(R, S, E, W, G, j)
    for j in range(count):
        if j < int(G.positions) or moves_bodies(G, j):
            state_change(R, S, E, W, G, j)
        closed_tangents(R, S, D, E, F, W, G, Y, j, place + (1 + j) * width, with_outputs)
    return OK


def velocity_change(R: Record, S: Record, E: Record, W: Numbers, G: ClosedDescription, j: int) -> None:
    """Write to W the changes of momenta by a unit of free velocity j, at constant positions.

    Without rate constraints, the same velocities are also the changes of coordinates by free position j: W receives
    these too.
    """
    velocities = int(G.velocities)
    allowed_motion(R, S, G, j, False)
    clear_direction(E, G)
    for k in range(NV):
        E.u[k] = S.u[k]
    if N_UNBOUND == 0:
        coordinate_change(S, W, velocities * NV + NQ + NV + j * NQ)
    copy_record(R, S, G)
    momenta_d(S, E)
    for k in range(NV):
        W[j * NV + k] = E.p[k]


def coordinate_change(S: Record, W: Numbers, place: int) -> None:
    """Write the rates of coordinates at the joint velocities in S to W, from `place` on."""
    momenta(S)
    for k in range(NQ):
        W[place + k] = S.x_dot[k]


def moves_bodies(G: ClosedDescription, j: int) -> bool:
    """True if number j of X after the time is a parameter, and masses or geometry depend on parameters."""
    return G.prepares > 0.0 and j >= int(G.states) + N_INPUTS


def allowed_motion(R: Record, S: Record, G: ClosedDescription, own: int, of_position: bool) -> None:
    """Write to S joint velocities that the loops allow: 1 for free velocity `own`, 0 for all other free velocities.

    With `of_position`, they are instead the changes by free position `own`, which rate constraints do not restrict.
    """
    copy_with_zero_velocities(R, S, G, of_position)
    if of_position:
        S.u[int(G.places[int(G.count) + own])] = 1.0
    else:
        S[int(G.places[1 + int(G.positions) + own])] = 1.0
    project_rates(S)


def copy_with_zero_velocities(R: Record, S: Record, G: ClosedDescription, of_position: bool) -> None:
    """Copy the record to S, set all joint velocities to zero, and prepare `project_rates` and `correct_rates`.

    These change the velocities with 1 in `free_mask`: all but the free ones, whose values are given. `of_position` is
    as in `allowed_motion`.
    """
    copy_record(R, S, G)
    for k in range(NV):
        S.u[k] = 0.0
        S.free_mask[k] = 1.0
    if of_position:
        for k in range(int(G.positions)):
            S.free_mask[int(G.places[int(G.count) + k])] = 0.0
    else:
        rates = G.places[1 + int(G.positions) :]
        for k in range(int(G.velocities)):
            S.free_mask[int(rates[k]) - R.u.address] = 0.0
    S.positions = 1.0 if of_position else 0.0
    S.row_selection = FREE_SELECTION
    S.tolerance = 1.0e-10
    S.still = 1.0
    conditions(S)
    plain_reference_pivots(S)


def residuals_change(S: Record, E: Record, W: Numbers, G: ClosedDescription, j: int) -> bool:
    """True if number j of X after the time, a parameter, changes residuals of rows at constant coordinates.

    E receives the tangents of the residuals.
    """
    set_direction(S, E, W, G, j)
    derive_d(S, E)
    largest = 0.0
    for k in range(N_ROWS):
        largest = max(largest, abs(E.residuals[k]))
    return largest > 0.0


def following_motion(R: Record, S: Record, E: Record, G: ClosedDescription) -> None:
    """Write to S the changes of the other coordinates along a parameter, as joint velocities v: K v = -g_p.

    Expects the tangents g_p of residuals in E.
    """
    copy_with_zero_velocities(R, S, G, True)
    for _ in range(2):  # the second pass removes rounding errors of the first
        conditions(S)
        for k in range(N_ROWS):
            S.residual_rates[k] = E.residuals[k]
        correct_rates(S)


def state_change(R: Record, S: Record, E: Record, W: Numbers, G: ClosedDescription, j: int) -> None:
    """Write to W the changes of coordinates and momenta along number j of X after the time, a position or a parameter.

    The loops stay closed, and the free velocities constant.
    """
    velocities = int(G.velocities)
    place = velocities * NV
    for k in range(NQ + NV):
        W[place + k] = 0.0
    if j < int(G.positions) and N_UNBOUND == 0:
        for k in range(NQ):
            W[place + k] = W[place + NQ + NV + j * NQ + k]
    elif j < int(G.positions):
        allowed_motion(R, S, G, j, True)
        coordinate_change(S, W, place)
        copy_record(R, S, G)
    elif residuals_change(S, E, W, G, j):
        following_motion(R, S, E, G)
        coordinate_change(S, W, place)
        copy_record(R, S, G)
    set_direction(S, E, W, G, j)
    momenta_d(S, E)
    for k in range(NV):
        W[place + NQ + k] = E.p[k]
    set_direction(S, E, W, G, j)
    derive_d(S, E)
    for i in range(velocities):
        change = E[int(G.places[1 + int(G.positions) + i])]
        for k in range(NV):
            W[place + NQ + k] += -change * W[i * NV + k]


def closed_tangents(
    R: Record, S: Record, D: Record, E: Record, F: Record, W: Numbers, G: ClosedDescription, Y: Numbers, j: int,
    place: int, with_outputs: bool,
) -> None:  # fmt: skip
    """Write the tangents of rates and outputs along number j of X after the time to Y, from `place` on.

    The tangents of the rates of free velocities are second tangents of the velocities, along motion and direction.
    """
    positions = int(G.positions)
    velocities = positions + int(G.velocities)
    states = int(G.states)
    set_direction(S, E, W, G, j)
    derive_d(S, E)
    if with_outputs:
        outputs_d(S, E)
    for k in range(positions):
        Y[place + k] = E.u[int(G.places[int(G.count) + k])]
    for k in range(velocities, states):
        Y[place + k] = E.x_dot[int(G.places[1 + k]) - R.x.address]
    for k in range(N_OUTPUTS if with_outputs else 0):
        Y[place + states + k] = E.outputs[k]
    for k in range(NX):
        F.x[k] = E.x_dot[k]
    set_direction(S, E, W, G, j)
    set_motion(R, D)
    derive_dd(S, D, E, F)
    for k in range(positions, velocities):
        Y[place + k] = F[int(G.places[1 + k])]


def set_direction(S: Record, E: Record, W: Numbers, G: ClosedDescription, j: int) -> None:
    """Set E to the tangents of the record's state, inputs and parameters along number j of X after the time.

    W contains the changes of the state (`velocity_change`, `state_change`), S the parameters and derived constants.
    """
    positions = int(G.positions)
    velocities = int(G.velocities)
    clear_direction(E, G)
    if j >= positions + velocities:
        E[int(G.places[1 + j])] = 1.0
    elif j >= positions:
        for k in range(NV):
            E.p[k] = W[(j - positions) * NV + k]
    if moves_bodies(G, j):
        prepare_d(S, E)
    if j < positions or moves_bodies(G, j):
        for k in range(NQ):
            E.x[k] = W[velocities * NV + k]
        for k in range(NV):
            E.p[k] = W[velocities * NV + NQ + k]


def clear_direction(E: Record, G: ClosedDescription) -> None:
    """Set the tangents of states, joint velocities and the numbers in X to zero; kernels compute all others."""
    for k in range(NX):
        E.x[k] = 0.0
    for k in range(NV):
        E.u[k] = 0.0
    for k in range(int(G.count)):
        E[int(G.places[k])] = 0.0


def copy_record(R: Record, S: Record, G: ClosedDescription) -> None:
    """Copy the record to S."""
    for k in range(int(G.length)):
        S[k] = R[k]


def clear_record(D: Record, G: ClosedDescription) -> None:
    """Set all tangents of a record to zero."""
    for k in range(int(G.length)):
        D[k] = 0.0
