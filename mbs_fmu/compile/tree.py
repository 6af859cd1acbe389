"""Bodies to links: order, welds, and link frames whose every elementary motion is about a principal axis.

A link is what the kernels loop over: a placement on its parent link, elementary motions about principal
axes, one rigid body. A body with its joint gives one link, or several where a constant rotation stands
between two motions; a welded body gives none and joins its parent's. Link frames need not coincide with
body frames; `Frame` says how a body lies in its link. An elastic body gives one link more behind its joint, whose frame
is its mean frame and whose motions are its modes, and behind that one for each node.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from ..errors import ModelError
from ..mechanics.steps import LinkMotion
from ..model.axes import SNAP
from ..model.drives import driven_coordinates
from ..model.elastic_parts import Elastic
from ..model.model import Model
from ..model.motions.check import check
from ..model.parts import WORLD, Body
from ..model.vectors import Vector
from ..record.layout import INERTIA, Layout, Load, bound
from ..symbolic.expressions import Expression, as_expression, is_literal
from ..symbolic.spatial import PLANE

IDENTITY = np.eye(3).tobytes()


@dataclass
class Frame:
    """A body's frame in its link: x_link = origin + rotation x_body. Link -1 is the world."""

    link: int
    rotation: np.ndarray
    origin: Vector


@dataclass
class Link:
    """One step of the kernels' loop, in link axes. `own`: constants of its motion."""

    name: str
    parent: int
    rotation: np.ndarray
    position: Vector
    motions: list[LinkMotion]
    own: tuple[Expression, ...] = ()
    mass: Expression = field(default_factory=lambda: as_expression(0.0))
    moment: Vector = field(default_factory=lambda: Vector((0.0, 0.0, 0.0)))
    elastic: Elastic | None = None  #: the modes that it has
    seat: str | None = None  #: the parent's node that it is
    inertia: list[list[Expression]] = field(default_factory=lambda: [[as_expression(0.0)] * 3 for _ in range(3)])
    children: int = 0

    @property
    def coordinates(self) -> int:
        """Coordinates that are states."""
        return sum(m.coordinates for m in self.motions if not m.driven) + self.modes

    @property
    def rates(self) -> int:
        """Unknown joint velocities."""
        return sum(m.rates for m in self.motions if not m.driven) + self.modes

    @property
    def modes(self) -> int:
        return 0 if self.elastic is None else self.elastic.modes.count

    @property
    def driven_coordinates(self) -> int:
        return sum(m.coordinates for m in self.motions if m.driven)

    @property
    def driven_rates(self) -> int:
        return sum(m.rates for m in self.motions if m.driven)


@dataclass(frozen=True)
class Place:
    """Where a coordinate or rate stands: an entry of region "q", "u", "driven_q" or "driven_u"."""

    region: str
    offset: int

    @property
    def driven(self) -> bool:
        return self.region.startswith("driven")

    @property
    def load(self) -> Load:
        return Load("R", self.region, self.offset)

    def slot(self, layout: Layout) -> int:
        return bound(self.load, layout)


@dataclass
class Tree:
    """All links, parents first, each chain in one run; frames, coordinates and rates of the bodies by name."""

    links: list[Link]
    frames: dict[str, Frame]
    order: list[Body]
    mean: dict[str, int] = field(default_factory=dict)  #: the link of each elastic body's mean frame
    q: dict[str, list[Place]] = field(default_factory=dict)
    u: dict[str, list[Place]] = field(default_factory=dict)

    def count(self, region: str) -> int:
        """Size of region "q", "u", "driven_q" or "driven_u"."""
        places = self.u if region.endswith("u") else self.q
        return sum(place.region == region for own in places.values() for place in own)


