"""Temporary closures: latches, locks, stops, contacts, brakes and clutches, against closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close

G = 9.81


def ball(restitution: Any) -> mbs.Model:
    """Return a ball that falls from one metre to the floor."""
    m = mbs.Model("ball")
    m.body("ball", joint=mbs.Prismatic("z"), mass=2.0)
    m.contact("floor", "world", "ball", mbs.OnPlane("z"), restitution=restitution)
    m.start("ball", q=1.0)
    m.output("mode", mbs.constraint_mode("floor"))
    m.output("blow", mbs.impulse("floor"))
    m.output("floor", mbs.multiplier("floor"))
    return m


def bounces(e: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return times and speeds of the first impacts."""
    speeds = math.sqrt(2 * G) * e ** np.arange(count)
    return math.sqrt(2 / G) + np.append(0.0, np.cumsum(2 * speeds[1:] / G)), speeds


METHODS = {
    "rk4": {"method": "rk4", "step": 0.01}, "dopri5": {"rtol": 1e-9}, "gauss4": {"method": "gauss4", "step": 0.01},
    "abm6": {"method": "abm6", "step": 0.01}, "rodas5p": {"method": "rodas5p", "rtol": 1e-8},
}  # fmt: skip


@pytest.mark.parametrize("how", tiers(METHODS, usual=1))
def test_a_ball_bounces_and_comes_to_rest(how: dict[str, Any]) -> None:
    """Impacts are at the times of the closed form; the ball rests on the floor before the infinite sequence ends."""
    result = mbs.simulate(ball(0.7), 5.0, **how)
    computed = result.switches
    assert len(computed) >= 20 and set(computed["name"]) == {"floor"}
    times, speeds = bounces(0.7, len(computed))
    assert_close(computed["time"], times, 2e-12, "time")
    assert_close(computed["lost"][:-1], (1 - 0.49) * speeds[:-1] ** 2, 1e-11, "lost")  # of 2 kg
    assert list(computed["after"][-2:]) == [-1.0, 0.0]
    resting = result.time > 4.0
    assert np.all(result["mode"][resting] == 0.0)
    assert_close(result["ball.s"][resting], 0.0, 1e-12, "ball.s")
    assert_close(result["ball.v"][resting], 0.0, 1e-12, "ball.v")
    assert_close(result["floor"][resting], 2.0 * G, 1e-9, "floor")


@pytest.mark.slow
def test_an_impact_without_restitution_ends_at_rest() -> None:
    result = mbs.simulate(ball(0.0), 1.0, rtol=1e-9)
    assert len(result.switches) == 1
    assert result["blow"][-1] == pytest.approx(2.0 * math.sqrt(2 * G), abs=1e-11)


def orders(model: Callable[[], mbs.Model], method: str, steps: list[float], column: str, stop: float) -> float:
    """Return the slope of the error over the step."""
    exact = mbs.simulate(model(), stop, method="dop853", rtol=1e-13, output_interval=stop)[column][-1]
    errors = [
        abs(mbs.simulate(model(), stop, method=method, step=h, output_interval=stop)[column][-1] - exact) for h in steps
    ]
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def striking() -> mbs.Model:
    """Return a double pendulum whose tip strikes a wall."""
    m = mbs.Model("striking", gravity=(0, -G, 0))
    one = m.body("one", joint=mbs.Revolute("z"), mass=1.3, com=(0, -0.5, 0), inertia=(0.11, 0.01, 1.3 / 12))
    two = m.body("two", one, mbs.Revolute("z"), 0.7, (0, -0.4, 0), inertia=(0.04, 0.01, 0.7 * 0.64 / 12), at=(0, -1, 0))
    m.contact("wall", "world", two, mbs.OnPlane("x"), at_b=(0, -0.8, 0), restitution=0.8)
    m.start(one, q=0.9)
    m.start(two, q=0.3)
    m.output("energy", mbs.energy())
    return m


@pytest.mark.usefixtures("plain_by_default")
@pytest.mark.parametrize("method", tiers(["rk4", "gauss4"], usual=1))
def test_impacts_keep_the_order_of_a_method(method: str) -> None:
    assert orders(striking, method, [0.02, 0.01, 0.005, 0.0025], "two.phi", 1.5) > 3.6


@pytest.mark.slow
def test_energy_falls_by_the_losses_of_impacts_only() -> None:
    """The energy falls by the loss that each impact reports, and is constant between impacts."""
    result = mbs.simulate(striking(), 5.0, rtol=1e-11)
    assert len(result.switches) >= 3
    lost = result["energy"][0] - result["energy"][-1]
    assert lost == pytest.approx(result.switches["lost"].sum(), abs=1e-8)
    assert np.all(result.switches["lost"] > 0.0)


