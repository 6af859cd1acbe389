"""Modes of closures, as kernels: which of them hold, found anew where one ends (docs/equations_loops.md, modes).

Copied into modules of models whose closures have modes. What may touch and what may stick is one convex problem: of
impulses where velocities jump, of forces where they don't. Each trial is an ordinary evaluation with other rows.
"""

from ..declarations import Record
from ..linked import align, conditions, copy, derive, mode_numbers, note_break, row_rates, solve
from ..names import AT_STEPS, CLOCK, DUE, END_NOW, END_VALUES, F0, FAULT, FIRST_P, N_MODES, NV, OK, P0, TIME
from .loops import rebase
from .mode_ends import (
    bears_nothing,
    find_row_accelerations,
    forget_zeros,
    let_pass,
    mode_values,
    note_idle,
    settle_values,
    some_ends,
    turns_round,
    watch_reach,
)
from .mode_thresholds import find_slow, largest, largest_row_acceleration, least_multiplier_rate, rounding_share
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
    LOGGED,
    LOSSES,
    MARKED,
    MODE_FIRST,
    MODE_LOG,
    MODE_NUMBERS,
    MODE_OLD,
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
    RANKS,
    RATES_BEFORE,
    REBOUNDS,
    RELEASED,
    RESIDUAL_RATES,
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
    """Modes that have come to their end change, those that are due and those that inputs have ended; a status.

    Expects fresh rates of a re-based state, and leaves such. An impact whose flight behind would last less than `rest`
    (s) gives nothing back.

    Reads: U, impact_impulses, impulses_before, end_now, head, loop_state, mode_old, modes, residuals, zeros. Writes:
    blows, impulses_before, end_values, loop_state, zeros.
    """
    interval = U[CLOCK + 1]
    begin = R[MARKED]
    if interval > 0.0:
        begin = 0.0 + int((R[TIME] - U[CLOCK]) / interval)
    if R[COUNTED_FROM] != begin:
        R[COUNTED_FROM] = begin
        R[CHANGES] = 0.0
    mode_values(R)
    while some_ends(R):  # what a change makes true ends other modes at the same instant
        note_break(R)
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
        if MODE_ROLE[g] == STICKING and R[END_NOW + g] > -2.0 * R[ZEROS + MODE_FIRST[g]]:
            R[ZEROS + MODE_FIRST[g]] = 0.0
    copy(R, END_NOW, END_VALUES, N_MODES)
    for g in range(N_MODES):
        if MODE_ROLE[g] == ARMED and R[MODES + g] != 0.0:
            watch_reach(R, g)
    note_idle(R)
    return OK


def change_modes(R: Record, rest: float) -> int:
    """New modes where some are due; a status. See `next_modes`.

    Reads: modes. Writes: loop_state, mode_old.
    """
    copy(R, MODES, MODE_OLD, N_MODES)
    R[ALL_ROWS] = 1.0
    status = choose_modes(R, rest)
    R[ALL_ROWS] = 0.0
    return status


def choose_modes(R: Record, rest: float) -> int:
    """The same, while all rows are asked for.

    Reads: loop_state, row_rates. Writes: blows, loop_state, losses, rates_before, rebounds, trial.
    """
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
            strikes = approach(R, rest, 1.0 if again < 20 else 0.0)  # without losses it might have no end
    if strikes or not bear_still(R, rest):
        return UNSETTLED
    R[CHOICE] = FREE_CHOICE
    derive(R)
    count_rank(R)
    rebase(R)
    note_changes(R)
    R[CHANGES] += 1.0
    return UNSETTLED if R[CHANGES] > MOST_CHANGES else OK


