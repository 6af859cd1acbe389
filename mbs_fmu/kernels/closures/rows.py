"""Kernels for the selection of independent constraint rows: residuals, tolerances, reference pivots, ranks.

A row with a pivot is active; a dependent row has none and is omitted. Selected are the rows that were active when rows
were last chosen freely (`pivots`, `selected_ranks`); the stages of a step may omit some of them (`ranks` counts the
active ones). d² is the ratio of a pivot to the reference pivot of its row; the pivot counts as zero if d² is below
R.tolerance. The section "choice of rows" of docs/equations_loops.md states the figures of the selection, tolerances.py
the reasons for those that have names.
"""

from ...record.fields import Vector
from ...record.schema import (
    ENDS,
    N_ENDS,
    N_LINKS,
    N_LOOPS,
    N_MODES,
    N_ROWS,
    N_UNBOUND,
    OPEN,
    OPEN_FIRST,
    RATES_OF,
    ROOTED,
    ROOTED_FIRST,
    Inputs,
    Record,
)
from ..constants import FREE_SELECTION, FROZEN_SELECTION, NO_SELECTION
from ..library import each, integer
from ..linked import evaluate, solve
from ..tolerances import OPENED_SHARE, PIVOT_RATIO_BOUND, SINGULAR_PIVOT
from .elimination import is_excluded, update_residual


def largest_residual(R: Record) -> float:
    """Return the largest residual (m, rad) of all rows that are not excluded; R.fault is its row."""
    update_residual(R)
    return R.residual


def set_tolerance(R: Record) -> None:
    """Set R.tolerance from the largest residual g, relative to the characteristic length; g is 0 during an impact.

    A residual rotates the direction of a row by about g/d². At d² = g the direction is wrong, and the row would lead
    the motion round the singular position instead of through it. The tolerance is

    - for a free selection 10 g, 100 g without error control, from 1e-12 to 1e-6; it is kept as `selection_tolerance`;
    - for stages with error control g, at most 0.01, but at least `selection_tolerance`;
    - for stages without error control 10 g, at most 0.01; it does not decrease during a step;
    - for stages of runs that never project states `selection_tolerance`, since the residual of an omitted row would
      grow.
    """
    g = R.residual / R.characteristic_length
    if N_MODES > 0 and R.in_impact != 0.0:
        g = 0.0
    if R.row_selection == FREE_SELECTION:
        R.selection_tolerance = min(1.0e-6, max(1.0e-12, (10.0 if R.controlled > 0.0 else 100.0) * g))
        R.tolerance = R.selection_tolerance
    elif R.row_selection == FROZEN_SELECTION and R.projection_residual < 0.0:
        R.tolerance = R.selection_tolerance
    elif R.row_selection == FROZEN_SELECTION and R.controlled > 0.0:
        R.tolerance = max(R.selection_tolerance, min(1.0e-2, g))
    elif R.row_selection == FROZEN_SELECTION:
        R.tolerance = max(R.tolerance, min(1.0e-2, 10.0 * g))


def needs_projection(R: Record) -> bool:
    """True if a state must be projected.

    That is if its largest residual exceeds its bound, or would rotate the row with the least pivot by more than 1e-6
    rad and exceeds rounding. False in runs that never project.
    """
    if R.projection_residual < 0.0:
        return False
    rotating = R.characteristic_length * max(4.0e-15, 1.0e-6 * least_pivot_ratio(R))
    return min(R.projection_residual, rotating) < R.residual


def least_pivot_ratio(R: Record) -> float:
    """Return the least ratio of a pivot to the reference pivot of its row, at most 1, over all active rows."""
    least = 1.0
    for entry in range(ROOTED_FIRST[N_LINKS + 1]):
        rooted = ROOTED[entry]
        m = rooted.rows
        first = rooted.first_row
        L = R.delassus_factors.matrix(rooted.factor, m)
        for k in range(integer(R.ranks[rooted.loop])):
            least = min(least, L[k, k] ** 2 / R.reference_pivots[first + each(R.pivots[first + k])])
    return least