def latched(until: float | None = None) -> mbs.Model:
    """Return a panel on a free hub, which latches at one radian and opens again."""
    m = mbs.Model("latched", gravity=(0, 0, 0))
    hub = m.body("hub", joint=mbs.Free(), mass=10.0, inertia=(2, 2, 2))
    panel = m.body("panel", hub, mbs.Revolute("y"), 2.0, (0.5, 0, 0), inertia=(0.01, 0.2, 0.2), at=(0.3, 0, 0))
    c, s = math.cos(1.0), math.sin(1.0)
    place = mbs.Pose((0.3, 0, 0), ((c, 0, s), (0, 1, 0), (-s, 0, c)))
    ends = {} if until is None else {"until": mbs.time >= until}
    m.close("hook", hub, panel, mbs.Weld(), at_a=place, when=mbs.coordinate(panel) >= 1.0, **ends)
    m.start(panel, u=0.8)
    m.start(hub, u=(0.1, 0.2, 0, 0.1, -0.2, 0.3))
    m.output("momentum", mbs.momentum())
    m.output("spin", mbs.angular_momentum())
    m.output("energy", mbs.energy())
    return m


def test_an_engaging_latch_conserves_all_momenta() -> None:
    """All six momenta are conserved, the loss of energy is that in the log, and the panel stays in place."""
    result = mbs.simulate(latched(), 20.0, method="rk4", step=0.005)
    (switch,) = result.switches
    assert switch["before"] == -1.0 and switch["after"] == 0.0
    assert np.ptp(result["momentum"], axis=0).max() < 1e-11 and np.ptp(result["spin"], axis=0).max() < 1e-11
    assert switch["lost"] > 0.1
    before, after = result.time < switch["time"], result.time > switch["time"]
    assert result["energy"][before][-1] - result["energy"][after][0] == pytest.approx(switch["lost"], abs=1e-9)
    assert np.abs(result["panel.phi"][after] - 1.0).max() < 1e-11 and np.abs(result["panel.w"][after]).max() < 1e-12


@pytest.mark.slow
def test_a_release_loses_no_energy() -> None:
    result = mbs.simulate(latched(5.0), 10.0, rtol=1e-10)
    assert list(result.switches["after"]) == [0.0, -1.0]
    assert result.switches["time"][1] == pytest.approx(5.0, abs=1e-12) and result.switches["lost"][1] == 0.0
    assert np.ptp(result["spin"], axis=0).max() < 1e-8


def stick_slip() -> mbs.Model:
    """Return a block on a belt, held by a spring (Popp 1992): it sticks up to 6 N and slips with 4 N."""
    m = mbs.Model("belt", gravity=(0, 0, 0))
    belt = m.body("belt", joint=mbs.Prismatic("x"), mass=1.0)
    m.drive("pull", on=belt, position=0.2 * mbs.time)
    block = m.body("block", belt, mbs.Prismatic("x"), mass=1.0)
    m.force("spring", on=block, force=(-50.0 * mbs.position(block)[0], 0, 0))
    m.friction("rubs", on=block, force=4.0, static=6.0, stick=True)
    m.output("mode", mbs.constraint_mode("rubs"))
    return m


@pytest.mark.slow
@pytest.mark.parametrize("how", tiers({"rk4": {"method": "rk4", "step": 0.002}, "dopri5": {"rtol": 1e-10}}, usual=1))
def test_a_block_on_a_belt_sticks_and_slips(how: dict[str, Any]) -> None:
    """The period is that of the closed form."""
    computed = mbs.simulate(stick_slip(), 10.0, **how).switches
    omega, reach = math.sqrt(50.0), (6.0 - 4.0) / 50.0
    period = 2 * (math.pi - math.atan(reach * omega / 0.2)) / omega + 2 * reach / 0.2
    sticks = computed["time"][computed["after"] == 0.0]
    assert computed["time"][0] == pytest.approx(6.0 / 50.0 / 0.2, abs=1e-9)
    assert len(sticks) >= 8 and np.abs(np.diff(sticks) - period).max() < 1e-8


