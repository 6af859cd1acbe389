"""The formulas of one body step: how a link's joint, inertia and momenta enter the passes.

The stages of a link (see elements.py) are walked through outward or inward. Columns that no motion separates share a
frame (ball, free and custom joints). The numbers (P1).. refer to docs/equations.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..arguments import Solver as Solver
from ..expressions import Expression, as_expression, leaf
from ..layout import INERTIA, LinkConstants, Load, Local, Region
from .elements import Column, LinkElement, Stage, advanced, along, frame_and_columns
from .spatial import (
    PLANE,
    ZERO,
    Articulated,
    Motion,
    Rotation,
    Shift,
    Turn,
    Twist,
    Vector,
    Wrench,
    add,
    cross,
    matvec,
    scale,
    symmetric,
    zero_matrix,
    zeros,
)

Assignment = tuple[Load | Local, Expression]


@dataclass(frozen=True)
class LinkClass:
    """What the code of a link's step depends on: structure, never values.

    elements: from the parent outward.
    turns: constant rotations of the placement, (axis, quarters) with quarters 1..3 for a multiple of
        90 degrees and 0 for any other angle (its sine and cosine are constants of the link).
    shift, com, inertia: which of the numbers may differ from a literal zero. root: the parent is the
    world. leaf: no children.
    field: which components of gravity may differ from zero, in world axes. closed: the model has loops, or asks
        for reactions or accelerations; then gravity enters in the balance of momenta, and no pass carries it.
    """

    elements: tuple[LinkElement, ...]
    turns: tuple[tuple[int, int], ...]
    shift: tuple[bool, bool, bool]
    mass: bool
    com: tuple[bool, bool, bool]
    inertia: tuple[bool, bool, bool, bool, bool, bool]
    root: bool
    leaf: bool
    field: tuple[bool, bool, bool]
    closed: bool = False

    @property
    def gravity(self) -> tuple[bool, bool, bool]:
        """The components that the passes carry."""
        return (False, False, False) if self.closed else self.field

    @property
    def rates(self) -> int:
        """Unknown joint velocities."""
        return sum(e.rates for e in self.elements if not e.driven)

    def describe(self) -> str:
        joint = " ".join(e.describe() for e in self.elements)
        return f"{joint or 'fixed'}{' on the world' if self.root else ''}{', no children' if self.leaf else ''}"


def load(region: Region, offset: int = 0, name: str | None = None) -> Expression:
    return leaf(Load("R", region.base, region.start + offset), name)


class LinkStep:
    """The traced formulas of one link class against the addresses of a layout.

    `packing` collects which of LinkConstants the class uses, and where in the link's packed block each lies.

    `regions` are the model's: q, p, q_dot, p_dot, u, constants, gravity, ... (see layout.py).
    """

    def __init__(self, cls: LinkClass, regions: dict[str, Region], packing: dict[int, int] | None = None):
        self.cls = cls
        self.regions = regions
        self.packing: dict[int, int] = {} if packing is None else packing
        self.placement = self._placement()
        self.stages = self._stages()

    # -- the link's structure ------------------------------------------------------------------
    def _placement(self) -> list[Motion]:
        motions: list[Motion] = []
        if any(self.cls.shift):
            r = self.masked(LinkConstants.r, self.cls.shift)
            motions.append(Shift(r, self.masked(LinkConstants.moment, self.cls.shift)))
        for number, (axis, quarters) in enumerate(self.cls.turns):
            if quarters:
                sine, cosine = {1: (1.0, 0.0), 2: (0.0, -1.0), 3: (-1.0, 0.0)}[quarters]
                motions.append(Turn(axis, as_expression(sine), as_expression(cosine)))
            else:
                motions.append(Turn(axis, *(self.constant(k) for k in LinkConstants.turn(number))))
        return motions

    def _stages(self) -> list[Stage]:
        stages: list[Stage] = []
        count = {False: [0, 0], True: [0, 0]}  #: coordinates and rates so far, unknown and driven ones
        for e in self.cls.elements:
            i, k = count[e.driven]
            stages += self._element(e, i, k)
            count[e.driven] = [i + e.coordinates, k + e.rates]
        return stages

    def _element(self, e: LinkElement, i: int, k: int) -> list[Stage]:
        """Motions and columns of an element; i, k: its first coordinate and rate among the driven or the other ones."""
        prefix = "driven_" if e.driven else ""
        rates = [load(self.regions["driven_u" if e.driven else "u"], k + j) for j in range(e.rates)]
        q = [load(self.regions[f"{prefix}q"], i + j) for j in range(e.coordinates)]

        def column(angular: bool, axis: int, j: int, twist: Twist | None = None) -> Column:
            return Column(angular, axis, k + j, twist, given=rates[j] if e.driven else None)

        def turn() -> Turn:
            return Turn(e.axis, *(load(self.regions[prefix + name], i) for name in ("sines", "cosines")))

        if e.kind == "turn":
            return [turn(), column(True, e.axis, 0)]
        if e.kind == "slide":
            return [Shift(on_axis(e.axis, q[0])), column(False, e.axis, 0)]
        if e.kind == "screw":
            pitch = self.constant(LinkConstants.pitch)
            twist = Twist(on_axis(e.axis, pitch), on_axis(e.axis, ZERO + 1.0), zeros())
            return [turn(), Shift(on_axis(e.axis, pitch * q[0])), column(True, e.axis, 0, twist)]
        if e.kind == "ball":
            return [Rotation.quaternion(q), *(column(True, a, a) for a in range(3))]
        if e.kind == "free":
            return [Shift(q[:3]), Rotation.quaternion(q[3:]), *(column(a >= 3, a % 3, a) for a in range(6))]
        assert e.formula is not None
        given = rates if e.driven else [None] * e.rates
        origin, R, columns = frame_and_columns(e.formula, q, given, [k + j for j in range(e.rates)])
        return [Shift(origin), Rotation(R), *columns]

    def constant(self, which: int) -> Expression:
        """A constant of the link; each one used gets the next place in the link's packed block."""
        return load(self.regions["constants"], self.packing.setdefault(which, len(self.packing)))

    def masked(self, which: Sequence[int], mask: Sequence[bool]) -> Vector:
        return [self.constant(k) if on else ZERO for k, on in zip(which, mask, strict=True)]

    def _p(self, k: int) -> Expression:
        return load(self.regions["p"], k)

    # -- what travels between neighbouring links -----------------------------------------------
    def own_inertia(self) -> Articulated:
        """The link's own rigid body: (P2) without children."""
        body = Articulated()
        if self.cls.mass:
            m = self.constant(LinkConstants.mass)
            for a in range(3):
                body.M[a][a] = m
        mc = self.masked(LinkConstants.mc, self.cls.com)
        body.H = [[ZERO, -mc[2], mc[1]], [mc[2], ZERO, -mc[0]], [-mc[1], mc[0], ZERO]]
        upper = zero_matrix()
        for (a, b), k, on in zip(INERTIA, LinkConstants.inertia, self.cls.inertia, strict=True):
            upper[a][b] = self.constant(k) if on else ZERO
        body.J, body.s = symmetric(upper), mc
        body.mass = self.constant(LinkConstants.branch_mass)
        return body

    def loaded_inertia(self) -> Articulated:
        """The link's body and what its children have carried to it."""
        own = self.own_inertia()
        if self.cls.leaf:
            return own
        children = carried_inertia(any(self.cls.gravity))
        return Articulated(
            M=symmetric([add(x, y) for x, y in zip(children.M, own.M, strict=True)]),
            H=[add(x, y) for x, y in zip(children.H, own.H, strict=True)],
            J=symmetric([add(x, y) for x, y in zip(children.J, own.J, strict=True)]),
            f=children.f,
            n=children.n,
            s=add(children.s, own.s),
            mass=own.mass,
        )

    def parent_twist(self) -> Twist:
        """The parent's twist and gravity in its axes; the world's is zero."""
        if self.cls.root:
            on = self.cls.gravity
            return Twist(zeros(), zeros(), [load(self.regions["gravity"], a) if on[a] else ZERO for a in range(3)])
        return carried_twist(any(self.cls.gravity))

    def carry(self, body: Articulated) -> list[Assignment]:
        """The branch as the parent sees it, into the carried variables."""
        for motion in reversed(self.placement):
            body = motion.inward(body)
        return carry_assignments(body, any(self.cls.gravity))

    # -- what every solver writes ---------------------------------------------------------------
    def rates(self, u: list[Expression]) -> list[Assignment]:
        """q_dot = E(q) u, and u itself."""
        out: list[Assignment] = []
        i = k = 0
        for e in self.cls.elements:
            if e.driven:
                continue
            q = [load(self.regions["q"], i + j) for j in range(e.coordinates)]
            own = u[k : k + e.rates]
            if e.kind == "ball":
                own = quaternion_rate(q, own)
            elif e.kind == "free":
                own = matvec(Rotation.quaternion(q[3:]).R, own[:3]) + quaternion_rate(q[3:], own[3:])
            out += [(self.address("q_dot", i + j), x) for j, x in enumerate(own)]
            i += e.coordinates
            k += e.rates
        return out + [(self.address("u", j), x) for j, x in enumerate(u)]

    def address(self, region: str, offset: int) -> Load:
        place = self.regions[region]
        return Load("R", place.base, place.start + offset)

    def outgoing(self, twist: Twist) -> list[Assignment]:
        """The link's twist, for its children and for whoever reads the twist region."""
        out: list[Assignment] = []
        if not self.cls.leaf:
            out += twist_assignments(twist, any(self.cls.gravity))
        if "twist" in self.regions:
            out += [(self.address("twist", k), x) for k, x in enumerate(twist.v + twist.w)]
        return out

    # -- closed loops ------------------------------------------------------------------------------
    @property
    def closed(self) -> bool:
        """Whether rows of loops, reactions or accelerations ask for the momentum balance."""
        return self.cls.closed

    def push(self, k: int) -> Expression:
        """What the loops' impulses add to the k-th joint velocity: D Bᵀ Lambda (L7)."""
        return load(self.regions["push"], k) if self.closed else ZERO

    def row(self) -> Wrench:
        """Y of the open row at hand, at the link."""
        y = [load(self.regions["row_y"], k) for k in range(6)]
        return Wrench(y[:3], y[3:])

    def row_rate(self, k: int) -> Expression:
        """W of the open row at hand for the k-th joint velocity."""
        return load(self.regions["row_w"], k)

    def right(self) -> Expression:
        """b of the open row at hand."""
        return load(self.regions["right"])

    def row_to_parent(self, y: Wrench) -> list[Assignment]:
        """Y at the parent link, where there is one; the generated code adds it there."""
        if self.cls.root:
            return []
        for motion in reversed(self.placement):
            y = motion.inward_wrench(y)
        start = self.regions["row_y"].start
        places = [Load("R", "up", start + k) for k in range(6)]
        return [(place, leaf(place) + x) for place, x in zip(places, y.f + y.n, strict=True)]

    # -- passes that no solver changes -----------------------------------------------------------
    def pose(self) -> list[Assignment]:
        """World rotation (row by row) and origin of the link frame, from the parent's."""
        if self.cls.root:
            rotation = [[as_expression(float(i == j)) for j in range(3)] for i in range(3)]
            origin = zeros()
        else:
            rotation = [[leaf(Local(f"R{i}{j}")) for j in range(3)] for i in range(3)]
            origin = [leaf(Local(f"x{i}")) for i in range(3)]
        for stage in [*self.placement, *self.stages]:
            if not isinstance(stage, Column):
                rotation, origin = stage.pose(rotation, origin)
        entries = [x for row in rotation for x in row] + origin
        names = [Local(f"R{i}{j}") for i in range(3) for j in range(3)] + [Local(f"x{i}") for i in range(3)]
        stored: list[Assignment] = [(self.address("pose", k), x) for k, x in enumerate(entries)]
        return stored + ([] if self.cls.leaf else list(zip(names, entries, strict=True)))

    def twist_from_rates(self) -> list[Assignment]:
        """(P1): the link's twist from the parent's and its joint velocities u."""
        twist = replace(self.parent_twist(), g=zeros())
        for stage in [*self.placement, *self.stages]:
            if isinstance(stage, Column):
                given = stage.given
                twist = advanced(twist, stage, load(self.regions["u"], stage.k) if given is None else given)
            else:
                twist = stage.outward(twist)
        stored: list[Assignment] = [(self.address("twist", k), x) for k, x in enumerate(twist.v + twist.w)]
        if self.closed:
            stored += self.rates([load(self.regions["u"], k) for k in range(self.cls.rates)])
        return stored + ([] if self.cls.leaf else twist_assignments(twist, False))

    def momentum_projection(self) -> list[Assignment]:
        """(P2), (P3): mu from the twists, p = Aᵀ mu."""
        twist = [load(self.regions["twist"], k) for k in range(6)]
        own = self.own_inertia().momentum(Twist(twist[:3], twist[3:], zeros()))
        return self._project(own, "p")

    def wrench_projection(self) -> list[Assignment]:
        """(P5): the branch's wrench F^, and its part Aᵀ F^ of (P4)."""
        wrench = [load(self.regions["wrench"], k) for k in range(6)]
        return self._project(Wrench(wrench[:3], wrench[3:]), "p_dot")

    def _project(self, own: Wrench, region: str) -> list[Assignment]:
        out: list[Assignment] = []
        wrench = own
        if not self.cls.leaf:
            carried = Wrench(*([leaf(Local(f"{x}{a}")) for a in range(3)] for x in "fn"))
            wrench = Wrench(add(own.f, carried.f), add(own.n, carried.n))
        for stage in reversed(self.stages):
            if isinstance(stage, Column):
                if stage.given is not None:
                    continue
                value = along(stage, wrench)
                if region == "p_dot":
                    value = load(self.regions["p_dot"], stage.k) + value
                out.append((self.address(region, stage.k), value))
            else:
                wrench = stage.inward_wrench(wrench)
        if not self.cls.root:
            for motion in reversed(self.placement):
                wrench = motion.inward_wrench(wrench)
            out += [(Local(f"f{a}"), wrench.f[a]) for a in range(3)]
            out += [(Local(f"n{a}"), wrench.n[a]) for a in range(3)]
        return out


