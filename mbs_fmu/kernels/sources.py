"""The source of kernels, for inclusion in generated modules: as syntax trees or as lines of text."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import textwrap
import threading
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from ..infrastructure.forks import hold_at_forks

Kernel = Callable[..., Any]


def kernels_of(module: ModuleType) -> dict[str, Kernel]:
    """Return all functions that a module defines, by name, in the order of their definition."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }


class Source(NamedTuple):
    """A function in its file: its syntax tree, and the lines of its body as they are in the file."""

    tree: ast.FunctionDef
    body: str


_ALONE = threading.Lock()
hold_at_forks(_ALONE)  # otherwise a child would wait forever for a thread of its parent


def parsed(text: str) -> ast.Module:
    """Return the syntax tree of a module's text; only one thread at a time parses.

    CPython 3.11 counts the depth of the trees of all threads in one place, and raises SystemError if two are built at
    once (python/cpython#106905).
    """
    with _ALONE:
        return ast.parse(text)


def source_of(function: Kernel) -> Source:
    """Return a function's source."""
    return _sources(function.__module__)[function.__name__]


def definition(function: Kernel) -> ast.FunctionDef:
    """Return the tree of a function without type annotations, as in generated modules."""
    (tree,) = parsed(_untyped(function)).body
    assert isinstance(tree, ast.FunctionDef)
    return tree


def statements(function: Kernel) -> list[ast.stmt]:
    """Return a function's statements without its docstring."""
    tree = definition(function)
    return tree.body[1:] if ast.get_docstring(tree) is not None else tree.body


def kernel_text(tree: ast.FunctionDef) -> str:
    """Return the text of a kernel from its tree."""
    return "@kernel\n" + ast.unparse(tree)


def text(function: Kernel) -> str:
    """Return the text of a kernel."""
    return "@kernel\n" + _untyped(function)


def texts(module: ModuleType) -> list[str]:
    """Return the texts of all kernels of a module."""
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
    """Return all functions of a module, lowered to flat text."""
    from .lowering import lowered

    names = vars(sys.modules[module])

    def known(called: str) -> ast.FunctionDef | None:
        function = names.get(called)
        return named(function.__module__).get(called) if isinstance(function, FunctionType) else None

    sources = {}
    for f in named(module).values():
        (flat,) = parsed(ast.unparse(lowered(f, known))).body
        assert isinstance(flat, ast.FunctionDef)
        sources[f.name] = Source(flat, "\n".join(textwrap.indent(ast.unparse(s), "    ") for s in flat.body))
    return sources


@functools.cache
def named(module: str) -> dict[str, ast.FunctionDef]:
    """Return all functions of a module as they are written, on named numbers."""
    text = inspect.getsource(sys.modules[module])
    return {node.name: node for node in parsed(text).body if isinstance(node, ast.FunctionDef)}


def _plain(statement: ast.stmt) -> ast.stmt:
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return ast.Assign([statement.target], statement.value, lineno=statement.lineno)
    return statement
