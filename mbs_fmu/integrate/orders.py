"""Conditions of order: what the coefficients of a method must fulfil, exactly or up to their rounding."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction as F

Number = F | float
Row = tuple[Number, ...]
Tree = tuple["Tree", ...]  #: a rooted tree: the subtrees that hang on its root


@functools.cache
def rooted_trees(order: int) -> tuple[Tree, ...]:
    """All rooted trees with so many vertices."""

    def forests(size: int, largest: Tree | None) -> Iterator[Tree]:
        if size == 0:
            yield ()
        for first in range(1, size + 1):
            for tree in rooted_trees(first):
                if largest is None or (first, tree) <= (_size(largest), largest):
                    for rest in forests(size - first, tree):
                        yield (tree, *rest)

    return tuple(forests(order - 1, None))


def _size(tree: Tree) -> int:
    return 1 + sum(map(_size, tree))


def _density(tree: Tree) -> int:
    return _size(tree) * math.prod(map(_density, tree))


def check_order(name: str, order: int, a: Sequence[Row], b: Row, sole: Sequence[Row] | None = None) -> None:
    """ValueError unless sum b_i Phi_i(t) = 1 / gamma(t) for every tree t of at most `order` vertices.

    a: rows of the matrix. sole: another matrix, for vertices with one branch only (Rosenbrock methods; Hairer, Wanner,
    Solving Ordinary Differential Equations II, Theorem IV.7.6). Fractions must agree exactly, decimals up to their
    rounding.
    """
    sole = a if sole is None else sole

    @functools.cache
    def weights(tree: Tree) -> tuple[Number, ...]:
        matrix = sole if len(tree) == 1 else a
        products: list[Number] = [F(1)] * len(b)
        for branch in tree:
            inner = weights(branch)
            products = [p * dot(row, inner) for p, row in zip(products, matrix, strict=True)]
        return tuple(products)

    for size in range(1, order + 1):
        for tree in rooted_trees(size):
            if differs([x * y for x, y in zip(b, weights(tree), strict=True)], F(1, _density(tree))):
                raise ValueError(f"method {name}: the weights fail a condition of order {size}")


def check_rows(name: str, a: Sequence[Row], c: Row) -> None:
    """ValueError unless each row has its node as sum."""
    for i, row in enumerate(a):
        if differs(row, c[i]):
            raise ValueError(f"method {name}: row {i} must have the sum c[{i}]")


def differs(terms: Sequence[Number], value: Number) -> bool:
    """Whether a sum is not what it should be: at all with fractions, by more than their rounding with decimals."""
    exact = isinstance(value, F) and all(isinstance(x, F) for x in terms)
    allowed = 0.0 if exact else 1e-14 * (1.0 + sum(abs(float(x)) for x in terms))
    return abs(float(sum(terms, F(0)) - value)) > allowed


def dot(x: Sequence[Number], y: Sequence[Number]) -> Number:
    """Sum of products, up to the shorter one's end."""
    return sum((a * b for a, b in zip(x, y, strict=False) if a), F(0))
