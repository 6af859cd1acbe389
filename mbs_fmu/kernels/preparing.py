"""Kernels that compute constants of branches from those of single links. Every generated module contains them."""

from .declarations import Record
from .names import (
    ARM,
    BODIES,
    BODY_SIZE,
    BRANCH_MASS,
    LINK_MASS,
    MOMENT,
    N_LINKS,
    N_PACKED,
    PACKED,
    PARENT,
    UNPACKED,
)


def branch_masses(R: Record) -> None:
    """Compute the masses of branches and their moments about the parents' origins.

    Then copy the constants that each link's class uses into its block.

    Reads: bodies. Writes: bodies, constants.
    """
    for i in range(N_LINKS):
        c = BODIES + BODY_SIZE * i
        R[c + BRANCH_MASS] = R[c + LINK_MASS]
    for i in range(N_LINKS - 1, -1, -1):
        c = BODIES + BODY_SIZE * i
        if PARENT[i] >= 0:
            R[BODIES + BODY_SIZE * PARENT[i] + BRANCH_MASS] += R[c + BRANCH_MASS]
        for k in range(3):
            R[c + MOMENT + k] = R[c + ARM + k] * R[c + BRANCH_MASS]
    for k in range(N_PACKED):
        R[PACKED[k]] = R[UNPACKED[k]]
