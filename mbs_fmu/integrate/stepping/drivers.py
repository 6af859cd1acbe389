"""The drivers: time loops with fixed steps. Every generated module contains copies of these functions.

Upper-case names are constants of the generated module (compile/text/module.py); `derive` and `outputs` are functions
that are generated for the model. Functions METHOD_... are copied once for each method, whose name replaces METHOD.
Functions that only some methods or models have are hooks (kernels/hook_table.py). The functions here allocate nothing
and raise nothing; those that can fail return a `layout.Status`. Steps with error control are in adaptive.py.
"""

from __future__ import annotations

import numpy as np

from ...kernels.declarations import Record
from ...kernels.hook_table import Condition, hook
from ...kernels.hooks import has_switched, start_elastic, start_log, start_samples
from ...kernels.library import common, interpolate_beside
from ...kernels.linked import check_start, derive, derive_d, momenta, momenta_d, outputs, outputs_d, prepare, starts
from ...kernels.names import (
    AHEAD,
    ALL_FRESH,
    BASE,
    BUDGET,
    CLOCK,
    COLUMNS,
    DERIVATIVES_FRESH,
    DONE,
    EVALUATIONS,
    F0,
    FAILED_CHECK,
    FAILED_START_CHECK,
    FAILED_STEP,
    FAULT,
    FAULT_TIME,
    FIRST_P,
    FRESH,
    GIMBAL_LOCK,
    HISTORY,
    INPUTS,
    JACOBIANS,
    LAST_ERROR,
    LOCKED,
    LOCKS,
    N_COLUMNS,
    N_HISTORY,
    N_INPUTS,
    N_LOCKS,
    N_OUTPUTS,
    N_QUATERNIONS,
    NO_DIRECTION,
    NO_INERTIA,
    NON_FINITE,
    NV,
    NX,
    OK,
    OUTPUTS,
    P0,
    QUATERNIONS,
    RATES,
    RATES_FRESH,
    REJECTED,
    ROLLBACK,
    SIDE,
    STAGES,
    STALE,
    STEP,
    STEP_NOT_FELT,
    STEPS,
    TIME,
    U_OLD,
    WORK,
    X0,
)
from .clock import is_lost, nearness, state_span
from .hooks import METHOD_before_finish, METHOD_enter, METHOD_jacobian, METHOD_leave, METHOD_stages


def evaluate(R: Record, U: Record) -> None:
    """Interpolate inputs in their tables (U; empty in FMUs), then compute all rates at the present state.

    R[SIDE] states which limit is taken where inputs, or conditions on time, jump.

    Reads: U, head. Writes: head, inputs.
    """
    for k in range(N_INPUTS):
        points = int(common(U[2 * k + 1]))
        if points > 0:
            R[INPUTS + k] = interpolate_beside(U, int(common(U[2 * k])), points, R[TIME], R[SIDE])
    derive(R)
    R[EVALUATIONS] += 1.0


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def prepare_step(R: Record, U: Record, h: float, controlled: bool) -> int:
    """Prepare an accepted state for a step of size h; return a status.

    Reads: head. Writes: head.
    """
    if R[FRESH] == STALE:
        evaluate(R, U)
        R[FRESH] = RATES_FRESH
    return check_gimbal_lock(R, h)


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def mark(R: Record) -> None:
    """Start the means at the present time: models without closed loops or requested drive forces have none."""


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def completed(R: Record, U: Record) -> int:
    """Check and correct the state at the end of a step that an importer has made; return a status."""
    return check_gimbal_lock(R, 0.0)


def check_gimbal_lock(R: Record, h: float) -> int:
    """Return OK, or a failure if a joint of three angles is in gimbal lock or has passed it since the last check.

    Reads: locks, q. Writes: locks.
    """
    for k in range(N_LOCKS):
        s = np.sin(R[LOCKED[k]] + R[LOCKS + 2 * k])
        side = 1.0 if s > 0.0 else -1.0
        if abs(s) < 1.0e-6 or R[LOCKS + 2 * k + 1] == -side:
            return fail(R, LOCKED[k] - X0, h, GIMBAL_LOCK)
        R[LOCKS + 2 * k + 1] = side
    return OK


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def evaluate_between(R: Record, U: Record) -> None:
    """Compute all rates at a state interpolated within a step."""
    evaluate(R, U)


