"""Tyres on roads: steady forces on a rig, relaxation, standstill, lifting, roads that move, refusals."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.generators.mechanisms import Plain
from support.generators.wheels import TYRES, wheel_in_flight
from support.models.tyres import car_tyre, rig
from support.oracles.complex_steps import compare_tangents, outputs

G = 9.81
MASS, WHEEL = 400.0, 20.0  #: kg, of the body on one wheel and of the wheel


def on_one_wheel(slope: float = 0.0, **more: Any) -> mbs.Model:
    """Return a body that slides along x and z on one wheel, on a slope (rad) by the direction of gravity.

    more: arguments of `m.tyre`. Outputs: x (m), wheel.
    """
    tyre = car_tyre()
    m = mbs.Model("one_wheel", gravity=(-G * math.sin(slope), 0, -G * math.cos(slope)))
    m.body("body", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=MASS)
    m.body("wheel", "body", mbs.Revolute("y"), mass=WHEEL, inertia=(1, 1.2, 1))
    m.tyre("tyre", "wheel", tyre, side="left", **more)
    height = tyre.loaded_radius((MASS + WHEEL) * G * math.cos(slope))
    m.start("body", q=(0, height), u=(0, 0))
    m.output("x", mbs.coordinate("body", 1), unit="m")
    m.output("wheel", mbs.wheel("tyre"))
    return m


CASES = ((4850.0, -0.06, 0.08, 0.02), (4850.0, 0.05, 0.0, 0.0), (7000.0, 0.1, -0.05, 0.03))  #: load, slips, inclination


@pytest.mark.parametrize("case", tiers({str(case): case for case in CASES}, usual=1))
def test_steady_forces_are_those_of_the_formula(case: tuple[float, float, float, float]) -> None:
    """On a rig with prescribed slip, all forces reach those of the formula, and the slips the prescribed ones."""
    load, kappa, alpha, gamma = case
    tyre = car_tyre()
    m = rig(tyre, load, 16.6, kappa, alpha, gamma, side="left")
    r = mbs.simulate(m, 3.0, method="rodas5p", rtol=1e-8, output_interval=0.5)
    for name, value in {"kappa": kappa, "alpha": alpha, "gamma": gamma, "fz": load}.items():
        assert r[f"wheel.{name}"][-1] == pytest.approx(value, rel=1e-9, abs=1e-9), name
    want = tyre.forces(load, kappa, alpha, gamma)
    for name in ("fx", "fy", "mx", "mz"):
        assert r[f"wheel.{name}"][-1] == pytest.approx(getattr(want, name), rel=1e-7, abs=1e-6), name


@pytest.mark.slow
@pytest.mark.parametrize(("speed", "way"), [(2.5, 0.5945), (16.6, 0.6042)])
def test_slip_relaxes_over_the_relaxation_length(speed: float, way: float) -> None:
    """After a step of the slip angle, 63.2 % of it are reached after the relaxation length, 0.593 m, within 2 %.

    The damper near standstill and the load, which rises with the lateral force, change the way a little.
    """
    m = rig(car_tyre(), 4850.0, speed, alpha=math.radians(1), side="left")
    r = mbs.simulate(m, 0.5 + 1.5 / speed, method="rodas5p", rtol=1e-8, output_interval=2e-4)
    reached = np.tan(r["wheel.alpha"]) / math.tan(math.radians(1))
    first = np.argmax(reached > 1.0 - math.exp(-1.0))
    assert (r.time[first] - 0.5) * speed == pytest.approx(way, abs=2e-4 * speed)
    assert way == pytest.approx(0.593, rel=0.02)


@pytest.mark.quick
@pytest.mark.parametrize("kind", TYRES)
def test_tangents_equal_complex_steps(kind: str) -> None:
    """Along all states, of a wheel in flight above a road that moves, for rates, energy and all measures."""
    m = wheel_in_flight(kind, 3)
    m.output("E", mbs.energy())
    m.output("wheel", mbs.wheel("tyre"))
    plain = Plain(m)
    compare_tangents(plain, 3, [plain.program.state_slice], "outputs")


def test_a_locked_wheel_stands_on_a_slope() -> None:
    """On a slope of 15 %, a wheel with a locked brake comes to rest and then does not creep: below 1e-6 m in 10 s."""
    slope = math.atan(0.15)
    m = on_one_wheel(slope)
    m.friction("brake", on="wheel", torque=3000.0, stick=True)
    m.start("body", u=(0.5, 0))
    r = mbs.simulate(m, 20.0, method="rk4", step=1e-3, output_interval=0.5)
    assert abs(r["x"][-1] - r["x"][20]) < 1e-6
    assert r["wheel.fx"][-1] == pytest.approx((MASS + WHEEL) * G * math.sin(slope), rel=1e-6)


def test_a_wheel_spins_at_standstill() -> None:
    """With a wheel that is driven below a body at rest, slip and force stay finite: kappa is the largest slip, 1.5."""
    m = on_one_wheel()
    m.drive("spin", on="wheel", position=20.0 * mbs.time)
    m.spring("hold", on="body", coordinate=1, stiffness=1e9, damping=1e6)
    r = mbs.simulate(m, 2.0, method="rodas5p", output_interval=0.1)
    assert r["wheel.kappa"][-1] == pytest.approx(1.5, rel=1e-3)
    want = car_tyre().forces(r["wheel.fz"][-1], r["wheel.kappa"][-1])
    assert r["wheel.fx"][-1] == pytest.approx(want.fx, rel=1e-6)


def at_once(speed: float, kappa: float, alpha: float) -> dict[str, float]:
    """Return the measures of a wheel on the rig without relaxation, which has its slip angle from the start."""
    m = rig(car_tyre(), 4850.0, speed, kappa, alpha, at=-1.0, side="left", transient=False)
    assert not m.states
    found = outputs(Plain(m))
    return {name: float(value) for name, value in found.items() if name.startswith("wheel.") and np.ndim(value) == 0}


@pytest.mark.quick
def test_slips_without_relaxation_are_those_of_the_wheel() -> None:
    """At all speeds above standstill, in both directions; the forces are those of the formula at these slips.

    The sliding speed has a term of 1e-12 m²/s² under its root.
    """
    tyre = car_tyre()
    for speed, kappa, alpha in ((0.12, 0.05, 0.08), (2.0, 0.0, -0.5), (-10.0, -0.9, 0.01)):
        wheel = at_once(speed, kappa, alpha)
        sense = math.copysign(1.0, speed)
        assert wheel["wheel.kappa"] == pytest.approx(kappa * sense, rel=1e-9, abs=1e-9)
        assert math.tan(wheel["wheel.alpha"]) == pytest.approx(math.tan(alpha) * sense, rel=1e-9)
        want = tyre.forces(wheel["wheel.fz"], wheel["wheel.kappa"], wheel["wheel.alpha"], wheel["wheel.gamma"])
        assert wheel["wheel.fy"] == pytest.approx(want.fy, rel=1e-7), (speed, kappa, alpha)


@pytest.mark.quick
def test_slips_without_relaxation_are_finite_at_standstill() -> None:
    """They are in proportion to the sliding velocity over 0.1 m/s, and at most 1.5, as those with relaxation."""
    creeping = at_once(1e-3, 2.0, 0.0)
    assert creeping["wheel.kappa"] == pytest.approx(2e-3 / 0.1, rel=1e-9)
    assert at_once(1e-3, 1e4, 0.0)["wheel.kappa"] == pytest.approx(1.5, rel=1e-9)


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.parametrize("speed", [0.3, 10.0])
def test_vehicle_without_relaxation_has_the_eigenvalues_of_the_bicycle_model(speed: float) -> None:
    """Lateral velocity and yaw rate of a body on two wheels with linear tyres, up to round-off of the condition of the
    mass matrix and the tyres' share of sliding at zero slip."""
    mass, inertia, front, rear, stiffness = 300.0, 400.0, 1.2, 1.5, 4e4
    m = mbs.Model("bicycle", gravity=(0, 0, 0))
    m.body("guide", joint=mbs.Prismatic("x"))
    m.drive("travel", on="guide", position=speed * mbs.time)
    m.body("frame", "guide", mbs.Compound(mbs.slide("y"), mbs.turn("z")), mass=mass, inertia=(inertia,) * 3)
    tyre = mbs.Tyre.linear(stiffness, stiffness, 9.0, radius=0.3, stiffness=2e5)
    for name, place in (("front", front), ("rear", -rear)):
        m.body(name, "frame", mbs.Revolute("y"), mass=1e-6, inertia=(1e-6,) * 3, at=(place, 0, 0.29))
        m.tyre(f"tyre_{name}", name, tyre, transient=False)
        m.start(name, u=speed / tyre.effective_radius(2e3))
    lateral = 2.0 * stiffness / (mass * speed)
    turning = stiffness * (front - rear)
    A = np.array(
        [
            [-lateral, -speed - turning / (mass * speed)],
            [-turning / (inertia * speed), -stiffness * (front**2 + rear**2) / (inertia * speed)],
        ]
    )
    found = np.linalg.eigvals(mbs.linearize(m).A)
    for value in np.linalg.eigvals(A):
        assert np.abs(found - value).min() < 1e-7 * abs(value), (value, found)


