"""Tyres with tandem cams on short obstacles: loads, the effective plane, derivatives, FMUs, refusals."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.references.naming import equal_key
from mbs_fmu.model.roads import Relief, Uneven
from mbs_fmu.symbolic.expressions import ZERO, Expression
from support.generators.mechanisms import Plain
from support.hosts.fmus import Host
from support.models.tyres import CAR_TYRE, ENVELOPE, TURNING_TYRE, car_tyre, quarter_car, rig
from support.oracles.complex_steps import compare_tangents, outputs

quick = pytest.mark.quick
native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
CAMS = mbs.Cams(1.471 * 0.3135, 0.9622 * 0.3135, 1.5174, 0.1098)
TYRE = car_tyre()
X = np.arange(-2000, 4000) * 1e-3  #: m, places of a measured profile


def step(height: float = 0.01) -> mbs.Profile:
    """Return a step at x = 0 of a height, m, measured every millimetre."""
    return mbs.Profile(X, np.where(X >= -1e-9, height, 0.0))


def hills(seed: int = 4) -> mbs.HeightField:
    """Return random hills, 10 mm rms, on a grid of 0.1 m, 4 m x 4 m about the origin."""
    lines = np.arange(-20, 21) * 0.1
    return mbs.HeightField(lines, lines, 0.01 * np.random.default_rng(seed).normal(size=(41, 41)))


@pytest.mark.parametrize(
    ("more", "least", "most"),
    [({"envelope": CAMS}, 5.2e3, 5.4e3), pytest.param({}, 50e3, 60e3, marks=pytest.mark.slow)],
)
def test_cams_bound_the_load_on_a_step(more: dict[str, Any], least: float, most: float) -> None:
    """On a step of 10 mm at 30 km/h, the load reaches 5.3 kN with cams, and 57 kN with a contact at a point."""
    loads = mbs.simulate(quarter_car(road=step(), **more), 0.4, method="rk4", step=1e-3, output_interval=1e-3)
    assert least < loads["wheel.fz"].max() < most


@quick
def test_cams_of_a_tyre_file() -> None:
    """Semi-axes and distance at the nominal load are those of the tyre in the book; the width is the contact's."""
    cams = mbs.Tyre(TURNING_TYRE | ENVELOPE).cams()
    assert (cams.length, cams.height, cams.distance) == pytest.approx((0.4612, 0.3016, 0.1098), abs=5e-5)
    share = 4000.0 / 209651.0 / 0.3135
    assert cams.width == pytest.approx(2 * 0.205 * (1.059 * share ** (1 / 3) - 1.1878 * share), rel=1e-12)
    assert mbs.Tyre(TURNING_TYRE | ENVELOPE | {"WIDTH": 0.0}).cams().width == 0.0
    spelt = {name.lower(): value for name, value in ENVELOPE.items()}
    assert mbs.Tyre(TURNING_TYRE | spelt).cams() == cams


def standing(road: Any, place: tuple[float, float], heading: float, **more: Any) -> mbs.Model:
    """Return a wheel at a place, 0.3 m high, with a heading (rad), that no force moves."""
    m = mbs.Model("standing", gravity=(0, 0, 0))
    m.body("post", joint=mbs.Weld(), at=mbs.Pose((*place, 0.3), mbs.rpy(0, 0, heading)))
    m.body("wheel", "post", mbs.Revolute("y"), mass=1.0, inertia=(1, 1, 1))
    m.tyre("tyre", "wheel", TYRE, side="left", road=road, **more)
    m.output("wheel", mbs.wheel("tyre"))
    return m


def sensed(m: mbs.Model) -> tuple[float, float]:
    """Return the effective height and slope."""
    point = outputs(Plain(m))
    return point["wheel.effective_height"], point["wheel.effective_slope"]


@pytest.mark.parametrize("heading", [0.0, math.pi, 0.5 * math.pi, 0.7])
def test_the_effective_plane_is_that_of_front_and_rear_cam(heading: float) -> None:
    """Mean height and slope of the basic surfaces at both cams; headings along the axes use one of them only."""
    field, (x, y) = hills(), (0.231, -0.117)
    cams = replace(CAMS, width=0.15)
    along, across = field.enveloped(cams), field.enveloped_across(cams)
    c, s = math.cos(heading), math.sin(heading)
    share = c**4 * (3.0 - 2.0 * c * c)
    heights = []
    for side in (0.5, -0.5):
        place = x + side * cams.distance * c, y + side * cams.distance * s
        heights.append(share * along.height(*place) + (1.0 - share) * across.height(*place))  # type: ignore[attr-defined]
    height, slope = sensed(standing(field, (x, y), heading, envelope=cams))
    assert height == pytest.approx(0.5 * sum(heights), abs=1e-12)
    assert slope == pytest.approx((heights[0] - heights[1]) / cams.distance, abs=1e-11)


