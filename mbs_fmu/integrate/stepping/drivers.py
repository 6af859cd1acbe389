"""The drivers: time loops with fixed steps. Every generated module contains copies of these functions.

Upper-case names are constants of the generated module (compile/text/module.py); `derive` and `outputs` are functions
that are generated for the model. Functions METHOD_... are copied once for each method, whose name replaces METHOD.
Functions that only some methods or models have are hooks (kernels/hook_table.py). The functions here allocate nothing
and raise nothing; those that can fail return a `codes.Status`. Steps with error control are in adaptive.py.
"""

from __future__ import annotations

import numpy as np

from ...kernels.constants import (
    ALL_FRESH,
    BUDGET,
    DERIVATIVES_FRESH,
    FAILED_CHECK,
    FAILED_START_CHECK,
    GIMBAL_LOCK,
    NO_DIRECTION,
    NO_INERTIA,
    NON_FINITE,
    OK,
    RATES_FRESH,
    SINGULAR_POSITION,
    STALE,
    STEP_NOT_FELT,
    STEP_TOO_SMALL,
)
from ...kernels.hook_table import Condition, hook
from ...kernels.hooks import failure_status, find_feet, singular_loop, start_elastic, start_instants, start_samples
from ...kernels.library import common, integer, interpolate_beside
from ...kernels.linked import check_start, derive, derive_d, momenta, momenta_d, outputs, outputs_d, prepare, starts
from ...kernels.tolerances import SINGULAR_PIVOT
from ...record.fields import Numbers, Vector
from ...record.schema import (
    COLUMNS,
    FIRST_P,
    LOCKED,
    N_COLUMNS,
    N_HISTORY_VECTORS,
    N_INPUTS,
    N_LOCKS,
    N_OUTPUTS,
    N_QUATERNIONS,
    NV,
    NX,
    QUATERNIONS,
    Inputs,
    Record,
)
from .clock import is_lost, near_step, nearness, state_span
from .hooks import METHOD_before_finish, METHOD_enter, METHOD_jacobian, METHOD_leave, METHOD_stages


def evaluate(R: Record, U: Inputs) -> None:
    """Interpolate inputs that have tables in U, then compute all rates at the present state.

    In FMUs only inputs with derivatives have tables. R.side states which limit is taken where inputs, or conditions on
    time, jump.
    """
    for k in range(N_INPUTS):
        points = int(common(U.tables[k].points))
        if points > 0:
            R.inputs[k] = interpolate_beside(U, int(common(U.tables[k].first)), points, R.time, R.side)
    derive(R)
    R.evaluations += 1.0


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def prepare_step(R: Record, U: Inputs, h: float, controlled: bool) -> int:
    """Prepare an accepted state for a step of size h, with error control if `controlled`; return a status."""
    if R.fresh == STALE:
        evaluate(R, U)
        R.fresh = RATES_FRESH
    return check_gimbal_lock(R, h)


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def start_means(R: Record) -> None:
    """Start mean forces at the present time: models without closed loops or requested drive forces have none."""


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def completed(R: Record, U: Inputs) -> int:
    """Check and correct the state at the end of a step that an importer has made; return a status."""
    return check_gimbal_lock(R, 0.0)


def check_gimbal_lock(R: Record, h: float) -> int:
    """Return OK, or a failure if a joint of three angles is in gimbal lock or has passed it since the last check."""
    for k in range(N_LOCKS):
        s = np.sin(R[LOCKED[k]] + R.gimbal_locks[k].offset)
        side = 1.0 if s > 0.0 else -1.0
        if abs(s) < 1.0e-6 or R.gimbal_locks[k].side == -side:
            return fail(R, LOCKED[k] - R.x.address, h, GIMBAL_LOCK)
        R.gimbal_locks[k].side = side
    return OK


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def evaluate_between(R: Record, U: Inputs) -> None:
    """Compute all rates at a state interpolated within a step."""
    evaluate(R, U)


