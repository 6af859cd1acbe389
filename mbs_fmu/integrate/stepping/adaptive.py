"""Steps with error control: trial, acceptance or rejection, and dense output at the output times.

Generated modules contain a copy of these functions for each method with an error estimate (drivers.py).
"""

from __future__ import annotations

import numpy as np

from ...kernels.breaks import may_jump, near_break, next_break, restart_after_jump
from ...kernels.constants import (
    BUDGET,
    DERIVATIVES_FRESH,
    FRESH_AT_END,
    GIMBAL_LOCK,
    NON_FINITE,
    OK,
    REGROWTH,
    STALE,
    STEP_NOT_FELT,
    STEP_TOO_SMALL,
    TOO_LARGE,
)
from ...kernels.hook_table import Condition, hook
from ...kernels.linked import error_velocities, outputs, switches
from ...record.fields import Numbers
from ...record.schema import FIRST_P, N_QUATERNIONS, NV, NX, QUATERNIONS, Inputs, Record
from .between import METHOD_between, share_of
from .clock import state_span
from .drivers import (
    check_gimbal_lock,
    evaluate,
    fail,
    fail_from,
    finish_call,
    finite,
    normalise,
    output_time,
    prepare_step,
    record,
    refresh,
    restore_call_start,
    start_means,
)
from .hooks import (
    METHOD_ORDER,
    METHOD_SAFETY,
    METHOD_arrive,
    METHOD_damping,
    METHOD_dense_stages,
    METHOD_error,
    METHOD_jacobian,
    METHOD_stages,
)


def METHOD_errors(R: Record, h: float) -> None:
    """Estimate the errors of q, u and z over a step of size h, and write them to `work`.

    The errors of u are M(q)^-1 times those of p. Expects the last stage to be at the new state.
    """
    for k in range(NX):
        R.work[0, k] = METHOD_error(R, k, h)
    with_velocities(R)


def with_velocities(R: Record) -> None:
    """Convert errors of the momenta in `work` to errors of the joint velocities; store the velocities in `u_new`.

    Expects the rates of the present state; velocities and rates of the momenta stay unchanged.
    """
    R.u_new[:] = R.u
    R.errors[:] = R.work[0, FIRST_P : FIRST_P + NV]
    error_velocities(R)
    R.work[0, FIRST_P : FIRST_P + NV] = R.errors


def scaled_error(R: Record, k: int, tolerance: float) -> float:
    """Return error k in `work` over its allowed value; for a momentum, both are those of its joint velocity."""
    if FIRST_P <= k < FIRST_P + NV:
        a = abs(R.u_old[k - FIRST_P])
        b = abs(R.u_new[k - FIRST_P])
    else:
        a = abs(R.step_start[k])
        b = abs(R.x[k])
    return R.work[0, k] / (tolerance * (R.absolute + (a if a > b else b)))


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.rows")
def omits_rows(R: Record, tolerance: float) -> bool:
    """True if the end of a trial step violates constraint rows that the step omits: there are no rows."""
    return False


def METHOD_trial_step(R: Record, U: Inputs, h: float, tolerance: float) -> float:
    """Try a step of METHOD of size h from `step_start`; return the scaled error, or -1 if it is not finite."""
    METHOD_stages(R, U, R.time, h)
    METHOD_arrive(R, U)
    omits = omits_rows(R, tolerance)
    METHOD_errors(R, h)
    total = 0.0
    for k in range(NX):
        total += scaled_error(R, k, tolerance) ** 2
    error = np.sqrt(total / NX) if NX > 0 else 0.0
    error *= METHOD_damping(R, h)
    if omits:
        error = max(error, 2.0**METHOD_ORDER)  # half the step
    return error if error < 1.0e300 else -1.0


def largest_error_component(R: Record, tolerance: float) -> int:
    """Return the index of the state component with the largest scaled error."""
    index = 0
    largest = -1.0
    for k in range(NX):
        e = abs(scaled_error(R, k, tolerance))
        if e > largest:
            index = k
            largest = e
    return index


def normalise_rates(R: Record) -> None:
    """Scale the rates of quaternions to those of unit quaternions, before the quaternions are normalised."""
    for k in range(N_QUATERNIONS):
        e = R.at(QUATERNIONS[k])
        norm = np.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
        for j in range(4):
            R.x_dot[e.address - R.x.address + j] /= norm


