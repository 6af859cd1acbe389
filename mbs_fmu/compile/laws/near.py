"""Contacts with a list of near pairs: tables of their shapes, and one law for each pair of kinds of shapes.

Shapes of one kind differ in links and numbers only. A law is traced for two shapes of its kinds. Its addresses are then
relative to the links of any two shapes, and to their blocks of numbers: kernels/near_pairs.py selects the pairs.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field, replace

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...model.forces.near_contacts import NearContacts, NearShape, surfaces_between, surfaces_of
from ...model.references.kinds import Kind, kind_of, numbers_of
from ...model.references.leaves import PartNumber
from ...record.layout import Load
from ...record.sizes import NearSizes
from ...symbolic.expressions import Expression, as_expression, leaf
from ...symbolic.graph import rebuild
from ..tree.rotations import rotate
from .forces import on_links
from .law import LINKED, Law
from .laws import law_of_effect
from .part_kinds import Placing
from .resolve import Resolver

SIDES = ("a", "b")
LARGE = 4.0  #: radius of a large shape, over the median: large ones are compared with all others, not by cells
EXTRA = 1.0 + 1e-6  #: factor of the edge of a cell, for rounding
POSE, TWIST, NUMBERS = "p", "t", "n"  #: index variables of a side: of pose, of twist and wrench, of numbers
OF_LINK = {"pose": POSE, "twist": TWIST, "wrench": TWIST}
MOST_NUMBERS = 1 << 20  #: numbers of a side, for references


@dataclass(frozen=True)
class Member:
    """A shape in the model. link: -1 in the world. placing: the frame of its body in the link."""

    near: NearShape
    force: NearContacts
    link: int
    placing: Kind
    key: Hashable


@dataclass
class NearPairs:
    """Contacts with a list of near pairs, for the record and the text of a module.

    points: number of laws of each meeting, a pair of kinds that can touch; the laws follow each other in the order of
    the meetings. shapes: content of region `near_shapes`. numbers: that of region `near_numbers`. cell: edge of a
    cell, m.
    """

    tables: dict[str, list[int]] = field(default_factory=dict)
    sizes: NearSizes | None = None
    points: list[int] = field(default_factory=list)
    wrenches: list[Law] = field(default_factory=list)
    energies: list[Law] = field(default_factory=list)
    shapes: list[float] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)
    cell: float = 1.0


def near_pairs(resolve: Resolver) -> NearPairs:
    """Return the near pairs of all contacts of a model that have a list of them."""
    contacts = [force for force in resolve.model.forces.values() if isinstance(force, NearContacts)]
    if not contacts:
        return NearPairs()
    members = [_member(force, near, resolve) for force in contacts for near in force.shapes_in_contact]
    order = _order(members)
    place = {old: new for new, old in enumerate(order)}
    members = [members[k] for k in order]
    kinds = {key: k for k, key in enumerate(dict.fromkeys(member.key for member in members))}
    made = NearPairs()
    meetings, number = _meetings(members, kinds, resolve, made)
    first, apart = _apart(contacts, members, place)
    made.tables = {
        "NEAR_LINK": [member.link for member in members],
        "NEAR_KIND": [kinds[member.key] for member in members],
        "NEAR_MEETING": meetings,
        "NEAR_NUMBER": number,
        "NEAR_APART_FIRST": first,
        "NEAR_APART": apart,
    }
    places = [_place(member, resolve) for member in members]
    slacks = [member.near.slack for member in members]
    radii = [float(member.near.ball.radius.value) for member in members]
    made.shapes = [
        x for place, radius, slack in zip(places, radii, slacks, strict=True) for x in (*place, radius, slack)
    ]
    large = _large(radii)
    made.cell = 2.0 * EXTRA * max((r + s for r, s in zip(radii[large:], slacks[large:], strict=True)), default=0.5)
    made.sizes = NearSizes(
        shapes=len(members), large=large, pairs=sum(force.most for force in contacts), numbers=len(made.numbers),
        kinds=len(kinds),
    )  # fmt: skip
    return made


def _member(force: NearContacts, near: NearShape, resolve: Resolver) -> Member:
    frame = resolve.tree.frames[near.body]
    placing = kind_of(Placing(frame.origin, frame.rotation, frame.link >= 0))
    own = tuple(kind_of(surface).key for surface in surfaces_of(near.shape, near.place))
    key = (force.name, type(near.shape), frame.link >= 0, own, placing.key)
    return Member(near, force, frame.link, placing, key)


def _large(radii: Sequence[float]) -> int:
    """Return the number of large shapes, by radii that decrease down to them."""
    limit = LARGE * float(np.median(radii))
    return sum(radius > limit for radius in radii)


def _order(members: Sequence[Member]) -> list[int]:
    """Return the numbers of the shapes in the order of the tables: large ones first."""
    radii = [float(member.near.ball.radius.value) for member in members]
    limit = LARGE * float(np.median(radii))
    return sorted(range(len(members)), key=lambda k: radii[k] <= limit)


def _place(member: Member, resolve: Resolver) -> list[float]:
    """Return the centre of the ball around a shape, m, in the axes of its link."""
    frame, ball = resolve.tree.frames[member.near.body], member.near.ball
    return [float(x.value) for x in frame.origin + rotate(frame.rotation, ball.origin)]


def _apart(
    contacts: Sequence[NearContacts], members: Sequence[Member], place: dict[int, int]
) -> tuple[list[int], list[int]]:
    """Return the tables of shapes that do not touch each other: those of the model, and shapes of one link."""
    found: list[set[int]] = [set() for _ in members]
    start = 0
    for force in contacts:
        for pair in force.apart:
            i, j = sorted(place[start + k] for k in pair)
            found[i].add(j)
        start += len(force.shapes_in_contact)
    of_link: dict[int, list[int]] = {}
    for k, member in enumerate(members):
        if member.link >= 0:
            of_link.setdefault(member.link, []).append(k)
    for own in of_link.values():
        for n, i in enumerate(own):
            found[i] |= set(own[n + 1 :])
    first = [0, *np.cumsum([len(x) for x in found]).tolist()]
    return first, [j for own in found for j in sorted(own)] or [0]


# -- laws ------------------------------------------------------------------------------------------------------


def _meetings(
    members: Sequence[Member], kinds: dict[Hashable, int], resolve: Resolver, made: NearPairs
) -> tuple[list[int], list[int]]:
    """Add the laws of all meetings; return the tables of meetings by kinds, and of numbers by meeting, side, shape."""
    of_kind: list[list[int]] = [[] for _ in kinds]
    for k, member in enumerate(members):
        of_kind[kinds[member.key]].append(k)
    blocks: dict[tuple[float, ...], int] = {}
    table, numbers = [0] * len(kinds) ** 2, list[int]()
    for a, on_a in enumerate(of_kind):
        for b in range(a, len(kinds)):
            pair = _representatives([members[k] for k in on_a], [members[k] for k in of_kind[b]])
            if pair is None:
                continue
            sides = [_Side([members[k] for k in own], pair, n) for n, own in enumerate((on_a, of_kind[b]))]
            for n, own in enumerate((on_a, of_kind[b])):
                starts = dict.fromkeys(range(len(members)), 0)
                for k, block in zip(own, sides[n].blocks, strict=True):
                    if block not in blocks:
                        blocks[block] = len(made.numbers)
                        made.numbers += block
                    starts[k] = blocks[block]
                numbers += starts.values()
            _add_laws(pair, sides, resolve, made)
            table[a * len(kinds) + b] = len(made.points)
    return table, numbers


def _representatives(on_a: Sequence[Member], on_b: Sequence[Member]) -> tuple[Member, Member] | None:
    """Return two shapes of two kinds that can touch each other, of one contact and on different links, or None."""
    if on_a[0].force is not on_b[0].force:
        return None
    first = on_a[0]
    return next(((first, other) for other in on_b if other.link != first.link), None) or next(
        ((other, on_b[0]) for other in on_a if other.link != on_b[0].link), None
    )


class _Side:
    """One side of the pairs of two kinds: variables for the numbers in which its shapes differ, and their values.

    numbers: of the surfaces of each contact point, and of the frame of the body, as variables or literals.
    """

    def __init__(self, members: Sequence[Member], pair: tuple[Member, Member], side: int):
        rows = []
        for member in members:
            ends = (member, pair[1]) if side == 0 else (pair[0], member)
            surfaces = [points[side] for points in surfaces_between(*(end.near for end in ends))]
            distinct = list({id(surface): kind_of(surface) for surface in surfaces}.values())
            rows.append((*numbers_of(distinct), *member.placing.numbers))
        columns = np.array(rows).reshape(len(rows), -1)
        varies = (columns != columns[0]).any(axis=0)
        self.blocks = [tuple(row[varies].tolist()) for row in columns]
        place = np.cumsum(varies) - 1 + side * MOST_NUMBERS
        self.numbers = [
            leaf(PartNumber(int(k))) if own else as_expression(float(x))
            for x, own, k in zip(columns[0], varies, place, strict=True)
        ]

    def of_points(self, surfaces: Sequence[object]) -> tuple[list[list[Expression]], list[Expression]]:
        """Return the numbers of the surface at each contact point, and those of the frame of the body."""
        starts: dict[int, tuple[int, int]] = {}
        end = 0
        for surface in surfaces:
            if id(surface) not in starts:
                size = len(kind_of(surface).numbers)
                starts[id(surface)] = (end, end + size)
                end += size
        return [self.numbers[slice(*starts[id(surface)])] for surface in surfaces], self.numbers[end:]


def _add_laws(pair: tuple[Member, Member], sides: Sequence[_Side], resolve: Resolver, made: NearPairs) -> None:
    """Add the laws of the contact points of two kinds of shapes."""
    force = pair[0].force
    contact = force.between(pair[0].near, pair[1].near)
    points = [
        side.of_points([getattr(p, name) for p in contact.points]) for side, name in zip(sides, SIDES, strict=True)
    ]
    of_laws = [as_expression(x) for x in kind_of((contact.normal, contact.friction)).numbers]
    frames = [member.placing.with_numbers(own) for member, (_, own) in zip(pair, points, strict=True)]
    bodies = [member.near.body for member in pair]
    placed = resolve.with_places({b: (x.origin, x.rotation) for b, x in zip(bodies, frames, strict=True)})
    made.points.append(len(contact.points))
    for k, part in enumerate(contact.parts()):
        assert part.with_numbers is not None
        effect = part.with_numbers([*of_laws, *points[0][0][k], *points[1][0][k]])
        done = on_links(effect, placed, force.thing)
        law = law_of_effect(placed, force.thing, done)
        assert law is not None and law.unless is not None and done.stored is not None
        made.wrenches.append(_general(law, pair))
        energy = [(Load("R", "energy", 0), done.stored)]
        made.energies.append(_general(Law(energy, f"energy in {force.thing}", True, law.unless), pair))


def _general(law: Law, pair: tuple[Member, Member]) -> Law:
    """Return the law of two shapes as that of any two of the same kinds."""

    def moved(load: Load) -> Load:
        for member, side in zip(pair, SIDES, strict=True):
            stride = LINKED.get(load.region, 0)
            if stride and load.offset // stride == member.link:
                return replace(load, offset=load.offset % stride, base=OF_LINK[load.region] + side)
        return load

    def number(node: Expression) -> Expression | None:
        if node.op != "leaf":
            return None
        if isinstance(node.value, PartNumber):
            side, k = divmod(node.value.k, MOST_NUMBERS)
            return leaf(Load("R", "near_numbers", k, NUMBERS + SIDES[side]))
        return leaf(moved(node.value), node.name)

    return law.with_roots(rebuild(law.roots, number), moved)
