"""Conditions of order: what the coefficients of a method must fulfil, exactly or up to their rounding."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from numbers import Rational

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


class Conditions:
    """Sums over the stages of a method, one for each rooted tree t: sum w_i Phi_i(t) of weights w.

    a: rows of the matrix, of which some may end early. sole: another matrix, for vertices with one branch only
    (Rosenbrock methods; Hairer, Wanner, Solving Ordinary Differential Equations II, Theorem IV.7.6).
    """

    def __init__(self, a: Sequence[Row], sole: Sequence[Row] | None = None):
        self._a, self._sole = a, a if sole is None else sole
        self._known: dict[Tree, Row] = {}

    def _phi(self, tree: Tree) -> Row:
        """Phi_i(t) of every stage."""
        if tree not in self._known:
            matrix = self._sole if len(tree) == 1 else self._a
            products: list[Number] = [1] * len(self._a)
            for branch in tree:
                inner = self._phi(branch)
                products = [p * dot(row, inner) for p, row in zip(products, matrix, strict=True)]
            self._known[tree] = tuple(products)
        return self._known[tree]

    def hold(self, weights: Row, order: int, share: int = 1) -> bool:
        """Whether sum w_i Phi_i(t) = share / gamma(t) for every tree of `order` vertices."""
        return not any(
            self._differs(weights, tree, F(share, _density(tree)) if share else 0) for tree in rooted_trees(order)
        )

    def _differs(self, weights: Row, tree: Tree, value: Number) -> bool:
        terms = [w * phi for w, phi in zip(weights, self._phi(tree), strict=False) if w]
        if not differs(terms, value):
            return False
        # where products cancel out in Phi_i, rounding is that of their sizes
        return differs(terms, value, float(dot(_sizes(weights), self._rounded._phi(tree))))

    @functools.cached_property
    def _rounded(self) -> Conditions:
        """The sums of all sizes."""
        return Conditions([_sizes(row) for row in self._a], [_sizes(row) for row in self._sole])

    def exponent(self, weights: Row, most: int) -> int | None:
        """The power of h with which a weighted sum of the stages vanishes; None where it is more than `most`."""
        return next((n for n in range(1, most + 1) if not self.hold(weights, n, 0)), None)


def check_order(name: str, order: int, weights: Row, conditions: Conditions) -> None:
    """ValueError unless `order` is the highest one whose conditions, and all before, the weights of a step fulfil.

    Fractions must agree exactly, decimals up to their rounding.
    """
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
    """ValueError unless the error estimate falls with h to the power `error_order`.

    That of `error` alone does so with the order of the embedded weights + 1; `most`: the solution's order + 1. Scaled
    by a second one as in DOP853 it is error²/damping.
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
    found = powers[0] if damping is None else 2 * powers[0] - powers[1]
    if found != error_order:
        why = "the order of the embedded weights + 1" if damping is None else "2 * power of error - power of damping"
        raise ValueError(f"method {name}: error_order is {error_order}, but should be {found}: {why}")


def check_safety(name: str, safety: float) -> None:
    """ValueError for what can't be a factor by which steps are shorter than the errors allow."""
    if not 0.0 < safety < 1.0:
        raise ValueError(f"method {name}: safety is {safety}: give a number between 0 and 1")


def check_dense(
    name: str, order: int, dense: Sequence[Row], basis: Sequence[Sequence[int]], conditions: Conditions
) -> None:
    """ValueError unless weights that are polynomials in theta fulfil the conditions up to one order below the step's.

    dense: each stage's weight as a sum of polynomials basis[k], of degree k + 1, here as coefficients of theta, theta^2
    ... of which the last is 1 or -1. At theta the conditions' sums are theta^n / gamma(t): in that basis, too, each
    coefficient is known.
    """
    weights = list(zip(*dense, strict=True))
    for n in range(1, max(2, order)):
        if n > len(basis):
            raise ValueError(f"method {name}: dense weights end at theta^{len(basis)}: order {n} needs theta^{n}")
        for k, share in enumerate(_shares(n, basis)):
            if not conditions.hold(weights[k], n, share):
                raise ValueError(f"method {name}: dense weights, entries {k}, fail a condition of order {n}")


def _shares(n: int, basis: Sequence[Sequence[int]]) -> list[int]:
    """theta^n as a sum of such polynomials."""
    shares, rest = [0] * len(basis), [int(k + 1 == n) for k in range(len(basis))]
    for k in reversed(range(len(basis))):
        shares[k] = rest[k] * basis[k][k]
        for j, x in enumerate(basis[k]):
            rest[j] -= shares[k] * x
    return shares


def check_rows(name: str, a: Sequence[Row], c: Row) -> None:
    """ValueError unless each row has its node as sum."""
    for i, row in enumerate(a):
        if differs(row, c[i]):
            raise ValueError(f"method {name}: row {i} must have the sum c[{i}]")


def check_finite(name: str, part: str, rows: Sequence[Row]) -> None:
    """ValueError for a number that is not finite in the rows of this part of a method."""
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            if not math.isfinite(x):
                place = f"{part}[{i}][{j}]" if len(rows) > 1 else f"{part}[{j}]"
                raise ValueError(f"method {name}: {place} is {x}: give a finite number")


def differs(terms: Sequence[Number], value: Number, size: float | None = None) -> bool:
    """Whether a sum is not what it should be: at all with fractions, by more than their rounding with decimals.

    size: of what is rounded, where that is more than the terms.
    """
    off = sum(terms) - value
    if isinstance(off, Rational):
        return bool(off != 0)
    return not abs(off) <= 1e-14 * (1.0 + (sum(_sizes(terms)) if size is None else size))


def _sizes(row: Sequence[Number]) -> tuple[float, ...]:
    return tuple(abs(float(x)) for x in row)


def dot(x: Sequence[Number], y: Sequence[Number]) -> Number:
    """Sum of products, up to the shorter one's end."""
    return sum(a * b for a, b in zip(x, y, strict=False) if a)