def rates(R: Record, U: Inputs) -> None:
    """Compute the derivatives of the state unless they are up to date."""
    if R.fresh == STALE:
        evaluate(R, U)
        R.u_old[:] = R.u
        R.fresh = DERIVATIVES_FRESH


def tangent(R: Record, D: Record) -> None:
    """Compute rates and outputs with their tangents; expects tangents of state, time, inputs and parameters in D."""
    derive_d(R, D)
    outputs_d(R, D)


def start_tangent(R: Record, D: Record) -> None:
    """Compute what `tangent` computes, before the start: from tangents of q and u instead of q and p."""
    momenta_d(R, D)
    tangent(R, D)


def refresh(R: Record, U: Inputs) -> None:
    """Compute rates and outputs of the present state unless they are up to date.

    R.fresh states which of them are (`record.codes.Fresh`).
    """
    if R.fresh != ALL_FRESH:
        if R.fresh != RATES_FRESH:
            evaluate(R, U)
        outputs(R)
        R.fresh = ALL_FRESH


def normalise(R: Record) -> None:
    """Normalise quaternions; called after every accepted step."""
    for k in range(N_QUATERNIONS):
        e = R.at(QUATERNIONS[k])
        norm = np.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
        for j in range(4):
            e[j] = e[j] / norm


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def initialise(R: Record) -> int:
    """Initialise the record from its parameters and start values; return a status, with the failed check in R.fault."""
    R.fresh = STALE
    R.step = R.steps = R.rejected = R.evaluations = R.jacobians = R.failed_step = R.ahead = 0.0
    R.last_error = 1.0e-4
    if N_HISTORY_VECTORS > 0:
        R.history.count = 0.0
    starts(R)
    for k in range(N_QUATERNIONS):
        e = R.at(QUATERNIONS[k])
        if not e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] > 1.0e-12:
            R.fault = k
            return NO_DIRECTION
    R.fault = prepare(R) - 1
    if R.fault >= 0.0:
        return FAILED_CHECK
    normalise(R)
    momenta(R)
    find_feet(R)
    R.fault = check_start(R) - 1
    if R.fault >= 0.0:
        return FAILED_START_CHECK
    for k in range(N_LOCKS):
        R.gimbal_locks[k].side = 0.0
    status = start_elastic(R)
    if status == OK:
        status = check_gimbal_lock(R, 0.0)
    if status != OK:
        return status
    find_feet(R)  # modes of elastic bodies may have moved them
    R.fault = lost_motion(R)
    start_instants(R)
    start_samples(R)
    return NO_INERTIA if R.fault >= 0.0 else OK


def lost_motion(R: Record) -> int:
    """Return the index of the state component whose motion moves no inertia, or -1.

    The check converts velocities of order one to momenta and back. If they do not agree to three digits, it returns the
    component with the smallest diagonal entry of the mass matrix.
    """
    R.u_old[:] = R.u
    R.work[0, :NV] = R.p
    for k in range(NV):
        R.u[k] = np.cos(k)
    momenta(R)
    derive(R)
    lost = False
    for k in range(NV):
        lost = lost or not abs(R.u[k] - np.cos(k)) < 1.0e-3
    component = -1
    if lost:
        smallest = np.inf
        for k in range(NV):
            for j in range(NV):
                R.u[j] = 1.0 if j == k else 0.0
            momenta(R)
            if R.p[k] < smallest:
                component = FIRST_P + k
                smallest = R.p[k]
    R.u[:] = R.u_old
    R.p[:] = R.work[0, :NV]
    return component


def finite(R: Record, numbers: Vector, size: int) -> int:
    """Return the index of the first of `size` numbers that is not finite, or -1."""
    total = 0.0
    for k in range(size):
        total += 0.0 * numbers[k]
    if total == 0.0:
        return -1
    for k in range(size):
        if 0.0 * numbers[k] != 0.0:
            return k
    return -1


def copy(R: Record, source: Vector, target: Vector, size: int) -> None:
    """Copy the first `size` numbers of `source` to `target`."""
    for k in range(size):
        target[k] = source[k]


