"""FMUs that are WebAssembly components, run by wasmtime, and the libraries of the same FMUs behind the same calls."""

from __future__ import annotations

import ctypes
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from fmpy import extract, read_model_description
from fmpy.fmi3 import FMU3Model, FMU3Slave
from wasmtime import Engine, Store
from wasmtime.component import Component, Linker, Record

PACKAGE = "fmi:fmi3/{}@3.0.0"
STEPS, EXCHANGE = "co-simulation", "model-exchange"


def wasm_of(path: Path) -> bytes:
    """The component of an FMU."""
    with zipfile.ZipFile(path) as archive:
        (name,) = [name for name in archive.namelist() if name.startswith("binaries/wasm32-wasip2/")]
        return archive.read(name)


class Loaded:
    """A component in memory; it may have many instances. `log`: instance, status, category and text of messages."""

    def __init__(self, path: Path):
        self.description = read_model_description(str(path))
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}
        self.log: list[tuple[str, str, str, str]] = []
        self.updates: list[tuple[Any, ...]] = []  #: arguments of intermediate updates
        self.leave = False  #: answer to them
        self.meanwhile: Callable[[], object] = list  #: what the importer does during an update
        engine = Engine()
        self.store, linker = Store(engine), Linker(engine)
        with linker.root() as root:
            with root.add_instance(PACKAGE.format("callbacks")) as callbacks:
                callbacks.add_func("log-message", self._note)
            with root.add_instance(PACKAGE.format("intermediate-update-callbacks")) as callbacks:
                callbacks.add_func("intermediate-update", self._update)
        self.exports = linker.instantiate(self.store, Component(engine, wasm_of(path)))

    def _note(self, _: Any, *entry: Any) -> None:
        self.log.append(entry)

    def _update(self, _: Any, *arguments: Any) -> tuple[bool, float]:
        self.updates.append(arguments)
        self.meanwhile()
        return self.leave, arguments[0]

    def function(self, interface: str, name: str) -> Any:
        """A function of an interface, whose results are freed."""
        place = self.exports.get_export_index(self.store, PACKAGE.format(interface))
        found = self.exports.get_func(self.store, self.exports.get_export_index(self.store, name, place))
        assert found is not None, name

        def call(*arguments: Any) -> Any:
            result = found(self.store, *arguments)
            if hasattr(found, "post_return"):
                found.post_return(self.store)
            return result

        return call

    def instance(self, kind: str, *options: Any, token: str | None = None, logging: bool = False) -> Instance:
        """A new instance of an interface, such as "co-simulation". Raises LookupError if the component makes none.

        options: further arguments of its instantiation.
        """
        create = self.function(kind, f"[static]{kind}-instance.instantiate-{kind}")
        token = self.description.guid if token is None else token
        handle = create("guest", token, "", False, logging, *options)
        if handle is None:
            raise LookupError(self.log)
        return Instance(self, kind, handle)


class Instance:
    """An instance of an interface; its methods have the names of the draft, with underscores. Records are tuples."""

    def __init__(self, loaded: Loaded, kind: str, handle: Any):
        self.loaded, self.kind, self.handle = loaded, kind, handle
        self._calls: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name not in self._calls:
            method = f"[method]{self.kind}-instance.{name.replace('_', '-')}"
            self._calls[name] = self.loaded.function(self.kind, method)
        call = self._calls[name]

        def with_tuples(*arguments: Any) -> Any:
            answer = call(self.handle, *arguments)
            return tuple(vars(answer).values()) if isinstance(answer, Record) else answer

        return with_tuples

    def get(self, *names: str) -> list[float]:
        values: list[float] = self.get_float64([self.loaded.references[name] for name in names])
        return values

    def set(self, values: Mapping[str, float]) -> str:
        answer: str = self.set_float64([self.loaded.references[name] for name in values], list(values.values()))
        return answer

    def free(self) -> None:
        self.handle.drop(self.loaded.store)


class Native:
    """An instance of an FMU's library for this platform, with the same methods."""

    def __init__(self, fmu: FMU3Slave | FMU3Model, description: Any):
        self.fmu = fmu
        self.references = {v.name: v.valueReference for v in description.modelVariables}
        self.lengths = {
            v.valueReference: int(np.prod([int(d.start) for d in v.dimensions])) for v in description.modelVariables
        }

    def __getattr__(self, name: str) -> Any:
        return getattr(self.fmu, re.sub("_([a-z])", lambda found: found[1].upper(), name))

    def get_float64(self, references: Sequence[int]) -> list[float]:
        return list(self.fmu.getFloat64(references, sum(self.lengths[r] for r in references)))

    def set(self, values: Mapping[str, float]) -> None:
        self.fmu.setFloat64([self.references[name] for name in values], list(values.values()))

    def _listed(self, getter: Any, counter: Any) -> list[float]:
        count = ctypes.c_size_t()
        counter(self.fmu.component, ctypes.byref(count))
        values = (ctypes.c_double * count.value)()
        getter(values, count.value)
        return list(values)

    def get_continuous_states(self) -> list[float]:
        return self._listed(self.fmu.getContinuousStates, self.fmu.fmi3GetNumberOfContinuousStates)

    def get_continuous_state_derivatives(self) -> list[float]:
        return self._listed(self.fmu.getContinuousStateDerivatives, self.fmu.fmi3GetNumberOfContinuousStates)

    def get_event_indicators(self) -> list[float]:
        return self._listed(self.fmu.getEventIndicators, self.fmu.fmi3GetNumberOfEventIndicators)

    def set_continuous_states(self, x: Sequence[float]) -> None:
        self.fmu.setContinuousStates((ctypes.c_double * len(x))(*x), len(x))


@contextmanager
def native(path: Path, kind: str) -> Iterator[Native]:
    """An instance of an interface, such as "co-simulation"."""
    folder = str(extract(str(path)))
    description = read_model_description(str(path))
    made = FMU3Slave if kind == STEPS else FMU3Model
    fmu = made(
        guid=description.guid, unzipDirectory=folder, instanceName="guest",
        modelIdentifier=description.coSimulation.modelIdentifier,
    )  # fmt: skip
    fmu.instantiate()
    yield Native(fmu, description)
    fmu.freeInstance()
    shutil.rmtree(folder, ignore_errors=True)
