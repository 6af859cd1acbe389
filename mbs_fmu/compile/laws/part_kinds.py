"""Kinds of parts of forces: parts of one kind differ in links, states and numbers only, and one of them is traced.

Numbers in which parts of a kind differ are variables of the trace. All subexpressions that consist of such numbers
become numbers of region `part_numbers`, in a block for each part.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import field
from itertools import islice

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...model.effects import Balls, Effect, Part
from ...model.items import Force
from ...model.references.kinds import A_NUMBER, Kind, kind_of
from ...model.references.leaves import PartNumber
from ...record.layout import Load
from ...symbolic.emit import shared
from ...symbolic.expressions import Expression, as_expression, is_condition, leaf
from ...symbolic.graph import evaluate_all, rebuild, topological
from ...symbolic.vectors import Vector
from ..tree.links import Tree

SHARED_FROM = 3  #: least number of different parts of a kind that share a trace


@dataclass(frozen=True)
class Placing:
    """Frame of a body in its link, as data of a kind: see `Frame`. moves: False in the world."""

    origin: Vector
    rotation: np.ndarray = field(metadata=A_NUMBER)
    moves: bool


@dataclass
class PartKind:
    """The parts of one kind. members: the numbers of all different ones, those of frames after those of the part."""

    members: dict[tuple[float, ...], None] = field(default_factory=dict)

    @property
    def is_shared(self) -> bool:
        """True if all parts share a trace; otherwise only parts with equal numbers do."""
        return len(self.members) >= SHARED_FROM

    def variables(self) -> list[Expression]:
        """Return a variable for each number, or the number itself if all parts have the same."""
        columns = zip(*self.members, strict=True)
        same = [len(set(column)) == 1 for column in columns]
        first = next(iter(self.members))
        pairs = enumerate(zip(first, same, strict=True))
        return [as_expression(x) if alike else leaf(PartNumber(k)) for k, (x, alike) in pairs]


@dataclass(frozen=True)
class KnownPart:
    """A part of a force with its kind. frames: those of its bodies."""

    part: Part
    kind: PartKind
    key: Hashable
    numbers: tuple[float, ...]
    frames: tuple[Kind, ...]

    @property
    def traced_as(self) -> Hashable:
        """Key of the parts with which it shares a trace."""
        return self.key if self.kind.is_shared else (self.key, self.numbers)

    def general(self) -> tuple[Effect, dict[str, tuple[Vector, np.ndarray]]]:
        """Return the effect with variables in place of numbers, and such origins and rotations of its bodies."""
        rest = iter(self.kind.variables())
        own, made = list(islice(rest, len(self.part.numbers))), self.part.with_numbers
        effect = self.part.effect() if made is None else made(own)
        places = [frame.with_numbers(rest) for frame in self.frames]
        return effect, {b: (x.origin, x.rotation) for b, x in zip(self.part.bodies, places, strict=True)}


class PartKinds:
    """The parts of all forces of a model, by their kinds."""

    def __init__(self, forces: Iterable[Force], tree: Tree):
        self._kinds: dict[Hashable, PartKind] = {}
        self._places: dict[str, Kind] = {}
        self._tree = tree
        self.parts = {force.name: list(force.parts()) for force in forces}
        self._known = {name: [self._of(part) for part in parts] for name, parts in self.parts.items()}
        bounds = (part.bound for parts in self.parts.values() for part in parts if part.bound is not None)
        of_bounds = (x for bound in bounds for x in (bound.centers if isinstance(bound, Balls) else [bound]))
        self._of_bounds = {key: self._of(part) for key, part in {id(part): part for part in of_bounds}.items()}

    def known(self, force: str) -> list[KnownPart | None]:
        """Return the parts of a force with their kinds; None for a part that no other part is like."""
        return self._known[force]

    def known_bound(self, part: Part) -> KnownPart | None:
        """Return the same of a part that is a bound of others, or a centre of such a bound."""
        return self._of_bounds[id(part)]

    def _of(self, part: Part) -> KnownPart | None:
        frames = tuple(self._place(body) for body in part.bodies)
        links = [self._tree.frames[body].link for body in part.bodies]
        keys = (part.key, part.bound is not None, *(frame.key for frame in frames))
        if None in keys or len(set(links)) < len(links):
            return None
        numbers = (*part.numbers, *(x for frame in frames for x in frame.numbers))
        kind = self._kinds.setdefault(keys, PartKind())
        kind.members[numbers] = None
        return KnownPart(part, kind, keys, numbers, frames)

    def _place(self, body: str) -> Kind:
        if body not in self._places:
            frame = self._tree.frames[body]
            self._places[body] = kind_of(Placing(frame.origin, frame.rotation, frame.link >= 0))
        return self._places[body]


class Blocks:
    """Region `part_numbers`: blocks of numbers, one for each part with other numbers."""

    def __init__(self) -> None:
        self.numbers: list[float] = []
        self._starts: dict[tuple[float, ...], int] = {}

    def place(self, block: tuple[float, ...]) -> int:
        """Return the offset of a block in the region."""
        if block not in self._starts:
            self._starts[block] = len(self.numbers)
            self.numbers += block
        return self._starts[block]


@dataclass(frozen=True)
class Block:
    """A block of numbers by formulas of `PartNumber`."""

    formulas: list[Expression]

    def values(self, numbers: Sequence[float]) -> tuple[float, ...]:
        """Return the numbers of the block of a part with these numbers."""
        return tuple(evaluate_all(self.formulas, lambda reference: numbers[reference.k]))


def with_block(roots: Sequence[Expression], place: Callable[[Block], int]) -> tuple[list[Expression], Block]:
    """Return formulas with the numbers of a block in place of the largest subexpressions of `PartNumber`.

    place: returns the offset of the block in the region.
    """
    roots = shared(roots)
    constant: set[Expression] = set()
    for node in topological(roots):
        own = node.op == "const" or node.op == "leaf" and isinstance(node.value, PartNumber)
        if own or node.args and all(arg in constant for arg in node.args):
            constant.add(node)
    found = _largest(roots, constant)
    block = Block(list(found))
    start = place(block)
    loads = {node: leaf(Load("R", "part_numbers", start + k), node.name) for k, node in enumerate(block.formulas)}
    return rebuild(roots, loads.get), block


def _largest(roots: Sequence[Expression], constant: set[Expression]) -> dict[Expression, None]:
    """Return the largest constant formulas that are no literals, in a fixed order.

    A condition is no number; the opposite of a number needs no place of its own.
    """
    found: dict[Expression, None] = {}
    seen: set[Expression] = set()
    waiting = list(reversed(roots))
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node in constant and node.op != "neg" and not is_condition(node):
            if node.op != "const":
                found[node] = None
        else:
            waiting += reversed(node.args)
    return found
