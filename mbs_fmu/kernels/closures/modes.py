"""Kernels that choose constraint modes: which closures hold after a mode has ended (docs/equations_loops.md, modes).

The modules of models whose closures have constraint modes contain these kernels. Contacts and friction form one convex
problem. Its unknowns are impulses if velocities jump, and forces if they do not. Each trial of the search evaluates the
model as usual, with a different set of active rows.
"""

from ..declarations import Record
from ..hooks import note_break
from ..linked import align, conditions, copy, derive, mode_numbers, row_rates, solve
from ..names import AT_STEPS, CLOCK, DUE, END_NOW, END_VALUES, F0, FIRST_P, N_MODES, NV, OK, P0, TIME
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
from .names import (
    ALIGNED,
    ALL_ROWS,
    ALPHA,
    ARMED,
    BEYOND,
    CHANGES,
    CHOICE,
    COUNTED_FROM,
    FREE_CHOICE,
    FROZEN_CHOICE,
    IDLE,
    IMPACT_IMPULSES,
    IMPULSES_BEFORE,
    LENGTH,
    LOSSES,
    MARKED,
    MODE_FIRST,
    MODE_NUMBERS,
    MODE_OLD,
    MODE_RATED,
    MODE_ROLE,
    MODE_ROWS,
    MODE_TURNED,
    MODES,
    MOST_CHANGES,
    MOST_TRIALS,
    MULTIPLIER_RATES,
    MULTIPLIER_RATES_BEFORE,
    MULTIPLIERS,
    N_ROWS,
    NO_CHOICE,
    ONE_SIDED,
    PASSED,
    PER_MODE,
    RANKS,
    RATES_BEFORE,
    REBASE,
    REBOUNDS,
    RELEASED,
    RESIDUALS,
    ROW_ACCELERATIONS,
    ROW_LOOP,
    ROW_RATES,
    SCALES,
    SLIGHT,
    SLOW,
    STICKING,
    STRUCK,
    TOUCHING,
    TRIAL,
    TURNED,
    UNSETTLED,
    ZEROS,
)
from .rows import count_rank, set_scales


def next_modes(R: Record, U: Record, rest: float) -> int:
    """Change constraint modes that have ended, are due, or were ended by inputs; return a status.

    Expects and leaves a state with fresh rates; re-bases it before modes change. An impact has no restitution if the
    flight after it would last less than `rest` (s).

    Reads: U, impact_impulses, impulses_before, end_now, head, loop_state, mode_old, modes, zeros. Writes:
    impact_impulses, impulses_before, end_values, loop_state, zeros.
    """
    interval = U[CLOCK + 1]
    begin = R[MARKED]
    if interval > 0.0:
        begin = 0.0 + int((R[TIME] - U[CLOCK]) / interval)
    if R[COUNTED_FROM] != begin:
        R[COUNTED_FROM] = begin
        R[CHANGES] = 0.0
    mode_values(R)
    while some_ends(R):  # a change may end other modes at the same instant
        note_break(R)
        if R[REBASE] == 0.0:  # the impulses of a closure that is released must not become motion
            rebase(R)
        copy(R, IMPACT_IMPULSES, IMPULSES_BEFORE, N_ROWS)
        status = change_modes(R, rest)
        if status != OK:
            return status
        for k in range(N_ROWS):
            R[IMPACT_IMPULSES + k] = R[IMPULSES_BEFORE + k] if R[IMPACT_IMPULSES + k] == 0.0 else R[IMPACT_IMPULSES + k]
        settle_values(R)
        for g in range(N_MODES):
            if MODE_ROLE[g] != ARMED or R[MODES + g] != R[MODE_OLD + g]:
                R[END_VALUES + g] = R[END_NOW + g]
    forget_zeros(R)
    for g in range(N_MODES):
        if watches_rate(g) and R[END_NOW + g] > -2.0 * R[ZEROS + MODE_FIRST[g]]:
            R[ZEROS + MODE_FIRST[g]] = 0.0
    copy(R, END_NOW, END_VALUES, N_MODES)
    for g in range(N_MODES):
        if MODE_ROLE[g] == ARMED and R[MODES + g] != 0.0:
            watch_reach(R, g)
    note_idle(R)
    return OK


