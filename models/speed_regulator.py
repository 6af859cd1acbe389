"""Speed regulators: models without bodies, which are exported like all others.

`speed_regulator` is the proportional law of Ivanov, Poloskov, Shimanovskiy (2016); `pi_speed_regulator`
adds an integral, a torque limit and anti-windup.
"""

import mbs_fmu as mbs


def speed_regulator() -> mbs.Model:
    """Return the regulator torque = k (set_point - speed)."""
    m = mbs.Model("speed_regulator", description="Proportional speed regulator")
    speed, set_point = _signals(m)
    k = m.parameter("k", 0.5, unit="N.m.s/rad", description="gain")
    m.output("torque", k * (set_point - speed), unit="N.m", description="driving torque")
    return m


def pi_speed_regulator() -> mbs.Model:
    """Return the regulator torque = clip(k e + k_i ∫e dt, ±limit), e = set_point - speed.

    While the torque is at its limit, the integral follows it (anti-windup by back-calculation).
    """
    m = mbs.Model("pi_speed_regulator", description="PI speed regulator with torque limit and anti-windup")
    speed, set_point = _signals(m)
    k = m.parameter("k", 0.5, unit="N.m.s/rad", description="proportional gain", min=1e-6)
    k_i = m.parameter("k_i", 0.4, unit="N.m/rad", description="integral gain", min=0.0)
    limit = m.parameter("limit", 2.0, unit="N.m", description="largest torque, either way", min=0.0)
    error = set_point - speed

    def demanded(integral: mbs.Expression) -> mbs.Expression:
        return k * error + k_i * integral

    def limited(integral: mbs.Expression) -> mbs.Expression:
        return mbs.clip(demanded(integral), -limit, limit)

    integral = m.state(
        "integral",
        rate=lambda z: error + (limited(z) - demanded(z)) / k,
        unit="rad",
        description="integral of the error",
    )
    m.output("torque", limited(integral), unit="N.m", description="driving torque")
    return m


def _signals(m: mbs.Model) -> tuple[mbs.Expression, mbs.Expression]:
    """Add the inputs speed and set point."""
    speed = m.input("speed", unit="rad/s", description="measured speed")
    return speed, m.input("set_point", unit="rad/s", start=10.0, description="speed to hold")
