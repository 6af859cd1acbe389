"""Elastic gears with losses: efficiencies in both directions, and standstill.

The gears are stiff and damped, so that the accelerations soon are those of rigid gears, for which the balance of
torques has closed forms: with the torque S that would drive the second wheel without losses it gets eta S while it is
driven, and S / eta while it drives (LossyGear of the Modelica Standard Library).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbs_fmu as mbs
from support.cases import tiers

FIRST, SECOND, RATIO = 1.0, 1.5, 2.0  #: kg m², kg m², speed of the first wheel over that of the second


def train(efficiency: Any, motor: Any, load: Any, speed: float = 0.0, **options: float) -> mbs.Model:
    m = mbs.Model("train", gravity=(0, 0, 0))
    for name, inertia, ratio, torque in (("first", FIRST, RATIO, motor), ("second", SECOND, 1.0, load)):
        m.body(name, joint=mbs.Revolute("x"), mass=1.0, inertia=(inertia, inertia, inertia))
        m.start(name, u=speed * ratio)
        m.motor(f"on_{name}", on=name, torque=torque)
    elastic = {"stiffness": 1e4, "damping": 100.0} | options
    m.gear("gear", "first", "second", ratio=RATIO, efficiency=efficiency, **elastic)
    m.output("mode", mbs.constraint_mode("gear.loss"))
    m.output("lost", -mbs.power("gear.loss"))
    m.output("power", [mbs.power("on_first"), mbs.power("on_second")])
    return m


@pytest.mark.parametrize("speed", tiers([20.0, -20.0], usual=1))
@pytest.mark.parametrize(
    ("motor", "load"),
    [(3.0, -1.0), (-3.0, 8.0), *(pytest.param(*case, marks=pytest.mark.slow) for case in ((1.0, 5.0), (-1.0, -4.0)))],
)
@pytest.mark.parametrize("efficiency", [(0.8, 0.6)])
def test_acceleration_is_that_of_the_quadrant(
    speed: float, motor: float, load: float, efficiency: tuple[float, float]
) -> None:
    """Solve both balances for each direction of the power; the one that is consistent with its torque holds."""
    result = mbs.simulate(train(efficiency, motor, load, speed), 0.5, rtol=1e-10, atol=1e-10, output_interval=0.25)
    measured = (result["second.w"][-1] - result["second.w"][-2]) / 0.25
    solutions = []
    for factor, drives in ((efficiency[0], 1.0), (1.0 / efficiency[1], -1.0)):
        acceleration = (factor * RATIO * motor + load) / (SECOND + factor * RATIO**2 * FIRST)
        torque = RATIO * motor - RATIO**2 * FIRST * acceleration
        if torque * speed * drives > 0.0:
            solutions.append(acceleration)
    assert len(solutions) == 1
    assert abs(measured - solutions[0]) < 1e-6 * (1.0 + abs(solutions[0]))  # what is left of the shaft's vibration


@pytest.mark.parametrize("load", tiers([-4.0, 4.0], usual=1))
@pytest.mark.parametrize("raised", tiers({"lifts": 1.0, "lowers": -1.0}, usual=1))
def test_gear_at_standstill_moves_where_the_bounds_end(load: float, raised: float) -> None:
    """A load L rests while the motor's torque times the ratio lies between eta L and L / eta, and then moves."""
    forward, backward = 0.8, 0.6
    balance = -load / RATIO
    motor = balance * (1.0 + raised * 0.5 * mbs.time)
    m = train((forward, backward), motor, load)
    m.start("first", q=balance / 1e4, u=0.0)  # the shaft carries the load from the start
    result = mbs.simulate(m, 1.0, method="rodas5p", rtol=1e-8, output_interval=0.01)
    limit = 1.0 / forward if raised > 0.0 else backward
    expected = raised * (limit - 1.0) / 0.5
    moves = result.switches["time"][-1]
    assert abs(moves - expected) < 1e-3  # the shaft follows the torque within its time constant
    assert np.all(np.abs(result["second.w"][result.time < moves]) < 1e-15)  # the rounding of momenta
    assert raised * -load * result["second.w"][-1] > 0.0
    assert len(result.switches) <= 3


@pytest.mark.parametrize("options", [{"rtol": 1e-8}, {"method": "rk4", "step": 1e-3}], ids=str)
def test_losses_take_their_share_without_chatter(options: dict[str, Any]) -> None:
    """With torques that change their signs the loss is never negative, and modes change a few times a period only."""
    motor, load = 10.0 * mbs.sin(4.0 * np.pi * mbs.time), -5.0 * mbs.sin(2.0 * mbs.time)
    result = mbs.simulate(train(0.5, motor, load), 2.0, **options)
    assert np.all(result["lost"] >= 0.0) and result["lost"].max() > 1.0
    assert len(result.switches) < 30


