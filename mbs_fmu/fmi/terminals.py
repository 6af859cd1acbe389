"""terminalsAndIcons.xml of an FMU: terminals of the model and its icon, for both versions of FMI."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.etree import ElementTree as ET

from ..model.items import Terminal
from .description.description import to_text
from .description.variables import Published

TERMINALS, ICON = "terminalsAndIcons/terminalsAndIcons.xml", "terminalsAndIcons/icon.png"  #: paths in the FMU
PICTURE = "model.png"  #: path of the icon in FMI 2.0
EDGE = 100.0  #: half the edge of the icon in its coordinate system
SCALE = 0.1  #: mm for a unit of the coordinate system, the standard's default


def terminals_and_icons(
    terminals: Iterable[Terminal], variables: Iterable[Published], names: Mapping[str, list[str]], has_icon: bool
) -> str:
    """Return the text of terminalsAndIcons.xml; no text if there is neither a terminal nor an icon.

    variables: those of the FMU. names: names in the FMU of a variable of the model, of a vector those of its elements
    if the FMU has no arrays. A terminal of which the FMU lacks a member is left out: a model that includes another one
    may have connected it.
    """
    root = ET.Element("fmiTerminalsAndIcons", {"fmiVersion": "3.0"})
    if has_icon:
        drawing = ET.SubElement(root, "GraphicalRepresentation")
        edges = {"x1": str(-EDGE), "y1": str(-EDGE), "x2": str(EDGE), "y2": str(EDGE)}
        ET.SubElement(drawing, "CoordinateSystem", {**edges, "suggestedScalingFactorTo_mm": str(SCALE)})
        ET.SubElement(drawing, "Icon", edges)
    known = {variable.name for variable in variables}
    complete = [t for t in terminals if all(known.issuperset(names.get(m.variable, [""])) for m in t.members)]
    parent = ET.SubElement(root, "Terminals") if complete else root
    for terminal in complete:
        element = ET.SubElement(parent, "Terminal", {"name": terminal.name, "matchingRule": terminal.rule})
        if terminal.kind:
            element.set("terminalKind", terminal.kind)
        for member in terminal.members:
            own = names[member.variable]
            for k, variable in enumerate(own, start=1):
                name = member.name if len(own) == 1 else f"{member.name}[{k}]"
                pair = {"variableName": variable, "memberName": name, "variableKind": member.kind}
                ET.SubElement(element, "TerminalMemberVariable", pair)
    return to_text(root) if len(root) else ""
