"""Exchange of values at communication points, in the order of direct feedthrough, whatever the order of elements.

An output is read after the inputs on which it depends without a delay are set. Variables that depend on each other in a
circle form a loop, whose inputs are found by Newton's method.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..run.errors import SimulationError
from .description import REAL, Description, Slot, Variable
from .participant import Block, Participant

MOST_ITERATIONS = 20  #: of Newton's method
CLOSE = 1e-10  #: largest residual of a loop, relative to the values
SHIFT = 1e-6  #: of inputs, relative to their size, for derivatives by differences
SINGULAR = 1e-7  #: singular values of a Jacobian, relative to the largest one, that count as zero
FALL = 0.25  #: of the residual from step to step, with which a Jacobian is kept


class Link(NamedTuple):
    """A connection of scalars: the target gets factor x + offset."""

    source: tuple[str, Slot]
    target: tuple[str, Slot]
    factor: float = 1.0
    offset: float = 0.0

    @property
    def is_continuous(self) -> bool:
        """True if the values change continuously, so that an input may follow them within a step."""
        return self.source[1].variable.is_continuous and self.target[1].variable.is_continuous

    @property
    def is_sample(self) -> bool:
        """True if an input that may change at events only gets values that change continuously."""
        return self.source[1].variable.is_continuous and not self.target[1].variable.is_continuous

    @property
    def nodes(self) -> tuple[Node, Node]:
        """The variables at both ends."""
        return tuple((name, slot.variable.name) for name, slot in (self.source, self.target))  # type: ignore[return-value]


Node = tuple[str, str]  #: element and variable


def label(end: tuple[str, Slot]) -> str:
    """Return "element.variable" of an end of a link."""
    return f"{end[0]}.{end[1].name}"


class Stage(Protocol):
    """A part of an exchange: `places` has, for each of its links, the buffer of the input and its place there."""

    @property
    def places(self) -> list[tuple[Any, int]]: ...

    def run(self) -> None:
        """Pass values."""

    def read(self) -> None:
        """Read the values without passing them."""


class Ends:
    """One end of several links: the blocks of their variables, and for each link a buffer and its place there."""

    def __init__(self, participants: Mapping[str, Participant], ends: Sequence[tuple[str, Slot]]):
        self.blocks: list[Block] = []
        by_element: dict[str, dict[str, Variable]] = {}
        for name, slot in ends:
            by_element.setdefault(name, {})[slot.variable.name] = slot.variable
        found: dict[Node, tuple[Block, int]] = {}
        for name, variables in sorted(by_element.items()):
            for block in participants[name].blocks([variables[v] for v in sorted(variables)]):
                self.blocks.append(block)
                for variable in block.variables:
                    found[name, variable.name] = block, block.start(variable)
        places = ((*found[name, slot.variable.name], slot.place) for name, slot in ends)
        self.places = [(block.values, start + place) for block, start, place in places]

    def read(self) -> None:
        """Read the variables of the FMUs."""
        for block in self.blocks:
            block.read()

    def write(self) -> None:
        """Set the variables of the FMUs."""
        for block in self.blocks:
            block.write()


class Move:
    """Links whose values are passed together: all outputs are read, then all inputs are set."""

    def __init__(self, participants: Mapping[str, Participant], links: Sequence[Link]):
        self._sources = Ends(participants, [link.source for link in links])
        self._targets = Ends(participants, [link.target for link in links])
        for block in self._targets.blocks:
            if block.variables[0].is_array:
                block.read()  # elements that no link sets keep their values
        ends = zip(self._sources.places, self.places, links, strict=True)
        self._pairs = [(a, i, b, j, link.factor, link.offset) for (a, i), (b, j), link in ends]
        self._is_plain = all((link.factor, link.offset) == (1.0, 0.0) for link in links)

    @property
    def places(self) -> list[tuple[Any, int]]:
        """The buffer of each link's input, and its place there."""
        return self._targets.places

    def read(self) -> None:
        """Read the outputs, and convert their values to those of the inputs."""
        self._sources.read()
        if self._is_plain:
            for a, i, b, j, _, _ in self._pairs:
                b[j] = a[i]
        else:
            for a, i, b, j, factor, offset in self._pairs:
                b[j] = a[i] if factor == 1.0 and offset == 0.0 else factor * a[i] + offset

    @property
    def values(self) -> list[float]:
        """The values for the inputs, in the order of the links."""
        return [b[j] for b, j in self.places]

    def set(self, values: Iterable[float]) -> None:
        """Set the inputs to these values."""
        for (b, j), value in zip(self.places, values, strict=True):
            b[j] = value
        self._targets.write()

    def run(self) -> None:
        """Pass the values."""
        self.read()
        self._targets.write()


