"""Validity of small deformations of elastic bodies, as kernels. Modules of models with such bodies contain them."""

from ...record.elastic_layout import factors_at, workspace_at
from ..declarations import Record
from ..linked import check_joint_angles, fail
from ..names import FRESH, Q_INDEX, STALE, TOO_LARGE
from .names import (
    BRANCH,
    ELASTIC,
    ELASTIC_INDEX,
    ELASTIC_LINKS,
    MODE_COUNT,
    MOST_TURN,
    N_ELASTIC,
    N_NODES,
    NODES,
    TURN,
)


def check_gimbal_lock(R: Record, h: float) -> int:
    """OK, or a failure: three angles in gimbal lock, or a body deformed too far.

    The inertia is known to second order in xi; at large xi it is no longer positive definite, and some motion would
    have negative energy. Then a pivot is negative, of the modes or of what they leave (docs/equations_elastic.md, F7).
    Pivots are those of the last evaluation. Long before that, rotations of nodes are so large that neglected terms
    matter.

    Reads: head.
    """
    for k in range(N_ELASTIC if R[FRESH] != STALE else 0):
        i = ELASTIC_LINKS[k]
        if not is_inertia(R, ELASTIC + ELASTIC_INDEX[i], MODE_COUNT[i]):
            return fail(R, Q_INDEX[i], h, TOO_LARGE)
    for k in range(N_NODES):
        if not squared_turn(R, ELASTIC + NODES[2 * k]) < MOST_TURN**2:
            return fail(R, Q_INDEX[NODES[2 * k + 1]], h, TOO_LARGE)
    return check_joint_angles(R, h)


def squared_turn(R: Record, e: int) -> float:
    """Square of the rotation of the node at e in the mean frame, by its Cayley vector.

    Reads: elastic.
    """
    return R[e + TURN] ** 2 + R[e + TURN + 1] ** 2 + R[e + TURN + 2] ** 2


def is_inertia(R: Record, x: int, n: int) -> bool:
    """True if all pivots of the body at x are positive; pivots of the remainder behind the modes up to rounding.

    Reads: elastic. Writes: elastic.
    """
    factors = x + factors_at(n)
    for k in range(n):
        if not R[factors + k] > 0.0:
            return False
    workspace = x + workspace_at(n)
    for i in range(36):
        R[workspace + i] = R[x + BRANCH + i // 6 * 8 + i - i // 6 * 6]
    for k in range(6):
        whole = R[x + BRANCH + 9 * k]
        pivot = R[workspace + 7 * k]
        if not pivot >= -1.0e-9 * abs(whole) or whole < 0.0:
            return False
        if pivot > 1.0e-12 * whole:
            for i in range(k + 1, 6):
                f = R[workspace + 6 * i + k] / pivot
                for j in range(k + 1, 6):
                    R[workspace + 6 * i + j] += -f * R[workspace + 6 * k + j]
    return True
