"""Values of expressions, by the evaluation with given leaves and by constants that are folded."""

from __future__ import annotations

import numpy as np
import pytest

from mbs_fmu.symbolic.expressions import leaf
from mbs_fmu.symbolic.graph import evaluate
from mbs_fmu.symbolic.tables import area, slope, table

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("seed", range(4))
def test_tables_their_slopes_and_areas(seed: int) -> None:
    """Values at random places on both sides and within: by numpy's interpolation, and the area by trapezia, which are
    exact between points.
    """
    rng = np.random.default_rng([61, seed])
    points = np.cumsum(rng.uniform(0.1, 1.0, size=int(rng.integers(2, 7)))) - 1.0
    values = rng.normal(size=len(points))
    x = leaf("x")
    for place in [*rng.uniform(points[0] - 1.0, points[-1] + 1.0, size=12), *points]:
        corners = np.sort([points[0], place, *points])
        inside = (corners >= min(place, points[0])) & (corners <= max(place, points[0]))
        path = corners[inside]
        swept = np.trapezoid(np.interp(path, points, values), path) * (1.0 if place > points[0] else -1.0)
        found = [evaluate(e, {"x": place}) for e in (table(x, points, values), area(x, points, values))]
        assert found == pytest.approx([np.interp(place, points, values), swept], rel=1e-13, abs=1e-14)
        step = 1e-7
        if np.abs(points - place).min() > step and points[0] < place < points[-1]:
            k = int(np.searchsorted(points, place))
            rate = (values[k] - values[k - 1]) / (points[k] - points[k - 1])
            assert evaluate(slope(x, points, values), {"x": place}) == pytest.approx(rate, rel=1e-12)