def test_a_wheel_in_the_air_has_no_force() -> None:
    """Above the road all forces vanish, and the measures are finite."""
    m = on_one_wheel()
    m.start("body", q=(0, 0.5), u=(3.0, 0))
    r = mbs.simulate(m, 0.1, method="rk4", step=1e-3, output_interval=0.05)
    assert all(r[f"wheel.{name}"][-1] == 0.0 for name in ("fz", "fx", "fy", "mx", "my", "mz"))
    assert all(np.isfinite(r[name]).all() for name in r.columns)


@pytest.mark.quick
@pytest.mark.parametrize("angle", [math.pi / 2, math.pi])
def test_wheels_that_lie_flat_or_upside_down_have_finite_forces(angle: float) -> None:
    """A wheel on a hinge that is turned about x, just above the road, as after a vehicle has rolled over."""
    m = mbs.Model("over")
    m.body(
        "wheel", joint=mbs.Revolute("y"), mass=1.0, inertia=(1, 1, 1), at=mbs.Pose((0, 0, 0.3), mbs.rpy(angle, 0, 0))
    )
    m.tyre("tyre", "wheel", car_tyre(), side="left")
    m.start("wheel", u=3.0)
    m.output("wheel", mbs.wheel("tyre"))
    found = outputs(Plain(m))
    assert all(np.isfinite(value).all() for value in found.values())
    assert found["wheel.fz"] == pytest.approx(0.0 if angle < 3.0 else 280835.0 * 0.044, rel=1e-9)


