"""Quarter cars on roads of files and on rough roads: native FMUs, and gradients of runs across obstacles with cams."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.generators.crg_files import CrgFile
from support.hosts.fmus import Host
from support.models.tyres import quarter_car

pytestmark = pytest.mark.slow

CAMS = mbs.Cams(length=0.46, height=0.30, order=1.52, distance=0.11, width=0.2)  # m
TICK = 1 / 128  #: s, a communication step whose multiples are exact
STEP = TICK / 8
PLANK = """[UNITS]
LENGTH = 'mm'
[MODEL]
METHOD = '2D'
ROAD_TYPE = 'plank'
[PARAMETERS]
START = 500
LENGTH = 50
HEIGHT = 20
"""


def measured(folder: Path) -> dict[str, Any]:
    """Return a road of an OpenCRG file: a bend of 50 m radius with bumps, and a step of 1 cm across it."""
    rows = 81
    bumps = 2e-3 * np.random.default_rng(5).normal(size=(rows, 5))
    bumps[40:] += 0.01
    channels = [("reference line phi,rad", np.linspace(0.0, 0.16, rows))]
    channels += [(f"long section at v = {v},m", bumps[:, k]) for k, v in enumerate((-1.5, -0.5, 0.0, 0.5, 1.5))]
    size = {"START_U": -3.0, "END_U": 5.0, "INCREMENT": 0.1, "START_X": -3.0}
    file = CrgFile({f"REFERENCE_LINE_{name}": value for name, value in size.items()}, channels)
    return {"road": mbs.CurvedGrid.from_crg(file.write(folder / "road.crg", "KRBI")), "envelope": CAMS}


def cleat(folder: Path) -> dict[str, Any]:
    """Return a plank of a road data file."""
    path = folder / "plank.rdf"
    path.write_text(PLANK, encoding="utf-8")
    return {"road": mbs.Profile.from_rdf(path), "envelope": CAMS}


def rough(folder: Path) -> dict[str, Any]:
    """Return a rough road, from x = -5 m on."""
    return {"road": mbs.Profile.rough("C", length=20.0, band=(0.5, 20.0), seed=3, at=(-5, 0, 0)), "envelope": CAMS}


ROADS = [measured, cleat, rough]


@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
@pytest.mark.parametrize("road", ROADS)
def test_native_fmus_on_roads_have_the_bits_of_simulate(road: Callable[[Path], dict[str, Any]], tmp_path: Path) -> None:
    """All columns at all communication points."""
    m, stop = quarter_car(**road(tmp_path)), 0.375
    path = mbs.export(
        m, tmp_path / "quarter.fmu", "native", method="rk4", step=STEP, stop_time=stop, communication_step=TICK,
        platforms="host",
    )  # fmt: skip
    result = mbs.simulate(m, stop, method="rk4", step=STEP, output_interval=TICK)
    names = [name for name in result.columns if name != "time"]
    with Host(path) as host:
        host.start()
        for row in range(1, len(result["time"])):
            host.step(TICK)
            values = host.slave.getReal([host.references[name] for name in names])
            assert np.array_equal(values, [result[name][row] for name in names]), result["time"][row]
    assert np.ptp(result["wheel.fz"]) > 500.0


@pytest.mark.parametrize("road", ROADS)
def test_gradients_of_runs_across_obstacles_equal_differences(
    road: Callable[[Path], dict[str, Any]], tmp_path: Path
) -> None:
    """Of the last states by all states at the start and by the scale of the heights."""
    m = quarter_car(**road(tmp_path), scale=mbs.signal("scale"))
    m.parameter("scale", 1.0)
    run = mbs.rollout(m, STEP, 320, ["scale"])
    trajectory, vjp = run.vjp()
    weights = np.zeros_like(trajectory.x), np.zeros_like(trajectory.y)
    weights[0][-1] = np.random.default_rng(0).normal(size=weights[0].shape[1])
    found = vjp(*weights)
    for name, start, gradient in (("x", run.x0, found.x), ("p", run.p0, found.p)):
        for k, h in enumerate(1e-6 * np.eye(len(start))):
            ends = [float(weights[0][-1] @ run(**{name: start + sign * h}).x[-1]) for sign in (1, -1)]
            assert gradient[k] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-4, abs=1e-4), (name, k)
    assert np.abs(found.p).max() > 1e-3
