"""Basic curves and surfaces of cams, against search by brute force, closed forms and straight roads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import mbs_fmu as mbs
from mbs_fmu.model.roads.dilation import averaged, beyond

pytestmark = pytest.mark.quick
CAMS = mbs.Cams(1.471 * 0.3135, 0.9622 * 0.3135, 1.5174, 0.1098)  #: of the tyre in appendix 3 of Pacejka (2012)
STEP = np.arange(-1500, 1501) * 1e-3  #: m, places of a step


def on_top(heights: Any, x: float, cams: mbs.Cams, parts: int = 20001) -> float:
    """Return the height, m, of the lowest point of a cam at x that rests on a function, by its formula."""
    s = np.linspace(-cams.length, cams.length, parts)
    below = cams.height * (1.0 - np.abs(s / cams.length) ** cams.order) ** (1.0 / cams.order)
    return float(np.max(heights(x + s) + below) - cams.height)


@pytest.mark.parametrize("height", [0.01, 0.02, 0.025])
def test_a_cam_meets_a_step(height: float) -> None:
    """Before a step the basic curve is the cam's contour, which touches the step first at a (1 - (1 - H/b)^c)^(1/c)."""
    a, b, c = CAMS.length, CAMS.height, CAMS.order
    road = mbs.Profile(STEP, np.where(STEP >= -1e-9, height, 0.0)).enveloped(CAMS)
    first = a * (1.0 - (1.0 - height / b) ** c) ** (1.0 / c)
    assert first == pytest.approx({0.01: 0.06393, 0.02: 0.10036, 0.025: 0.11591}[height], abs=5e-6)
    assert road.height(-first - 0.002) == pytest.approx(0.0, abs=1e-5) and road.height(-first + 0.002) > 2e-4
    for x in (-0.02, -0.01, -0.005, -0.0305):
        exact = height - b + b * (1.0 - abs(x / a) ** c) ** (1.0 / c)
        assert road.height(x) == pytest.approx(exact, abs=2e-7)
    if height == 0.01:
        known = (0.00829747, 0.00940585, 0.00979252)
        assert [road.height(x) for x in (-0.02, -0.01, -0.005)] == pytest.approx(known, abs=1e-8)
    assert road.height(0.3) == pytest.approx(height, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("points", [9, 41])
def test_basic_curves_are_those_of_brute_force(seed: int, points: int) -> None:
    """On random splines, over equal and unequal distances of points, within 0.05 mm, and beyond both ends."""
    rng = np.random.default_rng(seed)
    x = np.linspace(0.0, 2.0, points)
    if seed:
        x[1:-1] += rng.uniform(-0.3, 0.3, points - 2) * x[1]
    heights = (0.01 if points == 9 else 0.002) * rng.normal(size=points)  # slopes up to 0.26
    cams = mbs.Cams(*rng.uniform((0.2, 0.15, 1.3), (0.5, 0.4, 2.5)), 0.1)
    spline = CubicSpline(x, heights, bc_type="natural")

    def road(at: np.ndarray) -> np.ndarray:
        inside = np.clip(at, x[0], x[-1])
        return np.asarray(spline(inside) + spline(inside, 1) * (at - inside))

    basic = mbs.Profile(x, heights).enveloped(cams)
    for at in rng.uniform(-0.4, 2.4, 40):
        assert basic.height(at) == pytest.approx(on_top(road, at, cams), abs=5e-5), at


@pytest.mark.parametrize("along", [0, 1])
def test_basic_surfaces_are_those_of_brute_force(along: int) -> None:
    """A random field, dilated along each coordinate and averaged across, within 0.3 mm."""
    rng = np.random.default_rng(7)
    x, y, heights = np.arange(21) * 0.08, np.arange(21) * 0.08, 0.003 * rng.normal(size=(21, 21))
    cams = mbs.Cams(0.3, 0.25, 1.6, 0.1, width=0.16)
    field = mbs.HeightField(x, y, heights)
    basic = (field.enveloped, field.enveloped_across)[along](cams)
    lines = (x, y) if along == 0 else (y, x)
    table = heights if along == 0 else heights.T
    for a, b in rng.uniform(0.4, 1.2, (6, 2)):
        across = b + np.linspace(-0.08, 0.08, 65)
        rows = CubicSpline(lines[1], table, axis=1, bc_type="natural")(across)
        tops = [on_top(CubicSpline(lines[0], row, bc_type="natural"), a, cams, 2001) for row in rows.T]
        place = (a, b) if along == 0 else (b, a)
        assert basic.height(*place) == pytest.approx(np.trapezoid(tops, across) / 0.16, abs=3e-4), place


def test_straight_roads_rise_by_the_cam_on_a_slope() -> None:
    """A straight road stays straight, raised by the largest distance of the slope from the cam's contour."""
    road = mbs.Profile([0.0, 5.0], [0.0, 0.5]).enveloped(CAMS)
    s = np.linspace(0.0, CAMS.length, 200001)
    rise = np.max(0.1 * s - [CAMS.rise(x) for x in s])
    for x in (-3.0, 0.0, 2.345, 8.0):
        assert road.height(x) - 0.1 * x == pytest.approx(rise, abs=2e-6)
        assert -road.normal(x)[0] / road.normal(x)[2] == pytest.approx(0.1, abs=1e-6)
    assert rise == pytest.approx(4e-4, rel=0.2)


def test_averages_are_those_of_straight_lines_between_heights() -> None:
    """Whatever the width over the distance of heights; the derivative of the mean is the slope of the cams at ±b."""
    rng = np.random.default_rng(3)
    heights, step = rng.normal(size=(2, 60)), 0.1
    places = step * np.arange(60)
    for width in (0.05, 0.2, 0.37, 1.0):
        m = beyond(width, step)
        found = averaged(heights, step, width)
        assert found.shape == (2, 60 - 2 * m)
        for k in range(found.shape[1]):
            fine = places[k + m] + np.linspace(-width / 2, width / 2, 20001)
            assert found[1, k] == pytest.approx(np.mean(np.interp(fine, places, heights[1])), abs=1e-3)
    assert averaged(heights, step, 0.0) is heights


def test_equal_cams_share_one_road() -> None:
    """Equal cams give the same object, so that the tyres of a car share its data; others give another one."""
    road = mbs.Profile([0.0, 1.0, 2.0], [0.0, 0.01, 0.0])
    other = mbs.Cams(CAMS.length, CAMS.height, CAMS.order, CAMS.distance)
    assert road.enveloped(CAMS) is road.enveloped(other)
    assert road.enveloped(mbs.Cams(0.4, 0.3, 2.0, 0.1)) is not road.enveloped(CAMS)


def test_long_roads_are_bounded() -> None:
    """Roads whose basic curve would not fit into memory are refused before it is computed."""
    with pytest.raises(mbs.ModelError, match=r"would have \d+ heights with cams, at distances of .* give at most"):
        mbs.Profile([0.0, 1.0, 1e7], [0.0, 0.0, 0.0]).enveloped(CAMS)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((0.0, 0.3, 2.0, 0.1), "length of cams is 0.0: give a number above zero"),
        ((0.4, math.nan, 2.0, 0.1), "height of cams is nan: give a finite number"),
        ((0.4, 0.3, 0.9, 0.1), "order of cams is 0.9: give a number at least 1"),
        ((0.4, 0.3, 2.0, -0.1), "distance of cams is -0.1: give a number above zero"),
        ((0.4, 0.3, 2.0, 0.1, -1.0), "width of cams is -1.0: give a number zero or above"),
        ((0.4, 0.3, mbs.time, 0.1), "order of cams is .*: give a finite number"),
        ((0.4, "wide", 2.0, 0.1), "height of cams"),
    ],
)
def test_wrong_cams_are_refused(numbers: tuple[Any, ...], words: str) -> None:
    """The message names the number, the value and the remedy."""
    with pytest.raises(mbs.ModelError, match=words):
        mbs.Cams(*numbers)
