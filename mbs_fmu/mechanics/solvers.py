"""The two solvers of (P1)-(P4) for one link: elimination (block Cholesky) and sweep.

Each returns the assignments of the inboard pass and of the outboard pass. Formulas of the outboard
pass may use any value of the inboard pass: emission finds out what has to be kept in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..symbolic.columns import (
    Column,
    Stage,
    advanced,
    along,
    at_unit,
    component,
    convective,
    free_columns,
    unit,
    with_velocity,
)
from ..symbolic.emit import saved
from ..symbolic.expressions import ZERO, Expression, is_literal, named
from ..symbolic.spatial import Articulated, FrameTwist, FrameWrench
from ..symbolic.vectors import ORIGIN, Matrix, Vector
from .steps import Assignment, Code, LinkStep, Solver, convective_turn, gravity_power


@dataclass(frozen=True)
class Passes:
    """Assignments of a link's step: inboard, outboard, and for each row of a loop that is open at its joint (L7).

    free: the values that the outboard pass starts from, one for each joint velocity. again: the same inboard and
    outboard for momenta in region `errors` (see second.py), where error control asks for it.
    """

    inboard: Code
    outboard: Code
    row: Code
    free: list[Expression]
    again: tuple[Code, Code] = ([], [])


class NothingMoves(Exception):
    """Joint velocity k of a link moves no inertia, whatever the numbers are; number: of its class, once it is known."""

    def __init__(self, k: int, number: int = -1):
        super().__init__(k, number)
        self.k = k
        self.number = number


def _inverse_pivot(pivot: Expression, k: int) -> Expression:
    if is_literal(pivot, 0.0):
        raise NothingMoves(k)
    inverted: Expression = named(1.0 / pivot, "d")
    return inverted


def traced(step: LinkStep, solver: Solver) -> Passes:
    """The assignments of a link step. With closed loops the outboard pass leaves the momentum rates to `balance`.

    Raises NothingMoves.
    """
    return {"cholesky": cholesky, "sweep": sweep}[solver](step)


# -- block Cholesky, one scalar at a time (I17 section 4, root-free) -----------------------------------


@dataclass(frozen=True)
class Pivot:
    """One eliminated column: its velocity is d (p - Aᵀ Phi*) - gain . (twist without it).

    Of a unit column the gain lacks the column's own entry: what comes out is the twist's entry with it. whole: the
    branch before that, reduced: behind it.
    """

    d: Expression
    gain: FrameWrench
    free: Expression
    whole: Articulated
    reduced: Articulated


def eliminate(body: Articulated, column: Column, p: Expression) -> Pivot:
    """Solve (P3) for the velocity along the column and take the column out of M* and Phi*.

    The eliminated row and column become exact zeros and its momentum becomes p: no round-off stays there
    to be carried inboard, and no work is done on it.
    """
    if column.twist is not None:
        return eliminate_general(body, column, p)
    a = column.axis
    f, n = (body.H.rows[a], body.J.column(a)) if column.angular else (body.M.rows[a], body.H.column(a))
    row = FrameWrench(f, n)
    pivot, bias = along(column, row), along(column, body.bias)
    d = _inverse_pivot(pivot, column.k)
    e = p - bias
    gain = (row * d).labelled("gain_v", "gain_w")
    M, H, J = _downdated(body, gain, row)
    left = body.bias + gain * e
    nothing = {place: ZERO for k in range(3) for place in ((a, k), (k, a))}
    if column.angular:
        J, H = J.replaced(nothing), H.replaced({(a, k): ZERO for k in range(3)})
    else:
        M, H = M.replaced(nothing), H.replaced({(k, a): ZERO for k in range(3)})
    bias_left = at_unit(column, left, p)
    reduced = Articulated(M, H, J, bias_left.f, bias_left.n, body.s, body.mass).labelled()
    return Pivot(d, at_unit(column, gain, ZERO), saved(d * e), body, reduced)


def _downdated(body: Articulated, gain: FrameWrench, row: FrameWrench) -> tuple[Matrix, Matrix, Matrix]:
    """M, H, J less the product of gain and row."""
    M, H, J = {}, {}, {}
    for i in range(3):
        for j in range(3):
            if i <= j:
                M[i, j] = body.M[i, j] - gain.f[i] * row.f[j]
                J[i, j] = body.J[i, j] - gain.n[i] * row.n[j]
            H[i, j] = body.H[i, j] - gain.n[i] * row.f[j]
    return (
        Matrix.symmetric(lambda i, j: M[i, j]),
        Matrix.of(lambda i, j: H[i, j]),
        Matrix.symmetric(lambda i, j: J[i, j]),
    )


def eliminate_general(body: Articulated, column: Column, p: Expression) -> Pivot:
    """`eliminate` for a column that is no unit vector, or that a rotor moves with (R1)."""
    row = body @ unit(column)
    d = _inverse_pivot(with_own(column, along(column, row)), column.k)
    e = p - along(column, body.bias)
    reduced = downdate(body, [row], [[d]], [d * e])
    return Pivot(d, row * d, saved(d * e), body, reduced)


def with_own(column: Column, entry: Expression) -> Expression:
    """An entry of the diagonal of Aᵀ M* A, and the inertia J of a rotor (R1)."""
    return entry if column.rotor is None else entry + column.rotor


def shifted_bias(body: Articulated, column: Column, rate: Expression) -> Articulated:
    """The branch as it looks before a given motion: Phi* + M* A rate (S1)."""
    return body.biased(body.bias + (body @ unit(column)) * rate)


def cholesky(step: LinkStep) -> Passes:
    """L Lᵀ = Aᵀ M* A eliminated column by column in the columns' own frames."""
    body = step.loaded_inertia().labelled()
    pivots: dict[int, Pivot] = {}
    for stage in reversed(step.stages):
        if not isinstance(stage, Column):
            body = stage.inward(body).labelled()
        elif stage.given is not None:
            body = shifted_bias(body, stage, stage.given)
        else:
            pivots[stage.k] = eliminate(body, stage, step._p(stage.k))
            body = pivots[stage.k].reduced
    inboard = [] if step.cls.root else step.carry(body)

    twist = step.parent_twist()
    for motion in step.placement:
        twist = motion.outward(twist).labelled()
    u: dict[int, Expression] = {}
    p_dot: list[Assignment] = []
    for group in groups(step.stages):
        for motion in (stage for stage in group if not isinstance(stage, Column)):
            twist = motion.outward(twist).labelled()
        for column in (stage for stage in group if isinstance(stage, Column)):
            if column.given is not None:
                twist = advanced(twist, column, column.given)
                continue
            pivot = pivots[column.k]
            free = pivot.free + step.push(column.k)
            total = free - pivot.gain.n.dot(twist.w) - pivot.gain.f.dot(twist.v)
            if column.twist is None:
                u[column.k] = total - component(twist, column)
                twist = with_velocity(twist, column, named(total, "w" if column.angular else "v"))
            else:
                u[column.k] = named(total, "u")
                twist = advanced(twist, column, u[column.k])
        p_dot += momentum_rates(step, free_columns(group), pivots, twist, u)
    outboard = step.rates([u[k] for k in sorted(u)]) + p_dot + step.outgoing(twist)
    row = eliminated_row(step, pivots) if step.loops else []
    return Passes(inboard, outboard, row, [pivots[k].free for k in sorted(pivots)])


