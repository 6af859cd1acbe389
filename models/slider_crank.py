"""A slider-crank: the mechanism of a single-cylinder engine, and a regulator for its speed.

The cylinder is along z above the crank; the motion is in the x-z plane. Angles are about y: that of the crank from the
top dead centre, that of the connecting rod from the crank. A four-stroke cycle takes two revolutions of the crank. The
gas force is a smooth pulse in each power stroke, with its maximum `peak_angle` after the top dead centre.

`slider_crank` takes throttle and load torque as inputs, `throttle_regulator` is a controller without bodies, and
`regulated_slider_crank` includes the controller.
"""

import math

import mbs_fmu as mbs

SET_POINT = 150.0  #: rad/s, default of the regulator


def slider_crank() -> mbs.Model:
    """Return crank, flywheel, connecting rod and piston; inputs: throttle (0: no gas force), torque on the crank."""
    m = mbs.Model("slider_crank", description="Slider-crank of a single-cylinder engine")
    throttle = m.input("throttle", description="share of the largest gas force", min=0.0, max=1.0)
    _add_mechanism(m, throttle)
    return m


def throttle_regulator() -> mbs.Model:
    """Return the regulator; its throttle is clip(k e + k_i ∫e dt, 0, 1), e = set_point - speed, with a first-order
    lag."""
    m = mbs.Model("throttle_regulator", description="PI speed regulator of an engine, with anti-windup")
    throttle = _throttle(m, m.input("speed", unit="rad/s", description="measured speed"))
    m.output("throttle", throttle, description="share of the largest gas force")
    return m


def regulated_slider_crank() -> mbs.Model:
    """Return the slider-crank with its regulator: the reference of the co-simulation."""
    m = mbs.Model("regulated_slider_crank", description="Single-cylinder engine with its speed regulator")
    throttle = _throttle(m, mbs.rate("crank"))
    _add_mechanism(m, throttle)
    m.output("throttle", throttle, description="share of the largest gas force")
    return m


def _throttle(m: mbs.Model, speed: mbs.Expression) -> mbs.Expression:
    """Return the throttle of the regulator; at its limits the integral follows it (back-calculation)."""
    set_point = m.input("set_point", unit="rad/s", start=SET_POINT, description="speed to hold")
    k = m.parameter("k", 0.06, description="throttle for each rad/s of error", min=1e-9)
    k_i = m.parameter("k_i", 0.08, description="throttle for each rad of the error's integral", min=0.0)
    lag = m.parameter("lag", 0.1, unit="s", description="time constant of the throttle", min=1e-3)
    error = set_point - speed

    def demanded(integral: mbs.Expression) -> mbs.Expression:
        return k * error + k_i * integral

    def limited(integral: mbs.Expression) -> mbs.Expression:
        return mbs.clip(demanded(integral), 0.0, 1.0)

    integral = m.state(
        "integral",
        rate=lambda z: error + (limited(z) - demanded(z)) / k,
        unit="rad",
        description="integral of the error",
    )
    return m.state("opening", rate=lambda z: (limited(integral) - z) / lag, description="position of the throttle")


def _add_mechanism(m: mbs.Model, throttle: mbs.Expression) -> None:
    """Add bodies, the hinge that closes the loop, gas force, load, friction and outputs."""
    torque = m.input("torque", unit="N.m", description="torque on the crank; a load is negative")
    r = m.parameter("crank_radius", 0.04, unit="m", description="half the stroke", min=1e-6)
    length = m.parameter("rod_length", 0.13, unit="m", description="length of the connecting rod", min=1e-6)
    flywheel = m.parameter("flywheel", 0.3, unit="kg.m2", description="flywheel's inertia about the shaft", min=1e-9)
    b = m.parameter("b", 0.01, unit="N.m.s/rad", description="friction of the shaft", min=0.0)
    crank = m.body(
        "crank", joint=mbs.Revolute("y"), mass=2.0, com=(0, 0, 0.25 * r), inertia=(0.002, 0.002, 0.001),
        shape=[mbs.Line([(0, 0, -0.4 * r), (0, 0, r)], 0.011), mbs.Cylinder(0.014, 0.15, "y", at=(0, 0.06, 0))],
    )  # fmt: skip
    m.body(
        "flywheel", crank, mass=8.0, inertia=(flywheel / 2, flywheel, flywheel / 2),
        shape=[mbs.Ring(0.1, 0.014, "y", at=(0, 0.1, 0)), mbs.Cylinder(0.1, 0.008, "y", at=(0, 0.1, 0), color="gray")],
    )  # fmt: skip
    rod = m.body(
        "rod", crank, mbs.Revolute("y"), mass=0.5, com=(0, 0, 0.3 * length), inertia=(1e-3, 1e-3, 1e-4), at=(0, 0, r),
        shape=[mbs.Line([(0, 0, 0), (0, 0, length)], 0.007), mbs.Cylinder(0.015, 0.024, "y")],
    )  # fmt: skip
    piston = m.body(
        "piston", joint=mbs.Prismatic("z"), mass=0.4, inertia=(4e-4, 4e-4, 4e-4),
        shape=[mbs.Cylinder(0.034, 0.02, at=(0, 0, 0.025)), mbs.Box(0.014, 0.05, 0.03), mbs.Cylinder(0.007, 0.06, "y")],
    )  # fmt: skip
    m.shape("world", mbs.Cylinder(0.037, 0.13, at=(0, 0, 0.155), color="#9aa5b140"))
    m.close("wrist", rod, piston, mbs.Revolute("y"), at_a=(0, 0, length))
    gas = throttle * _pulse(m, mbs.coordinate(crank))
    m.motor("gas", on=piston, force=-gas)
    m.motor("load", on=crank, torque=torque)
    m.spring("friction", on=crank, damping=b)
    m.output("angle", mbs.coordinate(crank), unit="rad", description="angle of the crank from the top dead centre")
    m.output("speed", mbs.rate(crank), unit="rad/s", description="speed of the crank")
    m.output("stroke", mbs.coordinate(piston), unit="m", description="height of the piston's pin above the shaft")
    m.output("piston_speed", mbs.rate(piston), unit="m/s", description="speed of the piston")
    m.output("gas_force", gas, unit="N", description="force of the gas on the piston, downwards")
    m.output("wrist_force", mbs.reaction("wrist").f, unit="N", description="force of the connecting rod on the piston")
    m.output("side_force", mbs.reaction(piston).f[0], unit="N", description="force of the cylinder on the piston")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.output("residual", mbs.residual(), unit="m", description="how far the loop stands open")
    m.start(crank, q=math.pi / 2, u=100.0)
    m.start(rod, q=-math.pi / 2 - 0.3, guess=True)
    m.start(piston, q=0.12, guess=True)


def _pulse(m: mbs.Model, angle: mbs.Expression) -> mbs.Expression:
    """Return the gas force at full throttle, a smooth function of the crank angle with a period of two revolutions."""
    force = m.parameter("gas_force_max", 15e3, unit="N", description="largest gas force at full throttle", min=0.0)
    peak = m.parameter("peak_angle", 0.35, unit="rad", description="crank angle of the largest gas force")
    width = m.parameter("pulse_width", 0.5, unit="rad", description="width of the pulse", min=0.05)
    return force * mbs.exp((mbs.cos((angle - peak) / 2) - 1) * 4 / (width * width))
