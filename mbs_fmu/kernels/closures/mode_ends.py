"""Kernels that detect the ends of constraint modes: the distance of each mode from its end, and the modes that are due.

The modules of models whose closures have constraint modes contain them. modes.py changes the modes; it explains the
numbers of the record. The columns of `R.mode_numbers` depend on the closure's role (`ModeRole` in record/codes.py): a
latch has its conditions for engaging and releasing, a contact its restitution; friction has the capacity (the largest
force when it sticks) and the force when it slips, both for positive forces, then for negative ones.
"""

from ...record.schema import LOOP_MODE, MODE, N_LOOPS, N_MODES, N_ROWS, ROW_LOOP, ROW_MODE, Record
from ..constants import FRICTION, GIVEN_UP, LATCH, OVERRUN, PER_MODE, UNILATERAL
from ..linked import mode_numbers, row_rates, row_rates_d, solve_d
from ..tolerances import APART_SHARE, CONTACT_GAP, OPEN_SHARE
from .along_motion import set_motion_tangents
from .mode_thresholds import largest_row_acceleration


def mode_values(R: Record) -> None:
    """Write to `now` the distance of each mode from its end, which is positive while the mode lasts.

    | mode | distance |
    |---|---|
    | latch | minus the condition that ends the mode |
    | contact: engaged; released | multiplier; residual (of a freewheel row rate) minus its offset |
    | friction: sticks; slips | capacity minus magnitude of the multiplier; rate in the direction of slip minus offset |
    | friction without capacity: slips | 1: this mode does not end |

    Expects fresh rates.
    """
    mode_numbers(R)
    needs_multipliers = False
    needs_rates = False
    for g in range(N_MODES):
        needs_multipliers = needs_multipliers or (MODE[g].role != LATCH and R.modes[g] == 0.0)
        needs_rates = needs_rates or (watches_rate(g) and R.modes[g] != 0.0)
    if needs_multipliers:
        find_row_accelerations(R)
    elif needs_rates:
        row_rates(R)
    for g in range(N_MODES):
        closure = MODE[g]
        row = closure.first_row
        mode = R.modes[g]
        if closure.role == LATCH:
            value = -R.mode_numbers[g, 1 if mode == 0.0 else 0]
        elif closure.role == UNILATERAL and mode == 0.0:
            value = R.multiplier_rates[row]
        elif closure.role == UNILATERAL:
            value = (R.row_rates[row] if closure.rated > 0 else R.residuals[row]) - R.residual_offsets[row]
        elif mode == 0.0:
            value = capacity(R, g, R.multiplier_rates[row]) - abs(R.multiplier_rates[row])
        elif has_no_capacity(R, g):
            value = 1.0
        else:
            value = -mode * R.row_rates[row] - R.residual_offsets[row]
        R.now[g] = value


def watches_rate(g: int) -> bool:
    """True for friction and freewheels, whose released modes end where the rate of their row is zero."""
    closure = MODE[g]
    return closure.role == FRICTION or closure.rated > 0


def has_no_capacity(R: Record, g: int) -> bool:
    """True for friction without capacity: it slips at any velocity without force, and then its mode does not end."""
    most = 0.0
    for k in range(PER_MODE):
        most = max(most, R.mode_numbers[g, k])
    return most <= 0.0


def capacity(R: Record, g: int, force: float) -> float:
    """Return the largest force with the sign of `force` that friction can exert while it sticks."""
    return R.mode_numbers[g, 0 if force >= 0.0 else 2]


