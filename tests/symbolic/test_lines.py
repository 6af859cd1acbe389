"""Places on polylines that are nearest to points, and natural cubic splines as functions of arrays."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from mbs_fmu.kernels import library
from mbs_fmu.symbolic.arrays import values_along
from mbs_fmu.symbolic.expressions import as_expression, leaf
from mbs_fmu.symbolic.graph import derivative, evaluate
from mbs_fmu.symbolic.lines import line_data, nearest, nearest_values
from mbs_fmu.symbolic.surfaces import curve_data, curve_derivatives, curve_values
from support.comparisons import assert_close

pytestmark = pytest.mark.quick


def random_line(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return the vertices of a line that turns about and crosses itself, (count, 2), m."""
    headings = np.cumsum(rng.normal(0.0, 0.5, count - 1))
    lengths = rng.uniform(0.5, 1.5, count - 1)
    steps = lengths[:, None] * np.column_stack([np.cos(headings), np.sin(headings)])
    return np.vstack([np.zeros(2), np.cumsum(steps, axis=0)])


def distances(vertices: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Return the distances of a place from many places of the line."""
    shares = np.linspace(0.0, 1.0, 3001)[:, None, None]
    places = vertices[:-1] + shares * np.diff(vertices, axis=0)
    return np.asarray(np.linalg.norm(places - place, axis=2))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("count", [2, 3, 40])
def test_no_place_of_a_line_is_nearer(seed: int, count: int) -> None:
    """The kernel, which skips pieces, and the values of arrays and expressions, which compare all, are the same."""
    rng = np.random.default_rng(seed)
    vertices = random_line(rng, count)
    first, step = rng.uniform(-5.0, 5.0), rng.uniform(0.5, 2.0)
    data = line_data(first, step, vertices)
    places = rng.uniform(vertices.min() - 5.0, vertices.max() + 5.0, (30, 2))
    found = nearest_values(places[:, 0], places[:, 1], data)
    for place, u in zip(places, found, strict=True):
        in_kernel = library.nearest_on_line(np.array(data[0]), 0, data[1], *place)
        assert_close(in_kernel, u, 1e-12, "parameter in the kernel")
        assert_close(evaluate(nearest(data, *map(as_expression, place)), {}), u, 1e-12, "parameter of an expression")
        k = int(np.clip((u - first) // step, 0, count - 2))
        share = (u - first) / step - k
        piece = vertices[k + 1] - vertices[k]
        on_line = np.clip(share, 0.0, 1.0)
        assert np.linalg.norm(vertices[k] + on_line * piece - place) <= distances(vertices, place).min() + 1e-12
        assert_close((place - vertices[k] - share * piece) @ piece * (share != on_line), 0.0, 1e-12, "continuation")
    root = nearest(data, leaf("x"), leaf("y"))
    values = values_along([root], len(places), lambda name: places[:, "xy".index(name)])
    assert_close(values[:, 0], found, 1e-12, "parameters along a run")


def test_the_continuation_of_a_line_is_not_near_to_its_inside() -> None:
    """On a course that is nearly closed, places beside it are not on the straight lines beyond its ends."""
    angle = np.linspace(0.0, 6.2, 63)
    data = line_data(0.0, 0.1, 10.0 * np.column_stack([np.cos(angle), np.sin(angle)]))
    x, y = 10.0 * np.cos(0.05) + 0.01, 7.0  # near to the continuation of the start, 10 m ahead of it backwards
    expected = np.arctan2(y, x)
    for u in (nearest_values(np.array([x]), np.array([y]), data)[0],
              library.nearest_on_line(np.array(data[0]), 0, data[1], x, y)):  # fmt: skip
        assert_close(u, expected, 0.01, "angle")
    behind = library.nearest_on_line(np.array(data[0]), 0, data[1], 10.0, -0.1)
    assert behind == nearest_values(np.array([10.0]), np.array([-0.1]), data)[0]


def test_places_that_are_not_finite_have_no_nearest_one() -> None:
    data = line_data(0.0, 1.0, np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]))
    for x in (np.nan, np.inf, 1e13):
        assert np.isnan(library.nearest_on_line(np.array(data[0]), 0, 3, x, 0.0))
    assert np.isnan(nearest_values(np.array([np.nan]), np.zeros(1), data)).all()


def test_the_search_has_no_derivative() -> None:
    data = line_data(0.0, 1.0, np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]))
    assert evaluate(derivative([nearest(data, leaf("x"), leaf("y"))], lambda _: as_expression(1.0))[0], {}) == 0.0


@pytest.mark.parametrize("equal", [True, False])
def test_curves_of_arrays_are_natural_splines(equal: bool) -> None:
    """scipy has the same values and derivatives; kernels find the interval, also where a search would be skipped."""
    rng = np.random.default_rng(3)
    knots = np.linspace(-1.0, 5.0, 13) if equal else np.sort(rng.uniform(-1.0, 5.0, 13))
    values = rng.normal(size=13)
    data, peer = curve_data(knots, values), CubicSpline(knots, values, bc_type="natural")
    x = np.r_[rng.uniform(knots[0], knots[-1], 40), knots]
    A, n = np.r_[data[0], data[1]], len(data[0]) - 1
    for order in range(3):
        assert_close(curve_values(data, x, order), peer(x, order), 1e-10, f"derivative {order}")
        kernel = [library.spline(A, 0, n, order, at) for at in x]
        assert_close(kernel, peer(x, order), 1e-10, f"derivative {order} in the kernel")
        formula = [evaluate(curve_derivatives(data, at)[order], {}) for at in x]
        assert_close(formula, peer(x, order), 1e-10, f"derivative {order} of an expression")
    beyond = np.array([knots[0] - 2.0, knots[-1] + 3.0])
    straight = peer(knots[[0, -1]]) + peer(knots[[0, -1]], 1) * [-2.0, 3.0]
    assert_close(curve_values(data, beyond), straight, 1e-10, "places beyond the ends")
    assert_close(curve_values(data, beyond, 2), 0.0, 0.0, "curvature beyond the ends")