def change_modes(R: Record, rest: float) -> int:
    """Choose new modes where some are due, as described in `next_modes`; return a status.

    Reads: modes. Writes: loop_state, mode_old.
    """
    copy(R, MODES, MODE_OLD, N_MODES)
    R[ALL_ROWS] = 1.0
    status = choose_modes(R, rest)
    R[ALL_ROWS] = 0.0
    return status


def choose_modes(R: Record, rest: float) -> int:
    """Choose new modes; return a status. Expects all rows to be evaluated.

    Reads: loop_state, row_rates. Writes: impact_impulses, loop_state, losses, rates_before, rebounds, trial.
    """
    energy = energy_of_rates(R)
    find_row_accelerations(R)
    copy(R, ROW_RATES, RATES_BEFORE, N_ROWS)
    for k in range(N_ROWS):
        R[IMPACT_IMPULSES + k] = 0.0
        R[REBOUNDS + k] = 0.0
    for g in range(N_MODES):
        R[LOSSES + g] = R[TRIAL + g] = 0.0
    strikes = engage(R)
    strikes = approach(R, rest, 1.0) or strikes
    for again in range(MOST_TRIALS):
        if strikes:
            if not solve_impact(R):
                return UNSETTLED
            strikes = approach(R, rest, 1.0 if again < 20 else 0.0)  # restitution 0: without losses this might not end
    if strikes or not solve_forces_at_rest(R, rest):
        return UNSETTLED
    R[CHOICE] = FREE_CHOICE
    derive(R)
    count_rank(R)
    rebase(R)
    note_changes(R, energy)
    R[CHANGES] += 1.0
    return UNSETTLED if R[CHANGES] > MOST_CHANGES else OK


def engage(R: Record) -> bool:
    """Engage or release latches that are due; return True if one engages.

    Reads: due, modes, row_rates. Writes: rates_before, released, loop_state, modes.
    """
    holds = False
    for g in range(N_MODES):
        if MODE_ROLE[g] == ARMED and R[DUE + g] != 0.0:
            if R[MODES + g] == 0.0:
                R[MODES + g] = -1.0
                R[RELEASED + g] = 1.0
            else:
                hold_here(R, g)
                R[MODES + g] = 0.0
                R[CHOICE] = NO_CHOICE
                set_scales(R, MODE_FIRST[g], MODE_FIRST[g] + MODE_ROWS[g])
                holds = True
    if holds:  # a frame that has turned at the engagement has turned the rows
        row_rates(R)
        copy(R, ROW_RATES, RATES_BEFORE, N_ROWS)
    return holds


def hold_here(R: Record, g: int) -> None:
    """Make the present position the zero of a closure's conditions.

    Rotates the closure's frame on body a and offsets its residuals. Expects the poses and all rows to be evaluated.

    Reads: aligned, residuals, zeros. Writes: residuals, turned, zeros.
    """
    if MODE_TURNED[g] > 0:
        align(R)
        copy(R, ALIGNED + 9 * (MODE_TURNED[g] - 1), TURNED + 9 * (MODE_TURNED[g] - 1), 9)
        conditions(R)
    for row in range(MODE_FIRST[g], MODE_FIRST[g] + MODE_ROWS[g]):
        R[ZEROS + row] += R[RESIDUALS + row]
        R[RESIDUALS + row] = 0.0


# -- impacts -------------------------------------------------------------------------------------------------


