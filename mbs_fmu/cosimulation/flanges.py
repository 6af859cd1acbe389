"""Flanges of FMUs, and the spring with a damper that couples two of them."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

from ..fmi.terminals import TERMINALS
from ..infrastructure.errors import ArgumentError, ModelError, one_line
from ..model.model import Model
from .description import Description

OUTFLOW = "outflow"  #: kind of a member whose sign no spring of ours has


class FlangeKind(NamedTuple):
    """Variables of a flange, after its name and a point, and units. moves: verb for messages."""

    position: str
    velocity: str
    effort: str
    moves: str
    position_unit: str
    velocity_unit: str
    effort_unit: str
    stiffness_unit: str
    damping_unit: str

    @property
    def causalities(self) -> dict[str, str]:
        """Causality of each variable."""
        return {self.position: "output", self.velocity: "output", self.effort: "input"}


KINDS = (
    FlangeKind("phi", "w", "tau", "turns", "rad", "rad/s", "N.m", "N.m/rad", "N.m.s/rad"),
    FlangeKind("s", "v", "f", "slides", "m", "m/s", "N", "N/m", "N.s/m"),
)


class Flange(NamedTuple):
    """A flange of an FMU: its kind, and the variables of the FMU by the names of the kind's."""

    kind: FlangeKind
    variables: Mapping[str, str]


def flange(description: Description, name: str, element: str) -> Flange:
    """Return a flange of an FMU: a terminal whose members are a flange's variables, or variables "NAME.phi" and so on.

    Terminals of Modelica have no velocity as a member: then it is "NAME.w" or "NAME.v".

    Raises ArgumentError if there is no such flange, ModelError if the FMU's file of terminals is not readable.
    """
    members = terminals(description.path).get(name, {})
    for kind in KINDS:
        names = {v: members.get(v, f"{name}.{v}") for v in kind.causalities}
        found = {v: description.variables.get(x) for v, x in names.items()}
        if all(x is not None and x.causality == kind.causalities[v] for v, x in found.items()):
            return Flange(kind, names)
    wanted = " or ".join(f"outputs {name}.{k.position}, {name}.{k.velocity} and input {name}.{k.effort}" for k in KINDS)
    raise ArgumentError(
        f"{element!r} ({description.path.name}) has no flange {name!r}: that takes {wanted}, or a terminal with them"
    )


def is_flange(description: Description, name: str) -> bool:
    """True if an FMU has a flange of this name."""
    try:
        flange(description, name, "")
    except ModelError:
        return False
    return True


def terminals(path: Path) -> dict[str, dict[str, str]]:
    """Return the variables of an FMU's terminals, by terminal and member; those of inner terminals by "outer.inner".

    The variable of an outflow, which is positive out of the FMU, is "". Raises ModelError if their file is unreadable.
    """
    found: dict[str, dict[str, str]] = {}

    def collect(parent: ET.Element, prefix: str) -> None:
        for terminal in parent.findall("Terminal"):
            name = prefix + terminal.get("name", "")
            found[name] = {
                member.get("memberName", ""): ""
                if member.get("variableKind") == OUTFLOW
                else member.get("variableName", "")
                for member in terminal.findall("TerminalMemberVariable")
            }
            collect(terminal, f"{name}.")

    try:
        with zipfile.ZipFile(path) as archive:
            if TERMINALS in archive.namelist():
                for parent in ET.fromstring(archive.read(TERMINALS)).findall("Terminals"):
                    collect(parent, "")
    except (OSError, ET.ParseError, zipfile.BadZipFile) as error:
        raise ModelError(f"{TERMINALS} of {path.name} is not readable: {one_line(error)}") from None
    return found


def spring_damper(name: str, kind: FlangeKind, stiffness: float, damping: float) -> Model:
    """Return the model of a spring with a damper between two flanges, without bodies.

    Inputs are the positions and velocities of both flanges, outputs the efforts on both, positive along the velocity.
    """
    m = Model(name, description="Spring and damper between two flanges")
    x, v = (
        [m.input(f"{side}_{variable}", unit=unit) for side in ("first", "second")]
        for variable, unit in ((kind.position, kind.position_unit), (kind.velocity, kind.velocity_unit))
    )
    c = m.parameter("stiffness", stiffness, unit=kind.stiffness_unit)
    d = m.parameter("damping", damping, unit=kind.damping_unit)
    effort = c * (x[1] - x[0]) + d * (v[1] - v[0])
    m.output(f"first_{kind.effort}", effort, unit=kind.effort_unit, description="on the first flange")
    m.output(f"second_{kind.effort}", -effort, unit=kind.effort_unit, description="on the second flange")
    return m