def engage(R: Record) -> bool:
    """Closures with conditions that are due hold, where they are, or let go; whether one takes hold.

    Reads: due, modes. Writes: released, loop_state, modes.
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
    return holds


def hold_here(R: Record, g: int) -> None:
    """A closure's place on a comes to where its conditions are zero now: by a turn, and residuals that count as zero.

    Expects poses, and all rows to be asked for.

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
    """Which contacts take part in an impact (TRIAL), and what they give back (REBOUNDS); whether there is one.

    There is none for one alone that the last blow was BEYOND changing.

    most: the largest restitution that counts.

    Where several strike at one instant the least restitution counts for all: different ones could make energy. It
    counts for contacts that part too: what is struck elsewhere may throw them together, and they strike next.

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
            e = R[MODE_NUMBERS + 2 * g]
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
    """Impulses of all that holds and of contacts that strike; momenta and velocities behind; False: none are found.

    l >= 0, w = K v + gamma + e r >= 0, l w = 0 for contacts (Moreau); frictions bear no blow.

    Reads: impact_impulses, due, loop_state, losses, modes, multipliers, p, ranks, rates_before, rebounds,
    residual_rates, row_rates, scales, trial. Writes: blows, end_now, loop_state, losses, modes, rates_before,
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
    found = False
    for trial in range(MOST_TRIALS):
        R[CHOICE] = FREE_CHOICE
        solve(R)
        row_rates(R)
        blow = largest(R, P0, NV)
        most = max(blow, largest(R, MULTIPLIERS, N_ROWS))
        fast = largest(R, RATES_BEFORE, N_ROWS)
        for g in range(N_MODES):
            row = MODE_FIRST[g]
            slow = max(rounding_share() * R[SCALES + row] * blow, SLIGHT * fast)
            is_wrong = R[MULTIPLIERS + row] < -least_multiplier_rate(R, row, most, fast)
            if R[MODES + g] != 0.0:
                is_wrong = R[ROW_RATES + row] + R[REBOUNDS + row] < -slow
            R[END_NOW + g] = 1.0 if R[TRIAL + g] != 0.0 and is_wrong else 0.0
        if not turn(R, trial):
            found = True
            break
    for g in range(N_MODES):
        for row in range(MODE_FIRST[g], MODE_FIRST[g] + MODE_ROWS[g]):
            speeds = R[RATES_BEFORE + row] + R[ROW_RATES + row] - 2.0 * R[RESIDUAL_RATES + row]
            R[LOSSES + g] += -0.5 * R[MULTIPLIERS + row] * speeds
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
    return found


def turn(R: Record, trial: int) -> bool:
    """Contacts whose state is wrong (END_NOW) change it, all of them, or in late trials one; whether there was one.

    Reads: end_now, modes. Writes: modes.
    """
    turned = False
    for g in range(N_MODES - 1, -1, -1):
        if R[END_NOW + g] != 0.0 and (trial < 20 or not turned):
            R[MODES + g] = -1.0 if R[MODES + g] == 0.0 else 0.0
            turned = True
    return turned


# -- forces --------------------------------------------------------------------------------------------------


def bear_still(R: Record, rest: float) -> bool:
    """`bear` while residuals stay: what takes them back moves rows that rest, more than rounding does.

    Reads: loop_state. Writes: loop_state.
    """
    alpha = R[ALPHA]
    R[ALPHA] = 0.0
    found = solve_contact_forces(R, rest)
    R[ALPHA] = alpha
    return found


def solve_contact_forces(R: Record, rest: float) -> bool:
    """Which contacts and frictions at rest hold, by the forces that this takes; False: no such modes are found.

    At rest is a contact too that parts so slowly that it is back within `rest` (s).

    Reads: due, head, idle, multiplier_rates, loop_state, mode_old, modes, row_accelerations, rates_before, residuals,
    row_rates, slow, trial.
    Writes: multiplier_rates_before, loop_state, modes, trial.
    """
    copy(R, MULTIPLIER_RATES, MULTIPLIER_RATES_BEFORE, N_ROWS)
    R[CHOICE] = FREE_CHOICE
    derive(R)
    R[CHOICE] = FROZEN_CHOICE
    mode_numbers(R)
    find_row_accelerations(R)
    fast = 1.0e-8 * max(largest(R, RATES_BEFORE, N_ROWS), largest(R, ROW_RATES, N_ROWS))
    find_slow(R, rest)
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
        elif MODE_ROLE[g] == STICKING:
            slight = R[AT_STEPS] != 0.0 or abs(R[ROW_RATES + row]) <= rest * abs(R[ROW_ACCELERATIONS + row])
            stops = R[DUE + g] != 0.0 and (R[DUE + g] != PASSED or slight)  # else a blow has turned it round
            stops = stops and R[IDLE + g] == 0.0  # where its capacity returns it slips on
            R[TRIAL + g] = 1.0 if (rests or stops) and not bears_nothing(R, g) else 0.0
            R[MODES + g] = -1.0 if R[ROW_RATES + row] > 0.0 else 1.0
            if R[TRIAL + g] != 0.0:  # beside one that lets go another one may bear all that it can, at rest
                R[MODES + g] = R[MODE_OLD + g] if frees and R[DUE + g] == 0.0 else 0.0
            elif R[MODE_OLD + g] != 0.0 and R[DUE + g] == 0.0 and bears_nothing(R, g):
                R[MODES + g] = R[MODE_OLD + g]
        if R[TRIAL + g] != 0.0 and R[DUE + g] != 0.0 and R[MODE_OLD + g] == 0.0:  # it can bear no more
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
        changed = let_pass(R, max(10.0 * rest, 1.0e-3)) or rebear(R, trial)
        if not changed and throws(R):
            changed = part(R, fast)
        if not changed:
            leave_implied(R)
            return True
    return False


