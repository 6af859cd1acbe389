"""The two solvers of (P1)-(P4) of docs/equations.md for one link: elimination (block Cholesky) and sweep.

Each returns the assignments of the inboard pass and of the outboard pass. Formulas of the outboard
pass may use any value of the inboard pass: emission determines which values must be stored in between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from ..infrastructure.lazy_dataclasses import dataclass
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
from .coupled_joints import (
    ClosedGroup,
    CoupledColumns,
    CoupledJoint,
    GroupVelocities,
    RowCoupling,
    add_velocities,
    carry_branch,
    close_groups,
    coupled_part,
    eliminate_from_row,
    momentum_of,
    passing_velocities,
    zero_momentum_rates,
)
from .reduction import combined, dot, downdate, inverse, inverse_pivot, with_own
from .steps import Assignment, Code, LinkStep, Solver, convective_turn, gravity_power


@dataclass(frozen=True)
class Passes:
    """Assignments of a link's step: inboard, outboard, and for each row of a loop that is open at its joint (L7).

    free: the values that the outboard pass starts from, one for each joint velocity. again: the inboard and outboard
    pass for momenta in region `errors` (second.py), if a method has error control.
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
    if step.cls.own_group is not None:  # the joint's column joins that of its group: nothing is eliminated here
        return cholesky(step)
    return {"cholesky": cholesky, "sweep": sweep}[solver](step)


# -- block Cholesky, one scalar at a time (I17 section 4, root-free) -----------------------------------


@dataclass(frozen=True)
class Pivot:
    """One eliminated column: its velocity is d (p - Aᵀ Phi*) - gain . (twist without it).

    The gain of a unit column omits the column's own entry, so that the result is the twist's entry, which includes the
    velocity along the column.
    whole, reduced: the branch before and after the elimination. coupled, left: Y of the open groups before and after
    it; shares: their D B, (T3) of docs/equations.md.
    """

    d: Expression
    gain: FrameWrench
    free: Expression
    whole: Articulated
    reduced: Articulated
    coupled: Mapping[int, FrameWrench] = field(default_factory=dict)
    left: Mapping[int, FrameWrench] = field(default_factory=dict)
    shares: Mapping[int, Expression] = field(default_factory=dict)


def eliminate(body: Articulated, column: Column, p: Expression) -> Pivot:
    """Solve (P3) for the velocity along the column, and eliminate the column from M* and Phi*.

    The eliminated row and column become exact zeros and their momentum becomes p: no round-off is carried inboard, and
    no arithmetic is spent on them.
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
    """M, H, J minus the outer product of gain and row."""
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
    """`eliminate` for a column that is not a unit vector, or that has a rotor (R1)."""
    row = body @ unit(column)
    d = inverse_pivot(with_own(column, along(column, row)), column.k)
    e = p - along(column, body.bias)
    reduced = downdate(body, [row], [[d]], [d * e])
    return Pivot(d, row * d, saved(d * e), body, reduced)


def shifted_bias(body: Articulated, column: Column, rate: Expression) -> Articulated:
    """The branch inboard of a prescribed motion: Phi* + M* A rate (S1)."""
    return body.biased(body.bias + (body @ unit(column)) * rate)


def cholesky(step: LinkStep) -> Passes:
    """L Lᵀ = Aᵀ M* A eliminated column by column in the columns' own frames."""
    columns = CoupledColumns(step)
    body, closed = close_groups(step, step.loaded_inertia().labelled(), columns, with_joint=False)
    joint: CoupledJoint | None = None
    pivots: dict[int, Pivot] = {}
    for stage in reversed(step.stages):
        if not isinstance(stage, Column):
            body = stage.inward(body).labelled()
            columns.change_frame(stage)
        elif stage.ratio is not None:
            whole, before = body, dict(columns.Y)
            columns.add_joint(stage, body)
            body, own = close_groups(step, body, columns, with_joint=True)
            joint = CoupledJoint(whole, before, own)
        elif stage.prescribed is not None:
            columns.prescribe(unit(stage), stage.prescribed)
            body = shifted_bias(body, stage, stage.prescribed)
        else:
            pivots[stage.k] = with_coupling(eliminate(body, stage, step._p(stage.k)), stage, columns)
            body = pivots[stage.k].reduced
    inboard = [] if step.cls.root else carry_branch(step, body, columns)

    twist, u, w, p_dot = velocities_by_columns(step, pivots, joint)
    add_velocities(step, closed, twist, w, u)
    coupled = None if step.cls.own_group is None else w[step.cls.own_group.channel]
    rates = step.rates([u[k] for k in sorted(u)], coupled)
    outboard = rates + zero_momentum_rates(step, joint) + p_dot + step.outgoing(twist)
    row = eliminated_row(step, pivots, closed, joint) if step.loops else []
    starts = {k: pivot.free for k, pivot in pivots.items()}
    starts |= {x.k: x.free for x in [*closed, *(joint.closed if joint else [])]}
    return Passes(inboard, outboard, row, [starts[k] for k in sorted(starts)])


