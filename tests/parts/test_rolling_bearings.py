"""Rolling bearings: closed forms of thrust, radial load and ball pass, Hertz' stiffness, loads from plain geometry.

The bearing 218 is the example of T. A. Harris, M. N. Kotzalas, Essential Concepts of Bearing Technology, 5th ed.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation
from scipy.special import ellipe, ellipk

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from support.generators.mechanisms import Plain
from support.oracles.complex_steps import outputs

COUNT, DIAMETER, PITCH, GROOVE = 16, 22.23e-3, 125.26e-3, 0.5232  #: of the bearing 218, m
ANGLE = math.radians(40)
SPAN = (2 * GROOVE - 1) * DIAMETER
BEARING_218: dict[str, Any] = {"diameter": "22.23 mm", "pitch": "125.26 mm", "conformity": GROOVE, "angle": "40 deg"}
THRUST = 17800.0  #: N
SIX = (mbs.slide("x"), mbs.slide("y"), mbs.slide("z"), mbs.turn("x"), mbs.turn("y"), mbs.turn("z"))


def shaft(elements: mbs.Balls | mbs.Rollers, **arguments: Any) -> tuple[mbs.Model, mbs.RollingBearing]:
    """Return a shaft with six coordinates in a bearing of the world, and the bearing."""
    m = mbs.Model("shaft", gravity=(0, 0, 0))
    m.body("shaft", joint=mbs.Compound(*SIX), mass=5.0, inertia=(0.02, 0.02, 0.01))
    return m, mbs.rolling_bearing(m, "b", "shaft", "world", elements, **arguments)


def now(m: mbs.Model, q: Any, u: Any = (0, 0, 0, 0, 0, 0)) -> dict[str, Any]:
    """Return the outputs at coordinates and velocities of the shaft."""
    m.start("shaft", q=tuple(q), u=tuple(u))
    return outputs(Plain(m))


def hertz(d: float, pitch: float, groove: float, angle: float, young: float, poisson: float) -> float:
    """K of a ball between both rings, N/m^1.5, by scipy's elliptic integrals."""
    share, compliance = d * math.cos(angle) / pitch, 0.0
    for rolling in (2 / d * share / (1 - share), -2 / d * share / (1 + share)):
        total, difference = 4 / d + rolling - 1 / (groove * d), rolling + 1 / (groove * d)

        def excess(k: float, ratio: float = difference / total) -> float:
            first, second = ellipk(1 - 1 / k**2), ellipe(1 - 1 / k**2)
            return float(((k * k + 1) * second - 2 * first) / ((k * k - 1) * second) - ratio)

        k = brentq(excess, 1.001, 100.0, xtol=1e-13)
        first, second = ellipk(1 - 1 / k**2), ellipe(1 - 1 / k**2)
        star = 2 * first / math.pi * (math.pi / (2 * k * k * second)) ** (1 / 3)
        load = 1.0 / ((0.5 * star * total) ** 1.5 * 3 / total * (1 - poisson**2) / young)
        compliance += load ** (-2 / 3)
    return float(compliance**-1.5)


@pytest.mark.parametrize("constant", ["Hertz", "Harris"])
def test_thrust_of_the_bearing_218(constant: str) -> None:
    """Angle, displacement and ball load under thrust are those of the closed equation of a loaded row of balls.

    By Harris' axial deflection constant 896.7 N/mm² the angle is 41.592°, with exact Hertz 41.49729°.
    """
    exact = hertz(DIAMETER, PITCH, GROOVE, ANGLE, 2.07e11, 0.3)
    assert abs(exact / 10**4.5 - 466354.63) < 0.01
    K = exact if constant == "Hertz" else 896.7e6 * DIAMETER**2 / SPAN**1.5
    m, b = shaft(mbs.Balls(COUNT, **BEARING_218, stiffness=None if constant == "Hertz" else K))
    m.force("thrust", "shaft", force=(0, 0, THRUST))
    m.output("load", b.loads[3])
    linear = mbs.trim(m, start={"shaft.q[3]": 3e-5})

    def excess(a: float) -> float:
        return COUNT * K * (SPAN * (math.cos(ANGLE) / math.cos(a) - 1)) ** 1.5 * math.sin(a) - THRUST

    angle = brentq(excess, ANGLE + 1e-9, 1.2, xtol=1e-15)
    place = SPAN * math.sin(angle - ANGLE) / math.cos(angle)
    expected = {"Hertz": (41.49729, 0.0359846), "Harris": (41.592, 0.0383)}[constant]
    assert abs(math.degrees(angle) - expected[0]) < 5e-4 and abs(1e3 * place - expected[1]) < 5e-5
    assert abs(linear.values["shaft.q[3]"] - place) < 1e-9 * place
    assert abs(now(m, [0, 0, place, 0, 0, 0])["load"] - THRUST / (COUNT * math.sin(angle))) < 1e-9 * THRUST


