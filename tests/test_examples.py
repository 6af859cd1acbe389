"""The examples run, and show what they say."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "co_sim_examples"


@pytest.mark.slow
def test_governor_speed_regulation(tmp_path: Path) -> None:
    """Both orders converge with order one, a step can be taken back, a controller written by hand fits in."""
    spec = importlib.util.spec_from_file_location("example", EXAMPLES / "governor_speed_regulation.py")
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    figures = example.main(tmp_path)
    assert figures["jacobi"] == pytest.approx(1.0, abs=0.15)
    assert figures["gauss-seidel"] == pytest.approx(1.0, abs=0.15)
    assert figures["taken back"] == 0.0
    assert figures["by hand"] <= 1e-12
    for name in ("governor_speed_regulation.csv", "governor_speed_regulation.png"):
        assert (tmp_path / name).stat().st_size > 1000
