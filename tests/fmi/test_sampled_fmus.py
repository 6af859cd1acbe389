"""FMUs with sampled signals and resets: digital controllers, in all the ways in which they are run."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from fmus import METHODS, Builder, Host
from mbs_fmu.demo import OUTPUTS, SET_POINT, couple
from mbs_fmu.run.bundled import bundled_model

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
KINDS = ["python", pytest.param("native", marks=[native, pytest.mark.slow])]
PERIOD = 0.01
COUNT = 300


def by_hand(plant: Path) -> np.ndarray:
    """The governor with a digital PI regulator in numpy, one sample late: speed and torque at every sample."""
    k, k_i, limit = 0.5, 0.4, 2.0
    integral = command = 0.0
    rows = []
    with Host(plant) as host:
        host.start({"torque": 0.0})
        for _ in range(COUNT):
            (speed,) = host.get("speed")
            host.set({"torque": command})
            error = SET_POINT - speed
            wanted = k * error + k_i * integral
            command = float(np.clip(wanted, -limit, limit))
            integral = integral + PERIOD * (error + (command - wanted) / k)
            host.step(PERIOD)
            rows.append([*host.get(*OUTPUTS), command])
    return np.array(rows)


@pytest.mark.parametrize("kind", KINDS)
def test_a_digital_regulator_is_the_same_everywhere(fmu: Builder, kind: str) -> None:
    """In one model, as two FMUs, and in numpy: the same numbers at every sample, the command one sample late."""
    plant, controller = (fmu(model, "rk4", kind) for model in ("governor", "digital_regulator"))
    wanted = by_hand(plant)
    run = couple(plant, controller, PERIOD, "jacobi", stop=COUNT * PERIOD)
    two = np.column_stack([*(run[f"governor.{name}"] for name in OUTPUTS), run["regulator.torque"]])[1:]
    one = mbs.simulate(
        bundled_model("governor", "digitally_governed"), COUNT * PERIOD, output_interval=PERIOD, **METHODS["rk4"]
    )
    together = np.column_stack([*(one[name] for name in OUTPUTS)])[1:]
    size = np.abs(wanted).max()
    assert np.ptp(wanted[:, -1]) > 1.0 and wanted[:, -1].max() == 2.0  # at the limit for a while
    assert np.abs(two - wanted).max() < 1e-12 * size
    assert np.abs(together - wanted[:, :-1]).max() < 1e-12 * size
    assert np.abs(one["command"][2:] - wanted[1:, -1]).max() < 1e-12 * size
    assert np.abs(one["late"][2:] - one["command"][1:-1]).max() == 0.0
