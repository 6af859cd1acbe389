"""The steps of an elastic body's link and of its nodes (docs/equations.md, section F).

What grows with the number of modes is done by kernels (kernels/bending.py) on the link's block of region `elastic`;
here are the changes of frame around them. A node is a joint whose rates the modes give: its frame lies behind a
translation, a twist `slip`, and a rotation. An elastic body's frame hangs on the frame in its joint by the inverse of
that, since the joint holds the root. So the placement of both leads to where the slip is, and their stages on to the
link's own frame.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model.motions import link_load
from ..record.layout import INERTIA, BentBlock, Load, Local, SeatBlock, Shapes
from ..symbolic.columns import Column, Stage
from ..symbolic.expressions import Expression
from ..symbolic.spatial import Articulated, FrameChange, FrameTwist, FrameWrench, Rotation, Translation
from ..symbolic.vectors import ORIGIN, Matrix, Vector
from .balance import NAMES, own_momentum, own_wrench, summed
from .solvers import Passes
from .steps import Assignment, Bending, Call, LinkStep, Part, link_loads, local, twist_assignments

#: Index variables in calls: q, joint velocities (own, parent's), twist, block in `elastic` (own, parent's), numbers in
#: `shapes`, of a node its N, number of modes; of an open row its place among the projections, and its number.
INDICES = frozenset(("modes", "q", "j", "v", "t", "x", "e", "h", "form", "o", "row"))


def call(name: str, *arguments: str | float) -> Call:
    texts = tuple(map(str, arguments))
    return Call(name, texts, frozenset(word for text in texts for word in text.split()) & INDICES)


def numbers(at: int, count: int = 3) -> Vector:
    """So many numbers of the link's block."""
    return Vector(link_load("elastic", at + k) for k in range(count))


def stored(at: int, values: Sequence[Expression]) -> list[Part]:
    """Into the link's block."""
    return [(Load("R", "elastic", at + k, "x"), x) for k, x in enumerate(values)]


def wrench_at(at: int) -> FrameWrench:
    return FrameWrench(numbers(at), numbers(at + 3))