@pytest.mark.parametrize(
    ("elements", "exponent", "published", "limit"),
    [
        (mbs.Balls(60, 7e-3, 0.15), 1.5, 4.37, 4.3701),
        (mbs.Rollers(60, 7e-3, 0.15, 12e-3, slices=1), 10 / 9, 4.08, 4.0850),
    ],
)
def test_largest_load_under_a_radial_force(elements: Any, exponent: float, published: float, limit: float) -> None:
    """Without clearance Q_max Z/F_r is 4.37 for balls and 4.08 for rollers (NSK, Technical Report E728g, 5.1)."""
    m, b = shaft(elements)
    m.force("radial", "shaft", force=(1000.0, 0, 0))
    m.output("load", b.loads[0])
    linear = mbs.trim(m, start={"shaft.q[1]": 5e-6}, free=["shaft.q[1]"])
    load = now(m, [linear.values["shaft.q[1]"], 0, 0, 0, 0, 0])["load"]
    cosines = np.maximum(np.cos(2 * np.pi * np.arange(60) / 60), 0)
    assert abs(load * 60 / 1000 - 60 / (cosines ** (exponent + 1)).sum()) < 1e-6
    assert abs(load * 60 / 1000 - limit) < 1e-3 and abs(limit - published) < 6e-3


def test_ball_pass_changes_the_deflection() -> None:
    """Eight balls of 1e10 N/m^1.5 under 1 kN yield 14.34323 to 14.44205 µm: the load on a ball, and between two."""
    row = mbs.Balls(8, 7.938e-3, 39.04e-3, stiffness=1e10)
    m = mbs.Model("passing", gravity=(0, 0, 0))
    m.body("shaft", joint=mbs.Prismatic("x"), mass=1.0)
    mbs.rolling_bearing(m, "b", "shaft", "world", row, cage=m.parameter("phase", 0.0, unit="rad"))
    m.force("radial", "shaft", force=(1000.0, 0, 0))
    computed = [
        mbs.trim(m, start={"shaft.s": 1e-5}, parameters={"phase": x}).values["shaft.s"] for x in (0, math.pi / 8)
    ]
    for value, phase, published in zip(computed, (0, math.pi / 8), (14.34323e-6, 14.44205e-6), strict=True):
        cosines = np.maximum(np.cos(phase + np.arange(8) * math.pi / 4), 0)
        assert abs(value - (1000 / 1e10 / (cosines**2.5).sum()) ** (2 / 3)) < 1e-9 * value
        assert abs(value - published) < 1e-11


