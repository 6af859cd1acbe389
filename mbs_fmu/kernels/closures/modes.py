"""Kernels that choose constraint modes: which closures hold after a mode has ended (docs/equations_loops.md, modes).

The modules of models whose closures have constraint modes contain these kernels. Contacts and friction form one convex
problem. Its unknowns are impulses if velocities jump, and forces if they do not. Each trial of the search evaluates the
model as usual, with a different set of active rows.
"""

from ...kernels.constants import (
    ARMED,
    BEYOND,
    FREE_CHOICE,
    FROZEN_CHOICE,
    MOST_CHANGES,
    MOST_TRIALS,
    NO_CHOICE,
    OK,
    ONE_SIDED,
    PASSED,
    SLIGHT,
    STICKING,
    TOUCHING,
    UNSETTLED,
)
from ...record.schema import MODE, N_MODES, N_ROWS, NV, ROW_LOOP, Inputs, Record
from ..hooks import note_break
from ..linked import align, conditions, derive, mode_numbers, row_rates, solve
from .loops import rebase
from .mode_ends import (
    capacity,
    find_row_accelerations,
    forget_zeros,
    has_no_capacity,
    lasting_rank,
    leave_implied,
    mode_values,
    note_idle,
    pass_frictions,
    settle_values,
    some_ends,
    throws,
    turns_round,
    watch_reach,
    watches_rate,
)
from .mode_losses import add_losses, energy_of_rates, note_changes
from .mode_thresholds import (
    find_slow,
    largest,
    largest_friction,
    largest_friction_acceleration,
    largest_row_acceleration,
    least_multiplier_rate,
    rounding_share,
)
from .rows import count_rank, set_scales


def next_modes(R: Record, U: Inputs, rest: float) -> int:
    """Change constraint modes that have ended, are due, or were ended by inputs; return a status.

    Expects and leaves a state with fresh rates; re-bases it before modes change. An impact has no restitution if the
    flight after it would last less than `rest` (s).
    """
    interval = U.interval
    begin = R.marked
    if interval > 0.0:
        begin = 0.0 + int((R.time - U.start) / interval)
    if R.counted_from != begin:
        R.counted_from = begin
        R.changes = 0.0
    mode_values(R)
    while some_ends(R):  # a change may end other modes at the same instant
        note_break(R)
        if R.rebase == 0.0:  # the impulses of a closure that is released must not become motion
            rebase(R)
        R.impulses_before[:] = R.impact_impulses
        status = change_modes(R, rest)
        if status != OK:
            return status
        for k in range(N_ROWS):
            R.impact_impulses[k] = R.impulses_before[k] if R.impact_impulses[k] == 0.0 else R.impact_impulses[k]
        settle_values(R)
        for g in range(N_MODES):
            if MODE[g].role != ARMED or R.modes[g] != R.mode_old[g]:
                R.end_values[g] = R.end_now[g]
    forget_zeros(R)
    for g in range(N_MODES):
        closure = MODE[g]
        if watches_rate(g) and R.end_now[g] > -2.0 * R.zeros[closure.first_row]:
            R.zeros[closure.first_row] = 0.0
    R.end_values[:N_MODES] = R.end_now[:N_MODES]
    for g in range(N_MODES):
        if MODE[g].role == ARMED and R.modes[g] != 0.0:
            watch_reach(R, g)
    note_idle(R)
    return OK


def change_modes(R: Record, rest: float) -> int:
    """Choose new modes where some are due, as described in `next_modes`; return a status."""
    R.mode_old[:] = R.modes
    R.all_rows = 1.0
    status = choose_modes(R, rest)
    R.all_rows = 0.0
    return status


def choose_modes(R: Record, rest: float) -> int:
    """Choose new modes; return a status. Expects all rows to be evaluated."""
    energy = energy_of_rates(R)
    find_row_accelerations(R)
    R.rates_before[:] = R.row_rates
    for k in range(N_ROWS):
        R.impact_impulses[k] = 0.0
        R.rebounds[k] = 0.0
    for g in range(N_MODES):
        R.losses[g] = R.trial[g] = 0.0
    strikes = engage(R)
    strikes = approach(R, rest, 1.0) or strikes
    for again in range(MOST_TRIALS):
        if strikes:
            if not solve_impact(R):
                return UNSETTLED
            strikes = approach(R, rest, 1.0 if again < 20 else 0.0)  # restitution 0: without losses this might not end
    if strikes or not solve_forces_at_rest(R, rest):
        return UNSETTLED
    R.choice = FREE_CHOICE
    derive(R)
    count_rank(R)
    rebase(R)
    note_changes(R, energy)
    R.changes += 1.0
    return UNSETTLED if R.changes > MOST_CHANGES else OK