class SlavedStep(LinkStep):
    """What the links of elastic bodies and of nodes have in common.

    seat: where the block of the node begins whose slip is between placement and stages, as seen from the link's own.
    """

    seat: int

    @property
    def bending(self) -> Bending:
        """Of the elastic body."""
        raise NotImplementedError

    @property
    def n(self) -> int:
        return self.bending.modes

    @property
    def forms(self) -> int:
        return Shapes.forms(self.n, self.bending.seats)

    @property
    def behind(self) -> list[FrameChange]:
        """The changes of frame behind the slip."""
        return [change for change in self.stages if not isinstance(change, Column)]

    @property
    def rotation(self) -> Matrix:
        """R of the node, its axes to those of the mean frame, but for those at rest (F4)."""
        return Matrix(numbers(self.seat + SeatBlock.rotation + 3 * i) for i in range(3))

    @property
    def spreading(self) -> Matrix:
        """T (F4)."""
        return Matrix(numbers(self.seat + SeatBlock.spreading + 3 * i) for i in range(3))

    @property
    def slip(self) -> FrameTwist:
        """A N xi_dot, in the axes of the mean frame."""
        return FrameTwist(numbers(self.seat + SeatBlock.slip), numbers(self.seat + SeatBlock.slip + 3))

    def through(self, changes: Sequence[FrameChange], twist: FrameTwist) -> FrameTwist:
        for change in changes:
            twist = change.outward(twist).labelled()
        return twist

    def back(self, changes: Sequence[FrameChange], wrench: FrameWrench) -> FrameWrench:
        for change in reversed(changes):
            wrench = change.inward_wrench(wrench)
        return wrench

    def to_slip(self, body: Articulated) -> Articulated:
        for change in reversed(self.behind):
            body = change.inward(body).labelled()
        return body

    def along_node(self, mu: FrameWrench) -> list[Expression]:
        """Aᵀ mu (F4)."""
        return [*mu.f, *(self.spreading.T @ mu.n)]

    def pull(self, mu: FrameWrench, force: FrameWrench, twist: FrameTwist) -> list[Expression]:
        """Aᵀ(F^ - Omega mu) + Ȧᵀ mu of (F9); the axes turn with the mean frame, the point moves with the node."""
        spreading_rate = Matrix(numbers(self.seat + SeatBlock.spreading_rate + 3 * i) for i in range(3))
        entries = self.along_node(force - twist.omega(mu))
        return [*entries[:3], *(Vector(entries[3:]) + spreading_rate.T @ mu.n)]

    def own(self) -> tuple[FrameWrench, FrameWrench]:
        """Momentum and wrench of the branch, at the link's own frame."""
        twist = FrameTwist(link_loads("twist"), link_loads("twist", 3))
        return summed(own_momentum(self, twist), self, "fn"), summed(own_wrench(self), self, "et")

    def kept(self, mu: FrameWrench, force: FrameWrench) -> list[Part]:
        if not self.wants.balance:
            return []
        return [(self.address("balance", k), x) for k, x in enumerate([*mu.entries, *force.entries])]

    def given_up(self, mu: FrameWrench, force: FrameWrench) -> list[Part]:
        """What the parent link gets of momentum and wrench where the slip is."""
        if self.cls.root:
            return []
        mu, force = self.back(self.placement, mu), self.back(self.placement, force)
        return [(Local(n), x) for n, x in zip(NAMES, [*mu.entries, *force.entries], strict=True)]

    def momentum_up(self, mu: FrameWrench) -> list[Part]:
        if self.cls.root:
            return []
        mu = self.back(self.placement, mu)
        return [*((Local(f"f{a}"), mu.f[a]) for a in range(3)), *((Local(f"n{a}"), mu.n[a]) for a in range(3))]

    def moved(self, twist: FrameTwist) -> list[Part]:
        """The link's twist, for its children and for laws."""
        out: list[Part] = [(self.address("twist", k), x) for k, x in enumerate(twist.entries)]
        return out + ([] if self.cls.leaf else list(twist_assignments(twist, False)))

    def wrench_projection(self) -> list[Assignment]:
        """Nothing: gravity and forces enter in the balance."""
        return []


class SeatStep(SlavedStep):
    """A node of an elastic body, with what is welded to it."""

    seat = 0

    def _placement(self) -> list[FrameChange]:
        return [Translation(numbers(SeatBlock.place))]

    def _stages(self) -> list[Stage]:
        return [Rotation(self.rotation), *self._turns()]

    @property
    def bending(self) -> Bending:
        assert self.cls.seat is not None
        return self.cls.seat

    @property
    def empty(self) -> bool:
        """Whether no inertia hangs on it."""
        return self.cls.leaf and not self.cls.mass and not any(self.cls.inertia)

    def passes(self) -> Passes:
        twist = self.through(self.behind, self.through(self.placement, self.parent_twist()) + self.slip)
        if self.empty:
            return Passes(self.carry(Articulated()), self.moved(twist), self.row_code(), [])
        body = self.to_slip(self.loaded_inertia().labelled())
        P = [[*body.M.rows[i], *body.H.column(i)] for i in range(3)] + [
            [*body.H.rows[i], *body.J.rows[i]] for i in range(3)
        ]
        seen = []
        for row, bias in zip(P, [*body.f, *body.n], strict=True):
            f, n = Vector(row[:3]), Vector(row[3:])
            seen += [*f, *(n + numbers(SeatBlock.place).cross(f)), bias]
        inboard: list[Part] = [
            *stored(SeatBlock.branch, [x for row in P for x in row]),
            *stored(SeatBlock.seen, seen),
            *self.carry(body),
            call("add_seat", "ELASTIC + e", "ELASTIC + x", self.n, "modes"),
        ]
        return Passes(inboard, self.moved(twist), self.row_code(), [])

    def row_code(self) -> list[Part]:
        """(F8): what an open row has of the modes."""
        y = self.back(self.behind, self.row())
        into_modes = call("seat_row", "ELASTIC + x", "ROW_W + o", self.n)
        return [*stored(SeatBlock.row, y.entries), *self.row_to_parent(y), into_modes]

    plain_row_code = row_code

    def twist_from_rates(self) -> list[Part]:
        return self.moved(self.through(self.behind, self.through(self.placement, self.parent_twist()) + self.slip))

    def momentum_projection(self) -> list[Part]:
        mu = self.own_inertia().momentum(FrameTwist(link_loads("twist"), link_loads("twist", 3)))
        mu = self.back(self.behind, mu if self.cls.leaf else mu + FrameWrench(local("f"), local("n")))
        into_modes = call("seat_momenta", "ELASTIC + x", "ELASTIC + form", "P0 + v", self.n, 1.0)
        return [*stored(SeatBlock.momentum, self.along_node(mu)), *self.momentum_up(mu), into_modes]

    def balance(self) -> list[Part]:
        mu, force = self.own()
        out = self.kept(mu, force)
        twist = FrameTwist(link_loads("twist"), link_loads("twist", 3))
        for change in reversed(self.behind):
            twist = change.inward_twist(twist)
        twist = FrameTwist(twist.v, twist.w - self.slip.w)
        mu, force = self.back(self.behind, mu), self.back(self.behind, force)
        into_modes = call(
            "seat_forces", "ELASTIC + x", "ELASTIC + form", "SHAPES + h", self.forms, "v", self.n, "modes", 1.0
        )
        out += stored(SeatBlock.momentum, self.along_node(mu)) + stored(SeatBlock.pull, self.pull(mu, force, twist))
        return [*out, *self.given_up(mu, force), into_modes]


