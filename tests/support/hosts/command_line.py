"""The command line for tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mbs_fmu.run.bundled import models_folder

GOVERNOR = f"{models_folder() / 'governor'}.py:governor"
GOVERNED = f"{models_folder() / 'governor'}.py:governed"
RUN = "from mbs_fmu.command_line.cli import main; main()"  #: the command as a separate process
FAILED, WRONG = 1, 2  #: exit codes: the model, FMU or run failed; the command line is wrong


@dataclass
class Outcome:
    """Exit code and both streams of a command."""

    code: int
    out: str
    err: str


Cli = Callable[..., Outcome]


def assert_one_line(outcome: Outcome, code: int, *named: str) -> None:
    """Assert the exit code and one line on standard error that contains all texts `named`."""
    lines = outcome.err.strip().splitlines()
    assert outcome.code == code, (outcome.out, outcome.err)
    assert len(lines) == 1, outcome.err
    assert lines[0].startswith("mbs-fmu: ")
    for text in named:
        assert text in lines[0], f"{text!r} is missing in {lines[0]!r}"
