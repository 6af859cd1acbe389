"""The kernel that completes the constants of links: those of branches, and copies. Every generated module contains it.

The branch of a link consists of the link and all links outboard of it.
"""

from ..record.schema import N_LINKS, N_PACKED, PACKED, PARENT, UNPACKED, Record


def complete_constants(R: Record) -> None:
    """Compute `branch_mass` of each link, and `moment`, its product with r, the position of the joint on the parent.

    Then copy the constants that each link's class uses from `bodies`, at the addresses UNPACKED, to `constants`, at the
    addresses PACKED.
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
