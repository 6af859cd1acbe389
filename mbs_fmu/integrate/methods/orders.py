"""Order conditions of methods. Fractions must fulfil them exactly, decimals up to their rounding."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from numbers import Rational

from ...infrastructure.cached_properties import cached_property

Number = F | float
Row = tuple[Number, ...]
Tree = tuple["Tree", ...]  #: a rooted tree, as the tuple of the subtrees at its root


@functools.cache
def rooted_trees(order: int) -> tuple[Tree, ...]:
    """Return all rooted trees with `order` vertices."""

    def forests(size: int, largest: Tree | None) -> Iterator[Tree]:
        """Yield all sets of trees with `size` vertices in total, none of them greater than `largest`."""
        if size == 0:
            yield ()
        for first in range(1, size + 1):
            for tree in rooted_trees(first):
                if largest is None or (first, tree) <= (_size(largest), largest):
                    for rest in forests(size - first, tree):
                        yield (tree, *rest)

    return tuple(forests(order - 1, None))


def _size(tree: Tree) -> int:
    """Return the number of vertices."""
    return 1 + sum(map(_size, tree))


def _density(tree: Tree) -> int:
    """Return gamma(t), the density of a tree t."""
    return _size(tree) * math.prod(map(_density, tree))


class Conditions:
    """Sums over the stages of a method, one for each rooted tree t: sum w_i Phi_i(t) of weights w.

    Phi_i(t) is the elementary weight of stage i, and gamma(t) below the density of the tree. `a` contains the rows of
    the matrix; missing entries at their ends are zero. `sole` is the matrix for vertices with one branch (Rosenbrock
    methods; Hairer, Wanner, Solving Ordinary Differential Equations II, Theorem IV.7.6).
    """

    def __init__(self, a: Sequence[Row], sole: Sequence[Row] | None = None):
        self._a, self._sole = a, a if sole is None else sole
        self._known: dict[Tree, Row] = {}

    def _phi(self, tree: Tree) -> Row:
        """Return Phi_i(t) for every stage i."""
        if tree not in self._known:
            matrix = self._sole if len(tree) == 1 else self._a
            products: list[Number] = [1] * len(self._a)
            for branch in tree:
                inner = self._phi(branch)
                products = [p * dot(row, inner) for p, row in zip(products, matrix, strict=True)]
            self._known[tree] = tuple(products)
        return self._known[tree]

    def hold(self, weights: Row, order: int, share: int = 1) -> bool:
        """True if sum w_i Phi_i(t) = share / gamma(t) for every tree of `order` vertices."""
        return not any(
            self._differs(weights, tree, F(share, _density(tree)) if share else 0) for tree in rooted_trees(order)
        )

    def _differs(self, weights: Row, tree: Tree, value: Number) -> bool:
        """True if the sum of a tree differs from `value` by more than rounding."""
        terms = [w * phi for w, phi in zip(weights, self._phi(tree), strict=False) if w]
        if not differs(terms, value):
            return False
        # products may cancel in Phi_i; their rounding is relative to their sizes
        return differs(terms, value, float(dot(_sizes(weights), self._rounded._phi(tree))))

    @cached_property
    def _rounded(self) -> Conditions:
        """The same conditions with absolute values of the coefficients, to bound the rounding."""
        return Conditions([_sizes(row) for row in self._a], [_sizes(row) for row in self._sole])

    def exponent(self, weights: Row, most: int) -> int | None:
        """Return the power of h with which a weighted sum of the stages vanishes; None if it exceeds `most`."""
        return next((n for n in range(1, most + 1) if not self.hold(weights, n, 0)), None)


def check_order(name: str, order: int, weights: Row, conditions: Conditions) -> None:
    """Raise ValueError unless the weights fulfil all conditions up to `order` and not all of the next order."""
    if order < 1:
        raise ValueError(f"method {name}: order is {order}: it is at least 1")
    for n in range(1, order + 1):
        if not conditions.hold(weights, n):
            raise ValueError(f"method {name}: order is {order}, but the weights fail a condition of order {n}")
    if conditions.hold(weights, order + 1):
        raise ValueError(f"method {name}: order is {order}, but the weights fulfil those of {order + 1} too: say so")


def check_error(
    name: str, error_order: int, most: int, error: Row, conditions: Conditions, damping: Row | None = None
) -> None:
    """Raise ValueError unless the error estimate decreases as h to the power `error_order`.

    With `error` alone this is the order of the embedded weights + 1. With `damping`, as in DOP853, the estimate is
    error²/damping. `most` is the largest power to try, the order of the solution + 1.
    """
    powers = []
    for part, weights in (("error", error), ("damping", damping)):
        if weights is None:
            continue
        power = conditions.exponent(weights, most)
        if power is None:
            raise ValueError(f"method {name}: the {part} weights see no error up to order {most}: give others")
        if power == 1:
            raise ValueError(f"method {name}: the {part} weights must sum to zero")
        powers.append(power)
    power_of_h = powers[0] if damping is None else 2 * powers[0] - powers[1]
    if power_of_h != error_order:
        why = "the order of the embedded weights + 1" if damping is None else "2 * power of error - power of damping"
        raise ValueError(f"method {name}: error_order is {error_order}, but should be {power_of_h}: {why}")


def check_safety(name: str, safety: float) -> None:
    """Raise ValueError unless 0 < safety < 1."""
    if not 0.0 < safety < 1.0:
        raise ValueError(f"method {name}: safety is {safety}: give a number between 0 and 1")


def check_dense(
    name: str, order: int, dense: Sequence[Row], basis: Sequence[Sequence[int]], conditions: Conditions
) -> None:
    """Raise ValueError unless the weights of dense output fulfil the conditions up to one order below the step's.

    `dense` contains, for each stage, the coefficients of its weight in the polynomials basis[k] of degree k + 1. Each
    polynomial is a row of coefficients of theta, theta^2 ..., the last of which is 1 or -1. The sums at theta must be
    theta^n / gamma(t); this determines each coefficient in the basis.
    """
    weights = list(zip(*dense, strict=True))
    for n in range(1, max(2, order)):
        if n > len(basis):
            raise ValueError(f"method {name}: dense weights end at theta^{len(basis)}: order {n} needs theta^{n}")
        for k, share in enumerate(_shares(n, basis)):
            if not conditions.hold(weights[k], n, share):
                raise ValueError(f"method {name}: dense weights, entries {k}, fail a condition of order {n}")


def _shares(n: int, basis: Sequence[Sequence[int]]) -> list[int]:
    """Return the coefficients of theta^n in this basis of polynomials."""
    shares, rest = [0] * len(basis), [int(k + 1 == n) for k in range(len(basis))]
    for k in reversed(range(len(basis))):
        shares[k] = rest[k] * basis[k][k]
        for j, x in enumerate(basis[k]):
            rest[j] -= shares[k] * x
    return shares


def check_rows(name: str, a: Sequence[Row], c: Row) -> None:
    """Raise ValueError unless the sum of each row equals its node."""
    for i, row in enumerate(a):
        if differs(row, c[i]):
            raise ValueError(f"method {name}: row {i} must have the sum c[{i}]")


def check_finite(name: str, part: str, rows: Sequence[Row]) -> None:
    """Raise ValueError if the rows of this part of a method contain a number that is not finite."""
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            if not math.isfinite(x):
                place = f"{part}[{i}][{j}]" if len(rows) > 1 else f"{part}[{j}]"
                raise ValueError(f"method {name}: {place} is {x}: give a finite number")


def differs(terms: Sequence[Number], value: Number, size: float | None = None) -> bool:
    """True if a sum differs from its required value: fractions at all, decimals by more than rounding.

    `size` is the scale of the rounding, if it exceeds that of the terms.
    """
    off = sum(terms) - value
    if isinstance(off, Rational):
        return bool(off != 0)
    return not abs(off) <= 1e-14 * (1.0 + (sum(_sizes(terms)) if size is None else size))


def _sizes(row: Sequence[Number]) -> tuple[float, ...]:
    return tuple(abs(float(x)) for x in row)


def dot(x: Sequence[Number], y: Sequence[Number]) -> Number:
    """Return the sum of products over the length of the shorter row."""
    return sum(a * b for a, b in zip(x, y, strict=False) if a)