def approach(R: Record, rest: float, most: float) -> bool:
    """Determine which contacts take part in an impact (TRIAL), and their rebound velocities (REBOUNDS).

    Return True if a contact strikes. A contact that the last impact could not change (BEYOND) does not count as
    striking. `most` limits the restitution.

    If several contacts strike at one instant, the least of their restitutions applies to all, because different ones
    could create energy. It also applies to separating contacts: an impact elsewhere may drive them together, so that
    they strike next.

    Reads: due, loop_state, mode_numbers, modes, row_accelerations, rates_before, residuals, slow, trial. Writes:
    rebounds, trial.
    """
    fast = SLIGHT * largest(R, RATES_BEFORE, N_ROWS)
    find_slow(R, rest)
    least = most
    strikes = False
    for g in range(N_MODES):
        row = MODE_FIRST[g]
        slow = max(fast, R[SLOW + row])
        touches = R[MODES + g] == 0.0 or R[DUE + g] != 0.0 or R[RESIDUALS + row] <= TOUCHING * R[LENGTH]
        if MODE_ROLE[g] != ONE_SIDED or not touches:
            R[TRIAL + g] = 0.0
        elif R[TRIAL + g] != BEYOND:
            R[TRIAL + g] = 1.0
        if R[TRIAL + g] > 0.0 and R[RATES_BEFORE + row] < -slow:
            strikes = True
            e = R[MODE_NUMBERS + PER_MODE * g]
            if -2.0 * e * R[RATES_BEFORE + row] < -rest * R[ROW_ACCELERATIONS + row]:
                e = 0.0
            least = min(least, e)
    for g in range(N_MODES):
        row = MODE_FIRST[g]
        slow = max(fast, R[SLOW + row])
        if strikes and R[TRIAL + g] != 0.0 and abs(R[RATES_BEFORE + row]) > slow:
            R[REBOUNDS + row] = least * R[RATES_BEFORE + row]
    return strikes


def solve_impact(R: Record) -> bool:
    """Compute impact impulses, and momenta and velocities after the impact; return False if no solution is found.

    For contacts: l >= 0, w = K v + gamma + e r >= 0, l w = 0 (Moreau). Friction exerts no impact impulse.

    Reads: due, impact_impulses, loop_state, losses, modes, multipliers, p, ranks, rates_before, rebounds,
    residual_rates, row_rates, scales, trial. Writes: end_now, impact_impulses, loop_state, losses, modes, rates_before,
    rebounds, trial.
    """
    for g in range(N_MODES):
        if MODE_ROLE[g] == STICKING:
            R[MODES + g] = -1.0
        elif R[TRIAL + g] != 0.0:
            R[MODES + g] = (
                0.0 if R[MODES + g] == 0.0 or R[REBOUNDS + MODE_FIRST[g]] < 0.0 or R[DUE + g] != 0.0 else -1.0
            )
    alpha = R[ALPHA]
    R[ALPHA] = 0.0
    R[STRUCK] = 1.0
    is_solved = False
    for trial in range(MOST_TRIALS):
        R[CHOICE] = FREE_CHOICE
        solve(R)
        row_rates(R)
        impulse = largest(R, P0, NV)
        most = max(impulse, largest(R, MULTIPLIERS, N_ROWS))
        fast = largest(R, RATES_BEFORE, N_ROWS)
        for g in range(N_MODES):
            row = MODE_FIRST[g]
            slow = max(rounding_share() * R[SCALES + row] * impulse, SLIGHT * fast)
            is_wrong = R[MULTIPLIERS + row] < -least_multiplier_rate(R, row, most, fast)
            if R[MODES + g] != 0.0:
                is_wrong = R[ROW_RATES + row] + R[REBOUNDS + row] < -slow
            R[END_NOW + g] = 1.0 if R[TRIAL + g] != 0.0 and is_wrong else 0.0
        if not turn(R, trial):
            is_solved = True
            break
    add_losses(R)
    for g in range(N_MODES):
        if R[TRIAL + g] != 0.0:
            is_left_out = R[MODES + g] == 0.0 and R[RANKS + ROW_LOOP[MODE_FIRST[g]]] == 0.0
            R[TRIAL + g] = BEYOND if is_left_out else 1.0
        if R[TRIAL + g] != 0.0 and R[REBOUNDS + MODE_FIRST[g]] != 0.0:
            R[MODES + g] = -1.0
    for k in range(N_ROWS):
        R[IMPACT_IMPULSES + k] += R[MULTIPLIERS + k]
    copy(R, ROW_RATES, RATES_BEFORE, N_ROWS)
    rebase(R)
    for k in range(N_ROWS):
        R[REBOUNDS + k] = 0.0
    R[ALPHA] = alpha
    R[STRUCK] = 0.0
    return is_solved


