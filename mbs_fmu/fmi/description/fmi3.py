"""The variable table as modelDescription.xml of FMI 3.0, with each vector as one array variable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from xml.etree import ElementTree as ET

from ...record.program import Program
from ..experiment import Experiment
from .choice import described_table
from .dependencies import Dependencies, Unknown, bounded
from .elements import TYPES, add_general, number_attributes
from .variables import FmiVariable, Published, indicator_rows, published


def fmi3_description(
    program: Program, experiment: Experiment, rows: list[FmiVariable], general: dict[str, str], token: str
) -> ET.Element:
    """Return the description of a native FMU for model exchange and co-simulation.

    rows: all of the table; the experiment tells which of them the description lists.
    """
    root = ET.Element("fmiModelDescription", {"fmiVersion": "3.0", **general, "instantiationToken": token})
    common = {
        "modelIdentifier": program.name,
        "needsExecutionTool": "false",
        "canBeInstantiatedOnlyOncePerProcess": "false",
        "canGetAndSetFMUState": "true",
        "canSerializeFMUState": "true",
        "providesDirectionalDerivatives": "true",
        "providesAdjointDerivatives": "true",
    }
    ET.SubElement(
        root, "ModelExchange", {**common, "needsCompletedIntegratorStep": "true" if program.looked_after else "false"}
    )
    steps = {
        "canHandleVariableCommunicationStepSize": "true",
        "maxOutputDerivativeOrder": "1",
        "providesIntermediateUpdate": "true",
        "mightReturnEarlyFromDoStep": "true",
        "canReturnEarlyAfterIntermediateUpdate": "true",
        "hasEventMode": "true",
    }
    if experiment.control.fixed:
        steps["fixedInternalStepSize"] = repr(experiment.control.step)
    ET.SubElement(root, "CoSimulation", {**common, **steps})
    kept = described_table(program, experiment)
    add_general(root, kept, experiment, "3.0")
    variables = published(kept, arrays=True)
    listed = ET.SubElement(root, "ModelVariables")
    for variable in variables:
        listed.append(_variable(variable))
    _structure(root, rows, program, variables)
    return root


def _variable(variable: Published) -> ET.Element:
    row = variable.rows[0]
    attributes = {"name": variable.name, "valueReference": str(variable.reference)}
    if row.description:
        attributes["description"] = row.description
    attributes |= {"causality": row.causality, "variability": row.variability}
    if row.initial is not None:
        attributes["initial"] = row.initial
    attributes |= number_attributes(*variable.rows)
    if row.derivative_of is not None:
        attributes["derivative"] = str(row.derivative_of)
    element = ET.Element(TYPES["3.0"][row.kind], attributes)
    if variable.array:
        ET.SubElement(element, "Dimension", {"start": str(len(variable.rows))})
    return element


def _structure(root: ET.Element, rows: list[FmiVariable], program: Program, variables: Sequence[Published]) -> None:
    """Add outputs, state derivatives, initial unknowns and event indicators, each with its dependencies.

    Variables that are not among `variables` are left out.
    """
    structure = ET.SubElement(root, "ModelStructure")
    references = {row.reference: variable.reference for variable in variables for row in variable.rows}
    dependencies = Dependencies(rows, exchange=True, parameters=True)
    lists = {
        "Output": dependencies.outputs(),
        "ContinuousStateDerivative": dependencies.derivatives(),
        "InitialUnknown": [u for u in dependencies.initial() if u.row.reference in references],
        "EventIndicator": dependencies.running(indicator_rows(program, rows)),
    }
    for tag, unknowns in bounded(lists).items():
        for reference, knowns in _by_variable(unknowns, references).items():
            element = ET.SubElement(structure, tag, {"valueReference": str(reference)})
            if knowns is not None:
                element.set("dependencies", " ".join(map(str, sorted(knowns))))


def _by_variable(unknowns: Iterable[Unknown], references: Mapping[int, int]) -> dict[int, set[int] | None]:
    """Return the dependencies of each unknown, both by the value references of variables; None for all knowns.

    `references` gives, for the value reference of each element, that of the variable that contains it. An array depends
    on everything on which any of its elements depends.
    """
    by_variable: dict[int, set[int] | None] = {}
    for unknown in unknowns:
        reference = references[unknown.row.reference]
        before = by_variable.get(reference, set())
        knowns = unknown.dependencies
        known = {references[r.reference] for r in knowns or () if r.reference in references}
        together = None if before is None or knowns is None else before | known
        by_variable[reference] = together
    return by_variable
