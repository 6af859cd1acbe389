"""Kernels of the list of near pairs: pairs of shapes that may touch before some shape has moved by half the margin.

The modules of models with such contacts contain them. Balls around the shapes stand for them. The list contains all
pairs whose balls are within the margin when it is made. Until some ball has moved by its slack, half the margin, no
other pair can touch. It is then made again, by a grid of cells: the balls of a cell touch those of the 27 cells around
it only. The pairs are in the order of their shapes, and pairs that are apart contribute nothing. The list therefore
changes no bit of any result, and states need not agree with it: each evaluation makes it again if it must.
"""

from __future__ import annotations

from ..record.schema import (
    N_NEAR,
    N_NEAR_BUCKETS,
    N_NEAR_KINDS,
    N_NEAR_LARGE,
    N_NEAR_PAIRS,
    NEAR_APART,
    NEAR_APART_FIRST,
    NEAR_KIND,
    NEAR_LINK,
    NEAR_MEETING,
    Record,
)
from .constants import MOST_CELLS, NEAR_LIST_FULL, NON_FINITE, STEP_TOO_SMALL
from .library import integer, le, lt
from .tolerances import LEAST_NEAR_SHARE


def update_near_pairs(R: Record) -> None:
    """Compute the centres of all balls, and make the list again if it is no longer valid. Expects poses."""
    for k in range(N_NEAR):
        locate(R, k)
    if not is_list_valid(R):
        make_near_list(R)


def locate(R: Record, k: int) -> None:
    """Compute the centre of the ball around shape k, in world axes."""
    place = R.near_shapes[k].place
    center = R.near_centers[k]
    if NEAR_LINK[k] < 0:
        center[0] = place[0]
        center[1] = place[1]
        center[2] = place[2]
    else:
        pose = R.pose[NEAR_LINK[k]]
        center[0] = pose[9] + pose[0] * place[0] + pose[1] * place[1] + pose[2] * place[2]
        center[1] = pose[10] + pose[3] * place[0] + pose[4] * place[1] + pose[5] * place[2]
        center[2] = pose[11] + pose[6] * place[0] + pose[7] * place[1] + pose[8] * place[2]


def is_list_valid(R: Record) -> bool:
    """True if there is a list, and no ball has moved by more than its slack since it was made."""
    if R.near_list.made == 0.0:
        return False
    for k in range(N_NEAR):
        x = R.near_centers[k, 0] - R.near_places[k, 0]
        y = R.near_centers[k, 1] - R.near_places[k, 1]
        z = R.near_centers[k, 2] - R.near_places[k, 2]
        slack = R.near_list.share * R.near_shapes[k].slack
        if not le(x * x + y * y + z * z, slack * slack):
            return False
    return True


def make_near_list(R: Record) -> None:
    """Make the list at the present centres. While it has too few places, the margin is reduced, at last to zero."""
    place_in_cells(R)
    share = 1.0
    while not find_near_pairs(R, share) and share > 0.0:
        share = 0.25 * share if share > LEAST_NEAR_SHARE else 0.0
    for k in range(N_NEAR):
        for d in range(3):
            R.near_places[k, d] = R.near_centers[k, d]
    if R.near_list.overflows != 0.0:
        R.near_list.overflowed = 1.0
        R.near_list.overflow_time = R.time
    R.near_list.made = 1.0
    R.near_list.share = share
    R.near_list.lists += 1.0


def place_in_cells(R: Record) -> None:
    """Compute the cells of all balls but the large ones, and chain those of cells with the same bucket."""
    for h in range(N_NEAR_BUCKETS):
        R.near_first[h] = 0.0
    for k in range(N_NEAR_LARGE, N_NEAR):
        for d in range(3):
            R.near_cells[k, d] = cell_of(R.near_centers[k, d] / R.near_cell[0])
        x = integer(R.near_cells[k, 0])
        y = integer(R.near_cells[k, 1])
        z = integer(R.near_cells[k, 2])
        h = bucket_of(x, y, z)
        R.near_next[k] = R.near_first[h]
        R.near_first[h] = k + 1


def cell_of(x: float) -> int:
    """Return the number of the cell at x, in cells; all places beyond the last cell are in that cell."""
    half = 0.5 * MOST_CELLS
    if not lt(-half, x):  # or it is no number
        return 1
    if le(half, x):
        return MOST_CELLS
    return 1 + integer(x + half)


def bucket_of(x: int, y: int, z: int) -> int:
    """Return the chain of a cell; several cells may have the same."""
    return (x * 73856093 + y * 19349663 + z * 83492791) & (N_NEAR_BUCKETS - 1)


