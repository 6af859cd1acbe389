"""FMI 2.0 hosts of FMUs, FMUs built once for all tests, and Python processes."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from fmpy import extract, read_model_description
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave, defaultCallbacks, fmi2CallbackFunctions, fmi2CallbackLoggerTYPE

import mbs_fmu as mbs
from support.hosts.typed import Values
from support.models.fmu_models import METHODS, MODELS
from support.paths import TESTS

ROOT = Path(mbs.__file__).parents[1]


class Builder:
    """Exports each of MODELS with each of METHODS once into a folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._built: dict[tuple[str, ...], Path] = {}

    def __call__(self, model: str, method: str = "rk4", kind: str = "python", fmi: str = "2.0") -> Path:
        key = (model, method, kind, fmi)
        if key not in self._built:
            m = MODELS[model]()
            path = self.folder / "_".join(key) / f"{m.name}.fmu"
            options = {
                "stop_time": 0.5 if model in ("burst", "overturned") else 1.0,
                "communication_step": 0.01,
                **METHODS[method],
            }
            platforms = "host" if kind == "native" else "all"
            self._built[key] = mbs.export(m, path, kind, fmi=fmi, platforms=platforms, **options)
        return self._built[key]


# -- hosts -------------------------------------------------------------------------------------------


class Host:
    """One co-simulation instance of an FMU, driven by fmpy; `messages` has its warnings and errors.

    beside: another instance of the same FMU, whose unpacked folder and library this one shares.
    """

    def __init__(self, path: Path, logging: bool = True, name: str = "instance", beside: Host | None = None):
        self.description = read_model_description(str(path))
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}
        self.log: list[tuple[int, str, str]] = []  #: warnings and errors: status, category, text
        self.news: list[tuple[int, str, str]] = []  #: information that the FMU logs
        self.time = 0.0
        self._own = beside is None
        self._folder = str(extract(str(path))) if beside is None else beside._folder
        self._callbacks = fmi2CallbackFunctions()
        self._callbacks.logger = fmi2CallbackLoggerTYPE(self._note)
        self._callbacks.allocateMemory = defaultCallbacks.allocateMemory
        self._callbacks.freeMemory = defaultCallbacks.freeMemory
        self.slave = FMU2Slave(
            guid=self.description.guid,
            unzipDirectory=self._folder,
            modelIdentifier=self.description.coSimulation.modelIdentifier,
            instanceName=name,
        )
        self._values = Values(self.slave, self.description)
        self.slave.instantiate(callbacks=self._callbacks, loggingOn=logging)

    def _note(self, environment: Any, instance: bytes, status: int, category: bytes | None, text: bytes) -> None:
        entry = (status, (category or b"").decode(), text.decode())
        (self.news if entry[1] in ("info", "events") else self.log).append(entry)

    @property
    def messages(self) -> str:
        return "\n".join(text for _, _, text in self.log)

    def __enter__(self) -> Host:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.slave.freeInstance()
        if self._own:
            shutil.rmtree(self._folder, ignore_errors=True)

    def begin(
        self, values: Mapping[str, float] | None = None, start: float = 0.0, tolerance: float | None = None
    ) -> Host:
        """Enter initialization mode and set values there."""
        self.time = start
        self.slave.setupExperiment(startTime=start, tolerance=tolerance)
        self.slave.enterInitializationMode()
        self.set(values or {})
        return self

    def start(
        self, values: Mapping[str, float] | None = None, start: float = 0.0, tolerance: float | None = None
    ) -> Host:
        """Initialize with these values; the instance is ready for its first step."""
        self.begin(values, start, tolerance)
        self.slave.exitInitializationMode()
        return self

    def set(self, values: Mapping[str, float]) -> None:
        if values:
            self._values.set(values)

    def get(self, *names: str) -> list[float]:
        return self._values.get(names)

    def all(self) -> np.ndarray:
        """Values of all variables, in the order of the description."""
        return np.array(self._values.get(self.references))

    def outputs(self) -> list[str]:
        return [v.name for v in self.description.modelVariables if v.causality == "output"]

    def step(self, size: float = 0.01) -> None:
        """Make one communication step; advances `time` if it succeeds."""
        self.slave.doStep(currentCommunicationPoint=self.time, communicationStepSize=size)
        self.time += size

    def restore(self, state: Any) -> None:
        """Restore a saved state, and `time` with it."""
        self.slave.setFMUstate(state)
        self.time = self.get("time")[0]

    def run(self, count: int, size: float = 0.01) -> np.ndarray:
        """Make `count` communication steps; the values of all variables after each, one row per step."""
        rows = []
        for _ in range(count):
            self.step(size)
            rows.append(self.all())
        return np.array(rows)


# -- processes ---------------------------------------------------------------------------------------


def environment(**more: str) -> dict[str, str]:
    """This process's environment with the package and tests on the path."""
    path = os.pathsep.join(p for p in (str(ROOT), str(TESTS), os.environ.get("PYTHONPATH")) if p)
    return {**os.environ, "PYTHONPATH": path, **more}


def python(code: str, *arguments: str, timeout: float = 300.0, **more: str) -> subprocess.CompletedProcess[str]:
    """Run code in a new Python process with the environment variables `more`."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment(**more), capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip


# -- shared by the tests of FMUs ---------------------------------------------------------------------

WARNING, DISCARD, ERROR = 1, 2, 3  #: fmi2Status
LAST_SUCCESSFUL_TIME = 2  #: fmi2StatusKind
NAN = math.nan


def description(path: Path) -> ET.Element:
    with zipfile.ZipFile(path) as archive:
        return ET.fromstring(archive.read("modelDescription.xml"))


def assert_discards(host: Host, size: float = 0.01) -> None:
    """Assert that a communication step returns fmi2Discard."""
    with pytest.raises(FMICallException, match="discard"):
        host.step(size)
