"""The steps of an elastic body's link and of its nodes (docs/equations_elastic.md).

What grows with the number of modes is done by kernels (kernels/elastic/bodies.py) on the link's block of region
`elastic`; here are the changes of frame around them. A node is a joint whose rates the modes give: its frame lies
behind a twist `node_twist` at the mean frame, a translation and a rotation. An elastic body's frame hangs on the frame
in its joint by the inverse of that, since the joint holds the root. So the placement of both leads to where the slip
is, and the stages of a node on to its own frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..model.motions import link_load
from ..record.elastic_layout import (
    AttachmentBlock,
    ElasticBlock,
    form_numbers,
    mode_columns,
    node_at,
    node_branch_at,
    node_form_at,
    workspace_at,
)
from ..record.layout import INERTIA, LinkConstants, Load, Local
from ..symbolic.columns import Column, Stage
from ..symbolic.expressions import ZERO, Expression
from ..symbolic.spatial import Articulated, FrameChange, FrameTwist, FrameWrench, Rotation, Translation
from ..symbolic.vectors import ORIGIN, Matrix, Vector
from .balance import NAMES, own_momentum, own_wrench, summed
from .links import Bending
from .second import CARRIED
from .solvers import Passes
from .steps import Call, Code, LinkStep, Part, link_loads, local, twist_assignments

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


def rows_of(body: Articulated) -> list[list[Expression]]:
    """M* of a branch as rows of six."""
    upper = [[*body.M.rows[i], *body.H.column(i)] for i in range(3)]
    return [*upper, *([*body.H.rows[i], *body.J.rows[i]] for i in range(3))]


def articulated(rows: Sequence[Sequence[Expression]], bias: Sequence[Expression]) -> Articulated:
    """A branch from such rows and its bias."""
    return Articulated(
        M=Matrix.symmetric(lambda i, j: rows[i][j]),
        H=Matrix.of(lambda i, j: rows[3 + i][j]),
        J=Matrix.symmetric(lambda i, j: rows[3 + i][3 + j]),
        f=Vector(bias[:3]),
        n=Vector(bias[3:]),
    )


class SlavedStep(LinkStep):
    """What the links of elastic bodies and of nodes have in common.

    seat: where the block of the node begins whose slip is between placement and stages, as seen from the link's own.
    node: where that block and its N begin, as text. first: where the joint velocities of the modes do. sign: of what a
    branch there gives the modes.
    """

    attachment: int
    node: tuple[str, str]
    first: str
    sign: float

    @property
    def bending(self) -> Bending:
        """Of the elastic body."""
        raise NotImplementedError

    @property
    def n(self) -> int:
        return self.bending.modes

    @property
    def forms(self) -> int:
        return form_numbers(self.n, self.bending.attachments)

    @property
    def behind(self) -> list[FrameChange]:
        """The changes of frame behind the slip."""
        return [change for change in self.stages if not isinstance(change, Column)]

    @property
    def rotation(self) -> Matrix:
        """R of the node, its axes to those of the mean frame, but for those at rest (F4)."""
        return Matrix(numbers(self.attachment + AttachmentBlock.rotation + 3 * i) for i in range(3))

    @property
    def spreading(self) -> Matrix:
        """T (F4)."""
        return Matrix(numbers(self.attachment + AttachmentBlock.spreading + 3 * i) for i in range(3))

    @property
    def to_point(self) -> Translation:
        """From the mean frame to the node's point."""
        return Translation(numbers(self.attachment + AttachmentBlock.place))

    @property
    def node_twist(self) -> FrameTwist:
        """G xi_dot, at the mean frame."""
        return FrameTwist(
            numbers(self.attachment + AttachmentBlock.node_twist),
            numbers(self.attachment + AttachmentBlock.node_twist + 3),
        )

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

    def at_point(self, wrench: FrameWrench) -> FrameWrench:
        """A wrench at the mean frame's origin, at the node's point."""
        return FrameWrench(wrench.f, wrench.n - self.to_point.r.cross(wrench.f))

    def along_node(self, mu: FrameWrench) -> list[Expression]:
        """Aᵀ mu (F4), mu at the node's point."""
        return [*mu.f, *(self.spreading.T @ mu.n)]

    def pull(self, mu: FrameWrench, force: FrameWrench, twist: FrameTwist, w: Vector) -> list[Expression]:
        """Aᵀ(F^ - Omega mu) + Ȧᵀ mu of (F9), wrenches at the node's point.

        twist: of what hangs on the node, at the mean frame. w: of the mean frame, with which the axes turn.
        """
        spreading_rate = Matrix(numbers(self.attachment + AttachmentBlock.spreading_rate + 3 * i) for i in range(3))
        point = FrameTwist(self.to_point.outward(twist).v, w)
        entries = self.along_node(force - point.omega(mu))
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

    def wrench_up(self, wrench: FrameWrench, names: Sequence[str] = NAMES[:6]) -> list[Part]:
        """What the parent link gets of one of them."""
        if self.cls.root:
            return []
        return [(Local(n), x) for n, x in zip(names, self.back(self.placement, wrench).entries, strict=True)]

    def moved(self, twist: FrameTwist, falling: bool = False) -> list[Part]:
        """The link's twist, for laws and for its children, with gravity where that falls with it."""
        out: list[Part] = [(self.address("twist", k), x) for k, x in enumerate(twist.entries)]
        return out + ([] if self.cls.leaf else list(twist_assignments(twist, falling)))

    # -- what a branch gives the modes -------------------------------------------------------------------
    def drawn(self, mu: FrameWrench, force: FrameWrench, twist: FrameTwist, w: Vector) -> list[Part]:
        """What (F9) takes of the branch at the mean frame; `twist` and `w`: see `pull`."""
        mu, force = self.at_point(mu), self.at_point(force)
        pull = stored(self.attachment + AttachmentBlock.pull, self.pull(mu, force, twist, w))
        return stored(self.attachment + AttachmentBlock.momentum, self.along_node(mu)) + pull

    def attachment_momenta(self, region: str) -> Call:
        return call("attachment_momenta", *self.node, f"{region} + {self.first}", self.n, self.sign)

    def attachment_forces(self) -> Call:
        return call("attachment_forces", *self.node, self.forms, self.first, self.n, self.sign)

    def weight(self, moment: int, g: Vector) -> FrameWrench:
        """Gravity's wrench on the branch, whose moment of mass lies in the link's block."""
        if not any(self.cls.gravity):
            return FrameWrench(ORIGIN, ORIGIN)
        return Articulated(s=numbers(moment), mass=self.constant(LinkConstants.branch_mass)).gravity(g)

    def wrench_projection(self) -> list[Part]:
        """(P5), and AᵀF^ of the branch into the modes (F9)."""
        wrench = FrameWrench(link_loads("wrench"), link_loads("wrench", 3))
        if not self.cls.leaf:
            wrench = wrench + FrameWrench(local("f"), local("n"))
        wrench = self.back(self.behind, wrench)
        node, form = self.node
        pull = f"{node} + {AttachmentBlock.pull}"
        target, w = f"F0 + FIRST_P + {self.first}", mode_columns(self.n)
        into_modes = call("add_form", pull, form, w, target, self.n, self.sign)
        along = self.along_node(self.at_point(wrench))
        return [*stored(self.attachment + AttachmentBlock.pull, along), *self.wrench_up(wrench), into_modes]


