"""The variable table as modelDescription.xml of FMI 2.0."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree as ET

from ...record.program import Program
from ..experiment import Experiment
from .choice import described_table
from .dependencies import Dependencies, bounded
from .elements import TYPES, add_general, number_attributes
from .variables import FmiVariable


def fmi2_description(
    program: Program,
    experiment: Experiment,
    rows: list[FmiVariable],
    general: dict[str, str],
    native: bool,
    sources: bool = False,
) -> ET.Element:
    """Return the description of a co-simulation FMU, and of model exchange too if it is native.

    rows: all of the table; the experiment tells which of them the description lists. With `sources`, both interfaces
    name the file that an importer compiles.
    """
    indicators = str(len(program.indicators)) if native else "0"
    root = ET.Element("fmiModelDescription", {"fmiVersion": "2.0", **general, "numberOfEventIndicators": indicators})
    common = {
        "modelIdentifier": program.name,
        "needsExecutionTool": "false",
        "canBeInstantiatedOnlyOncePerProcess": "false",
        "canNotUseMemoryManagementFunctions": "true",
        "canGetAndSetFMUstate": "true",
        "canSerializeFMUstate": "true",
        "providesDirectionalDerivative": "true" if native else "false",
    }
    if native:
        ET.SubElement(
            root,
            "ModelExchange",
            {**common, "completedIntegratorStepNotNeeded": "false" if program.looked_after else "true"},
        )
    steps = {
        "canHandleVariableCommunicationStepSize": "true",
        "canInterpolateInputs": "true" if native else "false",
        "maxOutputDerivativeOrder": "1" if native else "0",
    }
    ET.SubElement(root, "CoSimulation", {**common, **steps})
    for interface in list(root) if sources else []:
        ET.SubElement(ET.SubElement(interface, "SourceFiles"), "File", name=f"{program.name}.c")
    listed = described_table(program, experiment)
    add_general(root, listed, experiment, "2.0")
    places = {row.reference: place for place, row in enumerate(listed, start=1)}
    variables = ET.SubElement(root, "ModelVariables")
    for row in listed:
        variables.append(_variable(row, places))
    _structure(root, rows, places, exchange=native)
    return root


def _variable(row: FmiVariable, places: Mapping[int, int]) -> ET.Element:
    """Return the element of a variable. places: positions of the variables in the description, by reference."""
    attributes = {"name": row.name, "valueReference": str(row.reference)}
    if row.description:
        attributes["description"] = row.description
    attributes |= {"causality": row.causality, "variability": row.variability}
    if row.initial is not None:
        attributes["initial"] = row.initial
    element = ET.Element("ScalarVariable", attributes)
    real = number_attributes(row)
    if row.derivative_of is not None:
        real["derivative"] = str(places[row.derivative_of])
    ET.SubElement(element, TYPES["2.0"][row.kind], real)
    return element


def _structure(root: ET.Element, rows: list[FmiVariable], places: Mapping[int, int], exchange: bool) -> None:
    """Add outputs, state derivatives and initial unknowns, each with its dependencies on listed variables."""
    structure = ET.SubElement(root, "ModelStructure")
    dependencies = Dependencies(rows, exchange, parameters=False)
    lists = {"Outputs": dependencies.outputs(), "Derivatives": dependencies.derivatives() if exchange else []}
    initial = [u for u in dependencies.initial() if u.row.reference in places]
    lists["InitialUnknowns"] = [u for u in initial if exchange or u.row.causality == "output"]
    for name, unknowns in bounded(lists).items():
        parent = ET.SubElement(structure, name) if unknowns else structure
        for unknown in unknowns:
            element = ET.SubElement(parent, "Unknown", {"index": str(places[unknown.row.reference])})
            if unknown.dependencies is not None:
                known = [places[row.reference] for row in unknown.dependencies if row.reference in places]
                element.set("dependencies", " ".join(map(str, known)))
