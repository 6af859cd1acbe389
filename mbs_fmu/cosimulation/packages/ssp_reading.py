"""Reading of SSP packages, of any tool: nested systems become elements with dots in their names.

Values of parameters come from inline sets and .ssv files; those of outer systems, and later ones, win. Connections go
through the connectors of nested systems to the outputs of FMUs.
"""

from __future__ import annotations

import math
import re
from dataclasses import field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urldefrag

from lxml.etree import _Element as Element

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.suggestions import did_you_mean
from ..description import Description, Measure
from .archive import Archive, child, children, inner, opened, tag
from .parameter_sets import Value, measures_of, values_of
from .ssp import DESCRIPTION, FMU, NAMESPACES

NESTED = {"application/x-ssp-package": True, "application/x-ssp-definition": False}  #: true for archives of their own
SUFFIXES = (".ssp", ".ssd")
DEEPEST = 20  #: nesting of systems


class Transformation(NamedTuple):
    """Change of the values of a connection: a conversion of units, unless `is_raw`, and then factor x + offset."""

    factor: float = 1.0
    offset: float = 0.0
    is_raw: bool = False

    def after(self, first: Transformation) -> Transformation:
        """Return this transformation of what another one gives."""
        return Transformation(
            self.factor * first.factor, self.factor * first.offset + self.offset, self.is_raw or first.is_raw
        )

    @property
    def numbers(self) -> dict[str, float]:
        """Factor and offset as arguments of `System.connect`."""
        return {"factor": self.factor, "offset": self.offset}


Node = tuple[str, str]  #: path of an element, and the name of its connector


@dataclass
class Package:
    """A system as its file describes it, flat.

    fmus: content of each FMU by the name of its source, sources: those of the elements. values: start values by element
    and name. links: source and transformation by target. stop_time, step: of the experiment, s, if the file has them.
    flanges: inputs of efforts and velocities by pair of coupled flanges, if this package wrote the file. notes: what is
    left out.
    """

    name: str
    fmus: dict[str, bytes] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    values: dict[str, dict[str, Value]] = field(default_factory=dict)
    links: dict[Node, tuple[Node, Transformation]] = field(default_factory=dict)
    stop_time: float | None = None
    step: float | None = None
    flanges: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def unpacked(self, folder: Path) -> dict[str, Path]:
        """Write all FMUs below a folder, and return their files by source."""
        files = {}
        for number, (source, content) in enumerate(self.fmus.items()):
            path = folder / str(number) / re.sub(r"[^\w.-]", "_", source.rpartition("/")[2])
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            files[source] = path
        return files

    def start(self, element: str, description: Description) -> tuple[dict[str, Any], list[str]]:
        """Return start values of an element by name, and notes on values of variables that its FMU does not have."""
        values, unknown = {}, []
        for name, value in self.values.get(element, {}).items():
            try:
                slots = description.slots(name)
            except ModelError:
                hint = did_you_mean(name, description.variables)
                unknown.append(
                    f"parameter '{element}.{name}' is no variable of {description.path.name}{hint}: left out"
                )
                continue
            values[name] = value.start(slots[0].variable, f"parameter '{element}.{name}'")
        return values, unknown


