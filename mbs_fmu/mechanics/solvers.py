"""The two solvers of (P1)-(P4) for one link: elimination (block Cholesky) and sweep.

Each returns the assignments of the inboard pass and of the outboard pass. Formulas of the outboard
pass may use any value of the inboard pass: emission finds out what has to be kept in between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from ..lazy_dataclasses import dataclass
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
from ..symbolic.expressions import ZERO, Expression, as_expression, named
from ..symbolic.spatial import Articulated, FrameTwist, FrameWrench
from ..symbolic.vectors import Matrix
from .reduction import combined, dot, downdate, inverse, inverse_pivot, with_own
from .steps import Assignment, Code, LinkStep, Solver, convective_turn, gravity_power
from .trains import (
    Joined,
    Lines,
    Met,
    RowLines,
    Velocities,
    begun,
    carried_on,
    ended,
    found,
    momentum_of,
    row_past,
    shared,
    under_way,
)  # fmt: skip


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


def traced(step: LinkStep, solver: Solver) -> Passes:
    """The assignments of a link step. With closed loops the outboard pass leaves the momentum rates to `balance`.

    Raises NothingMoves.
    """
    if step.cls.joins is not None:  # a train has its column, nothing is eliminated at its joints
        return cholesky(step)
    return {"cholesky": cholesky, "sweep": sweep}[solver](step)


# -- block Cholesky, one scalar at a time (I17 section 4, root-free) -----------------------------------


@dataclass(frozen=True)
class Pivot:
    """One eliminated column: its velocity is d (p - Aᵀ Phi*) - gain . (twist without it).

    Of a unit column the gain lacks the column's own entry: what comes out is the twist's entry with it. whole: the
    branch before that, reduced: behind it. lines, left: Y of the trains that pass, before and behind it; shares: D B of
    each (T3).
    """

    d: Expression
    gain: FrameWrench
    free: Expression
    whole: Articulated
    reduced: Articulated
    lines: Mapping[int, FrameWrench] = field(default_factory=dict)
    left: Mapping[int, FrameWrench] = field(default_factory=dict)
    shares: Mapping[int, Expression] = field(default_factory=dict)


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
    d = inverse_pivot(pivot, column.k)
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
    d = inverse_pivot(with_own(column, along(column, row)), column.k)
    e = p - along(column, body.bias)
    reduced = downdate(body, [row], [[d]], [d * e])
    return Pivot(d, row * d, saved(d * e), body, reduced)


def shifted_bias(body: Articulated, column: Column, rate: Expression) -> Articulated:
    """The branch as it looks before a given motion: Phi* + M* A rate (S1)."""
    return body.biased(body.bias + (body @ unit(column)) * rate)


def cholesky(step: LinkStep) -> Passes:
    """L Lᵀ = Aᵀ M* A eliminated column by column in the columns' own frames."""
    lines = Lines(step)
    body, met = ended(step, step.loaded_inertia().labelled(), lines, joined=False)
    joint: Joined | None = None
    pivots: dict[int, Pivot] = {}
    for stage in reversed(step.stages):
        if not isinstance(stage, Column):
            body = stage.inward(body).labelled()
            lines.through(stage)
        elif stage.ratio is not None:
            whole, before = body, dict(lines.Y)
            lines.join(stage, body)
            body, own = ended(step, body, lines, joined=True)
            joint = Joined(whole, before, own)
        elif stage.given is not None:
            lines.given(unit(stage), stage.given)
            body = shifted_bias(body, stage, stage.given)
        else:
            pivots[stage.k] = passed(eliminate(body, stage, step._p(stage.k)), stage, lines)
            body = pivots[stage.k].reduced
    inboard = [] if step.cls.root else carried_on(step, body, lines)

    twist = step.parent_twist()
    for motion in step.placement:
        twist = motion.outward(twist).labelled()
    u, w = dict[int, Expression](), under_way(step)
    p_dot: list[Assignment] = []
    for group in groups(step.stages):
        for motion in (stage for stage in group if not isinstance(stage, Column)):
            twist = motion.outward(twist).labelled()
        for column in (stage for stage in group if isinstance(stage, Column)):
            if column.given is not None:
                twist = advanced(twist, column, column.given)
                continue
            if column.ratio is not None:
                assert joint is not None and step.cls.joins is not None
                found(step, joint.ends, twist, w, u)
                speed = named(column.ratio * w[step.cls.joins.number], "u")
                twist = advanced(twist, column, speed)
                p_dot += joint.momentum_rates(step, column, twist, speed, w)
                continue
            pivot = pivots[column.k]
            free = pivot.free + step.push(column.k) - shared(pivot.shares, w)
            total = free - pivot.gain.n.dot(twist.w) - pivot.gain.f.dot(twist.v)
            if column.twist is None:
                u[column.k] = total - component(twist, column)
                twist = with_velocity(twist, column, named(total, "w" if column.angular else "v"))
            else:
                u[column.k] = named(total, "u")
                twist = advanced(twist, column, u[column.k])
        p_dot += momentum_rates(step, free_columns(group), pivots, twist, u, w)
    found(step, met, twist, w, u)
    coupled = None if step.cls.joins is None else w[step.cls.joins.number]
    outboard = step.rates([u[k] for k in sorted(u)], coupled) + begun(step, joint) + p_dot + step.outgoing(twist)
    row = eliminated_row(step, pivots, met, joint) if step.loops else []
    starts = {k: pivot.free for k, pivot in pivots.items()}
    starts |= {x.k: x.free for x in [*met, *(joint.ends if joint else [])]}
    return Passes(inboard, outboard, row, [starts[k] for k in sorted(starts)])


