"""Kernels that compute joint velocities at the start of models with closed loops.

Many velocities may keep the loops closed and agree with the start values that the user has fixed (held velocities).
Among these the start takes those whose change from the guesses has the least kinetic energy, as after an impact of all
closures (docs/equations_loops.md, L20). The method of conjugate gradients finds them.

`R.u_old` are the start values: held values and guesses. Velocity k is held if R.free_mask[k] = 0. In the conjugate
gradient iteration, `R.start_rates` are the velocities, `R.start_missing` the residual r, and `R.search_direction` the
direction d.
"""

from ...record.fields import Vector
from ...record.schema import N_LINKS, N_ROWS, NV, OPEN, OPEN_FIRST, RATE_INDEX, RATES_OF, ROW_LOOP, Record
from ..constants import FREE_SELECTION, GUESSED, NO_SELECTION, NOT_MOVABLE, OK
from ..linked import conditions, momenta, plain_inboard, solve
from ..tolerances import AGREEMENT_SHARE, REST_RATE, SQUARE_ROUNDING_SHARE
from .assembly import (
    close_velocities,
    largest_term,
    plain_reference_pivots,
    project_rates,
    velocity_residual,
)
from .elimination import is_excluded
from .positions import assemble_positions
from .rows import set_reference_pivots


def assemble(R: Record, starts: int) -> int:
    """Compute coordinates and joint velocities that close all loops, from the start values; return a status.

    Positions are assembled from at most `starts` starts.
    """
    status = assemble_positions(R, starts)
    return start_velocities(R) if status == OK else status


def start_velocities(R: Record) -> int:
    """Compute joint velocities that satisfy all rows, from those in `u_old`; return a status.

    Held velocities keep their values if these agree with loops and prescribed motions up to rounding; also if a change
    of all velocities would not halve the disagreement, in which case rows stay violated. Otherwise all velocities
    change (R.changed_starts increases by 2) if the disagreement is no larger than what stabilization with the rate
    alpha allows during a run, or a thousandth of the sum of the magnitudes of a row's terms. If it is larger, the start
    fails: R.fault is the loop, R.last_good the rate (m/s, rad/s) by which its row is violated.
    """
    conditions(R)
    plain_inboard(R)
    velocity_residual(R)
    set_free_mask(R)
    speed = largest_term(R)  # with the guesses: their rounding errors remain in the residual even if loops end at rest
    remaining = close_velocities(R)
    speed = max(speed, largest_term(R))
    rounding = max(1.0e-9 * speed, REST_RATE * R.characteristic_length)
    if remaining <= rounding:
        if is_underdetermined(R):
            least_energy(R, rounding)
        return OK
    row = int(R.fault)
    violation = abs(R.row_bias[row])
    R.u_new[:] = R.u
    R.u[:] = R.u_old
    for k in range(NV):
        R.free_mask[k] = 1.0
    if remaining <= 2.0 * close_velocities(R):  # prescribed motions disagree slightly: held values are not the cause
        R.u[:] = R.u_new
    elif remaining <= max(AGREEMENT_SHARE * speed, R.most_alpha * R.projection_residual):
        R.changed_starts += 2.0
    else:
        R.last_good = violation
        R.fault = ROW_LOOP[row]
        return NOT_MOVABLE
    return OK


def set_free_mask(R: Record) -> None:
    """Set R.free_mask to 1 for velocities that may change, to 0 for those that are held.

    Velocities without a start value that occur in no row are held at zero, as in a tree. Expects the results of
    `plain_inboard`.
    """
    for k in range(NV):
        R.free_mask[k] = 1.0 if R.free_rates[k] == GUESSED else 0.0
    for i in range(N_LINKS):
        for e in range(OPEN_FIRST[i], OPEN_FIRST[i + 1]):
            open_row = OPEN[e]
            row = open_row.row
            for k in range(RATES_OF[i]):
                j = RATE_INDEX[i] + k
                square = R.row_b[open_row.projection + k] ** 2
                if square > 1.0e-20 * R.reference_pivots[row] and R.free_rates[j] > 0.0 and not is_excluded(R, row):
                    R.free_mask[j] = 1.0


def is_underdetermined(R: Record) -> bool:
    """True if velocities differ from `u_old` by more than rounding, and other velocities could close the loops too."""
    largest = 0.0
    change = 0.0
    free = 0.0
    for k in range(NV):
        free += R.free_mask[k]
        largest = max(largest, abs(R.u[k]))
        change = max(change, abs(R.u[k] - R.u_old[k]))
    return free > R.rank and change > 1.0e-13 * largest


