"""Runs of fixed steps with inputs that are constant in each step, and their adjoints. Modules contain copies.

R, U, X and G are those of values.py, but U contains no tables, and the inputs in X are ignored. N contains the inputs
of all steps, a row for each. T contains the state at the beginning of each step and at the end, NX numbers each, with
normalised quaternions. Y has a row for each of these times: the states as in X, then the outputs. The outputs at the
beginning of a step are those with its inputs; at the end of the run they are those with the inputs of the last step.

W contains weights of the numbers of Y. B contains the adjoints of the numbers of a record: the derivatives of the
weighted sum of Y with respect to them. The functions rates_b, rows_b, momenta_b, normalise_b and constants_b are
generated for each model. They take the adjoints of results from B, leave zeros there, and add to the adjoints of
arguments (adjoint_hooks.py).
"""

from __future__ import annotations

from ...kernels.constants import OK
from ...kernels.linked import derive, evaluate, momenta, normalise, outputs
from ...record.fields import Array, Numbers
from ...record.schema import N_INPUTS, N_OUTPUTS, NX, Description, Inputs, Record
from ..stepping.clock import nearness
from ..stepping.drivers import METHOD_advance
from .adjoint_hooks import constants_b, momenta_b, normalise_b, rates_b, rows_b
from .values import set_arguments


def take_step_inputs(R: Record, N: Numbers, step: int) -> None:
    """Write the inputs of a step to the record."""
    for k in range(N_INPUTS):
        R.inputs[k] = N[step * N_INPUTS + k]


def write_step(R: Record, G: Description, T: Numbers, Y: Numbers, row: int) -> None:
    """Compute the outputs; write the state to row `row` of T, states and outputs to row `row` of Y."""
    outputs(R)
    states = int(G.states)
    for k in range(NX):
        T[row * NX + k] = R.x[k]
    for k in range(states):
        Y[row * (states + N_OUTPUTS) + k] = R[int(G.places[1 + k])]
    for k in range(N_OUTPUTS):
        Y[row * (states + N_OUTPUTS) + states + k] = R.outputs[k]


def METHOD_rollout(
    R: Record, U: Inputs, G: Description, X: Numbers, N: Numbers, T: Numbers, Y: Numbers, h: float, steps: int
) -> int:
    """Make `steps` steps of size h; fill T and Y; return the status of `set_arguments`.

    The steps are those of METHOD_fixed.
    """
    status = set_arguments(R, G, X)
    if status != OK:
        return status
    time = X[0]
    take_step_inputs(R, N, 0)
    normalise(R)
    if G.of_velocities > 0.0:
        momenta(R)
    R.side = nearness(time, h)
    evaluate(R, U)
    write_step(R, G, T, Y, 0)
    for step in range(steps):
        METHOD_advance(R, U, time + step * h, h)
        normalise(R)
        R.time = time + (step + 1) * h
        if step + 1 < steps:
            take_step_inputs(R, N, step + 1)
        evaluate(R, U)
        write_step(R, G, T, Y, step + 1)
    return OK


def weigh_row(R: Record, B: Record, G: Description, W: Numbers, row: int) -> None:
    """Add the share of a row of Y in the weighted sum to the adjoints of state, inputs, parameters and constants."""
    states = int(G.states)
    for k in range(states):
        B[int(G.places[1 + k])] += W[row * (states + N_OUTPUTS) + k]
    for k in range(N_OUTPUTS):
        B.outputs[k] += W[row * (states + N_OUTPUTS) + states + k]
    rows_b(R, B)


def repeat_stages(R: Record, K: Numbers, S: Numbers, T: Numbers, row: int, time: float, h: float) -> None:
    """Repeat a step from the state in row `row` of T, and leave its end in the state, not normalised.

    K is the tableau: the number of stages s, then c, b and the s rows of a, each with s numbers. S receives the states
    of the stages, then the rates of the stages.
    """
    s = int(K[0])
    for stage in range(s):
        for k in range(NX):
            x = 0.0
            for j in range(stage):
                x += K[1 + 2 * s + stage * s + j] * S[(s + j) * NX + k]
            R.x[k] = T[row * NX + k] + h * x
            S[stage * NX + k] = R.x[k]
        begin_stage(R, K, stage, time, h)
        derive(R)
        copy_across(R, R.x_dot.address, S, (s + stage) * NX, NX)
    for k in range(NX):
        x = 0.0
        for j in range(s):
            x += K[1 + s + j] * S[(s + j) * NX + k]
        R.x[k] = T[row * NX + k] + h * x


