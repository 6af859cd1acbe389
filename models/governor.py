"""The element of a centrifugal speed governor of Ivanov, Poloskov, Shimanovskiy (2016).

A vertical shaft carries an arm that slides out along the shaft's y axis against a spring, and swings
about two axes at its end. A torque drives the shaft; the speed regulator is a model of its own.
"""

import mbs_fmu as mbs


def governor() -> mbs.Model:
    """Shaft (angle phi), arm (slide y, then turns alpha about x and beta about the new y)."""
    m = mbs.Model("governor", gravity=(0, 0, -9.81), description="Element of a centrifugal speed governor")
    shaft = m.body(
        "shaft", parent="world", joint=mbs.Revolute("z"),
        mass=2.0, com=(0, 0.1, 0), inertia=(0.02, 0.005, 0.02),
    )  # fmt: skip
    arm = m.body(
        "arm", parent=shaft, joint=mbs.Compound(mbs.slide("y"), mbs.turn("x"), mbs.turn("y")),
        mass=1.0, com=(0, 0, -0.15), inertia=(0.008, 0.008, 0.002),
    )  # fmt: skip
    stiffness = m.parameter("c", 400.0, unit="N/m", description="stiffness of the arm's spring")
    m.spring("spring", on=arm, coordinate=1, stiffness=stiffness, damping=m.parameter("d", 4.0, unit="N.s/m"), length=0.2)
    m.motor("drive", on=shaft, torque=m.input("torque", unit="N.m", description="driving torque on the shaft"))
    m.output("speed", mbs.rate(shaft), unit="rad/s", description="speed of the shaft")
    m.output("slide", mbs.coordinate(arm, 1), unit="m", description="distance of the arm from the shaft")
    m.output("alpha", mbs.coordinate(arm, 2), unit="rad", description="swing about x")
    m.output("beta", mbs.coordinate(arm, 3), unit="rad", description="swing about the new y")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.start(arm, q=(0.2, 0, 0))
    return m
