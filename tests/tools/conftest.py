"""The command line in this process, and an FMU for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import mbs_fmu as mbs
from mbs_fmu.command_line.cli import main
from mbs_fmu.run.bundled import bundled_model
from support.hosts.command_line import Cli, Outcome


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run `mbs-fmu` with these arguments in this process; other exceptions than exit codes fail the test."""

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["mbs-fmu", *map(str, arguments)])
        capsys.readouterr()
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
            return Outcome(code, *capsys.readouterr())
        return Outcome(0, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def governor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A governor FMU with its reference result beside it."""
    path = tmp_path_factory.mktemp("cli") / "governor.fmu"
    model = bundled_model("governor", "governor")
    return mbs.export(model, path, method="rk4", step=1e-3, stop_time=1.0, communication_step=0.01)