class BendingStep(SlavedStep):
    """An elastic body: its mean frame, and its modes."""

    @property
    def bending(self) -> Bending:
        assert self.cls.bending is not None
        return self.cls.bending

    @property
    def seat(self) -> int:  # type: ignore[override]
        return BentBlock.seat(self.n, self.bending.seats, 0)

    @property
    def root(self) -> tuple[str, str]:
        """Where the root's block and its N begin."""
        return f"ELASTIC + x + {self.seat}", f"ELASTIC + x + {BentBlock.form(self.n, 0)}"

    def _placement(self) -> list[FrameChange]:
        turned = [Rotation(self.rotation.T)] if self.bending.root else []
        return [*self._shift(), *self._turns(), *turned]

    def _stages(self) -> list[Stage]:
        return [Translation(-numbers(self.seat + SeatBlock.place))] if self.bending.root else []

    def own_inertia(self) -> Articulated:
        """At the present xi (F2)."""
        body = super().own_inertia()
        more = dict(zip(INERTIA, numbers(BentBlock.inertia, 6), strict=True))
        return Articulated(body.M, body.H, Matrix.symmetric(lambda i, j: body.J[i, j] + more[i, j]), s=body.s)

    def own(self) -> tuple[FrameWrench, FrameWrench]:
        mu, force = super().own()
        return mu + FrameWrench(ORIGIN, numbers(BentBlock.spin)), force

    def passes(self) -> Passes:
        body, at_root = self.to_slip(self.loaded_inertia().labelled()), self.bending.root
        rows = [[*body.M.rows[i], *body.H.column(i), body.f[i]] for i in range(3)]
        rows += [[*body.H.rows[i], *body.J.rows[i], body.n[i]] for i in range(3)]
        inboard: list[Part] = stored(BentBlock.branch, [x for row in rows for x in row])
        inboard += [call("to_root", "ELASTIC + x", self.root[0], self.n, "modes")] if at_root else []
        inboard.append(call("eliminate_modes", "ELASTIC + x", self.n, "modes"))
        inboard += [] if self.cls.root else self.carry(self._left())
        into = self.through(self.placement, self.parent_twist())
        outboard: list[Part] = [
            *stored(BentBlock.twist, into.entries),
            call("mode_rates", "ELASTIC + x", "j", self.n),
            self._node_rates(),
            *self.moved(self._twist(FrameTwist(numbers(BentBlock.twist), numbers(BentBlock.twist + 3)))),
        ]
        return Passes(inboard, outboard, self.row_code(), [])

    def _left(self) -> Articulated:
        """The branch without the modes, at the root."""
        rows = [numbers(BentBlock.branch + 7 * i, 7) for i in range(6)]
        return Articulated(
            M=Matrix.symmetric(lambda i, j: rows[i][j]),
            H=Matrix.of(lambda i, j: rows[3 + i][j]),
            J=Matrix.symmetric(lambda i, j: rows[3 + i][3 + j]),
            f=Vector(row[6] for row in rows[:3]),
            n=Vector(row[6] for row in rows[3:]),
        )

    def _twist(self, at_root: FrameTwist) -> FrameTwist:
        """Of the mean frame, from that of the root in its axes."""
        return self.through(self.behind, at_root - self.slip) if self.bending.root else at_root

    def _node_rates(self) -> Call:
        return call("node_rates", "ELASTIC + x", "q", "j", self.n, self.bending.seats)

    def row_code(self) -> list[Part]:
        """(F8)."""
        return self._row(call("mode_row", "ELASTIC + x", "ROW_W + o", "ROW_B + o", "ROW_D + o", "RIGHT + row", self.n))

    def plain_row_code(self) -> list[Part]:
        return self._row(call("plain_mode_row", "ROW_W + o", "ROW_B + o", "ROW_D + o", "MASK + j", self.n))

    def _row(self, through: Call) -> list[Part]:
        y = self.back(self.behind, self.row())
        at_root = [call("root_row", "ELASTIC + x", self.root[0], "ROW_W + o", self.n)] if self.bending.root else []
        return [*stored(BentBlock.row, y.entries), *at_root, through, *self.row_to_parent(wrench_at(BentBlock.row))]

    def twist_from_rates(self) -> list[Part]:
        twist = self._twist(self.through(self.placement, self.parent_twist()))
        masses = f"SHAPES + h + {Shapes.masses(self.n, self.bending.seats)}"
        own = call("mode_momenta", "ELASTIC + x", masses, "TWIST + t", "j", "P0 + j", self.n)
        return [self._node_rates(), *self.moved(twist), call("no_momenta", "P0 + j", self.n), own]

    def momentum_projection(self) -> list[Part]:
        mu = self.own_inertia().momentum(FrameTwist(link_loads("twist"), link_loads("twist", 3)))
        mu = mu + FrameWrench(ORIGIN, numbers(BentBlock.spin))
        mu = self.back(self.behind, mu if self.cls.leaf else mu + FrameWrench(local("f"), local("n")))
        out: list[Part] = list(self.momentum_up(mu))
        if self.bending.root:
            out += stored(self.seat + SeatBlock.momentum, self.along_node(mu))
            out.append(call("seat_momenta", *self.root, "P0 + j", self.n, -1.0))
        return out

    def balance(self) -> list[Part]:
        mu, force = self.own()
        out = self.kept(mu, force)
        out.append(
            call("mode_forces", "ELASTIC + x", "SHAPES + h", "TWIST + t", "q", "j", self.n, "modes", self.bending.seats)
        )
        twist = FrameTwist(link_loads("twist"), link_loads("twist", 3))
        mu, force = self.back(self.behind, mu), self.back(self.behind, force)
        if self.bending.root:
            for change in reversed(self.behind):
                twist = change.inward_twist(twist)
            twist = FrameTwist(twist.v + self.slip.v, twist.w)
            out += stored(self.seat + SeatBlock.momentum, self.along_node(mu))
            out += stored(self.seat + SeatBlock.pull, self.pull(mu, force, twist))
            second = f"SHAPES + h + {Shapes.second(self.n, self.bending.seats, 0)}"
            out.append(call("seat_forces", *self.root, second, self.forms, "j", self.n, "modes", -1.0))
        return [*out, *self.given_up(mu, force)]
