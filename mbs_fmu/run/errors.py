"""Exceptions that end runs, with the results up to then."""

from __future__ import annotations

from typing import Any


class SimulationError(RuntimeError):
    """A run failed.

    `result` contains the rows before the failure (a `Result`), or the finished members of a sweep (a `SweepResult` or
    `SweepRuns`); it is None if there are none.
    """

    def __init__(self, message: str, result: Any = None):
        super().__init__(message)
        self.result = result


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run.

    `result` contains the rows computed so far (a `Result` or `BatchResult`), the finished members of a sweep, or the
    best `Fit` of `identify` so far; it is None if there are none.
    """

    def __init__(self, message: str, result: Any = None):
        super().__init__(message)
        self.result = result
