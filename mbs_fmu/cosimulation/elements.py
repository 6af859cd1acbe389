"""Elements of systems: FMUs, or models that become FMUs, with their start values."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..fmi.export import export
from ..infrastructure.arguments import finite
from ..infrastructure.cached_properties import cached_property
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from ..model.model import Model
from ..symbolic.units import in_unit, unit_of
from .description import BOOLEAN, REAL, TEXT, Description, Slot, Variable, described

Kind = Literal["python", "native"]
NATIVE = "ziglang"  #: package without which native FMUs cannot be made


class Element:
    """An element of a system: an FMU, or a model that becomes one when its description is first needed."""

    def __init__(
        self, name: str, given: Path | Model, values: Mapping[str, Any], file: Callable[[str], Path], kind: Kind | None
    ):
        self.name, self.given, self.values = name, given, values
        self._file, self._kind = file, kind

    @cached_property
    def description(self) -> Description:
        """The description of the FMU. Raises ModelError if it is unreadable or for scheduled execution only."""
        return described(self.given if isinstance(self.given, Path) else self._exported(self.given))

    def _exported(self, model: Model) -> Path:
        kind = self._kind or ("native" if importlib.util.find_spec(NATIVE) else "python")
        platforms = "host" if kind == "native" else "all"
        return export(model, self._file(self.name), kind, platforms=platforms, reference=False)

    def check(self) -> None:
        """Read the description and check the start values. Raises ModelError."""
        assert self.description is not None and self.start is not None

    @cached_property
    def start(self) -> list[tuple[Slot, Any]]:
        """Start values by scalar. Raises ModelError for names and values that the FMU cannot take."""
        pairs: list[tuple[Slot, Any]] = []
        for name, value in self.values.items():
            slots = self.description.slots(name)
            given = [value] if isinstance(value, str) else np.ravel(value).tolist()
            if len(given) != len(slots):
                raise ArgumentError(
                    f"start value of '{self.name}.{name}' has {len(given)} numbers: give {len(slots)} of them"
                )
            pairs += [(slot, self._value(slot, x)) for slot, x in zip(slots, given, strict=True)]
        return pairs

    def _value(self, slot: Slot, value: Any) -> Any:
        """Return a start value in the type of its variable; a text of a number and a unit in the variable's unit."""
        v, thing = slot.variable, f"start value of '{self.name}.{slot.name}'"
        if not v.is_settable or v.causality == "structuralParameter":
            raise ArgumentError(f"{thing}: it is {article(v.causality)}; set parameters, inputs and states")
        if v.kind == TEXT:
            if not isinstance(value, str):
                raise ArgumentError(f"{thing} is {value!r}: give a text")
            return value
        if v.kind == REAL:
            known = v.unit if v.unit is not None and unit_of(v.unit) else None
            if known is None and isinstance(value, str) and len(value.split()) > 1:
                unit = f"unit {v.unit!r}, which is unknown here" if v.unit else "no unit"
                raise ArgumentError(f"{thing} is {value!r}, and the variable has {unit}: give a number")
            return finite(in_unit(value, known, thing), thing)
        if v.kind == BOOLEAN:
            if value not in (False, True):
                raise ArgumentError(f"{thing} is {value!r}: give False or True")
            return int(value)
        if v.items:
            return self._item(v, value, thing)
        number = finite(value, thing)
        if number != int(number):
            raise ArgumentError(f"{thing} is {value!r}: give a whole number")
        return int(number)

    def _item(self, variable: Variable, value: Any, thing: str) -> int:
        """Return the number of an item of an enumeration, given by name or number. Raises ArgumentError for others."""
        numbers = dict(variable.items)
        if value in numbers:
            return numbers[value]
        if value in numbers.values():
            return int(value)
        known = listed(f"{name} ({number})" for name, number in variable.items)
        raise ArgumentError(f"{thing} is {value!r}: items are {known}{did_you_mean(str(value), numbers)}")


def article(causality: str) -> str:
    """Return a causality in words."""
    words = {
        "input": "an input", "output": "an output", "independent": "the time", "local": "a local variable",
        "calculatedParameter": "a calculated parameter", "structuralParameter": "a structural parameter",
    }  # fmt: skip
    return words.get(causality, f"a {causality}")
