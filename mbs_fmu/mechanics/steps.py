"""The formulas of one link's step: how its joint, inertia and momenta enter the passes.

A pass walks through the stages of a link (symbolic/columns.py), outboard or inboard. Columns without a change of frame
between them share a frame (those of ball, free and custom joints). Equation numbers refer to docs/equations.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..infrastructure.arguments import Solver as Solver
from ..infrastructure.lazy_dataclasses import dataclass
from ..model.motions import MotionContext, link_load
from ..record.blocks import LinkConstants
from ..record.layout import BASES, INERTIA, Load, Local
from ..symbolic.columns import Column, Stage, advanced, along, momentum_along, with_rotor
from ..symbolic.expressions import ZERO, Expression, as_expression, leaf
from ..symbolic.spatial import (
    PLANE,
    Articulated,
    FrameChange,
    FrameTwist,
    FrameWrench,
    PlanarTurn,
    Rotation,
    Translation,
)
from ..symbolic.vectors import ORIGIN, UNIT, ZEROS, Matrix, Vector
from .links import CoupledColumn, LinkClass, LinkMotion, Wants

Assignment = tuple[Load | Local, Expression]


@dataclass(frozen=True)
class Call:
    """A kernel (kernels/elastic/bodies.py) that a step calls between its assignments.

    arguments: the arguments after the records, as text. bases: the index variables in them.
    """

    name: str
    arguments: tuple[str, ...]
    bases: frozenset[str]


Part = Assignment | Call
Code = Sequence[Part]


def assignments(code: Code) -> list[Assignment]:
    """The assignments of a step, without its calls."""
    return [part for part in code if not isinstance(part, Call)]


class LinkStep:
    """The traced formulas of one link class, in named addresses.

    packing: the LinkConstants that the class uses, each with its offset in the link's packed block.
    """

    def __init__(self, cls: LinkClass, wants: Wants):
        self.cls = cls
        self.wants = wants
        self.packing: dict[int, int] = {}
        self.placement = self._placement()
        self.stages = self._stages()

    # -- the link's structure ------------------------------------------------------------------
    def _placement(self) -> list[FrameChange]:
        return [*self._shift(), *self._turns()]

    def _shift(self) -> list[FrameChange]:
        if not any(self.cls.shift):
            return []
        r = self.masked(LinkConstants.indices("r"), self.cls.shift)
        return [Translation(r, self.masked(LinkConstants.indices("moment"), self.cls.shift))]

    def _turns(self) -> list[FrameChange]:
        changes: list[FrameChange] = []
        if self.cls.matrix:
            known = zip(LinkConstants.indices("matrix_of_turn"), self.cls.matrix, strict=True)
            entries = [self.constant(k) if x is None else as_expression(x) for k, x in known]
            changes.append(Rotation(Matrix(entries[i : i + 3] for i in (0, 3, 6))))
        for number, (axis, quarters) in enumerate(self.cls.turns):
            if quarters:
                sine, cosine = {1: (1.0, 0.0), 2: (0.0, -1.0), 3: (-1.0, 0.0)}[quarters]
                changes.append(PlanarTurn(axis, as_expression(sine), as_expression(cosine)))
            else:
                changes.append(PlanarTurn(axis, *(self.constant(k) for k in LinkConstants.turn(number))))
        return changes

    def _stages(self) -> list[Stage]:
        stages: list[Stage] = []
        count = {False: [0, 0], True: [0, 0]}  #: coordinates and rates so far, unknown and driven ones
        for m in self.cls.motions:
            i, k = count[m.driven]
            context = MotionContext(m.motion, m.axis, m.driven, i, k, self.constant)
            stages += m.motion.frame(context)
            for column in m.motion.columns(context):
                turns = column.k - k in m.rotors and column.k >= k
                if m.joined:
                    rotor = context.rotor(0) if m.driven else self.coupled("rotors")
                    column = replace(column, prescribed=None, ratio=self._ratio(m))
                else:
                    rotor = context.rotor(column.k - k)
                stages.append(with_rotor(column, rotor) if turns else column)
            count[m.driven] = [i + m.coordinates, k + m.rates]
        return stages

    def _ratio(self, joined: LinkMotion) -> Expression:
        """Ratio of a joint's velocity to that of its group, which is the leader's."""
        return self.constant(LinkConstants.ratio) if joined.driven else as_expression(1.0)

    def constant(self, which: int) -> Expression:
        """A constant of the link. The first use of each reserves the next entry of the link's packed block."""
        return link_load("constants", self.packing.setdefault(which, len(self.packing)), LinkConstants.name(which))

    def masked(self, which: Sequence[int], mask: Sequence[bool]) -> Vector:
        """Constants of the link, with literal zeros where the mask is False."""
        return Vector(self.constant(k) if on else ZERO for k, on in zip(which, mask, strict=True))

    def _p(self, k: int) -> Expression:
        return link_load("p", k)

    # -- what travels between neighbouring links -----------------------------------------------
    def own_inertia(self) -> Articulated:
        """The link's own rigid body: (P2) without children."""
        M = ZEROS
        if self.cls.mass:
            m = self.constant(LinkConstants.mass)
            M = M.replaced({(a, a): m for a in range(3)})
        x, y, z = mc = self.masked(LinkConstants.indices("mc"), self.cls.com)
        H = Matrix([[ZERO, -z, y], [z, ZERO, -x], [-y, x, ZERO]])
        upper = dict(zip(INERTIA, self.masked(LinkConstants.indices("inertia"), self.cls.inertia), strict=True))
        J = Matrix.symmetric(lambda i, j: upper[i, j])
        return Articulated(M, H, J, s=mc, mass=self.constant(LinkConstants.branch_mass))

    def loaded_inertia(self) -> Articulated:
        """(P2): the link's own body plus the branches carried from its children."""
        own = self.own_inertia()
        if self.cls.leaf:
            return own
        children = carried_inertia(any(self.cls.gravity))
        M, J = children.M + own.M, children.J + own.J
        return Articulated(
            M=Matrix.symmetric(lambda i, j: M[i, j]),
            H=children.H + own.H,
            J=Matrix.symmetric(lambda i, j: J[i, j]),
            f=children.f,
            n=children.n,
            s=children.s + own.s,
            mass=own.mass,
        )

    def parent_twist(self) -> FrameTwist:
        """The parent's twist and gravity in its axes; the world's is zero."""
        if self.cls.root:
            on = self.cls.gravity
            return FrameTwist(g=Vector(link_load("gravity", a) if on[a] else ZERO for a in range(3)))
        return carried_twist(any(self.cls.gravity))

    def carry(self, body: Articulated) -> list[Assignment]:
        """Assignments of the branch, as the parent sees it, to the carried variables."""
        for motion in reversed(self.placement):
            body = motion.inward(body).labelled()
        return carry_assignments(body, any(self.cls.gravity))

    # -- what every solver writes ---------------------------------------------------------------
    def rates(self, u: list[Expression], coupled: Expression | None = None) -> list[Assignment]:
        """Assignments of q_dot = E(q) u and of u. coupled: velocity of the group that the joint belongs to."""
        code: list[Assignment] = []
        i = k = 0
        for m in self.cls.motions:
            own = u[k : k + m.own_rates]
            if m.joined:
                own = [self._ratio(m) * (self.coupled("u") if coupled is None else coupled)]
            if m.joined and m.driven:
                code.append((self.address("driven_u", 0), own[0]))
            if m.driven:
                continue
            q = Vector(link_load("q", i + j) for j in range(m.coordinates))
            q_dot = m.motion.coordinate_rates(q, Vector(own))
            code += [(self.address("q_dot", i + j), x) for j, x in enumerate(q_dot)]
            i += m.coordinates
            k += m.own_rates
        return code + [(self.address("u", j), x) for j, x in enumerate(u)]

    def velocity_index(self, column: CoupledColumn) -> int:
        """Index, among the velocities of the link, of the velocity of a group that is eliminated at this link.

        The velocities of such groups of coupled joints follow those of the link's own joint.
        """
        return self.cls.rates - len(self.cls.closing) + self.cls.closing.index(column)

    def coupled(self, region: str) -> Expression:
        """The entry of a region for the velocity of the group of the link's joint."""
        assert self.cls.own_group is not None
        return leaf(channel_load(region, self.cls.own_group.channel))

    def speed(self, column: Column) -> Expression:
        """Velocity along a column, from the record."""
        if column.ratio is not None:
            return column.ratio * self.coupled("u")
        return link_load("u", column.k) if column.prescribed is None else column.prescribed

    def along_joint(self, region: str, column: Column, value: Expression, more: bool) -> Assignment:
        """Assign a value along a column to the column's entry in a region, or add it (`more`).

        For a coupled joint, add the value times the ratio to the entry of the group's velocity.
        """
        place = self.address(region, column.k)
        if column.ratio is not None:
            assert self.cls.own_group is not None
            place, value, more = channel_load(region, self.cls.own_group.channel), column.ratio * value, True
        return place, (leaf(place) + value if more else value)

    def address(self, region: str, offset: int) -> Load:
        return Load("R", region, offset, BASES[region])

    def outgoing(self, twist: FrameTwist) -> list[Assignment]:
        """Assignments of the link's twist for its children and, if wanted, to the twist region."""
        code: list[Assignment] = []
        if not self.cls.leaf:
            code += twist_assignments(twist, any(self.cls.gravity))
        if self.wants.twist:
            code += [(self.address("twist", k), x) for k, x in enumerate(twist.entries)]
        return code

    # -- closed loops ------------------------------------------------------------------------------
    @property
    def loops(self) -> bool:
        """True if loops, reactions or accelerations need the balance of momenta."""
        return self.cls.loops

    def push(self, k: int) -> Expression:
        """Contribution of the impulses of loops to the k-th joint velocity: D Bᵀ Lambda (L7)."""
        return link_load("push", k) if self.loops else ZERO

    def row(self) -> FrameWrench:
        """Y of the current open row, at the link.

        A row is open from its end bodies inboard to its root, where it is eliminated (L7).
        """
        return link_wrench("row_y")

    def row_rate(self, k: int) -> Expression:
        """W of the current open row for the k-th joint velocity."""
        return link_load("row_w", k)

    def right(self) -> Expression:
        """b of the current open row."""
        return link_load("right")

    def row_to_parent(self, y: FrameWrench, z: Iterable[tuple[int, Expression]] = ()) -> list[Assignment]:
        """Assignments that add Y and Z of the current open row to those at the parent link, if there is one."""
        if self.cls.root:
            return []
        for motion in reversed(self.placement):
            y = motion.inward_wrench(y)
        added = [(Load("R", "row_y", k, "up"), x) for k, x in enumerate(y.entries)]
        added += [(Load("R", "row_z", n, "z_up"), x) for n, x in z]
        return [(place, leaf(place) + x) for place, x in added]

    # -- passes common to both solvers -----------------------------------------------------------
    def pose(self) -> list[Assignment]:
        """World rotation (row by row) and origin of the link frame, from the parent's."""
        rotation, origin = UNIT, ORIGIN
        if not self.cls.root:
            rotation = Matrix.of(lambda i, j: leaf(Local(f"R{i}{j}")))
            origin = local("x")
        for stage in [*self.placement, *self.stages]:
            if not isinstance(stage, Column):
                rotation, origin = stage.pose(rotation, origin)
        entries = [*(x for row in rotation.rows for x in row), *origin]
        names = [Local(f"R{i}{j}") for i in range(3) for j in range(3)] + [Local(f"x{i}") for i in range(3)]
        stored: list[Assignment] = [(self.address("pose", k), x) for k, x in enumerate(entries)]
        return stored + ([] if self.cls.leaf else list(zip(names, entries, strict=True)))

    def twist_from_rates(self) -> Code:
        """(P1): the link's twist from that of the parent and the joint velocities u; the rates of its coordinates."""
        twist = replace(self.parent_twist(), g=ORIGIN)
        for stage in [*self.placement, *self.stages]:
            if isinstance(stage, Column):
                twist = advanced(twist, stage, self.speed(stage))
            else:
                twist = stage.outward(twist).labelled()
        stored: list[Assignment] = [(self.address("twist", k), x) for k, x in enumerate(twist.entries)]
        stored += self.rates([link_load("u", k) for k in range(self.cls.rates)])
        return stored + ([] if self.cls.leaf else twist_assignments(twist, False))

    def momentum_projection(self) -> Code:
        """(P2), (P3): mu from the twists, p = Aᵀ mu."""
        return self._project(self.own_inertia().momentum(link_twist()), "p")

    def wrench_projection(self) -> Code:
        """(P5): the branch's wrench F^, and its part Aᵀ F^ of (P4)."""
        return self._project(link_wrench("wrench"), "p_dot")

    def summed(self, own: FrameWrench, names: str = "fn") -> FrameWrench:
        """The link's own momentum or wrench plus those carried from its children, in the locals of these names."""
        return own if self.cls.leaf else own + FrameWrench(*(local(name) for name in names))

    def _project(self, own: FrameWrench, region: str) -> list[Assignment]:
        code: list[Assignment] = []
        wrench = self.summed(own)
        for stage in reversed(self.stages):
            if isinstance(stage, Column):
                if stage.prescribed is not None:
                    continue
                forces = region == "p_dot"
                value = along(stage, wrench) if forces else momentum_along(stage, wrench, self.speed(stage))
                code.append(self.along_joint(region, stage, value, forces))
            else:
                wrench = stage.inward_wrench(wrench)
        if not self.cls.root:
            for motion in reversed(self.placement):
                wrench = motion.inward_wrench(wrench)
            code += [(Local(f"f{a}"), wrench.f[a]) for a in range(3)]
            code += [(Local(f"n{a}"), wrench.n[a]) for a in range(3)]
        return code


