"""Elements of systems in plain Python: laws in place of FMUs, with the calls of `Participant`; nothing is compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.cosimulation.description import Description, Measure, Variable
from mbs_fmu.cosimulation.system import Element

Values = Mapping[str, float]


@dataclass
class Law:
    """States x, inputs u and outputs y: dx/dt = rate(x, u), y = outputs(x, u), by the names of signals.

    feedthrough: inputs of each output; all inputs if an output is missing. units, nominals: by name.
    """

    inputs: Sequence[str]
    outputs: Callable[[np.ndarray, Values], Values]
    names: Sequence[str]
    rate: Callable[[np.ndarray, Values], Any] = lambda x, u: np.zeros(len(x))
    start: Sequence[float] = ()
    feedthrough: Mapping[str, Sequence[str]] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    measures: Mapping[str, Measure] = field(default_factory=dict)
    interpolates: bool = True
    divides: bool = True
    saves: bool = True
    exchanges: bool = True
    indicators: Callable[[np.ndarray, Values], Sequence[float]] = lambda x, u: ()
    event: Callable[[np.ndarray], Any] = lambda x: x  #: states after an event, at which a falling indicator ends
    asks: bool = True  #: an event asks for another round

    def description(self, name: str) -> Description:
        """Description as that of an FMU."""
        signals = [*((x, "input") for x in self.inputs), *((x, "output") for x in self.names)]
        variables = {
            x: Variable(
                name=x, reference=k, type="Real", causality=causality, is_continuous=True,
                is_settable=causality == "input", is_array=False, size=1, nominal=1.0, start="0",
                unit=self.units.get(x), measure=self.measures.get(x),
            )
            for k, (x, causality) in enumerate(signals)
        }  # fmt: skip
        return Description(
            path=Path(f"{name}.fmu"), version=2, steps=name, exchange=name if self.exchanges else None,
            indicators=len(self.indicators(np.array(self.start), dict.fromkeys(self.inputs, 0.0))),
            states=len(self.start), token=name, variables=variables,
            feedthrough={x: frozenset(inputs) for x, inputs in self.feedthrough.items()},
            interpolates=self.interpolates, divides=self.divides, saves=self.saves, single=False,
        )  # fmt: skip


class LawBlock:
    """Signals of an element, with a buffer."""

    def __init__(self, element: LawElement, variables: Sequence[Variable]):
        self.variables, self.values = list(variables), [0.0] * len(variables)
        self._element = element

    def start(self, variable: Variable) -> int:
        return self.variables.index(variable)

    def read(self) -> None:
        y = {**self._element.u, **self._element.law.outputs(self._element.x, self._element.u)}
        self.values[:] = [y[v.name] for v in self.variables]

    def write(self) -> None:
        self._element.u |= {v.name: value for v, value in zip(self.variables, self.values, strict=True)}


class LawElement:
    """An instance of a law, with the calls of `Participant`; Runge-Kutta steps integrate it."""

    SUBSTEPS = 2

    def __init__(self, name: str, law: Law, description: Description):
        self.name, self.law, self.description = name, law, description
        self.x, self.u = np.array(law.start, dtype=float), dict.fromkeys(law.inputs, 0.0)
        self.slope = dict.fromkeys(law.inputs, 0.0)
        self.saved: tuple[np.ndarray, dict[str, float]] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def initialize(self, values: Sequence[Any]) -> None:
        self.u |= {slot.name: value for slot, value in values}

    def begin(self) -> None:
        pass

    def blocks(self, variables: Sequence[Variable]) -> list[LawBlock]:
        return [LawBlock(self, variables)] if variables else []

    def step(self, time: float, size: float) -> None:
        h = size / self.SUBSTEPS

        def rate(t: float, x: np.ndarray) -> np.ndarray:
            return np.asarray(self.law.rate(x, {k: u + t * self.slope[k] for k, u in self.u.items()}), dtype=float)

        for n in range(self.SUBSTEPS):
            t, x = n * h, self.x
            a = rate(t, x)
            b = rate(t + h / 2, x + h / 2 * a)
            c = rate(t + h / 2, x + h / 2 * b)
            self.x = x + h / 6 * (a + 2 * b + 2 * c + rate(t + h, x + h * c))

    def save(self) -> None:
        self.saved = self.x.copy(), dict(self.u)

    def restore(self) -> None:
        assert self.saved is not None
        self.x, self.u = self.saved[0].copy(), dict(self.saved[1])

    def take_slopes(self, variables: Sequence[Variable]) -> Callable[[Sequence[float]], None]:
        return lambda values: self.slope.update({v.name: x for v, x in zip(variables, values, strict=True)})


class ExchangedLaw(LawElement):
    """An instance of a law with the calls of `Exchanged`."""

    def begin(self) -> None:
        self.dx, self.now = np.zeros_like(self.x), 0.0
        self.read_indicators()
        self.nominals = np.ones_like(self.x)

    def move(self, time: float, x: np.ndarray) -> None:
        assert time >= self.now - 0.5, "time goes back by more than a step"
        self.now, self.x = time, x.copy()

    def read_states(self) -> None:
        pass

    def read_nominals(self) -> None:
        pass

    def read_rates(self) -> None:
        self.dx = np.asarray(self.law.rate(self.x, self.u), dtype=float)

    def read_indicators(self) -> None:
        self.z = np.array(self.law.indicators(self.x, self.u))

    def completed(self) -> bool:
        return False

    def fail(self, what: str) -> NoReturn:
        raise mbs.SimulationError(f"{self.name!r} failed at {self.now:.9g} s: {what}")

    def enter_events(self) -> None:
        pass

    def update(self) -> tuple[bool, float]:
        if all(z >= 0.0 for z in self.law.indicators(self.x, self.u)):
            return False, np.inf
        self.x = np.asarray(self.law.event(self.x), dtype=float)
        return self.law.asks, np.inf

    def leave_events(self) -> None:
        pass


class Laws:
    """Makes systems of laws; a fixture patches the runs of systems so that they use them."""

    def __init__(self, patch: pytest.MonkeyPatch):
        self._laws: dict[str, Law] = {}
        self.instances: dict[str, LawElement] = {}  #: of the last run
        for function, made in (("participant", LawElement), ("exchanged", ExchangedLaw)):
            patch.setattr(f"mbs_fmu.cosimulation.running.{function}", partial(self._made, made))

    def _made(self, made: type[LawElement], name: str, description: Description) -> LawElement:
        self.instances[name] = made(name, self._laws[name], description)
        return self.instances[name]

    def __call__(self, laws: Mapping[str, Law], links: Mapping[str, str]) -> mbs.System:
        """Return a system of laws by name; links: source of each input, in the order of `connect`."""
        self._laws = dict(laws)
        system = mbs.System("laws")
        for name, law in laws.items():
            element = Element(name, Path(f"{name}.fmu"), {}, Path, None)
            element.description = law.description(name)
            system.elements[name] = element
        for target, source in links.items():
            system.connect(source, target)
        return system