def engage(R: Record) -> bool:
    """Engage or release latches that are due; return True if one engages."""
    holds = False
    for g in range(N_MODES):
        closure = MODE[g]
        if closure.role == ARMED and R.due[g] != 0.0:
            if R.modes[g] == 0.0:
                R.modes[g] = -1.0
                R.released[g] = 1.0
            else:
                hold_here(R, g)
                R.modes[g] = 0.0
                R.choice = NO_CHOICE
                set_scales(R, closure.first_row, closure.first_row + closure.rows)
                holds = True
    if holds:  # a frame that has turned at the engagement has turned the rows
        row_rates(R)
        R.rates_before[:] = R.row_rates
    return holds


def hold_here(R: Record, g: int) -> None:
    """Make the present position the zero of a closure's conditions.

    Rotates the closure's frame on body a and offsets its residuals. Expects the poses and all rows to be evaluated.
    """
    closure = MODE[g]
    if closure.turned > 0:
        align(R)
        R.turned[closure.turned - 1] = R.aligned[closure.turned - 1]
        conditions(R)
    for row in range(closure.first_row, closure.first_row + closure.rows):
        R.zeros[row] += R.residuals[row]
        R.residuals[row] = 0.0


# -- impacts -------------------------------------------------------------------------------------------------


def approach(R: Record, rest: float, most: float) -> bool:
    """Determine which contacts take part in an impact (`trial`), and their rebound velocities (`rebounds`).

    Return True if a contact strikes. A contact that the last impact could not change (BEYOND) does not count as
    striking. `most` limits the restitution.

    If several contacts strike at one instant, the least of their restitutions applies to all, because different ones
    could create energy. It also applies to separating contacts: an impact elsewhere may drive them together, so that
    they strike next.
    """
    fast = SLIGHT * largest(R, R.rates_before, N_ROWS)
    find_slow(R, rest)
    least = most
    strikes = False
    for g in range(N_MODES):
        closure = MODE[g]
        row = closure.first_row
        slow = max(fast, R.slow[row])
        touches = R.modes[g] == 0.0 or R.due[g] != 0.0 or R.residuals[row] <= TOUCHING * R.length
        if closure.role != ONE_SIDED or not touches:
            R.trial[g] = 0.0
        elif R.trial[g] != BEYOND:
            R.trial[g] = 1.0
        if R.trial[g] > 0.0 and R.rates_before[row] < -slow:
            strikes = True
            e = R.mode_numbers[g, 0]
            if -2.0 * e * R.rates_before[row] < -rest * R.row_accelerations[row]:
                e = 0.0
            least = min(least, e)
    for g in range(N_MODES):
        row = MODE[g].first_row
        slow = max(fast, R.slow[row])
        if strikes and R.trial[g] != 0.0 and abs(R.rates_before[row]) > slow:
            R.rebounds[row] = least * R.rates_before[row]
    return strikes


