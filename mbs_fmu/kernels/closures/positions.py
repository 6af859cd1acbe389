"""Kernels that compute coordinates that close all loops: damped Gauss-Newton steps, from several starts if necessary.

The steps are those of assembly.py, without inertia. Where bodies are far from closing, the rows of a weld or hinge are
components of the rotation vector that remains between its frames (R.by_rotations = 1), whose only zero is the closed
joint. Conditions on directions, which serve otherwise, also hold half a turn away. (section "assembly" of
docs/equations_loops.md)
"""

from ...record.schema import (
    ANGULAR,
    N_CONTACTS,
    N_DRIVEN,
    N_ROWS,
    N_TURNED,
    NQ,
    NV,
    ROW_ANGULAR,
    ROW_LOOP,
    ROW_TURNED,
    Record,
)
from ..constants import FREE_SELECTION, NOT_ASSEMBLED, NOT_FOLLOWED, OK, PRESCRIBED_MOTION
from ..contact_parameters import solve_contact_parameters
from ..library import integer
from ..linked import check_start, conditions, contact_guesses, fail, momenta, normalise, plain_inboard, turned_rows
from ..tolerances import AGREEMENT_SHARE, CLOSE_SHARE, CLOSED_SHARE, FAR_TURN, NEAR_TURN
from .assembly import contradiction, plain_reference_pivots, plain_solve
from .elimination import is_excluded
from .rows import largest_residual, set_characteristic_length


def assemble_positions(R: Record, starts: int) -> int:
    """Compute coordinates that close all loops, from the start values; return a status.

    Held coordinates keep their values. If these leave only a small gap (less than a thousandth of the characteristic
    length), all coordinates may change instead, and R.changed_starts becomes 1. If loops stay open, the assembly begins
    again from other values of the free coordinates, from at most `starts` starts in all. `u` contains the start
    velocities before and after, `u_old` a copy of them. After a failure, R.fault is the loop, and R.last_good the
    remaining residual (`describe_gap`) or, if prescribed motions contradict each other, the result of `contradiction`.
    """
    prepare_assembly(R)
    R.u_old[:] = R.u
    R.free_mask[:] = R.free
    R.work[1] = R.x
    gap = largest_gap(R)
    remaining = close_positions(R, True)
    if remaining > CLOSED_SHARE * R.characteristic_length and gap < CLOSE_SHARE * R.characteristic_length:
        for k in range(NV):
            R.free_mask[k] = 1.0
        R.changed_starts = 1.0
        remaining = close_positions(R, True)
    R.starts_tried = 1.0
    if not remaining <= CLOSED_SHARE * R.characteristic_length:
        remaining = close_from_other_starts(R, remaining, starts)
    R.last_good = remaining
    if not remaining <= CLOSED_SHARE * R.characteristic_length:
        describe_gap(R)
        return NOT_ASSEMBLED
    if PRESCRIBED_MOTION > 0:
        remaining = contradiction(R, AGREEMENT_SHARE)
        if remaining > 0.0:
            R.last_good = remaining
            return fail(R, ROW_LOOP[int(R.fault)], 0.0, NOT_FOLLOWED)
    R.u[:] = R.u_old
    return OK


def prepare_assembly(R: Record) -> None:
    """Compute contact parameters, the characteristic length and reference pivots; set how rows are selected."""
    R.characteristic_length = 1.0
    R.row_selection = FREE_SELECTION
    R.tolerance = 1.0e-10
    R.by_rotations = 0.0
    R.other_branch = 0.0
    conditions(R)
    if N_CONTACTS > 0:
        contact_guesses(R)
        solve_contact_parameters(R, 30)
        conditions(R)
    set_characteristic_length(R)
    plain_reference_pivots(R)


def largest_gap(R: Record) -> float:
    """Return the largest residual (m, rad), of which rotations that are far from closing are angles.

    R.fault is its row. Expects `conditions`, whose rows are invalid afterwards.
    """
    gap = largest_residual(R)
    if N_TURNED == 0:
        return gap
    row = R.fault
    turn = largest_turn(R)
    if turn > FAR_TURN:
        return max(largest_residual(R), turn)
    R.fault = row
    return gap


def largest_turn(R: Record) -> float:
    """Return the largest component (rad) of the rotation vectors, by which the rows are replaced (`turned_rows`)."""
    turned_rows(R)
    largest = 0.0
    for k in range(N_ROWS):
        if ROW_TURNED[k] > 0 and not is_excluded(R, k):
            largest = max(largest, abs(R.residuals[k]))
    return largest


def close_positions(R: Record, with_rotations: bool) -> float:
    """Close the loops by damped Gauss-Newton steps from the coordinates in R.x; return the remaining gap (m, rad).

    Only coordinates with 1 in R.free_mask change. A step that does not reduce the sum of squares is undone; the next
    one has more damping. Close to the solution, steps have no damping, and the first one without progress is the last.
    with_rotations: the rows are rotation vectors if these are large at the beginning, until they are small.
    """
    R.positions = 1.0
    choose_residuals(R, with_rotations)
    square = squared_residual(R)
    damping = 1.0e-3
    for iteration in range(100):
        if R.by_rotations != 0.0 and leaves_rotations(R):
            square = squared_residual(R)
        residual = largest_residual(R)
        if residual <= 1.0e-15 * R.characteristic_length:
            break
        is_close = residual < CLOSE_SHARE * R.characteristic_length and R.by_rotations == 0.0
        plain_inboard(R)
        R.row_bias[:] = R.residuals
        R.step_start[:] = R.x
        plain_solve(R, 0.0 if is_close else damping)
        if not is_close:
            R.rank = 0.0  # damping gives dependent rows pivots too, so that their number is not the rank
        apply_step(R)
        before = square
        square = squared_residual(R)
        R.iterations = iteration + 1.0
        if square < before * (1.0 - 1.0e-4):
            damping = max(1.0e-9, 0.1 * damping)
            continue
        R.x[:] = R.step_start
        square = squared_residual(R)
        damping *= 10.0
        if is_close or damping > 1.0e6:
            break
    R.positions = 0.0
    R.by_rotations = 0.0
    conditions(R)
    return largest_gap(R)


