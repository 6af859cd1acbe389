"""Tangents of small kernels: the text of a function on R to that of the same function on R and D.

Before each assignment of a number stands the assignment of its tangent: R[index] becomes D[index], a local x
becomes d_x. Understood are sums, products, quotients and square roots of numbers, integer indices, loops, branches
and calls of functions that are translated too. Anything else raises NotImplementedError.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Collection

Tangent = ast.expr | None  #: None: zero


def dual_source(function: Callable, translated: Collection[str]) -> str:
    """Text of `function_d(R, D, ...)`; `translated` names the functions that have such a counterpart."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.name += "_d"
    definition.args.args.insert(1, ast.arg("D"))
    definition.body = _Dual(translated).block(definition.body)
    return ast.unparse(ast.fix_missing_locations(tree))


class _Dual:
    """Translates statements; `numbers` are the locals that hold numbers, all others hold integers."""

    def __init__(self, translated: Collection[str]):
        self.translated = translated
        self.numbers: set[str] = set()

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [out for statement in body for out in self.statement(statement)]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.For() | ast.If():
                if isinstance(node, ast.If):
                    node.test = self.call(node.test)
                node.body, node.orelse = self.block(node.body), self.block(node.orelse)
                return [node]
            case ast.Expr(value=value):
                return [ast.Expr(self.call(value))]
            case ast.Assign(targets=[target], value=value):
                return self.assign(node, target, value)
            case ast.AugAssign(target=target, op=ast.Add(), value=value):
                return self.assign(node, target, value)
            case ast.Return() | ast.Break() | ast.AugAssign(op=ast.BitOr()):
                return [node]
        raise NotImplementedError(f"no tangent of: {ast.unparse(node)}")

    def assign(self, node: ast.Assign | ast.AugAssign, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        if isinstance(target, ast.Name) and isinstance(node, ast.Assign) and self.is_number(value):
            self.numbers.add(target.id)
        if isinstance(target, ast.Name) and target.id not in self.numbers:
            node.value = self.call(value)
            return [node]
        tangent = self.tangent(value)
        if isinstance(node, ast.AugAssign):
            return [*([] if tangent is None else [ast.AugAssign(_dual(target), ast.Add(), tangent)]), node]
        return [ast.Assign([_dual(target)], tangent or ast.Constant(0.0)), node]

    def call(self, node: ast.expr) -> ast.expr:
        """A call of a translated function becomes that of its counterpart."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.translated:
            return ast.Call(ast.Name(node.func.id + "_d"), [node.args[0], ast.Name("D"), *node.args[1:]], [])
        return node

    def is_number(self, node: ast.expr) -> bool:
        """Whether a value is a number with a tangent, not an integer."""
        match node:
            case ast.Subscript(value=ast.Name(id="R")):
                return True
            case ast.Constant(value=value):
                return isinstance(value, float)
            case ast.Name(id=name):
                return name in self.numbers
            case ast.BinOp(left=left, right=right):
                return self.is_number(left) or self.is_number(right)
            case ast.UnaryOp(operand=operand):
                return self.is_number(operand)
            case ast.Call(func=ast.Attribute(attr="sqrt")):
                return True
        return False

    def tangent(self, node: ast.expr) -> Tangent:
        if not self.is_number(node):
            return None
        match node:
            case ast.Subscript() | ast.Name():
                return _dual(node)
            case ast.Constant():
                return None
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self.tangent(operand)
                return inner and ast.UnaryOp(ast.USub(), inner)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                return _sum(self.tangent(left), op, self.tangent(right))
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                a, b = self.tangent(left), self.tangent(right)
                return _sum(a and ast.BinOp(a, ast.Mult(), right), ast.Add(), b and ast.BinOp(left, ast.Mult(), b))
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                a, b = self.tangent(left), self.tangent(right)
                top = _sum(a, ast.Sub(), b and ast.BinOp(node, ast.Mult(), b))
                return top and ast.BinOp(top, ast.Div(), right)
            case ast.Call(args=[argument]):
                inner = self.tangent(argument)
                return inner and ast.BinOp(ast.BinOp(ast.Constant(0.5), ast.Mult(), inner), ast.Div(), node)
        raise NotImplementedError(f"no tangent of: {ast.unparse(node)}")


def _dual(node: ast.expr) -> ast.Name | ast.Subscript:
    """The place of the tangent of a place."""
    match node:
        case ast.Subscript(value=ast.Name(id="R"), slice=index):
            return ast.Subscript(ast.Name("D"), index)
        case ast.Name(id=name):
            return ast.Name(f"d_{name}")
    raise NotImplementedError(f"no tangent of: {ast.unparse(node)}")


def _sum(a: Tangent, op: ast.operator, b: Tangent) -> Tangent:
    if b is None:
        return a
    if a is None:
        return ast.UnaryOp(ast.USub(), b) if isinstance(op, ast.Sub) else b
    return ast.BinOp(a, op, b)
