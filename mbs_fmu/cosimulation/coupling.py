"""Communication steps of coupled FMUs: with held, extrapolated, or iterated values of their inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from ..infrastructure.arguments import is_one_of, positive
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.failures import display
from ..run.errors import SimulationError
from .description import Description
from .order import Link, Move, Plan, label
from .participant import Participant

Coupling = Literal["hold", "extrapolate", "iterate", "exchange"]
METHODS = ("rk4", "dopri5")  #: of model exchange
MOST_REPEATS = 20  #: of a step
CLOSE = 1e-9  #: largest difference between the values at the end of a step and those assumed, relative to the values
NEAR = 1e-6  #: the same where repetition improves it no more, since FMUs integrate with errors of this size
SHIFT = 1e-4  #: of values, relative to their size, for derivatives by differences
FALL = 0.25  #: of the difference from one repetition to the next, with which a Jacobian is kept
FLOOR = 1e-3  #: least size of a value, of its nominal value


class Bench:
    """Open participants, their exchange, and the values that they exchange at communication points.

    links: those of real numbers that change continuously, in the order of their values; sampled: the others, which are
    held in all couplings.
    """

    def __init__(self, participants: Mapping[str, Participant], plan: Plan):
        self.participants = [participants[name] for name in sorted(participants)]
        self._stages = plan.opened(participants)
        ends = [
            (link, place)
            for stage, links in zip(self._stages, plan.stages, strict=True)
            for link, place in zip(links, stage.places, strict=True)
        ]
        self.links = [link for link, _ in ends if link.is_continuous]
        self.sampled = [link for link, _ in ends if not link.is_continuous]
        self._places = [place for link, place in ends if link.is_continuous]
        self._sampled_places = [place for link, place in ends if not link.is_continuous]
        self._by_name = participants
        self.steps = 0  #: that the participants have made in all

    def exchange(self) -> None:
        """Pass all values, at a communication point."""
        for stage in self._stages:
            stage.run()

    def read(self) -> None:
        """Read all values without setting inputs, which have theirs already."""
        for stage in self._stages:
            stage.read()

    @property
    def values(self) -> list[float]:
        """The values of the links after an exchange."""
        return [buffer[k] for buffer, k in self._places]

    @property
    def sampled_values(self) -> list[Any]:
        """The values of the sampled links after an exchange."""
        return [buffer[k] for buffer, k in self._sampled_places]

    def inputs(self, links: Sequence[Link]) -> Callable[[Sequence[float]], None]:
        """Return a function that sets the inputs of links."""
        return Move(self._by_name, links).set

    def slopes(self, links: Sequence[Link]) -> Callable[[Sequence[float]], None]:
        """Return a function that sets the time derivatives of the inputs of links for the next step."""
        parts = []
        for p in self.participants:
            places = [k for k, link in enumerate(links) if link.target[0] == p.name]
            if places:
                parts.append((p.take_slopes([links[k].target[1].variable for k in places]), places))

        def set_slopes(values: Sequence[float]) -> None:
            for take, places in parts:
                take([values[k] for k in places])

        return set_slopes

    def step(self, time: float, size: float, participants: Sequence[Participant]) -> None:
        """Make a communication step of participants, s."""
        self.steps += len(participants)
        for p in participants:
            p.step(time, size)


class Hold:
    """Inputs keep their values of the step's beginning: order one."""

    def __init__(self, bench: Bench, size: float):
        self.bench, self.size = bench, size

    @property
    def statistics(self) -> Mapping[str, Any]:
        """Numbers of what the run took."""
        return {"element_steps": self.bench.steps}

    def step(self, time: float, before: list[float]) -> Sequence[float]:
        """Make a step from `time` (s) with the values `before`, and exchange.

        Returns the mean of each link's value over the step, as the participants had it.
        """
        self.bench.step(time, self.size, self.bench.participants)
        self.bench.exchange()
        return before