# -- names of the carried variables -----------------------------------------------------------------


def inertia_names(gravity: bool) -> list[str]:
    """Locals that carry a branch's articulated inertia, bias and moment of mass inward."""
    names = [f"M{a}{b}" for a, b in INERTIA] + [f"H{a}{b}" for a in range(3) for b in range(3)]
    names += [f"J{a}{b}" for a, b in INERTIA] + [f"f{a}" for a in range(3)] + [f"n{a}" for a in range(3)]
    return names + ([f"s{a}" for a in range(3)] if gravity else [])


def twist_names(gravity: bool) -> list[str]:
    """Locals that carry a twist, and gravity in its axes, outward."""
    return [f"{x}{a}" for x in ("vwg" if gravity else "vw") for a in range(3)]


def carried_inertia(gravity: bool) -> Articulated:
    local = {name: leaf(Local(name)) for name in inertia_names(gravity)}
    return Articulated(
        M=symmetric([[local.get(f"M{a}{b}", ZERO) for b in range(3)] for a in range(3)]),
        H=[[local[f"H{a}{b}"] for b in range(3)] for a in range(3)],
        J=symmetric([[local.get(f"J{a}{b}", ZERO) for b in range(3)] for a in range(3)]),
        f=[local[f"f{a}"] for a in range(3)],
        n=[local[f"n{a}"] for a in range(3)],
        s=[local.get(f"s{a}", ZERO) for a in range(3)],
    )


