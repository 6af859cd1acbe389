"""Calls of importers to which FMUs answered wrongly before, each in FMI 2.0 and 3.0."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fmpy.fmi1 import FMICallException

from support.hosts.fmus import Builder, Host
from support.hosts.native_instances import TICK, guest

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow

NO_VARIABLE = 999_999


class Two:
    """An instance of FMI 2.0 without logging."""

    def __init__(self, host: Host):
        self.host = host

    @property
    def messages(self) -> list[str]:
        return [text for _, _, text in self.host.log]

    def begin(self, start: float, stop: float | None) -> None:
        self.host.slave.setupExperiment(startTime=start, stopTime=stop)
        self.host.slave.enterInitializationMode()
        self.host.slave.exitInitializationMode()

    def read(self, reference: int) -> None:
        self.host.slave.getReal([reference])

    def write(self, reference: int) -> None:
        self.host.slave.setReal([reference], [1.0])

    def calls(self) -> dict[str, Callable[[], object]]:
        """Calls that fail, by what is wrong with them."""
        return {
            "no variable": lambda: self.read(NO_VARIABLE),
            "an output is set": lambda: self.write(self.host.references["energy"]),
            "wrong phase": self.host.slave.exitInitializationMode,
            "another time": lambda: self.host.slave.doStep(5.0, TICK),
        }

    def step(self, size: float) -> None:
        self.host.slave.doStep(0.0, size)


class Three(Two):
    """An instance of FMI 3.0 without logging."""

    @property
    def messages(self) -> list[str]:
        told: list[str] = self.host.messages  # type: ignore[assignment]
        return [text for text in told if " starts at " not in text]  # news, of which logging is on

    def begin(self, start: float, stop: float | None) -> None:
        self.host.slave.enterInitializationMode(startTime=start, stopTime=stop)
        self.host.slave.exitInitializationMode()

    def read(self, reference: int) -> None:
        self.host.slave.getFloat64([reference])

    def write(self, reference: int) -> None:
        self.host.slave.setFloat64([reference], [1.0])


@contextlib.contextmanager
def instance(fmu: Builder, fmi: str, logging: bool = False) -> Iterator[Two]:
    path: Path = fmu("governor", "rk4", "native", fmi)
    if fmi == "2.0":
        with Host(path, logging=logging) as host:
            yield Two(host)
    else:
        with guest(path, logging=logging) as made:
            yield Three(made)  # type: ignore[arg-type]


BOTH = pytest.mark.parametrize("fmi", ["2.0", "3.0"])


@BOTH
def test_each_error_is_logged_once_though_logging_is_off(fmu: Builder, fmi: str) -> None:
    """FMI 3.0.3 demands the message of an error; a discarded step has none, since importers try many."""
    with instance(fmu, fmi) as x:
        x.begin(0.0, None)
        for what, call in x.calls().items():
            before = len(x.messages)
            with pytest.raises(FMICallException):
                call()
            assert len(x.messages) == before + 1 and x.messages[-1], what


@BOTH
@pytest.mark.parametrize("stop", [-1.0, -1e300, math.nan, -math.inf])
def test_a_stop_time_before_the_start_is_ignored(fmu: Builder, fmi: str, stop: float) -> None:
    """Some importers give -1 or a large negative number in place of none; a warning names both times."""
    with instance(fmu, fmi, logging=True) as x:
        x.begin(0.0, stop)
        (message,) = x.messages
        assert message.endswith("lies before the start time 0 s: ignored")
        x.step(TICK)


@BOTH
@pytest.mark.parametrize("stop", [None, 0.0, math.inf, 1e-9])
def test_stop_times_do_not_bound_steps(fmu: Builder, fmi: str, stop: float | None) -> None:
    """Importers round the stop time: a step beyond it is made, without a message."""
    with instance(fmu, fmi, logging=True) as x:
        x.begin(0.0, stop)
        x.step(TICK)
        assert not x.messages
