"""The source of kernels, lowered to flat text (lowering.py) for generated modules: as trees, lines or functions."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from ..infrastructure.syntax import parsed
from ..record.kernel_module import ModuleFunction
from .comments import commented
from .lowering import Known, lowered

Kernel = Callable[..., Any]


def kernels_of(module: ModuleType) -> dict[str, Kernel]:
    """Return all functions that a module defines, by name, in the order of their definition."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }


class Source(NamedTuple):
    """A function lowered to flat text: its syntax tree without types, and the lines of its body."""

    tree: ast.FunctionDef
    body: str


@functools.cache
def source_of(function: Kernel) -> Source:
    """Return a function's source, lowered to flat text (lowering.py)."""
    tree = lowered(named_source(function), called_by(function))
    return Source(tree, commented(tree.body, _file(function.__module__).lines))


def named_source(function: Kernel) -> ast.FunctionDef:
    """Return the tree of a function as it is written, on named numbers."""
    return _file(function.__module__).functions[function.__name__]


def called_by(function: Kernel) -> Known:
    """Return the look-up of kernels that `function` may call: from a name in its module to the tree, or None."""

    def known(name: str) -> ast.FunctionDef | None:
        called = function.__globals__.get(name)
        return named_source(called) if isinstance(called, FunctionType) else None

    return known


def definition(function: Kernel) -> ast.FunctionDef:
    """Return the tree of a function as in generated modules, which the caller may change."""
    return read_function(_text(function))


def statements(tree: ast.FunctionDef) -> list[ast.stmt]:
    """Return a function's statements without its docstring."""
    return tree.body[1:] if ast.get_docstring(tree) is not None else tree.body


def names_read(tree: ast.FunctionDef) -> frozenset[str]:
    """Return the names that the body of a function reads and that are neither its arguments nor its locals."""
    read, own = set[str](), {argument.arg for argument in tree.args.args}
    pending: list[ast.AST] = [*tree.body]
    while pending:  # takes half the time of ast.walk
        node = pending.pop()
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else own).add(node.id)
            continue
        for value in node.__dict__.values():
            if isinstance(value, ast.AST):
                pending.append(value)
            elif isinstance(value, list):
                pending += value
    return frozenset(read - own)


def read_function(text: str) -> ast.FunctionDef:
    """Return the tree of the text of one function."""
    (tree,) = parsed(text).body
    assert isinstance(tree, ast.FunctionDef)
    return tree


def kernel(tree: ast.FunctionDef) -> ModuleFunction:
    """Return a kernel of generated modules from its tree."""
    return ModuleFunction(tree.name, "@kernel\n" + ast.unparse(tree))


def plain_function(function: Kernel) -> ModuleFunction:
    """Return a function of generated modules that is plain Python."""
    return ModuleFunction(function.__name__, _text(function), is_kernel=False)


def kernels(module: ModuleType) -> list[ModuleFunction]:
    """Return all functions of a module as kernels of generated modules."""
    return [ModuleFunction(name, "@kernel\n" + _text(f)) for name, f in kernels_of(module).items()]


@functools.cache
def _text(function: Kernel) -> str:
    """Return the flat text of a function, with its decorators."""
    tree, body = source_of(function)
    decorators = "".join(f"@{ast.unparse(d)}\n" for d in tree.decorator_list)
    return f"{decorators}def {tree.name}({', '.join(a.arg for a in tree.args.args)}):\n{body}"


class File(NamedTuple):
    """A file: its lines, and the trees of its functions."""

    lines: list[str]
    functions: dict[str, ast.FunctionDef]


@functools.cache
def _file(module: str) -> File:
    """Return the file of a module; parsing it once is faster than searching it for each function."""
    text = inspect.getsource(sys.modules[module])
    functions = {node.name: node for node in parsed(text).body if isinstance(node, ast.FunctionDef)}
    return File(text.splitlines(), functions)


def forget_trees() -> None:
    """Discard the syntax trees of all files, which a further function read from them builds again.

    They are some hundred thousand objects, which each garbage collection visits, and so does the end of the process.
    """
    source_of.cache_clear()
    _file.cache_clear()
