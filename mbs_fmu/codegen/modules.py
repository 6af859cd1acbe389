"""The text of kernels as a module: for who translates it, or as plain Python."""

from __future__ import annotations

import ast
import functools
import linecache
import re
import types
import weakref
from bisect import bisect
from collections.abc import Callable, Iterator
from typing import Any

from ..kernels.sources import parsed
from .entries import Kernel
from .llvm.reading import TREE

#: A kernel's text, up to what is not its own any more.
KERNEL = re.compile(r"^@(?:kernel|jit)\n(?:@.*\n)*def (\w+)\((?:.*\n)(?:(?:[ \t)].*)?\n)*", re.MULTILINE)
IMPORT = "from numba import njit\n"  #: of generated texts, which are numba's as they stand
#: By models of a text: what makes the text that stands behind it, or None if the model has changed.
Makers = weakref.WeakKeyDictionary[Any, Callable[[Any], str | None]]
TANGENT, NAME = re.compile(r"_dd?\("), re.compile(r"\w+$")  #: the end of a call of a tangent; of its name


def load_uncached(text: str) -> types.ModuleType:
    """The module for who compiles it ahead of time."""
    return kernels_module("mbs_fmu_ahead", text)


def load_plain(text: str, overrides: dict[str, object] | None = None) -> types.ModuleType:
    """The same module as plain Python, not jitted; `overrides` replace functions of its library.

    It has what users of `loader.Kernels` need. Its `makers` make text that stands behind, when something first calls a
    function that needs it.
    """
    module = execute("mbs_fmu_plain", _as_plain(text))
    names = module.__dict__
    names.update(overrides or {})
    late = {name: names[name] for name in late_functions(text)}
    makers: Makers = weakref.WeakKeyDictionary()

    @functools.cache
    def rest() -> str:
        found = behind(makers) if makers else ""
        names.update(late)
        execute_in(module, "mbs_fmu_plain_behind", _as_plain(found))
        return found

    def waits(name: str) -> Callable[..., Any]:
        @functools.wraps(late[name])
        def made(*arguments: Any) -> Any:
            rest()
            return late[name](*arguments)

        return made

    def absent(name: str) -> Any:
        if name.startswith("_") or not makers or (rest() and name not in names):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return names[name]

    def text_with(*wanted: str) -> str:
        needed = makers and (late or any(f"def {name}(" not in text for name in wanted))
        return f"{text}\n\n{rest()}" if needed else text

    names.update({name: waits(name) for name in late})
    entry = functools.partial(getattr, module)
    names.update(entry=entry, makers=makers, text_with=text_with, together=lambda *wanted: None, __getattr__=absent)
    return module


def behind(makers: Makers) -> str:
    """The text behind one that these models share. Who needs it has one of them that is unchanged."""
    return next(text for model, make in [*makers.items()] if (text := make(model)) is not None)


def late_functions(text: str) -> frozenset[str]:
    """Functions that call, themselves or through others, tangents that the text does not have."""
    defined = {match.start(): match[1] for match in re.finditer(r"^def (\w+)\(", text, re.MULTILINE)}
    starts, names = [*defined], {*defined.values()}
    late: set[str] = set()
    found = {_called(text, match.end() - 1) for match in TANGENT.finditer(text)} - names
    while found:  # what calls one of these, as long as there is something new
        places = [place for name in found for place in _calls(text, name)]
        found = {defined[starts[k - 1]] for place in places if (k := bisect(starts, place))} - late
        late |= found
    return frozenset(late)


def _called(text: str, place: int) -> str:
    """The name before a bracket."""
    found = NAME.search(text, text.rfind("\n", 0, place) + 1, place)
    return found[0] if found else ""


def _calls(text: str, name: str) -> Iterator[int]:
    """Where a function is called."""
    place = text.find(f"{name}(")
    while place >= 0:
        if not (text[place - 1].isalnum() or text[place - 1] == "_"):
            yield place
        place = text.find(f"{name}(", place + 1)


def _as_plain(text: str) -> str:
    text = text.replace(IMPORT, "def njit(**options):\n    return lambda function: function\n")
    return text.replace("@kernel\n", "")


def execute(name: str, text: str) -> types.ModuleType:
    """A module from text alone; inspect and tracebacks find the text for as long as it lives."""
    module = _empty(name)
    execute_in(module, name, text)
    return module


def execute_in(module: types.ModuleType, name: str, text: str) -> None:
    """More text of a module."""
    exec(compile(text, _keep_lines(module, name, text), "exec"), module.__dict__)


def kernels_module(name: str, text: str) -> types.ModuleType:
    """The text as a module whose kernels this package compiles: each is read when it is first needed."""
    module = _empty(name)
    add_kernels(module, name, text)
    return module


def add_kernels(module: types.ModuleType, name: str, text: str) -> None:
    """More text of a module of kernels."""
    filename = _keep_lines(module, name, text)
    rest, end, line = [], 0, 1
    for found in KERNEL.finditer(text):
        between = text[end : found.start()]
        rest.append(between)
        line += between.count("\n")
        module.__dict__[found[1]] = TextKernel(found[1], filename, line, found[0], module.__dict__)
        rest.append("\n" * found[0].count("\n"))
        line, end = line + found[0].count("\n"), found.end()
    exec(compile("".join([*rest, text[end:]]).replace(IMPORT, "njit = dict\n"), filename, "exec"), module.__dict__)


class TextKernel(Kernel):
    """A kernel that becomes a function when it is first asked for."""

    def __init__(self, name: str, filename: str, line: int, text: str, constants: dict[str, Any]):
        self.__name__ = name
        self._made_from = filename, line, text, constants

    def __getattr__(self, name: str) -> types.FunctionType:
        if name != "kernel_function":
            raise AttributeError(name)
        filename, line, text, constants = self._made_from
        (tree,) = parsed("\n" * (line - 1) + text).body
        assert isinstance(tree, ast.FunctionDef)
        bare = ast.copy_location(ast.FunctionDef(**dict(ast.iter_fields(tree))), tree)
        bare.decorator_list = tree.decorator_list[1:]
        found: dict[str, types.FunctionType] = {}
        exec(compile(ast.Module([bare], []), filename, "exec"), constants, found)
        self.kernel_function = found[self.__name__]
        self.kernel_function.__dict__[TREE] = tree
        return self.kernel_function


def _empty(name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__dict__["MODULE"] = module  # who has a function of it has all of it
    return module


def _keep_lines(module: types.ModuleType, name: str, text: str) -> str:
    """The name of a file that linecache has while the module lives."""
    filename = f"<{name}>"
    lines = linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    weakref.finalize(module, _forget, filename, lines)
    return filename


def _forget(filename: str, lines: object) -> None:
    """Remove a module's lines, unless another of its name has put its own there."""
    if linecache.cache.get(filename) is lines:
        del linecache.cache[filename]
