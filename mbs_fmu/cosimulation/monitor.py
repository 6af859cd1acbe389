"""Watching of coupled runs: values that grow from step to step, and the energy that the coupling of flanges creates."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .coupling import nominal
from .order import Link, label

MOST = 1e6  #: times the nominal value and the first values, from which growth is looked for
KEPT, PARTS, LEAST = 30, 3, 1.05  #: steps that are looked at, their parts, growth of changes from part to part
SHARE = 0.05  #: of the energy that passes, from which a coupling's own energy is noted
LARGE = 100.0  #: times the usual size, from which growth counts as the reason of another failure
AGAIN = 1e3  #: times a large value that does not grow, at which growth is looked for again


class Growth:
    """Changes of the links' values over the last steps."""

    def __init__(self, links: Sequence[Link], first: Sequence[float]):
        self._links = links
        self._size = [max(nominal(link), abs(x)) for link, x in zip(links, first, strict=True)]
        self._bounds = [MOST * size for size in self._size]
        self._kept: deque[Sequence[float]] = deque([first], maxlen=KEPT + 1)

    def found(self, values: Sequence[float]) -> str:
        """Return the value that grows from step to step or is not finite, with its unit; "" if none does."""
        self._kept.append(values)
        if len(self._kept) == 2:  # the first step counts as usual too
            self._size = [max(size, abs(x)) for size, x in zip(self._size, values, strict=True)]
            self._bounds = [MOST * size for size in self._size]
        for k, (value, bound) in enumerate(zip(values, self._bounds, strict=True)):
            if not -bound <= value <= bound:
                if not math.isfinite(value) or self.is_growing():
                    return self._shown(k, value)
                self._bounds[k] = AGAIN * abs(value)
        return ""

    def is_large(self) -> bool:
        """True if a value is a large multiple of its usual size."""
        return any(abs(x) > LARGE * size for x, size in zip(self._kept[-1], self._size, strict=True))

    def largest(self) -> str:
        """Return the value that is the largest multiple of its usual size, with its unit."""
        values = self._kept[-1]
        k = max(range(len(values)), key=lambda k: abs(values[k]) / self._size[k])
        return self._shown(k, values[k])

    def _shown(self, k: int, value: float) -> str:
        """Return the source of a link with its value in its own unit."""
        link = self._links[k]
        own = (value - link.offset) / link.factor if link.factor else value
        return f"{label(link.source)!r} {own:.3g} {link.source[1].variable.unit or ''}".rstrip()

    def is_growing(self) -> bool:
        """True if the changes from step to step have grown over the steps that are kept."""
        rows = list(self._kept)
        changes = [
            max((abs(x - y) / size for x, y, size in zip(a, b, self._size, strict=True)), default=0.0)
            for a, b in pairwise(rows)
        ]
        width = len(changes) // PARTS
        if not width:
            return True
        parts = [max(changes[len(changes) - (k + 1) * width : len(changes) - k * width]) for k in range(PARTS)]
        return all(later > LEAST * earlier for later, earlier in pairwise(parts))


class Side(NamedTuple):
    """Numbers of the links that bring the torque (force) to a flange and take the velocity from it."""

    effort: int
    velocity: int


class Energy:
    """The energy that the coupling creates at pairs of flanges, J: the work of the efforts that the elements had within
    steps, less that of the means of the efforts at both ends.
    """

    def __init__(self, pairs: dict[str, list[Side]], size: float):
        self._pairs, self._size = pairs, size
        self.created = dict.fromkeys(pairs, 0.0)
        self._passed = {name: np.zeros((2, len(sides))) for name, sides in pairs.items()}  #: least, greatest
        self._sums = {name: np.zeros(len(sides)) for name, sides in pairs.items()}  #: energy since the start by flange

    def add(self, before: Sequence[float], mean: Sequence[float], after: Sequence[float]) -> None:
        """Add the energy of a step: the links' values before it, their mean in it, and their values after it."""
        for name, sides in self._pairs.items():
            for k, (effort, velocity) in enumerate(sides):
                excess = mean[effort] - 0.5 * (before[effort] + after[effort])
                path = 0.5 * (before[velocity] + after[velocity]) * self._size
                self.created[name] += float(excess * path)
                self._sums[name][k] += mean[effort] * path
            least, greatest = self._passed[name]
            np.minimum(least, self._sums[name], out=least)
            np.maximum(greatest, self._sums[name], out=greatest)

    def notes(self) -> Iterator[str]:
        """Yield a note for each pair at which the coupling created a large share of the energy that passed.

        That is the difference between the greatest and the least energy that has passed since the start, so that an
        energy which goes back and forth counts once.
        """
        for name, created in self.created.items():
            least, greatest = self._passed[name]
            passed = float((greatest - least).max())
            if abs(created) > SHARE * passed:
                yield (
                    f"the coupling {'created' if created > 0 else 'took'} {abs(created):.3g} J at {name}, where "
                    f"{passed:.3g} J passed: the step is too long; shorten it, or use coupling='iterate'"
                )