def eliminated_row(step: LinkStep, pivots: dict[int, Pivot]) -> list[Assignment]:
    """(L7) for one open row: B = Y A + W, D B, b += B D e, and (Y - B D F) C to the parent."""
    y, out, total = step.row(), [], step.right()
    for stage in reversed(step.stages):
        if not isinstance(stage, Column):
            y = stage.inward_wrench(y)
        elif stage.given is not None:
            total = total + along(stage, y) * stage.given
        else:
            pivot = pivots[stage.k]
            W = step.row_rate(stage.k)
            B = along(stage, y) + W
            y, total = y - pivot.gain * B, total + B * pivot.free
            if stage.twist is None:
                y = at_unit(stage, y, -W)
            out += [(step.address("row_b", stage.k), B), (step.address("row_d", stage.k), pivot.d * B)]
    return [*out, (step.address("right", 0), total), *step.row_to_parent(y)]


def groups(stages: list[Stage]) -> list[list[Stage]]:
    """The stages cut behind each run of columns: motions first, then the columns of their frame."""
    out: list[list[Stage]] = [[]]
    for stage in stages:
        if not isinstance(stage, Column) and out[-1] and isinstance(out[-1][-1], Column):
            out.append([])
        out[-1].append(stage)
    return out


def momentum_rates(
    step: LinkStep, columns: list[Column], pivots: dict[int, Pivot], twist: FrameTwist, u: dict[int, Expression]
) -> list[Assignment]:
    """(P4) for the columns of one frame: -Aᵀ Omega mu + Aᵀ F^, and Ȧᵀ mu of columns that are not constant there."""
    if not columns or step.loops:
        return []
    body = pivots[columns[0].k].reduced
    if any(column.rotor is not None for column in columns):  # of whose rows elimination leaves something
        body = pivots[columns[-1].k].whole
    if len(columns) == 1 and columns[0].angular and columns[0].twist is None:
        values = [convective_turn(body, twist, columns[0].axis)]
    else:
        mu = body.momentum(twist).labelled("mu_f", "mu_n")
        for column in columns:
            if column.twist is None:
                mu = at_unit(column, mu, step._p(column.k))
        speeds = [u[column.k] for column in columns]
        values = [convective(mu, twist, column, speeds) for column in columns]
    return [
        (step.address("p_dot", column.k), value + gravity_power(body, twist, column))
        for column, value in zip(columns, values, strict=True)
    ]


