"""Validity of small deformations of elastic bodies, as kernels. Modules of models with such bodies contain them."""

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
    """Return OK, or a failure if three angles are in gimbal lock, or an elastic body is deformed too far.

    The inertia is known to second order in xi; at large xi it is no longer positive definite, and some motion would
    have negative energy. Then a pivot is negative, of the modes or of what they leave (docs/equations_elastic.md, F7).
    Pivots are those of the last evaluation. Long before that, rotations of nodes are so large that neglected terms
    matter.
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
    """True if all pivots of a body are positive: of its modes, and up to rounding of the branch that they leave."""
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
