"""Kernels that choose constraint modes: which closures are engaged after a mode has ended.

The modules of models whose closures have constraint modes contain these kernels. docs/equations_loops.md, section
"constraint modes", has the equations. Contacts and friction form one convex problem (L13). Its unknowns are impulses if
velocities jump, and forces if they do not. Each trial of the search evaluates the model as usual, with a different set
of engaged closures. A closure that violates (L13) is inadmissible and changes its mode for the next trial.

g numbers the closures with modes; MODE[g].role is LATCH, UNILATERAL (contacts, and freewheels with `rated` = 1) or
FRICTION. `R.modes[g]` is 0 if closure g is engaged (a contact touches, friction sticks). Else it is -1 or 1: a slipping
friction exerts a force with this sign; all other closures exert none. `R.mode_old` are the modes before the change.
`R.due[g]` is not 0 if the mode has ended. `R.now[g]` is the distance of a mode from its end (`mode_values`).
`R.candidate[g]` is 1 if closure g takes part in the search, else 0. It is GIVEN_UP for a contact whose rate an impact
could not change, and for a closure that the search has released for good. `R.row_rates` are the rates r of rows,
`R.row_accelerations` their time derivatives, `R.multiplier_rates` the multipliers lambda.
"""

from ...record.schema import MODE, N_MODES, N_ROWS, NV, ROW_LOOP, Inputs, Record
from ..constants import (
    FREE_SELECTION,
    FRICTION,
    FROZEN_SELECTION,
    GIVEN_UP,
    LATCH,
    MOST_TRIALS,
    NO_SELECTION,
    OK,
    OVERRUN,
    UNILATERAL,
    UNSETTLED,
)
from ..linked import align, conditions, derive, fail, mode_numbers, row_rates, solve
from ..logs import energy_of_rates
from ..tolerances import CONTACT_GAP, LATCH_ROUNDING_SHARE, ZERO_SHARE
from .islands import share_restitution
from .loops import conclude_preparation, transfer_impulses
from .mode_ends import (
    bilateral_rank,
    capacity,
    clear_rounding_of_new_modes,
    detect_due,
    find_row_accelerations,
    has_no_capacity,
    held_contacts_cause_approach,
    mode_values,
    note_lacking_capacity,
    release_redundant_contacts,
    release_weak_friction,
    slip_has_reversed,
)
from .mode_losses import add_losses, log_changes
from .mode_thresholds import (
    largest,
    largest_friction,
    largest_friction_acceleration,
    largest_row_acceleration,
    multiplier_threshold,
    rate_thresholds,
    rounding_share,
)
from .rows import count_rank, set_reference_pivots


def is_load_mode(w: int) -> bool:
    """True if function w is that of a contact or friction, whose new modes begin before their end."""
    return w < N_MODES and MODE[w].role != LATCH


def side_when_engaged(R: Record, w: int, side: float) -> float:
    """Return the side of function w, that of a latch that has just engaged, if its motion gives `side`.

    A condition for release that rests has the sign of its value, or at equality, up to rounding, what equality counts
    as: it is met, or leaving equality meets it (side 0).
    """
    if side != 0.0:
        return side
    if abs(R.now[w]) > LATCH_ROUNDING_SHARE * R.watched[w].reach:
        return 1.0 if R.now[w] > 0.0 else -1.0
    return -1.0 if MODE[w].equal > 0 else 0.0


def change_ended_modes(R: Record, U: Inputs, h: float, controlled: bool) -> int:
    """Change constraint modes that have ended, in the last part of a step or by assignments; return a status.

    `h` is the size of the next step (s), `controlled` true if it has error control. Expects and leaves a state with
    fresh rates; re-bases its momenta before modes change. An impact has no restitution if the flight after it would be
    much shorter than a step. R.looked[g].acted becomes 1 for each mode that was due or has changed.
    """
    mode_values(R)
    if not detect_due(R):
        return OK
    for g in range(N_MODES):
        R.looked[g].acted = 1.0 if R.due[g] != 0.0 else 0.0
    if R.transfer_each_step == 0.0:  # the impulses of a closure that is released must not become motion
        transfer_impulses(R)
    share = 0.1 if R.at_steps == 0.0 else 2.0  # of a step: a shorter flight after an impact counts as rest
    R.impulses_before[:] = R.impact_impulses
    status = change_modes(R, 1.0e-6 if controlled else max(1.0e-6, share * h))
    if status != OK:
        return fail(R, int(R.fault), h, status)
    for k in range(N_ROWS):  # the last impact of a row keeps its impulse
        R.impact_impulses[k] = R.impulses_before[k] if R.impact_impulses[k] == 0.0 else R.impact_impulses[k]
    clear_rounding_of_new_modes(R)
    for g in range(N_MODES):
        R.looked[g].acted = 1.0 if R.modes[g] != R.mode_old[g] else R.looked[g].acted
    note_lacking_capacity(R)
    return conclude_preparation(R, h)


