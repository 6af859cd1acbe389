"""Pairs of collision shapes that the links of a URDF or SDFormat file let touch."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from ...infrastructure.errors import ArgumentError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ...model.closures.closure import PairClosure
from ...model.forces.contact_shapes import Plane
from ...model.geometry.poses import Pose
from ...model.geometry.vectors import is_list
from ...model.items import WORLD
from ..document import Document
from ..imported import Imported, ImportedShape
from ..parts import LinkData
from .adding import Adding
from .options import FileContacts, chosen
from .pairs import FilePair, Softness
from .touching import Touching, readable_shapes
from .tree import Tree

GROUND = "ground"  #: name of the added plane


@dataclass(frozen=True)
class LinkContacts:
    """The arguments of a reader for contacts.

    options: None for no contacts. ground: a plane that is added to the world, or None. exclude: pairs of names of
    links. srdf: file whose `disable_collisions` are excluded too. friction: coefficient of shapes without one in the
    file; None if the user must give it.
    """

    options: FileContacts | None
    ground: Plane | None
    exclude: frozenset[frozenset[str]]
    srdf: Path | None = None
    friction: float | None = None


def link_contacts(
    contacts: Any, ground: Any, exclude: Any, srdf: str | PathLike[str] | None = None, friction: float | None = None
) -> LinkContacts:
    """Return the checked arguments of a reader. Raises ArgumentError for invalid ones, and for ones without effect."""
    options = chosen(contacts)
    if ground is not None and not isinstance(ground, Plane):
        raise ArgumentError(f"ground is {display(ground)}: give mbs.Plane(...)")
    pairs = list(exclude) if is_list(exclude) else [exclude]
    for pair in pairs:
        if not is_list(pair) or len(pair) != 2 or not all(isinstance(link, str) for link in pair):
            raise ArgumentError(f"exclude has {display(pair)}: give pairs of links, such as [('hand', 'palm')]")
    given = [name for name, x in (("ground", ground), ("exclude", pairs or None), ("srdf", srdf)) if x is not None]
    if options is None and given:
        raise ArgumentError(f"{given[0]}= has no effect without contacts: give contacts=True, or leave it out")
    file = None if srdf is None else Path(srdf)
    return LinkContacts(options, ground, frozenset(map(frozenset, pairs)), file, friction)


def with_contacts(
    document: Document, robot: Imported, links: Mapping[str, LinkData], request: LinkContacts
) -> Imported:
    """Return the robot with the requested contacts. Adds notes. Raises ModelError, ArgumentError."""
    if request.options is None:
        return robot
    pairs = _Pairs(document, robot, links, request).found()
    adding = Adding(robot.model, request.options, document.note, deepest=0.0)
    return replace(robot, contacts=adding.add(pairs))


@dataclass
class _Pairs:
    """Builder of the pairs of a robot."""

    document: Document
    robot: Imported
    links: Mapping[str, LinkData]
    request: LinkContacts

    def found(self) -> list[FilePair]:
        """Return the pairs of all links that are neither joined nor excluded, and of links with the added ground."""
        excluded = self._excluded()
        tree = Tree(self.robot.model)
        joined = self._joined(tree)
        shapes = {link: self._touching(link) for link in self.robot.bodies if link in self.links}
        pairs = []
        for a, b in itertools.combinations(shapes, 2):
            parts = frozenset(tree.parts[self.robot.bodies[link]] for link in (a, b))
            if len(parts) == 1 or parts in joined or frozenset((a, b)) in excluded or not self._collide(a, b):
                continue
            pairs += [FilePair(x, y, self._softness(x, y)) for x in shapes[a] for y in shapes[b]]
        moving = [x for own in shapes.values() for x in own if tree.parts[x.body] != WORLD]
        return pairs + [FilePair(ground, x, self._softness(x)) for ground in self._ground() for x in moving]

    def _collide(self, a: str, b: str) -> bool:
        """Return whether two links may touch: of one model only if one of them asks for it."""
        one, other = self.links[a], self.links[b]
        return one.group != other.group or one.self_collides or other.self_collides

    def _joined(self, tree: Tree) -> set[frozenset[str]]:
        """Return the pairs of parts that a joint connects; those of the world with its neighbours too."""
        model = self.robot.model
        jointed = [body for body in model.bodies.values() if 0 < len(body.joint.rates) < 6]
        joined = {frozenset((tree.parts[body.parent], body.name)) for body in jointed}
        loops = [loop for loop in model.loops.values() if isinstance(loop, PairClosure)]
        return joined | {frozenset((tree.parts[loop.a.body], tree.parts[loop.b.body])) for loop in loops}

    def _excluded(self) -> set[frozenset[str]]:
        """Return the excluded pairs of links. Raises ArgumentError for an unknown one, ModelError for the srdf file."""
        excluded = set(self.request.exclude)
        for link in (link for pair in excluded for link in pair):
            if link not in self.links:
                raise ArgumentError(f"exclude names the link {display(link)}: the file has {listed(self.links)}")
        if self.request.srdf is not None:
            srdf = Document(self.request.srdf)
            disabled = srdf.root.all("disable_collisions")
            excluded |= {frozenset((x.get("link1"), x.get("link2"))) for x in disabled}
        return excluded

    def _touching(self, link: str) -> list[Touching]:
        """Return the collision shapes of a link that can be read; notes name the others."""
        body = self.robot.bodies[link]
        shapes = [shape for shape in self.links[link].shapes if shape.collides]
        named = [
            Touching(link if len(shapes) == 1 else f"{link}_{shape.name or k + 1}", body, shape)
            for k, shape in enumerate(shapes)
        ]
        return readable_shapes(named, self.document.note)

    def _ground(self) -> Iterator[Touching]:
        if self.request.ground is not None:
            place, turned = self.request.ground.place()
            at = Pose([x.value for x in place], turned)
            yield Touching(GROUND, WORLD, ImportedShape("plane", (), at, "collision", collides=True))

    def _softness(self, *shapes: Touching) -> Softness:
        """Return the numbers of a pair: of friction the smaller, of springs and dampers those in series.

        shapes: both, or the one that meets the added ground.
        """
        surfaces = [shape.shape.surface for shape in shapes]
        assert self.request.options is not None
        friction = least([s.friction for s in surfaces])
        if friction is None and self.request.options.friction is None:
            if self.request.friction is None:
                raise ArgumentError(
                    f"contacts: the file has no friction for shape {shapes[0].name!r}: "
                    "give contacts=mbs.FileContacts(friction=...)"
                )
            self.document.note(f"friction that the file leaves out is {self.request.friction:g}, its format's default")
            friction = self.request.friction
        friction = friction or 0.0
        torsional, rolling = (least([getattr(s, name) for s in surfaces]) or 0.0 for name in ("torsional", "rolling"))
        stiffness, damping = (in_series([getattr(s, name) for s in surfaces]) for name in ("stiffness", "damping"))
        dissipation = least([s.dissipation for s in surfaces])
        return Softness(
            (friction, friction * torsional, rolling), stiffness=stiffness, damping=damping, dissipation=dissipation
        )


def least(numbers: Sequence[float | None]) -> float | None:
    """Return the least of the numbers that are given, or None."""
    return min((x for x in numbers if x is not None), default=None)


def in_series(numbers: Sequence[float | None]) -> float | None:
    """Return the stiffness of springs in series, of which None is rigid; None if all are."""
    given = [x for x in numbers if x]
    return 1.0 / sum(1.0 / x for x in given) if given else None