def singular_loop(R: Record, least: float) -> int:
    """Return a loop that is in a singular position; -1 if there is none.

    Such a loop has the least ratio of a pivot to its reference pivot, if that ratio is below `least`, or a row that was
    omitted although it does not follow from the others: the motion since then has opened it.
    """
    loop = -1
    for entry in range(ROOTED_FIRST[N_LINKS + 1]):
        rooted = ROOTED[entry]
        first = rooted.first_row
        L = R.delassus_factors.matrix(rooted.factor, rooted.rows)
        active = 0  # a bit for each row
        for k in range(integer(R.ranks[rooted.loop])):
            p = each(R.pivots[first + k])
            active |= 1 << p
            ratio = L[k, k] ** 2 / R.reference_pivots[first + p]
            if ratio < least:
                least = ratio
                loop = rooted.loop
        for i in range(rooted.rows):
            opened = abs(R.residuals[first + i]) > OPENED_SHARE * R.characteristic_length
            if opened and (active >> i) & 1 == 0 and not is_excluded(R, first + i):
                return integer(rooted.loop)
    return loop


def is_singular(R: Record) -> bool:
    """True in a singular position: selected rows of engaged closures are omitted, or pivots depend on rounding."""
    for entry in range(ROOTED_FIRST[N_LINKS + 1]):
        rooted = ROOTED[entry]
        loop = rooted.loop
        if R.ranks[loop] < R.selected_ranks[loop] and not is_excluded(R, rooted.first_row):
            return True
    return least_pivot_ratio(R) < SINGULAR_PIVOT


def evaluate_singular(R: Record, U: Inputs) -> None:
    """Compute all rates in a singular position, without the rows whose pivots depend on rounding."""
    tolerance = R.selection_tolerance
    R.selection_tolerance = SINGULAR_PIVOT
    evaluate(R, U)
    R.selection_tolerance = tolerance


def omits_rows(R: Record, tolerance: float) -> bool:
    """True if the end of a trial step omits rows that were active at its beginning, and its residual is large.

    Large is more than 100 times `tolerance`, the relative tolerance of error control, times the characteristic length.

    While the stages omit a row, the motion that the row should prevent is smooth, so the error estimate does not detect
    it. In a singular position, that motion is correct and keeps the loops closed. If a row is omitted because light
    links make its pivot small, the step only has to be shorter: the residuals of its stages, with which pivots are
    compared, decrease as h².
    """
    rank = 0.0
    for k in range(N_LOOPS):
        rank += R.ranks[k]
    return rank < R.rank and R.residual > 100.0 * tolerance * R.characteristic_length


def store_selection(R: Record) -> None:
    """Store the selection of rows, before another one replaces it."""
    R.stored_pivots[:] = R.pivots
    R.stored_ranks[:] = R.selected_ranks


def restore_selection(R: Record) -> None:
    """Select the stored rows again."""
    R.pivots[:] = R.stored_pivots
    R.selected_ranks[:] = R.stored_ranks


def count_rank(R: Record) -> None:
    """Set R.rank to the number of active rows of all loops."""
    rank = 0.0
    for k in range(N_LOOPS):
        rank += R.ranks[k]
    R.rank = rank


def set_characteristic_length(R: Record) -> None:
    """Set the characteristic length (m) to the largest lever arm, offset of a centre of mass or extent in space.

    If no residual bound is given, it becomes a hundredth of this length. Expects poses: columns 9 to 11 of a link's
    pose are its origin.
    """
    largest = 0.0
    for i in range(N_LINKS):
        link = R.bodies[i]
        for k in range(3):
            largest = max(largest, abs(link.r[k]))
            if link.mass > 0.0:
                largest = max(largest, abs(link.mc[k]) / link.mass)
            largest = max(largest, abs(R.pose[i, 9 + k] - R.pose[0, 9 + k]))
    R.characteristic_length = largest if largest > 0.0 else 1.0
    if R.residual_bound > 1.0e300:  # no bound is given
        R.residual_bound = 1.0e-2 * R.characteristic_length