def fail(R: Record, fault: int, step: float, status: int) -> int:
    """Record a failure: `fault`, the present time, and the size `step` of the step; return the status.

    `fault` is an index, whose kind depends on the status: state component (or NX plus that of an output), quaternion,
    check, loop or event.
    """
    R.fault = fault
    R.fault_time = R.time
    R.failed_step = step
    R.fresh = STALE
    return failure_status(R, status)


def fail_from(R: Record, U: Inputs, fault: int, step: float, near: float, status: int) -> int:
    """Call `fail` for a step from the present state; if the checks of a start fail there, use their status instead.

    A step that became too small in a singular position of a loop has a status of its own.

    `near` is the step size within which these checks look for a failure.
    """
    R.failed_step = near
    evaluate(R, U)
    check = check_start(R) - 1
    if check >= 0:
        return fail(R, check, step, FAILED_START_CHECK)
    loop = singular_loop(R, SINGULAR_PIVOT)
    if status == STEP_TOO_SMALL and loop >= 0:
        return fail(R, loop, step, SINGULAR_POSITION)
    return fail(R, fault, step, status)


def restore_call_start(R: Record, time: float, status: int) -> int:
    """Restore the state in `rollback` and the time at the beginning of a call, which has failed; return the status."""
    R.x[:] = R.rollback
    R.time = time
    R.fresh = STALE
    return status


def finish_call(R: Record, U: Inputs, beginning: float, h: float, controlled: bool) -> int:
    """Compute rates and outputs at the end of a call that began at time `beginning`; return a status.

    An output that is not finite is a failure. `h` and `controlled` are as in `prepare_step`.
    """
    status = prepare_outputs(R, U, h, controlled)
    if status != OK:
        return restore_call_start(R, beginning, status)
    refresh(R, U)
    return check_outputs(R, beginning, h)


@hook(Condition.LANES, "mbs_fmu.integrate.lanes.projections")
def prepare_outputs(R: Record, U: Inputs, h: float, controlled: bool) -> int:
    """Prepare a state as `prepare_step` does, for a step and for outputs; return a status."""
    return prepare_step(R, U, h, controlled)


def check_outputs(R: Record, beginning: float, h: float) -> int:
    """Return OK, or a failure if an output is not finite, after `restore_call_start` with the time `beginning`."""
    fault = finite(R, R.outputs, N_OUTPUTS)
    if fault >= 0:
        return restore_call_start(R, beginning, fail(R, NX + fault, h, NON_FINITE))
    return OK


def equal_steps(start: float, stop: float, step: float) -> int:
    """Return the number of equal steps of at most `step` in an interval.

    Rounding of large times does not add a step, so that equal intervals have equal steps.
    """
    rounding = 8.9e-16 * max(abs(start), abs(stop))
    return max(1, int(min(9.0e15, np.ceil((stop - start - rounding) / step * (1.0 - 1.0e-12)))))


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.gauss")
@hook(Condition.METHOD, "mbs_fmu.integrate.methods.multistep")
def METHOD_step_to(R: Record, U: Inputs, time: float, h: float, end: float) -> int:
    """Make one step of METHOD from `time` to `end`, of size h; return a status. A failure leaves the state invalid."""
    R.side = near_step(R, U, time, h)
    status = prepare_step(R, U, h, False)
    if status != OK:
        return status
    fault = finite(R, R.x_dot, NX)
    if fault >= 0:
        return fail_from(R, U, fault, h, h, NON_FINITE)
    METHOD_jacobian(R, U)
    METHOD_advance(R, U, time, h)
    fault = finite(R, R.x, NX)
    if fault >= 0:
        R.time = time
        R.x[:] = R.step_start
        return fail_from(R, U, fault, h, 0.1 * h, NON_FINITE)
    normalise(R)
    R.time = end
    R.steps += 1.0
    R.fresh = STALE
    return OK


