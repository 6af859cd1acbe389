"""Trains: leaders with their followers, whose columns share one velocity and travel to where they meet (T1)-(T4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..lazy_dataclasses import dataclass
from ..model.motions import link_load
from ..record.layout import Local
from ..symbolic.columns import Column, along, at_unit, convective, unit
from ..symbolic.emit import saved
from ..symbolic.expressions import ZERO, Expression, leaf, named
from ..symbolic.spatial import Articulated, FrameChange, FrameTwist, FrameWrench
from ..symbolic.vectors import ORIGIN
from .links import Line
from .reduction import dot, downdate, inverse_pivot
from .steps import Assignment, LinkStep, gravity_power, line_load, local

Velocities = Mapping[int, Expression]  #: of the trains, by the number of their line


def momentum_of(columns: Mapping[int, FrameWrench], w: Velocities) -> FrameWrench:
    """Yᵀ w: what trains add to the bias of a branch (T2)."""
    total = FrameWrench(ORIGIN, ORIGIN)
    for n, y in columns.items():
        total = total + y * w[n]
    return total


@dataclass(frozen=True)
class Met:
    """A train that was eliminated: its velocity is free + push - gain . twist - shares of others (T4)."""

    line: Line
    k: int  #: its number among the joint velocities of the link
    d: Expression
    free: Expression
    gain: FrameWrench
    shares: Mapping[int, Expression]

    def velocity(self, step: LinkStep, twist: FrameTwist, w: Velocities) -> Expression:
        total = self.free + step.push(self.k) - self.gain.n.dot(twist.w) - self.gain.f.dot(twist.v)
        for n, share in self.shares.items():
            total = total - share * w[n]
        found: Expression = named(total, "u")
        return found


class Lines:
    """The columns of trains on their way inward through a link: Y, t and T of (T2), by line."""

    def __init__(self, step: LinkStep):
        self.step = step
        self.Y: dict[int, FrameWrench] = {}
        self._t: dict[int, Expression] = {}
        self._T: dict[tuple[int, int], Expression] = {}
        arrives = {line.number: line.arrives and not step.cls.leaf for line in step.cls.lines}
        for n, carried in arrives.items():
            self.Y[n] = FrameWrench(local(f"y{n}f"), local(f"y{n}n")) if carried else FrameWrench(ORIGIN, ORIGIN)
            self._t[n] = leaf(Local(f"t{n}")) if carried else ZERO
            for m in (m for m in arrives if m >= n):
                self._T[n, m] = leaf(Local(f"T{n}{m}")) if carried and arrives[m] else ZERO

    def __bool__(self) -> bool:
        return bool(self.Y)

    def through(self, change: FrameChange) -> None:
        """Inward through a change of frame."""
        self.Y = {n: change.inward_wrench(y).labelled("y_f", "y_n") for n, y in self.Y.items()}

    def given(self, column: FrameTwist, rate: Expression) -> None:
        """Past a given motion."""
        for n, y in self.Y.items():
            self._t[n] = self._t[n] + column.power(y) * rate

    def past(
        self, A: Sequence[FrameTwist], D: Sequence[Sequence[Expression]], De: Sequence[Expression],
        MA: Sequence[FrameWrench],
    ) -> list[dict[int, Expression]]:  # fmt: skip
        """(T3): past columns that are eliminated together; for each of them D B of every line."""
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

    def past_column(self, column: Column, d: Expression, free: Expression, row: FrameWrench) -> dict[int, Expression]:
        """The same for one column; its entry of Y, where it is a unit one, is set to what it is."""
        (found,) = self.past([unit(column)], [[d]], [free], [row])
        if column.twist is None:
            self.Y = {n: at_unit(column, y, ZERO) for n, y in self.Y.items()}
        return found

    def join(self, column: Column, body: Articulated) -> None:
        """(T2): the column of the link's own joint joins those of its train."""
        assert column.ratio is not None and self.step.cls.joins is not None
        own, ratio, row = self.step.cls.joins.number, column.ratio, body @ unit(column)
        square = along(column, row) if column.rotor is None else along(column, row) + column.rotor
        for n, y in self.Y.items():
            part = ratio * along(column, y)
            place = min(n, own), max(n, own)
            self._T[place] = self._T[place] + (part + part if n == own else part)
        self._T[own, own] = self._T[own, own] + ratio * ratio * square
        self._t[own] = self._t[own] + ratio * along(column, body.bias)
        self.Y[own] = (self.Y[own] + row * ratio).labelled("y_f", "y_n")

    def end(self, line: Line) -> tuple[Met, FrameWrench, Expression, Expression]:
        """(T4): eliminate a train; with it its Y, 1/T and what is to be added to the bias of the branch along Y."""
        k, own = self.step.number_of(line), line.number
        d = inverse_pivot(self._T.pop((own, own)), k)
        y = self.Y.pop(own)
        free = named(d * (self.step._p(k) - self._t.pop(own)), "free")
        crossed = {n: self._T.pop((min(n, own), max(n, own))) for n in self.Y}
        shares = {n: named(d * T, "share") for n, T in crossed.items()}
        for n in self.Y:
            self.Y[n] = (self.Y[n] - y * shares[n]).labelled("y_f", "y_n")
            self._t[n] = self._t[n] + crossed[n] * free
        for n, m in self._T:
            self._T[n, m] = self._T[n, m] - crossed[n] * shares[m]
        return Met(line, k, d, saved(free), (y * d).labelled("gain_v", "gain_w"), shares), y, d, free

    def carry(self) -> list[Assignment]:
        """What goes on to the parent; nothing in lines where no train is under way."""
        zero = FrameWrench(ORIGIN, ORIGIN)
        out: list[Assignment] = []
        for n in range(self.step.cls.travelling):
            y = self.Y.get(n, zero)
            names = [f"y{n}{x}{a}" for x in "fn" for a in range(3)]
            out += [(Local(name), x) for name, x in zip(names, y.entries, strict=True)]
            out.append((Local(f"t{n}"), self._t.get(n, ZERO)))
            pairs = ((n, m) for m in range(n, self.step.cls.travelling))
            out += [(Local(f"T{n}{m}"), self._T.get((n, m), ZERO)) for n, m in pairs]
        return out


