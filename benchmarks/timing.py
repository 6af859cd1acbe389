"""Interleaved repeats: on a shared machine only medians and ratios within one run are meaningful."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

Run = Callable[[int], object]  #: makes a number of repetitions
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Effort:
    """Duration of a measurement: rounds over all contenders, and seconds of each batch of a round."""

    rounds: int
    batch: float

    @classmethod
    def of(cls, quick: bool) -> Effort:
        return cls(9, 0.002) if quick else cls(41, 0.005)


def clock() -> float:
    """Seconds of processor time of this thread, which excludes other processes; else of the wall clock."""
    fine = time.get_clock_info("thread_time").resolution < 1e-6
    return time.thread_time() if fine else time.perf_counter()


def interleaved(runs: Mapping[Key, Run], effort: Effort, clock: Callable[[], float] = clock) -> dict[Key, np.ndarray]:
    """Seconds per repetition of each contender, one number per round; contenders take turns in each round."""
    counts = {name: _calibrate(run, effort.batch, clock) for name, run in runs.items()}
    seconds: dict[Key, list[float]] = {name: [] for name in runs}
    order = list(runs)
    for _ in range(effort.rounds):
        for name in order:
            seconds[name].append(_seconds(runs[name], counts[name], clock) / counts[name])
        order.append(order.pop(0))
    return {name: np.array(values) for name, values in seconds.items()}


def calls(function: Callable[[], object]) -> Run:
    """Repetitions of a Python call."""

    def run(repetitions: int) -> None:
        for _ in range(repetitions):
            function()

    return run


def _seconds(run: Run, repetitions: int, clock: Callable[[], float]) -> float:
    start = clock()
    run(repetitions)
    return clock() - start


def _calibrate(run: Run, batch: float, clock: Callable[[], float]) -> int:
    """Number of repetitions that fill a batch, after a warm-up."""
    run(1)
    count = 1
    while (seconds := _seconds(run, count, clock)) < 0.2 * batch:
        count *= 4
    return max(1, round(count * batch / seconds))
