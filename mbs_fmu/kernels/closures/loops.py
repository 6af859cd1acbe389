"""Kernels for closed loops: start, stabilization, re-basing and projection.

In models with closed loops these functions replace defaults of the drivers, such as `prepare_step` and `initialise`.
The symbols and (L7) are those of docs/equations_loops.md, section "steps": Lambda are the impulses of rows since the
last re-basing (R.multipliers), pi the momenta without these impulses (R.p), g the residuals, and alpha the rate at
which stabilization reduces them. A drive here is a prescribed motion whose force is an output. `drive_momenta` are the
momenta along drives, `drive_impulses` the impulses of all other forces along them.
"""

import numpy as np

from ...record.schema import (
    N_CONTACTS,
    N_DRIVES,
    N_HISTORY_VECTORS,
    N_LOCKS,
    N_QUATERNIONS,
    N_ROWS,
    N_UNBOUND,
    NQ,
    NV,
    QUATERNIONS,
    ROW_LOOP,
    Inputs,
    Record,
)
from ..constants import (
    FAILED_CHECK,
    FAILED_START_CHECK,
    FREE_SELECTION,
    FROZEN_SELECTION,
    LAGGED,
    MOST_STARTS,
    N_COUNTERS,
    NO_DIRECTION,
    NO_INERTIA,
    NO_SELECTION,
    NOT_FOLLOWED,
    OK,
    OPEN_LOOP,
    PRESCRIBED_MOTION,
    RATES_FRESH,
    ROWS_CHOSEN,
    STALE,
)
from ..contact_parameters import solve_contact_parameters
from ..hook_table import Condition, hook
from ..hooks import (
    clear_residual_offsets,
    engage_latches_at_start,
    find_feet,
    first_modes,
    modes_for_assembly,
    start_elastic,
    start_instants,
    start_samples,
)
from ..linked import (
    check_gimbal_lock,
    check_start,
    evaluate,
    fail,
    forces,
    lost_motion,
    momenta,
    normalise,
    prepare,
    solve,
    starts,
)
from ..tolerances import AGREEMENT_SHARE, NEARLY_SINGULAR_PIVOT
from .along_motion import exchange_rates
from .assembly import contradiction, may_contradict
from .rows import (
    choose_start_rows,
    count_rank,
    largest_residual,
    least_pivot_ratio,
    needs_projection,
    restore_selection,
    singular_loop,
    store_selection,
)
from .start_velocities import assemble


def transfer_impulses(R: Record) -> None:
    """Re-base: transfer the impulses to the momenta, pi += Jᵀ Lambda, then Lambda = 0. The motion does not change.

    The mean multipliers `means` become the impulses divided by the time since the last re-basing.
    """
    span = R.time - R.transfer_time
    for k in range(N_ROWS):
        if span > 0.0:
            R.means[k] = R.multipliers[k] / span
        R.multipliers[k] = 0.0
    for k in range(N_DRIVES):
        R.drive_starts[k] = R.drive_momenta[k] - R.drive_starts[k] - R.drive_impulses[k]  # since the last re-basing
        R.drive_impulses[k] = 0.0
    forces(R)
    R.p[:] = R.momentum
    for k in range(N_DRIVES):
        R.drive_starts[k] = R.drive_momenta[k] - R.drive_starts[k]
    R.transfer_time = R.time
    R.rebasings += 1.0


def drive_means(R: Record) -> None:
    """Extend the mean forces of drives, which begin at R.means_from, from R.means_to to the present time.

    A mean force is the change of momentum along the drive that no other force explains, divided by the time. If a
    motion that follows inputs jumps, the impulse of the jump belongs to that instant and counts in the next mean.
    Then the impulses are accumulated from the present state on.
    """
    begin = min(R.means_from, R.means_to)
    if R.time > R.means_to:
        for k in range(N_DRIVES):
            impulse = R.drive_momenta[k] - R.drive_starts[k] - R.drive_impulses[k]
            R.drive_means[k] = (R.drive_means[k] * (R.means_to - begin) + impulse) / (R.time - begin)
        start_drives(R)


def start_drives(R: Record) -> None:
    """Start to accumulate the impulses of drives from the present state on; R.means_to becomes the present time."""
    for k in range(N_DRIVES):
        R.drive_starts[k] = R.drive_momenta[k] - R.drive_impulses[k]
    R.means_to = R.time


def start_means(R: Record) -> None:
    """Start the interval of means at the present time."""
    R.means_from = R.time


def move_means(R: Record, before: float) -> None:
    """Replace the time `before` by the present one where a mean starts or ends, or the last re-basing was at it.

    The two times differ by rounding, over which no mean may be taken.
    """
    if R.means_from == before:
        R.means_from = R.time
    if R.means_to == before:
        R.means_to = R.time
    if R.transfer_time == before:
        R.transfer_time = R.time


