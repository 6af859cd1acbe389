"""modelDescription.xml of an FMU, generated from the variable table and checked."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from ...record.program import Program
from ..experiment import Experiment, guid
from .fmi2 import fmi2_description
from .fmi3 import fmi3_description
from .reading import require_valid
from .variables import published, variable_table


def description_xml(program: Program, experiment: Experiment, version: str, kind: str, fmi: str) -> ET.Element:
    """Return the description of a kind of FMU in a version of FMI; `version` is that of mbs_fmu."""
    rows = variable_table(program)
    general = {
        "modelName": program.name,
        "description": program.description or f"Multibody model {program.name}",
        "generationTool": f"mbs_fmu {version}",
        "variableNamingConvention": "structured",
    }
    token = guid(program, experiment, kind, fmi)
    if fmi == "3.0":
        return fmi3_description(program, experiment, rows, general, token)
    return fmi2_description(program, experiment, rows, {**general, "guid": token}, native=kind == "native")


def checked_description(program: Program, experiment: Experiment, version: str, kind: str, fmi: str) -> str:
    """Return the text of the description. Raises ModelError if it is not valid."""
    text = to_text(description_xml(program, experiment, version, kind, fmi))
    require_valid(text, published(variable_table(program), program.vectors if fmi == "3.0" else {}), program.name)
    return text


def to_text(root: ET.Element) -> str:
    """Return indented XML text."""
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