def change_modes(R: Record, rest_time: float) -> int:
    """Choose new modes, with the rows of all closures evaluated; return a status. Sets `mode_old`."""
    R.mode_old[:] = R.modes
    R.all_rows = 1.0
    status = choose_modes(R, rest_time)
    R.all_rows = 0.0
    return status


def choose_modes(R: Record, rest_time: float) -> int:
    """Choose new modes: switch latches, solve impacts until none is left, then solve for forces; return a status.

    Logs the changes. Expects the rows of all closures to be evaluated. UNSETTLED means that no admissible modes were
    found.
    """
    energy = energy_of_rates(R)
    find_row_accelerations(R)
    R.rates_before[:] = R.row_rates
    for k in range(N_ROWS):
        R.impact_impulses[k] = 0.0
        R.rebounds[k] = 0.0
    for g in range(N_MODES):
        R.energy_losses[g] = R.candidate[g] = 0.0
    strikes = switch_due_latches(R)
    strikes = select_impacting_contacts(R, rest_time, 1.0) or strikes
    for impact in range(MOST_TRIALS):
        if strikes:
            if not solve_impact(R):
                return UNSETTLED
            # later impacts have no restitution: without losses they might not end
            strikes = select_impacting_contacts(R, rest_time, 1.0 if impact < 20 else 0.0)
    if strikes or not solve_forces_at_rest(R, rest_time):
        return UNSETTLED
    R.row_selection = FREE_SELECTION
    derive(R)
    count_rank(R)
    transfer_impulses(R)
    log_changes(R, energy)
    return OK


def switch_due_latches(R: Record) -> bool:
    """Engage or release latches that are due; return True if one engages."""
    some_engage = False
    for g in range(N_MODES):
        closure = MODE[g]
        if closure.role == LATCH and R.due[g] != 0.0:
            if R.modes[g] == 0.0:
                R.modes[g] = -1.0
            else:
                lock_at_present_position(R, g)
                R.modes[g] = 0.0
                R.row_selection = NO_SELECTION
                set_reference_pivots(R, closure.first_row, closure.first_row + closure.rows)
                some_engage = True
    if some_engage:  # a frame that was rotated at the engagement has rotated the rows
        row_rates(R)
        R.rates_before[:] = R.row_rates
    return some_engage


def lock_at_present_position(R: Record, g: int) -> None:
    """Make the residuals of a closure zero at the present position.

    Rotates the closure's frame on body a if it has directions, and subtracts what remains of the residuals. Expects the
    poses and the rows of all closures to be evaluated.
    """
    closure = MODE[g]
    if closure.turned > 0:
        align(R)
        R.rotated_axes[closure.turned - 1] = R.aligned_axes[closure.turned - 1]
        conditions(R)
    for row in range(closure.first_row, closure.first_row + closure.rows):
        R.residual_offsets[row] += R.residuals[row]
        R.residuals[row] = 0.0


# -- impacts -------------------------------------------------------------------------------------------------


