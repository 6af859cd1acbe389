"""Structure of the elimination of constraint rows, and its cost (docs/equations_loops.md, L7).

The root of a loop is the lowest common ancestor of the links on which its rows act, its ends. A row is open at every
joint between its ends and the root. At the root it is eliminated together with the other rows of its loop. The tree
alone determines the blocks of S and the order in which loops with a common root are eliminated.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.lazy_dataclasses import dataclass
from ...record.tables import End, Frontal, Later, LinksOfLoop, LoopPair, Open, Pair, Rooted, SwitchedRow, Update, flat
from ..tree.coupled_joints import lowest_common
from ..tree.links import WORLD_LINK


@dataclass(frozen=True)
class Cut:
    """A loop in the tree: its number of rows, the links (-1: the world) on which they act, whether it has modes."""

    name: str
    rows: int
    ends: frozenset[int]
    has_modes: bool = False


@dataclass
class Cuts:
    """All loops of a tree.

    `parent` and `rates` are the parent and the number of joint velocities of each link. `elastic` contains the links of
    elastic bodies: a row that joins two nodes of one such body is open there too, because it acts on the body's modes.
    """

    parent: Sequence[int]
    rates: Sequence[int]
    cuts: Sequence[Cut]
    elastic: Collection[int] = ()
    roots: list[int] = field(init=False)
    at: list[set[int]] = field(init=False)  #: loops that have rows at each link; the world is last

    def __post_init__(self) -> None:
        self.roots = [self._root(cut) for cut in self.cuts]
        self.at = [set() for _ in range(len(self.parent) + 1)]
        for c, cut in enumerate(self.cuts):
            for end in cut.ends:
                for link in self.path(end, self.roots[c]):
                    self.at[link].add(c)

    def path(self, link: int, root: int) -> list[int]:
        """Return the link, its parent and so on up to a link inboard of it or the world."""
        links = [link]
        while links[-1] != root:
            links.append(self.parent[links[-1]])
        return links

    def _root(self, cut: Cut) -> int:
        root = lowest_common(cut.ends, self.parent)
        while root in self.elastic:
            root = self.parent[root]
        return root

    def open(self, link: int) -> list[int]:
        """Return the loops that are open at the link's joint, in the order of their elimination."""
        return [c for c in self.present(link) if self.roots[c] != link]

    def is_node(self, link: int) -> bool:
        """True for a node of an elastic body."""
        return self.parent[link] in self.elastic

    def present(self, link: int) -> list[int]:
        return sorted(self.at[link], key=self.position.__getitem__)

    # -- order of elimination ------------------------------------------------------------------------
    @cached_property
    def _elimination(self) -> tuple[list[int], list[set[int]]]:
        """The loops in the order of their elimination, and the neighbours of each that remain at that point.

        Loops with the outermost roots come first. Among loops with one root, those with constraint modes come last, so
        that released ones cost nothing. Among the rest, the loop with the fewest neighbours in S comes first.
        """
        adjacent: list[set[int]] = [set() for _ in self.cuts]
        for link in range(len(self.parent)):
            together = {c for c in self.at[link] if self.roots[c] != link}
            for c in together:
                adjacent[c] |= together - {c}
        order: list[int] = []
        later: list[set[int]] = [set() for _ in self.cuts]
        by_root: dict[int, list[int]] = {}
        for c, root in enumerate(self.roots):
            by_root.setdefault(root, []).append(c)
        for link in range(len(self.parent) - 1, WORLD_LINK - 1, -1):
            waiting = set(by_root.get(link, ()))
            queue = [(self.cuts[c].has_modes, len(adjacent[c]), c) for c in waiting]
            heapq.heapify(queue)
            while queue:
                _, neighbours, c = heapq.heappop(queue)
                if c not in waiting or neighbours != len(adjacent[c]):
                    continue  # its number of neighbours has changed: another entry has the present one
                waiting.remove(c)
                order.append(c)
                later[c] = adjacent[c]
                for d in adjacent[c]:
                    adjacent[d] |= adjacent[c]
                    adjacent[d] -= {c, d}
                    if d in waiting:
                        heapq.heappush(queue, (self.cuts[d].has_modes, len(adjacent[d]), d))
        return order, later

    @cached_property
    def rooted(self) -> dict[int, list[int]]:
        """The loops with a root at each link, or the world, in the order of elimination; absent if none."""
        loops: dict[int, list[int]] = {}
        for c in self.order:
            loops.setdefault(self.roots[c], []).append(c)
        return loops

    def sure_first(self, loops: Sequence[int]) -> list[int]:
        """Return the loops, those with constraint modes last."""
        return sorted(loops, key=lambda c: self.cuts[c].has_modes)

    def pairs(self, loops: Sequence[int]) -> tuple[list[tuple[int, int]], int]:
        """Return all pairs of loops, also (c, c), those with constraint modes last; and the number of those without."""
        pairs = list(itertools.combinations_with_replacement(loops, 2))
        sure = [pair for pair in pairs if not any(self.cuts[c].has_modes for c in pair)]
        return sure + [pair for pair in pairs if any(self.cuts[c].has_modes for c in pair)], len(sure)

    @property
    def order(self) -> list[int]:
        return self._elimination[0]

    def later(self, c: int) -> list[int]:
        """Return the loops that share a block of S with loop c when c is eliminated, in the order of elimination."""
        return sorted(self._elimination[1][c], key=self.position.__getitem__)

    @cached_property
    def position(self) -> list[int]:
        positions = [0] * len(self.cuts)
        for position, c in enumerate(self.order):
            positions[c] = position
        return positions

    # -- cost -----------------------------------------------------------------------------------------
    @property
    def cost(self) -> int:
        """Sum of m² + 6 m over the joints, where m is the number of rows open at the joint."""
        total = 0
        for link in range(len(self.parent)):
            m = sum(self.cuts[c].rows for c in self.at[link] if self.roots[c] != link)
            total += m * m + 6 * m
        return total