class Extrapolate(Hold):
    """Inputs go on along the line through their last two values: order two."""

    def __init__(self, bench: Bench, size: float):
        super().__init__(bench, size)
        self._slopes = bench.slopes(bench.links)
        self._none = [0.0] * len(bench.links)
        self._last: list[float] | None = None

    def step(self, time: float, before: list[float]) -> Sequence[float]:
        last = self._last or before
        slopes = [(b - a) / self.size for a, b in zip(last, before, strict=True)]
        self._slopes(slopes)
        self.bench.step(time, self.size, self.bench.participants)
        self._slopes(self._none)
        self.bench.exchange()
        self._last = before
        return [b + 0.5 * self.size * slope for b, slope in zip(before, slopes, strict=True)]


class Iterate(Hold):
    """Steps are repeated until the values at their end agree with those assumed: order two, and stable where others
    are not.

    Inputs are linear within the step. An FMU that takes no slopes makes two halves of the step, each with the mean of
    the linear values, or a whole one if its steps must not vary in size. The values at the end are found by Newton's
    method, whose Jacobian by differences serves many steps.
    """

    def __init__(self, bench: Bench, size: float):
        super().__init__(bench, size)
        names = np.array([link.target[0] for link in bench.links])
        linear = [p.name for p in bench.participants if p.description.interpolates]
        halved = [p for p in bench.participants if p.name not in linear and p.description.divides and p.name in names]
        self._is_linear = np.isin(names, linear)
        self._is_halved = np.isin(names, [p.name for p in halved])
        self._begins = np.where(self._is_linear, 0.0, np.where(self._is_halved, 0.25, 0.5))
        self._inputs = bench.inputs(bench.links)
        self._halved, self._others = halved, [p for p in bench.participants if p not in halved]
        self._later_inputs = bench.inputs([x for x, half in zip(bench.links, self._is_halved, strict=True) if half])
        self._slopes = bench.slopes([x for x, line in zip(bench.links, self._is_linear, strict=True) if line])
        self._solve: np.ndarray | None = None
        self._last: np.ndarray | None = None
        self._size = np.array([FLOOR * nominal(link) for link in bench.links])

    def step(self, time: float, before: list[float]) -> Sequence[float]:
        if not before:
            return super().step(time, before)
        for p in self.bench.participants:
            p.save()
        start = np.array(before)
        self._size = np.maximum(self._size, np.abs(start))
        guess = start if self._last is None else 2.0 * start - self._last
        end = self._agreed(time, start, guess)
        self._last = start
        return list(0.5 * (start + end))

    def _agreed(self, time: float, start: np.ndarray, guess: np.ndarray) -> np.ndarray:
        """Repeat the step until the values at its end agree with those assumed, and return them."""
        best, waited = np.inf, 0
        for count in range(MOST_REPEATS):
            found = self._trial(time, start, guess, count > 0)
            rest = found - guess
            size = float(np.max(np.abs(rest) / np.maximum(self._size, np.abs(found))))
            if size <= CLOSE or size <= NEAR and waited > 1:
                return found
            if not np.isfinite(size):
                break
            waited = waited + 1 if size > FALL * best else 0
            best = min(best, size)
            if self._solve is None or waited == 2:
                self._solve, waited = self._inverse(time, start, guess, found), 0
            guess = guess + self._solve @ rest
        worst = int(np.argmax(np.abs(rest) / np.maximum(self._size, np.abs(found))))
        unit = self.bench.links[worst].target[1].variable.unit or ""
        source = label(self.bench.links[worst].source)
        raise SimulationError(
            f"the values at the end of the step from {time:.6g} s do not agree: {source!r} differs by "
            f"{abs(rest[worst]):.2g} {unit} after {count + 1} repetitions; use steps shorter than {self.size:g} s"
        )

    def _trial(self, time: float, start: np.ndarray, end: np.ndarray, is_again: bool) -> np.ndarray:
        """Make the step with inputs that go to the values `end`, exchange, and return the values found there."""
        if is_again:
            for p in self.bench.participants:
                p.restore()
        rise = end - start
        self._inputs((start + self._begins * rise).tolist())
        self._slopes((rise[self._is_linear] / self.size).tolist())
        self.bench.step(time, self.size, self._others)
        if self._halved:
            half = 0.5 * self.size
            self.bench.step(time, half, self._halved)
            self._later_inputs((start + 0.75 * rise)[self._is_halved].tolist())
            self.bench.step(time + half, half, self._halved)
        self._slopes([0.0] * int(np.count_nonzero(self._is_linear)))
        self.bench.exchange()
        return np.array(self.bench.values)

    def _inverse(self, time: float, start: np.ndarray, end: np.ndarray, found: np.ndarray) -> np.ndarray:
        """Return the inverse of 1 - d(values found)/d(values assumed)."""
        columns = []
        for k, size in enumerate(SHIFT * self._size):
            shifted = end.copy()
            shifted[k] += size
            rise = (self._trial(time, start, shifted, True) - found) / (shifted[k] - end[k])
            columns.append(rise * self._size[k] / self._size)
        relative = np.linalg.pinv(np.eye(len(end)) - np.stack(columns, axis=1))
        return np.asarray(self._size[:, None] * relative / self._size)


