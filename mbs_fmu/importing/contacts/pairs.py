"""Pairs of collision shapes that a file lets touch, and the choice among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field

import numpy as np

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.names import listed
from ...infrastructure.progress import Bar
from ...model.bodies.mesh_files import spread_directions
from ...model.forces.contact_shapes import MOST_VERTICES
from ...model.forces.impedance import SOLIMP, SOLREF
from ...model.items import WORLD
from .options import FileContacts
from .reach import Bounds, above_plane, bounds_of, overlap, touching_poses
from .touching import Rounded, Touching
from .tree import Poses, Tree

AT_ONCE = 500  #: poses that are compared at once
DIRECTIONS = 1000  #: along which the overlap of two shapes is measured


@dataclass(frozen=True)
class Softness:
    """How a pair touches in the file. solref, solimp: as in MuJoCo. friction: sliding, torsional (m), rolling (m).

    hardness: factor of the stiffness at rest in MuJoCo, other than one for its pyramidal friction cones. margin: m,
    distance at which the force begins. stiffness (N/m), damping (N.s/m), dissipation (s/m): of files that give them,
    else None.
    """

    friction: tuple[float, float, float]
    solref: tuple[float, float] = SOLREF
    solimp: tuple[float, ...] = SOLIMP
    hardness: float = 1.0
    margin: float = 0.0
    stiffness: float | None = None
    damping: float | None = None
    dissipation: float | None = None


@dataclass(frozen=True)
class FilePair:
    """Two collision shapes that may touch."""

    a: Touching
    b: Touching
    softness: Softness

    @property
    def kind(self) -> str:
        """Kinds of both shapes, in alphabetical order."""
        return "-".join(sorted((self.a.kind, self.b.kind)))

    @property
    def names(self) -> str:
        """The names of both shapes, for notes."""
        return f"{self.a.name} with {self.b.name}"


@dataclass
class Choice:
    """The choice of pairs of a robot; reasons of pairs that are left out become notes.

    note: receives the notes. deepest: overlap at the start, in sizes of the smaller shape, above which a pair is left
    out.
    """

    tree: Tree
    options: FileContacts
    note: Callable[[str], None]
    deepest: float
    hulls: dict[str, tuple[Rounded, Bounds] | None] = field(default_factory=dict)

    def of(self, pairs: Sequence[FilePair]) -> list[FilePair]:
        """Return the chosen pairs: without those that can't touch, or that overlap at the start."""
        if self.options.pairs != "all":
            on_ground = [pair for pair in pairs if self._on_ground(pair)]
            far = len(pairs)
            if self.options.pairs == "ground":
                pairs = on_ground
                self._note_far(far - len(pairs), "that are not with the world")
            else:
                pairs = list(self._within_reach(pairs))
                self._note_far(far - len(pairs), f"that touch at none of {self.options.poses} poses")
        deep = [pair for pair in pairs if self._starts_deep(pair)]
        if deep:
            names = listed([pair.names for pair in deep])
            by = " by more than a tenth of a shape" if self.deepest else ""
            self.note(f"left out: {len(deep)} pairs that overlap at the start{by} ({names})")
        return [pair for pair in pairs if pair not in deep]

    def _note_far(self, count: int, why: str) -> None:
        if count:
            self.note(f"left out: {count} pairs {why}; contacts='all' adds them")

    def _on_ground(self, pair: FilePair) -> bool:
        return WORLD in (self.tree.parts[pair.a.body], self.tree.parts[pair.b.body])

    # -- reach ---------------------------------------------------------------------------------------------
    def _within_reach(self, pairs: Sequence[FilePair]) -> Iterator[FilePair]:
        """Yield the pairs that can touch."""
        with Bar(f"reach of {self.tree.model.name}", len(pairs), "pair") as bar:
            for pair in pairs:
                if self._reaches(pair):
                    yield pair
                bar.update()

    def _reaches(self, pair: FilePair) -> bool:
        """Return whether two shapes belong to trees that move freely relative to each other, or touch at some pose."""
        roots = self.tree.roots[pair.a.body], self.tree.roots[pair.b.body]
        if roots[0] != roots[1] and any(map(self.tree.is_free, roots)):
            return True
        count = self.options.poses
        return any(self._touches(pair, slice(k, k + AT_ONCE)) for k in range(0, count, AT_ONCE))

    def _touches(self, pair: FilePair, some: slice) -> bool:
        """Return whether two shapes touch at some of the random poses. Shapes without a hull always do."""
        frames = [tuple(x[some] for x in self._poses[shape.body]) for shape in (pair.a, pair.b)]
        hulls = [self._hull(shape) for shape in (pair.a, pair.b)]
        bounds = [None if hull is None else hull[1] for hull in hulls]
        margin = pair.softness.margin
        a, b = bounds
        if a is not None and b is not None:
            return bool(touching_poses(a, frames[0], b, frames[1], margin).any())  # type: ignore[arg-type]
        planes = [k for k, shape in enumerate((pair.a, pair.b)) if shape.kind == "plane"]
        if not planes or bounds[1 - planes[0]] is None:
            return True
        plane, other = (pair.a, pair.b)[planes[0]], bounds[1 - planes[0]]
        place, turned = plane.frame
        x, R = frames[planes[0]]
        surface = x + R @ place, R @ turned
        return bool((above_plane(surface, other, frames[1 - planes[0]]) < margin).any())  # type: ignore[arg-type]

    @cached_property
    def _poses(self) -> Poses:
        return self.tree.poses(self.tree.random_coordinates(self.options.poses), self.options.poses)

    def _hull(self, shape: Touching) -> tuple[Rounded, Bounds] | None:
        """Return the rounded hull of a shape and the box about it; None for planes and unknown shapes."""
        if shape.name not in self.hulls:
            hull = shape.rounded(MOST_VERTICES)
            self.hulls[shape.name] = None if hull is None else (hull, bounds_of(hull, shape.frame[1]))
        return self.hulls[shape.name]

    # -- start ---------------------------------------------------------------------------------------------
    @cached_property
    def _start(self) -> Poses:
        return self.tree.poses({}, 1)

    def _starts_deep(self, pair: FilePair) -> bool:
        """Return whether two shapes with hulls overlap at the start too deeply."""
        hulls = [hull for shape in (pair.a, pair.b) if (hull := self._hull(shape)) is not None]
        if len(hulls) < 2:
            return False
        (a, b), boxes = zip(*hulls, strict=True)
        frames = [self._start[shape.body] for shape in (pair.a, pair.b)]
        if not touching_poses(boxes[0], frames[0], boxes[1], frames[1], 0.0).any():
            return False
        axes = [(R[0] @ box.rotation).T for (_, R), box in zip(frames, boxes, strict=True)]
        ways = np.concatenate([axes[0], -axes[0], axes[1], -axes[1], spread_directions(DIRECTIONS)])
        size = min(2.0 * (box.half.min() + box.radius) for box in boxes)
        return bool(overlap(a, frames[0], b, frames[1], ways) > self.deepest * size)


def shared(names: Iterable[str]) -> str:
    """Return kinds with their numbers, the most frequent ones first: "plane-box 19, box-box 3"."""
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count}" for name, count in ordered)