class AttachmentStep(SlavedStep):
    """A node of an elastic body, with what is welded to it."""

    attachment = 0
    node = ("ELASTIC + x", "ELASTIC + form")
    first = "v"
    sign = 1.0

    def _placement(self) -> list[FrameChange]:
        return []

    def _stages(self) -> list[Stage]:
        return [self.to_point, Rotation(self.rotation), *self._turns()]

    @property
    def bending(self) -> Bending:
        assert self.cls.attachment is not None
        return self.cls.attachment

    @property
    def empty(self) -> bool:
        """Whether no inertia hangs on it."""
        return self.cls.leaf and not self.cls.mass and not any(self.cls.inertia)

    def passes(self) -> Passes:
        frame = self.through(self.placement, self.parent_twist())
        moved = self.moved(self.through(self.behind, frame + self.node_twist), any(self.cls.gravity))
        if self.empty:
            return Passes(self.carry(Articulated()), moved, self.row_code(), [])
        body = self.to_slip(self.loaded_inertia().labelled())
        inboard: list[Part] = []
        for i, (row, bias) in enumerate(zip(rows_of(body), body.bias.entries, strict=True)):
            inboard += stored(node_branch_at(self.n, i), [*row, bias, ZERO])
        inboard += stored(AttachmentBlock.moment, body.s) if any(self.cls.gravity) else []
        inboard += [*self.carry(body), *self._into_modes()]
        return Passes(inboard, [*moved, *self._momentum_rates(frame)], self.row_code(), [])

    def _into_modes(self) -> list[Part]:
        """(F6), in the rates of the modes against the root where there is one."""
        body, node, relative = "ELASTIC + e", "ELASTIC + x", f"ELASTIC + x + {AttachmentBlock.size}"
        out: list[Part] = []
        if self.bending.root:
            root = node_at(self.n, self.bending.attachments, 0)
            out.append(call("differ", body, node, f"{body} + {root}", self.n))
            relative = f"{body} + {workspace_at(self.n)}"
        return [*out, call("add_attachment", body, node, relative, self.n, "modes")]

    def _momentum_rates(self, frame: FrameTwist) -> list[Part]:
        """(F9) of the branch; `frame`: the twist of the mean frame."""
        if self.loops:
            return []
        rows = [numbers(node_branch_at(self.n, i), 7) for i in range(6)]
        twist = frame + self.node_twist
        mu = articulated(rows, [row[6] for row in rows]).momentum(twist)
        return [*self.drawn(mu, self.weight(AttachmentBlock.moment, frame.g), twist, frame.w), self.attachment_forces()]

    def second_solution(self) -> tuple[Code, Code]:
        """What `second.second_solution` does, at a node: biases give the modes' errors what they do in (F6)."""
        if self.cls.leaf:
            return [(Local(name), ZERO) for name in CARRIED], []
        bias = self.back(self.behind, FrameWrench(local("error_f"), local("error_n")))
        row, form = f"ELASTIC + x + {AttachmentBlock.row}", f"ELASTIC + x + {AttachmentBlock.size}"
        into_modes = call("add_form", row, form, mode_columns(self.n), "ERRORS + v", self.n, -1.0)
        inward = [*stored(AttachmentBlock.row, bias.entries), *self.wrench_up(bias, CARRIED), into_modes]
        frame = self.through(self.placement, replace(self.parent_twist(), g=ORIGIN))
        node_twist = FrameTwist(numbers(AttachmentBlock.row), numbers(AttachmentBlock.row + 3))
        outward = twist_assignments(self.through(self.behind, frame + node_twist), False)
        return inward, [call("node_twist_of", form, "ERRORS + v", row, self.n), *outward]

    def row_code(self) -> list[Part]:
        """(F8): what an open row has of the modes."""
        y = self.back(self.behind, self.row())
        into_modes = call("attachment_row", "ELASTIC + x", "ROW_W + o", self.n)
        return [*stored(AttachmentBlock.row, y.entries), *self.row_to_parent(y), into_modes]

    plain_row_code = row_code

    def twist_from_rates(self) -> list[Part]:
        frame = self.through(self.placement, replace(self.parent_twist(), g=ORIGIN))
        return self.moved(self.through(self.behind, frame + self.node_twist))

    def momentum_projection(self) -> list[Part]:
        mu = self.own_inertia().momentum(FrameTwist(link_loads("twist"), link_loads("twist", 3)))
        mu = self.back(self.behind, mu if self.cls.leaf else mu + FrameWrench(local("f"), local("n")))
        out = stored(AttachmentBlock.momentum, self.along_node(self.at_point(mu)))
        return [*out, *self.wrench_up(mu), self.attachment_momenta("P0")]

    def balance(self) -> list[Part]:
        mu, force = self.own()
        out = self.kept(mu, force)
        twist = FrameTwist(link_loads("twist"), link_loads("twist", 3))
        for change in reversed(self.behind):
            twist = change.inward_twist(twist)
        mu, force = self.back(self.behind, mu), self.back(self.behind, force)
        out += self.drawn(mu, force, twist, twist.w - self.node_twist.w)
        return [*out, *self.given_up(mu, force), self.attachment_momenta("MOMENTUM"), self.attachment_forces()]