@pytest.mark.slow
def test_a_forced_oscillator_with_friction_has_den_hartogs_amplitude() -> None:
    """The oscillator slides without a stop: the amplitude is that of the closed form (J. P. Den Hartog, 1931)."""
    beta, force = 0.7, 0.2
    v = 1 / (1 - beta**2)
    u = math.sin(math.pi / beta) / (beta * (1 + math.cos(math.pi / beta)))
    amplitude = math.sqrt(v**2 - (force * u) ** 2)
    m = mbs.Model("oscillator", gravity=(0, 0, 0))
    block = m.body("block", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on=block, stiffness=1.0)
    m.motor("force", on=block, force=mbs.cos(beta * mbs.time))
    m.friction("rubs", on=block, force=force, stick=True)
    m.start(block, q=amplitude, u=0.3)
    m.state("reach", 0.0)
    m.event("turns", mbs.rate(block), reset={"reach": mbs.coordinate(block)})
    result = mbs.simulate(m, 400.0, rtol=1e-10, output_interval=1.0)
    assert np.all(result.switches["after"][1:] != 0.0)
    assert_close(np.abs(result["reach"][result.time > 340.0]), amplitude, 1e-8, "reach")


@pytest.mark.slow
def test_a_clutch_locks_and_slips_again() -> None:
    j1, j2, capacity, static, a0, b0, load = 0.5, 1.5, 12.0, 15.0, 4.0, 1.5, 2.0
    m = mbs.Model("clutch", gravity=(0, 0, 0))
    m.body("engine", joint=mbs.Revolute("x"), mass=1.0, inertia=(j1, j1, j1))
    m.body("load", joint=mbs.Revolute("x"), mass=1.0, inertia=(j2, j2, j2))
    m.motor("drive", on="engine", torque=a0 + b0 * mbs.time)
    m.motor("brake", on="load", torque=-load)
    m.friction("clutch", on="engine", against="load", torque=capacity, static=static, stick=True)
    m.start("engine", u=30.0)
    c2, c1 = b0 / 2 / j1, (a0 - capacity) / j1 - (capacity - load) / j2
    locks = (-c1 - math.sqrt(c1**2 - 4 * c2 * 30.0)) / (2 * c2)
    slips = ((static * (j1 + j2) - j1 * load) / j2 - a0) / b0
    result = mbs.simulate(m, 12.0, rtol=1e-11)
    assert result.switches["time"] == pytest.approx([locks, slips], abs=1e-9)
    w = 30 + (a0 - capacity) * locks / j1 + b0 / 2 * locks**2 / j1
    w += ((a0 - load) * (slips - locks) + b0 / 2 * (slips**2 - locks**2)) / (j1 + j2)
    w += ((a0 - capacity) * (12 - slips) + b0 / 2 * (144 - slips**2)) / j1
    assert result["engine.w"][-1] == pytest.approx(w, abs=1e-9)


@pytest.mark.slow
def test_a_puck_leaves_a_smooth_sphere_at_the_exact_angle() -> None:
    """It leaves at the cosine 2/3 + v0²/(3 g R)."""
    m = mbs.Model("puck", gravity=(0, -G, 0))
    puck = m.body("puck", joint=mbs.Compound(mbs.slide("x"), mbs.slide("y")), mass=0.3)
    m.contact("sphere", "world", puck, mbs.Distance(1.0))
    m.start(puck, q=(0, 1), u=(0.2, 0))
    m.event("stop", mbs.constraint_mode("sphere") + 0.5, stop=False)
    result = mbs.simulate(m, 1.2, rtol=1e-11, output_interval=1e-3)
    (switch,) = result.switches
    q = mbs.simulate(m, switch["time"], rtol=1e-11)["puck.q[2]"][-1]
    assert q == pytest.approx(2 / 3 + 0.04 / (3 * G), abs=1e-9)


@pytest.mark.usefixtures("plain_by_default")
def test_a_lock_holds_where_it_engages() -> None:
    """An input engages it, with an impact, and releases it."""
    m = mbs.Model("parked", gravity=(0, 0, 0))
    wheel = m.body("wheel", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    parked = m.input("parked")
    m.lock("park", on=wheel, when=parked > 0.5, until=parked < 0.5)
    m.motor("drive", on=wheel, torque=1.0)
    m.output("torque", mbs.multiplier("park"))
    t = np.array([0.0, 1.0, 1.0, 2.0, 2.0, 3.0])
    result = mbs.simulate(m, 3.0, inputs={"parked": (t, np.array([0, 0, 1, 1, 0, 0.0]))}, method="rk4", step=0.01)
    assert result.switches["time"] == pytest.approx([1.0, 2.0], abs=1e-9)
    held = (result.time > 1.001) & (result.time < 1.999)
    assert np.ptp(result["wheel.phi"][held]) < 1e-13 and np.abs(result["torque"][held] + 1.0).max() < 1e-12
    assert result.switches["lost"][0] == pytest.approx(0.5, abs=1e-9)
    assert result["wheel.w"][-1] == pytest.approx(1.0, abs=1e-9)
    assert result["wheel.phi"][-1] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.slow
def test_balls_of_a_cradle_are_struck_at_once() -> None:
    """Three balls in touch leave with (-1/3, 2/3, 2/3), not (0, 0, 1); the energy is the same."""
    m = mbs.Model("cradle", gravity=(0, 0, 0))
    for k in range(3):
        m.body(f"ball{k}", joint=mbs.Prismatic("x"), mass=1.0)
        m.start(f"ball{k}", q=float(k) - 0.5 * (k == 0), u=float(k == 0))
    for k in range(2):
        m.contact(f"touch{k}", f"ball{k}", f"ball{k + 1}", mbs.OnPlane("x"), at_a=(1, 0, 0), restitution=1.0)
    result = mbs.simulate(m, 1.0, rtol=1e-9)
    speeds = [result[f"ball{k}.v"][-1] for k in range(3)]
    assert speeds == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-12)