def rates(R: Record, U: Record) -> None:
    """Compute the derivatives of the state unless they are up to date.

    Reads: head, u. Writes: head, u_old.
    """
    if R[FRESH] == STALE:
        evaluate(R, U)
        copy(R, RATES, U_OLD, NV)
        R[FRESH] = DERIVATIVES_FRESH


def tangent(R: Record, D: Record) -> None:
    """Compute rates and outputs with their tangents; D contains tangents of state, time, inputs and parameters."""
    derive_d(R, D)
    outputs_d(R, D)


def start_tangent(R: Record, D: Record) -> None:
    """The same as `tangent` before the start, when D contains the tangents of q and u instead of q and p."""
    momenta_d(R, D)
    tangent(R, D)


def refresh(R: Record, U: Record) -> None:
    """Compute rates and outputs of the present state unless they are up to date.

    R[FRESH] states which of them are (`record.layout.Fresh`).

    Reads: head. Writes: head.
    """
    if R[FRESH] != ALL_FRESH:
        if R[FRESH] != RATES_FRESH:
            evaluate(R, U)
        outputs(R)
        R[FRESH] = ALL_FRESH


def normalise(R: Record) -> None:
    """Normalise quaternions; called after every accepted step.

    Reads: q. Writes: q.
    """
    for k in range(N_QUATERNIONS):
        a = QUATERNIONS[k]
        norm = np.sqrt(R[a] * R[a] + R[a + 1] * R[a + 1] + R[a + 2] * R[a + 2] + R[a + 3] * R[a + 3])
        for j in range(4):
            R[a + j] = R[a + j] / norm


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def initialise(R: Record) -> int:
    """Initialise the record from its parameters and start values; return a status, failed check in R[FAULT].

    Reads: head, q. Writes: head, history, locks.
    """
    R[FRESH] = STALE
    R[STEP] = R[STEPS] = R[REJECTED] = R[EVALUATIONS] = R[JACOBIANS] = R[FAILED_STEP] = R[AHEAD] = 0.0
    R[LAST_ERROR] = 1.0e-4
    if N_HISTORY > 0:
        R[HISTORY] = 0.0
    starts(R)
    for k in range(N_QUATERNIONS):
        a = QUATERNIONS[k]
        if not R[a] * R[a] + R[a + 1] * R[a + 1] + R[a + 2] * R[a + 2] + R[a + 3] * R[a + 3] > 1.0e-12:
            R[FAULT] = k
            return NO_DIRECTION
    R[FAULT] = prepare(R) - 1
    if R[FAULT] >= 0.0:
        return FAILED_CHECK
    normalise(R)
    momenta(R)
    R[FAULT] = check_start(R) - 1
    if R[FAULT] >= 0.0:
        return FAILED_START_CHECK
    for k in range(N_LOCKS):
        R[LOCKS + 2 * k + 1] = 0.0
    status = start_elastic(R)
    if status == OK:
        status = check_gimbal_lock(R, 0.0)
    if status != OK:
        return status
    R[FAULT] = lost_motion(R)
    start_samples(R)
    return NO_INERTIA if R[FAULT] >= 0.0 else OK


def lost_motion(R: Record) -> int:
    """Return the index of the state component whose motion moves no inertia, or -1.

    The check converts velocities of order one to momenta and back. If they do not agree to three digits, it returns the
    component with the smallest diagonal entry of the mass matrix.

    Reads: p, u, u_old, work. Writes: p, u, u_old, work.
    """
    copy(R, RATES, U_OLD, NV)
    copy(R, P0, WORK, NV)
    for k in range(NV):
        R[RATES + k] = np.cos(k)
    momenta(R)
    derive(R)
    lost = False
    for k in range(NV):
        lost = lost or not abs(R[RATES + k] - np.cos(k)) < 1.0e-3
    component = -1
    if lost:
        smallest = np.inf
        for k in range(NV):
            for j in range(NV):
                R[RATES + j] = 1.0 if j == k else 0.0
            momenta(R)
            if R[P0 + k] < smallest:
                component = FIRST_P + k
                smallest = R[P0 + k]
    copy(R, U_OLD, RATES, NV)
    copy(R, WORK, P0, NV)
    return component


def finite(R: Record, start: int, size: int) -> int:
    """Return the index of the first number that is not finite, or -1.

    Reads: start.
    """
    total = 0.0
    for k in range(size):
        total += 0.0 * R[start + k]
    if total == 0.0:
        return -1
    for k in range(size):
        if 0.0 * R[start + k] != 0.0:
            return k
    return -1


