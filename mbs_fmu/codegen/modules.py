"""Modules created from the text of kernels, for translation or as plain Python."""

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

from ..infrastructure.syntax import parsed
from .entries import Kernel
from .llvm.reading import TREE

#: Text of one kernel, from its decorator to its last line.
KERNEL = re.compile(r"^@(?:kernel|jit)\n(?:@.*\n)*def (\w+)\((?:.*\n)(?:(?:[ \t)].*)?\n)*", re.MULTILINE)
IMPORT = "from numba import njit\n"  #: import in generated texts, which numba can compile unchanged
#: For each model with a text: a function that returns its deferred text, or None if the model has changed.
TextMakers = weakref.WeakKeyDictionary[Any, Callable[[Any], str | None]]
TANGENT, NAME = re.compile(r"_dd?\("), re.compile(r"\w+$")  #: end of a called tangent's name; a name at the end


def load_uncached(text: str) -> types.ModuleType:
    """Return the module for ahead-of-time compilation, without a cache."""
    return kernels_module("mbs_fmu_ahead", text)


def load_plain(text: str, overrides: dict[str, object] | None = None) -> types.ModuleType:
    """Return the module as plain Python; `overrides` replace functions of its library.

    It has the interface of `loader.Kernels`. Python compiles each function at its first call, since a run calls few of
    them. The module's `text_makers` generate the deferred text at the first call of a function that needs it.
    """
    module = _empty("mbs_fmu_plain")
    names = module.__dict__
    _add_plain(module, "mbs_fmu_plain", text)
    names.update(overrides or {})
    late = {name: names[name] for name in deferred_functions(text)}
    text_makers: TextMakers = weakref.WeakKeyDictionary()

    @functools.cache
    def rest() -> str:
        text = deferred_text(text_makers) if text_makers else ""
        names.update(late)
        _add_plain(module, "mbs_fmu_plain_deferred", text)
        return text

    def deferred(name: str) -> Callable[..., Any]:
        @functools.wraps(late[name])
        def call(*arguments: Any) -> Any:
            rest()
            return late[name](*arguments)

        return call

    def attribute(name: str) -> Any:
        if name.startswith("_") or not text_makers or (rest() and name not in names):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return names[name]

    def text_with(*kernels: str) -> str:
        needed = text_makers and (late or any(f"def {name}(" not in text for name in kernels))
        return f"{text}\n\n{rest()}" if needed else text

    names.update({name: deferred(name) for name in late})
    entry = functools.partial(getattr, module)
    names.update(
        load=load_plain,
        has_lanes=False,
        entry=entry,
        text_makers=text_makers,
        text_with=text_with,
        ensure_compiled=lambda *keys: None,
        __getattr__=attribute,
    )
    return module


def deferred_text(text_makers: TextMakers) -> str:
    """Return the deferred text of a text that these models share; at least one model must be unchanged."""
    return next(text for model, make in [*text_makers.items()] if (text := make(model)) is not None)


def deferred_functions(text: str) -> frozenset[str]:
    """Return the names of functions that call, directly or indirectly, tangents that the text does not define."""
    defined = {match.start(): match[1] for match in re.finditer(r"^def (\w+)\(", text, re.MULTILINE)}
    starts, names = [*defined], {*defined.values()}
    late: set[str] = set()
    new = {_name_before(text, match.end() - 1) for match in TANGENT.finditer(text)} - names
    while new:
        places = [place for name in new for place in _calls(text, name)]
        new = {defined[starts[k - 1]] for place in places if (k := bisect(starts, place))} - late
        late |= new
    return frozenset(late)


def _name_before(text: str, place: int) -> str:
    """Return the name that ends before a position."""
    match = NAME.search(text, text.rfind("\n", 0, place) + 1, place)
    return match[0] if match else ""


def _calls(text: str, name: str) -> Iterator[int]:
    """Yield the positions of the calls of a function."""
    place = text.find(f"{name}(")
    while place >= 0:
        if not (text[place - 1].isalnum() or text[place - 1] == "_"):
            yield place
        place = text.find(f"{name}(", place + 1)