def build_tree(model: Model, split: bool = False) -> Tree:
    """Links and frames of a model. ModelError for an unknown parent, a cycle, a massless end.

    `split` gives every elementary motion a link of its own, so that few classes remain.
    """
    order = _ordered(model)
    tree = Tree([], {WORLD: Frame(-1, np.eye(3), Vector((0.0, 0.0, 0.0)))}, order)
    for body in order:
        motions = _motions(body, driven_coordinates(model.drives, body.name), turned(model, body.name))
        _add_places(tree, body, motions)
        frame = _add_links(tree, body, motions, split) if body.seat is None else _add_seat(tree, body)
        tree.frames[body.name] = frame
        if body.elastic is not None:
            _add_modes(tree, body, body.elastic)
        elif frame.link >= 0:
            _add_body(tree.links[frame.link], body, frame)
    for link in tree.links:
        if link.parent >= 0:
            tree.links[link.parent].children += 1
    _check_ends(tree)
    return tree


def _ordered(model: Model) -> list[Body]:
    """Depth first from the world, so that a link's first child follows it."""
    children: dict[str, list[Body]] = {WORLD: []}
    for body in model.bodies.values():
        children[body.name] = []
    for body in model.bodies.values():
        if body.parent not in children:
            have = ", ".join(model.bodies)
            raise ModelError(f"body {body.name!r}: unknown parent {body.parent!r}; use 'world' or one of {have}")
        children[body.parent].append(body)
    order: list[Body] = []
    stack = list(reversed(children[WORLD]))
    while stack:
        body = stack.pop()
        order.append(body)
        # welded children first: they add to this body and must not stand between it and its first child
        stack.extend(sorted(children[body.name], key=lambda child: bool(child.joint.motions))[::-1])
    if len(order) < len(model.bodies):
        reached = {body.name for body in order}
        circle = [name for name in model.bodies if name not in reached]
        raise ModelError(
            f"bodies {', '.join(circle)} hang on each other in a cycle: one of them needs 'world' "
            "or a body outside the cycle as its parent"
        )
    return order


def turned(model: Model, body: str) -> set[int]:
    """Which joint velocities of a body rotors move with."""
    return {rotor.k for rotor in model.rotors.values() if rotor.body == body}


def _motions(body: Body, driven: set[int], turned: set[int]) -> list[LinkMotion]:
    """The joint's motions with what is driven, and with rotors; their axes are still those of the joint."""
    out, q, u = [], 0, 0
    for motion in body.joint.motions:
        check(motion)
        rotors = frozenset(k - u for k in turned if 0 <= k - u < len(motion.rate_units))
        out.append(LinkMotion(motion, 0, q in driven, rotors))
        q, u = q + out[-1].coordinates, u + out[-1].rates
    return out


def _add_places(tree: Tree, body: Body, motions: list[LinkMotion]) -> None:
    for places, name, count in ((tree.q, "q", "coordinates"), (tree.u, "u", "rates")):
        first = {region: tree.count(region) for region in (name, f"driven_{name}")}
        places[body.name] = []
        for motion in motions:
            region = f"driven_{name}" if motion.driven else name
            size = getattr(motion, count)
            places[body.name] += [Place(region, first[region] + k) for k in range(size)]
            first[region] += size
        modes = 0 if body.elastic is None else body.elastic.modes.count
        places[body.name] += [Place(name, first[name] + k) for k in range(modes)]


def _add_links(tree: Tree, body: Body, motions: list[LinkMotion], split: bool) -> Frame:
    """The links of a body's joint; returns where the body lies."""
    parent = tree.frames[body.parent]
    position = parent.origin + rotate(parent.rotation, body.position)
    rotation = parent.rotation @ body.rotation
    if not motions:
        return Frame(parent.link, rotation, position)
    segments, internal = _segments(rotation, motions, split)
    link = parent.link
    for number, (placement, members) in enumerate(segments):
        name = body.name if number == len(segments) - 1 else f"{body.name} (part {number + 1})"
        where = position if number == 0 else Vector((0.0, 0.0, 0.0))
        own = tuple(x for member in members for x in member.motion.constants)
        tree.links.append(Link(name, link, snapped(placement), where, members, own))
        link = len(tree.links) - 1
    return Frame(link, snapped(internal.T), Vector((0.0, 0.0, 0.0)))