def project(R: Record) -> None:
    """Project coordinates onto g = 0 by the shortest step in the metric of the inertia.

    The step is q_dot of the solution of (L7) with pi = 0, b = g and prescribed motions at rest. The momenta do not
    change; velocities and rates are invalid afterwards.
    """
    R.momentum[:] = R.p
    alpha = R.alpha
    selection = R.row_selection
    tolerance = R.tolerance
    if N_UNBOUND > 0:
        exclude_rate_rows(R)
    for k in range(NV):
        R.p[k] = 0.0
    R.alpha = 1.0
    R.drift = 0.0
    R.still = 1.0
    solve(R)
    for k in range(NQ):
        R.x[k] += R.x_dot[k]
    normalise(R)
    if N_CONTACTS > 0:
        solve_contact_parameters(R, 2)
    R.alpha = alpha
    R.drift = 1.0
    R.still = 0.0
    R.p[:] = R.momentum
    if N_UNBOUND > 0:
        include_rate_rows(R)
        R.row_selection = selection
        R.tolerance = tolerance


def exclude_rate_rows(R: Record) -> None:
    """Exclude rate constraints and let the next elimination select rows again, before positions are projected."""
    store_selection(R)
    R.row_selection = FREE_SELECTION
    R.positions = 1.0


def include_rate_rows(R: Record) -> None:
    """Include all rows again, and restore the selection of rows from before `exclude_rate_rows`."""
    R.positions = 0.0
    restore_selection(R)


def prepare_step(R: Record, U: Inputs, h: float, controlled: bool) -> int:
    """Prepare an accepted state for a step of size h (s); return a status.

    Selects rows, re-bases momenta, projects positions and looks for contradictions; computes the rates. Returns at once
    if the state is prepared already. `controlled` is true if the step has error control.
    """
    R.controlled = 1.0 if controlled else 0.0
    alpha = min(R.most_alpha, R.alpha_step / h) if h > 0.0 else R.most_alpha
    if R.fresh != STALE and R.fresh != ROWS_CHOSEN and R.alpha == alpha:
        return OK
    if R.fresh != ROWS_CHOSEN or R.alpha != alpha:
        R.alpha = alpha
        choose_rows(R, U, controlled)
    drive_means(R)
    most = R.largest_impulse
    for k in range(N_ROWS):
        most = max(most, abs(R.multipliers[k]))
    R.largest_impulse = most
    if R.transfer_each_step > 0.0:
        transfer_impulses(R)
    if LAGGED > 0:
        evaluate(R, U)
    keep_closed(R, U)
    return conclude_preparation(R, h)


@hook(Condition.LANES, "mbs_fmu.integrate.lanes.projections")
def keep_closed(R: Record, U: Inputs) -> None:
    """Project the state if its residual is too large."""
    if needs_projection(R):
        project_state(R, U)


def project_state(R: Record, U: Inputs) -> None:
    """Project coordinates, and compute the rates at the new state."""
    project(R)
    R.projections += 1.0
    evaluate(R, U)
    start_drives(R)  # the projection is not an impulse of the drives
    if R.transfer_each_step > 0.0:
        transfer_impulses(R)


def conclude_preparation(R: Record, h: float) -> int:
    """Freeze the chosen rows, and look for contradictions and open loops before a step of size h; return a status."""
    R.row_selection = FROZEN_SELECTION
    count_rank(R)
    R.fresh = RATES_FRESH
    R.largest_residual_of_run = max(R.largest_residual_of_run, R.residual)
    is_open = N_ROWS > 0 and R.residual > R.residual_bound  # without rows, the bound has no meaning
    if PRESCRIBED_MOTION > 0 and (is_open or may_contradict(R)):
        contradicting = contradiction(R, 1.0e-5 if is_open else AGREEMENT_SHARE)
        if contradicting > 0.0:
            R.last_good = contradicting
            return fail(R, ROW_LOOP[int(R.fault)], h, NOT_FOLLOWED)
    if is_open:
        return open_loop_status(R, h)
    return check_gimbal_lock(R, h)


def open_loop_status(R: Record, h: float) -> int:
    """Record the failure of a step whose loops have residuals above their bound; return its status.

    If curves cannot touch in this position, that failure is recorded instead.
    """
    if N_CONTACTS > 0:
        check = check_start(R) - 1
        if check >= 0:
            return fail(R, check, h, FAILED_START_CHECK)
    R.fault = 0.0  # stays if all residuals are zero and the bound is exceeded nevertheless
    R.last_good = largest_residual(R)
    return fail(R, ROW_LOOP[int(R.fault)], h, OPEN_LOOP)


def evaluate_between(R: Record, U: Inputs) -> None:
    """Compute all rates at a state interpolated within a step; project this state first if necessary.

    Error control does not check this state. Rows are therefore omitted if the residual changes their directions.
    """
    evaluate(R, U)
    if needs_projection(R):
        tolerance = R.selection_tolerance
        R.selection_tolerance = max(tolerance, 10.0 * R.residual / R.characteristic_length)
        project(R)
        evaluate(R, U)
        R.selection_tolerance = tolerance


