"""Random walks of calls through the states of a native FMU, in the orders that FMI allows and in others.

Two instances walk together: `full` gets all calls, `twin` only those that FMI allows. An allowed call is never refused,
and both instances answer it with the same bits; so neither what is refused nor what is tolerated changes anything.
The walk itself follows the rules that no table has: it enters event mode where an event is due, and updates discrete
states before it leaves event mode.
"""

from __future__ import annotations

import copy
import math
from collections import Counter
from collections.abc import Callable
from ctypes import c_size_t
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from support.hosts.call_orders import TABLES, without_event_mode
from support.hosts.plain_importer import ERROR, OK, Answer, Binary, Instance

Act = Callable[[Instance], Answer]
Effect = Callable[[Any], None]

NEXT = {
    "EnterInitializationMode": "initialization",
    "Terminate": "terminated",
    "EnterEventMode": "event",
    "EnterContinuousTimeMode": "continuous",
    "EnterStepMode": "step",
}  #: states that calls enter
VECTORS = (
    "GetContinuousStates", "GetContinuousStateDerivatives", "GetNominalsOfContinuousStates", "GetEventIndicators",
)  # fmt: skip
COUNTS = ("GetNumberOfContinuousStates", "GetNumberOfEventIndicators")
DERIVATIVES = ("GetDirectionalDerivative", "GetAdjointDerivative")
WEIGHTS = {
    "SetDebugLogging": 0.3, "SetupExperiment": 3.0, "EnterInitializationMode": 8.0, "ExitInitializationMode": 4.0,
    "Terminate": 0.3, "Reset": 0.3, "SetTime": 12.0, "SetContinuousStates": 12.0, "CompletedIntegratorStep": 8.0,
    "UpdateDiscreteStates": 6.0, "EnterContinuousTimeMode": 8.0, "EnterStepMode": 8.0, "DoStep": 14.0,
}  # fmt: skip
SIZES = (1 / 1024, 1 / 256, 1 / 128)  #: communication steps, s
EULER = 2e-4  #: s: a multiple of it is a step of model exchange, by the explicit Euler method
SCRIPT = 3  #: calls that are repeated in the intermediate updates of a step


def bits(outcome: Any) -> bytes:
    return np.array(outcome, dtype=float).tobytes()


def kind_of(variable: Any, states: set[int]) -> str:
    """Row of the tables that says when a variable can be set."""
    if variable.valueReference in states:
        return "set_state"
    if variable.causality == "input":
        return "set_input"
    if variable.causality == "parameter" and variable.variability == "tunable":
        return "set_tunable"
    return {"exact": "set_start", "calculated": "set_computed"}.get(variable.initial, "")


@dataclass
class Position:
    """Where the two instances are in FMI's state machine, and in time."""

    state: str = "instantiated"
    time: float = 0.0
    set_up: bool = False  #: FMI 2.0: the experiment was given
    settled: bool = False  #: in event mode: discrete states were updated
    due: bool = False  #: event mode must be entered
    next_time: float = math.inf  #: of the next time event
    ahead: tuple[float, ...] | None = None  #: states of the time that was set last, not yet set themselves
    indicators: tuple[float, ...] = ()

    @property
    def stops(self) -> bool:
        return self.due or self.time >= self.next_time


@dataclass
class Saved:
    position: Position
    pointers: dict[Instance, Any] = field(default_factory=dict)
    data: dict[Instance, bytes] = field(default_factory=dict)


