"""Kernels that compute constants of branches from those of single links. Every generated module contains them."""

from ..record.schema import N_LINKS, N_PACKED, PACKED, PARENT, UNPACKED, Record


def branch_masses(R: Record) -> None:
    """Compute the mass of each branch and its product with the position of the branch's joint on the parent.

    Then copy the constants that each link's class uses to its block of `constants`: PACKED are the addresses there,
    UNPACKED those of the sources.
    """
    for i in range(N_LINKS):
        link = R.bodies[i]
        link.branch_mass = link.mass
    for i in range(N_LINKS - 1, -1, -1):
        link = R.bodies[i]
        if PARENT[i] >= 0:
            R.bodies[PARENT[i]].branch_mass += link.branch_mass
        for k in range(3):
            link.moment[k] = link.r[k] * link.branch_mass
    for k in range(N_PACKED):
        R[PACKED[k]] = R[UNPACKED[k]]
