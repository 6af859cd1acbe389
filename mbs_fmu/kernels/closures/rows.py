"""Kernels for constraint rows: their sizes, their residuals, and the number of independent rows."""

from ...kernels.constants import FOLDED, FREE_CHOICE, FROZEN_CHOICE, MOST_SCALE, NO_CHOICE
from ...record.fields import Vector
from ...record.schema import (
    CONTACT,
    ENDS,
    N_CONTACTS,
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
from ..library import integer
from ..linked import contact_steps, evaluate, solve
from .elimination import is_off, residual


def largest_residual(R: Record) -> float:
    """Return the largest residual of all rows; R.fault is its row."""
    residual(R)
    return R.residual


def touch(R: Record, most: int) -> None:
    """Compute the contact parameters at which curves touch for the present coordinates.

    At most `most` Newton steps are made, each limited to a twentieth of a turn.
    """
    for _ in range(most):
        contact_steps(R)
        largest = 0.0
        for k in range(N_CONTACTS):
            largest = max(largest, abs(R.z_dot[CONTACT[k]]))
        factor = 0.3 / largest if largest > 0.3 else 1.0
        for k in range(N_CONTACTS):
            R.z[CONTACT[k]] += factor * R.z_dot[CONTACT[k]]
        if largest <= 1.0e-15:
            break


def set_tolerance(R: Record) -> None:
    """Set the threshold below which pivots count as zero, from the residual.

    A residual g rotates the direction of a row with pivot d² by about g/d². At d² = g the direction is wrong, and the
    row would lead the motion round the singular position instead of through it. Steps with error control reject such
    stages; steps without it need a larger threshold. Bodies do not move during an impact, so that the rows of the
    present position apply.
    """
    g = R.residual / R.length
    if N_MODES > 0 and R.struck != 0.0:
        g = 0.0
    if R.choice == FREE_CHOICE:
        R.least = min(1.0e-6, max(1.0e-12, (10.0 if R.controlled > 0.0 else 100.0) * g))
        R.tolerance = R.least
    elif R.choice == FROZEN_CHOICE and R.project < 0.0:
        R.tolerance = R.least
    elif R.choice == FROZEN_CHOICE and R.controlled > 0.0:
        R.tolerance = max(R.least, min(1.0e-2, g))
    elif R.choice == FROZEN_CHOICE:
        R.tolerance = max(R.tolerance, min(1.0e-2, 10.0 * g))


def stands_off(R: Record) -> bool:
    """True if a state must be projected: its residual exceeds the tolerance, or would rotate the row with the least
    pivot too far.
    """
    if R.project < 0.0:
        return False
    turned = R.length * max(4.0e-15, 1.0e-6 * weakest(R))
    return min(R.project, turned) < R.residual


def weakest(R: Record) -> float:
    """Return the least ratio of pivot to scale of all chosen rows, at most 1."""
    least = 1.0
    for z in range(ROOTED_FIRST[N_LINKS + 1]):
        root = ROOTED[z]
        m = root.rows
        first = root.first_row
        L = R.factors.matrix(root.factor, m)
        for k in range(integer(R.ranks[root.loop])):
            p = integer(R.pivots[first + k])
            least = min(least, L[p, k] ** 2 / R.scales[first + p])
    return least


def is_folded(R: Record) -> bool:
    """True in a singular position: rows of closures that hold are excluded, or their pivots depend on rounding."""
    for z in range(ROOTED_FIRST[N_LINKS + 1]):
        root = ROOTED[z]
        loop = root.loop
        if R.ranks[loop] < R.chosen[loop] and not is_off(R, root.first_row):
            return True
    return weakest(R) < FOLDED


def evaluate_folded(R: Record, U: Inputs) -> None:
    """Compute all rates in a singular position: momenta from velocities, without rows that depend on rounding."""
    least = R.least
    R.least = FOLDED
    evaluate(R, U)
    R.least = least


def has_left_rows(R: Record, tolerance: float) -> bool:
    """True if the end of a trial step omits rows that its start has chosen, and does not satisfy them.

    While the stages omit a row, the motion that the row should prevent is smooth, so the error estimate does not detect
    it. In a singular position, that motion is correct and keeps the loops closed. If a row is omitted because light
    links make its pivot small, the step only has to be shorter: the residuals of its stages, with which pivots are
    compared, decrease as h².
    """
    rank = 0.0
    for k in range(N_LOOPS):
        rank += R.ranks[k]
    return rank < R.rank and R.residual > 100.0 * tolerance * R.length


def keep_choice(R: Record) -> None:
    """Store the choice of rows while another choice is in use."""
    R.kept_choice[:N_ROWS] = R.pivots
    R.kept_chosen[:] = R.chosen


def restore_choice(R: Record) -> None:
    """Choose the stored rows again, as far as they are still independent."""
    R.pivots[:] = R.kept_choice[:N_ROWS]
    R.chosen[:] = R.kept_chosen


def count_rank(R: Record) -> None:
    """Set R.rank to the number of chosen rows of all loops."""
    rank = 0.0
    for k in range(N_LOOPS):
        rank += R.ranks[k]
    R.rank = rank


def set_length(R: Record) -> None:
    """Set the size of the mechanism, a length, from its lever arms, offsets and extent in space."""
    largest = 0.0
    for i in range(N_LINKS):
        for k in range(3):
            link = R.bodies[i]
            largest = max(largest, abs(link.r[k]))
            if link.mass > 0.0:
                largest = max(largest, abs(link.mc[k]) / link.mass)
            largest = max(largest, abs(R.pose[i, 9 + k] - R.pose[0, 9 + k]))
    R.length = largest if largest > 0.0 else 1.0
    if R.bound > 1.0e300:  # no bound is given
        R.bound = 1.0e-2 * R.length


def set_scales(R: Record, first: int, end: int) -> None:
    """Set the scale of each row: the pivot that it would have with its end bodies alone, without massless bodies.

    The scale would be far too large for a body with very little mass whose joint allows rotation only, or with very
    little inertia. It is therefore at most MOST_SCALE times the row's present pivot in the tree. That pivot may
    vanish in a singular position. The bound then uses another pivot if it is larger: that of free end bodies with the
    mass m + J/L² and the inertia J + m L² in place of m and J, where L is the size of the mechanism. Expects that no
    row is chosen.
    """
    solve(R)
    mass = 0.0
    for i in range(N_LINKS):
        mass += R.bodies[i].mass
    for k in range(first, end):
        R.scales[k] = 0.0
        R.terms[k] = 0.0
    for e in range(N_ENDS):
        row = ENDS[e].row
        if first <= row < end:
            add_mobility(R, R.scales[row:], e, 0.0)
            add_mobility(R, R.terms[row:], e, R.length)
    for z in range(N_LOOPS):
        root = ROOTED[z]
        m = root.rows
        for r in range(m):
            row = root.first_row + r
            if first <= row < end:
                pivot = max(R.terms[row], R.blocks[root.block + r * (m + 1)])
                R.scales[row] = min(R.scales[row], MOST_SCALE * pivot)
                if R.scales[row] == 0.0:
                    R.scales[row] = row_size(R, row) / mass if mass > 0.0 else 1.0


def add_mobility(R: Record, target: Vector, e: int, size: float) -> None:
    """Add to a row's pivot the mobility of one free end body (entry e of ENDS).

    With `size` L > 0 (m), the body has the mass m + J/L² and the inertia J + m L²; with 0 it has its own m and J. J is
    half the trace of the inertia tensor about the centre of mass.
    """
    tip = ENDS[e]
    link = R.bodies[tip.link]
    y = R.row_y[tip.y :]
    m = link.mass
    if m > 0.0:
        x0 = link.mc[0] / m
        x1 = link.mc[1] / m
        x2 = link.mc[2] / m
        half = 0.5 * (link.inertia[0, 0] + link.inertia[1, 1] + link.inertia[2, 2]) - m * (x0 * x0 + x1 * x1 + x2 * x2)
        more = max(0.0, half) / (size * size) if size > 0.0 else 0.0
        target[0] += (y[0] ** 2 + y[1] ** 2 + y[2] ** 2) / (m + more)
        if half > 0.0:
            t0 = y[3] - (x1 * y[2] - x2 * y[1])
            t1 = y[4] - (x2 * y[0] - x0 * y[2])
            t2 = y[5] - (x0 * y[1] - x1 * y[0])
            target[0] += (t0 * t0 + t1 * t1 + t2 * t2) / (half + m * size * size)


def row_size(R: Record, row: int) -> float:
    """Return the sum of squares of a row's entries: forces, torques and rates of coordinates; expects `conditions`."""
    total = 0.0
    for end in range(N_ENDS):
        tip = ENDS[end]
        if tip.row == row:
            for h in range(6):
                total += R.row_y[tip.y + h] ** 2
    for i in range(N_LINKS):
        for e in range(OPEN_FIRST[i], OPEN_FIRST[i + 1]):
            opened = OPEN[e]
            if opened.row == row:
                for k in range(RATES_OF[i]):
                    total += R.row_w[opened.projection + k] ** 2
    return total


def choose_start_rows(R: Record) -> None:
    """Choose the rows that are independent in a position with closed loops, and compute the velocities with them."""
    R.choice = NO_CHOICE
    set_scales(R, 0, N_ROWS)
    R.choice = FREE_CHOICE
    if N_UNBOUND > 0:
        R.positions = 1.0
        solve(R)
        count_rank(R)
        R.position_rank = R.rank
        R.positions = 0.0
    solve(R)
    R.choice = FROZEN_CHOICE
    count_rank(R)
    if N_UNBOUND == 0:
        R.position_rank = R.rank
