"""Groups of coupled joints: a leader and its followers share one velocity, (T1) to (T5) of docs/equations.md.

The columns of a group are carried inboard as one column Y, up to the link where all of them have met; there the group
closes, that is, its velocity is eliminated. A channel is the storage for one such column; groups whose paths overlap
use different channels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.motions import link_load
from ..record.layout import Local
from ..symbolic.columns import Column, along, at_unit, convective, unit
from ..symbolic.emit import saved
from ..symbolic.expressions import ZERO, Expression, leaf, named
from ..symbolic.spatial import Articulated, FrameChange, FrameTwist, FrameWrench
from ..symbolic.vectors import ORIGIN
from .links import CoupledColumn
from .reduction import dot, downdate, inverse_pivot
from .steps import Assignment, LinkStep, channel_load, gravity_power, local

GroupVelocities = Mapping[int, Expression]  #: w_n, by the channel of the group


def momentum_of(columns: Mapping[int, FrameWrench], w: GroupVelocities) -> FrameWrench:
    """Yᵀ w, the contribution of open groups to the bias of a branch (T2)."""
    total = FrameWrench(ORIGIN, ORIGIN)
    for n, y in columns.items():
        total = total + y * w[n]
    return total


def _pair(n: int, m: int) -> tuple[int, int]:
    """The key of the symmetric entry T_nm: only one half of T is stored."""
    return (n, m) if n <= m else (m, n)


@dataclass(frozen=True)
class ClosedGroup:
    """An eliminated group: its velocity is free + push - gain . twist - shares of other groups (T4).

    push: the contribution of the impulses of loops.
    """

    column: CoupledColumn
    k: int  #: index among the joint velocities of the link
    d: Expression
    free: Expression
    gain: FrameWrench
    shares: Mapping[int, Expression]

    def velocity(self, step: LinkStep, twist: FrameTwist, w: GroupVelocities) -> Expression:
        """The group's velocity at the twist of the link where it closes."""
        total = self.free + step.push(self.k) - self.gain.n.dot(twist.w) - self.gain.f.dot(twist.v)
        for n, share in self.shares.items():
            total = total - share * w[n]
        velocity: Expression = named(total, "u")
        return velocity


