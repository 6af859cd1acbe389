"""Search for cheaper cuts: other choices of the joints that close a model's loops (docs/equations_loops.md, L8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...model.closures import PairClosure
from ...model.items import WORLD
from ...model.joints import Joint
from ...model.model import Model

WORTH_REPORTING = 0.7  #: largest ratio of a reported cost to the present cost
MOST_BODIES = 3000


@dataclass(frozen=True)
class Edge:
    """A joint between two bodies, of the tree or of a loop."""

    name: str
    ends: tuple[str, str]
    degrees_of_freedom: int
    rows: int  #: number of constraint rows if the joint is cut


def better_cuts(model: Model) -> list[str]:
    """Return messages that name cheaper cuts; none if the search over other trees finds none."""
    loops = [loop for loop in model.loops.values() if isinstance(loop, PairClosure)]
    joints = {loop.name: loop.pair for loop in loops if isinstance(loop.pair, Joint)}
    fixed = any(motion.degrees_of_freedom is None for body in model.bodies.values() for motion in body.joint.motions)
    if fixed or model.drives or model.rotors or model.followers:  # such joints cannot be cut
        return []
    if not joints or len(loops) < len(model.loops) or len(joints) < len(loops) or len(model.bodies) > MOST_BODIES:
        return []
    try:
        edges = [_edge(b.name, (b.parent, b.name), b.joint) for b in model.bodies.values()]
    except ModelError:  # a joint of the tree that cannot close a loop
        return []
    edges += [_edge(loop.name, (loop.a.body, loop.b.body), joints[loop.name]) for loop in loops]
    present = cost(edges, {e.name for e in edges[: len(model.bodies)]})
    best, tree = min(((cost(edges, tree), tree) for tree in _trees(edges)), key=lambda pair: pair[0])
    if best >= WORTH_REPORTING * present:
        return []
    cut = [name for name in model.bodies if name not in tree]
    left = [loop.name for loop in loops if loop.name in tree]
    return [
        f"other cuts are cheaper ({best} instead of {present} by the measure of open rows): cut the joint of "
        f"{_listed(cut)} and make {_listed(left)} joints of the tree instead; this changes the coordinates"
    ]


def _edge(name: str, ends: tuple[str, str], joint: Joint) -> Edge:
    return Edge(name, ends, len(joint.rates), len(joint.conditions(None, name).rows))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f", ... ({len(names)} in all)" if len(names) > 8 else "")


def cost(edges: Sequence[Edge], tree: set[str]) -> int:
    """Return the sum of m² + 6 m over the tree's joints, m the number of rows open at the joint."""
    parent: dict[str, tuple[str, Edge]] = {}
    depth = {WORLD: 0}
    reached = [WORLD]
    neighbours = _neighbours([e for e in edges if e.name in tree])
    for body in reached:
        for other, edge in neighbours.get(body, []):
            if other not in depth:
                depth[other] = depth[body] + 1
                parent[other] = (body, edge)
                reached.append(other)
    rows = dict.fromkeys(tree, 0)
    for edge in edges:
        if edge.name not in tree:
            a, b = edge.ends
            while a != b:
                if depth[a] < depth[b]:
                    a, b = b, a
                a, passed = parent[a]
                rows[passed.name] += edge.rows
    degrees_of_freedom = {e.name: e.degrees_of_freedom for e in edges}
    return sum(m * m + 6 * m for name, m in rows.items() if degrees_of_freedom[name])


def _neighbours(edges: Sequence[Edge]) -> dict[str, list[tuple[str, Edge]]]:
    neighbours: dict[str, list[tuple[str, Edge]]] = {}
    for edge in edges:
        for body, other in (edge.ends, edge.ends[::-1]):
            neighbours.setdefault(body, []).append((other, edge))
    return neighbours


def _trees(edges: Sequence[Edge]) -> list[set[str]]:
    """Return spanning trees by depth-first and breadth-first search, with edges in the given and the reversed order."""
    orders: list[Callable[[list[tuple[str, Edge]]], list[tuple[str, Edge]]]] = [list, lambda x: x[::-1]]
    neighbours = _neighbours(edges)
    return [_search(neighbours, order, deep) for order in orders for deep in (True, False)]


def _search(
    neighbours: dict[str, list[tuple[str, Edge]]],
    order: Callable[[list[tuple[str, Edge]]], list[tuple[str, Edge]]],
    deep: bool,
) -> set[str]:
    tree: set[str] = set()
    known = {WORLD}
    pending = order(neighbours.get(WORLD, []))
    while pending:
        body, edge = pending.pop() if deep else pending.pop(0)
        if body not in known:
            known.add(body)
            tree.add(edge.name)
            pending += order(neighbours[body])
    return tree