@dataclass(frozen=True)
class RowAddresses:
    """Addresses of rows and blocks relative to the starts of their regions, and the sizes of these."""

    row: list[int]  #: first row of each loop
    entry: dict[tuple[int, int], int]  #: (link, loop): first entry
    projection: dict[tuple[int, int], int]  #: (link, loop): first projection
    block: dict[tuple[int, int], int]  #: (loop, later loop): block of S
    rows: int
    entries: int
    projections: int
    blocks: int
    factors: int
    frontal: int  #: total size of the frontal matrices (kernels/closures/sharing.py)
    frontal_row: int  #: size of a row of the largest frontal matrix


def row_addresses(cuts: Cuts) -> RowAddresses:
    """Return the addresses of the rows of all loops."""
    counts = [cut.rows for cut in cuts.cuts]
    present = [(link, c) for link in range(len(cuts.parent)) for c in cuts.present(link)]
    entry, entries = _placed({place: counts[place[1]] for place in present})
    projection, projections = _projections(cuts, present)
    block, blocks = _placed({(c, d): counts[c] * counts[d] for c in cuts.order for d in (c, *cuts.later(c))})
    fronts = [counts[c] + sum(counts[d] for d in cuts.later(c)) for c in cuts.order]
    return RowAddresses(
        row=[0, *itertools.accumulate(counts)][:-1],
        entry=entry,
        projection=projection,
        block=block,
        rows=sum(counts),
        entries=entries,
        projections=projections,
        blocks=blocks,
        factors=sum(m * m for m in counts),
        frontal=sum(_front_size(m) for m in fronts),
        frontal_row=max((m + 1 for m in fronts), default=0),
    )


def _placed(sizes: Mapping[tuple[int, int], int]) -> tuple[dict[tuple[int, int], int], int]:
    """Return the first address of each of several things that lie one after the other, and their total size."""
    ends = [0, *itertools.accumulate(sizes.values())]
    return dict(zip(sizes, ends, strict=False)), ends[-1]