def carry_assignments(body: Articulated, gravity: bool) -> list[Assignment]:
    value = {f"M{a}{b}": body.M[a][b] for a, b in INERTIA} | {f"J{a}{b}": body.J[a][b] for a, b in INERTIA}
    value |= {f"H{a}{b}": body.H[a][b] for a in range(3) for b in range(3)}
    value |= {f"{x}{a}": getattr(body, x)[a] for x in "fns" for a in range(3)}
    return [(Local(name), value[name]) for name in inertia_names(gravity)]


def carried_twist(gravity: bool) -> Twist:
    v, w, g = ([leaf(Local(f"{x}{a}")) for a in range(3)] for x in "vwg")
    return Twist(v, w, g if gravity else zeros())


def twist_assignments(twist: Twist, gravity: bool) -> list[Assignment]:
    return [(Local(f"{x}{a}"), getattr(twist, x)[a]) for x in ("vwg" if gravity else "vw") for a in range(3)]


# -- small shared formulas ---------------------------------------------------------------------------


def on_axis(axis: int, value: Expression) -> Vector:
    """A vector along a principal axis."""
    out = zeros()
    out[axis] = value
    return out


def quaternion_rate(q: Vector, w: Vector) -> Vector:
    """q_dot = ½ q (0, w) for a unit quaternion, w first, and w in child axes."""
    vector = add([q[0] * x for x in w], cross(q[1:], w))
    scalar = -(q[1] * w[0] + q[2] * w[1] + q[3] * w[2])
    return [0.5 * x for x in [scalar, *vector]]