@quick
def test_a_contact_at_a_point_has_an_effective_plane_too() -> None:
    """Height below the wheel's centre, and the derivative along its heading; a scale multiplies both."""
    field, (x, y), heading, h = hills(), (0.231, -0.117), 0.7, 1e-6
    c, s = math.cos(heading), math.sin(heading)
    height, slope = sensed(standing(field, (x, y), heading, scale=0.5))
    assert height == pytest.approx(0.5 * field.height(x, y), abs=1e-15)
    ahead, behind = field.height(x + h * c, y + h * s), field.height(x - h * c, y - h * s)
    assert slope == pytest.approx(0.5 * (ahead - behind) / (2 * h), abs=1e-8)


def with_cams(seed: int) -> mbs.Model:
    """Return a wheel in flight with cams, pressed into hills on a road that is in flight too."""
    rng = np.random.default_rng(seed)
    m = mbs.Model("flight", gravity=(0, 0, 0))
    for name, height in (("carrier", 0.3), ("road", 0.0)):
        m.body(name, joint=mbs.Free(), mass=1.0, inertia=(1, 1.2, 1.3))
        turn = (1, *(0.1 * rng.normal(size=3)))
        m.start(name, q=(*(0.1 * rng.normal(size=2)), height, *turn), u=rng.normal(size=6))
    m.body("wheel", "carrier", mbs.Revolute("y"), mass=0.5, inertia=(0.1, 0.2, 0.1))
    m.start("wheel", q=0.4, u=3.0)
    m.tyre("tyre", "wheel", car_tyre(), side="left", on="road", road=hills(seed), envelope=replace(CAMS, width=0.1))
    m.output("wheel", mbs.wheel("tyre"))
    return m


@quick
def test_tangents_across_cams_equal_complex_steps() -> None:
    """Along all states, for rates and all measures, for a wheel at any heading on hills."""
    plain = Plain(with_cams(3))
    compare_tangents(plain, 3, [plain.program.state_slice], "outputs")


@pytest.mark.slow
def test_gradients_through_a_step_equal_differences() -> None:
    """The state after a step, by the scale of the road, which is a parameter."""
    m = mbs.Model("bump")
    factor = m.parameter("factor", 1.0)
    m.body("slide", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=400.0)
    m.body("wheel", "slide", mbs.Revolute("y"), mass=20.0, inertia=(1, 1, 1))
    m.tyre("tyre", "wheel", car_tyre(), side="left", road=step(), envelope=CAMS, scale=factor)
    m.start("slide", q=(-0.3, 0.33), u=(8.0, 0.0))
    m.start("wheel", u=24.0)
    m.output("fz", mbs.strength("tyre"), unit="N")
    options = {"method": "rk4", "step": 1e-3, "output_interval": 0.02}
    s = mbs.simulate(m, 0.06, sensitivities=["factor"], **options)
    h = 1e-5
    ends = [mbs.simulate(m, 0.06, parameters={"factor": 1.0 + d}, **options)["fz"] for d in (h, -h)]
    found = s.sensitivity("fz", "factor")
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / (2 * h), rtol=1e-4, atol=1.0)
    assert np.abs(found).max() > 100.0


@pytest.mark.slow
@native
def test_a_native_fmu_over_a_cleat_has_the_bits_of_simulate(tmp_path: Path) -> None:
    """A quarter car over a cleat of 10 mm x 20 mm, all columns at all communication points."""
    cleat = mbs.Profile(X, np.where((X >= -1e-9) & (X < 0.02), 0.01, 0.0))
    m = quarter_car(road=cleat, envelope=CAMS)
    tick, fine = 1 / 128, 1 / 1024
    path = mbs.export(m, tmp_path / "cleat.fmu", "native", method="rk4", step=fine, stop_time=0.25,
                      communication_step=tick, platforms="host")  # fmt: skip
    result = mbs.simulate(m, 0.25, method="rk4", step=fine, output_interval=tick)
    names = [name for name in result.columns if name != "time"]
    with Host(path) as host:
        host.start()
        for row in range(1, len(result["time"])):
            host.step(tick)
            values = host.slave.getReal([host.references[name] for name in names])
            assert np.array_equal(values, [result[name][row] for name in names]), result["time"][row]
    assert result["wheel.effective_height"].max() > 4e-3


@quick
def test_cams_change_nothing_on_a_plane_and_are_shared() -> None:
    """On a plane all measures are those of a point; the tyres of a car are traced once."""
    point, cams = (outputs(Plain(standing(mbs.Plane(), (0, 0), 0.3, **more))) for more in ({}, {"envelope": CAMS}))
    assert all(point[name] == cams[name] for name in ("wheel.fz", "wheel.loaded_radius", "wheel.effective_height"))
    road = hills()
    one, two = (equal_key(standing(road, (0, 0), 0.0, envelope=CAMS).forces["tyre"]) for _ in range(2))
    assert one == two


