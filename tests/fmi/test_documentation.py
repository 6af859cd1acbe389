"""The page inside of an FMU."""

from __future__ import annotations

import re

import numpy as np
import pytest

from mbs_fmu.fmi import documentation
from mbs_fmu.run.results import Result

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(("count", "said"), [(3, False), (40, True)])
def test_pictures_show_what_can_be_looked_at(count: int, said: bool) -> None:
    """So many axes at most, a vector in one of them; what is left out is said."""
    columns = ["time", "tip[1]", "tip[2]", *(f"y{k}" for k in range(count - 1))]
    time = np.linspace(0.0, 1.0, 5)
    data = np.column_stack([time] * len(columns))
    result = Result("many", columns, data, dict.fromkeys(columns), {"tip": ["tip[1]", "tip[2]"]}, {"method": "rk4"})
    picture = documentation._picture(result)
    assert len(re.findall(r'<g id="axes_\d+"', picture)) == min(count, documentation.MOST_DRAWN)
    assert (f"first {documentation.MOST_DRAWN} of {count} results" in picture) == said