def gravity_power(body: Articulated, twist: Twist, column: Column) -> Expression:
    """Aᵀ F^ of gravity: mass g for a linear column, s x g for an angular one."""
    if column.twist is not None:
        return along(column, Wrench(scale(body.mass, twist.g), cross(body.s, twist.g)))
    a = column.axis
    if not column.angular:
        return body.mass * twist.g[a]
    b, d = PLANE[a]
    return body.s[b] * twist.g[d] - body.s[d] * twist.g[b]


def convective_turn(body: Articulated, twist: Twist, axis: int) -> Expression:
    """`convective` for one angular column whose rows of the inertia are already eliminated.

    mu = M* v + Phi* is put in and like products are gathered: the differences that appear are those
    of the planar rotation of M*, H*, J*, so they come for free.
    """
    a, (b, d) = axis, PLANE[axis]
    v, w, M, H, J = twist.v, twist.w, body.M, body.H, body.J
    dJ, dM, dH, tH = J[b][b] - J[d][d], M[b][b] - M[d][d], H[b][b] - H[d][d], H[b][d] + H[d][b]
    part = w[b] * (dJ * w[d] - J[b][d] * w[b] + (dH * v[d] - tH * v[b]) - (H[d][a] * v[a] + body.n[d]))
    part = part + w[d] * (J[b][d] * w[d] + (dH * v[b] + tH * v[d]) + (H[b][a] * v[a] + body.n[b]))
    part = part + v[b] * (dM * v[d] - M[b][d] * v[b] - (M[d][a] * v[a] + body.f[d]))
    return part + v[d] * (M[b][d] * v[d] + (M[b][a] * v[a] + body.f[b]))
