"""Jacobians of the functions of values.py, whose arguments they share. Modules contain copies.

A Jacobian is a set of tangents along directions of X. Directions are computed in groups, as many at once as there are
SIMD lanes: a number then has an entry for each lane. S contains, for each group, the tangents of X (the directions); Y
the values, then for each group their tangents.
"""

from __future__ import annotations

from ...kernels.linked import derive_d, momenta_d, momenta_dd, outputs_d
from ...record.fields import Numbers
from ...record.schema import N_OUTPUTS, NQ, NV, NX, Description, Inputs, Record
from ..stepping.clock import nearness
from ..tangents.drivers import LANES, METHOD_advance_d, evaluate_d
from ..tangents.hooks import lane_of, normalise_d, prepare_d


def set_arguments_d(R: Record, D: Record, G: Description, X: Numbers, S: Numbers, group: int) -> None:
    """Write X to the record and the tangents of a group to D; compute the constants, which have passed their checks."""
    for k in range(int(G.count)):
        R[int(G.places[k])] = X[k]
        D[int(G.places[k])] = S[group * int(G.count) + k]
    prepare_d(R, D)


def momentum_jacobian(R: Record, D: Record, G: Description, X: Numbers, S: Numbers, Y: Numbers, groups: int) -> None:
    """Write rates and outputs, and their tangents, to Y, for states that contain momenta."""
    states = int(G.states)
    for group in range(groups):
        set_arguments_d(R, D, G, X, S, group)
        derive_d(R, D)
        outputs_d(R, D)
        place = (1 + group) * (states + N_OUTPUTS)
        for k in range(states):
            Y[k] = R.x_dot[k]
            Y[place + k] = D.x_dot[k]
        for k in range(N_OUTPUTS):
            Y[states + k] = R.outputs[k]
            Y[place + states + k] = D.outputs[k]


def velocity_jacobian(
    R: Record,
    D: Record,
    E: Record,
    F: Record,
    G: Description,
    X: Numbers,
    S: Numbers,
    Y: Numbers,
    W: Numbers,
    groups: int,
) -> None:
    """Write rates and outputs, and their tangents, to Y, for states that contain joint velocities.

    D contains tangents along the motion, E those along the directions of a group, F second tangents along both. Behind
    the tangents of X, S contains unit momenta. W receives the inverse of the mass matrix M.

    The rates u_dot follow from the momenta p = P(q, u, t): p_dot = M u_dot + terms without u_dot. Hence M times the
    tangent of u_dot is the tangent of p_dot less the second tangent of P at constant u_dot.
    """
    states = int(G.states)
    for group in range(groups):
        set_arguments_d(R, E, G, X, S, group)
        momenta_d(R, E)
        derive_d(R, E)
        outputs_d(R, E)
        if group == 0:
            accelerations(R, D, G, Y)
            inverse_mass(R, F, S, W, groups * int(G.count))
        place = (1 + group) * (states + N_OUTPUTS)
        for k in range(states):
            Y[place + k] = E.x_dot[k]
        for k in range(N_OUTPUTS):
            Y[place + states + k] = E.outputs[k]
        for k in range(NX):
            D.x[k] = R.x_dot[k]
            F.x[k] = E.x_dot[k]
        for k in range(NV):
            D.u[k] = Y[NQ + k]
            F.u[k] = 0.0
        momenta_dd(R, D, E, F)
        for k in range(NV):
            F.p[k] = E.x_dot[NQ + k] - F.p[k]
        for i in range(NV):
            rate = 0.0 * F.p[0]
            for k in range(NV):
                rate += W[i * NV + k] * F.p[k]
            Y[place + NQ + i] = rate


def accelerations(R: Record, D: Record, G: Description, Y: Numbers) -> None:
    """Write rates and outputs to Y; rates of joint velocities are their tangents along the motion, in D."""
    for k in range(int(G.states)):
        Y[k] = R.x_dot[k]
    for k in range(N_OUTPUTS):
        Y[int(G.states) + k] = R.outputs[k]
    for k in range(NX):
        D.x[k] = R.x_dot[k]
    D.time = 1.0
    derive_d(R, D)
    for k in range(NV):
        Y[NQ + k] = D.u[k]


def inverse_mass(R: Record, F: Record, S: Numbers, W: Numbers, first: int) -> None:
    """Write the inverse of the mass matrix to W, row by row: its columns are the joint velocities by unit momenta.

    S contains these momenta from `first` on, in groups of as many as there are lanes.
    """
    for k in range(NX):
        F.x[k] = 0.0
    for j in range(NV):
        group = j // LANES
        lane = j - group * LANES
        if lane == 0:
            for k in range(NV):
                F.p[k] = S[first + group * NV + k]
            derive_d(R, F)
        for k in range(NV):
            W[k * NV + j] = lane_of(F, F.u.address + k, lane)


def METHOD_map_jacobian(
    R: Record,
    D: Record,
    U: Inputs,
    G: Description,
    X: Numbers,
    S: Numbers,
    Y: Numbers,
    h: float,
    steps: int,
    groups: int,
) -> None:
    """Write what METHOD_map computes, the states and outputs after `steps` steps, and its tangents, to Y."""
    states = int(G.states)
    for group in range(groups):
        set_arguments_d(R, D, G, X, S, group)
        time = X[0]
        normalise_d(R, D)
        if G.of_velocities > 0.0:
            momenta_d(R, D)
        R.side = nearness(time, h)
        evaluate_d(R, D, U)
        for step in range(steps):
            METHOD_advance_d(R, D, U, time + step * h, h)
            normalise_d(R, D)
            R.time = time + (step + 1) * h
            evaluate_d(R, D, U)
        outputs_d(R, D)
        place = (1 + group) * (states + N_OUTPUTS)
        for k in range(states):
            Y[k] = R[int(G.places[1 + k])]
            Y[place + k] = D[int(G.places[1 + k])]
        for k in range(N_OUTPUTS):
            Y[states + k] = R.outputs[k]
            Y[place + states + k] = D.outputs[k]
