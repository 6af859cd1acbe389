"""Rates, outputs and maps of steps as functions of time, states, inputs and parameters. Modules contain copies.

X contains these numbers, Y the results. G describes them: the number of X, the number of states, 1 if constants follow
from the parameters in X, 1 if the states contain joint velocities and 0 if they contain momenta; then the addresses of
the numbers in X, the states after the time.
"""

from __future__ import annotations

from ...kernels.declarations import Record
from ...kernels.linked import derive, derive_d, evaluate, momenta, normalise, outputs, prepare
from ...kernels.names import F0, N_OUTPUTS, NQ, NV, NX, OK, OUTPUTS, RATES, SIDE, TIME, X0
from ..stepping.clock import nearness
from ..stepping.drivers import METHOD_advance

COUNT = 0  #: index in G of the number of X
N_STATES = 1
PREPARES = 2
OF_VELOCITIES = 3
PLACES = 4  #: first address
DESCRIPTION = ("COUNT", "N_STATES", "PREPARES", "OF_VELOCITIES", "PLACES")  #: names of the indices in G


def give(R: Record, G: Record, X: Record) -> int:
    """Write X to the record; return OK, or 1 + the index of the failed check of `prepare`."""
    for k in range(int(G[COUNT])):
        R[int(G[PLACES + k])] = X[k]
    if G[PREPARES] > 0.0:
        return prepare(R)
    return OK


def rates_and_outputs(R: Record, D: Record, G: Record, X: Record, Y: Record) -> int:
    """Compute the rates of the states, then the outputs, into Y; return the status of `give`.

    Rates of joint velocities are the tangents of these along the motion.
    """
    status = give(R, G, X)
    if status != OK:
        return status
    if G[OF_VELOCITIES] > 0.0:
        momenta(R)
    derive(R)
    outputs(R)
    for k in range(int(G[N_STATES])):
        Y[k] = R[F0 + k]
    for k in range(N_OUTPUTS):
        Y[int(G[N_STATES]) + k] = R[OUTPUTS + k]
    if G[OF_VELOCITIES] > 0.0:
        for k in range(NX):
            D[X0 + k] = R[F0 + k]
        D[TIME] = 1.0
        derive_d(R, D)
        for k in range(NV):
            Y[NQ + k] = D[RATES + k]
    return OK


def METHOD_map(R: Record, U: Record, G: Record, X: Record, Y: Record, h: float, steps: int) -> int:
    """Compute the states after `steps` steps of size h, then the outputs there, into Y; return the status of `give`.

    The steps are those of METHOD_fixed.
    """
    status = give(R, G, X)
    if status != OK:
        return status
    time = X[0]
    normalise(R)
    if G[OF_VELOCITIES] > 0.0:
        momenta(R)
    R[SIDE] = nearness(time, h)
    evaluate(R, U)
    for step in range(steps):
        METHOD_advance(R, U, time + step * h, h)
        normalise(R)
        R[TIME] = time + (step + 1) * h
        evaluate(R, U)
    outputs(R)
    for k in range(int(G[N_STATES])):
        Y[k] = R[int(G[PLACES + 1 + k])]
    for k in range(N_OUTPUTS):
        Y[int(G[N_STATES]) + k] = R[OUTPUTS + k]
    return OK
