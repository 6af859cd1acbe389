"""The text of kernels as a module: for who translates it, or as plain Python."""

from __future__ import annotations

import functools
import itertools
import linecache
import re
import types
import weakref
from typing import Any

OUR_NJIT = "from mbs_fmu.codegen.entries import njit\n"
CALL = re.compile(r"\b([a-z]\w*)\(")


def load_uncached(text: str) -> types.ModuleType:
    """The module for who compiles it ahead of time."""
    return execute("mbs_fmu_ahead", for_us(text))


def load_plain(text: str, overrides: dict[str, object] | None = None) -> types.ModuleType:
    """The same module as plain Python, not jitted; `overrides` replace functions of its library.

    It has what users of `loader.Kernels` need. The module's `more`, where it is set, gives text that stands behind.
    """
    module = execute("mbs_fmu_plain", _as_plain(text))
    module.__dict__.update(overrides or {})
    late = late_functions(text)

    @functools.cache
    def behind() -> str:
        more = module.__dict__.get("more")
        found: str = "" if more is None else more()
        execute_in(module, "mbs_fmu_plain_behind", _as_plain(found))
        return found

    def entry(name: str) -> Any:
        if name in late or name not in module.__dict__:
            behind()
        return getattr(module, name)

    def absent(name: str) -> Any:
        if name == "whole_text":
            return f"{text}\n\n{behind()}" if late else text
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    module.__dict__.update(entry=entry, together=lambda *wanted: None, __getattr__=absent)
    return module


def late_functions(text: str) -> frozenset[str]:
    """Functions that call, themselves or through others, second tangents that the text does not have."""
    defined = {match[1]: match.start() for match in re.finditer(r"^def (\w+)\(", text, re.MULTILINE)}
    starts = [*sorted(defined.values()), len(text)]
    ends = dict(itertools.pairwise(starts))
    calls = {name: set(CALL.findall(text[at : ends[at]])) for name, at in defined.items()}
    late = {name for name, called in calls.items() if any(x.endswith("_dd") and x not in defined for x in called)}
    while True:
        found = {name for name, called in calls.items() if name not in late and called & late}
        if not found:
            return frozenset(late)
        late |= found


def for_us(text: str) -> str:
    """The text whose functions are compiled by this package."""
    return text.replace("from numba import njit\n", OUR_NJIT)


def _as_plain(text: str) -> str:
    text = text.replace("from numba import njit\n", "def njit(**options):\n    return lambda function: function\n")
    return text.replace("@kernel\n", "")


def execute(name: str, text: str) -> types.ModuleType:
    """A module from text alone; inspect and tracebacks find the text for as long as it lives."""
    module = types.ModuleType(name)
    module.__dict__["MODULE"] = module  # who has a function of it has all of it
    execute_in(module, name, text)
    return module


def execute_in(module: types.ModuleType, name: str, text: str) -> None:
    """More text of a module."""
    filename = f"<{name}>"
    lines = linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    weakref.finalize(module, _forget, filename, lines)
    exec(compile(text, filename, "exec"), module.__dict__)


def _forget(filename: str, lines: object) -> None:
    """Remove a module's lines, unless another of its name has put its own there."""
    if linecache.cache.get(filename) is lines:
        del linecache.cache[filename]