def select_impacting_contacts(R: Record, rest_time: float, most: float) -> bool:
    """Determine which contacts take part in an impact (`candidate`), and e r in `rebounds`; return True if one strikes.

    A contact takes part if it touches. It strikes if its rate r is negative, unless the last impact could not change
    this rate (GIVEN_UP). The restitution e is at most `most`, and zero if the flight after the impact would last less
    than `rest_time` (s).

    Contacts that strike at one instant and act on each other share the least of their restitutions (islands.py).
    """
    rounding = ZERO_SHARE * largest(R, R.rates_before, N_ROWS)
    rate_thresholds(R, rest_time)
    some_strike = False
    for g in range(N_MODES):
        closure = MODE[g]
        row = closure.first_row
        least_rate = max(rounding, R.rate_thresholds[row])
        touches = R.modes[g] == 0.0 or R.due[g] != 0.0 or R.residuals[row] <= CONTACT_GAP * R.characteristic_length
        if closure.role != UNILATERAL or not touches:
            R.candidate[g] = 0.0
        elif R.candidate[g] != GIVEN_UP:
            R.candidate[g] = 1.0
        R.strikes[g] = 0.0
        if R.candidate[g] > 0.0 and R.rates_before[row] < -least_rate:
            some_strike = True
            e = R.mode_numbers[g, 0]
            if -2.0 * e * R.rates_before[row] < -rest_time * R.row_accelerations[row]:
                e = 0.0
            R.strikes[g] = 1.0
            R.rebounds[row] = min(most, e)
    if some_strike:
        share_restitution(R)
        for g in range(N_MODES):
            row = MODE[g].first_row
            least_rate = max(rounding, R.rate_thresholds[row])
            fast = R.candidate[g] != 0.0 and abs(R.rates_before[row]) > least_rate
            R.rebounds[row] = R.rebounds[row] * R.rates_before[row] if fast else 0.0
    return some_strike


def solve_impact(R: Record) -> bool:
    """Compute impact impulses, and momenta and velocities after the impact; return False if no solution is found.

    For contacts: l >= 0, w = K v + gamma + e r >= 0, l w = 0 (Moreau's law), with the impulse l, the rate r before the
    impact and e r in `rebounds`. Friction is released, since it exerts no impact impulse. Contacts that rebound are
    released at the end. The impulses are transferred to the momenta and added to `impact_impulses`.
    """
    for g in range(N_MODES):
        closure = MODE[g]
        if closure.role == FRICTION:
            R.modes[g] = -1.0
        elif R.candidate[g] != 0.0:
            R.modes[g] = 0.0 if R.modes[g] == 0.0 or R.rebounds[closure.first_row] < 0.0 or R.due[g] != 0.0 else -1.0
    alpha = R.alpha
    R.alpha = 0.0
    R.in_impact = 1.0
    is_solved = False
    for trial in range(MOST_TRIALS):
        R.row_selection = FREE_SELECTION
        solve(R)
        row_rates(R)
        largest_momentum = largest(R, R.p, NV)
        largest_impulse = max(largest_momentum, largest(R, R.multipliers, N_ROWS))
        largest_rate = largest(R, R.rates_before, N_ROWS)
        for g in range(N_MODES):
            row = MODE[g].first_row
            # smaller rates count as zero
            least_rate = max(rounding_share() * R.reference_pivots[row] * largest_momentum, ZERO_SHARE * largest_rate)
            is_inadmissible = R.multipliers[row] < -multiplier_threshold(R, row, largest_impulse, largest_rate)
            if R.modes[g] != 0.0:
                is_inadmissible = R.row_rates[row] + R.rebounds[row] < -least_rate
            R.now[g] = 1.0 if R.candidate[g] != 0.0 and is_inadmissible else 0.0
        if not switch_inadmissible(R, trial):
            is_solved = True
            break
    add_losses(R)
    for g in range(N_MODES):
        row = MODE[g].first_row
        if R.candidate[g] != 0.0:
            is_redundant = R.modes[g] == 0.0 and R.ranks[ROW_LOOP[row]] == 0.0
            R.candidate[g] = GIVEN_UP if is_redundant else 1.0
        if R.candidate[g] != 0.0 and R.rebounds[row] != 0.0:
            R.modes[g] = -1.0
    for k in range(N_ROWS):
        R.impact_impulses[k] += R.multipliers[k]
    R.rates_before[:] = R.row_rates
    transfer_impulses(R)
    for k in range(N_ROWS):
        R.rebounds[k] = 0.0
    R.alpha = alpha
    R.in_impact = 0.0
    return is_solved