def accelerated(side: float, eta: float, motor: float, load: float) -> float:
    """Return the acceleration of the second wheel of the rigid train that turns to one side."""
    for factor, drives in ((eta, 1.0), (1.0 / eta, -1.0)):
        acceleration = (factor * RATIO * motor + load) / (SECOND + factor * RATIO**2 * FIRST)
        if (RATIO * motor - RATIO**2 * FIRST * acceleration) * side * drives >= 0.0:
            return acceleration
    raise AssertionError("no direction of the power is consistent")


def rigid_train(
    eta: float,
    motor: Callable[[float], float],
    load: Callable[[float], float],
    stop: float,
    bearing: tuple[float, float] = (0.0, 0.0),
) -> list[Any]:
    """Return times and sides, -1, 0 or 1, of the phases of the rigid train from rest, and its speed at the end.

    bearing: Coulomb friction (N.m) and viscous friction (N.m.s) of the first wheel.
    """

    def leaving(t: float) -> tuple[float, float]:
        """Margins to motion in both directions at rest, where the gear passes the rest of the motor's torque on."""
        margins = []
        for side in (1.0, -1.0):
            torque = RATIO * (motor(t) - side * bearing[0])
            driven, driving = max(side * torque, 0.0), max(-side * torque, 0.0)
            bound = (1 - eta) * driven + (1 / eta - 1) * driving
            margins.append(bound - side * (torque + load(t)))
        return margins[0], margins[1]

    def acceleration(t: float, speed: float, side: float) -> float:
        return accelerated(side, eta, motor(t) - side * bearing[0] - bearing[1] * RATIO * speed, load(t))

    time, speed, side, phases = 0.0, 0.0, 0.0, []
    while time < stop:
        if side == 0.0:
            margins = leaving(time + 1e-9)
            if min(margins) > 0.0:
                grid = np.linspace(time, stop, 200001)
                first = next((t for t in grid if min(leaving(t)) <= 0.0), stop)
                phases.append((time, 0.0))
                time, margins = first, leaving(first)
                if time >= stop:
                    break
            side = 1.0 if margins[0] < margins[1] else -1.0
        phases.append((time, side))

        def stops(t: float, y: Any, side: float = side, start: float = time) -> float:
            return float(side * y[0] + (1.0 if t <= start else 0.0))

        stops.terminal, stops.direction = True, -1  # type: ignore[attr-defined]
        run = solve_ivp(
            lambda t, y, side=side: [acceleration(t, y[0], side)], (time, stop), [speed],
            events=stops, rtol=1e-10, atol=1e-12, max_step=1e-2,
        )  # fmt: skip
        time, speed, side = float(run.t[-1]), float(run.y[0, -1]), 0.0
        speed = speed if time >= stop else 0.0
    return [*phases, speed]


@pytest.mark.slow
@pytest.mark.parametrize("bearing", [(0.0, 0.0), (0.5, 0.5)], ids=["LossyGearDemo1", "LossyGearDemo2"])
def test_stiff_gear_follows_the_rigid_one(bearing: tuple[float, float]) -> None:
    """Losses of one half, a sinusoidal drive and a load that falls from 10 to 5 N m in two seconds.

    These are the numbers of LossyGearDemo1 and 2 in the Modelica Standard Library; the second one has a bearing with
    friction too. Phases of motion and rest are those of a rigid gear, solved apart; the twist of the shaft shifts them
    by less than a millisecond.
    """

    def motor(t: Any) -> Any:
        return 10.0 * np.sin(2.0 * np.pi * t)

    def load(t: Any) -> Any:
        return 2.5 * t - 10.0

    *phases, speed = rigid_train(0.5, motor, load, 2.0, bearing)
    m = train(0.5, motor(mbs.time), load(mbs.time), stiffness=1e5, damping=300.0)
    if any(bearing):
        m.friction("bearing", on="first", torque=bearing[0], viscous=bearing[1], stick=True)
    result = mbs.simulate(m, 2.0, method="rodas5p", rtol=1e-8, output_interval=0.01)
    changes = result.switches[result.switches["name"] == "gear.loss"]
    assert [-mode for mode in changes["after"]] == [side for _, side in phases]
    assert np.abs(changes["time"] - [begin for begin, _ in phases]).max() < 1e-3
    assert abs(result["second.w"][-1] - speed) < 1e-3 * abs(speed)


SELF_LOCKING = [(0.4, 0.0), (0.4, -0.3)]


