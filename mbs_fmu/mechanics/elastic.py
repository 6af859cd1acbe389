"""The steps of an elastic body's link and of its nodes (docs/equations_elastic.md).

Kernels (kernels/elastic/bodies.py) do all work that grows with the number of modes, on the link's block of region
`elastic`; this module has the changes of frame around them. A node is like a joint whose rates are those of the modes:
its frame follows from the mean frame by a twist `node_twist`, a translation and a rotation. The mean frame follows from
the frame in the body's joint by the inverse of that of the root, since the joint holds the root. The placement of both
kinds of links leads to the frame where `node_twist` acts, and the stages of a node lead on to its own frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..model.motions import link_load
from ..record.blocks import ElasticBlock, LinkConstants, NodeBlock
from ..record.elastic_layout import (
    form_numbers,
    mode_columns,
    node_at,
    node_branch_at,
    node_form_at,
    workspace_at,
)
from ..record.layout import INERTIA, Load, Local
from ..symbolic.columns import Column, Stage
from ..symbolic.expressions import ZERO, Expression
from ..symbolic.spatial import Articulated, FrameChange, FrameTwist, FrameWrench, Rotation, Translation
from ..symbolic.vectors import ORIGIN, Matrix, Vector
from .balance import NAMES, own_momentum, own_wrench
from .links import ElasticForm
from .second import CARRIED
from .solvers import Passes
from .steps import Call, Code, LinkStep, Part, link_twist, link_wrench, local, twist_assignments

#: Index variables in calls: number of modes, q, joint velocities (own j, parent's v), twist, block in `elastic` (own x,
#: parent's e), data in `shapes`, N of a node; projections and number of an open row.
INDICES = frozenset(("modes", "q", "j", "v", "t", "x", "e", "h", "form", "o", "row"))


def call(name: str, *arguments: str | float) -> Call:
    """A call of a kernel with its index variables."""
    texts = tuple(map(str, arguments))
    return Call(name, texts, frozenset(word for text in texts for word in text.split()) & INDICES)


def numbers(at: int, count: int = 3) -> Vector:
    """Numbers of the link's block from an offset."""
    return Vector(link_load("elastic", at + k) for k in range(count))


def stored(at: int, values: Sequence[Expression]) -> list[Part]:
    """Assignments of values to the link's block."""
    return [(Load("R", "elastic", at + k, "x"), x) for k, x in enumerate(values)]


def wrench_at(at: int) -> FrameWrench:
    """A wrench in the link's block."""
    return FrameWrench(numbers(at), numbers(at + 3))


def twist_at(at: int) -> FrameTwist:
    """A twist in the link's block."""
    return FrameTwist(numbers(at), numbers(at + 3))


def rows_of(body: Articulated) -> list[list[Expression]]:
    """M* of a branch as six rows of six."""
    upper = [[*body.M.rows[i], *body.H.column(i)] for i in range(3)]
    return [*upper, *([*body.H.rows[i], *body.J.rows[i]] for i in range(3))]


def articulated(rows: Sequence[Sequence[Expression]], bias: Sequence[Expression]) -> Articulated:
    """A branch from the rows of M* and its bias."""
    return Articulated(
        M=Matrix.symmetric(lambda i, j: rows[i][j]),
        H=Matrix.of(lambda i, j: rows[3 + i][j]),
        J=Matrix.symmetric(lambda i, j: rows[3 + i][3 + j]),
        f=Vector(bias[:3]),
        n=Vector(bias[3:]),
    )