def test_cage_rolls_and_an_undamped_run_keeps_its_energy() -> None:
    """The cage turns by ½ (1 - D cos α/d_m) of the shaft's angle; energy is constant while balls pass."""
    m, b = shaft(mbs.Balls(COUNT, **BEARING_218))
    m.output("E", mbs.energy())
    m.output("cage", b.cage)
    m.start("shaft", q=(1e-5, 2e-5, 6e-5, 1e-4, -2e-4, 0.1), u=(0.01, 0, 0, 0, 0, 100.0))
    result = mbs.simulate(m, 0.02, method="dop853", rtol=1e-11, atol=1e-13)
    assert np.ptp(result["E"]) < 1e-7 * result["E"][0]
    turned = 0.5 * (1 - DIAMETER * math.cos(ANGLE) / PITCH) * (result["shaft.q[6]"][-1] - 0.1)
    assert abs(result["cage"][-1] - turned) < 1e-5 and result["cage"][-1] == result["b.cage"][-1]


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(4))
def test_ball_loads_follow_from_groove_circles_in_space(seed: int) -> None:
    """Each load is that of the distance of the circles of the groove centres in the axial plane of the ball.

    Tilts and displacements of 1e-4 pitch radii change the distance by squares of these only.
    """
    rng = np.random.default_rng(seed)
    K, phase = 1e9, rng.uniform(0, 1)
    m, b = shaft(mbs.Balls(7, 0.2, 1.0, (0.53, 0.55), angle=0.5, stiffness=K), cage=phase)
    for k, load in enumerate(b.loads):
        m.output(f"load{k}", load)
    q = np.array([*(1e-4 * rng.normal(size=2)), 3e-4, *(1e-4 * rng.normal(size=2)), rng.uniform(0, 6)])
    loads = now(m, q)
    R, span = Rotation.from_euler("XYZ", q[3:]).as_matrix(), 0.08 * 0.2
    inner = 0.5 + 0.03 * 0.2 * math.cos(0.5)
    outer, lever = inner - span * math.cos(0.5), span * math.sin(0.5)
    for k in range(7):
        a = phase + 2 * math.pi * k / 7
        out, ahead = np.array([math.cos(a), math.sin(a), 0]), np.array([-math.sin(a), math.cos(a), 0])

        def center(t: float, out: np.ndarray = out, ahead: np.ndarray = ahead) -> np.ndarray:
            own = R.T @ (out * math.cos(t) + ahead * math.sin(t)) * (1, 1, 0)
            return np.asarray(q[:3] + R @ (own / np.linalg.norm(own) * inner + (0, 0, lever)))

        t = brentq(lambda t, center=center, ahead=ahead: center(t) @ ahead, -0.1, 0.1, xtol=1e-15)
        x = np.linalg.norm(center(t) - outer * out) - span
        assert abs((loads[f"load{k}"] / K) ** (2 / 3) - max(x, 0.0)) < 2e-7


@pytest.mark.quick
def test_roller_loads_are_sums_over_slices() -> None:
    """Force and moment on a tilted shaft are sums of 35948 l^(8/9)/n δ^(10/9) N, mm over the slices of all rollers."""
    m, b = shaft(mbs.Rollers(14, 0.01, 0.06, 0.012, clearance="2 um"))
    m.output("wrench", mbs.applied("b"))
    for k, load in enumerate(b.loads):
        m.output(f"load{k}", load)
    tilt = 3e-4
    found = now(m, (8e-6, -5e-6, 3e-3, 0, tilt, 2.0))
    K = 35948 * 12 ** (8 / 9) * 1e3 ** (10 / 9) / 5
    a = 2 * np.pi * np.arange(14)[:, None] / 14
    z = (np.arange(5) - 2) * 0.012 / 5
    x = 8e-6 * np.cos(a) - 5e-6 * np.sin(a) - 1e-6 + z * math.sin(tilt) * np.cos(a)
    loads = K * np.maximum(x, 0) ** (10 / 9)
    assert np.abs([found[f"load{k}"] for k in range(14)] - loads.sum(1)).max() < 1e-10 * loads.sum()
    force = np.array([-(loads * np.cos(a)).sum(), -(loads * np.sin(a)).sum(), 0])
    assert np.abs(found["wrench.f"] - force).max() < 1e-10 * loads.sum()


@pytest.mark.quick
def test_dampers_act_as_if_spread_over_the_pitch_circle() -> None:
    """The power of the dampers is the sum of those of many small ones on the circle, in all directions but the spin."""
    pitch, d = 0.8, 30.0
    m, _ = shaft(mbs.Balls(3, 0.1, pitch, clearance=1e-3), damping=d)
    m.output("power", mbs.power("b"))
    v, w = np.array([0.3, -0.2, 0.5]), np.array([0.7, 0.4, 9.0])
    a = 2 * np.pi * np.arange(12) / 12
    places = 0.5 * pitch * np.column_stack([np.cos(a), np.sin(a), 0 * a])
    along = v[2] + np.cross(w, places)[:, 2]
    expected = -d * (v[0] ** 2 + v[1] ** 2 + (along**2).mean())
    assert abs(now(m, np.zeros(6), (*v, *w))["power"] - expected) < 1e-12 * abs(expected)


