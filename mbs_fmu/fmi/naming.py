"""Names of variables by the naming conventions of FMI: "structured", such as arm.xi[1], or "flat", such as arm_xi_1."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, get_args

from ..infrastructure.arguments import is_one_of
from ..infrastructure.errors import Argument, ArgumentError
from ..infrastructure.messages.failures import display
from ..record.program import Program

Naming = Literal["structured", "flat"]
Enumeration = tuple[tuple[str, ...], float | None]  #: its items and the value of the first one


def require_naming(naming: object) -> None:
    """Raise ArgumentError for an unknown naming convention."""
    if not is_one_of(naming, get_args(Naming)):
        raise ArgumentError(Argument("naming"), f" is {display(naming)}: use structured or flat")


def published_names(program: Program, naming: Naming) -> dict[str, str]:
    """Return the names in an FMU of time and of all variables and vectors of the program, by their names there.

    A flat name has letters, digits and underscores only. Names that are flat already stay; one that would equal another
    gets a number at its end.
    """
    names = ["time", *(v.name for v in program.variables), *program.vectors]
    if naming == "structured":
        return {name: name for name in names}
    taken = {name for name in names if flat(name) == name}
    published = {name: name for name in taken}
    for name in names:
        if name not in published:
            published[name] = new = _free(flat(name), taken)
            taken.add(new)
    return published


def enumeration_names(program: Program, taken: Iterable[str]) -> dict[Enumeration, str]:
    """Return the names of the types of all enumerations, such as open_closed, by their items and first value.

    They are valid in Modelica, and differ from the names in `taken`, those of the variables.
    """
    used, names = set(taken), {}
    for v in program.variables:
        if v.items and (v.items, v.low) not in names:
            names[v.items, v.low] = new = _free("_".join(v.items), used)
            used.add(new)
    return names


def flat(name: str) -> str:
    """Return a structured name with an underscore in place of each group of dots, brackets and parentheses."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", name.rstrip(")]"))


def _free(name: str, taken: set[str]) -> str:
    """Return the name, with the first number from 2 at its end that makes it differ from those taken."""
    numbered, k = name, 2
    while numbered in taken:
        numbered, k = f"{name}_{k}", k + 1
    return numbered