def _projections(cuts: Cuts, present: Iterable[tuple[int, int]]) -> tuple[dict[tuple[int, int], int], int]:
    """Return the first projection of each loop at each link where it is open, and the number of projections.

    Rows at a node act on the modes of its body, at whose link their projections are.
    """
    opened = [(link, c) for link, c in present if cuts.roots[c] != link]
    own = {(link, c): cuts.cuts[c].rows * cuts.rates[link] for link, c in opened if not cuts.is_node(link)}
    placed, size = _placed(own)
    return {(link, c): placed[cuts.parent[link] if cuts.is_node(link) else link, c] for link, c in opened}, size


def _front_size(rows: int) -> int:
    """Return the size of a frontal matrix with these rows."""
    return rows * (rows + 1)


def elimination_tables(addresses: RowAddresses, cuts: Cuts) -> dict[str, list[int]]:
    """Return the tables for kernels/closures/elimination.py and sharing.py."""
    ends = [
        End(link, 6 * (addresses.entry[link, c] + r), addresses.row[c] + r)
        for c, cut in enumerate(cuts.cuts)
        for link in sorted(link for link in cut.ends if (link, c) in addresses.entry)
        for r in range(cut.rows)
    ]
    return {
        "ENDS": flat(ends),
        **_open_rows(addresses, cuts),
        **_pairs(addresses, cuts),
        **_rooted(addresses, cuts),
        **_switched(addresses, cuts),
        **_fronts(addresses, cuts),
    }


def _open_rows(addresses: RowAddresses, cuts: Cuts) -> dict[str, list[int]]:
    """Return the open rows of each link: Y there, Y at the parent, projections, row; with constraint modes last."""
    first, sure, table = [0], [], list[Open]()
    for link in range(len(cuts.parent)):
        loops = cuts.sure_first(cuts.open(link))
        sure.append(first[-1] + sum(cuts.cuts[c].rows for c in loops if not cuts.cuts[c].has_modes))
        for c in loops:
            up = addresses.entry.get((cuts.parent[link], c), 0)
            for r in range(cuts.cuts[c].rows):
                owner = cuts.parent[link] if cuts.is_node(link) else link
                projection = addresses.projection[link, c] + r * cuts.rates[owner]
                table.append(Open(6 * (addresses.entry[link, c] + r), 6 * (up + r), projection, addresses.row[c] + r))
        first.append(len(table))
    return {"OPEN_FIRST": first, "OPEN_PERMANENT_END": sure, "OPEN": flat(table)}


def _pairs(addresses: RowAddresses, cuts: Cuts) -> dict[str, list[int]]:
    """Return the pairs of loops open at each link: both first projections, block, its size, number of joint velocities.

    Pairs with constraint modes come last.
    """
    first, sure, table, loops = [0], [], list[Pair](), list[LoopPair]()
    for link, rates in enumerate(cuts.rates):
        pairs, certain = cuts.pairs(cuts.open(link) if rates else [])
        sure.append(first[-1] + certain)
        for c, d in pairs:
            loops.append(LoopPair(c, d))
            sizes = cuts.cuts[c].rows, cuts.cuts[d].rows, rates
            left, right = addresses.projection[link, c], addresses.projection[link, d]
            table.append(Pair(left, right, addresses.block[c, d], *sizes))
        first.append(len(table))
    return {"PAIR_FIRST": first, "PAIR_PERMANENT_END": sure, "PAIRS": flat(table), "PAIR_LOOPS": flat(loops)}


