"""Exceptions, whose messages name the thing, the value and the remedy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..analysis.fit import Fit
    from ..run.results.batches import BatchResult
    from ..run.results.results import Result
    from ..run.sweeps.results import SweepResult, SweepRuns


class Argument:
    """Reference to an argument in a message, in place of which the command line shows the corresponding option.

    name: of the argument. text: its form in Python, such as "step=" or 'fmi="3.0"', by default the name. value: value
    that the command line shows after the option.
    """

    def __init__(self, name: str, text: str | None = None, value: str = ""):
        self.name, self.text, self.value = name, text or name, value

    def __str__(self) -> str:
        return self.text


class ModelError(ValueError):
    """A model, or a value in it, is invalid. `parts` are the parts of the message: texts and `Argument`s."""

    def __init__(self, *parts: str | Argument):
        super().__init__("".join(map(str, parts)))
        self.parts = parts

    def worded(self, option: Callable[[Argument], str]) -> str:
        """Return the message with `option(argument)` in place of each argument."""
        return "".join(option(part) if isinstance(part, Argument) else part for part in self.parts)


class ArgumentError(ModelError):
    """An argument of a run or an export, or an option of the command line, is invalid."""


class CallError(ModelError, TypeError):
    """A function is called with unknown arguments or without required ones."""


class SimulationError(RuntimeError):
    """A run failed.

    `result` contains the rows before the failure, or the finished members of a sweep; it is None if there are none.
    """

    def __init__(self, message: str, result: Result | SweepResult | SweepRuns | None = None):
        super().__init__(message)
        self.result = result


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run. `result` contains the rows computed so far, or the best fit of `identify` so far."""

    def __init__(self, message: str, result: Result | BatchResult | SweepResult | SweepRuns | Fit | None = None):
        super().__init__(message)
        self.result = result


def one_line(error: BaseException) -> str:
    """Return type and text of an exception on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())
