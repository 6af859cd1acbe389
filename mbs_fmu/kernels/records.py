"""Kernels that set the tolerances of a record and check a record from outside.

They take all addresses as arguments, so that they work on the records of all models. Python runs them as they are;
native FMUs, firmware and live pages contain them as compiled code, together with the kernels of the model.
"""

import numpy as np

from ..record.blocks import HeadNumbers
from ..record.fields import Numbers

ABSOLUTE = HeadNumbers.absolute
STEP = HeadNumbers.step
TIME = HeadNumbers.time


def set_tolerances(R: Numbers, project: int, rtol: float, relative: float, absolute: float) -> None:
    """Set the tolerances of a run, after its start.

    The run uses the relative tolerance `rtol`. `relative` and `absolute` are a pair of tolerances, of which the record
    stores the ratio; the absolute tolerance of the run is rtol times this ratio. `project` is the address of the
    residual above which states are projected, or -1 if the record has none. It is set to a hundredth of the absolute
    tolerance unless it is negative, which means that states are never projected.
    """
    R[ABSOLUTE] = absolute / relative
    if project >= 0 and R[project] >= 0.0:
        R[project] = 0.01 * (absolute * (rtol / relative))


def fits(R: Numbers, rules: Numbers) -> bool:
    """True if kernels can use a record from outside, such as a saved state, without accessing wrong addresses.

    Indices, counts and codes must be whole numbers in their ranges; the active and the selected rows of each loop must
    be different rows of that loop; the data of elastic bodies, which contain indices, must be those of the model; time
    and step size must be finite.

    `rules` contains the number of whole numbers, and for each its address, least and largest value; the number of
    selections, two for each loop (its active and its selected rows), and for each the addresses of the number of its
    rows and of the first pivot, and the number of rows of the loop; the address, size and content of the data of
    elastic bodies.
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


def is_same(R: Numbers, place: int, expected: Numbers, first: int, n: int) -> bool:
    """True if n numbers of R equal those of another array."""
    different = 0
    for k in range(n):
        if R[place + k] != expected[first + k]:
            different += 1
    return different == 0


def choice_fits(R: Numbers, rank: int, pivots: int, rows: int) -> bool:
    """True if all pivots of a loop are rows of the loop, and the first of them, as many as its rank, are different."""
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
    """True if a number is one of low, low + 1, ..., high."""
    return low <= value <= high and value == np.ceil(value)
