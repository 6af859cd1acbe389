"""Turn slip of wheels on a road: parked wheels that are steered, and wheels that run in circles."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.symbolic.expressions import Expression
from support.models.tyres import TURNING_TYRE

LOAD = 4000.0
TYRE = mbs.Tyre(TURNING_TYRE)
MOST = 210.5676288  #: N.m, D_r phi of this tyre for R0 phi = 2 at the nominal load


def parked(angle: Callable[[Expression], Expression], transient: bool = True) -> mbs.Model:
    """Return a wheel under a constant load that is steered by a function of time on the spot."""
    m = mbs.Model("parked", gravity=(0, 0, 0))
    m.body("slide", joint=mbs.Prismatic("z"), mass=50.0)
    m.motor("load", on="slide", force=-LOAD)
    m.spring("settle", on="slide", damping=5000.0)
    m.body("king_pin", "slide", mbs.Revolute("z"))
    m.drive("steer", on="king_pin", position=angle(mbs.time))
    m.body("wheel", "king_pin", mbs.Revolute("y"), mass=1.0, inertia=(1, 2, 1))
    m.tyre("tyre", "wheel", TYRE, turn_slip=True, transient=transient)
    m.start("slide", q=TYRE.loaded_radius(LOAD))
    m.output("wheel", mbs.wheel("tyre"))
    return m


def scrubbed(rate: np.ndarray, step: float) -> np.ndarray:
    """Return the moment, N.m, at each step, s, for yaw rates, rad/s, of a parked wheel, by Euler's method."""
    radius, friction = TURNING_TYRE["UNLOADED_RADIUS"], TURNING_TYRE["PDY1"]
    most = TURNING_TYRE["QCRP1"] * friction * radius * LOAD
    stiffness = -LOAD * radius * TURNING_TYRE["QDZ8"] / (1.0 - TURNING_TYRE["PECP1"])
    length = radius * stiffness / TURNING_TYRE["YAW_STIFFNESS"]
    spin, found = 0.0, []
    for w in rate:
        found.append(-most * math.sin(math.atan(stiffness / most * radius * spin)))
        spin += step * (w - abs(w) * radius / 2.0 * spin) / length
    return np.array(found)


def test_steering_a_parked_wheel_costs_work() -> None:
    """A cycle of ±0.5 rad loses about 326 J, less than a rigid wheel's 4 x 0.5 rad x 220.3 N.m."""
    run = mbs.simulate(parked(lambda t: 0.5 * mbs.sin(math.pi * t)), 4.0, method="rk4", step=1e-3, output_interval=1e-3)
    fine = np.arange(0.0, 4.0 + 1e-4, 1e-4)
    want = scrubbed(0.5 * math.pi * np.cos(math.pi * fine), 1e-4)[::10]
    np.testing.assert_allclose(run["wheel.mz"], want[: len(run.time)], atol=1.0)  # the error of Euler's method
    cycle = (run.time >= 0.9995) & (run.time <= 3.0005)
    rate = 0.5 * math.pi * np.cos(math.pi * run.time)
    work = -np.trapezoid((run["wheel.mz"] * rate)[cycle], run.time[cycle])
    assert work == pytest.approx(326.0, abs=0.5) and work < 4 * 0.5 * 220.3278
    assert 210.0 < np.abs(run["wheel.mz"]).max() < MOST
    assert np.abs(run["wheel.spin"]).max() < 2.0 / TURNING_TYRE["UNLOADED_RADIUS"]
    assert np.abs(run["wheel.fy"]).max() == 0.0  # a wheel on the spot has no side force


def test_small_turns_have_the_stiffness_of_the_carcass() -> None:
    """At rest the moment grows with YAW_STIFFNESS, N.m/rad, and it remains."""
    run = mbs.simulate(
        parked(lambda t: 1e-4 * mbs.clip(t, 0.0, 1.0)), 2.0, method="rk4", step=1e-3, output_interval=0.5
    )
    stiffness = TURNING_TYRE["YAW_STIFFNESS"]
    assert run["wheel.mz"][-1] == pytest.approx(-1e-4 * stiffness, rel=2e-3)
    assert run["wheel.mz"][2] == pytest.approx(run["wheel.mz"][-1], rel=1e-9)


@pytest.mark.parametrize("transient", [True, False], ids=["relaxed", "at once"])
@pytest.mark.parametrize("speed", [-3.0, 3.0])
def test_wheel_on_a_circle_has_the_steady_forces(speed: float, transient: bool) -> None:
    """A wheel on an arm that turns about the vertical has the spin of its path, with the forces of `Tyre.forces`."""
    arm, gamma = 4.0, 0.05
    m = mbs.Model("circle", gravity=(0, 0, 0))
    m.body("arm", joint=mbs.Revolute("z"))
    m.drive("turn", on="arm", position=speed / arm * mbs.time)
    m.body("slide", "arm", mbs.Prismatic("z"), at=(0, -arm, 0), mass=50.0)
    m.motor("load", on="slide", force=-LOAD)
    m.spring("settle", on="slide", damping=5000.0)
    m.body("hub", "slide", mbs.Weld(), at=mbs.Pose((0, 0, 0), mbs.rpy(gamma, 0, 0)))
    m.body("wheel", "hub", mbs.Revolute("y"), mass=1e-3, inertia=(1, 2, 1))
    m.drive("roll", on="wheel", position=speed / 0.31 * mbs.time)
    m.tyre("tyre", "wheel", TYRE, turn_slip=True, transient=transient)
    m.start("slide", q=TYRE.loaded_radius(LOAD))
    m.output("wheel", mbs.wheel("tyre"))
    run = mbs.simulate(m, 2.0, method="rk4", step=1e-3, output_interval=0.5)
    w = {name.removeprefix("wheel."): float(run[name][-1]) for name in run.columns if name.startswith("wheel.")}
    rate = speed / arm + (1.0 - TURNING_TYRE["PECP1"]) * speed / 0.31 * math.sin(gamma)
    assert w["spin"] == pytest.approx(rate / abs(speed), rel=0.02)
    steady = TYRE.forces(w["fz"], w["kappa"], w["alpha"], w["gamma"], speed=speed, spin=w["spin"])
    assert w["mz_spin"] * w["spin"] < 0.0
    if speed > 0.0:
        assert (w["fx"], w["fy"], w["mz"]) == pytest.approx((steady.fx, steady.fy, steady.mz), rel=1e-6, abs=1e-3)


def test_turn_slip_needs_a_tyre_that_has_it() -> None:
    """The message names the tyre of the model."""
    m = mbs.Model("plain")
    m.body("car", joint=mbs.Prismatic("x"), mass=1.0)
    m.body("wheel", "car", mbs.Revolute("y"), mass=1.0, inertia=(1, 1, 1))
    brush = mbs.Tyre.brush(radius=0.3, stiffness=2e5, load=4e3, slip_stiffness=8e4, friction=0.9)
    with pytest.raises(mbs.ModelError, match="tyre 'left': this tyre has no turn slip"):
        m.tyre("left", "wheel", brush, turn_slip=True)