def read_ssp(path: Path) -> Package:
    """Read an SSP package (.ssp), or a description with its files beside it (.ssd).

    Raises ModelError, which names the thing, for files that are missing or unreadable, components that are neither FMUs
    nor systems, parameter mappings, signal dictionaries, and transformations by tables.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise ModelError(f"{path.name}: System.read takes packages NAME.ssp and descriptions NAME.ssd")
    source = path.name if path.suffix.lower() == ".ssd" else DESCRIPTION
    with opened(path) as archive:
        document = _description(archive, source)
        package = Package(document.get("name", path.stem))
        reader = _Reader(package)
        reader.measures = measures_of(document)
        reader.system(_system(document, source, ""), archive, "", 0)
    reader.connect()
    _experiment(document, package)
    for pair in (x for x in document.iter() if x.tag == f"{{{NAMESPACES['mbs']}}}Pair"):
        package.flanges[pair.get("name", "")] = [(x.get("effort", ""), x.get("velocity", "")) for x in pair]
    return package


class _Reader:
    """Walks through nested systems, and collects elements, connections and values."""

    def __init__(self, package: Package):
        self.package = package
        self.edges: dict[Node, tuple[Node, Transformation]] = {}  #: by target
        self.bound: dict[Node, Value] = {}  #: values of connectors of systems
        self.measures: dict[str, Measure] = {}  #: units that descriptions define

    def system(self, system: Element, archive: Archive, path: str, depth: int) -> None:
        """Read a system at a path, which is empty for the outermost one."""
        if depth > DEEPEST:
            raise ModelError(f"{archive.name}: systems are nested more than {DEEPEST} deep: this is no model")
        prefix = f"{path}." if path else ""
        for element in children(system, "Elements"):
            self.element(element, archive, prefix + element.get("name", ""), depth)
        if child(system, "SignalDictionaries") is not None:
            raise ModelError(f"{archive.name}: {_thing(path)} has signal dictionaries, which are not supported")
        names = [element.get("name", "") for element in children(system, "Elements")]
        for connection in children(system, "Connections"):
            self.connection(connection, archive, path, names)
        self.bind(system, archive, path, False)

    def element(self, element: Element, archive: Archive, path: str, depth: int) -> None:
        """Read a component or a nested system."""
        kind = tag(element)
        if kind == "System":
            return self.system(element, archive, path, depth + 1)
        if kind != "Component":
            raise ModelError(f"{archive.name}: {_thing(path)} is a {kind}, which is not supported")
        type, source = element.get("type", FMU), element.get("source", "")
        if type in NESTED:
            return self.nested(element, archive, path, depth)
        if type != FMU:
            raise ModelError(f"{archive.name}: {_thing(path)} has the type {type!r}: give an FMU or a system")
        if path in self.package.sources:
            raise ModelError(f"{archive.name}: {_thing(path)} is there twice: give each element a name of its own")
        key = f"{archive.name}/{source}"
        if key not in self.package.fmus:
            self.package.fmus[key] = archive.bytes(source, _thing(path))
        self.package.sources[path] = key
        if element.get("implementation") == "ModelExchange":
            self.package.notes.append(f"element {path} is meant for model exchange: use coupling='exchange'")
        self.bind(element, archive, path, True)
        return None

    def nested(self, element: Element, archive: Archive, path: str, depth: int) -> None:
        """Read a component that is a system in a file of its own."""
        source, fragment = urldefrag(element.get("source", ""))
        if NESTED[element.get("type", "")]:
            within = inner(archive.bytes(source, _thing(path)), f"{archive.name}/{source}")
            file = fragment or DESCRIPTION
        else:
            within, file = archive, source
        if not file:
            raise ModelError(f"{archive.name}: {_thing(path)} names a part of the same description: give it a file")
        self.system(_system(_description(within, file), file, path), within, path, depth + 1)
        self.bind(element, archive, path, False)

    def connection(self, connection: Element, archive: Archive, path: str, names: list[str]) -> None:
        """Read a connection inside a system, whose elements have these names.

        Raises ModelError for other elements, inputs with two sources, and transformations by tables.
        """
        ends = []
        for end in ("start", "end"):
            name = connection.get(f"{end}Element")
            if name is not None and name not in names:
                raise ModelError(
                    f"{archive.name}: the connection on line {connection.sourceline} names {name!r}, but "
                    f"{_thing(path)} has no such element{did_you_mean(name, names)}"
                )
            inside = path if name is None else f"{path}.{name}" if path else name
            ends.append((inside, connection.get(f"{end}Connector", "")))
        raw = connection.get("suppressUnitConversion") in ("true", "1")
        change = Transformation(is_raw=raw)
        for part in connection:
            if tag(part) == "LinearTransformation":
                change = Transformation(_number(part, "factor", 1.0), _number(part, "offset", 0.0), raw)
            elif tag(part).endswith("MappingTransformation"):
                raise ModelError(
                    f"{archive.name}: the connection to {_label(ends[1])!r} maps values by a table: give it a "
                    "factor and an offset"
                )
        if ends[1] in self.edges:
            first = _label(self.edges[ends[1]][0])
            raise ModelError(
                f"{archive.name}: {_label(ends[1])!r} is connected twice, to {first!r} and {_label(ends[0])!r}"
            )
        self.edges[ends[1]] = ends[0], change

    def bind(self, element: Element, archive: Archive, path: str, is_fmu: bool) -> None:
        """Read the values of parameters of an element; those of a system name an inner element and its parameter."""
        inside = (lambda: self._inside(path)) if is_fmu else None
        for name, value in values_of(element, archive, _thing(path), inside, self.measures):
            if is_fmu:
                self.package.values.setdefault(path, {})[name] = value
                continue
            whole = f"{path}.{name}" if path else name
            owners = [owner for owner in self.package.sources if whole.startswith(f"{owner}.")]
            if owners:
                owner = max(owners, key=len)
                self.package.values.setdefault(owner, {})[whole[len(owner) + 1 :]] = value
            else:
                self.bound[path, name] = value

    def _inside(self, path: str) -> Archive:
        """Return the files inside the FMU of a component."""
        source = self.package.sources[path]
        return inner(self.package.fmus[source], source)

    def connect(self) -> None:
        """Follow connections back through connectors of systems, to the outputs of FMUs or to values."""
        used: set[Node] = set()
        for target in self.edges:
            if target[0] not in self.package.sources:
                continue
            source, change = self.edges[target]
            seen = {target}
            while source not in seen and source[0] not in self.package.sources and source in self.edges:
                seen.add(source)
                source, before = self.edges[source]
                change = change.after(before)
            if source[0] in self.package.sources:
                self.package.links[target] = source, change
            elif source in self.bound:
                used.add(source)
                values = self.package.values.setdefault(target[0], {})
                values[target[1]] = self.bound[source].changed(change.factor, change.offset)
            else:
                self.package.notes.append(
                    f"{_label(target)!r} gets no value: nothing is connected to {_label(source)!r}, from which it comes"
                )
        for node in self.bound.keys() - used:
            self.package.notes.append(f"parameter {_label(node)!r} names nothing: left out")
        self.package.notes.sort()


def _description(archive: Archive, source: str) -> Element:
    """Return the root of a description. Raises ModelError for other files and unknown versions."""
    document = archive.xml(source, "the package")
    if tag(document) != "SystemStructureDescription":
        raise ModelError(f"{archive.name}: {source} is no description of a system, but <{tag(document)}>")
    version = document.get("version", "")
    if version.partition(".")[0] not in ("1", "2"):
        raise ModelError(f"{archive.name}: {source} is SSP {version}: versions 1 and 2 are supported")
    return document


def _system(document: Element, source: str, path: str) -> Element:
    system = child(document, "System")
    if system is None:
        raise ModelError(f"{source} of {_thing(path)} has no system")
    return system


def _experiment(document: Element, package: Package) -> None:
    """Read the stop time, and the step from the annotations of libcosim and OMSimulator."""
    experiment = child(document, "DefaultExperiment")
    if experiment is not None:
        package.stop_time = _number(experiment, "stopTime", None)
        start = _number(experiment, "startTime", 0.0)
        if start:
            package.notes.append(f"the experiment begins at {start:g} s; runs begin at 0")
    for element in document.iter():
        name = {"FixedStepAlgorithm": "baseStepSize", "FixedStepMaster": "stepSize"}.get(tag(element))
        if name is not None and package.step is None:
            package.step = _number(element, name, None)


def _number(element: Element, attribute: str, default: float | None) -> float:
    """Return a finite number of an attribute, or the default. Raises ModelError."""
    text = element.get(attribute)
    if text is None:
        return default  # type: ignore[return-value]
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ModelError(
            f"{attribute} of <{tag(element)}> on line {element.sourceline} is {text!r}: give a finite number"
        )
    return value


def _label(node: Node) -> str:
    return ".".join(part for part in node if part)


def _thing(path: str) -> str:
    return f"element {path!r}" if path else "the system"
