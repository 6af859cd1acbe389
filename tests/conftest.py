"""Paths and markers shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import matplotlib
import pytest

from fmus import Builder
from mbs_fmu.codegen.loader import load_plain

matplotlib.use("Agg")
pytest_plugins = ("processor",)


@pytest.fixture(scope="session")
def reference_folder() -> Path:
    """Published results, where the environment says they are."""
    folder = os.environ.get("MBS_FMU_REFERENCE")
    if not folder or not Path(folder).is_dir():
        pytest.skip("MBS_FMU_REFERENCE does not name the folder of published results")
    return Path(folder)


@pytest.fixture(scope="session")
def fmu(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """FMUs by model and method, each built once."""
    return Builder(tmp_path_factory.mktemp("fmus"))


@pytest.fixture
def in_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever runs, runs the generated text as plain Python: nothing is compiled."""
    monkeypatch.setattr("mbs_fmu.run.runtime.load_kernels", load_plain)
