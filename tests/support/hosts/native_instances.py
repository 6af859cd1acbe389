"""Instances of native FMUs: model exchange by FMI 2.0, co-simulation by FMI 3.0."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Model
from fmpy.fmi3 import FMU3Slave

from support.hosts.typed import Values


@contextmanager
def exchange(path: Path) -> Iterator[tuple[FMU2Model, dict[str, int]]]:
    """An initialized model-exchange instance in continuous-time mode, and its value references by name."""
    folder = str(extract(str(path)))
    description = read_model_description(str(path))
    model = FMU2Model(
        guid=description.guid, unzipDirectory=folder, modelIdentifier=description.modelExchange.modelIdentifier,
        instanceName="exchange",
    )  # fmt: skip
    model.instantiate()
    model.setupExperiment(startTime=0.3)
    model.enterInitializationMode()
    yield model, {v.name: v.valueReference for v in description.modelVariables}
    model.freeInstance()
    shutil.rmtree(folder, ignore_errors=True)


def names_of(path: Path, *what: str) -> list[str]:
    """Names of variables by causality or by "state", "derivative", "tunable"."""
    variables = read_model_description(str(path)).modelVariables
    derivatives = [v for v in variables if v.derivative is not None]
    kinds = {
        "derivative": [v.name for v in derivatives],
        "state": [v.derivative.name for v in derivatives],
        "tunable": [v.name for v in variables if v.variability == "tunable"],
    }
    return [name for kind in what for name in kinds.get(kind, [v.name for v in variables if v.causality == kind])]


def set_states(fmi: FMU2Model, x: np.ndarray) -> None:
    fmi.setContinuousStates(x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), x.size)


TICK = 1 / 128  #: s: a communication step whose multiples are exact


class Guest:
    """One FMI 3.0 co-simulation instance; `lengths`: number of elements of each variable."""

    def __init__(self, slave: FMU3Slave, description: Any):
        self.slave = slave
        self._values = Values(slave, description)
        self.references, self.lengths = self._values.references, self._values.lengths
        self.messages: list[str] = []
        self.time = 0.0

    def get(self, *names: str) -> np.ndarray:
        return np.array(self._values.get(names))

    def set(self, **values: float | np.ndarray) -> None:
        self.put(values)

    def put(self, values: Mapping[str, float | np.ndarray]) -> None:
        """Set variables by names that need not be Python identifiers; arrays by all of their elements."""
        self._values.set(values)

    def start(self, **values: float) -> Guest:
        self.slave.enterInitializationMode()
        if values:
            self.set(**values)
        self.slave.exitInitializationMode()
        return self

    def step(self, size: float = TICK) -> tuple[bool, bool, bool, float]:
        answer = self.slave.doStep(self.time, size)
        self.time = answer[3]
        return answer


@contextmanager
def guest(path: Path, logging: bool = True, **options: Any) -> Iterator[Guest]:
    """Instance of an FMI 3.0 FMU, with or without logging; `options` go to its instantiation."""
    folder = str(extract(str(path)))
    description = read_model_description(str(path))
    slave = FMU3Slave(
        guid=description.guid, unzipDirectory=folder, instanceName="guest",
        modelIdentifier=description.coSimulation.modelIdentifier,
    )  # fmt: skip
    instance = Guest(slave, description)
    slave.instantiate(
        loggingOn=logging,
        logMessage=lambda env, status, category, text: instance.messages.append(text.decode()),
        **options,
    )
    yield instance
    slave.freeInstance()
    shutil.rmtree(folder, ignore_errors=True)
