"""Functions of this folder as parts of generated modules: syntax trees, taken from their sources."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

Kernel = Callable[..., Any]


def kernels_of(module: ModuleType) -> dict[str, Kernel]:
    """All functions that a module defines, by name, in its order."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }


def definition(function: Kernel) -> ast.FunctionDef:
    """A function as it stands in generated modules: without types, which those don't know."""
    (tree,) = ast.parse(_source(function)).body
    assert isinstance(tree, ast.FunctionDef)
    _Untyped().visit(tree)
    return tree


def statements(function: Kernel) -> list[ast.stmt]:
    """A function's statements behind its docstring."""
    tree = definition(function)
    return tree.body[1:] if ast.get_docstring(tree) is not None else tree.body


def kernel_text(tree: ast.FunctionDef) -> str:
    """The text of a kernel."""
    return "@kernel\n" + ast.unparse(ast.fix_missing_locations(tree))


@functools.cache
def text(function: Kernel) -> str:
    """The text of a kernel as it stands."""
    return kernel_text(definition(function))


def texts(module: ModuleType) -> list[str]:
    """The texts of all kernels of a module."""
    return [text(function) for function in kernels_of(module).values()]


@functools.cache
def _source(function: Kernel) -> str:
    return inspect.getsource(function)


class _Untyped(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(node.arg)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        assert node.value is not None
        return ast.Assign([node.target], node.value)