def solve_impact(R: Record) -> bool:
    """Compute impact impulses, and momenta and velocities after the impact; return False if no solution is found.

    For contacts: l >= 0, w = K v + gamma + e r >= 0, l w = 0 (Moreau). Friction exerts no impact impulse.
    """
    for g in range(N_MODES):
        closure = MODE[g]
        if closure.role == STICKING:
            R.modes[g] = -1.0
        elif R.trial[g] != 0.0:
            R.modes[g] = 0.0 if R.modes[g] == 0.0 or R.rebounds[closure.first_row] < 0.0 or R.due[g] != 0.0 else -1.0
    alpha = R.alpha
    R.alpha = 0.0
    R.struck = 1.0
    is_solved = False
    for trial in range(MOST_TRIALS):
        R.choice = FREE_CHOICE
        solve(R)
        row_rates(R)
        impulse = largest(R, R.p, NV)
        most = max(impulse, largest(R, R.multipliers, N_ROWS))
        fast = largest(R, R.rates_before, N_ROWS)
        for g in range(N_MODES):
            row = MODE[g].first_row
            slow = max(rounding_share() * R.scales[row] * impulse, SLIGHT * fast)
            is_wrong = R.multipliers[row] < -least_multiplier_rate(R, row, most, fast)
            if R.modes[g] != 0.0:
                is_wrong = R.row_rates[row] + R.rebounds[row] < -slow
            R.end_now[g] = 1.0 if R.trial[g] != 0.0 and is_wrong else 0.0
        if not turn(R, trial):
            is_solved = True
            break
    add_losses(R)
    for g in range(N_MODES):
        own = MODE[g]
        if R.trial[g] != 0.0:
            is_left_out = R.modes[g] == 0.0 and R.ranks[ROW_LOOP[own.first_row]] == 0.0
            R.trial[g] = BEYOND if is_left_out else 1.0
        if R.trial[g] != 0.0 and R.rebounds[own.first_row] != 0.0:
            R.modes[g] = -1.0
    for k in range(N_ROWS):
        R.impact_impulses[k] += R.multipliers[k]
    R.rates_before[:] = R.row_rates
    rebase(R)
    for k in range(N_ROWS):
        R.rebounds[k] = 0.0
    R.alpha = alpha
    R.struck = 0.0
    return is_solved


def turn(R: Record, trial: int) -> bool:
    """Switch contacts whose state is wrong (`end_now`): all, in later trials only one; return True if any did."""
    turned = False
    for g in range(N_MODES - 1, -1, -1):
        if R.end_now[g] != 0.0 and (trial < 20 or not turned):
            R.modes[g] = -1.0 if R.modes[g] == 0.0 else 0.0
            turned = True
    return turned


# -- forces --------------------------------------------------------------------------------------------------


def solve_forces_at_rest(R: Record, rest: float) -> bool:
    """Call `solve_contact_forces` without stabilization, which would move rows at rest by more than rounding."""
    alpha = R.alpha
    R.alpha = 0.0
    is_solved = solve_contact_forces(R, rest)
    R.alpha = alpha
    return is_solved


def solve_contact_forces(R: Record, rest: float) -> bool:
    """Determine from the required forces which contacts and friction at rest hold; False if no modes are admissible.

    A contact also counts as at rest if it separates so slowly that it returns within `rest` (s).
    """
    R.multiplier_rates_before[:] = R.multiplier_rates
    R.choice = FREE_CHOICE
    derive(R)
    R.choice = FROZEN_CHOICE
    mode_numbers(R)
    find_row_accelerations(R)
    fast = 1.0e-8 * max(largest(R, R.rates_before, N_ROWS), largest(R, R.row_rates, N_ROWS))
    find_slow(R, rest)
    rank = lasting_rank(R)
    asks = False
    frees = False
    for g in range(N_MODES):
        frees = frees or (MODE[g].role == STICKING and R.due[g] != 0.0 and R.mode_old[g] == 0.0)
    for g in range(N_MODES):
        closure = MODE[g]
        row = closure.first_row
        R.trial[g] = 0.0
        rests = abs(R.row_rates[row]) <= max(fast, R.slow[row])
        returns = R.row_rates[row] > 0.0 and 2.0 * R.row_rates[row] < -rest * R.row_accelerations[row]
        if closure.role == ONE_SIDED:
            near = R.residuals[row] <= TOUCHING * R.length
            touches = R.modes[g] == 0.0 or ((rests or returns) and near)
            R.trial[g] = 1.0 if touches else 0.0
            if closure.rated > 0 and touches and R.due[g] != 0.0 and R.mode_old[g] != 0.0:
                R.modes[g] = 0.0  # without forces both modes are admissible, and the other has just ended
        elif closure.role == STICKING:
            slight = R.at_steps != 0.0 or abs(R.row_rates[row]) <= rest * abs(R.row_accelerations[row])
            stops = R.due[g] != 0.0 and (R.due[g] != PASSED or slight)  # otherwise an impact has reversed it
            stops = stops and R.idle[g] == 0.0  # when its capacity returns, it continues to slip
            R.trial[g] = 1.0 if (rests or stops) and not has_no_capacity(R, g) else 0.0
            R.modes[g] = -1.0 if R.row_rates[row] > 0.0 else 1.0
            if R.trial[g] != 0.0:  # if another friction is released, this one may stick at its full capacity
                R.modes[g] = R.mode_old[g] if frees and R.due[g] == 0.0 else 0.0
            elif R.mode_old[g] != 0.0 and R.due[g] == 0.0 and has_no_capacity(R, g):
                R.modes[g] = R.mode_old[g]
        if R.trial[g] != 0.0 and R.due[g] != 0.0 and R.mode_old[g] == 0.0:  # its capacity is exhausted
            R.modes[g] = 1.0 if closure.role == STICKING and R.multiplier_rates_before[row] > 0.0 else -1.0
        asks = asks or R.trial[g] != 0.0
    if not asks:
        return True
    for trial in range(MOST_TRIALS):
        if trial == MOST_TRIALS // 2:
            part(R, 0.0)
        R.choice = FREE_CHOICE
        derive(R)
        R.choice = FROZEN_CHOICE
        mode_numbers(R)
        find_row_accelerations(R)
        changed = pass_frictions(R, max(10.0 * rest, 1.0e-3), rank) or change_inadmissible(R, trial)
        if not changed and throws(R):
            changed = part(R, fast)
        if not changed:
            leave_implied(R)
            return True
    return False


