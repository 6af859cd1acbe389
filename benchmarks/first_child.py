"""Child process of the benchmark of first use: makes a user's calls and prints seconds as JSON.

It uses public names only, so that it runs on the package of another checkout.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import mbs_fmu as mbs

from .excavator import FORCES
from .named import MODELS

Result = TypeVar("Result")

STEP = 1e-3  #: s
AGAIN, LONGEST = 200, 0.5  #: largest number of repeated calls, and seconds of them
ONE_STEP = {"stop_time": STEP, "method": "rk4", "step": STEP, "output_interval": STEP}
LEGS = [f"leg{k}" for k in range(1, 7)]


@dataclass(frozen=True)
class Use:
    """A user's calls in order: `simulate`, then a function of the same model."""

    simulate: Mapping[str, Any] = field(default_factory=lambda: {"stop_time": 0.5})
    behind: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)

    def calls(self, model: mbs.Model) -> dict[str, Callable[[], object]]:
        """Calls by name. Inputs stay at zero."""
        inputs = dict.fromkeys(model.inputs, 0.0)
        made = {"simulate": lambda: mbs.simulate(model, inputs=inputs, progress=False, **self.simulate)}
        if self.behind:
            made[self.behind] = lambda: getattr(mbs, self.behind)(model, **self.given)
        return made


USES: Mapping[str, Use] = {
    "governor": Use(ONE_STEP, "linearize"),
    "universal-10": Use(ONE_STEP),
    "universal-50": Use(ONE_STEP),
    "tree-30": Use(ONE_STEP, "linearize"),
    "universal-1000": Use(ONE_STEP),
    "elastic boom, 8 modes": Use(ONE_STEP),
    "excavator": Use(behind="trim", given={"free": FORCES}),
    "four_bar": Use(behind="trim"),
    "stewart_platform": Use(behind="trim", given={"free": LEGS}),
    "planetary_gear": Use(behind="trim"),
    "solar_array": Use(behind="linearize"),
}


@dataclass
class Clock:
    """Wall time and processor time (including finished child processes) since the last lap, s.

    began: `time.time()` at the start of the process; the first lap counts from there, including imports.
    """

    began: float

    def __post_init__(self) -> None:
        self.last = {"computing": 0.0, "wall": self.began}

    def lap(self) -> dict[str, float]:
        """Both times, and begin the next lap."""
        now = self.now()
        seconds = {key: now[key] - self.last[key] for key in now}
        self.last = now
        return seconds

    def aside(self, work: Callable[[], Result]) -> Result:
        """Result of work whose time does not count."""
        before = self.now()
        result = work()
        self.last = {key: self.last[key] + seconds - before[key] for key, seconds in self.now().items()}
        return result

    @staticmethod
    def now() -> dict[str, float]:
        spent = os.times()
        return {"computing": time.process_time() + spent.children_user + spent.children_system, "wall": time.time()}


def use(name: str, began: float, repeat: bool) -> None:
    """Print the seconds of each call, by its name; `repeat`: those of a repeated call too."""
    clock = Clock(began)
    build = clock.aside(MODELS[name])
    calls = USES[name].calls(build())
    seconds = {}
    for call, run in calls.items():
        run()
        seconds[call] = clock.lap()
    if repeat:
        for call, run in calls.items():
            seconds[call]["again"] = again(run)
    print(json.dumps(seconds))


def again(run: Callable[[], object]) -> float:
    """Median seconds of a repeated call."""
    seconds: list[float] = []
    while len(seconds) < AGAIN and sum(seconds) < LONGEST:
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def export(name: str, began: float, platforms: str, versions: Sequence[str]) -> None:
    """Print the seconds of native exports in sequence, by FMI version."""
    clock = Clock(began)
    model = clock.aside(MODELS[name])()
    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        for fmi in versions:
            path = Path(folder) / f"exported_{fmi}.fmu"
            mbs.export(model, path, "native", fmi=fmi, platforms=platforms, progress=False)
            seconds[fmi] = clock.lap()
    print(json.dumps(seconds))