class Walk:
    """Two instances of an FMU, and the random calls that they get."""

    def __init__(self, binary: Binary, exchange: bool, seed: int, event_mode: bool = False):
        table, self.binary, self.exchange = TABLES[binary.fmi, exchange], binary, exchange
        self.table = table if exchange or event_mode else without_event_mode(table)
        self.event_mode, self.rng = event_mode, np.random.default_rng(seed)
        options = {} if exchange or binary.fmi == "2.0" else {"event_mode": event_mode, "early_return": event_mode}
        self.full, self.twin = (binary.instance(exchange, **options) for _ in range(2))
        self.position, self.saved = Position(), list[Saved]()
        self.marks, self.history = Counter[str](), [f"seed {seed}"]
        self.told_inside = 0  #: errors that were logged inside steps
        self._sort_variables()

    def _sort_variables(self) -> None:
        states = set(self.binary.states)
        self.kinds: dict[str, list[int]] = {row: [] for row in self.table["instantiated"] if row.startswith("set_")}
        for variable in self.binary.reals:
            self.kinds.get(kind_of(variable, states), []).append(variable.valueReference)
        self.starts = {v.valueReference: v.start for v in self.binary.reals}
        self.outputs = self.binary.references(lambda v: v.causality == "output")
        self.knowns = self.kinds["set_input"] + self.kinds["set_tunable"] or self.kinds["set_start"]

    # -- choice --------------------------------------------------------------------------------------------

    def walk(self, length: int) -> Counter[str]:
        """Make random calls, then free both instances; how many calls had each mark of the tables."""
        for _ in range(length):
            mark = str(self.rng.choice(["x", ".", "t"], p=[0.6, 0.3, 0.1]))
            name = self._choose(self.position.state, mark)
            if name:
                self._make(name, mark)
        everything = list(self.binary.lengths)
        status, values = self.full.get(everything)
        assert bits(values) == bits(self.twin.get(everything)[1]), self.history[-20:]
        if status == OK:
            assert self.full.modes() == self.twin.modes(), self.history[-20:]
        while self.saved:
            self._forget()
        for instance in (self.full, self.twin):
            instance.free()
        return self.marks

    def _choose(self, state: str, mark: str) -> str | None:
        names = [n for n, m in self.table[state].items() if m == mark and self._possible(n)]
        if mark == "x":
            names = [name for name in names if self._ready(name)]
        if not names:
            return None
        weights = np.array([self._weight(name) if mark == "x" else 1.0 for name in names])
        return str(self.rng.choice(names, p=weights / weights.sum()))

    def _weight(self, name: str) -> float:
        if self.position.stops and name in ("SetTime", "EnterEventMode"):
            return {"SetTime": 1.0, "EnterEventMode": 15.0}[name]
        return WEIGHTS.get(name, 1.0)

    def _possible(self, name: str) -> bool:
        """True if there are variables or saved states for the call."""
        if name in self.kinds:
            return bool(self.kinds[name])
        if name in ("SetFMUState", "FreeFMUState", "SerializeFMUState", "DeserializeFMUState"):
            return bool(self.saved) and (name != "DeserializeFMUState" or bool(self.saved[-1].data))
        needed = {"get_output": self.outputs, "GetOutputDerivatives": self.outputs}
        needed |= {"SetInputDerivatives": self.kinds["set_input"]} | dict.fromkeys(DERIVATIVES, self.knowns)
        return bool(needed.get(name, True))

    def _ready(self, name: str) -> bool:
        """True if the rules beside the tables allow the call now."""
        at = self.position
        rules = {
            "EnterInitializationMode": at.set_up or self.binary.fmi == "3.0",
            "EnterContinuousTimeMode": at.settled,
            "EnterStepMode": at.settled,
            "DoStep": not at.due,
            "CompletedIntegratorStep": at.ahead is None,
            "EnterEventMode": at.ahead is None and (at.stops or self.rng.random() < 0.2),
            "GetFMUState": len(self.saved) < 3,
        }
        return rules.get(name, True)

    # -- calls ---------------------------------------------------------------------------------------------

    def _make(self, name: str, mark: str) -> None:
        self.marks[mark] += 1
        self.history.append(f"{name} [{mark}] in {self.position.state} at {self.position.time:.9g}")
        act, effect = self._draw(name, mark)
        outcome = self._judge(mark, lambda: act(self.full))
        if mark == "x":
            status, other = act(self.twin)
            assert status == OK and bits(outcome) == bits(other), self.history[-20:]
            effect(outcome)

    def _judge(self, mark: str, call: Callable[[], Answer]) -> Any:
        """Assert that a call of `full` answers as its mark says; what it gives."""
        errors = self._errors()
        status, outcome = call()
        expected = (ERROR, 1) if mark == "." else (OK, 0)
        assert (status, self._errors() - errors) == expected, (self.history[-20:], self.full.messages[-2:])
        return outcome

    def _errors(self) -> int:
        return sum(status == ERROR for status, _ in self.full.messages) - self.told_inside

    def _draw(self, name: str, mark: str) -> tuple[Act, Effect]:
        """A call with arguments drawn once for both instances, and its effect on the position."""
        if name.startswith("set_"):
            return self._setting(name, mark), nothing
        if name.startswith("get_"):
            chosen = self.outputs if name == "get_output" else list(self.binary.lengths)
            some = [int(r) for r in self.rng.choice(chosen, size=min(4, len(chosen)))]
            return lambda i: i.get(some), nothing
        if name in VECTORS:
            count = self.binary.indicators if name == "GetEventIndicators" else len(self.binary.states)
            return lambda i: i.vector(name, count), nothing
        if name in COUNTS:
            return lambda i: i.count(name), nothing  # type: ignore[attr-defined]
        if name in DERIVATIVES:
            return self._derivative(name), nothing
        special = getattr(self, f"_{name}", None)
        if special:
            drawn: tuple[Act, Effect] = special(mark)
            return drawn
        return lambda i: i.bare(name), lambda _: self._enter(NEXT.get(name))

    def _enter(self, state: str | None) -> None:
        if state:
            self.position.state, self.position.settled, self.position.due = state, False, False

    def _setting(self, name: str, mark: str) -> Act:
        some = [int(r) for r in self.rng.choice(self.kinds[name], size=2)]
        if name in ("set_state", "set_computed") or mark == "t":
            return lambda i: i.set(some, i.get(some)[1])
        if name == "set_input":
            values = 0.3 * self.rng.normal(size=self.full.size(some))
        else:
            starts = np.array([float(x) for r in some for x in str(self.starts[r]).split()])
            values = starts * (1.0 + 1e-3 * self.rng.normal(size=starts.size))
        return lambda i: i.set(some, values)

    def _derivative(self, name: str) -> Act:
        started = self.position.state not in ("instantiated", "initialization")
        knowns = [int(self.rng.choice(self.binary.states if started and self.binary.states else self.knowns))]
        unknowns = [int(self.rng.choice(self.binary.derivatives or self.outputs))]
        seeds = self.rng.normal(size=self.full.size(knowns if name == "GetDirectionalDerivative" else unknowns))
        return lambda i: i.directional(name, unknowns, knowns, seeds)

    def _SetDebugLogging(self, mark: str) -> tuple[Act, Effect]:
        on = bool(self.rng.integers(2))
        return lambda i: (i.call("SetDebugLogging", i.boolean(on), c_size_t(0), None), ()), nothing

    def _SetupExperiment(self, mark: str) -> tuple[Act, Effect]:
        start = float(self.rng.choice([0.0, -1.0, 0.5]))

        def effect(_: Any) -> None:
            self.position.time, self.position.set_up = start, True

        return lambda i: i.set_up(start), effect

    def _EnterInitializationMode(self, mark: str) -> tuple[Act, Effect]:
        act, effect = self._SetupExperiment(mark)
        if self.binary.fmi == "2.0":
            act, effect = (lambda i: i.bare("EnterInitializationMode")), nothing

        def enter(_: Any) -> None:
            effect(())
            self._enter("initialization")

        return act, enter

    def _ExitInitializationMode(self, mark: str) -> tuple[Act, Effect]:
        state = "event" if self.exchange or self.event_mode else "step"
        return lambda i: i.bare("ExitInitializationMode"), lambda _: self._enter(state)

    def _Reset(self, mark: str) -> tuple[Act, Effect]:
        def effect(_: Any) -> None:
            self.position = Position()

        return lambda i: i.bare("Reset"), effect

    # -- saved states --------------------------------------------------------------------------------------

    def _GetFMUState(self, mark: str) -> tuple[Act, Effect]:
        saved = Saved(copy.copy(self.position))

        def act(instance: Instance) -> Answer:
            status, saved.pointers[instance] = instance.save()
            return status, ()

        return act, lambda _: self.saved.append(saved)

    def _SetFMUState(self, mark: str) -> tuple[Act, Effect]:
        saved = self.saved[int(self.rng.integers(len(self.saved)))]

        def effect(_: Any) -> None:
            self.position = copy.copy(saved.position)

        return lambda i: i.restore(saved.pointers[i]), effect

    def _FreeFMUState(self, mark: str) -> tuple[Act, Effect]:
        saved = self.saved[-1]
        return lambda i: i.forget(saved.pointers[i]), lambda _: self.saved.remove(saved)

    def _forget(self) -> None:
        saved = self.saved.pop()
        assert all(instance.forget(pointer)[0] == OK for instance, pointer in saved.pointers.items())

    def _SerializeFMUState(self, mark: str) -> tuple[Act, Effect]:
        saved = self.saved[-1]

        def act(instance: Instance) -> Answer:
            status, saved.data[instance] = instance.serialized(saved.pointers[instance])
            return status, (len(saved.data[instance]),)

        return act, nothing

    def _DeserializeFMUState(self, mark: str) -> tuple[Act, Effect]:
        saved = self.saved[-1]

        def act(instance: Instance) -> Answer:
            instance.forget(saved.pointers[instance])
            status, saved.pointers[instance] = instance.deserialized(saved.data[instance])
            return status, ()

        return act, nothing

    # -- model exchange ------------------------------------------------------------------------------------

    def _SetTime(self, mark: str) -> tuple[Act, Effect]:
        at = self.position
        still = mark != "x" or at.stops or at.ahead is not None
        time = at.time if still else min(at.time + EULER * self.rng.integers(1, 10), at.next_time)
        if still:
            return lambda i: i.set_time(time), nothing

        def act(instance: Instance) -> Answer:
            x, rates = instance.states(), instance.rates()
            return instance.set_time(time)[0], (*x, *rates)

        def effect(outcome: Any) -> None:
            x, rates = np.split(np.array(outcome), 2)
            at.ahead, at.time = tuple(x + (time - at.time) * rates), float(time)

        return act, effect

    def _SetContinuousStates(self, mark: str) -> tuple[Act, Effect]:
        ahead = self.position.ahead if mark == "x" else (0.0,) * len(self.binary.states)

        def effect(_: Any) -> None:
            self.position.ahead = None

        return lambda i: i.set_states(i.states() if ahead is None else ahead), effect

    def _CompletedIntegratorStep(self, mark: str) -> tuple[Act, Effect]:
        def effect(outcome: Any) -> None:
            (enter, terminate), indicators = outcome[:2], outcome[2:]
            crossed = any(a * b < 0.0 for a, b in zip(self.position.indicators, indicators))
            self.position.due = self.position.due or bool(enter) or crossed
            self.position.indicators = indicators
            assert not terminate

        return self._and_indicators(lambda i: i.completed(), mark), effect

    def _EnterContinuousTimeMode(self, mark: str) -> tuple[Act, Effect]:
        def effect(outcome: Any) -> None:
            self.position.indicators = outcome
            self._enter("continuous")

        return self._and_indicators(lambda i: i.bare("EnterContinuousTimeMode"), mark), effect

    def _and_indicators(self, act: Act, mark: str) -> Act:
        """The call, and where it is allowed the event indicators after it."""

        def both(instance: Instance) -> Answer:
            status, outcome = act(instance)
            if mark != "x":
                return status, outcome
            later, indicators = instance.vector("GetEventIndicators", self.binary.indicators)
            return status or later, (*outcome, *indicators)

        return both

    def _UpdateDiscreteStates(self, mark: str) -> tuple[Act, Effect]:
        def effect(outcome: Any) -> None:
            again, terminate, _, self.position.next_time = outcome
            self.position.settled = not again
            assert not terminate

        return lambda i: i.update(), effect

    # -- co-simulation -------------------------------------------------------------------------------------

    def _SetInputDerivatives(self, mark: str) -> tuple[Act, Effect]:
        some, slope = [int(self.rng.choice(self.kinds["set_input"]))], [float(self.rng.normal())]
        return lambda i: i.set_slopes(some, slope), nothing  # type: ignore[attr-defined]

    def _GetOutputDerivatives(self, mark: str) -> tuple[Act, Effect]:
        some = [int(self.rng.choice(self.outputs))]
        return lambda i: i.slopes(some), nothing

    def _GetRealStatus(self, mark: str) -> tuple[Act, Effect]:
        return lambda i: i.last_time(), nothing  # type: ignore[attr-defined]

    def _DoStep(self, mark: str) -> tuple[Act, Effect]:
        time, size = self.position.time, float(self.rng.choice(SIZES))
        if mark != "x" or self.binary.fmi == "2.0":
            return lambda i: i.step(time, size), self._stepped
        script = [self._draw_update() for _ in range(SCRIPT)]

        def act(instance: Instance) -> Answer:
            inside: list[Any] = []

            def update(one: Instance, _: float) -> None:
                mark, inner = script[len(inside) % len(script)]
                errors = self._errors()
                answer = inner(one) if one is self.full or mark == "x" else (ERROR, ())
                inside.append((mark, answer, self._errors() - errors))
                self.told_inside += self._errors() - errors

            answer = instance.step(time, size, update)
            return answer[0], (*answer[1], *self._checked(instance, inside))

        return act, self._stepped

    def _draw_update(self) -> tuple[str, Act]:
        """A call inside a step, and its mark."""
        mark = str(self.rng.choice(["x", "."]))
        name = self._choose("update", mark) or "SetDebugLogging"
        self.history.append(f"in the next step: {name} [{mark}]")
        return mark, self._draw(name, mark)[0]

    def _checked(self, instance: Instance, inside: list[Any]) -> list[float]:
        """Numbers that the allowed calls inside a step gave; each refused one must log an error."""
        for mark, (status, _), errors in inside:
            expected = (ERROR, int(instance is self.full)) if mark == "." else (OK, 0)
            assert (status, errors) == expected, (mark, status, errors, self.history[-20:])
        return [float(x) for mark, (_, outcome), _ in inside if mark == "x" for x in outcome]

    def _stepped(self, outcome: Any) -> None:
        event, terminate, _, self.position.time = outcome[:4]
        self.position.due = bool(event)
        assert not terminate


def nothing(_: Any) -> None:
    """The effect of calls that leave the position."""