class ElasticLinkStep(LinkStep):
    """Common base of the links of elastic bodies and of nodes.

    attachment: start of the block of the node whose displacement lies between placement and stages, relative to the
    link's own block. node: start of that block and of its N, as text. first: index variable of the modes' joint
    velocities. sign: of the contribution of a branch at the node to the modes.
    """

    attachment: int
    node: tuple[str, str]
    first: str
    sign: float

    @property
    def elastic(self) -> ElasticForm:
        """Structure of the elastic body."""
        raise NotImplementedError

    @property
    def n(self) -> int:
        return self.elastic.modes

    @property
    def forms(self) -> int:
        return form_numbers(self.n, self.elastic.attachments)

    @property
    def outboard_changes(self) -> list[FrameChange]:
        """The changes of frame outboard of the node displacement."""
        return [change for change in self.stages if not isinstance(change, Column)]

    @property
    def rotation(self) -> Matrix:
        """R of the node: from its axes to those of the mean frame, relative to the undeformed state (F4)."""
        return Matrix(numbers(self.attachment + NodeBlock.rotation + 3 * i) for i in range(3))

    @property
    def spreading(self) -> Matrix:
        """T (F4)."""
        return Matrix(numbers(self.attachment + NodeBlock.spreading + 3 * i) for i in range(3))

    @property
    def to_point(self) -> Translation:
        """Translation from the mean frame to the node's point."""
        return Translation(numbers(self.attachment + NodeBlock.place))

    @property
    def node_twist(self) -> FrameTwist:
        """G xi_dot, at the mean frame."""
        return FrameTwist(
            numbers(self.attachment + NodeBlock.node_twist),
            numbers(self.attachment + NodeBlock.node_twist + 3),
        )

    def outboard_twist(self, changes: Sequence[FrameChange], twist: FrameTwist) -> FrameTwist:
        """A twist after changes of frame."""
        for change in changes:
            twist = change.outward(twist).labelled()
        return twist

    def inboard_wrench(self, changes: Sequence[FrameChange], wrench: FrameWrench) -> FrameWrench:
        """A wrench before changes of frame."""
        for change in reversed(changes):
            wrench = change.inward_wrench(wrench)
        return wrench

    def at_mean_frame(self, body: Articulated) -> Articulated:
        """A branch at the node, moved inboard to the mean frame."""
        for change in reversed(self.outboard_changes):
            body = change.inward(body).labelled()
        return body

    def at_point(self, wrench: FrameWrench) -> FrameWrench:
        """A wrench about the mean frame's origin, moved to the node's point."""
        return FrameWrench(wrench.f, wrench.n - self.to_point.r.cross(wrench.f))

    def along_node(self, mu: FrameWrench) -> list[Expression]:
        """Aᵀ mu (F4), mu at the node's point."""
        return [*mu.f, *(self.spreading.T @ mu.n)]

    def mode_pull(self, mu: FrameWrench, force: FrameWrench, twist: FrameTwist, w: Vector) -> list[Expression]:
        """Aᵀ(F^ - Omega mu) + Ȧᵀ mu of (F9), wrenches at the node's point.

        twist: of the body attached to the node, at the mean frame. w: angular velocity of the mean frame.
        """
        spreading_rate = Matrix(numbers(self.attachment + NodeBlock.spreading_rate + 3 * i) for i in range(3))
        point = FrameTwist(self.to_point.outward(twist).v, w)
        entries = self.along_node(force - point.omega(mu))
        return [*entries[:3], *(Vector(entries[3:]) + spreading_rate.T @ mu.n)]

    def own(self) -> tuple[FrameWrench, FrameWrench]:
        """Momentum and wrench of the branch, at the link's own frame."""
        twist = link_twist()
        return self.summed(own_momentum(self, twist)), self.summed(own_wrench(self), "et")

    def stored_balance(self, mu: FrameWrench, force: FrameWrench) -> list[Part]:
        """Assignments of momentum and wrench to region `balance`, if wanted."""
        if not self.wants.balance:
            return []
        return [(self.address("balance", k), x) for k, x in enumerate([*mu.entries, *force.entries])]

    def carried_balance(self, mu: FrameWrench, force: FrameWrench) -> list[Part]:
        """Momentum and wrench carried to the parent link."""
        if self.cls.root:
            return []
        mu, force = self.inboard_wrench(self.placement, mu), self.inboard_wrench(self.placement, force)
        return [(Local(n), x) for n, x in zip(NAMES, [*mu.entries, *force.entries], strict=True)]

    def carried_wrench(self, wrench: FrameWrench, names: Sequence[str] = NAMES[:6]) -> list[Part]:
        """A momentum or wrench carried to the parent link, in the locals of these names."""
        if self.cls.root:
            return []
        return [(Local(n), x) for n, x in zip(names, self.inboard_wrench(self.placement, wrench).entries, strict=True)]

    def stored_twist(self, twist: FrameTwist, falling: bool = False) -> list[Part]:
        """Assignments of the link's twist for laws and children; falling: with gravity."""
        code: list[Part] = [(self.address("twist", k), x) for k, x in enumerate(twist.entries)]
        return code + ([] if self.cls.leaf else list(twist_assignments(twist, falling)))

    # -- contributions of a branch to the modes -------------------------------------------------------------------
    def mode_terms(self, mu: FrameWrench, force: FrameWrench, twist: FrameTwist, w: Vector) -> list[Part]:
        """Assignments of the terms of (F9) of the branch at the mean frame; twist, w: see `mode_pull`."""
        mu, force = self.at_point(mu), self.at_point(force)
        pull = stored(self.attachment + NodeBlock.pull, self.mode_pull(mu, force, twist, w))
        return stored(self.attachment + NodeBlock.momentum, self.along_node(mu)) + pull

    def attachment_momenta(self, region: str) -> Call:
        return call("attachment_momenta", *self.node, f"{region} + {self.first}", self.n, self.sign)

    def attachment_forces(self) -> Call:
        return call("attachment_forces", *self.node, self.forms, self.first, self.n, self.sign)

    def weight(self, moment: int, g: Vector) -> FrameWrench:
        """Wrench of gravity on the branch; moment: offset of its moment of mass in the link's block."""
        if not any(self.cls.gravity):
            return FrameWrench(ORIGIN, ORIGIN)
        return Articulated(s=numbers(moment), mass=self.constant(LinkConstants.branch_mass)).gravity(g)

    def wrench_projection(self) -> list[Part]:
        """(P5), and the contribution AᵀF^ of the branch to the modes (F9)."""
        wrench = self.summed(link_wrench("wrench"))
        wrench = self.inboard_wrench(self.outboard_changes, wrench)
        node, form = self.node
        pull = f"{node} + {NodeBlock.pull}"
        target, w = f"P_DOT + {self.first}", mode_columns(self.n)
        into_modes = call("add_form", pull, form, w, target, self.n, self.sign)
        along = self.along_node(self.at_point(wrench))
        return [*stored(self.attachment + NodeBlock.pull, along), *self.carried_wrench(wrench), into_modes]


