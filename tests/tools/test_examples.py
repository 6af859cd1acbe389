"""The examples run and show what they claim."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from support.paths import ROOT

EXAMPLES = ROOT / "co_sim_examples"


def example(name: str) -> ModuleType:
    """Module of an example."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_governor_speed_regulation(tmp_path: Path) -> None:
    """Held inputs have order one, repeated steps order two, model exchange order four; a hand-written controller gives
    the same.
    """
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    figures = example("governor_speed_regulation").main(tmp_path)
    assert figures["hold"] == pytest.approx(1.0, abs=0.15)
    assert figures["iterate"] == pytest.approx(2.0, abs=0.15)
    assert figures["exchange"] == pytest.approx(4.0, abs=0.3)
    assert figures["by hand"] <= 1e-12
    names = ("governor_speed_regulation.csv", "governor_speed_regulation.png", "governor_coupling_errors.png")
    for name in names:
        assert (tmp_path / name).stat().st_size > 1000


@pytest.mark.slow
def test_drive_train(tmp_path: Path) -> None:
    """Error and energy that held torques create at a supplier's flange halve with the step."""
    figures = example("drive_train").main(tmp_path, shows_plot=True)
    for name, largest in (("error", 0.05), ("energy", 0.5)):
        assert np.diff(np.log2(figures[name])) == pytest.approx([-1.0, -1.0], abs=0.1)
        assert 0.0 < figures[name][-1] < largest
    assert (tmp_path / "drive_train.png").stat().st_size > 1000


@pytest.mark.slow
def test_solar_array_deployment(tmp_path: Path) -> None:
    """All latches engage, the digital controller turns the satellite back, and one model gives the same numbers."""
    figures = example("solar_array_deployment").main(tmp_path)
    assert figures["latched"] == pytest.approx(5.0, abs=0.11)
    assert 1.0 < figures["most"] < 15.0
    assert figures["left"] < 0.01
    assert figures["difference"] < 1e-12
    for name in ("solar_array_deployment.csv", "solar_array_deployment.png"):
        assert (tmp_path / name).stat().st_size > 1000


@pytest.mark.slow
def test_flexible_solar_array_deployment(tmp_path: Path) -> None:
    """Plates swing after the latches have engaged, and coupled FMUs give the numbers of one model."""
    module = example("solar_array_deployment")
    figures = module.main(tmp_path, module.FLEXIBLE, 8.0)
    assert figures["latched"] == pytest.approx(5.0, abs=0.11)
    assert 1.0 < figures["most"] < 15.0
    assert figures["difference"] < 1e-9


@pytest.mark.slow
def test_double_lane_change(tmp_path: Path) -> None:
    """The driver in one FMU keeps the car in the other within all gates, and one model gives nearly the same path."""
    figures = example("double_lane_change").main(tmp_path)
    assert figures["margin"] > 0.1
    assert figures["least load"] > 1000.0 and figures["speed"] > 21.0
    assert figures["difference"] < 0.05
    for name in ("double_lane_change.csv", "double_lane_change.png"):
        assert (tmp_path / name).stat().st_size > 1000


@pytest.mark.slow
def test_course(tmp_path: Path) -> None:
    """The driver in one FMU keeps the car in the other on a course read from a file, and brakes before its bends."""
    figures = example("course").main(tmp_path)
    assert figures["way"] > 450.0 and figures["deviation"] < 0.7
    assert figures["slowest"] == pytest.approx(10.0, abs=0.3) and figures["fastest"] == pytest.approx(20.0, abs=0.3)
    assert figures["least load"] > 1000.0
    assert figures["difference"] < 0.05
    for name in ("course.crg", "course.csv", "course.png"):
        assert (tmp_path / name).stat().st_size > 1000


@pytest.mark.slow
def test_trotting_quadruped(tmp_path: Path) -> None:
    """The controller in one FMU lets the robot in the other trot over bumps, and one model gives the same numbers."""
    figures = example("trotting_quadruped").main(tmp_path)
    assert figures["lowest"] > 0.25 and figures["tilt"] < 15.0
    assert figures["speed"] == pytest.approx(0.4, abs=0.05) and figures["way"] > 4.5
    assert 120 < figures["steps"] < 180
    assert figures["difference"] < 1e-9
    for name in ("trotting_quadruped.csv", "trotting_quadruped.png"):
        assert (tmp_path / name).stat().st_size > 1000


@pytest.mark.slow
def test_crane(tmp_path: Path) -> None:
    """The boom sags under its load; bounce and swing are damped; one model gives the same numbers."""
    figures = example("crane").main(tmp_path)
    assert figures["sag"] == pytest.approx(0.27, abs=0.01)
    for name in ("bounce", "swing"):
        assert figures[f"controlled {name}"] < 0.15 * figures[f"plain {name}"]
    assert figures["plain bounce"] > 0.1 and figures["plain swing"] > 0.5
    assert max(figures[f"{name} difference"] for name in ("plain", "controlled")) < 1e-11
    for name in ("crane.csv", "crane.png"):
        assert (tmp_path / name).stat().st_size > 1000


@pytest.mark.slow
def test_excavator(tmp_path: Path) -> None:
    """The two FMUs converge to the single model with order one, and with repeated steps with order two; the bucket
    digs; what the SSP package contains has the same bits.
    """
    figures = example("excavator").main(tmp_path)
    assert figures["hold"] == pytest.approx(1.0, abs=0.15)
    assert figures["iterate"] == pytest.approx(2.0, abs=0.15)
    assert figures["error"] < 1e-3  # m, of 3 m
    assert 0.6 < figures["deepest"] < 0.7 and 1.8e4 < figures["force"] < 2e4
    assert figures["package"] == 0.0  # m
    for name in ("excavator.csv", "excavator.png", "excavator.ssp"):
        assert (tmp_path / name).stat().st_size > 1000


@pytest.mark.slow
def test_slider_crank_engine(tmp_path: Path) -> None:
    """Held inputs have order one, the regulator holds the speed under load, the loop stays closed."""
    figures = example("slider_crank_engine").main(tmp_path)
    assert figures["hold"] == pytest.approx(1.0, abs=0.15)
    assert figures["iterate"] == pytest.approx(2.0, abs=0.3)
    assert figures["error"] < 0.5  # rad/s, of 7 by a power stroke at full throttle
    assert figures["before"] == pytest.approx(150.0, abs=1.0)
    assert figures["after"] == pytest.approx(150.0, abs=1.0)
    assert figures["residual"] < 1.01e-10  # m: steps that leave more than a hundredth of atol (1e-8) are projected
    for name in ("slider_crank_engine.csv", "slider_crank_engine.png"):
        assert (tmp_path / name).stat().st_size > 1000