def release_weak_friction(R: Record, stop_time: float, rank: float) -> bool:
    """Release friction whose force could not stop the motion within `stop_time` (s); return True if there is any.

    A row that nearly depends on others, such as that of a rocker in its dead centre, has zero velocity for an instant
    whatever the velocities of the others are. Engaging it would stop all motion by an impact, and friction exerts no
    impact impulse; or its row would replace a permanent one (`replaces_permanent_row`). Friction that has just come to
    rest then slips in the opposite direction, other friction on in that of its rate. rank: `bilateral_rank` before the
    trial.
    """
    some_released = False
    replaces = replaces_permanent_row(R, rank)
    some_come_to_rest = False
    for g in range(N_MODES):
        some_come_to_rest = some_come_to_rest or (sticks_in_trial(R, g) and R.due[g] != 0.0 and R.mode_old[g] != 0.0)
    for g in range(N_MODES):
        row = MODE[g].first_row
        comes_to_rest = R.due[g] != 0.0 and R.mode_old[g] != 0.0
        is_replacement = replaces and (comes_to_rest or (not some_come_to_rest and R.mode_old[g] != 0.0))
        if sticks_in_trial(R, g) and (
            is_replacement or abs(R.multipliers[row]) > stop_time * capacity(R, g, R.multipliers[row])
        ):
            slip = -1.0 if R.rates_before[row] > 0.0 else 1.0
            R.modes[g] = -R.mode_old[g] if comes_to_rest else slip
            R.candidate[g] = GIVEN_UP
            some_released = True
    return some_released


def sticks_in_trial(R: Record, g: int) -> bool:
    """True for friction that sticks in a trial of modes."""
    return MODE[g].role == FRICTION and R.candidate[g] > 0.0 and R.modes[g] == 0.0


def is_bilateral(R: Record, mode: int) -> bool:
    """True for rows that stay engaged under any force: of permanent closures, engaged latches and locks.

    `mode` is an entry of ROW_MODE or LOOP_MODE: 1 + the number of a closure with modes, or 0 for a permanent one.
    """
    return mode == 0 or (MODE[mode - 1].role == LATCH and R.modes[mode - 1] == 0.0)


def bilateral_rank(R: Record) -> float:
    """Return the number of active rows of the closures that stay engaged under any force."""
    rank = 0.0
    for loop in range(N_LOOPS):
        if is_bilateral(R, LOOP_MODE[loop]):
            rank += R.ranks[loop]
    return rank


def replaces_permanent_row(R: Record, rank: float) -> bool:
    """True if the row of a friction that sticks in a trial has replaced a bilateral row, which then accelerates.

    The two rows are dependent, and the friction row may be eliminated first. `rank` is `bilateral_rank` without it. If
    the omitted row does not accelerate, as when all is at rest, the trial is valid.
    """
    if bilateral_rank(R) >= rank:
        return False
    most = 0.0
    for k in range(N_ROWS):
        if is_bilateral(R, ROW_MODE[k]):
            most = max(most, abs(R.row_accelerations[k]))
    return most > 1.0e-6 * largest_row_acceleration(R)


def slip_has_reversed(R: Record, g: int) -> bool:
    """True if the row rate of a slipping friction has reversed its sign because other closures have engaged."""
    closure = MODE[g]
    slips = closure.role == FRICTION and R.candidate[g] == 0.0 and not has_no_capacity(R, g)
    return slips and R.modes[g] * R.row_rates[closure.first_row] > R.rate_thresholds[closure.first_row]


def release_redundant_contacts(R: Record) -> None:
    """Release engaged contacts whose rows are omitted as dependent: they carry no force."""
    for g in range(N_MODES):
        closure = MODE[g]
        if closure.role == UNILATERAL and R.modes[g] == 0.0 and R.ranks[ROW_LOOP[closure.first_row]] == 0.0:
            R.modes[g] = -1.0


def held_contacts_cause_approach(R: Record) -> bool:
    """True if released contacts approach faster than before, because others that separated slowly are engaged."""
    some_approach = False
    for g in range(N_MODES):
        closure = MODE[g]
        row = closure.first_row
        touches = (
            closure.role == UNILATERAL
            and R.modes[g] != 0.0
            and R.residuals[row] <= CONTACT_GAP * R.characteristic_length
        )
        some_approach = some_approach or (
            touches and R.row_rates[row] < min(0.0, R.rates_before[row]) - R.rate_thresholds[row]
        )
    return some_approach


