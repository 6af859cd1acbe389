"""Which programs can load an FMU: a line about each export, and the findings of `mbs-fmu check --for`."""

from __future__ import annotations

import logging
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fmpy import read_model_description

from ..infrastructure.errors import Argument, ArgumentError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from .native.platforms import ALL

log = logging.getLogger("mbs_fmu")

SYSTEMS = {"linux": "Linux", "windows": "Windows", "darwin": "macOS", "wasip2": "WebAssembly"}
PROCESSORS = {"x86_64": "x86", "aarch64": "ARM", "wasm32": "experimental"}
SIMPLE = re.compile(r"\w+", re.ASCII)

_told: set[str] = set()  #: kinds of FMUs whose line has been logged in this process


@dataclass(frozen=True)
class Form:
    """Properties of an FMU on which it depends where it can be loaded.

    kind: "python" or "native"; None for FMUs of other tools. platforms: names as in `ALL` of its libraries.
    enumerations: names of inputs that are enumerations.
    """

    kind: str | None
    version: str
    exchange: bool
    steps: bool
    platforms: Sequence[str]
    sources: bool
    has_arrays: bool = False
    has_dots: bool = False
    enumerations: Sequence[str] = ()

    @property
    def is_component(self) -> bool:
        """True if it runs as a WebAssembly component only."""
        return bool(self.platforms) and not self.sources and all(ALL[name].is_component for name in self.platforms)

    @property
    def where(self) -> str:
        """Systems with their processors, and C sources; empty if it has neither."""
        parts = [_systems(self.platforms)] if self.platforms else []
        return ", ".join([*parts, *(["C sources"] if self.sources else [])])

    def line(self, file: str) -> str:
        """Return a sentence about who can load it."""
        if self.kind == "python":
            return (
                f"{file}: for co-simulation in Python programs that have mbs_fmu (fmpy, libcosim, Ecos); Simulink, "
                'OpenModelica and other programs without Python cannot load it: kind="native" (--native)'
            )
        what = " and ".join(
            name for name, has in (("model exchange", self.exchange), ("co-simulation", self.steps)) if has
        )
        parts = [f"FMI {self.version}", what, *([self.where] if self.where else [])]
        return f"{file}: {', '.join(parts)}" + ("; needs no Python" if self.kind == "native" else "")


@dataclass(frozen=True)
class Importer:
    """A program, and the FMUs that it loads. See docs/importing.md for sources.

    python: it runs FMUs of kind "python"; unfit: why it does not. enumerations: it sets inputs of this type.
    takes_dots: names with dots and brackets stay as they are.
    """

    name: str
    versions: tuple[str, ...]
    python: bool = False
    exchange: bool = True
    steps: bool = True
    arrays: bool = True
    takes_dots: bool = True
    enumerations: bool = True
    unfit: str = "has no Python, which this FMU needs"

    def findings(self, form: Form) -> Iterator[str]:
        """Yield a sentence for each property that keeps it from loading an FMU, with the remedy."""
        if form.kind == "python" and not self.python:
            yield f"{self.name} {self.unfit}: export it with --native"
        if form.version not in self.versions:
            yield f"{self.name} does not read FMI {form.version}: export it with --fmi {self.versions[0]}"
        if not (form.steps and self.steps or form.exchange and self.exchange):
            wanted = "model exchange" if self.exchange else "co-simulation"
            remedy = ": export it with --native" if form.kind == "python" else ""
            yield f"{self.name} uses {wanted}, which this FMU lacks{remedy}"
        if form.has_arrays and not self.arrays:
            yield f"{self.name} reads arrays incorrectly or not at all: export it with --no-arrays"
        if form.is_component:
            yield f"{self.name} runs no WebAssembly components: export it with more --platforms"

    def notes(self, form: Form) -> Iterator[str]:
        """Yield what is different there, but no obstacle."""
        if form.has_dots and not self.takes_dots:
            yield f"{self.name} renames variables with dots or brackets: --naming flat avoids that"
        if form.enumerations and not self.enumerations:
            inputs = "input" if len(form.enumerations) == 1 else "inputs"
            yield f"{self.name} has no enumerations: {inputs} {listed(form.enumerations)} cannot be set there"
        lacks = [name for name, p in ALL.items() if p.is_in_all and name not in form.platforms]
        if form.kind == "native" and form.platforms and lacks and not form.is_component:
            yield f"it loads on {_systems(form.platforms)} only, not on {_systems(lacks)}: --platforms all avoids that"