def velocities_by_columns(
    step: LinkStep, pivots: dict[int, Pivot], joint: CoupledJoint | None
) -> tuple[FrameTwist, dict[int, Expression], dict[int, Expression], list[Assignment]]:
    """Twist of the body, joint velocities, velocities of coupled joints, and momentum rates, column by column."""
    twist = step.parent_twist()
    for motion in step.placement:
        twist = motion.outward(twist).labelled()
    u, w = dict[int, Expression](), passing_velocities(step)
    p_dot: list[Assignment] = []
    for frame in split_by_frame(step.stages):
        for motion in (stage for stage in frame if not isinstance(stage, Column)):
            twist = motion.outward(twist).labelled()
        for column in (stage for stage in frame if isinstance(stage, Column)):
            if column.prescribed is not None:
                twist = advanced(twist, column, column.prescribed)
                continue
            if column.ratio is not None:
                assert joint is not None and step.cls.own_group is not None
                add_velocities(step, joint.closed, twist, w, u)
                speed = named(column.ratio * w[step.cls.own_group.channel], "u")
                twist = advanced(twist, column, speed)
                p_dot += joint.momentum_rates(step, column, twist, speed, w)
                continue
            pivot = pivots[column.k]
            free = pivot.free + step.push(column.k) - coupled_part(pivot.shares, w)
            total = free - pivot.gain.n.dot(twist.w) - pivot.gain.f.dot(twist.v)
            if column.twist is None:
                u[column.k] = total - component(twist, column)
                twist = with_velocity(twist, column, named(total, "w" if column.angular else "v"))
            else:
                u[column.k] = named(total, "u")
                twist = advanced(twist, column, u[column.k])
        p_dot += momentum_rates(step, free_columns(frame), pivots, twist, u, w)
    return twist, u, w, p_dot


def with_coupling(pivot: Pivot, column: Column, columns: CoupledColumns) -> Pivot:
    """The pivot with its effect on the columns of the open groups, which are updated."""
    if not columns:
        return pivot
    before = dict(columns.Y)
    free = pivot.free.args[0] if pivot.free.op == "saved" else pivot.free
    shares = columns.eliminate_one(column, pivot.d, free, pivot.whole @ unit(column))
    return replace(pivot, coupled=before, left=dict(columns.Y), shares=shares)


def eliminated_row(
    step: LinkStep, pivots: dict[int, Pivot], closed: Sequence[ClosedGroup], joint: CoupledJoint | None
) -> list[Assignment]:
    """(L7) for one open row: B = Y A + W, D B, b += B D e, and (Y - B D F) C to the parent."""
    coupling = RowCoupling(step)
    y, total, stored = eliminate_from_row(step, closed, coupling, step.row(), step.right())
    for stage in reversed(step.stages):
        if not isinstance(stage, Column):
            y = stage.inward_wrench(y)
        elif stage.prescribed is not None:
            total = total + along(stage, y) * stage.prescribed
        elif stage.ratio is not None:
            assert joint is not None
            coupling.add_joint(stage, y)
            y, total, more = eliminate_from_row(step, joint.closed, coupling, y, total)
            stored += more
        else:
            pivot = pivots[stage.k]
            W = step.row_rate(stage.k)
            B = along(stage, y) + W
            y, total = y - pivot.gain * B, total + B * pivot.free
            if stage.twist is None:
                y = at_unit(stage, y, -W)
            coupling.subtract(pivot.shares, B)
            stored += [(step.address("row_b", stage.k), B), (step.address("row_d", stage.k), pivot.d * B)]
    return [*stored, (step.address("right", 0), total), *step.row_to_parent(y, coupling.Z.items())]


def split_by_frame(stages: list[Stage]) -> list[list[Stage]]:
    """The stages split after each run of columns: changes of frame first, then the columns of that frame."""
    frames: list[list[Stage]] = [[]]
    for stage in stages:
        if not isinstance(stage, Column) and frames[-1] and isinstance(frames[-1][-1], Column):
            frames.append([])
        frames[-1].append(stage)
    return frames


