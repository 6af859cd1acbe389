"""Paths and markers shared by all tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

# Workers of pytest share the processor: threads of numpy's matrix library would wait for each other and triple the
# processor time of elastic bodies. The library reads this when numpy is imported; processes of tests inherit it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import matplotlib
import pytest

if TYPE_CHECKING:
    from support.hosts.fmus import Builder

matplotlib.use("Agg")
pytest.register_assert_rewrite("support")  # so that failures in helpers show values
pytest_plugins = ("support.plugins.processor_times", "support.plugins.sixths")


def pytest_configure(config: pytest.Config) -> None:
    """Leave slow and usual tests out of `-m quick`, although their file is quick; let Ctrl-C work in tests, and let
    processes that tests start cache the bytecode of the package.

    Shells start background jobs with Ctrl-C ignored, and these processes would inherit that. Without cached bytecode
    each of some hundred processes takes more time to read the package than for its test.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.option.markexpr == "quick":
        config.option.markexpr = "quick and not slow and not usual"


@pytest.fixture(scope="session")
def reference_folder() -> Path:
    """Folder of published results, from the environment variable MBS_FMU_REFERENCE."""
    folder = os.environ.get("MBS_FMU_REFERENCE")
    if not folder or not Path(folder).is_dir():
        pytest.skip("MBS_FMU_REFERENCE does not name the folder of published results")
    return Path(folder)


@pytest.fixture(scope="session")
def fmu(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """FMUs by model and method, each built once."""
    from support.hosts.fmus import Builder

    return Builder(tmp_path_factory.mktemp("fmus"))


@pytest.fixture
def in_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the generated text as plain Python; nothing is compiled."""
    monkeypatch.setattr("mbs_fmu.codegen.engines.DEFAULT", "python")


@pytest.fixture
def plain_by_default(request: pytest.FixtureRequest) -> None:
    """For whole files: default tests run as plain Python, slow ones and those that request `jitted` compiled."""
    if request.node.get_closest_marker("slow") is None and "jitted" not in request.fixturenames:
        request.getfixturevalue("in_plain_python")


@pytest.fixture
def jitted() -> None:
    """Compile, in a file of `plain_by_default`, a test that plain Python cannot run or runs too slowly."""
