"""Packages of System Structure and Parameterization (SSP 1.0 and 2.0), in the form that all known readers read.

The form is narrower than the standard. libcosim and Ecos match prefixes of names as text, so namespaces are declared at
the root under their usual prefixes. libcosim reads one set of parameters for each component, and no hierarchy. FMPy
sets all inputs that are listed, so only connected variables are. OMSimulator needs its annotation, and identifiers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from ...fmi.description.description import to_text
from ...fmi.packing import pack
from ...infrastructure.arguments import is_one_of
from ...infrastructure.errors import ArgumentError
from ...infrastructure.messages.failures import display
from ...infrastructure.version import VERSION
from ..description import Measure, Slot, Variable
from ..order import label
from .diagram import blocks
from .page import page
from .structure import (
    Structure,
    base_attributes,
    check_names,
    check_scalars,
    check_steps,
    connected_enumerations,
    text_of,
    transformations,
    units,
)

Items = tuple[tuple[str, int], ...]  #: names and numbers of an enumeration

VERSIONS = ("1.0", "2.0")
DESCRIPTION = "SystemStructure.ssd"
NAMESPACES = {
    "ssd": "http://ssp-standard.org/SSP1/SystemStructureDescription",
    "ssc": "http://ssp-standard.org/SSP1/SystemStructureCommon",
    "ssv": "http://ssp-standard.org/SSP1/SystemStructureParameterValues",
    "osp": "http://opensimulationplatform.com/SSP/OSPAnnotations",
    "oms": "https://raw.githubusercontent.com/OpenModelica/OMSimulator/master/schema/oms.xsd",
    "mbs": "https://mbs-fmu.org/systems",
}
FLANGES = "org.mbs-fmu.flanges"  #: type of the annotation with pairs of coupled flanges, which this package reads
FMU = "application/x-fmu-sharedlibrary"
SET = "start"  #: name of each set of start values
#: Types of SSP 1.0 for those of FMI 3.0, and types of SSP 2.0 for those of FMI 2.0.
TYPES = {
    "1.0": {"Float64": "Real", "Float32": "Real", "Int32": "Integer"},
    "2.0": {"Real": "Float64", "Integer": "Int32"},
}
OLD_TYPES = ("Real", "Integer", "Boolean", "String")  #: of SSP 1.0, of parameters


def write_ssp(structure: Structure, path: Path, version: str = "1.0") -> None:
    """Write an SSP package with all FMUs; equal systems give equal bytes.

    Raises ArgumentError for a version that is neither "1.0" nor "2.0", and for systems that the readers do not
    understand: names of elements that are no identifiers, arrays, conversions of units, and FMUs without co-simulation.
    """
    if not is_one_of(version, VERSIONS):
        raise ArgumentError(f"version is {display(version)}: SSP has {' and '.join(map(repr, VERSIONS))}")
    check_steps(structure)
    check_names(structure)
    check_scalars(structure, "SSP")
    document = ET.Element(
        "ssd:SystemStructureDescription",
        {**{f"xmlns:{prefix}": uri for prefix, uri in NAMESPACES.items()}, "version": version, "name": structure.name,
         "generationTool": f"mbs_fmu {VERSION}"},
    )  # fmt: skip
    items = _items(structure)
    _add_system(document, structure, version, items)
    _add_enumerations(document, items)
    _add_units(document, "ssd:Units", units((e, v) for e in structure.elements for v in structure.connected(e)))
    _add_experiment(document, structure)
    files = {DESCRIPTION: to_text(document).encode(), "documentation/index.html": page(structure).encode()}
    pack(path, files | structure.contents("resources/"))


def _add_system(document: ET.Element, structure: Structure, version: str, items: Mapping[Items, str]) -> None:
    """Add elements, connections and the annotation of OMSimulator."""
    system = ET.SubElement(document, "ssd:System", {"name": "root"})
    elements = ET.SubElement(system, "ssd:Elements")
    files = structure.files()
    for name, block in blocks(structure).items():
        source = {"name": name, "type": FMU, "source": f"resources/{files[name]}", "implementation": "CoSimulation"}
        component = ET.SubElement(elements, "ssd:Component", source)
        _add_connectors(component, structure.connected(name), version, items)
        corners = zip(("x1", "y1", "x2", "y2"), block, strict=True)
        ET.SubElement(component, "ssd:ElementGeometry", {key: repr(x) for key, x in corners})
        _add_start(component, name, structure.start.get(name, ()), version)
    _add_connections(system, structure)
    annotations = ET.SubElement(system, "ssd:Annotations")
    annotation = ET.SubElement(annotations, "ssc:Annotation", {"type": "org.openmodelica"})
    settings = ET.SubElement(ET.SubElement(annotation, "oms:Annotations"), "oms:SimulationInformation")
    ET.SubElement(settings, "oms:FixedStepMaster", {
        "description": "oms-ma", "stepSize": repr(structure.step), "absoluteTolerance": "0.0001",
        "relativeTolerance": "0.0001",
    })  # fmt: skip
    if structure.bonds:
        _add_flanges(ET.SubElement(annotations, "ssc:Annotation", {"type": FLANGES}), structure)


def _add_flanges(annotation: ET.Element, structure: Structure) -> None:
    """Add the pairs of coupled flanges: the inputs of the effort at each, and of the velocity from it."""
    pairs = ET.SubElement(annotation, "mbs:Flanges")
    for name, sides in structure.bonds.items():
        pair = ET.SubElement(pairs, "mbs:Pair", {"name": name})
        for effort, velocity in sides:
            ET.SubElement(pair, "mbs:Side", {"effort": label(effort.target), "velocity": label(velocity.target)})


def _add_connectors(
    component: ET.Element, variables: Sequence[Variable], version: str, items: Mapping[Items, str]
) -> None:
    """Add the connected variables of a component with their types; items: names of enumerations."""
    if not variables:
        return
    connectors = ET.SubElement(component, "ssd:Connectors")
    for v in variables:
        connector = ET.SubElement(connectors, "ssd:Connector", {"name": v.name, "kind": v.causality})
        type = _type(v, version)
        if type is not None:
            ET.SubElement(connector, f"ssc:{type}", _unit(v))
        elif v.items:
            ET.SubElement(connector, "ssc:Enumeration", {"name": items[v.items]})


def _add_start(component: ET.Element, element: str, pairs: Sequence[tuple[Slot, Any]], version: str) -> None:
    """Add the start values as the only set of parameters, in the file itself."""
    if not pairs:
        return
    bindings = ET.SubElement(component, "ssd:ParameterBindings")
    binding = ET.SubElement(bindings, "ssd:ParameterBinding", {"type": "application/x-ssp-parameter-set"})
    values = ET.SubElement(binding, "ssd:ParameterValues")
    start = ET.SubElement(values, "ssv:ParameterSet", {"version": version, "name": SET})
    parameters = ET.SubElement(start, "ssv:Parameters")
    for slot, value in pairs:
        v = slot.variable
        type = _type(v, version)
        if type is None:
            raise ArgumentError(
                f"start value of '{element}.{v.name}' has the type {v.type}, which not all programs read from SSP "
                f"{version}: leave it out"
            )
        parameter = ET.SubElement(parameters, "ssv:Parameter", {"name": slot.name})
        ET.SubElement(parameter, f"ssv:{type}", {"value": text_of(v, value)} | _unit(v))
    _add_units(start, "ssv:Units", units((element, slot.variable) for slot, _ in pairs))


def _add_connections(system: ET.Element, structure: Structure) -> None:
    if not structure.links:
        return
    connections = ET.SubElement(system, "ssd:Connections")
    for link, is_transformed in transformations(structure):
        ends = {
            "startElement": link.source[0], "startConnector": link.source[1].name,
            "endElement": link.target[0], "endConnector": link.target[1].name,
        }  # fmt: skip
        if is_transformed:
            ends["suppressUnitConversion"] = "true"
        connection = ET.SubElement(connections, "ssd:Connection", ends)
        if is_transformed:
            numbers = {"factor": repr(link.factor), "offset": repr(link.offset)}
            ET.SubElement(connection, "ssc:LinearTransformation", numbers)


def _items(structure: Structure) -> dict[Items, str]:
    """Return the names of connected enumerations: "element.variable" of the first variable with the items."""
    names: dict[Items, str] = {}
    for element in structure.elements:
        for v in structure.connected(element):
            if v.items:
                names.setdefault(v.items, f"{element}.{v.name}")
    return names


def _add_enumerations(document: ET.Element, items: Mapping[Items, str]) -> None:
    if not items:
        return
    listed = ET.SubElement(document, "ssd:Enumerations")
    for pairs, own in items.items():
        enumeration = ET.SubElement(listed, "ssc:Enumeration", {"name": own})
        for name, number in pairs:
            ET.SubElement(enumeration, "ssc:Item", {"name": name, "value": str(number)})


def _add_units(parent: ET.Element, tag: str, defined: dict[str, Measure]) -> None:
    if not defined:
        return
    listed = ET.SubElement(parent, tag)
    for name, measure in defined.items():
        unit = ET.SubElement(listed, "ssc:Unit", {"name": name})
        ET.SubElement(unit, "ssc:BaseUnit", base_attributes(measure))


def _add_experiment(document: ET.Element, structure: Structure) -> None:
    """Add the stop time, and the step in libcosim's annotation."""
    experiment = ET.SubElement(
        document, "ssd:DefaultExperiment", {"startTime": "0.0", "stopTime": repr(structure.stop_time)}
    )
    annotations = ET.SubElement(experiment, "ssd:Annotations")
    annotation = ET.SubElement(annotations, "ssc:Annotation", {"type": "com.opensimulationplatform"})
    algorithm = ET.SubElement(annotation, "osp:Algorithm")
    ET.SubElement(algorithm, "osp:FixedStepAlgorithm", {"baseStepSize": repr(structure.step)})