class Bare(Uneven):
    """A road without envelope."""

    at = (0.0, 0.0, 0.0)

    def relief(self, a: Expression, b: Expression) -> Relief:
        return Relief(ZERO, ZERO, ZERO)


@quick
@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"envelope": True}, r"tyre 'tyre': tyre .* has no ELLIPS_LENGTH, ELLIPS_HEIGHT, ELLIPS_ORDER, ELLIPS_SHIFT, "
         "Q_RA1, Q_RA2"
         r": give envelope=mbs.Cams\(length, height, order, distance\) instead of True"),
        ({"envelope": 0.3}, "envelope of tyre 'tyre' is 0.3"),
        ({"envelope": CAMS, "road": Bare()}, "has no envelope: leave envelope= out"),
        ({"scale": math.inf}, "scale of tyre 'tyre' is inf: give a finite number"),
    ],
)  # fmt: skip
def test_wrong_envelopes_are_refused(more: dict[str, Any], words: str) -> None:
    """The message names what is missing and the remedy."""
    with pytest.raises(mbs.ModelError, match=words):
        rig(mbs.Tyre(CAR_TYRE), side="left", **more)


@quick
def test_wrong_cams_of_a_file_are_refused() -> None:
    """Coefficients that are there but make no cams name the tyre."""
    with pytest.raises(mbs.ModelError, match=r"tyre .*: by its coefficients, order of cams is 0.5: give a number"):
        mbs.Tyre(TURNING_TYRE | ENVELOPE | {"ELLIPS_ORDER": 0.5}).cams()


@pytest.mark.parametrize("columns", [(-2.0, -1.0, 0.0, 1.0, 2.0), (-2.0, -0.7, 0.0, 1.2, 2.0)])
def test_cams_on_a_road_along_a_curved_line(columns: tuple[float, ...]) -> None:
    """Beside the line of a circle, both cams are at their way over the way of the line, at equal distance from it."""
    radius, u, place = 20.0, np.arange(0.0, 12.05, 0.1), 1.2
    line = radius * np.sin(u / radius), radius * (1.0 - np.cos(u / radius))
    heights = 0.005 * np.random.default_rng(2).normal(size=len(u))
    road = mbs.CurvedGrid(u, columns, np.tile(heights[:, None], 5), *line)
    basic = road.enveloped(CAMS)
    turn = 6.03 / radius
    at = (radius - place) * math.sin(turn), radius - (radius - place) * math.cos(turn)
    height, slope = sensed(standing(road, at, turn, envelope=CAMS))
    half = 0.5 * CAMS.distance / (1.0 - place / radius)
    front, rear = (basic.height(6.03 + side * half, place) for side in (1, -1))  # type: ignore[attr-defined]
    assert height == pytest.approx(0.5 * (front + rear), abs=1e-6)
    assert slope == pytest.approx((front - rear) / CAMS.distance, abs=1e-5)
    profile = mbs.Profile(u, heights).enveloped(CAMS)
    assert front == pytest.approx(profile.height(6.03 + half), abs=3e-4)  # type: ignore[attr-defined]


@pytest.mark.slow
def test_linearization_across_cams_equals_differences() -> None:
    """Eigenvalues of a quarter car before a step, whose cams touch it already, are those of central differences.

    The differences are along momenta, whose Jacobian is similar to that along velocities for a constant mass matrix.
    """
    m = quarter_car(road=step(), envelope=CAMS)
    m.start("sled", q=(-0.02, 0.297), u=(8.0, 0))
    exact = np.linalg.eigvals(mbs.linearize(m).A)
    plain = Plain(m)
    x, h = plain.program.state_slice, 1e-6
    R, rates = plain.R.copy(), []
    for k in range(x.start, x.stop):
        values = []
        for sign in (1.0, -1.0):
            plain.R[:] = R
            plain.R[k] += sign * h
            values.append(np.array(plain.rates()))
        rates.append((values[0] - values[1]) / (2 * h))
    found = np.linalg.eigvals(np.array(rates).T)
    for value in exact:
        assert np.abs(found - value).min() < 1e-4 * (1.0 + abs(value)), (value, found)


@quick
def test_wrong_envelopes_and_scales_are_refused() -> None:
    """Cams by a name, a road upside down, and cams that do not overlap."""
    with pytest.raises(mbs.ModelError, match=r"envelope of tyre 'tyre' is 'cams': give mbs\.Cams"):
        quarter_car(road=step(), envelope="cams")
    with pytest.raises(mbs.ModelError, match=r"scale of tyre 'tyre' is -1"):
        quarter_car(road=step(), scale=-1.0)
    with pytest.raises(mbs.ModelError, match=r"distance of cams is 2 m, .*: give at most 0\.92 m"):
        mbs.Cams(0.46, 0.3, 1.5, 2.0)