class CoupledColumns:
    """Columns of the open groups on their way inboard through a link: Y, t and T of (T2), by channel."""

    def __init__(self, step: LinkStep):
        self.step = step
        self.Y: dict[int, FrameWrench] = {}
        self._t: dict[int, Expression] = {}
        self._T: dict[tuple[int, int], Expression] = {}
        arrives = {column.channel: column.arrives and not step.cls.leaf for column in step.cls.coupled}
        for n, carried in arrives.items():
            self.Y[n] = FrameWrench(local(f"y{n}f"), local(f"y{n}n")) if carried else FrameWrench(ORIGIN, ORIGIN)
            self._t[n] = leaf(Local(f"t{n}")) if carried else ZERO
            for m in (m for m in arrives if m >= n):
                self._T[n, m] = leaf(Local(f"T{n}{m}")) if carried and arrives[m] else ZERO

    def __bool__(self) -> bool:
        return bool(self.Y)

    def change_frame(self, change: FrameChange) -> None:
        """Move Y inboard through a change of frame."""
        self.Y = {n: change.inward_wrench(y).labelled("y_f", "y_n") for n, y in self.Y.items()}

    def prescribe(self, column: FrameTwist, rate: Expression) -> None:
        """Update t for a joint with prescribed motion."""
        for n, y in self.Y.items():
            self._t[n] = self._t[n] + column.power(y) * rate

    def eliminate(
        self, A: Sequence[FrameTwist], D: Sequence[Sequence[Expression]], De: Sequence[Expression],
        MA: Sequence[FrameWrench],
    ) -> list[dict[int, Expression]]:  # fmt: skip
        """Update Y, t and T for joint columns that are eliminated together (T3).

        Returns D B of every group for each of these columns.
        """
        B = {n: [a.power(y) for a in A] for n, y in self.Y.items()}
        DB = {n: [named(dot(row, b), "DB") for row in D] for n, b in B.items()}
        for n, m in self._T:
            self._T[n, m] = self._T[n, m] - dot(B[n], DB[m])
        for n, y in self.Y.items():
            self._t[n] = self._t[n] + dot(B[n], De)
            for part, ma in zip(DB[n], MA, strict=True):
                y = y - ma * part
            self.Y[n] = y.labelled("y_f", "y_n")
        return [{n: DB[n][k] for n in DB} for k in range(len(A))]

    def eliminate_one(self, column: Column, d: Expression, free: Expression, row: FrameWrench) -> dict[int, Expression]:
        """`eliminate` for one column. If it is a unit column, the entry of Y along it is set to exactly zero."""
        (shares,) = self.eliminate([unit(column)], [[d]], [free], [row])
        if column.twist is None:
            self.Y = {n: at_unit(column, y, ZERO) for n, y in self.Y.items()}
        return shares

    def add_joint(self, column: Column, body: Articulated) -> None:
        """Add the column of the link's own joint to that of its group (T2)."""
        assert column.ratio is not None and self.step.cls.own_group is not None
        own, ratio, row = self.step.cls.own_group.channel, column.ratio, body @ unit(column)
        square = along(column, row) if column.rotor is None else along(column, row) + column.rotor
        for n, y in self.Y.items():
            part = ratio * along(column, y)
            place = _pair(n, own)
            self._T[place] = self._T[place] + (part + part if n == own else part)
        self._T[own, own] = self._T[own, own] + ratio * ratio * square
        self._t[own] = self._t[own] + ratio * along(column, body.bias)
        self.Y[own] = (self.Y[own] + row * ratio).labelled("y_f", "y_n")

    def close(self, column: CoupledColumn) -> tuple[ClosedGroup, FrameWrench, Expression, Expression]:
        """Eliminate a group (T4). Return it with its Y, 1/T and the factor of Y in the bias of the branch."""
        k, own = self.step.velocity_index(column), column.channel
        d = inverse_pivot(self._T.pop((own, own)), k)
        y = self.Y.pop(own)
        free = named(d * (self.step._p(k) - self._t.pop(own)), "free")
        crossed = {n: self._T.pop(_pair(n, own)) for n in self.Y}
        shares = {n: named(d * T, "share") for n, T in crossed.items()}
        for n in self.Y:
            self.Y[n] = (self.Y[n] - y * shares[n]).labelled("y_f", "y_n")
            self._t[n] = self._t[n] + crossed[n] * free
        for n, m in self._T:
            self._T[n, m] = self._T[n, m] - crossed[n] * shares[m]
        return ClosedGroup(column, k, d, saved(free), (y * d).labelled("gain_v", "gain_w"), shares), y, d, free

    def carry(self) -> list[Assignment]:
        """Assignments of Y, t and T for the parent link; zeros in channels without an open group."""
        zero = FrameWrench(ORIGIN, ORIGIN)
        carried: list[Assignment] = []
        for n in range(self.step.cls.channels):
            y = self.Y.get(n, zero)
            names = [f"y{n}{x}{a}" for x in "fn" for a in range(3)]
            carried += [(Local(name), x) for name, x in zip(names, y.entries, strict=True)]
            carried.append((Local(f"t{n}"), self._t.get(n, ZERO)))
            pairs = ((n, m) for m in range(n, self.step.cls.channels))
            carried += [(Local(f"T{n}{m}"), self._T.get((n, m), ZERO)) for n, m in pairs]
        return carried


class RowCoupling:
    """Z of an open row of a loop (T5), by channel: its coefficients of the velocities of the open groups."""

    def __init__(self, step: LinkStep):
        self.step = step
        arrives = [column.channel for column in step.cls.coupled if column.arrives and not step.cls.leaf]
        self.Z: dict[int, Expression] = {column.channel: ZERO for column in step.cls.coupled}
        self.Z |= {n: link_load("row_z", n) for n in arrives}

    def add_joint(self, column: Column, y: FrameWrench) -> list[CoupledColumn]:
        """Add the column of the link's own joint to that of its group; return the group if it closes with the joint."""
        assert column.ratio is not None and self.step.cls.own_group is not None
        own = self.step.cls.own_group
        self.Z[own.channel] = self.Z[own.channel] + column.ratio * along(column, y)
        return [own] if own.closes else []

    def close(self, column: CoupledColumn) -> tuple[int, Expression]:
        """Index of a closing group's velocity among those of the link, and B of the row for it."""
        k = self.step.velocity_index(column)
        return k, self.Z.pop(column.channel) + self.step.row_rate(k)

    def subtract(self, shares: Mapping[int, Expression], B: Expression) -> None:
        """Update Z for an eliminated velocity."""
        for n, share in shares.items():
            self.Z[n] = self.Z[n] - share * B


