"""Kernels that detect the ends of constraint modes: the distance of each mode from its end, and the modes that are due.

The modules of models whose closures have constraint modes contain them. modes.py changes the modes.
"""

from ..declarations import Record
from ..library import tail
from ..linked import mode_numbers, row_rates, row_rates_d, solve_d
from ..names import AT_STEPS, DUE, END_NOW, END_VALUES, N_MODES, TAIL
from .along_motion import motion
from .mode_thresholds import largest_row_acceleration
from .names import (
    ARMED,
    BEYOND,
    IDLE,
    LENGTH,
    LOOP_MODE,
    MODE_FIRST,
    MODE_NUMBERS,
    MODE_OLD,
    MODE_RATED,
    MODE_ROLE,
    MODES,
    MULTIPLIER_RATES,
    MULTIPLIERS,
    N_LOOPS,
    N_ROWS,
    ON_END,
    ONE_SIDED,
    PASSED,
    PER_MODE,
    RANKS,
    RATES_BEFORE,
    REACH,
    RELEASED,
    RESIDUALS,
    ROW_ACCELERATIONS,
    ROW_LOOP,
    ROW_MODE,
    ROW_RATES,
    SLOW,
    STICKING,
    TOUCHING,
    TRIAL,
    ZEROS,
)


def mode_values(R: Record) -> None:
    """Write to END_NOW the distance of each mode from its end, which is positive while the mode lasts.

    Expects fresh rates.

    Reads: multiplier_rates, mode_numbers, modes, residuals, row_rates, zeros. Writes: end_now.
    """
    mode_numbers(R)
    is_holding = False
    slips = False
    for g in range(N_MODES):
        is_holding = is_holding or (MODE_ROLE[g] != ARMED and R[MODES + g] == 0.0)
        slips = slips or (watches_rate(g) and R[MODES + g] != 0.0)
    if is_holding:
        find_row_accelerations(R)
    elif slips:
        row_rates(R)
    for g in range(N_MODES):
        row = MODE_FIRST[g]
        mode = R[MODES + g]
        if MODE_ROLE[g] == ARMED:
            value = -R[MODE_NUMBERS + PER_MODE * g + (1 if mode == 0.0 else 0)]
        elif MODE_ROLE[g] == ONE_SIDED and mode == 0.0:
            value = R[MULTIPLIER_RATES + row]
        elif MODE_ROLE[g] == ONE_SIDED:
            value = (R[ROW_RATES + row] if MODE_RATED[g] > 0 else R[RESIDUALS + row]) - R[ZEROS + row]
        elif mode == 0.0:
            value = capacity(R, g, R[MULTIPLIER_RATES + row]) - abs(R[MULTIPLIER_RATES + row])
        elif has_no_capacity(R, g):
            value = 1.0
        else:
            value = -mode * R[ROW_RATES + row] - R[ZEROS + row]
        R[END_NOW + g] = value


def watches_rate(g: int) -> bool:
    """True for friction and freewheels, whose released modes end where the rate of their row is zero."""
    return MODE_ROLE[g] == STICKING or MODE_RATED[g] > 0


def has_no_capacity(R: Record, g: int) -> bool:
    """True for friction without capacity: it slips at any velocity without force, and its mode does not end.

    Reads: mode_numbers.
    """
    most = 0.0
    for k in range(PER_MODE):
        most = max(most, R[MODE_NUMBERS + PER_MODE * g + k])
    return most <= 0.0


def capacity(R: Record, g: int, force: float) -> float:
    """Return the largest friction force that holds in the direction of `force`.

    Reads: mode_numbers.
    """
    return R[MODE_NUMBERS + PER_MODE * g + (0 if force >= 0.0 else 2)]


