"""XML elements that the descriptions of FMI 2.0 and 3.0 share."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from ...record.kinds import BOOLEAN, ENUMERATION, INTEGER, REAL, numbered
from ...symbolic.units import DISPLAY, Unit, unit_of
from ..experiment import Experiment
from .variables import FmiVariable

LOG_CATEGORIES = {
    "info": "Progress of the FMU.",
    "warning": "Unexpected calls or values; the computation continues.",
    "error": "Failures and their remedies.",
    "events": "Events, restarts and restored states.",
}


#: Types of variables, by the version of FMI and the kind of their values.
TYPES = {
    "2.0": {REAL: "Real", BOOLEAN: "Boolean", INTEGER: "Integer", ENUMERATION: "Enumeration"},
    "3.0": {REAL: "Float64", BOOLEAN: "Boolean", INTEGER: "Int32", ENUMERATION: "Enumeration"},
}


def a_type(row: FmiVariable, fmi: str) -> str:
    """Return the type of a variable with its article, for messages."""
    name = TYPES[fmi][row.kind]
    return f"{'an' if name[0] in 'EI' else 'a'} {name}"


def add_general(root: ET.Element, rows: list[FmiVariable], experiment: Experiment, fmi: str) -> None:
    """Add units, enumerations, log categories and the default experiment."""
    add_units(root, rows)
    add_enumerations(root, rows, fmi)
    categories = ET.SubElement(root, "LogCategories")
    for name, text in LOG_CATEGORIES.items():
        ET.SubElement(categories, "Category", {"name": name, "description": text})
    default = {
        "startTime": "0",
        "stopTime": repr(experiment.stop_time),
        "tolerance": repr(experiment.control.rtol),
        "stepSize": repr(experiment.communication_step),
    }
    ET.SubElement(root, "DefaultExperiment", default)


def add_units(root: ET.Element, rows: list[FmiVariable]) -> None:
    """Add the definitions of all units in use."""
    used = sorted({row.unit for row in rows if row.unit is not None})
    definitions = ET.SubElement(root, "UnitDefinitions")
    for unit in used:
        element = ET.SubElement(definitions, "Unit", {"name": unit})
        ET.SubElement(element, "BaseUnit", base_unit(unit))
        if unit in DISPLAY:
            name, factor = DISPLAY[unit]
            ET.SubElement(element, "DisplayUnit", {"name": name, "factor": repr(factor)})


def add_enumerations(root: ET.Element, rows: list[FmiVariable], fmi: str) -> None:
    """Add the definitions of all enumerations in use."""
    used = {row.type: row for row in rows if row.type is not None}
    definitions = ET.SubElement(root, "TypeDefinitions") if used else root
    for name, row in used.items():
        if fmi == "2.0":
            element = ET.SubElement(ET.SubElement(definitions, "SimpleType", {"name": name}), "Enumeration")
        else:
            element = ET.SubElement(definitions, "EnumerationType", {"name": name})
        for item, value in numbered(row.items, row.low).items():
            ET.SubElement(element, "Item", {"name": item, "value": str(value)})


def base_unit(name: str) -> dict[str, str]:
    """Return a unit's exponents of base units, factor and offset as attributes, without those that are the default."""
    unit = unit_of(name) or Unit()
    return {key: str(value) for key, value in unit._asdict().items() if value != getattr(Unit(), key)}


def number_attributes(*rows: FmiVariable) -> dict[str, str]:
    """Return unit, bounds, nominal and start value of a scalar, or of an array with these elements, as attributes.

    An array has one start value for each element, and one nominal value and one pair of bounds for all of them.
    Booleans have no bounds, enumerations those of their type.
    """
    attributes: dict[str, str] = {}
    row = rows[0]
    if row.type is not None:
        attributes["declaredType"] = row.type
    if row.unit is not None:
        attributes["unit"] = row.unit
        if row.unit == "rad":
            attributes["displayUnit"] = DISPLAY[row.unit][0]
    for name, values, common in (
        ("min", [r.low for r in rows], min),
        ("max", [r.high for r in rows], max),
        ("nominal", [r.nominal for r in rows], max),
    ):
        known = [value for value in values if value is not None]
        if len(known) == len(rows) and row.kind in (REAL, INTEGER):
            attributes[name] = text_of(row.kind, common(known))
    if row.start is not None:
        attributes["start"] = " ".join(text_of(r.kind, r.start) for r in rows if r.start is not None)
    return attributes


def text_of(kind: str, value: float) -> str:
    """Return a value of a kind as text in XML."""
    if kind == REAL:
        return repr(value)
    return ("true" if value else "false") if kind == BOOLEAN else str(int(value))
