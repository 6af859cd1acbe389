"""Reference solutions, errors, and times at equal error."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .data import Setting
from .measure import Measured, Point
from .programs import OURS

TINY = 1e-16  #: m, in place of no error at all


@dataclass
class Reference:
    """Places of the markers that errors are measured from.

    `programs` are the two whose finest runs agree best, within `difference` m, or the one that has a law alone; then
    the difference is that from the closest of its other runs.
    """

    markers: np.ndarray
    programs: tuple[str, ...]
    difference: float
    alone: Point | None  #: the run that is the reference of a single program


def distance(a: Sequence[float] | np.ndarray, b: Sequence[float] | np.ndarray) -> float:
    """Largest distance of two markers, m; infinite where a place is no finite number."""
    apart = np.linalg.norm(np.reshape(a, (-1, 3)) - np.reshape(b, (-1, 3)), axis=1)
    return float(apart.max()) if np.isfinite(apart).all() else float("inf")


def by_law(points: Iterable[Point]) -> dict[str, list[Point]]:
    """Points whose motions are the same up to errors."""
    laws: dict[str, list[Point]] = {}
    for point in points:
        laws.setdefault(point.setting.law, []).append(point)
    return laws


def reference(points: Sequence[Point]) -> Reference:
    """The mean of the finest runs of two programs that agree best, of points with one law; else that of one program."""
    every = [curve[-1] for curve in by_method(points).values()]
    ends = [end for end in every if end.setting.reference] or every
    pairs = [(a, b) for a, b in itertools.combinations(ends, 2) if a.program != b.program]
    if pairs:
        a, b = min(pairs, key=lambda pair: distance(pair[0].markers, pair[1].markers))
        mean = np.mean([a.markers, b.markers], axis=0)
        return Reference(mean, (a.program, b.program), distance(a.markers, b.markers), None)
    alone = ends[0]
    others = [distance(alone.markers, point.markers) for point in points if point is not alone]
    return Reference(np.array(alone.markers), (alone.program,), min(others, default=0.0), alone)


def by_method(points: Iterable[Point]) -> dict[tuple[str, str], list[Point]]:
    """Points by program and method, coarse to fine."""
    curves: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        curves.setdefault((point.program, point.setting.method), []).append(point)
    return curves


@dataclass
class Comparison:
    """Errors of all points of a system, and times at equal error."""

    measured: Measured

    def __post_init__(self) -> None:
        self.references = {law: reference(points) for law, points in by_law(self.measured.points).items()}

    def error(self, point: Point) -> float:
        """Largest distance of a marker from the reference of the same law, m."""
        return distance(point.markers, self.references[point.setting.law].markers)

    def curves(self, program: str, law: str | None = None) -> list[list[Point]]:
        """Points of a program, those of each method, without references; of one law, or of all."""
        points = (p for p in self.measured.points if p.program == program and law in (None, p.setting.law))
        return list(by_method(p for p in points if p is not self.references[p.setting.law].alone).values())

    def laws(self, program: str) -> list[str]:
        """Laws of a program, in the order of its settings."""
        return list(by_law(point for point in self.measured.points if point.program == program))

    def time(self, program: str, level: float, turn: int, law: str | None = None) -> float | None:
        """Least time of all methods, s, to an error of `level`, in one round; None if none reaches it."""
        times = [self._of_curve(curve, level, turn) for curve in self.curves(program, law)]
        return min((time for time in times if time is not None), default=None)

    def _of_curve(self, curve: list[Point], level: float, turn: int) -> float | None:
        """Time of one method: between two settings, by interpolation in logarithms; or of one that is finer."""
        known = sorted((max(self.error(point), TINY), point.time(turn)) for point in curve)
        times = [time for error, time in known if error <= level]
        if not times:
            return None
        for (fine, long), (coarse, short) in itertools.pairwise(known):
            if fine <= level < coarse:
                share = np.log(coarse / level) / np.log(coarse / fine)
                times.append(float(np.exp(np.log(short) + share * np.log(long / short))))
        return min(times)

    @property
    def home(self) -> str | None:
        """The law of this package's first setting, with which others are compared."""
        return next(iter(self.laws(OURS)), None)

    def apart(self, law: str) -> list[float]:
        """Distances of a law's reference from those of this package's laws, m."""
        places = self.references[law].markers
        return [distance(places, self.references[own].markers) for own in self.laws(OURS)]

    @property
    def rounds(self) -> int:
        return max(len(point.cpu) for point in self.measured.points)

    def per_second(self, program: str, level: float, law: str | None = None) -> float | None:
        """A program's time per simulated second, s, the median over the rounds."""
        times = [self.time(program, level, turn, law) for turn in range(self.rounds)]
        known = [time for time in times if time is not None]
        return statistics.median(known) / self.measured.system.stop if known else None

    def factor(self, program: str, level: float, law: str | None = None) -> float | None:
        """The program's time over ours at equal error, the median of the ratios within the rounds."""
        ratios = []
        for turn in range(self.rounds):
            ours, theirs = self.time(OURS, level, turn, self.home), self.time(program, level, turn, law)
            if ours is None or theirs is None:
                return None
            ratios.append(theirs / ours)
        return statistics.median(ratios)

    def cheapest(self, program: str, level: float) -> Setting | None:
        """The setting with the least time among those with an error of at most `level`, m."""
        fine = [p for curve in self.curves(program) for p in curve if self.error(p) <= level]
        return min(fine, key=lambda p: statistics.median(p.cpu)).setting if fine else None

    def closest(self, program: str, law: str | None = None) -> float:
        """Least error of a program, m."""
        points = [point for curve in self.curves(program, law) for point in curve]
        return min(self.error(point) for point in points)
