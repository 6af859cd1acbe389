"""Runs of fixed steps of models with closed loops in minimal coordinates, and their gradients. Modules contain copies.

R, Z, D, S, E, F, G and X are those of closed.py; X contains the arguments at the start and then those of each
evaluation. W is the workspace of closed.py; in `closed_gradient` and `add_shares`, W are the weights of the numbers of
Y. K is the tableau of the explicit Runge-Kutta method: the number of stages s, then c, b and the s rows of a. N
contains the inputs of all steps, a row for each. Y has a row for the beginning of each step and for the end: the
states, then the outputs; those at the end are outputs with the inputs of the last step.

B contains a block for each evaluation, the stages of all steps in their order and the end: rates and outputs, then
their tangents along `count` numbers of X. Of the stages, only the first one of each step has outputs.
"""

from __future__ import annotations

from ...kernels.constants import OK
from ...record.fields import Numbers
from ...record.schema import N_INPUTS, N_OUTPUTS, ClosedDescription, Record
from ..stepping.clock import nearness
from .closed import closed_jacobian, closed_rates


def begin_step(
    G: ClosedDescription, K: Numbers, X: Numbers, B: Numbers, Y: Numbers, h: float, step: int, size: int
) -> None:
    """Write the states at the beginning of a step to Y, from the stages of the step before.

    `size` is the length of a block in B.
    """
    states, s = int(G.states), int(K[0])
    width = states + N_OUTPUTS
    for k in range(states):
        if step == 0:
            Y[k] = X[1 + k]
        else:
            rate = 0.0
            for j in range(s):
                rate += K[1 + s + j] * B[((step - 1) * s + j) * size + k]
            Y[step * width + k] = Y[(step - 1) * width + k] + h * rate


def set_stage_arguments(
    R: Record, G: ClosedDescription, K: Numbers, X: Numbers, B: Numbers, Y: Numbers, time: float, h: float,
    step: int, stage: int, size: int,
) -> None:  # fmt: skip
    """Write time and states of a stage to X; set R.side, by which jumps in time are read. `time`: start of the run."""
    states, s = int(G.states), int(K[0])
    X[0] = time + (step + K[1 + stage]) * h
    R.side = nearness(X[0], h) if stage == 0 else -nearness(X[0], h)
    for k in range(states):
        rate = 0.0
        for j in range(stage):
            rate += K[1 + 2 * s + stage * s + j] * B[(step * s + j) * size + k]
        X[1 + k] = Y[step * (states + N_OUTPUTS) + k] + h * rate


def take_inputs(G: ClosedDescription, X: Numbers, N: Numbers, step: int) -> None:
    """Write the inputs of a step to X."""
    for k in range(N_INPUTS):
        X[1 + int(G.states) + k] = N[step * N_INPUTS + k]


def write_outputs(G: ClosedDescription, B: Numbers, Y: Numbers, place: int, step: int) -> None:
    """Write the outputs at the beginning of a step to Y, from the block at `place` in B."""
    states = int(G.states)
    for k in range(N_OUTPUTS):
        Y[step * (states + N_OUTPUTS) + states + k] = B[place + states + k]


def closed_rollout(
    R: Record, Z: Record, D: Record, G: ClosedDescription, K: Numbers, X: Numbers, N: Numbers, B: Numbers,
    Y: Numbers, h: float, steps: int,
) -> int:  # fmt: skip
    """Make `steps` steps of size h: write states and outputs to Y; return the status of the last evaluation."""
    time, s, size = X[0], int(K[0]), int(G.states) + N_OUTPUTS
    for step in range(steps + 1):
        begin_step(G, K, X, B, Y, h, step, size)
        if step < steps:
            take_inputs(G, X, N, step)
        for stage in range(s if step < steps else 1):
            set_stage_arguments(R, G, K, X, B, Y, time, h, step, stage, size)
            status = closed_rates(R, Z, D, G, X, B, (step * s + stage) * size, stage == 0)
            if status != OK:
                return status
        write_outputs(G, B, Y, step * s * size, step)
    return OK


def closed_rollout_jacobians(
    R: Record, Z: Record, S: Record, D: Record, E: Record, F: Record, W: Numbers, G: ClosedDescription, K: Numbers,
    X: Numbers, N: Numbers, B: Numbers, Y: Numbers, h: float, steps: int, count: int,
) -> int:  # fmt: skip
    """Make the steps of `closed_rollout`, with tangents in B; return the status of the last evaluation."""
    time, s, size = X[0], int(K[0]), (1 + count) * (int(G.states) + N_OUTPUTS)
    for step in range(steps + 1):
        begin_step(G, K, X, B, Y, h, step, size)
        if step < steps:
            take_inputs(G, X, N, step)
        for stage in range(s if step < steps else 1):
            set_stage_arguments(R, G, K, X, B, Y, time, h, step, stage, size)
            place = (step * s + stage) * size
            status = closed_jacobian(R, Z, S, D, E, F, W, G, X, B, place, count, stage == 0)
            if status != OK:
                return status
        write_outputs(G, B, Y, step * s * size, step)
    return OK


def closed_gradient(
    G: ClosedDescription, K: Numbers, B: Numbers, W: Numbers, Q: Numbers, V: Numbers, h: float, steps: int, count: int
) -> None:
    """Compute the adjoints of the states at the start, of all inputs, step by step, and of the parameters, into V.

    They are derivatives of the sum of the numbers of Y with the weights W. V contains zeros at the call. Q receives the
    adjoints of the rates of each stage.
    """
    states, s = int(G.states), int(K[0])
    for step in range(steps, -1, -1):
        for k in range(states):
            for stage in range(s):
                Q[stage * states + k] = h * K[1 + s + stage] * V[k]
            V[k] += W[step * (states + N_OUTPUTS) + k]
        for stage in range((s if step < steps else 1) - 1, -1, -1):
            add_shares(G, K, B, W, Q, V, h, steps, count, step, stage)


def add_shares(
    G: ClosedDescription, K: Numbers, B: Numbers, W: Numbers, Q: Numbers, V: Numbers, h: float, steps: int,
    count: int, step: int, stage: int,
) -> None:  # fmt: skip
    """Add the shares of a stage to the adjoints of the state before the step, of earlier stages, inputs and parameters.

    At the end there are outputs only.
    """
    states, s = int(G.states), int(K[0])
    width = states + N_OUTPUTS
    for j in range(count):
        place = ((step * s + stage) * (1 + count) + 1 + j) * width
        share = 0.0
        for k in range(states if step < steps else 0):
            share += Q[stage * states + k] * B[place + k]
        for k in range(N_OUTPUTS if stage == 0 else 0):
            share += W[step * width + states + k] * B[place + states + k]
        if j < states:
            V[j] += share
            for earlier in range(stage):
                Q[earlier * states + j] += h * K[1 + 2 * s + stage * s + earlier] * share
        elif j < states + N_INPUTS:
            V[states + min(step, steps - 1) * N_INPUTS + j - states] += share
        else:
            V[steps * N_INPUTS + j - N_INPUTS] += share