@pytest.mark.quick
@pytest.mark.parametrize("elements", [mbs.Balls(8, 0.01, 0.05), mbs.Rollers(8, 0.01, 0.05, 0.01)])
def test_rest_without_clearance_has_a_linear_model(elements: mbs.Balls | mbs.Rollers) -> None:
    """Where all rolling elements just touch, all derivatives exist, and the stiffness is no more than rounding."""
    m, _ = shaft(elements)
    assert np.abs(mbs.linearize(m).A[6:12, :6]).max() < 1e-3


@pytest.mark.quick
def test_balls_share_one_trace() -> None:
    """The generated code does not grow with the number of balls, and hardly with bearings of other sizes and places."""

    def size(*counts: int) -> int:
        m = mbs.Model("shaft", gravity=(0, 0, 0))
        m.body("shaft", joint=mbs.Compound(*SIX), mass=5.0, inertia=(0.02, 0.02, 0.01))
        for k, count in enumerate(counts):
            balls, at = mbs.Balls(count, 0.01 + 0.001 * k, 0.2, angle=0.2 + 0.1 * k), (0, 0, 0.1 * (k + 1))
            mbs.rolling_bearing(m, f"b{k}", "shaft", "world", balls, at_shaft=at, at_housing=at)
        return len(compile_model(m).module.text)

    one = size(5)
    assert size(20) < 1.01 * one
    assert size(5, 7, 9, 11) < 1.1 * one


@pytest.mark.quick
def test_stiffness_of_other_materials_is_in_proportion() -> None:
    """Hertz' K is in proportion to E/(1 - ν²)."""
    steel, other = (
        mbs.Balls(COUNT, **BEARING_218, **material).row("balls").stiffness.value
        for material in ({}, {"young": "3e11 Pa", "poisson": 0.1})
    )
    assert abs(other / steel - 3e11 / 2.07e11 * 0.91 / 0.99) < 1e-12
    for groove in ((0.5001, 0.52), (0.9, 5.0)):
        assert mbs.Balls(3, 0.1, 1.0, groove).row("balls").stiffness.value > 0.0


GOOD = {"count": 8, "diameter": 0.01, "pitch": 0.05}
WRONG_BALLS: dict[str, tuple[dict[str, Any], str]] = {
    "count": ({"count": 2}, "count of balls is 2: give a whole number of at least 3"),
    "diameter": ({"diameter": 0.0}, "diameter of balls is 0 m: it must be positive"),
    "pitch": ({"pitch": "-5 mm"}, "pitch of balls is -0.005 m: it must be positive"),
    "overlap": ({"count": 16}, "balls: 16 of the diameter 0.01 m do not fit on a circle of the diameter 0.05 m"),
    "conformity": ({"conformity": 0.5}, "conformity of balls is 0.5: the grooves must be wider than the balls"),
    "one of two": ({"conformity": (0.52, 0.4)}, "conformity of balls is (0.52, 0.4): the grooves must be wider"),
    "three": ({"conformity": (0.52, 0.52, 0.52)}, "conformity of balls is (0.52, 0.52, 0.52): give one number, or two"),
    "angle": ({"angle": "-15 deg"}, "angle of balls is -0.261799 rad: give 0 to 1.5"),
    "both": ({"angle": 0.3, "clearance": 1e-5}, "balls have an angle and a clearance: give one"),
    "clearance": ({"clearance": 0.01}, "clearance of balls is 0.01 m: it must be smaller than 0.0004 m"),
    "young": ({"young": 0.0}, "balls: young is 0 Pa and poisson 0.3"),
    "poisson": ({"poisson": 0.6}, "balls: young is 2.07e+11 Pa and poisson 0.6"),
    "stiffness": ({"stiffness": 0.0}, "stiffness of balls is 0.0: it must be positive"),
    "moving": ({"clearance": mbs.time}, "clearance of balls depends on time: it may depend on parameters only"),
}


