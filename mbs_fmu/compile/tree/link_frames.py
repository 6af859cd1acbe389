"""Choice of link frames with the least transformations between two hinges, as by Denavit and Hartenberg.

The frame of a hinge's link may be rotated about the hinge's axis and translated along it. The rotation becomes an
offset of the angle; the motion is unchanged. A rotation that brings a child's axis into a plane of principal axes saves
the child one of its two constant rotations. A translation saves the link one component of its shift. Body frames do
not change; their positions relative to the links do. A hinge keeps its frame if its constant rotation, or that of a
child, depends on parameters.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, is_literal
from ...symbolic.rotations import by_parameters
from ...symbolic.spatial import PLANE
from ...symbolic.vectors import Vector
from .links import Frame, Link, Tree
from .rotations import elementary, planar_factors, quarters, rotate, snapped

TURN = 9  #: cost of a constant rotation, in squares of the number of components of a shift
STEEP = 0.1  #: smallest component of an axis that may eliminate a shift: smaller ones would amplify rounding
ROUNDING = 1e-14  #: share of a position's size below which a component is zero


@dataclass(frozen=True)
class _Move:
    """Translation of a hinge's frame along its axis (m), followed by a rotation about it (rad)."""

    axis: int
    slide: Expression
    angle: float

    def of(self, rotation: np.ndarray, position: Vector) -> tuple[np.ndarray, Vector]:
        """Convert a frame from the hinge's link to the moved link."""
        back = elementary(self.axis, self.angle).T
        return snapped(back @ rotation), _rounded(rotate(back, position - Vector(np.eye(3)[self.axis]) * self.slide))


def with_chosen_frames(tree: Tree) -> Tree:
    """Return the tree with hinges' link frames moved if that saves rotations or shifts, parents first.

    Links must not have masses yet.
    """
    links, frames = [copy.copy(link) for link in tree.links], dict(tree.frames)
    children: list[list[Link]] = [[] for _ in links]
    bodies: list[list[str]] = [[] for _ in links]
    for link in links:
        if link.parent >= 0:
            children[link.parent].append(link)
    for name, frame in frames.items():
        if frame.link >= 0:
            bodies[frame.link].append(name)
    for i, link in enumerate(links):
        if not _is_hinge(link) or any(by_parameters(child.rotation) for child in children[i]):
            continue
        move, link.position = _best(link, children[i])
        link.offset = move.angle
        for child in children[i]:
            child.rotation, child.position = move.of(child.rotation, child.position)
        for name in bodies[i]:
            frames[name] = Frame(i, *move.of(frames[name].rotation, frames[name].origin))
    return replace(tree, links=links, frames=frames)


def _is_hinge(link: Link) -> bool:
    """True if the frame may be moved: a hinge whose rotation does not depend on parameters."""
    return len(link.motions) == 1 and link.motions[0].motion.spins and not by_parameters(link.rotation)


def _best(link: Link, children: Sequence[Link]) -> tuple[_Move, Vector]:
    """Return the cheapest move (the first of equal ones) and the resulting position of the link's origin."""
    axis, slides = link.motions[0].axis, list(_slides(link, link.rotation, link.position))
    moves = [(_Move(axis, slide, angle), position) for position, slide in slides for angle in _angles(axis, children)]
    return min(moves, key=lambda x: _components(x[1]) + sum(_cost(x[0], child) for child in children))


def _cost(move: _Move, child: Link) -> int:
    """Return the cost of the transformations between a moved link and its child, which may be translated too."""
    rotation, position = move.of(child.rotation, child.position)
    turns, _ = planar_factors(rotation, child.motions[0] if child.motions else None)
    shift = min(_components(moved) for moved, _ in _slides(child, rotation, position))
    return shift + TURN * sum(quarters(angle) is None for _, angle in turns)


def _components(position: Vector) -> int:
    """Return the square of the number of nonzero components; links with the same zero components share code."""
    return sum(not is_literal(x, 0.0) for x in position) ** 2


def _slides(link: Link, rotation: np.ndarray, position: Vector) -> Iterator[tuple[Vector, Expression]]:
    """Yield possible positions of a link's origin, each with the translation along the axis that leads there."""
    yield position, ZERO
    if _is_hinge(link):
        along = rotation[:, link.motions[0].axis]
        for k in range(3):
            if abs(along[k]) > STEEP and not is_literal(position[k], 0.0):
                slide = -position[k] / float(along[k])
                moved = position + Vector(along) * slide
                yield _rounded(Vector(ZERO if i == k else x for i, x in enumerate(moved))), slide


def _angles(axis: int, children: Sequence[Link]) -> Iterator[float]:
    """Yield rotations about a hinge's axis that bring a child's axis, or its last rotation's, to a principal plane."""
    yield 0.0
    b, d = PLANE[axis]
    for child in children:
        spins = bool(child.motions) and child.motions[0].motion.spins
        last = child.motions[0].axis if spins else 2
        v = child.rotation[:, last]
        if min(abs(v[b]), abs(v[d])) > ROUNDING:
            yield math.atan2(v[b], -v[d]) if last in (axis, d) else math.atan2(v[d], v[b])


def _rounded(position: Vector) -> Vector:
    """Return a position with components of the size of rounding set to zero."""
    size = max((abs(x.value) for x in position if is_literal(x)), default=0.0)
    return Vector(ZERO if is_literal(x) and abs(x.value) <= ROUNDING * size else x for x in position)