def note_lacking_capacity(R: Record) -> None:
    """Mark the friction closures that have no capacity now."""
    for g in range(N_MODES):
        R.lacks_capacity[g] = 1.0 if MODE[g].role == FRICTION and has_no_capacity(R, g) else 0.0


def find_row_accelerations(R: Record) -> None:
    """Compute `multiplier_rates`, lambda of all rows, and `row_accelerations`; expects fresh rates."""
    D = R.second
    set_motion_tangents(R, D)
    solve_d(R, D)
    for k in range(N_ROWS):
        R.multiplier_rates[k] = D.multipliers[k]
    row_rates_d(R, D)
    for k in range(N_ROWS):
        R.row_accelerations[k] = D.row_rates[k]


def detect_due(R: Record) -> bool:
    """Update which modes are due; return True if there are any.

    A mode whose end was passed without being located, for example by an assignment, is due with OVERRUN.
    """
    some_due = False
    for g in range(N_MODES):
        watched = R.watched[g]
        if R.due[g] == 0.0 and watched.side > 0.0 and R.now[g] <= 0.0 and abs(R.now[g]) > watched.zone:
            R.due[g] = OVERRUN
        some_due = some_due or R.due[g] != 0.0
    return some_due


def clear_residual_offsets(R: Record) -> bool:
    """Clear the offsets of open contacts, slipping friction and freewheels that have left their ends; True if any.

    With its offset a contact would strike at the residual at which it separated. A contact that opens slowly has a
    residual of rounding for a while.
    """
    some_cleared = False
    for g in range(N_MODES):
        closure = MODE[g]
        row = closure.first_row
        has_left = closure.role == UNILATERAL and R.residuals[row] > APART_SHARE * R.characteristic_length
        if watches_rate(g):
            has_left = R.now[g] > -2.0 * R.residual_offsets[row]
        if has_left and R.residual_offsets[row] != 0.0:
            R.residual_offsets[row] = 0.0
            some_cleared = True
    return some_cleared


def keep_residual_offsets(R: Record) -> None:
    """Store the residual offsets of modes at the beginning of a part of a step."""
    for g in range(N_MODES):
        R.looked[g].offset = R.residual_offsets[MODE[g].first_row]


def restore_residual_offsets(R: Record) -> None:
    """Restore the residual offsets of modes, because a part of a step is repeated: it may not leave their ends."""
    for g in range(N_MODES):
        R.residual_offsets[MODE[g].first_row] = R.looked[g].offset


def clear_rounding_of_new_modes(R: Record) -> None:
    """Compute the distances of newly chosen modes from their ends; they are positive but for latches. None is due then.

    Distances that are zero or negative by rounding get offsets (`residual_offsets`). A contact that separates, or that
    other contacts carry, has the residual at which it was engaged, possibly slightly inside the surface. If ends are
    detected at step ends only, a striking contact is inside by the motion of a step, and this depth must not become its
    offset. The row of a slipping friction may be at rest because others hold it, or reverse for an instant.
    """
    for g in range(N_MODES):
        closure = MODE[g]
        row = closure.first_row
        if watches_rate(g):
            R.residual_offsets[row] = 0.0
        elif closure.role == UNILATERAL:
            R.residual_offsets[row] = 0.0
            if R.modes[g] != 0.0 and (R.mode_old[g] == 0.0 or R.candidate[g] != 0.0):
                R.residual_offsets[row] = min(0.0, R.residuals[row]) - OPEN_SHARE * R.characteristic_length
            elif R.modes[g] != 0.0 and R.at_steps == 0.0:
                R.residual_offsets[row] = min(0.0, R.residuals[row])
    mode_values(R)
    for g in range(N_MODES):
        row = MODE[g].first_row
        least_distance = max(R.rate_thresholds[row], 1.0e-300)  # positive even if all is at rest without load
        if watches_rate(g) and R.modes[g] != 0.0 and R.now[g] < least_distance:
            R.residual_offsets[row] = R.now[g] - least_distance
            R.now[g] = least_distance
        if MODE[g].role != LATCH:
            R.now[g] = max(R.now[g], 1.0e-300)
        R.due[g] = 0.0
