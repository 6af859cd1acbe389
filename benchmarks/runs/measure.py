"""Points of all programs on a system: markers at the end and processor times, asked in turn."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ..report import Unavailable, progress
from .data import Setting, System
from .programs import OURS, START, Worker

LIMIT = 0.4  #: s of processor time after which a method's finer settings are left out
CAP = 15.0  #: s of wall time of a run, after which its process is ended
LONG = 0.1  #: s; longer runs are timed in a single round
NUMBERS = re.compile(r"\d+\.\d+\S*")  #: in messages that differ by them only
BRIEF = 1e-6  #: share of a system's time in the shortest run


@dataclass
class Point:
    """A setting of a program, its markers, m, and its times in the rounds, s."""

    program: str
    setting: Setting
    markers: list[float]
    note: str
    cpu: list[float] = field(default_factory=list)

    def time(self, turn: int) -> float:
        """Time in a round; runs that are timed once have the same one in all."""
        return self.cpu[min(turn, len(self.cpu) - 1)]

    def to_json(self) -> dict[str, Any]:
        return {**self.__dict__, "setting": self.setting.to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Point:
        return cls(**{**data, "setting": Setting(**data["setting"])})


@dataclass
class Measured:
    """All that is known of a system: points, energies at the start, shortest calls, and what is left out and why."""

    system: System
    points: list[Point]
    energies: dict[str, float]
    floors: dict[str, float]  #: s of processor time
    missing: dict[str, str]
    versions: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        points = [point.to_json() for point in self.points]
        return {**self.__dict__, "system": self.system.to_json(), "points": points}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Measured:
        points = [Point.from_json(item) for item in data["points"]]
        return cls(**{**data, "system": System.from_json(data["system"]), "points": points})


def measured(system: System, workers: dict[str, Worker], rounds: int) -> Measured:
    """Ask all programs for all settings, then repeat the short ones in rounds."""
    began = time.time()
    found = Measured(system, [], {}, {}, {}, {name: worker.version for name, worker in workers.items()})
    for name, worker in workers.items():
        try:
            settings = worker.load(system)
            found.points += explored(worker, settings, found)
        except Unavailable as reason:
            found.missing[name] = str(reason)
    progress(f"{system.name}: {len(found.points)} points, {time.time() - began:.0f} s")
    for turn in range(rounds):
        for point in in_turn(found.points, turn):
            if not point.cpu or (turn and point.cpu[0] < LONG):
                _repeat(workers[point.program], point, found)
    progress(f"{system.name}: done, {time.time() - began:.0f} s")
    return found


def in_turn(points: list[Point], turn: int) -> list[Point]:
    """Points such that programs take turns, settings of equal fineness one after the other; backwards in odd turns."""
    asked: Counter[str] = Counter()
    order = []
    for point in points:
        order.append((asked[point.program], point))
        asked[point.program] += 1
    order.sort(key=lambda pair: pair[0])
    return [point for _, point in order][:: -1 if turn % 2 else 1]


def explored(worker: Worker, settings: list[Setting], found: Measured) -> list[Point]:
    """A point for each setting, coarse to fine until a method takes too long.

    The times of these first runs, which compile, are kept only for those that take too long to be repeated.
    """
    points: list[Point] = []
    over: set[str] = set()
    problems: dict[str, list[str]] = {}
    for setting in settings:
        if setting.method in over:
            continue
        answer = _first(worker, setting, found)
        if "error" in answer:
            problems.setdefault(NUMBERS.sub("...", answer["error"]), []).append(setting.name)
            if answer.get("slow"):
                over.add(setting.method)
            continue
        long = answer["cpu"] > LIMIT + 2.0 * found.floors.get(worker.program, 0.0)
        points.append(
            Point(worker.program, setting, answer["markers"], answer["note"], [answer["cpu"]] if long else [])
        )
        if long:
            over.add(setting.method)
    if problems:
        reasons = (f"{', '.join(names)}: {problem}" for problem, names in problems.items())
        found.missing[worker.program] = "; ".join(reasons)
    return points


def _first(worker: Worker, setting: Setting, found: Measured) -> dict[str, Any]:
    """The answer to a setting's first run; also the energy and the shortest call of the program, if unknown.

    Raises Unavailable if the program cannot have the system.
    """
    built = worker.ask({"build": setting.to_json()}, START)
    if "unsupported" in built:
        raise Unavailable(built["unsupported"])
    if "error" in built:
        return built
    if worker.program not in found.floors:
        shortest = worker.run(setting, START, again=True, stop=BRIEF * found.system.stop)
        energy = worker.ask({"energy": setting.to_json()}, START)
        found.floors |= {worker.program: shortest["cpu"]} if "cpu" in shortest else {}
        found.energies |= {worker.program: energy["energy"]} if energy.get("energy") is not None else {}
    if worker.program == OURS:
        worker.run(setting, START)  # which compiles the method
    return worker.run(setting, CAP)


def _repeat(worker: Worker, point: Point, found: Measured) -> None:
    """Time a run once more; a point that has no time by then is dropped."""
    answer = worker.run(point.setting, 2.0 * CAP, again=True)
    if "cpu" in answer:
        point.cpu.append(answer["cpu"])
    elif not point.cpu:
        found.points.remove(point)
        found.missing[point.program] = f"{point.setting.name}, when it was repeated: {answer['error']}"