@pytest.mark.quick
@pytest.mark.parametrize("case", WRONG_BALLS)
def test_wrong_balls_are_refused(case: str) -> None:
    """Each error names the balls, the value and the remedy."""
    changes, message = WRONG_BALLS[case]
    with pytest.raises(mbs.ModelError, match=re.escape(message)):
        mbs.Balls(**{**GOOD, **changes})


WRONG_ROLLERS: dict[str, tuple[dict[str, Any], str]] = {
    "length": ({"length": 0.0}, "length of rollers is 0 m: it must be positive"),
    "slices": ({"slices": 0}, "slices of rollers is 0: give a whole number from 1 to 100"),
    "many": ({"slices": 101}, "slices of rollers is 101: give a whole number from 1 to 100"),
    "overlap": ({"count": 16}, "rollers: 16 of the diameter 0.01 m do not fit"),
    "stiffness": ({"stiffness": -1.0}, "stiffness of rollers is -1.0: it must be positive"),
}


@pytest.mark.quick
@pytest.mark.parametrize("case", WRONG_ROLLERS)
def test_wrong_rollers_are_refused(case: str) -> None:
    """Each error names the rollers, the value and the remedy."""
    changes, message = WRONG_ROLLERS[case]
    with pytest.raises(mbs.ModelError, match=re.escape(message)):
        mbs.Rollers(**{**GOOD, "length": 0.01, **changes})


WRONG_BEARINGS: dict[str, tuple[dict[str, Any], str]] = {
    "elements": ({"elements": 8}, "elements of bearing 'b' must be mbs.Balls(...) or mbs.Rollers(...), not 8"),
    "damping": ({"damping": -1.0}, "damping of bearing 'b' is -1.0: it must not be negative"),
    "bodies": ({"shaft": "world"}, "bearing 'b' joins 'world' with itself"),
    "axis": ({"axis": (0, 0, 0)}, "bearing 'b': axis (0, 0, 0) has no direction"),
    "place": ({"at_shaft": (0, 0)}, "at_shaft of bearing 'b' must be 3 numbers"),
    "name": ({"name": "taken"}, "force name 'taken' is taken"),
    "cage": ({"cage": "fast"}, "cage of bearing 'b'"),
}


@pytest.mark.quick
@pytest.mark.parametrize("case", WRONG_BEARINGS)
def test_wrong_rolling_bearings_are_refused(case: str) -> None:
    """Each error names the bearing, the value and the remedy."""
    changes, message = WRONG_BEARINGS[case]
    m = mbs.Model("held")
    m.body("shaft", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    m.spring("taken", "world", "shaft", stiffness=1.0)
    good = {"name": "b", "shaft": "shaft", "housing": "world", "elements": mbs.Balls(**GOOD)}
    with pytest.raises(mbs.ModelError, match=re.escape(message)):
        mbs.rolling_bearing(m, **{**good, **changes})


@pytest.mark.quick
def test_rings_that_stand_apart_are_refused() -> None:
    """Both centres are the bodies' origins by default, which need not be in one place."""
    m = mbs.Model("shaft", gravity=(0, 0, 0))
    joint = mbs.Compound(mbs.slide("x"), mbs.slide("y"), mbs.turn("z"))
    m.body("shaft", joint=joint, mass=5.0, inertia=(0.02, 0.02, 0.01), at=(0.3, 0, 0))
    mbs.rolling_bearing(m, "b", "shaft", "world", mbs.Balls(16, **BEARING_218))
    with pytest.raises(mbs.ModelError, match=r"rings are more than 0\.5 of the pitch diameter apart at the start"):
        mbs.simulate(m, 1e-4)


@pytest.mark.quick
def test_a_shaft_that_only_turns_is_refused() -> None:
    """Its joint would carry the loads, and the bearing nothing."""
    m = mbs.Model("shaft")
    m.body("shaft", joint=mbs.Revolute("z"), mass=5.0, inertia=(0.02, 0.02, 0.01))
    with pytest.raises(mbs.ModelError, match="bearing 'b' does nothing: body 'shaft' can only turn in 'world'"):
        mbs.rolling_bearing(m, "b", "shaft", "world", mbs.Balls(16, **BEARING_218))