def choose_residuals(R: Record, with_rotations: bool) -> None:
    """Set R.by_rotations to 1 if a rotation vector is so large that conditions on directions may close wrongly."""
    R.by_rotations = 0.0
    if N_TURNED > 0 and with_rotations:
        conditions(R)
        if largest_turn(R) > FAR_TURN:
            R.by_rotations = 1.0
            plain_reference_pivots(R)


def leaves_rotations(R: Record) -> bool:
    """Return to conditions on directions if all loops are nearly closed; True if so. Expects rotation vectors."""
    if largest_residual(R) >= CLOSE_SHARE * R.characteristic_length or largest_turn(R) >= NEAR_TURN:
        return False
    R.by_rotations = 0.0
    conditions(R)
    plain_reference_pivots(R)
    return True


def squared_residual(R: Record) -> float:
    """Compute the rows at the present coordinates; return the sum of squared residuals over reference pivots."""
    if N_CONTACTS > 0:
        solve_contact_parameters(R, 30)
    conditions(R)
    if N_TURNED > 0 and R.by_rotations != 0.0:
        turned_rows(R)
    total = 0.0
    for k in range(N_ROWS):
        if not is_excluded(R, k):
            total += R.residuals[k] ** 2 / R.reference_pivots[k]
    return total


def apply_step(R: Record) -> None:
    """Change the coordinates by the step in R.joint_impulses; R.u becomes the step that is made.

    The step is shortened so that no angle changes by more than half a radian, and no other coordinate by more than half
    the characteristic length.
    """
    largest = 0.0
    for k in range(NV):
        largest = max(largest, abs(R.joint_impulses[k]) / (1.0 if ANGULAR[k] > 0 else R.characteristic_length))
    factor = 0.5 / largest if largest > 0.5 else 1.0
    for k in range(NV):
        R.u[k] = factor * R.joint_impulses[k]
    change_coordinates(R)


def change_coordinates(R: Record) -> None:
    """Change the coordinates by the velocities in R.u times one second."""
    momenta(R)
    for k in range(NQ):
        R.x[k] += R.x_dot[k]
    normalise(R)


# -- other starts --------------------------------------------------------------------------------------------


def close_from_other_starts(R: Record, remaining: float, starts: int) -> float:
    """Close the loops from other starts, the last of which is number `starts`; return the least remaining gap (m, rad).

    `remaining` is that of the first start, whose state is R.work[1]. R.x becomes the state with the least gap. Held
    coordinates keep their values. A start that `check_start` refuses, such as a point without direction, has a reason
    of its own.
    """
    R.free_mask[:] = R.free
    R.changed_starts = 0.0
    free = 0.0
    for k in range(NV):
        free += R.free_mask[k]
    if remaining - remaining != 0.0 or free == 0.0 or check_start(R) > 0:
        starts = 1
    best = remaining
    R.work[0] = R.x
    for number in range(1, starts):
        R.x[:] = R.work[1]
        displace(R, number)
        gap = close_positions(R, True)
        R.starts_tried += 1.0
        if gap < best:
            best = gap
            R.work[0] = R.x
        if best <= CLOSED_SHARE * R.characteristic_length:
            break
    R.x[:] = R.work[0]
    conditions(R)
    return largest_gap(R)


def displace(R: Record, number: int) -> None:
    """Change the free coordinates by random amounts, which are the same whenever the start has this number.

    Each start in turn reaches farther, up to half a turn or the characteristic length. The generator is Park's and
    Miller's minimal standard one (Communications of the ACM 31, 1988), whose integers are exact in double precision.
    """
    far = min(1.0, 0.125 * number)
    seed = 48271.0 * number
    for k in range(NV):
        seed = 16807.0 * seed
        seed -= 2147483647.0 * integer(seed / 2147483647.0)
        reach = 3.14 if ANGULAR[k] > 0 else R.characteristic_length
        R.u[k] = R.free_mask[k] * far * reach * (2.0 * seed / 2147483647.0 - 1.0)
    change_coordinates(R)


def describe_gap(R: Record) -> None:
    """Set R.fault to the loop with the largest gap, and R.open_length and R.open_angle to its gaps (m, rad).

    R.other_branch becomes 1 if start values that are held, or prescribed motions, close the loops half a turn away from
    what their joints allow; R.x is that position then. Expects the results of `largest_gap`.
    """
    loop = ROW_LOOP[int(R.fault)]
    R.open_length = 0.0
    R.open_angle = 0.0
    for k in range(N_ROWS):
        if ROW_LOOP[k] == loop and not is_excluded(R, k):
            size = abs(R.residuals[k])
            if ROW_ANGULAR[k] > 0:
                R.open_angle = max(R.open_angle, size)
            else:
                R.open_length = max(R.open_length, size)
    if N_TURNED > 0 and some_are_held(R):
        R.work[0] = R.x
        close_positions(R, False)
        conditions(R)
        if largest_residual(R) <= CLOSED_SHARE * R.characteristic_length:
            R.other_branch = 1.0
        else:
            R.x[:] = R.work[0]
            conditions(R)
    R.fault = loop


def some_are_held(R: Record) -> bool:
    """True if coordinates are held or prescribed."""
    held = N_DRIVEN > 0
    for k in range(NV):
        held = held or R.free[k] == 0.0
    return held