def _type(variable: Variable, version: str) -> str | None:
    """Return the type of SSP for that of a variable; None if there is none that all programs read."""
    type = TYPES[version].get(variable.type, variable.type)
    if version == "1.0":
        return type if type in OLD_TYPES else None
    return None if type in ("Enumeration", "Binary", "Clock") else type


def _unit(variable: Variable) -> dict[str, str]:
    return {} if variable.unit is None or variable.measure is None else {"unit": variable.unit}


def unread(structure: Structure, version: str) -> Iterator[str]:
    """Yield what some of the programs do not read."""
    if any(structure.start.values()):
        yield "FMPy takes start values from its argument parameter_set= only, not from the package"
    if version == "2.0":
        yield "FMPy, libcosim and Ecos read SSP 1.0 only"
    new = [name for name, description in structure.elements.items() if description.version == 3]
    if new:
        yield f"FMPy and libcosim read FMI 2.0 only, and {new[0]!r} is FMI 3.0"
    changed = [link for link, is_transformed in transformations(structure) if is_transformed]
    if changed:
        yield f"FMPy and OMSimulator ignore the factor and offset of {label(changed[0].target)!r}"
    found = connected_enumerations(structure)
    if found:
        yield (
            f"FMPy starts the enumeration {found[0]!r} with 0, which its FMU may refuse; libcosim and Ecos have no "
            "enumerations, and stop"
        )
    for name, pairs in structure.start.items():
        others = [slot.name for slot, _ in pairs if slot.variable.causality not in ("input", "parameter")]
        if others:
            yield f"libcosim sets inputs and parameters only, and leaves '{name}.{others[0]}' as it is in its FMU"