def passed(pivot: Pivot, column: Column, lines: Lines) -> Pivot:
    """The pivot with what it does to the trains that pass."""
    if not lines:
        return pivot
    before = dict(lines.Y)
    free = pivot.free.args[0] if pivot.free.op == "saved" else pivot.free
    shares = lines.past_column(column, pivot.d, free, pivot.whole @ unit(column))
    return replace(pivot, lines=before, left=dict(lines.Y), shares=shares)


def eliminated_row(
    step: LinkStep, pivots: dict[int, Pivot], met: Sequence[Met], joint: Joined | None
) -> list[Assignment]:
    """(L7) for one open row: B = Y A + W, D B, b += B D e, and (Y - B D F) C to the parent."""
    lines = RowLines(step)
    y, total, out = row_past(step, met, lines, step.row(), step.right())
    for stage in reversed(step.stages):
        if not isinstance(stage, Column):
            y = stage.inward_wrench(y)
        elif stage.given is not None:
            total = total + along(stage, y) * stage.given
        elif stage.ratio is not None:
            assert joint is not None
            lines.join(stage, y)
            y, total, more = row_past(step, joint.ends, lines, y, total)
            out += more
        else:
            pivot = pivots[stage.k]
            W = step.row_rate(stage.k)
            B = along(stage, y) + W
            y, total = y - pivot.gain * B, total + B * pivot.free
            if stage.twist is None:
                y = at_unit(stage, y, -W)
            lines.less(pivot.shares, B)
            out += [(step.address("row_b", stage.k), B), (step.address("row_d", stage.k), pivot.d * B)]
    return [*out, (step.address("right", 0), total), *step.row_to_parent(y, lines.Z.items())]


def groups(stages: list[Stage]) -> list[list[Stage]]:
    """The stages cut behind each run of columns: motions first, then the columns of their frame."""
    out: list[list[Stage]] = [[]]
    for stage in stages:
        if not isinstance(stage, Column) and out[-1] and isinstance(out[-1][-1], Column):
            out.append([])
        out[-1].append(stage)
    return out


