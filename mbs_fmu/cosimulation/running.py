"""Runs of systems: instances are made and freed, steps are made and watched, rows become a `Result`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NoReturn

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.progress import Bar
from ..run.errors import Interrupted, SimulationError
from ..run.results.results import Result, vectors_of
from ..run.single import cut_short
from .coupling import Bench, Extrapolate, Hold, Iterate, possible_couplings
from .description import Description, Slot, renamed
from .exchange import Exchange, exchanged
from .monitor import Energy, Growth, Side
from .order import Ends, Link, Plan, label
from .participant import Participant, participant

log = logging.getLogger("mbs_fmu")

COUPLINGS: dict[str, Callable[..., Hold]] = {
    "hold": Hold, "extrapolate": Extrapolate, "iterate": Iterate, "exchange": Exchange,
}  # fmt: skip
HELD = ("hold", "extrapolate")  #: couplings that create energy at flanges; others have no such measure


@dataclass(frozen=True)
class Task:
    """A run: what is coupled, how, and what is recorded.

    start: start values by element. watched: ends whose values become columns. flanges: for each pair of flanges, by
    name, the links that bring the effort to each of them and take the velocity from it. method, rtol: of model
    exchange. notes: on the system, for the result.
    """

    name: str
    descriptions: Mapping[str, Description]
    start: Mapping[str, Sequence[tuple[Slot, Any]]]
    links: Sequence[Link]
    plan: Plan
    flanges: Mapping[str, Sequence[tuple[Link, Link]]]
    watched: Sequence[tuple[str, Slot]]
    step: float
    count: int
    coupling: str
    method: str = "rk4"
    rtol: float | None = None
    notes: Sequence[str] = ()


def run(task: Task) -> Result:
    """Run from 0 in `count` steps, and return the rows at all communication points.

    Raises SimulationError if an element fails or the coupling is unstable, with the rows until then as its `result`;
    Interrupted after Ctrl-C.
    """
    with ExitStack() as stack:
        made = exchanged if task.coupling == "exchange" else participant
        participants = {
            name: stack.enter_context(made(name, task.descriptions[name])) for name in sorted(task.descriptions)
        }
        bench = initialized(task, participants)
        record = Record(task, participants)
        settings = {"method": task.method, "rtol": task.rtol} if task.coupling == "exchange" else {}
        coupling = COUPLINGS[task.coupling](bench, task.step, **settings)
        record.add(0.0)
        places = {link: k for k, link in enumerate(bench.links)}
        sides = {
            name: [Side(places[effort], places[velocity]) for effort, velocity in pairs]
            for name, pairs in task.flanges.items()
        }
        energy = Energy(sides, task.step)
        try:
            with Bar(task.name, task.count, "step") as bar:
                _advance(task, bench, coupling, energy, record, bar)
        except KeyboardInterrupt:
            result = record.result(coupling, energy)
            raise Interrupted(f"{task.name}: {cut_short(result)}", result) from None
        except SimulationError as error:
            raise SimulationError(str(error), record.result(coupling, energy)) from None
        for note in energy.notes():
            log.warning("%s: %s", task.name, note)
        return record.result(coupling, energy)


def initialized(task: Task, participants: Mapping[str, Participant]) -> Bench:
    """Initialize all elements with values that agree, and exchange those of the start."""
    for name, p in participants.items():
        p.initialize(task.start.get(name, ()))
    bench = Bench(participants, task.plan)
    bench.exchange()
    for p in participants.values():
        p.begin()
    bench.exchange()
    return bench


def _advance(task: Task, bench: Bench, coupling: Hold, energy: Energy, record: Record, bar: Bar) -> None:
    """Make all steps."""
    values = bench.values
    growth = Growth(bench.links, values)
    every = max(1, task.count // 1000)
    for k in range(task.count):
        before, end = values, (k + 1) * task.step
        try:
            mean = coupling.step(k * task.step, before)
        except SimulationError as error:
            if growth.is_large() and growth.is_growing() and len(record) > 2:
                _unstable(task, growth.largest(), k * task.step, f"; then {error}")
            raise
        values = bench.values
        record.add(end)
        if task.flanges:
            energy.add(before, mean, values)
        grown = growth.found(values)
        if grown:
            _unstable(task, grown, end)
        if not (k + 1) % every:
            bar.update(every)


def _unstable(task: Task, value: str, time: float, then: str = "") -> NoReturn:
    """Raise SimulationError for values that grow; the remedies are those that the elements allow."""
    can = possible_couplings(task.descriptions, task.links) if task.coupling in HELD else []
    better = " or ".join(repr(name) for name in ("iterate", "exchange") if name in can)
    others = f"coupling={better}, or " if better else ""
    raise SimulationError(
        f"values grow from step to step ({value} at {time:.6g} s): the coupling {task.coupling!r} is unstable at steps "
        f"of {task.step:g} s; use {others}a shorter step{then}"
    )


class Record:
    """Rows of a run: the time and the watched values."""

    def __init__(self, task: Task, participants: Mapping[str, Participant]):
        self._task = task
        self._ends = Ends(participants, task.watched)
        self._rows = np.zeros((task.count + 1, 1 + len(task.watched)))
        self._filled = 0

    def __len__(self) -> int:
        return self._filled

    def add(self, time: float) -> None:
        """Read the watched values, at a time, s."""
        self._ends.read()
        row = self._rows[self._filled]
        row[0], row[1:] = time, [buffer[k] for buffer, k in self._ends.places]
        self._filled += 1

    def result(self, coupling: Hold, energy: Energy) -> Result:
        """Return the rows so far."""
        statistics: dict[str, Any] = {
            "coupling": self._task.coupling, "steps": self._filled - 1, "step": self._task.step,
            **coupling.statistics,
        }  # fmt: skip
        if energy.created and self._task.coupling in HELD:
            statistics["coupling_energy"] = dict(energy.created)
        return result_of(self._task, self._rows[: self._filled], statistics, energy.notes())


def result_of(task: Task, rows: np.ndarray, statistics: Mapping[str, Any], noted: Iterable[str] = ()) -> Result:
    """Return rows of the time and the watched values as a result. noted: on the run, for its notes."""
    names = [label(end) for end in task.watched]
    return Result(
        task.name, ["time", *names], rows,
        {"time": "s", **{label(end): end[1].variable.unit for end in task.watched}}, vectors_of(names),
        {**statistics, "notes": [*noted, *notes(task)]},
        parameters={label((name, slot)): float(value) for name, slot, value in given(task)},
        held=frozenset(label(end) for end in task.watched if not end[1].variable.is_continuous),
    )  # fmt: skip


def given(task: Task) -> Iterable[tuple[str, Slot, Any]]:
    """Yield element, scalar and value of the start values that are numbers."""
    for name, pairs in task.start.items():
        for slot, value in pairs:
            if not isinstance(value, str):
                yield name, slot, value


def notes(task: Task) -> Iterable[str]:
    """Yield the notes on the system, one for each connection of enumerations with other names, one for each start value
    without effect, and one for each input that no link sets, with the value that it keeps.
    """
    yield from task.notes
    for link in task.links:
        if names := renamed(link.source[1].variable, link.target[1].variable):
            yield (
                f"enumerations {label(link.source)} and {label(link.target)} name values differently, which are passed "
                f"by number: {', '.join(names)}"
            )
    linked = {label(link.target) for link in task.links}
    for name in sorted(task.descriptions):
        for slot, _ in task.start.get(name, ()):
            if f"{name}.{slot.name}" in linked:
                yield f"the start value of {name}.{slot.name} has no effect: the input is connected"
        start = {slot.name: value for slot, value in task.start.get(name, ())}
        for v in task.descriptions[name].variables.values():
            free = [k for k in range(v.size) if f"{name}.{v.element(k)}" not in linked]
            if v.causality != "input" or not free:
                continue
            default = v.start.split() or ["0"]
            for k in free:
                value = start.get(v.element(k), default[min(k, len(default) - 1)])
                yield f"input {name}.{v.element(k)} is not connected: it stays {value} {v.unit or ''}".rstrip()
