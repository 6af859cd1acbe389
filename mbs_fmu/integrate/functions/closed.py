"""Rates and outputs of models with closed loops as functions of minimal coordinates. Modules contain copies.

The states are positions that the loops leave free, each with its coordinate, then joint velocities that they leave
free, then signal states. The other coordinates are those of the record, moved until the loops close; so each call
begins where the last one has ended.

X contains time, states, inputs and parameters; G describes X (`schema.ClosedDescription`). Z is the start's record, S
a copy of R for kernels that overwrite it with the same numbers. D contains tangents along the motion, E tangents
along a direction, which is one number of X, and F second tangents along both; all are zero at the first call. W is
workspace: the change of all momenta by each free velocity, in rows; the changes of all coordinates and momenta along
the present direction; without rate constraints, the change of all coordinates along each position.

Parameters of geometry move the other coordinates too: by the implicit function theorem, K dq = -g_p, with the Jacobian
K of the rows and the tangents g_p of the residuals by the parameter.
"""

from __future__ import annotations

from ...kernels.closures.assembly import assemble_positions, correct_rates, plain_reference_pivots, project_rates
from ...kernels.closures.rows import choose_start_rows
from ...kernels.closures.start_velocities import assemble
from ...kernels.constants import FAILED_CHECK, FREE_SELECTION, NOT_ASSEMBLED, OK
from ...kernels.linked import (
    conditions,
    derive,
    derive_d,
    momenta,
    momenta_d,
    outputs,
    outputs_d,
    prepare,
)
from ...record.fields import Numbers
from ...record.schema import ANGULAR, N_INPUTS, N_OUTPUTS, N_ROWS, N_UNBOUND, NQ, NV, NX, ClosedDescription, Record
from ..tangents.hooks import derive_dd, prepare_d


def set_arguments_closed(R: Record, G: ClosedDescription, X: Numbers) -> int:
    """Write X to the record and close the loops; return a status, with the fault in R.fault.

    Positions move in a straight line from their last values, in parts of at most a quarter of a radian or of the
    mechanism's size. So the loops stay on their branch of assembly.
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
        status = assemble_positions(R)
        if status != OK:
            return status
    for k in range(positions):
        R[int(G.places[1 + k])] = X[1 + k]
    R.changed_starts = 0.0
    status = assemble(R)
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

    Return the status of `close_again`. Rates of joint velocities are their tangents along the motion.
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
    """Set the tangents of states and time to their rates."""
    for k in range(NX):
        D.x[k] = R.x_dot[k]
    D.time = 1.0


def closed_jacobian(
    R: Record, Z: Record, S: Record, D: Record, E: Record, F: Record, W: Numbers, G: ClosedDescription, X: Numbers,
    Y: Numbers, place: int, count: int, with_outputs: bool,
) -> int:  # fmt: skip
    """Write rates and outputs, then their tangents along the first `count` numbers of X after the time, to Y.

    Return the status of `close_again`. Y has a row for the values and one for each direction, from `place` on.
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
        closed_deviation(R, S, D, E, F, W, G, Y, j, place + (1 + j) * width, with_outputs)
    return OK


def velocity_change(R: Record, S: Record, E: Record, W: Numbers, G: ClosedDescription, j: int) -> None:
    """Write to W the changes of momenta by the free velocity j, at constant positions.

    Without rate constraints the motion is also that of position j, of which W receives the changes of coordinates.
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
    """True if number j of X after the time is a parameter on which masses or geometry may depend."""
    return G.prepares > 0.0 and j >= int(G.states) + N_INPUTS


def allowed_motion(R: Record, S: Record, G: ClosedDescription, own: int, of_position: bool) -> None:
    """Write to S joint velocities that the loops allow: all free ones are zero, except number `own`, which is one.

    With `of_position`, they are the changes along position `own`, which rate constraints do not restrict.
    """
    copy_with_zero_velocities(R, S, G, of_position)
    if of_position:
        S.u[int(G.places[int(G.count) + own])] = 1.0
    else:
        S[int(G.places[1 + int(G.positions) + own])] = 1.0
    project_rates(S)


def copy_with_zero_velocities(R: Record, S: Record, G: ClosedDescription, of_position: bool) -> None:
    """Copy the record to S, with joint velocities of zero; write 1 to `free_mask` for all but the free ones.

    `of_position` is as in `allowed_motion`.
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


def gaps_change(S: Record, E: Record, W: Numbers, G: ClosedDescription, j: int) -> bool:
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
    """Write to S the joint velocities with which the other positions follow a parameter: K v = -g_p.

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
    elif gaps_change(S, E, W, G, j):
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


def closed_deviation(
    R: Record, S: Record, D: Record, E: Record, F: Record, W: Numbers, G: ClosedDescription, Y: Numbers, j: int,
    place: int, with_outputs: bool,
) -> None:  # fmt: skip
    """Write the tangents of rates and outputs along number j of X after the time to Y, from `place` on.

    Tangents of the rates of joint velocities are second tangents of these, along the motion and the direction.
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
    """Set E to the tangents of states and other numbers along number j of X after the time, and nothing else.

    W contains the changes of states, and S the parameters, with their constants.
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