def switch_inadmissible(R: Record, trial: int) -> bool:
    """Switch the contacts that violate (L13) between engaged and released; return True if there was one.

    The first 20 trials switch all of them, later ones only the last. 1 in `now` marks these contacts; during an
    impact this region does not contain distances from mode ends.
    """
    switched = False
    for g in range(N_MODES - 1, -1, -1):
        if R.now[g] != 0.0 and (trial < 20 or not switched):
            R.modes[g] = -1.0 if R.modes[g] == 0.0 else 0.0
            switched = True
    return switched


# -- forces --------------------------------------------------------------------------------------------------


def solve_forces_at_rest(R: Record, rest_time: float) -> bool:
    """Call `solve_contact_forces` with alpha = 0, since stabilization would move rows at rest by more than rounding."""
    alpha = R.alpha
    R.alpha = 0.0
    is_solved = solve_contact_forces(R, rest_time)
    R.alpha = alpha
    return is_solved


def solve_contact_forces(R: Record, rest_time: float) -> bool:
    """Determine from the forces which contacts and friction at rest are engaged; False if no modes are admissible.

    A contact also counts as at rest if it separates so slowly that it returns within `rest_time` (s). Friction that is
    not at rest slips, and its force opposes the rate of its row.
    """
    R.multiplier_rates_before[:] = R.multiplier_rates
    find_accelerations(R)
    rest_rate = 1.0e-8 * max(largest(R, R.rates_before, N_ROWS), largest(R, R.row_rates, N_ROWS))
    rate_thresholds(R, rest_time)
    rank = bilateral_rank(R)
    if not find_candidates(R, rest_time, rest_rate):
        return True
    for trial in range(MOST_TRIALS):
        if trial == MOST_TRIALS // 2:
            release_fast_separating_contacts(R, 0.0)
        find_accelerations(R)
        changed = release_weak_friction(R, max(10.0 * rest_time, 1.0e-3), rank) or change_inadmissible(R, trial)
        if not changed and held_contacts_cause_approach(R):
            changed = release_fast_separating_contacts(R, rest_rate)
        if not changed:
            release_redundant_contacts(R)
            return True
    return False


def find_accelerations(R: Record) -> None:
    """Compute the rates of the rows' rates in the present modes, with rows chosen anew."""
    R.row_selection = FREE_SELECTION
    derive(R)
    R.row_selection = FROZEN_SELECTION
    mode_numbers(R)
    find_row_accelerations(R)


def find_candidates(R: Record, rest_time: float, rest_rate: float) -> bool:
    """Find the closures whose modes follow from the forces, and set the modes in which the search begins.

    Return True if there are any. Rates of rows up to `rest_rate` are rounding; `rest_time` (s) as in
    `solve_contact_forces`.
    """
    some_candidates = False
    some_begin_to_slip = False
    for g in range(N_MODES):
        some_begin_to_slip = some_begin_to_slip or (
            MODE[g].role == FRICTION and R.due[g] != 0.0 and R.mode_old[g] == 0.0
        )
    for g in range(N_MODES):
        closure = MODE[g]
        row = closure.first_row
        R.candidate[g] = 0.0
        rests = abs(R.row_rates[row]) <= max(rest_rate, R.rate_thresholds[row])
        returns = R.row_rates[row] > 0.0 and 2.0 * R.row_rates[row] < -rest_time * R.row_accelerations[row]
        if closure.role == UNILATERAL:
            near = R.residuals[row] <= CONTACT_GAP * R.characteristic_length
            touches = R.modes[g] == 0.0 or ((rests or returns) and near)
            R.candidate[g] = 1.0 if touches else 0.0
            if closure.rated > 0 and touches and R.due[g] != 0.0 and R.mode_old[g] != 0.0:
                R.modes[g] = 0.0  # without forces both modes are admissible, and the other has just ended
        elif closure.role == FRICTION:
            slow = R.at_steps != 0.0 or abs(R.row_rates[row]) <= rest_time * abs(R.row_accelerations[row])
            stops = R.due[g] != 0.0 and (R.due[g] != OVERRUN or slow)  # otherwise an impact has reversed the slip
            stops = stops and R.lacks_capacity[g] == 0.0  # friction whose capacity has just returned continues to slip
            R.candidate[g] = 1.0 if (rests or stops) and not has_no_capacity(R, g) else 0.0
            R.modes[g] = -1.0 if R.row_rates[row] > 0.0 else 1.0
            if R.candidate[g] != 0.0:  # it may stick; if another one begins to slip, the search begins with its mode
                R.modes[g] = R.mode_old[g] if some_begin_to_slip and R.due[g] == 0.0 else 0.0
            elif R.mode_old[g] != 0.0 and R.due[g] == 0.0 and has_no_capacity(R, g):
                R.modes[g] = R.mode_old[g]
        if R.candidate[g] != 0.0 and R.due[g] != 0.0 and R.mode_old[g] == 0.0:  # the search begins with it released
            R.modes[g] = 1.0 if closure.role == FRICTION and R.multiplier_rates_before[row] > 0.0 else -1.0
        some_candidates = some_candidates or R.candidate[g] != 0.0
    return some_candidates