Segment = tuple[np.ndarray, list[LinkMotion]]  #: the rotation before a link's motions, and these


def _segments(rotation: np.ndarray, motions: list[LinkMotion], split: bool) -> tuple[list[Segment], np.ndarray]:
    """The motions by links, each with the rotation before it; the axes of the last link in body axes."""
    segments: list[Segment] = [(rotation, [])]
    internal = np.eye(3)  # axes of the link, in body axes at zero coordinates
    for told in motions:
        if told.motion.axis is not None:
            axis, turn = _principal(internal.T @ np.array(told.motion.axis))
        else:  # it is told in the joint's axes
            axis, turn = 0, None if np.array_equal(internal, np.eye(3)) else internal.T
        apart = split or told.motion.alone or any(m.motion.alone for m in segments[-1][1])
        if segments[-1][1] and (apart or turn is not None):
            segments.append((np.eye(3), []))
        if turn is not None:
            internal = internal @ turn if told.motion.axis is not None else np.eye(3)
            segments[-1] = (segments[-1][0] @ turn, [])
        segments[-1][1].append(replace(told, axis=axis))
    return segments, internal


def _principal(axis: np.ndarray) -> tuple[int, np.ndarray | None]:
    """The principal axis to use for a unit vector, and the rotation that brings it there (None: none)."""
    largest = int(np.argmax(np.abs(axis)))
    aligned = _sine(axis, largest) < SNAP
    if aligned and axis[largest] > 0.0:
        return largest, None
    if aligned:  # the opposite of a principal axis: half a turn about another one
        half = -np.eye(3)
        other = PLANE[largest][0]
        half[other, other] = 1.0
        return largest, half
    z = axis / np.linalg.norm(axis)
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return 2, np.column_stack([x, np.cross(z, x), z])


def _sine(direction: np.ndarray, axis: int) -> float:
    """Of the angle between a unit vector and a principal axis. (The cosine of a small angle is one, up to rounding.)"""
    b, d = PLANE[axis]
    return math.hypot(direction[b], direction[d])


def _add_body(link: Link, body: Body, frame: Frame) -> None:
    """Add a rigid body, given about its centre of mass in body axes, to a link about the link's origin."""
    c = frame.origin + rotate(frame.rotation, body.com)
    J = rotate_matrix(frame.rotation, body.inertia)
    square = c.dot(c)
    link.mass = link.mass + body.mass
    link.moment = link.moment + c * body.mass
    for i, j in INERTIA:
        parallel = (square if i == j else as_expression(0.0)) - c[i] * c[j]
        link.inertia[i][j] = link.inertia[j][i] = link.inertia[i][j] + J[i][j] + body.mass * parallel


def _add_modes(tree: Tree, body: Body, elastic: Elastic) -> None:
    """The link of an elastic body's mean frame, which hangs on the body's own frame by the root."""
    on, inertia = tree.frames[body.name], elastic.modes.inertia
    axes = np.eye(3) if elastic.root is None else elastic.modes.node(elastic.root).axes.T
    made = Link(f"{body.name} (modes)", on.link, snapped(on.rotation @ axes), on.origin, [], elastic=elastic)
    made.mass, made.moment = as_expression(inertia.mass), Vector(inertia.S0.tolist())
    made.inertia = [[as_expression(x) for x in row] for row in inertia.J0.tolist()]
    tree.mean[body.name] = len(tree.links)
    tree.links.append(made)


def _add_seat(tree: Tree, body: Body) -> Frame:
    """The link of an elastic body's node."""
    assert body.seat is not None
    parent = tree.mean[body.parent]
    elastic = tree.links[parent].elastic
    assert elastic is not None
    node = elastic.modes.node(body.seat)
    place = Vector(node.place.tolist())
    tree.links.append(Link(body.name, parent, snapped(node.axes), place, [], seat=body.seat))
    return Frame(len(tree.links) - 1, np.eye(3), Vector((0.0, 0.0, 0.0)))