def find_near_pairs(R: Record, share: float) -> bool:
    """Write the pairs within a share of the margin to the list, in their order; False if it has too few places."""
    R.near_list.overflows = 1.0
    R.near_list.count = 0.0
    count = 0
    for i in range(N_NEAR):
        found = partners_of_large(R, i, share) if i < N_NEAR_LARGE else partners_in_cells(R, i, share)
        if count + found > N_NEAR_PAIRS:
            return False
        for k in range(found):
            R.near_pairs[count + k, 0] = i
            R.near_pairs[count + k, 1] = R.near_found[k]
        count += found
    R.near_list.overflows = 0.0
    R.near_list.count = count
    return True


def partners_of_large(R: Record, i: int, share: float) -> int:
    """Write the shapes of larger index near a large shape i to `near_found`; return their number."""
    found = 0
    for j in range(i + 1, N_NEAR):
        if is_near(R, i, j, share):
            R.near_found[found] = j
            found += 1
    return found


def partners_in_cells(R: Record, i: int, share: float) -> int:
    """Write the shapes of larger index near shape i, which is not large, to `near_found`, in order; return their
    number."""
    found = 0
    for n in range(27):
        x = integer(R.near_cells[i, 0]) + n // 9 - 1
        y = integer(R.near_cells[i, 1]) + n // 3 - n // 9 * 3 - 1
        z = integer(R.near_cells[i, 2]) + n - n // 3 * 3 - 1
        j = integer(R.near_first[bucket_of(x, y, z)]) - 1
        while j > i:
            if is_in_cell(R, j, x, y, z) and is_near(R, i, j, share):
                add_partner(R, found, j)
                found += 1
            j = integer(R.near_next[j]) - 1
    return found


def is_in_cell(R: Record, j: int, x: int, y: int, z: int) -> bool:
    """True if shape j is in a cell."""
    return integer(R.near_cells[j, 0]) == x and integer(R.near_cells[j, 1]) == y and integer(R.near_cells[j, 2]) == z


def add_partner(R: Record, found: int, j: int) -> None:
    """Insert shape j into the first `found` shapes of `near_found`, which are in order."""
    k = found
    while k > 0 and integer(R.near_found[k - 1]) > j:
        R.near_found[k] = R.near_found[k - 1]
        k -= 1
    R.near_found[k] = j


def is_near(R: Record, i: int, j: int, share: float) -> bool:
    """True if shapes i < j can touch and their balls are within a share of the margin."""
    one = R.near_shapes[i]
    other = R.near_shapes[j]
    reach = one.radius + other.radius + share * (one.slack + other.slack)
    return lt(squared_distance(R, i, j), reach * reach) and can_touch(i, j)


def is_apart(R: Record, i: int, j: int) -> bool:
    """True if the balls around two shapes are apart, and so are the shapes."""
    reach = R.near_shapes[i].radius + R.near_shapes[j].radius
    return le(reach * reach, squared_distance(R, i, j))


def squared_distance(R: Record, i: int, j: int) -> float:
    """Return the square of the distance of the centres of two balls, m²."""
    x = R.near_centers[j, 0] - R.near_centers[i, 0]
    y = R.near_centers[j, 1] - R.near_centers[i, 1]
    z = R.near_centers[j, 2] - R.near_centers[i, 2]
    return x * x + y * y + z * z


def can_touch(i: int, j: int) -> bool:
    """True if there is a law for shapes i < j, and their bodies are not excluded from touching each other."""
    can = law_of(i, j) != 0 or law_of(j, i) != 0
    for k in range(NEAR_APART_FIRST[i], NEAR_APART_FIRST[i + 1]):
        can = can and NEAR_APART[k] != j
    return can


def law_of(a: int, b: int) -> int:
    """Return 1 + the number of the law of a contact with shape a on a and shape b on b; 0: none."""
    return NEAR_MEETING[NEAR_KIND[a] * N_NEAR_KINDS + NEAR_KIND[b]]


def failure_status(R: Record, status: int) -> int:
    """Return the status of a failure, or that of a list without places in the step that failed, which is its cause.

    With such a list wrenches are not finite.
    """
    beyond = R.near_list.overflow_time - R.time
    in_step = 0.0 <= beyond <= 1.001 * R.failed_step
    is_effect = status == NON_FINITE
    is_effect = is_effect or status == STEP_TOO_SMALL
    return NEAR_LIST_FULL if is_effect and in_step and R.near_list.overflowed != 0.0 else status
