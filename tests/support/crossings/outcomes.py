"""Cases of runs with crossings: a model, its expected log and rows, and their comparison with a result."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

import mbs_fmu as mbs

from ..comparisons import assert_close
from .ways import STEP, Way

ROUNDING = 1e-9  #: error of times (s) and numbers of motions that every method integrates exactly
INSTANT = 1e-7  #: entries of one instant differ by less, s; those of others in these cases by more


@dataclass(frozen=True)
class Entry:
    """An entry of a log: time, s; round; kind; name; lost energy, J."""

    time: float
    n: int
    kind: str
    name: str
    lost: float = 0.0

    def __str__(self) -> str:
        return f"{self.name}.{self.n} ({self.kind})"


Line = tuple[float, int, str, str] | tuple[float, int, str, str, float]


@dataclass(frozen=True)
class Case:
    """A run and its outcome.

    model: a function that returns the model. stop, interval: s. log: the entries of the `kinds`, in superdense order;
    None: any. rows: columns by time, s. ends: time of the last row, s, by default the stop. lost: energy that the modes
    of a name lose in all, J. smooth: the motion has the method's error, not only rounding. within: another bound of the
    error of times and numbers, for all methods. refused: what the message of the failed run contains, and its time, s.
    step: fixed step, s. run: further arguments of `simulate`.
    """

    name: str
    model: Callable[[], mbs.Model]
    stop: float
    log: Sequence[Line] | None = None
    rows: Mapping[float, Mapping[str, float]] = field(default_factory=dict)
    interval: float = 0.25
    ends: float | None = None
    kinds: tuple[str, ...] = ("event", "stop", "reset", "mode", "sample")
    lost: Mapping[str, float] | None = None
    smooth: bool = False
    within: float | None = None
    refused: tuple[str, float] | None = None
    step: float = STEP
    run: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name

    def error(self, way: Way) -> float:
        """Bound of the error of times and numbers."""
        return self.within if self.within is not None else way.error if self.smooth else ROUNDING

    def result(self, way: Way) -> mbs.Result:
        """Run the case in a way."""
        options = {"output_interval": self.interval, **way.options(self.step), **self.run}
        return mbs.simulate(self.model(), self.stop, **options)

    def check(self, way: Way) -> None:
        """Run the case in a way and assert its outcome."""
        __tracebackhide__ = True
        if self.refused is not None:
            thing, time = self.refused
            with pytest.raises(mbs.SimulationError, match=f"(?s){re.escape(thing)}.*(without end|endless)") as failure:
                self.result(way)
            named = re.search(r"at t = ([-+.e\d]+\d)", str(failure.value))
            assert named, f"the message names no time: {failure.value}"
            assert_close(float(named[1]), time, 1e-3, f"time of the refusal, s, of {self.name}")
            return
        result = self.result(way)
        bound = self.error(way)
        assert_close(result.time[-1], self.stop if self.ends is None else self.ends, bound, "time of the last row, s")
        for time, columns in self.rows.items():
            for name, value in columns.items():
                error = bound * max(1.0, abs(value))
                assert_close(column_at(result, name, time), value, error, f"{name} at {time:g} s")
        if self.log is not None:
            assert_log(entries(result, self.kinds), [Entry(*line) for line in self.log], bound)
        for name, lost in (self.lost or {}).items():
            total = sum(entry.lost for entry in entries(result, ("mode",)) if entry.name == name)
            assert_close(total, lost, 1e-9 * max(1.0, lost), f"energy lost by {name}, J")


def column_at(result: mbs.Result, name: str, time: float) -> float:
    """Number of a column in the row nearest to a time, s."""
    return float(result[name][abs(result.time - time).argmin()])


def entries(result: mbs.Result, kinds: Sequence[str] = ("event", "stop", "reset", "mode", "sample")) -> list[Entry]:
    """Entries of a result's log of these kinds; asserts that they are in superdense order."""
    log = getattr(result, "log", None)
    assert log is not None, "the result has no log"
    found = [Entry(float(e["time"]), int(e["n"]), str(e["kind"]), str(e["name"]), float(e["lost"])) for e in log]
    for one, other in itertools.pairwise(found):
        assert (one.time, one.n) <= (other.time, other.n), f"{other} at {other.time} s follows {one} at {one.time} s"
    return [entry for entry in found if entry.kind in kinds]


def by_rounds(log: Sequence[Entry]) -> list[Entry]:
    """A log whose entries of one round are sorted by kind and name; it is in superdense order."""
    rounds: list[list[Entry]] = []
    for entry in log:
        last = rounds[-1][-1] if rounds else None
        if last is None or entry.n != last.n or entry.time - last.time > INSTANT:
            rounds.append([])
        rounds[-1].append(entry)
    return [entry for one in rounds for entry in sorted(one, key=lambda e: (e.kind, e.name))]


def assert_log(actual: Sequence[Entry], expected: Sequence[Entry], bound: float = ROUNDING) -> None:
    """Assert that a log has the expected entries, whatever their order within a round."""
    __tracebackhide__ = True
    found, wanted = by_rounds(actual), by_rounds(expected)
    assert list(map(str, found)) == list(map(str, wanted)), "entries of the log"
    for one, other in zip(found, wanted, strict=True):
        assert_close(one.time, other.time, bound, f"time of {other}, s")
        assert_close(one.lost, other.lost, bound * max(1.0, abs(other.lost)), f"energy lost by {other}, J")