class AttachmentStep(ElasticLinkStep):
    """A node of an elastic body, with the bodies welded to it."""

    attachment = 0
    node = ("ELASTIC + x", "ELASTIC + form")
    first = "v"
    sign = 1.0

    def _placement(self) -> list[FrameChange]:
        return []

    def _stages(self) -> list[Stage]:
        return [self.to_point, Rotation(self.rotation), *self._turns()]

    @property
    def elastic(self) -> ElasticForm:
        assert self.cls.attachment is not None
        return self.cls.attachment

    @property
    def empty(self) -> bool:
        """True if no inertia is attached to the node."""
        return self.cls.leaf and not self.cls.mass and not any(self.cls.inertia)

    def passes(self) -> Passes:
        frame = self.outboard_twist(self.placement, self.parent_twist())
        twist = self.outboard_twist(self.outboard_changes, frame + self.node_twist)
        outboard = self.stored_twist(twist, any(self.cls.gravity))
        if self.empty:
            return Passes(self.carry(Articulated()), outboard, self.row_code(), [])
        body = self.at_mean_frame(self.loaded_inertia().labelled())
        inboard: list[Part] = []
        for i, (row, bias) in enumerate(zip(rows_of(body), body.bias.entries, strict=True)):
            inboard += stored(node_branch_at(self.n, i), [*row, bias, ZERO])
        inboard += stored(NodeBlock.moment, body.s) if any(self.cls.gravity) else []
        inboard += [*self.carry(body), *self._into_modes()]
        return Passes(inboard, [*outboard, *self._momentum_rates(frame)], self.row_code(), [])

    def _into_modes(self) -> list[Part]:
        """(F6), with the rates of the modes relative to the root, if there is one."""
        body, node, relative = "ELASTIC + e", "ELASTIC + x", f"ELASTIC + x + {NodeBlock.size}"
        code: list[Part] = []
        if self.elastic.root:
            root = node_at(self.n, self.elastic.attachments, 0)
            code.append(call("subtract_root", body, node, f"{body} + {root}", self.n))
            relative = f"{body} + {workspace_at(self.n)}"
        return [*code, call("add_attachment", body, node, relative, self.n, "modes")]

    def _momentum_rates(self, frame: FrameTwist) -> list[Part]:
        """(F9) of the branch; frame: twist of the mean frame."""
        if self.loops:
            return []
        rows = [numbers(node_branch_at(self.n, i), 7) for i in range(6)]
        twist = frame + self.node_twist
        mu = articulated(rows, [row[6] for row in rows]).momentum(twist)
        weight = self.weight(NodeBlock.moment, frame.g)
        return [*self.mode_terms(mu, weight, twist, frame.w), self.attachment_forces()]

    def second_solution(self) -> tuple[Code, Code]:
        """`second.second_solution` for a node: biases contribute to the modes' errors as in (F6)."""
        if self.cls.leaf:
            return [(Local(name), ZERO) for name in CARRIED], []
        bias = self.inboard_wrench(self.outboard_changes, FrameWrench(local("error_f"), local("error_n")))
        row, form = f"ELASTIC + x + {NodeBlock.row}", f"ELASTIC + x + {NodeBlock.size}"
        into_modes = call("add_form", row, form, mode_columns(self.n), "ERRORS + v", self.n, -1.0)
        inward = [*stored(NodeBlock.row, bias.entries), *self.carried_wrench(bias, CARRIED), into_modes]
        frame = self.outboard_twist(self.placement, replace(self.parent_twist(), g=ORIGIN))
        node_twist = twist_at(NodeBlock.row)
        outward = twist_assignments(self.outboard_twist(self.outboard_changes, frame + node_twist), False)
        return inward, [call("node_twist_of", form, "ERRORS + v", row, self.n), *outward]

    def row_code(self) -> list[Part]:
        """(F8): the coefficients of an open row for the modes."""
        y = self.inboard_wrench(self.outboard_changes, self.row())
        into_modes = call("attachment_row", "ELASTIC + x", "ROW_W + o", self.n)
        return [*stored(NodeBlock.row, y.entries), *self.row_to_parent(y), into_modes]

    plain_row_code = row_code

    def twist_from_rates(self) -> list[Part]:
        frame = self.outboard_twist(self.placement, replace(self.parent_twist(), g=ORIGIN))
        return self.stored_twist(self.outboard_twist(self.outboard_changes, frame + self.node_twist))

    def momentum_projection(self) -> list[Part]:
        mu = self.own_inertia().momentum(link_twist())
        mu = self.inboard_wrench(self.outboard_changes, self.summed(mu))
        code = stored(NodeBlock.momentum, self.along_node(self.at_point(mu)))
        return [*code, *self.carried_wrench(mu), self.attachment_momenta("P0")]

    def balance(self) -> list[Part]:
        mu, force = self.own()
        code = self.stored_balance(mu, force)
        twist = link_twist()
        for change in reversed(self.outboard_changes):
            twist = change.inward_twist(twist)
        mu, force = self.inboard_wrench(self.outboard_changes, mu), self.inboard_wrench(self.outboard_changes, force)
        code += self.mode_terms(mu, force, twist, twist.w - self.node_twist.w)
        return [*code, *self.carried_balance(mu, force), self.attachment_momenta("MOMENTUM"), self.attachment_forces()]


