"""A module of LLVM code as several, each with functions of its own, which call those of the others.

What several parts need is written and optimised once. Short functions, those that LLVM writes out wherever they are
called, and constants stand in each part that has a use for them: a function that other parts may call can't be
fitted to its callers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .llvm import lines as ir

#: Instructions of the shortest function that parts share.
SHARED = 200
SHARED_NAMES = "mbs_fmu."  #: what the names of functions begin with that parts may share
REFERENCE = re.compile(r'@"([^"]+)"')


def texts_of_parts(module: ir.Module, parts: Sequence[Iterable[str]]) -> list[str]:
    """The text of each part, from the names of its first functions; a function goes to the first part that reaches it.

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
    """The names that a function or constant refers to."""
    return set(REFERENCE.findall("\n".join(x.lines()))) - {x.name}


def _is_copied(x: Any) -> bool:
    """True for what each part has for itself: declarations, constants, functions that are short or always inlined."""
    return not isinstance(x, ir.Function) or "alwaysinline" in x.attributes or x.size < SHARED


def _reached(
    firsts: Iterable[str], uses: Mapping[str, set[str]], known: Mapping[str, Any], owned: set[str]
) -> list[str]:
    """All that is reached from the first functions, in the module's order; nothing beyond what others own."""
    left = list(firsts)
    found = set(left)
    while left:
        name = left.pop()
        if name in owned:
            continue
        new = uses[name] - found
        found |= new
        left += new
    return [name for name in known if name in found]


def _text(module: ir.Module, number: int, names: Iterable[str], owner: Mapping[str, int]) -> str:
    out = [f'; ModuleID = "{module.name}"', ""]
    for name in names:
        x = module.globals[name]
        out += x.lines() if owner.get(name, number) == number else [x.declaration()]
    out += [f"!{k} = {text}" for k, text in enumerate(module.metadata)]
    return "\n".join(out) + "\n"