def least_energy(R: Record, rounding: float) -> None:
    """Replace the joint velocities in `u` by those whose change from `u_old` has the least kinetic energy.

    The unknowns of the conjugate gradient iteration are the impulses of the held velocities or the changes along the
    remaining degrees of freedom, whichever are fewer. Without held velocities no iteration is necessary. The velocities
    stay as they are if the result is not finite, because bodies lack inertia, or does not close the loops up to
    `rounding` (m/s).
    """
    R.u_new[:] = R.u
    free = 0.0
    for k in range(NV):
        free += R.free_mask[k]
    degrees_of_freedom = int(free - R.rank)
    held = NV - int(free)
    R.still = 1.0
    if held <= degrees_of_freedom:
        least_energy_by_range_space(R, 4 * held + 4)
    else:
        least_energy_by_null_space(R, 4 * degrees_of_freedom + 4)
    R.still = 0.0
    total = 0.0
    for k in range(NV):
        R.u[k] = R.start_rates[k] if R.free_mask[k] > 0.0 else R.u_old[k]
        total += R.u[k]
    if total - total != 0.0 or not close_velocities(R) <= rounding:
        R.u[:] = R.u_new


def least_energy_by_range_space(R: Record, most: int) -> None:
    """Compute `start_rates` from the impulses of all closures and of the held velocities.

    The impulses s of held velocities change the joint velocities by P s. P is the inverse of the mass matrix, projected
    onto the motions that the loops allow; one solution of (L7) computes P s. The conjugate gradient iteration solves
    for s in at most `most` steps. Afterwards rows and reference pivots are again those without inertia.
    """
    alpha = R.alpha
    R.alpha = 0.0
    R.u[:] = R.u_old
    R.still = 0.0
    momenta(R)
    R.row_selection = NO_SELECTION
    set_reference_pivots(R, 0, N_ROWS)
    R.row_selection = FREE_SELECTION
    solve(R)
    R.start_rates[:] = R.u
    R.still = 1.0
    R.drift = 0.0
    floor = SQUARE_ROUNDING_SHARE * square_of(R, R.u)
    for _ in range(2):  # the second pass removes rounding errors of the first
        errors_of_held(R)
        R.search_direction[:] = R.start_missing
        square = square_of(R, R.start_missing)
        least = max(floor, 1.0e-20 * square)
        for _ in range(most):
            if not least < square:
                break
            R.p[:] = R.search_direction
            solve(R)
            step = cg_step_length(R, square)
            for k in range(NV):
                R.start_rates[k] += step * R.u[k]
            errors_of_held(R)
            square = next_conjugate_direction(R, square)
    R.alpha = alpha
    R.drift = 1.0
    R.row_selection = FREE_SELECTION
    R.tolerance = 1.0e-10
    conditions(R)
    plain_reference_pivots(R)


def errors_of_held(R: Record) -> None:
    """Set `start_missing` to held values minus `start_rates`, and to 0 for velocities that may change."""
    for k in range(NV):
        R.start_missing[k] = 0.0 if R.free_mask[k] > 0.0 else R.u_old[k] - R.start_rates[k]


def least_energy_by_null_space(R: Record, most: int) -> None:
    """Compute `start_rates` from `u_new`, which closes the loops, by changes along the free motions.

    Free motions are those that the loops and the held velocities allow. The conjugate gradient iteration solves for
    these changes in at most `most` steps.
    """
    R.start_rates[:] = R.u_new
    for _ in range(2):  # the second pass removes rounding errors of the first
        for k in range(NV):
            R.u[k] = R.u_old[k] - R.start_rates[k]
        project_momenta(R)
        R.start_missing[:] = R.u
        R.search_direction[:] = R.u
        square = square_of(R, R.start_missing)
        least = max(SQUARE_ROUNDING_SHARE * square_of(R, R.p), 1.0e-20 * square)
        for _ in range(most):
            if not least < square:
                break
            R.u[:] = R.search_direction
            project_momenta(R)
            step = cg_step_length(R, square)
            for k in range(NV):
                R.start_rates[k] += step * R.search_direction[k]
                R.start_missing[k] += -step * R.u[k]
            square = next_conjugate_direction(R, square)


def project_momenta(R: Record) -> None:
    """Replace velocities in `u` by their momenta, projected onto the free motions."""
    momenta(R)
    for k in range(NV):
        R.u[k] = R.free_mask[k] * R.p[k]
    project_rates(R)


def square_of(R: Record, vector: Vector) -> float:
    """Return the sum of squares of a vector with one entry for each joint velocity."""
    total = 0.0
    for k in range(NV):
        total += vector[k] ** 2
    return total


def cg_step_length(R: Record, square: float) -> float:
    """Return the step length of the conjugate gradient iteration along `search_direction` d: rᵀr / dᵀA d.

    `square` is rᵀr. `u` contains A d, the product of the matrix and the direction. The length is 0 if dᵀA d is not
    positive.
    """
    curvature = 0.0
    for k in range(NV):
        curvature += R.search_direction[k] * R.u[k]
    return square / curvature if curvature > 0.0 else 0.0


def next_conjugate_direction(R: Record, square: float) -> float:
    """Replace `search_direction` d by r + (rᵀr / square) d; return rᵀr. `square` is rᵀr before the last step."""
    now = square_of(R, R.start_missing)
    for k in range(NV):
        R.search_direction[k] = R.start_missing[k] + now / square * R.search_direction[k]
    return now
