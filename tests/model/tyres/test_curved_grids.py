"""Roads on a grid along a curved line: places, heights and slopes against a search and splines of scipy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, RectBivariateSpline
from scipy.optimize import minimize_scalar

import mbs_fmu as mbs
from mbs_fmu.model.roads.curved_lines import ReferenceLine
from mbs_fmu.model.roads.road import level
from mbs_fmu.symbolic.expressions import as_expression, leaf
from mbs_fmu.symbolic.graph import derivative, evaluate
from support.comparisons import assert_close

quick = pytest.mark.quick


class Course(NamedTuple):
    """The data of a curved grid."""

    u: np.ndarray
    v: np.ndarray
    heights: np.ndarray
    x: np.ndarray
    y: np.ndarray

    def road(self, **more: Any) -> mbs.CurvedGrid:
        return mbs.CurvedGrid(*self, **more)


def course(seed: int, count: int = 161, step: float = 0.5, curvature: float = 0.05) -> Course:
    """Return a winding road 6 m wide, banked and bumpy; its line has the exact places of an integral."""
    rng = np.random.default_rng(seed)
    u = rng.uniform(-5.0, 5.0) + step * np.arange(count)
    bends, lags = curvature * rng.dirichlet(np.ones(3)), rng.uniform(0.0, 6.0, 3)
    fine = np.linspace(u[0], u[-1], 64 * (count - 1) + 1)
    lengths = np.array([6.0, 9.0, 14.0])
    heading = -(bends * lengths * np.cos(fine[:, None] / lengths + lags)).sum(axis=1)
    x, y = (CubicSpline(fine, f(heading)).antiderivative()(u) for f in (np.cos, np.sin))
    v = np.linspace(-3.0, 3.0, 13)
    waves = rng.uniform(-1.0, 1.0, (3, 2))
    heights = sum(0.05 * np.sin(a * u[:, None] + b * v + k) for k, (a, b) in enumerate(waves))
    return Course(u, v, heights + 0.02 * v * np.sin(u / 11.0)[:, None], 7.0 + x, y - 4.0)


class Oracle:
    """The same road by an interpolating spline of all places of the line, a search for the nearest, and scipy."""

    def __init__(self, data: Course):
        self.line = CubicSpline(data.u, np.column_stack([data.x, data.y]))
        self.surface = RectBivariateSpline(data.u, data.v, data.heights)
        self.u = np.linspace(data.u[0], data.u[-1], 20 * len(data.u))

    def place(self, point: np.ndarray) -> tuple[float, float]:
        """Return u and v of a point of the road."""

        def distance(u: float) -> float:
            return float(np.linalg.norm(self.line(u) - point))

        u = self.u[np.linalg.norm(self.line(self.u) - point, axis=1).argmin()]
        u = minimize_scalar(distance, bounds=(u - 0.1, u + 0.1), options={"xatol": 1e-9}).x
        for _ in range(2):
            beyond, tangent = point - self.line(u), self.line(u, 1)
            u += beyond @ tangent / (tangent @ tangent - beyond @ self.line(u, 2))
        tangent = self.line(u, 1)
        left = np.array([-tangent[1], tangent[0]]) / np.linalg.norm(tangent)
        return float(u), float((point - self.line(u)) @ left)

    def height(self, point: np.ndarray) -> float:
        return float(self.surface(*self.place(point))[0, 0])


def points_of(data: Course, count: int, seed: int = 0) -> np.ndarray:
    """Return random points of the inner part of a road, where the ends of splines have no effect, (count, 2), m."""
    rng, line = np.random.default_rng(seed), Oracle(data).line
    u = rng.uniform(data.u[0] + 8.0, data.u[-1] - 8.0, count)
    tangent = line(u, 1)
    left = np.column_stack([-tangent[:, 1], tangent[:, 0]]) / np.linalg.norm(tangent, axis=1)[:, None]
    return np.asarray(line(u) + rng.uniform(-1.5, 1.5, count)[:, None] * left)


@quick
@pytest.mark.parametrize("seed", range(4))
def test_heights_are_those_of_a_search_and_scipy(seed: int) -> None:
    """Places within the error of the thinned line; heights within its product with the slope of the road."""
    data = course(seed)
    road, oracle = data.road(), Oracle(data)
    assert road.error <= 1e-4
    for point in points_of(data, 12):
        x, y = map(as_expression, point)
        chart = road.chart(x, y)
        u, v = evaluate(chart.a, {}), evaluate(chart.b, {})
        assert_close([u, v], oracle.place(point), 3e-4, "place on the line")  # a tangent turns with the error's slope
        assert_close(road.xy(u, v), point, 1e-12, "the point of this place")
        assert_close(road.height(*point), oracle.height(point), 1e-4, "height")
        assert_close(road.height(u=u, v=v), road.height(*point), 1e-12, "height of the place")
        assert_close(road.normal(u=u, v=v), road.normal(*point), 1e-9, "normal of the place")


@quick
@pytest.mark.parametrize("seed", range(4))
def test_slopes_are_differences_of_heights(seed: int) -> None:
    """Also of the oracle; without the factor 1 - κ v slopes along the road would be wrong by up to a tenth."""
    data = course(seed)
    road, oracle, h = data.road(), Oracle(data), 1e-4
    largest = 0.0
    for point in points_of(data, 8):
        n = road.normal(*point)
        slopes = -n[:2] / n[2]
        for k, d in enumerate(h * np.eye(2)):
            own = (road.height(*(point + d)) - road.height(*(point - d))) / (2 * h)
            other = (oracle.height(point + d) - oracle.height(point - d)) / (2 * h)
            assert_close(slopes[k], own, 1e-6, "slope and differences of the road")
            assert_close(slopes[k], other, 2e-4, "slope and differences of the oracle")
        largest = max(largest, np.linalg.norm(slopes))
    assert largest > 0.02


@quick
def test_slopes_have_exact_derivatives() -> None:
    """Those of height and slopes, by x and y, equal differences, for the place by a search and by a parameter."""
    road = course(5).road()
    (point,), h = points_of(course(5), 1), 1e-5
    u = evaluate(road.chart(*map(as_expression, point)).a, {})
    for parameters in ([], [as_expression(u + 1e-4)]):
        law = level(road, leaf("x"), leaf("y"), parameters)
        for k, name in enumerate("xy"):
            rates = derivative(list(law), lambda r, name=name: as_expression(1.0 if r == name else 0.0))
            for value, rate in zip(law, rates, strict=True):
                at = [evaluate(value, dict(zip("xy", point + s * h * np.eye(2)[k], strict=True))) for s in (1, -1)]
                exact = evaluate(rate, dict(zip("xy", point, strict=True)))
                assert_close(exact, (at[0] - at[1]) / (2 * h), 1e-6, f"derivative by {name}")


@quick
def test_one_step_of_newton_finds_the_place() -> None:
    """An error e of the parameter leaves an error of the order of e² κ; v and the height do not depend on it."""
    data = course(6)
    road = data.road()
    for point in points_of(data, 5):
        x, y = map(as_expression, point)
        exact = road.chart(x, y)
        u = evaluate(exact.a, {})
        near = road.chart(x, y, [as_expression(u + 0.01)])
        assert abs(evaluate(near.a, {}) - u) < 1e-4 * 0.05 * 20
        assert_close(evaluate(near.b, {}), evaluate(exact.b, {}), 1e-8, "v")


@quick
def test_the_road_continues_straight_beyond_its_ends() -> None:
    """The line has no curvature there, and heights are those at the border, in u and in v, without slopes."""
    data = course(7)
    road = data.road()
    step = road.line.step
    assert_close(road.line.curvature(data.u[-1] + step * np.array([1.0, 5.0])), 0.0, 1e-12, "curvature beyond the end")
    for u, v in ((data.u[-1] + 30.0, 1.0), (data.u[0] - 20.0, -1.0), (data.u[30], 3.5), (data.u[-1] + 30.0, -4.0)):
        x, y = road.xy(u, v)
        chart = road.chart(as_expression(x), as_expression(y))
        assert_close([evaluate(chart.a, {}), evaluate(chart.b, {})], [u, v], 1e-9, "place")
        on = np.clip(u, data.u[0], data.u[-1]), np.clip(v, -3.0, 3.0)
        assert_close(road.height(x, y), road.height(u=on[0], v=on[1]), 1e-9, "height")
        relief = road.relief(as_expression(float(u)), as_expression(float(v)))
        for slope, beyond in zip(relief[1:], np.not_equal((u, v), on), strict=True):
            assert not beyond or evaluate(slope, {}) == 0.0


@quick
def test_a_straight_line_makes_a_height_field() -> None:
    """Turned and shifted; v is the distance to the left."""
    data, angle = course(8), 0.7
    e, left = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    x, y = ((data.u - data.u[0])[:, None] * e + [3.0, 4.0]).T
    road = mbs.CurvedGrid(data.u, data.v, data.heights, x, y)
    field = mbs.HeightField(data.u - data.u[0], data.v, data.heights)
    assert road.curvature < 1e-12
    for a, b in np.random.default_rng(1).uniform((0.0, data.v[0]), (road.length, data.v[-1]), (20, 2)):
        point = [3.0, 4.0] + a * e + b * left
        assert_close(road.height(*point), field.height(a, b), 1e-11, "height")
        n, m = road.normal(*point), field.normal(a, b)
        assert_close(n, [*(m[0] * e + m[1] * left), m[2]], 1e-11, "normal")


@quick
def test_lines_have_few_knots_and_no_noise() -> None:
    """A line in millimetres, as files have it, keeps the curvature of the exact one and has as many knots, about."""
    data = course(9, count=2001, step=0.05)
    exact = ReferenceLine(data.u, np.column_stack([data.x, data.y]))
    rounded = ReferenceLine(data.u, np.round([data.x, data.y], 3).T)
    u = np.linspace(data.u[0] + 5.0, data.u[-1] - 5.0, 1000)
    assert exact.error <= 1e-4 and rounded.error <= 2e-3 and len(rounded.knots) <= len(exact.knots) < 150
    assert_close(rounded.curvature(u), exact.curvature(u), 2e-3, "curvature")
    line = Oracle(data).line
    (dx, dy), (ddx, ddy) = line(u, 1).T, line(u, 2).T
    assert_close(exact.curvature(u), dx * ddy - dy * ddx, 1e-3, "curvature and that of scipy")


@quick
def test_arcs_keep_their_curvature_to_the_ends() -> None:
    """Splines whose curvature vanishes at their ends would not."""
    u = 0.1 * np.arange(501)
    line = ReferenceLine(u, 20.0 * np.column_stack([np.sin(u / 20.0), 1.0 - np.cos(u / 20.0)]))
    at = np.linspace(0.0, 50.0, 101)
    assert_close(line.curvature(at), 0.05, 1e-3, "curvature")
    assert_close(line.places(at), 20.0 * np.column_stack([np.sin(at / 20.0), 1.0 - np.cos(at / 20.0)]), 1e-4, "place")
    assert_close(line.curvature(np.array([50.0 + 2 * line.step, -2 * line.step])), 0.0, 1e-12, "curvature beyond")


@quick
def test_where_a_course_crosses_itself_the_nearest_place_counts() -> None:
    """On a figure of eight, the nearer of two branches."""
    s = np.linspace(-1.0, 4.0, 5001)  # at 0 and π the line crosses itself
    eight = np.column_stack([60.0 * np.sin(s), 30.0 * np.sin(2 * s)])
    length = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(eight, axis=0), axis=1))]
    u = np.linspace(0.0, length[-1], 801)
    x, y = CubicSpline(length, eight)(u).T
    road = mbs.CurvedGrid(u, [-2.0, 2.0], np.column_stack([0.01 * u, 0.01 * u]), x, y)
    for crossing in np.interp([0.0, np.pi], s, length):
        for a, b in ((crossing + 1.5, 0.1), (crossing - 1.5, -0.1)):
            assert_close(road.height(*road.xy(a, b)), 0.01 * a, 1e-6, "height")
        assert_close(road.height(u=crossing, v=0.5), 0.01 * crossing, 1e-9, "height at the crossing")


@quick
def test_closed_courses_do_not_continue_through_their_inside() -> None:
    """Places of a circle that is closed are its own, also where the straight lines beyond its ends cross it."""
    u = np.linspace(0.0, 2 * np.pi * 20.0, 401)
    x, y = 20.0 * np.sin(u / 20.0), 20.0 - 20.0 * np.cos(u / 20.0)
    road = mbs.CurvedGrid(u, [-4.0, 0.0, 4.0], np.column_stack([0.01 * u] * 3), x, y)
    for a in np.linspace(1.0, 124.0, 42):
        assert_close(road.height(*road.xy(a, 3.5)), 0.01 * a, 1e-9, "height")


@quick
def test_wrong_curved_grids_are_refused() -> None:
    """The message names the number and the remedy."""
    u, v, heights, x, y = course(3)
    bad = x.copy()
    bad[4] = np.nan
    with pytest.raises(mbs.ModelError, match=r"x 5 of a curved grid is nan: give finite numbers"):
        mbs.CurvedGrid(u, v, heights, bad, y)
    with pytest.raises(mbs.ModelError, match=r"y of a curved grid has the shape \(160,\): give 161 numbers"):
        mbs.CurvedGrid(u, v, heights, x, y[1:])
    bad = np.column_stack([x, y])
    bad[7] = bad[6]
    with pytest.raises(mbs.ModelError, match=r"line at u = .* and .* m coincide"):
        mbs.CurvedGrid(u, v, heights, *bad.T)
    with pytest.raises(mbs.ModelError, match=r"at u = 22.\d* m the reference line has the radius 21.* v = -30 m on "):
        mbs.CurvedGrid(u, 10 * v, heights, x, y)
    road = course(3).road()
    with pytest.raises(mbs.ModelError, match=r"take a place x, y or a place u=, v=: give one of them"):
        road.height()
    with pytest.raises(mbs.ModelError, match=r"take a place x, y or a place u=, v=: give one of them"):
        road.normal(1.0, u=2.0)


@quick
@pytest.mark.parametrize("v", [[-3.0, -0.05, 0.0, 0.05, 3.0], [-2.0, 1.0]])
def test_lines_across_may_have_unequal_distances(v: list[float]) -> None:
    """Heights are those of the grid at its places, and polynomials of v between them."""
    u, _, _, x, y = course(2)
    heights = 0.01 * np.sin(0.3 * u)[:, None] * (1.0 + np.array(v))
    road = mbs.CurvedGrid(u, v, heights, x, y)
    for i in (0, 40, 160):
        assert_close([road.height(u=u[i], v=w) for w in v], heights[i], 1e-12, "heights of the grid")
        assert_close(road.height(u=u[i], v=0.6), 0.016 * np.sin(0.3 * u[i]), 1e-12, "height between lines")
    with pytest.raises(mbs.ModelError, match="v of a curved grid is 0 after 0: it must increase"):
        mbs.CurvedGrid(u, [-1.0, 0.0, 0.0], np.zeros((161, 3)), x, y)


@quick
def test_curved_grids_print_their_size() -> None:
    road = course(1).road()
    assert (road.length, road.width) == (80.0, 6.0)
    assert repr(road).startswith("curved grid of 161 x 13 points, 80 m long, 6 m wide, largest curvature 0.0")
    x, y = road.xy([0.0, 1.0, 2.0], 0.5)
    assert_close([x[1], y[1]], road.xy(1.0, 0.5), 1e-12, "places of arrays")


@quick
@pytest.mark.parametrize("factor", [2.0, 0.97])
def test_a_coordinate_other_than_the_arc_length_is_refused(factor: float) -> None:
    """Heights along u would be at other places of the line."""
    data = course(5)
    with pytest.raises(mbs.ModelError, match=r"u is .* m long, but its reference line [78]\d[.0-9]* m: u must run"):
        data._replace(u=factor * data.u).road()
    assert data._replace(u=1.01 * data.u).road().length == pytest.approx(80.8)