class RowLines:
    """Z of an open row of a loop (T5), by line: what the velocities of trains do to it that are under way."""

    def __init__(self, step: LinkStep):
        self.step = step
        arrives = [line.number for line in step.cls.lines if line.arrives and not step.cls.leaf]
        self.Z: dict[int, Expression] = {line.number: ZERO for line in step.cls.lines}
        self.Z |= {n: link_load("row_z", n) for n in arrives}

    def join(self, column: Column, y: FrameWrench) -> list[Line]:
        """The column of the link's own joint joins those of its train; that, if it ends with it."""
        assert column.ratio is not None and self.step.cls.joins is not None
        own = self.step.cls.joins
        self.Z[own.number] = self.Z[own.number] + column.ratio * along(column, y)
        return [own] if own.ends else []

    def end(self, line: Line) -> tuple[int, Expression]:
        """The number of an ending train's velocity among those of the link, and B of the row for it."""
        k = self.step.number_of(line)
        return k, self.Z.pop(line.number) + self.step.row_rate(k)

    def less(self, shares: Mapping[int, Expression], B: Expression) -> None:
        """What a velocity that is eliminated leaves."""
        for n, share in shares.items():
            self.Z[n] = self.Z[n] - share * B


def ended(step: LinkStep, body: Articulated, lines: Lines, joined: bool) -> tuple[Articulated, list[Met]]:
    """The branch without the trains that end here, behind the link's joint or (`joined`) with it."""
    out = []
    for line in (line for line in step.cls.ends if line.joins == joined):
        met, y, d, free = lines.end(line)
        body = downdate(body, [y], [[d]], [free])
        out.append(met)
    return body, out


def carried_on(step: LinkStep, body: Articulated, lines: Lines) -> list[Assignment]:
    """The branch, and what is under way of trains, as the parent sees them."""
    for change in reversed(step.placement):
        lines.through(change)
    return step.carry(body) + lines.carry()


def shared(shares: Mapping[int, Expression], w: Velocities) -> Expression:
    """What the velocities of trains take off a joint velocity (T3)."""
    total: Expression = ZERO
    for number, share in shares.items():
        total = total + share * w[number]
    return total


def under_way(step: LinkStep) -> dict[int, Expression]:
    """The velocities of the trains that pass, found further inboard."""
    return {line.number: leaf(line_load("u", line.number)) for line in step.cls.lines if not line.ends}


def found(
    step: LinkStep, met: Sequence[Met], twist: FrameTwist, w: dict[int, Expression], u: dict[int, Expression]
) -> None:
    """The velocities of the trains that end here, from the twist where they do."""
    for coupled in reversed(met):
        u[coupled.k] = w[coupled.line.number] = coupled.velocity(step, twist, w)


@dataclass(frozen=True)
class Joined:
    """The joint of a train: the branch behind it, Y of the trains that arrive there, and its own, if it ends here."""

    whole: Articulated
    lines: Mapping[int, FrameWrench]
    ends: list[Met]

    def momentum_rates(
        self, step: LinkStep, column: Column, twist: FrameTwist, speed: Expression, w: Velocities
    ) -> list[Assignment]:
        """Its part of (P4) for the train's momentum (T1)."""
        if step.loops:
            return []
        body = self.whole.biased(self.whole.bias + momentum_of(self.lines, w))
        mu = body.momentum(twist).labelled("mu_f", "mu_n")
        value = convective(mu, twist, column, [speed]) + gravity_power(body, twist, column)
        if not self.ends:
            return [step.along_joint("p_dot", column, value, True)]
        assert column.ratio is not None
        return [(step.address("p_dot", self.ends[0].k), column.ratio * value)]


def begun(step: LinkStep, joint: Joined | None) -> list[Assignment]:
    """Rates of the momenta of trains that end here, to which their joints outboard add: nothing as yet."""
    if step.loops:
        return []
    own = [] if joint is None else [x.k for x in joint.ends]
    first = step.cls.rates - len(step.cls.ends)
    return [(step.address("p_dot", k), ZERO) for k in range(first, step.cls.rates) if k not in own]


def row_past(
    step: LinkStep, met: Sequence[Met], lines: RowLines, y: FrameWrench, total: Expression
) -> tuple[FrameWrench, Expression, list[Assignment]]:
    """Y and b of an open row without the trains that end here, and what is kept of these (T5)."""
    out: list[Assignment] = []
    for coupled in met:
        k, B = lines.end(coupled.line)
        lines.less(coupled.shares, B)
        y, total = y - coupled.gain * B, total + B * coupled.free
        out += [(step.address("row_b", k), B), (step.address("row_d", k), coupled.d * B)]
    return y, total, out
