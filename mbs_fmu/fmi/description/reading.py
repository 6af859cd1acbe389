"""Validation of modelDescription.xml: each export reads its own text back before it writes the FMU.

fmpy checks the text against the standard's schema and its rules for variables and structure. The reader in this module
is independent of the writer; its results are compared with the variable table.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from ...infrastructure.errors import ModelError, one_line
from ...infrastructure.lazy_dataclasses import dataclass
from .elements import TYPES
from .variables import Published

IDENTIFIER = r"[A-Za-z_]\w*(?:\[\d+(?:,\d+)*\])?(?:\.[A-Za-z_]\w*(?:\[\d+(?:,\d+)*\])?)*"
NAMES = {  #: names of variables by naming convention; the standard restricts structured ones only
    "structured": re.compile(rf"{IDENTIFIER}|der\({IDENTIFIER}(?:,\d+)?\)", re.ASCII),
    "flat": re.compile(r"[A-Za-z_]\w*", re.ASCII),
}
LISTS = {
    "2.0": {"outputs": "Outputs/Unknown", "derivatives": "Derivatives/Unknown", "initial": "InitialUnknowns/Unknown"},
    "3.0": {
        "outputs": "Output", "derivatives": "ContinuousStateDerivative", "initial": "InitialUnknown",
        "indicators": "EventIndicator",
    },
}  # fmt: skip
TRUTHS = {"false": "0", "true": "1"}
MOST_LISTED = 5  #: problems in an error message


@dataclass(frozen=True)
class DescribedVariable:
    """A variable of a description. size: number of elements. derivative_of: reference of its state.

    type: that of FMI. starts: as numbers, of Booleans 0 and 1.
    """

    name: str
    type: str
    reference: int
    causality: str
    variability: str
    initial: str | None
    starts: tuple[float, ...]
    size: int
    unit: str | None
    derivative_of: int | None

    @property
    def has_start(self) -> bool:
        """True if the standard requires a start value."""
        return self.causality == "input" or self.initial in ("exact", "approx")


@dataclass(frozen=True)
class StructureEntry:
    """An entry of the ModelStructure: references of its variable and of those on which it depends."""

    reference: int
    dependencies: tuple[int, ...]


class Description:
    """A description as an importer reads it: variables by their references, and the lists of the ModelStructure.

    References are indices from 1 in FMI 2.0, value references in FMI 3.0. Raises ValueError for attributes that must be
    numbers and are not.
    """

    def __init__(self, text: str):
        root = ET.fromstring(text)
        self.fmi = root.get("fmiVersion", "")
        self.naming = root.get("variableNamingConvention", "flat")
        elements = root.findall("ModelVariables/*")
        self.all = [_variable(element) for element in elements]
        by_index = self.fmi == "2.0"
        self.variables = {k if by_index else v.reference: v for k, v in enumerate(self.all, start=1)}
        self.exchange = root.find("ModelExchange") is not None
        self.units = {unit.get("name") for unit in root.findall("UnitDefinitions/Unit")}
        self.lists = {
            name: [_entry(e, "index" if by_index else "valueReference") for e in root.findall(f"ModelStructure/{path}")]
            for name, path in LISTS[self.fmi].items()
        }


def _variable(element: ET.Element) -> DescribedVariable:
    value = element[0] if element.tag == "ScalarVariable" else element
    derivative = value.get("derivative")
    return DescribedVariable(
        name=element.get("name", ""),
        type=value.tag,
        reference=int(element.get("valueReference", "")),
        causality=element.get("causality", ""),
        variability=element.get("variability", ""),
        initial=element.get("initial"),
        starts=tuple(float(TRUTHS.get(word, word)) for word in value.get("start", "").split()),
        size=math.prod(int(dimension.get("start", "")) for dimension in element.findall("Dimension")),
        unit=value.get("unit"),
        derivative_of=None if derivative is None else int(derivative),
    )


def _entry(element: ET.Element, key: str) -> StructureEntry:
    return StructureEntry(int(element.get(key, "")), tuple(map(int, element.get("dependencies", "").split())))


# -- rules -----------------------------------------------------------------------------------------------------


def require_valid(text: str, variables: Sequence[Published], model: str) -> None:
    """Raise ModelError if a description breaks a rule of the standard or does not describe these variables."""
    faults = problems(text, variables)
    if faults:
        more = f"; and {len(faults) - MOST_LISTED} more" if len(faults) > MOST_LISTED else ""
        raise ModelError(
            f"the FMU of model {model!r} is not written, since its modelDescription.xml is not valid: "
            f"{'; '.join(faults[:MOST_LISTED])}{more}. This is a fault of mbs_fmu: please report it with the model"
        )


def problems(text: str, variables: Sequence[Published]) -> list[str]:
    """Return violations of the standard, by fmpy and by this module, and differences from the variable table."""
    try:
        read = Description(text)
    except (ET.ParseError, ValueError, KeyError) as error:
        return [f"it can't be read ({one_line(error)})"]
    return [
        *_fmpy_problems(text),
        *_variable_problems(read),
        *_structure_problems(read),
        *_differences(read, variables),
    ]


def _fmpy_problems(text: str) -> list[str]:
    """Return violations of the schema and of fmpy's rules, except for names: fmpy's grammar takes 1 ms for each."""
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


def _variable_problems(read: Description) -> Iterator[str]:
    """Yield problems of names, references, start values and units."""
    names, references = set[str](), set[int]()
    for v in read.all:
        if not NAMES[read.naming].fullmatch(v.name):
            yield f"{v.name!r} is no {read.naming} name"
        if v.name in names or v.reference in references:
            yield f"{v.name!r} (value reference {v.reference}) is there twice"
        names.add(v.name)
        references.add(v.reference)
        required = v.size if v.has_start else 0
        if len(v.starts) != required:
            yield f"{v.name!r} has {len(v.starts)} start values, not {required}"
        if not all(map(math.isfinite, v.starts)):
            yield f"{v.name!r} starts with a number that is not finite"
        if v.unit is not None and v.unit not in read.units:
            yield f"unit {v.unit!r} of {v.name!r} is not defined"
        if v.derivative_of is not None and v.derivative_of not in read.variables:
            yield f"{v.name!r} is the derivative of {v.derivative_of}, which does not exist"


def _structure_problems(read: Description) -> Iterator[str]:
    """Yield problems of the ModelStructure: missing or repeated references, wrong orders, incomplete lists."""
    for name, entries in read.lists.items():
        for entry in entries:
            missing = {x for x in (entry.reference, *entry.dependencies) if x not in read.variables}
            if missing:
                yield f"{name} of the ModelStructure refer to {sorted(missing)}, which do not exist"
            if list(entry.dependencies) != sorted(set(entry.dependencies)):
                yield f"dependencies of {entry.reference} among the {name} are not in order, each once"
        order = [entry.reference for entry in entries]
        if len(set(order)) < len(order) or (name in ("outputs", "initial") and order != sorted(order)):
            yield f"{name} of the ModelStructure are not in order, each once"
    for name, required in _required(read).items():
        listed = {entry.reference for entry in read.lists[name]}
        if listed != required:
            yield f"{name} of the ModelStructure: {sorted(listed ^ required)} are missing, or have no place there"
    states = [read.variables[entry.reference].derivative_of for entry in read.lists["derivatives"]]
    if None in states or len(set(states)) < len(states):
        yield "derivatives of the ModelStructure are not those of one state each"


def _required(read: Description) -> dict[str, set[int]]:
    """Return the references that each list must contain."""
    outputs = {key for key, v in read.variables.items() if v.causality == "output"}
    derivatives = {key for key, v in read.variables.items() if v.derivative_of is not None and read.exchange}
    states = {v.derivative_of for key, v in read.variables.items() if key in derivatives}
    unknowns = {key for key in outputs | derivatives | states if key is not None} & read.variables.keys()
    computed = {key for key in unknowns if read.variables[key].initial in ("approx", "calculated")}
    return {"outputs": outputs, "derivatives": derivatives, "initial": computed}


def _differences(read: Description, variables: Iterable[Published]) -> Iterator[str]:
    """Yield the differences between the variables as an importer reads them and the variable table."""
    expected = {variable.name: variable for variable in variables}
    for name in [v.name for v in read.all if v.name not in expected]:
        yield f"there is no variable {name!r}"
    by_name = {v.name: v for v in read.all}
    for name, variable in expected.items():
        row, v = variable.rows[0], by_name.get(name)
        if v is None:
            yield f"variable {name!r} is missing"
            continue
        described = (v.reference, v.type, v.causality, v.variability, v.initial, v.unit, v.size, v.starts)
        starts = tuple(r.start for r in variable.rows if r.start is not None)
        size, type = len(variable.rows), TYPES[read.fmi][row.kind]
        correct = (row.reference, type, row.causality, row.variability, row.initial, row.unit, size, starts)
        if described != correct:
            yield f"variable {name!r} is described by {described}, not by {correct}"
