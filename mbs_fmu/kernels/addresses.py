"""Addresses of numbers in flat arrays, as syntax trees: sums, and products of indices and lengths."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ..record import schema
from ..record.fields import Dimension

#: Names of the declared dimensions, by identity: expressions of dimensions are not among them.
DIMENSIONS = {id(dimension): name for name, dimension in schema.DIMENSIONS.items()}


def named(name: str) -> ast.expr:
    """Return the tree of a name."""
    return ast.Name(name, ast.Load())


def extent(n: int | Dimension) -> ast.expr | None:
    """Return the tree of a declared length: a literal or a dimension's name; None for expressions of dimensions."""
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
    result, *rest = [t for t in terms if not is_literal(t, 0)] or [ast.Constant(0)]
    for t in rest:
        if isinstance(t, ast.UnaryOp) and isinstance(t.op, ast.USub):
            result = ast.BinOp(result, ast.Sub(), t.operand)
        else:
            result = ast.BinOp(result, ast.Add(), t)
    return result


def product(index: ast.expr, length: ast.expr) -> list[ast.expr]:
    """Return the terms of index * length: none for index 0. A literal length comes first, as in `6 * k`."""
    if is_literal(index, 0):
        return []
    if is_literal(index, 1):
        return [length]
    if isinstance(length, ast.Constant):
        return [ast.BinOp(length, ast.Mult(), index)]
    return [ast.BinOp(index, ast.Mult(), length)]


def difference(a: ast.expr, b: ast.expr) -> ast.expr:
    """Return a - b without the terms that both have."""
    terms, subtracted = terms_of(a), []
    for t in terms_of(b):
        common = next((other for other in terms if ast.dump(other) == ast.dump(t)), None)
        if common is not None:
            terms.remove(common)
        elif not is_literal(t, 0):
            subtracted.append(ast.UnaryOp(ast.USub(), t))
    return total([*terms, *subtracted])


def is_literal(e: ast.expr, value: int) -> bool:
    """True if a tree is the literal integer `value`."""
    return isinstance(e, ast.Constant) and type(e.value) is int and e.value == value