def _add_plain(module: types.ModuleType, name: str, text: str) -> None:
    """Add more text to a module of plain Python; each kernel is compiled at its first call."""
    filename, names = _keep_lines(module, name, text), module.__dict__
    kernels, rest = _separated(text)
    names.update({kernel: _at_first_call(names, kernel, filename, *where) for kernel, where in kernels.items()})
    exec(compile(rest.replace(IMPORT, "njit = dict\n"), filename, "exec"), names)


def _at_first_call(names: dict[str, Any], name: str, filename: str, line: int, text: str) -> Callable[..., Any]:
    """Return a function that compiles the kernel and takes the kernel's place among the names until then."""
    made: Callable[..., Any] | None = None

    def call(*arguments: Any) -> Any:
        nonlocal made
        if made is None:
            found: dict[str, Callable[..., Any]] = {}
            bare = text[text.index("\n") :]  # without the decorator, whose line stays
            exec(compile("\n" * (line - 1) + bare, filename, "exec"), names, found)
            made = found[name]
            if names[name] is call:
                names[name] = made
        return made(*arguments)

    call.__name__ = call.__qualname__ = name
    return call


def kernels_module(name: str, text: str) -> types.ModuleType:
    """Return the text as a module of kernels for translation; each kernel is parsed at its first use."""
    module = _empty(name)
    add_kernels(module, name, text)
    return module


def add_kernels(module: types.ModuleType, name: str, text: str) -> None:
    """Add more text to a module of kernels."""
    filename, names = _keep_lines(module, name, text), module.__dict__
    kernels, rest = _separated(text)
    names.update({kernel: TextKernel(kernel, filename, *where, names) for kernel, where in kernels.items()})
    exec(compile(rest.replace(IMPORT, "njit = dict\n"), filename, "exec"), names)


def _separated(text: str) -> tuple[dict[str, tuple[int, str]], str]:
    """Return the first line's number and the text of each kernel, and the remaining text with its lines in place."""
    text += "\n"  # a kernel's lines end with one each
    kernels: dict[str, tuple[int, str]] = {}
    rest, end, line = [], 0, 1
    for match in KERNEL.finditer(text):
        between = text[end : match.start()]
        line += between.count("\n")
        kernels[match[1]] = line, match[0]
        rest += [between, "\n" * match[0].count("\n")]
        line, end = line + match[0].count("\n"), match.end()
    return kernels, "".join([*rest, text[end:]])


class TextKernel(Kernel):
    """A kernel whose function is created at its first use."""

    def __init__(self, name: str, filename: str, line: int, text: str, constants: dict[str, Any]):
        self.__name__ = name
        self._definition = filename, line, text, constants

    def __getattr__(self, name: str) -> types.FunctionType:
        if name != "kernel_function":
            raise AttributeError(name)
        filename, line, text, constants = self._definition
        (tree,) = parsed("\n" * (line - 1) + text).body
        assert isinstance(tree, ast.FunctionDef)
        bare = ast.copy_location(ast.FunctionDef(**dict(ast.iter_fields(tree))), tree)
        bare.decorator_list = tree.decorator_list[1:]
        names: dict[str, types.FunctionType] = {}
        exec(compile(ast.Module([bare], []), filename, "exec"), constants, names)
        self.kernel_function = names[self.__name__]
        self.kernel_function.__dict__[TREE] = tree
        return self.kernel_function


def _empty(name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__dict__["MODULE"] = module  # so that every function keeps its module alive
    return module


def _keep_lines(module: types.ModuleType, name: str, text: str) -> str:
    """Register the text in linecache, for `inspect` and tracebacks, while the module exists; return its file's name."""
    filename = f"<{name}>"
    lines = linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    weakref.finalize(module, _forget, filename, lines)
    return filename


def _forget(filename: str, lines: object) -> None:
    """Remove a module's lines from linecache, unless a module of the same name has replaced them."""
    if linecache.cache.get(filename) is lines:
        del linecache.cache[filename]