# -- names of the carried variables -----------------------------------------------------------------


def channel_names(channels: int) -> list[str]:
    """Locals that carry the columns of coupled joints inboard (T2).

    A channel is the set of locals for one group of coupled joints on its way inboard: Y and t for each channel, T for
    each pair of channels.
    """
    names = [f"y{n}{x}{a}" for n in range(channels) for x in "fn" for a in range(3)]
    names += [f"t{n}" for n in range(channels)]
    return names + [f"T{n}{m}" for n in range(channels) for m in range(n, channels)]


def channel_load(region: str, channel: int) -> Load:
    """The entry of a region for the velocity of the group in a channel."""
    return Load("R", region, 0, f"l{channel}")


def inertia_names(gravity: bool) -> list[str]:
    """Locals that carry a branch's articulated inertia, bias and moment of mass inboard."""
    names = [f"M{a}{b}" for a, b in INERTIA] + [f"H{a}{b}" for a in range(3) for b in range(3)]
    names += [f"J{a}{b}" for a, b in INERTIA] + [f"f{a}" for a in range(3)] + [f"n{a}" for a in range(3)]
    return names + ([f"s{a}" for a in range(3)] if gravity else [])


def twist_names(gravity: bool) -> list[str]:
    """Locals that carry a twist, and gravity in its axes, outboard."""
    return [f"{x}{a}" for x in ("vwg" if gravity else "vw") for a in range(3)]