def _check_ends(tree: Tree) -> None:
    """A link without children must have inertia along each of its motions, as far as literals tell."""
    for link in tree.links:
        if link.children or not link.motions or link.motions[-1].driven or link.motions[-1].rotors:
            continue
        last = link.motions[-1]
        # J holds m(c² - c cᵀ) too, so a vanishing entry means that nothing at all resists the motion
        resisting = last.motion.resisting(link.mass, link.inertia, last.axis)
        if all(is_literal(x, 0.0) for x in resisting):
            raise ModelError(
                f"body {link.name!r} can move but has no {last.motion.lacking}, and carries nothing: "
                "give it a mass and an inertia, or weld it"
            )


def rotate(R: np.ndarray, v: Vector) -> Vector:
    """R v with a numerical rotation, exact where R is."""
    if R.tobytes() == IDENTITY:
        return v
    return Vector(Vector(R[i]).dot(v) for i in range(3))


def rotate_matrix(R: np.ndarray, m: list[list[Expression]]) -> list[list[Expression]]:
    """R m Rᵀ with a numerical rotation."""
    if R.tobytes() == IDENTITY:
        return m
    left = [[Vector(R[i]).dot([m[k][j] for k in range(3)]) for j in range(3)] for i in range(3)]
    return [[Vector(left[i]).dot(R[j]) for j in range(3)] for i in range(3)]


def snapped(R: np.ndarray) -> np.ndarray:
    """Unit vectors, one or the rows of a matrix, without entries that are rounding: principal axes become exact."""
    out = np.where(np.abs(R) < SNAP, 0.0, R)
    alone = np.count_nonzero(out, axis=-1, keepdims=True) == 1
    return np.where(alone, np.sign(out), out)


def planar_factors(R: np.ndarray, first: LinkMotion | None) -> tuple[list[tuple[int, float]], float]:
    """R as planar rotations (axis, angle), outermost first, and what the first joint angle absorbs.

    Where the link's first motion is a turn about axis a, the last factor is chosen about a as well, and
    becomes an offset of the joint's angle unless it is a multiple of 90 degrees.
    """
    spins = first is not None and first.motion.spins
    axis = first.axis if first is not None and first.motion.spins else 2
    factors = _single_factor(R, axis)
    if factors is None:
        b, d = PLANE[axis]
        # R = Ra(alpha) Rb(beta) Ra(gamma)
        alpha = math.atan2(R[b, axis], -R[d, axis]) if _sine(R[:, axis], axis) > SNAP else 0.0
        half = elementary(axis, alpha).T @ R
        beta = math.atan2(-half[d, axis], half[axis, axis])
        rest = elementary(b, beta).T @ half
        gamma = math.atan2(rest[d, b], rest[b, b])
        factors = [(axis, alpha), (b, beta), (axis, gamma)]
    factors = [(a, angle) for a, angle in factors if abs(math.remainder(angle, 2 * math.pi)) > SNAP]
    offset = 0.0
    absorbable = bool(factors) and spins and factors[-1][0] == axis
    if absorbable and quarters(factors[-1][1]) is None:
        offset = factors.pop()[1]
    return factors, offset


def _single_factor(R: np.ndarray, preferred: int) -> list[tuple[int, float]] | None:
    for axis in (preferred, *PLANE[preferred]):
        if R[axis, axis] > 0.0 and _sine(R[:, axis], axis) < SNAP:
            b, d = PLANE[axis]
            return [(axis, math.atan2(R[d, b], R[b, b]))]
    return None


def elementary(axis: int, angle: float) -> np.ndarray:
    """Rotation matrix about a principal axis."""
    b, d = PLANE[axis]
    R = np.eye(3)
    c, s = math.cos(angle), math.sin(angle)
    R[b, b] = R[d, d] = c
    R[d, b], R[b, d] = s, -s
    return snapped(R)


def quarters(angle: float) -> int | None:
    """How many quarter turns an angle is (0..3), or None."""
    count = round(angle / (math.pi / 2))
    return count % 4 if abs(angle - count * math.pi / 2) < SNAP else None
