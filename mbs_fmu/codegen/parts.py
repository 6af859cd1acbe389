"""Division of an LLVM module into parts that call each other's functions.

A function that several parts need is written and optimised once. Short functions, functions that are always inlined,
and constants are copied to each part that uses them, because LLVM cannot specialise an external function.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .llvm import lines as ir

#: Instructions of the shortest function that parts share instead of copying it.
LEAST_SHARED = 200
SHARED_NAMES = "mbs_fmu."  #: prefix of the names of functions that parts can share
REFERENCE = re.compile(r'@"([^"]+)"')


def texts_of_parts(module: ir.Module, parts: Sequence[Iterable[str]]) -> list[str]:
    """Return the text of each part, which contains its entry functions and everything that they call.

    `parts` gives the names of each part's entry functions. A shared function belongs to the first part that reaches it.
    Functions that another part calls become external; all others keep their linkage.
    """
    uses = {name: _uses(x) for name, x in module.globals.items()}
    owner: dict[str, int] = {}
    needed = []
    for number, firsts in enumerate(parts):
        reached = _reached(firsts, uses, module.globals, {name for name in owner if owner[name] < number})
        needed.append(reached)
        for name in reached:
            if not _is_copied(module.globals[name]):
                owner.setdefault(name, number)
    for number, names in enumerate(needed):
        for name in names:
            if owner.get(name, number) != number:
                module.globals[name].linkage = ""
    return [_text(module, number, names, owner) for number, names in enumerate(needed)]


def _uses(x: Any) -> set[str]:
    """Return the names to which a function or constant refers."""
    return set(REFERENCE.findall("\n".join(x.lines()))) - {x.name}


def _is_copied(x: Any) -> bool:
    """True for contents that each part copies: declarations, constants, short functions and those always inlined."""
    return not isinstance(x, ir.Function) or "alwaysinline" in x.attributes or x.size < LEAST_SHARED


def _reached(
    firsts: Iterable[str], uses: Mapping[str, set[str]], known: Mapping[str, Any], owned: set[str]
) -> list[str]:
    """Return all names reached from the first functions, in the module's order, without going through owned ones."""
    pending = list(firsts)
    reached = set(pending)
    while pending:
        name = pending.pop()
        if name in owned:
            continue
        new = uses[name] - reached
        reached |= new
        pending += new
    return [name for name in known if name in reached]


def _text(module: ir.Module, number: int, names: Iterable[str], owner: Mapping[str, int]) -> str:
    lines = [f'; ModuleID = "{module.name}"', ""]
    for name in names:
        x = module.globals[name]
        lines += x.lines() if owner.get(name, number) == number else [x.declaration()]
    lines += [f"!{k} = {text}" for k, text in enumerate(module.metadata)]
    return "\n".join(lines) + "\n"
