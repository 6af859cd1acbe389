"""Functions of source files as parts of generated modules: as syntax trees, or line by line."""

from __future__ import annotations

import ast
import functools
import inspect
import os
import sys
import threading
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

Kernel = Callable[..., Any]


def kernels_of(module: ModuleType) -> dict[str, Kernel]:
    """All functions that a module defines, by name, in its order."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }


class Source(NamedTuple):
    """A function in its file: its syntax tree, and the lines behind its head as they stand there."""

    tree: ast.FunctionDef
    body: str


_ALONE = threading.Lock()
if hasattr(os, "register_at_fork"):  # the child would wait for ever for a thread that it doesn't have
    os.register_at_fork(before=_ALONE.acquire, after_in_parent=_ALONE.release, after_in_child=_ALONE.release)


def parsed(text: str) -> ast.Module:
    """The tree of a module's text, made for one thread at a time.

    CPython 3.11 counts in one place how deep the trees of all threads are, and raises SystemError where two are made
    at once (python/cpython#106905).
    """
    with _ALONE:
        return ast.parse(text)


def source_of(function: Kernel) -> Source:
    """A function as its file has it."""
    return _sources(function.__module__)[function.__name__]


def definition(function: Kernel) -> ast.FunctionDef:
    """A function as it stands in generated modules: without types, which those don't know."""
    (tree,) = parsed(_untyped(function)).body
    assert isinstance(tree, ast.FunctionDef)
    return tree


def statements(function: Kernel) -> list[ast.stmt]:
    """A function's statements behind its docstring."""
    tree = definition(function)
    return tree.body[1:] if ast.get_docstring(tree) is not None else tree.body


def kernel_text(tree: ast.FunctionDef) -> str:
    """The text of a kernel."""
    return "@kernel\n" + ast.unparse(tree)


def text(function: Kernel) -> str:
    """The text of a kernel as it stands."""
    return "@kernel\n" + _untyped(function)


def texts(module: ModuleType) -> list[str]:
    """The texts of all kernels of a module."""
    return [text(function) for function in kernels_of(module).values()]


@functools.cache
def _untyped(function: Kernel) -> str:
    tree = source_of(function).tree
    tree.returns = None
    for argument in tree.args.args:
        argument.annotation = None
    tree.body = [_plain(statement) for statement in tree.body]
    return ast.unparse(tree)


@functools.cache
def _sources(module: str) -> dict[str, Source]:
    """All functions of a module; parsed at once, which is quicker than to look for each in the file."""
    text = inspect.getsource(sys.modules[module])
    lines = text.splitlines()
    found = (node for node in parsed(text).body if isinstance(node, ast.FunctionDef))
    return {f.name: Source(f, "\n".join(lines[f.body[0].lineno - 1 : f.end_lineno])) for f in found}


def _plain(statement: ast.stmt) -> ast.stmt:
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return ast.Assign([statement.target], statement.value, lineno=statement.lineno)
    return statement
