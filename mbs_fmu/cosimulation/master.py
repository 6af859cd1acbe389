"""A small co-simulation master based on fmpy: constant steps, Jacobi or Gauss-Seidel order, rollback.

It couples FMI 2.0 co-simulation FMUs of any origin, for the demo and the examples. For larger systems use a master such
as libcosim or OMSimulator.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, get_args

import numpy as np
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave

from ..fmi.process_end import release_wrapper_at_exit
from ..fmi.unpacking import require_bounded
from ..infrastructure.messages.names import listed
from ..infrastructure.progress import Bar, watched
from ..run.errors import SimulationError
from ..run.results.results import Result

Order = Literal["jacobi", "gauss-seidel"]


class Participant:
    """One FMU in a co-simulation: a context manager that instantiates the FMU and frees it.

    path: file of the FMU. name: name in the co-simulation, by default that of the FMU's model.
    """

    def __init__(self, path: str | Path, name: str | None = None):
        self.path = Path(path)
        require_bounded(self.path)
        self.description = read_model_description(str(path))
        self.name = name or self.description.modelName
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}
        self.causalities = {v.name: v.causality for v in self.description.modelVariables}
        self.units = {v.name: v.unit for v in self.description.modelVariables}
        self._folder: str | None = None
        self._slave: FMU2Slave | None = None

    @property
    def slave(self) -> FMU2Slave:
        """The instance in fmpy. Raises SimulationError outside of `with`."""
        if self._slave is None:
            raise SimulationError(f"participant {self.name!r} is not open: with Participant(...) as {self.name}: ...")
        return self._slave

    def __enter__(self) -> Participant:
        cosimulation = self.description.coSimulation
        if cosimulation is None:
            raise SimulationError(f"{self.path.name} is not a co-simulation FMU")
        if self.description.fmiVersion != "2.0":
            raise SimulationError(
                f"{self.path.name} is FMI {self.description.fmiVersion}, this master takes FMI 2.0: export it so"
            )
        self._folder = str(extract(str(self.path)))
        self._slave = FMU2Slave(
            guid=self.description.guid,
            unzipDirectory=self._folder,
            modelIdentifier=cosimulation.modelIdentifier,
            instanceName=self.name,
        )
        try:
            self.slave.instantiate()
        finally:
            release_wrapper_at_exit(Path(self._folder))
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error_type is None:
            self.slave.terminate()
        self.slave.freeInstance()
        self._slave = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def initialize(self, start_time: float, values: Mapping[str, float]) -> None:
        """Set start values, by name, and initialize the instance."""
        self.slave.setupExperiment(startTime=start_time)
        self.set(values)
        self.slave.enterInitializationMode()
        self.slave.exitInitializationMode()

    def get(self, names: Sequence[str]) -> list[float]:
        """Return the values of variables."""
        return self.slave.getReal([self.references[name] for name in names]) if names else []

    def set(self, values: Mapping[str, float]) -> None:
        """Set the values of variables, by name."""
        if values:
            self.slave.setReal([self.references[name] for name in values], list(values.values()))

    def step(self, time: float, size: float) -> None:
        """Make a communication step from `time`, both in s."""
        self.slave.doStep(currentCommunicationPoint=time, communicationStepSize=size)

    def save(self) -> Any:
        """Return the FMU's state, for `restore`; release it with `forget`."""
        return self.slave.getFMUstate()

    def restore(self, state: Any) -> None:
        """Restore a saved state."""
        self.slave.setFMUstate(state)

    def forget(self, state: Any) -> None:
        """Free a saved state."""
        self.slave.freeFMUstate(state)


@dataclass
class Connection:
    """Transfer of an output to an input at every communication point; both are (participant, variable)."""

    source: tuple[str, str]
    target: tuple[str, str]


@dataclass
class CoSimulation:
    """Participants and their connections.

    participants: in the order of Gauss-Seidel steps. start_values: by participant and variable.

    Raises SimulationError for unknown participants and variables, and for connections to variables other than inputs.
    """

    participants: Sequence[Participant]
    connections: Sequence[Connection]
    start_values: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._by_name = {p.name: p for p in self.participants}
        for c in self.connections:
            for place, (name, variable) in (("from", c.source), ("to", c.target)):
                self._known(name, variable, f"connection {place}")
            if self._by_name[c.target[0]].causalities[c.target[1]] != "input":
                raise SimulationError(
                    f"connection to {'.'.join(c.target)}: it is not an input; connections go from (participant, "
                    "output) to (participant, input)"
                )
        for name, values in self.start_values.items():
            for variable in values:
                self._known(name, variable, "start value of")

    def _known(self, name: str, variable: str, thing: str) -> None:
        if name not in self._by_name:
            raise SimulationError(f"{thing} {name}.{variable}: participants are {listed(self._by_name)}")
        if variable not in self._by_name[name].references:
            raise SimulationError(f"{thing} {name}.{variable}: {name} has no such variable")

    def run(
        self,
        stop_time: float,
        step: float,
        order: Order,
        watch: Iterable[tuple[str, str]],
        progress: bool | None = None,
    ) -> Result:
        """Run from 0 to `stop_time` with communication steps of `step`, both in s.

        order: "jacobi", in which all participants use the values at the beginning of the step, or "gauss-seidel", in
        which each participant uses the values at the end of the step of those before it.
        watch: (participant, variable) for each column "participant.variable" of the result.
        progress: show a progress bar; by default on terminals and in notebooks, after a second.

        Raises SimulationError for unknown variables, and if stop_time is not a whole number of steps.
        """
        if order not in get_args(Order):
            raise SimulationError(f"order is {order!r}: use {' or '.join(map(repr, get_args(Order)))}")
        names = list(watch)
        for name, variable in names:
            self._known(name, variable, "watched variable")
        count = round(stop_time / step)
        if abs(count * step - stop_time) > 1e-6 * step:
            raise SimulationError(f"stop_time {stop_time!r} is not a whole number of steps of {step!r} s")
        rows = np.zeros((count + 1, 1 + len(names)))
        for p in self.participants:
            p.initialize(0.0, self.start_values.get(p.name, {}))
        for _ in self.participants:  # propagates values through a chain of all participants
            self.exchange(self.participants)
        rows[0] = self._row(0.0, names)
        with watched(progress), Bar(order, count, "step") as bar:
            for k in range(count):
                self.step(k * step, step, order)
                rows[k + 1] = self._row((k + 1) * step, names)
                bar.update()
        columns = ["time", *(f"{p}.{v}" for p, v in names)]
        units = {f"{p}.{v}": self._by_name[p].units[v] for p, v in names}
        return Result("co-simulation", columns, rows, units, statistics={"order": order, "steps": count})

    def step(self, time: float, size: float, order: Order) -> None:
        """Make one communication step of all participants."""
        if order == "jacobi":
            for p in self.participants:
                p.step(time, size)
            self.exchange(self.participants)
        else:
            for p in self.participants:
                p.step(time, size)
                self.exchange([p])

    def exchange(self, sources: Iterable[Participant]) -> None:
        """Transfer the outputs of some participants to the connected inputs."""
        for p in sources:
            outgoing = [c for c in self.connections if c.source[0] == p.name]
            values = p.get([c.source[1] for c in outgoing])
            for c, value in zip(outgoing, values, strict=True):
                self._by_name[c.target[0]].set({c.target[1]: value})

    def _row(self, time: float, watched: Sequence[tuple[str, str]]) -> list[float]:
        return [time, *(self._by_name[p].get([v])[0] for p, v in watched)]
