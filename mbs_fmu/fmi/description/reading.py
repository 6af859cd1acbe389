"""A modelDescription.xml read back: each export is held to the standard's rules before it is written.

fmpy checks the text against the standard's schema and its rules for variables and structure. The reader here knows
nothing of what has written the text; what it finds is compared with the variable table.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from ...errors import ModelError, one_line
from .variables import Published

IDENTIFIER = r"[A-Za-z_]\w*(?:\[\d+(?:,\d+)*\])?(?:\.[A-Za-z_]\w*(?:\[\d+(?:,\d+)*\])?)*"
NAME = re.compile(rf"{IDENTIFIER}|der\({IDENTIFIER}(?:,\d+)?\)", re.ASCII)  #: the standard's structured names
LISTS = {
    "2.0": {"outputs": "Outputs/Unknown", "derivatives": "Derivatives/Unknown", "initial": "InitialUnknowns/Unknown"},
    "3.0": {
        "outputs": "Output", "derivatives": "ContinuousStateDerivative", "initial": "InitialUnknown",
        "indicators": "EventIndicator",
    },
}  # fmt: skip
MOST_SAID = 5  #: problems


@dataclass(frozen=True)
class Described:
    """A variable of a description. `size`: how many elements it has; `derivative_of`: how its state is referred to."""

    name: str
    reference: int
    causality: str
    variability: str
    initial: str | None
    starts: tuple[float, ...]
    size: int
    unit: str | None
    derivative_of: int | None

    @property
    def starts_are_given(self) -> bool:
        return self.causality == "input" or self.initial in ("exact", "approx")


@dataclass(frozen=True)
class Listed:
    """An entry of the ModelStructure: how its variable is referred to, and those that it depends on."""

    reference: int
    dependencies: tuple[int, ...]


class Description:
    """A description as an importer reads it: variables by their references, and the lists of the ModelStructure.

    FMI 2.0 refers to variables by their places from 1 on, FMI 3.0 by their value references. Raises ValueError for what
    is no number.
    """

    def __init__(self, text: str):
        root = ET.fromstring(text)
        self.fmi = root.get("fmiVersion", "")
        elements = root.findall("ModelVariables/*")
        self.all = [_variable(element) for element in elements]
        by_place = self.fmi == "2.0"
        self.variables = {k if by_place else v.reference: v for k, v in enumerate(self.all, start=1)}
        self.exchange = root.find("ModelExchange") is not None
        self.units = {unit.get("name") for unit in root.findall("UnitDefinitions/Unit")}
        self.lists = {
            name: [_listed(element, "index" if by_place else "valueReference") for element in found]
            for name, found in ((n, root.findall(f"ModelStructure/{path}")) for n, path in LISTS[self.fmi].items())
        }


def _variable(element: ET.Element) -> Described:
    value = element.find("Real") if element.tag == "ScalarVariable" else element
    if value is None:
        raise ValueError(f"{element.get('name')!r} is no Real")
    derivative = value.get("derivative")
    return Described(
        name=element.get("name", ""),
        reference=int(element.get("valueReference", "")),
        causality=element.get("causality", ""),
        variability=element.get("variability", ""),
        initial=element.get("initial"),
        starts=tuple(map(float, value.get("start", "").split())),
        size=math.prod(int(dimension.get("start", "")) for dimension in element.findall("Dimension")),
        unit=value.get("unit"),
        derivative_of=None if derivative is None else int(derivative),
    )


def _listed(element: ET.Element, key: str) -> Listed:
    return Listed(int(element.get(key, "")), tuple(map(int, element.get("dependencies", "").split())))


# -- rules -----------------------------------------------------------------------------------------------------


def require_valid(text: str, variables: Sequence[Published], model: str) -> None:
    """ModelError where a description breaks a rule of the standard, or is not that of these variables."""
    found = problems(text, variables)
    if found:
        said = "; ".join(found[:MOST_SAID]) + (f"; and {len(found) - MOST_SAID} more" if len(found) > MOST_SAID else "")
        raise ModelError(
            f"the FMU of model {model!r} is not written, since its modelDescription.xml is not valid: {said}. This is "
            "a fault of mbs_fmu: please report it with the model"
        )


def problems(text: str, variables: Sequence[Published]) -> list[str]:
    """Faults that fmpy finds in a description, and facts read from it that the variables do not give."""
    try:
        read = Description(text)
    except (ET.ParseError, ValueError, KeyError) as error:
        return [f"it can't be read ({one_line(error)})"]
    return [*_found_by_fmpy(text), *_of_variables(read), *_of_structure(read), *_differences(read, variables)]


def _found_by_fmpy(text: str) -> list[str]:
    """By the schema and fmpy's rules. Names are looked at here: fmpy's grammar takes a millisecond for each."""
    from fmpy import read_model_description
    from fmpy.model_description import ValidationError

    with tempfile.TemporaryDirectory(prefix="mbs_fmu_") as folder:
        path = Path(folder) / "modelDescription.xml"
        path.write_text(text, encoding="utf-8")
        try:
            read_model_description(str(path), validate=True, validate_model_structure=True)
        except ValidationError as error:
            return [str(problem) for problem in error.problems]
        except Exception as error:  # such as KeyError for a reference that does not exist
            return [f"fmpy can't read it ({one_line(error)})"]
    return []


def _of_variables(read: Description) -> Iterator[str]:
    """Names, references, start values and units."""
    names, references = set[str](), set[int]()
    for v in read.all:
        if not NAME.fullmatch(v.name):
            yield f"{v.name!r} is no structured name"
        if v.name in names or v.reference in references:
            yield f"{v.name!r} (value reference {v.reference}) is there twice"
        names.add(v.name)
        references.add(v.reference)
        wanted = v.size if v.starts_are_given else 0
        if len(v.starts) != wanted:
            yield f"{v.name!r} has {len(v.starts)} start values, not {wanted}"
        if not all(map(math.isfinite, v.starts)):
            yield f"{v.name!r} starts with a number that is not finite"
        if v.unit is not None and v.unit not in read.units:
            yield f"unit {v.unit!r} of {v.name!r} is not defined"
        if v.derivative_of is not None and v.derivative_of not in read.variables:
            yield f"{v.name!r} is the derivative of {v.derivative_of}, which does not exist"


def _of_structure(read: Description) -> Iterator[str]:
    """References exist, each once, in the order of the standard; lists are complete."""
    for name, entries in read.lists.items():
        for entry in entries:
            missing = {entry.reference, *entry.dependencies} - read.variables.keys()
            if missing:
                yield f"{name} of the ModelStructure refer to {sorted(missing)}, which do not exist"
            if list(entry.dependencies) != sorted(set(entry.dependencies)):
                yield f"dependencies of {entry.reference} among the {name} are not in order, each once"
        order = [entry.reference for entry in entries]
        if len(set(order)) < len(order) or (name in ("outputs", "initial") and order != sorted(order)):
            yield f"{name} of the ModelStructure are not in order, each once"
    for name, wanted in _wanted(read).items():
        listed = {entry.reference for entry in read.lists[name]}
        if listed != wanted:
            yield f"{name} of the ModelStructure: {sorted(listed ^ wanted)} are missing, or have no place there"
    states = [read.variables[entry.reference].derivative_of for entry in read.lists["derivatives"]]
    if None in states or len(set(states)) < len(states):
        yield "derivatives of the ModelStructure are not those of one state each"


def _wanted(read: Description) -> dict[str, set[int]]:
    """Which variables have to be in each list."""
    outputs = {key for key, v in read.variables.items() if v.causality == "output"}
    derivatives = {key for key, v in read.variables.items() if v.derivative_of is not None and read.exchange}
    states = {v.derivative_of for key, v in read.variables.items() if key in derivatives}
    found = {key for key in outputs | derivatives | states if key is not None}
    computed = {key for key in found & read.variables.keys() if read.variables[key].initial in ("approx", "calculated")}
    return {"outputs": outputs, "derivatives": derivatives, "initial": computed}


def _differences(read: Description, variables: Iterable[Published]) -> Iterator[str]:
    """Compare a variable as an importer reads it with the variable table."""
    wanted = {variable.name: variable for variable in variables}
    for name in [v.name for v in read.all if v.name not in wanted]:
        yield f"there is no variable {name!r}"
    by_name = {v.name: v for v in read.all}
    for name, variable in wanted.items():
        row, v = variable.rows[0], by_name.get(name)
        if v is None:
            yield f"variable {name!r} is missing"
            continue
        said = (v.reference, v.causality, v.variability, v.initial, v.unit, v.size, v.starts)
        starts = tuple(r.start for r in variable.rows if r.start is not None)
        known = (row.reference, row.causality, row.variability, row.initial, row.unit, len(variable.rows), starts)
        if said != known:
            yield f"variable {name!r} is described by {said}, not by {known}"
