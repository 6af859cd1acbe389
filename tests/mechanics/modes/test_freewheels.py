"""Freewheels: a joint velocity that cannot become negative, with a torque that only drives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close

DRIVER, WHEEL, DRAG = 0.5, 2.0, 0.3  #: kg m², kg m², N m s


def hub(torque: Callable[[Any], Any], speed: float = 0.0) -> mbs.Model:
    """A driver with a torque, and a wheel with drag that may overrun it, turning with one speed."""
    m = mbs.Model("hub", gravity=(0, 0, 0))
    for name, inertia in (("driver", DRIVER), ("wheel", WHEEL)):
        m.body(name, joint=mbs.Revolute("x"), mass=1.0, inertia=(inertia, inertia, inertia))
        m.start(name, u=speed)
    m.motor("engine", on="driver", torque=torque(mbs.time))
    m.spring("air", on="wheel", damping=DRAG)
    m.freewheel("free", on="wheel", against="driver")
    m.output("torque", mbs.multiplier("free"))
    m.output("mode", mbs.constraint_mode("free"))
    m.output("energy", mbs.energy())
    return m


def by_hand(torque: Callable[[Any], Any], speed: float, stop: float) -> tuple[list[float], list[float]]:
    """Times at which the clutch of `hub` changes, and both speeds at the end: two sets of equations with events."""
    time, engaged, y, changes = 0.0, True, [speed, speed], []
    exact: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-13, "method": "DOP853"}

    def transmitted(t: float, y: Any) -> float:
        return float(WHEEL * (torque(t) - DRAG * y[1]) / (DRIVER + WHEEL) + DRAG * y[1])

    def faster(t: float, y: Any) -> float:
        return float(y[1] - y[0] + (1e-9 if t <= time else 0.0))

    for event in (transmitted, faster):
        event.terminal, event.direction = True, -1  # type: ignore[attr-defined]
    while time < stop:
        if engaged:
            run = solve_ivp(
                lambda t, y: [(torque(t) - DRAG * y[1]) / (DRIVER + WHEEL)] * 2,
                (time, stop),
                y,
                events=transmitted,
                **exact,
            )
        else:
            run = solve_ivp(
                lambda t, y: [torque(t) / DRIVER, -DRAG * y[1] / WHEEL], (time, stop), y, events=faster, **exact
            )
        time, y = float(run.t[-1]), run.y[:, -1].tolist()
        if time < stop:
            changes.append(time)
            engaged = not engaged
    return changes, y


def test_freewheel_changes_when_speed_or_torque_vanish() -> None:
    """Times of changes and speeds are those of the equations of both modes, solved apart with events."""

    def torque(t: Any) -> Any:
        return 4.0 + 10.0 * np.sin(5.0 * t)

    result = mbs.simulate(hub(torque, 1.0), 4.0, rtol=1e-11, atol=1e-11, output_interval=0.05)
    changes, speeds = by_hand(torque, 1.0, 4.0)
    assert len(changes) >= 6
    assert_close(np.asarray(result.switches["time"]), changes, 1e-8, "times of changes")
    assert abs(result["driver.w"][-1] - speeds[0]) < 1e-8 and abs(result["wheel.w"][-1] - speeds[1]) < 1e-8


@pytest.mark.parametrize(
    "options", tiers([{"rtol": 1e-8}, {"method": "rk4", "step": 0.01}, {"method": "rodas5p"}], usual=2)
)
def test_freewheel_only_drives(options: dict[str, Any]) -> None:
    """The slip is never negative, nor is the torque, and one of them is zero: with fixed steps too, not a step late."""
    result = mbs.simulate(hub(lambda t: 10.0 * mbs.sin(5.0 * t)), 4.0, **options)
    slip, torque = result["wheel.w"] - result["driver.w"], result["torque"]
    assert np.all(slip > -1e-13) and np.all(torque >= 0.0)
    assert np.all(np.abs(slip[result["mode"] == 0.0]) < 1e-13) and np.all(torque[result["mode"] != 0.0] == 0.0)
    assert len(result.switches) > 4


@pytest.mark.quick
def test_engaging_at_a_difference_of_speeds_is_an_impact() -> None:
    """Where a reset makes the wheel slower, both get the common speed, and the energy lost is that of an impact."""
    m = hub(lambda t: 0.0 * t, 1.0)
    m.start("wheel", u=3.0)
    m.event("blow", mbs.time - 0.1, reset={"wheel.w": -1.0})
    result = mbs.simulate(m, 0.2, method="rk4", step=0.01)
    common = (DRIVER * 1.0 + WHEEL * -1.0) / (DRIVER + WHEEL)
    row = result.switches[0]
    assert row["name"] == "free" and abs(row["time"] - 0.1) < 1e-12
    assert abs(row[4] - 0.5 * DRIVER * WHEEL / (DRIVER + WHEEL) * 4.0) < 1e-12
    after = result["driver.w"][result.time > 0.1][0]
    assert abs(after - common) < 0.01  # 0.01 s of drag


def test_ratchet_holds_a_load_that_was_lifted() -> None:
    """A drum with a freewheel against the world turns in one direction only, and holds the load at rest."""
    m = mbs.Model("winch")
    drum = m.body("drum", joint=mbs.Revolute("y"), mass=10.0, inertia=(0.2, 0.2, 0.2))
    load = m.body("load", joint=mbs.Prismatic("z"), mass=50.0)
    m.constrain("rope", mbs.coordinate(load) - 0.1 * mbs.coordinate(drum))
    m.freewheel("ratchet", on=drum)
    m.motor("crank", on=drum, torque=100.0 * mbs.max(mbs.sin(8.0 * mbs.time), 0.0))
    m.output("held", mbs.multiplier("ratchet"))
    result = mbs.simulate(m, 2.0, rtol=1e-8)
    assert np.all(np.diff(result["load.s"]) >= -1e-12) and result["load.s"][-1] > 0.05
    resting = result["drum.w"] == 0.0
    crank = 100.0 * np.maximum(np.sin(8.0 * result.time[resting]), 0.0)
    assert_close(result["held"][resting], 50.0 * 9.81 * 0.1 - crank, 1e-9, "torque of the ratchet")


@pytest.mark.quick
def test_messages_name_the_remedy() -> None:
    m = mbs.Model("wrong")
    wheel = m.body("wheel", joint=mbs.Revolute("x"), mass=1.0, inertia=(1, 1, 1))
    m.body("slide", joint=mbs.Prismatic("x"), mass=1.0)
    m.freewheel("free", on=wheel)
    for call, message in (
        (lambda: m.freewheel("free", on=wheel), "is taken"),
        (lambda: m.freewheel("x", on=wheel, against=wheel), "acts between the joint of body 'wheel' and itself"),
        (lambda: m.freewheel("x", on=wheel, against="slide"), "one side turns and the other slides"),
        (lambda: m.freewheel("x", on=wheel, coordinate=2), "coordinate 2 of body 'wheel' does not exist"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            call()


def test_impacts_pass_through_freewheels() -> None:
    """A ball strikes a plate that drives a cart by a freewheel: they share the blow, and no energy is lost."""
    m = mbs.Model("hit", gravity=(0, 0, 0))
    for name, mass, place, speed in (("ball", 1.0, -1.0, 4.0), ("plate", 1.0, 0.0, 0.0), ("cart", 3.0, 0.0, 0.0)):
        m.body(name, joint=mbs.Prismatic("x"), mass=mass)
        m.start(name, q=place, u=speed)
    m.contact("touch", "plate", "ball", mbs.OnPlane("-x"), restitution=1.0)
    m.freewheel("free", on="cart", against="plate")
    result = mbs.simulate(m, 1.0)
    speeds = [result[f"{name}.v"][-1] for name in ("ball", "plate", "cart")]
    assert_close(np.array(speeds), [4.0 * (1 - 4) / 5, 4.0 * 2 / 5, 4.0 * 2 / 5], 1e-12, "speeds after the impact")


def test_opposite_freewheels_are_a_coupling() -> None:
    """One of two freewheels in opposite directions always drives, whatever the torque."""
    m = mbs.Model("coupling", gravity=(0, 0, 0))
    for name, inertia in (("a", 1.0), ("b", 2.0)):
        m.body(name, joint=mbs.Revolute("x"), mass=1.0, inertia=(inertia, inertia, inertia))
        m.start(name, u=2.0)
    m.freewheel("forth", on="b", against="a")
    m.freewheel("back", on="a", against="b")
    m.motor("drive", on="a", torque=3.0 * mbs.sin(7.0 * mbs.time))
    result = mbs.simulate(m, 3.0, rtol=1e-9)
    expected = 2.0 + (1.0 - np.cos(7.0 * result.time)) / 7.0
    assert_close(result["a.w"], expected, 1e-7, "speed of a")  # 1e-9 a step
    assert np.abs(result["a.w"] - result["b.w"]).max() < 1e-14


def test_chain_of_freewheels_takes_up_together() -> None:
    """Each body is slower than the one that drives it: at the start all get the common speed of their momentum."""
    m = mbs.Model("chain", gravity=(0, 0, 0))
    for k in range(4):
        m.body(f"s{k}", joint=mbs.Prismatic("x"), mass=1.0 + k)
        m.start(f"s{k}", u=3.0 - k)
    for k in range(3):
        m.freewheel(f"free{k}", on=f"s{k + 1}", against=f"s{k}")
    result = mbs.simulate(m, 0.1)
    common = sum((1.0 + k) * (3.0 - k) for k in range(4)) / 10.0
    assert_close(np.array([result[f"s{k}.v"][-1] for k in range(4)]), np.full(4, common), 1e-14, "speed")


@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.parametrize(
    ("pair", "options"),
    [
        (False, {"method": "rk4", "step": 0.01}),
        pytest.param(True, {"method": "rk4", "step": 0.01}, marks=pytest.mark.slow),
        pytest.param(False, {"method": "dopri5"}, marks=pytest.mark.slow),
        pytest.param(True, {"method": "dopri5"}, marks=pytest.mark.slow),
    ],
)
def test_a_freewheel_at_rest_without_load_stays_at_rest(pair: bool, options: dict[str, object]) -> None:
    """It changes its mode once at most, because both modes are admissible; then a torque drives it as usual."""
    m = mbs.Model("rest", gravity=(0, 0, 0))
    shafts = [m.body(name, joint=mbs.Revolute("z"), mass=1.0, inertia=(0.1,) * 3) for name in "ab"[: 1 + pair]]
    m.freewheel("wheel", shafts[-1], against=shafts[0] if pair else None)
    m.motor("push", on=shafts[-1], torque=mbs.where(mbs.time >= 0.5, 0.2, 0.0))
    r = mbs.simulate(m, 1.0, output_interval=0.1, **options)  # type: ignore[call-overload]
    early = [change for change in r.switches if change["time"] < 0.4]
    assert len(early) <= 1
    assert r[f"{shafts[-1].name}.w"][4] == 0.0
    # a sixth of a step of 0.01 s may see the torque of the step after: 0.2 / 0.1 * 0.01 / 6 rad/s
    assert r[f"{shafts[-1].name}.w"][-1] == pytest.approx(1.0, abs=0.004)
