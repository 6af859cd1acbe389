"""Modules created from generated modules of kernels, for translation or as plain Python."""

from __future__ import annotations

import ast
import functools
import linecache
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..infrastructure.syntax import parsed
from ..record.kernel_module import ENTRY_PREFIX, SEPARATOR, KernelModule, zeros_name
from ..record.module_reading import module_of
from .entries import Kernel
from .llvm.reading import SOURCE, TREE

#: For each model with a module: a function that returns the later part, or None if the model has changed.
LaterParts = weakref.WeakKeyDictionary[Any, Callable[[Any], KernelModule | None]]

MOST_COMPILED = 1024  #: recently compiled kernels whose code is kept for other models


def load_uncached(source: KernelModule | str) -> types.ModuleType:
    """Return the module for ahead-of-time compilation, without a cache."""
    return kernels_module("mbs_fmu_ahead", source)


def load_plain(source: KernelModule | str, overrides: dict[str, object] | None = None) -> types.ModuleType:
    """Return the module as plain Python; `overrides` replace functions of its library.

    It has the interface of `loader.Kernels`. Python compiles each function at its first call, since a run calls few of
    them. The module's `later_parts` generate the later part at the first call of a function that needs it.
    """
    own = module_of(source)
    module = _empty("mbs_fmu_plain")
    names = module.__dict__
    _add_plain(module, "mbs_fmu_plain", own)
    names.update(overrides or {})
    late = {name: names[name] for name in own.unfinished}
    later_parts: LaterParts = weakref.WeakKeyDictionary()

    @functools.cache
    def rest() -> KernelModule:
        part = later_part(later_parts)
        names.update(late)
        _add_plain(module, "mbs_fmu_plain_later", part)
        return part

    def deferred(name: str) -> Callable[..., Any]:
        @functools.wraps(late[name])
        def call(*arguments: Any) -> Any:
            if later_parts:
                rest()
            return late[name](*arguments)

        return call

    def attribute(name: str) -> Any:
        if name.startswith("_") or not later_parts or (rest() and name not in names):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return names[name]

    def source_with(*kernels: str) -> KernelModule:
        needed = later_parts and (late or not all(map(own.defines, kernels)))
        return own.with_part(rest()) if needed else own

    names.update({name: deferred(name) for name in late})
    entry = functools.partial(getattr, module)
    names.update(
        load=load_plain,
        has_lanes=False,
        entry=entry,
        later_parts=later_parts,
        source_with=source_with,
        ensure_compiled=lambda *keys: None,
        __getattr__=attribute,
    )
    return module


def later_part(later_parts: LaterParts) -> KernelModule:
    """Return the later part of a module that these models share; at least one model must be unchanged."""
    return next(part for model, make in [*later_parts.items()] if (part := make(model)) is not None)


def _add_plain(module: types.ModuleType, name: str, source: KernelModule) -> None:
    """Add kernels to a module of plain Python; each is compiled at its first call."""
    filename, names = _with_constants(module, name, source), module.__dict__
    for f in source.contents.functions.values():
        if f.is_kernel:
            line = source.lines[f.name]
            names[f.name] = _at_first_call(names, f.name, filename, line, f.text)
            if f.entry:
                line += (f.text + SEPARATOR).count("\n")
                names[ENTRY_PREFIX + f.name] = _at_first_call(names, ENTRY_PREFIX + f.name, filename, line, f.entry)


def _at_first_call(names: dict[str, Any], name: str, filename: str, line: int, text: str) -> Callable[..., Any]:
    """Return a function that compiles the kernel and takes the kernel's place among the names until then."""
    made: Callable[..., Any] | None = None

    def call(*arguments: Any) -> Any:
        nonlocal made
        if made is None:
            found: dict[str, Callable[..., Any]] = {}
            exec(code_at(line, _bare(text), filename), names, found)
            made = found[name]
            if names[name] is call:
                names[name] = made
        return made(*arguments)

    call.__name__ = call.__qualname__ = name
    return call