@pytest.mark.parametrize("load", tiers({"swinging": 4.0 * mbs.sin(6.0 * mbs.time), "up": 5.0, "down": -5.0}, usual=1))
@pytest.mark.parametrize("efficiency", tiers({str(x): x for x in SELF_LOCKING}, usual=1))
def test_self_locking_gear_holds_any_load(efficiency: tuple[float, float], load: Any) -> None:
    """The second wheel swings on the shaft and settles, the first one does not turn, whatever the load."""
    m = train(efficiency, 0.0, load)
    result = mbs.simulate(m, 2.0, method="rodas5p", rtol=1e-8, output_interval=0.01)
    assert np.abs(result["first.phi"]).max() < 1e-12  # the rounding of momenta
    assert len(result.switches) < 10
    torque = np.array([load if isinstance(load, float) else 4.0 * np.sin(6.0 * t) for t in result.time])
    twist = torque / (1e4 * RATIO**2)
    lag = 1.02 * 100.0 * 6.0 / 1e4  # damping times angular frequency over stiffness
    assert np.abs(result["second.phi"] - twist)[100:].max() < lag * np.abs(twist).max()


@pytest.mark.parametrize("load", tiers([5.0, -5.0], usual=1))
@pytest.mark.parametrize("efficiency", tiers({str(x): x for x in SELF_LOCKING}, usual=1))
@pytest.mark.parametrize("with_the_load", [True, False])
def test_self_locking_gear_moves_when_it_is_driven(
    efficiency: tuple[float, float], load: float, with_the_load: bool
) -> None:
    """With the load from -eta_ba, against it from 1 / eta_ab times the load on; then the balance of torques holds.

    With S, the torque on the first wheel: J_1 n a = motor + share S and J_2 a = load - n S, with share = eta_ba with
    the load, 1 / eta_ab against it.
    """
    share = efficiency[1] if with_the_load else 1.0 / efficiency[0]
    torque = load / RATIO
    limit = max(-share * torque * np.sign(load), 0.0) if with_the_load else share * torque * np.sign(load)
    sense = np.sign(load) * (1.0 if with_the_load else -1.0)
    m = train(efficiency, sense * mbs.min(10.0 * mbs.time, limit + 1.0), load)
    m.start("second", q=load / (1e4 * RATIO**2))  # the shaft carries the load from the start
    result = mbs.simulate(m, 1.5, method="rodas5p", rtol=1e-8, output_interval=0.01)
    assert abs(result.switches["time"][-1] - limit / 10.0) < 2e-3  # the shaft follows within its time constant
    assert np.all(sense * result["first.w"] >= -1e-12)
    acceleration = (result["second.w"][-1] - result["second.w"][-3]) / 0.02
    motor = sense * (limit + 1.0)
    expected = (RATIO * motor + share * load) / (FIRST * RATIO**2 + share * SECOND)
    assert abs(acceleration - expected) < 1e-3 * abs(expected)


def test_self_locking_gear_stops_a_load_that_runs_ahead() -> None:
    """Without a motor, the first wheel of a turning gear with eta_ba < 0 slows down, and stops."""
    m = train((0.4, -0.3), 0.0, 5.0, speed=0.5)
    result = mbs.simulate(m, 2.0, method="rodas5p", rtol=1e-8, output_interval=0.01)
    assert np.abs(result["first.w"][-50:]).max() < 1e-12 and np.all(result["lost"] >= 0.0)
    begins = result["first.w"][5]
    deceleration = (begins - result["first.w"][15]) / 0.1
    assert abs(deceleration - RATIO * 0.3 * 5.0 / (FIRST * RATIO**2 - 0.3 * SECOND)) < 1e-3 * deceleration


def test_perfect_gear_equals_one_without_losses() -> None:
    motor, load = 10.0 * mbs.sin(4.0 * np.pi * mbs.time), -5.0
    lossless, perfect = (
        mbs.simulate(train(eta, motor, load), 0.5, method="rk4", step=1e-3)["second.w"] for eta in (1.0 - 1e-15, 1.0)
    )
    assert np.abs(lossless - perfect).max() < 1e-9


@pytest.mark.quick
def test_messages_name_the_remedy() -> None:
    m = mbs.Model("wrong")
    for name in ("first", "second"):
        m.body(name, joint=mbs.Revolute("x"), mass=1.0, inertia=(1, 1, 1))
    soft: dict[str, Any] = {"ratio": 2.0, "stiffness": 1e3}
    for arguments, message in (
        ({"ratio": 2.0, "efficiency": 0.9}, "give stiffness= too"),
        ({**soft, "efficiency": 1.1}, "efficiency of gear 'x' is 1.1: it must be above 0 and at most 1"),
        ({**soft, "efficiency": 0.0}, "efficiency of gear 'x' is 0.0.* for a self-locking gear"),
        ({**soft, "efficiency": (-0.1, 0.5)}, "efficiency of gear 'x' is -0.1"),
        ({**soft, "efficiency": (0.5, 1.5)}, "efficiency of gear 'x' is 1.5 while b drives: it must be at most 1"),
        ({**soft, "efficiency": (0.9, 0.8, 0.7)}, "give one number, or two"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            m.gear("x", "first", "second", **arguments)
    assert not m.forces and not m.loops
