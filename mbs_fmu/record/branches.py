"""Branches of generated functions that only save time.

Where the condition of such a branch is false, its body would change no bit; to skip the body is only cheaper. In a
module for lanes, all lanes execute the body if the condition is true in one of them.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from ..infrastructure.syntax import parsed
from .kernel_module import KernelModule, ModuleFunction

#: First line of such a branch, for a number that must be positive or NaN for the body to matter. No other branch has
#: this form.
UNLESS = "if not le({}, 0.0):  # touches"


def branches_of(body: list[ast.stmt]) -> list[ast.UnaryOp]:
    """Return the conditions of all branches that only save time, among statements and inside of these."""
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
    """Return the module with conditions of such branches that hold for all lanes together."""
    return module.with_functions(_in_lanes(f) for f in module.contents.functions.values() if f.branches)


def _in_lanes(function: ModuleFunction) -> ModuleFunction:
    tree: Any = parsed(function.text)
    for test in branches_of(tree.body[0].body):
        test.operand = ast.Call(ast.Name("every"), [test.operand], [])
    return replace(function, text=ast.unparse(tree), branches=False)
