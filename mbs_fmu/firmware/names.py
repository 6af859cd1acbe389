"""Names of a model's variables as identifiers of C, each unique."""

from __future__ import annotations

from collections.abc import Iterable

from ..codegen.c.text import identifier
from ..record.program import Variable


def identifiers(variables: Iterable[Variable], taken: Iterable[str] = ()) -> dict[str, str]:
    """Return an identifier for each variable, such as `arm_q_1` for `arm.q[1]`.

    Identifiers are unique even in capitals, because enumerators are their capitals; `taken` are not used.
    """
    used, made = {name.upper() for name in taken}, {}
    for variable in variables:
        name, number = identifier(variable.name), 1
        base = name
        while name.upper() in used:
            number += 1
            name = f"{base}_{number}"
        used.add(name.upper())
        made[variable.name] = name
    return made
