"""Kernels that find islands: contacts that strike at one instant and act on each other.

The modules of models whose closures have constraint modes contain them. Two loops are coupled if their block of S (L7)
is not zero, directly or after the elimination of permanent rows between them. Contacts of one island share the least
restitution, because different ones could create energy; strangers that strike at the same instant keep their own.
"""

from ...record.schema import (
    LATER,
    LATER_FIRST,
    LOOP_MODE,
    MODE,
    N_LOOPS,
    N_MODES,
    ROOTED,
    ROW_LOOP,
    Record,
)
from ..constants import FREE_SELECTION, LATCH, UNILATERAL
from ..linked import solve
from .mode_ends import is_bilateral


def find_islands(R: Record) -> None:
    """Number the islands: coupled loops get equal numbers in `islands`.

    Loops of contacts count if they take part in the impact (`candidate`), others if they stay engaged. Expects the
    eliminated blocks of S.
    """
    for k in range(N_LOOPS):
        R.islands[k] = k
    for _ in range(N_LOOPS):  # each pass but the last lowers a number
        changed = False
        for t in range(N_LOOPS):
            rooted = ROOTED[t]
            for e in range(LATER_FIRST[t], LATER_FIRST[t + 1]):
                later = LATER[e]
                a = rooted.loop
                b = ROW_LOOP[later.first_row]
                joins = R.islands[a] != R.islands[b] and takes_part(R, a) and takes_part(R, b)
                if joins and has_numbers(R, later.block, rooted.rows * later.rows):
                    R.islands[a] = R.islands[b] = min(R.islands[a], R.islands[b])
                    changed = True
        if not changed:
            return


def takes_part(R: Record, loop: int) -> bool:
    """True if the rows of a loop transfer impulses in an impact: of contacts that touch, and of engaged closures."""
    mode = LOOP_MODE[loop]
    if is_bilateral(R, mode):
        return True
    return MODE[mode - 1].role == UNILATERAL and R.candidate[mode - 1] != 0.0


def has_numbers(R: Record, first: int, count: int) -> bool:
    """True if some of `count` numbers of `delassus` is not zero."""
    total = 0.0
    for k in range(count):
        total += abs(R.delassus[first + k])
    return total > 0.0


def share_restitution(R: Record) -> None:
    """Replace the restitution of each striking contact, in `rebounds`, by the least one of its island.

    Contacts that take part without striking get that of their island too: an impact elsewhere may drive them together.
    Others get 0. If all striking contacts have one restitution, there is no need to find islands.
    """
    least = 2.0
    most = -1.0
    for g in range(N_MODES):
        if R.strikes[g] != 0.0:
            least = min(least, R.rebounds[MODE[g].first_row])
            most = max(most, R.rebounds[MODE[g].first_row])
    for k in range(N_LOOPS):
        R.islands[k] = 0.0
        R.island_restitutions[k] = least if least == most else 2.0
    if least < most:
        solve_for_islands(R)
        for g in range(N_MODES):
            if R.strikes[g] != 0.0:
                island = int(R.islands[ROW_LOOP[MODE[g].first_row]])
                own = R.rebounds[MODE[g].first_row]
                R.island_restitutions[island] = min(R.island_restitutions[island], own)
    for g in range(N_MODES):
        row = MODE[g].first_row
        restitution = R.island_restitutions[int(R.islands[ROW_LOOP[row]])]
        R.rebounds[row] = restitution if R.candidate[g] != 0.0 and restitution <= 1.0 else 0.0


def solve_for_islands(R: Record) -> None:
    """Compute the blocks of S with all contacts engaged that take part in the impact, then the islands."""
    alpha = R.alpha
    R.alpha = 0.0
    R.in_impact = 1.0
    for g in range(N_MODES):
        R.modes_before_islands[g] = R.modes[g]
        if MODE[g].role != LATCH:
            R.modes[g] = 0.0 if R.candidate[g] != 0.0 else -1.0
    R.row_selection = FREE_SELECTION
    solve(R)
    find_islands(R)
    R.modes[:] = R.modes_before_islands
    R.alpha = alpha
    R.in_impact = 0.0
