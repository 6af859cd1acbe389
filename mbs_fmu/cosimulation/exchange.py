"""Model exchange of all elements under one Runge-Kutta method, whose evaluations pass values between them."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from fmpy.fmi2 import FMU2Model, fmi2EventInfo
from fmpy.fmi3 import FMU3Model

from ..infrastructure.messages.names import listed
from ..integrate.methods.explicit import TABLEAUS, Tableau
from ..run.errors import SimulationError
from .coupling import Bench, Hold, nominal
from .description import Description
from .order import planned
from .participant import POINTER, REAL, SIZE, WARNING, Participant, Participant2, Participant3

MOST_ROUNDS = 100  #: of an event iteration
MOST_EVENTS = 1000  #: in a communication step: more do not end
GROWTH, SHRINKAGE, SAFETY = 5.0, 0.2, 0.9  #: of steps with error control
ABSOLUTE = 0.01  #: least size of a state, of its nominal value, for error control
AGREED = 1e-9  #: change of a value in a round, relative to it, that needs no other round
CLOSE = 1e-13  #: length of the interval in which an event is located, relative to the time and the step


class Exchanged(Participant):
    """An instance for model exchange: its states `x`, their rates `dx` and its event indicators `z`."""

    rates_word = "GetContinuousStateDerivatives"

    @property
    def identifier(self) -> str:
        return str(self.description.exchange)

    def _bind(self) -> None:
        self._terminate = self.accessor("Terminate", [POINTER])
        counts = (self.description.states,) * 3 + (self.description.indicators,)
        x, dx, nominals, z = ((ctypes.c_double * n)() for n in counts)
        self.x, self.dx, self.nominals, self.z = (np.ctypeslib.as_array(b) for b in (x, dx, nominals, z))
        calls = {
            "SetContinuousStates": x, "GetContinuousStates": x, self.rates_word: dx, "GetEventIndicators": z,
            "GetNominalsOfContinuousStates": nominals,
        }  # fmt: skip
        self._set_time = self.accessor("SetTime", [POINTER, REAL])
        self._calls = [
            (self.accessor(name, [POINTER, POINTER, SIZE]), buffer, len(buffer), name) for name, buffer in calls.items()
        ]
        self._completed = self.accessor("CompletedIntegratorStep", [POINTER, self.truth, POINTER, POINTER])
        self._enter_events = self.accessor("EnterEventMode", [POINTER])
        self._leave_events = self.accessor("EnterContinuousTimeMode", [POINTER])

    truth: Any = ctypes.c_bool  #: type of truths in C

    def _call(self, number: int) -> None:
        function, buffer, count, name = self._calls[number]
        if count:
            self._require(function(self.instance, buffer, count), f"{self.prefix}{name} failed")

    def _require(self, status: int, what: str) -> None:
        if status > WARNING:
            self.fail(what, status)

    def move(self, time: float, x: np.ndarray) -> None:
        """Set time (s) and states."""
        self.time = time
        self._require(self._set_time(self.instance, time), "it did not take the time")
        self.x[:] = x
        self._call(0)

    def read_states(self) -> None:
        """Read the states, into `x`."""
        self._call(1)

    def read_rates(self) -> None:
        """Compute the rates of the states, in `dx`."""
        self._call(2)

    def read_indicators(self) -> None:
        """Compute the event indicators, in `z`."""
        self._call(3)

    def read_nominals(self) -> None:
        """Read the nominal values of the states, into `nominals`."""
        self._call(4)

    def completed(self) -> bool:
        """Tell the FMU that a step is complete; true if it needs an event."""
        event, end = self.truth(), self.truth()
        status = self._completed(self.instance, self.truth(True), ctypes.byref(event), ctypes.byref(end))
        self._require(status, "it did not accept a step")
        if end.value:
            self.fail("it ended the run")
        return bool(event.value)

    def enter_events(self) -> None:
        """Enter event mode."""
        self._require(self._enter_events(self.instance), "it did not enter event mode")

    def leave_events(self) -> None:
        """Enter continuous-time mode."""
        self._require(self._leave_events(self.instance), "it did not leave event mode")

    def update(self) -> tuple[bool, float]:
        """Make a round of the event iteration: whether another one is needed, and the time of the next event (s)."""
        needed, ends, _, _, is_timed, time = self._updated()
        if ends:
            self.fail("it ended the run")
        return bool(needed), float(time) if is_timed else math.inf

    def _updated(self) -> tuple[Any, ...]:
        raise NotImplementedError


class Exchanged2(Exchanged, Participant2):
    """An instance of FMI 2.0 for model exchange."""

    library, rates_word, truth = FMU2Model, "GetDerivatives", ctypes.c_int

    def _updated(self) -> tuple[Any, ...]:
        info = fmi2EventInfo()
        self._check(lambda: self.slave.fmi2NewDiscreteStates(self.instance, ctypes.byref(info)), "its event failed")
        return (
            info.newDiscreteStatesNeeded, info.terminateSimulation, info.nominalsOfContinuousStatesChanged,
            info.valuesOfContinuousStatesChanged, info.nextEventTimeDefined, info.nextEventTime,
        )  # fmt: skip


class Exchanged3(Exchanged, Participant3):
    """An instance of FMI 3.0 for model exchange."""

    library = FMU3Model

    def _updated(self) -> tuple[Any, ...]:
        answers: list[tuple[Any, ...]] = []
        self._check(lambda: answers.append(self.slave.updateDiscreteStates()), "its event failed")
        return answers[0]


VERSIONS: dict[int, type[Exchanged]] = {2: Exchanged2, 3: Exchanged3}


def exchanged(name: str, description: Description) -> Exchanged:
    """Return an instance for model exchange that is not open yet."""
    return VERSIONS[description.version](name, description)


class Scheme:
    """Coefficients of a method as floats."""

    def __init__(self, tableau: Tableau):
        self.name, self.error_order = tableau.name, tableau.error_order
        self.a = [[float(x) for x in row] for row in tableau.a]
        self.c = [float(x) for x in tableau.c]
        self._b = [float(x) for x in tableau.b]
        self._error = [float(x) for x in tableau.error or ()]

    def rise(self, stages: Sequence[np.ndarray]) -> np.ndarray:
        """Return the mean rate over a step."""
        return np.tensordot(self._b, np.array(stages), 1)

    def error(self, stages: Sequence[np.ndarray]) -> np.ndarray:
        """Return the estimated error of the mean rate."""
        return np.tensordot(self._error, np.array(stages), 1)


def slices(sizes: Iterable[int]) -> list[slice]:
    """Return the slices of parts of these sizes, one behind the other."""
    return [slice(a, b) for a, b in pairwise(accumulate(sizes, initial=0))]


class Exchange(Hold):
    """All states under one method of Runge and Kutta, with fixed steps or with error control.

    Each evaluation passes the values that change continuously, in the order of direct feedthrough. A step in which an
    event indicator changes its sign ends where it does, found by bisection; it also ends at events at known times. Then
    the elements iterate over their events until none of them needs another round and all values agree. Other inputs
    may change at events only, by the standard: those that follow a continuous output, or a discrete one that changes
    without an event, do so at communication points.
    """

    def __init__(self, bench: Bench, size: float, method: str = "rk4", rtol: float | None = None):
        super().__init__(bench, size)
        self._scheme, self._rtol, self._trial_size = Scheme(TABLEAUS[method]()), rtol, size
        self.parts: Sequence[Exchanged] = bench.participants  # type: ignore[assignment]
        descriptions = {p.name: p.description for p in self.parts}
        self._between = Bench({p.name: p for p in self.parts}, planned(bench.links, descriptions))
        self._slices = slices(p.description.states for p in self.parts)
        self._indicators = slices(p.description.indicators for p in self.parts)
        self._nominal = np.array([nominal(link) for link in bench.links])
        self._has_samples = any(link.is_sample for link in bench.sampled)
        self.evaluations = self.events = 0
        self._time, self._asking = 0.0, self.parts[:1]
        self._x, self._signs = np.zeros(0), np.zeros(0, dtype=bool)
        self._times: Sequence[float] = ()
        self._next = math.inf
        self._iterate()

    @property
    def statistics(self) -> Mapping[str, Any]:
        return {"method": self._scheme.name, "evaluations": self.evaluations, "events": self.events}

    def step(self, time: float, before: list[float]) -> Sequence[float]:
        end, waits, most = time + self.size, 0, self.events + MOST_EVENTS
        near = CLOSE * max(abs(end), self.size)
        while self._time < end - near:
            reached = self._advance(self._next if self._next < end + near else end)
            waits = waits + 1 if reached <= self._time else 0
            if waits > MOST_ROUNDS or self.events > most:
                self._asking[0].fail("its events follow each other without end")
            self._time = reached
        if self._has_samples:
            self._treat_events()
        else:
            self._between.exchange()
            held = self.bench.sampled_values
            self.bench.read()
            if self.bench.sampled_values != held:
                self._treat_events()
        return [0.5 * (a + b) for a, b in zip(before, self.bench.values, strict=True)]

    def _advance(self, target: float) -> float:
        """Go on to the time `target` (s), or less far, and let the elements treat events there.

        Returns the time reached, s.
        """
        time, start, before = self._time, self._x, self._signs
        target, self._x = self._accepted(time, start, max(target, time))
        due = [next_time <= target for next_time in self._times]
        if np.any(self._observe(target, self._x) != before):
            target, self._x = self._located(time, start, target, before)
            changed = self._found != before
            due = [bool(np.any(changed[part])) for part in self._indicators]
        asked = [p.completed() for p in self.parts]
        self._asking = [p for p, a, b in zip(self.parts, due, asked, strict=True) if a or b]
        if self._asking:
            self._treat_events()
        else:
            self._signs = self._found
        return target

    def _treat_events(self) -> None:
        """Let all elements treat their events at the present time."""
        self.events += 1
        for p in self.parts:
            p.enter_events()
        self._iterate()

    def _accepted(self, time: float, start: np.ndarray, target: float) -> tuple[float, np.ndarray]:
        """Return the time and the states after a step, which is shorter than wanted if its error is too large."""
        if self._rtol is None:
            x = self._moved(time, start, target - time)
            if not np.all(np.isfinite(x)):
                self._refuse_rates()
            return target, x
        while True:
            end = target if target - time <= 1.01 * self._trial_size else time + self._trial_size
            h = end - time
            x = self._moved(time, start, h)
            scale = self._rtol * (np.maximum(np.abs(start), np.abs(x)) + ABSOLUTE * self._nominals)
            error = float(np.max(np.abs(h * self._scheme.error(self._stages)) / scale, initial=0.0))
            if not math.isfinite(error):
                error = 1e6
            factor = min(GROWTH, max(SHRINKAGE, SAFETY * max(error, 1e-10) ** (-1.0 / self._scheme.error_order)))
            if error <= 1.0:
                if end < target or factor < 1.0:
                    self._trial_size = h * factor
                return end, x
            self._trial_size = h * factor
            if time + self._trial_size <= time:
                self._refuse_rates()
                raise SimulationError(f"steps of the system become too short at {time:.9g} s: rtol is too small")

    def _refuse_rates(self) -> None:
        """Raise SimulationError that names the elements with rates that are not finite, if the last step had some."""
        for stage in self._stages:
            bad = [p for p, part in zip(self.parts, self._slices, strict=True) if not np.all(np.isfinite(stage[part]))]
            if bad:
                others = f", nor those of {listed(p.name for p in bad[1:])}" if bad[1:] else ""
                bad[0].fail(f"the rates of its states are not finite{others}")

    def _located(self, time: float, start: np.ndarray, end: float, before: np.ndarray) -> tuple[float, np.ndarray]:
        """Return time and states just behind the first change of an indicator's sign."""
        low, high = time, end
        while high - low > CLOSE * max(abs(end), self.size):
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            if np.any(self._observe(middle, self._moved(time, start, middle - time)) != before):
                high = middle
            else:
                low = middle
        x = self._moved(time, start, high - time)
        self._observe(high, x)
        return high, x

    def _iterate(self) -> None:
        """Iterate over events, in event mode, until no element needs another round; read states and signs.

        An event of one element may change values with which another one decides: so all values have to agree too.
        """
        self.bench.exchange()
        for _ in range(MOST_ROUNDS):
            values, sampled = np.array(self.bench.values), self.bench.sampled_values
            needed, times = zip(*[p.update() for p in self.parts], strict=True)
            self.bench.exchange()
            after = np.array(self.bench.values)
            is_moved = bool(np.any(np.abs(after - values) > AGREED * np.maximum(self._nominal, np.abs(after))))
            if not any(needed) and not is_moved and self.bench.sampled_values == sampled:
                break
        else:
            busy = needed.index(True) if any(needed) else 0
            self.parts[busy].fail(f"its events go on after {MOST_ROUNDS} rounds")
        self._times, self._next = times, min(times)
        for p in self.parts:
            p.leave_events()
            p.read_states()
            p.read_nominals()
        self._x = np.concatenate([p.x for p in self.parts])
        self._nominals = np.concatenate([p.nominals for p in self.parts])
        self._signs = self._indicated()

    def _pass(self, time: float, x: np.ndarray) -> None:
        """Set time and states of all elements, and pass the values of the links."""
        for p, part in zip(self.parts, self._slices, strict=True):
            p.move(time, x[part])
        self._between.exchange()

    def _rates(self, time: float, x: np.ndarray) -> np.ndarray:
        self.evaluations += 1
        self._pass(time, x)
        for p in self.parts:
            p.read_rates()
        return np.concatenate([p.dx for p in self.parts])

    def _observe(self, time: float, x: np.ndarray) -> np.ndarray:
        """Return the signs of the event indicators at a time."""
        self._pass(time, x)
        self._found = self._indicated()
        return self._found

    def _indicated(self) -> np.ndarray:
        for p in self.parts:
            p.read_indicators()
        return np.concatenate([p.z for p in self.parts]) > 0.0

    def _moved(self, time: float, start: np.ndarray, h: float) -> np.ndarray:
        """Return the states after a step of the size h; its stages stay in `_stages`."""
        self._stages: list[np.ndarray] = []
        for row, node in zip(self._scheme.a, self._scheme.c, strict=True):
            x = start + h * sum((w * k for w, k in zip(row, self._stages, strict=True) if w), 0.0 * start)
            self._stages.append(self._rates(time + node * h, x))
        return start + h * self._scheme.rise(self._stages)