def release_fast_separating_contacts(R: Record, fast: float) -> bool:
    """Release contacts that separate faster than `fast` (rate of the row); return True if there was one.

    If a row nearly depends on others, engaging it changes velocities so much that no forces are found, or that other
    contacts are driven together. If `fast` is zero, all contacts that were not engaged before are released too.
    """
    some_released = False
    for g in range(N_MODES):
        closure = MODE[g]
        row = closure.first_row
        separates = R.rates_before[row] > max(fast, R.rate_thresholds[row]) or (fast == 0.0 and R.mode_old[g] != 0.0)
        if closure.role == UNILATERAL and R.candidate[g] > 0.0 and separates:
            R.candidate[g] = GIVEN_UP
            R.modes[g] = -1.0
            some_released = True
    return some_released


def change_inadmissible(R: Record, trial: int) -> bool:
    """Change the modes of contacts and friction that violate (L13); return True if any changed.

    A contact is released if it pulls, and engaged if its row accelerates inward. Friction is released if its force
    exceeds the capacity or if other rows move it, and engaged if it accelerates against its slip. The first 20 trials
    change all of these modes, and the sign of a slip that has reversed; later trials change one mode.
    """
    generalized = largest(R, R.p_dot, NV)
    force = max(generalized, largest(R, R.multiplier_rates, N_ROWS))
    acceleration = largest(R, R.row_accelerations, N_ROWS)
    acceleration_of_row = largest_row_acceleration(R)
    term = max(force, largest_friction(R))
    acceleration_of_term = max(acceleration_of_row, largest_friction_acceleration(R))
    changed = False
    for g in range(N_MODES - 1, -1, -1):
        closure = MODE[g]
        row = closure.first_row
        if trial < 20 and slip_has_reversed(R, g):
            R.modes[g] = -R.modes[g]
            changed = True
        if R.candidate[g] <= 0.0 or (trial >= 20 and changed):
            continue
        # smaller accelerations and forces count as zero
        least_acceleration = max(rounding_share() * R.reference_pivots[row] * generalized, ZERO_SHARE * acceleration)
        if closure.role == FRICTION:  # where forces balance, p_dot is their rounding
            least_acceleration = max(
                least_acceleration, ZERO_SHARE * min(R.reference_pivots[row] * term, acceleration_of_term)
            )
        least_force = multiplier_threshold(R, row, force, acceleration_of_row)
        mode = R.modes[g]
        wanted = mode
        is_released = R.due[g] != 0.0 and R.mode_old[g] == 0.0  # only rounding would engage it again
        if closure.role == UNILATERAL:
            if mode == 0.0 and R.multiplier_rates[row] < -least_force:
                wanted = -1.0
            elif mode != 0.0 and R.row_accelerations[row] < -least_acceleration and not is_released:
                wanted = 0.0
        elif mode == 0.0:
            is_redundant = R.ranks[ROW_LOOP[row]] == 0.0
            if abs(R.multiplier_rates[row]) > capacity(R, g, R.multiplier_rates[row]) + least_force:
                wanted = 1.0 if R.multiplier_rates[row] > 0.0 else -1.0
            elif is_redundant and abs(R.row_accelerations[row]) > least_acceleration:  # other rows move it
                wanted = -1.0 if R.row_accelerations[row] > 0.0 else 1.0
        elif mode * R.row_accelerations[row] > least_acceleration and not is_released:
            wanted = 0.0
        if wanted != mode:
            R.modes[g] = wanted
            changed = True
    return changed
