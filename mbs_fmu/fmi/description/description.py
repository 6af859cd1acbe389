"""modelDescription.xml of an FMU, generated from the variable table and checked."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree as ET

from ...record.program import Program
from ..experiment import Experiment, guid
from .choice import described_table
from .fmi2 import fmi2_description
from .fmi3 import fmi3_description
from .reading import require_valid
from .variables import published, variable_table

UNSTATED: Mapping[str, str] = {}
NEEDS_PYTHON = "Needs Python with mbs_fmu in the importing process."  #: in descriptions of FMUs of kind "python"


def description_xml(
    program: Program, experiment: Experiment, version: str, kind: str, fmi: str, sources: bool = False,
    about: Mapping[str, str] = UNSTATED,
) -> ET.Element:  # fmt: skip
    """Return the description of a kind of FMU in a version of FMI.

    version: that of mbs_fmu. sources: true for an FMU with sources, which FMI 2.0 lists here and FMI 3.0 in a file of
    its own. about: attributes with the author, version, copyright and license of the model.
    """
    rows = variable_table(program, experiment.naming)
    general = {
        "modelName": program.name,
        "description": _described(program, kind),
        **about,
        "generationTool": f"mbs_fmu {version}",
        "variableNamingConvention": experiment.naming,
    }
    token = guid(program, experiment, kind, fmi)
    if fmi == "3.0":
        return fmi3_description(program, experiment, rows, general, token)
    general["guid"] = token
    return fmi2_description(program, experiment, rows, general, native=kind == "native", sources=sources)


def _described(program: Program, kind: str) -> str:
    """Return the description that importers show; it says if the FMU needs Python."""
    text = program.description or f"Multibody model {program.name}"
    if kind != "python":
        return text
    return f"{text.rstrip('.')}. {NEEDS_PYTHON}"


def checked_description(
    program: Program, experiment: Experiment, version: str, kind: str, fmi: str, sources: bool = False,
    about: Mapping[str, str] = UNSTATED,
) -> str:  # fmt: skip
    """Return the text of `description_xml`. Raises ModelError if it is not valid."""
    text = to_text(description_xml(program, experiment, version, kind, fmi, sources, about))
    rows = described_table(program, experiment)
    require_valid(text, published(rows, arrays=fmi == "3.0"), program.name)
    return text


def to_text(root: ET.Element) -> str:
    """Return indented XML text."""
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