def set_reference_pivots(R: Record, first: int, end: int) -> None:
    """Set the reference pivots of rows `first` to `end` - 1.

    The reference pivot is the pivot that the row would have with its end bodies alone, without massless bodies. It
    would be far too large for a body with very little mass whose joint allows rotation only, or with very little
    inertia. It is therefore at most PIVOT_RATIO_BOUND times the row's present pivot in the tree without loops, S_rr.
    That pivot may vanish in a singular position. The bound then uses another pivot if it is larger (here in
    R.term_sizes): that of free end bodies with the mass m + J/L² and the inertia J + m L² in place of m and J, where L
    is the characteristic length. Expects R.row_selection = NO_SELECTION, with which `solve` leaves S as it is.
    """
    solve(R)
    mass = 0.0
    for i in range(N_LINKS):
        mass += R.bodies[i].mass
    for k in range(first, end):
        R.reference_pivots[k] = 0.0
        R.term_sizes[k] = 0.0
    for e in range(N_ENDS):
        row = ENDS[e].row
        if first <= row < end:
            add_end_mobility(R, R.reference_pivots[row:], e, 0.0)
            add_end_mobility(R, R.term_sizes[row:], e, R.characteristic_length)
    for entry in range(N_LOOPS):
        rooted = ROOTED[entry]
        m = rooted.rows
        S = R.delassus.matrix(rooted.block, m)
        for r in range(m):
            row = rooted.first_row + r
            if first <= row < end:
                pivot = max(R.term_sizes[row], S[r, r])
                R.reference_pivots[row] = min(R.reference_pivots[row], PIVOT_RATIO_BOUND * pivot)
                if R.reference_pivots[row] == 0.0:
                    R.reference_pivots[row] = squared_row_norm(R, row) / mass if mass > 0.0 else 1.0


def add_end_mobility(R: Record, pivot: Vector, e: int, L: float) -> None:
    """Add the mobility Y M⁻¹ Yᵀ of one free end body (entry e of ENDS) to a row's pivot, the first number of `pivot`.

    With L > 0 (m), the body has the mass m + J/L² and the inertia J + m L²; with 0 it has its own m and J. J is half
    the trace of the inertia tensor about the centre of mass c.
    """
    row_end = ENDS[e]
    link = R.bodies[row_end.link]
    Y = R.row_y[row_end.y :]
    m = link.mass
    if m > 0.0:
        c0 = link.mc[0] / m
        c1 = link.mc[1] / m
        c2 = link.mc[2] / m
        J = 0.5 * (link.inertia[0, 0] + link.inertia[1, 1] + link.inertia[2, 2]) - m * (c0 * c0 + c1 * c1 + c2 * c2)
        more = max(0.0, J) / (L * L) if L > 0.0 else 0.0
        pivot[0] += (Y[0] ** 2 + Y[1] ** 2 + Y[2] ** 2) / (m + more)
        if J > 0.0:  # torque of the row about the centre of mass
            t0 = Y[3] - (c1 * Y[2] - c2 * Y[1])
            t1 = Y[4] - (c2 * Y[0] - c0 * Y[2])
            t2 = Y[5] - (c0 * Y[1] - c1 * Y[0])
            pivot[0] += (t0 * t0 + t1 * t1 + t2 * t2) / (J + m * L * L)


def squared_row_norm(R: Record, row: int) -> float:
    """Return the sum of squares of a row's entries: forces, torques and rates of coordinates; expects `conditions`."""
    total = 0.0
    for end in range(N_ENDS):
        row_end = ENDS[end]
        if row_end.row == row:
            for h in range(6):
                total += R.row_y[row_end.y + h] ** 2
    for i in range(N_LINKS):
        for e in range(OPEN_FIRST[i], OPEN_FIRST[i + 1]):
            open_row = OPEN[e]
            if open_row.row == row:
                for k in range(RATES_OF[i]):
                    total += R.row_w[open_row.projection + k] ** 2
    return total


def choose_start_rows(R: Record) -> None:
    """Select the independent rows at a closed position, and compute velocities and multipliers with them.

    R.position_rank becomes the number of independent rows without rate constraints.
    """
    R.row_selection = NO_SELECTION
    set_reference_pivots(R, 0, N_ROWS)
    R.row_selection = FREE_SELECTION
    if N_UNBOUND > 0:
        R.positions = 1.0
        solve(R)
        count_rank(R)
        R.position_rank = R.rank
        R.positions = 0.0
    solve(R)
    R.row_selection = FROZEN_SELECTION
    count_rank(R)
    if N_UNBOUND == 0:
        R.position_rank = R.rank
