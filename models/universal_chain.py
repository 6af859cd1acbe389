"""A chain of equal rods, each attached to the end of the previous one by a universal joint.

Ivanov (2017) compares the two solvers on this mechanism, with 5 to 50 bodies. The paper states no masses; here the rods
are cylinders of 1 m and 1 kg. Each joint rotates about its x axis, then about the new y. There is no friction, so
energy is conserved.
"""

import mbs_fmu as mbs

LENGTH, RADIUS, MASS = 1.0, 0.05, 1.0  #: of each rod: m, m, kg
LEAN = (0.5, -0.3)  #: rad, the first joint's angles at the start; the chain is straight


def universal_chain(n: int = 5) -> mbs.Model:
    """Return n rods that hang from the world's origin, at rest in a straight, inclined line at the start."""
    m = mbs.Model("universal_chain", description=f"Chain of {n} rods on universal joints")
    across, along = MASS * (3 * RADIUS**2 + LENGTH**2) / 12, MASS * RADIUS**2 / 2
    end = (0, 0, -LENGTH)
    rod: mbs.Body | str = "world"
    for k in range(1, n + 1):
        rod = m.body(
            f"rod{k}", rod, mbs.Universal("xy"),
            mass=MASS, com=(0, 0, -LENGTH / 2), inertia=(across, across, along), at=end if k > 1 else (0, 0, 0),
        )  # fmt: skip
    m.output("tip", mbs.position(rod, end), unit="m", description="free end of the chain")
    m.output("tip_velocity", mbs.velocity(rod, end), unit="m/s", description="its velocity")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.start("rod1", q=LEAN)
    return m
