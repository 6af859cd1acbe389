"""What a run does with a record before and between the steps: kernels to which all places are arguments.

They are in no generated module. Python runs them as they stand here, native FMUs as machine code; so they serve records
of every format.
"""

import numpy as np

from .declarations import Record
from .names import ABSOLUTE, STEP, TIME


def set_tolerances(R: Record, project: int, told: float, relative: float, absolute: float) -> None:
    """The tolerances of a run, after its start.

    `relative` and `absolute` belong together; the run has the relative one `told`, and the absolute one moves with it.
    `project`: where the residual lies above which a state is projected back, a hundredth of the absolute tolerance;
    -1 where a record has none. A negative one stays: states are never projected.

    Reads: head. Writes: head, project.
    """
    R[ABSOLUTE] = absolute / relative
    if project >= 0 and R[project] >= 0.0:
        R[project] = 0.01 * (absolute * (told / relative))


def fits(R: Record, rules: Record) -> bool:
    """Whether a record from outside may be given to kernels: what they take for an index, a count or a choice is one,
    the rows of each loop that count are chosen among its own, each once, elastic bodies have their numbers, among which
    are indices, and clock and step size are sound.

    `rules`: how many whole numbers there are, and of each its address and the least and the largest that it may be;
    then how many loops, and of each the addresses of its rank and of its first pivot, and how many rows it has; then
    where the numbers of elastic bodies begin, how many there are, and these.

    Reads: rules.
    """
    if not (abs(R[TIME]) < np.inf and 0.0 <= R[STEP] < np.inf):
        return False
    count = int(rules[0])
    for k in range(count):
        if not is_whole(R[int(rules[3 * k + 1])], rules[3 * k + 2], rules[3 * k + 3]):
            return False
    first = 3 * count + 2
    loops = int(rules[first - 1])
    for loop in range(loops):
        place = first + 3 * loop
        if not choice_fits(R, int(rules[place]), int(rules[place + 1]), int(rules[place + 2])):
            return False
    shapes = first + 3 * loops
    return is_same(R, int(rules[shapes]), rules, shapes + 2, int(rules[shapes + 1]))


def is_same(R: Record, place: int, known: Record, first: int, n: int) -> bool:
    """Whether n numbers of R are those of another array.

    Reads: known, place.
    """
    different = 0
    for k in range(n):
        if R[place + k] != known[first + k]:
            different += 1
    return different == 0


def choice_fits(R: Record, rank: int, pivots: int, rows: int) -> bool:
    """Whether the first of a loop's pivots, as many as its rank says, are different ones of its rows.

    Reads: pivots, rank.
    """
    if not is_whole(R[rank], 0.0, 1.0 * rows):
        return False
    for k in range(rows):
        if not is_whole(R[pivots + k], 0.0, rows - 1.0):
            return False
    for k in range(int(R[rank])):
        for j in range(k):
            if R[pivots + j] == R[pivots + k]:
                return False
    return True


def is_whole(value: float, low: float, high: float) -> bool:
    """Whether a number is one of low, low + 1, ..., high."""
    return low <= value <= high and value == np.ceil(value)