def METHOD_first_step(R: Record, U: Inputs, span: float, tolerance: float) -> float:
    """Return a first step size from q, u, z and their first and second derivatives (Hairer, Norsett, Wanner II.4).

    `span` is the largest size. Expects fresh rates. State and derivatives stay unchanged, all other rates do not.
    """
    size = 0.0
    rate = 0.0
    for k in range(NX):
        if not FIRST_P <= k < FIRST_P + NV:
            allowed = tolerance * (R.absolute + abs(R.x[k]))
            size += (R.x[k] / allowed) ** 2
            rate += (R.x_dot[k] / allowed) ** 2
    h = 1.0e-6 if size <= 1.0e-10 * (NX - NV) or rate <= 1.0e-10 * (NX - NV) else 0.01 * np.sqrt(size / rate)
    h = min(h, span)
    R.step_start[:] = R.x
    R.stages[0] = R.x_dot
    for k in range(NX):
        R.x[k] = R.step_start[k] + h * R.stages[0, k]
    time = R.time
    R.time = time + h
    evaluate(R, U)
    R.time = time
    for k in range(NX):
        R.work[0, k] = (R.x_dot[k] - R.stages[0, k]) / h
    with_velocities(R)
    change = 0.0
    for k in range(NX):
        change += scaled_error(R, k, tolerance) ** 2
    R.x[:] = R.step_start
    R.x_dot[:] = R.stages[0]
    largest = np.sqrt(max(rate / max(1, NX - NV), change / max(1, NX)))
    second = max(1.0e-6, 1.0e-3 * h) if largest <= 1.0e-15 else (0.01 / largest) ** (1.0 / METHOD_ORDER)
    h = min(100.0 * h, second, span)
    return h if h > 0.0 else 1.0e-6 * span


def METHOD_growth(R: Record, error: float) -> float:
    """Return the factor of the next step size after an accepted step with this scaled error.

    The controller is a PI controller (K. Gustafsson, ACM TOMS 17 (1991) 533-554; Hairer, Norsett, Wanner IV.2): the
    factor is smaller if the previous error was smaller, so that step sizes do not oscillate.
    """
    proportional = max(error, 1.0e-10) ** (-0.76 / METHOD_ORDER)
    return min(5.0, max(0.2, METHOD_SAFETY * proportional * R.last_error ** (0.32 / METHOD_ORDER)))  # type: ignore[no-any-return]


def propose_step(R: Record, h: float, growth: float, error: float) -> None:
    """Record an accepted step of size h with a scaled error, and propose h times `growth` as the next size.

    A step that was shorter than proposed can only reduce the proposal.
    """
    if h == R.step or h * growth < R.step:
        R.step = h * growth
    R.last_error = max(error, 1.0e-4)
    R.steps += 1.0


def accept_state(R: Record, time: float, last: float, end: float, h: float) -> int:
    """Move to the state at the end of an accepted step of size h from `time`; return a status.

    If the step reaches `last` up to rounding, the time becomes `end`, which equals `last` or is the time of a
    discontinuity just after it.
    """
    R.time = time + h
    R.fresh = FRESH_AT_END
    if last - R.time < 1.0e-13 * (last - time):
        if last < end:
            advance_by_rounding(R, end - last)
        R.time = end
        R.fresh = FRESH_AT_END if last == end else STALE
    R.u_old[:] = R.u_new
    normalise_rates(R)
    normalise(R)
    return check_gimbal_lock(R, h)


def leads_beyond(R: Record, start: float, status: int) -> bool:
    """True if a check of `accept_state` has failed at the end of a step from `start`.

    What ends the step earlier must then be found first: the failure may lie behind it.
    """
    is_check = status == GIMBAL_LOCK
    is_check = is_check or status == TOO_LARGE
    return is_check and R.time > start


def advance_by_rounding(R: Record, span: float) -> None:
    """Advance the state with the present rates over the rounding-sized time between a step end and a discontinuity."""
    for k in range(NX):
        R.x[k] += span * R.x_dot[k]


def METHOD_reject(R: Record, h: float, error: float, tolerance: float) -> int:
    """Reject a step of size h with a scaled error, and propose a shorter one.

    Returns the index of a component that is not finite, or of the one with the largest error.
    """
    R.rejected += 1.0
    R.step = h * (0.1 if error < 0.0 else max(0.2, METHOD_SAFETY * error ** (-1.0 / METHOD_ORDER)))
    fault = finite(R, R.x, NX)
    if fault < 0:
        fault = largest_error_component(R, tolerance)
    R.x[:] = R.step_start
    return fault