def _rooted(addresses: RowAddresses, cuts: Cuts) -> dict[str, list[int]]:
    """Return the loops rooted at each link, the world last, and for each loop its later loops and their pairs.

    Loops with constraint modes come last.
    """
    rooted_first, rooted_sure, rooted = [0], [], list[Rooted]()
    later_first, later_sure, later = [0], [], list[Later]()
    update_first, update_sure, updates, update_loops = [0], [], list[Update](), list[LoopPair]()
    factor = 0
    for link in [*range(len(cuts.parent)), WORLD_LINK]:
        loops = cuts.rooted.get(link, [])
        rooted_sure.append(rooted_first[-1] + sum(not cuts.cuts[c].has_modes for c in loops))
        for c in loops:
            m = cuts.cuts[c].rows
            y = 6 * addresses.entry.get((link, c), -1)
            rooted.append(Rooted(c, m, addresses.row[c], addresses.block[c, c], factor, y))
            factor += m * m
            later_sure.append(later_first[-1] + sum(not cuts.cuts[d].has_modes for d in cuts.later(c)))
            for d in cuts.sure_first(cuts.later(c)):
                entry = addresses.entry.get((link, d))
                y = -1 if entry is None else 6 * entry
                later.append(Later(addresses.row[d], cuts.cuts[d].rows, addresses.block[c, d], y))
            pairs, certain = cuts.pairs(cuts.later(c))
            update_sure.append(update_first[-1] + certain)
            for d, e in pairs:
                blocks = addresses.block[c, d], addresses.block[c, e], addresses.block[d, e]
                updates.append(Update(*blocks, cuts.cuts[d].rows, cuts.cuts[e].rows))
                update_loops.append(LoopPair(d, e))
            later_first.append(len(later))
            update_first.append(len(updates))
        rooted_first.append(len(rooted))
    return {
        "ROOTED_FIRST": rooted_first, "ROOTED_PERMANENT_END": rooted_sure, "ROOTED": flat(rooted),
        "LATER_FIRST": later_first, "LATER_PERMANENT_END": later_sure, "LATER": flat(later),
        "UPDATE_FIRST": update_first, "UPDATE_PERMANENT_END": update_sure, "UPDATES": flat(updates),
        "UPDATE_LOOPS": flat(update_loops),
    }  # fmt: skip


def _switched(addresses: RowAddresses, cuts: Cuts) -> dict[str, list[int]]:
    """Return the loops with constraint modes: the links at which each has rows (the world last), and all their rows."""
    table: list[LinksOfLoop] = []
    links: list[int] = []
    rows: list[SwitchedRow] = []
    switched = [c for c, cut in enumerate(cuts.cuts) if cut.has_modes]
    present: list[list[int]] = [[] for _ in cuts.cuts]
    for link, loops in enumerate(cuts.at):
        for c in loops:
            present[c].append(link)
    for mode, c in enumerate(switched):
        begin = len(links)
        links += present[c]
        table.append(LinksOfLoop(begin, len(links)))
        for r in range(cuts.cuts[c].rows):
            rows.append(SwitchedRow(addresses.row[c] + r, mode, c))
    return {"SWITCHED": flat(table), "SWITCHED_LINKS": links, "SWITCHED_ROWS": flat(rows)}


def _fronts(addresses: RowAddresses, cuts: Cuts) -> dict[str, list[int]]:
    """Return the frontal matrix of each loop, in the order of elimination: its own rows, then those of later loops."""
    links = [*range(len(cuts.parent)), WORLD_LINK]
    number = {c: k for k, c in enumerate(c for link in links for c in cuts.rooted.get(link, ()))}
    members = [
        [addresses.row[d] + r for d in (c, *cuts.sure_first(cuts.later(c))) for r in range(cuts.cuts[d].rows)]
        for c in cuts.order
    ]
    table: list[Frontal] = []
    numbers: list[int] = []
    positions: list[int] = []
    first = 0
    for c, rows in zip(cuts.order, members, strict=True):
        later = cuts.later(c)
        following = cuts.position[later[0]] if later else -1
        table.append(Frontal(number[c], first, len(rows), following, len(numbers)))
        first += _front_size(len(rows))
        numbers += rows
        own = cuts.cuts[c].rows
        places = {row: k for k, row in enumerate(members[following])}
        positions += [0] * own + [places[row] for row in rows[own:]]
    return {"FRONTAL": flat(table), "FRONT_ROWS": numbers, "FRONT_MAP": positions}
