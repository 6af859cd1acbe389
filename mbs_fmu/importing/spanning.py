"""Spanning trees of links and joints that form a graph; joints outside the tree close loops."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.items import WORLD


@dataclass(frozen=True)
class Edge:
    """A joint of the graph. cost: joints with a larger cost are rather cut."""

    name: str
    parent: str
    child: str
    cost: tuple[int, ...] = ()


@dataclass(frozen=True)
class Step:
    """A link of a spanning forest. joint: that leads to it, "" for a root. backward: it leads from child to parent."""

    link: str
    joint: str = ""
    backward: bool = False


@dataclass(frozen=True)
class Spanning:
    """A spanning forest: its links outward from the roots, and the other joints in the order of the file."""

    steps: list[Step] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)


def spanning(links: Sequence[str], grounded: Collection[str], edges: Sequence[Edge], cut: Collection[str]) -> Spanning:
    """Return a spanning forest of the least cost.

    links: in the order of the file, without the world. grounded: links that are fixed to the world. cut: joints that
    are not in the tree. Of joints with equal costs those that lead to a link that no earlier joint leads to are kept.
    """
    ends = {link: link for link in (WORLD, *links)} | dict.fromkeys(grounded, WORLD)

    def component(link: str) -> str:
        while ends[link] != link:
            ends[link] = link = ends[ends[link]]
        return link

    kept, led_to, second = set(), set(grounded), {}
    for edge in edges:
        second[edge.name] = edge.child in led_to
        led_to.add(edge.child)
    candidates = [edge for edge in edges if edge.name not in cut]
    for edge in sorted(candidates, key=lambda edge: (edge.cost, second[edge.name])):  # Kruskal's algorithm
        one, other = component(edge.parent), component(edge.child)
        if one != other:
            kept.add(edge.name)
            ends[one] = other
    found = Spanning(cut=[edge.name for edge in edges if edge.name not in kept])
    neighbours: dict[str, list[tuple[Edge, str, bool]]] = {}
    for edge in edges:
        if edge.name in kept:
            neighbours.setdefault(edge.parent, []).append((edge, edge.child, False))
            neighbours.setdefault(edge.child, []).append((edge, edge.parent, True))
    placed = {WORLD, *grounded}
    _grow(found, neighbours, placed, [WORLD, *(link for link in links if link in placed)])
    for link in (*(link for link in links if link not in led_to), *links):
        if link not in placed:
            found.steps.append(Step(link))
            placed.add(link)
            _grow(found, neighbours, placed, [link])
    return found


def _grow(
    found: Spanning, neighbours: dict[str, list[tuple[Edge, str, bool]]], placed: set[str], pending: list[str]
) -> None:
    """Add all joints that lead outward from links; `pending` grows meanwhile."""
    for link in pending:
        for edge, other, backward in neighbours.get(link, ()):
            if other not in placed:
                placed.add(other)
                found.steps.append(Step(other, edge.name, backward))
                pending.append(other)
