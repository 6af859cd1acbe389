"""`mod` and periodic tables: their values are numpy's on random numbers, their slopes those of differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.kernels.library import mod
from mbs_fmu.symbolic.arrays import values_along
from mbs_fmu.symbolic.expressions import as_expression, leaf
from mbs_fmu.symbolic.graph import derivative, evaluate
from mbs_fmu.symbolic.reverse import adjoints

pytestmark = pytest.mark.quick

X, P = leaf("x"), leaf("p")
RNG = np.random.default_rng(8)
#: Numbers and periods: random ones of many sizes and both signs, and multiples of the period, also rounded ones.
PAIRS = [
    *zip((RNG.normal(size=200) * 10.0 ** RNG.uniform(-6, 6, 200)).tolist(), RNG.uniform(-3, 3, 200).tolist()),
    *((k * 0.1, 0.1) for k in range(-30, 30)), *((k / 8, -0.25) for k in range(-9, 9)), (-1e-20, 1.0), (-0.0, 1.0),
]  # fmt: skip


def random_table(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    """Return points from -2 to 2, values, and a period: the range of the points, or longer."""
    points = np.sort(rng.uniform(-2.0, 2.0, int(rng.integers(2, 9))))
    length = float(points[-1] - points[0])
    return points, rng.normal(size=len(points)), length * float(rng.choice([1.0, rng.uniform(1.01, 2.0)]))


def test_every_evaluation_has_the_number_of_numpy() -> None:
    """Values of nodes, of arrays, and of the function of the kernels; literals too."""
    for x, period in PAIRS:
        expected = float(np.mod(x, period))
        at = {"x": x, "p": period}
        assert evaluate(mbs.mod(X, P), at) == evaluate(X % period, at) == evaluate(x % P, at) == expected
        assert evaluate(np.mod(X, P), at) == evaluate(np.remainder(x, P), at) == expected
        assert values_along([mbs.mod(X, P)], 1, at.__getitem__)[0, 0] == mod(x, period) == expected
        assert mbs.mod(x, period).value == expected
        assert min(0.0, period) <= expected <= max(0.0, period)


def test_slopes_are_those_of_differences() -> None:
    """The slope by x is 1, and by the period minus the number of whole periods, in forward and reverse mode."""
    for x, period in PAIRS[:200]:
        at, seeds = {"x": x, "p": period}, {"x": 0.7, "p": -0.4}
        (forward,) = derivative([mbs.mod(X, P)], lambda name: as_expression(seeds[name]))
        expected = 0.7 + 0.4 * math.floor(x / period)
        assert evaluate(forward, at) == pytest.approx(expected, rel=1e-12, abs=1e-12)
        by = adjoints([mbs.mod(X, P)], [as_expression(1.0)])
        assert evaluate(by["x"], at) == 1.0
        assert evaluate(by["p"], at) == pytest.approx(-math.floor(x / period), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_a_periodic_table_is_that_of_its_first_period(seed: int) -> None:
    """numpy wraps the same table, which joins the last point to the first of the next period; slopes fit."""
    rng = np.random.default_rng(seed)
    points, values, period = random_table(rng)
    table, slope = (f(X, points.tolist(), values.tolist(), period=period) for f in (mbs.table, mbs.slope))
    whole = abs(period - (points[-1] - points[0])) < 1e-12
    xs, ys = (points, values) if whole else (np.append(points, points[0] + period), np.append(values, values[0]))
    steepest = float(np.max(np.abs(np.diff(ys) / np.diff(xs))))
    for x in rng.uniform(-20.0, 20.0, 50):
        inside = points[0] + np.mod(x - points[0], period)
        assert evaluate(table, {"x": x}) == pytest.approx(np.interp(inside, xs, ys), abs=1e-13 * (1.0 + steepest))
        if not whole:  # numpy's own periodic interpolation; the wrapped numbers differ by rounding
            peer = np.interp(x, points, values, period=period)
            assert evaluate(table, {"x": x}) == pytest.approx(peer, abs=1e-13 * (1.0 + steepest))
        k = int(np.searchsorted(xs, inside)) - 1
        assert evaluate(slope, {"x": x}) == pytest.approx((ys[k + 1] - ys[k]) / (xs[k + 1] - xs[k]))


def test_a_table_over_a_whole_period_jumps_where_its_ends_differ() -> None:
    """Its end of the period may be given with rounding."""
    saw = mbs.table(X, [0.0, 4 * math.pi * (1 + 2e-16)], [0.0, 2.0], period=4 * math.pi)
    assert evaluate(saw, {"x": 4 * math.pi - 1e-9}) == pytest.approx(2.0)
    assert evaluate(saw, {"x": 4 * math.pi + 1e-9}) == pytest.approx(0.0, abs=1e-8)
    ring = mbs.table(X, [0.0, 1.0], [3.0, 5.0], period=2.0)
    assert [evaluate(ring, {"x": x}) for x in (-0.5, 0.0, 1.5, 2.0)] == [4.0, 3.0, 4.0, 3.0]


def test_wrong_periods_are_refused() -> None:
    """The message has the number and the remedy."""
    with pytest.raises(mbs.ModelError, match="mod has the period 0: give a finite period other than zero"):
        X % 0.0
    for wrong in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(mbs.ModelError, match=r"period of a table is .*: give a positive, finite number"):
            mbs.table(X, [0, 1], [0, 1], period=wrong)
    with pytest.raises(mbs.ModelError, match=r"cover 3, more than its period 2: leave out the points beyond 2"):
        mbs.table(X, [0, 1, 3], [0, 1, 0], period=2.0)


def test_they_read_as_formulas() -> None:
    assert repr(X % 2) == "mod(x, 2)"
    assert repr(mbs.table(X, [1, 2], [0, 1], period=2)) == "table(1 + mod(x - 1, 2))"