def nominal(link: Link) -> float:
    """Return the larger nominal value of a link's ends, in the unit of its input."""
    return max(abs(link.factor) * link.source[1].variable.nominal, link.target[1].variable.nominal)


def check_coupling(coupling: str, descriptions: Mapping[str, Description], links: Sequence[Link]) -> None:
    """Raise ArgumentError if the elements cannot be coupled so, or if there is no such coupling."""
    if not is_one_of(coupling, get_args(Coupling)):
        raise ArgumentError(f"coupling is {display(coupling)}: use {', '.join(map(repr, get_args(Coupling)))}")
    reason, export = obstacle(coupling, descriptions, links)
    if reason:
        possible = " or ".join(map(repr, possible_couplings(descriptions, links)))
        remedies = [text for text in (f"use coupling={possible}" if possible else "", export) if text]
        raise ArgumentError(f"{reason}: {', or '.join(remedies) or 'no coupling is possible with these FMUs'}")


def possible_couplings(descriptions: Mapping[str, Description], links: Sequence[Link]) -> list[str]:
    """Return the couplings that all elements can do, the most accurate first."""
    return [x for x in reversed(get_args(Coupling)) if not obstacle(x, descriptions, links)[0]]


def obstacle(coupling: str, descriptions: Mapping[str, Description], links: Sequence[Link]) -> tuple[str, str]:
    """Return why elements cannot be coupled so, and how the FMU can be exported instead; empty texts for nothing."""
    for name, description in sorted(descriptions.items()):
        file = description.path.name
        if coupling == "exchange" and description.exchange is None:
            return f"{name!r} ({file}) has no model exchange", "export it so"
        if coupling != "exchange" and description.steps is None:
            return f"{file} is for model exchange only", "export it for both"
    following = {link.target[0] for link in links if link.is_continuous}
    unable = sorted(name for name in following if not descriptions[name].interpolates)
    if coupling == "extrapolate" and unable:
        return f"{unable[0]!r} takes no slopes of inputs", "export it as FMI 2.0" * (
            descriptions[unable[0]].version == 3
        )
    stuck = sorted(name for name, description in descriptions.items() if not description.saves)
    if coupling == "iterate" and stuck:
        return f"{stuck[0]!r} ({descriptions[stuck[0]].path.name}) cannot save its state", ""
    return "", ""


def check_method(coupling: str, method: str, rtol: float | None) -> None:
    """Raise ArgumentError for a method of integration that the coupling does not have, or an unusable tolerance."""
    if not is_one_of(method, METHODS):
        raise ArgumentError(f"method is {display(method)}: use {' or '.join(map(repr, METHODS))}")
    if coupling != "exchange" and (method != METHODS[0] or rtol is not None):
        raise ArgumentError(f"method and rtol are for coupling='exchange': in {coupling!r} each FMU has its own solver")
    if rtol is not None and (positive(rtol, "rtol") >= 1.0 or method != "dopri5"):
        raise ArgumentError(
            f"rtol is {rtol!r} with method {method!r}: error control needs method='dopri5' and rtol < 1"
        )
