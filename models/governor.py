"""The element of a centrifugal speed governor of Ivanov, Poloskov, Shimanovskiy (2016).

A vertical shaft carries an arm, which slides along the shaft's y axis against a spring and swings about two axes. The
speed regulator is a separate model (speed_regulator.py): `governor` takes its torque as an input, `governed` includes
the proportional regulator. `digital_regulator` is a digital PI regulator, and `digitally_governed` is the governor with
that regulator and with the delay of a co-simulation.
"""

import mbs_fmu as mbs

PERIOD = 0.01  #: of the digital regulator, s


def governor() -> mbs.Model:
    """Return shaft (angle phi) and arm (translation y, rotation alpha about x, then beta about the new y); the input is
    the torque on the shaft."""
    m = mbs.Model("governor", description="Element of a centrifugal speed governor")
    add_mechanism(m, m.input("torque", unit="N.m", start=0.2, description="driving torque on the shaft"))
    return m


def governed() -> mbs.Model:
    """Return the governor with the paper's proportional regulator k (w0 - w): the reference of the co-simulation."""
    m = mbs.Model("governed", description="Governor with its proportional speed regulator")
    gain = m.parameter("k", 0.5, unit="N.m.s/rad", description="gain of the regulator")
    set_point = m.input("set_point", unit="rad/s", start=10.0, description="speed to hold")
    add_mechanism(m, gain * (set_point - mbs.rate("shaft")))
    return m


def digital_regulator() -> mbs.Model:
    """Return a digital PI regulator, which reads the speed and updates the torque every 10 ms."""
    m = mbs.Model("digital_regulator", description="Digital PI speed regulator with torque limit and anti-windup")
    torque = add_regulator(m, m.input("speed", unit="rad/s", description="measured speed"))
    m.output("torque", torque, unit="N.m", description="driving torque, held between samples")
    return m


def digitally_governed() -> mbs.Model:
    """Return the governor with its digital regulator, whose torque acts one sample late, as it does if both are FMUs
    that exchange values once per period."""
    m = mbs.Model("digitally_governed", description="Governor with a digital PI speed regulator")
    torque = add_regulator(m, mbs.rate("shaft"))
    late = m.sampled("late", PERIOD, torque, unit="N.m", description="torque that acts")
    add_mechanism(m, late)
    return m


def add_regulator(m: mbs.Model, speed: mbs.Expression) -> mbs.Expression:
    """Return the sampled torque of a PI regulator; at its limit the integral follows it (anti-windup)."""
    set_point = m.input("set_point", unit="rad/s", start=10.0, description="speed to hold")
    k = m.parameter("k", 0.5, unit="N.m.s/rad", description="proportional gain", min=1e-6)
    k_i = m.parameter("k_i", 0.4, unit="N.m/rad", description="integral gain", min=0.0)
    limit = m.parameter("limit", 2.0, unit="N.m", description="largest torque, either way", min=0.0)
    error = set_point - speed

    def demanded(integral: mbs.Expression) -> mbs.Expression:
        return k * error + k_i * integral

    def limited(integral: mbs.Expression) -> mbs.Expression:
        return mbs.clip(demanded(integral), -limit, limit)

    integral = m.sampled(
        "integral", PERIOD, lambda z: z + PERIOD * (error + (limited(z) - demanded(z)) / k),
        unit="rad", description="integral of the error",
    )  # fmt: skip
    return m.sampled("command", PERIOD, limited(integral), unit="N.m", description="torque of the regulator")


def add_mechanism(m: mbs.Model, torque: mbs.Expression) -> None:
    """Add bodies, spring, dampers and outputs of the governor, with a torque on the shaft."""
    shaft = m.body(
        "shaft", parent="world", joint=mbs.Revolute("z"),
        mass=2.0, com=(0, 0.1, 0), inertia=(0.02, 0.005, 0.02),
        shape=[mbs.Cylinder(0.025, 0.4), mbs.Box(0.03, 0.4, 0.03, at=(0, 0.2, 0), color="slategray")],
    )  # fmt: skip
    arm = m.body(
        "arm", parent=shaft, joint=mbs.Compound(mbs.slide("y"), mbs.turn("x"), mbs.turn("y")),
        mass=1.0, com=(0, 0, -0.15), inertia=(0.008, 0.008, 0.002),
        shape=[mbs.Box(0.055, 0.05, 0.055, color="dimgray"), mbs.Cylinder(0.012, 0.24, at=(0, 0, -0.12)),
               mbs.Sphere(0.06, at=(0, 0, -0.28))],
    )  # fmt: skip
    c = m.parameter("c", 400.0, unit="N/m", description="stiffness of the arm's spring", min=0.0)
    d = m.parameter("d", 4.0, unit="N.s/m", description="damping of the slide", min=0.0)
    b = m.parameter("b", 0.05, unit="N.m.s/rad", description="friction of the arm's two hinges", min=0.0)
    m.spring("spring", on=arm, coordinate=1, stiffness=c, damping=d, length=0.2)
    m.spring("hinge_x", on=arm, coordinate=2, damping=b)
    m.spring("hinge_y", on=arm, coordinate=3, damping=b)
    m.motor("drive", on=shaft, torque=torque)
    m.output("speed", mbs.rate(shaft), unit="rad/s", description="speed of the shaft")
    m.output("slide", mbs.coordinate(arm, 1), unit="m", description="distance of the arm's hinge from the shaft")
    m.output("alpha", mbs.coordinate(arm, 2), unit="rad", description="swing of the arm about x")
    m.output("beta", mbs.coordinate(arm, 3), unit="rad", description="swing of the arm about the new y")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.start(arm, q=(0.2, 0.0, 0.0))