def momentum_rates(
    step: LinkStep,
    columns: list[Column],
    pivots: dict[int, Pivot],
    twist: FrameTwist,
    u: dict[int, Expression],
    w: GroupVelocities,
) -> list[Assignment]:
    """(P4) for the columns of one frame: -Aᵀ Omega mu + Aᵀ F^, and Ȧᵀ mu for columns that are not constant in it."""
    if not columns or step.loops:
        return []
    body, coupled = pivots[columns[0].k].reduced, pivots[columns[0].k].left
    if any(column.rotor is not None for column in columns):  # elimination does not clear the rows of such columns
        body, coupled = pivots[columns[-1].k].whole, pivots[columns[-1].k].coupled
    if coupled:
        body = body.biased(body.bias + momentum_of(coupled, w))
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
    coupled = CoupledColumns(step)
    body, closed = close_groups(step, step.loaded_inertia().labelled(), coupled, with_joint=False)
    columns, before, w = free_columns(step.stages), dict(coupled.Y), passing_velocities(step)
    A = [in_body(step.stages, column) for column in columns]
    drift = prescribed_twist(step.stages)
    body = body.biased(body @ drift + body.bias)  # Phi* + M* v*
    coupled.prescribe(drift, as_expression(1.0))
    MA = [(body @ a).labelled("MA_f", "MA_n") for a in A]
    AMA = [[a.power(ma) for ma in MA] for a in A]
    for k, column in enumerate(columns):
        AMA[k][k] = with_own(column, AMA[k][k])
    D = inverse(AMA)
    n = len(A)
    e = [step._p(k) - A[k].power(body.bias) for k in range(n)]
    De: list[Expression] = [named(dot(D[k], e), "De") for k in range(n)]
    inward = downdate(body, MA, D, De)
    shares = coupled.eliminate(A, D, De, MA)
    for stage in reversed(step.stages):
        if not isinstance(stage, Column):
            inward = stage.inward(inward).labelled()
            coupled.change_frame(stage)
    inboard = [] if step.cls.root else carry_branch(step, inward, coupled)

    relative = step.parent_twist()
    for stage in [*step.placement, *step.stages]:
        if not isinstance(stage, Column):
            relative = stage.outward(relative).labelled()
    De = [saved(x) for x in De]
    carried = [relative.power(ma) for ma in MA]
    u = {k: named(De[k] + step.push(k) - dot(D[k], carried) - coupled_part(shares[k], w), "u") for k in range(n)}
    twist = relative
    for a, rate in zip(A, u.values(), strict=True):
        twist = (twist + a * rate).labelled()
    mu = (body.momentum(twist) + momentum_of(before, w)).labelled("mu_f", "mu_n")
    twist = twist + drift
    own = list(u.values())
    add_velocities(step, closed, twist, w, u)
    starts = De + [x.free for x in sorted(closed, key=lambda x: x.k)]
    outboard = step.rates([u[k] for k in sorted(u)]) + zero_momentum_rates(step, None) + step.outgoing(twist)
    if step.loops:
        return Passes(inboard, outboard, swept_row(step, A, MA, D, De, drift, closed, shares), starts)
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


def prescribed_twist(stages: list[Stage]) -> FrameTwist:
    """v*, the contribution of the joint's prescribed motions to the twist, in the body frame."""
    total = FrameTwist()
    for stage in stages:
        if isinstance(stage, Column) and stage.prescribed is not None:
            total = total + in_body(stages, stage) * stage.prescribed
    return total


def swept_row(
    step: LinkStep,
    A: list[FrameTwist],
    MA: list[FrameWrench],
    D: list[list[Expression]],
    De: list[Expression],
    drift: FrameTwist,
    closed: Sequence[ClosedGroup],
    shares: Sequence[Mapping[int, Expression]],
) -> list[Assignment]:
    """(L7) for one open row, in the body frame."""
    coupling, n = RowCoupling(step), len(A)
    y, right, stored = eliminate_from_row(step, closed, coupling, step.row(), step.right())
    right = right + drift.power(y)
    B = [a.power(y) + step.row_rate(k) for k, a in enumerate(A)]
    DB = [named(dot(D[k], B), "DB") for k in range(n)]
    y = y - combined(DB, MA)
    for stage in reversed(step.stages):
        if not isinstance(stage, Column):
            y = stage.inward_wrench(y)
    for k in range(n):
        coupling.subtract(shares[k], B[k])
        stored += [(step.address("row_b", k), B[k]), (step.address("row_d", k), DB[k])]
    return [*stored, (step.address("right", 0), right + dot(B, De)), *step.row_to_parent(y, coupling.Z.items())]


def sweep_momentum_rate(
    stages: list[Stage], column: Column, u: list[Expression], mu: FrameWrench, twist: FrameTwist, body: Articulated
) -> Expression:
    """(P4) in the body frame: Ȧᵀ mu - Aᵀ Omega mu + Aᵀ F^, gravity's F^ = (mass g, s x g)."""
    a = in_body(stages, column)
    rate = FrameTwist()
    if column.rate is not None:  # such a column is given in the body frame
        rate = column.rate(u)
    for later in later_columns(stages, column):  # Ȧ = -(twist of the joint outboard of the column) x A
        speed = u[later.k] if later.prescribed is None else later.prescribed
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
