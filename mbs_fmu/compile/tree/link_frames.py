"""Frames of links that leave little between two hinges, as Denavit and Hartenberg choose them.

A hinge's link may be turned about its axis and slid along it: the turn is an offset of the angle, and the hinge moves
as before. Turned so that a child's axis lies in a plane of principal axes, a link spares the child one of its two
constant turns; slid along its own axis, it spares itself one component of its shift. Bodies keep their frames, which
then lie otherwise in their links. Hinges that parameters turn keep their frames, and so do those before them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ...lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, is_literal
from ...symbolic.rotations import by_parameters
from ...symbolic.spatial import PLANE
from ...symbolic.vectors import Vector
from .links import Frame, Link, Tree
from .rotations import elementary, planar_factors, quarters, rotate, snapped

TURN = 9  #: what a constant turn costs, in squares of components that a shift has
STEEP = 0.1  #: the least component of an axis by which a shift is slid away: with less, rounding would grow
ROUNDING = 1e-14  #: of a position's size, below which a component of it vanishes


@dataclass(frozen=True)
class _Move:
    """A hinge's frame slid along its axis (m), then turned about it (rad)."""

    axis: int
    slide: Expression
    angle: float

    def of(self, rotation: np.ndarray, position: Vector) -> tuple[np.ndarray, Vector]:
        """A frame that is given in the hinge's link, in the moved one."""
        back = elementary(self.axis, self.angle).T
        return snapped(back @ rotation), _rounded(rotate(back, position - Vector(np.eye(3)[self.axis]) * self.slide))


def choose_frames(tree: Tree) -> None:
    """Moves the frames of hinges' links where that spares turns or shifts, parents first; before links have masses."""
    children: list[list[Link]] = [[] for _ in tree.links]
    bodies: list[list[str]] = [[] for _ in tree.links]
    for link in tree.links:
        if link.parent >= 0:
            children[link.parent].append(link)
    for name, frame in tree.frames.items():
        if frame.link >= 0:
            bodies[frame.link].append(name)
    for i, link in enumerate(tree.links):
        if not _is_hinge(link) or any(by_parameters(child.rotation) for child in children[i]):
            continue
        move, link.position = _best(link, children[i])
        link.offset = move.angle
        for child in children[i]:
            child.rotation, child.position = move.of(child.rotation, child.position)
        for name in bodies[i]:
            frame = tree.frames[name]
            tree.frames[name] = Frame(i, *move.of(frame.rotation, frame.origin))


def _is_hinge(link: Link) -> bool:
    """Whether its frame may be moved: where parameters turn it, nothing is known of what that would spare."""
    return len(link.motions) == 1 and link.motions[0].motion.spins and not by_parameters(link.rotation)


def _best(link: Link, children: Sequence[Link]) -> tuple[_Move, Vector]:
    """The cheapest move, the first of equal ones, and where the link's origin lies then."""
    axis, slides = link.motions[0].axis, list(_slides(link, link.rotation, link.position))
    moves = [(_Move(axis, slide, angle), position) for position, slide in slides for angle in _angles(axis, children)]
    return min(moves, key=lambda found: _components(found[1]) + sum(_cost(found[0], child) for child in children))


def _cost(move: _Move, child: Link) -> int:
    """What stands between a moved link and its child, which may slide too."""
    rotation, position = move.of(child.rotation, child.position)
    turns, _ = planar_factors(rotation, child.motions[0] if child.motions else None)
    shift = min(_components(place) for place, _ in _slides(child, rotation, position))
    return shift + TURN * sum(quarters(angle) is None for _, angle in turns)


def _components(position: Vector) -> int:
    """The square of how many components there are: links whose shifts lack the same ones share code."""
    return sum(not is_literal(x, 0.0) for x in position) ** 2


def _slides(link: Link, rotation: np.ndarray, position: Vector) -> Iterator[tuple[Vector, Expression]]:
    """Where a link's origin may lie, and how far it is slid along its axis: not at all, or to a component's zero."""
    yield position, ZERO
    if _is_hinge(link):
        along = rotation[:, link.motions[0].axis]
        for k in range(3):
            if abs(along[k]) > STEEP and not is_literal(position[k], 0.0):
                slide = -position[k] / float(along[k])
                moved = position + Vector(along) * slide
                yield _rounded(Vector(ZERO if i == k else x for i, x in enumerate(moved))), slide


def _angles(axis: int, children: Sequence[Link]) -> Iterator[float]:
    """Turns about a hinge's axis that bring a child's axis, or its last turn's, into a plane of two principal axes."""
    yield 0.0
    b, d = PLANE[axis]
    for child in children:
        spins = bool(child.motions) and child.motions[0].motion.spins
        last = child.motions[0].axis if spins else 2
        v = child.rotation[:, last]
        if min(abs(v[b]), abs(v[d])) > ROUNDING:
            yield math.atan2(v[b], -v[d]) if last in (axis, d) else math.atan2(v[d], v[b])


def _rounded(position: Vector) -> Vector:
    """A position without components that are rounding."""
    size = max((abs(x.value) for x in position if is_literal(x)), default=0.0)
    return Vector(ZERO if is_literal(x) and abs(x.value) <= ROUNDING * size else x for x in position)