@hook(Condition.CROSSINGS, "mbs_fmu.integrate.stepping.parts")
def METHOD_step(R: Record, U: Inputs, stop: float, tolerance: float) -> int:
    """Make one accepted step of METHOD towards time `stop` or an earlier break; return a status.

    On success, time has advanced, R.step is the proposed size of the next step, and the stages remain for dense
    output. Unless R.fresh is STALE, the rates are those of the new state, from the last stage.
    """
    begun = R.time
    time = begun
    end = next_break(R, U, time, stop)
    last = end
    near = near_break(R, U, time, stop)
    if end - time > 16.0 * near:
        if may_jump(R, U, end, stop):
            last -= near
        if may_jump(R, U, time, stop):
            time = restart_after_jump(R, U, time, stop)
    status = prepare_from(R, U, begun, time)
    if status != OK:
        return status
    R.side = 0.0  # stages lie within the step
    fault = finite(R, R.x_dot, NX)
    if fault >= 0:
        return fail_from(R, U, fault, R.step, R.step, NON_FINITE)
    if R.fresh != DERIVATIVES_FRESH:
        R.u_old[:] = R.u
    limit = last - time
    if R.most_step > 0.0:
        limit = min(limit, R.most_step)
    if R.step <= 0.0:
        R.step = METHOD_first_step(R, U, limit, tolerance)
    R.step_start[:] = R.x
    R.stages[0] = R.x_dot
    METHOD_jacobian(R, U)
    most = 5.0
    shortest = 4.5e-16 * abs(time)
    hopeless = 1.0e-14 * min(R.step, limit)
    while True:
        R.step = max(R.step, shortest)
        h = rounded_step(time, min(R.step, limit))
        if h <= 0.0:
            return fail(R, 0, limit, STEP_NOT_FELT)
        if R.step <= limit:
            R.step = h
        ahead = R.ahead
        error = METHOD_trial_step(R, U, state_span(R, h), tolerance)
        R.time = time
        if 0.0 <= error <= 1.0:
            propose_step(R, h, min(most, METHOD_growth(R, error)), error)
            return accept_state(R, time, last, end, h)
        R.ahead = ahead
        most = REGROWTH
        fault = METHOD_reject(R, h, error, tolerance)
        R.step = min(R.step, h - 0.5 * shortest)  # the shorter step must not be rounded to the rejected one
        if R.step < max(shortest, hopeless):
            return fail_from(R, U, fault, h, h, STEP_TOO_SMALL)


def prepare_from(R: Record, U: Inputs, begun: float, time: float) -> int:
    """Prepare the state of time `begun` for a step from `time`, which may lie a rounding later; return a status."""
    status = prepare_step(R, U, R.step, True)
    if status == OK and time > begun:
        advance_by_rounding(R, time - begun)
        R.fresh = STALE
        status = prepare_step(R, U, R.step, True)
    return status


def rounded_step(time: float, h: float) -> float:
    """Return the amount by which `time` advances when h is added, which rounding affects."""
    return (time + h) - time


@hook(Condition.CROSSINGS, "mbs_fmu.integrate.stepping.importers")
def METHOD_adaptive(R: Record, U: Inputs, stop: float, tolerance: float, budget: int) -> int:
    """Make steps of METHOD that end exactly at time `stop`; return a status. A failure restores the initial state."""
    done = 0
    beginning = R.time
    start_means(R)
    switches(R)
    R.rollback[:] = R.x
    while R.time < stop:
        if 0 < budget <= done:
            return BUDGET
        status = METHOD_step(R, U, stop, tolerance)
        if status != OK:
            return restore_call_start(R, beginning, status)
        done += 1
    return finish_call(R, U, beginning, R.step, True)


@hook(Condition.CROSSINGS, "mbs_fmu.integrate.stepping.watched_runs")
def METHOD_run_adaptive(R: Record, U: Inputs, Y: Numbers, row: int, tolerance: float, budget: int) -> int:
    """Make steps of METHOD with error control, with dense output at the output times from row `row` on.

    Returns the number of rows written, or -1 - status. If `budget` is positive, it returns after `budget` steps; the
    next call continues there.
    """
    rows = int(U.rows)
    done = 0
    switches(R)
    if row == 0:
        refresh(R, U)
        record(R, Y, 0)
        row = 1
    while row < rows:
        if 0 < budget <= done:
            return row
        start = R.time
        start_means(R)
        status = METHOD_step(R, U, U.stop, tolerance)
        if status != OK:
            R.done = row
            return -1 - status
        if output_time(U, row) <= R.time:
            R.done = row
            row = METHOD_rows(R, U, Y, row, start, R.time)
            if row < 0:
                return row
        done += 1
    return row


def METHOD_rows(R: Record, U: Inputs, Y: Numbers, row: int, start: float, end: float) -> int:
    """Write the result rows of the step from `start` to `end`; return the number of rows in all, or -1 - status."""
    rows = int(U.rows)
    if output_time(U, row) < end:
        R.work[0] = R.x
        R.work[1] = R.x_dot
        fresh = R.fresh
        METHOD_dense_stages(R, U, start, end - start)
        while row < rows and output_time(U, row) < end:
            row = METHOD_dense_row(R, U, Y, row, start, end, output_time(U, row))
        R.x[:] = R.work[0]
        R.x_dot[:] = R.work[1]
        R.time = end
        R.fresh = min(fresh, DERIVATIVES_FRESH)
    if row < rows and output_time(U, row) == end:
        status = prepare_row(R, U)
        if status != OK:
            return -1 - status
        record(R, Y, row)
        row += 1
    return row


@hook(Condition.CROSSINGS, "mbs_fmu.integrate.stepping.watched_runs")
def prepare_row(R: Record, U: Inputs) -> int:
    """Compute rates and outputs for a result row at the end of a step; return a status."""
    status = prepare_step(R, U, R.step, True)
    if status == OK:
        refresh(R, U)
    return status


def METHOD_dense_row(R: Record, U: Inputs, Y: Numbers, row: int, start: float, end: float, time: float) -> int:
    """Write a result row at a time inside the step from `start` to `end`; return the number of rows in all."""
    METHOD_between(R, U, time, share_of(start, end, time), end - start)
    outputs(R)
    record(R, Y, row)
    return row + 1
