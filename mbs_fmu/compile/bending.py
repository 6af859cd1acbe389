"""Where the numbers of elastic bodies lie: those of their modes in region `shapes`, room for them in `elastic`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..elastic.frames import Node
from ..elastic.modes import Modes
from ..model.elastic_parts import Elastic
from ..record.layout import INERTIA, BentBlock
from .tree import Tree

WORLD_LINK = -1


@dataclass
class Bent:
    """The elastic bodies of a tree, and their nodes, by links."""

    links: list[int] = field(default_factory=list)
    elastic_index: list[int] = field(default_factory=list)  #: of each link its block in region `elastic`
    shapes_index: list[int] = field(default_factory=list)  #: and its numbers in region `shapes`
    seats: list[int] = field(default_factory=list)  #: of each link how many nodes its modes move
    numbers: list[float] = field(default_factory=list)  #: region `shapes`
    size: int = 0  #: of region `elastic`

    def tables(self, parent: Sequence[int], first_rate: Sequence[int]) -> dict[str, list[int]]:
        """For the kernels; `first_rate`: of each link."""

        def of_parent(values: Sequence[int]) -> list[int]:
            return [0 if up == WORLD_LINK else values[up] for up in parent]

        return {
            "BENT_LINKS": self.links, "ELASTIC_INDEX": self.elastic_index, "SHAPES_INDEX": self.shapes_index,
            "SEATS": self.seats, "ELASTIC_PARENT": of_parent(self.elastic_index), "U_PARENT": of_parent(first_rate),
        }  # fmt: skip


def bent_of(tree: Tree) -> Bent:
    """The elastic bodies of a tree; bodies with the same modes share their numbers."""
    n = len(tree.links)
    out = Bent(elastic_index=[0] * n, shapes_index=[0] * n, seats=[0] * n)
    known: dict[tuple[int, str | None], int] = {}
    for i, link in enumerate(tree.links):
        if link.elastic is not None:
            _add_body(out, known, i, link.elastic)
        elif link.seat is not None:
            owner = tree.links[link.parent].elastic
            assert owner is not None
            modes, place = owner.modes, _order(owner).index(link.seat)
            out.elastic_index[i] = out.elastic_index[link.parent] + BentBlock.seat(modes.count, place)
            out.shapes_index[i] = out.shapes_index[link.parent] + own_numbers(modes.count)
            out.shapes_index[i] += place * node_numbers(modes.count)
    return out


def _add_body(out: Bent, known: dict[tuple[int, str | None], int], i: int, elastic: Elastic) -> None:
    modes, order = elastic.modes, _order(elastic)
    key = id(modes), elastic.root
    if key not in known:
        known[key] = len(out.numbers)
        out.numbers += np.concatenate([_own(modes), *(_of_node(modes.node(name)) for name in order)]).tolist()
    out.links.append(i)
    out.shapes_index[i] = known[key]
    out.elastic_index[i], out.seats[i] = out.size, len(order)
    out.size += BentBlock.total(modes.count, len(order))


def _order(elastic: Elastic) -> list[str]:
    """The nodes, the root first."""
    return ([] if elastic.root is None else [elastic.root]) + elastic.seats


def modal_masses(n: int) -> int:
    """Where Me begins among a body's numbers; K follows."""
    return 6 * n + 9 * n * n


def own_numbers(n: int) -> int:
    """How many numbers n modes have without those of nodes."""
    return 8 * n + 10 * n * n


def node_numbers(n: int) -> int:
    return 3 + 6 * n + 6 * n * n


def _own(modes: Modes) -> np.ndarray:
    """J1, J2, C1, Me, K, D as kernels/bending.py reads them: coordinates before rates."""
    upper = tuple(np.array(INERTIA).T)
    inertia = modes.inertia
    parts = (inertia.J1[upper], inertia.J2[upper], inertia.C1, np.diag(inertia.Me), np.diag(modes.stiffness))
    return np.concatenate([part.ravel() for part in (*parts, modes.damping_matrix)])


def _of_node(node: Node) -> np.ndarray:
    return np.concatenate([node.place, node.Y1.ravel(), node.Y2.ravel()])