def METHOD_advance(R: Record, U: Inputs, time: float, h: float) -> None:
    """Advance the state by a step of METHOD of size h from `time`, not normalised; expects the rates at its beginning.

    Where inputs or conditions on time jump, the rates at either end are the limits from inside of the step.
    """
    R.step_start[:] = R.x
    R.stages[0] = R.x_dot
    R.side = -near_step(R, U, time, h)
    METHOD_stages(R, U, time, h)
    R.side = -R.side


@hook(Condition.CROSSINGS, "mbs_fmu.integrate.stepping.importers")
def METHOD_fixed(R: Record, U: Inputs, stop: float, step: float, budget: int) -> int:
    """Make equal steps of METHOD of at most the size `step` to time `stop` (`equal_steps`); return a status.

    After a failure the state at the beginning of the call is restored. If `budget` is positive, the call ends behind
    `budget` steps; the status BUDGET then means that more calls are needed.
    """
    start_means(R)
    R.rollback[:] = R.x
    start = R.time
    return METHOD_onward(R, U, start, stop, state_span(R, stop - start), step, budget)


def METHOD_onward(R: Record, U: Inputs, start: float, stop: float, span: float, step: float, budget: int) -> int:
    """Make the remaining steps of METHOD_fixed, or some of them; return a status.

    Earlier calls may have made some of the steps from `start` on. Step sizes and times follow from the whole interval,
    over which the state advances by `span`; they do not depend on the number of calls. `step` and `budget` are as in
    METHOD_fixed.
    """
    n = integer(equal_steps(start, stop, step))
    h = span / n
    if is_lost(h, start, stop):
        return restore_call_start(R, start, fail(R, 0, step, STEP_NOT_FELT))
    METHOD_enter(R, U, stop, h)
    begun = R.steps
    k = int((R.time - start) / h + 0.5)
    while k < n:
        if 0 < budget <= R.steps - begun:
            METHOD_leave(R, U, h)
            return BUDGET
        status = METHOD_step_to(R, U, start + k * h, h, stop if k == n - 1 else start + (k + 1) * h)
        if status != OK:
            return restore_call_start(R, start, status)
        k += 1
    return METHOD_finish(R, U, start, h)


def METHOD_finish(R: Record, U: Inputs, start: float, h: float) -> int:
    """End a call with fixed steps of size h, which began at time `start`; return a status."""
    METHOD_before_finish(R, U, h)
    status = finish_call(R, U, start, h, False)
    if status == OK:
        METHOD_leave(R, U, h)
    return status


def record(R: Record, Y: Numbers, row: int) -> None:
    """Copy the result columns of the present state into row `row` of Y."""
    Y[row * N_COLUMNS] = R.time
    for k in range(1, N_COLUMNS):
        Y[row * N_COLUMNS + k] = R[int(COLUMNS[k])]


def output_time(U: Inputs, row: int) -> float:
    """Return the time of result row `row`, from the numbers of U between the entries and the points of its tables."""
    return U.stop if row >= U.rows - 1.0 else U.start + row * U.interval


@hook(Condition.CROSSINGS, "mbs_fmu.integrate.stepping.watched_runs")
def METHOD_run_fixed(R: Record, U: Inputs, Y: Numbers, row: int, step: float, budget: int) -> int:
    """Make fixed steps of METHOD through the output times from row `row` on.

    Returns the number of rows written by this and earlier calls, or -1 - status. If `budget` is positive, it returns
    after `budget` steps and rows, possibly between two rows; the next call continues there.
    """
    rows = int(U.rows)
    done = 0
    if row == 0:
        R.side = nearness(R.time, step)
    while row < rows:
        if 0 < budget <= done:
            return row
        start = common(output_time(U, row - 1) if row > 0 else R.time)
        stop = common(output_time(U, row))
        before = R.steps
        if R.time == start:
            refresh(R, U)
            start_means(R)
            R.rollback[:] = R.x
        if stop > R.time:
            status = METHOD_onward(R, U, start, stop, stop - start, step, budget - done if budget > 0 else 0)
            if status == BUDGET:
                return row
            if status != OK:
                R.done = row
                return -1 - status
        record(R, Y, row)
        row += 1
        done += int(R.steps - before) + 1
    return row
