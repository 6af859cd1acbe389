"""Branches of generated functions that only save time.

Both sides of such a branch give the same bits where it is not taken; the other side is only cheaper. A module for lanes
takes it if one of its lanes does.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from ..infrastructure.syntax import parsed
from .kernel_module import KernelModule, ModuleFunction

#: The line of such a branch, with its dearer side; a number that is NaN takes it. No other branch has this form.
UNLESS = "if not le({}, 0.0):  # touches"


def branches_of(body: list[ast.stmt]) -> list[ast.UnaryOp]:
    """Return the conditions of all such branches among statements, and in the statements inside of them."""
    found: list[ast.UnaryOp] = []
    for statement in body:
        match statement:
            case ast.If(
                test=ast.UnaryOp(
                    op=ast.Not(), operand=ast.Call(func=ast.Name(id="le"), args=[_, ast.Constant(value=0.0)])
                ) as test
            ):
                found.append(test)
        if isinstance(statement, (ast.For, ast.If, ast.While)):
            found += branches_of(statement.body) + branches_of(statement.orelse)
    return found


def in_lanes(module: KernelModule) -> KernelModule:
    """Return the module with these branches for all lanes together."""
    return module.with_functions(_in_lanes(f) for f in module.contents.functions.values() if f.branches)


def _in_lanes(function: ModuleFunction) -> ModuleFunction:
    tree: Any = parsed(function.text)
    for test in branches_of(tree.body[0].body):
        test.operand = ast.Call(ast.Name("every"), [test.operand], [])
    return replace(function, text=ast.unparse(tree), branches=False)
