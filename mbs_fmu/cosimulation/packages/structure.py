"""Contents of the file of a system: elements with FMUs and start values, connections, and the experiment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...infrastructure.errors import ArgumentError
from ...infrastructure.lazy_dataclasses import dataclass
from ..description import BASES, ENUMERATION, REAL, Description, Measure, Slot, Variable, conversion
from ..order import Link, label

IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True)
class Structure:
    """A system to be written.

    elements: descriptions of the FMUs by the names of elements. start: start values by element. bonds: for each pair of
    coupled flanges, by name, the links that bring the effort to each of them and take the velocity from it. outputs:
    ends that a container shows. stop_time, step: of the experiment, s.
    """

    name: str
    elements: Mapping[str, Description]
    start: Mapping[str, Sequence[tuple[Slot, Any]]]
    links: Sequence[Link]
    bonds: Mapping[str, Sequence[tuple[Link, Link]]]
    outputs: Sequence[tuple[str, Slot]]
    stop_time: float
    step: float

    def files(self) -> dict[str, str]:
        """Return a file name for the FMU of each element; elements with the same FMU share it."""
        names: dict[Path, str] = {}
        for description in self.elements.values():
            path = description.path.resolve()
            if path in names:
                continue
            stem, taken = path.stem, {name.lower() for name in names.values()}  # some systems ignore the case
            number = 1
            while (name := f"{stem}.fmu" if number == 1 else f"{stem}_{number}.fmu").lower() in taken:
                number += 1
            names[path] = name
        return {element: names[d.path.resolve()] for element, d in self.elements.items()}

    def contents(self, folder: str = "") -> dict[str, bytes]:
        """Return the bytes of all FMUs by their file names in a folder."""
        paths = {file: self.elements[element].path for element, file in self.files().items()}
        return {f"{folder}{file}": path.read_bytes() for file, path in paths.items()}

    def without_dots(self) -> Structure:
        """Return the system with underscores in place of the dots in names of elements, which nested systems have.

        A name stays if another element has the new one.
        """
        flat = {name: name.replace(".", "_") for name in self.elements}
        names = {name: new if list(flat.values()).count(new) == 1 else name for name, new in flat.items()}

        def renamed(link: Link) -> Link:
            (a, source), (b, target) = link.source, link.target
            return link._replace(source=(names[a], source), target=(names[b], target))

        return replace(
            self, elements={names[x]: d for x, d in self.elements.items()},
            start={names[x]: pairs for x, pairs in self.start.items()},
            links=[renamed(link) for link in self.links],
            bonds={x: [(renamed(a), renamed(b)) for a, b in sides] for x, sides in self.bonds.items()},
            outputs=[(names[x], slot) for x, slot in self.outputs],
        )  # fmt: skip

    def connected(self, element: str) -> list[Variable]:
        """Return the connected variables of an element, in the order of its description."""
        ends = (end for link in self.links for end in (link.source, link.target))
        names = {slot.variable.name for name, slot in ends if name == element}
        return [v for v in self.elements[element].variables.values() if v.name in names]


def check_names(structure: Structure) -> None:
    """Raise ArgumentError for names of elements that are no identifiers."""
    for name in structure.elements:
        if not IDENTIFIER.fullmatch(name):
            raise ArgumentError(f"element {name!r}: programs that read the file need identifiers; rename it")


def check_scalars(structure: Structure, format: str) -> None:
    """Raise ArgumentError for arrays that are connected or have start values."""
    ends = [end for link in structure.links for end in (link.source, link.target)]
    ends += [(name, slot) for name, pairs in structure.start.items() for slot, _ in pairs]
    for name, slot in ends:
        if slot.variable.is_array:
            raise ArgumentError(
                f"'{name}.{slot.variable.name}' is an array, and {format} has scalars only: export the FMU with "
                "arrays=False, or as FMI 2.0"
            )


def connected_enumerations(structure: Structure) -> list[str]:
    """Return the inputs, as "element.variable", that are connected enumerations."""
    return [label(link.target) for link in structure.links if link.target[1].variable.kind == ENUMERATION]


def check_enumerations(structure: Structure, program: str, otherwise: str) -> None:
    """Raise ArgumentError, with another way, for enumerations that are connected or have start values."""
    ends = [link.source for link in structure.links]
    ends += [(name, slot) for name, pairs in structure.start.items() for slot, _ in pairs]
    found = [label(end) for end in ends if end[1].variable.kind == ENUMERATION]
    if found:
        raise ArgumentError(
            f"{program} has no enumerations, and {found[0]!r} is one: connect integers and give no start value to "
            f"enumerations, or {otherwise}"
        )


def check_version(structure: Structure, format: str) -> None:
    """Raise ArgumentError for FMUs that are not FMI 2.0."""
    for name, description in structure.elements.items():
        if description.version != 2:
            raise ArgumentError(
                f"{name!r} ({description.path.name}) is FMI 3.0, which programs that read {format} do not support: "
                "export the FMU as FMI 2.0"
            )


def check_steps(structure: Structure) -> None:
    """Raise ArgumentError for FMUs without co-simulation."""
    for name, description in structure.elements.items():
        if description.steps is None:
            raise ArgumentError(
                f"{name!r} ({description.path.name}) is for model exchange only, and programs that read systems use "
                "co-simulation: export it for both"
            )


def transformations(structure: Structure) -> list[tuple[Link, bool]]:
    """Return all links, and for each whether its factor and offset are the user's.

    Raises ArgumentError for links that convert units: some programs convert them, others do not.
    """
    found = []
    for link in structure.links:
        source, target = link.source[1].variable, link.target[1].variable
        numbers = link.factor, link.offset
        if numbers != (1.0, 0.0) and source.kind == REAL and conversion(source, target) == numbers:
            raise ArgumentError(
                f"{label(link.source)!r} is in {source.unit}, {label(link.target)!r} in {target.unit}: not all "
                "programs convert units; export one FMU with the unit of the other, or give factor= at connect"
            )
        found.append((link, numbers != (1.0, 0.0)))
    return found


def units(variables: Iterable[tuple[str, Variable]]) -> dict[str, Measure]:
    """Return the units of variables, given with their elements, by name.

    Units that no FMU defines are left out. Raises ArgumentError for a name that means different units in two FMUs.
    """
    found: dict[str, tuple[str, Measure]] = {}
    for element, variable in variables:
        if variable.unit is None or variable.measure is None:
            continue
        first, measure = found.setdefault(variable.unit, (element, variable.measure))
        if measure != variable.measure:
            raise ArgumentError(
                f"unit {variable.unit!r} is defined differently in {first!r} and {element!r}: give the unit of one FMU "
                "another name"
            )
    return {name: found[name][1] for name in sorted(found)}


def base_attributes(measure: Measure) -> dict[str, str]:
    """Return a unit's base units, factor and offset as attributes, without those that are the default."""
    attributes = {base: str(n) for base, n in zip(BASES, measure.exponents, strict=True) if n}
    numbers = {"factor": (measure.factor, 1.0), "offset": (measure.offset, 0.0)}
    return attributes | {name: repr(x) for name, (x, default) in numbers.items() if x != default}


def text_of(variable: Variable, value: Any) -> str:
    """Return a start value as XML files write it."""
    if variable.type == "Boolean":
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)
