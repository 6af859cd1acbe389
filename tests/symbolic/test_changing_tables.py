"""Tables whose values are operands: their values, and tangents and adjoints by the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mbs_fmu.kernels import library
from mbs_fmu.symbolic.expressions import Expression, as_expression, leaf
from mbs_fmu.symbolic.graph import derivative, evaluate
from mbs_fmu.symbolic.reverse import adjoints
from mbs_fmu.symbolic.tables import area, areas, looked_up, slope, table, weight
from support.comparisons import assert_close

pytestmark = pytest.mark.quick
OPERATIONS: dict[str, Callable[..., Expression]] = {"table": table, "slope": slope, "area": area}
EPS = np.finfo(float).eps


def random_table(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points and values of a table, and places below, above, within and at its points."""
    rng = np.random.default_rng([77, seed])
    points = np.cumsum(rng.uniform(0.1, 1.0, size=int(rng.integers(2, 8)))) - 1.0
    inside = rng.uniform(points[0], points[-1], size=8)
    return points, rng.normal(size=len(points)), np.concatenate([inside, points, points[[0, -1]] + [-0.7, 0.7]])


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_values_as_operands_give_the_bits_of_constants(op: str, seed: int) -> None:
    """In expressions and in the functions of kernels, in which the values may be in another array than the points."""
    points, values, places = random_table(seed)
    n, x = len(points), leaf("x")
    changing = looked_up(op, x, points, [leaf(k) for k in range(n)])
    constant = OPERATIONS[op](x, points, values)
    A, B = np.array([9.0, *points, *values, *areas(points, values)]), np.array([1.0, 2.0, *values])
    behind, among = {
        "table": (library.interpolate, library.interpolate_among),
        "slope": (library.interpolated_slope, library.slope_among),
        "area": (library.interpolated_area, library.area_among),
    }[op]
    for place in places:
        numbers: dict[Any, float] = {"x": place, **dict(enumerate(values))}
        assert evaluate(changing, numbers) == evaluate(constant, numbers)
        assert among(A, 1, n, B, 2, place) == behind(A, 1, n, place)


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_tables_are_linear_in_their_values(op: str, seed: int) -> None:
    """Along any change of the values the tangent is the table of that change, with changes as an array or one by one;
    adjoints are the weights, whose products with the values add up to the table.
    """
    points, values, places = random_table(seed)
    n, x = len(points), leaf("x")
    root = looked_up(op, x, points, [leaf(k) for k in range(n)])
    change = np.random.default_rng(seed).normal(size=n)
    expected = OPERATIONS[op](x, points, change)
    as_array = derivative([root], lambda r: leaf(("d", r)) if r != "x" else as_expression(0.0))[0]
    single = derivative([root], lambda r: as_expression(0.0 if r == "x" else change[r]))[0]
    by_values = adjoints([root], [as_expression(1.0)])
    numbers: dict[Any, float] = {**dict(enumerate(values)), **{("d", k): d for k, d in enumerate(change)}}
    steepest = 1.0 / np.diff(points).min()
    size = (steepest + np.ptp(points) + 1.7) * n  # of weights: 1 in a table, widths in areas, slopes
    for place in places:
        numbers["x"] = place
        exact = evaluate(expected, numbers)
        assert evaluate(as_array, numbers) == exact
        tolerance = 16.0 * EPS * size * np.abs(change).max()
        assert_close(evaluate(single, numbers), exact, tolerance, f"tangent of {op} at {place}")
        weights = [evaluate(by_values.get(k, as_expression(0.0)), numbers) for k in range(n)]
        places_of = list(map(as_expression, points))
        assert weights == [evaluate(weight(op, as_expression(place), places_of, k), {}) for k in range(n)]
        tolerance = 16.0 * EPS * size * np.abs(values).max()
        assert_close(np.dot(weights, values), evaluate(root, numbers), tolerance, f"{op} by weights at {place}")


@pytest.mark.parametrize("seed", range(3))
def test_slopes_and_areas_are_derivatives_and_integrals(seed: int) -> None:
    """Between points, the tangent by x of a table is its slope, and that of its area is the table."""
    points, values, places = random_table(seed)
    entries, x = [leaf(k) for k in range(len(points))], leaf("x")
    numbers: dict[Any, float] = dict(enumerate(values))
    for op, other in (("table", "slope"), ("area", "table")):
        by_x = derivative([looked_up(op, x, points, entries)], lambda r: as_expression(float(r == "x")))[0]
        for numbers["x"] in places:
            assert evaluate(by_x, numbers) == evaluate(looked_up(other, x, points, entries), numbers)
