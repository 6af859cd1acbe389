"""Whether other cuts of the loops would make a model cheaper (docs/equations_loops.md, L8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...errors import ModelError
from ...lazy_dataclasses import dataclass
from ...model.closures import PairClosure
from ...model.items import WORLD
from ...model.joints import Joint
from ...model.model import Model

WORTH_TELLING = 0.7  #: of the present cost
MOST_BODIES = 3000


@dataclass(frozen=True)
class Edge:
    """A joint between two bodies, whether the tree has it or a loop."""

    name: str
    ends: tuple[str, str]
    degrees_of_freedom: int
    rows: int  #: conditions where it is cut


def better_cuts(model: Model) -> list[str]:
    """A line that names cheaper cuts, where a search along other trees finds some."""
    loops = [loop for loop in model.loops.values() if isinstance(loop, PairClosure)]
    joints = {loop.name: loop.pair for loop in loops if isinstance(loop.pair, Joint)}
    fixed = any(motion.degrees_of_freedom is None for body in model.bodies.values() for motion in body.joint.motions)
    if fixed or model.drives or model.rotors or model.followers:  # joints that can't be cut
        return []
    if not joints or len(loops) < len(model.loops) or len(joints) < len(loops) or len(model.bodies) > MOST_BODIES:
        return []
    try:
        edges = [_edge(b.name, (b.parent, b.name), b.joint) for b in model.bodies.values()]
    except ModelError:  # a joint of the tree that is none of a loop
        return []
    edges += [_edge(loop.name, (loop.a.body, loop.b.body), joints[loop.name]) for loop in loops]
    told = cost(edges, {e.name for e in edges[: len(model.bodies)]})
    best, tree = min(((cost(edges, tree), tree) for tree in _trees(edges)), key=lambda pair: pair[0])
    if best >= WORTH_TELLING * told:
        return []
    cut = [name for name in model.bodies if name not in tree]
    left = [loop.name for loop in loops if loop.name in tree]
    return [
        f"other cuts are cheaper ({best} instead of {told} by the measure of open rows): cut the joint of "
        f"{_listed(cut)}, and hang the tree on {_listed(left)} instead; coordinates change with that"
    ]


def _edge(name: str, ends: tuple[str, str], joint: Joint) -> Edge:
    return Edge(name, ends, len(joint.rates), len(joint.conditions(None, name).rows))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f", ... ({len(names)} in all)" if len(names) > 8 else "")


def cost(edges: Sequence[Edge], tree: set[str]) -> int:
    """Sum over the tree's joints of m² + 6 m, m the rows open there."""
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
    out: dict[str, list[tuple[str, Edge]]] = {}
    for edge in edges:
        for here, there in (edge.ends, edge.ends[::-1]):
            out.setdefault(here, []).append((there, edge))
    return out


def _trees(edges: Sequence[Edge]) -> list[set[str]]:
    """Spanning trees by searches in depth and breadth, with the edges as told and the other way round."""
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
    waiting = order(neighbours.get(WORLD, []))
    while waiting:
        body, edge = waiting.pop() if deep else waiting.pop(0)
        if body not in known:
            known.add(body)
            tree.add(edge.name)
            waiting += order(neighbours[body])
    return tree