def copy(R: Record, source: int, target: int, size: int) -> None:
    """Copy `size` numbers from one address to another.

    Reads: source. Writes: target.
    """
    for k in range(size):
        R[target + k] = R[source + k]


def fail(R: Record, fault: int, step: float, status: int) -> int:
    """Record the fault, its time and the step size of a failure; return the status.

    Reads: head. Writes: head.
    """
    R[FAULT] = fault
    R[FAULT_TIME] = R[TIME]
    R[FAILED_STEP] = step
    R[FRESH] = STALE
    return status


def fail_from(R: Record, U: Record, fault: int, step: float, near: float, status: int) -> int:
    """Call `fail` for a step from the present state; if the checks of a start fail there, use their status instead.

    `near` is the step size within which these checks look for a failure.

    Writes: head.
    """
    R[FAILED_STEP] = near
    evaluate(R, U)
    check = check_start(R) - 1
    if check >= 0:
        return fail(R, check, step, FAILED_START_CHECK)
    return fail(R, fault, step, status)


def take_back(R: Record, time: float, status: int) -> int:
    """Restore state and time at the beginning of a call after a failure in the call; return the status.

    Reads: rollback. Writes: drive_impulses, head, p, q, z.
    """
    copy(R, ROLLBACK, X0, NX)
    R[TIME] = time
    R[FRESH] = STALE
    return status


def settle(R: Record, U: Record, beginning: float, h: float, controlled: bool) -> int:
    """Compute rates and outputs at the end of a call; return a status: a failure if an output is not finite."""
    status = prepare_step(R, U, h, controlled)
    if status != OK:
        return take_back(R, beginning, status)
    refresh(R, U)
    return check_outputs(R, beginning, h)


def check_outputs(R: Record, beginning: float, h: float) -> int:
    """Return OK, or a failure if an output is not finite; the call is then taken back.

    Reads: outputs.
    """
    fault = finite(R, OUTPUTS, N_OUTPUTS)
    if fault >= 0:
        return take_back(R, beginning, fail(R, NX + fault, h, NON_FINITE))
    return OK


def equal_steps(start: float, stop: float, step: float) -> int:
    """Return the number of equal steps of at most `step` in an interval.

    Rounding of large times does not add a step, so that equal intervals have equal steps.
    """
    rounding = 8.9e-16 * max(abs(start), abs(stop))
    return max(1, int(min(9.0e15, np.ceil((stop - start - rounding) / step * (1.0 - 1.0e-12)))))


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.gauss")
@hook(Condition.METHOD, "mbs_fmu.integrate.methods.multistep")
@hook(Condition.SWITCHING, "mbs_fmu.integrate.stepping.switching")
def METHOD_one(R: Record, U: Record, time: float, h: float, end: float) -> int:
    """Make one step of METHOD from `time` to `end`, of size h; return a status. A failure leaves the state invalid.

    Reads: drive_impulses, drive_rests, head, p, p_dot, q, q_dot, x0, z, z_dot. Writes: drive_impulses, head, p, q,
    stages, x0, z.
    """
    R[SIDE] = nearness(time, h)
    status = prepare_step(R, U, h, False)
    if status != OK:
        return status
    fault = finite(R, F0, NX)
    if fault >= 0:
        return fail(R, fault, h, NON_FINITE)
    METHOD_jacobian(R, U)
    METHOD_advance(R, U, time, h)
    fault = finite(R, X0, NX)
    if fault >= 0:
        R[TIME] = time
        copy(R, BASE, X0, NX)
        return fail_from(R, U, fault, h, 0.1 * h, NON_FINITE)
    normalise(R)
    R[TIME] = end
    R[STEPS] += 1.0
    R[FRESH] = STALE
    return OK


def METHOD_advance(R: Record, U: Record, time: float, h: float) -> None:
    """Advance the state by a step of METHOD of size h from `time`, not normalised; expects the rates at its beginning.

    Where inputs or conditions on time jump, the rates at either end are the limits from inside of the step.

    Reads: drive_impulses, drive_rests, p, p_dot, q, q_dot, z, z_dot. Writes: head, stages, x0.
    """
    copy(R, X0, BASE, NX)
    copy(R, F0, STAGES, NX)
    R[SIDE] = -nearness(time, h)
    METHOD_stages(R, U, time, h)
    R[SIDE] = nearness(time, h)