def part(R: Record, fast: float) -> bool:
    """Contacts that part go on as they move, however slowly: those faster than `fast`; true if there was one.

    Where a row all but depends on others, to hold changes velocities so much that no forces are found, or throws others
    together. At `fast` zero all go on that did not hold before.

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


def throws(R: Record) -> bool:
    """True if contacts that did not approach do so, since others hold that parted slowly.

    Reads: loop_state, modes, rates_before, residuals, row_rates, slow.
    """
    found = False
    for g in range(N_MODES):
        row = MODE_FIRST[g]
        near = MODE_ROLE[g] == ONE_SIDED and R[MODES + g] != 0.0 and R[RESIDUALS + row] <= TOUCHING * R[LENGTH]
        found = found or (near and R[ROW_RATES + row] < min(0.0, R[RATES_BEFORE + row]) - R[SLOW + row])
    return found


def rebear(R: Record, trial: int) -> bool:
    """Contacts and frictions that bear what they can't, or don't bear what they could, change; whether there was one.

    Reads: due, multiplier_rates, mode_numbers, mode_old, modes, p_dot, row_accelerations, scales, trial. Writes: modes.
    """
    force = largest(R, F0 + FIRST_P, NV)
    most = max(force, largest(R, MULTIPLIER_RATES, N_ROWS))
    fast = largest(R, ROW_ACCELERATIONS, N_ROWS)
    pull = largest_row_acceleration(R)
    changed = False
    for g in range(N_MODES - 1, -1, -1):
        row = MODE_FIRST[g]
        if trial < 20 and turns_round(R, g):
            R[MODES + g] = -R[MODES + g]
            changed = True
        if R[TRIAL + g] <= 0.0 or (trial >= 20 and changed):
            continue
        slow = max(rounding_share() * R[SCALES + row] * force, SLIGHT * fast)
        weak = least_multiplier_rate(R, row, most, pull)
        mode = R[MODES + g]
        wanted = mode
        lets_go = R[DUE + g] != 0.0 and R[MODE_OLD + g] == 0.0  # for certain: what would hold it again is rounding
        if MODE_ROLE[g] == ONE_SIDED:
            if mode == 0.0 and R[MULTIPLIER_RATES + row] < -weak:
                wanted = -1.0
            elif mode != 0.0 and R[ROW_ACCELERATIONS + row] < -slow and not lets_go:
                wanted = 0.0
        elif mode == 0.0:
            is_left_out = R[RANKS + ROW_LOOP[row]] == 0.0
            if abs(R[MULTIPLIER_RATES + row]) > R[MODE_NUMBERS + 2 * g] + weak:
                wanted = 1.0 if R[MULTIPLIER_RATES + row] > 0.0 else -1.0
            elif is_left_out and abs(R[ROW_ACCELERATIONS + row]) > slow:  # others move it
                wanted = -1.0 if R[ROW_ACCELERATIONS + row] > 0.0 else 1.0
        elif mode * R[ROW_ACCELERATIONS + row] > slow and not lets_go:
            wanted = 0.0
        if wanted != mode:
            R[MODES + g] = wanted
            changed = True
    return changed


def leave_implied(R: Record) -> None:
    """Contacts that others imply, and that bear nothing, are free.

    Reads: modes, ranks. Writes: modes.
    """
    for g in range(N_MODES):
        if MODE_ROLE[g] == ONE_SIDED and R[MODES + g] == 0.0 and R[RANKS + ROW_LOOP[MODE_FIRST[g]]] == 0.0:
            R[MODES + g] = -1.0


def note_changes(R: Record) -> None:
    """Into the log: what has changed its mode or was struck; R[FAULT] is one of them.

    Reads: impact_impulses, due, head, loop_state, losses, mode_old, modes. Writes: head, loop_state, mode_log.
    """
    for g in range(N_MODES):
        struck = False
        for row in range(MODE_FIRST[g], MODE_FIRST[g] + MODE_ROWS[g]):
            struck = struck or R[IMPACT_IMPULSES + row] != 0.0
        struck = struck and (R[DUE + g] != 0.0 or R[MODE_OLD + g] != 0.0)  # what holds takes others' blows too
        if struck or R[MODES + g] != R[MODE_OLD + g]:
            R[FAULT] = g
            if R[LOGGED] < MOST_CHANGES:
                entry = MODE_LOG + 5 * int(R[LOGGED])
                R[entry] = R[TIME]
                R[entry + 1] = g
                R[entry + 2] = R[MODE_OLD + g]
                R[entry + 3] = R[MODES + g]
                R[entry + 4] = R[LOSSES + g]
                R[LOGGED] += 1.0
