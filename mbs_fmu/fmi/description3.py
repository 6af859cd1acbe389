"""The variable table as modelDescription.xml of FMI 3.0: a vector output is one array variable."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from ..record.program import Program
from .dependencies import Dependencies, Unknown
from .elements import add_general, numbers
from .experiment import Experiment
from .variables import FmiVariable, indicator_rows


def fmi3_description(
    program: Program, experiment: Experiment, rows: list[FmiVariable], general: dict[str, str], token: str
) -> ET.Element:
    """Model exchange and co-simulation, with all that native FMUs offer."""
    root = ET.Element("fmiModelDescription", {"fmiVersion": "3.0", **general, "instantiationToken": token})
    both = {
        "modelIdentifier": program.name,
        "needsExecutionTool": "false",
        "canBeInstantiatedOnlyOncePerProcess": "false",
        "canGetAndSetFMUState": "true",
        "canSerializeFMUState": "true",
        "providesDirectionalDerivatives": "true",
        "providesAdjointDerivatives": "true",
    }
    ET.SubElement(
        root, "ModelExchange", {**both, "needsCompletedIntegratorStep": "true" if program.looked_after else "false"}
    )
    steps = {
        "canHandleVariableCommunicationStepSize": "true",
        "maxOutputDerivativeOrder": "1",
        "providesIntermediateUpdate": "true",
        "mightReturnEarlyFromDoStep": "true",
        "canReturnEarlyAfterIntermediateUpdate": "true",
        "hasEventMode": "true",
    }
    if experiment.step > 0.0:
        steps["fixedInternalStepSize"] = repr(experiment.step)
    ET.SubElement(root, "CoSimulation", {**both, **steps})
    add_general(root, rows, experiment)
    vectors = {names[0]: (name, len(names)) for name, names in program.vectors.items()}
    hidden = {name for names in program.vectors.values() for name in names[1:]}
    variables = ET.SubElement(root, "ModelVariables")
    for row in rows:
        if row.name not in hidden:
            variables.append(_variable(row, *vectors.get(row.name, (row.name, 0))))
    _structure(root, rows, program)
    return root


def _variable(row: FmiVariable, name: str, length: int) -> ET.Element:
    attributes = {"name": name, "valueReference": str(row.reference)}
    if row.description:
        attributes["description"] = row.description
    attributes |= {"causality": row.causality, "variability": row.variability}
    if row.initial is not None:
        attributes["initial"] = row.initial
    attributes |= numbers(row)
    if row.derivative_of is not None:
        attributes["derivative"] = str(row.derivative_of)
    element = ET.Element("Float64", attributes)
    if length:
        ET.SubElement(element, "Dimension", {"start": str(length)})
    return element


def _structure(root: ET.Element, rows: list[FmiVariable], program: Program) -> None:
    structure = ET.SubElement(root, "ModelStructure")
    known = Dependencies(rows, exchange=True, parameters=True)
    lists = {
        "Output": known.outputs(),
        "ContinuousStateDerivative": known.derivatives(),
        "InitialUnknown": known.initial(),
        "EventIndicator": known.running(indicator_rows(program, rows)),
    }
    first = {name: names[0] for names in program.vectors.values() for name in names}
    for tag, unknowns in lists.items():
        for unknown in _merged(unknowns, first):
            element = ET.SubElement(structure, tag, {"valueReference": str(unknown.row.reference)})
            if unknown.dependencies is not None:
                element.set("dependencies", " ".join(str(row.reference) for row in unknown.dependencies))


def _merged(unknowns: Iterable[Unknown], first: dict[str, str]) -> list[Unknown]:
    """An array depends on what any of its components depends on."""
    out: dict[str, Unknown] = {}
    for unknown in unknowns:
        name = first.get(unknown.row.name, unknown.row.name)
        if name not in out:
            out[name] = unknown
            continue
        one, other = out[name].dependencies, unknown.dependencies
        together = None
        if one is not None and other is not None:
            together = tuple(sorted({*one, *other}, key=lambda row: row.reference))
        out[name] = Unknown(out[name].row, together)
    return list(out.values())
