"""The variable table as modelDescription.xml (FMI 2.0)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from ..compile.program import Program
from ..model.units import DISPLAY, UNITS
from .dependencies import Dependencies
from .variables import FmiVariable, variable_table

LOG_CATEGORIES = {
    "info": "What the FMU does.",
    "warning": "Something is odd, the computation goes on.",
    "error": "What went wrong, and the remedy.",
    "events": "Steps, restarts and restored states.",
}


@dataclass(frozen=True)
class Experiment:
    """Defaults of a run, and how the FMU integrates inside: method with step (s), or relative and
    absolute tolerance."""

    stop_time: float
    communication_step: float
    method: str
    step: float
    rtol: float
    atol: float


def guid(program: Program, experiment: Experiment) -> str:
    """Identifier of the FMU: a hash of everything that makes it."""
    text = f"{program.to_json()}\n{program.text}\n{experiment!r}"
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"


def description_xml(program: Program, experiment: Experiment, version: str) -> ET.Element:
    """The FMI 2.0 co-simulation description."""
    rows = variable_table(program)
    root = ET.Element(
        "fmiModelDescription",
        {
            "fmiVersion": "2.0",
            "modelName": program.name,
            "guid": guid(program, experiment),
            "description": program.description or f"Multibody model {program.name}",
            "generationTool": f"mbs_fmu {version}",
            "variableNamingConvention": "structured",
            "numberOfEventIndicators": "0",
        },
    )
    ET.SubElement(
        root,
        "CoSimulation",
        {
            "modelIdentifier": program.name,
            "needsExecutionTool": "false",
            "canHandleVariableCommunicationStepSize": "true",
            "canInterpolateInputs": "false",
            "canBeInstantiatedOnlyOncePerProcess": "false",
            "canNotUseMemoryManagementFunctions": "true",
            "canGetAndSetFMUstate": "true",
            "canSerializeFMUstate": "true",
        },
    )
    _units(root, rows)
    categories = ET.SubElement(root, "LogCategories")
    for name, text in LOG_CATEGORIES.items():
        ET.SubElement(categories, "Category", {"name": name, "description": text})
    ET.SubElement(
        root,
        "DefaultExperiment",
        {
            "startTime": "0",
            "stopTime": repr(experiment.stop_time),
            "tolerance": repr(experiment.rtol),
            "stepSize": repr(experiment.communication_step),
        },
    )
    variables = ET.SubElement(root, "ModelVariables")
    for row in rows:
        variables.append(_variable(row))
    _structure(root, rows, exchange=False)
    return root


def _units(root: ET.Element, rows: list[FmiVariable]) -> None:
    used = sorted({row.unit for row in rows if row.unit is not None})
    definitions = ET.SubElement(root, "UnitDefinitions")
    for unit in used:
        element = ET.SubElement(definitions, "Unit", {"name": unit})
        exponents = zip(("kg", "m", "s", "rad"), UNITS[unit], strict=True)
        ET.SubElement(element, "BaseUnit", {name: str(power) for name, power in exponents if power})
        if unit in DISPLAY:
            name, factor = DISPLAY[unit]
            ET.SubElement(element, "DisplayUnit", {"name": name, "factor": repr(factor)})


def _variable(row: FmiVariable) -> ET.Element:
    attributes = {"name": row.name, "valueReference": str(row.reference)}
    if row.description:
        attributes["description"] = row.description
    attributes |= {"causality": row.causality, "variability": row.variability}
    if row.initial is not None:
        attributes["initial"] = row.initial
    element = ET.Element("ScalarVariable", attributes)
    real: dict[str, str] = {}
    if row.unit is not None:
        real["unit"] = row.unit
        if row.unit == "rad":
            real["displayUnit"] = DISPLAY[row.unit][0]
    for name, value in (("min", row.low), ("max", row.high), ("nominal", row.nominal), ("start", row.start)):
        if value is not None:
            real[name] = repr(value)
    if row.derivative_of is not None:
        real["derivative"] = str(row.derivative_of + 1)
    ET.SubElement(element, "Real", real)
    return element


def _structure(root: ET.Element, rows: list[FmiVariable], exchange: bool) -> None:
    """Outputs, state derivatives and what is computed at the start, each with what it depends on."""
    structure = ET.SubElement(root, "ModelStructure")
    known = Dependencies(rows, exchange)
    lists = {"Outputs": known.outputs(), "Derivatives": known.derivatives() if exchange else []}
    lists["InitialUnknowns"] = [u for u in known.initial() if exchange or u.row.causality == "output"]
    for name, unknowns in lists.items():
        listed = ET.SubElement(structure, name) if unknowns else structure
        for unknown in unknowns:
            element = ET.SubElement(listed, "Unknown", {"index": str(unknown.row.index)})
            if unknown.dependencies is not None:
                element.set("dependencies", " ".join(str(row.index) for row in unknown.dependencies))


def to_text(root: ET.Element) -> str:
    """Indented XML text."""
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
