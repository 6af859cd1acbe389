"""The documentation page inside an FMU."""

from __future__ import annotations

import re

import numpy as np
import pytest

from mbs_fmu.fmi import curves, documentation
from mbs_fmu.run.results.results import Result

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(("count", "noted"), [(3, False), (40, True)])
def test_plots_have_a_limited_number_of_axes(count: int, noted: bool) -> None:
    """Plots have a limited number of axes, with a vector in one of them; the page names the outputs left out."""
    columns = ["time", "tip[1]", "tip[2]", *(f"y{k}" for k in range(count - 1))]
    time = np.linspace(0.0, 1.0, 5)
    data = np.column_stack([time] * len(columns))
    result = Result("many", columns, data, dict.fromkeys(columns), {"tip": ["tip[1]", "tip[2]"]}, {"method": "rk4"})
    picture = documentation._picture(result)
    assert len(re.findall(r'<g id="axes_\d+"', picture)) == min(count, documentation.MOST_DRAWN)
    assert (f"first {documentation.MOST_DRAWN} of {count} results" in picture) == noted


def test_curves_reach_the_ends_of_their_scale() -> None:
    """The least and largest numbers touch the frame, even with more numbers than pixels; gaps are not drawn."""
    time = np.linspace(0.0, 1.0, 10 * curves.WIDTH)
    values = np.sin(20.0 * time)
    values[7], values[1234] = np.nan, 9.0
    picture = curves.svg(time, [("y", {"y": values})])
    listed = re.search(r'<polyline points="([^"]*)"', picture)
    assert listed is not None
    points = np.array([point.split(",") for point in listed[1].split()], dtype=float)
    assert len(points) <= 2 * curves.WIDTH and np.all(np.isfinite(points))
    assert (np.min(points[:, 1]), np.max(points[:, 1])) == (0.0, curves.HEIGHT)
    assert np.all(np.diff(points[:, 0]) >= 0.0)
    assert ">9<" in picture
