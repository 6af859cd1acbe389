"""Tangents of circles and paths of lines over circles, against formulas of another kind and against convex hulls."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from mbs_fmu.parts.tangents import Path, path_over
from mbs_fmu.symbolic.expressions import Expression
from mbs_fmu.symbolic.graph import evaluate
from mbs_fmu.symbolic.vectors import Vector

pytestmark = pytest.mark.quick

ROUNDING = 1e-14  #: share of lengths of about a metre, and of angles; a formula takes some ten operations


def value(x: Expression) -> float:
    return evaluate(x, {})


def path(centres: np.ndarray, radii: np.ndarray, closed: bool = True) -> Path:
    count = len(radii)
    apart = [centres[(i + 1) % count] - centres[i] for i in range(count if closed else count - 1)]
    return path_over([Vector((*c, 0.0)) for c in apart], radii.tolist(), closed)


def tangent_points(a: np.ndarray, b: np.ndarray, ra: float, rb: float) -> tuple[np.ndarray, np.ndarray]:
    """Return both ends of a tangent by an inverse sine; the radius to them is a quarter turn behind the direction."""
    c = b - a
    angle = math.atan2(c[1], c[0]) - math.asin((rb - ra) / np.hypot(*c))
    out = np.array([math.sin(angle), -math.cos(angle)])
    return a + ra * out, b + rb * out


@pytest.mark.parametrize("seed", range(20))
def test_spans_touch_both_circles_and_arcs_close_the_turn(seed: int) -> None:
    """Lengths and directions are those of the tangent points; the wraps are the turns between neighbouring spans."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 6))
    centres = rng.uniform(-1, 1, (count, 2)) + 4 * np.column_stack([np.arange(count), np.arange(count) % 2])
    radii = rng.uniform(0.1, 0.9, count) * rng.choice([-1.0, 1.0], count)
    p = path(centres, radii)
    angles = []
    for i, span in enumerate(p.spans):
        j = (i + 1) % count
        start, end = tangent_points(centres[i], centres[j], radii[i], radii[j])
        d = np.array([value(x) for x in span.direction])
        np.testing.assert_allclose(value(span.length) * d, end - start, atol=40 * ROUNDING)
        angles.append(math.atan2(*(end - start)[::-1]))
    for k in range(count):
        turned = math.copysign(1.0, radii[k]) * (angles[k] - angles[k - 1]) % (2 * math.pi)
        assert abs(value(p.wraps[k]) - turned) < 1e-12
    turns = value(p.turning) / (2 * math.pi)
    assert abs(turns - round(turns)) < 1e-13
    found = [value(x) for x in p.angles()]
    np.testing.assert_allclose(np.exp(1j * np.array(found)), np.exp(1j * np.array(angles)), atol=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_a_belt_round_all_is_the_hull(seed: int) -> None:
    """Spans and arcs of a belt that turns left on all pulleys have the perimeter of the convex hull of the circles."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 6))
    at = 2 * np.pi * np.arange(count) / count
    centres = np.column_stack([np.cos(at), np.sin(at)]) + rng.uniform(-0.1, 0.1, (count, 2))
    radii = rng.uniform(0.1, 0.3, count)
    p = path(centres, radii)
    total = sum(value(p.length(i)) for i in range(count))
    round_all = np.linspace(0, 2 * np.pi, 20001)[:-1]
    points = np.concatenate(
        [c + r * np.column_stack([np.cos(round_all), np.sin(round_all)]) for c, r in zip(centres, radii, strict=True)]
    )
    hull = ConvexHull(points)
    assert abs(total - hull.area) < 1e-6  # polygons of 20000 corners: 2 pi r (pi/n)²/6
    assert abs(value(p.turning) - 2 * math.pi) < 1e-13


def test_rates_are_derivatives() -> None:
    """Rates of angle, length and string equal central differences, also with an offset across the plane."""
    rng = np.random.default_rng(3)
    for offset in (0.0, 0.7):
        c, rate = np.array([1.3, 0.4, offset]), rng.normal(size=3) * (1.0, 1.0, 1.0 if offset else 0.0)
        h = 1e-5

        def at(t: float, c: np.ndarray = c, rate: np.ndarray = rate) -> Path:
            return path_over([Vector((c + t * rate).tolist())], [0.2, -0.3], False)

        span, plus, minus = (at(t).spans[0] for t in (0.0, h, -h))
        angle, more, less = (value(at(t).angles()[0]) for t in (0.0, h, -h))
        slope = value(span.angle_rate(Vector(rate.tolist())))
        assert abs(slope - (more - less) / (2 * h)) < 1e-9
        reach = (value(plus.reach) - value(minus.reach)) / (2 * h)
        assert abs(value(span.reach_rate(Vector(rate.tolist()))) - reach) < 1e-9
        assert abs(value(span.string_rate(Vector(rate.tolist()))) - (reach + 0.5 * slope)) < 1e-9
        assert math.isfinite(angle)


def test_points_have_no_arcs() -> None:
    """Free ends have neither arcs nor wraps, and the path's length counts half of each inner arc."""
    p = path(np.array([[-0.1, -2.0], [0.0, 0.0], [0.1, -3.0]]), np.array([0.0, -0.1, 0.0]), closed=False)
    assert [value(w) for w in p.wraps] == [0.0, pytest.approx(math.pi), 0.0]
    assert value(p.length(0)) == pytest.approx(2.0 + 0.05 * math.pi)
    assert p.spans_at(0) == (None, 0) and p.spans_at(2) == (1, None)
    assert [p.is_wrapped(k) for k in range(3)] == [False, True, False]