def pass_frictions(R: Record, long: float, rank: float) -> bool:
    """Let friction slip on if its force could not stop the motion within `long` (s); return True if there is any.

    A row that nearly depends on others, such as that of a rocker in its dead centre, has zero velocity for an instant
    for any velocities of the others. Holding it would stop all motion by an impact, and friction exerts no impact
    impulse; or its row would replace a permanent one (`opens_loops`). rank: `lasting_rank` of the modes before.

    Reads: due, mode_numbers, mode_old, modes, multipliers, rates_before, trial. Writes: modes, trial.
    """
    passed = False
    opens = opens_loops(R, rank)
    comes_to_rest = False
    for g in range(N_MODES):
        comes_to_rest = comes_to_rest or (stops(R, g) and R[DUE + g] != 0.0 and R[MODE_OLD + g] != 0.0)
    for g in range(N_MODES):
        row = MODE_FIRST[g]
        passes = R[DUE + g] != 0.0 and R[MODE_OLD + g] != 0.0
        takes_place = opens and (passes or (not comes_to_rest and R[MODE_OLD + g] != 0.0))
        if stops(R, g) and (takes_place or abs(R[MULTIPLIERS + row]) > long * capacity(R, g, R[MULTIPLIERS + row])):
            before = -1.0 if R[RATES_BEFORE + row] > 0.0 else 1.0
            R[MODES + g] = -R[MODE_OLD + g] if passes else before
            R[TRIAL + g] = BEYOND
            passed = True
    return passed


def stops(R: Record, g: int) -> bool:
    """True for friction that sticks in a trial of modes.

    Reads: modes, trial.
    """
    return MODE_ROLE[g] == STICKING and R[TRIAL + g] > 0.0 and R[MODES + g] == 0.0


def lasts(R: Record, mode: int) -> bool:
    """True for rows that stay engaged under any force: permanent closures (mode 0), engaged latches and locks.

    Reads: modes.
    """
    return mode == 0 or (MODE_ROLE[mode - 1] == ARMED and R[MODES + mode - 1] == 0.0)


def lasting_rank(R: Record) -> float:
    """Return the number of chosen rows of the closures that stay engaged under any force.

    Reads: ranks.
    """
    rank = 0.0
    for loop in range(N_LOOPS):
        if lasts(R, LOOP_MODE[loop]):
            rank += R[RANKS + loop]
    return rank


def opens_loops(R: Record, rank: float) -> bool:
    """True if a friction row that sticks in a trial has replaced a permanent row, which then accelerates.

    The two rows are dependent, and the friction row may be eliminated first. If the dependent row does not accelerate,
    as when all is at rest, the trial is valid.

    Reads: row_accelerations.
    """
    if lasting_rank(R) >= rank:
        return False
    most = 0.0
    for k in range(N_ROWS):
        if lasts(R, ROW_MODE[k]):
            most = max(most, abs(R[ROW_ACCELERATIONS + k]))
    return most > 1.0e-6 * largest_row_acceleration(R)


def turns_round(R: Record, g: int) -> bool:
    """True if the direction of a slipping friction has reversed because other closures are engaged.

    Reads: modes, row_rates, slow, trial.
    """
    slips = MODE_ROLE[g] == STICKING and R[TRIAL + g] == 0.0 and not has_no_capacity(R, g)
    return slips and R[MODES + g] * R[ROW_RATES + MODE_FIRST[g]] > R[SLOW + MODE_FIRST[g]]


def leave_implied(R: Record) -> None:
    """Release contacts whose rows follow from other rows and that carry no force.

    Reads: modes, ranks. Writes: modes.
    """
    for g in range(N_MODES):
        if MODE_ROLE[g] == ONE_SIDED and R[MODES + g] == 0.0 and R[RANKS + ROW_LOOP[MODE_FIRST[g]]] == 0.0:
            R[MODES + g] = -1.0


def throws(R: Record) -> bool:
    """True if contacts that did not approach before do so now, because others that separated slowly are held.

    Reads: loop_state, modes, rates_before, residuals, row_rates, slow.
    """
    is_thrown = False
    for g in range(N_MODES):
        row = MODE_FIRST[g]
        near = MODE_ROLE[g] == ONE_SIDED and R[MODES + g] != 0.0 and R[RESIDUALS + row] <= TOUCHING * R[LENGTH]
        is_thrown = is_thrown or (near and R[ROW_RATES + row] < min(0.0, R[RATES_BEFORE + row]) - R[SLOW + row])
    return is_thrown