class Loop:
    """Links in a circle of direct feedthrough, solved by Newton's method with a Jacobian by differences."""

    def __init__(self, participants: Mapping[str, Participant], links: Sequence[Link]):
        self._move, self._links = Move(participants, links), links
        self._solve: np.ndarray | None = None  #: inverse Jacobian of the residual
        self._nominal = np.array([max(link.target[1].variable.nominal, 1e-300) for link in links])

    @property
    def places(self) -> list[tuple[Any, int]]:
        """The buffer of each link's input, and its place there."""
        return self._move.places

    def read(self) -> None:
        """Read the outputs."""
        self._move.read()

    def _residual(self, u: np.ndarray) -> np.ndarray:
        """Set the inputs, and return what their sources give less these inputs."""
        self._move.set(u.tolist())
        self._move.read()
        found: np.ndarray = np.asarray(self._move.values, dtype=float) - u
        return found

    def run(self) -> None:
        """Find inputs that agree with the outputs. Raises SimulationError if there are none near the last ones."""
        self._move.read()
        u = np.array(self._move.values, dtype=float)
        r = self._residual(u)
        for count in range(MOST_ITERATIONS):
            scale = np.maximum(self._nominal, np.abs(u))
            if np.all(np.abs(r) <= CLOSE * scale):
                return
            if self._solve is None:
                self._solve = self._inverse(u, r, scale)
            before = np.max(np.abs(r) / scale)
            u = u - self._solve @ r
            r = self._residual(u)
            if not np.max(np.abs(r) / scale) <= FALL * before and count % 2:
                self._solve = None
            if not np.all(np.isfinite(r)):
                break
        self._refuse(r)

    def _inverse(self, u: np.ndarray, r: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Return the inverse of the Jacobian; directions in which inputs hardly matter are left out."""
        columns = []
        for k, size in enumerate(SHIFT * scale):
            shifted = u.copy()
            shifted[k] += size
            columns.append((self._residual(shifted) - r) / scale * (scale[k] / (shifted[k] - u[k])))
        relative = np.linalg.pinv(np.stack(columns, axis=1), rcond=SINGULAR)
        return np.asarray(scale[:, None] * relative / scale)

    def _refuse(self, r: np.ndarray) -> None:
        names = sorted({label(link.source) for link in self._links})
        worst = float(np.max(np.abs(r)))
        raise SimulationError(
            f"the outputs {', '.join(map(repr, names[:-1]))} and {names[-1]!r} depend on each other without a delay, "
            f"and their values do not converge (residual {worst:.2g}): put a state or a sample into one of them"
        )


@dataclass
class Plan:
    """Stages of an exchange, in order, and the links of loops of direct feedthrough."""

    stages: list[list[Link]]
    loops: list[bool]

    def opened(self, participants: Mapping[str, Participant]) -> list[Stage]:
        """Return the stages between open participants."""
        pairs = zip(self.stages, self.loops, strict=True)
        return [(Loop if is_loop else Move)(participants, links) for links, is_loop in pairs]


def planned(links: Sequence[Link], descriptions: Mapping[str, Description]) -> Plan:
    """Return the plan of an exchange, which does not depend on the order of the links and elements.

    Raises SimulationError for a loop of values that are no real numbers.
    """
    links = sorted(links, key=lambda link: (label(link.target), label(link.source)))
    after = successors(links, descriptions)
    circle = circles(after)
    rank = ranks(after, circle)
    plan = Plan([], [])
    for level in sorted({rank[circle[link.nodes[0]]] for link in links}):
        here = [link for link in links if rank[circle[link.nodes[0]]] == level]
        inner = [link for link in here if circle[link.nodes[0]] == circle[link.nodes[1]]]
        for number in sorted({circle[link.nodes[0]] for link in inner}):
            loop = [link for link in inner if circle[link.nodes[0]] == number]
            require_real(loop)
            plan.stages.append(loop)
            plan.loops.append(True)
        rest = [link for link in here if link not in inner]
        if rest:
            plan.stages.append(rest)
            plan.loops.append(False)
    return plan


def require_real(links: Sequence[Link]) -> None:
    """Raise SimulationError if a loop passes values other than real numbers."""
    other = next((link for link in links if link.target[1].variable.kind != REAL), None)
    if other is not None:
        raise SimulationError(
            f"{label(other.source)!r} and {label(other.target)!r} are in a loop of outputs that depend on each other "
            f"without a delay, and pass a value of type {other.target[1].variable.kind}: put a sample into one of them"
        )


def successors(links: Sequence[Link], descriptions: Mapping[str, Description]) -> dict[Node, list[Node]]:
    """Return the nodes that depend directly on each node: by links, and by feedthrough within elements."""
    after: dict[Node, list[Node]] = {}
    inputs: dict[str, list[str]] = {}
    for link in links:
        source, target = link.nodes
        after.setdefault(source, [])
        after.setdefault(target, [])
        if target not in after[source]:
            after[source].append(target)
        inputs.setdefault(target[0], []).append(target[1])
    for name, variable in sorted({link.nodes[0] for link in links}):
        for other in sorted(descriptions[name].inputs_of(variable).intersection(inputs.get(name, ()))):
            after[name, other].append((name, variable))
    return after


def circles(after: Mapping[Node, Sequence[Node]]) -> dict[Node, int]:
    """Return the number of the strongly connected component of each node (Kosaraju's algorithm)."""
    order: list[Node] = []
    seen: set[Node] = set()
    for first in sorted(after):
        _visit(first, after, seen, order)
    before: dict[Node, list[Node]] = {node: [] for node in after}
    for node in after:
        for other in after[node]:
            before[other].append(node)
    circle: dict[Node, int] = {}
    seen = set()
    for number, first in enumerate(reversed(order)):
        members: list[Node] = []
        _visit(first, before, seen, members)
        circle |= dict.fromkeys(members, number)
    return circle


def _visit(first: Node, after: Mapping[Node, Sequence[Node]], seen: set[Node], order: list[Node]) -> None:
    """Append what is reached from a node and not seen before, each after what it leads to."""
    if first in seen:
        return
    seen.add(first)
    path = [(first, iter(sorted(after[first])))]
    while path:
        other = next((x for x in path[-1][1] if x not in seen), None)
        if other is None:
            order.append(path.pop()[0])
        else:
            seen.add(other)
            path.append((other, iter(sorted(after[other]))))


def ranks(after: Mapping[Node, Sequence[Node]], circle: Mapping[Node, int]) -> dict[int, int]:
    """Return for each component the length of the longest path that leads to it.

    Kosaraju numbers the components such that each leads to later numbers only.
    """
    rank = dict.fromkeys(circle.values(), 0)
    for node in sorted(after, key=lambda node: circle[node]):
        for other in after[node]:
            if circle[other] != circle[node]:
                rank[circle[other]] = max(rank[circle[other]], rank[circle[node]] + 1)
    return rank