# -- sweep (I16 eqs 19-23) ------------------------------------------------------------------------------


def sweep(step: LinkStep) -> Passes:
    """D = (Aᵀ M* A)⁻¹ and H = E - M* A D Aᵀ, all in the body frame."""
    body = step.loaded_inertia().labelled()
    columns = free_columns(step.stages)
    A = [in_body(step.stages, column) for column in columns]
    drift = given_twist(step.stages)
    body = body.biased(body @ drift + body.bias)  # Phi* + M* v*
    MA = [(body @ a).labelled("MA_f", "MA_n") for a in A]
    AMA = [[a.power(ma) for ma in MA] for a in A]
    for k, column in enumerate(columns):
        AMA[k][k] = with_own(column, AMA[k][k])
    D = inverse(AMA)
    n = len(A)
    e = [step._p(k) - A[k].power(body.bias) for k in range(n)]
    De: list[Expression] = [named(dot(D[k], e), "De") for k in range(n)]
    inward = downdate(body, MA, D, De)
    for stage in reversed(step.stages):
        if not isinstance(stage, Column):
            inward = stage.inward(inward).labelled()
    inboard = [] if step.cls.root else step.carry(inward)

    relative = step.parent_twist()
    for stage in [*step.placement, *step.stages]:
        if not isinstance(stage, Column):
            relative = stage.outward(relative).labelled()
    De = [saved(x) for x in De]
    carried = [relative.power(ma) for ma in MA]
    u = [named(De[k] + step.push(k) - dot(D[k], carried), "u") for k in range(n)]
    twist = relative
    for a, rate in zip(A, u, strict=True):
        twist = (twist + a * rate).labelled()
    mu = body.momentum(twist).labelled("mu_f", "mu_n")
    twist = twist + drift
    outboard = step.rates(u) + step.outgoing(twist)
    if step.loops:
        return Passes(inboard, outboard, swept_row(step, A, MA, D, De, drift), De)
    p_dot: list[Assignment] = [
        (step.address("p_dot", k), sweep_momentum_rate(step.stages, column, u, mu, twist, body))
        for k, column in enumerate(columns)
    ]
    return Passes(inboard, outboard + p_dot, [], De)