def test_a_road_that_moves_is_the_road_at_rest_seen_from_it() -> None:
    """A wheel held above a belt that runs backwards has the forces of one that travels, and the belt the opposite."""
    forces = []
    for belt in (False, True):
        tyre = car_tyre()
        m = (
            rig(tyre, 4850.0, 0.0 if belt else 10.0, kappa=0.03, alpha=0.0, side="left")
            if not belt
            else mbs.Model("belt")
        )
        if belt:
            m.gravity = (0, 0, 0)
            m.body("road", joint=mbs.Prismatic("x"), mass=1.0)
            m.drive("run", on="road", position=-10.0 * mbs.time)
            m.body("slide", joint=mbs.Prismatic("z"), mass=50.0)
            m.motor("load", on="slide", force=-4850.0)
            m.spring("settle", on="slide", damping=5000.0)
            m.body("wheel", "slide", mbs.Revolute("y"), mass=1.0, inertia=(1, 2, 1))
            m.drive("spin", on="wheel", position=1.03 * 10.0 / tyre.effective_radius(4850.0) * mbs.time)
            m.tyre("tyre", "wheel", tyre, side="left", on="road")
            m.start("slide", q=tyre.loaded_radius(4850.0))
            m.output("wheel", mbs.wheel("tyre"))
            m.output("held", mbs.drive_force("run"))
        r = mbs.simulate(m, 2.0, method="rodas5p", rtol=1e-8, output_interval=0.5)
        forces.append(r["wheel.fx"][-1])
    assert forces[0] == pytest.approx(forces[1], rel=1e-9) and r["held"][-1] == pytest.approx(forces[1], rel=1e-9)


