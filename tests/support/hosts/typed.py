"""Values of variables of all types, as numbers, by the functions of fmpy for these types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

import numpy as np

#: Suffixes of the functions for types of FMI 2.0 and 3.0.
FUNCTIONS = {
    2: {"Real": "Real", "Integer": "Integer", "Enumeration": "Integer", "Boolean": "Boolean"},
    3: {"Float64": "Float64", "Int32": "Int32", "Enumeration": "Int64", "Boolean": "Boolean"},
}


class Values:
    """Access to the variables of one instance; arrays are all of their elements."""

    def __init__(self, slave: Any, description: Any):
        self.slave, self.version = slave, int(description.fmiVersion[0])
        variables = description.modelVariables
        self.types = {v.name: FUNCTIONS[self.version][v.type] for v in variables}
        self.references = {v.name: v.valueReference for v in variables}
        self.lengths = {v.name: int(np.prod([int(d.start) for d in v.dimensions])) for v in variables}

    def get(self, names: Iterable[str]) -> list[float]:
        """Return the numbers of variables; neighbours of one type by one call."""
        numbers: list[float] = []
        for type, group in groupby(names, lambda name: self.types[name]):
            own = list(group)
            count = (sum(self.lengths[name] for name in own),) if self.version == 3 else ()
            numbers += map(float, getattr(self.slave, f"get{type}")([self.references[name] for name in own], *count))
        return numbers

    def set(self, values: Mapping[str, Any]) -> None:
        """Set variables by name; neighbours of one type by one call."""
        for type, group in groupby(values, lambda name: self.types[name]):
            own = list(group)
            numbers = np.concatenate([np.atleast_1d(values[name]) for name in own]).tolist()
            given = numbers if type in ("Real", "Float64") else [int(x) for x in numbers]
            getattr(self.slave, f"set{type}")([self.references[name] for name in own], given)
