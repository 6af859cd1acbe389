"""Runs of fixed steps with inputs that are constant in each step, and their adjoints. Modules contain copies.

R, U, X and G are those of values.py, but U contains no tables, and the inputs in X are ignored. N contains the inputs
of all steps, a row for each. T contains the state at the beginning of each step and at the end, NX numbers each, with
normalised quaternions, and S the rates of all stages of each step. Y has a row for each time of T: the states as in X,
then the outputs. The outputs at the beginning of a step are those with its inputs; at the end of the run they are those
with the inputs of the last step.

W contains weights of the numbers of Y. B contains the adjoints of the numbers of a record: the derivatives of the
weighted sum of Y with respect to them. The functions of adjoint_hooks.py are generated for each model. They take the
adjoints of results from B, leave zeros there, and add to the adjoints of arguments; A is their workspace.

K is the tableau: the number of stages s, then c, b and the s rows of a, each with s numbers. L contains the adjoints of
the rates of the stages of a step, then those of the state at its end, and in the end at its beginning.
"""

from __future__ import annotations

from ...kernels.constants import OK
from ...kernels.linked import evaluate, momenta, normalise, outputs
from ...record.fields import Array, Numbers
from ...record.schema import N_INPUTS, N_OUTPUTS, N_QUATERNIONS, NX, Description, Inputs, Record
from ..stepping.clock import nearness
from ..stepping.drivers import METHOD_advance
from .adjoint_hooks import (
    derive_b,
    derive_kept,
    momenta_b,
    momenta_kept,
    normalise_b,
    normalise_kept,
    outputs_b,
    outputs_kept,
    prepare_b,
    prepare_kept,
)
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
    R: Record, U: Inputs, G: Description, X: Numbers, N: Numbers, T: Numbers, S: Numbers, Y: Numbers, h: float,
    steps: int, stages: int,
) -> int:  # fmt: skip
    """Make `steps` steps of size h; fill T and Y; return the status of `set_arguments`.

    The steps are those of METHOD_fixed. The rates of the first `stages` stages of each step are written to S.
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
        copy_across(R, R.stages.address, S, step * stages * NX, stages * NX)
        normalise(R)
        R.time = time + (step + 1) * h
        if step + 1 < steps:
            take_step_inputs(R, N, step + 1)
        evaluate(R, U)
        write_step(R, G, T, Y, step + 1)
    return OK


def weigh_row(R: Record, A: Numbers, B: Record, G: Description, W: Numbers, row: int) -> None:
    """Add the weights of a row of Y to the adjoints of states and of what outputs depend on, after `derive_kept`."""
    states = int(G.states)
    first = row * (states + N_OUTPUTS)
    for k in range(states):
        B[int(G.places[1 + k])] += W[first + k]
    if has_weights(W, first + states, N_OUTPUTS):
        for k in range(N_OUTPUTS):
            B.outputs[k] += W[first + states + k]
        outputs_kept(R, A)
        outputs_b(R, A, B)


def has_weights(W: Numbers, first: int, size: int) -> bool:
    """True if one of `size` numbers from W[first] on is not zero."""
    for k in range(size):  # noqa: SIM110 (kernels have no `any`)
        if W[first + k] != 0.0:
            return True
    return False


def is_used(K: Numbers, stage: int) -> bool:
    """True if the end of a step or a later stage depends on the rates of a stage."""
    s = int(K[0])
    used = K[1 + s + stage] != 0.0
    for later in range(stage + 1, s):
        used = used or K[1 + 2 * s + later * s + stage] != 0.0
    return used


def begin_stage(R: Record, K: Numbers, S: Numbers, T: Numbers, row: int, stage: int, time: float, h: float) -> None:
    """Set state, time and R.side to those of a stage of the step from row `row` of T, as METHOD_advance does."""
    s = int(K[0])
    if stage == 0:
        copy_across(T, row * NX, R, R.x.address, NX)
    else:  # one loop in place of two for the stage before
        factor, first = h * K[1 + 2 * s + stage * s + stage - 1], (row * s + stage - 1) * NX
        for k in range(NX):
            R.x[k] = T[row * NX + k] + factor * S[first + k]
    for j in range(stage - 1):
        add_stage(R, S, (row * s + j) * NX, h * K[1 + 2 * s + stage * s + j])
    R.time = time + K[1 + stage] * h
    R.side = nearness(time, h) if stage == 0 else -nearness(time, h)


def add_stage(R: Record, S: Numbers, first: int, factor: float) -> None:
    """Add a multiple of NX numbers of S to the state."""
    if factor != 0.0:
        for k in range(NX):
            R.x[k] += factor * S[first + k]


def copy_across(R: Array, source: int, S: Numbers, target: int, size: int) -> None:
    """Copy `size` numbers from index `source` of R on to index `target` of S on."""
    for k in range(size):
        S[target + k] = R[source + k]


def end_b(
    R: Record, A: Numbers, B: Record, K: Numbers, L: Numbers, S: Numbers, T: Numbers, row: int, h: float
) -> None:  # fmt: skip
    """Turn adjoints of the state after a step, in B, into those of its stages and of the state before the end, in L."""
    s = int(K[0])
    if N_QUATERNIONS > 0:
        copy_across(T, row * NX, R, R.x.address, NX)
        for j in range(s):
            add_stage(R, S, (row * s + j) * NX, h * K[1 + s + j])
        normalise_kept(R, A)
        normalise_b(R, A, B)
    for stage in range(s):
        factor = h * K[1 + s + stage]
        for k in range(NX):
            L[stage * NX + k] = factor * B.x[k]
    copy_across(B, B.x.address, L, s * NX, NX)


def step_b(
    R: Record, A: Numbers, B: Record, K: Numbers, L: Numbers, S: Numbers, G: Description, T: Numbers, W: Numbers,
    row: int, time: float, h: float,
) -> None:  # fmt: skip
    """Turn adjoints of the state after a step into adjoints of the state before it, which is in row `row` of T.

    Adds the weights of this row, and to the adjoints of inputs, parameters and constants.
    """
    end_b(R, A, B, K, L, S, T, row, h)
    s = int(K[0])
    width = int(G.states) + N_OUTPUTS
    for stage in range(s - 1, -1, -1):
        if is_used(K, stage) or (stage == 0 and has_weights(W, row * width, width)):
            begin_stage(R, K, S, T, row, stage, time, h)
            stage_b(R, A, B, L, stage, G, W, row)
            add_to_stages(B, K, L, stage, h)
    copy_across(L, s * NX, B, B.x.address, NX)


def add_to_stages(B: Record, K: Numbers, L: Numbers, stage: int, h: float) -> None:
    """Add the adjoints of the state of a stage to those of the state before the step and of the stages before."""
    s = int(K[0])
    row = 1 + 2 * s + stage * s
    if stage == 0:
        for k in range(NX):
            L[s * NX + k] += B.x[k]
    else:  # one loop in place of two for the stage before
        last = h * K[row + stage - 1]
        for k in range(NX):
            x = B.x[k]
            L[s * NX + k] += x
            L[(stage - 1) * NX + k] += last * x
    for j in range(stage - 1):
        factor = h * K[row + j]
        if factor != 0.0:
            for k in range(NX):
                L[j * NX + k] += factor * B.x[k]


def stage_b(
    R: Record, A: Numbers, B: Record, L: Numbers, stage: int, G: Description, W: Numbers, row: int
) -> None:  # fmt: skip
    """Turn adjoints of the rates of a stage into those of its state; the first stage has the weights of a row."""
    for k in range(NX):
        B.x[k] = 0.0
        B.x_dot[k] = L[stage * NX + k]
    derive_kept(R, A)
    if stage == 0:
        weigh_row(R, A, B, G, W, row)
    derive_b(R, A, B)


def rollout_b(
    R: Record, A: Numbers, B: Record, K: Numbers, L: Numbers, S: Numbers, G: Description, X: Numbers, N: Numbers,
    T: Numbers, W: Numbers, V: Numbers, h: float, steps: int,
) -> int:  # fmt: skip
    """Write the adjoints of the states at the start, of all inputs, step by step, and of the parameters to V.

    B, L and V contain zeros at the call. Returns the status of `set_arguments`.
    """
    status = set_arguments(R, G, X)
    if status != OK:
        return status
    time, states = X[0], int(G.states)
    take_step_inputs(R, N, steps - 1)  # the outputs at the end have the inputs of the last step
    copy_across(T, steps * NX, R, R.x.address, NX)
    R.time = time + steps * h
    R.side = nearness(R.time, h)
    stage_b(R, A, B, L, 0, G, W, steps)
    for row in range(steps - 1, -1, -1):
        take_step_inputs(R, N, row)
        step_b(R, A, B, K, L, S, G, T, W, row, time + row * h, h)
        for k in range(N_INPUTS):
            V[states + row * N_INPUTS + k] += B.inputs[k]
            B.inputs[k] = 0.0
    start_b(R, A, B, G, X)
    for k in range(states):
        V[k] = B[int(G.places[1 + k])]
    for k in range(int(G.count) - 1 - states - N_INPUTS):
        V[states + steps * N_INPUTS + k] = B[int(G.places[1 + states + N_INPUTS + k])]
    return OK


def start_b(R: Record, A: Numbers, B: Record, G: Description, X: Numbers) -> None:
    """Turn adjoints of the state at the start into those of the states in X, adjoints of constants into parameters'."""
    states = int(G.states)
    for k in range(states):
        R[int(G.places[1 + k])] = X[1 + k]
    normalise(R)
    if G.of_velocities > 0.0:
        momenta_kept(R, A)
        momenta_b(R, A, B)
    for k in range(states):
        R[int(G.places[1 + k])] = X[1 + k]
    normalise_kept(R, A)
    normalise_b(R, A, B)
    prepare_kept(R, A)
    prepare_b(R, A, B)
