"""Rates, outputs and maps of steps as functions of time, states, inputs and parameters. Modules contain copies.

R is the record, and U contains the tables of inputs. X contains time, states, inputs and parameters, Y the results. G
describes X (`schema.Description`): it has the lengths, the address in the record of each number of X, and
`of_velocities`, which is 1 if the states contain joint velocities instead of momenta. D is a record of tangents.
"""

from __future__ import annotations

from ...kernels.constants import OK
from ...kernels.linked import derive, derive_d, evaluate, momenta, normalise, outputs, prepare
from ...record.fields import Numbers
from ...record.schema import N_OUTPUTS, NQ, NV, NX, Description, Inputs, Record
from ..stepping.clock import nearness
from ..stepping.drivers import METHOD_advance


def set_arguments(R: Record, G: Description, X: Numbers) -> int:
    """Write X to the record; return OK, or 1 + the index of the failed check of `prepare`."""
    for k in range(int(G.count)):
        R[int(G.places[k])] = X[k]
    if G.prepares > 0.0:
        return prepare(R)
    return OK


def rates_and_outputs(R: Record, D: Record, G: Description, X: Numbers, Y: Numbers) -> int:
    """Write the rates of the states, then the outputs, to Y; return the status of `set_arguments`.

    Rates of joint velocities are their tangents along the motion. D is workspace with zeros at the first call.
    """
    status = set_arguments(R, G, X)
    if status != OK:
        return status
    if G.of_velocities > 0.0:
        momenta(R)
    derive(R)
    outputs(R)
    for k in range(int(G.states)):
        Y[k] = R.x_dot[k]
    for k in range(N_OUTPUTS):
        Y[int(G.states) + k] = R.outputs[k]
    if G.of_velocities > 0.0:
        for k in range(NX):
            D.x[k] = R.x_dot[k]
        D.time = 1.0
        derive_d(R, D)
        for k in range(NV):
            Y[NQ + k] = D.u[k]
    return OK


def METHOD_map(R: Record, U: Inputs, G: Description, X: Numbers, Y: Numbers, h: float, steps: int) -> int:
    """Write the states after `steps` steps of size h, then the outputs there, to Y.

    Return the status of `set_arguments`. The steps are those of METHOD_fixed.
    """
    status = set_arguments(R, G, X)
    if status != OK:
        return status
    time = X[0]
    normalise(R)
    if G.of_velocities > 0.0:
        momenta(R)
    R.side = nearness(time, h)
    evaluate(R, U)
    for step in range(steps):
        METHOD_advance(R, U, time + step * h, h)
        normalise(R)
        R.time = time + (step + 1) * h
        evaluate(R, U)
    outputs(R)
    for k in range(int(G.states)):
        Y[k] = R[int(G.places[1 + k])]
    for k in range(N_OUTPUTS):
        Y[int(G.states) + k] = R.outputs[k]
    return OK