def link_loads(region: str, start: int = 0) -> Vector:
    """Three consecutive numbers of a link in a region."""
    return Vector(link_load(region, start + k) for k in range(3))


def link_twist() -> FrameTwist:
    """The twist of a link, from the record."""
    return FrameTwist(link_loads("twist"), link_loads("twist", 3))


def link_wrench(region: str) -> FrameWrench:
    """The wrench or momentum of a link in a region."""
    return FrameWrench(link_loads(region), link_loads(region, 3))


def local(name: str) -> Vector:
    """A vector that travels between neighbouring links."""
    return Vector(leaf(Local(f"{name}{a}")) for a in range(3))


def carried_inertia(gravity: bool) -> Articulated:
    """The branches carried from a link's children, as one."""
    made = {name: leaf(Local(name)) for name in inertia_names(gravity)}
    return Articulated(
        M=Matrix.symmetric(lambda a, b: made[f"M{a}{b}"]),
        H=Matrix.of(lambda a, b: made[f"H{a}{b}"]),
        J=Matrix.symmetric(lambda a, b: made[f"J{a}{b}"]),
        f=Vector(made[f"f{a}"] for a in range(3)),
        n=Vector(made[f"n{a}"] for a in range(3)),
        s=Vector(made.get(f"s{a}", ZERO) for a in range(3)),
    )