class BendingStep(SlavedStep):
    """An elastic body: its mean frame, and its modes."""

    first = "j"
    sign = -1.0

    @property
    def bending(self) -> Bending:
        assert self.cls.bending is not None
        return self.cls.bending

    @property
    def attachment(self) -> int:  # type: ignore[override]
        return node_at(self.n, self.bending.attachments, 0)

    @property
    def node(self) -> tuple[str, str]:  # type: ignore[override]
        """The root."""
        return f"ELASTIC + x + {self.attachment}", f"ELASTIC + x + {node_form_at(self.n, 0)}"

    def _placement(self) -> list[FrameChange]:
        out = [*self._shift(), *self._turns()]
        if self.bending.root:
            out += [Rotation(self.rotation.T), Translation(-self.to_point.r)]
        return out

    def _stages(self) -> list[Stage]:
        return []

    def own_inertia(self) -> Articulated:
        """At the present xi (F2)."""
        body = super().own_inertia()
        more = dict(zip(INERTIA, numbers(ElasticBlock.inertia, 6), strict=True))
        return replace(body, J=Matrix.symmetric(lambda i, j: body.J[i, j] + more[i, j]))

    def own(self) -> tuple[FrameWrench, FrameWrench]:
        mu, force = super().own()
        return mu + FrameWrench(ORIGIN, numbers(ElasticBlock.spin)), force

    def passes(self) -> Passes:
        body = self.loaded_inertia().labelled()
        rows = zip(rows_of(body), body.bias.entries, strict=True)
        inboard: list[Part] = stored(ElasticBlock.branch, [x for row, bias in rows for x in (*row, bias, ZERO)])
        inboard += stored(ElasticBlock.moment, body.s) if any(self.cls.gravity) else []
        inboard.append(call("eliminate_modes", "ELASTIC + x", self.n, "modes"))
        inboard += [] if self.cls.root else self.carry(self._left())
        into = self.through(self.placement, self.parent_twist())
        outboard: list[Part] = [
            *stored(ElasticBlock.twist, into.entries),
            call("free_rates", "ELASTIC + x", "RATES + j", self.n),
            *([call("add_numbers", "PUSH + j", "RATES + j", self.n)] if self.loops else []),
            call("mode_rates", "ELASTIC + x", f"ELASTIC + x + {ElasticBlock.twist}", "RATES + j", self.n),
            self._node_rates(),
        ]
        root = replace(self._root_twist(), g=into.g)
        outboard += self.moved(self._twist(root), any(self.cls.gravity))
        return Passes(inboard, [*outboard, *self._momentum_rates(root)], self.row_code(), [])

    def _root_twist(self) -> FrameTwist:
        return FrameTwist(numbers(ElasticBlock.twist), numbers(ElasticBlock.twist + 3))

    def _left(self) -> Articulated:
        """The branch without the modes."""
        rows = [numbers(ElasticBlock.branch + 8 * i, 7) for i in range(6)]
        left = articulated(rows, [row[6] for row in rows])
        if not any(self.cls.gravity):
            return left
        return replace(left, s=numbers(ElasticBlock.moment), mass=self.constant(LinkConstants.branch_mass))

    def _momentum_rates(self, root: FrameTwist) -> list[Part]:
        """(F9): of the body, and of the whole branch at the root."""
        if self.loops:
            return []
        of_body: list[Part] = [call("clear", f"F0 + FIRST_P + {self.first}", self.n), self._mode_forces()]
        if not self.bending.root:
            return of_body
        mu, force = self._left().momentum(root), self.weight(ElasticBlock.moment, root.g)
        return [*self.drawn(mu, force, root, root.w - self.node_twist.w), *of_body, self.attachment_forces()]

    def _mode_forces(self) -> Call:
        sizes = (self.n, self.bending.attachments)
        return call("mode_forces", "ELASTIC + x", "SHAPES + h", "TWIST + t", "q", "j", *sizes)

    def second_solution(self) -> tuple[Code, Code]:
        """What `second.second_solution` does, for the modes (F5), (F7)."""
        bias = FrameWrench(ORIGIN, ORIGIN) if self.cls.leaf else FrameWrench(local("error_f"), local("error_n"))
        inward = stored(ElasticBlock.row, bias.entries)
        row, form = f"ELASTIC + x + {ElasticBlock.row}", f"{self.node[0]} + {AttachmentBlock.size}"
        inward += (
            [call("add_form", row, form, mode_columns(self.n), "ERRORS + j", self.n, 1.0)] if self.bending.root else []
        )
        inward.append(call("mode_errors", "ELASTIC + x", "ERRORS + j", self.n))
        inward += self.wrench_up(wrench_at(ElasticBlock.row), CARRIED)
        into = self.through(self.placement, replace(self.parent_twist(), g=ORIGIN))
        outward = stored(ElasticBlock.row, into.entries)
        outward.append(call("mode_rates", "ELASTIC + x", row, "ERRORS + j", self.n))
        twist = FrameTwist(numbers(ElasticBlock.row), numbers(ElasticBlock.row + 3))
        if self.bending.root:
            node_twist = self.attachment + AttachmentBlock.row
            outward.append(call("node_twist_of", form, "ERRORS + j", f"ELASTIC + x + {node_twist}", self.n))
            twist = twist - FrameTwist(numbers(node_twist), numbers(node_twist + 3))
        return inward, [*outward, *twist_assignments(twist, False)]

    def _twist(self, at_root: FrameTwist) -> FrameTwist:
        """Of the mean frame, from that of what holds the root."""
        return at_root - self.node_twist if self.bending.root else at_root

    def _node_rates(self) -> Call:
        sizes = (self.n, self.bending.attachments)
        return call("node_rates", "ELASTIC + x", "SHAPES + h", "q", "j", *sizes)

    def row_code(self) -> list[Part]:
        """(F8)."""
        return self._row(call("mode_row", "ELASTIC + x", "ROW_W + o", "ROW_B + o", "ROW_D + o", "RIGHT + row", self.n))

    def plain_row_code(self) -> list[Part]:
        return self._row(call("plain_mode_row", "ROW_W + o", "ROW_B + o", "ROW_D + o", "MASK + j", self.n))

    def _row(self, through: Call) -> list[Part]:
        y = self.row()
        at_root = [call("root_row", "ELASTIC + x", self.node[0], "ROW_W + o", self.n)] if self.bending.root else []
        return [
            *stored(ElasticBlock.row, y.entries),
            *at_root,
            through,
            *self.row_to_parent(wrench_at(ElasticBlock.row)),
        ]

    def twist_from_rates(self) -> list[Part]:
        twist = self._twist(self.through(self.placement, replace(self.parent_twist(), g=ORIGIN)))
        return [self._node_rates(), *self.moved(twist), call("clear", "P0 + j", self.n), self._mode_momenta("P0")]

    def _mode_momenta(self, region: str) -> Call:
        masses = f"SHAPES + h + {self.forms}"
        return call("mode_momenta", "ELASTIC + x", masses, "TWIST + t", "j", f"{region} + j", self.n)

    def momentum_projection(self) -> list[Part]:
        mu = self.own_inertia().momentum(FrameTwist(link_loads("twist"), link_loads("twist", 3)))
        mu = mu + FrameWrench(ORIGIN, numbers(ElasticBlock.spin))
        mu = mu if self.cls.leaf else mu + FrameWrench(local("f"), local("n"))
        out: list[Part] = list(self.wrench_up(mu))
        if self.bending.root:
            along = self.along_node(self.at_point(mu))
            out += [*stored(self.attachment + AttachmentBlock.momentum, along), self.attachment_momenta("P0")]
        return out

    def balance(self) -> list[Part]:
        mu, force = self.own()
        out = self.kept(mu, force)
        out += [self._mode_momenta("MOMENTUM"), self._mode_forces()]
        if not self.bending.root:
            return [*out, *self.given_up(mu, force)]
        twist = FrameTwist(link_loads("twist"), link_loads("twist", 3))
        out += self.drawn(mu, force, twist + self.node_twist, twist.w)
        return [*out, *self.given_up(mu, force), self.attachment_momenta("MOMENTUM"), self.attachment_forces()]

    def wrench_projection(self) -> list[Part]:
        if self.bending.root:
            return super().wrench_projection()
        wrench = FrameWrench(link_loads("wrench"), link_loads("wrench", 3))
        return self.wrench_up(wrench if self.cls.leaf else wrench + FrameWrench(local("f"), local("n")))