def momentum_rates(
    step: LinkStep,
    columns: list[Column],
    pivots: dict[int, Pivot],
    twist: FrameTwist,
    u: dict[int, Expression],
    w: Velocities,
) -> list[Assignment]:
    """(P4) for the columns of one frame: -Aᵀ Omega mu + Aᵀ F^, and Ȧᵀ mu of columns that are not constant there."""
    if not columns or step.loops:
        return []
    body, lines = pivots[columns[0].k].reduced, pivots[columns[0].k].left
    if any(column.rotor is not None for column in columns):  # of whose rows elimination leaves something
        body, lines = pivots[columns[-1].k].whole, pivots[columns[-1].k].lines
    if lines:
        body = body.biased(body.bias + momentum_of(lines, w))
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
    lines = Lines(step)
    body, met = ended(step, step.loaded_inertia().labelled(), lines, joined=False)
    columns, before, w = free_columns(step.stages), dict(lines.Y), under_way(step)
    A = [in_body(step.stages, column) for column in columns]
    drift = given_twist(step.stages)
    body = body.biased(body @ drift + body.bias)  # Phi* + M* v*
    lines.given(drift, as_expression(1.0))
    MA = [(body @ a).labelled("MA_f", "MA_n") for a in A]
    AMA = [[a.power(ma) for ma in MA] for a in A]
    for k, column in enumerate(columns):
        AMA[k][k] = with_own(column, AMA[k][k])
    D = inverse(AMA)
    n = len(A)
    e = [step._p(k) - A[k].power(body.bias) for k in range(n)]
    De: list[Expression] = [named(dot(D[k], e), "De") for k in range(n)]
    inward = downdate(body, MA, D, De)
    shares = lines.past(A, D, De, MA)
    for stage in reversed(step.stages):
        if not isinstance(stage, Column):
            inward = stage.inward(inward).labelled()
            lines.through(stage)
    inboard = [] if step.cls.root else carried_on(step, inward, lines)

    relative = step.parent_twist()
    for stage in [*step.placement, *step.stages]:
        if not isinstance(stage, Column):
            relative = stage.outward(relative).labelled()
    De = [saved(x) for x in De]
    carried = [relative.power(ma) for ma in MA]
    u = {k: named(De[k] + step.push(k) - dot(D[k], carried) - shared(shares[k], w), "u") for k in range(n)}
    twist = relative
    for a, rate in zip(A, u.values(), strict=True):
        twist = (twist + a * rate).labelled()
    mu = (body.momentum(twist) + momentum_of(before, w)).labelled("mu_f", "mu_n")
    twist = twist + drift
    own = list(u.values())
    found(step, met, twist, w, u)
    starts = De + [x.free for x in sorted(met, key=lambda x: x.k)]
    outboard = step.rates([u[k] for k in sorted(u)]) + begun(step, None) + step.outgoing(twist)
    if step.loops:
        return Passes(inboard, outboard, swept_row(step, A, MA, D, De, drift, met, shares), starts)
    p_dot: list[Assignment] = [
        (step.address("p_dot", k), sweep_momentum_rate(step.stages, column, own, mu, twist, body))
        for k, column in enumerate(columns)
    ]
    return Passes(inboard, outboard + p_dot, [], starts)


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
    met: Sequence[Met],
    shares: Sequence[Mapping[int, Expression]],
) -> list[Assignment]:
    """(L7) for one open row, in the body frame."""
    lines, n = RowLines(step), len(A)
    y, right, ended = row_past(step, met, lines, step.row(), step.right())
    right = right + drift.power(y)
    B = [a.power(y) + step.row_rate(k) for k, a in enumerate(A)]
    DB = [named(dot(D[k], B), "DB") for k in range(n)]
    y = y - combined(DB, MA)
    for stage in reversed(step.stages):
        if not isinstance(stage, Column):
            y = stage.inward_wrench(y)
    out = ended
    for k in range(n):
        lines.less(shares[k], B[k])
        out += [(step.address("row_b", k), B[k]), (step.address("row_d", k), DB[k])]
    return [*out, (step.address("right", 0), right + dot(B, De)), *step.row_to_parent(y, lines.Z.items())]


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
