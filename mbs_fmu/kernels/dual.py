"""Forward-mode differentiation of small kernels, as a transformation of their source.

A tangent is the directional derivative of a number. A function on the record R becomes one on R and a second record D,
which contains the tangents of the numbers of R. Applied twice, the transformation gives second tangents. The assignment
of a tangent is inserted before each assignment of a number: to D[index] for R[index], to d_x for a local x (the prefix
depends on the direction). The transformation supports sums, products, quotients, square roots and absolute values of
numbers, integer indices, loops, branches, and calls of functions that are transformed too. Numbers marked `constant`
have no tangent. Everything else raises NotImplementedError.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from ..record.layout import Direction, Directions
from .sources import Kernel, definition

Tangent = ast.expr | None  #: None: zero


def dual(function: Kernel, translated: Collection[str], along: Directions) -> ast.FunctionDef:
    """Return the tree of a function with tangents along directions.

    `translated` names the called functions that have a counterpart with tangents, such as f_d of f. `along` has one
    direction for first tangents, two for second ones; a direction has the names of the arrays of tangents and the
    prefix of locals.
    """
    tree = _translated(definition(function), translated, along)
    return _unmarked(tree) if "constant" in function.__code__.co_names else tree


def with_tangents(tree: ast.FunctionDef, translated: Collection[str], along: Directions) -> ast.FunctionDef:
    """Return the tree of a function with tangents; the given tree is changed."""
    return _unmarked(_translated(tree, translated, along))


def _translated(tree: ast.FunctionDef, translated: Collection[str], along: Directions) -> ast.FunctionDef:
    """Return the tree with tangents along one direction after the other.

    Arguments for the arrays of tangents are inserted after those for the arrays.
    """
    names = set(translated)
    for direction in along:
        translator = _Dual(names, direction)
        tree.name = counterpart(tree.name)
        count = sum(a.arg in direction.arrays for a in tree.args.args)
        tree.args.args[count:count] = [ast.arg(array) for array in direction.arrays.values()]
        tree.body = translator.block(tree.body)
        names = {counterpart(name) for name in names}
    return tree


def _unmarked(tree: ast.FunctionDef) -> ast.FunctionDef:
    """Return the tree without marks of constants."""
    _Unmarked().visit(tree)
    return tree


def counterpart(name: str) -> str:
    """Return the name of a function's tangent: f, f_d, f_dd."""
    return name + ("d" if name.endswith("_d") else "_d")


class _Unmarked(ast.NodeTransformer):
    """Remover of the marks of constants."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        return node.args[0] if isinstance(node.func, ast.Name) and node.func.id == "constant" else node


class _Dual:
    """Translator of statements along one direction.

    `numbers` contains the names of locals that are floating-point numbers; all others are integers.
    """

    def __init__(self, translated: Collection[str], direction: Direction):
        self.translated = translated
        self.direction = direction
        self.numbers: set[str] = set()

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the statements of a block with tangents."""
        return [line for statement in body for line in self.statement(statement)]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """Return a statement; if it assigns a number, the assignment of the tangent precedes it."""
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
            case ast.Return() | ast.Break() | ast.Continue() | ast.AugAssign(op=ast.BitOr()):
                return [node]
        raise NotImplementedError(f"no tangent of: {ast.unparse(node)}")

    def assign(self, node: ast.Assign | ast.AugAssign, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """Return an assignment; if the target is a number, the assignment of its tangent precedes it."""
        if isinstance(target, ast.Name) and isinstance(node, ast.Assign) and self.is_number(value):
            self.numbers.add(target.id)
        if isinstance(target, ast.Name) and target.id not in self.numbers:
            node.value = self.call(value)
            return [node]
        tangent = self.tangent(value)
        if isinstance(node, ast.AugAssign):
            return [*([] if tangent is None else [ast.AugAssign(self.dual(target), ast.Add(), tangent)]), node]
        return [ast.Assign([self.dual(target)], tangent or ast.Constant(0.0), lineno=node.lineno), node]

    def call(self, node: ast.expr) -> ast.expr:
        """Replace a call of a translated function by one of its counterpart."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.translated:
            count = len(self.direction.arrays)  # a call begins with all arrays
            tangents = [self.array(array) for array in node.args[:count]]
            name = ast.Name(counterpart(node.func.id))
            return ast.Call(name, [*node.args[:count], *tangents, *node.args[count:]], [])
        return node

    def is_number(self, node: ast.expr) -> bool:
        """True if a value is a floating-point number, which has a tangent, not an integer."""
        match node:
            case ast.Subscript(value=ast.Name(id=name)) if name in self.direction.arrays:
                return True
            case ast.Constant(value=value):
                return isinstance(value, float)
            case ast.Name(id=name):
                return name in self.numbers
            case ast.BinOp(left=left, right=right):
                return self.is_number(left) or self.is_number(right)
            case ast.UnaryOp(operand=operand):
                return self.is_number(operand)
            case ast.Call(func=ast.Attribute(attr="sqrt")) | ast.Call(func=ast.Name(id="abs" | "constant")):
                return True
            case ast.IfExp(body=body) | ast.Call(func=ast.Name(id="where"), args=[_, body, _]):
                return self.is_number(body)
        return False

    def tangent(self, node: ast.expr) -> Tangent:
        """Return the tangent of a value, None if it is zero."""
        if not self.is_number(node):
            return None
        match node:
            case ast.Subscript() | ast.Name():
                return self.dual(node)
            case ast.Constant() | ast.Call(func=ast.Name(id="constant")):
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
                top = _sum(a, ast.Sub(), b and ast.BinOp(node, ast.Mult(), b))  # (a - quotient b) / right
                return top and ast.BinOp(top, ast.Div(), right)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return ast.IfExp(test, *(self.tangent(x) or ast.Constant(0.0) for x in (body, orelse)))
            case ast.Call(func=ast.Name(id="where") as chosen, args=[test, a, b]):
                return ast.Call(chosen, [test, *(self.tangent(x) or ast.Constant(0.0) for x in (a, b))], [])
            case ast.Call(func=ast.Name(id="abs"), args=[argument]):
                inner = self.tangent(argument)
                below = ast.Compare(argument, [ast.Lt()], [ast.Constant(0.0)])
                return inner and ast.IfExp(below, ast.UnaryOp(ast.USub(), inner), inner)
            case ast.Call(args=[argument]):  # the square root
                inner = self.tangent(argument)
                return inner and ast.BinOp(ast.BinOp(ast.Constant(0.5), ast.Mult(), inner), ast.Div(), node)
        raise NotImplementedError(f"no tangent of: {ast.unparse(node)}")

    def dual(self, node: ast.expr) -> ast.Name | ast.Subscript:
        """Return the name or array entry that holds the tangent of a variable."""
        match node:
            case ast.Subscript(value=array, slice=index):
                return ast.Subscript(self.array(array), index)
            case ast.Name(id=name):
                return ast.Name(self.direction.prefix + name)
        raise NotImplementedError(f"no tangent of: {ast.unparse(node)}")

    def array(self, node: ast.expr) -> ast.Name:
        """Return the name of the array that holds an array's tangents."""
        assert isinstance(node, ast.Name)
        return ast.Name(self.direction.arrays[node.id])


def _sum(a: Tangent, op: ast.operator, b: Tangent) -> Tangent:
    """Return the sum or difference of two tangents."""
    if b is None:
        return a
    if a is None:
        return ast.UnaryOp(ast.USub(), b) if isinstance(op, ast.Sub) else b
    return ast.BinOp(a, op, b)
