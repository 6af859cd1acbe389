"""Descriptions of FMUs that systems couple: variables with types, sizes and units, feedthrough, capabilities."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from fmpy import read_model_description

from ..fmi.unpacking import require_bounded
from ..infrastructure.errors import ModelError, one_line
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from ..symbolic.units import unit_of

#: Types of variables that may be connected with each other have the same kind; others cannot be connected.
KINDS = {
    "Real": "real number", "Float64": "real number", "Float32": "real number",
    "Integer": "integer of 32 bits", "Int32": "integer of 32 bits",
    **{f"{sign}Int{bits}": f"{word} of {bits} bits" for sign, word in (("", "integer"), ("U", "unsigned integer"))
       for bits in (8, 16, 64)},
    "UInt32": "unsigned integer of 32 bits",
    "Enumeration": "enumeration", "Boolean": "boolean", "String": "text",
}  # fmt: skip
REAL, TEXT, ENUMERATION, BOOLEAN = KINDS["Real"], KINDS["String"], KINDS["Enumeration"], KINDS["Boolean"]
#: Arguments of `Model.input` and `Model.output` that give a variable one of these kinds.
ARGUMENTS = {
    REAL: 'kind="real"', KINDS["Int32"]: 'kind="integer"', BOOLEAN: 'kind="boolean"',
    ENUMERATION: "kind= with the names of its values",
}  # fmt: skip
UNITLESS = ("", "-", "1", None)  #: spellings of no unit
FAULT = re.compile("warning|discard|error|fatal", re.IGNORECASE)  #: in names of categories of messages
BASES = ("kg", "m", "s", "A", "K", "rad", "mol", "cd")


class Measure(NamedTuple):
    """A unit as exponents of `BASES`; a number x in it is factor x + offset in the base units."""

    exponents: tuple[int, ...]
    factor: float
    offset: float


@dataclass(frozen=True)
class Variable:
    """A variable of an FMU. `size` is the number of its elements; an array has a variable of FMI 3.0 with dimensions.

    is_settable: it may get a start value. measure: its unit in base units, or None if that is unknown. items: names and
    numbers of an enumeration.
    """

    name: str
    reference: int
    type: str
    causality: str
    is_continuous: bool
    is_settable: bool
    is_array: bool
    size: int
    nominal: float
    start: str
    unit: str | None
    measure: Measure | None
    items: tuple[tuple[str, int], ...] = ()

    @property
    def kind(self) -> str:
        """The kind of its values, by which connections are checked; the FMI type if it cannot be connected."""
        return KINDS.get(self.type, self.type)

    @property
    def is_number(self) -> bool:
        """True if its values can be columns of results."""
        return self.type in KINDS and self.kind != TEXT

    def element(self, k: int) -> str:
        """Return the name of its element `k`, from 0."""
        return f"{self.name}[{k + 1}]" if self.is_array else self.name


class Slot(NamedTuple):
    """A scalar of an FMU: a variable, or the element `place` of an array, from 0."""

    variable: Variable
    place: int

    @property
    def name(self) -> str:
        return self.variable.element(self.place)


@dataclass(frozen=True)
class Description:
    """Data of an FMU that a system uses.

    version: 2 or 3. steps, exchange: identifiers of its libraries for co-simulation and model exchange; None without.
    indicators, states: numbers of event indicators and continuous states. feedthrough: inputs on which each output
    depends without a delay; all inputs of real numbers for outputs that are not listed. interpolates: it takes slopes
    of inputs. divides: its communication steps may have any size. saves: its state can be saved and restored. single: a
    process can have one instance of it only. faults: categories of messages about failures.
    """

    path: Path
    version: int
    steps: str | None
    exchange: str | None
    indicators: int
    states: int
    token: str
    variables: Mapping[str, Variable]
    feedthrough: Mapping[str, frozenset[str]]
    interpolates: bool
    divides: bool
    saves: bool
    single: bool
    faults: tuple[str, ...] = ()

    def inputs_of(self, output: str) -> frozenset[str]:
        """Return the inputs on which an output depends without a delay."""
        every = (v.name for v in self.variables.values() if v.causality == "input" and v.kind == REAL)
        return self.feedthrough[output] if output in self.feedthrough else frozenset(every)

    def slots(self, name: str) -> list[Slot]:
        """Return the scalars of a variable, of an element of an array, or of variables "name[1]", "name[2]" and so on.

        Raises ModelError for an unknown name.
        """
        if name in self.variables:
            variable = self.variables[name]
            return [Slot(variable, k) for k in range(variable.size)]
        base, bracket, number = name.removesuffix("]").rpartition("[")
        array = self.variables.get(base)
        if bracket and array is not None and array.is_array and number.isdecimal() and 1 <= int(number) <= array.size:
            return [Slot(array, int(number) - 1)]
        parts: list[Slot] = []
        while f"{name}[{len(parts) + 1}]" in self.variables:
            parts.append(Slot(self.variables[f"{name}[{len(parts) + 1}]"], 0))
        if parts:
            return parts
        hint = did_you_mean(name, self.variables) or f"; it has {listed(self.variables)}"
        raise ModelError(f"{self.path.name} has no variable {name!r}{hint}")


def described(path: Path) -> Description:
    """Read the description of an FMU. Raises ModelError if it is missing, unreadable or of FMI 1.0."""
    if not path.is_file():
        raise ModelError(f"no file {str(path)!r}")
    try:
        require_bounded(path)
        read = read_model_description(str(path))
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{path.name} is not a readable FMU: {one_line(error)}") from None
    version = str(read.fmiVersion)
    if version.partition(".")[0] not in ("2", "3"):
        raise ModelError(f"{path.name} is FMI {version}: System couples FMUs of FMI 2.0 and 3.0; export it so")
    steps, exchange = read.coSimulation, read.modelExchange
    if steps is None and exchange is None:
        raise ModelError(f"{path.name} is for scheduled execution only: System couples other FMUs; export it so")
    either = steps or exchange
    categories = getattr(read, "logCategories", ())  # fmpy 0.3.22 does not read them
    units = {unit.name: unit.baseUnit for unit in read.unitDefinitions}
    variables = {v.name: _variable(v, units) for v in read.modelVariables}
    return Description(
        path=path, version=int(version[0]),
        steps=steps and steps.modelIdentifier, exchange=exchange and exchange.modelIdentifier,
        indicators=int(read.numberOfEventIndicators or _count(read.eventIndicators)), states=_count(read.derivatives),
        token=read.guid, variables=variables,
        feedthrough={
            u.variable.name: frozenset(d.name for d in u.dependencies)
            for u in read.outputs if u.variable is not None and u.dependencies is not None
        },
        interpolates=version[0] == "2" and steps is not None and steps.canInterpolateInputs,
        divides=steps is not None and steps.canHandleVariableCommunicationStepSize,
        saves=steps is not None and steps.canGetAndSetFMUstate,
        single=either.canBeInstantiatedOnlyOncePerProcess,
        faults=tuple(c.name for c in categories if FAULT.search(c.name)),
    )  # fmt: skip


def _variable(v: Any, units: Mapping[str, Any]) -> Variable:
    declared = v.declaredType
    unit = v.unit or (declared.unit if declared is not None else None)
    sizes = [_size(d) for d in v.dimensions]
    causality = v.causality or "local"
    settable = causality in ("parameter", "input") or (v.initial in ("exact", "approx") and v.variability != "constant")
    return Variable(
        name=v.name, reference=v.valueReference, type=v.type, causality=causality,
        is_continuous=KINDS.get(v.type) == REAL and v.variability in (None, "continuous"),
        is_settable=settable, is_array=bool(v.dimensions), size=math.prod(sizes),
        nominal=abs(float(v.nominal)) if v.nominal else 1.0, start=str(v.start or ""), unit=unit,
        measure=_measure(unit, units),
        items=tuple((item.name, int(item.value)) for item in getattr(declared, "items", None) or ()),
    )  # fmt: skip


def _count(unknowns: Any) -> int:
    """Return the number of elements of the variables that the structure of an FMU lists."""
    return sum(math.prod(_size(d) for d in unknown.variable.dimensions) for unknown in unknowns)


def _size(dimension: Any) -> int:
    """Return a dimension of an array: a number, or the start value of a structural parameter."""
    text = dimension.start or (dimension.variable.start if dimension.variable is not None else None)
    return int(text or 1)


def _measure(unit: str | None, units: Mapping[str, Any]) -> Measure | None:
    """Return a unit in base units as the FMU defines it, or as this package knows it; None if neither does."""
    base = units.get(unit or "")
    if base is not None:
        exponents = tuple(int(getattr(base, name)) for name in BASES)
        return Measure(exponents, float(base.factor), float(base.offset))
    return known_measure(unit)


def known_measure(unit: str | None) -> Measure | None:
    """Return a unit in base units as this package knows it; None for no unit and unknown ones."""
    known = None if unit is None else unit_of(unit)
    return None if known is None else Measure((*known.exponents, 0, 0), known.factor, known.offset)


def conversion(source: Variable, target: Variable) -> tuple[float, float] | None:
    """Return factor and offset from the unit of a source to that of a target; None if their dimensions differ.

    Variables without a unit, and those whose unit is unknown, fit all others.
    """
    if source.unit == target.unit or source.unit in UNITLESS or target.unit in UNITLESS:
        return 1.0, 0.0
    a, b = source.measure, target.measure
    if a is None or b is None or (a.factor, a.offset) == (b.factor, b.offset) and a.exponents == b.exponents:
        return 1.0, 0.0
    if a.exponents != b.exponents:
        return None
    return a.factor / b.factor, (a.offset - b.offset) / b.factor


def remedy(source: Variable, target: Variable) -> str:
    """Return how the types of a connection can be made to agree; nothing for types that models do not have."""
    if source.kind not in ARGUMENTS or target.kind not in ARGUMENTS:
        return ""
    return (
        f"; in a model of this package give the input {ARGUMENTS[source.kind]}, or the output {ARGUMENTS[target.kind]}"
    )


def lacking(source: Variable, target: Variable) -> list[str]:
    """Return the values of a source, as "name (number)", that a target lacks; none if one of them lists no values."""
    known = {number for _, number in target.items}
    return [f"{name} ({number})" for name, number in source.items if known and number not in known]


def renamed(source: Variable, target: Variable) -> list[str]:
    """Return the values with two names, such as "2 is neutral and middle"."""
    names = {number: name for name, number in target.items}
    return [f"{k} is {name} and {names[k]}" for name, k in source.items if names.get(k, name) != name]