def test_two_brakes_share_one_shaft() -> None:
    """They stick up to the sum of their torques and slip beyond it; single choices would depend on their order."""
    for load, turns in ((0.8, False), (1.5, False), (2.5, True)):
        m = mbs.Model("shaft", gravity=(0, 0, 0))
        m.body("shaft", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
        m.motor("load", on="shaft", torque=load)
        for name in ("one", "two"):
            m.friction(name, on="shaft", torque=1.0, stick=True)
        result = mbs.simulate(m, 1.0, rtol=1e-9, output_interval=0.1)
        assert result["shaft.w"][-1] == pytest.approx((load - 2.0) * turns, abs=1e-12)


@pytest.mark.slow
def test_a_ball_does_not_shake_a_table_that_it_does_not_touch() -> None:
    """A ball bounces beside the table, down to its last and slowest impact: the table's three legs keep their modes."""
    m = ball(0.5)
    m.start("ball", q=0.001)
    m.body("table", joint=mbs.Free(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    for k, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1))):
        m.contact(f"leg{k}", "world", "table", mbs.OnPlane("z"), at_b=(x, y, -0.1), at_a=(0, 0, -0.1))
    m.force("load", on="table", at=(0.2, 0.1, 0), force=(0, 0, -1.0))
    result = mbs.simulate(m, 0.2, method="rk4", step=1e-3)
    assert len(result.switches) > 8 and set(result.switches["name"]) == {"floor"}


def test_a_model_without_modes_has_no_log() -> None:
    m = mbs.Model("plain")
    m.body("rod", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -1))
    assert len(mbs.simulate(m, 0.1).switches) == 0


def rubbed(capacity: float | None) -> mbs.Model:
    """Return a motor that pulls from 0.5 s on, two to one, against a friction or none."""
    m = mbs.Model("rubbed", gravity=(0, 0, 0))
    for name in ("a", "b"):
        m.body(name, joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.gear("gear", "a", "b", ratio=2)
    m.motor("pull", on="a", torque=mbs.where(mbs.time > 0.5, 1.0, 0.0))
    if capacity is not None:
        m.friction("rubs", on="b", torque=capacity, stick=True)
    return m


@pytest.mark.usefixtures("plain_by_default")
def test_a_friction_without_capacity_changes_nothing() -> None:
    """It slips, also at rest: no mode changes, and the motion is that without it."""
    result, free = (mbs.simulate(rubbed(c), 1.0, method="rk4", step=0.125) for c in (0.0, None))
    assert len(result.switches) == 0 and result["a.w"][-1] > 0.3
    assert np.array_equal(result["a.w"], free["a.w"])


@pytest.mark.usefixtures("plain_by_default")
def test_friction_with_returning_capacity_has_the_right_sign() -> None:
    """The capacity is zero from 0.25 to 1.25 s, while the wheel reverses; then friction opposes the motion and stops
    it.
    """
    m = mbs.Model("pressed", gravity=(0, 0, 0))
    m.body("wheel", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.motor("pull", on="wheel", torque=mbs.where(abs(mbs.time - 0.75) < 0.5, -2.0, 0.0))
    m.friction("rubs", on="wheel", torque=mbs.where(abs(mbs.time - 0.75) < 0.5, 0.0, 2.0), stick=True)
    m.start("wheel", u=1.0)
    result = mbs.simulate(m, 2.5, method="rk4", step=0.125)
    # 1 - 2 * 0.25 = 0.5, less 2 in the second without capacity, and 1.5 are gone after 0.75 s of 2 N.m
    assert list(result.switches["name"]) == ["rubs"] * 2 and list(result.switches["after"]) == [1.0, 0.0]
    assert result.switches["time"] == pytest.approx([1.25, 2.0], abs=1e-9)
    assert_close(result["wheel.w"][-1], 0.0, 1e-12, "angular velocity of the wheel at the end")
