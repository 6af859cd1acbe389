"""FMUs that are WebAssembly components, run by wasmtime."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fmpy import read_model_description
from wasmtime import Engine, Store
from wasmtime.component import Component, Linker

PACKAGE = "fmi:fmi3/{}@3.0.0"
KINDS = {"co-simulation": "coSimulation", "model-exchange": "modelExchange"}


def wasm_of(path: Path) -> bytes:
    """The component of an FMU."""
    with zipfile.ZipFile(path) as archive:
        (name,) = [name for name in archive.namelist() if name.startswith("binaries/wasm32-wasip2/")]
        return archive.read(name)


class Loaded:
    """A component in memory; it may have many instances. `log`: instance, status, category and text of messages.

    strict: the importer offers no intermediate update, as far as the component permits it.
    """

    def __init__(self, path: Path):
        self.description = read_model_description(str(path))
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}
        self.log: list[tuple[str, str, str, str]] = []
        self.updates: list[tuple[Any, ...]] = []  #: arguments of intermediate updates
        self.leave = False  #: answer to them
        engine = Engine()
        self.store, linker = Store(engine), Linker(engine)
        with linker.root() as root:
            with root.add_instance(PACKAGE.format("callbacks")) as callbacks:
                callbacks.add_func("log-message", lambda _, *entry: self.log.append(entry))
            with root.add_instance(PACKAGE.format("intermediate-update-callbacks")) as callbacks:
                callbacks.add_func("intermediate-update", self._update)
        self.exports = linker.instantiate(self.store, Component(engine, wasm_of(path)))

    def _update(self, _: Any, *arguments: Any) -> tuple[bool, float]:
        self.updates.append(arguments)
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
        token = self.description.instantiationToken if token is None else token
        handle = create("guest", token, "", False, logging, *options)
        if handle is None:
            raise LookupError(self.log)
        return Instance(self, kind, handle)


class Instance:
    """An instance of an interface; its methods have the names of the draft, with underscores."""

    def __init__(self, loaded: Loaded, kind: str, handle: Any):
        self.loaded, self.kind, self.handle = loaded, kind, handle
        self._calls: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name not in self._calls:
            method = f"[method]{self.kind}-instance.{name.replace('_', '-')}"
            self._calls[name] = self.loaded.function(self.kind, method)
        call = self._calls[name]
        return lambda *arguments: call(self.handle, *arguments)

    def get(self, names: Sequence[str]) -> list[float]:
        values: list[float] = self.get_float64([self.loaded.references[name] for name in names])
        return values

    def set(self, values: dict[str, float]) -> str:
        answer: str = self.set_float64([self.loaded.references[name] for name in values], list(values.values()))
        return answer

    def free(self) -> None:
        self.handle.drop(self.loaded.store)
