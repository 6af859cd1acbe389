"""Sums of addresses as syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ..record import schema
from ..record.fields import Dimension

DIMENSIONS = {id(dimension): name for name, dimension in schema.DIMENSIONS.items()}


def named(name: str) -> ast.expr:
    """Return the tree of a name."""
    return ast.Name(name, ast.Load())


def extent(n: int | Dimension) -> ast.expr | None:
    """Return the tree of a declared length; None if it is an expression of dimensions, which has no name."""
    if isinstance(n, Dimension):
        return named(DIMENSIONS[id(n)]) if id(n) in DIMENSIONS else None
    return ast.Constant(n)


def terms_of(e: ast.expr, is_subtracted: bool = False) -> list[ast.expr]:
    """Return the terms of a sum; subtracted ones have a minus."""
    if isinstance(e, ast.BinOp) and isinstance(e.op, ast.Add | ast.Sub):
        return [*terms_of(e.left, is_subtracted), *terms_of(e.right, is_subtracted != isinstance(e.op, ast.Sub))]
    return [ast.UnaryOp(ast.USub(), e) if is_subtracted else e]


def total(terms: Iterable[ast.expr]) -> ast.expr:
    """Return the sum of terms, from left to right, without zeros."""
    first, *rest = [t for t in terms if not is_literal(t, 0)] or [ast.Constant(0)]
    for t in rest:
        if isinstance(t, ast.UnaryOp) and isinstance(t.op, ast.USub):
            first = ast.BinOp(first, ast.Sub(), t.operand)
        else:
            first = ast.BinOp(first, ast.Add(), t)
    return first


def product(index: ast.expr, length: ast.expr) -> list[ast.expr]:
    """Return the terms of index * length: none for index 0."""
    if is_literal(index, 0):
        return []
    if is_literal(index, 1):
        return [length]
    if isinstance(length, ast.Constant):
        return [ast.BinOp(length, ast.Mult(), index)]
    return [ast.BinOp(index, ast.Mult(), length)]


def difference(a: ast.expr, b: ast.expr) -> ast.expr:
    """Return a - b without the terms that both have."""
    left, right = terms_of(a), []
    for t in terms_of(b):
        same = next((other for other in left if ast.dump(other) == ast.dump(t)), None)
        if same is not None:
            left.remove(same)
        elif not is_literal(t, 0):
            right.append(ast.UnaryOp(ast.USub(), t))
    return total([*left, *right])


def is_literal(e: ast.expr, value: int) -> bool:
    """Return whether a tree is this integer."""
    return isinstance(e, ast.Constant) and type(e.value) is int and e.value == value