def METHOD_fixed(R: Record, U: Record, stop: float, step: float, budget: int) -> int:
    """Make ceil(interval / step) equal steps of METHOD to time `stop`; return a status.

    After a failure the state at the beginning of the call is restored. If `budget` is positive, the call ends behind
    `budget` steps, where parts of steps and their repetitions count as steps; the status BUDGET then means that more
    calls are needed.

    Reads: drive_impulses, head, p, q, z. Writes: rollback.
    """
    mark(R)
    copy(R, X0, ROLLBACK, NX)
    start = R[TIME]
    return METHOD_onward(R, U, start, stop, state_span(R, stop - start), step, budget)


def METHOD_onward(R: Record, U: Record, start: float, stop: float, span: float, step: float, budget: int) -> int:
    """Make the remaining steps of METHOD_fixed, or some of them; return a status.

    Earlier calls may have made some of the steps from `start` on, and a part of the next one. Step sizes and times
    follow from the whole interval, over which the state advances by `span`; they do not depend on the number of calls.

    Reads: head.
    """
    n = equal_steps(start, stop, step)
    h = span / n
    if is_lost(h, start, stop):
        return take_back(R, start, fail(R, 0, step, STEP_NOT_FELT))
    METHOD_enter(R, U, stop, h)
    begun = R[STEPS]
    k = steps_made(R[TIME], start, h)
    while k < n:
        if 0 < budget <= R[STEPS] - begun:
            METHOD_leave(R, U, h)
            return BUDGET
        status = METHOD_one(R, U, start + k * h, h, stop if k == n - 1 else start + (k + 1) * h)
        if status == BUDGET:
            continue
        if status != OK:
            return take_back(R, start, status)
        k += 1
    return METHOD_finish(R, U, start, h)


def steps_made(time: float, start: float, h: float) -> int:
    """Return the number of complete steps of size h from `start` to `time`, which may lie within a step."""
    k = int((time - start) / h + 0.5)
    return k - 1 if time < start + k * h else k


def METHOD_finish(R: Record, U: Record, start: float, h: float) -> int:
    """End a call with fixed steps; return a status."""
    METHOD_before_finish(R, U, h)
    status = settle(R, U, start, h, False)
    if status == OK:
        METHOD_leave(R, U, h)
    return status


def record(R: Record, Y: Record, row: int) -> None:
    """Copy the result columns of the present state into row `row` of Y.

    Reads: driven_q, driven_u, head, modes, outputs, q, sampled, tau, u, z. Writes: Y.
    """
    Y[row * N_COLUMNS] = R[TIME]
    for k in range(1, N_COLUMNS):
        Y[row * N_COLUMNS + k] = R[int(COLUMNS[k])]


def output_time(U: Record, row: int) -> float:
    """Return the time of result row `row`; start, interval, number of rows and stop follow the input tables in U.

    Reads: U.
    """
    return U[CLOCK + 3] if row >= U[CLOCK + 2] - 1.0 else U[CLOCK] + row * U[CLOCK + 1]


def METHOD_run_fixed(R: Record, U: Record, Y: Record, row: int, step: float, budget: int) -> int:
    """Make fixed steps of METHOD through the output times from row `row` on.

    Returns the number of rows written, or -1 - status. If `budget` is positive, it returns after `budget` steps and
    rows, possibly between two rows; the next call continues there.

    Reads: U, drive_impulses, head, p, q, z. Writes: head, rollback.
    """
    rows = int(U[CLOCK + 2])
    done = 0
    start_log(R)
    if row == 0:
        R[SIDE] = nearness(R[TIME], step)
    while row < rows:
        if 0 < budget <= done:
            return row
        start = output_time(U, row - 1) if row > 0 else R[TIME]
        stop = output_time(U, row)
        before = R[STEPS]
        if R[TIME] == start:
            refresh(R, U)
            mark(R)
            copy(R, X0, ROLLBACK, NX)
        if stop > R[TIME]:
            status = METHOD_onward(R, U, start, stop, stop - start, step, budget - done if budget > 0 else 0)
            if status == BUDGET:
                return row
            if status != OK:
                R[DONE] = row
                return -1 - status
        record(R, Y, row)
        row += 1
        done += int(R[STEPS] - before) + 1
        if has_switched(R):
            return row
    return row