def note_idle(R: Record) -> None:
    """Mark the friction closures that have no capacity now.

    Writes: idle.
    """
    for g in range(N_MODES):
        R[IDLE + g] = 1.0 if MODE_ROLE[g] == STICKING and has_no_capacity(R, g) else 0.0


def find_row_accelerations(R: Record) -> None:
    """Compute lambda of all rows and the rates of their velocities; expects fresh rates.

    Reads: D. Writes: multiplier_rates, row_accelerations.
    """
    D = tail(R, TAIL)
    motion(R, D)
    solve_d(R, D)
    for k in range(N_ROWS):
        R[MULTIPLIER_RATES + k] = D[MULTIPLIERS + k]
    row_rates_d(R, D)
    for k in range(N_ROWS):
        R[ROW_ACCELERATIONS + k] = D[ROW_RATES + k]


def watch_reach(R: Record, g: int) -> None:
    """Prevent a closure from engaging again where it was just released: there the sign of its condition is rounding.

    Reads: end_now, released, reach. Writes: end_values, released, reach.
    """
    R[REACH + g] = max(R[REACH + g], R[END_NOW + g])
    if abs(R[END_NOW + g]) > ON_END * R[REACH + g]:
        R[RELEASED + g] = 0.0
    if R[RELEASED + g] != 0.0:
        R[END_VALUES + g] = 0.0


def some_ends(R: Record) -> bool:
    """True if modes are due, including those whose ends were passed in a jump.

    Reads: due, end_now, end_values, released. Writes: due, end_values.
    """
    ends = False
    for g in range(N_MODES):
        if R[END_VALUES + g] > 0.0 and R[END_NOW + g] <= 0.0:
            if R[DUE + g] == 0.0:
                R[DUE + g] = PASSED
        elif R[RELEASED + g] == 0.0:
            R[END_VALUES + g] = R[END_NOW + g]
        ends = ends or R[DUE + g] != 0.0
    return ends


def forget_zeros(R: Record) -> None:
    """Reset the zeros of separated contacts, so that they strike at the surface, not at the residual at separation.

    Reads: residuals. Writes: zeros.
    """
    for g in range(N_MODES):
        if MODE_ROLE[g] == ONE_SIDED and R[RESIDUALS + MODE_FIRST[g]] > 0.0 and MODE_RATED[g] == 0:
            R[ZEROS + MODE_FIRST[g]] = 0.0


def settle_values(R: Record) -> None:
    """Compute the distances of newly chosen modes from their ends, without zero or negative values due to rounding.

    A contact that separates, or that other contacts carry, is at the residual at which it was held, possibly slightly
    inside the surface. If ends are detected at step ends only, a striking contact is inside by the motion of a step,
    and this depth must not become its zero. A slipping friction may be at rest because others hold it, or reverse for
    an instant.

    Reads: loop_state, end_now, mode_old, modes, residuals, slow, trial. Writes: due, end_now, zeros.
    """
    for g in range(N_MODES):
        row = MODE_FIRST[g]
        if watches_rate(g):
            R[ZEROS + row] = 0.0
        elif MODE_ROLE[g] == ONE_SIDED:
            R[ZEROS + row] = 0.0
            if R[MODES + g] != 0.0 and (R[MODE_OLD + g] == 0.0 or R[TRIAL + g] != 0.0):
                R[ZEROS + row] = min(0.0, R[RESIDUALS + row]) - 1.0e-10 * R[LENGTH]
            elif R[MODES + g] != 0.0 and R[AT_STEPS] == 0.0:
                R[ZEROS + row] = min(0.0, R[RESIDUALS + row])
    mode_values(R)
    for g in range(N_MODES):
        row = MODE_FIRST[g]
        slow = max(R[SLOW + row], 1.0e-300)  # at rest without load a rate of zero is no end
        if watches_rate(g) and R[MODES + g] != 0.0 and R[END_NOW + g] < slow:
            R[ZEROS + row] = R[END_NOW + g] - slow
            R[END_NOW + g] = slow
        if MODE_ROLE[g] != ARMED:
            R[END_NOW + g] = max(R[END_NOW + g], 1.0e-300)
        R[DUE + g] = 0.0
