"""System structures of the Open Simulation Platform (OspSystemStructure.xml), beside the FMUs.

A pair of coupled flanges becomes a power bond, with which libcosim's algorithm ECCO chooses the steps: it compares the
powers on both sides of the bond (S. Sadjina and others, Energy conservation and power bonds in co-simulations,
Engineering with Computers 33, 2017). libcosim of libcosimpy 0.0.6 refuses structures with more than one bond. So a
system with one pair gets a bond at its first flange, and one with more pairs runs with fixed steps.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from ...fmi.description.description import to_text
from ...infrastructure.disk.files import replacing
from ...infrastructure.errors import ArgumentError
from ..description import Slot
from ..order import Link, label
from .structure import (
    Structure,
    check_enumerations,
    check_scalars,
    check_steps,
    check_version,
    text_of,
    transformations,
)

log = logging.getLogger("mbs_fmu")

NAME = "OspSystemStructure.xml"
ROOT = {"xmlns": "http://opensimulationplatform.com/MSMI/OSPSystemStructure", "version": "0.1"}
#: Settings of ECCO, in the order that libcosim's schema requires; those of steps are multiples of the system's step.
ECCO = {
    "SafetyFactor": 0.8, "StepSize": 1.0, "MinimumStepSize": 0.01, "MaximumStepSize": 1.0, "MinimumChangeRate": 0.2,
    "MaximumChangeRate": 1.5, "ProportionalGain": 0.2, "IntegralGain": 0.15, "RelativeTolerance": 1e-6,
    "AbsoluteTolerance": 1e-6,
}  # fmt: skip


def write_osp(structure: Structure, path: Path) -> None:
    """Write the structure and, into the same folder, all FMUs.

    Raises ArgumentError for another name of the file, FMUs of FMI 3.0, arrays, conversions of units, and
    enumerations that are connected or have start values.
    """
    if path.name != NAME:
        raise ArgumentError(f"programs look for a file {NAME}: name it so, in a folder of the system's own")
    check_steps(structure)
    check_version(structure, NAME)
    check_scalars(structure, NAME)
    check_enumerations(structure, "libcosim", "run the system here")
    bond = _bond(structure)
    root = ET.Element("OspSystemStructure", ROOT)
    algorithm = "ecco" if bond else "fixedStep"
    for tag, value in {"StartTime": "0.0", "BaseStepSize": repr(structure.step), "Algorithm": algorithm}.items():
        ET.SubElement(root, tag).text = value
    _add_simulators(root, structure)
    _add_connections(root, structure, bond)
    if bond:
        _add_ecco(root, structure.step)
    files = structure.contents() | {NAME: to_text(root).encode()}  # the structure last, when all of its FMUs are there
    for name, content in files.items():
        with replacing(path.parent / name) as beside:
            beside.write_bytes(content)


def _add_simulators(root: ET.Element, structure: Structure) -> None:
    simulators = ET.SubElement(root, "Simulators")
    for name, file in structure.files().items():
        simulator = ET.SubElement(simulators, "Simulator", {"name": name, "source": file})
        pairs = structure.start.get(name, ())
        values = ET.SubElement(simulator, "InitialValues") if pairs else simulator
        for slot, value in pairs:
            _add_value(values, slot, value)


def _add_value(values: ET.Element, slot: Slot, value: Any) -> None:
    initial = ET.SubElement(values, "InitialValue", {"variable": slot.name})
    ET.SubElement(initial, slot.variable.type, {"value": text_of(slot.variable, value)})


def _add_connections(root: ET.Element, structure: Structure, bond: tuple[str, set[str]] | None) -> None:
    """Add connections; those with a factor or an offset go through a function. bond: its name and inputs."""
    plain: list[Link] = []
    changed: list[Link] = []
    for link, is_transformed in transformations(structure):
        (changed if is_transformed else plain).append(link)
    functions = ET.SubElement(root, "Functions") if changed else root
    names = {f"to_{label(link.target).replace('.', '_')}": link for link in changed}
    for name, link in names.items():
        numbers = {"name": name, "factor": repr(link.factor), "offset": repr(link.offset)}
        ET.SubElement(functions, "LinearTransformation", numbers)
    connections = ET.SubElement(root, "Connections")
    for link in plain:
        named = {"powerBond": bond[0]} if bond and label(link.target) in bond[1] else {}
        connection = ET.SubElement(connections, "VariableConnection", named)
        for (element, slot), causality in ((link.source, "output"), (link.target, "input")):
            end = {"simulator": element, "name": slot.name} | ({"causality": causality} if named else {})
            ET.SubElement(connection, "Variable", end)
    for name, link in names.items():
        for (element, slot), signal in ((link.source, "in"), (link.target, "out")):
            connection = ET.SubElement(connections, "SignalConnection")
            ends = [("Variable", {"simulator": element, "name": slot.name}),
                    ("Signal", {"function": name, "name": signal})]  # fmt: skip
            for tag, attributes in ends:
                ET.SubElement(connection, tag, attributes)


def _bond(structure: Structure) -> tuple[str, set[str]] | None:
    """Return the name of the power bond and the inputs of its two links; None without exactly one pair of flanges."""
    if len(structure.bonds) > 1:
        log.warning(
            "%s: libcosim 0.0.6 reads one power bond, and %d pairs of flanges are coupled: fixed steps are chosen",
            structure.name, len(structure.bonds),
        )  # fmt: skip
    if len(structure.bonds) != 1:
        return None
    name, sides = next(iter(structure.bonds.items()))
    return name, {label(link.target) for link in sides[0]}


def _add_ecco(root: ET.Element, step: float) -> None:
    settings = ET.SubElement(root, "EccoConfiguration")
    for name, value in ECCO.items():
        ET.SubElement(settings, name).text = repr(value * step if name.endswith("StepSize") else value)