def in_body(stages: list[Stage], column: Column) -> FrameTwist:
    """A column in the body frame."""
    twist = unit(column)
    for stage in stages[stages.index(column) :]:
        if not isinstance(stage, Column):
            twist = stage.outward(twist)
    return twist


def given_twist(stages: list[Stage]) -> FrameTwist:
    """v*: what the joint's given motions add to the twist, in the body frame."""
    total = FrameTwist()
    for stage in stages:
        if isinstance(stage, Column) and stage.given is not None:
            total = total + in_body(stages, stage) * stage.given
    return total


def swept_row(
    step: LinkStep,
    A: list[FrameTwist],
    MA: list[FrameWrench],
    D: list[list[Expression]],
    De: list[Expression],
    drift: FrameTwist,
) -> list[Assignment]:
    """(L7) for one open row, in the body frame."""
    y, n = step.row(), len(A)
    right = step.right() + drift.power(y)
    B = [a.power(y) + step.row_rate(k) for k, a in enumerate(A)]
    DB = [named(dot(D[k], B), "DB") for k in range(n)]
    y = y - combined(DB, MA)
    for stage in reversed(step.stages):
        if not isinstance(stage, Column):
            y = stage.inward_wrench(y)
    out: list[Assignment] = []
    for k in range(n):
        out += [(step.address("row_b", k), B[k]), (step.address("row_d", k), DB[k])]
    return [*out, (step.address("right", 0), right + dot(B, De)), *step.row_to_parent(y)]


def dot(a: Sequence[Expression], b: Sequence[Expression]) -> Expression:
    return Vector(a).dot(b)


def inverse(m: list[list[Expression]]) -> list[list[Expression]]:
    """Inverse of a symmetric positive definite matrix of order up to six, by L D Lᵀ."""
    n = len(m)
    L = [[ZERO] * n for _ in range(n)]
    d: list[Expression] = []
    rest = [list(row) for row in m]
    for k in range(n):
        d.append(_inverse_pivot(rest[k][k], k))
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
    out = [[ZERO] * n for _ in range(n)]
    for i in range(n):
        for j in range(i, n):
            rows = range(j, n)
            out[i][j] = dot([back[k][i] for k in rows], [back[k][j] * d[k] for k in rows])
            out[j][i] = named(out[i][j], "D")
    return out


def downdate(body: Articulated, MA: list[FrameWrench], D: list[list[Expression]], De: list[Expression]) -> Articulated:
    """H M* = M* - M*A D AᵀM*, kept symmetric, and Phi* + M*A D e."""
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
    total = FrameWrench(ORIGIN, ORIGIN)
    for weight, wrench in zip(weights, wrenches, strict=True):
        total = total + wrench * weight
    return total


def sweep_momentum_rate(
    stages: list[Stage], column: Column, u: list[Expression], mu: FrameWrench, twist: FrameTwist, body: Articulated
) -> Expression:
    """(P4) in the body frame: Ȧᵀ mu - Aᵀ Omega mu + Aᵀ F^, gravity's F^ = (mass g, s x g)."""
    a = in_body(stages, column)
    rate = FrameTwist()
    if column.rate is not None:  # such a column stands in the body frame
        rate = column.rate(u)
    for later in later_columns(stages, column):  # Ȧ = -(twist of the joint outboard of the column) x A
        speed = u[later.k] if later.given is None else later.given
        rate = rate - in_body(stages, later).cross(a) * speed
    return rate.power(mu) - a.power(twist.omega(mu)) + a.power(body.gravity(twist.g))


def later_columns(stages: list[Stage], column: Column) -> list[Column]:
    """The columns whose motions lie outboard of a column's frame."""
    moved, later = False, []
    for stage in stages[stages.index(column) + 1 :]:
        moved = moved or not isinstance(stage, Column)
        if moved and isinstance(stage, Column):
            later.append(stage)
    return later