def test_grip_is_an_expression() -> None:
    """Friction may depend on inputs: the forces are those of a tyre with the scales LMUX and LMUY."""
    m = on_one_wheel(grip=mbs.signal("grip"))
    m.input("grip", start=1.0)
    m.drive("spin", on="wheel", position=20.0 * mbs.time)
    m.spring("hold", on="body", coordinate=1, stiffness=1e9, damping=1e6)
    r = mbs.simulate(m, 0.5, method="rodas5p", inputs={"grip": 0.1}, output_interval=0.1)
    want = car_tyre(LMUX=0.1, LMUY=0.1).forces(r["wheel.fz"][-1], r["wheel.kappa"][-1])
    assert r["wheel.fx"][-1] == pytest.approx(want.fx, rel=1e-9)


@pytest.mark.quick
def test_equal_tyres_are_traced_once_and_copies_keep_them() -> None:
    """Tyres of one side have one form; included and copied models keep their tyres and states."""
    m = on_one_wheel()
    outer = mbs.Model("outer")
    outer.include(m, "left")
    outer.include(copy.deepcopy(m), "right")
    assert set(outer.states) == {"left.tyre.kappa", "left.tyre.tan_alpha", "right.tyre.kappa", "right.tyre.tan_alpha"}
    one, two = (outer.forces[f"{name}.tyre"].parts()[0] for name in ("left", "right"))
    assert one.key == outer.forces["left.tyre"].parts()[0].key and one.states != two.states


@pytest.mark.quick
@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"tyre": 3}, "3 is not a tyre: give mbs.Tyre"),
        ({"side": None}, "the tyre is one of the left side: give side='left' or side='right'"),
        ({"side": "top"}, "side 'top': give 'left' or 'right'"),
        ({"wheel": "body"}, "body 'body' is not on a hinge"),
        ({"wheel": "wheels"}, "unknown body 'wheels'"),
        ({"axis": "x"}, "axis x is not that of the hinge of body 'wheel', y"),
        ({"on": "wheel"}, "the road is on body 'wheel', which moves with the wheel"),
        ({"on": "body"}, "the road is on body 'body', which moves with the wheel"),
        ({"road": mbs.Sphere(1.0)}, "is not a road: give mbs.Plane"),
        ({"grip": -1.0}, "grip of tyre 'other' is -1.0: it must be positive"),
        ({"name": "tyre"}, "force name 'tyre' is taken"),
    ],
)  # fmt: skip
def test_mistakes_are_refused(more: dict[str, Any], words: str) -> None:
    """The message names the tyre, the value and the remedy; the model stays as it was."""
    m = on_one_wheel()
    before = m.version, dict(m.states)
    arguments = {"name": "other", "wheel": "wheel", "tyre": car_tyre(), "side": "left"} | more
    with pytest.raises(mbs.ModelError, match=words):
        m.tyre(**arguments)
    assert (m.version, m.states) == before


@pytest.mark.quick
def test_measures_of_other_forces_are_refused() -> None:
    """`mbs.wheel` is a measure of tyres, and tyres have no penetration."""
    m = on_one_wheel()
    m.motor("engine", on="wheel", torque=1.0)
    m.output("bad", mbs.wheel("engine").fz)
    with pytest.raises(mbs.ModelError, match=r"motor 'engine'|force 'engine'.*tyres \(m.tyre\) have one"):
        mbs.simulate(m, 0.1)