def part(R: Record, fast: float) -> bool:
    """Let contacts that separate faster than `fast` continue to separate; return True if there was one.

    If a row nearly depends on others, holding it changes velocities so much that no forces are found, or that other
    contacts are driven together. If `fast` is zero, all contacts that did not hold before separate as well.
    """
    parted = False
    for g in range(N_MODES):
        closure = MODE[g]
        row = closure.first_row
        parts = R.rates_before[row] > max(fast, R.slow[row]) or (fast == 0.0 and R.mode_old[g] != 0.0)
        if closure.role == ONE_SIDED and R.trial[g] > 0.0 and parts:
            R.trial[g] = BEYOND
            R.modes[g] = -1.0
            parted = True
    return parted


def change_inadmissible(R: Record, trial: int) -> bool:
    """Change the modes of contacts and friction with inadmissible forces or motions; return True if any changed."""
    force = largest(R, R.p_dot, NV)
    most = max(force, largest(R, R.multiplier_rates, N_ROWS))
    fast = largest(R, R.row_accelerations, N_ROWS)
    pull = largest_row_acceleration(R)
    terms = max(most, largest_friction(R))
    rub = max(pull, largest_friction_acceleration(R))
    changed = False
    for g in range(N_MODES - 1, -1, -1):
        closure = MODE[g]
        row = closure.first_row
        if trial < 20 and turns_round(R, g):
            R.modes[g] = -R.modes[g]
            changed = True
        if R.trial[g] <= 0.0 or (trial >= 20 and changed):
            continue
        slow = max(rounding_share() * R.scales[row] * force, SLIGHT * fast)
        if closure.role == STICKING:  # where forces balance, p_dot is their rounding
            slow = max(slow, SLIGHT * min(R.scales[row] * terms, rub))
        weak = least_multiplier_rate(R, row, most, pull)
        mode = R.modes[g]
        wanted = mode
        is_released = R.due[g] != 0.0 and R.mode_old[g] == 0.0  # certain: only rounding would hold it again
        if closure.role == ONE_SIDED:
            if mode == 0.0 and R.multiplier_rates[row] < -weak:
                wanted = -1.0
            elif mode != 0.0 and R.row_accelerations[row] < -slow and not is_released:
                wanted = 0.0
        elif mode == 0.0:
            is_left_out = R.ranks[ROW_LOOP[row]] == 0.0
            if abs(R.multiplier_rates[row]) > capacity(R, g, R.multiplier_rates[row]) + weak:
                wanted = 1.0 if R.multiplier_rates[row] > 0.0 else -1.0
            elif is_left_out and abs(R.row_accelerations[row]) > slow:  # other rows move it
                wanted = -1.0 if R.row_accelerations[row] > 0.0 else 1.0
        elif mode * R.row_accelerations[row] > slow and not is_released:
            wanted = 0.0
        if wanted != mode:
            R.modes[g] = wanted
            changed = True
    return changed
