"""N coupled planar four-bars: problem A02 of the IFToMM library of computational benchmark problems.

N + 1 vertical links stand on a row of hinges, and N horizontal links connect their tops. All are uniform rods of 1 m
and 1 kg. The mechanism has one degree of freedom for any N. It passes through singular positions, in which all rods are
parallel and the constraint rows are dependent.
"""

import mbs_fmu as mbs


def n_four_bar(n: int = 40, hinges: bool = False) -> mbs.Model:
    """Return n four-bars in the x-z plane, whose tops move with 1 m/s along x at the start.

    Each loop is closed by a pin that can slide along its axis, which has the two conditions that a planar mechanism
    needs; with `hinges`, by a hinge, whose three other conditions are redundant.
    """
    m = mbs.Model("n_four_bar", description=f"Planar four-bars in a row, {n}: IFToMM A02")
    hinge = mbs.Revolute("y")
    closure = hinge if hinges else mbs.OnLine("y")
    upright = {"mass": 1.0, "com": (0, 0, 0.5), "inertia": (1 / 12, 1 / 12, 0)}
    level = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (0, 1 / 12, 1 / 12)}
    first = m.body("v0", joint=hinge, **upright)
    before = first
    for k in range(1, n + 1):
        h = m.body(f"h{k}", before, hinge, at=(0, 0, 1), **level)
        v = m.body(f"v{k}", joint=hinge, at=(k, 0, 0), **upright)
        m.close(f"loop{k}", h, v, closure, at_a=(1, 0, 0), at_b=(0, 0, 1))
        before = v
    m.output("b0", mbs.position(first, (0, 0, 1)), unit="m", description="top of the first upright link")
    m.output("b0_velocity", mbs.velocity(first, (0, 0, 1)), unit="m/s", description="its velocity")
    m.output("angle", mbs.coordinate(first), unit="rad", description="angle of the upright links from z towards x")
    m.output("force", mbs.reaction("loop1").f, unit="N", description="force of the first level link on the next one")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.output("residual", mbs.residual(), unit="m", description="how far the loops stand open")
    m.start(first, q=0.0, u=1.0)
    return m
