"""Elimination of several columns at once from the inertia and the bias of a branch (S2), (S3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..symbolic.columns import Column
from ..symbolic.expressions import ZERO, Expression, is_literal, named
from ..symbolic.spatial import Articulated, FrameWrench
from ..symbolic.vectors import ORIGIN, Matrix, Vector


class NothingMoves(Exception):
    """Joint velocity k of a link moves no inertia, whatever the numbers are. number: of the link's class, if known."""

    def __init__(self, k: int, number: int = -1):
        super().__init__(k, number)
        self.k = k
        self.number = number


def inverse_pivot(pivot: Expression, k: int) -> Expression:
    """Return the inverse d of the pivot of column k. Raises NothingMoves if the pivot is a literal zero."""
    if is_literal(pivot, 0.0):
        raise NothingMoves(k)
    inverted: Expression = named(1.0 / pivot, "d")
    return inverted


def with_own(column: Column, entry: Expression) -> Expression:
    """A diagonal entry of Aᵀ M* A plus the inertia J of the column's rotor, if any (R1)."""
    return entry if column.rotor is None else entry + column.rotor


def dot(a: Sequence[Expression], b: Sequence[Expression]) -> Expression:
    return Vector(a).dot(b)


def inverse(m: list[list[Expression]]) -> list[list[Expression]]:
    """Inverse of a symmetric positive definite matrix of order up to six, by L D Lᵀ."""
    n = len(m)
    L = [[ZERO] * n for _ in range(n)]
    d: list[Expression] = []
    rest = [list(row) for row in m]
    for k in range(n):
        d.append(inverse_pivot(rest[k][k], k))
        for i in range(k + 1, n):
            L[i][k] = named(rest[i][k] * d[k], "L")
        for i in range(k + 1, n):
            for j in range(k + 1, i + 1):
                rest[i][j] = rest[j][i] = rest[i][j] - L[i][k] * rest[j][k]
    back = [[ZERO] * n for _ in range(n)]  # L⁻¹
    for j in range(n):
        back[j][j] = ZERO + 1.0
        for i in range(j + 1, n):
            back[i][j] = -dot(L[i][j:i], [back[k][j] for k in range(j, i)])
    result = [[ZERO] * n for _ in range(n)]
    for i in range(n):
        for j in range(i, n):
            rows = range(j, n)
            result[i][j] = dot([back[k][i] for k in rows], [back[k][j] * d[k] for k in rows])
            result[j][i] = named(result[i][j], "D")
    return result


def downdate(body: Articulated, MA: list[FrameWrench], D: list[list[Expression]], De: list[Expression]) -> Articulated:
    """The branch without the columns A: M* - M*A D AᵀM*, exactly symmetric, and Phi* + M*A D e."""
    DMA = [combined(row, MA).labelled("DMA_f", "DMA_n") for row in D]
    M, H, J = {}, {}, {}
    for i in range(3):
        for j in range(3):
            if i <= j:
                M[i, j] = body.M[i, j] - dot([ma.f[i] for ma in MA], [x.f[j] for x in DMA])
                J[i, j] = body.J[i, j] - dot([ma.n[i] for ma in MA], [x.n[j] for x in DMA])
            H[i, j] = body.H[i, j] - dot([ma.n[i] for ma in MA], [x.f[j] for x in DMA])
    reduced = replace(
        body,
        M=Matrix.symmetric(lambda i, j: M[i, j]),
        H=Matrix.of(lambda i, j: H[i, j]),
        J=Matrix.symmetric(lambda i, j: J[i, j]),
    )
    return reduced.biased(body.bias + combined(De, MA)).labelled()


def combined(weights: Sequence[Expression], wrenches: Sequence[FrameWrench]) -> FrameWrench:
    """Weighted sum of wrenches."""
    total = FrameWrench(ORIGIN, ORIGIN)
    for weight, wrench in zip(weights, wrenches, strict=True):
        total = total + wrench * weight
    return total