def choose_rows(R: Record, U: Inputs, controlled: bool) -> None:
    """Select the rows that are independent at the present state, and compute all rates with them.

    If there are fewer than in the last step, the next step with error control is limited. If there are more,
    `readmit_rows` prepares the state for the additional ones.
    """
    count_rank(R)
    before = R.rank
    least_ratio = least_pivot_ratio(R)
    store_selection(R)
    R.row_selection = FREE_SELECTION
    evaluate(R, U)
    count_rank(R)
    if controlled and R.rank < before:  # error control does not detect the new degree of freedom
        share = max(1.0e-3, 2.0 * np.sqrt(R.tolerance / least_ratio))
        R.step = min(R.step, share * (R.time - R.transfer_time))
    elif 0.0 < before < R.rank:
        readmit_rows(R, U)


def readmit_rows(R: Record, U: Inputs) -> None:
    """Include rows again that were omitted in a singular position and are independent now; compute all rates.

    The residual that has grown since then has changed the directions of these rows. Therefore the impulses are
    transferred to the momenta with the rows of the last step, and the state is projected, before the rows act on
    velocities. Expects that `choose_rows` has stored the selection of the last step.
    """
    restore_selection(R)
    R.row_selection = FROZEN_SELECTION
    evaluate(R, U)
    transfer_impulses(R)
    R.row_selection = FREE_SELECTION
    evaluate(R, U)
    if needs_projection(R):
        project(R)
        R.projections += 1.0
        evaluate(R, U)


def exchanged(R: Record, D: Record) -> None:
    """Compute `exchange_rates` for an importer's solver, unless those in the record belong to the present state.

    Expects the results of `rates`. D is workspace for tangents.
    """
    if R.exchange_fresh == 0.0:
        exchange_rates(R, D)


def begin(R: Record, U: Inputs, h: float) -> int:
    """Call `prepare_step` for an importer that integrates with an error control of its own; h is 0 or a step (s)."""
    start_means(R)
    return prepare_step(R, U, h, True)


def completed(R: Record, U: Inputs) -> int:
    """Update the mean forces at the end of a step that an importer has made; return the status of the gimbal checks.

    Such a step accumulates no impulses. Therefore the mean of a multiplier is that of its values at the step's two
    ends. Expects the results of `exchanged`.
    """
    for k in range(N_ROWS):
        if R.time > R.transfer_time:
            R.means[k] = 0.5 * (R.last_row_forces[k] + R.row_forces[k])
        R.last_row_forces[k] = R.row_forces[k]
    R.transfer_time = R.time
    clear_residual_offsets(R)
    start_means(R)
    drive_means(R)
    return check_gimbal_lock(R, 0.0)


def error_velocities(R: Record) -> None:
    """Convert the errors of the momenta in R.errors into errors of the joint velocities.

    These satisfy the constraint rows: they are the solution of (L7) with the errors as momenta and b = 0.
    """
    R.momentum[:] = R.p
    R.p[:] = R.errors
    alpha = R.alpha
    R.alpha = 0.0
    R.drift = 0.0
    R.still = 1.0
    solve(R)
    R.alpha = alpha
    R.drift = 1.0
    R.still = 0.0
    R.errors[:] = R.u
    R.p[:] = R.momentum
    R.u[:] = R.u_new
    R.evaluations += 1.0


# -- start ---------------------------------------------------------------------------------------------------


def initialise(R: Record) -> int:
    """Compute a consistent start from the parameters and start values in the record; return a status.

    After a failure, R.fault is the index of the quaternion, check, state component, loop or closure that caused it.
    """
    R.fresh = STALE
    R.step = R.steps = R.rejected = R.evaluations = R.jacobians = R.failed_step = 0.0
    R.last_error = 1.0e-4
    if N_HISTORY_VECTORS > 0:
        R.history.count = 0.0
    for k in range(N_COUNTERS):
        R.counters[k] = 0.0
    R.transfer_time = R.means_from = R.time
    R.alpha = R.most_alpha
    R.drift = 1.0
    starts(R)
    for k in range(N_QUATERNIONS):
        c = R.at(QUATERNIONS[k])
        if not c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3] > 1.0e-12:
            R.fault = k
            return NO_DIRECTION
    R.fault = prepare(R) - 1
    if R.fault >= 0.0:
        return FAILED_CHECK
    normalise(R)
    modes_for_assembly(R)
    status = start_closed(R)
    if status == OK and engage_latches_at_start(R):
        status = start_closed(R)
    if status == OK:
        status = first_modes(R)
    if status == OK:
        start_drives(R)
        start_instants(R)
        start_samples(R)
    return status


def start_closed(R: Record) -> int:
    """Close the loops, starting from the record's coordinates and joint velocities; compute momenta and rates.

    Return a status.
    """
    status = assemble(R, MOST_STARTS)
    if status != OK:
        check = check_start(R) - 1
        if check >= 0:  # for example, a wheel that lies flat: it has no consistent velocities either
            R.fault = check
            return FAILED_START_CHECK
        return status
    momenta(R)
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
    R.row_selection = NO_SELECTION
    R.fault = lost_motion(R)
    if R.fault >= 0.0:
        return NO_INERTIA
    choose_start_rows(R)
    R.singular_start = singular_loop(R, NEARLY_SINGULAR_PIVOT) + 1.0
    forces(R)
    for k in range(N_DRIVES):
        R.drive_impulses[k] = R.drive_means[k] = 0.0
    return OK
