"""N coupled planar four-bars: problem A02 of the IFToMM library of computational benchmark problems.

N + 1 upright links stand on hinges in a row, and N level links join their tops. All are uniform rods of 1 m and
1 kg. The mechanism has one freedom, whatever N is; it passes configurations in which all rods lie flat and the
conditions depend on each other.
"""

import mbs_fmu as mbs


def n_four_bar(n: int = 40, hinges: bool = False) -> mbs.Model:
    """n windows in the x-z plane. The tops move with 1 m/s along x at the start.

    Each loop is closed by a pin that may slide along its axis: the two conditions that the plane needs. With
    `hinges` it is closed by a hinge, whose three superfluous conditions are found and left out.
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