def close_groups(
    step: LinkStep, body: Articulated, columns: CoupledColumns, with_joint: bool
) -> tuple[Articulated, list[ClosedGroup]]:
    """Eliminate the groups that close at this link.

    With `with_joint`, these are the groups that include the column of its joint, otherwise those that close outboard of
    its joint.
    """
    closed = []
    for column in (column for column in step.cls.closing if column.has_joint == with_joint):
        group, y, d, free = columns.close(column)
        body = downdate(body, [y], [[d]], [free])
        closed.append(group)
    return body, closed


def carry_branch(step: LinkStep, body: Articulated, columns: CoupledColumns) -> list[Assignment]:
    """The branch and the columns of the open groups as the parent link sees them."""
    for change in reversed(step.placement):
        columns.change_frame(change)
    return step.carry(body) + columns.carry()


def coupled_part(shares: Mapping[int, Expression], w: GroupVelocities) -> Expression:
    """Sum of D B_n w_n, which the velocities of open groups subtract from a joint velocity (T3)."""
    total: Expression = ZERO
    for channel, share in shares.items():
        total = total + share * w[channel]
    return total


def passing_velocities(step: LinkStep) -> dict[int, Expression]:
    """Velocities of the groups that stay open at this link; the outboard pass computes them further inboard."""
    return {x.channel: leaf(channel_load("u", x.channel)) for x in step.cls.coupled if not x.closes}


def add_velocities(
    step: LinkStep, closed: Sequence[ClosedGroup], twist: FrameTwist, w: dict[int, Expression], u: dict[int, Expression]
) -> None:
    """Add the velocities of the groups that close here to `w` and `u`; twist: of the frame where they close."""
    for group in reversed(closed):
        u[group.k] = w[group.column.channel] = group.velocity(step, twist, w)


@dataclass(frozen=True)
class CoupledJoint:
    """A joint of a group: the branch outboard of it, Y of the groups open there, and its own group if closed here."""

    whole: Articulated
    columns: Mapping[int, FrameWrench]
    closed: list[ClosedGroup]

    def momentum_rates(
        self, step: LinkStep, column: Column, twist: FrameTwist, speed: Expression, w: GroupVelocities
    ) -> list[Assignment]:
        """Contribution of the joint to (P4) for the momentum of its group (T1)."""
        if step.loops:
            return []
        body = self.whole.biased(self.whole.bias + momentum_of(self.columns, w))
        mu = body.momentum(twist).labelled("mu_f", "mu_n")
        value = convective(mu, twist, column, [speed]) + gravity_power(body, twist, column)
        if not self.closed:
            return [step.along_joint("p_dot", column, value, True)]
        assert column.ratio is not None
        return [(step.address("p_dot", self.closed[0].k), column.ratio * value)]


def zero_momentum_rates(step: LinkStep, joint: CoupledJoint | None) -> list[Assignment]:
    """Zeros for the momentum rates of groups that close here; their joints further outboard add to them."""
    if step.loops:
        return []
    own = [] if joint is None else [x.k for x in joint.closed]
    first = step.cls.rates - len(step.cls.closing)
    return [(step.address("p_dot", k), ZERO) for k in range(first, step.cls.rates) if k not in own]


def eliminate_from_row(
    step: LinkStep, closed: Sequence[ClosedGroup], coupling: RowCoupling, y: FrameWrench, total: Expression
) -> tuple[FrameWrench, Expression, list[Assignment]]:
    """Y and b of an open row without the groups that close here, and the assignments of their B and D B (T5)."""
    stored: list[Assignment] = []
    for group in closed:
        k, B = coupling.close(group.column)
        coupling.subtract(group.shares, B)
        y, total = y - group.gain * B, total + B * group.free
        stored += [(step.address("row_b", k), B), (step.address("row_d", k), group.d * B)]
    return y, total, stored