class ElasticBodyStep(ElasticLinkStep):
    """An elastic body: its mean frame and its vibration modes."""

    first = "j"
    sign = -1.0

    @property
    def elastic(self) -> ElasticForm:
        assert self.cls.elastic is not None
        return self.cls.elastic

    @property
    def attachment(self) -> int:  # type: ignore[override]
        return node_at(self.n, self.elastic.attachments, 0)

    @property
    def node(self) -> tuple[str, str]:  # type: ignore[override]
        """Block and N of the root."""
        return f"ELASTIC + x + {self.attachment}", f"ELASTIC + x + {node_form_at(self.n, 0)}"

    def _placement(self) -> list[FrameChange]:
        code = [*self._shift(), *self._turns()]
        if self.elastic.root:
            code += [Rotation(self.rotation.T), Translation(-self.to_point.r)]
        return code

    def _stages(self) -> list[Stage]:
        return []

    def own_inertia(self) -> Articulated:
        """The inertia at the present xi (F2)."""
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
        inboard += [] if self.cls.root else self.carry(self._reduced())
        support = self.outboard_twist(self.placement, self.parent_twist())
        outboard: list[Part] = [
            *stored(ElasticBlock.twist, support.entries),
            call("uncoupled_mode_rates", "ELASTIC + x", "U0 + j", self.n),
            *([call("add_numbers", "JOINT_IMPULSES + j", "U0 + j", self.n)] if self.loops else []),
            call("mode_rates", "ELASTIC + x", f"ELASTIC + x + {ElasticBlock.twist}", "U0 + j", self.n),
            self._node_rates(),
        ]
        root = replace(self._root_twist(), g=support.g)
        outboard += self.stored_twist(self._twist(root), any(self.cls.gravity))
        return Passes(inboard, [*outboard, *self._momentum_rates(root)], self.row_code(), [])

    def _root_twist(self) -> FrameTwist:
        return twist_at(ElasticBlock.twist)

    def _reduced(self) -> Articulated:
        """The branch after the elimination of the modes."""
        rows = [numbers(ElasticBlock.branch + 8 * i, 7) for i in range(6)]
        reduced = articulated(rows, [row[6] for row in rows])
        if not any(self.cls.gravity):
            return reduced
        return replace(reduced, s=numbers(ElasticBlock.moment), mass=self.constant(LinkConstants.branch_mass))

    def _momentum_rates(self, root: FrameTwist) -> list[Part]:
        """(F9) of the body, and of the whole branch at the root."""
        if self.loops:
            return []
        of_body: list[Part] = [call("clear", f"P_DOT + {self.first}", self.n), self._mode_forces()]
        if not self.elastic.root:
            return of_body
        mu, force = self._reduced().momentum(root), self.weight(ElasticBlock.moment, root.g)
        return [*self.mode_terms(mu, force, root, root.w - self.node_twist.w), *of_body, self.attachment_forces()]

    def _mode_forces(self) -> Call:
        sizes = (self.n, self.elastic.attachments)
        return call("mode_forces", "ELASTIC + x", "SHAPES + h", "TWIST + t", "q", "j", *sizes)

    def second_solution(self) -> tuple[Code, Code]:
        """`second.second_solution` for the modes (F5), (F7)."""
        bias = FrameWrench(ORIGIN, ORIGIN) if self.cls.leaf else FrameWrench(local("error_f"), local("error_n"))
        inward = stored(ElasticBlock.row, bias.entries)
        row, form = f"ELASTIC + x + {ElasticBlock.row}", f"{self.node[0]} + {NodeBlock.size}"
        inward += (
            [call("add_form", row, form, mode_columns(self.n), "ERRORS + j", self.n, 1.0)] if self.elastic.root else []
        )
        inward.append(call("mode_errors", "ELASTIC + x", "ERRORS + j", self.n))
        inward += self.carried_wrench(wrench_at(ElasticBlock.row), CARRIED)
        support = self.outboard_twist(self.placement, replace(self.parent_twist(), g=ORIGIN))
        outward = stored(ElasticBlock.row, support.entries)
        outward.append(call("mode_rates", "ELASTIC + x", row, "ERRORS + j", self.n))
        twist = twist_at(ElasticBlock.row)
        if self.elastic.root:
            node_twist = self.attachment + NodeBlock.row
            outward.append(call("node_twist_of", form, "ERRORS + j", f"ELASTIC + x + {node_twist}", self.n))
            twist = twist - twist_at(node_twist)
        return inward, [*outward, *twist_assignments(twist, False)]

    def _twist(self, at_root: FrameTwist) -> FrameTwist:
        """Twist of the mean frame, from that of the support of the root."""
        return at_root - self.node_twist if self.elastic.root else at_root

    def _node_rates(self) -> Call:
        sizes = (self.n, self.elastic.attachments)
        return call("node_rates", "ELASTIC + x", "SHAPES + h", "q", "j", *sizes)

    def row_code(self) -> list[Part]:
        """(F8): an open row without the modes."""
        return self._row(
            call("mode_row", "ELASTIC + x", "ROW_W + o", "ROW_B + o", "ROW_D + o", "ROW_BIAS + row", self.n)
        )

    def plain_row_code(self) -> list[Part]:
        return self._row(call("plain_mode_row", "ROW_W + o", "ROW_B + o", "ROW_D + o", "FREE_MASK + j", self.n))

    def _row(self, through: Call) -> list[Part]:
        y = self.row()
        at_root = [call("root_row", "ELASTIC + x", self.node[0], "ROW_W + o", self.n)] if self.elastic.root else []
        return [
            *stored(ElasticBlock.row, y.entries),
            *at_root,
            through,
            *self.row_to_parent(wrench_at(ElasticBlock.row)),
        ]

    def twist_from_rates(self) -> list[Part]:
        twist = self._twist(self.outboard_twist(self.placement, replace(self.parent_twist(), g=ORIGIN)))
        clear = call("clear", "P0 + j", self.n)
        return [self._node_rates(), *self.stored_twist(twist), clear, self._mode_momenta("P0")]

    def _mode_momenta(self, region: str) -> Call:
        masses = f"SHAPES + h + {self.forms}"
        return call("mode_momenta", "ELASTIC + x", masses, "TWIST + t", "j", f"{region} + j", self.n)

    def momentum_projection(self) -> list[Part]:
        mu = self.own_inertia().momentum(link_twist())
        mu = self.summed(mu + FrameWrench(ORIGIN, numbers(ElasticBlock.spin)))
        code: list[Part] = list(self.carried_wrench(mu))
        if self.elastic.root:
            along = self.along_node(self.at_point(mu))
            code += [*stored(self.attachment + NodeBlock.momentum, along), self.attachment_momenta("P0")]
        return code

    def balance(self) -> list[Part]:
        mu, force = self.own()
        code = self.stored_balance(mu, force)
        code += [self._mode_momenta("MOMENTUM"), self._mode_forces()]
        if not self.elastic.root:
            return [*code, *self.carried_balance(mu, force)]
        twist = link_twist()
        code += self.mode_terms(mu, force, twist + self.node_twist, twist.w)
        return [*code, *self.carried_balance(mu, force), self.attachment_momenta("MOMENTUM"), self.attachment_forces()]

    def wrench_projection(self) -> list[Part]:
        if self.elastic.root:
            return super().wrench_projection()
        return self.carried_wrench(self.summed(link_wrench("wrench")))