def _bare(text: str) -> str:
    """Return the text of a kernel without its decorator, whose line stays."""
    return text[text.index("\n") :]


def kernels_module(name: str, source: KernelModule | str) -> types.ModuleType:
    """Return a module of kernels for translation; each kernel is parsed at its first use."""
    module = _empty(name)
    add_kernels(module, name, module_of(source))
    return module


def forget_functions(module: types.ModuleType) -> None:
    """Discard the functions of a module's kernels, which a further translation creates again.

    Their syntax trees take some ten megabytes, and each garbage collection visits them.
    """
    for kernel in module.__dict__.values():
        if isinstance(kernel, TextKernel):
            kernel.forget()


def add_kernels(module: types.ModuleType, name: str, source: KernelModule) -> None:
    """Add kernels to a module."""
    filename, names = _with_constants(module, name, source), module.__dict__
    for f in source.contents.functions.values():
        if f.is_kernel:
            names[f.name] = TextKernel(f.name, filename, source.lines[f.name], f.text, names)


def _with_constants(module: types.ModuleType, name: str, source: KernelModule) -> str:
    """Add the constants, the head, and functions that are no kernels; return the name of the text's file."""
    filename, names, c = _keep_lines(module, name, source.text), module.__dict__, source.contents
    names.update({n: value if isinstance(value, float) else np.int64(value) for n, value in c.numbers.items()})
    names.update({n: np.array(table or [0], dtype=np.int64) for n, table in c.tables.items()})
    names.update({zeros_name(width): (0.0,) * width for width in c.zeros})
    head = parsed(c.head)
    head.body = [node for node in head.body if not (isinstance(node, ast.ImportFrom) and node.module == "numba")]
    exec(compile(head, filename, "exec"), names)
    for f in c.functions.values():
        if not f.is_kernel:
            exec(code_at(source.lines[f.name], f.text, filename), names)
    return filename


def code_at(line: int, text: str, filename: str) -> types.CodeType:
    """Return the code of a text that begins at a line of a file.

    Models share many kernels, whose code is compiled once. To parse a text behind as many empty lines would take about
    as long again.
    """
    return _moved(_compiled(text), line - 1, filename)


@functools.lru_cache(maxsize=MOST_COMPILED)
def _compiled(text: str) -> types.CodeType:
    return compile(text, "<kernel>", "exec")


def _moved(code: types.CodeType, lines: int, filename: str) -> types.CodeType:
    """Return code, with all code within it, some lines further down in another file.

    The table of the lines of code is relative to its first line.
    """
    inner = (_moved(x, lines, filename) if isinstance(x, types.CodeType) else x for x in code.co_consts)
    return code.replace(co_filename=filename, co_firstlineno=code.co_firstlineno + lines, co_consts=tuple(inner))


class TextKernel(Kernel):
    """A kernel whose function is created at its first use."""

    def __init__(self, name: str, filename: str, line: int, text: str, constants: dict[str, Any]):
        self.__name__ = name
        self._definition = filename, line, text, constants

    def __getattr__(self, name: str) -> types.FunctionType:
        if name != "kernel_function":
            raise AttributeError(name)
        filename, line, text, constants = self._definition
        (tree,) = parsed(text).body
        assert isinstance(tree, ast.FunctionDef)
        names: dict[str, types.FunctionType] = {}
        exec(code_at(line, _bare(text), filename), constants, names)
        self.kernel_function = names[self.__name__]
        self.kernel_function.__dict__.update({TREE: tree, SOURCE: (line, text)})
        return self.kernel_function

    def forget(self) -> None:
        """Discard the function, which the next use creates again: its syntax tree takes much memory."""
        self.__dict__.pop("kernel_function", None)


def _empty(name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__dict__["MODULE"] = module  # so that every function keeps its module alive
    module.__dict__["njit"] = dict  # the head calls it; numba itself is not needed
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
