"""Values of parameters in SSP packages: sets inside a description, and files .ssv."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from lxml.etree import _Element as Element

from ...infrastructure.errors import ArgumentError, ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ..description import BASES, REAL, UNITLESS, Measure, Variable, conversion, known_measure
from .archive import Archive, child, children, tag

TRUTHS = {"true": 1, "1": 1, "false": 0, "0": 0}
SET = "application/x-ssp-parameter-set"


@dataclass(frozen=True)
class Value:
    """A value of a parameter. type: of SSP. unit: as in the set; measure: its meaning, if that is known.

    factor, offset: what a connection on the way to the parameter does to the value.
    """

    type: str
    text: str
    unit: str | None = None
    measure: Measure | None = None
    factor: float = 1.0
    offset: float = 0.0

    def changed(self, factor: float, offset: float) -> Value:
        """Return the value with a linear transformation."""
        return replace(self, factor=factor * self.factor, offset=factor * self.offset + offset)

    def start(self, variable: Variable, thing: str) -> Any:
        """Return the start value of a variable, in its unit: a number, a text, or several numbers for arrays.

        Raises ArgumentError for text that is no number, and units of other dimensions.
        """
        if self.type in ("String", "Enumeration"):
            return self.text
        words = self.text.split()
        try:
            numbers = [TRUTHS[word] if self.type == "Boolean" else float(word) for word in words]
        except (KeyError, ValueError):
            raise ArgumentError(f"{thing} is {self.text!r}: that is no {self.type}") from None
        if variable.kind == REAL:
            numbers = [self._in_unit(x, variable, thing) for x in numbers]
        return numbers[0] if len(numbers) == 1 else numbers

    def _in_unit(self, number: float, variable: Variable, thing: str) -> float:
        if self.measure is None and self.unit not in (*UNITLESS, variable.unit):
            raise ArgumentError(f"{thing} is in {self.unit!r}, a unit that nothing defines: add it to the set's units")
        converted = conversion(replace(variable, unit=self.unit, measure=self.measure), variable)
        if converted is None:
            raise ArgumentError(f"{thing} is in {self.unit}, and the variable in {variable.unit}: units differ")
        factor, offset = converted
        return self.factor * (factor * number + offset) + self.offset


def values_of(
    element: Element, archive: Archive, thing: str, fmu: Callable[[], Archive] | None, known: Mapping[str, Measure]
) -> Iterator[tuple[str, Value]]:
    """Yield names and values of all sets of an element, later ones last.

    fmu: opens the files inside the element's FMU, for sets that lie there. known: units that the description defines.

    Raises ModelError for mappings, other types of sets, and sets that are missing or unreadable.
    """
    for binding in children(element, "ParameterBindings"):
        if child(binding, "ParameterMapping") is not None:
            raise ModelError(f"{archive.name}: {thing} has a parameter mapping, which is not supported")
        if binding.get("type", SET) != SET:
            raise ModelError(f"{archive.name}: {thing} has parameters of type {binding.get('type')!r}: give {SET}")
        source, prefix = binding.get("source"), binding.get("prefix", "")
        if source:
            inside = binding.get("sourceBase") == "component"
            if inside and fmu is None:
                raise ModelError(f"{archive.name}: parameters of {thing} lie in a component that is no FMU")
            files = fmu() if inside and fmu is not None else archive
            given = files.xml(source, f"{thing} with its parameters")
        else:
            given = child(binding, "ParameterValues", "ParameterSet")
        if given is None or tag(given) != "ParameterSet":
            raise ModelError(f"{archive.name}: a binding of parameters of {thing} has no set of parameters")
        for name, value in _set(given, known):
            yield prefix + name, value


def measures_of(parent: Element) -> dict[str, Measure]:
    """Return the units that a set or a description defines."""
    found = {unit.get("name", ""): _measure(unit) for unit in children(parent, "Units")}
    return {name: measure for name, measure in found.items() if measure is not None}


def _set(given: Element, known: Mapping[str, Measure]) -> Iterator[tuple[str, Value]]:
    """Yield names and values of a set."""
    measures = {**known, **measures_of(given)}
    for parameter in children(given, "Parameters"):
        typed = next((part for part in parameter if "value" in part.attrib), None)
        if typed is None:
            continue  # annotations only, or binary data
        unit = typed.get("unit")
        measure = measures.get(unit or "") or known_measure(unit)
        yield parameter.get("name", ""), Value(tag(typed), typed.get("value", ""), unit, measure)


def _measure(unit: Element) -> Measure | None:
    base = child(unit, "BaseUnit")
    if base is None:
        return None
    exponents = tuple(int(base.get(name, 0)) for name in BASES)
    return Measure(exponents, float(base.get("factor", 1.0)), float(base.get("offset", 0.0)))