def begin_stage(R: Record, K: Numbers, stage: int, time: float, h: float) -> None:
    """Set time and R.side to those of a stage of a step from `time`, as `METHOD_advance` does."""
    R.time = time + K[1 + stage] * h
    R.side = nearness(time, h) if stage == 0 else -nearness(time, h)


def copy_across(R: Array, source: int, S: Numbers, target: int, size: int) -> None:
    """Copy `size` numbers from index `source` of R on to index `target` of S on."""
    for k in range(size):
        S[target + k] = R[source + k]


def step_b(R: Record, B: Record, K: Numbers, S: Numbers, T: Numbers, row: int, time: float, h: float) -> None:
    """Turn adjoints of the state after a step into adjoints of the state before it, which is in row `row` of T.

    Adds to the adjoints of inputs, parameters and constants. S is workspace for stages and rates as in `repeat_stages`,
    then for one state.
    """
    repeat_stages(R, K, S, T, row, time, h)
    normalise_b(R, B)
    s = int(K[0])
    for k in range(NX):
        for stage in range(s):  # adjoints of the stages' rates take the place of these
            S[(s + stage) * NX + k] = h * K[1 + s + stage] * B.x[k]
        S[2 * s * NX + k] = B.x[k]
    for stage in range(s - 1, -1, -1):
        for k in range(NX):
            R.x[k] = S[stage * NX + k]
            B.x[k] = 0.0
            B.x_dot[k] = S[(s + stage) * NX + k]
        begin_stage(R, K, stage, time, h)
        rates_b(R, B)
        for k in range(NX):
            S[2 * s * NX + k] += B.x[k]
            for j in range(stage):
                S[(s + j) * NX + k] += h * K[1 + 2 * s + stage * s + j] * B.x[k]
    copy_across(S, 2 * s * NX, B, B.x.address, NX)


def rollout_b(
    R: Record, B: Record, K: Numbers, S: Numbers, G: Description, X: Numbers, N: Numbers, T: Numbers, W: Numbers,
    V: Numbers, h: float, steps: int,
) -> int:  # fmt: skip
    """Write the adjoints of the states at the start, of all inputs, step by step, and of the parameters to V.

    B and V contain zeros at the call. Returns the status of `set_arguments`.
    """
    status = set_arguments(R, G, X)
    if status != OK:
        return status
    time, states = X[0], int(G.states)
    for row in range(steps, -1, -1):
        step = min(row, steps - 1)  # the outputs at the end have the inputs of the last step
        if row < steps:
            take_step_inputs(R, N, row)
            step_b(R, B, K, S, T, row, time + row * h, h)
        else:
            take_step_inputs(R, N, step)
        copy_across(T, row * NX, R, R.x.address, NX)
        R.time = time + row * h
        R.side = nearness(R.time, h)
        weigh_row(R, B, G, W, row)
        for k in range(N_INPUTS):
            V[states + step * N_INPUTS + k] += B.inputs[k]
            B.inputs[k] = 0.0
    start_b(R, B, G, X)
    for k in range(states):
        V[k] = B[int(G.places[1 + k])]
    for k in range(int(G.count) - 1 - states - N_INPUTS):
        V[states + steps * N_INPUTS + k] = B[int(G.places[1 + states + N_INPUTS + k])]
    return OK


def start_b(R: Record, B: Record, G: Description, X: Numbers) -> None:
    """Turn adjoints of the state at the start into those of the states in X, adjoints of constants into parameters'."""
    states = int(G.states)
    for k in range(states):
        R[int(G.places[1 + k])] = X[1 + k]
    normalise(R)
    if G.of_velocities > 0.0:
        momenta_b(R, B)
    for k in range(states):
        R[int(G.places[1 + k])] = X[1 + k]
    normalise_b(R, B)
    constants_b(R, B)
