"""Native FMUs whose start values follow from parameters, also in submodels, against `simulate`."""

from __future__ import annotations

from pathlib import Path

import fmpy.validation
import numpy as np
import pytest

import mbs_fmu as mbs
from support.models.calculated_starts import swing


@pytest.mark.slow
def test_starts_follow_parameters(tmp_path: Path) -> None:
    """Parameters set before the start change the start values as in `simulate`, within the tolerances of both."""
    m = mbs.Model("two")
    m.include(swing(), "left")
    m.include(swing(), "right", at=(0, 3, 0))
    path = mbs.export(m, tmp_path / "two.fmu", "native", fmi="3.0", platforms="host", stop_time=0.5, rtol=1e-9)
    assert not fmpy.validation.validate_fmu(str(path))
    wanted = mbs.simulate(m, 0.5, output_interval=0.1, parameters={"left.angle": 0.6}, rtol=1e-10)
    columns = ["left.arm.phi", "left.filter", "right.arm.phi"]
    for kind in ("CoSimulation", "ModelExchange"):
        actual = fmpy.simulate_fmu(
            str(path), stop_time=0.5, output_interval=0.1, fmi_type=kind, start_values={"left.angle": 0.6},
            output=columns, relative_tolerance=1e-9,
        )  # fmt: skip
        assert actual["left.arm.phi"][0] == 0.6 and actual["right.arm.phi"][0] == 0.3
        for column in columns:
            at = [int(np.argmin(np.abs(actual["time"] - t))) for t in wanted.time]
            assert np.abs(actual[column][at] - wanted[column]).max() < 1e-6, (kind, column)