def turn(R: Record, trial: int) -> bool:
    """Switch contacts whose state is wrong (END_NOW): all of them, in later trials only one; return True if any did.

    Reads: end_now, modes. Writes: modes.
    """
    turned = False
    for g in range(N_MODES - 1, -1, -1):
        if R[END_NOW + g] != 0.0 and (trial < 20 or not turned):
            R[MODES + g] = -1.0 if R[MODES + g] == 0.0 else 0.0
            turned = True
    return turned


# -- forces --------------------------------------------------------------------------------------------------


def solve_forces_at_rest(R: Record, rest: float) -> bool:
    """Call `solve_contact_forces` without stabilization, which would move rows at rest by more than rounding.

    Reads: loop_state. Writes: loop_state.
    """
    alpha = R[ALPHA]
    R[ALPHA] = 0.0
    is_solved = solve_contact_forces(R, rest)
    R[ALPHA] = alpha
    return is_solved


def solve_contact_forces(R: Record, rest: float) -> bool:
    """Determine from the required forces which contacts and friction at rest hold; False if no modes are admissible.

    A contact also counts as at rest if it separates so slowly that it returns within `rest` (s).

    Reads: due, head, idle, multiplier_rates, loop_state, mode_old, modes, row_accelerations, rates_before, residuals,
    row_rates, slow, trial. Writes: multiplier_rates_before, loop_state, modes, trial.
    """
    copy(R, MULTIPLIER_RATES, MULTIPLIER_RATES_BEFORE, N_ROWS)
    R[CHOICE] = FREE_CHOICE
    derive(R)
    R[CHOICE] = FROZEN_CHOICE
    mode_numbers(R)
    find_row_accelerations(R)
    fast = 1.0e-8 * max(largest(R, RATES_BEFORE, N_ROWS), largest(R, ROW_RATES, N_ROWS))
    find_slow(R, rest)
    rank = lasting_rank(R)
    asks = False
    frees = False
    for g in range(N_MODES):
        frees = frees or (MODE_ROLE[g] == STICKING and R[DUE + g] != 0.0 and R[MODE_OLD + g] == 0.0)
    for g in range(N_MODES):
        row = MODE_FIRST[g]
        R[TRIAL + g] = 0.0
        rests = abs(R[ROW_RATES + row]) <= max(fast, R[SLOW + row])
        returns = R[ROW_RATES + row] > 0.0 and 2.0 * R[ROW_RATES + row] < -rest * R[ROW_ACCELERATIONS + row]
        if MODE_ROLE[g] == ONE_SIDED:
            near = R[RESIDUALS + row] <= TOUCHING * R[LENGTH]
            touches = R[MODES + g] == 0.0 or ((rests or returns) and near)
            R[TRIAL + g] = 1.0 if touches else 0.0
            if MODE_RATED[g] > 0 and touches and R[DUE + g] != 0.0 and R[MODE_OLD + g] != 0.0:
                R[MODES + g] = 0.0  # without forces both modes are admissible, and the other has just ended
        elif MODE_ROLE[g] == STICKING:
            slight = R[AT_STEPS] != 0.0 or abs(R[ROW_RATES + row]) <= rest * abs(R[ROW_ACCELERATIONS + row])
            stops = R[DUE + g] != 0.0 and (R[DUE + g] != PASSED or slight)  # otherwise an impact has reversed it
            stops = stops and R[IDLE + g] == 0.0  # when its capacity returns, it continues to slip
            R[TRIAL + g] = 1.0 if (rests or stops) and not has_no_capacity(R, g) else 0.0
            R[MODES + g] = -1.0 if R[ROW_RATES + row] > 0.0 else 1.0
            if R[TRIAL + g] != 0.0:  # if another friction is released, this one may stick at its full capacity
                R[MODES + g] = R[MODE_OLD + g] if frees and R[DUE + g] == 0.0 else 0.0
            elif R[MODE_OLD + g] != 0.0 and R[DUE + g] == 0.0 and has_no_capacity(R, g):
                R[MODES + g] = R[MODE_OLD + g]
        if R[TRIAL + g] != 0.0 and R[DUE + g] != 0.0 and R[MODE_OLD + g] == 0.0:  # its capacity is exhausted
            R[MODES + g] = 1.0 if MODE_ROLE[g] == STICKING and R[MULTIPLIER_RATES_BEFORE + row] > 0.0 else -1.0
        asks = asks or R[TRIAL + g] != 0.0
    if not asks:
        return True
    for trial in range(MOST_TRIALS):
        if trial == MOST_TRIALS // 2:
            part(R, 0.0)
        R[CHOICE] = FREE_CHOICE
        derive(R)
        R[CHOICE] = FROZEN_CHOICE
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

    Reads: mode_old, rates_before, slow, trial. Writes: modes, trial.
    """
    parted = False
    for g in range(N_MODES):
        row = MODE_FIRST[g]
        parts = R[RATES_BEFORE + row] > max(fast, R[SLOW + row]) or (fast == 0.0 and R[MODE_OLD + g] != 0.0)
        if MODE_ROLE[g] == ONE_SIDED and R[TRIAL + g] > 0.0 and parts:
            R[TRIAL + g] = BEYOND
            R[MODES + g] = -1.0
            parted = True
    return parted


def change_inadmissible(R: Record, trial: int) -> bool:
    """Change the modes of contacts and friction with inadmissible forces or motions; return True if any changed.

    Reads: due, mode_old, modes, multiplier_rates, p_dot, ranks, row_accelerations, scales, trial. Writes: modes.
    """
    force = largest(R, F0 + FIRST_P, NV)
    most = max(force, largest(R, MULTIPLIER_RATES, N_ROWS))
    fast = largest(R, ROW_ACCELERATIONS, N_ROWS)
    pull = largest_row_acceleration(R)
    terms = max(most, largest_friction(R))
    rub = max(pull, largest_friction_acceleration(R))
    changed = False
    for g in range(N_MODES - 1, -1, -1):
        row = MODE_FIRST[g]
        if trial < 20 and turns_round(R, g):
            R[MODES + g] = -R[MODES + g]
            changed = True
        if R[TRIAL + g] <= 0.0 or (trial >= 20 and changed):
            continue
        slow = max(rounding_share() * R[SCALES + row] * force, SLIGHT * fast)
        if MODE_ROLE[g] == STICKING:  # where forces balance, p_dot is their rounding
            slow = max(slow, SLIGHT * min(R[SCALES + row] * terms, rub))
        weak = least_multiplier_rate(R, row, most, pull)
        mode = R[MODES + g]
        wanted = mode
        is_released = R[DUE + g] != 0.0 and R[MODE_OLD + g] == 0.0  # certain: only rounding would hold it again
        if MODE_ROLE[g] == ONE_SIDED:
            if mode == 0.0 and R[MULTIPLIER_RATES + row] < -weak:
                wanted = -1.0
            elif mode != 0.0 and R[ROW_ACCELERATIONS + row] < -slow and not is_released:
                wanted = 0.0
        elif mode == 0.0:
            is_left_out = R[RANKS + ROW_LOOP[row]] == 0.0
            if abs(R[MULTIPLIER_RATES + row]) > capacity(R, g, R[MULTIPLIER_RATES + row]) + weak:
                wanted = 1.0 if R[MULTIPLIER_RATES + row] > 0.0 else -1.0
            elif is_left_out and abs(R[ROW_ACCELERATIONS + row]) > slow:  # other rows move it
                wanted = -1.0 if R[ROW_ACCELERATIONS + row] > 0.0 else 1.0
        elif mode * R[ROW_ACCELERATIONS + row] > slow and not is_released:
            wanted = 0.0
        if wanted != mode:
            R[MODES + g] = wanted
            changed = True
    return changed
