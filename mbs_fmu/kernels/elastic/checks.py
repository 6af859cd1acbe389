"""Checks that elastic bodies are not deformed too far, as kernels. Modules of models with such bodies contain them."""

from ...record.elastic_layout import factors_at, workspace_at
from ...record.schema import (
    ELASTIC_INDEX,
    ELASTIC_LINKS,
    MODE_COUNT,
    N_ELASTIC,
    N_NODES,
    NODES,
    Q_INDEX,
    ElasticBlock,
    NodeBlock,
    Record,
)
from ..constants import STALE, TOO_LARGE
from ..linked import check_joint_angles, fail
from ..tolerances import MOST_NODE_ROTATION


def check_gimbal_lock(R: Record, h: float) -> int:
    """Return OK, or a failure if an elastic body is deformed too far, or three joint angles are in gimbal lock.

    The hook has its name from trees without elastic bodies. The inertia is known to second order in the modal
    coordinates: at large ones it is no longer positive definite, and some motion would have negative energy. A pivot of
    the last elimination (docs/equations_elastic.md, F7) is then negative. Rotations of nodes are limited too, since
    neglected terms matter long before that. h is the step size (s) to report.
    """
    for k in range(N_ELASTIC if R.fresh != STALE else 0):
        i = ELASTIC_LINKS[k]
        if not has_positive_inertia(R, R.elastic_block(ELASTIC_INDEX[i]), MODE_COUNT[i]):
            return fail(R, Q_INDEX[i], h, TOO_LARGE)
    for k in range(N_NODES):
        node = NODES[k]
        if not squared_node_rotation(R, R.node_block(node.block)) < MOST_NODE_ROTATION**2:
            return fail(R, Q_INDEX[node.link], h, TOO_LARGE)
    return check_joint_angles(R, h)


def squared_node_rotation(R: Record, e: NodeBlock) -> float:
    """Return the squared length of the Cayley vector of a node, rad² for small rotations."""
    return e.turn[0] ** 2 + e.turn[1] ** 2 + e.turn[2] ** 2


def has_positive_inertia(R: Record, x: ElasticBlock, n: int) -> bool:
    """True if the inertia of a body with n modes and its branch is positive: the pivots of the modes are positive.

    Those of the 6 x 6 inertia that remains after their elimination may be zero up to rounding.
    """
    factors = x.part(factors_at(n))
    for k in range(n):
        if not factors[k] > 0.0:
            return False
    P = x.matrix(workspace_at(n), 6)
    for i in range(6):
        for j in range(6):
            P[i, j] = x.branch[i, j]
    for k in range(6):
        whole = x.branch[k, k]
        pivot = P[k, k]
        if not pivot >= -1.0e-9 * abs(whole) or whole < 0.0:
            return False
        if pivot > 1.0e-12 * whole:
            for i in range(k + 1, 6):
                f = P[i, k] / pivot
                for j in range(k + 1, 6):
                    P[i, j] += -f * P[k, j]
    return True