def carry_assignments(body: Articulated, gravity: bool) -> list[Assignment]:
    value = {f"M{a}{b}": body.M[a, b] for a, b in INERTIA} | {f"J{a}{b}": body.J[a, b] for a, b in INERTIA}
    value |= {f"H{a}{b}": body.H[a, b] for a in range(3) for b in range(3)}
    value |= {f"{x}{a}": v[a] for x, v in (("f", body.f), ("n", body.n), ("s", body.s)) for a in range(3)}
    return [(Local(name), value[name]) for name in inertia_names(gravity)]


def carried_twist(gravity: bool) -> FrameTwist:
    return FrameTwist(local("v"), local("w"), local("g") if gravity else ORIGIN)


def twist_assignments(twist: FrameTwist, gravity: bool) -> list[Assignment]:
    parts = {"v": twist.v, "w": twist.w} | ({"g": twist.g} if gravity else {})
    return [(Local(f"{x}{a}"), part[a]) for x, part in parts.items() for a in range(3)]


# -- small shared formulas ---------------------------------------------------------------------------


def gravity_power(body: Articulated, twist: FrameTwist, column: Column) -> Expression:
    """Aᵀ F^ of gravity: mass g for a linear column, s x g for an angular one."""
    if column.twist is not None:
        return along(column, body.gravity(twist.g))
    a = column.axis
    if not column.angular:
        return body.mass * twist.g[a]
    b, d = PLANE[a]
    return body.s[b] * twist.g[d] - body.s[d] * twist.g[b]


def convective_turn(body: Articulated, twist: FrameTwist, axis: int) -> Expression:
    """`convective` for one angular column whose rows of the inertia are already eliminated.

    mu = M* v + Phi* is substituted and like products are collected. The differences that appear are those of the planar
    rotation of M*, H*, J*, so common subexpression elimination makes them free.
    """
    a, (b, d) = axis, PLANE[axis]
    v, w, M, H, J = twist.v, twist.w, body.M, body.H, body.J
    dJ, dM, dH, tH = J[b, b] - J[d, d], M[b, b] - M[d, d], H[b, b] - H[d, d], H[b, d] + H[d, b]
    part = w[b] * (dJ * w[d] - J[b, d] * w[b] + (dH * v[d] - tH * v[b]) - (H[d, a] * v[a] + body.n[d]))
    part = part + w[d] * (J[b, d] * w[d] + (dH * v[b] + tH * v[d]) + (H[b, a] * v[a] + body.n[b]))
    part = part + v[b] * (dM * v[d] - M[b, d] * v[b] - (M[d, a] * v[a] + body.f[d]))
    return part + v[d] * (M[b, d] * v[d] + (M[b, a] * v[a] + body.f[b]))