UNTRIED = "was not tried with FMUs that need Python"
TOO_OLD = "requires versions of fmpy and pythonfmu that are too old for mbs_fmu, which this FMU needs"
IMPORTERS = {
    x.name.lower(): x
    for x in (
        Importer("fmpy", ("2.0", "3.0"), python=True),
        Importer("libcosim", ("2.0",), python=True, exchange=False, enumerations=False),
        Importer("Ecos", ("2.0", "3.0"), python=True, exchange=False, arrays=False, enumerations=False),
        Importer("fmucontainer", ("2.0", "3.0"), exchange=False, unfit=UNTRIED),
        Importer("OMSimulator", ("2.0", "3.0"), arrays=False),
        Importer("pathsim", ("2.0", "3.0"), arrays=False, unfit=UNTRIED),
        Importer("cofmupy", ("2.0", "3.0"), exchange=False, arrays=False, unfit=TOO_OLD),
        Importer("CasADi", ("2.0", "3.0"), steps=False, arrays=False, unfit=UNTRIED),
        Importer("OpenModelica", ("2.0", "3.0"), steps=False, takes_dots=False),
        Importer("Simulink", ("2.0", "3.0"), takes_dots=False),
    )
}


def form_of(path: Path) -> Form:
    """Return the form of an FMU. Raises the errors of fmpy and zipfile if it cannot be read."""
    description: Any = read_model_description(str(path))
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    folders = {name.split("/")[1] for name in names if name.startswith("binaries/") and name.count("/") > 1}
    version = str(description.fmiVersion)
    major = version.partition(".")[0]
    found = [p.name for p in ALL.values() if folders & ({p.name} if major == "3" else set(p.folders2))]
    settable = [v for v in description.modelVariables if v.causality in ("input", "output", "parameter")]
    return Form(
        kind=kind_of(names), version="3.0" if major == "3" else version, exchange=description.modelExchange is not None,
        steps=description.coSimulation is not None, platforms=found,
        sources=any(name.startswith("sources/") for name in names),
        has_arrays=any(v.dimensions for v in description.modelVariables),
        has_dots=any(not SIMPLE.fullmatch(v.name) for v in settable),
        enumerations=tuple(
            v.name for v in description.modelVariables if v.causality == "input" and v.type == "Enumeration"
        ),
    )  # fmt: skip


def kind_of(names: Sequence[str]) -> str | None:
    """Return the kind of an FMU of this package by the names of its files; None for other FMUs."""
    if "resources/kernels.txt" not in names:
        return None
    return "python" if "resources/integration.xml" in names else "native"


def importer_named(program: str) -> Importer:
    """Return a program by its name, in any case. Raises ArgumentError for another one."""
    importer = IMPORTERS.get(program.lower())
    if importer is None:
        known = [x.name for x in IMPORTERS.values()]
        hint = did_you_mean(program.lower(), IMPORTERS)
        raise ArgumentError(Argument("program"), f" is {display(program)}: use {listed(known)}{hint}")
    return importer


def tell(form: Form, file: str) -> None:
    """Log who can load a new FMU, once in this process for each kind: a warning for FMUs that need Python."""
    kind = form.kind or ""
    if kind not in _told:
        _told.add(kind)
        log.log(logging.WARNING if kind == "python" else logging.INFO, form.line(file))


def keep_quiet() -> None:
    """Log no such lines any more in this process, because its caller prints them."""
    _told.update(("python", "native"))


def _systems(platforms: Sequence[str]) -> str:
    """Return systems with their processors, such as Linux (x86, ARM)."""
    found: dict[str, list[str]] = {}
    for name in platforms:
        processor, _, system = name.partition("-")
        found.setdefault(SYSTEMS.get(system, system), []).append(PROCESSORS.get(processor, processor))
    return ", ".join(f"{system} ({', '.join(dict.fromkeys(names))})" for system, names in found.items())
