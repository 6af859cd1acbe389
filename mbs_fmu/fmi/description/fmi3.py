"""The variable table as modelDescription.xml of FMI 3.0: a vector is one array variable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from xml.etree import ElementTree as ET

from ...record.program import Program
from ..experiment import Experiment
from .dependencies import Dependencies, Unknown
from .elements import add_general, numbers
from .variables import FmiVariable, Published, indicator_rows, published


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
    shown = published(rows, program.vectors)
    variables = ET.SubElement(root, "ModelVariables")
    for variable in shown:
        variables.append(_variable(variable))
    _structure(root, rows, program, shown)
    return root


def _variable(variable: Published) -> ET.Element:
    row = variable.rows[0]
    attributes = {"name": variable.name, "valueReference": str(variable.reference)}
    if row.description:
        attributes["description"] = row.description
    attributes |= {"causality": row.causality, "variability": row.variability}
    if row.initial is not None:
        attributes["initial"] = row.initial
    attributes |= numbers(*variable.rows)
    if row.derivative_of is not None:
        attributes["derivative"] = str(row.derivative_of)
    element = ET.Element("Float64", attributes)
    if variable.array:
        ET.SubElement(element, "Dimension", {"start": str(len(variable.rows))})
    return element


def _structure(root: ET.Element, rows: list[FmiVariable], program: Program, shown: Sequence[Published]) -> None:
    structure = ET.SubElement(root, "ModelStructure")
    known = Dependencies(rows, exchange=True, parameters=True)
    lists = {
        "Output": known.outputs(),
        "ContinuousStateDerivative": known.derivatives(),
        "InitialUnknown": known.initial(),
        "EventIndicator": known.running(indicator_rows(program, rows)),
    }
    references = {row.reference: variable.reference for variable in shown for row in variable.rows}
    for tag, unknowns in lists.items():
        for reference, dependencies in _by_variable(unknowns, references).items():
            element = ET.SubElement(structure, tag, {"valueReference": str(reference)})
            if dependencies is not None:
                element.set("dependencies", " ".join(map(str, sorted(dependencies))))


def _by_variable(unknowns: Iterable[Unknown], references: Mapping[int, int]) -> dict[int, set[int] | None]:
    """Unknowns and dependencies by the value references of variables; those of elements are in `references`.

    An array depends on all that one of its elements depends on; None stands for all that are known.
    """
    out: dict[int, set[int] | None] = {}
    for unknown in unknowns:
        reference = references[unknown.row.reference]
        before = out.get(reference, set())
        known = unknown.dependencies
        together = None if before is None or known is None else before | {references[r.reference] for r in known}
        out[reference] = together
    return out
